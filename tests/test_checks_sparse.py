"""The checks of transforms/sparse: each likely mistake is caught by name, and right answers pass."""

import numpy as np
import pytest

from attnlib import softmax, sparsemax
from attnlib.checks import sparse as checks

SCORES = [3, 2.6, 2.1]


@pytest.mark.parametrize("answer", [1.4, 0.9 + 0.5, 1.38])
def test_entry_temperature(answer):
    assert checks.entry_temperature(answer, SCORES).passed


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        (0.5, "just above"),
        (0.9, "only the largest"),
        (0.7, "the mean"),
        (1 / 1.4, "1 / T"),
        (7.7, "sum of the scores"),
        (1.0, "raise T"),
        (2, "lower T"),
        (-1.0, "one positive number"),
        (np.nan, "one positive number"),
        ([0.5, 0.5], "one positive number"),
        ("half", "one positive number"),
        (None, "dots"),
        (..., "dots"),
    ],
)
def test_wrong_entry_temperatures_are_named(answer, name):
    verdict = checks.entry_temperature(answer, SCORES)
    assert not verdict.passed
    assert name in verdict.message


def by_hand(scores):
    """A right answer that a student would write without attnlib."""
    falling = -np.sort(-scores, axis=1)
    levels = (np.cumsum(falling, axis=1) - 1) / np.arange(1, scores.shape[1] + 1)
    kept = (falling > levels).sum(axis=1, keepdims=True)
    return np.maximum(scores - np.take_along_axis(levels, kept - 1, 1), 0)


def all_kept(scores):
    return np.maximum(scores - (scores.sum(axis=1, keepdims=True) - 1) / scores.shape[1], 0)


def divided(scores):
    weights = all_kept(scores)
    return weights / weights.sum(axis=1, keepdims=True)


def positive_shares(scores):
    weights = np.maximum(scores, 0)
    return weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-12)


def without_one(scores):
    kept = sparsemax(scores) > 0
    return np.maximum(
        scores - (kept * scores).sum(axis=1, keepdims=True) / kept.sum(axis=1, keepdims=True), 0
    )


def first_threshold(scores):
    top = scores[0].argmax()
    return np.maximum(scores - (scores - sparsemax(scores))[0, top], 0)


@pytest.mark.parametrize("function", [sparsemax, by_hand])
def test_right_weights_pass(function):
    assert checks.sparsemax(function).passed


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (lambda z: sparsemax(z, axis=0), "columns sum to one"),
        (lambda z: sparsemax(z.ravel()).reshape(z.shape), "share one unit"),
        (softmax, "this is softmax"),
        (all_kept, "that of all entries; find"),
        (divided, "does not mend it"),
        (lambda z: np.maximum(z, 0), "threshold is zero"),
        (positive_shares, "divided by their sum"),
        (without_one, "not lowered by 1"),
        (first_threshold, "one threshold for all rows"),
        (lambda z: -np.sort(-sparsemax(z), axis=1), "sorted"),
        (lambda z: np.sort(sparsemax(z), axis=1), "sorted"),
        (lambda z: np.eye(5)[z.argmax(axis=1)], "takes all"),
        (lambda z: sparsemax(z, temperature=2), "compare the first row"),
        (lambda z: sparsemax(z) if abs(z).max() < 9 else softmax(z), "wrong for others"),
        (lambda z: sparsemax(z)[0], "the shape is (5,)"),
        (lambda z: "three", "returned a str"),
        (lambda z: 1 / 0, "raised ZeroDivisionError"),
        (lambda z: ..., "returned None"),
    ],
)
def test_wrong_weights_are_named(function, name):
    verdict = checks.sparsemax(function)
    assert not verdict.passed
    assert repr(verdict).startswith("not yet: ")
    assert name in verdict.message
