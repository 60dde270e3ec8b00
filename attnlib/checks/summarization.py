"""Checks of the exercises in applications/summarization.

>>> attention_received(lambda vectors, scale: None)
not yet: the function returned None; return an array of shape (5,)
"""

from collections.abc import Callable

import numpy as np

from attnlib import scores
from attnlib.checks._verdict import Verdict, call, find_fault, not_yet, number, right, same
from attnlib.transforms import exponential


def odds_of_cosines(answer: float, gap: float, scale: float) -> Verdict:
    """Check the odds, within one percent, of two sentences whose cosines differ by `gap`.

    >>> odds_of_cosines(7.39, gap=0.1, scale=20)
    right: the odds are 7.389 to 1
    >>> odds_of_cosines(2, gap=0.1, scale=20)
    not yet: this is the difference of the scores; the odds are its exponential
    >>> odds_of_cosines(..., gap=0.1, scale=20)
    not yet: put your number in place of the dots
    """
    answer = number(answer)
    if answer is None:
        return not_yet("put your number in place of the dots")
    if not 0 < answer < np.inf:
        return not_yet("odds are one positive number")
    difference = scale * gap
    odds = float(np.exp(difference))
    mistakes = [
        (odds, right(f"the odds are {odds:.3f} to 1")),
        (difference, not_yet("this is the difference of the scores; the odds are its exponential")),
        (np.exp(gap), not_yet("the scale is missing; it multiplies the cosines")),
        (np.exp(gap / scale), not_yet("the scale multiplies the cosines, it does not divide them")),
        (1 / odds, not_yet("these are the odds of the second against the first; turn them over")),
        (odds / (1 + odds), not_yet("this is the share of the first of the two; odds divide the two shares")),
    ]
    for wrong, verdict in mistakes:
        if abs(answer - wrong) <= 0.01 * wrong:
            return verdict
    return not_yet(f"{answer:.3f} is too {'large' if answer > odds else 'small'}")


def attention_received(function: Callable) -> Verdict:
    """Check a student's `function(vectors, scale)` that returns the attention each sentence receives.

    Wanted: cosines times the scale, the sentence itself left out, softmax over the keys, mean over the
    queries. Told apart: the diagonal kept, dropped after the softmax, softmax and mean along one axis, a
    sum for the mean, dot products in place of cosines, the scale missing or dividing, and overflow.

    >>> import numpy as np
    >>> from attnlib import cosine_score, softmax
    >>> def solution(vectors, scale):
    ...     others = ~np.eye(len(vectors), dtype=bool)
    ...     return softmax(scale * cosine_score(vectors, vectors), mask=others).mean(axis=0)
    >>> attention_received(solution)
    right: the shares sum to one, and no sentence votes for itself
    """
    vectors = np.random.default_rng(0).normal(size=(5, 3))
    scale, others = 4.0, ~np.eye(5, dtype=bool)
    softmax = exponential.softmax
    cosines, dots = scores.cosine_score(vectors, vectors), scores.dot_product_score(vectors, vectors)
    weights = softmax(scale * cosines, mask=others)
    expected = weights.mean(axis=0)
    mistakes = [
        (softmax(scale * cosines).mean(axis=0),
         "every sentence also looks at itself; leave the diagonal out before the softmax"),
        ((softmax(scale * cosines) * others).mean(axis=0),
         "the diagonal is dropped after the softmax, so it still took its share; mask the scores"),
        (weights.mean(axis=1),
         "these are all the same: softmax and mean run along one axis; weight rows, average columns"),
        (weights.sum(axis=0), "this is the sum over those who look; their mean is the share"),
        (softmax(scale * dots, mask=others).mean(axis=0),
         "these are dot products; divide by the lengths of both vectors to have cosines"),
        (softmax(cosines, mask=others).mean(axis=0), "the scale has no effect"),
        (softmax(cosines / scale, mask=others).mean(axis=0), "the scale divides the cosines; it multiplies"),
    ]  # fmt: skip
    fault = find_fault(
        call(function, vectors, scale),
        expected,
        mistakes,
        shape="one number per sentence is",
        differs="the shares differ; compare one row of weights with your own calculation on paper",
    )
    if fault:
        return fault
    large = call(function, vectors, 4e4)
    if isinstance(large, Verdict) or large is None or not np.isfinite(large).all():
        return not_yet("large scales overflow; subtract the largest score before you exponentiate")
    if not same(large, softmax(4e4 * cosines, mask=others).mean(axis=0)):
        return not_yet("the shares are right for a small scale and wrong for a large one")
    return right("the shares sum to one, and no sentence votes for itself")
