"""Checks of the exercises in foundations/scores.

>>> additive_scores(lambda query, key, W, U, v: None)
not yet: the function returned None; return an array of shape (3, 4)
"""

from collections.abc import Callable

import numpy as np

from attnlib import scores
from attnlib.checks._verdict import Verdict, call, not_yet, number, right, same
from attnlib.transforms import exponential


def odds_of_two_keys(answer: float, first: float, second: float, width: int) -> Verdict:
    """Check the odds of two keys, to one decimal, from their dot products and the width of the head.

    >>> odds_of_two_keys(7.4, first=24, second=8, width=64)
    right: the scores 3.0 and 1.0 have odds of 7.389 to 1
    >>> odds_of_two_keys(3, first=24, second=8, width=64)
    not yet: this divides one score by the other; odds are the exponential of their difference
    >>> odds_of_two_keys(..., first=24, second=8, width=64)
    not yet: put your number in place of the dots
    """
    answer = number(answer)
    if answer is None:
        return not_yet("put your number in place of the dots")
    if not 0 < answer < np.inf:
        return not_yet("odds are one positive number")

    def odds(divisor):
        weights = exponential.softmax([first / divisor, second / divisor])
        return weights[0] / weights[1]

    root = np.sqrt(width)
    expected = odds(root)
    mistakes = [
        (odds(1), "the dot products are not divided by the square root of the width"),
        (odds(width), "this divides by the width; divide by its square root"),
        (first / second, "this divides one score by the other; odds are the exponential of their difference"),
        (np.log(expected), "this is the difference of the two scores; odds are its exponential"),
        (1 / expected, "these are the odds of the second key against the first"),
        (expected / (1 + expected), "this is the first weight; odds divide it by the second"),
    ]
    if abs(answer - expected) <= 0.05:
        return right(
            f"the scores {first / root:.1f} and {second / root:.1f} have odds of {expected:.3f} to 1"
        )
    for wrong, sentence in mistakes:
        if abs(answer - wrong) <= 0.005 * max(1, wrong):
            return not_yet(sentence)
    return not_yet("divide both dot products by the square root of the width, then compare e to each score")


def additive_scores(function: Callable) -> Verdict:
    """Check a student's `function(query, key, W, U, v)` that returns additive scores, (queries, keys).

    Told apart: tanh left out, tanh around the sum, tanh before the addition, W and U exchanged, columns for
    queries, the result divided by a root, and weights instead of scores.

    >>> from attnlib import additive_score
    >>> additive_scores(additive_score)
    right: one score for each query and key, whatever their widths
    """
    rng = np.random.default_rng(0)
    width, d = 5, 2
    query, key, v = rng.normal(size=(3, d)), rng.normal(size=(4, d)), rng.normal(size=width)
    W, U = rng.normal(size=(2, width, d))
    expected = scores.additive_score(query, key, W, U, v)
    zero = np.zeros_like
    linear = (query @ W.T @ v)[:, None] + key @ U.T @ v
    apart = scores.additive_score(query, zero(key), W, U, v) + scores.additive_score(
        zero(query), key, W, U, v
    )
    mistakes = [
        (linear, "tanh is missing, and without it no query can prefer another key than the next query does"),
        (np.tanh(linear), "tanh is around the whole sum; it bends each unit before v weighs them"),
        (apart, "query and key are bent apart; add W q and U k first, then take tanh"),
        (scores.additive_score(query, key, U, W, v), "W and U are exchanged; W belongs to the query"),
        (expected / np.sqrt(width), "this divides by a root; the additive score does not"),
        (expected / np.sqrt(d), "this divides by a root; the additive score does not"),
        (exponential.softmax(expected), "these are weights; return the scores, before any softmax"),
    ]
    answer = call(function, query, key, W, U, v)
    if answer is None:
        return not_yet(f"the function returned None; return an array of shape {expected.shape}")
    if isinstance(answer, Verdict):
        return answer
    if answer.shape == expected.T.shape and same(answer, expected.T):
        return not_yet("the queries run along the columns; give each query a row")
    if answer.shape != expected.shape:
        return not_yet(
            f"the shape is {answer.shape}; one row per query and one column per key is {expected.shape}"
        )
    for wrong, sentence in mistakes:
        if same(answer, wrong):
            return not_yet(sentence)
    if not same(answer, expected):
        return not_yet("the scores differ; work out one query and one key by hand and compare")
    wide, W = rng.normal(size=(3, d + 1)), rng.normal(size=(width, d + 1))
    other = call(function, wide, key, W, U, v)
    if (
        isinstance(other, Verdict)
        or other is None
        or not same(other, scores.additive_score(wide, key, W, U, v))
    ):
        return not_yet("it works while query and key are equally wide, and fails when they are not")
    return right("one score for each query and key, whatever their widths")
