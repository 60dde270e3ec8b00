"""Checks of the exercises in transforms/sinks_and_scale.

>>> softmax_with_sink(lambda scores, sink: None)
not yet: the function returned None; return an array of shape (3, 4)
"""

from collections.abc import Callable

import numpy as np

from attnlib.checks._verdict import Verdict, call, find_fault, not_yet, number, right, same
from attnlib.transforms import exponential


def temperature_for_half(answer: float, gap: float, n: int) -> Verdict:
    """Check the temperature, to two decimals, at which one score that leads n - 1 others by `gap` gets half.

    >>> temperature_for_half(0.58, 4, 1000)
    right: at T = 0.580 the weight is 0.497
    >>> temperature_for_half(1.73, 4, 1000)
    not yet: this is 1 / T
    >>> temperature_for_half(..., 4, 1000)
    not yet: put your number in place of the dots
    """
    answer = number(answer)
    if answer is None:
        return not_yet("put your number in place of the dots")
    if not 0 < answer < np.inf:
        return not_yet("a temperature is one positive number")
    scores = np.zeros(n)
    scores[0] = gap
    weight = exponential.softmax(scores, temperature=float(answer))[0]
    reached = f"at T = {answer:.3f} the weight is {weight:.3f}"
    expected = gap / np.log(n - 1)
    if abs(answer - expected) <= 0.005:
        return right(reached)
    if abs(answer - 1 / expected) <= 0.005:
        return not_yet("this is 1 / T")
    if abs(answer - gap / np.log10(n - 1)) <= 0.005:
        return not_yet("this takes the logarithm to base ten; the powers are powers of e")
    if abs(answer - gap / np.log((n - 1) / 2)) <= 0.005:
        return not_yet("half of the weight means even odds against all others together, not odds of a half")
    return not_yet(f"{reached}; {'lower' if weight < 0.5 else 'raise'} T")


def softmax_with_sink(function: Callable) -> Verdict:
    """Check a student's `function(scores, sink)` that returns the weights of softmax with a sink.

    Mistakes told apart: the sink is left out, is added as a plain number and not as its power, keeps its
    place in the result, competes along the columns, stays behind when the largest score is subtracted;
    the result is normalized again; large scores overflow.

    >>> from attnlib import softmax_one
    >>> softmax_with_sink(lambda scores, sink: softmax_one(scores, sink=sink))
    right: the sink competes like one more key and its share is dropped, at any size of score
    """
    scores = np.array([[2.0, -1.0, 0.5, 3.0], [-4.0, 1.0, 0.0, -2.0], [-3.0, -5.0, -2.5, -4.0]])
    sink = 0.7
    expected = exponential.softmax_one(scores, sink=sink)
    with_sink = np.concatenate([scores, np.full((3, 1), sink)], axis=1)
    largest = scores.max(axis=1, keepdims=True)
    mistakes = [
        (exponential.softmax(scores), "the weights sum to one; a share belongs to the sink"),
        (exponential.softmax_one(scores), "the sink is taken for 0; its power belongs in the sum, not 1"),
        (exponential.softmax_one(scores, sink=np.log(sink)),
         "the sink itself is added to the sum; it is a score, so add its power"),
        (exponential.softmax_one(scores, axis=0, sink=sink),
         "the sink competes along the columns; each row is one query"),
        (exponential.softmax_one(scores - largest, sink=sink),
         "the largest score is subtracted from the scores, but not from the sink"),
        (exponential.softmax_one(scores - largest),
         "the largest score is subtracted, but the 1 in the sum stays"),
    ]  # fmt: skip
    answer = call(function, scores, sink)
    if answer is None:
        return not_yet(f"the function returned None; return an array of shape {expected.shape}")
    if isinstance(answer, Verdict):
        return answer
    if answer.shape == with_sink.shape:
        return not_yet("the result has a column for the sink; its share is dropped")
    if answer.shape != expected.shape:
        return not_yet(f"the shape is {answer.shape}; weights have that of the scores, {expected.shape}")
    for wrong, sentence in mistakes:
        if same(answer, wrong):
            return not_yet(sentence)
    if not same(answer, expected):
        return not_yet("the weights differ; compare the first row with your own calculation on paper")
    for shift, what in ((2000.0, "high"), (-2000.0, "low")):
        moved = call(function, scores + shift, sink)
        if not isinstance(moved, np.ndarray) or not np.isfinite(moved).all():
            return not_yet(f"very {what} scores overflow; subtract the largest of scores and sink from both")
        if not same(moved, exponential.softmax_one(scores + shift, sink=sink)):
            return not_yet(f"the weights are right for these scores and wrong for very {what} ones")
    return right("the sink competes like one more key and its share is dropped, at any size of score")


def scalable_softmax_with_mask(function: Callable) -> Verdict:
    """Check a student's `function(scores, mask, scale)` that returns the weights of scalable softmax.

    Mistakes told apart: masked keys are counted, s log n is subtracted, n itself multiplies, another
    logarithm, the mask comes after, the columns sum to one, the scale is left out.

    >>> from attnlib import scalable_softmax
    >>> scalable_softmax_with_mask(lambda scores, mask, s: scalable_softmax(scores, mask=mask, scale=s))
    right: the scores are multiplied by s log n, with n the number of keys that are kept
    """
    scores = np.array([[2.0, -1.0, 0.5, 3.0], [-4.0, 1.0, 0.0, -2.0], [-3.0, -5.0, -2.5, -4.0]])
    mask = np.array([[True, True, True, False], [True, False, True, False], [True, True, True, True]])
    scale = 0.6
    softmax, scalable = exponential.softmax, exponential.scalable_softmax
    expected = scalable(scores, mask=mask, scale=scale)
    n = mask.sum(axis=1, keepdims=True)
    mistakes = [
        (softmax(scores * scale * np.log(4), mask=mask),
         "every row is taken for 4 keys long; only the kept keys count"),
        (softmax(scores, mask=mask),
         "the length has no effect; multiply the scores, for subtracting a number from all changes nothing"),
        (softmax(scores * scale * n, mask=mask), "the scores are multiplied by s n; take the logarithm of n"),
        (softmax(scores * scale * np.log2(n), mask=mask), "the logarithm is to base 2, not e"),
        (softmax(scores * scale * np.log10(n), mask=mask), "the logarithm is to base 10, not e"),
        (scalable(scores, mask=mask), "the scale s has no effect"),
        (softmax(scores / (scale * np.log(n)), mask=mask), "s log n divides the scores; it multiplies them"),
        (scalable(scores, scale=scale) * mask,
         "the mask comes after the softmax, so masked keys still took their share; mask the scores"),
        (softmax(scores * scale * np.log(n)) * mask,
         "the mask comes after the softmax, so masked keys still took their share; mask the scores"),
        (scalable(scores, scale=scale), "the mask has no effect"),
        (softmax(scores * scale * np.log(n)), "the mask has no effect on the weights, only on n"),
        (scalable(scores, axis=0, mask=mask, scale=scale),
         "the columns sum to one; share out along the keys, so that each row does"),
        (softmax(scores * scale * np.log(n), axis=0, mask=mask),
         "the columns sum to one; share out along the keys, so that each row does"),
    ]  # fmt: skip
    fault = find_fault(
        call(function, scores, mask, scale),
        expected,
        mistakes,
        shape="weights have that of the scores,",
        differs="the weights differ; compare the first row with your own calculation on paper",
    )
    if fault:
        return fault
    large = call(function, scores * 1e4, mask, scale)
    if not isinstance(large, np.ndarray) or not same(large, scalable(scores * 1e4, mask=mask, scale=scale)):
        return not_yet("large scores overflow; subtract the largest kept score before you exponentiate")
    return right("the scores are multiplied by s log n, with n the number of keys that are kept")
