"""Checks of the exercises in foundations/normalization.

>>> weight_after(..., [0.5, 0.3, 0.2], 0.8)
not yet: put your number in place of the dots
"""

from collections.abc import Callable

import numpy as np

from attnlib.checks._verdict import Verdict, call, not_yet, number, right, same
from attnlib.transforms import exponential


def weight_after(answer: float, before, first_after: float) -> Verdict:
    """Check the new softmax weight of the second token, to two decimals, once the first has `first_after`.

    >>> weight_after(0.12, [0.5, 0.3, 0.2], 0.8)
    right: each of the others keeps 0.400 of its weight, the second 0.120
    >>> weight_after(0.15, [0.5, 0.3, 0.2], 0.8)
    not yet: the others do not pay the same amount; each pays the same share of what it has
    """
    answer = number(answer)
    if answer is None:
        return not_yet("put your number in place of the dots")
    before = np.asarray(before, dtype=float)
    first, second, *rest = before
    kept, gain = (1 - first_after) / (1 - first), first_after - first
    expected = second * kept
    if abs(answer - expected) <= 0.0051:
        return right(f"each of the others keeps {kept:.3f} of its weight, the second {expected:.3f}")
    mistakes = [
        (second, "then the weights sum to more than one; somebody has to pay"),
        (second - gain / (1 + len(rest)),
         "the others do not pay the same amount; each pays the same share of what it has"),
        (second - gain, "the second does not pay alone; all others share the bill"),
        (sum(rest) * kept, "this is what the third has now"),
        (second * (1 - first_after), "the others keep (1 - new) / (1 - old), not 1 - new"),
        (second * first / first_after, "the second does not shrink as the first grows; share what is left"),
        (second - expected, "this is what the second pays; what is left?"),
    ]  # fmt: skip
    for wrong, sentence in mistakes:
        if abs(answer - wrong) <= 0.0026:
            return not_yet(sentence)
    return not_yet("the odds of the other two stay, and all three sum to one")


def rise_for(function: Callable, row, k: int) -> Verdict:
    """Check a student's `function(scores, k, target)`: what to add to score k to give it the target weight.

    Told apart: a ratio of weights for a ratio of odds, a missing logarithm, a difference of weights, the
    wrong sign, a new score for a rise.

    >>> rise_for(lambda scores, k, target: 0.0, [0.0, 0.0, 0.0], 1)
    not yet: with a rise of 0.000 the weight is 0.333, not 0.250; lower it
    """
    row = np.asarray(row, dtype=float)
    now = exponential.softmax(row)[k]
    for target in (0.25, 0.9, now / 2):
        answer = call(function, row, k, target)
        if answer is None:
            return not_yet("the function returned None; return what to add to the score")
        if isinstance(answer, Verdict):
            return answer
        if answer.ndim or not np.isfinite(answer):
            return not_yet("a rise is one finite number")
        raised = row.copy()
        raised[k] += answer
        reached = float(exponential.softmax(raised)[k])
        if abs(reached - target) <= 1e-6:
            continue
        odds = target / (1 - target) / (now / (1 - now))
        expected = np.log(odds)
        mistakes = [
            (np.log(target / now), "this compares weights; the others shrink too, so compare odds"),
            (odds, "this is the ratio of the odds; the rise is its logarithm"),
            (target - now, "this subtracts weights; scores work through an exponential"),
            (-expected, "the sign is wrong: a larger target needs a larger score"),
            (row[k] + expected, "this is the new score; return what to add to the old one"),
            (np.log(target / (1 - target)), "these are the log-odds wanted; subtract those it has now"),
        ]
        for wrong, sentence in mistakes:
            if same(answer, wrong):
                return not_yet(sentence)
        advice = "lower" if reached > target else "raise"
        return not_yet(
            f"with a rise of {answer:.3f} the weight is {reached:.3f}, not {target:.3f}; {advice} it"
        )
    return right("the logarithm of the odds rises by exactly as much as the score, up or down")
