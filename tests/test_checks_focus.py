"""The checks of foundations/focus: each likely mistake is caught by name, and right answers pass."""

import numpy as np
import pytest

from attnlib import top_k_mass
from attnlib.checks import focus as checks


def right(weights, mass):
    falling = -np.sort(-weights, axis=1)
    return (falling.cumsum(axis=1) < mass).sum(axis=1) + 1


def by_trial(weights, mass):
    """Right, and slow: try every k."""
    return [next(k for k in range(1, len(row) + 1) if top_k_mass(row, k) >= mass) for row in weights]


def unsorted(weights, mass):
    return (weights.cumsum(axis=1) < mass).sum(axis=1) + 1


def smallest_first(weights, mass):
    return (np.sort(weights, axis=1).cumsum(axis=1) < mass).sum(axis=1) + 1


def fixed_mass(weights, mass):
    return right(weights, 0.7)


@pytest.mark.parametrize("function", [right, by_trial])
def test_right_counts_pass(function):
    verdict = checks.tokens_for(function)
    assert verdict.passed
    assert repr(verdict).startswith("right: ")


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (unsorted, "sort them first"),
        (smallest_first, "begin with the largest"),
        (lambda p, mass: right(p, mass) - 1, "one too few"),
        (lambda p, mass: right(p.T, mass), "down the columns"),
        (lambda p, mass: (p > 1 - mass).sum(axis=1), "above a bound"),
        (lambda p, mass: (p >= mass).sum(axis=1), "above a bound"),
        (lambda p, mass: right(p.reshape(1, -1), 3 * mass)[0], "all rows together"),
        (fixed_mass, "use the argument"),
        (lambda p, mass: 3, "the shape is ()"),
        (lambda p, mass: [8, 8, 8], "the largest that you count hold"),
        (lambda p, mass: [50, -2, 3], "the largest that you count hold 1.000, 0.000"),
        (lambda p, mass: right(p, mass) + 0.5, "a whole number"),
        (lambda p, mass: np.full(3, np.nan), "a whole number"),
        (lambda p, mass: np.full(3, np.inf), "a whole number"),
        (lambda p, mass: "three", "returned a str"),
        (lambda p, mass: 1 / 0, "raised ZeroDivisionError"),
        (lambda p, mass: ..., "returned None"),
    ],
)
def test_wrong_counts_are_named(function, name):
    verdict = checks.tokens_for(function)
    assert not verdict.passed
    assert repr(verdict).startswith("not yet: ")
    assert name in verdict.message


SCORES = [1.2, 0.8, -0.5]


def test_lift_to_notice():
    assert checks.lift_to_notice(1.0, SCORES).passed
    assert checks.lift_to_notice(1, [2.0, -1.0]).message.startswith("not yet")
    assert checks.lift_to_notice(2, [2.0, -1.0]).passed  # two scores: the threshold is the largest less 1


def test_lift_to_zero_is_named():
    assert "lifts the score to zero" in checks.lift_to_notice(0.6, [1.2, 0.8, -0.6]).message


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        (0, "it takes a real step"),
        (1.3, "next higher score"),
        (1.7, "largest score"),
        (0.5, "this is the threshold"),
        (0.9, "rise more"),
        (1.1, "less will do"),
        (-1.0, "not negative"),
        (np.nan, "not negative"),
        (None, "dots"),
        (..., "dots"),
    ],
)
def test_wrong_lifts_are_named(answer, name):
    verdict = checks.lift_to_notice(answer, SCORES)
    assert not verdict.passed
    assert name in verdict.message
