"""Checks of the exercises in foundations/focus.

>>> tokens_for(lambda weights, mass: None)
not yet: the function returned None; return 3 counts, one for each row
"""

from collections.abc import Callable

import numpy as np

from attnlib import measures
from attnlib.checks._verdict import Verdict, call, not_yet, number, right, same
from attnlib.transforms import exponential, sparse


def lift_to_notice(answer: float, scores) -> Verdict:
    """Check by how much the lowest score must rise, to one decimal, before sparsemax gives it any weight.

    The lowest of the `scores`, shape (n,), must lie outside the support.

    >>> lift_to_notice(1.0, [1.2, 0.8, -0.5])
    right: a little more, and the weights are 0.697 0.297 0.007
    >>> lift_to_notice(1.3, [1.2, 0.8, -0.5])
    not yet: this is the distance to the next higher score; the threshold lies lower
    >>> lift_to_notice(..., [1.2, 0.8, -0.5])
    not yet: put your number in place of the dots
    """
    answer = number(answer)
    if answer is None:
        return not_yet("put your number in place of the dots")
    if not 0 <= answer < np.inf:
        return not_yet("a rise is one number, not negative")
    z = np.array(scores, dtype=float)
    weights = sparse.sparsemax(z)
    last, best = z.argmin(), z.argmax()
    threshold = z[best] - weights[best]
    expected = threshold - z[last]
    if abs(answer - expected) <= 0.005:
        z[last] += expected + 0.01
        after = " ".join(f"{p:.3f}" for p in sparse.sparsemax(z))
        return right(f"a little more, and the weights are {after}")
    others = np.delete(z, last)
    named = [
        (0.0, "the weight is zero and so is its slope; it takes a real step"),
        (others.min() - z[last], "this is the distance to the next higher score; the threshold lies lower"),
        (z[best] - z[last], "this is the distance to the largest score; the threshold lies lower"),
        (threshold, "this is the threshold; count from where the score stands"),
        (-z[last], "this lifts the score to zero; the threshold is not zero"),
    ]
    for wrong, sentence in named:
        if abs(answer - wrong) <= 0.005:
            return not_yet(sentence)
    z[last] += answer
    reached = sparse.sparsemax(z)[last]
    return not_yet(f"the weight is then {reached:.3f}; {'rise more' if reached == 0 else 'less will do'}")


def tokens_for(function: Callable) -> Verdict:
    """Check a student's `function(weights, mass)`: the fewest weights of each row whose sum reaches the mass.

    Told apart: the weights are not sorted, or sorted the wrong way round; one too few; the sum runs down the
    columns; the weights above a bound are counted; one count for all rows.

    >>> import numpy as np
    >>> tokens_for(lambda p, mass: (np.cumsum(-np.sort(-p, axis=1), axis=1) < mass).sum(axis=1) + 1)
    right: that many weights reach the mass, and one fewer would not
    """
    rng = np.random.default_rng(3)
    weights, mass = exponential.softmax(rng.normal(size=(3, 9)), temperature=1.5), 0.7
    expected = _fewest(weights, mass)
    answer = call(function, weights, mass)
    if answer is None:
        return not_yet("the function returned None; return 3 counts, one for each row")
    if isinstance(answer, Verdict):
        return answer
    mistakes = [
        (_fewest(weights, mass, lambda p: p), "the weights are added up as they come; sort them first"),
        (_fewest(weights, mass, np.sort), "the smallest come first; begin with the largest"),
        (expected - 1, "one too few: count the weight that reaches the mass as well"),
        (_fewest(weights.T, mass), "this counts down the columns; each row has a count of its own"),
        ((weights > 1 - mass).sum(axis=1), "this counts weights above a bound; add them up"),
        ((weights >= mass).sum(axis=1), "this counts weights above a bound; add them up"),
        (_fewest(weights.reshape(1, -1), mass * 3), "this adds up all rows together; each row has its own"),
    ]
    for wrong, sentence in mistakes:
        if answer.shape in (np.shape(wrong), ()) and same(np.broadcast_to(answer, np.shape(wrong)), wrong):
            return not_yet(sentence)
    if answer.shape != expected.shape:
        return not_yet(f"the shape is {answer.shape}; one count for each row is {expected.shape}")
    if not (np.isfinite(answer) & (answer == np.round(answer))).all():
        return not_yet("a count is a whole number")
    if not same(answer, expected):
        counts = np.clip(answer, 0, weights.shape[1]).astype(int)
        held = [measures.top_k_mass(row, k) for row, k in zip(weights, counts, strict=True)]
        return not_yet(
            "the largest that you count hold " + ", ".join(f"{m:.3f}" for m in held) + f" of {mass}"
        )
    other = call(function, weights, 0.95)
    if isinstance(other, Verdict) or other is None or not same(other, _fewest(weights, 0.95)):
        return not_yet("right for one mass and wrong for another; use the argument")
    return right("that many weights reach the mass, and one fewer would not")


def _fewest(weights, mass, arrange=lambda p: -np.sort(-p, axis=1)):
    return (np.cumsum(arrange(weights), axis=1) < mass).sum(axis=1) + 1
