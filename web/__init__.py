"""The static site: what turns a Jupyter Book build into pages that need no other site and no library.

`_config.yml` names this package as the last Sphinx extension. Each module has one job:

    builder     writes only the files a page uses
    pages       what a page's template needs to know: title, description, contents, explorer
    formulae    TeX to MathML at build time
    links       citations and terms, which chapters write as plain links
    notebooks   when notebooks run again; answers, figures, folds and explorers as HTML
    coverage    the page of all claims, each linked to the cells that show it
    publish     notebook and package of a page; card, site map, launch and feedback links of a published site
    cards       the pictures that stand for pages where their addresses are shared
    search      the search index
    theme/      templates, style sheet, scripts
"""

import zlib
from pathlib import Path

from web import builder, coverage, formulae, links, notebooks, pages, publish, search


def setup(app):
    """Register every part with Sphinx."""
    app.add_html_theme("book", str(builder.THEME))
    for part in (builder, coverage, formulae, links, notebooks, pages, publish, search):
        part.setup(app)
    sources = b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py")))
    version = zlib.crc32(sources)  # pages that other sources have read are read again; no notebook runs again
    return {"env_version": version, "parallel_read_safe": True, "parallel_write_safe": True}
