"""Small books: what must be built again, what must not build, what a published site has."""

import json
import os
import re
import struct
from types import SimpleNamespace
from urllib.parse import parse_qsl, urlsplit
from xml.etree import ElementTree

import nbformat
import numpy as np
import pytest
import yaml
from bs4 import BeautifulSoup
from built import NOTEBOOKS, ROOT, Outline, make_small_book, run_build
from matplotlib.colors import to_rgb
from matplotlib.image import imread

from web import cards
from web.builder import style_sheet
from web.cards import CARD, EMPTY, FILL, MARGIN, draw_card, list_weights, measure, set_title
from web.formulae import to_mathml
from web.notebooks import join_streams
from web.publish import VARIABLES, name_launches, read_environment


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
        (r"a \mathrel{-}= b", "block", r"<mi>a</mi><mo[^>]*>−</mo><mo>=</mo>"),
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


def test_a_change_of_attnlib_reaches_the_page_and_nothing_else_runs_a_notebook_again(small_book):
    book = small_book({"chapter": ["import attnlib\nprint('version', attnlib.VERSION_FOR_THIS_TEST)"]})
    package = book / "attnlib" / "__init__.py"
    original = package.read_text("utf-8")
    page = book / "_build" / "html" / "chapter.html"

    def build(version):
        package.write_text(f"{original}\nVERSION_FOR_THIS_TEST = {version}\n", "utf-8")
        result = run_build("--source", book)
        assert result.returncode == 0, result.stdout + result.stderr
        return "Executing notebook" in result.stdout + result.stderr

    assert build(1)
    assert "version 1" in page.read_text("utf-8")
    index = book / "index.md"
    index.write_text(index.read_text("utf-8") + "\nOne more sentence.\n", "utf-8")
    assert not build(1)
    assert "One more sentence" in (page.parent / "index.html").read_text("utf-8")
    assert build(2)
    assert "version 2" in page.read_text("utf-8")


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


def test_a_tag_gives_a_formula_its_number_and_its_anchor(small_book):
    text = "# A\n\n$$\nx = 1\n$$\n\n$$\ny = 2 \\tag{second}\n$$\n\nBy [(second)](#second) all is said.\n"
    book = small_book({"chapter": text})
    result = run_build("--source", book)
    assert result.returncode == 0, result.stderr
    page = (book / "_build" / "html" / "chapter.html").read_text("utf-8")
    _, plain, numbered = page.partition("</article>")[0].split('<div class="formula"')
    assert "eqno" not in plain
    assert 'id="equation-second"' in numbered and '<span class="eqno">(1)' in numbered
    assert "second" not in re.sub("<[^>]+>", "", "<" + numbered)
    assert re.search(r'<a [^>]*href="#equation-second"[^>]*>(<[^>]+>)*\(1\)', page)


def test_printed_source_is_set_as_code_decorated_or_not(small_book):
    cells = [
        "print('def f(x):\\n    return 1')",
        "print('@once\\ndef f(x):\\n    return 1')",
        "print('defined: 1')",
    ]
    book = small_book({"chapter": cells})
    result = run_build("--source", book)
    assert result.returncode == 0, result.stderr
    page = BeautifulSoup((book / "_build" / "html" / "chapter.html").read_text("utf-8"), "html.parser")
    outputs = [output.pre for output in page.select(".cell_output")]
    assert [output.select_one(".k") is not None for output in outputs] == [True, True, False]


def test_answers_become_a_list_without_further_markers(small_book):
    text = "# A\n\nWhich?\n\n(a) *one*, the first\\\n(b) two\n\n(b) not a list,\\\n(a) for it begins with b\n"
    book = small_book({"chapter": text})
    result = run_build("--source", book)
    assert result.returncode == 0, result.stderr
    page = (book / "_build" / "html" / "chapter.html").read_text("utf-8")
    (answers,) = re.findall(r'<ul class="answers[^"]*">(.*?)</ul>', page, re.S)
    items = re.findall(r"<li>(.*?)</li>", answers, re.S)
    assert [re.sub("<[^>]+>", "", item).strip() for item in items] == ["(a) one, the first", "(b) two"]
    assert "<br" not in answers and page.count("<br") == 1
    style = (book / "_build" / "html" / "_static" / "style.css").read_text("utf-8")
    assert re.search(r"\.answers \{ list-style: none", style)


def test_columns_of_a_table_stand_as_the_text_says(small_book):
    book = small_book({"chapter": "# A\n\n| a | b | c |\n| --- | :-: | --: |\n| 1 | 2 | 3 |\n"})
    result = run_build("--source", book)
    assert result.returncode == 0, result.stderr
    pages = book / "_build" / "html"
    style = (pages / "_static" / "style.css").read_text("utf-8")
    page = BeautifulSoup((pages / "chapter.html").read_text("utf-8"), "html.parser")
    for row in page.select("article tr"):
        one, two, three = (cell.get("class", []) for cell in row.select("th, td"))
        assert not {"text-center", "text-right"} & {*one}
        assert ("text-center" in two, "text-right" in three) == (True, True)
    for side in ("center", "right"):
        assert f".text-{side} {{ text-align: {side}; }}" in style


def test_no_two_works_are_cited_alike(site):
    works = {}
    for page in site.rglob("*.html"):
        text = page.read_text("utf-8")
        for work, name in re.findall(r'href="[^"]*references\.html#(id\d+)"[^>]*>(.*?)</a>', text):
            works.setdefault(re.sub("<[^>]+>", "", name), set()).add(work)
    assert {"Bridle, 1990a", "Bridle, 1990b", "Wang et al., 2018a", "Wang et al., 2018b"} <= set(works)
    assert [name for name, cited in works.items() if len(cited) > 1] == []
    listed = re.sub("<[^>]+>", "", (site / "chapters" / "references.html").read_text("utf-8"))
    assert re.search(r"Probabilistic interpretation of .*?1990a", listed)
    assert re.search(r"Training stochastic model .*?1990b", listed)


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
    page = (book / "_build" / "html" / "chapter.html").read_text("utf-8")
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


BASE, REPOSITORY = "https://reader.example/book/", "https://github.com/somebody/book"


@pytest.mark.parametrize(
    ("environment", "address"),
    [
        ({}, "https://configured.example/"),
        ({"BOOK_URL": "https://named.example/a"}, "https://named.example/a/"),
        ({"BOOK_URL": ""}, ""),
    ],
)
def test_the_environment_goes_before_the_configuration_even_when_it_names_no_address(
    monkeypatch, environment, address
):
    for variable in VARIABLES.values():
        monkeypatch.delenv(variable, raising=False)
    for variable, value in environment.items():
        monkeypatch.setenv(variable, value)
    config = SimpleNamespace(
        html_baseurl="https://configured.example", book_repository=f"{REPOSITORY}/", book_branch="trunk"
    )
    read_environment(None, config)
    assert (config.html_baseurl, config.book_repository, config.book_branch) == (address, REPOSITORY, "trunk")


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """Two small books, one address: what the same sources give, built twice as a workflow would."""
    pages = []
    for name in ("one", "two"):
        book = make_small_book(
            tmp_path_factory.mktemp(name), {"chapter": "# One & only\n", "part": ["print('hello')"]}
        )
        result = run_build("--source", book, BOOK_URL=BASE.rstrip("/"), BOOK_REPOSITORY=REPOSITORY)
        assert result.returncode == 0, result.stderr
        pages.append(book / "_build" / "html")
    return pages


def test_a_published_page_names_its_address_and_its_card(published):
    outlines = {name: Outline(published[0] / f"{name}.html") for name in ("index", "chapter", "part", "404")}
    assert outlines["chapter"].relations["canonical"] == f"{BASE}chapter.html"
    assert outlines["index"].relations["canonical"] == BASE
    assert "canonical" not in outlines["404"].relations
    assert "og:image" not in outlines["404"].meta
    assert '<a href="/book/">' in (published[0] / "404.html").read_text("utf-8")
    meta = outlines["chapter"].meta
    assert (meta["og:title"], meta["og:url"]) == ("One & only", f"{BASE}chapter.html")
    assert meta["og:description"] == meta["description"]
    assert (meta["og:image"], meta["twitter:card"]) == (f"{BASE}cards/chapter.png", "summary_large_image")
    assert len({outline.meta.get("og:image") for outline in outlines.values()}) == 4


def test_cards_are_pictures_of_the_promised_size_and_the_same_each_time(published):
    for name in ("index", "chapter", "part"):
        one, two = ((pages / "cards" / f"{name}.png").read_bytes() for pages in published)
        assert one == two
        assert one[:8] == b"\x89PNG\r\n\x1a\n"
        assert struct.unpack(">II", one[16:24]) == (1200, 630)
        assert len(one) < 100_000


@pytest.mark.parametrize(
    "title",
    [
        "Scale scores without an exponential: linear, min-max and decimal",
        "Look hard at a few, lose sight of none: focus",
        "Every claim, and where it happens",
    ],
)
def test_a_title_stays_on_its_card(tmp_path, title):
    draw_card(tmp_path / "card.png", title, "Where Attention Goes")
    pixels = imread(tmp_path / "card.png")
    dark = np.argwhere(pixels[:, :, :3].min(axis=2) < 0.9)
    (top, left), (bottom, right) = dark.min(axis=0), dark.max(axis=0)
    assert min(left, 1199 - right) > 40
    assert min(top, 629 - bottom) > 40
    rows = np.argwhere(pixels[:, :, :3].max(axis=2) < 0.3)[:, 0]  # the ink of the title, darker than all else
    assert rows.max() < 0.67 * 630, "the title ends above the bars"


def test_words_on_a_card_are_filled_by_their_weights(tmp_path):
    draw_card(tmp_path / "card.png", "A title", "A book", "Part 3", [("animal", 0.75), ("street", 0.25)])
    pixels = imread(tmp_path / "card.png")[:, :, :3]
    full, empty = (np.abs(pixels - to_rgb(color)).max(axis=2) < 0.01 for color in (FILL, EMPTY))
    columns = np.argwhere(full.any(axis=0)).ravel()
    assert columns.min() == MARGIN
    shares = full[:, columns].sum(axis=0) / (full | empty)[:, columns].sum(axis=0)
    assert shares[2] == pytest.approx(0.75, abs=0.03), "left of the letters"
    assert shares[-3] == pytest.approx(0.25, abs=0.03), "right of the letters"


def test_the_colours_of_a_card_are_those_of_the_style_sheet():
    sheet = style_sheet(ROOT)
    colours = {}
    for name, code in re.findall(r"--attn-(\w+): (#\w{6});", sheet.partition("}")[0]):  # the light ones
        colours[name] = np.array(to_rgb(code))
    for name in ("INK", "PAPER", "MUTED", "SCORE", "WEIGHT"):
        assert to_rgb(getattr(cards, name)) == tuple(colours[name.lower()]), name
    for name, color in {"empty": EMPTY, "fill": FILL}.items():
        mix = rf"--{name}: color-mix\(in srgb, var\(--(\w+)\) (\d+)%, var\(--(\w+)\)\)"
        one, percent, other = re.search(mix, sheet).groups()
        share = int(percent) / 100
        mixed = share * colours[one] + (1 - share) * colours[other]
        assert np.abs(mixed - to_rgb(color)).max() <= 0.5 / 255, name


def test_weights_for_a_card_are_those_that_the_page_shows_unless_they_go_below_zero(site):
    html = (site / "chapters" / "transforms" / "softmax.html").read_text("utf-8")
    weights = list_weights(html)
    assert weights[3] == ("bob", 0.48)  # what the chapter's text says of "he"
    assert sum(share for _, share in weights) == pytest.approx(1, abs=0.005)
    signed = html.replace("--attn-from:0%", "--attn-from:50%")
    assert list_weights(signed) == []


@pytest.mark.parametrize(
    ("title", "lines"),
    [
        (
            "Watch where a picture is read: image captioning",
            ["Watch where a", "picture is read:", "image captioning"],
        ),
        ("Glossary", ["Glossary"]),
    ],
)
def test_a_title_is_broken_evenly_and_its_subject_set_apart(title, lines):
    found, size = set_title(title)
    assert [line for line, _, _ in found] == lines
    assert [weight for _, weight, _ in found] == ["bold"] * (len(lines) - (":" in title)) + ["normal"] * (
        ":" in title
    )
    assert all(measure(line, size, weight) <= CARD[0] - 2 * MARGIN for line, weight, _ in found)


def test_a_formula_keeps_the_signs_around_it(small_book):
    lines = [
        "*Odds*. ($a$ to $b$), at $T = 1$. A $k$-sparse row, $n$ long: “$x$” is *$y$*, and $z$",
        "*u*. Then $v$. Then $w$.",
    ]
    book = small_book({"chapter": "\n\n".join(["# One", *lines]) + "\n"})
    result = run_build("--source", book)
    assert result.returncode == 0, result.stderr
    article = BeautifulSoup(
        (book / "_build" / "html" / "chapter.html").read_text("utf-8"), "html.parser"
    ).article
    held = [whole.get_text() for whole in article.select(".whole")]
    assert held == ["(a", "b),", "T=1.", "k-", "“x”", "v.", "w."]
    assert len(article.find_all("math")) == 10
    assert [p.get_text() for p in article.find_all("p")] == [
        line.replace("*", "").replace("$", "").replace(" = ", "=") for line in lines
    ]


def test_the_package_beside_the_pages_is_the_same_each_time(published):
    one, two = ((pages / "attnlib-0.1.0-py3-none-any.whl").read_bytes() for pages in published)
    assert one == two


def test_the_map_lists_every_page_by_its_address(published):
    root = ElementTree.parse(published[0] / "sitemap.xml").getroot()
    assert root.tag == "{http://www.sitemaps.org/schemas/sitemap/0.9}urlset"
    assert sorted(place.text for place in root.iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc")) == [
        BASE,
        f"{BASE}chapter.html",
        f"{BASE}part.html",
    ]
    assert (published[0] / ".nojekyll").exists()


def test_a_page_leads_to_its_source_its_feedback_and_its_launches(published):
    links = Outline(published[0] / "part.html").links
    assert f"{REPOSITORY}/blob/main/part.ipynb" in links
    assert f"{REPOSITORY}/issues/new?title=Page+%22Chapter+part%22&body=part.ipynb%0A%0A" in links
    assert "https://mybinder.org/v2/gh/somebody/book/main?urlpath=lab%2Ftree%2Fpart.ipynb" in links
    assert "https://colab.research.google.com/github/somebody/book/blob/main/part.ipynb" in links
    other = Outline(published[0] / "chapter.html").links
    assert f"{REPOSITORY}/blob/main/chapter.md" in other
    assert not [link for link in other if "mybinder" in link or "colab" in link]
    page = (published[0] / "part.html").read_text("utf-8")
    assert f"pip install &#34;attnlib[notebook] @ {BASE}attnlib-0.1.0-py3-none-any.whl&#34;" in page


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_every_launch_leads_to_a_file_of_the_tree(name):
    for address in name_launches(REPOSITORY, "main", name).values():
        parts = urlsplit(address)
        path = dict(parse_qsl(parts.query)).get("urlpath", parts.path).partition("/tree/")[2]
        path = path or parts.path.partition("/blob/main/")[2]
        assert (ROOT / path).is_file()


def test_binder_installs_what_the_book_was_tested_with():
    script = ROOT / "binder" / "postBuild"
    assert os.access(script, os.X_OK)
    assert "--require-hashes -r requirements.txt" in script.read_text("utf-8")
    assert (ROOT / "binder" / "runtime.txt").read_text("utf-8") == "python-3.11\n"


def test_the_workflow_publishes_after_the_tests_with_the_address_that_pages_gives():
    flow = yaml.safe_load((ROOT / ".github" / "workflows" / "publish.yml").read_text("utf-8"))
    jobs = flow["jobs"]
    assert (jobs["build"]["needs"], jobs["deploy"]["needs"]) == ("test", "build")
    assert "make test" in [step.get("run") for step in jobs["test"]["steps"]]
    (book,) = [step for step in jobs["build"]["steps"] if step.get("run") == "make book"]
    assert set(book["env"]) == set(VARIABLES.values())
    assert book["env"]["BOOK_URL"] == "${{ steps.pages.outputs.base_url }}"
    (upload,) = [step for step in jobs["build"]["steps"] if "upload-pages" in step.get("uses", "")]
    assert upload["with"]["path"] == "_build/html"
    assert jobs["deploy"]["permissions"] == {"pages": "write", "id-token": "write"}
    assert jobs["build"]["permissions"] == {"contents": "read", "pages": "read"}, "configure-pages reads it"
    assert (flow["permissions"], jobs["test"].get("permissions")) == ({"contents": "read"}, None)


def test_the_workflow_publishes_main_alone_and_is_not_cut_off_while_it_does():
    flow = yaml.safe_load((ROOT / ".github" / "workflows" / "publish.yml").read_text("utf-8"))
    triggers = flow[True]  # YAML reads the word "on" so
    assert (triggers["push"], "pull_request" in triggers) == ({"branches": ["main"]}, True)
    assert flow["jobs"]["build"]["if"] == "github.ref == 'refs/heads/main'"
    assert flow["concurrency"]["cancel-in-progress"] == "${{ github.ref != 'refs/heads/main' }}"


def test_the_workflow_names_actions_by_commit_and_keeps_no_token():
    text = (ROOT / ".github" / "workflows" / "publish.yml").read_text("utf-8")
    uses = re.findall(r"uses: (.*)", text)
    assert uses
    assert [line for line in uses if not re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40} # v[\d.]+", line)] == []
    for job in yaml.safe_load(text)["jobs"].values():
        for step in job["steps"]:
            if step.get("uses", "").startswith("actions/checkout"):
                assert step["with"] == {"persist-credentials": False}


def test_an_unpublished_site_names_no_address(site):
    page = (site / "index.html").read_text("utf-8")
    assert not re.search("canonical|og:|twitter:|mybinder|issues/new", page)
    assert not (site / "sitemap.xml").exists()


def test_a_copy_that_is_published_is_tested_as_one_that_is_not(small_book, monkeypatch):
    """Else tests of the site would fail wherever an address is configured, which CONTRIBUTING allows."""
    book = small_book({"chapter": "# One\n"})
    config = (book / "_config.yml").read_text("utf-8")
    for name, value in {"html_baseurl": BASE, "book_repository": REPOSITORY}.items():
        assert f'{name}: "' in config
        config = re.sub(f'{name}: ".*"', f'{name}: "{value}"', config)
    (book / "_config.yml").write_text(config, "utf-8")
    monkeypatch.setenv("BOOK_URL", BASE)
    assert run_build("--source", book).returncode == 0
    pages = book / "_build" / "html"
    assert "canonical" not in Outline(pages / "chapter.html").relations
    assert not (pages / "sitemap.xml").exists()
    assert not re.search("issues/new|mybinder", (pages / "chapter.html").read_text("utf-8"))
