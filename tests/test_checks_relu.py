"""The checks of transforms/relu: each likely mistake is caught by name, and right answers pass."""

import numpy as np
import pytest

from attnlib import softmax
from attnlib.checks import relu as checks

ROW = [6, -3, 2, 0, 1]


@pytest.mark.parametrize("answer", [[0.6, 0, 0.2, 0, 0.1], np.array([3, 0, 1, 0, 0.5]) / 5])
def test_right_numbers_pass(answer):
    assert checks.relu_by_hand(answer, ROW, 2).passed


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        ([1, 0, 1 / 3, 0, 1 / 6], "number of positives"),
        ([0.667, 0, 0.222, 0, 0.111], "divides by the sum"),
        ([3, 0, 1, 0, 0.5], "not divided by the number"),
        ([2.4, 0, 0.8, 0, 0.4], "temperature multiplies"),
        ([1.2, 0, 0.4, 0, 0.2], "temperature is missing"),
        ([0.6, -0.3, 0.2, 0, 0.1], "negative score gets 0"),
        (softmax(ROW, temperature=2), "this is softmax"),
        ([0.6, 0, 0.2, 0.1, 0.1], "some weight is wrong"),
        ([0.6, 0.2], "write down 5 numbers"),
        ("none", "write down 5 numbers"),
        (None, "dots"),
        (..., "dots"),
    ],
)
def test_wrong_numbers_are_named(answer, name):
    verdict = checks.relu_by_hand(answer, ROW, 2)
    assert not verdict.passed
    assert name in verdict.message


def weigh(shares, contexts):
    return (shares[:, :, None] * contexts).sum(axis=0)


def right(contexts, log_sums):
    return weigh(softmax(log_sums, axis=0), contexts)


def by_hand(contexts, log_sums):
    """A right answer that a student would write without attnlib."""
    powers = np.exp(log_sums - log_sums.max(axis=0))
    return np.einsum("wm,wmd->md", powers / powers.sum(axis=0), contexts)


def overflowing(contexts, log_sums):
    powers = np.exp(log_sums)
    return weigh(powers / powers.sum(axis=0), contexts)


def clipped(contexts, log_sums):
    return overflowing(contexts, np.minimum(log_sums, 30))


@pytest.mark.parametrize("function", [right, by_hand])
def test_right_merges_pass(function):
    assert checks.merge(function).passed


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (lambda c, s: c.mean(axis=0), "plain mean"),
        (lambda c, s: c.sum(axis=0), "plain sum"),
        (lambda c, s: weigh(softmax(s, axis=1), c), "over queries"),
        (lambda c, s: weigh(softmax(s.ravel()).reshape(s.shape), c), "one share-out"),
        (lambda c, s: weigh(s / s.sum(axis=0), c), "take exponentials"),
        (lambda c, s: weigh(s, c), "turn them into shares"),
        (lambda c, s: weigh(np.exp(s), c), "do not sum to one"),
        (lambda c, s: weigh(softmax(-s, axis=0), c), "sign is turned"),
        (overflowing, "large log-sum-exps overflow"),
        (clipped, "wrong for large ones"),
        (lambda c, s: c, "the shape is (3, 2, 4)"),
        (lambda c, s: c[0], "shares of one half"),
        (lambda c, s: "three", "returned a str"),
        (lambda c, s: 1 / 0, "raised ZeroDivisionError"),
        (lambda c, s: ..., "returned None"),
    ],
)
def test_wrong_merges_are_named(function, name):
    verdict = checks.merge(function)
    assert not verdict.passed
    assert repr(verdict).startswith("not yet: ")
    assert name in verdict.message
