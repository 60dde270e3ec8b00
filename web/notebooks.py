"""Notebooks in the page: when they run again; answers, figures, folds and explorers as HTML."""

import ast
import hashlib
import itertools
import platform
import re
from html import escape
from pathlib import Path
from string import ascii_lowercase
from typing import ClassVar
from xml.etree import ElementTree

import nbformat
from docutils import nodes
from docutils.parsers.rst import directives
from myst_nb.core import render
from myst_nb.core.utils import coalesce_streams
from myst_nb.sphinx_ import HideCodeCellNode, depart_HideCellInput
from sphinx.transforms import SphinxTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

logger = logging.getLogger(__name__)

SVG = "http://www.w3.org/2000/svg"
ElementTree.register_namespace("", SVG)
ElementTree.register_namespace("xlink", "http://www.w3.org/1999/xlink")

FOLDS = {"content": "Solution", "source": "Code", "output": "Output", "outputs": "Output"}
LONG = 240  # characters of alternative text beyond which it is also readable on the page


def digest(root):
    """Return a hash of all that decides what a notebook prints, apart from the notebook itself."""
    result = hashlib.sha256(platform.python_version().encode())
    package = [p for p in Path(root, "attnlib").rglob("*") if p.is_file() and "__pycache__" not in p.parts]
    for path in sorted([*package, Path(root, "requirements.txt")]):
        result.update(f"{path.relative_to(root).as_posix()} {path.stat().st_size}\n".encode())
        result.update(path.read_bytes())
    return result.hexdigest()[:16]


def choose_cache(app, config):
    """Keep results per digest.

    jupyter-cache looks at the notebook alone and would serve old figures after a change of attnlib.
    A new path is a new configuration for myst-nb, which makes Sphinx read every notebook again.
    """
    config.nb_execution_cache_path = str(Path(app.outdir).parent / ".jupyter_cache" / digest(app.srcdir))


def only_imports(source):
    """Tell whether a cell of code only imports.

    >>> only_imports("import numpy as np"), only_imports("import numpy as np; print(np.pi)")
    (True, False)
    """
    try:
        lines = ast.parse(source).body
    except SyntaxError:  # a magic, which is not Python
        return False
    return bool(lines) and all(isinstance(line, ast.Import | ast.ImportFrom) for line in lines)


def prepare_cells(app, doctree):
    """Give each code cell an anchor made of its name in the notebook, `cell-NAME`, and fold mere imports."""
    path = Path(app.env.doc2path(app.env.docname))
    if path.suffix != ".ipynb":
        return
    cells = nbformat.read(path, as_version=4).cells
    for node in doctree.findall(nodes.container):
        if node.get("nb_element") == "cell_code":
            cell = cells[node["cell_index"]]
            node["ids"].append(f"cell-{cell.id}")
            if only_imports(cell.source):
                node.attributes |= {"hide_mode": "input", "prompt_show": "Imports", "prompt_hide": "Imports"}


class Answers(SphinxTransform):
    """Make a list of the answers to a question.

    Chapters write them as the lines of one paragraph, "(a) ...", "(b) ...": a list has bullets in JupyterLab.
    """

    default_priority = 500

    def apply(self):
        """Replace each paragraph whose lines begin with the letters in their order."""
        for paragraph in list(self.document.findall(nodes.paragraph)):
            parts = itertools.groupby(paragraph.children, lambda node: isinstance(node, nodes.raw))
            lines = [list(line) for is_break, line in parts if not is_break]
            letters = zip(lines, ascii_lowercase, strict=False)
            if len(lines) > 1 and all(line[0].astext().startswith(f"({a}) ") for line, a in letters):
                items = [nodes.list_item("", nodes.paragraph("", "", *line)) for line in lines]
                paragraph.replace_self(nodes.bullet_list("", *items, classes=["answers"]))


def inline_figures(app, doctree):
    """Put each SVG output into the page itself, where it follows light and dark and takes no request."""
    for bundle in doctree.findall(
        lambda n: n.get("nb_element") == "mime_bundle" if hasattr(n, "get") else False
    ):
        outputs = {output["mime_type"]: output for output in bundle.children}
        if "image/svg+xml" not in outputs:
            continue
        image = next(outputs["image/svg+xml"].findall(nodes.image))
        alt = outputs["text/plain"].astext().strip() if "text/plain" in outputs else ""
        if not alt or alt.startswith("<"):
            logger.warning("a figure has no alternative text", location=bundle, type="book", subtype="figure")
        name = re.sub(r"\W+", "-", f"{app.env.docname}-{Path(image['uri']).stem[:8]}")
        svg = Path(app.srcdir, image["uri"].lstrip("/")).read_text("utf-8")
        outputs["image/svg+xml"].children = []
        outputs["image/svg+xml"] += nodes.raw("", figure_html(svg, alt, name), format="html")


def figure_html(svg, alt, name):
    """Return an SVG as an HTML figure: caption as text, alternative text for those who cannot see it."""
    root = ElementTree.fromstring(svg)
    caption = " ".join(
        "".join(element.itertext()).strip()
        for element in root.iter()
        if "attn-caption" in element.get("class", "")
    )
    for parent in root.iter():
        for child in list(parent):
            if "attn-caption" in child.get("class", "") or child.tag == f"{{{SVG}}}metadata":
                parent.remove(child)
    left, top, width, height = (float(v) for v in root.get("viewBox").replace(",", " ").split())
    height = float(root.attrib.pop("data-plain-height", height))
    root.set("viewBox", f"{left:g} {top:g} {width:g} {height:g}")
    root.set("width", f"{width:g}")
    root.set("height", f"{height:g}")
    root.set("role", "img")
    root.set("aria-label", alt if len(alt) <= LONG else alt[:LONG].rsplit(". ", 1)[0].rstrip(".") + ".")
    details = ""
    if len(alt) > LONG:
        root.set("aria-describedby", f"{name}-text")
        details = f'<details><summary>In words</summary><p id="{name}-text">{escape(alt)}</p></details>'
    return (
        f'<figure class="attn-figure">{ElementTree.tostring(root, encoding="unicode")}'
        f"<figcaption>{escape(caption)}{details}</figcaption></figure>"
    )


def visit_fold(translator, node):
    """Write a hidden cell as a native fold with a short name."""
    title = FOLDS.get(node["prompt_show"], node["prompt_show"])
    translator.body.append(f'<details class="fold"><summary>{escape(title)}</summary>\n')


class ExplorerElsewhere(nodes.Element):
    """Stands for an explorer that another chapter makes, until that chapter has been read."""


class ExplorerDirective(SphinxDirective):
    """`{explorer} NAME` with `:from: DOCNAME` shows another chapter's explorer."""

    required_arguments = 1
    option_spec: ClassVar = {"from": directives.unchanged_required}

    def run(self):
        """Leave a place for the explorer."""
        node = ExplorerElsewhere(name=self.arguments[0], chapter=self.options["from"])
        self.set_source_info(node)
        return [node]


def fetch_explorers(app, doctree, docname):
    """Fill the places left by the directive from the other chapters' outputs."""
    for place in list(doctree.findall(ExplorerElsewhere)):
        mark = f'id="explorer-{place["name"]}"'
        found = None
        if place["chapter"] in app.env.found_docs:
            other = app.env.get_doctree(place["chapter"])
            found = next((raw for raw in other.findall(nodes.raw) if mark in raw.astext()), None)
        if found is None:
            message = "no explorer %r in %r"
            logger.warning(
                message, place["name"], place["chapter"], location=place, type="book", subtype="explorer"
            )
            place.parent.remove(place)
        else:
            place.replace_self(found.deepcopy())


def join_streams(outputs):
    """Join the pieces in which a kernel happened to send a stream, as they are.

    myst-nb joins them too, but ends each piece with a line break, even in the middle of a line.
    """
    joined = []
    for output in outputs:
        last = joined[-1] if joined else {}
        if output["output_type"] == "stream" and last.get("name") == output["name"]:
            last["text"] += output["text"]
        else:
            joined.append(output)
    return coalesce_streams(joined)


def setup(app):
    """Register the cache, answers, figures, folds, explorers and streams."""
    render.coalesce_streams = join_streams
    app.add_transform(Answers)
    app.connect("config-inited", choose_cache)
    app.connect("doctree-read", prepare_cells)
    app.connect("doctree-read", inline_figures, priority=400)  # before Sphinx collects image files (500)
    app.connect("doctree-resolved", fetch_explorers)
    app.add_directive("explorer", ExplorerDirective)
    app.add_node(ExplorerElsewhere)
    app.add_node(HideCodeCellNode, override=True, html=(visit_fold, depart_HideCellInput))
