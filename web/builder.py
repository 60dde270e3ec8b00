"""The HTML builder without what this book does not use: no scripts, styles or index pages of Sphinx's own."""

import functools
import re
import shutil
from pathlib import Path

from docutils import nodes
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.util.fileutil import copy_asset
from sphinx.writers.html5 import HTML5Translator

THEME = Path(__file__).parent / "theme"
PARTS = ("explorer", "player")  # of attnlib, each with a script and a style sheet


def style_sheet(root):
    """Return the one style sheet: that of the pages, of explorers and players, and what changes on paper."""
    own = (Path(root, "attnlib", f"{part}.css") for part in PARTS)
    sheets = (THEME / "static" / "style.css", *own, THEME / "print.css")
    return "\n".join(sheet.read_text("utf-8") for sheet in sheets)


@functools.cache
def plain_token():
    """Return the pattern of a piece of code that the style sheet gives no look of its own."""
    styled = set(re.findall(r"\.highlight \.(\w+)", (THEME / "static" / "style.css").read_text("utf-8")))
    return re.compile(rf'<span(?: class="(?!(?:{"|".join(sorted(styled))})")[^"]*")?>([^<]*)</span>')


class BookBuilder(StandaloneHTMLBuilder):
    """Writes the pages, one style sheet, a few small scripts, and each notebook beside its page."""

    search = False
    copysource = False

    def init_css_files(self):
        """Templates name the one style sheet themselves."""

    def init_js_files(self):
        """Templates name the scripts themselves."""

    def get_outdated_docs(self):
        """Write every page again: titles and order appear in the contents of all of them."""
        return iter(self.env.found_docs)

    def prepare_writing(self, docnames):
        """Begin with an empty folder, so that nothing old stays on the site."""
        shutil.rmtree(self.outdir, ignore_errors=True)
        Path(self.outdir).mkdir(parents=True)
        super().prepare_writing(docnames)

    def gen_additional_pages(self):
        """Pages that stand in no table of contents."""
        self.handle_page("search", {}, "search.html")
        self.handle_page("404", {}, "404.html")

    def copy_static_files(self):
        """Copy what pages may load into an otherwise empty `_static`."""
        static = Path(self.outdir, "_static")
        for folder in reversed(self.theme.get_theme_dirs()):
            copy_asset(str(Path(folder, "static")), str(static))
        static.joinpath("style.css").write_text(style_sheet(self.srcdir), "utf-8")
        for part in PARTS:
            shutil.copy(Path(self.srcdir, "attnlib", f"{part}.js"), static)

    def write_doc(self, docname, doctree):
        """Write the page, and put its notebook and the sounds of its players beside it."""
        super().write_doc(docname, doctree)
        source, folder = Path(self.env.doc2path(docname)), Path(self.outdir, docname).parent
        if source.suffix == ".ipynb":
            shutil.copy(source, folder)
        html = "".join(raw.astext() for raw in doctree.findall(nodes.raw))
        for sound in re.findall(r'<audio [^>]*src="([^"/]+)"', html):
            shutil.copy(next(Path(self.srcdir, "attnlib", "data").rglob(sound)), folder)

    def write_buildinfo(self):
        """Nothing asks for it: every page is written every time."""

    def handle_finish(self):
        """No index of Sphinx's own: `web.search` writes one."""


class BookTranslator(HTML5Translator):
    """Tables that scroll, code with few marks, cited works as a plain list (the text names authors)."""

    def visit_table(self, node):
        """Open the scrolling box."""
        self.body.append('<div class="scroll">')
        super().visit_table(node)

    def depart_table(self, node):
        """Close the scrolling box."""
        super().depart_table(node)
        self.body.append("</div>\n")

    def visit_paragraph(self, node):
        """Open a paragraph, unless it holds a list: Sphinx so wraps what a function returns."""
        if node.first_child_matching_class(nodes.bullet_list) is None:
            super().visit_paragraph(node)

    def depart_paragraph(self, node):
        """Close what was opened."""
        if node.first_child_matching_class(nodes.bullet_list) is None:
            super().depart_paragraph(node)

    def visit_literal_block(self, node):
        """Write code with marks for pieces that look different only; printed source is code too."""
        if "stream" in node["classes"] and re.match(r"(@.*\n)*(def|class) \w+", node.astext()):
            node["language"] = "python"
        try:
            super().visit_literal_block(node)
        finally:  # Sphinx leaves with SkipNode
            self.body[-1] = plain_token().sub(r"\1", self.body[-1])

    def visit_desc_signature(self, node):
        """Open the line of a function."""
        super().visit_desc_signature(node)
        self.signature = len(self.body)

    def depart_desc_signature(self, node):
        """Leave text and its emphasis: an element around each word would be a third of the package's page."""
        pieces, self.body[self.signature :] = "".join(self.body[self.signature :]), []
        self.body.append(re.sub(r"</?span[^>]*>", "", pieces))
        super().depart_desc_signature(node)

    def visit_Text(self, node):
        """Write code in a line as it is: no style asks for an element around each of its words."""
        if self.protect_literal_text:
            self.body.append(self.encode(node.astext()))
        else:
            super().visit_Text(node)

    def visit_term(self, node):
        """Name the language of a Chinese term, for those who hear it."""
        super().visit_term(node)
        if re.search(r"[\u4e00-\u9fff]", node.astext()):
            self.body[-1] = self.body[-1].replace("<dt", '<dt lang="zh-Hans"', 1)

    def visit_citation(self, node):
        """Open an item, and the list before the first."""
        if not isinstance(node.previous_sibling(), nodes.citation):
            self.body.append('<ul class="works">\n')
        self.body.append(self.starttag(node, "li"))

    def depart_citation(self, node):
        """Close the item, and the list after the last."""
        self.body.append("</li>\n")
        if not isinstance(node.next_node(descend=False, siblings=True), nodes.citation):
            self.body.append("</ul>\n")

    def visit_label(self, node):
        """Leave out the numbers of works, which nothing refers to."""
        if isinstance(node.parent, nodes.citation):
            raise nodes.SkipNode
        super().visit_label(node)


def remove_leftovers(app, exception):
    """Remove the style sheet that myst-nb copies into `_static` on its own."""
    for path in Path(app.outdir, "_static").glob("mystnb.*.css"):
        path.unlink()


def setup(app):
    """Take the place of Sphinx's own builder."""
    app.add_builder(BookBuilder, override=True)
    app.set_translator("html", BookTranslator)
    app.connect("build-finished", remove_leftovers, priority=900)
