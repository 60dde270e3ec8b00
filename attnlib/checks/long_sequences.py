"""Checks of the exercises in learning/long_sequences.

>>> stream(lambda blocks: None)
not yet: the function returned None; return one number
"""

from collections.abc import Callable

import numpy as np

from attnlib.checks._verdict import Verdict, call, not_yet, number, right, same


def next_sum(answer: float, largest: float, total: float, score: float) -> Verdict:
    """Check the sum of powers, to two decimals, after one more score of a stream has come in.

    >>> next_sum(1.55, largest=2, total=1.5, score=3)
    right: the log-sum-exp goes from 2.405 to 3.439
    >>> next_sum(2.5, largest=2, total=1.5, score=3)
    not yet: the old sum has to shrink, since the largest score has changed
    >>> next_sum(..., largest=2, total=1.5, score=3)
    not yet: put your number in place of the dots
    """
    answer = number(answer)
    if answer is None:
        return not_yet("put your number in place of the dots")
    if not 0 <= answer < np.inf:
        return not_yet("a sum of powers is one positive number")
    new = max(largest, score)
    shrink, added = np.exp(largest - new), np.exp(score - new)
    expected = total * shrink + added
    if abs(answer - expected) <= 0.005:
        before, after = largest + np.log(total), new + np.log(expected)
        return right(f"the log-sum-exp goes from {before:.3f} to {after:.3f}")
    named = [
        (total + added, "the old sum has to shrink, since the largest score has changed"),
        (total / shrink + added, "the old sum shrinks; this makes it grow"),
        (total * shrink, "the new score has to be added as well"),
        (total + np.exp(score - largest), "this is the sum measured from the old largest score"),
        (total * shrink + np.exp(score), "the new score is measured from the largest score, too"),
        (new + np.log(expected), "this is the log-sum-exp; give the sum itself"),
    ]
    for wrong, sentence in named:
        if abs(answer - wrong) <= 0.005:
            return not_yet(sentence)
    return not_yet(
        "shrink the old sum by e to (old largest - new largest), then add e to (score - new largest)"
    )


def stream(function: Callable) -> Verdict:
    """Check a student's `function(blocks)`: the log-sum-exp of all scores of an iterator of arrays.

    Told apart: the old sum not shrunk, the largest score not added again, the logarithm missing, the last
    block alone, a mean, a sum of the log-sum-exps, a block that is masked as a whole, overflow.

    >>> def in_one_go(blocks):
    ...     return np.logaddexp.reduce(np.concatenate(list(blocks)))
    >>> stream(in_one_go)
    right: it agrees with the whole row, for large scores and masked blocks too
    """
    rng = np.random.default_rng(4)
    blocks = [rng.normal(size=n) + level for n, level in ((3, 0.0), (4, 1.5), (2, 3.0))]
    largest = [max(b.max() for b in blocks[: i + 1]) for i in range(3)]
    expected = _log_sum_exp(np.concatenate(blocks))
    answer = call(function, iter(blocks))
    if answer is None:
        return not_yet("the function returned None; return one number")
    if isinstance(answer, Verdict):
        return answer
    if answer.shape != ():
        return not_yet(f"the shape is {answer.shape}; return one number")
    careless = sum(np.exp(b - m).sum() for b, m in zip(blocks, largest, strict=True))
    parts = [_log_sum_exp(b) for b in blocks]
    mistakes = [
        (largest[-1] + np.log(careless), "the old sum is not shrunk when a larger score comes in"),
        (expected - largest[-1], "the largest score is not added again at the end"),
        (np.exp(expected - largest[-1]), "this is the sum; take its logarithm and add the largest score"),
        (np.exp(expected), "this is the sum of the powers; take its logarithm"),
        (largest[-1] + np.exp(expected - largest[-1]), "take the logarithm of the sum before you add"),
        (parts[-1], "this is the last block alone"),
        (parts[0], "this is the first block alone"),
        (expected - np.log(9), "this is the logarithm of a mean; sum the powers"),
        (np.sum(parts), "log-sum-exps do not add up; their powers do"),
        (largest[-1], "this is the largest score"),
    ]
    for wrong, sentence in mistakes:
        if same(answer, wrong):
            return not_yet(sentence)
    if not same(answer, expected):
        return not_yet(
            "the number differs; try blocks of one score and compare with your calculation on paper"
        )
    large = call(function, iter([b + 2000 for b in blocks]))
    if large is None or isinstance(large, Verdict) or not same(large, expected + 2000):
        return not_yet("right, but large scores overflow; measure them from the largest so far")
    gone = np.full(3, -np.inf)
    masked = call(function, iter([gone, *blocks, gone]))
    if masked is None or isinstance(masked, Verdict) or not same(masked, expected):
        return not_yet("right, but a block of -inf alone breaks it: -inf less -inf is not a number")
    return right("it agrees with the whole row, for large scores and masked blocks too")


def _log_sum_exp(scores):
    return np.logaddexp.reduce(scores)
