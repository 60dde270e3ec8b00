"""Checks of the exercises in transforms/temperature.

>>> attention_weights(lambda query, key, mask, temperature: None)
not yet: the function returned None; return an array of shape (3, 4)
"""

from collections.abc import Callable

import numpy as np

from attnlib import measures, scores
from attnlib.checks._verdict import Verdict, call, find_fault, not_yet, number, ratio, right, same
from attnlib.transforms import exponential


def temperature_for_odds(answer: float, gap: float, odds: float) -> Verdict:
    """Check the temperature, to two decimals, at which two scores that differ by `gap` have these odds.

    >>> temperature_for_odds(1.82, 2, 3)
    right: at T = 1.820 the odds are 3.001 to 1
    >>> temperature_for_odds(0.55, 2, 3)
    not yet: this is 1 / T
    >>> temperature_for_odds(..., 2, 3)
    not yet: put your number in place of the dots
    """
    answer = number(answer)
    if answer is None:
        return not_yet("put your number in place of the dots")
    if not 0 < answer < np.inf:
        return not_yet("a temperature is one positive number")
    weights = exponential.softmax([gap, 0.0], temperature=answer)
    reached = f"at T = {answer:.3f} the odds are {ratio(*weights)} to 1"
    expected = gap / np.log(odds)
    if abs(answer - expected) <= 0.005:
        return right(reached)
    if abs(answer - 1 / expected) <= 0.005:
        return not_yet("this is 1 / T")
    if abs(answer - gap / odds) <= 0.005:
        return not_yet("this divides the gap by the odds, but odds are an exponential of the gap")
    return not_yet(f"{reached}; {'lower' if answer > expected else 'raise'} T")


def attention_weights(function: Callable) -> Verdict:
    """Check a student's `function(query, key, mask, temperature)` that returns attention weights.

    Wanted: softmax over the keys of query · key / √d, divided by the temperature, kept entries only.
    Five mistakes are told apart: the sum runs over queries, √d is missing, the mask comes after the
    softmax, the temperature multiplies, and the maximum is not subtracted before exponentiating.

    >>> from attnlib import scaled_dot_product_score, softmax
    >>> def solution(query, key, mask, temperature):
    ...     scores = scaled_dot_product_score(query, key)
    ...     return softmax(scores, mask=mask, temperature=temperature)
    >>> attention_weights(solution)
    right: every row sums to one over the keys it may see, at any size of score
    """
    rng = np.random.default_rng(0)
    query, key = rng.normal(size=(3, 8)), rng.normal(size=(4, 8))
    mask = np.array([[True, True, True, False], [True, False, True, True], [True, True, True, True]])
    temperature = 0.5
    softmax = exponential.softmax
    scaled = scores.scaled_dot_product_score(query, key)
    bare = scores.dot_product_score(query, key)
    expected = softmax(scaled, mask=mask, temperature=temperature)
    mistakes = [
        (softmax(scaled, axis=0, mask=mask, temperature=temperature),
         "the columns sum to one; share out along the keys, so that each row does"),
        (softmax(bare, mask=mask, temperature=temperature),
         "the dot products are not divided by the square root of the width"),
        (softmax(scaled, temperature=temperature) * mask,
         "the mask comes after the softmax, so masked keys still took their share; mask the scores"),
        (softmax(scaled, mask=mask, temperature=1 / temperature),
         "the temperature multiplies the scores; it divides them"),
        (softmax(scaled, temperature=temperature), "the mask has no effect"),
        (softmax(scaled, mask=mask), "the temperature has no effect"),
    ]  # fmt: skip
    fault = find_fault(
        call(function, query, key, mask, temperature),
        expected,
        mistakes,
        shape="one row per query and one column per key is",
        differs="the weights differ; compare the first row with your own calculation on paper",
    )
    if fault:
        return fault
    large = call(function, 100 * query, 100 * key, mask, temperature)
    if isinstance(large, Verdict) or large is None or not np.isfinite(large).all():
        return not_yet("large scores overflow; subtract the largest score before you exponentiate")
    if not same(large, softmax(scaled * 1e4, mask=mask, temperature=temperature)):
        return not_yet("the weights are right for small scores and wrong for large ones")
    return right("every row sums to one over the keys it may see, at any size of score")


def temperature_for_perplexity(function: Callable, row, target: float) -> Verdict:
    """Check a student's `function(scores, target)` that finds the temperature of a wanted effective number.

    `row` holds the scores, shape (n,); `target` lies strictly between 1 and n.

    >>> temperature_for_perplexity(lambda scores, target: 1.0, np.array([0.0, 0.0, 9.0]), 2.0)
    not yet: at T = 1.000 the effective number is 1.002, which is too small; raise T
    """
    answer = call(function, row, target)
    if answer is None:
        return not_yet("the function returned None; return a temperature")
    if isinstance(answer, Verdict):
        return answer
    if answer.ndim or not answer > 0:
        return not_yet("a temperature is one positive number")
    reached = float(measures.perplexity(exponential.softmax(row, temperature=float(answer))))
    if abs(reached - target) <= 1e-3 * target:
        return right(f"at T = {answer:.3f} the effective number is {reached:.3f}")
    if same(measures.entropy(exponential.softmax(row, temperature=float(answer))), target):
        return not_yet("the entropy has this value; the effective number is its exponential")
    side, advice = ("small", "raise") if reached < target else ("large", "lower")
    return not_yet(
        f"at T = {answer:.3f} the effective number is {reached:.3f}, which is too {side}; {advice} T"
    )
