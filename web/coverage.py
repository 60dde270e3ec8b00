"""The page of all claims: `{coverage} PART` lists the claims of one part of `coverage.toml`, beside the page.

Every link leads to a slider, a cell or a section that really exists: an anchor that is gone, a claim without
evidence, or a name that attnlib does not have is a warning, which the build treats as an error.
"""

import re
import tomllib
from pathlib import Path

from docutils import nodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

import attnlib

logger = logging.getLogger(__name__)

WAYS = {"try": "Try it: ", "see": "See it: ", "check": "Checked: "}
REFERENCE = "chapters/package"  # where the functions of attnlib are documented


class Evidence(nodes.Inline, nodes.Element):
    """Stands for a link to an anchor of another page, until that page has been read."""


def find_functions(names):
    """Return the address in the reference of each public name of attnlib; AttributeError for an unknown one.

    >>> find_functions(["softmax"])
    {'softmax': 'chapters/package#attnlib.transforms.exponential.softmax'}
    """
    values = {name: getattr(attnlib, name) for name in names}
    return {
        name: f"{REFERENCE}#" + (f"{value.__module__}.{name}" if callable(value) else "catalogue")
        for name, value in values.items()
    }


class Coverage(SphinxDirective):
    """`{coverage} PART`: the claims of that part as a list of definitions."""

    required_arguments = 1

    def run(self):
        """Write the claims, with a place for each link."""
        path = Path(self.env.doc2path(self.env.docname)).with_name("coverage.toml")
        self.env.note_dependency(str(path))
        listing = nodes.definition_list(classes=["claims"])
        for row in tomllib.loads(path.read_text("utf-8"))[self.arguments[0]]:
            definition = nodes.definition("", nodes.paragraph(text=row["shown"]))
            definition += self.list_links("In ", [self.place(row["chapter"], "")])
            ways = {title: row[way] for way, title in WAYS.items() if row.get(way)}
            if not ways:
                self.complain("no evidence for the claim %r", row["claim"])
            for title, anchors in ways.items():
                definition += self.list_links(title, [self.place(row["chapter"], a) for a in anchors])
            try:
                functions = find_functions(row.get("names", ()))
            except AttributeError as error:
                self.complain("the claim %r names what does not exist: %s", row["claim"], error)
                functions = {}
            if functions:
                links = [self.place("", at, nodes.literal(text=name)) for name, at in functions.items()]
                definition += self.list_links("In the package: ", links)
            listing += nodes.definition_list_item("", nodes.term(text=row["claim"]), definition)
        return [listing]

    def place(self, chapter, anchor, label=None):
        """Return the place of a link to `anchor`, which is of `chapter` unless it names another page."""
        docname, _, fragment = anchor.rpartition("#")
        node = Evidence("", *([label] if label else []), docname=docname or chapter, anchor=fragment)
        self.set_source_info(node)
        return node

    def list_links(self, title, links):
        """Return a line of links, separated by commas."""
        line = nodes.paragraph("", title, classes=["evidence"])
        for number, link in enumerate(links):
            line += [nodes.Text(", ")] * (number > 0) + [link]
        return line

    def complain(self, message, *details):
        """Report a fault of the data file."""
        where = self.get_location()
        logger.warning(message, *details, location=where, type="book", subtype="coverage")


def name_place(doctree, anchor):
    """Return the title of the section in which a page has an anchor; None when it has no such anchor.

    No anchor at all is the top of the page.
    """
    if not anchor:
        return doctree.next_node(nodes.title).astext()
    mark = re.compile(rf'\bid="{re.escape(anchor)}"')
    for node in doctree.findall(nodes.Element):
        if anchor in node.get("ids", ()) or (isinstance(node, nodes.raw) and mark.search(node.astext())):
            while not isinstance(node, nodes.section):
                node = node.parent
            return node.next_node(nodes.title).astext()
    return None


def link_evidence(app, doctree, docname):
    """Turn the places into links, named after the section that they lead to; a second one after the cell."""
    for definition in doctree.findall(nodes.definition):
        used = set()
        for place in list(definition.findall(Evidence)):
            chapter, anchor = place["docname"], place["anchor"]
            found = chapter in app.env.found_docs and name_place(app.env.get_doctree(chapter), anchor)
            if not found:
                logger.warning(
                    *("no %r in %r", anchor, chapter), location=place, type="book", subtype="coverage"
                )
                place.replace_self(nodes.Text(anchor))
                continue
            title = "the slider" if found == "Try it" else found
            if title in used:
                title = anchor.partition("-")[2].replace("-", " ")
            used.add(title)
            address = app.builder.get_relative_uri(docname, chapter) + (anchor and f"#{anchor}")
            label = list(place.children) or [nodes.Text(title)]
            place.replace_self(nodes.reference("", "", *label, refuri=address, internal=True))


def setup(app):
    """Register the directive."""
    app.add_directive("coverage", Coverage)
    app.add_node(Evidence)
    app.connect("doctree-resolved", link_evidence)
