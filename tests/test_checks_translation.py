"""The checks of applications/translation: each likely mistake is caught by name, and right answers pass."""

import numpy as np
import pytest

from attnlib import softmax
from attnlib.checks import translation as checks


def make(share, finish=lambda counts: counts / counts.sum(axis=0), add=np.add.at):
    """A student's round: how a pair's t becomes weights, how counts become a table, how they are added."""

    def one_round(t, pairs):
        counts = np.zeros(t.shape)
        for source, target in pairs:
            add(counts, np.ix_(target, source), share(t[np.ix_(target, source)]))
        return finish(counts)

    return one_round


def by_rows(p):
    return p / p.sum(axis=1, keepdims=True)


def replace(counts, cells, values):
    counts[cells] = values


def slowly(t, pairs):
    """A right answer in loops."""
    counts = np.zeros(t.shape)
    for source, target in pairs:
        for f in target:
            for e in source:
                counts[f, e] += t[f, e] / sum(t[f, k] for k in source)
    return counts / counts.sum(axis=0)


@pytest.mark.parametrize("function", [make(by_rows), make(lambda p: softmax(np.log(p))), slowly])
def test_right_rounds_pass(function):
    verdict = checks.one_round(function)
    assert verdict.passed
    assert repr(verdict).startswith("right: ")


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (make(by_rows, finish=lambda c: c), "divide each column"),
        (make(by_rows, finish=by_rows), "the rows sum to one"),
        (make(lambda p: p / p.sum(axis=0)), "shared out over the target words"),
        (make(lambda p: p), "nothing was shared out"),
        (make(lambda p: p == p.max(axis=1, keepdims=True)), "chose one source word"),
        (make(by_rows, add=replace), "replaced the counts"),
        (make(lambda p: softmax(p)), "on paper"),
        (lambda t, pairs: t[0], "the shape is (3,)"),
        (lambda t, pairs: "three", "returned a str"),
        (lambda t, pairs: 1 / 0, "raised ZeroDivisionError"),
        (lambda t, pairs: None, "returned None"),
    ],
)
def test_wrong_rounds_are_named(function, name):
    verdict = checks.one_round(function)
    assert not verdict.passed
    assert repr(verdict).startswith("not yet: ")
    assert name in verdict.message


def test_the_odds_are_told():
    assert "odds of 1 to 4 become 1 to 2" in checks.weight_at(1 / 3, t=(0.1, 0.4), temperature=2).message
    assert (
        "odds of 1 to 4 become 1 to 64" in checks.weight_at(1 / 65, t=(0.1, 0.4), temperature=1 / 3).message
    )


def test_right_weight_passes():
    assert checks.weight_at(1 / 17, t=(0.1, 0.4), temperature=0.5).passed
    assert checks.weight_at(0.059, t=(0.1, 0.4), temperature=0.5).passed


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        (0.2, "temperature 1"),
        (16 / 17, "the other word"),
        (1 / 3, "it was multiplied"),
        (1 / (1 + np.exp(0.6)), "logarithms of t"),
        (1 / 16, "these are the odds"),
        (0.5, "to the power 1/T"),
        (1.2, "between 0 and 1"),
        (np.nan, "between 0 and 1"),
        (..., "dots"),
        (None, "dots"),
    ],
)
def test_wrong_weights_are_named(answer, name):
    verdict = checks.weight_at(answer, t=(0.1, 0.4), temperature=0.5)
    assert not verdict.passed
    assert name in verdict.message
