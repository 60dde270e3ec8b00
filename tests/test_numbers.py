"""How numbers are written: the same in an explorer, a figure and a table."""

import json
import re

import numpy as np
import pytest

from attnlib import figures
from attnlib._numbers import fixed, rounded, separator
from attnlib.explorer import Bars, Explorer
from attnlib.tables import table

NUMBERS = [0.0, -0.0, 0.0004, -0.0004, -0.0006, 1 / 3, 0.0005, 0.9995, 2483.732, -1234.5, 1e6, 1738.7765]


@pytest.mark.parametrize("step", [-1, 0, 1])
@pytest.mark.parametrize("number", [*NUMBERS, *(n / 16 for n in range(1, 16, 2))])
def test_explorer_figure_and_table_agree_to_the_last_bit(number, step):
    near = np.nextafter(number, number + step) if number else step * 1e-300
    text = fixed(near)
    assert text == fixed(number), "the last bit decides"
    chart = Bars(["a"], limit=(-2e6, 2e6))
    explorer = Explorer(lambda k: {"w": [near], "r": near}, chart, name="n", caption="", k=[1, 2])
    assert re.findall(r"<dd>(.*?)</dd>", explorer.html()) == [text]
    assert re.findall(r'<span class="attn-number">(.*?)</span>', explorer.html()) == [text]
    numbers = json.loads(re.search(r'"numbers":(\[.*?\])', explorer.html())[1])
    assert numbers == [round(1000 * rounded(number))] * 2
    assert f"a {text}. Largest: a {text}." in figures.bars([near], ["a"], caption="c", kind="score").alt
    assert table([{"n": near}]).rows == ((text,),)


def test_fixed():
    assert [fixed(n) for n in NUMBERS] == [
        *("0.000", "0.000", "0.000", "0.000", "−0.001", "0.333", "0.001", "1.000"),
        *("2,483.732", "−1,234.500", "1,000,000.000", "1,738.776"),
    ]
    assert [fixed(np.float32(-2.5), 0), fixed(7, 1), fixed(np.inf), fixed(np.nan)] == [
        "−2",
        "7.0",
        "inf",
        "nan",
    ]


def test_numbers_that_are_written_alike_lead_together():
    """In every place, whatever their last bits: what a picture calls the largest, and how a curve runs."""
    tie = np.array([1 / 16, np.nextafter(1 / 16, 1), 0.01])
    assert "Largest: a, b 0.062." in figures.bars(tie, list("abc"), caption="c").alt
    curve = figures.curves([1, 2, 3], {"y": tie[[1, 0, 2]]}, caption="c", x_title="x", y_title="y").alt
    assert "never rising" in curve


def test_years_have_no_commas():
    assert separator("year") == ""
    assert separator("income") == ","
