"""The checks of transforms/sigmoid: each likely mistake is caught by name, and right answers pass."""

import numpy as np
import pytest

from attnlib import sigmoid, sigmoid_attention, softmax
from attnlib.checks import sigmoid as checks


@pytest.mark.parametrize("answer", [np.log(9), 2.2, 2.197])
def test_difference_for(answer):
    assert checks.difference_for(answer, 0.9).passed


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        (1.1, "which lie 2t apart"),
        (-2.2, "sign is turned"),
        (0.954, "base 10"),
        (9, "this is the odds"),
        (-0.105, "logarithm of the weight"),
        (2.303, "1 / (1 − weight)"),
        (0.8, "difference of the weights"),
        (3, "nearer together"),
        (2, "further apart"),
        ([1, 2], "one number"),
        (np.nan, "one number"),
        ("two", "one number"),
        (None, "dots"),
        (..., "dots"),
    ],
)
def test_wrong_differences_are_named(answer, name):
    verdict = checks.difference_for(answer, 0.9)
    assert not verdict.passed
    assert name in verdict.message


def right(scores, mask, temperature):
    return sigmoid_attention(scores, mask=mask, temperature=temperature)


def by_hand(scores, mask, temperature):
    """A right answer that a student would write without attnlib."""
    z = scores / temperature - np.log(mask.sum(axis=1, keepdims=True))
    small = np.exp(-np.abs(z))
    return np.where(z >= 0, 1, small) / (1 + small) * mask


def log_kept(mask):
    return np.log(mask.sum(axis=1, keepdims=True))


def overflowing(scores, mask, temperature):
    powers = np.exp(scores / temperature - log_kept(mask))
    return powers / (1 + powers) * mask


def clipped(scores, mask, temperature):
    return sigmoid(np.clip(scores / temperature, -8, 8) - log_kept(mask), mask=mask)


@pytest.mark.parametrize("function", [right, by_hand])
def test_right_weights_pass(function):
    assert checks.one_by_one(function).passed


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (lambda s, m, t: sigmoid_attention(s, temperature=t) * m, "counts the dropped entries"),
        (lambda s, m, t: sigmoid(s / t - np.log(m.sum()), mask=m), "each has its own"),
        (lambda s, m, t: sigmoid_attention(s, axis=0, mask=m, temperature=t), "counts the queries"),
        (lambda s, m, t: sigmoid(s / t - log_kept(m)), "dropped entries have a weight"),
        (lambda s, m, t: sigmoid_attention(s, temperature=t), "mask has no effect"),
        (lambda s, m, t: sigmoid(s / t, mask=m), "bias is missing"),
        (lambda s, m, t: sigmoid(s / t + log_kept(m), mask=m), "bias is added"),
        (lambda s, m, t: sigmoid((s - log_kept(m)) / t, mask=m), "divides the bias too"),
        (lambda s, m, t: sigmoid(s / t - m.sum(axis=1, keepdims=True), mask=m), "subtract its logarithm"),
        (lambda s, m, t: sigmoid(s / t, mask=m) / m.sum(axis=1, keepdims=True), "divided by n"),
        (lambda s, m, t: sigmoid_attention(s, mask=m, temperature=1 / t), "temperature multiplies"),
        (lambda s, m, t: sigmoid_attention(s, mask=m), "temperature has no effect"),
        (lambda s, m, t: softmax(s, mask=m, temperature=t), "this is softmax"),
        (overflowing, "large scores overflow"),
        (clipped, "wrong for large ones"),
        (lambda s, m, t: np.zeros(3), "the shape is (3,)"),
        (lambda s, m, t: np.full(s.shape, 0.25), "on paper"),
        (lambda s, m, t: "three", "returned a str"),
        (lambda s, m, t: 1 / 0, "raised ZeroDivisionError"),
        (lambda s, m, t: ..., "returned None"),
    ],
)
def test_wrong_weights_are_named(function, name):
    verdict = checks.one_by_one(function)
    assert not verdict.passed
    assert repr(verdict).startswith("not yet: ")
    assert name in verdict.message


ROW = np.array([3.0, 1.0, 0.5, -2.0])


def bisect(scores):
    low, high = -50, 50
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if sigmoid(scores + middle).sum() > 1 else (middle, high)
    return middle


def test_bias_for_one():
    assert checks.bias_for_one(bisect, ROW).passed


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (lambda scores: -bisect(scores), "sign is turned"),
        (lambda scores: -np.log(4), "lower b"),
        (lambda scores: -10.0, "raise b"),
        (lambda scores: scores, "one number"),
        (lambda scores: np.inf, "one number"),
        (lambda scores: None, "returned None"),
        (lambda scores: {}["x"], "raised KeyError"),
    ],
)
def test_wrong_biases_are_named(function, name):
    verdict = checks.bias_for_one(function, ROW)
    assert not verdict.passed
    assert name in verdict.message
