"""The checks of learning/gradients: each likely mistake is caught by name, and right answers pass."""

import numpy as np
import pytest

from attnlib import jacobian, softmax, softmax_vjp
from attnlib.checks import gradients as checks


def right(z, g, T):
    return softmax_vjp(z, g, temperature=T)


def by_squares(z, g, T):
    """Right, and slow: build each square."""
    return [jacobian(softmax, row, temperature=T).T @ b for row, b in zip(z, g, strict=True)]


def weights(z, T, axis=1):
    return softmax(z, axis, temperature=T)


def mean(z, g, T):
    return (weights(z, T) * g).sum(axis=1, keepdims=True)


def overflowing(z, g, T):
    p = np.exp(z / T) / np.exp(z / T).sum(axis=1, keepdims=True)
    return p * (g - (p * g).sum(axis=1, keepdims=True)) / T


@pytest.mark.parametrize("function", [right, by_squares])
def test_right_gradients_pass(function):
    verdict = checks.softmax_pull_back(function)
    assert verdict.passed
    assert repr(verdict).startswith("right: ")


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (lambda z, g, T: softmax_vjp(z, g) / T, "scores were not divided"),
        (lambda z, g, T: softmax_vjp(z, g), "temperature was left out"),
        (lambda z, g, T: right(z, g, T) * T, "divide once more"),
        (lambda z, g, T: right(z, g, T) * T * T, "does not multiply"),
        (lambda z, g, T: right(z, g, 1 / T), "scores were multiplied"),
        (lambda z, g, T: softmax_vjp(z, g, axis=0, temperature=T), "down the columns"),
        (lambda z, g, T: weights(z, T) * (g - (weights(z, T) * g).sum()) / T, "one mean for all rows"),
        (lambda z, g, T: weights(z, T) * (1 - weights(z, T)) * g / T, "diagonal alone"),
        (lambda z, g, T: weights(z, T) * (g - g.mean(axis=1, keepdims=True)) / T, "plain mean"),
        (lambda z, g, T: weights(z, T) * (g - g.sum(axis=1, keepdims=True)) / T, "plain sum"),
        (lambda z, g, T: (weights(z, T) * g - mean(z, g, T)) / T, "multiplied by the weight"),
        (lambda z, g, T: weights(z, T) * g / T, "not taken off"),
        (lambda z, g, T: weights(z, T) * (g + mean(z, g, T)) / T, "not added"),
        (lambda z, g, T: -right(z, g, T), "turned round"),
        (lambda z, g, T: weights(z, T), "these are the weights"),
        (lambda z, g, T: right(z, g, 0.5), "use the argument"),
        (overflowing, "largest score of the row off first"),
        (lambda z, g, T: right(z, g, T).sum(axis=1), "the shape is (3,)"),
        (lambda z, g, T: right(z, g, T) + 1, "push one score by 1e-6"),
        (lambda z, g, T: "none", "returned a str"),
        (lambda z, g, T: 1 / 0, "raised ZeroDivisionError"),
        (lambda z, g, T: ..., "returned None"),
    ],
)
def test_wrong_gradients_are_named(function, name):
    verdict = checks.softmax_pull_back(function)
    assert not verdict.passed
    assert repr(verdict).startswith("not yet: ")
    assert name in verdict.message


WEIGHTS = [0.7, 0.2, 0.1]


def test_cross_rate():
    assert checks.cross_rate(-0.07, WEIGHTS, temperature=2).passed
    assert checks.cross_rate(-0.14, WEIGHTS, temperature=1).passed


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        (0.07, "win or lose"),
        (-0.14, "divides the rate"),
        (0.14, "loses, and the temperature divides"),
        (-0.28, "does not multiply"),
        (0.105, "to its own score"),
        (0.08, "the second weight answers to its own score"),
        (0, "hears every score"),
        (0.5, "a product of two weights"),
        (np.nan, "finite"),
        (None, "dots"),
        (..., "dots"),
    ],
)
def test_wrong_rates_are_named(answer, name):
    verdict = checks.cross_rate(answer, WEIGHTS, temperature=2)
    assert not verdict.passed
    assert name in verdict.message
