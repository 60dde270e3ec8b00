"""The search index, read by `theme/static/search.js`: one line per section, function and glossary term.

It is a script that sets one variable, since a page opened from a disk may not fetch a JSON file.
"""

import json
import re
from contextlib import suppress
from html import unescape
from pathlib import Path

from docutils import nodes
from sphinx import addnodes

from web.formulae import to_mathml

SILENT = (
    *(nodes.image, nodes.comment, nodes.section, nodes.title, nodes.label),
    *(nodes.footnote_reference, addnodes.glossary),
)

CELL_PARTS = ("cell_code_source", "cell_code_output")  # what a function does is found in its own entry


def write_index(app, exception):
    """Write the index of all pages, changed or not."""
    if exception or app.builder.name != "html":
        return
    entries = [entry for docname in sorted(app.env.found_docs) for entry in list_entries(app, docname)]
    lines = ",\n".join(json.dumps(entry, ensure_ascii=False, separators=(",", ":")) for entry in entries)
    Path(app.outdir, "search-index.js").write_text(f"window.searchIndex = [\n{lines}\n];\n", "utf-8")


def list_entries(app, docname):
    """Yield [address, page title, section title, text] for each section, term and function of a page."""
    page = app.env.titles[docname].astext()
    url = app.builder.get_target_uri(docname)
    doctree = app.env.get_doctree(docname)
    for section in doctree.findall(nodes.section):
        is_page = not isinstance(section.parent, nodes.section)
        title = section.next_node(nodes.title).astext()
        address = url if is_page else f"{url}#{section['ids'][0]}"
        yield [address, page, "" if is_page else title, " ".join("".join(read_text(section)).split())]
    for glossary in doctree.findall(addnodes.glossary):
        for item in glossary.findall(nodes.definition_list_item):
            terms = list(item.findall(nodes.term))
            names = " · ".join(term.astext() for term in terms)
            definition = read_text(item.next_node(nodes.definition))
            yield [f"{url}#{terms[0]['ids'][0]}", page, names, " ".join("".join(definition).split())]
    for described in doctree.findall(addnodes.desc):
        if has_entry(described):
            signature, content = described[0], described[-1]
            words = f"{signature.astext()} {''.join(read_text(content))}"
            yield [f"{url}#{signature['ids'][0]}", page, signature["fullname"], " ".join(words.split())]


def has_entry(node):
    """Tell whether a node is a function or class with an entry of its own; attributes go with their class."""
    return isinstance(node, addnodes.desc) and bool(node[0]["ids"])


def read_text(node):
    """Yield the words below `node` that are read: no subsections, functions, figures, displays and code."""
    for child in node.children:
        if isinstance(child, nodes.Text):
            yield child.astext()
        elif isinstance(child, nodes.raw):
            yield " "  # a break of the line
        elif isinstance(child, SILENT) or child.get("nb_element") in CELL_PARTS or has_entry(child):
            continue
        elif isinstance(child, nodes.math_block):
            yield " … "  # fractions and sums are no line of text
        elif isinstance(child, nodes.math):
            yield read_formula(child)
        else:
            yield from read_text(child)
            yield "" if isinstance(child, nodes.Inline) else " "


def read_formula(node):
    """Return a formula as a line of text; what cannot be read is reported where the page is written."""
    with suppress(ValueError):
        return unescape(re.sub("<[^>]+>", "", to_mathml(node.astext(), "inline")))
    return ""


def setup(app):
    """Write the index when the pages stand."""
    app.connect("build-finished", write_index)
