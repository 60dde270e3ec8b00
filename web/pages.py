"""What the template of a page needs to know."""

import base64
import hashlib
import itertools
from pathlib import Path

from docutils import nodes
from sphinx.util import logging

from web.builder import PARTS, THEME, style_sheet

logger = logging.getLogger(__name__)

SHORTEST, LONGEST = 50, 300  # characters of a description that search engines show
OWN_DESCRIPTIONS = {
    "search": "Search the whole book: chapters, notation, glossary and references.",
    "404": "This page does not exist. The contents of the book and the search lead on.",
}
OWN_TITLES = {"search": "Search", "404": "Page not found"}


def describe_page(app, pagename, templatename, context, doctree):
    """Add to a page's context everything that is not in its text."""
    env, pathto = app.env, context["pathto"]
    contents = list_contents(app, pathto, pagename)
    first = (THEME / "first.js").read_text("utf-8").strip()
    context |= {
        "page_title": OWN_TITLES.get(pagename) or env.titles[pagename].astext(),
        "description": OWN_DESCRIPTIONS.get(pagename) or check_description(env, pagename),
        "contents": contents,
        "place": find_place(contents),
        "sections": list_sections(doctree),
        "scripts": [f"{part}.js" for part in PARTS if f"<attn-{part}" in context.get("body", "")],
        "first_script": first,
        "first_script_hash": "sha256-" + base64.b64encode(hashlib.sha256(first.encode()).digest()).decode(),
        "asset": lambda name: address_asset(app, pathto, name),
        "style_sheet": (THEME / "static" / "style.css").read_text("utf-8") if pagename == "404" else "",
    }


def address_asset(app, pathto, name):
    """Return the address of a file of `_static`; a changed file has a new one."""
    if name == "style.css":
        content = style_sheet(app.srcdir).encode()
    else:
        folder = Path(app.srcdir, "attnlib") if Path(name).stem in PARTS else THEME / "static"
        content = (folder / name).read_bytes()
    return f"{pathto('_static/' + name, resource=True)}?v={hashlib.sha256(content).hexdigest()[:8]}"


def read_description(app, doctree):
    """Keep the page's description: from front matter (a notebook's metadata), else its first paragraph."""
    metas = [m for m in doctree.findall(nodes.meta) if m.get("name") == "description"]
    for meta in metas:
        meta.parent.remove(meta)
    first = (p.astext() for p in doctree.findall(nodes.paragraph))
    text = metas[0]["content"] if metas else next(first, "")
    app.env.metadata[app.env.docname]["description"] = " ".join(text.split())


def check_description(env, docname):
    """Return the page's description, with a warning when a search engine could not show it."""
    text = env.metadata[docname]["description"]
    if not SHORTEST <= len(text) <= LONGEST:
        logger.warning(
            "the description has %d characters, give one of %d to %d (myst.html_meta.description): %r",
            *(len(text), SHORTEST, LONGEST, text),
            location=docname,
            type="book",
            subtype="description",
        )
    return text


def list_contents(app, pathto, pagename):
    """Return the parts of the book, in the order of `_toc.yml`, each with its chapters.

    Chapters are notebooks and have numbers, the other pages are appendices and have letters, as in print.
    """
    env = app.env
    numbers, letters = map(str, itertools.count(1)), map(chr, itertools.count(ord("A")))
    return [
        {
            "title": part.caption,
            "chapters": [
                {
                    "number": next(numbers if env.doc2path(docname).endswith(".ipynb") else letters),
                    "title": env.titles[docname].astext(),
                    "description": env.metadata[docname]["description"],
                    "url": pathto(docname),
                    "current": docname == pagename,
                }
                for docname in (str(item).removesuffix(".md").removesuffix(".ipynb") for item in part.items)
            ],
        }
        for part in app.config.external_site_map.root.subtrees
    ]


def find_place(contents):
    """Return where the page stands, the title of its part and its own number; None outside the contents."""
    for part in contents:
        for chapter in part["chapters"]:
            if chapter["current"]:
                return {"part": part["title"], "number": chapter["number"]}
    return None


def divide_title(app, doctree, docname):
    """Set apart the subject that a title names after a colon."""
    title = next(doctree.findall(nodes.title), None)
    if title is None or len(title) != 1 or not isinstance(title[0], nodes.Text):
        return
    asks, colon, subject = title[0].partition(": ")
    if colon:
        title[:] = [nodes.Text(asks + colon), nodes.inline("", subject, classes=["subject"])]


def list_sections(doctree):
    """Return the sections of a page as (id, title), one level deep."""
    page = next(doctree.findall(nodes.section), None) if doctree is not None else None
    if page is None:
        return []
    sections = [child for child in page.children if isinstance(child, nodes.section)]
    return [(section["ids"][0], section.next_node(nodes.title).astext()) for section in sections]


def setup(app):
    """Describe each page before its template is filled."""
    app.add_config_value("comments_config", {}, "")  # Jupyter Book sets it, comments or not
    app.connect("doctree-read", read_description)
    app.connect("doctree-resolved", divide_title)
    app.connect("html-page-context", describe_page)
