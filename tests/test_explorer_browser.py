"""Explorers in a page without a kernel: a real Chromium, from file://, under the site's content policy."""

import io
import itertools
import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from browser import open_browser, watch
from PIL import Image

import attnlib.explorer
from attnlib import softmax
from attnlib.explorer import Bars, Curves, Explorer, Heatmap, stops

PACKAGE = Path(attnlib.explorer.__file__).parent
TOKENS = [
    "The",
    "animal",
    "did",
    "n't",
    "cross",
    "the",
    "street",
    "because",
    "it",
    "was",
    "too",
    "tired",
    ".",
]
SCORES = np.random.default_rng(7).normal(0, 2, len(TOKENS)).round(2)
MATRIX = np.random.default_rng(8).normal(0, 2, (len(TOKENS), len(TOKENS)))
JACOBIAN = np.array([[0.25, -0.2, -0.05], [-0.2, 0.21, -0.01], [0, -0.2, 0.2]])
PUSH = np.array([0.5, -0.25, 1.0])
X = np.linspace(-4, 4, 41)
TEMPERATURES = stops(0.1, 10)


def weigh(temperature, scores):
    weights = softmax(scores, temperature=temperature)
    return {"weights": weights, "largest": weights.max()}


def pick(temperature, transform, scores):
    return softmax(scores, temperature=temperature) if transform == "softmax" else np.full(3, 1 / 3)


def curves(temperature):
    return [1 / (1 + np.exp(-X / temperature)), np.clip(X / temperature + 0.5, 0, 1)]


def ramp(step, way):
    shares = np.linspace(0, step / 3, 480).reshape(20, 24)
    return shares if way == "rising" else shares[::-1]


def count_kept(weights):
    return {"weights": weights, "kept": (weights > 0.1).sum(), "largest": weights.max()}


EXPLORERS = [
    Explorer(
        *(weigh, Bars(TOKENS, SCORES)),
        name="tokens",
        caption="Weights of a sentence’s tokens.",
        start={"temperature": 1.0},
        temperature=TEMPERATURES,
    ),
    Explorer(
        *(pick, Bars(["one", "two", "three"], [2.0, 1.0, -0.5])),
        name="two-controls",
        caption="Two controls.",
        temperature=[0.5, 1.0, 2.0],
        transform=["softmax", "uniform"],
    ),
    Explorer(
        *(lambda temperature: softmax(MATRIX, temperature=temperature), Heatmap(TOKENS, TOKENS)),
        name="map",
        caption="A map.",
        temperature=TEMPERATURES,
    ),
    Explorer(
        *(curves, Curves(X, ["smooth", "straight"], "score", "weight")),
        name="curves",
        caption="Two curves.",
        temperature=[0.5, 1.0, 2.0],
    ),
    Explorer(
        *(lambda step: np.full(52, step / 52), Bars([f"a rather long label {i}" for i in range(52)])),
        name="many",
        caption="Many bars with long labels.",
        step=[1, 2, 3],
    ),
    Explorer(
        lambda temperature: count_kept(softmax([2.0, 1.0, 0.0], temperature=temperature)),
        Bars(["one", "two", "three"]),
        name="counted",
        caption="Items above a tenth.",
        temperature=[0.5, 1.0, 2.0],
    ),
    Explorer(
        *(lambda shift: {"push": shift * PUSH, "total": PUSH.sum()}, Bars(["a", "b", "c"], limit=(-1, 3))),
        name="both-ways",
        caption="Bars on both sides of zero.",
        shift=[-1, 1, 2],
    ),
    Explorer(
        *(lambda shift: shift * JACOBIAN, Heatmap(["a", "b", "c"], ["a", "b", "c"], limit=0.5, signed=True)),
        name="jacobian",
        caption="Push and pull.",
        shift=[-1, 1, 2],
    ),
    Explorer(
        *(ramp, Heatmap([f"r{i}" for i in range(20)], [f"c{i}" for i in range(24)])),
        name="wide",
        caption="A map of many cells.",
        step=[1, 2, 3],
        way=["rising", "falling"],
    ),
    Explorer(
        lambda households: {"cost": [[0, 10 * households]], "of": households, "half": -5.5 * households},
        Curves([0, 5000], ["at the median"], "income", "cost in francs", limits=(0, 20_000)),
        name="thousands",
        caption="Thousands have commas.",
        households=[1, 2000],
    ),
]


@pytest.fixture(scope="module")
def browser():
    with open_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    for name in ("explorer.js", "explorer.css"):
        shutil.copy(PACKAGE / name, folder)
    policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'"
    (folder / "page.html").write_text(
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Explorers</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f'<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="explorer.css">'
        f'<script src="explorer.js" defer></script>{"".join(e.html() for e in EXPLORERS)}</html>',
        encoding="utf-8",
    )
    return (folder / "page.html").as_uri()


@pytest.fixture
def visit(browser, address):
    """Open the page under given conditions; at the end nothing may have gone wrong on it."""
    opened = []

    def visit(**conditions):
        context = browser.new_context(**{"reduced_motion": "reduce", **conditions})
        page = context.new_page()
        opened.append((context, watch(page, address.rpartition("/")[0])))
        page.goto(address)
        return page

    yield visit
    for context, problems in opened:
        context.close()
        assert problems == []


def part(page, name, selector):
    return page.locator(f"#explorer-{name} {selector}")


def weights(page, name):
    return part(page, name, ".attn-weight .attn-number").all_text_contents()


def pixel(page, element, end=False):
    """Colour near the upper left (or right) corner of an element, as it is painted."""
    element.scroll_into_view_if_needed()
    box = element.bounding_box()
    left = box["x"] + (box["width"] - 4 if end else 3)
    png = page.screenshot(clip={"x": left, "y": box["y"] + 3, "width": 1, "height": 1})
    return Image.open(io.BytesIO(png)).convert("RGB").getpixel((0, 0))


def bar_ends(bars):
    """Where each bar begins and ends on its scale, from 0 to 1."""
    styles = (
        "bars => bars.map(b => ['from', 'to'].map(e => getComputedStyle(b).getPropertyValue(`--attn-${e}`)))"
    )
    return [[float(end.rstrip("%")) / 100 for end in ends] for ends in bars.evaluate_all(styles)]


def drawn(page, name):
    """Where each bar of a touched explorer begins and ends on its scale, as its corners say."""
    corners = np.array(part(page, name, ".attn-sheet polygon").get_attribute("points").split(), dtype=float)
    ends = corners.reshape(-1, 4, 2)[:, :2, 0] / 10_000
    return np.sort(ends)


def covered(page, name):
    """The same as painted: the first and last blue pixel along each track, as shares of its width."""
    tracks = part(page, name, ".attn-weight .attn-bar")
    tracks.first.scroll_into_view_if_needed()
    picture = np.asarray(Image.open(io.BytesIO(page.screenshot())).convert("RGB"))
    ends = []
    for track in tracks.all():
        box = track.bounding_box()
        left, right = round(box["x"]), round(box["x"] + box["width"])
        line = picture[round(box["y"] + box["height"] / 2), left:right]
        blue = np.flatnonzero((line == (0, 114, 178)).all(axis=1))
        ends.append((blue[0] / len(line), (blue[-1] + 1) / len(line)) if len(blue) else (0, 0))
    return ends


def painted(page, name):
    """Colours near the upper left and the lower right corner of each cell of a map, in its rows' order."""
    frame = part(page, name, ".attn-scroll")
    frame.scroll_into_view_if_needed()
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    scale = picture.width / page.viewport_size["width"]
    places = part(page, name, "tbody td").evaluate_all(
        """cells => cells.map(c => c.getBoundingClientRect())
            .flatMap(b => [[b.left + 3, b.top + 3], [b.right - 3, b.bottom - 3]])"""
    )
    return [picture.getpixel((int(scale * x), int(scale * y))) for x, y in places]


def mixed(shares):
    """Two equal colours a share, between the empty cell, 36 % of #d9dde3 on white, and blue #0072b2."""
    empty = 255 + 0.36 * (np.array([0xD9, 0xDD, 0xE3]) - 255)
    return empty + np.repeat(shares, 2)[:, None] * (np.array([0x00, 0x72, 0xB2]) - empty)


def three(values):
    return [f"{value:.3f}".replace("-", "−") for value in np.ravel(values)]


def test_every_stop_is_reached_by_keyboard_and_shows_what_attnlib_computes(visit):
    page = visit()
    slider = part(page, "tokens", "input[type=range]")
    slider.press("Home")
    for step, temperature in enumerate(TEMPERATURES):
        if step:
            slider.press("ArrowRight")
        expected = softmax(SCORES, temperature=temperature)
        assert weights(page, "tokens") == three(expected)
        assert part(page, "tokens", "dd").all_text_contents() == three(expected.max())
        words = f"T = {temperature:#.2g}".rstrip(".")
        assert slider.get_attribute("aria-valuetext") == words
        assert part(page, "tokens", ".attn-stop").text_content() == words
        np.testing.assert_allclose(drawn(page, "tokens"), [(0, w) for w in expected], atol=0.00051)
        np.testing.assert_allclose(covered(page, "tokens"), [(0, w) for w in expected], atol=0.006)
    slider.press("ArrowRight")
    assert slider.input_value() == str(len(TEMPERATURES) - 1)


def test_a_read_out_that_counts_has_no_decimals(visit):
    page = visit()
    slider, output = part(page, "counted", "input"), part(page, "counted", "output")
    assert part(page, "counted", "dd").all_text_contents() == ["2", "0.665"]
    slider.press("ArrowRight")
    assert part(page, "counted", "dd").all_text_contents() == ["3", "0.506"]
    output.filter(has_text="kept 3 (up 1), largest 0.506 (down 0.159)").wait_for()


def test_controls_combine(visit):
    page = visit()
    slider, menu = part(page, "two-controls", "input"), part(page, "two-controls", "select")
    for transform in ("uniform", "softmax"):
        menu.select_option(transform)
        slider.press("Home")
        for step, temperature in enumerate([0.5, 1.0, 2.0]):
            if step:
                slider.press("ArrowRight")
            assert weights(page, "two-controls") == three(pick(temperature, transform, [2.0, 1.0, -0.5]))


def test_bars_of_negative_scores_go_to_the_left_of_zero(visit):
    page = visit()
    low, high = EXPLORERS[1].chart.score_limits
    ends = bar_ends(part(page, "two-controls", ".attn-score .attn-bar"))
    zero, shares = -low / (high - low), [(score - low) / (high - low) for score in (2.0, 1.0, -0.5)]
    expected = [sorted((zero, share)) for share in shares]
    np.testing.assert_allclose(ends, expected, atol=1e-4)


def test_rows_that_a_page_sets_as_running_text_keep_their_own_bars(visit):
    page = visit()
    page.evaluate("document.querySelector('#explorer-tokens tbody').style.display = 'flex'")
    part(page, "tokens", "input[type=range]").press("Home")
    assert part(page, "tokens", ".attn-sheet").count() == 0
    bars = bar_ends(part(page, "tokens", ".attn-weight .attn-bar"))
    np.testing.assert_allclose(bars, [(0, w) for w in softmax(SCORES, temperature=0.1)], atol=0.00051)


@pytest.mark.parametrize("scale", [1, 2.625])
def test_bars_go_both_ways_from_zero_before_and_after_the_first_touch(visit, scale):
    page = visit(device_scale_factor=scale, viewport={"width": 500, "height": 900})
    before = part(page, "both-ways", "table").screenshot()
    part(page, "both-ways", "input[type=range]").focus()
    part(page, "both-ways", ".attn-sheet").wait_for()
    page.mouse.move(0, 0)
    after = part(page, "both-ways", "table").screenshot()
    pictures = [np.asarray(Image.open(io.BytesIO(png)).convert("L"), dtype=int) for png in (before, after)]
    moved = np.abs(pictures[0] - pictures[1]) > 40
    blocks = np.lib.stride_tricks.sliding_window_view(moved, (3, 3))
    assert not blocks.all(axis=(2, 3)).any(), "edges stay where they were, to the pixel of a page"
    for key, shift in (("Home", -1), ("End", 2)):
        part(page, "both-ways", "input[type=range]").press(key)
        values = (shift * PUSH + 1) / 4
        ends = np.sort([(0.25, value) for value in values])
        np.testing.assert_allclose(drawn(page, "both-ways"), ends, atol=0.00051)


def test_a_move_of_bars_or_curves_styles_no_element(visit):
    """What it changes is text, the points of a shape, and where the names of curves stand."""
    page = visit()
    for name, allowed in (("tokens", {"points"}), ("curves", {"points", "style"})):
        part(page, name, "input[type=range]").press("ArrowLeft")
        part(page, name, "output").filter(has_text="T = ").wait_for()
        records = page.evaluate(
            """name => {
                const explorer = document.getElementById(`explorer-${name}`);
                const watch = new MutationObserver(() => {});
                const all = {subtree: true, attributes: true, characterData: true, childList: true};
                watch.observe(explorer.querySelector("figure"), all);
                const slider = explorer.querySelector("input[type=range]");
                slider.value = slider.max;
                slider.dispatchEvent(new Event("input", {bubbles: true}));
                return watch.takeRecords().map(record => [record.type, record.attributeName,
                    record.target.closest?.(".attn-name") ? "name" : record.target.nodeName]);
            }""",
            name,
        )
        assert {kind for kind, *_ in records} == {"characterData", "attributes"}
        changed = {attribute for kind, attribute, _ in records if kind == "attributes"}
        assert changed - {"aria-valuetext"} <= allowed
        assert all(target == "name" for _, attribute, target in records if attribute == "style")


def test_heat_map_follows_in_numbers_and_in_colour(visit):
    page = visit()
    part(page, "map", "input[type=range]").press("Home")
    part(page, "map", "output").filter(has_text="T = 0.10").wait_for()
    expected = softmax(MATRIX, temperature=0.1).ravel()
    assert part(page, "map", "tbody td").all_text_contents() == three(expected)
    assert expected.max() > 0.9995
    np.testing.assert_allclose(painted(page, "map"), mixed(expected), atol=2)


@pytest.mark.parametrize(
    "conditions, media",
    [
        ({"viewport": {"width": 320, "height": 700}}, {}),
        ({"device_scale_factor": 2.625, "viewport": {"width": 412, "height": 900}}, {}),
        ({}, {"media": "print"}),
    ],
)
def test_colours_lie_behind_their_cells(visit, conditions, media):
    """On a small screen, between pixels, on paper."""
    page = visit(**conditions)
    part(page, "map", "input[type=range]").press("End")
    page.emulate_media(**media)
    expected = softmax(MATRIX, temperature=10).ravel()
    np.testing.assert_allclose(painted(page, "map"), mixed(expected), atol=2)


def test_colours_lie_behind_cells_that_have_grown(visit):
    page = visit()
    part(page, "map", "input[type=checkbox]").press("Space")
    part(page, "map", "input[type=range]").press("Home")
    expected = softmax(MATRIX, temperature=0.1).ravel()
    assert part(page, "map", "tbody td").all_text_contents() == three(expected)
    np.testing.assert_allclose(painted(page, "map"), mixed(expected), atol=2)


def test_a_move_touches_no_cell_of_a_map_before_its_frame(visit):
    """Each cell touched costs a slow machine 0.04 ms or more: a map of 500 cells would miss its frame."""
    page = visit()
    slider = part(page, "wide", "input[type=range]")
    slider.press("ArrowLeft")
    part(page, "wide", "output").filter(has_text="step = ").wait_for()
    touched = page.evaluate(
        """() => {
            const explorer = document.getElementById("explorer-wide");
            const [slider, menu] = explorer.querySelectorAll("fieldset :is(input, select)");
            const watch = new MutationObserver(() => {});
            const all = {subtree: true, attributes: true, characterData: true};
            watch.observe(explorer.querySelector("tbody"), all);
            slider.value = 0;
            menu.selectedIndex = 1;
            slider.dispatchEvent(new Event("input", {bubbles: true}));
            return watch.takeRecords().map(record => record.target.closest(".attn-layers") !== null);
        }"""
    )
    assert touched == [True]
    part(page, "wide", "output").filter(has_text="step = 1, falling").wait_for()
    assert part(page, "wide", "tbody td").all_text_contents() == three(ramp(1, "falling"))


def test_a_menu_restyles_no_map(visit, browser):
    """A rule that looks for :checked in a map would match every option, and style each cell again."""
    page = visit()
    menu = part(page, "wide", "select")
    menu.focus()
    browser.start_tracing(page=page, categories=["devtools.timeline"])
    page.evaluate("document.querySelector('#explorer-wide select').selectedIndex = 1")
    page.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
    events = json.loads(browser.stop_tracing())["traceEvents"]
    counts = [e["args"]["elementCount"] for e in events if "elementCount" in e.get("args", {})]
    assert 0 < sum(counts) < 50, "the map has 480 cells"


def test_numbers_that_are_not_shown_are_read_aloud(visit):
    page = visit()
    part(page, "wide", "input[type=range]").press("Home")
    part(page, "wide", "output").filter(has_text="step = 1").wait_for()
    nodes = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    cells = [n["name"]["value"] for n in nodes if n["role"]["value"] == "cell" and not n["ignored"]]
    expected = three(ramp(1, "rising"))
    assert [text for text in cells if text in set(expected)][-480:] == expected


def test_a_signed_map_tells_below_zero_by_colour_by_hatching_and_by_a_minus(visit):
    page = visit()
    cells = part(page, "jacobian", "tbody td")
    box = part(page, "jacobian", "input[type=checkbox]")
    for key, shift in (("End", 2), ("Home", -1)):
        part(page, "jacobian", "input[type=range]").press(key)
        part(page, "jacobian", "output").filter(has_text=f"shift = {shift}".replace("-", "−")).wait_for()
        expected = shift * JACOBIAN.ravel() + 0.0
        assert cells.all_text_contents() == three(expected)
        classes = cells.evaluate_all("cells => cells.map(c => c.classList.contains('attn-negative'))")
        assert classes == (expected < 0).tolist()
    part(page, "jacobian", "input[type=range]").press("End")
    drawn = "cells => cells.map(c => getComputedStyle(c).backgroundImage.includes('repeating'))"
    assert cells.evaluate_all(drawn) == [False] * 9  # the numbers are shown, with their signs
    np.testing.assert_allclose(pixel(page, cells.nth(0)), (0, 114, 178), atol=3)  # 0.500, all blue
    red, _, blue = pixel(page, cells.nth(1))  # −0.400, vermilion
    assert red > 200 > 100 > blue
    box.press("Space")
    assert cells.evaluate_all(drawn) == (JACOBIAN.ravel() < 0).tolist()


def test_a_state_is_copied_as_a_link_and_opens_again(visit, address):
    page = visit()
    assert page.evaluate("location.hash") == ""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    part(page, "two-controls", "input").press("Home")
    part(page, "two-controls", "select").select_option("uniform")
    assert page.url == address, "moving a control leaves the address of the page alone"
    part(page, "two-controls", ".attn-copy").press("Enter")
    part(page, "two-controls", "output").filter(has_text="Link to T = 0.50, uniform copied").wait_for()
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == f"{address}#explorer-two-controls?temperature=0.50&transform=uniform"

    page.goto("about:blank")
    page.goto(link)
    part(page, "two-controls", "output").filter(has_text="As linked, T = 0.50, uniform: ").wait_for()
    assert weights(page, "two-controls") == ["0.333"] * 3
    slider = part(page, "two-controls", "input")
    assert slider.get_attribute("aria-valuetext") == "T = 0.50"
    assert slider.evaluate("e => e === document.activeElement")
    assert abs(page.locator("#explorer-two-controls").bounding_box()["y"]) < 2
    assert part(page, "tokens", "input").get_attribute("aria-valuetext") == "T = 1.0"

    page.evaluate("location.hash = '#explorer-jacobian?shift=-1'")  # a link within the page
    part(page, "jacobian", "output").filter(has_text="As linked, shift = −1").wait_for()
    assert part(page, "jacobian", "tbody td").all_text_contents() == three(0 - JACOBIAN)


@pytest.mark.parametrize(
    "query, state",
    [
        ("temperature=0.5", "T = 0.50, softmax"),
        ("temperature=2.00&transform=uniform", "T = 2.0, uniform"),
        ("temperature=77&transform=uniform", "T = 1.0, uniform"),
        ("temperature=&transform=&colour=red", "T = 1.0, softmax"),
        ("transform=constructor&__proto__=1&temperature=%E0%A4%A", "T = 1.0, softmax"),
        ("", "T = 1.0, softmax"),
    ],
)
def test_what_a_link_says_wrongly_is_as_at_the_start(visit, query, state):
    page = visit()
    page.evaluate("query => { location.hash = '#explorer-two-controls?' + query; }", query)
    part(page, "two-controls", "output").filter(has_text=f"As linked, {state}: ").wait_for()


@pytest.mark.parametrize("mark", ["#explorer-nowhere?a=1", "#explorer-tokens", "#?", "#%E0%A4%A?x=%"])
def test_a_mark_that_is_no_state_of_an_explorer_touches_none(visit, mark):
    page = visit()
    page.evaluate("mark => { location.hash = mark; return new Promise(requestAnimationFrame); }", mark)
    assert page.evaluate("[...document.querySelectorAll('attn-explorer')].every(e => e.view === undefined)")


def test_where_nothing_can_be_copied_the_link_stands_selected_in_a_field(visit, address):
    page = visit()
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    for key, stop in (("Home", "0.50"), ("End", "2.0")):
        part(page, "counted", "input[type=range]").press(key)
        part(page, "counted", ".attn-copy").press("Enter")
        field = part(page, "counted", ".attn-address")
        field.wait_for()
        link = f"{address}#explorer-counted?temperature={stop}"
        assert field.input_value() == link
        assert field.evaluate("e => e.value.slice(e.selectionStart, e.selectionEnd)") == link
        assert field.evaluate("e => e === document.activeElement")
        part(page, "counted", "output").filter(has_text="selected, ready to be copied").wait_for()


def test_numbers_in_the_cells_can_be_shown(visit):
    page = visit(viewport={"width": 320, "height": 700})
    number = part(page, "map", "tbody td span").first
    assert number.bounding_box()["width"] == 0
    part(page, "map", "tbody td").first.hover()
    assert number.bounding_box()["width"] > 30
    page.mouse.move(0, 0)
    part(page, "map", "input[type=checkbox]").press("Space")
    assert 25 < number.bounding_box()["width"] < 44
    cells = part(page, "map", "tbody td").evaluate_all("cells => cells.map(c => c.offsetWidth)")
    assert len(set(cells)) == 1
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    part(page, "map", "input[type=checkbox]").press("Space")
    assert number.bounding_box()["width"] == 0


def test_bars_stay_where_they_are_under_a_pointer(visit):
    page = visit()
    bar = part(page, "tokens", ".attn-weight .attn-bar").first
    before = bar.bounding_box()
    bar.hover()
    assert bar.bounding_box() == before


def test_numbers_in_the_cells_can_be_shown_without_script(visit):
    page = visit(java_script_enabled=False)
    for name, shown in (("map", False), ("jacobian", True)):
        number = part(page, name, "tbody td span").first
        assert (number.bounding_box()["width"] > 20) == shown
        part(page, name, "input[type=checkbox]").press("Space")
        page.mouse.move(0, 0)
        assert (number.bounding_box()["width"] > 20) != shown


def test_a_menu_of_long_texts_fits_a_phone(visit):
    page = visit(viewport={"width": 320, "height": 700})
    option = part(page, "two-controls", "option").first
    option.evaluate("e => e.textContent = 'a question as long as this '.repeat(4)")
    assert page.evaluate("document.documentElement.scrollWidth") == 320


def test_curves_follow_in_their_lines_and_in_their_table(visit):
    page = visit()
    part(page, "curves", "summary").press("Enter")
    part(page, "curves", "input[type=range]").press("End")
    expected = np.array(curves(2.0))
    rows = range(0, len(X), 3)
    assert part(page, "curves", ".attn-numbers td").all_text_contents() == three(expected[:, rows].T)
    for line, curve in zip(part(page, "curves", "polyline.attn-line").all(), expected, strict=True):
        points = np.array(line.get_attribute("points").split(), dtype=float).reshape(-1, 2)
        np.testing.assert_allclose(points[:, 0], 1000 * (X + 4) / 8, atol=0.5)
        np.testing.assert_allclose(points[:, 1], 1000 * (1 - curve), atol=1)


@pytest.mark.parametrize("width", [320, 1200])
@pytest.mark.parametrize("name", ["curves", "thousands"])
def test_numbers_along_a_plot_stand_beside_it_and_inside_the_page(visit, name, width):
    page = visit(viewport={"width": width, "height": 700})
    plot, lines = (part(page, name, css).bounding_box() for css in (".attn-plot", ".attn-area svg"))
    ends = [label.bounding_box() for label in part(page, name, ".attn-y").all()]
    assert {round(end["x"] + end["width"] - lines["x"], 1) for end in ends} == {0}
    assert min(end["x"] for end in ends) >= plot["x"] - 0.01
    heights = [end["y"] + end["height"] / 2 for end in ends]
    assert max(heights) == pytest.approx(lines["y"] + lines["height"], abs=0.5)
    assert min(heights) == pytest.approx(lines["y"], abs=0.5)
    labels = part(page, name, ".attn-x").all()
    seen = [label.bounding_box() for label in labels if label.is_visible()]
    assert len(seen) >= 2
    for left, right in itertools.pairwise(seen):
        assert left["x"] + left["width"] + 4 < right["x"], "apart, on a phone too"
    below = [label.bounding_box() for label in labels]
    assert below[0]["x"] + below[0]["width"] / 2 == pytest.approx(lines["x"], abs=0.5)
    assert below[-1]["x"] + below[-1]["width"] / 2 == pytest.approx(lines["x"] + lines["width"], abs=0.5)


def test_thousands_have_commas_but_for_years_and_links(visit):
    page = visit()
    assert part(page, "thousands", ".attn-y").all_text_contents()[-1] == "20,000"
    assert part(page, "thousands", ".attn-x").all_text_contents()[-1] == "5,000"

    def read_outs():
        return part(page, "thousands", "dd").all_text_contents()

    def cells():
        return part(page, "thousands", ".attn-numbers td").all_text_contents()

    written = (["2,000", "−11,000.000"], ["0.000", "20,000.000"])
    assert (read_outs(), cells()) == written
    part(page, "thousands", "input").press("End")
    assert part(page, "thousands", ".attn-stop").text_content() == "2,000"
    page.evaluate("location.hash = '#explorer-thousands?households=1'")
    part(page, "thousands", "output").filter(has_text="As linked, households = 1: ").wait_for()
    assert read_outs() == ["1", "−5.500"]
    page.evaluate("location.hash = '#explorer-thousands?households=2000'")
    part(page, "thousands", "output").filter(has_text="As linked, households = 2,000: ").wait_for()
    part(page, "thousands", "output").filter(has_text="half −11,000.000 (down 10,994.500)").wait_for()
    assert (read_outs(), cells()) == written
    years = Curves([1871, 1970], ["flow"], "year", "flow", limits=(0, 20_000)).html([[0, 1]])
    assert re.findall('class="attn-x"[^>]*>([^<]+)', years)[0] == "1880"


def test_what_changed_is_said_in_words_when_the_hand_rests(visit):
    page = visit()
    output = part(page, "two-controls", "output")
    assert output.evaluate("e => e.tagName === 'OUTPUT' && e.textContent") == ""
    part(page, "two-controls", "input").press("ArrowLeft")
    output.filter(has_text="T = 0.50").wait_for()
    before, after = softmax([2.0, 1.0, -0.5]), softmax([2.0, 1.0, -0.5], temperature=0.5)
    parts = [
        f"{name} {new} ({'up' if new > old else 'down'} {abs(float(new) - float(old)):.3f})"
        for name, old, new in zip(["one", "two", "three"], three(before), three(after), strict=True)
    ]
    assert output.text_content() == f"T = 0.50, softmax: {', '.join(parts)}"
    part(page, "two-controls", "select").select_option("uniform")
    output.filter(has_text="uniform").wait_for()
    part(page, "two-controls", "input").press("ArrowRight")
    output.filter(has_text="no number changes").wait_for()


def test_a_page_pays_nothing_until_an_explorer_is_touched(visit):
    page = visit()
    assert page.evaluate("document.querySelectorAll('attn-explorer').length") == len(EXPLORERS)
    assert page.evaluate("[...document.querySelectorAll('attn-explorer')].every(e => e.view === undefined)")
    assert page.evaluate("customElements.get('attn-explorer')") is None
    as_written = "".join(e.html() for e in EXPLORERS).replace(' disabled=""', "")
    same = """html => {
        const page = new DOMParser().parseFromString(html, "text/html");
        const plain = e => e.outerHTML.replace(/<noscript.*?<.noscript>/g, "");
        const all = root => [...root.querySelectorAll("attn-explorer")].map(plain).join();
        return all(page) === all(document);
    }"""
    assert page.evaluate(same, as_written), "only the controls have been enabled"
    part(page, "map", "input[type=range]").press("Home")
    assert page.evaluate(
        "[...document.querySelectorAll('attn-explorer')].filter(e => e.view).map(e => e.id)"
    ) == ["explorer-map"]


@pytest.mark.parametrize("width", [320, 375, 1024])
def test_nothing_is_wider_than_the_screen_and_nothing_jumps(visit, width):
    page = visit(viewport={"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") == width
    heights = "[...document.querySelectorAll('attn-explorer')].map(e => e.getBoundingClientRect().height)"
    before = page.evaluate(heights)
    for kind in ("score", "weight"):
        tracks = [bar.bounding_box() for bar in part(page, "tokens", f".attn-{kind} .attn-bar").all()]
        assert len({(track["x"], track["width"]) for track in tracks}) == 1, (
            "bars of one kind share their scale"
        )
    for explorer in EXPLORERS:
        part(page, explorer.name, "input[type=range]").press("Home")
    part(page, "tokens", "output").filter(has_text="T =").wait_for()
    part(page, "many", "output").filter(has_text="=").wait_for()
    assert page.evaluate(heights) == before
    for control in page.locator("fieldset :is(input, select)").all():
        box = control.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width


def test_without_script_the_start_state_is_there(visit):
    page = visit(java_script_enabled=False)
    assert weights(page, "tokens") == three(softmax(SCORES))
    assert part(page, "tokens", "input[type=range]").is_disabled()
    assert (
        part(page, "tokens", "noscript p").inner_text() == "Shown at T = 1.0; the controls need JavaScript."
    )
    assert part(page, "curves", ".attn-line[d]").count() == 2
    assert part(page, "map", "tbody td").count() == len(TOKENS) ** 2
    assert page.locator(".attn-copy").count() == 0


def test_the_frame_that_follows_a_move_shows_its_end(visit):
    """Easing would show it only 120 ms later, and cost a slow machine ten frames instead of one."""
    page = visit(reduced_motion="no-preference")
    part(page, "tokens", "input[type=range]").press("Home")
    page.evaluate("new Promise(requestAnimationFrame)")
    assert page.evaluate("document.getAnimations().length") == 0
    expected = [(0, weight) for weight in softmax(SCORES, temperature=0.1)]
    np.testing.assert_allclose(drawn(page, "tokens"), expected, atol=0.00051)


def test_forced_colours_keep_bars_and_cells(visit):
    page = visit(forced_colors="active")
    bars = part(page, "tokens", ".attn-weight .attn-bar")
    assert pixel(page, bars.nth(int(np.argmax(SCORES)))) == (0, 0, 0)
    assert pixel(page, bars.nth(int(np.argmax(SCORES))), end=True) == (255, 255, 255)
    part(page, "map", "input[type=range]").press("Home")
    cells, weights = part(page, "map", "tbody td"), softmax(MATRIX, temperature=0.1)
    assert max(pixel(page, cells.nth(int(weights.argmax())))) < 3
    assert pixel(page, cells.nth(int(weights.argmin()))) == (255, 255, 255)


def test_focus_is_visible(visit):
    page = visit()
    places = ("input[type=range]", "select", "summary", ".attn-scroll", ".attn-copy")
    for selector in map(
        " ".join, zip(("tokens", "two-controls", "curves", "map", "map"), places, strict=True)
    ):
        name, _, element = selector.partition(" ")
        target = part(page, name, element)
        page.keyboard.press("Tab")
        target.focus()
        assert target.evaluate("e => getComputedStyle(e).outlineStyle") == "solid"


def test_controls_and_charts_have_names_and_roles(visit):
    page = visit()
    explorer = page.locator("#explorer-two-controls")
    assert explorer.get_by_role("slider", name="Temperature T").count() == 1
    assert explorer.get_by_role("combobox", name="Transform").count() == 1
    assert explorer.get_by_role("figure", name="Two controls.").count() == 1
    assert explorer.get_by_role("status").count() == 1
    assert explorer.get_by_role("button").count() == 0
    explorer.get_by_role("slider").focus()
    assert explorer.get_by_role("button", name="Copy link to this state").count() == 1
    assert explorer.get_by_role("row", name="one 2.0 0.690").count() == 1
    assert page.get_by_role("img", name="weight against score: smooth, straight").count() == 1
