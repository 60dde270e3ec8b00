"""The checks of transforms/linear: each likely mistake is caught by name, and right answers pass."""

import numpy as np
import pytest

from attnlib import decimal_scaling, linear, min_max, softmax
from attnlib.checks import linear as checks

ROW = [40, 10, 0, -10]


@pytest.mark.parametrize("answer", [linear(ROW), [0.625, 0.25, 0.125, 0], [0.63, 0.25, 0.13, 0]])
def test_right_numbers_pass(answer):
    assert checks.linear_by_hand(answer, ROW).passed


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        (min_max(ROW), "min-max scaling"),
        ([1, 0.25, 0, -0.25], "not subtracted"),
        (decimal_scaling(ROW), "decimal scaling"),
        ([1, 0, 0, 0], "this is softmax"),
        ([0, 0.125, 0.25, 0.625], "another order"),
        ([0.5, 0.5, 0.5, 0], "sum to 1.500"),
        ([0.5, 0.3, 0.1, 0.1], "from the lowest"),
        ([0.5, 0.5], "write down 4 numbers"),
        ("none", "write down 4 numbers"),
        (None, "dots"),
        (..., "dots"),
    ],
)
def test_wrong_numbers_are_named(answer, name):
    verdict = checks.linear_by_hand(answer, ROW)
    assert not verdict.passed
    assert name in verdict.message


def by_hand(scores):
    """A right answer that a student would write without attnlib."""
    above = scores - scores.min(axis=1, keepdims=True)
    sums = above.sum(axis=1, keepdims=True)
    return np.divide(above, sums, out=np.full(scores.shape, 1 / scores.shape[1]), where=sums > 0)


def zero_over_zero(scores):
    above = scores - scores.min(axis=1, keepdims=True)
    return above / above.sum(axis=1, keepdims=True)


def zeros_if_constant(scores):
    above = scores - scores.min(axis=1, keepdims=True)
    return above / np.maximum(above.sum(axis=1, keepdims=True), 1e-12)


def one_minimum(scores):
    above = scores - scores.min()
    return above / above.sum(axis=1, keepdims=True)


def writes_to_its_input(scores):
    scores -= scores.min(axis=1, keepdims=True)
    return by_hand(scores)


@pytest.mark.parametrize("function", [linear, by_hand, writes_to_its_input])
def test_right_functions_pass(function):
    assert checks.linear_weights(function).passed


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (lambda scores: linear(scores, axis=0), "columns sum to one"),
        (min_max, "divide by its sum"),
        (lambda scores: min_max(scores, axis=0), "the columns are scaled"),
        (one_minimum, "each row has its own"),
        (lambda scores: (scores - scores.min()) / (scores - scores.min()).sum(), "shares one unit"),
        (lambda scores: scores / scores.sum(axis=1, keepdims=True), "not subtracted"),
        (lambda scores: scores - scores.min(axis=1, keepdims=True), "not divided"),
        (softmax, "no exponential"),
        (zero_over_zero, "0/0"),
        (zeros_if_constant, "a constant row is shared equally"),
        (lambda scores: np.zeros(3), "the shape is (3,)"),
        (lambda scores: np.full(scores.shape, 0.25), "on paper"),
        (lambda scores: "three", "returned a str"),
        (lambda scores: 1 / 0, "raised ZeroDivisionError"),
        (lambda scores: ..., "returned None"),
    ],
)
def test_wrong_functions_are_named(function, name):
    verdict = checks.linear_weights(function)
    assert not verdict.passed
    assert repr(verdict).startswith("not yet: ")
    assert name in verdict.message
