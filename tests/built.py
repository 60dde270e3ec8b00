"""The built site as tests look at it: its pages and what is in them, and small books with few pages."""

import os
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import nbformat
from sphinx_external_toc.parsing import parse_toc_yaml

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = sorted(Path(name).with_suffix("").as_posix() for name in parse_toc_yaml(ROOT / "_toc.yml"))
PAGES = [f"{name}.html" for name in DOCUMENTS]
NOTEBOOKS = [f"{name}.ipynb" for name in DOCUMENTS if (ROOT / f"{name}.ipynb").exists()]
PACKAGE = (
    "pyproject.toml",
    "README.md",
    "LICENSE",
    "LICENSE-TEXT",
)  # what the package is built from, beside attnlib
OWN_PAGES = ["search.html", "404.html"]
WIDTHS = (320, 768, 1280)  # of a window in which every page is looked at: a phone, a tablet, a screen
MOST_KIB = 150  # what the first visit of a page may load
UNPUBLISHED = {"BOOK_URL": "", "BOOK_REPOSITORY": "", "BOOK_BRANCH": "main"}


def run_build(*options, **environment):
    """Run the command behind `make book`; `environment` goes over that of this process.

    Without one the site is at no address, whatever `_config.yml` and the environment say of this copy.
    """
    command = [sys.executable, str(ROOT / "tools" / "build.py"), *map(str, options)]
    env = os.environ | UNPUBLISHED | environment
    return subprocess.run(command, capture_output=True, text=True, timeout=900, env=env)


class Outline(HTMLParser):
    """What a check needs of a page: ids, links, titles, descriptions, and which files it loads."""

    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.loads, self.tags = [], [], [], []
        self.meta, self.relations, self.title = {}, {}, ""
        self._in_title = False
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.tags.append((tag, attrs))
        self._in_title = tag == "title"
        if "id" in attrs:
            self.ids.append(attrs["id"])
        if tag == "a" and "href" in attrs:
            self.links.append(attrs["href"])
        if tag == "meta" and (attrs.keys() & {"name", "property"}):
            self.meta[attrs.get("name") or attrs["property"]] = attrs["content"]
        if tag == "link":
            self.relations[attrs["rel"]] = attrs["href"]
        if tag in ("script", "img", "audio", "video", "source") and "src" in attrs:
            self.loads.append(attrs["src"])
        if tag == "link" and attrs["rel"] in ("stylesheet", "icon"):
            self.loads.append(attrs["href"])

    def handle_data(self, data):
        if self._in_title:
            self.title += data

    def handle_endtag(self, tag):
        if tag == "title":
            self._in_title = False


def make_small_book(folder, chapters):
    """Fill a folder that builds like this repository but has other chapters: {name: text or code cells}."""
    for name in ("_config.yml", "requirements.txt", "references.bib", *PACKAGE):
        shutil.copy(ROOT / name, folder)
    ignore = shutil.ignore_patterns("__pycache__", "data")
    for name in ("web", "attnlib"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignore)
    lines = ["format: jb-book", "root: index", "chapters:", *(f"  - file: {name}" for name in chapters)]
    (folder / "_toc.yml").write_text("\n".join(lines), "utf-8")
    for name, content in {"index": "# Index\n", **chapters}.items():
        about = f"The page named {name}, described at the length that a search engine can show."
        if isinstance(content, str):
            front = (
                f"---\nmyst:\n  html_meta:\n    description: {about}\n---\n"
                if not content.startswith("---")
                else ""
            )
            (folder / f"{name}.md").write_text(front + content, "utf-8")
        else:
            notebook = nbformat.v4.new_notebook(metadata={"myst": {"html_meta": {"description": about}}})
            notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
            notebook.cells = [nbformat.v4.new_markdown_cell(f"# Chapter {name}")]
            notebook.cells += [nbformat.v4.new_code_cell(source) for source in content]
            nbformat.write(notebook, folder / f"{name}.ipynb")
    return folder


def find(page, query):
    """Search from the box at the top of a page, and return the addresses found, best first."""
    page.locator("header input[type=search]").fill(query)
    page.locator("header input[type=search]").press("Enter")
    page.locator("#summary", has_text=f"“{query}”").wait_for()
    return [link.get_attribute("href") for link in page.locator("#results a").all()]
