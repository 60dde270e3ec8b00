"""Checks of the exercises in applications/translation.

>>> one_round(lambda t, pairs: None)
not yet: the function returned None; return an array of shape (3, 3)
"""

from collections.abc import Callable

import numpy as np

from attnlib.checks._verdict import Verdict, call, find_fault, not_yet, number, right
from attnlib.transforms.exponential import softmax


def weight_at(answer: float, t: tuple[float, float], temperature: float) -> Verdict:
    """Check the weight of the first of two source words with probabilities `t`, at a temperature.

    >>> weight_at(0.0588, t=(0.1, 0.4), temperature=0.5)
    right: at T = 0.5 odds of 1 to 4 become 1 to 16
    >>> weight_at(0.2, t=(0.1, 0.4), temperature=0.5)
    not yet: this is the weight at temperature 1
    >>> weight_at(..., t=(0.1, 0.4), temperature=0.5)
    not yet: put your number in place of the dots
    """
    answer = number(answer)
    if answer is None:
        return not_yet("put your number in place of the dots")
    if not 0 <= answer <= 1:
        return not_yet("a weight lies between 0 and 1")
    t = np.asarray(t, dtype=float)
    weight = softmax(np.log(t), temperature=temperature)
    odds = weight[1] / weight[0]
    mistakes = [
        (weight[0], right(f"at T = {temperature:g} odds of 1 to {t[1] / t[0]:g} become 1 to {odds:.0f}")),
        (weight[1], not_yet("this is the weight of the other word")),
        (softmax(np.log(t))[0], not_yet("this is the weight at temperature 1")),
        (
            softmax(np.log(t) * temperature)[0],
            not_yet("the temperature divides the scores; it was multiplied"),
        ),
        (softmax(t, temperature=temperature)[0], not_yet("the scores are the logarithms of t, not t itself")),
        (1 / odds, not_yet("these are the odds; the weight is the share of the sum")),
    ]
    for wrong, verdict in mistakes:
        if abs(answer - wrong) <= 0.002:
            return verdict
    return not_yet("raise each t to the power 1/T, then take the share")


def one_round(function: Callable) -> Verdict:
    """Check a student's `function(t, pairs)`: one round of expectation-maximization.

    `t` holds t(target | source), (target words, source words); `pairs` are pairs of integer arrays, the
    source words (columns) and the target words (rows) of each pair. Wanted: the new t. Told apart: weights
    shared out over the target words, nothing shared out, the single best word instead of weights, counts that
    were not divided, counts divided along the wrong axis, and counts replaced instead of added.

    >>> import numpy as np
    >>> def solution(t, pairs):
    ...     counts = np.zeros(t.shape)
    ...     for source, target in pairs:
    ...         p = t[np.ix_(target, source)]
    ...         np.add.at(counts, np.ix_(target, source), p / p.sum(axis=1, keepdims=True))
    ...     return counts / counts.sum(axis=0)
    >>> one_round(solution)
    right: each column is a distribution over target words, made of weights from the whole corpus
    """
    t = np.array([[0.5, 0.2, 0.3], [0.3, 0.7, 0.1], [0.2, 0.1, 0.6]])
    pairs = [(np.array([0, 1]), np.array([1, 0])), (np.array([1, 2]), np.array([2, 1])),
             (np.array([0, 2, 1]), np.array([0, 2]))]  # fmt: skip

    def count(share):
        counts = np.zeros(t.shape)
        for source, target in pairs:
            cells = np.ix_(target, source)
            counts[cells] += share(t[cells])
        return counts

    rows = count(lambda p: p / p.sum(axis=1, keepdims=True))
    last = np.zeros(t.shape)
    for source, target in pairs:
        cells = np.ix_(target, source)
        last[cells] = t[cells] / t[cells].sum(axis=1, keepdims=True)
    columns = count(lambda p: p / p.sum(axis=0))
    best = count(lambda p: p == p.max(axis=1, keepdims=True))
    plain = count(lambda p: p)
    mistakes = [
        (rows, "these are the counts; divide each column by its sum"),
        (rows / rows.sum(axis=1, keepdims=True), "the rows sum to one; each source word has a distribution"),
        (columns / columns.sum(axis=0),
         "shared out over the target words; each target word shares out over the source words"),
        (plain / plain.sum(axis=0), "nothing was shared out: divide each row by its sum over the pair first"),
        (best / best.sum(axis=0), "every target word chose one source word; count all of its weights"),
        (last / last.sum(axis=0), "a later pair replaced the counts of an earlier one; add them up"),
    ]  # fmt: skip
    fault = find_fault(
        call(function, t, pairs),
        rows / rows.sum(axis=0),
        mistakes,
        shape="one row per target word and one column per source word is",
        differs="the table differs; work out the first column on paper and compare",
    )
    return fault or right(
        "each column is a distribution over target words, made of weights from the whole corpus"
    )
