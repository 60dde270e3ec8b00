"""The checks of transforms/softmax: each likely mistake is caught by name, and right answers pass."""

import numpy as np
import pytest

from attnlib import log_softmax, softmax
from attnlib.checks import softmax as checks


def by_hand(scores):
    largest = scores.max(axis=1)
    return largest + np.log(np.exp(scores - largest[:, None]).sum(axis=1))


def from_log_softmax(scores):
    best = scores.argmax(axis=1)
    return (scores - log_softmax(scores))[np.arange(len(scores)), best]


def not_added_again(scores):
    return np.log(np.exp(scores - scores.max(axis=1, keepdims=True)).sum(axis=1))


def nothing_subtracted(scores):
    return np.log(np.exp(scores).sum(axis=1))


def one_maximum(scores):
    return scores.max() + np.log(np.exp(scores - scores.max()).sum(axis=1))


def clipped(scores):
    return np.log(np.exp(np.clip(scores, -700, 700)).sum(axis=1))


def stops_at_inf(scores):
    assert np.isfinite(scores).all()
    return by_hand(scores)


def forgets_inf(scores):
    return by_hand(np.where(np.isfinite(scores), scores, 0.0))


@pytest.mark.parametrize("function", [by_hand, from_log_softmax])
def test_right_log_sum_exp_passes(function):
    verdict = checks.log_sum_exp(function)
    assert verdict.passed
    assert repr(verdict).startswith("right: ")


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (not_added_again, "never added again"),
        (nothing_subtracted, "large scores overflow"),
        (one_maximum, "from each row its own"),
        (lambda z: by_hand(z.T), "over each column"),
        (lambda z: by_hand(z.reshape(1, -1))[0], "all rows together"),
        (lambda z: np.exp(z).sum(axis=1), "take its logarithm"),
        (lambda z: np.log(np.exp(z).mean(axis=1)), "logarithm of a mean"),
        (log_softmax, "logarithms of the weights"),
        (softmax, "these are the weights"),
        (clipped, "a shift by c must move it by c"),
        (stops_at_inf, "-inf must add nothing"),
        (forgets_inf, "-inf must add nothing"),
        (lambda z: by_hand(z)[:, None], "the shape is (3, 1)"),
        (lambda z: np.zeros(3), "compare the first row"),
        (lambda z: "three", "returned a str"),
        (lambda z: 1 / 0, "raised ZeroDivisionError"),
        (lambda z: ..., "returned None"),
    ],
)
def test_wrong_log_sum_exp_is_named(function, name):
    verdict = checks.log_sum_exp(function)
    assert not verdict.passed
    assert repr(verdict).startswith("not yet: ")
    assert name in verdict.message


@pytest.mark.parametrize("answer", [1 / np.log(2), 1.44])
def test_temperature_of_base(answer):
    assert checks.temperature_of_base(answer, 2).passed


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        (0.69, "this is 1 / T"),
        (2, "this is the base"),
        (0.5, "this is 1 / base"),
        (3.32, "base 10"),
        (1.6, "lower T"),
        (1.0, "raise T"),
        (-1.0, "one positive number"),
        (np.nan, "one positive number"),
        (None, "dots"),
        (..., "dots"),
    ],
)
def test_wrong_temperatures_of_base_are_named(answer, name):
    verdict = checks.temperature_of_base(answer, 2)
    assert not verdict.passed
    assert name in verdict.message
