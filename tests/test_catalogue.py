"""The catalogue: complete, and each fact tested both ways."""

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import attnlib
from attnlib import CATALOGUE, FACTS

entries = pytest.mark.parametrize("entry", CATALOGUE, ids=lambda entry: entry.name)
rows = arrays(np.float64, st.integers(2, 6), elements=st.integers(-40, 40).map(lambda i: i / 8))
NOISE = np.array([0.3, -0.2, 1.1, 0.0, -0.7, 0.4])

# for each fact: does it hold at this row? (x scores, f the map)
HOLDS = {
    "sums to one": lambda f, x: abs(f(x).sum() - 1) < 1e-12,
    "within [0, 1]": lambda f, x: ((f(x) >= 0) & (f(x) <= 1)).all(),
    "non-negative": lambda f, x: (f(x) >= 0).all(),
    "shift invariant": lambda f, x: np.allclose(f(x + 3), f(x), rtol=1e-9, atol=1e-12),
    "scale invariant": lambda f, x: np.allclose(f(2 * x), f(x), rtol=1e-9, atol=1e-12),
    "order preserving": lambda f, x: (np.diff(f(x)[np.argsort(x, kind="stable")]) >= -1e-15).all(),
    "no exact zero": lambda f, x: (f(x) != 0).all(),
    "smooth everywhere": lambda f, x: smooth(f, x),
}
# rows at which a fact fails that does not always hold: unequal, large, negative, equal, at a kink
WITNESSES = [
    [1.0, 2.0, 4.0],
    [0.0, 0.0],
    [-3.0, 1.0, 0.0],
    [9.0, 9.5],
    [1.0, 0.0],
    [10.0, 3.0],
    [0.0, 0.0, 1.0],
]


def smooth(f, x):
    """Whether the slopes on both sides agree, in every direction of one score."""
    h = 1e-7
    for step in h * np.eye(x.size):
        right, left = (f(x + step) - f(x)) / h, (f(x) - f(x - step)) / h
        if not np.allclose(right, left, atol=2e-3 * (1 + np.abs(right).max())):
            return False
    return True


def bound(entry):
    def function(x):
        return entry.function(x, **({"noise": NOISE[: x.size]} if entry.random else {}))

    return function


@entries
@pytest.mark.parametrize("fact", FACTS)
def test_a_fact_holds_always_or_has_a_counterexample(entry, fact):
    function, claimed = bound(entry), entry.facts[fact]
    if fact == "exact zeros possible":
        fact, claimed = "no exact zero", not claimed
    if claimed:
        settings(max_examples=60)(given(x=rows)(lambda x: check(function, fact, x)))()
    else:
        assert not all(HOLDS[fact](function, np.array(x)) for x in WITNESSES)


def check(function, fact, x):
    assert HOLDS[fact](function, x)


def test_every_map_is_listed():
    listed = {entry.name for entry in CATALOGUE}
    margins = {"a_softmax", "am_softmax", "angular_margin", "cross_entropy", "log_softmax", "attend"}
    mapped = {n.removesuffix("_vjp") for n in attnlib.__all__ if n.endswith("_vjp")} - margins - {"check"}
    assert listed == {n for n in mapped if not n.endswith("_score")}


@entries
def test_the_records(entry):
    assert entry.function is getattr(attnlib, entry.name)
    assert entry.vjp is getattr(attnlib, f"{entry.name}_vjp")
    assert tuple(entry.facts) == FACTS
    assert entry.formula.count("{") == entry.formula.count("}") and "$" not in entry.formula
    keys = re.findall(
        r"@\w+\{([^,]+),", (Path(__file__).parents[1] / "references.bib").read_text(encoding="utf-8")
    )
    assert entry.citation in keys
    with pytest.raises(AttributeError):
        entry.name = "other"


@entries
def test_docstrings_say_formula_source_and_example(entry):
    text = entry.function.__doc__
    assert ".. math::" in text and ">>>" in text and "ource" in text
    assert ">>>" in entry.vjp.__doc__
