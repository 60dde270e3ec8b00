"""Checks of the exercises in learning/generalization.

>>> calibration_error(lambda probabilities, labels, bins: None)
not yet: the function returned None; return one number
"""

from collections.abc import Callable

import numpy as np

from attnlib.checks._verdict import Verdict, call, not_yet, number, right, same
from attnlib.measures import expected_calibration_error
from attnlib.transforms import exponential


def same_weights(answer: float, temperature: float) -> Verdict:
    """Check the factor by which queries must be multiplied at T = 1 to give the weights of this temperature.

    The answer has two decimals.

    >>> same_weights(1.33, 0.75)
    right: queries 1.33 times as long at T = 1 score like the old ones at T = 0.75
    >>> same_weights(0.75, 0.75)
    not yet: this makes the scores smaller; a low temperature makes them larger
    >>> same_weights(..., 0.75)
    not yet: put your number in place of the dots
    """
    answer = number(answer)
    if answer is None:
        return not_yet("put your number in place of the dots")
    if not 0 < answer < np.inf:
        return not_yet("a factor is one positive number")
    T = temperature
    if abs(answer - 1 / T) <= 0.005:
        return right(
            f"queries {answer:.2f} times as long at T = 1 score like the old ones at T = {temperature:g}"
        )
    low = "a low temperature makes them larger" if T < 1 else "a high temperature makes them smaller"
    named = [
        (T, f"this makes the scores {'smaller' if T < 1 else 'larger'}; {low}"),
        (T**-2, "the scores are proportional to the queries: no square is needed"),
        (T**-0.5, "this shares the factor between queries and keys; the keys stay as they are"),
        (1.0, "at T = 1 the old queries give the old scores; their length has to change"),
        (np.exp(1 / T - 1), "no exponential is needed: compare the scores, not the weights"),
    ]
    for wrong, sentence in named:
        if abs(answer - wrong) <= 0.005:
            return not_yet(sentence)
    return not_yet("the scores q · k / T must stay the same")


def calibration_error(function: Callable) -> Verdict:
    """Check a student's `function(probabilities, labels, bins)`: the calibration error in equal-width bins.

    Told apart: the plain mean over bins, differences that cancel, squares, the sum left undivided, the
    probability of the label in place of the confidence, all classes in place of the largest one, bins of
    equal size, empty bins that give NaN, one number of bins for all, the confidence alone.

    >>> calibration_error(expected_calibration_error)
    right: the distance of confidence and accuracy, bin by bin, weighted by the share of samples
    """
    rng = np.random.default_rng(3)
    z = np.concatenate([rng.normal(size=(150, 4)) * 1.5, rng.normal(size=(90, 4)) * 0.2])
    p = exponential.softmax(z)
    labels, bins = np.where(rng.random(240) < 0.6, p.argmax(axis=1), rng.integers(0, 4, 240)), 12
    answer = call(function, p, labels, bins)
    if answer is None:
        return not_yet("the function returned None; return one number")
    if isinstance(answer, Verdict):
        return answer
    if answer.size != 1:
        return not_yet(f"the function returned {answer.size} numbers; return one")
    answer = answer.reshape(())
    if np.isnan(answer):
        return not_yet("an empty bin has no mean, so the result is not a number; leave empty bins out")
    expected = expected_calibration_error(p, labels, bins)
    if not same(answer, expected):
        for wrong, sentence in _slips(p, labels, bins, expected):
            if same(answer, wrong):
                return not_yet(sentence)
        return not_yet("the number differs; try one bin: the distance of mean confidence and accuracy")
    other = call(function, p, labels, 5)
    if other is None or isinstance(other, Verdict):
        return not_yet("right with 12 bins, but not a number with 5")
    if other.size != 1 or not same(other.reshape(()), expected_calibration_error(p, labels, 5)):
        return not_yet("right with 12 bins and wrong with 5; use the argument")
    return right("the distance of confidence and accuracy, bin by bin, weighted by the share of samples")


def _slips(p, labels, bins, expected):
    """Return pairs (wrong answer, what leads to it)."""
    confidence, hit = p.max(axis=1), p.argmax(axis=1) == labels
    place = np.minimum((confidence * bins).astype(int), bins - 1)
    of_label = p[np.arange(len(p)), labels]
    gaps = [(hit - confidence)[place == b] for b in range(bins)]
    means = np.array([gap.mean() for gap in gaps if gap.size])
    share = np.array([gap.size for gap in gaps if gap.size]) / len(p)
    by_size = np.array_split((hit - confidence)[np.argsort(confidence, kind="stable")], bins)
    each = np.eye(p.shape[1])[labels]
    cell = np.minimum((p * bins).astype(int), bins - 1)
    by_label = np.minimum((of_label * bins).astype(int), bins - 1)
    return [
        (np.abs(means).mean(), "this is the plain mean over bins; weigh each by its share of samples"),
        (np.abs(means).sum() / bins, "this is the plain mean over bins; weigh each by its share of samples"),
        (np.abs(share @ means), "differences of opposite sign cancel; take the distance in each bin"),
        (share @ means, "differences of opposite sign cancel; take the distance in each bin"),
        (share @ means**2, "take the distance in each bin, not its square"),
        (np.sqrt(share @ means**2), "take the distance in each bin, not its square"),
        (expected * len(p), "divide by the number of samples"),
        (np.abs(means).max(), "this is the worst bin; take the mean over all"),
        (
            np.abs(np.bincount(by_label, hit - of_label)).sum() / len(p),
            "this bins the probability of the label; confidence is the largest probability",
        ),
        (
            np.abs(np.bincount(cell.ravel(), (each - p).ravel())).sum() / p.size,
            "this takes every class; confidence is the largest probability of a sample",
        ),
        (
            np.abs(np.bincount(cell.ravel(), (each - p).ravel())).sum() / len(p),
            "this takes every class; confidence is the largest probability of a sample",
        ),
        (
            np.abs([gap.sum() for gap in by_size]).sum() / len(p),
            "these bins hold equally many samples; the bins asked for are equally wide",
        ),
        (1 - hit.mean(), "this is how often the answer is wrong; compare confidence with accuracy"),
        (confidence.mean(), "this is the mean confidence; compare it with accuracy, bin by bin"),
    ]
