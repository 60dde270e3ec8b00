"""The checks of transforms/temperature: each likely mistake is caught by name, and right answers pass."""

import numpy as np
import pytest

from attnlib import dot_product_score, entropy, perplexity, scaled_dot_product_score, softmax
from attnlib.checks import temperature as checks


def right(query, key, mask, temperature):
    return softmax(scaled_dot_product_score(query, key), mask=mask, temperature=temperature)


def by_hand(query, key, mask, temperature):
    """A right answer that a student would write without attnlib."""
    scores = query @ key.T / np.sqrt(query.shape[1]) / temperature
    scores = np.where(mask, scores, -np.inf)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def wrong_axis(query, key, mask, temperature):
    return softmax(scaled_dot_product_score(query, key), axis=0, mask=mask, temperature=temperature)


def no_root(query, key, mask, temperature):
    return softmax(dot_product_score(query, key), mask=mask, temperature=temperature)


def masked_after(query, key, mask, temperature):
    return softmax(scaled_dot_product_score(query, key), temperature=temperature) * mask


def multiplied(query, key, mask, temperature):
    return softmax(scaled_dot_product_score(query, key) * temperature, mask=mask)


def no_maximum(query, key, mask, temperature):
    powers = np.exp(scaled_dot_product_score(query, key) / temperature) * mask
    return powers / powers.sum(axis=1, keepdims=True)


def no_mask(query, key, mask, temperature):
    return softmax(scaled_dot_product_score(query, key), temperature=temperature)


def no_temperature(query, key, mask, temperature):
    return softmax(scaled_dot_product_score(query, key), mask=mask)


def clipped(query, key, mask, temperature):
    """Finite for large scores, yet wrong: clipping merges the large ones."""
    powers = np.exp(np.clip(scaled_dot_product_score(query, key) / temperature, -30, 30)) * mask
    return powers / powers.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("function", [right, by_hand])
def test_right_weights_pass(function):
    verdict = checks.attention_weights(function)
    assert verdict.passed
    assert repr(verdict).startswith("right: ")


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (wrong_axis, "columns sum to one"),
        (no_root, "square root of the width"),
        (masked_after, "mask comes after the softmax"),
        (multiplied, "temperature multiplies"),
        (no_maximum, "subtract the largest score"),
        (no_mask, "mask has no effect"),
        (no_temperature, "temperature has no effect"),
        (clipped, "wrong for large ones"),
        (lambda *_: np.zeros(3), "the shape is (3,)"),
        (lambda *_: np.full((3, 4), 0.25), "compare the first row"),
        (lambda *_: "three", "returned a str"),
        (lambda *_: 1 / 0, "raised ZeroDivisionError"),
        (lambda *_: ..., "returned None"),
    ],
)
def test_wrong_weights_are_named(function, name):
    verdict = checks.attention_weights(function)
    assert not verdict.passed
    assert repr(verdict).startswith("not yet: ")
    assert name in verdict.message


def bisect(scores, target, measure=perplexity):
    low, high = 1e-3, 1e3
    for _ in range(80):
        middle = np.sqrt(low * high)
        low, high = (middle, high) if measure(softmax(scores, temperature=middle)) < target else (low, middle)
    return middle


ROW = np.array([3.0, 1.0, 0.5, 0.0, -1.0])


def test_temperature_for_perplexity():
    assert checks.temperature_for_perplexity(bisect, ROW, 2.5).passed


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (lambda scores, target: np.log(target), "raise T"),
        (lambda scores, target: 100.0, "lower T"),
        (lambda scores, target: -1.0, "one positive number"),
        (lambda scores, target: [1.0, 2.0], "one positive number"),
        (lambda scores, target: np.nan, "one positive number"),
        (lambda scores, target: None, "returned None"),
        (lambda scores, target: {}["x"], "raised KeyError"),
    ],
)
def test_wrong_temperatures_are_named(function, name):
    verdict = checks.temperature_for_perplexity(function, ROW, 2.5)
    assert not verdict.passed
    assert name in verdict.message


def test_entropy_taken_for_the_effective_number_is_named():
    verdict = checks.temperature_for_perplexity(lambda s, t: bisect(s, t, entropy), ROW, 1.2)
    assert "exponential" in verdict.message


@pytest.mark.parametrize("answer", [2 / np.log(3), 1.82])
def test_temperature_for_odds(answer):
    assert checks.temperature_for_odds(answer, 2, 3).passed


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        (0.55, "this is 1 / T"),
        (0.67, "an exponential of the gap"),
        (2.5, "lower T"),
        (1.0, "raise T"),
        (1.8, "raise T"),
        (-1.0, "one positive number"),
        (0, "one positive number"),
        (np.nan, "one positive number"),
        (None, "dots"),
        (..., "dots"),
    ],
)
def test_wrong_temperatures_for_odds_are_named(answer, name):
    verdict = checks.temperature_for_odds(answer, 2, 3)
    assert not verdict.passed
    assert name in verdict.message
