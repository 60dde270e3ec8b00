"""The checks of applications/speech: each likely mistake is caught by name, and right answers pass."""

import numpy as np
import pytest

from attnlib import softmax
from attnlib.checks import speech as checks


def right(scores, padding):
    return softmax(np.column_stack([scores, padding]))[:, :-1]


def by_hand(scores, padding):
    """A right answer that a student would write without attnlib."""
    top = np.maximum(scores.max(axis=1), padding)[:, None]
    powers = np.exp(scores - top)
    return powers / (powers.sum(axis=1, keepdims=True) + np.exp(padding[:, None] - top))


def overflowing(scores, padding):
    powers = np.exp(scores)
    return powers / (powers.sum(axis=1) + np.exp(padding))[:, None]


def clipped(scores, padding):
    """Finite for large scores, yet wrong: clipping merges the large ones."""
    return overflowing(np.clip(scores, -30, 30), np.clip(padding, -30, 30))


def logarithm_added(scores, padding):
    powers = np.exp(scores)
    return powers / (powers.sum(axis=1) + padding)[:, None]


def along_tokens(scores, padding):
    powers = np.exp(scores)
    return powers / (powers.sum(axis=0) + np.exp(padding.mean()))


@pytest.mark.parametrize("function", [right, by_hand])
def test_right_weights_pass(function):
    verdict = checks.weights_with_silence(function)
    assert verdict.passed
    assert repr(verdict).startswith("right: ")


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (lambda s, p: softmax(s), "without the silence"),
        (logarithm_added, "logarithm of a sum"),
        (lambda s, p: softmax(np.column_stack([s, p])), "the last column is the silence"),
        (along_tokens, "columns sum to one"),
        (lambda s, p: np.exp(s) / np.exp(p)[:, None], "the sound counts in the sum"),
        (lambda s, p: softmax(s) * softmax(np.column_stack([s, p]))[:, -1:], "share of the silence"),
        (overflowing, "large scores overflow"),
        (clipped, "wrong for large ones"),
        (lambda s, p: np.zeros(3), "the shape is (3,)"),
        (lambda s, p: np.full((3, 5), 0.1), "compare the first row"),
        (lambda s, p: "three", "returned a str"),
        (lambda s, p: 1 / 0, "raised ZeroDivisionError"),
        (lambda s, p: None, "returned None"),
    ],
)
def test_wrong_weights_are_named(function, name):
    with np.errstate(over="ignore", invalid="ignore"):
        verdict = checks.weights_with_silence(function)
    assert not verdict.passed
    assert repr(verdict).startswith("not yet: ")
    assert name in verdict.message


@pytest.mark.parametrize("answer", [np.log(1335), 7.2])
def test_right_leads_pass(answer):
    assert checks.lead_for_half(answer, frames=1335).passed


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        (3.13, "base 10"),
        (10.38, "base 2"),
        (1335, "ratio of the powers"),
        (6.504, "equals all of them"),
        (5.0, "gets 0.100"),
        (-1.0, "one positive number"),
        (np.nan, "one positive number"),
        (..., "dots"),
        (None, "dots"),
    ],
)
def test_wrong_leads_are_named(answer, name):
    verdict = checks.lead_for_half(answer, frames=1335)
    assert not verdict.passed
    assert name in verdict.message
