"""The checks of foundations/uncertainty: each likely mistake is caught by name, and right answers pass."""

import numpy as np
import pytest

from attnlib import entropy, perplexity
from attnlib.checks import uncertainty as checks

HALVES = [1 / 2, 1 / 4, 1 / 8, 1 / 8]


@pytest.mark.parametrize("answer", [2**1.75, 3.36, 3.364])
def test_right_effective_numbers_pass(answer):
    assert checks.effective_number(answer, HALVES).passed


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        (1.213, "this is the entropy;"),
        (1.75, "entropy in bits"),
        (5.755, "e to the entropy in bits"),
        (2.318, "2 to the entropy in nats"),
        (4, "counts the items"),
        (2, "largest weight alone"),
        (2.909, "squares the weights"),
        (3.0, "average the surprises"),
        (-1, "one positive number"),
        (np.nan, "one positive number"),
        (None, "dots"),
        (..., "dots"),
    ],
)
def test_wrong_effective_numbers_are_named(answer, name):
    verdict = checks.effective_number(answer, HALVES)
    assert not verdict.passed
    assert name in verdict.message


def by_hand(weights):
    return -(weights * np.log(np.where(weights > 0, weights, 1))).sum(axis=1)


def a_little_added(weights):
    """Right to nine digits: a tiny number inside the logarithm, as many libraries do it."""
    return -(weights * np.log(weights + 1e-12)).sum(axis=1)


@pytest.mark.parametrize("function", [entropy, by_hand, a_little_added])
def test_right_entropies_pass(function):
    verdict = checks.row_entropies(function)
    assert verdict.passed
    assert repr(verdict).startswith("right: ")


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (lambda w: -(w * np.log(w)).sum(axis=0), "down the columns"),
        (lambda w: entropy(w, axis=0), "down the columns"),
        (lambda w: -(w * np.log(w)).sum(), "one number for the whole matrix"),
        (lambda w: (w * np.log(w)).sum(axis=1), "sign is missing"),
        (lambda w: -(w * np.log2(w)).sum(axis=1), "these are bits"),
        (lambda w: -(w * np.log(w)).mean(axis=1), "plain mean"),
        (perplexity, "effective numbers"),
        (lambda w: -np.log(w).sum(axis=1), "added without their weights"),
        (lambda w: -np.log(w).mean(axis=1), "averaged without their weights"),
        (lambda w: -(w * np.log(w)).sum(axis=1), "0 · log 0"),
        (lambda w: entropy(np.where(w == 0, 0.01, w)), "wrong with them"),
        (lambda w: entropy(w) + 0.1, "the numbers differ"),
        (lambda w: w, "the shape is (4, 3)"),
        (lambda w: "three", "returned a str"),
        (lambda w: 1 / 0, "raised ZeroDivisionError"),
        (lambda w: ..., "returned None"),
    ],
)
def test_wrong_entropies_are_named(function, name):
    verdict = checks.row_entropies(function)
    assert not verdict.passed
    assert repr(verdict).startswith("not yet: ")
    assert name in verdict.message
