"""The site, built once, and a browser to look at it with."""

import os
from urllib.parse import urljoin

import pytest
from browser import open_browser, watch
from built import ROOT, Outline, make_small_book, run_build
from filelock import FileLock
from serve import serving


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The folder of the pages, made by the same command as `make book`, once for all processes of a run."""
    shared = tmp_path_factory.getbasetemp()
    shared = shared.parent if "PYTEST_XDIST_WORKER" in os.environ else shared
    with FileLock(shared / "site.lock"):
        if not (shared / "site").exists():
            result = run_build()
            assert result.returncode == 0, result.stdout[-3000:] + result.stderr[-5000:]
            (shared / "site").touch()
    return ROOT / "_build" / "html"


@pytest.fixture(scope="module")
def browser():
    with open_browser() as running:
        yield running


@pytest.fixture(scope="module")
def base(site):
    with serving(site) as address:
        yield address


@pytest.fixture
def visit(browser, request):
    """Open an address in a fresh profile: visit(url, **context options) -> page with `.problems`."""
    contexts = []

    def open_page(url, inside=None, **options):
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.problems = watch(page, inside or urljoin(url, "/"))
        page.goto(url, wait_until="load")
        return page

    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def outlines(site):
    return {path.relative_to(site).as_posix(): Outline(path) for path in sorted(site.rglob("*.html"))}


@pytest.fixture
def small_book(tmp_path):
    """Make a folder that builds like this repository but has other chapters: {name: text or code cells}."""
    return lambda chapters: make_small_book(tmp_path, chapters)
