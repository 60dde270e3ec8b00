"""The explorer in Python: what it computes, lists, embeds, and refuses."""

import json
import re
import subprocess
import sys

import numpy as np
import pytest

from attnlib import softmax
from attnlib.explorer import HERE, MAX_CURVES, Bars, Curves, Explorer, Heatmap, stops

LABELS = ["animal", "street", "it"]
SCORES = [2.0, 1.0, 0.1]


def weigh(temperature, scores):
    weights = softmax(scores, temperature=temperature)
    return {"weights": weights, "largest": weights.max()}


def three_bars(compute=weigh, chart=None, name="three", caption="Three scores.", **options):
    options.setdefault("temperature", [0.5, 1.0, 2.0])
    return Explorer(compute, chart or Bars(LABELS, SCORES), name=name, caption=caption, **options)


def embedded(explorer):
    """What the page's script reads."""
    return json.loads(re.search(r'<script type="application/json">(.*)</script>', explorer.html())[1])


def test_stops_are_the_preferred_numbers():
    decades = "0.1 0.13 0.16 0.2 0.25 0.32 0.4 0.5 0.63 0.79 1 1.3 1.6 2 2.5 3.2 4 5 6.3 7.9 10"
    assert stops(0.1, 10) == tuple(map(float, decades.split()))
    assert stops(1, 100, per_decade=1) == (1, 10, 100)
    assert stops(1, 1.1) == (1, 1.1)


@pytest.mark.parametrize("low, high", [(0, 1), (-1, 1), (2, 1), (1, 1), (1, np.inf), (np.nan, 1)])
def test_stops_need_a_positive_range(low, high):
    with pytest.raises(ValueError, match="0 < low < high"):
        stops(low, high)


def test_text_lists_every_state():
    assert repr(three_bars()) == (
        "Explorer three: weight of animal | street | it\n"
        "scores: 2.000 1.000 0.100\n"
        "T = 0.50: 0.864 0.117 0.019; largest 0.864\n"
        "T = 1.0: 0.659 0.242 0.099; largest 0.659\n"
        "T = 2.0: 0.502 0.304 0.194; largest 0.502"
    )


def test_text_lists_each_row_of_a_matrix_and_each_curve():
    matrix = Explorer(
        lambda factor: np.eye(2) / factor,
        Heatmap(["a", "b"], ["c", "d"]),
        name="matrix",
        caption="",
        factor=[1, 4],
    )
    assert matrix.text().splitlines()[1:] == [
        *("factor = 1:", "  1.000 0.000", "  0.000 1.000"),
        *("factor = 4:", "  0.250 0.000", "  0.000 0.250"),
    ]
    curve = Explorer(
        lambda power: np.array([0.0, 0.5, 1.0]) ** power,
        Curves([0, 0.5, 1], "x to the power", "x", "y"),
        name="curve",
        caption="",
        power=[1, 2],
    )
    assert curve.text().splitlines()[1:] == ["power = 1: 0.000 0.500 1.000", "power = 2: 0.000 0.250 1.000"]


def many(change=0.0):
    def compute(temperature, shift):
        at = temperature == 0.5 and shift == 3
        weights = softmax(np.array(SCORES) + shift, temperature=temperature)
        weights[2] += change * at
        return weights

    return three_bars(compute, Bars(LABELS), temperature=stops(0.1, 10), shift=range(6))


def test_of_many_columns_some_names_are_only_read_aloud():
    def names(count):
        html = Heatmap(["a"], [f"c{i}" for i in range(count)]).html([[0.0] * count])
        return re.findall(r'<th scope="col"(?: class="(attn-unseen)")?><bdi>(\w+)</bdi>', html)

    assert [unseen for unseen, _ in names(24)] == [""] * 24
    assert [name for unseen, name in names(42) if not unseen] == [f"c{i}" for i in range(0, 42, 4)]
    assert [name for _, name in names(42)] == [f"c{i}" for i in range(42)]


def test_a_signed_map_goes_from_minus_its_limit_to_its_limit():
    chart = Heatmap(["a"], ["b", "c", "d", "e"], limit=0.5, signed=True)
    signed = Explorer(
        lambda sign: [[0.5 * sign, -0.1, 0, 0.1]], chart, name="signed", caption="", sign=[-1, 1]
    )
    html = signed.html()
    places = [float(p) for p in re.findall(r"background-position-x:([\d.]+)%", html)]
    assert places == [100, 40, 50, 60]
    assert re.findall(r"<td[^>]*>", html.replace("attn-depth-2", "deep"))[0].endswith('class="deep">')
    assert html.count('class="attn-negative"') == 1
    assert 'aria-label="query by key, from −0.5 to 0.5"' in html
    assert embedded(signed)["limits"] == [-0.5, 0.5]
    plain = Explorer(lambda sign: [[0.5]], Heatmap(["a"], ["b"]), name="plain", caption="", sign=[-1, 1])
    assert "negativeDepths" not in embedded(plain)
    assert "attn-signed" not in plain.html()


def test_a_large_grid_is_listed_by_ends_middle_and_a_digest_of_every_number():
    lines = many().text().splitlines()
    assert [line.split(":")[0] for line in lines[1:-1]] == [
        *("T = 0.10, shift = 0", "T = 1.0, shift = 3", "T = 10, shift = 5")
    ]
    assert re.fullmatch(r"126 states, 378 numbers, sha256 [0-9a-f]{16}", lines[-1])
    changed = many(change=0.001).text().splitlines()
    assert changed[:-1] == lines[:-1]
    assert changed[-1] != lines[-1]


def test_output_is_the_same_each_time():
    assert three_bars().html() == three_bars().html()
    assert many().text() == many().text()


@pytest.mark.parametrize("step", [-1, 0, 1])
def test_a_tie_does_not_depend_on_the_last_bit(step):
    tie = 1 / 16
    value = np.nextafter(tie, tie + step)
    explorer = three_bars(lambda temperature: [value, 0, 0], Bars(LABELS))
    assert embedded(explorer)["grid"] == [62, 0, 0] * 3


def test_numbers_from_a_thousand_on_have_commas_but_for_what_is_typed():
    def compute(factor, scores):
        return {"w": factor * scores, "whole": 1000 * factor, "part": -1234.5 * factor}

    chart = Bars(["a", "b"], [1234.5, -2000.0], limit=(-6000, 6000))
    explorer = Explorer(compute, chart, name="thousands", caption="", factor=[1, 2])
    assert explorer.text().splitlines()[1:] == [
        "scores: 1,234.500 -2,000.000",
        "factor = 1: 1,234.500 -2,000.000; whole 1,000; part -1,234.500",
        "factor = 2: 2,469.000 -4,000.000; whole 2,000; part -2,469.000",
    ]
    assert embedded(explorer)["numbers"] == [2_469_000, -4_000_000, 2_000_000, -2_469_000]
    page, live = explorer.html(), explorer._inside(live=True)
    assert re.findall(r'<span class="attn-number">(.*?)</span>', page) == [
        "1,234.5", "2,469.000", "−2,000.0", "−4,000.000",
    ]  # fmt: skip
    assert re.findall(r"<dd[^>]*>(.*?)</dd>", page) == ["2,000", "−2,469.000"]
    assert re.findall(r'value="([-\d.,]+)"[^>]*aria-label="score', live) == ["1234.5", "-2000.0"]


def test_a_style_for_every_curve_that_may_be_drawn():
    css = (HERE / "explorer.css").read_text(encoding="utf-8")
    assert set(re.findall(r"attn-line-(\d)", css)) == {str(n + 1) for n in range(MAX_CURVES)}


@pytest.mark.parametrize("value", [2, 2.0, np.float32(2), np.int8(2), np.array(2), np.array(2.0)])
def test_any_kind_of_number_is_a_read_out(value):
    explorer = three_bars(lambda temperature: {"w": [1, 0, 0], "two": value}, Bars(LABELS))
    assert explorer.text().endswith("; two 2" if "int" in str(np.asarray(value).dtype) else "; two 2.000")


def test_the_page_gets_every_number_and_the_start_as_it_is_shown():
    explorer = three_bars(start={"temperature": 2.0}, temperature=stops(0.1, 10))
    data = embedded(explorer)
    expected = [
        [*softmax(SCORES, temperature=t), max(softmax(SCORES, temperature=t))] for t in stops(0.1, 10)
    ]
    np.testing.assert_allclose(np.reshape(data["grid"], (21, 4)) / 1000, expected, atol=0.00051, rtol=0)
    shown = re.findall(r'<span class="attn-number">(.*?)</span>', explorer.html())
    assert shown == ["2.0", "0.502", "1.0", "0.304", "0.1", "0.194"]
    assert data["numbers"] == [502, 304, 194, 502]
    assert 'aria-valuetext="T = 2.0"' in explorer.html()


def test_a_slider_starts_in_the_middle_and_a_menu_at_its_first_text():
    explorer = three_bars(lambda temperature, kind: [1, 0, 0], Bars(LABELS), kind=["softmax", "linear"])
    assert [
        control.words(index) for control, index in zip(explorer.controls, explorer.start, strict=True)
    ] == [*("softmax", "T = 1.0")]


def test_any_text_is_only_text():
    labels = ["</script><b>", '$x$ & "y"', "##ing"]
    kinds = ["<i>", "</script>"]
    explorer = three_bars(lambda temperature, kind: [1, 0, 0], Bars(labels), caption="a < b", kind=kinds)
    text = explorer.html()
    assert text.count("</script>") == 1
    assert "<b>" not in text
    assert "<i>" not in text
    assert "&lt;i&gt;" in text
    assert "a &lt; b" in text
    assert embedded(explorer)["controls"][0] == {"words": kinds}


def test_repeated_labels_are_separate_bars():
    explorer = three_bars(lambda temperature: [0.5, 0.3, 0.2], Bars(["the", "cat", "the"]))
    assert re.findall(r"<bdi>(.*?)</bdi>", explorer.html()) == ["the", "cat", "the"]


def test_compute_cannot_change_the_scores():
    def spoil(temperature, scores):
        weights = softmax(scores, temperature=temperature)
        scores[:] = 0
        return weights

    assert three_bars(spoil).text().splitlines()[2:] == [
        *("T = 0.50: 0.864 0.117 0.019", "T = 1.0: 0.659 0.242 0.099", "T = 2.0: 0.502 0.304 0.194")
    ]


def test_curve_names_stand_apart_in_the_order_of_their_ends():
    chart = Curves([0, 1], ["a", "b", "c"], "x", "y")
    heights = chart.extra([[0, 0.5], [0, 0.51], [0, 1.0]])
    assert heights[0] < heights[1] < heights[2] <= 1
    assert np.diff(heights).min() >= 0.085 - 1e-9
    crowded = chart.extra([[0, 1.0], [0, 1.0], [0, 0.99]])
    assert crowded[2] < crowded[0] < crowded[1] == 1.0


@pytest.mark.parametrize(
    "make, sentence",
    [
        (
            lambda: three_bars(temperature=range(1, 51), other=range(50)),
            "explorer 'three' has 2,500 states, 500 over the 2,000 allowed",
        ),
        (
            lambda: Explorer(
                lambda step: np.full((40, 40), 0.123),
                Heatmap(["a"] * 40, ["b"] * 40),
                name="big",
                caption="",
                step=range(30),
            ),
            r"explorer 'big' takes [\d,]+ bytes, [\d,]+ over the 102,400 \(100 KB\) allowed",
        ),
        (
            lambda: three_bars(lambda temperature, scores: [1, 0, 0] if temperature < 2 else [1, 0]),
            r"compute returned shape \(2,\) at T = 2.0, but the chart shows \(3,\)",
        ),
        (
            lambda: three_bars(lambda temperature, scores: [1, 0, np.nan if temperature == 1 else 0]),
            "compute returned nan at T = 1.0: every number must be finite",
        ),
        (
            lambda: three_bars(lambda temperature, scores: [np.inf, 0, 0]),
            "compute returned inf at T = 0.50: every number must be finite",
        ),
        (
            lambda: three_bars(lambda temperature, scores: [1, 0, 0.6 * temperature]),
            "compute returned 1.2 at T = 2.0, outside the chart's scale 0 to 1",
        ),
        (
            lambda: three_bars(lambda temperature, scores: {"w": [1, 0, 0], "entropy": np.nan}),
            "compute returned nan as 'entropy' at T = 0.50: a read-out is one finite number",
        ),
        (
            lambda: three_bars(lambda temperature, scores: {"w": [1, 0, 0], "best": "it"}),
            "compute returned 'it' as 'best' at T = 0.50: a read-out is one finite number",
        ),
        (
            lambda: three_bars(lambda temperature, scores: {"w": [1, 0, 0], "best": None}),
            "compute returned None as 'best' at T = 0.50: a read-out is one finite number",
        ),
        (
            lambda: three_bars(lambda temperature, scores: {"w": [1, 0, 0], "best": [1.0]}),
            r"compute returned \[1.0\] as 'best' at T = 0.50: a read-out is one finite number",
        ),
        (
            lambda: three_bars(lambda temperature, scores: ["a", "b", "c"]),
            r"compute returned \['a', 'b', 'c'\] at T = 0.50, but the chart shows an array of numbers",
        ),
        (
            lambda: three_bars(lambda temperature, scores: [1, [2, 3], 4]),
            r"compute returned \[1, \[2, 3\], 4\] at T = 0.50, but the chart shows an array of numbers",
        ),
        (
            lambda: three_bars(lambda temperature, scores: {}),
            "compute returned an empty dict at T = 0.50: its first item is what is drawn",
        ),
        (
            lambda: three_bars(lambda temperature, scores: {"w": [1, 0, 0], f"at {temperature}": 1}),
            r"compute returned the read-outs \['at 1.0'\] at T = 1.0, but \['at 0.5'\] before",
        ),
        (lambda: three_bars(start={"temprature": 1.0}), "start names 'temprature', which is not a control"),
        (
            lambda: three_bars(start={"temperature": 3}),
            r"'temperature' is 3, which is not a stop; stops: \(0.5, 1.0",
        ),
        (lambda: three_bars(temperature=[1.0, 1.0]), "control 'temperature' holds 1.0 more than once"),
        (lambda: three_bars(temperature=[]), "control 'temperature' needs two stops or more, got 0"),
        (lambda: three_bars(temperature=[1.0]), "control 'temperature' needs two stops or more, got 1"),
        (
            lambda: three_bars(temperature=[1.0, np.inf]),
            "control 'temperature' holds inf: stops must be finite",
        ),
        (
            lambda: three_bars(temperature=[np.nan, 1.0]),
            "control 'temperature' holds nan: stops must be finite",
        ),
        (lambda: three_bars(temperature=[2.0, 1.0]), "control 'temperature' must increase"),
        (
            lambda: three_bars(name="Three bars"),
            "name must be lower-case words joined by hyphens.*'Three bars'",
        ),
        (lambda: Explorer(weigh, Bars(LABELS), name="none", caption=""), "explorer 'none' has no control"),
        (lambda: Bars(LABELS, [1.0, 2.0]), r"Bars has 3 labels but scores of shape \(2,\)"),
        (lambda: Bars(LABELS, [1.0, 2.0, -np.inf]), "Bars scores must be finite"),
        (lambda: Bars("animal"), "Bars labels must be a sequence of one or more texts, got 'animal'"),
        (lambda: Bars([]), "Bars labels must be a sequence of one or more texts"),
        (lambda: Bars(LABELS, limit=0), "Bars limit must be a positive number"),
        (lambda: Bars(LABELS, limit=(1, 2)), "leaves out 0"),
        (lambda: Heatmap(["a"], ["b"], limit=(-1, 1)), "Heatmap limit must be one positive number"),
        (
            lambda: Explorer(
                lambda step: [[-0.5 * step]],
                Heatmap(["a"], ["b"], signed=True),
                name="s",
                caption="",
                step=[1, 3],
            ),
            "compute returned -1.5 at step = 3, outside the chart's scale -1 to 1",
        ),
        (lambda: Curves([1, 1], ["a"], "x", "y"), "Curves x must increase"),
        (
            lambda: Curves([0, 1], list("abcde"), "x", "y"),
            "5 curves are too many for one picture; draw at most 4",
        ),
        (lambda: Curves([0, 1], ["a"], "x", "y", log_x=True), "all positive with log_x"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence(make, sentence):
    with pytest.raises(ValueError, match=sentence):
        make()


@pytest.mark.parametrize(
    "stops_, sentence", [("abc", "must be a sequence"), (3, "must be a sequence"), ([1, "a"], "only")]
)
def test_a_control_of_another_type_is_refused(stops_, sentence):
    with pytest.raises(TypeError, match=sentence):
        three_bars(temperature=stops_)


def test_without_a_kernel_there_is_text_and_html_and_no_widget_library():
    code = (
        "import sys\n"
        "from attnlib.explorer import Bars, Explorer\n"
        "e = Explorer(lambda step: [step / 2], Bars(['a']), name='one', caption='', step=[1, 2])\n"
        "data, metadata = e._repr_mimebundle_()\n"
        "assert data == {'text/plain': repr(e), 'text/html': e.html()} and metadata == {}\n"
        "assert not {'anywidget', 'ipywidgets', 'matplotlib', 'IPython'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


def test_with_a_kernel_the_bundle_holds_all_three(monkeypatch):
    monkeypatch.setattr("attnlib.explorer._has_kernel", lambda: True)
    explorer = three_bars()
    data, _ = explorer._repr_mimebundle_()
    assert set(data) == {"text/plain", "text/html", "application/vnd.jupyter.widget-view+json"}
    assert data["text/plain"] == repr(explorer)


def test_the_widget_answers_requests():
    widget = three_bars().widget
    widget.request = {"serial": 1, "state": [2], "scores": []}
    assert widget.answer == {"serial": 1, "numbers": [502, 304, 194, 502]}
    widget.request = {"serial": 2, "state": [1], "scores": [None, 2.0, None]}
    first, _, last = softmax([2.0, 2.0, 0.1])
    assert widget.answer["numbers"] == [round(1000 * n) for n in (first, first, last, first)]
    widget.request = {"serial": 3, "state": [1], "scores": [None, None, None]}
    assert widget.answer["numbers"] == [659, 242, 99, 659]


def test_the_widget_answers_an_error_with_a_sentence():
    def fails(temperature, scores):
        if scores[0] > 5:
            raise ZeroDivisionError("no room for a score over 5")
        return [1, 0, 0] if scores[0] > 0 else [np.nan, 0, 0]

    widget = three_bars(fails).widget
    widget.request = {"serial": 1, "state": [0], "scores": [6.0, None, None]}
    assert widget.answer == {"serial": 1, "error": "ZeroDivisionError: no room for a score over 5"}
    widget.request = {"serial": 2, "state": [0], "scores": [-1.0, None, None]}
    assert widget.answer["error"].startswith("ValueError: compute returned nan at T = 0.50")
    widget.request = {"serial": 3, "state": [0], "scores": [None, None, None]}
    assert widget.answer["numbers"] == [1000, 0, 0]


def test_a_read_out_that_counts_at_every_stop_is_a_whole_number():
    def compute(temperature):
        weights = softmax(SCORES, temperature=temperature)
        return {"weights": weights, "kept": (weights > 0.1).sum(), "some": 1 if temperature > 1 else 0.5}

    lines = three_bars(compute, Bars(LABELS)).text().splitlines()
    assert [line.partition("; ")[2] for line in lines[1:]] == [
        "kept 2; some 0.500",
        "kept 2; some 0.500",
        "kept 3; some 1.000",
    ]
