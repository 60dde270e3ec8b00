"""The checks of foundations/fusion: each likely mistake is caught by name, and right answers pass."""

import numpy as np
import pytest

from attnlib import softmax
from attnlib.checks import fusion as checks


def scores(x):
    return -((x[:, None] - x) ** 2)


def others(x):
    return ~np.eye(len(x), dtype=bool)


def right(x, y, temperature):
    return softmax(scores(x), mask=others(x), temperature=temperature) @ y


def by_hand(x, y, temperature):
    """A right answer that a student would write without attnlib."""
    z = scores(x) / temperature
    z[np.diag_indices(len(x))] = -np.inf
    powers = np.exp(z - z.max(axis=1, keepdims=True))
    return powers @ y / powers.sum(axis=1)


def nothing_subtracted(x, y, temperature):
    powers = np.exp(scores(x) / temperature) * others(x)
    return powers @ y / powers.sum(axis=1)


def floored(x, y, temperature):
    """Finite for far points, yet wrong: all of them weigh the same."""
    powers = (np.exp(scores(x) / temperature) + 1e-300) * others(x)
    return powers @ y / powers.sum(axis=1)


def itself(x, y, temperature):
    return softmax(scores(x), temperature=temperature) @ y


def dropped_after(x, y, temperature):
    return (softmax(scores(x), temperature=temperature) * others(x)) @ y


def no_sign(x, y, temperature):
    return softmax(-scores(x), mask=others(x), temperature=temperature) @ y


def not_squared(x, y, temperature):
    return softmax(-np.abs(x[:, None] - x), mask=others(x), temperature=temperature) @ y


def wrong_axis(x, y, temperature):
    return softmax(scores(x), axis=0, mask=others(x), temperature=temperature) @ y


@pytest.mark.parametrize("function", [right, by_hand])
def test_right_predictions_pass(function):
    verdict = checks.leave_one_out(function)
    assert verdict.passed
    assert repr(verdict).startswith("right: ")


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (itself, "leave it out"),
        (dropped_after, "mask its score"),
        (no_sign, "far points weigh most"),
        (not_squared, "not squared"),
        (lambda x, y, t: right(x, y, 1 / t), "the temperature multiplies"),
        (lambda x, y, t: right(x, y, 1.0), "the temperature has no effect"),
        (lambda x, y, t: right(x, y, 2 * t**2), "for a bandwidth"),
        (wrong_axis, "the columns sum to one"),
        (lambda x, y, t: right(x, y, np.inf), "plain mean"),
        (nothing_subtracted, "subtract the largest score"),
        (floored, "wrong where they are far"),
        (lambda x, y, t: right(x, y, t)[:, None], "the shape is (6, 1)"),
        (lambda x, y, t: np.zeros(6), "compare the first"),
        (lambda x, y, t: "three", "returned a str"),
        (lambda x, y, t: 1 / 0, "raised ZeroDivisionError"),
        (lambda x, y, t: ..., "returned None"),
    ],
)
def test_wrong_predictions_are_named(function, name):
    verdict = checks.leave_one_out(function)
    assert not verdict.passed
    assert repr(verdict).startswith("not yet: ")
    assert name in verdict.message


def test_temperature_of_bandwidth():
    assert checks.temperature_of_bandwidth(200, 10).passed


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        (100, "mind the 2"),
        (10, "so square it"),
        (20, "square the bandwidth first"),
        (400, "squares the 2"),
        (50, "divides by 2"),
        (0.005, "1 / T"),
        (300, "a Gaussian falls to 0.607"),
        (-1, "one positive number"),
        (np.nan, "one positive number"),
        (None, "dots"),
        (..., "dots"),
    ],
)
def test_wrong_temperatures_of_bandwidth_are_named(answer, name):
    verdict = checks.temperature_of_bandwidth(answer, 10)
    assert not verdict.passed
    assert name in verdict.message
