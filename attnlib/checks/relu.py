"""Checks of the exercises in transforms/relu.

>>> merge(lambda contexts, log_sums: None)
not yet: the function returned None; return an array of shape (2, 4)
"""

from collections.abc import Callable

import numpy as np

from attnlib.checks._verdict import Verdict, call, find_fault, not_yet, right, same
from attnlib.transforms import exponential, rectified, scaling


def relu_by_hand(answer, row, temperature: float) -> Verdict:
    """Check the ReLU attention weights of a row at a temperature, written down to two decimals or more.

    >>> relu_by_hand([0.6, 0, 0.2, 0, 0.1], [6, -3, 2, 0, 1], temperature=2)
    right: the positive scores over T = 2 and L = 5; they sum to 0.900
    >>> relu_by_hand([1, 0, 0.33, 0, 0.17], [6, -3, 2, 0, 1], temperature=2)
    not yet: this divides by the number of positives; L counts all
    >>> relu_by_hand(..., [6, -3, 2, 0, 1], temperature=2)
    not yet: put your numbers in place of the dots
    """
    if answer is None or answer is Ellipsis:
        return not_yet("put your numbers in place of the dots")
    answer = call(lambda: answer)
    if isinstance(answer, Verdict) or answer.shape != np.shape(row) or not np.isfinite(answer).all():
        return not_yet(f"write down {len(row)} numbers, one weight for each score")
    row, T = np.asarray(row, dtype=float), temperature
    relu = rectified.relu_attention
    expected = relu(row, temperature=T)
    mistakes = [
        (relu(row, mask=row > 0, temperature=T), "this divides by the number of positives; L counts all"),
        (expected / expected.sum(), "this divides by the sum; divide by the number of scores"),
        (expected * len(row), "this is not divided by the number of scores"),
        (relu(row, temperature=1 / T), "the temperature multiplies the scores; it divides them"),
        (relu(row), "the temperature is missing; it divides the scores"),
        (scaling.length_normalization(row, temperature=T), "a negative score gets 0 here"),
        (exponential.softmax(row, temperature=T), "this is softmax"),
    ]  # fmt: skip
    if np.allclose(answer, expected, atol=0.006):
        return right(f"the positive scores over T = {T:g} and L = {len(row)}; they sum to {answer.sum():.3f}")
    for wrong, sentence in mistakes:
        if np.allclose(answer, wrong, atol=0.006):
            return not_yet(sentence)
    return not_yet("some weight is wrong; divide by T, put 0 for what is negative, divide by their number")


def merge(function: Callable) -> Verdict:
    """Check a student's `function(contexts, log_sums)` that puts softmax attention together from its parts.

    contexts (workers, m, width) holds what each worker returns for its own keys, log_sums (workers, m) the
    log-sum-exp of its scores. Mistakes told apart: plain mean, plain sum, shares taken over the queries or
    proportional to the log-sum-exps, shares left unnormalized, overflow.

    >>> from attnlib import softmax
    >>> merge(lambda contexts, log_sums: (softmax(log_sums, axis=0)[:, :, None] * contexts).sum(axis=0))
    right: the shares are the softmax of the log-sum-exps, over the workers
    """
    rng = np.random.default_rng(0)
    contexts, log_sums = rng.normal(size=(3, 2, 4)), rng.normal(size=(3, 2)) + 1.5
    softmax = exponential.softmax

    def weigh(shares):
        return np.sum(shares[:, :, None] * contexts, axis=0)

    expected = weigh(softmax(log_sums, axis=0))
    mistakes = [
        (contexts.mean(axis=0), "this is the plain mean; the parts are not worth the same"),
        (contexts.sum(axis=0), "this is the plain sum; each part must be scaled by its share"),
        (weigh(softmax(log_sums, axis=1)), "the shares sum to one over queries; they must over workers"),
        (weigh(softmax(log_sums.ravel()).reshape(3, 2)), "one share-out for all queries; each has its own"),
        (weigh(log_sums / log_sums.sum(axis=0)), "the shares follow the log-sum-exps; take exponentials"),
        (weigh(log_sums), "the contexts are multiplied by the log-sum-exps; turn them into shares first"),
        (weigh(np.exp(log_sums)), "the shares do not sum to one; divide by their sum"),
        (weigh(softmax(-log_sums, axis=0)), "the sign is turned: a larger log-sum-exp is worth more"),
    ]  # fmt: skip
    fault = find_fault(
        call(function, contexts, log_sums),
        expected,
        mistakes,
        shape="a context for each query is",
        differs="the contexts differ; try two workers of equal log-sum-exps: shares of one half",
    )
    if fault:
        return fault
    large = call(function, contexts, log_sums + 1e3)
    if not isinstance(large, np.ndarray) or not np.isfinite(large).all():
        return not_yet("large log-sum-exps overflow; subtract the largest before you exponentiate")
    if not same(large, expected):
        return not_yet("the shares are right for small log-sum-exps and wrong for large ones")
    return right("the shares are the softmax of the log-sum-exps, over the workers")
