"""The checks of applications/summarization: each likely mistake is caught by name, and right answers pass."""

import numpy as np
import pytest

from attnlib import cosine_score, dot_product_score, softmax
from attnlib.checks import summarization as checks


def received(vectors, scale, *, score=cosine_score, keep=None, axis=-1, over=0):
    others = ~np.eye(len(vectors), dtype=bool) if keep is None else keep
    return softmax(scale * score(vectors, vectors), axis=axis, mask=others).mean(axis=over)


def by_hand(vectors, scale):
    """A right answer that a student would write without attnlib."""
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    scores = scale * unit @ unit.T
    np.fill_diagonal(scores, -np.inf)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return (powers / powers.sum(axis=1, keepdims=True)).mean(axis=0)


def no_maximum(vectors, scale):
    powers = np.exp(scale * cosine_score(vectors, vectors)) * ~np.eye(len(vectors), dtype=bool)
    return (powers / powers.sum(axis=1, keepdims=True)).mean(axis=0)


def clipped(vectors, scale):
    """Finite for a large scale, yet wrong: clipping merges the large scores."""
    powers = np.exp(np.clip(scale * cosine_score(vectors, vectors), -30, 30))
    np.fill_diagonal(powers, 0)
    return (powers / powers.sum(axis=1, keepdims=True)).mean(axis=0)


def dropped_after(vectors, scale):
    weights = softmax(scale * cosine_score(vectors, vectors))
    np.fill_diagonal(weights, 0)
    return weights.mean(axis=0)


@pytest.mark.parametrize("function", [received, by_hand])
def test_right_shares_pass(function):
    verdict = checks.attention_received(function)
    assert verdict.passed
    assert repr(verdict).startswith("right: ")


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (lambda v, s: received(v, s, keep=np.True_), "also looks at itself"),
        (dropped_after, "dropped after the softmax"),
        (lambda v, s: received(v, s, axis=0), "run along one axis"),
        (lambda v, s: received(v, s, over=1), "run along one axis"),
        (lambda v, s: len(v) * received(v, s), "sum over those who look"),
        (lambda v, s: received(v, s, score=dot_product_score), "these are dot products"),
        (lambda v, s: received(v, 1), "no effect"),
        (lambda v, s: received(v, 1 / s), "scale divides"),
        (no_maximum, "subtract the largest score"),
        (clipped, "wrong for a large one"),
        (lambda v, s: np.zeros(3), "the shape is (3,)"),
        (lambda v, s: np.full(5, 0.3), "compare one row"),
        (lambda v, s: "five", "returned a str"),
        (lambda v, s: 1 / 0, "raised ZeroDivisionError"),
        (lambda v, s: ..., "returned None"),
    ],
)
def test_wrong_shares_are_named(function, name):
    verdict = checks.attention_received(function)
    assert not verdict.passed
    assert repr(verdict).startswith("not yet: ")
    assert name in verdict.message


@pytest.mark.parametrize("answer", [np.exp(2), 7.39, 7.4])
def test_right_odds_pass(answer):
    assert checks.odds_of_cosines(answer, gap=0.1, scale=20).passed


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        (2, "its exponential"),
        (1.105, "the scale is missing"),
        (1.005, "does not divide"),
        (0.135, "turn them over"),
        (0.881, "the share of the first"),
        (9.0, "too large"),
        (5.0, "too small"),
        (-1.0, "one positive number"),
        (np.nan, "one positive number"),
        (..., "dots"),
        (None, "dots"),
    ],
)
def test_wrong_odds_are_named(answer, name):
    verdict = checks.odds_of_cosines(answer, gap=0.1, scale=20)
    assert not verdict.passed
    assert name in verdict.message
