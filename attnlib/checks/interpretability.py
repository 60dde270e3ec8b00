"""Checks of the exercises in learning/interpretability.

>>> outputs_without(lambda weights, values: None)
not yet: the function returned None; return an array of shape (4, 2)
"""

from collections.abc import Callable

import numpy as np

from attnlib.checks._verdict import Verdict, call, find_fault, not_yet, number, right
from attnlib.transforms import exponential


def output_without(answer: float, weight: float, value: float, context: float) -> Verdict:
    """Check the output of attention when a token of this weight and value is hidden.

    The others keep their odds, so what they give, context - weight value, is divided by their weight.

    >>> output_without(3, weight=0.8, value=5, context=4.6)
    right: the others give 0.600 with a weight of 0.200, and share out all of it when they are alone
    >>> output_without(0.6, weight=0.8, value=5, context=4.6)
    not yet: the others have a weight of 0.200 only; alone they share out all of it
    >>> output_without(..., weight=0.8, value=5, context=4.6)
    not yet: put your number in place of the dots
    """
    answer = number(answer)
    if answer is None:
        return not_yet("put your number in place of the dots")
    if not np.isfinite(answer):
        return not_yet("the output is one number")
    rest, left = context - weight * value, 1 - weight
    expected = rest / left
    mistakes = [
        (expected, right(f"the others give {rest:.3f} with a weight of {left:.3f}, "
                         "and share out all of it when they are alone")),
        (rest, not_yet(f"the others have a weight of {left:.3f} only; alone they share out all of it")),
        (rest / weight, not_yet("this divides by the weight that is hidden; divide by the one that is left")),
        (expected - context, not_yet("this is the change; the question is the output after it")),
        (context - value, not_yet("the value counts by its weight; take weight times value off")),
        (2 * context - expected, not_yet("the output moves away from the hidden value, not towards it")),
    ]  # fmt: skip
    for wrong, verdict in mistakes:
        if abs(answer - wrong) <= 0.005:
            return verdict
    back = weight * value + left * answer
    return not_yet(f"with the token put back, an output of {answer:.3f} would become {back:.3f}")


def outputs_without(function: Callable) -> Verdict:
    """Check a student's `function(weights, values)` that returns the outputs with one token hidden, each.

    Wanted: row j is the softmax over the other scores, times their values. Told apart: the weight not shared
    out anew, the change returned, the division by the hidden weight, the division along the wrong axis, the
    value left out instead of the token, and the token kept alone.

    >>> def solution(weights, values):
    ...     left = weights @ values - weights[:, None] * values
    ...     return left / (1 - weights)[:, None]
    >>> outputs_without(solution)
    right: hidden one by one, each token leaves its weight to the others
    """
    rng = np.random.default_rng(0)
    scores, values = rng.normal(size=4), rng.normal(size=(4, 2))
    weights = exponential.softmax(scores)
    others = ~np.eye(4, dtype=bool)
    expected = exponential.softmax(np.tile(scores, (4, 1)), mask=others) @ values
    context = np.tile(weights @ values, (4, 1))
    parts = weights[:, None] * values
    mistakes = [
        (context - parts, "the weights left sum to less than one; the others share out all of it"),
        (expected - context, "this is the change; return the output after it"),
        (context - expected, "this is the change; return the output after it"),
        ((context - parts) / weights[:, None],
         "this divides by the weight that is hidden; divide by the one that is left"),
        ((others @ values) / 3, "this is the plain mean of the others; weigh them"),
        (context - values, "the value counts by its weight; take weight times value off"),
        (context, "nothing is hidden: every row is the full output"),
        (2 * context - expected, "the output moves away from the hidden value, not towards it"),
        (values, "this keeps the hidden token alone; keep the others"),
    ]  # fmt: skip
    fault = find_fault(
        call(function, weights, values),
        expected,
        mistakes,
        shape="one output for each hidden token is",
        differs="the outputs differ; hide the first token by hand and compare the first row",
    )
    return fault or right("hidden one by one, each token leaves its weight to the others")
