"""The checks of transforms/sinks_and_scale: each likely mistake is caught by name, and right answers pass."""

import numpy as np
import pytest

from attnlib import scalable_softmax, softmax, softmax_one
from attnlib.checks import sinks_and_scale as checks


@pytest.mark.parametrize("answer", [4 / np.log(999), 0.58, 4 / np.log(1000)])
def test_temperature_for_half(answer):
    assert checks.temperature_for_half(answer, 4, 1000).passed


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        (np.log(999) / 4, "this is 1 / T"),
        (4 / np.log10(999), "base ten"),
        (4 / np.log(499.5), "even odds"),
        (2.0, "lower T"),
        (0.3, "raise T"),
        (0, "one positive number"),
        (np.nan, "one positive number"),
        ([0.5, 0.5], "one positive number"),
        ("half", "one positive number"),
        (None, "dots"),
        (..., "dots"),
    ],
)
def test_wrong_temperatures_are_named(answer, name):
    verdict = checks.temperature_for_half(answer, 4, 1000)
    assert not verdict.passed
    assert name in verdict.message


def with_sink_by_hand(scores, sink):
    largest = np.maximum(scores.max(axis=1, keepdims=True), sink)
    powers = np.exp(scores - largest)
    return powers / (np.exp(sink - largest) + powers.sum(axis=1, keepdims=True))


def with_one_more_score(scores, sink):
    longer = np.concatenate([scores, np.full((len(scores), 1), sink)], axis=1)
    return softmax(longer)[:, :-1]


@pytest.mark.parametrize("function", [with_sink_by_hand, with_one_more_score])
def test_softmax_with_sink(function):
    verdict = checks.softmax_with_sink(function)
    assert verdict.passed
    assert repr(verdict).startswith("right: ")


def unstable(scores, sink):
    powers = np.exp(scores)
    return powers / (np.exp(sink) + powers.sum(axis=1, keepdims=True))


def clipped(scores, sink):
    return unstable(np.clip(scores, -50, 50), sink)


def below_the_largest(scores, sink):
    return softmax_one(scores - scores.max(axis=1, keepdims=True), sink=sink)


def the_one_stays(scores, sink):
    return softmax_one(scores - scores.max(axis=1, keepdims=True))


def kept(scores, sink):
    return softmax(np.concatenate([scores, np.full((len(scores), 1), sink)], axis=1))


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (lambda scores, sink: softmax(scores), "sum to one"),
        (lambda scores, sink: softmax_one(scores), "taken for 0"),
        (lambda scores, sink: softmax_one(scores, sink=np.log(sink)), "add its power"),
        (lambda scores, sink: softmax_one(scores, axis=0, sink=sink), "along the columns"),
        (below_the_largest, "not from the sink"),
        (the_one_stays, "the 1 in the sum stays"),
        (kept, "a column for the sink"),
        (unstable, "very high scores overflow"),
        (clipped, "wrong for very high ones"),
        (lambda scores, sink: np.zeros(3), "the shape is (3,)"),
        (lambda scores, sink: np.full((3, 4), 0.2), "compare the first row"),
        (lambda scores, sink: None, "returned None"),
        (lambda scores, sink: "three", "returned a str"),
        (lambda scores, sink: 1 / 0, "raised ZeroDivisionError"),
    ],
)  # fmt: skip
def test_wrong_sinks_are_named(function, name):
    verdict = checks.softmax_with_sink(function)
    assert not verdict.passed
    assert name in verdict.message


def scalable_by_hand(scores, mask, scale):
    n = mask.sum(axis=1, keepdims=True)
    z = np.where(mask, scale * np.log(n) * scores, -np.inf)
    powers = np.exp(z - z.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def test_scalable_softmax_with_mask():
    assert checks.scalable_softmax_with_mask(scalable_by_hand).passed


def length(mask):
    return mask.sum(axis=1, keepdims=True)


def subtracted(scores, mask, scale):
    return softmax(scores - scale * np.log(length(mask)), mask=mask)


def overflowing(scores, mask, scale):
    powers = np.exp(scale * np.log(length(mask)) * scores) * mask
    return powers / powers.sum(axis=1, keepdims=True)


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (lambda x, mask, s: softmax(s * np.log(x.shape[1]) * x, mask=mask), "only the kept keys count"),
        (subtracted, "subtracting a number from all changes nothing"),
        (lambda x, mask, s: softmax(x, mask=mask), "the length has no effect"),
        (lambda x, mask, s: softmax(s * length(mask) * x, mask=mask), "take the logarithm"),
        (lambda x, mask, s: softmax(s * np.log2(length(mask)) * x, mask=mask), "base 2"),
        (lambda x, mask, s: softmax(s * np.log10(length(mask)) * x, mask=mask), "base 10"),
        (lambda x, mask, s: scalable_softmax(x, mask=mask), "scale s has no effect"),
        (lambda x, mask, s: softmax(x / (s * np.log(length(mask))), mask=mask), "it multiplies them"),
        (lambda x, mask, s: scalable_softmax(x, scale=s) * mask, "mask comes after"),
        (lambda x, mask, s: softmax(s * np.log(length(mask)) * x) * mask, "mask comes after"),
        (lambda x, mask, s: scalable_softmax(x, scale=s), "the mask has no effect"),
        (lambda x, mask, s: softmax(s * np.log(length(mask)) * x), "only on n"),
        (lambda x, mask, s: scalable_softmax(x, axis=0, mask=mask, scale=s), "columns sum to one"),
        (lambda x, mask, s: softmax(s * np.log(length(mask)) * x, axis=0, mask=mask), "columns sum to one"),
        (overflowing, "large scores overflow"),
        (lambda x, mask, s: np.zeros(3), "the shape is (3,)"),
        (lambda x, mask, s: np.full((3, 4), 0.25), "compare the first row"),
        (lambda x, mask, s: None, "returned None"),
        (lambda x, mask, s: 1 / 0, "raised ZeroDivisionError"),
    ],
)  # fmt: skip
def test_wrong_scales_are_named(function, name):
    verdict = checks.scalable_softmax_with_mask(function)
    assert not verdict.passed
    assert name in verdict.message
