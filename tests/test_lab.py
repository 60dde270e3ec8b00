"""Explorers in JupyterLab, with a kernel: moves ask Python, scores can be edited, errors are sentences."""

import ast
import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import textwrap
import time
import urllib.request
from pathlib import Path

import nbformat
import pytest
from browser import open_browser, watch

from attnlib import softmax
from attnlib.explorer import Bars, stops

CHAPTER = Path(__file__).parent.parent / "chapters" / "transforms" / "temperature.ipynb"
SCORES = [2.0, 1.0, 0.1]
CELLS = [
    """
    from attnlib import softmax
    from attnlib.explorer import Bars, Explorer, stops
    calls = []

    def compute(temperature, scores):
        calls.append((temperature, list(scores)))
        if scores[2] > 5:
            raise ValueError("the third score is too large")
        p = softmax(scores, temperature=temperature)
        return {"weights": p, "largest": p.max()}
    """,
    """
    Explorer(compute, Bars(["animal", "street", "<b>it</b>"], [2.0, 1.0, 0.1]), name="live",
             caption="Three scores.", start={"temperature": 1.0}, temperature=stops(0.1, 10))
    """,
]


@pytest.fixture(scope="module")
def browser():
    with open_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """A JupyterLab of its own: address and folder; no settings of the user, no news, no extension."""
    home, root = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("notebooks")
    quiet = home / "@jupyterlab" / "apputils-extension" / "notification.jupyterlab-settings"
    quiet.parent.mkdir(parents=True)
    quiet.write_text('{"fetchNews": "false"}', "utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folders = ("CONFIG_DIR", "RUNTIME_DIR", "DATA_DIR")
    environment = os.environ | {f"JUPYTER_{name}": str(home / name) for name in folders}
    environment |= {
        "JUPYTERLAB_SETTINGS_DIR": str(home),
        "JUPYTERLAB_WORKSPACES_DIR": str(home),
        "PYTHONWARNINGS": "",
    }
    command = [sys.executable, "-m", "jupyter", "lab", "--no-browser", "--allow-root", f"--port={port}"]
    command += ["--ServerApp.port_retries=0", "--IdentityProvider.token=", f"--ServerApp.root_dir={root}"]
    command += [
        "--LabApp.expose_app_in_browser=True",
        "--LabApp.news_url=None",
        "--LabApp.extension_manager=readonly",
    ]
    command += ["--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
    with open(home / "log", "w+", encoding="utf-8") as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        address = f"http://127.0.0.1:{port}"
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            deadline = time.monotonic() + 60
            while True:
                assert process.poll() is None, Path(log.name).read_text("utf-8")
                with contextlib.suppress(OSError), direct.open(f"{address}/api/status", timeout=5):
                    break
                assert time.monotonic() < deadline, Path(log.name).read_text("utf-8")
                time.sleep(0.1)
            yield address, root
        finally:
            process.terminate()
            process.wait(30)


def open_notebook(browser, lab, path, **options):
    """Open a notebook, wait for its kernel, run it; the page and the list of what went wrong.

    It is run when the page has nothing else to do, as a reader would: anywidget allows two seconds from
    making a widget to having loaded its script, and afterwards keeps the kernel's answers from it.
    """
    address, root = lab
    page = browser.new_page(viewport={"width": 1200, "height": 1000}, **options)
    problems = watch(page, address, address.replace("http", "ws"), kinds=("error",))
    page.goto(f"{address}/lab/tree/{path.relative_to(root).as_posix()}?reset")
    page.wait_for_function("window.jupyterapp?.shell.currentWidget?.sessionContext !== undefined")
    page.evaluate(
        """async () => {
            const late = new Promise((_, no) => setTimeout(no, 90_000, new Error("not run in 90 s")));
            const run = async () => {
                await jupyterapp.restored;
                const {sessionContext, context} = jupyterapp.shell.currentWidget;
                await Promise.all([context.ready, sessionContext.ready]);
                await sessionContext.session.kernel.info;
                await new Promise(requestIdleCallback);
                await jupyterapp.commands.execute("notebook:run-all-cells");
            };
            await Promise.race([run(), late]);
        }"""
    )
    errors = page.locator("[data-mime-type='application/vnd.jupyter.error']").all_text_contents()
    assert errors == [], "the notebook failed"
    return page, problems


def python(page, expression):
    """Value of an expression in the notebook's kernel."""
    reply = page.evaluate(
        """async (code) => {
            const kernel = jupyterapp.shell.currentWidget.sessionContext.session.kernel;
            const request = {code: "import json", silent: true, user_expressions: {value: code}};
            const reply = await kernel.requestExecute(request).done;
            return reply.content.user_expressions.value.data["text/plain"];
        }""",
        f"json.dumps({expression})",
    )
    return json.loads(ast.literal_eval(reply))


def write_notebook(lab, name, sources):
    cells = [nbformat.v4.new_code_cell(textwrap.dedent(source).strip()) for source in sources]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    path = lab[1] / name
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel}), path)
    return path


@pytest.fixture(scope="module")
def notebook(lab):
    return write_notebook(lab, "live.ipynb", CELLS)


@pytest.fixture(scope="module")
def opened(browser, lab, notebook):
    page, problems = open_notebook(browser, lab, notebook)
    yield page, problems
    page.close()


@pytest.fixture
def live(opened):
    """The explorer at its start, in JupyterLab's command mode; afterwards nothing may have gone wrong."""
    page, problems = opened
    page.locator("fieldset:enabled").wait_for()
    page.locator(".jp-Notebook.jp-mod-commandMode").wait_for()
    page.get_by_role("button", name="Reset").press("Enter")
    shows(page, SCORES)
    yield page
    assert problems == []


def shows(page, scores, temperature=1.0):
    """Wait until the explorer shows softmax of these scores, all of it."""
    weights = softmax(scores, temperature=temperature)
    expected = [f"{value:.3f}" for value in weights]
    numbers = page.locator(".attn-weight .attn-number")
    for number, text in zip(numbers.all(), expected, strict=True):
        number.filter(has_text=text).wait_for()
    assert numbers.all_text_contents() == expected
    assert page.locator("dd").all_text_contents() == [f"{max(weights):.3f}"]


def score(page, index):
    return page.locator("input[type=number]").nth(index)


def last_call(page):
    temperature, scores = python(page, "calls[-1]")
    return temperature, scores


def test_every_step_of_the_slider_is_computed_in_python(live):
    slider = live.locator("input[type=range]")
    slider.press("Home")
    for step, temperature in enumerate(stops(0.1, 10)):
        if step:
            slider.press("ArrowRight")
        shows(live, SCORES, temperature)
        assert last_call(live) == (temperature, SCORES)
    assert slider.get_attribute("aria-valuetext") == "T = 10"


def test_typing_a_score_recomputes(live):
    score(live, 1).fill("2.75")
    shows(live, [2.0, 2.75, 0.1])
    assert last_call(live) == (1.0, [2.0, 2.75, 0.1])
    score(live, 1).fill("")
    score(live, 1).blur()
    assert score(live, 1).input_value() == "2.75"


def test_arrow_keys_change_a_score(live):
    score(live, 0).press("ArrowDown")
    shows(live, [1.9, 1.0, 0.1])
    score(live, 2).press("Shift+ArrowUp")
    shows(live, [1.9, 1.0, 1.1])


def test_dragging_a_bar_changes_its_score(live):
    box = live.locator(".attn-score .attn-bar").nth(1).bounding_box()
    middle = box["y"] + box["height"] / 2
    live.mouse.move(box["x"] + box["width"] / 2, middle)
    live.mouse.down()
    live.mouse.move(box["x"] + box["width"] * 0.7, middle, steps=5)
    live.mouse.move(box["x"] + box["width"] * 0.8, middle, steps=5)
    live.mouse.up()
    low, high = Bars(["a", "b", "c"], SCORES).score_limits
    dragged = float(score(live, 1).input_value())
    assert dragged == pytest.approx(low + 0.8 * (high - low), abs=0.011)
    shows(live, [2.0, dragged, 0.1])
    assert last_call(live) == (1.0, [2.0, dragged, 0.1])


def test_reset_brings_back_scores_and_controls(live):
    score(live, 0).fill("-1")
    live.locator("input[type=range]").press("End")
    shows(live, [-1.0, 1.0, 0.1], 10.0)
    live.get_by_role("button", name="Reset").click()
    shows(live, SCORES)
    assert score(live, 0).input_value() == "2.0"
    assert live.locator("input[type=range]").get_attribute("aria-valuetext") == "T = 1.0"


def test_an_error_in_compute_is_shown_as_a_sentence_and_goes_away(live):
    error = live.locator(".attn-error[role=alert]")
    score(live, 2).fill("5.5")
    error.filter(has_text="ValueError: the third score is too large").wait_for()
    score(live, 2).fill("0.5")
    error.wait_for(state="hidden")
    shows(live, [2.0, 1.0, 0.5])


def test_keys_in_a_control_are_not_commands_of_the_notebook(live):
    cells = live.locator(".jp-Notebook .jp-Cell").count()
    slider = live.locator("input[type=range]")
    for key in ("a", "b", "d", "d", "x"):
        slider.press(key)
    assert live.locator(".jp-Notebook .jp-Cell").count() == cells
    assert slider.evaluate("e => e === document.activeElement")


def test_a_second_view_follows(browser, lab, notebook):
    page, problems = open_notebook(browser, lab, notebook)
    page.evaluate(
        """async () => {
            jupyterapp.shell.currentWidget.content.activeCellIndex = 1;
            await jupyterapp.commands.execute("notebook:create-output-view");
        }"""
    )
    views = page.locator(".attn-explorer")
    views.nth(1).locator("fieldset:enabled").wait_for()
    views.nth(0).locator("input[type=range]").press("End")
    views.nth(0).locator("input[type=number]").first.fill("3.5")
    views.nth(1).locator(".attn-stop").filter(has_text="T = 10").wait_for()
    views.nth(1).locator("dd").filter(
        has_text=f"{max(softmax([3.5, 1, 0.1], temperature=10)):.3f}"
    ).wait_for()
    assert views.nth(1).locator("input[type=number]").first.input_value() == "3.5"
    page.close()
    assert problems == []


def test_a_finger_scrolls_up_and_down_and_drags_sideways(browser, lab, notebook):
    page, problems = open_notebook(browser, lab, notebook, has_touch=True)
    page.locator("fieldset:enabled").wait_for()
    page.set_viewport_size({"width": 1200, "height": 500})
    page.wait_for_function(
        """() => {
            const panel = document.querySelector(".jp-WindowedPanel-outer");
            panel.scrollTop = 120;
            return panel.scrollTop === 120;
        }"""
    )
    finger = page.context.new_cdp_session(page)

    def swipe(right, up):
        box = page.locator(".attn-score .attn-bar").first.bounding_box()
        x, y = box["x"] + box["width"] / 4, box["y"] + box["height"] / 2
        for step in range(8):
            kind = "touchMove" if step else "touchStart"
            point = {"x": x + right * step, "y": y - up * step}
            finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [point]})
        finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        return box

    calls = python(page, "len(calls)")
    before = swipe(right=0, up=-10)
    page.wait_for_function(
        "y => document.querySelector('.attn-bar').getBoundingClientRect().y > y", arg=before["y"]
    )
    assert score(page, 0).input_value() == "2.0"
    assert python(page, "len(calls)") == calls
    box = swipe(right=10, up=1)
    low, high = Bars(["a", "b", "c"], SCORES).score_limits
    dragged = float(score(page, 0).input_value())
    assert dragged == pytest.approx(low + (1 / 4 + 70 / box["width"]) * (high - low), abs=0.02)
    shows(page, [dragged, 1.0, 0.1])
    page.close()
    assert problems == []


def choose_theme(page, name):
    page.evaluate(
        "theme => jupyterapp.commands.execute('apputils:change-theme', {theme})", f"JupyterLab {name}"
    )
    is_light = str(name == "Light").lower()
    page.locator(f"body[data-jp-theme-light={is_light}]").wait_for(state="attached")


def test_it_can_be_read_on_the_dark_theme(live):
    choose_theme(live, "Dark")
    luminance = """selector => {
        const pixel = Object.assign(document.createElement("canvas"), {width: 1, height: 1}).getContext("2d");
        const style = getComputedStyle(document.querySelector(selector));
        pixel.fillStyle = style.getPropertyValue("PROPERTY").trim();
        pixel.fillRect(0, 0, 1, 1);
        const linear = [...pixel.getImageData(0, 0, 1, 1).data].slice(0, 3).map(c => c / 255)
            .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
    }"""
    paper = live.evaluate(luminance.replace("PROPERTY", "background-color"), ".jp-Notebook")
    least = {"tbody th": 4.5, "figcaption": 4.5, "dd": 4.5, ".attn-stop": 4.5, "input[type=number]": 4.5}
    least |= {".attn-weight .attn-bar": 3, ".attn-score .attn-bar": 3}
    for selector, contrast in least.items():
        of = "--weight" if selector.endswith("bar") else "color"
        light = live.evaluate(luminance.replace("PROPERTY", of), f".attn-explorer {selector}")
        assert (light + 0.05) / (paper + 0.05) >= contrast, selector


SHOWN = [
    """
    from attnlib import figures
    figures.bars([0.25, 0.75], ["cat", "dog"], caption="Two weights.")
    """,
    """
    from attnlib.tables import table
    table([{"map": "softmax", "says": "yes", "sum": 1.0}])
    """,
]


def test_figures_tables_and_formulae_look_as_on_the_site(browser, lab):
    path = write_notebook(lab, "shown.ipynb", SHOWN)
    notebook = nbformat.read(path, 4)
    text = "$$\np_i = e^{z_i} \\tag{softmax}\n$$\n\nBy [(softmax)](#softmax)."
    notebook.cells.append(nbformat.v4.new_markdown_cell(text))
    nbformat.write(notebook, path)
    page, problems = open_notebook(browser, lab, path)
    drawing = page.locator(".attn-drawing svg")
    drawing.wait_for()

    def colours(theme):
        """Those of the paper, which is that of the notebook, of the ink of a name and of a bar."""
        choose_theme(page, theme)
        page.wait_for_function(
            """() => getComputedStyle(document.querySelector('.attn-drawing rect')).fill
                === getComputedStyle(document.querySelector('.jp-Notebook')).backgroundColor"""
        )
        parts = (
            drawing.locator("rect"),
            drawing.get_by_text("dog", exact=True),
            drawing.locator("path[fill*=weight]").first,
        )
        return [part.evaluate("element => getComputedStyle(element).fill") for part in parts]

    light, dark = colours("Light"), colours("Dark")
    assert light[0] == "rgb(255, 255, 255)"
    assert all(one != other for one, other in zip(light, dark, strict=True))

    aligned = page.locator(".attn-table :is(th, td)").evaluate_all(
        "all => all.map(cell => [cell.textContent, getComputedStyle(cell).textAlign])"
    )
    assert aligned == [
        *(["map", "left"], ["says", "left"], ["sum", "right"]),
        *(["softmax", "left"], ["yes", "left"], ["1.000", "right"]),
    ]
    formula = page.locator(".jp-RenderedMarkdown mjx-container[display=true]")
    formula.wait_for()
    assert formula.locator("mjx-labels").count() == 1, "the name stands beside the formula"
    assert page.locator(".jp-RenderedMarkdown p").all_inner_texts()[-1] == "By (softmax)."
    assert "tag" not in page.locator(".jp-RenderedMarkdown").inner_text()
    page.close()
    assert problems == []


def test_a_chapter_runs_and_its_explorers_answer(browser, lab):
    shutil.copy(CHAPTER, lab[1])
    page, problems = open_notebook(browser, lab, lab[1] / CHAPTER.name)
    expected = CHAPTER.read_text("utf-8").count('"<attn-explorer id=')
    assert expected > 0
    explorers = page.locator(".attn-explorer:has(fieldset:enabled)")
    for index in range(expected):
        explorer = explorers.nth(index)
        explorer.wait_for()
        explorer.scroll_into_view_if_needed()
        explorer.locator("input[type=range]").first.press("ArrowLeft")
        explorer.locator("output").filter(has_text=":").wait_for()
        assert explorer.locator(".attn-error").is_hidden()
    page.close()
    assert problems == []


def test_a_player_plays_its_words(browser, lab):
    cell = """
    from attnlib import datasets
    from attnlib.player import Player
    Player(datasets.speech().file, ["He", "himself"], [[0.9, 0.1, 0], [0, 0.1, 0.9]], 1.1, name="heard",
           caption="Two words.")
    """
    path = write_notebook(lab, "player.ipynb", [cell])
    page, problems = open_notebook(browser, lab, path)
    word = page.locator(".attn-player:has(fieldset:enabled)").get_by_role("button", name="himself")
    word.focus()
    word.press("Enter")  # in command mode JupyterLab would take this key
    page.wait_for_function(
        "(a => a?.paused && a.played.length)(document.querySelector('.attn-player audio'))"
    )
    heard = page.evaluate("(a => [a.played.start(0), a.played.end(0)])(document.querySelector('audio'))")
    assert heard[0] == pytest.approx(1.9, abs=0.06) and heard[1] >= 2.5
    assert page.locator(".attn-player [aria-current=true]").inner_text().startswith("himself")
    page.close()
    assert problems == []
