"""Every page of the built site in a real browser, as its readers meet it."""

from pathlib import Path

import axe_playwright_python
import pytest
from browser import watch
from built import MOST_KIB, OWN_PAGES, PAGES, WIDTHS

COLOURS = (
    {"color_scheme": "light", "forced_colors": "none"},
    {"color_scheme": "dark", "forced_colors": "none"},
    {"color_scheme": "light", "forced_colors": "active"},
)
AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text("utf-8")
# One element for each look of text on the page: colour, letters, and every layer that lies behind.
LOOKS = """() => {
  const layers = new Map([[null, ""]]);
  const behind = (element) => {
    if (!layers.has(element)) {
      const { backgroundColor, backgroundImage, opacity, position } = getComputedStyle(element);
      const own = [backgroundColor, backgroundImage, opacity, position].join();
      const plain = own === "rgba(0, 0, 0, 0),none,1,static" ? "" : own + "|";
      layers.set(element, plain + behind(element.parentElement));
    }
    return layers.get(element);
  };
  const looks = new Map();
  const note = (element) => {
    const { color, fontSize, fontWeight, textShadow } = getComputedStyle(element);
    const look = [color, fontSize, fontWeight, textShadow, behind(element)].join();
    if (element.checkVisibility() && !looks.has(look)) looks.set(look, element);
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) if (texts.currentNode.data.trim()) note(texts.currentNode.parentElement);
  document.querySelectorAll("input, select, textarea").forEach(note);
  return { include: [...looks.values()] };
}"""


@pytest.mark.parametrize("name", [*PAGES, "search.html"])
def test_a_page_asks_only_its_own_site_little_and_without_complaint(visit, base, name):
    sizes = []
    page = visit("about:blank")
    page.on("response", lambda answer: sizes.append(int(answer.headers["content-length"])))
    problems = watch(page, base)
    page.goto(base + name, wait_until="networkidle")
    assert problems == []
    assert sum(sizes) / 1024 <= MOST_KIB
    assert page.locator("h1").count() == 1


def find_barriers(page, rules):
    """What axe finds on a page as it stands: {rule: the elements}.

    The rule for contrast takes most of the time, and depends on colours, letters and what lies behind them
    alone: one element of each look stands for all. The other rules see the whole page.
    """
    if rules == "contrast":
        options = {"runOnly": ["color-contrast"], "resultTypes": ["violations"]}
        script = f"options => axe.run(({LOOKS})(), options)"
    else:
        options = {"rules": {"color-contrast": {"enabled": False}}, "resultTypes": ["violations"]}
        script = "options => axe.run(document, options)"
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    found = page.evaluate(f"options => ({script})(options).then(result => result.violations)", options)
    return {rule["id"]: [node["html"][:200] for node in rule["nodes"]] for rule in found}


@pytest.mark.parametrize("name", PAGES + OWN_PAGES)
def test_a_page_is_accessible(visit, base, name):
    page = visit(base + name, reduced_motion="reduce")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        assert find_barriers(page, "all but contrast") == {}, f"{width} px"
        for colours in COLOURS:
            page.emulate_media(**colours)
            assert find_barriers(page, "contrast") == {}, f"{colours}, {width} px"


@pytest.mark.parametrize(
    ("style", "faint"),
    [
        (".highlight .c1 { color: #aaa }", "c1"),
        ("figcaption { opacity: 0.5 }", "figcaption"),
        ("footer { background: #667 }", "footer"),
        (".pager span { position: relative; color: #999 }", "span"),
        ("header input { color: #bbb !important }", "input"),
    ],
)
def test_faint_letters_anywhere_are_a_barrier(visit, base, style, faint):
    page = visit(base + "chapters/transforms/temperature.html", viewport={"width": 1280, "height": 800})
    assert find_barriers(page, "contrast") == {}
    page.locator("header input").fill("a word in the box")
    page.add_style_tag(content=style)
    inside = "element => [...element.querySelectorAll('*'), element].map(e => e.outerHTML.slice(0, 200))"
    elements = [
        html for one in page.locator(faint if faint != "c1" else ".c1").all() for html in one.evaluate(inside)
    ]
    found = find_barriers(page, "contrast")
    assert list(found) == ["color-contrast"]
    assert set(found["color-contrast"]) & set(elements)


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
