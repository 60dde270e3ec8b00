"""What a page offers beyond its text: its notebook, and the package to run it with.

Once the addresses of the site and of its repository are known, also a canonical address, a card, a place in
the site map, launch links, feedback. Both stand in `_config.yml`; the environment may name them instead
(BOOK_URL, BOOK_REPOSITORY, BOOK_BRANCH), which is how a workflow publishes without editing a file.
"""

import os
import subprocess
import sys
import tomllib
from pathlib import Path
from urllib.parse import quote, urlencode, urlsplit
from xml.sax.saxutils import escape

from web.cards import draw_card, list_weights, name_card
from web.pages import find_place, list_contents

VARIABLES = {"html_baseurl": "BOOK_URL", "book_repository": "BOOK_REPOSITORY", "book_branch": "BOOK_BRANCH"}


def read_environment(app, config):
    """Let the environment name the addresses; an empty variable says that there is none."""
    for name, variable in VARIABLES.items():
        setattr(config, name, os.environ.get(variable, getattr(config, name)))
    if config.html_baseurl:
        config.html_baseurl = config.html_baseurl.rstrip("/") + "/"
    config.book_repository = config.book_repository.rstrip("/")


def describe_publication(app, pagename, templatename, context, doctree):
    """Add to a page's context where it stands, and what leads from it to its notebook and its repository."""
    base, repository = app.config.html_baseurl, app.config.book_repository
    source = Path(app.env.doc2path(pagename, base=False)).as_posix() if pagename in app.env.found_docs else ""
    notebook = source.endswith(".ipynb")
    context |= {
        "canonical": base and context["pageurl"].removesuffix("index.html"),
        "home_path": urlsplit(base).path or "/",
        "card": base and source and base + name_card(pagename),
        "repository": repository,
        "source_url": repository and source and f"{repository}/blob/{app.config.book_branch}/{quote(source)}",
        "feedback_url": repository and source and name_issue(repository, context["page_title"], source),
        "launches": name_launches(repository, app.config.book_branch, source) if notebook else {},
        "notebook": Path(source).name if notebook else "",
    }
    if notebook:
        wheel = name_wheel(app.srcdir)
        context |= {"wheel": context["pathto"](wheel, resource=True), "install": name_install(base, wheel)}


def name_issue(repository, title, source):
    """Return the address of a new issue that names the page.

    >>> name_issue("https://github.com/a/b", "Softmax", "chapters/softmax.ipynb")
    'https://github.com/a/b/issues/new?title=Page+%22Softmax%22&body=chapters%2Fsoftmax.ipynb%0A%0A'
    """
    return f"{repository}/issues/new?" + urlencode({"title": f'Page "{title}"', "body": f"{source}\n\n"})


def name_launches(repository, branch, source):
    """Return {name: address} of the services that run a notebook of a repository on GitHub.

    >>> for name, address in name_launches("https://github.com/a/b", "main", "c/d.ipynb").items():
    ...     print(name, address)
    Binder https://mybinder.org/v2/gh/a/b/main?urlpath=lab%2Ftree%2Fc%2Fd.ipynb
    Colab https://colab.research.google.com/github/a/b/blob/main/c/d.ipynb
    >>> name_launches("https://example.org/a/b", "main", "c/d.ipynb")
    {}
    """
    if urlsplit(repository).netloc != "github.com":
        return {}
    path = urlsplit(repository).path.strip("/")
    inside = urlencode({"urlpath": f"lab/tree/{source}"})
    return {
        "Binder": f"https://mybinder.org/v2/gh/{path}/{quote(branch, safe='')}?{inside}",
        "Colab": f"https://colab.research.google.com/github/{path}/blob/{branch}/{quote(source)}",
    }


def name_wheel(root):
    """Return the file name of the package's wheel."""
    project = tomllib.loads(Path(root, "pyproject.toml").read_text("utf-8"))["project"]
    return f"{project['name']}-{project['version']}-py3-none-any.whl"


def name_install(base, wheel):
    """Return the one line that installs what a notebook needs.

    >>> name_install("", "attnlib-0.1.0-py3-none-any.whl")
    'pip install "./attnlib-0.1.0-py3-none-any.whl[notebook]"'
    >>> name_install("https://example.org/book/", "attnlib-0.1.0-py3-none-any.whl")
    'pip install "attnlib[notebook] @ https://example.org/book/attnlib-0.1.0-py3-none-any.whl"'
    """
    wanted = f"{wheel.partition('-')[0]}[notebook] @ {base}{wheel}" if base else f"./{wheel}[notebook]"
    return f'pip install "{wanted}"'


def build_wheel(root, output):
    """Build the package's wheel into a folder: the same bytes every time."""
    command = f"from flit_core.buildapi import build_wheel; build_wheel({str(output)!r})"
    env = os.environ | {"SOURCE_DATE_EPOCH": "0"}
    subprocess.run([sys.executable, "-c", command], cwd=root, env=env, check=True)
    (output / name_wheel(root)).chmod(0o644)


def write_files(app, exception):
    """Write what stands beside the pages: the package, and for a published site its cards and its map."""
    if exception or app.builder.name != "html":
        return
    output, base = Path(app.outdir), app.config.html_baseurl
    if any(app.env.doc2path(name).endswith(".ipynb") for name in app.env.found_docs):
        build_wheel(app.srcdir, output)
    if not base:
        return
    pages = sorted(app.env.found_docs)
    weights = {name: list_weights((output / f"{name}.html").read_text("utf-8")) for name in pages}
    for name in pages:
        title = app.env.titles[name].astext()
        if title == app.config.project:  # the first page: what the book is about
            title = app.config.html_title.partition(": ")[2].capitalize() or title
        place = find_place(list_contents(app, str, name)) or {"part": "", "number": ""}
        where = f"{place['part'] or ''} {place['number']}".strip()
        shown = weights[name] or weights[app.config.root_doc]
        draw_card(output / name_card(name), title, app.config.project, where, shown)
    addresses = [base + app.builder.get_target_uri(name).removesuffix("index.html") for name in pages]
    lines = "\n".join(f"<url><loc>{escape(address)}</loc></url>" for address in addresses)
    output.joinpath("sitemap.xml").write_text(
        '<?xml version="1.0" encoding="utf-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{lines}\n</urlset>\n',
        "utf-8",
    )
    output.joinpath(".nojekyll").touch()  # or a branch of GitHub Pages would leave out `_static`


def setup(app):
    """Name the addresses, describe each page, write the files."""
    app.add_config_value("book_repository", "", "html", str)
    app.add_config_value("book_branch", "main", "html", str)
    app.connect("config-inited", read_environment)
    app.connect("html-page-context", describe_publication, priority=600)  # after the title is known
    app.connect("build-finished", write_files)
