"""The checks of transforms/margins: each likely mistake is caught by name, and right answers pass."""

import numpy as np
import pytest

from attnlib import a_softmax, am_softmax, angular_margin, cosine_score
from attnlib.checks import margins as checks


@pytest.mark.parametrize("answer", [1 - np.cos(np.pi / 4), 0.29])
def test_largest_margin(answer):
    assert checks.largest_margin(answer, 8).passed


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        (0.71, "what remains"),
        (1 - np.cos(np.pi / 8), "not half of one"),
        (np.pi / 4, "in radians"),
        (1 - np.cos(45), "expects radians"),
        (0.1, "too small"),
        (0.5, "too large"),
        (-0.1, "zero or more"),
        (np.nan, "zero or more"),
        ([0.5, 0.5], "zero or more"),
        ("half", "zero or more"),
        (None, "dots"),
        (..., "dots"),
    ],
)
def test_wrong_largest_margins_are_named(answer, name):
    verdict = checks.largest_margin(answer, 8)
    assert not verdict.passed
    assert name in verdict.message


def by_hand(features, weights, labels, scale, margin):
    x = features / np.linalg.norm(features, axis=1, keepdims=True)
    w = weights / np.linalg.norm(weights, axis=1, keepdims=True)
    cosines = x @ w.T
    cosines[np.arange(len(labels)), labels] -= margin
    return scale * cosines


def test_additive_margin_logits():
    assert checks.additive_margin_logits(by_hand).passed


def with_lengths(x, w, y, s, m, features=True, classes=True):
    cosines = cosine_score(x, w)
    cosines *= np.linalg.norm(x, axis=1, keepdims=True) if features else 1
    cosines *= np.linalg.norm(w, axis=1) if classes else 1
    return s * (cosines - m * np.eye(3)[y])


def in_the_angle(x, w, y, s, m):
    own = np.eye(3, dtype=bool)[y]
    theta = np.arccos(cosine_score(x, w))
    return s * np.cos(theta + m * own)


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (lambda x, w, y, s, m: am_softmax(x, w, y, scale=s, margin=0), "margin has no effect"),
        (lambda x, w, y, s, m: s * (cosine_score(x, w) - m), "comes off every class"),
        (lambda x, w, y, s, m: s * (cosine_score(x, w) - m * (1 - np.eye(3)[y])), "the wrong classes"),
        (lambda x, w, y, s, m: am_softmax(x, w, y, scale=s, margin=-m), "the margin is added;"),
        (lambda x, w, y, s, m: am_softmax(x, w, y, scale=s, margin=m / s), "after scaling"),
        (in_the_angle, "as in ArcFace"),
        (lambda *given: with_lengths(*given, classes=False), "the features are not divided"),
        (lambda *given: with_lengths(*given, features=False), "the class vectors are not divided"),
        (with_lengths, "nothing is divided"),
        (lambda x, w, y, s, m: am_softmax(x, w, y, scale=1, margin=m), "scale has no effect"),
        (lambda x, w, y, s, m: a_softmax(x, w, y, margin=2), "compare the first row"),
        (lambda x, w, y, s, m: am_softmax(x, w, y, scale=s, margin=m).T, "the shape is (3, 4)"),
        (lambda *_: None, "returned None"),
        (lambda *_: "three", "returned a str"),
        (lambda *_: 1 / 0, "raised ZeroDivisionError"),
    ],
)
def test_wrong_logits_are_named(function, name):
    verdict = checks.additive_margin_logits(function)
    assert not verdict.passed
    assert name in verdict.message


def pieces(theta, m):
    return np.minimum(np.floor(m * theta / np.pi), m - 1)


def psi(theta, m):
    k = pieces(theta, m)
    return (-1) ** k * np.cos(m * theta) - 2 * k


def next_piece_at_pi(theta, m):
    """Right as well: where two pieces meet, both have the same value."""
    k = np.floor(m * theta / np.pi)
    return (-1) ** k * np.cos(m * theta) - 2 * k


@pytest.mark.parametrize("function", [psi, next_piece_at_pi])
def test_stretched_cosine(function):
    assert checks.stretched_cosine(function).passed


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (lambda t, m: np.cos(m * t), "alone"),
        (lambda t, m: (-1) ** pieces(t, m) * np.cos(m * t), "-2k is missing"),
        (lambda t, m: np.cos(m * t) - 2 * pieces(t, m), "(-1)^k is missing"),
        (lambda t, m: np.cos(m * t) - 2 * np.floor(m * t / np.pi), "(-1)^k is missing"),
        (lambda t, m: psi(t, m) + 4 * pieces(t, m), "2k is added"),
        (lambda t, m: next_piece_at_pi(t, m) + 4 * np.floor(m * t / np.pi), "2k is added"),
        (lambda t, m: np.cos(t) - 2 * pieces(t, m), "not multiplied by m"),
        (lambda t, m: m * np.cos(t), "it multiplies the angle"),
        (lambda t, m: angular_margin(t, 3), "psi differs for m = 1"),
        (lambda t, m: np.zeros(2), "the shape is (2,)"),
        (lambda t, m: None, "returned None"),
        (lambda t, m: 1 / 0, "raised ZeroDivisionError"),
    ],
)
def test_wrong_curves_are_named(function, name):
    verdict = checks.stretched_cosine(function)
    assert not verdict.passed
    assert name in verdict.message
