"""Pictures are right, the same everywhere, and say in words what they show."""

import functools
import logging
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest

from attnlib import _drawing, datasets, figures
from attnlib._numbers import fixed
from attnlib.figures import bars, curves, heatmap

SVG = "{http://www.w3.org/2000/svg}"
BLUE, GREY, GREEN = "var(--attn-weight, #0072b2)", "var(--attn-score, #7a7f87)", "var(--attn-value, #009e73)"
WARN = "var(--attn-warn, #d55e00)"
ODD = [
    "café",
    "注意力",
    "$x$",
    "##ing",
    "[CLS]",
    "<b>&",
    "ध्यान",
    "انتباه",
    "\\frac",
    "$",
    "@0",
    "a\x00b",
    "😀",
    "",
]


def texts(figure, **attributes):
    """Return ``[(text, x, y)]`` of the texts that have the attributes."""
    return [
        (e.text, float(e.get("x")), float(e.get("y")))
        for e in ElementTree.fromstring(figure.svg).iter(f"{SVG}text")
        if all(e.get(name.replace("_", "-")) == value for name, value in attributes.items())
    ]


def words(figure):
    return [text for text, _, _ in texts(figure)]


def shapes(figure, **attributes):
    """Return the outlines that have the attributes, each as an array of its points."""
    found = []
    for e in ElementTree.fromstring(figure.svg).iter(f"{SVG}path"):
        if all(e.get(name.replace("_", "-")) == value for name, value in attributes.items()):
            found.append(points(e.get("d")))
    return found


def strikes(figure):
    """Return the strokes in the colour of the paper, which strike cells through."""
    return shapes(figure, fill="none", stroke="var(--attn-paper, #ffffff)")


def points(outline):
    """Return the points of an outline made of M, L, H, V and z."""
    x = y = 0.0
    places = []
    for command, numbers in re.findall(r"([MLHV])([^MLHVz]*)", outline):
        values = [float(number) for number in numbers.split()]
        x = values[0] if command != "V" else x
        y = values[-1] if command != "H" else y
        places.append((x, y))
    return np.array(places)


def softmax(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def a_curve(**options):
    x = np.geomspace(0.1, 10, 21)
    given = {"caption": "A curve.", "x_title": "T", "y_title": "entropy", "log_x": True}
    return curves(x, {"one": np.log(x) + 3, "two": 3 - np.log(x) / 2}, **(given | options))


NAMES = ("bars", "panels", "heatmap", "small", "curves", "odd")


@functools.cache
def some(name):
    return some_figures()[name]


def some_figures():
    head = softmax(datasets.attention("coref_tired").head(3, 1))
    tokens = datasets.attention("coref_tired").tokens
    return {
        "bars": bars(head[10], tokens, caption="Where it looks."),
        "panels": bars({"a": [0.1, 0.9], "b": [0.5, 0.5]}, ["x", "y"], caption="Two panels."),
        "heatmap": heatmap(head, tokens, tokens, caption="A head."),
        "small": heatmap(np.eye(2), "ab", "ab", caption="The identity."),
        "curves": a_curve(mark={1: "T = 1"}, points={"dots": ([0.5, 5], [1, 2])}),
        "odd": bars(np.arange(len(ODD)), ODD, caption="Odd: $x$ <b> & 注意力.", kind="value"),
    }


# --- every figure --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_svg_is_plain(name):
    figure = some(name)
    root = ElementTree.fromstring(figure.svg)
    assert root.tag == f"{SVG}svg"
    # shapes and texts and nothing else: no raster image, script, style sheet, metadata or definitions
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {"svg", "rect", "path", "text"}
    # no id that could clash with another figure's, no reference, no date
    assert not re.search(r"\bid=|href|url\(|20\d\d-\d\d|matplotlib", figure.svg)
    allowed = set(figures.COLOURS.values())
    for element in root.iter():
        for attribute in ("fill", "stroke"):
            colour = element.get(attribute, "none")
            assert colour == "none" or re.fullmatch(r"var\(--attn-\w+, (#\w{6})\)", colour)[1] in allowed
    assert "nan" not in figure.svg and "None" not in figure.svg


@pytest.mark.parametrize("name", NAMES)
def test_caption_stands_under_the_drawing_and_can_be_cut_off(name):
    figure = some(name)
    root = ElementTree.fromstring(figure.svg)
    left, top, width, height = map(float, root.get("viewBox").split())
    plain = float(root.get("data-plain-height"))
    assert (float(root.get("width")), float(root.get("height"))) == (width, height)
    lines = texts(figure, **{"class": "attn-caption"})
    assert " ".join(line for line, _, _ in lines) == figure.caption.replace("  ", " ")
    assert all(top + plain < y < top + height for _, _, y in lines)
    rest = set(texts(figure)) - set(lines)
    assert rest and all(top < y < top + plain for _, _, y in rest)
    for outline in shapes(figure):
        if not np.array_equal(outline[0], [0, 0]) and abs(outline).max() > 8:  # a marker has its own origin
            assert (outline >= [left, top]).all() and (outline <= [left + width, top + plain]).all()


@pytest.mark.parametrize("name", NAMES)
def test_notebook_gets_drawing_and_words(name):
    figure = some(name)
    bundle = figure._repr_mimebundle_(include=None, exclude=None)
    assert list(bundle) == ["text/html", "image/svg+xml", "text/plain"]
    assert (bundle["image/svg+xml"], bundle["text/plain"]) == (figure.svg, figure.alt)
    assert bundle["text/html"].count(figure.svg) == 1
    assert figure.alt.splitlines()[0] == figure.caption and repr(figure) == figure.alt
    root = ElementTree.fromstring(figure.svg)
    assert root.get("role") == "img"
    assert root.get("aria-label").replace("\ufffd", "\x00") == figure.alt.replace("\n", " ")


def test_a_dark_notebook_has_the_colours_of_its_explorers():
    """The page of the site names its colours; JupyterLab names ink and paper, and whether it is dark."""
    css = Path(figures.__file__).with_name("explorer.css").read_text("utf-8")
    (dark,) = re.findall(r'\[data-jp-theme-light="false"\] \.attn-explorer \{(.*?)\}', css, re.S)
    named = dict(re.findall(r"--(\w+): (#\w+);", dark))
    assert named and named.items() <= _drawing.DARK.items()
    assert {*_drawing.DARK, "black"} == {*_drawing.COLOURS}
    html = some("bars")._repr_mimebundle_()["text/html"]
    assert all(f"--attn-{name}:{colour};" in html for name, colour in named.items())


def test_same_bytes_twice_and_in_a_fresh_process():
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import test_figures as t; "
        "sys.stdout.buffer.write('\\n'.join(f.svg + f.alt for f in t.some_figures().values()).encode())"
    )
    folder = __file__.rpartition("/")[0]
    fresh = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, folder], capture_output=True, check=True
    )
    assert fresh.stderr == b""
    first = "\n".join(some(name).svg + some(name).alt for name in NAMES)
    again = "\n".join(figure.svg + figure.alt for figure in some_figures().values())
    assert first.encode() == again.encode() == fresh.stdout


def test_matplotlib_is_left_as_it_was_and_user_styles_change_nothing():
    plain, before = {name: some(name) for name in NAMES}, dict(matplotlib.rcParams)
    with matplotlib.rc_context():
        matplotlib.rcParams.update(
            {"font.size": 30, "axes.grid": True, "svg.fonttype": "path", "text.usetex": True}
        )
        styled = dict(matplotlib.rcParams)
        assert some_figures() == plain
        with pytest.raises(ValueError):
            bars([1, 2], ["a"], caption="Wrong.")
        assert dict(matplotlib.rcParams) == styled
    assert dict(matplotlib.rcParams) == before


def test_attnlib_loads_no_matplotlib_and_figures_no_pyplot():
    code = "import sys, attnlib; a = 'matplotlib' in sys.modules; from attnlib.figures import bars; "
    code += "bars([1], ['a'], caption='One.'); print(a, 'matplotlib.pyplot' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False False"


@pytest.mark.parametrize("text", ODD)
def test_any_token_text_is_drawn_as_it_is(text, caplog, recwarn):
    drawn = text.replace("\x00", "\ufffd")
    with caplog.at_level(logging.DEBUG):
        pictures = [
            bars([1, 0], [text, "b"], caption=f"Token {text}."),
            heatmap(np.eye(2), [text, "b"], [text, "b"], caption=f"Token {text}.", row_title=text),
            curves(
                [0, 1],
                {f"c {text}": [0, 1]},
                caption=f"Token {text}.",
                x_title=text,
                y_title=text,
                mark={0.5: text},
            ),
        ]
    assert not recwarn.list
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]
    for figure in pictures:
        assert text == "" or any(drawn.split()[0] in word for word in words(figure))
        assert text in figure.alt


def test_numbers_never_print_a_negative_zero_or_the_last_binary_digit():
    assert [fixed(v) for v in (-0.0001, -0.0, 0.0, -0.0006, 1 / 3, -2)] == [
        "0.000", "0.000", "0.000", "−0.001", "0.333", "−2.000",
    ]  # fmt: skip
    head = softmax(datasets.attention("coref_tired").head(3, 1))
    third = np.full((3, 3), 1 / 3)
    for wobble in (1 - 1e-14, 1 + 1e-14):
        rough = 1 + (wobble - 1) * np.resize([1, -1, 1], (16, 16))
        assert (
            heatmap(head * rough, range(16), range(16), caption="x").alt
            == heatmap(head, range(16), range(16), caption="x").alt
        )
        assert bars(third[0] * rough[0, :3], "abc", caption="x").alt == bars(third[0], "abc", caption="x").alt
        x = np.geomspace(0.1, 10, 41)
        one, two = np.tanh(x), np.ones(41)
        given = {"caption": "x", "x_title": "x", "y_title": "y"}
        assert (
            curves(x, {"a": one * np.resize(rough, 41), "b": two}, **given).alt
            == curves(x, {"a": one, "b": two}, **given).alt
        )


# --- bars ----------------------------------------------------------------------------------------------


def test_bars_have_the_length_of_their_numbers():
    figure = bars([0.25, 0.5, 1], ["a", "b", "c"], caption="Three.")
    lengths = np.array([np.ptp(outline[:, 0]) for outline in shapes(figure, fill=BLUE)])
    np.testing.assert_allclose(lengths / lengths[-1], [0.25, 0.5, 1], atol=1e-3)
    assert [w for w in words(figure) if len(w) == 5] == ["0.250", "0.500", "1.000"]
    assert words(figure).count("weight") == 1


def test_repeated_tokens_make_as_many_bars():
    figure = bars([0.2, 0.5, 0.3], ["the", "cat", "the"], caption="Three bars.")
    outlines = shapes(figure, fill=BLUE)
    assert len(outlines) == 3 and words(figure).count("the") == 2
    middles = [outline[:, 1].mean() for outline in outlines]
    places = [y for text, _, y in texts(figure) if text in ("the", "cat")]
    numbers = [next(y for text, _, y in texts(figure) if text == n) for n in ("0.200", "0.500", "0.300")]
    for labels in (places, numbers):  # each label stands at its bar (the baseline is some 4 units lower)
        np.testing.assert_allclose(np.array(labels) - middles, 4, atol=2)
    assert figure.alt.endswith("the 0.200, cat 0.500, the (2nd) 0.300. Largest: cat 0.500.")


def test_panels_share_one_scale():
    figure = bars({"tired": [0.8, 0.2], "wide": [0.4, 0.6]}, ["animal", "street"], caption="Pair.")
    lengths = [np.ptp(outline[:, 0]) for outline in shapes(figure, fill=BLUE)]
    np.testing.assert_allclose(np.array(lengths) / lengths[0], [1, 0.25, 0.5, 0.75], atol=2e-3)
    assert figure.alt == (
        "Pair.\n"
        "Bar chart, weight from 0 to 1, 2 panels on one scale.\n"
        "tired, 2 bars: animal 0.800, street 0.200. Largest: animal 0.800.\n"
        "wide, 2 bars: animal 0.400, street 0.600. Largest: street 0.600."
    )
    assert {"tired", "wide"} <= set(words(figure))


def test_panels_may_have_labels_of_their_own():
    pair = [datasets.attention(name) for name in ("coref_tired", "coref_wide")]
    weights = {t.name: softmax(t.head(3, 1))[10] for t in pair}
    figure = bars(weights, {t.name: t.tokens for t in pair}, caption="The pair.")
    assert words(figure).count("tired") == words(figure).count("wide") == 1
    assert "animal 0.677" in figure.alt and "animal 0.281" in figure.alt
    assert "Largest: animal 0.677." in figure.alt and "Largest: [CLS] 0.326." in figure.alt


def test_uniform_bars_name_no_largest_and_ties_name_all():
    assert bars([1 / 3] * 3, "abc", caption="x").alt.endswith("Largest: all 0.333.")
    assert bars([0.4, 0.4, 0.2], "abc", caption="x").alt.endswith("Largest: a, b 0.400.")
    assert bars([1] * 5 + [0], "abcdef", caption="x").alt.endswith("Largest: a, b, c and 2 more 1.000.")
    assert bars([0.5], "a", caption="x").alt.endswith("1 bar.\na 0.500. Largest: a 0.500.")
    assert not texts(bars([1 / 3] * 3, "abc", caption="x"), font_weight="600")


def test_scores_are_grey_and_negative_ones_go_left():
    figure = bars([3.83, -1.5], ["animal", "t"], caption="Scores.", title="score", kind="score")
    right, left = shapes(figure, fill=GREY)
    zero = right[:, 0].min()
    assert left[:, 0].max() == zero
    np.testing.assert_allclose((zero - left[:, 0].min()) / (right[:, 0].max() - zero), 1.5 / 3.83, atol=1e-3)
    assert "score from −1.5 to 4" in figure.alt and "t −1.500" in figure.alt and "−1.500" in words(figure)
    assert len(shapes(bars([1], "a", caption="x", kind="value"), fill=GREEN)) == 1


@pytest.mark.parametrize(
    "values, limit, kind, ends",
    [
        ([0.2, 0.3], None, "weight", "0 to 1"),
        ([0.2, 0.3], 0.5, "weight", "0 to 0.5"),
        ([0.2, 1.7], None, "weight", "0 to 2"),
        ([0, 0], None, "value", "0 to 1"),
        ([-986, 917], None, "value", "−1,000 to 1,000"),
        ([-3, -1], None, "score", "−3 to 0"),
        ([-1, 2], 4, "score", "−4 to 4"),
        ([4e-9, 2e-9], None, "score", "0 to 4·10⁻⁹"),
    ],
)
def test_scale_of_bars(values, limit, kind, ends):
    assert f" from {ends}, " in bars(values, "ab", caption="x", limit=limit, kind=kind).alt


# --- heat maps -----------------------------------------------------------------------------------------


def test_heat_map_has_whole_rows_in_order():
    """The limits are (n − 0.5, −0.5): the first row on top, the last as high as the others."""
    weights = np.array([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3]])
    figure = heatmap(weights, ["r1", "r2", "r3"], ["c1", "c2"], caption="Three rows.")
    cells = {}
    for value in weights.ravel():
        (cells[value],) = shapes(figure, fill=BLUE, fill_opacity=f"{value:g}")
    heights = [np.ptp(cell[:, 1]) for cell in cells.values()]
    widths = [np.ptp(cell[:, 0]) for cell in cells.values()]
    assert np.ptp(heights) < 0.05 and np.ptp(widths) < 0.05 and min(heights) > 20
    middle = {value: cell.mean(axis=0) for value, cell in cells.items()}
    assert middle[0.9][1] < middle[0.8][1] < middle[0.7][1] and middle[0.9][0] < middle[0.1][0]
    where = {text: (x, y) for text, x, y in texts(figure)}
    for row, value in (("r1", 0.9), ("r2", 0.8), ("r3", 0.7)):
        assert abs(where[row][1] - middle[value][1] - 4) < 2
    for column, value in (("c1", 0.9), ("c2", 0.1)):
        assert abs(where[column][0] - middle[value][0]) < 0.6
    assert {"query", "key", "weight"} <= set(where)


def test_a_signed_map_tells_below_zero_by_colour_and_without_it():
    jacobian = [[0.25, -0.25, 0], [-0.1, 0.2, -0.1]]
    figure = heatmap(jacobian, "ab", "cde", caption="Push.", limit=0.25, signed=True)
    assert figure.alt.splitlines()[1:3] == [
        "Heat map, weight from −0.25 to 0.25, 2 rows (query) by 3 columns (key).",
        "a: c 0.250, d −0.250, e 0.000.",
    ]
    corners = [[len(shape) for shape in shapes(figure, fill=fill)] for fill in (BLUE, WARN)]
    assert corners == [[4, 4, 4, 4], [8, 4, 4, 4]], "two of each scale last; before them, two cells hold −0.1"
    assert len(shapes(figure, fill=WARN, fill_opacity="0.4")) == 1
    assert {"−0.250", "−0.100", "0.200"} <= set(words(figure))
    assert [word for word in words(figure) if word in ("−0.25", "−0.125", "0", "0.125", "0.25")] == [
        *("−0.25", "−0.125", "0", "0.125", "0.25")
    ]
    assert strikes(figure) == [], "where numbers are written they carry the sign"

    wide = np.where(np.eye(30), 0.5, -0.1)
    many = heatmap(wide, range(30), range(30), caption="Many.", limit=0.5, signed=True)
    (struck, *swatches) = strikes(many)
    assert len(struck) == 2 * 30 * 29
    assert len(swatches) == 2
    assert [line for line in many.alt.splitlines() if line.startswith("0:")] == ["0: 0 0.500."]


def test_a_signed_map_without_negative_numbers_looks_as_any_other_but_for_its_scale():
    plain, signed = (
        heatmap(np.eye(2), "ab", "ab", caption="Same.", signed=signed) for signed in (False, True)
    )
    assert signed.alt == plain.alt.replace("from 0 to 1", "from −1 to 1")
    assert len(plain.svg.splitlines()) == len(signed.svg.splitlines())


def test_twelve_labels_on_twelve_columns_all_shown_none_shifted():
    labels = [f"token{i}" for i in range(12)]
    figure = heatmap(np.eye(12), labels, labels, caption="Twelve.")
    assert all(words(figure).count(label) == 2 for label in labels)
    (cells,) = (s for s in shapes(figure, fill=BLUE) if len(s) == 12 * 4)
    middles = cells.reshape(12, 4, 2).mean(axis=1)
    root = ElementTree.fromstring(figure.svg)
    turned = [
        e for e in root.iter(f"{SVG}text") if "rotate(-90" in e.get("transform", "") and e.text in labels
    ]
    assert [e.text for e in turned] == labels
    # a turned label's baseline runs some 4 units right of the middle of its column
    np.testing.assert_allclose([float(e.get("x")) - 4 for e in turned], middles[:, 0], atol=2)
    rows = [y for text, _, y in texts(figure, text_anchor="end") if text in labels]
    np.testing.assert_allclose(np.array(rows) - 4, middles[:, 1], atol=2)


def test_constant_map_is_drawn_as_one_third():
    figure = heatmap(np.full((3, 3), 1 / 3), "abc", "abc", caption="Constant.")
    (cells,) = shapes(figure, fill=BLUE, fill_opacity="0.333")
    assert len(cells) == 9 * 4
    assert words(figure).count("0.333") == 9
    scale = [w for w in words(figure) if w in ("0", "0.25", "0.5", "0.75", "1")]
    assert scale == ["0", "0.25", "0.5", "0.75", "1"]
    assert "a: a 0.333, b 0.333, c 0.333." in figure.alt
    assert "Heat map, weight from 0 to 1, 3 rows (query) by 3 columns (key)." in figure.alt


def test_panels_share_one_colour_scale():
    panels = {"T = 1": np.full((2, 2), 0.2), "T = 2": np.full((2, 2), 0.4)}
    figure = heatmap(panels, "ab", "ab", caption="Two maps.", limit=None)
    assert (
        len(shapes(figure, fill=BLUE, fill_opacity="0.5")) == 2
    )  # the cells of T = 1, and a step of the scale
    assert (
        "weight from 0 to 0.4, 2 panels on one scale.\nT = 1, 2 rows (query) by 2 columns (key)."
        in figure.alt
    )
    assert words(figure).count("0.200") == 4 and words(figure).count("query") == 2


def test_large_map_names_the_largest_of_each_row():
    text = datasets.attention("coref_tired")
    figure = heatmap(softmax(text.head(3, 1)), text.tokens, text.tokens, caption="Head 3.1.")
    assert "Heat map, weight from 0 to 1, 16 rows (query) by 16 columns (key)." in figure.alt
    lines = figure.alt.splitlines()
    assert lines[2] == "Largest weight of each row:" and len(lines) == 3 + 16
    assert "it: animal 0.677." in lines and "the (2nd): [CLS] 0.754." in lines
    assert "0.677" not in words(figure)
    uniform = heatmap(np.full((9, 9), 1 / 9), range(9), range(9), caption="x").alt
    assert uniform.endswith("8: all 0.111.")


def test_labels_without_room_are_thinned_evenly_and_stay_in_place():
    n = 52
    names = [f"{i}" for i in range(n)]
    figure = heatmap(np.eye(n), names, names, caption="Many.")
    columns = [int(text) for text, _, _ in texts(figure) if text.isdigit()]
    assert (
        columns[:3] == [0, 2, 4] and columns.count(50) == 2 and columns.count(1) <= 1
    )  # a 1 is on the scale
    assert len(figure.svg) < 60_000


def test_numbers_of_columns_without_room_are_thinned_to_round_ones_and_stay_in_place():
    speech = datasets.speech()
    wide = heatmap(softmax(speech.scores[6]), speech.writes, np.arange(165) * 0.02, caption="Speech.",
                   row_title="word", column_title="time (s)", limit=None)  # fmt: skip
    assert "13 rows (word) by 165 columns (time (s))" in wide.alt and " himself: 2.56 0.0" in wide.alt
    assert len(wide.svg) < 60_000
    where = {t: x for t, x, _ in texts(wide, text_anchor="middle") if re.fullmatch(r"[\d.]+", t)}
    assert list(where) == ["0", "0.5", "1", "1.5", "2", "2.5", "3"]
    edge = max(shapes(wide, fill="none"), key=lambda outline: np.ptp(outline[:, 0]))
    left, cell = edge[:, 0].min(), np.ptp(edge[:, 0]) / 165
    np.testing.assert_allclose(list(where.values()), left + cell * (np.arange(0, 151, 25) + 0.5), atol=0.1)
    uneven = heatmap(np.eye(40), range(40), np.geomspace(1, 1e6, 40), caption="Uneven.")
    assert "rotate(-90" in uneven.svg, "no axis of round numbers: every label stands for its column alone"


def test_names_of_rows_are_drawn_in_full_beside_as_many_columns_as_there_are():
    rows = ["softmax", "sigmoid_attention", "length_normalization"]
    figure = heatmap(np.eye(3, 16), rows, range(16), caption="Three maps.", row_title="map")
    assert set(rows) <= set(words(figure))
    ends = {text: x for text, x, _ in texts(figure, text_anchor="end") if text in rows}
    assert all(x - figures.text_width(text) >= 18 for text, x in ends.items()), (
        "clear of the title of the rows"
    )


@pytest.mark.parametrize(
    ("panels", "rows", "columns"),
    [
        (4, "YYYYMMDD", ["<s>", "sunday", ",", "december", *"3031029"]),
        (2, "a" * 16, ["[CLS]"] * 16),
        (7, ["because"] * 6, ["because"] * 6),
        (3, ["Y1"] * 8, ["december"] * 7),
    ],
)
def test_a_heat_map_fits_on_a_page_of_print(panels, rows, columns):
    maps = {f"map {i}": np.full((len(rows), len(columns)), 0.5) for i in range(panels)}
    figure = heatmap(maps, rows, columns, caption="Tall.")
    height = float(ElementTree.fromstring(figure.svg).get("data-plain-height"))
    assert height <= 860
    lines = sorted({y for text, _, y in texts(figure, text_anchor="end") if text == rows[0]})
    assert np.diff(lines).min() >= 12.4, "every label of a row can be read"


@pytest.mark.parametrize("draw", [bars, heatmap])
def test_names_of_panels_stay_above_their_panel(draw):
    names = ["length_normalization", "weights of a patch of the coat on the others", "short", "one more name"]
    shape = (6, 6) if draw is heatmap else 6
    labels = ["abcdef"] * (2 if draw is heatmap else 1)
    figure = draw(dict.fromkeys(names, np.full(shape, 0.1)), *labels, caption="Four panels.")
    lines = texts(figure, font_weight="600")
    assert "".join(t for t, *_ in lines).replace(" ", "") == "".join(names).replace(" ", "")
    lefts = sorted({x for _, x, _ in lines})
    assert len(lefts) > 1
    for text, x, y in lines:
        right = min([left for left in lefts if left > x], default=figures.WIDTH + 8)
        assert x + 1.07 * figures.text_width(text) < right
        below = [v for u, h, v in texts(figure) if v > y and abs(h - x) < 200]
        assert min(below) - y > 15, "nothing is written over it"


def test_an_axis_has_one_notation():
    given = {"caption": "x", "x_title": "T", "y_title": "y", "log_x": True}
    figure = curves([0.1, 1e5], {"y": [0, 34359.738]}, **given)
    assert [w for w in words(figure) if re.fullmatch(r"[\d.,]+", w)] == [
        *("0.1", "10", "1,000", "100,000"),  # every other power of ten: there is no room for more
        *("0", "10,000", "20,000", "30,000"),
    ]
    assert "y from 0 to 36,000 against T from 0.1 to 100,000 on a logarithmic scale" in figure.alt
    assert figure.alt.endswith("(0.1, 0.000), (100000, 34359.738); rising throughout.")
    tiny = curves([1e-8, 1], {"y": [0, 1]}, **given)
    assert [w for w in words(tiny) if "10" in w or w == "1"][:2] == ["10⁻⁸", "10⁻⁷"]
    assert "y from 0 to 1 against T from 10⁻⁸ to 1 on a logarithmic scale" in tiny.alt
    years = curves([1871, 1970], {"flow": [1120, 740]}, **(given | {"x_title": "year", "log_x": False}))
    assert {"1880", "1960", "1,000"} <= set(words(years)) and "from 1871 to 1970" in years.alt


def test_numbers_in_cells_can_be_read_on_every_blue():
    figure = heatmap([[0.1, 0.9]], "r", "ab", caption="x")
    light, deep = (
        next(e for e in ElementTree.fromstring(figure.svg).iter(f"{SVG}text") if e.text == n)
        for n in ("0.100", "0.900")
    )
    assert "--attn-ink" in light.get("fill") and "--attn-paper" in light.get("stroke")
    assert "--attn-paper" in deep.get("fill") and "--attn-weight" in deep.get("stroke")
    assert light.get("paint-order") == "stroke"


# --- curves --------------------------------------------------------------------------------------------


def test_curve_passes_through_its_points():
    figure = curves([0, 1, 2], {"y": [0, 4, 1]}, caption="x", x_title="x", y_title="y")
    outline = next(s for s in shapes(figure, stroke=BLUE) if len(s) == 3)
    np.testing.assert_allclose(np.diff(outline[:, 0]), np.diff(outline[:, 0])[0], atol=0.02)
    np.testing.assert_allclose(
        (outline[0, 1] - outline[:, 1]) / (outline[0, 1] - outline[1, 1]), [0, 1, 0.25], atol=1e-3
    )
    assert figure.alt.endswith("y (3 values): (0, 0.000), (1, 4.000), (2, 1.000).")


def test_logarithmic_axis_spaces_a_geometric_series_evenly():
    figure = a_curve(mark={1: "T = 1"})
    outline = next(s for s in shapes(figure, stroke=BLUE) if len(s) == 21)
    np.testing.assert_allclose(np.diff(outline[:, 0]), np.ptp(outline[:, 0]) / 20, atol=0.02)
    assert [w for w in words(figure) if re.fullmatch(r"[\d.]+", w)][:7] == [
        "0.1",
        "0.2",
        "0.5",
        "1",
        "2",
        "5",
        "10",
    ]
    rule = next(x for text, x, _ in texts(figure) if text == "T = 1")
    assert abs(rule - outline[10, 0]) < 0.05


def test_alt_text_of_curves():
    assert a_curve(mark={1: "T = 1"}).alt == (
        "A curve.\n"
        "Line chart, entropy from 0 to 6 against T from 0.1 to 10 on a logarithmic scale.\n"
        "one (21 values): from 0.697 at 0.1 to 5.303 at 10; rising throughout; "
        "on the way 1.849 at 0.316, 3.000 at 1, 4.151 at 3.16.\n"
        "two (21 values): from 4.151 at 0.1 to 1.849 at 10; falling throughout; "
        "on the way 3.576 at 0.316, 3.000 at 1, 2.424 at 3.16.\n"
        "one and two cross near 1.\n"
        "At the mark T = 1 (1): one 3.000, two 3.000."
    )
    x = np.linspace(-2, 2, 41)
    figure = curves(x, {"dip": x**2, "flat": np.full(41, 2)}, caption="x", x_title="x", y_title="y")
    assert (
        "dip (41 values): from 4.000 at −2 to 4.000 at 2; lowest 0.000 at 0, highest 4.000 at −2"
        in figure.alt
    )
    assert "flat (41 values): 2.000 throughout." in figure.alt
    assert "dip and flat cross near −1.4 and 1.4." in figure.alt
    steps = {"up": np.floor(x), "down": -np.floor(x)}
    figure = curves(x, steps, caption="x", x_title="x", y_title="y")
    assert "from −2.000 at −2 to 2.000 at 2; never falling" in figure.alt
    assert "from 2.000 at −2 to −2.000 at 2; never rising" in figure.alt
    wide = curves([1, 200], {"a": [0, 2], "b": [1, 1]}, caption="x", x_title="x", y_title="y")
    assert "a and b cross near 100." in wide.alt
    at_zero = curves(x, {"a": x + 1e-16, "b": -x}, caption="x", x_title="x", y_title="y")
    assert "a and b cross near 0." in at_zero.alt, "the last binary digit is chance"


def test_labels_at_the_ends_do_not_overlap_and_stay_on_the_sheet():
    x = np.linspace(0, 1, 5)
    lines = {"first": x, "second curve with a long name": x * 0.999, "third": x * 1.001, "fourth": x * 1.002}
    figure = curves(x, lines, caption="x", x_title="x", y_title="y")
    right = max(x for _, x, _ in texts(figure))
    labels = sorted(y for _, x, y in texts(figure) if x == right)
    assert len(labels) >= 5 and np.diff(labels).min() >= 15.9
    root = ElementTree.fromstring(figure.svg)
    left, top, width, _ = map(float, root.get("viewBox").split())
    assert top + 8 < labels[0] and labels[-1] < top + float(root.get("data-plain-height"))
    assert all(x + figures.text_width(t) < left + width for t, x, _ in texts(figure) if x == right)


@pytest.mark.parametrize("places", [[0, 0, 0], [200, 200, 199], [5, 100, 102], [190, 10, 11], [50, 60, 70]])
def test_spreading_keeps_order_distance_and_sheet(places):
    named = dict(zip("abc", places, strict=True))
    spread = figures._spread(named, dict.fromkeys("abc", 18), 209)
    values = [spread[name] for name in sorted(named, key=named.get)]
    assert (np.diff(values) >= 18 - 1e-9).all() and values[0] >= 9 and values[-1] <= 200


def test_colour_is_not_the_only_cue():
    x = np.linspace(0, 1, 5)
    lines = {name: x * k for k, name in enumerate("abcd", 1)}
    dots = {}
    figure = curves(x, lines, caption="x", x_title="x", y_title="y", points=dots)
    root = ElementTree.fromstring(figure.svg)
    drawn = [e for e in root.iter(f"{SVG}path") if len(points(e.get("d"))) == 5]
    assert len({e.get("stroke") for e in drawn}) == len({e.get("stroke-dasharray") for e in drawn}) == 4
    dots = {name: ([0.1, 0.9], [k, k]) for k, name in enumerate("abcd")}
    root = ElementTree.fromstring(curves(x, {}, caption="x", x_title="x", y_title="y", points=dots).svg)
    markers = [e for e in root.iter(f"{SVG}path") if "translate" in e.get("transform", "")]
    assert len(markers) == 4 * 3  # two points and the sample beside the name
    assert len({e.get("d") for e in markers}) == len({e.get("fill") for e in markers}) == 4


def test_reliability_diagram():
    confidence, right = [0.95, 0.35, 0.65], [0.9, 0.3, 0.5]
    look = {
        "kinds": {"perfect": "muted"},
        "limits": (0, 1),
        "x_title": "confidence",
        "y_title": "share right",
    }
    dots = {"T = 1": (confidence, right)}
    figure = curves([0, 1], {"perfect": [0, 1]}, caption="Reliability.", points=dots, **look)
    assert figure.alt == (
        "Reliability.\n"
        "Line chart, share right from 0 to 1 against confidence from 0 to 1.\n"
        "perfect (2 values): (0, 0.000), (1, 1.000); rising throughout.\n"
        "T = 1 (3 points): (0.35, 0.300), (0.65, 0.500), (0.95, 0.900)."
    )
    root = ElementTree.fromstring(figure.svg)
    diagonal = next(
        e
        for e in root.iter(f"{SVG}path")
        if "--attn-muted" in e.get("stroke", "") and e.get("stroke-dasharray")
    )
    (x0, y0), (x1, y1) = points(diagonal.get("d"))
    moves = [e.get("transform") for e in root.iter(f"{SVG}path") if "translate" in e.get("transform", "")]
    spots = np.array([re.findall(r"[\d.]+", move) for move in moves], float)[:3]
    np.testing.assert_allclose((spots[:, 0] - x0) / (x1 - x0), [0.35, 0.65, 0.95], atol=1e-3)
    np.testing.assert_allclose((spots[:, 1] - y0) / (y1 - y0), [0.3, 0.5, 0.9], atol=1e-3)


def test_kinds_give_colours_their_meaning():
    figure = a_curve(kinds={"one": "score"})
    assert len([s for s in shapes(figure, stroke=GREY) if len(s) == 21]) == 1
    assert (
        len([s for s in shapes(figure, stroke=BLUE) if len(s) == 21]) == 1
    )  # the other takes the first free one


@pytest.mark.parametrize(
    "y, limits, ends",
    [
        ([0.1, 0.9], None, "0 to 1"),
        ([0.39, 0.43], None, "0.39 to 0.43"),
        ([-1, 3], None, "−1 to 3"),
        ([2, 2], None, "1.4 to 2.6"),
        ([0.2, 0.4], (0, 1), "0 to 1"),
        ([456, 1370], None, "0 to 1,500"),
        ([0, 1.58], None, "0 to 1.6"),
    ],
)
def test_y_axis(y, limits, ends):
    figure = curves([0, 1], {"y": y}, caption="x", x_title="x", y_title="y", limits=limits)
    assert f"Line chart, y from {ends} against" in figure.alt


def test_labels_of_close_rules_stand_above_each_other():
    figure = a_curve(mark={1: "T = 1", 1.36: "fitted T", 9.9: "near the end"})
    where = {text: (x, y) for text, x, y in texts(figure)}
    assert where["fitted T"][1] <= where["T = 1"][1] - 18
    root = ElementTree.fromstring(figure.svg)
    last = next(e for e in root.iter(f"{SVG}text") if e.text == "near the end")
    assert last.get("text-anchor") == "end"


# --- what is refused, in sentences ---------------------------------------------------------------------

OPTIONS = {"caption": "x", "x_title": "x", "y_title": "y"}


@pytest.mark.parametrize(
    "draw, sentence",
    [
        (
            lambda: bars([1, 2], ["a"], caption="x"),
            "labels has 1 entry, but weights has 2 entries along that axis.",
        ),
        (lambda: bars([[1, 2]], ["a"], caption="x"), "weights has shape (1, 2); expected (n,)"),
        (lambda: bars([], [], caption="x"), "weights has shape (0,); expected (n,) with at least one entry."),
        (lambda: bars([1, np.nan], "ab", caption="x"), "weights holds nan at (1,); only finite numbers"),
        (lambda: bars({"p": [np.inf]}, "a", caption="x"), "weights['p'] holds inf at (0,)"),
        (lambda: bars({}, "a", caption="x"), "weights is an empty dict; give at least one panel."),
        (
            lambda: bars([0.7], "a", caption="x", limit=0.5),
            "limit=0.5 is smaller than the largest weight, 0.7.",
        ),
        (lambda: bars([0.7], "a", caption="x", limit=-1), "limit=-1 must be a positive number."),
        (lambda: bars([1], "a", caption="x", kind="blue"), "kind='blue' is unknown; choose \"weight\""),
        (lambda: bars([1], "a", caption=" "), "caption=' ' must be a text that says what the picture shows."),
        (
            lambda: bars({"p": [1]}, {"q": "a"}, caption="x"),
            "labels has the panels 'q', but weights has 'p'.",
        ),
        (lambda: heatmap([1, 2], "a", "ab", caption="x"), "weights has shape (2,); expected (rows, columns)"),
        (
            lambda: heatmap(np.eye(2), "abc", "ab", caption="x"),
            "rows has 3 entries, but weights has 2 entries",
        ),
        (
            lambda: heatmap(np.eye(2), "ab", "a", caption="x"),
            "columns has 1 entry, but weights has 2 entries",
        ),
        (
            lambda: heatmap([[-0.5]], "a", "a", caption="x"),
            "weights holds -0.5; a heat map shows numbers from 0",
        ),
        (lambda: heatmap([[2]], "a", "a", caption="x"), "limit=1.0 is smaller than the largest weight, 2."),
        (
            lambda: heatmap([[-2]], "a", "a", caption="x", signed=True),
            "limit=1.0 is smaller than the largest weight, 2.",
        ),
        (lambda: curves([1, 0], {"y": [1, 2]}, **OPTIONS), "x must hold two or more numbers that rise"),
        (lambda: curves([0, 1], {"y": [1]}, **OPTIONS), "lines['y'] has 1 entry, but x has 2."),
        (lambda: curves([0, 1], {}, **OPTIONS), 'lines must be a dict {"name": array, ...}'),
        (lambda: curves([0, 1], [1, 2], **OPTIONS), 'lines must be a dict {"name": array, ...}'),
        (lambda: curves([0, 1], {"y": [1, 2]}, log_x=True, **OPTIONS), "x holds 0; a logarithmic axis needs"),
        (
            lambda: curves([0, 1], {"y": [1, 2]}, mark={3: "m"}, **OPTIONS),
            "mark=3 lies outside of x, which goes from 0",
        ),
        (
            lambda: curves([0, 1], {"y": [1, 2]}, limits=(0, 1), **OPTIONS),
            "limits=(0, 1) leave out data, which go",
        ),
        (
            lambda: curves([0, 1], {"y": [1, 2]}, limits=(1, 0), **OPTIONS),
            "limits=(1, 0) must be two numbers",
        ),
        (
            lambda: curves([0, 1], {"y": [1, 2]}, kinds={"z": "ink"}, **OPTIONS),
            "kinds names 'z', which is not drawn",
        ),
        (
            lambda: curves([0, 1], {"y": [1, 2]}, kinds={"y": "red"}, **OPTIONS),
            "kinds['y']='red' is unknown; choose",
        ),
        (
            lambda: curves([0, 1], {c: [1, 2] for c in "abcde"}, **OPTIONS),
            "5 series are too many for one picture",
        ),
        (lambda: curves([0, 1], {}, points={"p": ([1], [1, 2])}, **OPTIONS), "points['p'] has 1 x but 2 y."),
        (
            lambda: curves([0, 1], {"p": [0, 1]}, points={"p": ([1], [1])}, **OPTIONS),
            "'p' names both a curve and",
        ),
    ],
)
def test_errors_are_sentences(draw, sentence):
    with pytest.raises(ValueError) as caught:
        draw()
    assert sentence in str(caught.value)


def test_numbers_of_the_wrong_kind_are_type_errors():
    for wrong in ([1j], ["a"], [None]):
        with pytest.raises(TypeError, match="weights must hold real numbers, not"):
            bars(wrong, "a", caption="x")


def test_arguments_are_not_written_to():
    weights = np.array([[0.5, 0.5], [1, 0]])
    x, y = np.array([0.0, 1.0]), np.array([0.0, 1.0])
    for array in (weights, x, y):
        array.setflags(write=False)
    assert heatmap(weights, "ab", "ab", caption="x") and bars(weights[0], "ab", caption="x")
    assert curves(x, {"y": y}, points={"p": (x, y)}, **OPTIONS)
