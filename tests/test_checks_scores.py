"""The checks of foundations/scores: each likely mistake is caught by name, and right answers pass."""

import numpy as np
import pytest

from attnlib import additive_score, softmax
from attnlib.checks import scores as checks


@pytest.mark.parametrize("answer", [np.exp(2), 7.4, 7.39])
def test_right_odds_pass(answer):
    assert checks.odds_of_two_keys(answer, 24, 8, 64).passed


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        (np.exp(16), "not divided by the square root"),
        (1.284, "divides by the width"),
        (3, "divides one score by the other"),
        (2, "difference of the two scores"),
        (0.1353, "second key against the first"),
        (0.88, "the first weight"),
        (5.0, "compare e to each score"),
        (-1, "one positive number"),
        (np.nan, "one positive number"),
        (None, "dots"),
        (..., "dots"),
    ],
)
def test_wrong_odds_are_named(answer, name):
    verdict = checks.odds_of_two_keys(answer, 24, 8, 64)
    assert not verdict.passed
    assert name in verdict.message


def by_hand(query, key, W, U, v):
    """A right answer that a student would write, one pair at a time."""
    return np.array([[np.tanh(W @ q + U @ k) @ v for k in key] for q in query])


def equal_widths_only(query, key, W, U, v):
    if W.shape != U.shape:
        raise ValueError("widths differ")
    return by_hand(query, key, W, U, v)


@pytest.mark.parametrize("function", [additive_score, by_hand])
def test_right_scores_pass(function):
    verdict = checks.additive_scores(function)
    assert verdict.passed
    assert repr(verdict).startswith("right: ")


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (lambda q, k, W, U, v: (q @ W.T @ v)[:, None] + k @ U.T @ v, "tanh is missing"),
        (lambda q, k, W, U, v: np.tanh((q @ W.T @ v)[:, None] + k @ U.T @ v), "around the whole sum"),
        (lambda q, k, W, U, v: (np.tanh(q @ W.T)[:, None] + np.tanh(k @ U.T)) @ v, "bent apart"),
        (lambda q, k, W, U, v: by_hand(q, k, U, W, v), "exchanged"),
        (lambda q, k, W, U, v: by_hand(q, k, W, U, v).T, "give each query a row"),
        (lambda q, k, W, U, v: by_hand(q, k, W, U, v) / np.sqrt(len(v)), "divides by a root"),
        (lambda q, k, W, U, v: by_hand(q, k, W, U, v) / np.sqrt(q.shape[1]), "divides by a root"),
        (lambda q, k, W, U, v: softmax(by_hand(q, k, W, U, v)), "these are weights"),
        (lambda q, k, W, U, v: by_hand(q, k, W, U, v).sum(axis=1), "the shape is (3,)"),
        (lambda q, k, W, U, v: by_hand(q, k, W, U, v) + 1, "the scores differ"),
        (equal_widths_only, "equally wide"),
        (lambda *_: "three", "returned a str"),
        (lambda *_: 1 / 0, "raised ZeroDivisionError"),
        (lambda *_: ..., "returned None"),
    ],
)
def test_wrong_scores_are_named(function, name):
    verdict = checks.additive_scores(function)
    assert not verdict.passed
    assert repr(verdict).startswith("not yet: ")
    assert name in verdict.message
