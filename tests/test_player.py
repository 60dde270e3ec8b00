"""The player: what it says as text, and what its words do in a browser, from a disk and from a server."""

import http.client
import re
import shutil
from urllib.parse import urlsplit

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from browser import open_browser, watch
from serve import serving

from attnlib import datasets
from attnlib.explorer import HERE
from attnlib.player import Player

FILE = datasets.speech().file
WORDS = ["He", "<i>might</i>", "himself"]
MOMENTS = [0.4, 1.2, 2.6]


def make(name="three-words"):
    """Three words that attend to 0.4, 1.2 and 2.6 seconds of 3.3."""
    weights = np.full((3, 33), 0.01)
    for row, moment in zip(weights, MOMENTS, strict=True):
        row[round(moment / 0.1)] = 0.5 + moment / 10
    return Player(FILE, WORDS, weights, 0.1, name=name, caption="Three words & their moments.")


# ---- What it is ----


def test_text_gives_the_words_with_their_moments():
    assert repr(make()).splitlines() == [
        "Player three-words: sense_and_sensibility.wav, 3.30 s",
        "He: 0.40 s, weight 0.540",
        "<i>might</i>: 1.20 s, weight 0.620",
        "himself: 2.60 s, weight 0.760",
    ]


def test_html_holds_no_sound_and_escapes_what_it_is_given():
    html = make().html()
    assert html == make().html()
    assert 'preload="none" src="sense_and_sensibility.wav"' in html
    assert "data:" not in html and "<i>" not in html and "&amp; their" in html
    assert len(html) < 5_000
    strips = re.findall(r'aria-label="(weight of [^"]+)"', html)
    assert strips[2] == "weight of himself over the sound: at most 0.760, at 2.60 s"


def test_strips_share_one_scale():
    outlines = re.findall(r'd="M0 1000((?:V\d+h1)+)V1000z"', make().html())
    tops = [[int(top) for top in re.findall(r"V(\d+)", outline)] for outline in outlines]
    assert np.shape(tops) == (3, 33)
    assert [min(row) for row in tops] == [1000 - round(1000 * w / 0.76) for w in (0.54, 0.62, 0.76)]
    assert [row.index(min(row)) for row in tops] == [4, 12, 26]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"name": "Two Words"}, "lower-case words joined by hyphens"),
        ({"weights": np.ones((2, 5))}, r"shape \(2, 5\); expected \(3, frames\)"),
        ({"weights": np.full((3, 5), 1.5)}, "between 0 and 1"),
        ({"weights": np.full((3, 5), np.nan)}, "between 0 and 1"),
        ({"weights": np.zeros((3, 5))}, "holds no weight"),
        ({"seconds_per_frame": 0}, "seconds_per_frame must be positive, got 0"),
        ({"words": "abc"}, "words must be a sequence"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence(change, sentence):
    given = {"words": WORDS, "weights": np.full((3, 5), 0.2), "seconds_per_frame": 0.1, "name": "n"} | change
    with pytest.raises(ValueError, match=sentence):
        Player(FILE, **given, caption="c")


def test_the_widget_brings_the_sound_along():
    widget = make().widget
    assert widget.sound[:4] == b"RIFF" and len(widget.sound) == 105_324
    assert "attnPlayer.render" in widget._esm and "keepKeys" in widget._esm


# ---- In the browser ----


@pytest.fixture(scope="module")
def browser():
    with open_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    for name in ("player.js", "explorer.css", "player.css", f"data/{FILE}"):
        shutil.copy(HERE / name, folder)
    policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; media-src 'self'"
    styles = "".join(f'<link rel="stylesheet" href="{name}.css">' for name in ("explorer", "player"))
    (folder / "index.html").write_text(
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>A player</title>'
        '<link rel="icon" href="data:,">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}; img-src data:">'
        f'<meta name="viewport" content="width=device-width">{styles}<script src="player.js" defer></script>'
        f"<main><h1>A player</h1>{make().html()}</main></html>",
        encoding="utf-8",
    )
    return folder


@pytest.fixture(params=["file", "http"])
def page(request, browser, folder):
    """The page, from a disk and from a server; at the end nothing may have gone wrong on it."""
    context = browser.new_context(viewport={"width": 320, "height": 640})
    page = context.new_page()
    if request.param == "file":
        problems = watch(page, folder.as_uri())
        page.goto((folder / "index.html").as_uri())
        yield page
    else:
        with serving(folder) as base:
            problems = watch(page, base)
            page.goto(base)
            yield page
            context.close()
    context.close()
    assert problems == []


def sound_now(page):
    return page.evaluate("document.querySelector('audio').currentTime")


def until(page, condition):
    """Wait for something true of `a`, the audio element; the page's policy forbids Playwright's own way."""
    page.evaluate(
        f"""async () => {{
            const a = document.querySelector("audio");
            for (let frame = 0; !({condition}); frame += 1) {{
                if (frame > 900) throw new Error("waited in vain");
                await new Promise(requestAnimationFrame);
            }}
        }}"""
    )


def wait_until_it_stops(page):
    until(page, "a.paused && a.played.length")


def test_the_sound_is_loaded_when_it_is_asked_for_and_a_word_plays_its_moment(page):
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.wait_for_load_state("networkidle")
    assert page.evaluate("document.querySelector('audio').readyState") == 0
    assert asked == []
    for name, moment in (("himself", 2.6), ("He", 0.4)):
        button = page.get_by_role("button", name=name)
        button.click()
        until(page, "!a.paused")
        wait_until_it_stops(page)
        first = page.evaluate(
            "(() => { const p = document.querySelector('audio').played; return p.start(p.length - 1); })()"
        )
        if name == "himself":
            assert first == pytest.approx(moment - 0.3, abs=0.06)
        assert moment + 0.3 <= sound_now(page) < 3.29  # not the end of the clip
    assert len(asked) >= 1 and all(url.endswith(".wav") for url in asked)


def test_the_attended_moment_is_marked_as_the_sound_passes_it(page):
    current = page.locator("[aria-current=true]")
    assert current.count() == 0
    page.get_by_role("button", name="himself").press("Enter")
    wait_until_it_stops(page)
    assert current.all_inner_texts()[0].startswith("himself")
    for seconds, word in ((0.7, "He"), (1.0, "<i>might</i>"), (3.0, "himself")):
        page.evaluate("seconds => { document.querySelector('audio').currentTime = seconds; }", seconds)
        current.filter(has_text=word).wait_for()
        at = page.evaluate("document.querySelector('.attn-player ol').style.getPropertyValue('--at')")
        assert float(at) == pytest.approx(seconds / 3.3, abs=0.01)
    assert current.count() == 1


def test_the_native_controls_play_on_past_a_moment(page):
    page.get_by_role("button", name="He").click()
    wait_until_it_stops(page)
    stopped = sound_now(page)
    page.evaluate("document.querySelector('audio').play()")
    until(page, f"a.currentTime > {stopped + 0.3}")
    assert not page.evaluate("document.querySelector('audio').paused")


@pytest.mark.parametrize("page", ["http"], indirect=True)  # axe may not fetch style sheets from a disk
def test_it_is_accessible_and_large_enough_to_touch(page):
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
        assert [(v["id"], [node["html"][:200] for node in v["nodes"]]) for v in found] == []
    for button in page.get_by_role("button").all():
        box = button.bounding_box()
        assert box["height"] >= 44 and box["width"] >= 44
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_missing_sound_is_said(browser, folder, tmp_path):
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    (tmp_path / "sense_and_sensibility.wav").unlink()
    page = browser.new_page()
    page.goto((tmp_path / "index.html").as_uri())
    assert page.get_by_role("alert").count() == 0
    page.get_by_role("button", name="He").click()
    page.get_by_role("alert").filter(has_text="cannot be loaded").wait_for()
    page.close()


def test_without_script_the_words_and_moments_can_be_read(browser, folder):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((folder / "index.html").as_uri())
    assert page.locator("audio[controls]").is_visible()
    assert page.locator("li").nth(2).inner_text().split() == ["himself", "2.60", "s"]
    assert page.get_by_role("button", name="He").is_disabled()
    context.close()


def test_the_server_sends_parts_of_a_sound(folder):
    whole = (folder / "sense_and_sensibility.wav").read_bytes()
    with serving(folder) as base:
        for given, status, part in (
            ("bytes=100-199", 206, whole[100:200]),
            ("bytes=105000-", 206, whole[105000:]),
            ("bytes=200-100", 200, whole),
            ("bytes=0-999999999", 200, whole),
            ("lines=1-2", 200, whole),
        ):
            connection = http.client.HTTPConnection(urlsplit(base).netloc, timeout=10)
            connection.request("GET", "/sense_and_sensibility.wav", headers={"Range": given})
            answer = connection.getresponse()
            assert (answer.status, answer.read()) == (status, part), given
            if status == 206:
                start = whole.index(part)
                assert (
                    answer.headers["Content-Range"] == f"bytes {start}-{start + len(part) - 1}/{len(whole)}"
                )
            connection.close()
