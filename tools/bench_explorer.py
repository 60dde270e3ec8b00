"""Print how long an explorer takes from the move of a control to the painted frame.

    python tools/bench_explorer.py [PAGE.html ...]

Opens each built page (default: every page under _build/html that holds an explorer) in Chromium, once at
full speed and once with the CPU slowed 4 times, motion allowed. Drags every slider through every stop there
and back, chooses every item of every menu, and prints per explorer the median and the 95th percentile of the
time from the input event to the end of the frame that shows it. What a page pays before anything is touched
(running the script, upgrading its elements) is printed too. Each round begins with a slider alone on an empty
page, which moves nothing: what remains when the book does nothing at all. All times are wall-clock: run it
with nothing else going on.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from browser import open_browser

RATES = (1, 4)
PHONE = {"width": 412, "height": 900}
BARE = '<div><input type="range" max="40" value="0" style="width: 300px"></div>'
MEASURE = """() => {
    window.moves = [];
    // A task posted from the frame's animation callback runs after that frame's style, layout and paint.
    const channel = new MessageChannel();
    let began = null;
    channel.port1.onmessage = () => { moves.push(performance.now() - began); began = null; };
    addEventListener("input", () => {
        if (began !== null) return;
        began = performance.now();
        requestAnimationFrame(() => channel.port2.postMessage(0));
    }, true);
}"""


def percentile(values, share):
    """Value that `share` of the values do not exceed."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def measure(page, element):
    """Times from move to paint in milliseconds, over every stop of every control of one explorer."""
    page.evaluate("moves.length = 0")
    for slider in element.query_selector_all("input[type=range]"):
        last = int(slider.get_attribute("max"))
        box, thumb = slider.bounding_box(), 18
        middle = box["y"] + box["height"] / 2
        places = [box["x"] + thumb / 2 + (box["width"] - thumb) * stop / last for stop in range(last + 1)]
        page.mouse.move(places[0], middle)
        page.mouse.down()
        for place in (*places, *reversed(places)):
            page.mouse.move(place, middle)
            page.wait_for_timeout(40)
        page.mouse.up()
    for menu in element.query_selector_all("select"):
        for option in (*menu.query_selector_all("option"), *reversed(menu.query_selector_all("option"))):
            menu.select_option(option.text_content())
            page.wait_for_timeout(40)
    return page.evaluate("moves")


def start_cost(page, address, rate):
    """Milliseconds of script that explorers cost a page before they are touched, from a trace.

    Counted are the tasks that compile and run the script and call its functions, by the processor time of
    their thread where the browser gives it: a busy machine does not add to it, a slowed one does.
    """
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": rate})
    page.context.browser.start_tracing(page=page, categories=["devtools.timeline", "v8"])
    page.goto(address)
    page.wait_for_load_state()
    events = json.loads(page.context.browser.stop_tracing())["traceEvents"]
    spent = 0
    for event in events:
        data = event.get("args", {}).get("data", {})
        own = "explorer.js" in data.get("url", data.get("fileName", ""))
        if own and event["name"] in ("EvaluateScript", "FunctionCall"):  # compiling is part of the former
            spent += event.get("tdur", event.get("dur", 0))
    return spent / 1000


def main(paths):
    """Measure the explorers of each page."""
    root = Path("_build/html")
    pages = [Path(path) for path in paths] or [
        path for path in sorted(root.rglob("*.html")) if "<attn-explorer" in path.read_text("utf-8")
    ]
    with open_browser() as browser:
        for rate in RATES:
            print(
                f"CPU slowed {rate} times: move to paint in milliseconds (goal: 95th percentile at most 16)"
            )
            measure_bare(browser, rate)
            for path in pages:
                measure_page(browser, path, rate)


def show(name, times):
    """Print the line of one explorer."""
    median, most = percentile(times, 0.5), percentile(times, 0.95)
    print(f"  {name:24}{len(times):4} moves   median {median:5.1f}   95 % {most:5.1f}", flush=True)


def measure_bare(browser, rate):
    """Print how fast a slider answers that has neither a page around it nor anything to move."""
    page = browser.new_page(viewport=PHONE)
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": rate})
    page.set_content(BARE)
    page.evaluate(MEASURE)
    show("a slider alone", measure(page, page.query_selector("div")))
    page.close()


def measure_page(browser, path, rate):
    """Print what one page costs at the start, and how fast each of its explorers answers."""
    page = browser.new_page(viewport=PHONE)
    cost = start_cost(page, path.resolve().as_uri(), rate)
    print(f"{path}: {cost:.2f} ms of script before the first touch (goal: under 1)")
    page.evaluate(MEASURE)
    for element in page.query_selector_all("attn-explorer"):
        element.scroll_into_view_if_needed()
        show(element.get_attribute("id").removeprefix("explorer-"), measure(page, element))
    page.close()


if __name__ == "__main__":
    main(sys.argv[1:])
