"""The built site in a real browser, as its readers meet it; and a small book whose faults must not build."""

import gzip
import http.client
import json
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe
from browser import open_browser, watch
from serve import serving
from sphinx_external_toc.parsing import parse_toc_yaml

from web.formulae import to_mathml
from web.notebooks import join_streams

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = sorted(Path(name).with_suffix("").as_posix() for name in parse_toc_yaml(ROOT / "_toc.yml"))
PAGES = [f"{name}.html" for name in DOCUMENTS]
OWN_PAGES = ["search.html", "404.html"]
KIB = 1024


def run_build(*options):
    command = [sys.executable, str(ROOT / "tools" / "build.py"), *map(str, options)]
    return subprocess.run(command, capture_output=True, text=True, timeout=600)


@pytest.fixture(scope="session")
def site():
    """The folder of the pages, made by the same command as `make book`."""
    result = run_build()
    assert result.returncode == 0, result.stdout[-3000:] + result.stderr[-5000:]
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


class Outline(HTMLParser):
    """What a check needs of a page: ids, links, titles, descriptions, and which files it loads."""

    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.loads, self.meta, self.title, self.tags = [], [], [], {}, "", []
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
        if tag == "meta" and "name" in attrs:
            self.meta[attrs["name"]] = attrs["content"]
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


@pytest.fixture(scope="session")
def outlines(site):
    return {path.relative_to(site).as_posix(): Outline(path) for path in sorted(site.rglob("*.html"))}


# ---- Files ----


def test_the_site_holds_every_page_and_nothing_that_no_page_loads(site, outlines):
    assert sorted(outlines) == sorted(PAGES + OWN_PAGES)
    loaded = {
        urljoin(f"http://x/{name}", address).removeprefix("http://x/").split("?")[0]
        for name, outline in outlines.items()
        for address in outline.loads
        if not address.startswith("data:")
    }
    notebooks = {f"{name}.ipynb" for name in DOCUMENTS if (ROOT / f"{name}.ipynb").exists()}
    present = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    assert present - {*PAGES, *OWN_PAGES} == loaded | notebooks
    for notebook in notebooks:
        assert (site / notebook).read_bytes() == (ROOT / notebook).read_bytes()


def test_titles_and_descriptions_are_present_and_distinct(outlines):
    titles = [outline.title for outline in outlines.values()]
    descriptions = [outline.meta["description"] for outline in outlines.values()]
    assert all("Where Attention Goes" in title for title in titles)
    assert all(50 <= len(description) <= 300 for description in descriptions)
    assert len(set(titles)) == len(titles)
    assert len(set(descriptions)) == len(descriptions)


def test_every_link_and_anchor_leads_somewhere(site, outlines):
    dead = []
    for name, outline in outlines.items():
        assert len(set(outline.ids)) == len(outline.ids), f"{name} uses an id twice"
        for link in outline.links:
            if re.match(r"[a-z]+:", link) or (name == "404.html" and link == "/"):
                continue
            address, anchor = urldefrag(urljoin(f"http://x/{name}", link))
            target = unquote(address.removeprefix("http://x/"))
            if not (site / target).is_file() or (anchor and unquote(anchor) not in outlines[target].ids):
                dead.append(f"{name}: {link}")
    assert dead == []


def test_only_pages_with_an_explorer_load_its_script(outlines):
    for name, outline in outlines.items():
        has_explorer = any(tag == "attn-explorer" for tag, _ in outline.tags)
        assert any("explorer.js" in load for load in outline.loads) == has_explorer, name
        assert any("search" in load for load in outline.loads) == (name == "search.html"), name


def test_figures_are_in_the_page_with_words_for_those_who_cannot_see_them(outlines):
    for name, outline in outlines.items():
        for tag, attrs in outline.tags:
            if tag == "svg" and attrs.get("class") != "icon":
                assert attrs.get("role") == "img" and len(attrs.get("aria-label", "")) > 20, name
            if tag == "img":
                assert attrs.get("alt"), name


def test_the_language_of_chinese_terms_is_named(site):
    glossary = (site / "chapters" / "glossary.html").read_text("utf-8")
    assert re.search(r'<dt lang="zh-Hans"[^>]*>熵', glossary)
    assert not re.search(r"<dt(?! lang)[^>]*>[^<]*[\u4e00-\u9fff]", glossary)


def test_no_formula_is_left_as_tex(site):
    for page in PAGES:
        article = re.search(r"<article>(.*)</article>", (site / page).read_text("utf-8"), re.S)[1]
        prose = re.sub(r"<(pre|code|script|svg)\b.*?</\1>", "", article, flags=re.S)
        assert not re.search(r"\\[a-zA-Z(\[]|\$", prose), page


@pytest.mark.parametrize(
    ("tex", "display", "expected"),
    [
        (r"\max_j z_j", "block", r"<munder><mo [^>]*>max</mo><mi>j</mi></munder>"),
        (r"\max_j z_j", "inline", r"<msub><mo [^>]*>max</mo><mi>j</mi></msub>"),
        (r"\ln 2", "inline", r'<mo lspace="0" rspace="0.167em">ln</mo><mn>2</mn>'),
        (r"\operatorname{softmax}(z)", "inline", r'<mo lspace="0" rspace="0">softmax</mo>'),
        (r"\mathrm{d}p", "inline", r'<mi mathvariant="normal">d</mi><mi>p</mi>'),
        (r"-\infty", "inline", r"<mo>−</mo><mi>∞</mi>"),
        (r"q^\top k", "inline", r'<mo lspace="0" rspace="0">⊤</mo>'),
        (r"\begin{aligned}a &= b\\ &= c\end{aligned}", "block", r"(<mtr>.*?</mtr>){2}</mtable>"),
        (r"a \\ b", "block", r"(<mtr>.*?</mtr>){2}</mtable>"),
        (r"x < y \text{ if } a", "inline", r"<mi>x</mi><mo>&lt;</mo><mi>y</mi><mtext>\s*if\s*</mtext>"),
    ],
)
def test_formulae_are_set_as_tex_would(tex, display, expected):
    assert re.search(expected, to_mathml(tex, display))


@pytest.mark.parametrize(
    "tex", [r"\foo", r"\frac{a}{", "a & b", r"\text{5 \$}", r"\label{x} y", r"\boxed{x}"]
)
def test_formulae_that_cannot_be_set_are_refused(tex):
    with pytest.raises(ValueError, match=r"understood|read|Core"):
        to_mathml(tex, "inline")


# ---- Every page in the browser ----


@pytest.mark.parametrize("name", [*PAGES, "search.html"])
def test_a_page_asks_only_its_own_site_little_and_without_complaint(visit, base, name):
    sizes = []
    page = visit("about:blank")
    page.on("response", lambda answer: sizes.append(int(answer.headers["content-length"])))
    problems = watch(page, base)
    page.goto(base + name, wait_until="networkidle")
    assert problems == []
    assert sum(sizes) <= 150 * KIB, f"{sum(sizes) / KIB:.0f} KiB"
    assert page.locator("h1").count() == 1


@pytest.mark.parametrize("name", PAGES + OWN_PAGES)
def test_a_page_is_accessible(visit, base, name):
    page = visit(base + name)
    # Contrast takes most of the time and does not depend on width; `make audit` runs every combination.
    for scheme, width, contrast in (
        *(("light", 320, False), ("light", 768, True)),
        *(("dark", 768, True), ("light", 1280, False)),
    ):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.set_viewport_size({"width": width, "height": 800})
        options = {"resultTypes": ["violations"], "rules": {"color-contrast": {"enabled": contrast}}}
        found = Axe().run(page, options=options).response["violations"]
        problems = [(v["id"], [node["html"][:200] for node in v["nodes"]]) for v in found]
        assert problems == [], f"{scheme}, {width} px"


@pytest.mark.parametrize("name", PAGES + OWN_PAGES)
def test_a_page_fits_small_screens_and_large_letters(visit, base, name):
    page = visit(base + name, viewport={"width": 320, "height": 640})
    fits = "document.documentElement.scrollWidth <= innerWidth"
    assert page.evaluate(fits)
    page.set_viewport_size({"width": 1280, "height": 800})
    page.add_style_tag(content="html { font-size: 200% !important }")
    assert page.evaluate(fits)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_works_from_a_disk(visit, site, name):
    page = visit((site / name).as_uri(), inside=site.as_uri())
    assert page.problems == []
    assert page.locator("#theme").is_visible()
    assert page.evaluate("getComputedStyle(document.body).marginTop") == "0px"  # the style sheet came


@pytest.mark.parametrize("name", PAGES)
def test_a_page_can_be_read_without_scripts_and_printed(visit, base, name):
    page = visit(base + name, java_script_enabled=False)
    assert page.problems == []
    assert page.locator("article").inner_text().strip()
    assert page.locator("nav.contents a").first.is_visible()
    assert not page.locator("#theme").is_visible()
    page.emulate_media(media="print")
    assert page.locator("article h1").is_visible()
    assert not page.locator("header.bar").is_visible()
    assert not page.locator("nav.contents").is_visible()
    for paper in ("A4", "Letter"):
        assert page.pdf(format=paper).startswith(b"%PDF")


# ---- What a reader does ----


def find(page, query):
    page.locator("header input[type=search]").fill(query)
    page.locator("header input[type=search]").press("Enter")
    page.wait_for_url("**/search.html?q=*")
    page.locator("#summary").get_by_text("found for").wait_for()
    return [link.get_attribute("href") for link in page.locator("#results a").all()]


@pytest.mark.parametrize("way", ["http", "file"])
def test_search_finds_sections_and_terms(visit, site, base, way):
    start = base if way == "http" else site.as_uri() + "/"
    page = visit(start + "index.html", inside=start)
    assert "chapters/glossary.html#term-entropy" in find(page, "entropy")
    assert "chapters/glossary.html#term-entropy" in find(page, "熵")
    assert any(link.startswith("chapters/transforms/temperature.html") for link in find(page, "Temperatures"))
    assert find(page, "softmax")[0] == "chapters/transforms/softmax.html"
    assert find(page, "xyzzyplugh") == []
    assert page.locator("#summary").inner_text() == "Nothing found for “xyzzyplugh”"
    page.locator("#query").fill("entropy")
    page.locator("#results a").first.click()
    assert page.locator("h1").count() == 1
    assert page.problems == []


def test_the_choice_of_colours_lasts(visit, base):
    def background(page):
        return page.evaluate("getComputedStyle(document.documentElement).backgroundColor")

    page = visit(base + "index.html", color_scheme="light")
    light = background(page)
    page.locator("#theme").click()
    dark = background(page)
    assert dark != light
    assert page.locator("#theme").get_attribute("aria-pressed") == "true"
    page.goto(base + "chapters/notation.html")
    assert background(page) == dark
    page.emulate_media(color_scheme="dark")
    page.locator("#theme").click()
    assert background(page) == light
    assert page.evaluate("Object.keys(localStorage)") == ["theme"]
    assert page.context.cookies() == []


def test_contents_open_on_a_small_screen_without_scripts(visit, base):
    page = visit(
        base + "chapters/notation.html", java_script_enabled=False, viewport={"width": 375, "height": 700}
    )
    assert not page.locator("nav.contents").is_visible()
    page.get_by_role("button", name="Contents").click()
    page.locator("nav.contents a[href$='glossary.html']").click()
    assert page.url == base + "chapters/glossary.html"


def test_keyboard_reaches_the_text_first_and_whatever_scrolls(visit, base):
    page = visit(base + "chapters/transforms/temperature.html", viewport={"width": 320, "height": 640})
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.url.endswith("#text")
    every = "[...document.querySelectorAll('.scroll, article pre')]"
    boxes = f"{every}.filter(box => box.scrollWidth > box.clientWidth + 1)"
    page.evaluate("document.querySelectorAll('article details').forEach(fold => { fold.open = true; })")
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert page.evaluate(f"{boxes}.length") > 0
    assert page.evaluate(f"{boxes}.every(box => box.tabIndex === 0)")
    assert page.evaluate(f"{every}.every(box => {boxes}.includes(box) || box.tabIndex === -1)")


def test_a_wrong_address_at_any_depth_gets_the_404_page(visit, base):
    for address in ("nothing.html", "chapters/deep/er/nothing.html"):
        page = visit(base + address)
        assert page.get_by_role("heading", name="No page here").is_visible()
        assert page.evaluate("getComputedStyle(document.body).marginTop") == "0px"
        assert [p for p in page.problems if "404 (Not Found)" not in p] == []
        page.get_by_role("link").last.click()
        assert page.url == base


def test_the_site_works_below_a_path(visit, site):
    with serving(site, prefix="/courses/attention/") as below:
        page = visit(below, inside=below)
        for name in PAGES:
            page.goto(below + name, wait_until="networkidle")
        assert find(page, "entropy")
        assert page.problems == []


def test_the_server_packs_types_and_keeps_to_its_folder(site, base):
    def ask(address, method="GET"):
        connection = http.client.HTTPConnection(urlsplit(base).netloc, timeout=10)
        connection.request(method, address, headers={"Accept-Encoding": "gzip"})
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, answer.headers, body

    status, headers, body = ask("/index.html")
    assert (status, headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert gzip.decompress(body) == (site / "index.html").read_bytes()
    assert ask("/_static/style.css?v=1")[1]["Cache-Control"] == "max-age=31536000, immutable"
    assert ask("/index.html")[1]["Cache-Control"] == "no-cache"
    assert ask("/chapters/transforms/temperature.ipynb", "HEAD")[2] == b""
    for outside in ("/../../_config.yml", "/%2e%2e/%2e%2e/_config.yml", "//etc/passwd", "/chapters"):
        assert ask(outside)[0] == 404


# ---- A small book: what must rebuild, what must not build ----


@pytest.fixture
def small_book(tmp_path):
    """Make a folder that builds like this repository but has other chapters: {name: text or code cells}."""

    def make(chapters):
        for name in ("_config.yml", "requirements.txt", "references.bib"):
            shutil.copy(ROOT / name, tmp_path)
        ignore = shutil.ignore_patterns("__pycache__", "data")
        for name in ("web", "attnlib"):
            shutil.copytree(ROOT / name, tmp_path / name, ignore=ignore)
        lines = ["format: jb-book", "root: index", "chapters:", *(f"  - file: {name}" for name in chapters)]
        (tmp_path / "_toc.yml").write_text("\n".join(lines))
        for name, content in {"index": "# Index\n", **chapters}.items():
            about = f"The page named {name}, described at the length that a search engine can show."
            if isinstance(content, str):
                front = (
                    f"---\nmyst:\n  html_meta:\n    description: {about}\n---\n"
                    if "---" not in content
                    else ""
                )
                (tmp_path / f"{name}.md").write_text(front + content)
            else:
                notebook = nbformat.v4.new_notebook(metadata={"myst": {"html_meta": {"description": about}}})
                notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
                notebook.cells = [nbformat.v4.new_markdown_cell(f"# Chapter {name}")]
                notebook.cells += [nbformat.v4.new_code_cell(source) for source in content]
                nbformat.write(notebook, tmp_path / f"{name}.ipynb")
        return tmp_path

    return make


def test_a_change_of_attnlib_reaches_the_page_and_nothing_else_runs_a_notebook_again(small_book):
    book = small_book({"chapter": ["import attnlib\nprint('version', attnlib.VERSION_FOR_THIS_TEST)"]})
    package = book / "attnlib" / "__init__.py"
    original = package.read_text()
    page = book / "_build" / "html" / "chapter.html"

    def build(version):
        package.write_text(f"{original}\nVERSION_FOR_THIS_TEST = {version}\n")
        result = run_build("--source", book)
        assert result.returncode == 0, result.stdout + result.stderr
        return "Executing notebook" in result.stdout + result.stderr

    assert build(1)
    assert "version 1" in page.read_text()
    index = book / "index.md"
    index.write_text(index.read_text() + "\nOne more sentence.\n")
    assert not build(1)
    assert "One more sentence" in (page.parent / "index.html").read_text()
    assert build(2)
    assert "version 2" in page.read_text()


SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><path d="M0 0h9"/></svg>'
SHOW = "from IPython.display import display\ndisplay({{'image/svg+xml': '{svg}', {rest}}}, raw=True)"

FAULTS = {
    # page: (content, what the build says)
    "unknown_macro": ("# A\n\nText $\\foo x$.\n", r"unknown_macro.*\\foo"),
    "open_brace": ("# B\n\n$$\n\\frac{a}{\n$$\n", r"open_brace.*frac"),
    "stray_ampersand": ("# C\n\n$$\na & b\n$$\n", r"stray_ampersand.*a & b"),
    "dead_link": ("# D\n\n[x](nowhere.md)\n", r"dead_link.*nowhere"),
    "dead_equation": ("# E\n\nSee {eq}`missing`.\n", r"dead_equation.*missing"),
    "no_such_work": ("# F\n\nSee {cite:t}`nobody1900`.\n", r"no_such_work.*nobody1900"),
    "no_explorer": ("# G\n\n```{explorer} ghost\n:from: index\n```\n", r"no_explorer.*ghost"),
    "no_description": ("---\nx: y\n---\n# H\n\nShort.\n", r"no_description.*description has 6 characters"),
    "raises": (["raise ValueError('on purpose')"], r"on purpose"),
    "stderr": (["import sys\nprint('oh', file=sys.stderr)"], r"stderr.*cell outputs"),
    "no_words": ([SHOW.format(svg=SVG, rest="")], r"no_words.*no alternative text"),
}


def test_every_fault_stops_the_build_and_is_named(small_book):
    book = small_book({name: content for name, (content, _) in FAULTS.items()})
    for attempt in ("first", "second"):  # Sphinx forgets warnings of what it has read
        result = run_build("--source", book)
        said = result.stdout + result.stderr
        assert result.returncode != 0, attempt
        unnamed = [name for name, (_, pattern) in FAULTS.items() if not re.search(pattern, said)]
        assert unnamed == [], f"{attempt}\n{said[-6000:]}"


def test_a_figure_becomes_part_of_the_page(small_book):
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 480 230" data-plain-height="190">'
        '<path d="M0 0h9"/><text class="attn-caption">Three weights,</text>'
        '<text class="attn-caption">one sum.</text></svg>'
    )
    short, long = "Bars: the 0.100, cat 0.900.", "A sentence about bars. " * 20
    cells = [SHOW.format(svg=svg, rest=f"'text/plain': {json.dumps(text)}") for text in (short, long)]
    book = small_book({"chapter": cells})
    result = run_build("--source", book)
    assert result.returncode == 0, result.stderr
    page = (book / "_build" / "html" / "chapter.html").read_text()
    figures = re.findall(r"<figure.*?</figure>", page, re.S)
    assert len(figures) == 2
    assert 'viewBox="0 0 480 190"' in figures[0] and f'aria-label="{short}"' in figures[0]
    assert "<figcaption>Three weights, one sum.</figcaption>" in figures[0]
    assert "<details><summary>In words</summary>" in figures[1] and long.strip() in figures[1]
    assert not (book / "_build" / "html" / "_images").exists()


def test_a_stream_is_joined_where_the_kernel_cut_it():
    def piece(text, name="stdout"):
        return nbformat.v4.new_output("stream", name=name, text=text)

    cut = [
        piece("a line in"),
        piece(" two pieces\n"),
        piece("beware\n", "stderr"),
        piece("next"),
        piece(" one\n"),
    ]
    assert [(o["name"], o["text"]) for o in join_streams(cut)] == [
        ("stdout", "a line in two pieces\nnext one\n"),
        ("stderr", "beware\n"),
    ]


def test_a_published_site_names_its_address(small_book):
    book = small_book({"chapter": "# One\n"})
    config = book / "_config.yml"
    text = config.read_text().replace('html_baseurl: ""', "html_baseurl: https://example.org/book/")
    config.write_text(text.replace('book_repository: ""', "book_repository: https://example.org/source"))
    result = run_build("--source", book)
    assert result.returncode == 0, result.stderr
    pages = book / "_build" / "html"
    assert (
        '<link rel="canonical" href="https://example.org/book/chapter.html">'
        in (pages / "chapter.html").read_text()
    )
    assert '<link rel="canonical" href="https://example.org/book/">' in (pages / "index.html").read_text()
    assert '<a href="/book/">' in (pages / "404.html").read_text()
    assert 'href="https://example.org/source"' in (pages / "chapter.html").read_text()
