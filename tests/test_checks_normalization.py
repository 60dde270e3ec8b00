"""The checks of foundations/normalization: each likely mistake is caught by name, and right answers pass."""

import numpy as np
import pytest

from attnlib import softmax
from attnlib.checks import normalization as checks

BEFORE = [0.5, 0.3, 0.2]


@pytest.mark.parametrize("answer", [0.12, 0.1201])
def test_right_weight_passes(answer):
    assert checks.weight_after(answer, BEFORE, 0.8).passed


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        (0.3, "sum to more than one"),
        (0.15, "not pay the same amount"),
        (0.0, "does not pay alone"),
        (0.08, "what the third has now"),
        (0.06, "not 1 - new"),
        (0.1875, "as the first grows"),
        (0.18, "what the second pays"),
        (0.4, "the odds of the other two stay"),
        (np.nan, "the odds of the other two stay"),
        (None, "dots"),
        (..., "dots"),
    ],
)
def test_wrong_weights_are_named(answer, name):
    verdict = checks.weight_after(answer, BEFORE, 0.8)
    assert not verdict.passed
    assert name in verdict.message


ROW = np.array([1.5, -0.5, 0.3, 2.0])


def log_odds(p):
    return np.log(p / (1 - p))


def right(scores, k, target):
    return log_odds(target) - log_odds(softmax(scores)[k])


def by_search(scores, k, target):
    """A right answer by halving an interval."""
    low, high = -50.0, 50.0
    for _ in range(80):
        middle = (low + high) / 2
        raised = scores + middle * (np.arange(len(scores)) == k)
        low, high = (middle, high) if softmax(raised)[k] < target else (low, middle)
    return middle


@pytest.mark.parametrize("function", [right, by_search])
@pytest.mark.parametrize("k", [0, 1, 2])
def test_right_rises_pass(function, k):
    verdict = checks.rise_for(function, ROW, k)
    assert verdict.passed
    assert repr(verdict).startswith("right: ")


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (lambda s, k, t: np.log(t / softmax(s)[k]), "compares weights"),
        (lambda s, k, t: np.exp(right(s, k, t)), "is its logarithm"),
        (lambda s, k, t: t - softmax(s)[k], "subtracts weights"),
        (lambda s, k, t: -right(s, k, t), "sign is wrong"),
        (lambda s, k, t: s[k] + right(s, k, t), "new score"),
        (lambda s, k, t: log_odds(t), "log-odds wanted"),
        (lambda s, k, t: max(right(s, k, t), 0.0), "lower it"),
        (lambda s, k, t: 0.1, "raise it"),
        (lambda s, k, t: [1.0, 2.0], "one finite number"),
        (lambda s, k, t: np.nan, "one finite number"),
        (lambda s, k, t: "three", "returned a str"),
        (lambda s, k, t: 1 / 0, "raised ZeroDivisionError"),
        (lambda s, k, t: ..., "returned None"),
    ],
)
def test_wrong_rises_are_named(function, name):
    verdict = checks.rise_for(function, ROW, 2)
    assert not verdict.passed
    assert repr(verdict).startswith("not yet: ")
    assert name in verdict.message
