"""Checks of the exercises in transforms/softmax.

>>> log_sum_exp(lambda scores: None)
not yet: the function returned None; return an array of shape (3,)
"""

from collections.abc import Callable

import numpy as np

from attnlib.checks._verdict import Verdict, call, not_yet, number, ratio, right, same
from attnlib.transforms import exponential


def temperature_of_base(answer: float, base: float) -> Verdict:
    """Check the temperature, to two decimals, at which softmax shares out by powers of `base`.

    >>> temperature_of_base(1.44, 2)
    right: at T = 1.440 a score that is larger by 1 gets 2.003 times the weight
    >>> temperature_of_base(0.69, 2)
    not yet: this is 1 / T
    >>> temperature_of_base(..., 2)
    not yet: put your number in place of the dots
    """
    answer = number(answer)
    if answer is None:
        return not_yet("put your number in place of the dots")
    if not 0 < answer < np.inf:
        return not_yet("a temperature is one positive number")
    weights = exponential.softmax([1.0, 0.0], temperature=answer)
    reached = f"at T = {answer:.3f} a score that is larger by 1 gets {ratio(*weights)} times the weight"
    expected = 1 / np.log(base)
    named = {
        1 / expected: "this is 1 / T",
        float(base): "this is the base; the powers agree when the base is e to the power 1 / T",
        1 / base: "this is 1 / base; the powers agree when the base is e to the power 1 / T",
        1 / np.log10(base): "this takes the logarithm to base 10; take the natural one",
    }
    if abs(answer - expected) <= 0.005:
        return right(reached)
    for wrong, sentence in named.items():
        if abs(answer - wrong) <= 0.005:
            return not_yet(sentence)
    return not_yet(f"{reached}, not {base}; {'lower' if answer > expected else 'raise'} T")


def log_sum_exp(function: Callable) -> Verdict:
    """Check a student's `function(scores)` that returns the log-sum-exp of each row, (m, n) to (m,).

    Told apart: the maximum is not added again, the logarithm or the sum is missing, a mean is taken, the sum
    runs over columns or over everything, nothing is subtracted before exponentiating, or one maximum serves
    all rows.

    >>> log_sum_exp(lambda scores: np.logaddexp.reduce(scores, axis=1))
    right: it lies between the largest score and that plus log n, for scores of any size
    """
    z = np.random.default_rng(0).normal(size=(3, 4))
    expected = _log_sum_exp(z)
    answer = call(function, z)
    if answer is None:
        return not_yet(f"the function returned None; return an array of shape {expected.shape}")
    if isinstance(answer, Verdict):
        return answer
    mistakes = [
        (expected - z.max(axis=1), "the largest score was taken off and never added again"),
        (np.exp(expected), "this is the sum of the exponentials; take its logarithm"),
        (expected - np.log(4), "this is the logarithm of a mean; sum the exponentials"),
        (_log_sum_exp(z.T), "this sums over each column; sum over each row"),
        (_log_sum_exp(z.reshape(1, -1))[0], "this sums over all rows together; each row has its own"),
        (exponential.log_softmax(z), "these are the logarithms of the weights; return one number per row"),
        (exponential.softmax(z), "these are the weights; return one number per row"),
    ]
    for wrong, sentence in mistakes:
        if answer.shape == np.shape(wrong) and same(answer, wrong):
            return not_yet(sentence)
    if answer.shape != expected.shape:
        return not_yet(f"the shape is {answer.shape}; one number per row is {expected.shape}")
    if not same(answer, expected):
        return not_yet("the numbers differ; compare the first row with your own calculation on paper")
    for shift, sentence in (
        (1000.0, "large scores overflow; subtract the largest score before you exponentiate"),
        (-1000.0, "the logarithm of 0; subtract the largest score before you exponentiate"),
        ([[1000.0], [0.0], [-1000.0]], "one maximum for all rows; subtract from each row its own"),
    ):
        moved = call(function, z + shift)
        if isinstance(moved, Verdict) or moved is None or not np.isfinite(moved).all():
            return not_yet(sentence)
        if not same(moved, expected + np.ravel(shift)):
            return not_yet("right for small scores and wrong for large ones: a shift by c must move it by c")
    z[:, 1] = -np.inf
    dropped = call(function, z)
    if isinstance(dropped, Verdict) or dropped is None or not same(dropped, _log_sum_exp(z)):
        return not_yet("a score of -inf must add nothing to the sum")
    return right("it lies between the largest score and that plus log n, for scores of any size")


def _log_sum_exp(scores):
    return np.logaddexp.reduce(scores, axis=1)
