"""The checks of applications/captioning: each likely mistake is caught by name, and right answers pass."""

import numpy as np
import pytest

from attnlib.checks import captioning as checks


def right(weights, constant):
    return np.sum((constant - weights.sum(axis=0)) ** 2)


def by_hand(weights, constant):
    """A right answer that a student would write with loops."""
    total = 0.0
    for place in range(weights.shape[1]):
        received = 0.0
        for symbol in range(weights.shape[0]):
            received += weights[symbol, place]
        total += (received - constant) ** 2
    return total


@pytest.mark.parametrize("function", [right, by_hand])
def test_right_penalties_pass(function):
    verdict = checks.coverage_penalty(function)
    assert verdict.passed
    assert repr(verdict).startswith("right: ")


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (lambda w, c: np.sum((c - w.sum(axis=1)) ** 2), "sums over the places"),
        (lambda w, c: np.sum((c - w) ** 2), "single weights"),
        (lambda w, c: np.abs(c - w.sum(axis=0)).sum(), "plain distances"),
        (lambda w, c: (c - w.sum(axis=0)).sum(), "cancel"),
        (lambda w, c: np.sqrt(right(w, c)), "this is the root"),
        (lambda w, c: right(w, c) / w.shape[1], "this is the mean"),
        (lambda w, c: np.sum(w.sum(axis=0) ** 2), "the constant is missing"),
        (lambda w, c: (c - w.sum(axis=0)) ** 2, "one number for each place"),
        (lambda w, c: w, "the shape is (3, 6)"),
        (lambda w, c: 17.0, "two symbols and two places"),
        (lambda w, c: right(w, c) if w.shape[1] == 6 else 1.0, "no penalty at 0.75"),
        (lambda w, c: "three", "returned a str"),
        (lambda w, c: 1 / 0, "raised ZeroDivisionError"),
        (lambda w, c: None, "returned None"),
    ],
)
def test_wrong_penalties_are_named(function, name):
    verdict = checks.coverage_penalty(function)
    assert not verdict.passed
    assert repr(verdict).startswith("not yet: ")
    assert name in verdict.message


@pytest.mark.parametrize("answer", [689, 689.0, np.int64(689)])
def test_right_number_of_places_passes(answer):
    assert checks.places_of(answer, height=20, width=60, side=8).passed


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        (624, "at the very end"),
        (1200, "number of pixels"),
        (18.75, "side by side"),
        (14, "side by side"),
        (66, "multiplied"),
        (689 * 64, "pixels of all patches"),
        (700, "upper left corner"),
        (-1, "one positive number"),
        (np.nan, "one positive number"),
        ("many", "one positive number"),
        (..., "dots"),
        (None, "dots"),
    ],
)
def test_wrong_number_of_places_is_named(answer, name):
    verdict = checks.places_of(answer, height=20, width=60, side=8)
    assert not verdict.passed
    assert name in verdict.message
