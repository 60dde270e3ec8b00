"""Checks of the exercises in foundations/uncertainty.

>>> row_entropies(lambda weights: None)
not yet: the function returned None; return an array of shape (4,)
"""

from collections.abc import Callable

import numpy as np

from attnlib import measures
from attnlib.checks._verdict import Verdict, call, not_yet, number, right, same


def effective_number(answer: float, weights) -> Verdict:
    """Check the effective number of a row of weights, to two decimals.

    >>> effective_number(3.36, [1/2, 1/4, 1/8, 1/8])
    right: e to the 1.213 is 3.364 items
    >>> effective_number(1.21, [1/2, 1/4, 1/8, 1/8])
    not yet: this is the entropy; the effective number is its exponential
    >>> effective_number(..., [0.5, 0.5])
    not yet: put your number in place of the dots
    """
    answer = number(answer)
    if answer is None:
        return not_yet("put your number in place of the dots")
    if not 0 < answer < np.inf:
        return not_yet("an effective number is one positive number")
    H, expected, weights = measures.entropy(weights), measures.perplexity(weights), np.asarray(weights)
    if abs(answer - expected) <= 0.006:
        return right(f"e to the {H:.3f} is {expected:.3f} items")
    mistakes = [
        (H, "this is the entropy; the effective number is its exponential"),
        (H / np.log(2), "this is the entropy in bits; the effective number is 2 to that power"),
        (np.exp(H / np.log(2)), "this is e to the entropy in bits; take e to nats, or 2 to bits"),
        (2**H, "this is 2 to the entropy in nats; take e to nats, or 2 to bits"),
        (weights.size, "this counts the items, however small their weights are"),
        (1 / weights.max(), "this looks at the largest weight alone"),
        (1 / (weights**2).sum(), "this squares the weights; the effective number uses the average surprise"),
    ]
    for wrong, sentence in mistakes:
        if abs(answer - wrong) <= 0.006:
            return not_yet(sentence)
    return not_yet("average the surprises, each with its own weight, then take the exponential")


def row_entropies(function: Callable) -> Verdict:
    """Check a student's `function(weights)` that returns the entropy of each row, in nats.

    Told apart: the wrong axis, one sum over everything, a missing sign, bits, a mean for the sum, the
    effective number, and zeros that give "not a number".

    >>> from attnlib import entropy
    >>> row_entropies(entropy)
    right: every row in nats, and a weight of zero counts nothing
    """
    powers = np.random.default_rng(0).exponential(size=(4, 3))
    weights = powers / powers.sum(axis=1, keepdims=True)
    expected = measures.entropy(weights)
    answer = call(function, weights)
    if answer is None:
        return not_yet(f"the function returned None; return an array of shape {expected.shape}")
    if isinstance(answer, Verdict):
        return answer
    columns = (-weights * np.log(weights)).sum(axis=0)
    if answer.shape == columns.shape and (
        same(answer, columns) or same(answer, measures.entropy(weights, 0))
    ):
        return not_yet("this runs down the columns; each row is a distribution of its own")
    if answer.ndim == 0:
        return not_yet("this is one number for the whole matrix; sum along each row only")
    if answer.shape != expected.shape:
        return not_yet(f"the shape is {answer.shape}; one number per row is {expected.shape}")
    mistakes = [
        (-expected, "the sign is missing: logarithms of weights are negative, a surprise is positive"),
        (expected / np.log(2), "these are bits; use the natural logarithm"),
        (expected / weights.shape[1], "this takes the plain mean; each surprise counts with its own weight"),
        (measures.perplexity(weights), "these are effective numbers; their logarithm is the entropy"),
        (-np.log(weights).sum(axis=1), "the surprises are added without their weights"),
        (-np.log(weights).mean(axis=1), "the surprises are averaged without their weights"),
    ]
    for wrong, sentence in mistakes:
        if same(answer, wrong):
            return not_yet(sentence)
    if not same(answer, expected):
        return not_yet("the numbers differ; compare the first row with your own calculation on paper")
    sparse = np.array([[0.5, 0.5, 0.0], [0.0, 1.0, 0.0]])
    zeros = call(function, sparse)
    if isinstance(zeros, Verdict) or zeros is None or not np.isfinite(zeros).all():
        return not_yet("a weight of zero gives 0 · log 0, which is not a number; it should count nothing")
    if not same(zeros, measures.entropy(sparse), atol=1e-6):
        return not_yet("right without zeros and wrong with them; a weight of zero should count nothing")
    return right("every row in nats, and a weight of zero counts nothing")
