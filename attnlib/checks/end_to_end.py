"""Checks of the exercises in learning/end_to_end.

>>> revive(lambda scores, mask: None)
not yet: the function returned None; return an array of shape (5, 4)
"""

from collections import Counter
from collections.abc import Callable

import numpy as np

from attnlib.checks._verdict import Verdict, call, find_fault, not_yet, number, right, same


def dead_slot(answer: float, days: int) -> Verdict:
    """Check how often one fixed last digit of the day can be right in a month of so many days.

    The answer is a share, to two decimals.

    >>> dead_slot(0.1, days=30)
    right: the best digit is the last one of 3 days in 30
    >>> dead_slot(0.03, days=30)
    not yet: this is the share of a single day; a digit ends more than one
    >>> dead_slot(..., days=30)
    not yet: put your number in place of the dots
    """
    answer = number(answer)
    if answer is None:
        return not_yet("put your number in place of the dots")
    if not 0 <= answer <= 1:
        return not_yet("a share lies between 0 and 1")
    ends = Counter(day % 10 for day in range(1, days + 1)).most_common()
    firsts = Counter(day // 10 for day in range(1, days + 1)).most_common()
    most, fewest = ends[0][1], ends[-1][1]
    if abs(answer - most / days) <= 0.005:
        return right(f"the best digit is the last one of {most} days in {days}")
    named = [
        (0.0, "a slot that always writes the same digit is right now and then"),
        (1 / days, "this is the share of a single day; a digit ends more than one"),
        (firsts[0][1] / days, "this is the first digit of the day; the slot writes the last one"),
        (1 - most / days, "this is how often the slot is wrong"),
        (2 / 12, "this is the month's last digit; the slot writes the day's"),
        (1 / 12, "there are more days than months, and a digit ends several of them"),
        (fewest / days, "this is the worst digit; take the one that ends most days"),
    ]
    for wrong, sentence in named:
        if abs(answer - wrong) <= 0.005:
            return not_yet(sentence)
    return not_yet(f"count the days from 1 to {days} that end in the same digit")


def revive(function: Callable) -> Verdict:
    """Check a student's `function(scores, mask)`: the push of the hinge on dead rows, an array (m, n).

    It is -1 at the largest kept score of each row that has no positive kept score, 0 elsewhere. Told apart:
    the mask forgotten, live rows pushed as well, the sign turned, the smallest score or the whole row
    pulled, the largest of each column, masked scores set to 0, a score of exactly 0 taken for alive.

    >>> def solution(scores, mask):
    ...     kept = np.where(mask, scores, -np.inf)
    ...     top = kept.max(axis=1, keepdims=True)
    ...     return -1.0 * ((top <= 0) & (kept == top))
    >>> revive(solution)
    right: dead rows are pulled up at their largest kept score, and live rows are left alone
    """
    z = np.array(
        [
            [-1.5, -0.5, -2.0, 0.7],
            [0.4, -1.0, 2.5, -3.0],
            [-0.2, -0.9, -4.0, -1.1],
            [-0.6, 0.0, -0.3, -2.2],
            [-2.4, -1.7, 0.3, 0.9],
        ]
    )
    mask = np.array([[True, True, True, False]] + [[True] * 4] * 3 + [[True, True, False, False]])
    kept = np.where(mask, z, -np.inf)

    def pull(scores, axis=1, dead=None):
        top = scores.max(axis=axis, keepdims=True)
        return -1.0 * ((top <= 0 if dead is None else dead) & (scores == top))

    expected, low = pull(kept), np.where(mask, z, np.inf)
    dead = kept.max(axis=1, keepdims=True) <= 0
    mistakes = [
        (pull(z), "the mask was forgotten: a masked score neither keeps a row alive nor is pulled"),
        (pull(z, dead=dead), "the largest score of a row may be masked; take the largest kept one"),
        (pull(kept, dead=True), "rows with a positive kept score are alive; leave them alone"),
        (pull(kept, dead=~dead), "these are the live rows; push the dead ones"),
        (-expected, "the sign is turned round: the hinge falls as the score rises"),
        (-1.0 * (dead & (low == low.min(axis=1, keepdims=True))), "this pulls the smallest score of a row"),
        (-1.0 * (dead & mask), "this pulls the whole row; pull its largest kept score only"),
        (pull(kept, axis=0), "this runs down the columns; each slot has a row"),
        (pull(np.where(mask, z, 0.0)), "masked scores set to 0 win; they must lose: use -inf"),
        (
            pull(kept, dead=kept.max(axis=1, keepdims=True) < 0),
            "a largest score of exactly 0 has no weight either: that row is dead",
        ),
        (expected * -z, "the gradient of minus a score is -1, whatever the score"),
    ]
    answer = call(function, z, mask)
    fault = find_fault(
        answer,
        expected,
        mistakes,
        shape="one number for each score is",
        differs="-1 at the largest kept score of each row without a positive one, 0 elsewhere",
    )
    if fault:
        return fault
    swapped = call(function, z[::-1], mask[::-1])
    if swapped is None or isinstance(swapped, Verdict) or not same(swapped, expected[::-1]):
        return not_yet("right for these rows only; the answer must come from the scores and the mask")
    return right("dead rows are pulled up at their largest kept score, and live rows are left alone")
