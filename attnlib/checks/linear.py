"""Checks of the exercises in transforms/linear.

>>> linear_weights(lambda scores: None)
not yet: the function returned None; return an array of shape (3, 4)
"""

from collections.abc import Callable

import numpy as np

from attnlib.checks._verdict import Verdict, call, find_fault, not_yet, right, same
from attnlib.transforms import exponential, scaling


def linear_by_hand(answer, row) -> Verdict:
    """Check the linear weights of a row, written down to two decimals or more.

    >>> linear_by_hand([0.625, 0.25, 0.125, 0], [40, 10, 0, -10])
    right: each score from the lowest, divided by their sum of 80
    >>> linear_by_hand([1, 0.4, 0.2, 0], [40, 10, 0, -10])
    not yet: this is min-max scaling; divide it by its sum
    >>> linear_by_hand(..., [40, 10, 0, -10])
    not yet: put your numbers in place of the dots
    """
    if answer is None or answer is Ellipsis:
        return not_yet("put your numbers in place of the dots")
    answer = call(lambda: answer)
    if isinstance(answer, Verdict) or answer.shape != np.shape(row) or not np.isfinite(answer).all():
        return not_yet(f"write down {len(row)} numbers, one weight for each score")
    row = np.asarray(row, dtype=float)
    mistakes = [
        (scaling.min_max(row), "this is min-max scaling; divide it by its sum"),
        (row / row.sum(), "this divides by the sum, but the lowest score is not subtracted first"),
        (scaling.decimal_scaling(row), "this is decimal scaling"),
        (exponential.softmax(row), "this is softmax; linear scaling has no exponential"),
        (np.sort(scaling.linear(row)), "these are the right numbers in another order"),
    ]
    for wrong, sentence in mistakes:
        if np.allclose(answer, wrong, atol=0.006):
            return not_yet(sentence)
    if np.allclose(answer, scaling.linear(row), atol=0.006):
        return right(f"each score from the lowest, divided by their sum of {(row - row.min()).sum():g}")
    if abs(answer.sum() - 1) > 0.02:
        return not_yet(f"the weights sum to {answer.sum():.3f}; they should share out 1")
    return not_yet("they sum to one, yet some weight is wrong; measure every score from the lowest")


def linear_weights(function: Callable) -> Verdict:
    """Check a student's `function(scores)` that scales each row linearly; a constant row is shared equally.

    Mistakes told apart: the columns are scaled, the minimum is that of the whole table, the minimum is not
    subtracted, the row is divided by its range and not by its sum, and a constant row is 0/0 or zeros.

    >>> from attnlib import linear
    >>> linear_weights(linear)
    right: every row is measured from its own lowest score, and a constant row is shared equally
    """
    scores = np.array([[2.0, -1.0, 0.5, 3.0], [-4.0, 1.0, 0.0, -2.0], [0.3, 0.1, 0.2, 0.5]])
    expected = scaling.linear(scores)
    low = scores.min()
    mistakes = [
        (scaling.linear(scores, axis=0), "the columns sum to one; scale along the keys, so that rows do"),
        (scaling.min_max(scores), "each row is divided by its range; divide by its sum"),
        (scaling.min_max(scores, axis=0), "the columns are scaled, by their range; scale rows, by their sum"),
        ((scores - low) / (scores - low).sum(axis=1, keepdims=True),
         "the lowest score of the whole table is subtracted; each row has its own"),
        ((scores - low) / (scores - low).sum(),
         "the whole table shares one unit; each row shares its own"),
        (scores / scores.sum(axis=1, keepdims=True), "the lowest score is not subtracted first"),
        (scores - scores.min(axis=1, keepdims=True), "the rows are not divided by their sums"),
        (exponential.softmax(scores), "this is softmax; linear scaling has no exponential"),
    ]  # fmt: skip
    fault = find_fault(
        call(function, scores),
        expected,
        mistakes,
        shape="weights have that of the scores,",
        differs="the weights differ; compare the first row with your own calculation on paper",
    )
    if fault:
        return fault
    given = np.array([[5.0, 5.0, 5.0], [0.0, 1.0, 3.0]])
    flat = call(function, given)
    if not isinstance(flat, np.ndarray) or flat.shape != given.shape or not np.isfinite(flat).all():
        return not_yet("a constant row comes out as 0/0; share it equally")
    if not same(flat, scaling.linear([[5.0, 5.0, 5.0], [0.0, 1.0, 3.0]])):
        return not_yet("a constant row, or the row beside it, is wrong; a constant row is shared equally")
    return right("every row is measured from its own lowest score, and a constant row is shared equally")
