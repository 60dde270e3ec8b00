"""The checks of learning/interpretability: each likely mistake is caught by name, and right answers pass."""

import numpy as np
import pytest

from attnlib.checks import interpretability as checks


def right(weights, values):
    return (weights @ values - weights[:, None] * values) / (1 - weights)[:, None]


def by_hand(weights, values):
    """A right answer that a student would write with a loop."""
    rows = []
    for j in range(len(weights)):
        left = np.delete(weights, j)
        rows.append(left / left.sum() @ np.delete(values, j, axis=0))
    return np.array(rows)


def full(weights, values):
    return np.tile(weights @ values, (len(weights), 1))


@pytest.mark.parametrize("function", [right, by_hand])
def test_right_outputs_pass(function):
    verdict = checks.outputs_without(function)
    assert verdict.passed
    assert repr(verdict).startswith("right: ")


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (lambda w, v: w @ v - w[:, None] * v, "sum to less than one"),
        (lambda w, v: right(w, v) - full(w, v), "this is the change"),
        (lambda w, v: full(w, v) - right(w, v), "this is the change"),
        (lambda w, v: (w @ v - w[:, None] * v) / w[:, None], "divides by the weight that is hidden"),
        (lambda w, v: (v.sum(axis=0) - v) / 3, "plain mean of the others"),
        (lambda w, v: full(w, v) - v, "counts by its weight"),
        (full, "nothing is hidden"),
        (lambda w, v: full(w, v) + (w / (1 - w))[:, None] * (v - full(w, v)), "moves away"),
        (lambda w, v: v, "keep the others"),
        (lambda w, v: right(w, v).T, "the shape is (2, 4)"),
        (lambda w, v: right(w, v) + 0.01, "compare the first row"),
        (lambda w, v: "three", "returned a str"),
        (lambda w, v: 1 / 0, "raised ZeroDivisionError"),
        (lambda w, v: None, "returned None"),
    ],
)
def test_wrong_outputs_are_named(function, name):
    verdict = checks.outputs_without(function)
    assert not verdict.passed
    assert repr(verdict).startswith("not yet: ")
    assert name in verdict.message


@pytest.mark.parametrize("answer", [3, 3.004, np.float64(3.0)])
def test_right_output_passes(answer):
    assert checks.output_without(answer, weight=0.8, value=5, context=4.6).passed


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        (0.6, "share out all of it"),
        (0.75, "divides by the weight that is hidden"),
        (-1.6, "this is the change"),
        (-0.4, "weight times value"),
        (6.2, "moves away"),
        (4.0, "would become 4.800"),
        (np.nan, "one number"),
        (np.inf, "one number"),
        ("three", "one number"),
        (..., "dots"),
        (None, "dots"),
    ],
)
def test_wrong_output_is_named(answer, name):
    verdict = checks.output_without(answer, weight=0.8, value=5, context=4.6)
    assert not verdict.passed
    assert name in verdict.message
