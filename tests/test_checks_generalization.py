"""The checks of learning/generalization: each likely mistake is caught by name, and right answers pass."""

import numpy as np
import pytest

from attnlib import expected_calibration_error
from attnlib.checks import generalization as checks


def by_bins(p, labels, bins, take=lambda gap, share: share * abs(gap)):
    """Right with the default, and each slip with another way to take a bin."""
    confidence, hit = p.max(axis=1), p.argmax(axis=1) == labels
    total = 0.0
    for low in np.arange(bins) / bins:
        here = (confidence > low) & (confidence <= low + 1 / bins)
        if here.any():
            total += take(hit[here].mean() - confidence[here].mean(), here.mean())
    return total


def plain_mean(p, labels, bins):
    gaps = []
    by_bins(p, labels, bins, lambda gap, share: gaps.append(abs(gap)) or 0)
    return np.mean(gaps)


def empty_bins(p, labels, bins):
    confidence, hit = p.max(axis=1), p.argmax(axis=1) == labels
    edges = np.arange(bins) / bins
    inside = [(confidence > low) & (confidence <= low + 1 / bins) for low in edges]
    return sum(np.sum(i) * abs(np.sum(hit[i]) - np.sum(confidence[i])) / np.sum(i) for i in inside) / len(p)


def label_probability(p, labels, bins):
    q, hit = p[np.arange(len(p)), labels], p.argmax(axis=1) == labels
    place = np.digitize(q, np.arange(1, bins) / bins)
    return sum(abs((hit - q)[place == b].sum()) for b in range(bins)) / len(p)


def all_classes(p, labels, bins):
    place = np.digitize(p, np.arange(1, bins) / bins)
    gap = np.eye(p.shape[1])[labels] - p
    return sum(abs(gap[place == b].sum()) for b in range(bins)) / p.size


def equal_size(p, labels, bins):
    order = np.argsort(p.max(axis=1), kind="stable")
    gap = (p.max(axis=1) - (p.argmax(axis=1) == labels))[order]
    return sum(abs(part.sum()) for part in np.array_split(gap, bins)) / len(p)


@pytest.mark.parametrize("function", [expected_calibration_error, by_bins])
def test_right_errors_pass(function):
    verdict = checks.calibration_error(function)
    assert verdict.passed
    assert repr(verdict).startswith("right: ")


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (plain_mean, "plain mean over bins"),
        (lambda p, y, b: plain_mean(p, y, b) * 9 / b, "plain mean over bins"),  # 9 of 12 bins hold samples
        (lambda p, y, b: by_bins(p, y, b, lambda gap, share: share * gap), "opposite sign"),
        (lambda p, y, b: abs(by_bins(p, y, b, lambda gap, share: share * gap)), "opposite sign"),
        (lambda p, y, b: by_bins(p, y, b, lambda gap, share: share * gap**2), "not its square"),
        (lambda p, y, b: by_bins(p, y, b, lambda gap, share: share * gap**2) ** 0.5, "not its square"),
        (lambda p, y, b: by_bins(p, y, b) * len(p), "divide by the number of samples"),
        (label_probability, "probability of the label"),
        (all_classes, "every class"),
        (lambda p, y, b: all_classes(p, y, b) * p.shape[1], "every class"),
        (equal_size, "equally many samples"),
        (empty_bins, "leave empty bins out"),
        (lambda p, y, b: by_bins(p, y, 12), "use the argument"),
        (lambda p, y, b: by_bins(p, y, b) if b > 5 else None, "not a number with 5"),
        (lambda p, y, b: (p.argmax(axis=1) != y).mean(), "how often the answer is wrong"),
        (lambda p, y, b: p.max(axis=1).mean(), "mean confidence"),
        (lambda p, y, b: 0.5, "try one bin"),
        (lambda p, y, b: p.max(axis=1), "returned 240 numbers"),
        (lambda p, y, b: None, "returned None"),
        (lambda p, y: 0, "raised TypeError"),
    ],
)
def test_wrong_errors_are_named(function, name):
    verdict = checks.calibration_error(function)
    assert not verdict.passed
    assert name in verdict.message


def test_the_worst_bin_is_named():
    def worst(p, labels, bins):
        gaps = []
        by_bins(p, labels, bins, lambda gap, share: gaps.append(abs(gap)) or 0)
        return max(gaps)

    assert "worst bin" in checks.calibration_error(worst).message


def test_right_factors_pass():
    assert checks.same_weights(1.33, 0.75).passed
    assert checks.same_weights(4 / 3, 0.75).passed
    assert checks.same_weights(0.25, 4).passed


@pytest.mark.parametrize(
    ("answer", "temperature", "name"),
    [
        (0.75, 0.75, "a low temperature makes them larger"),
        (4, 4, "a high temperature makes them smaller"),
        (1.78, 0.75, "no square"),
        (1.155, 0.75, "keys stay as they are"),
        (1, 0.75, "has to change"),
        (1.396, 0.75, "no exponential"),
        (2.5, 0.75, "must stay the same"),
        (-1, 0.75, "positive"),
        (np.nan, 0.75, "positive"),
        (None, 0.75, "dots"),
        (..., 0.75, "dots"),
    ],
)
def test_wrong_factors_are_named(answer, temperature, name):
    verdict = checks.same_weights(answer, temperature)
    assert not verdict.passed
    assert name in verdict.message
