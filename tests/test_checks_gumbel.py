"""The checks of transforms/gumbel: each likely mistake is caught by name, and right answers pass."""

import numpy as np
import pytest

from attnlib import gumbel_softmax, softmax
from attnlib.checks import gumbel as checks


@pytest.mark.parametrize("answer", [0.27, 1 / (1 + np.e)])
def test_upset(answer):
    assert checks.upset(answer, 1).passed


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        (0.73, "higher one wins"),
        (0.37, "the odds"),
        (0.5, "same for both"),
        (0, "larger than the gap"),
        (0.1, "a draw from the softmax"),
        (1.5, "between 0 and 1"),
        (np.nan, "between 0 and 1"),
        ([0.5, 0.5], "between 0 and 1"),
        ("half", "between 0 and 1"),
        (None, "dots"),
        (..., "dots"),
    ],
)
def test_wrong_upsets_are_named(answer, name):
    verdict = checks.upset(answer, 1)
    assert not verdict.passed
    assert name in verdict.message


def gumbel(shape, rng):
    return -np.log(-np.log(rng.random(shape)))


def with_noise(noise):
    return lambda scores, rng: (scores + noise(scores.shape, rng)).argmax(axis=1)


def inverse(scores, rng):
    """A right answer without Gumbel noise: the first item whose running sum exceeds a uniform number."""
    return (softmax(scores).cumsum(axis=1) > rng.random((len(scores), 1))).argmax(axis=1)


def library(scores, rng):
    return gumbel_softmax(scores, rng=rng, hard=True).argmax(axis=1)


@pytest.mark.parametrize("function", [with_noise(gumbel), inverse, library])
def test_right_draws_pass(function):
    assert checks.draw(function).passed


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (with_noise(lambda shape, rng: -gumbel(shape, rng)), "the sign of the noise"),
        (with_noise(lambda shape, rng: -np.log(rng.random(shape))), "one logarithm"),
        (with_noise(lambda shape, rng: np.log(rng.random(shape))), "one logarithm"),
        (with_noise(lambda shape, rng: rng.random(shape)), "is uniform"),
        (with_noise(lambda shape, rng: rng.normal(size=shape)), "is normal"),
        (with_noise(lambda shape, rng: gumbel(shape[1], rng)), "noise of its own"),
        (with_noise(lambda shape, rng: 0), "no noise has been added"),
        (lambda scores, rng: (softmax(scores) + gumbel(scores.shape, rng)).argmax(axis=1), "to the weights"),
        (lambda scores, rng: (scores + gumbel(scores.shape, rng)).argmin(axis=1), "takes the smallest"),
        (lambda scores, rng: rng.integers(4, size=len(scores)), "have no effect"),
        (lambda scores, rng: (scores + 2 * gumbel(scores.shape, rng)).argmax(axis=1), "the softmax gives it"),
        (lambda scores, rng: (scores + gumbel(scores.shape, rng)).argmax(axis=0), "along axis 1"),
        (lambda scores, rng: softmax(scores + gumbel(scores.shape, rng)), "index of the winner"),
        (lambda scores, rng: (scores + gumbel(scores.shape, rng)).argmax(), "the shape is ()"),
        (lambda scores, rng: (scores + gumbel(scores.shape, rng)).max(axis=1), "a whole number"),
        (lambda scores, rng: library(np.tile([1.5, 1, 0, -1], (len(scores), 1)), rng), "wrong for others"),
        (lambda scores, rng: np.full(len(scores), np.nan), "a whole number"),
        (lambda scores, rng: "three", "returned a str"),
        (lambda scores, rng: 1 / 0, "raised ZeroDivisionError"),
        (lambda scores, rng: ..., "returned None"),
    ],
)
def test_wrong_draws_are_named(function, name):
    verdict = checks.draw(function)
    assert not verdict.passed
    assert repr(verdict).startswith("not yet: ")
    assert name in verdict.message
