"""Tables: three decimals, one row per dictionary, the same numbers in text and in HTML."""

import re
from html import unescape

import numpy as np
import pytest

from attnlib.source import show_source
from attnlib.tables import table

ROWS = [
    {"map": "softmax <T>", "top": np.float32(0.66666), "kept": 3, "row": np.array([0.5, -0.0])},
    {"map": "linear", "top": -0.0001, "kept": 12, "row": np.array([1.0, 0.0])},
]


def test_text():
    assert repr(table(ROWS)).splitlines() == [
        "map            top  kept          row",
        "softmax <T>  0.667     3  0.500 0.000",
        "linear       0.000    12  1.000 0.000",
    ]


def test_html_holds_the_same_cells_escaped():
    html = table(ROWS)._repr_html_()
    cells = [unescape(cell) for cell in re.findall(r">([^<]+)</t[hd]>", html)]
    header = ["map", "top", "kept", "row"]
    first = ["softmax <T>", "0.667", "3", "0.500\u20020.000"]
    assert cells == [*header, *first, "linear", "0.000", "12", "1.000\u20020.000"]
    assert html.count('scope="col"') == 4
    assert html.count('scope="row"') == 2
    assert html.count('style="text-align:left"') == 3, "the names: JupyterLab would set them to the right"


def test_only_columns_of_numbers_stand_to_the_right():
    assert table(ROWS).numeric == (False, True, True, True)
    assert table([{"a": 1}, {"a": "one"}]).numeric == (False,)


def test_digits():
    assert repr(table([{"a": 0.126, "b": np.array([-0.004])}], digits=2)).splitlines()[1] == "0.13  0.00"


def test_thousands_have_commas():
    assert repr(table([{"a": 34359.738, "b": np.float32(-2049.5), "year": 1970}])).splitlines()[1] == (
        "34,359.738  −2,049.500  1970"
    )


def test_numbers_have_a_true_minus_and_names_keep_their_hyphen():
    row = {"k": np.array([-0.25, 0.0]), "n": -3, "m": np.int64(-3), "x": -0.5, "day": "2024-05-03"}
    minus = {"k": "−0.25 0.00", "n": "−3", "m": "−3", "x": "−0.50", "day": "2024-05-03"}
    assert table([row], digits=2).rows == (tuple(minus.values()),)
    html = table([row], digits=2)._repr_html_()
    assert "−0.25\u20020.00</th>" in html
    assert "2024-05-03</td>" in html


def test_an_array_without_axes_is_a_number():
    assert table([{"a": np.array(0.5), "b": np.array(3)}]).rows == (("0.500", "3"),)


def test_a_row_of_numbers_in_the_first_column_is_not_bold():
    vector, number = (table([{"z": z, "n": 1}])._repr_html_() for z in (np.array([0.5, 0.5]), 0.5))
    assert '<th scope="row" class="attn-number" style="font-weight:400">0.500\u20020.500</th>' in vector
    assert '<th scope="row" class="attn-number">0.500</th>' in number


@pytest.mark.parametrize(
    ("rows", "message"),
    [([], "at least one row"), ([{"a": 1}, {"b": 1}], "row 1 has"), ([{"": 1}], "needs a name")],
)
def test_errors(rows, message):
    with pytest.raises(ValueError, match=message):
        table(rows)


def shown(x):
    """Say nothing of this."""
    return x + 1  # a comment stays


def bare(x):
    return x


def test_source_without_docstring(capsys):
    show_source(shown, bare)
    expected = "def shown(x):\n    return x + 1  # a comment stays\n\n\ndef bare(x):\n    return x\n"
    assert capsys.readouterr().out == expected
