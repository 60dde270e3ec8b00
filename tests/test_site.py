"""The built site: its files, what leads where, and what a reader does with it in a real browser."""

import gzip
import http.client
import re
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import pdf
import pytest
from bs4 import BeautifulSoup
from built import NOTEBOOKS, OWN_PAGES, PAGES, ROOT, find
from serve import serving

import attnlib
from web.builder import THEME
from web.publish import name_wheel


def test_the_site_holds_every_page_and_nothing_that_no_page_loads(site, outlines):
    assert sorted(outlines) == sorted(PAGES + OWN_PAGES)
    loaded = {
        urljoin(f"http://x/{name}", address).removeprefix("http://x/").split("?")[0]
        for name, outline in outlines.items()
        for address in outline.loads
        if not address.startswith("data:")
    }
    present = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    assert present - {*PAGES, *OWN_PAGES} == loaded | {*NOTEBOOKS, name_wheel(ROOT)}
    for notebook in NOTEBOOKS:
        assert (site / notebook).read_bytes() == (ROOT / notebook).read_bytes()


def test_every_look_in_the_style_sheet_is_that_of_something(site, outlines):
    sheet = re.sub(r"/\*.*?\*/", "", (site / "_static" / "style.css").read_text("utf-8"), flags=re.S)
    selectors = " ".join(re.findall(r"([^{}]*)\{", sheet))
    named = set(re.findall(r"\.([a-zA-Z][\w-]*)", re.sub(r"\.highlight \.\w+", "", selectors)))
    tags = [attrs for outline in outlines.values() for _, attrs in outline.tags]
    used = {name for attrs in tags for name in (attrs.get("class") or "").split()}
    sources = [*site.glob("_static/*.js"), THEME / "layout.html"]  # a published page has more
    for source in sources:
        used |= set(re.findall(r"(?<![\w-])[a-zA-Z][\w-]*", source.read_text("utf-8")))
    others = {"jp-OutputArea-output": "what JupyterLab calls an output", "attn-line-4": "a fourth curve"}
    others |= dict.fromkeys(("text-center", "text-right"), "columns of a table in Markdown")
    assert named - used == others.keys()


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


def test_only_pages_with_an_explorer_or_a_player_load_its_script(outlines):
    for name, outline in outlines.items():
        for part in ("explorer", "player"):
            has_part = any(tag == f"attn-{part}" for tag, _ in outline.tags)
            assert any(f"{part}.js" in load for load in outline.loads) == has_part, name
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


def test_no_list_stands_inside_a_paragraph(site):
    for page in PAGES:
        text = (site / page).read_text("utf-8")
        assert not re.search(r"<p>\s*<[uod]l\b", text), page


def test_no_formula_is_left_as_tex(site):
    for page in PAGES:
        article = re.search(r"<article>(.*)</article>", (site / page).read_text("utf-8"), re.S)[1]
        prose = re.sub(r"<(pre|code|script|svg)\b.*?</\1>", "", article, flags=re.S)
        assert not re.search(r"\\[a-zA-Z(\[]|\$", prose), page


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


def test_contents_beside_the_text_show_the_page_that_is_read(visit, base):
    for name in ("chapters/applications/captioning.html", "chapters/foundations/scores.html"):
        page = visit(base + name, viewport={"width": 1280, "height": 720})
        current = page.locator("nav.contents [aria-current]").bounding_box()
        assert 0 <= current["y"] <= 720 - current["height"], name
        assert page.evaluate("scrollY") == 0


def test_a_picture_is_no_negative_in_the_dark(visit, base):
    page = visit(base + "chapters/applications/captioning.html", color_scheme="dark")
    colour = "(svg) => getComputedStyle(svg).getPropertyValue('--attn-paper')"
    grounds = [svg.evaluate(colour) for svg in page.locator(".attn-figure > svg").all()]
    strip, looked, photograph = grounds
    assert strip == photograph == "#fdfcf8"
    assert looked == "#16171b", "a map of weights is no picture"
    page.emulate_media(media="print")
    assert {svg.evaluate(colour) for svg in page.locator(".attn-figure > svg").all()} == {"#fff"}


def test_contents_open_on_a_small_screen_without_scripts(visit, base):
    page = visit(
        base + "chapters/notation.html", java_script_enabled=False, viewport={"width": 375, "height": 700}
    )
    assert not page.locator("nav.contents").is_visible()
    page.get_by_role("button", name="Contents").click()
    page.locator("nav.contents a[href$='glossary.html']").click()
    page.wait_for_url(base + "chapters/glossary.html")


def test_keyboard_reaches_the_text_first_and_whatever_scrolls(visit, base):
    page = visit(base + "chapters/transforms/temperature.html", viewport={"width": 320, "height": 640})
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    page.wait_for_url("**/*#text")
    every = "[...document.querySelectorAll('.scroll, main pre')]"
    boxes = f"{every}.filter(box => box.scrollWidth > box.clientWidth + 1)"
    page.evaluate("document.querySelectorAll('article details').forEach(fold => { fold.open = true; })")
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert page.evaluate(f"{boxes}.length") > 0
    assert page.evaluate(f"{boxes}.every(box => box.tabIndex === 0)")
    assert page.evaluate(f"{every}.every(box => {boxes}.includes(box) || box.tabIndex === -1)")


def test_what_goes_on_beyond_an_edge_fades_there_and_says_that_it_scrolls(visit, base):
    page = visit(base + "chapters/package.html", viewport={"width": 375, "height": 700})
    page.locator("main pre.more-after").first.wait_for()
    box = page.locator("main pre.more-after").first
    assert "gradient" in box.evaluate("box => getComputedStyle(box).maskImage")
    assert (box.get_attribute("role"), box.get_attribute("aria-label")) == ("group", "Scrolls sideways")
    handle = box.element_handle()
    handle.focus()
    assert handle.evaluate("box => getComputedStyle(box).maskImage") in (
        "none",
        "",
    )  # nor does its frame fade
    handle.evaluate("box => { box.blur(); box.scrollLeft = box.scrollWidth; }")
    page.wait_for_function("box => box.classList.contains('more-before')", arg=handle)
    assert handle.get_attribute("class").split()[-1] == "more-before"
    page.set_viewport_size({"width": 1280, "height": 800})
    page.wait_for_function("box => !box.hasAttribute('role')", arg=handle)
    assert not page.locator("main pre[role]:not(.more-before, .more-after)").count()


def test_a_wrong_address_at_any_depth_gets_the_404_page(visit, base):
    for address in ("nothing.html", "chapters/deep/er/nothing.html"):
        page = visit(base + address)
        assert page.get_by_role("heading", name="No page here").is_visible()
        assert page.evaluate("getComputedStyle(document.body).marginTop") == "0px"
        assert [p for p in page.problems if "404 (Not Found)" not in p] == []
        page.get_by_role("link").last.click()
        page.wait_for_url(base)


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


def read(site, name):
    return BeautifulSoup((site / name).read_text("utf-8"), "html.parser")


def test_chapters_have_the_numbers_of_the_printed_book_wherever_they_are_listed(site):
    book = pdf.Book(site, only=())
    printed = {book.pages[key]: unit.number for key, unit in book.units.items()}
    first, chapter = read(site, "index.html"), "chapters/transforms/temperature.html"
    listed = {item.a["href"]: item.select_one(".number").get_text() for item in first.select(".parts li")}
    assert listed == printed
    page = read(site, chapter)
    beside = [link.select_one(".number").get_text() for link in page.select("nav.contents a")]
    assert beside == list(printed.values())
    assert page.select_one(".place").get_text(" ", strip=True) == f"Transforms {printed[chapter]}"


def test_a_title_sets_its_subject_apart(site):
    title = read(site, "chapters/transforms/temperature.html").h1
    assert title.get_text().rstrip("#") == "Set how sure attention is: the temperature"
    assert title.select_one(".subject").get_text() == "the temperature"
    assert not read(site, "chapters/choosing.html").h1.select(".subject")


def test_cells_that_only_import_are_folded_and_no_others(site):
    for name in PAGES:
        page = read(site, name)
        for fold in page.select("details.fold"):
            lines = fold.get_text().strip().splitlines()
            imports = all(re.match(r"(import|from|\s)|$", line) for line in lines[1:])
            assert (lines[0] == "Imports") == imports, f"{name}: {lines[:3]}"


def test_the_words_of_the_opening_sentence_are_filled_by_their_weights(visit, base):
    page = visit(base + "index.html", viewport={"width": 1280, "height": 900})
    words = page.locator("#explorer-opening-pair tbody tr")
    outlined = [
        word.locator("th").inner_text()
        for word in words.all()
        if word.locator(".attn-bar").evaluate("bar => getComputedStyle(bar).outlineStyle") == "solid"
    ]
    assert outlined == ["it"]  # the word that looks back
    tops = [word.bounding_box()["y"] for word in words.all()]
    assert tops[:8] == [tops[0]] * 8  # a line of text, not a column of bars
    animal = words.nth(2)
    level = "bar => getComputedStyle(bar).backgroundImage.match(/[\\d.]+%/)[0]"
    assert animal.locator(".attn-bar").evaluate(level) == "67.7%"
    page.locator("#explorer-opening-pair input").press("ArrowLeft")
    animal.locator(".attn-number").filter(has_not_text="0.677").wait_for()
    share = float(animal.locator(".attn-number").inner_text())
    filled = animal.locator(".attn-bar").evaluate(level)
    assert share > 0.677 and abs(float(filled.rstrip("%")) - 100 * share) < 0.06


HEIGHTS = """() => {
  const jumping = [];
  for (const explorer of document.querySelectorAll("attn-explorer")) {
    explorer.dispatchEvent(new Event("pointerover"));
    const heights = new Set();
    for (const input of explorer.querySelectorAll("fieldset :is(input, select)")) {
      const range = input.type === "range";
      for (let stop = 0; stop < (range ? Number(input.max) + 1 : input.options.length); stop += 1) {
        input[range ? "value" : "selectedIndex"] = stop;
        input.dispatchEvent(new Event("input", { bubbles: true }));
        heights.add(explorer.querySelector("figure").getBoundingClientRect().height);
      }
    }
    if (heights.size !== 1) jumping.push(`${explorer.id}: ${[...heights]}`);
  }
  return jumping;
}"""


@pytest.mark.parametrize("width", [320, 375, 412])
def test_an_explorer_keeps_its_height_at_every_stop(site, visit, base, outlines, width):
    """A number that grew by a digit once broke a line on a phone: the page jumped under the reader's hand."""
    names = [name for name in outlines if "<attn-explorer" in (site / name).read_text("utf-8")]
    assert len(names) > 20
    page = visit("about:blank", inside=base, viewport={"width": width, "height": 800})
    for name in names:
        page.goto(base + name)
        assert page.evaluate(HEIGHTS) == [], name


@pytest.mark.parametrize("width", [375, 1280])
def test_nothing_moves_when_an_explorer_is_first_pointed_at(visit, base, width):
    page = visit(base + "index.html", viewport={"width": width, "height": 800})
    place = "() => document.querySelector('#how-to-use-it').getBoundingClientRect().top + scrollY"
    before = page.evaluate(place)
    page.locator("#explorer-opening-pair input").hover()
    page.locator("#explorer-opening-pair.attn-held").wait_for()
    assert page.evaluate(place) == before


def test_the_reference_holds_all_that_is_imported_from_the_package_and_no_inner_part(site, outlines):
    page = "chapters/package.html"
    sections = (site / page).read_text("utf-8").partition('id="alignment"')[0]  # from attnlib itself
    described = re.findall(r'id="attnlib\.(?:transforms\.)?\w+\.(\w+)"', sections)
    assert len(described) == len(set(described))
    named = {*described, "CATALOGUE", "FACTS"}
    assert named == {*attnlib.__all__, "Transform"}
    assert all(f">{name}</code>" in sections for name in ("CATALOGUE", "FACTS"))


def test_words_of_code_are_text_and_not_an_element_each(site, outlines):
    for page in outlines:
        assert 'class="pre"' not in (site / page).read_text("utf-8"), page
    reference = (site / "chapters/package.html").read_text("utf-8")
    signatures = re.findall(r'<dt class="sig.*?</dt>', reference, re.S)
    assert any("softmax(<em" in signature for signature in signatures)
    assert not any("<span" in signature for signature in signatures)
