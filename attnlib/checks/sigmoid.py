"""Checks of the exercises in transforms/sigmoid.

>>> one_by_one(lambda scores, mask, temperature: None)
not yet: the function returned None; return an array of shape (2, 4)
"""

from collections.abc import Callable

import numpy as np

from attnlib.checks._verdict import Verdict, call, find_fault, not_yet, number, right, same
from attnlib.transforms import exponential, logistic


def difference_for(answer: float, weight: float) -> Verdict:
    """Check the difference of two scores, to two decimals, that gives the first of them this weight.

    >>> difference_for(2.2, 0.9)
    right: scores that lie 2.200 apart share 0.900 to 0.100
    >>> difference_for(1.1, 0.9)
    not yet: this is t for the scores t and −t, which lie 2t apart
    >>> difference_for(..., 0.9)
    not yet: put your number in place of the dots
    """
    answer = number(answer)
    if answer is None:
        return not_yet("put your number in place of the dots")
    if not np.isfinite(answer):
        return not_yet("a difference is one number")
    odds = weight / (1 - weight)
    first = float(logistic.sigmoid([answer])[0])
    if abs(answer - np.log(odds)) <= 0.005:
        return right(f"scores that lie {answer:.3f} apart share {first:.3f} to {1 - first:.3f}")
    mistakes = [
        (np.log(odds) / 2, "this is t for the scores t and −t, which lie 2t apart"),
        (-np.log(odds), "the sign is turned: this is the second score less the first"),
        (np.log10(odds), "this is a logarithm to base 10; softmax is made of powers of e"),
        (odds, "this is the odds; the difference of the scores is their logarithm"),
        (np.log(weight), "this is the logarithm of the weight; take that of the odds"),
        (-np.log(1 - weight), "this is the logarithm of 1 / (1 − weight); take that of the odds"),
        (weight - (1 - weight), "this is the difference of the weights, not of the scores"),
    ]
    for wrong, sentence in mistakes:
        if abs(answer - wrong) <= 0.005:
            return not_yet(sentence)
    advice = "nearer together" if answer > np.log(odds) else "further apart"
    return not_yet(f"at {answer:.3f} the first gets {first:.3f}; the scores must lie {advice}")


def one_by_one(function: Callable) -> Verdict:
    """Check a student's `function(scores, mask, temperature)` that returns sigmoid attention.

    Wanted: sigmoid(scores / temperature − log n), n the kept entries of a row, 0 where an entry is dropped.
    Mistakes told apart: n counts dropped entries or queries, the bias is added, missing or divided by the
    temperature too, dropped entries keep a weight, the temperature multiplies, large scores overflow.

    >>> from attnlib import sigmoid_attention
    >>> one_by_one(lambda scores, mask, temperature:
    ...            sigmoid_attention(scores, mask=mask, temperature=temperature))
    right: each weight is a sigmoid of its own, lowered by the logarithm of the kept entries
    """
    scores = np.array([[2.0, -1.0, 0.5, 3.0], [-4.0, 1.0, 0.0, -2.0]])
    mask = np.array([[True, True, False, True], [True, False, True, False]])
    T = 0.5
    sigmoid, wanted = logistic.sigmoid, logistic.sigmoid_attention
    expected = wanted(scores, mask=mask, temperature=T)
    bias = np.log(mask.sum(axis=1, keepdims=True))
    mistakes = [
        (wanted(scores, temperature=T) * mask, "n counts the dropped entries too; count what the mask keeps"),
        (sigmoid(scores / T - np.log(mask.sum()), mask=mask), "n counts all rows together; each has its own"),
        (wanted(scores, axis=0, mask=mask, temperature=T), "n counts the queries; count keys in each row"),
        (sigmoid(scores / T - bias), "dropped entries have a weight; set it to 0"),
        (wanted(scores, temperature=T), "the mask has no effect"),
        (sigmoid(scores / T, mask=mask), "the bias is missing; subtract the logarithm of n"),
        (sigmoid(scores / T + bias, mask=mask), "the bias is added; subtract it"),
        (sigmoid((scores - bias) / T, mask=mask), "the temperature divides the bias too, not scores only"),
        (sigmoid(scores / T - np.exp(bias), mask=mask), "n is subtracted; subtract its logarithm"),
        (sigmoid(scores / T, mask=mask) / np.exp(bias), "the weights are divided by n; lower z by log n"),
        (wanted(scores, mask=mask, temperature=1 / T), "the temperature multiplies the scores, not divides"),
        (wanted(scores, mask=mask), "the temperature has no effect"),
        (exponential.softmax(scores, mask=mask, temperature=T), "this is softmax: the weights compete"),
    ]  # fmt: skip
    fault = find_fault(
        call(function, scores, mask, T),
        expected,
        mistakes,
        shape="weights have that of the scores,",
        differs="the weights differ; compare the first row with your own calculation on paper",
    )
    if fault:
        return fault
    large = call(function, 1e3 * scores, mask, T)
    if not isinstance(large, np.ndarray) or not np.isfinite(large).all():
        return not_yet("large scores overflow; raise e to −|z| only")
    if not same(large, wanted(1e3 * scores, mask=mask, temperature=T)):
        return not_yet("the weights are right for small scores and wrong for large ones")
    return right("each weight is a sigmoid of its own, lowered by the logarithm of the kept entries")


def bias_for_one(function: Callable, row) -> Verdict:
    """Check a student's `function(scores)` that finds the bias at which the sigmoids of a row sum to 1.

    >>> bias_for_one(lambda scores: -np.log(2), np.zeros(2))
    not yet: with b = -0.693 the sum is 0.667; raise b
    >>> bias_for_one(lambda scores: 0.0, np.zeros(2))
    right: with b = 0.000 the sum is 1.000
    """
    row = np.asarray(row, dtype=float)
    answer = call(function, row)
    if answer is None:
        return not_yet("the function returned None; return a bias")
    if isinstance(answer, Verdict):
        return answer
    if answer.ndim or not np.isfinite(answer):
        return not_yet("a bias is one number")
    reached, turned = (logistic.sigmoid(row + sign * answer).sum() for sign in (1, -1))
    if abs(reached - 1) <= 1e-3:
        return right(f"with b = {answer:.3f} the sum is {reached:.3f}")
    if abs(turned - 1) <= 1e-3:
        return not_yet("the sign is turned: b is added to the scores")
    return not_yet(f"with b = {answer:.3f} the sum is {reached:.3f}; {'lower' if reached > 1 else 'raise'} b")
