"""Checks of the exercises in learning/gradients.

>>> softmax_pull_back(lambda scores, grad_weights, temperature: None)
not yet: the function returned None; return an array of shape (3, 4)
"""

from collections.abc import Callable

import numpy as np

from attnlib.checks._verdict import Verdict, call, not_yet, number, right, same
from attnlib.transforms import exponential


def cross_rate(answer: float, weights, temperature: float) -> Verdict:
    """Check the rate at which the first softmax weight answers to the second score, to two decimals.

    `weights`, shape (n,), are those at this temperature.

    >>> cross_rate(-0.07, [0.7, 0.2, 0.1], temperature=2)
    right: a push of 0.1 takes the first weight from 0.700 to 0.693
    >>> cross_rate(-0.14, [0.7, 0.2, 0.1], temperature=2)
    not yet: the temperature divides the rate
    >>> cross_rate(..., [0.7, 0.2, 0.1], temperature=2)
    not yet: put your number in place of the dots
    """
    answer = number(answer)
    if answer is None:
        return not_yet("put your number in place of the dots")
    if not -np.inf < answer < np.inf:
        return not_yet("a rate is one finite number")
    p, T = np.asarray(weights, dtype=float), temperature
    expected = -p[0] * p[1] / T
    if abs(answer - expected) <= 0.005:
        pushed = T * np.log(p) + 0.1 * (np.arange(p.size) == 1)
        after = exponential.softmax(pushed, temperature=T)[0]
        return right(f"a push of 0.1 takes the first weight from {p[0]:.3f} to {after:.3f}")
    named = [
        (-expected, "the size is right; does the first weight win or lose?"),
        (expected * T, "the temperature divides the rate"),
        (-expected * T, "the first weight loses, and the temperature divides the rate"),
        (expected * T * T, "the temperature divides the rate, it does not multiply it"),
        (p[0] * (1 - p[0]) / T, "this is how the first weight answers to its own score"),
        (p[1] * (1 - p[1]) / T, "this is how the second weight answers to its own score"),
        (0.0, "under softmax every weight hears every score"),
    ]
    for wrong, sentence in named:
        if abs(answer - wrong) <= 0.005:
            return not_yet(sentence)
    return not_yet("off the diagonal the rate is a product of two weights")


def softmax_pull_back(function: Callable) -> Verdict:
    """Check a student's `function(scores, grad_weights, temperature)`: the gradient by the scores, (m, n).

    Told apart: the temperature left out or multiplied, rows taken along the wrong axis, the diagonal alone,
    the plain mean or the plain sum in place of the weighted mean, a lost or turned sign, the maximum not
    subtracted.

    >>> softmax_pull_back(lambda z, g, T: exponential.softmax_vjp(z, g, temperature=T))
    right: each row of gradients sums to 0, for scores of any size and at any temperature
    """
    z, g = np.random.default_rng(6).normal(size=(2, 3, 4))
    T = 0.5
    expected = exponential.softmax_vjp(z, g, temperature=T)
    answer = call(function, z, g, T)
    if answer is None:
        return not_yet(f"the function returned None; return an array of shape {expected.shape}")
    if isinstance(answer, Verdict):
        return answer
    p = exponential.softmax(z, temperature=T)
    mean = (p * g).sum(axis=1, keepdims=True)
    mistakes = [
        (exponential.softmax_vjp(z, g) / T, "the scores were not divided by the temperature"),
        (exponential.softmax_vjp(z, g), "the temperature was left out"),
        (expected * T, "the weights feel the temperature, and so does the rate; divide once more"),
        (expected * T * T, "the temperature divides the rate, it does not multiply it"),
        (
            exponential.softmax_vjp(z, g, temperature=1 / T),
            "the scores were multiplied by the temperature; divide by it",
        ),
        (
            exponential.softmax_vjp(z, g, axis=0, temperature=T),
            "this runs down the columns; each query has a row",
        ),
        (p * (g - (p * g).sum()) / T, "this takes one mean for all rows; each row has its own"),
        (p * (1 - p) * g / T, "this is the diagonal alone; pushing a score moves the other weights too"),
        (
            p * (g - g.mean(axis=1, keepdims=True)) / T,
            "this takes off the plain mean; weigh it with the weights",
        ),
        (
            p * (g - g.sum(axis=1, keepdims=True)) / T,
            "this takes off the plain sum; weigh it with the weights",
        ),
        ((p * g - mean) / T, "the mean has to be multiplied by the weight as well"),
        (p * g / T, "the weighted mean is not taken off; the rows have to sum to 0"),
        (p * (g + mean) / T, "the weighted mean is taken off, not added"),
        (-expected, "the sign is turned round"),
        (p, "these are the weights; return the gradient by the scores"),
    ]
    for wrong, sentence in mistakes:
        if answer.shape == wrong.shape and same(answer, wrong):
            return not_yet(sentence)
    if answer.shape != expected.shape:
        return not_yet(f"the shape is {answer.shape}; one number for each score is {expected.shape}")
    if not same(answer, expected):
        return not_yet("the numbers differ; compare a row with differences: push one score by 1e-6")
    other = call(function, z, g, 3.0)
    if (
        other is None
        or isinstance(other, Verdict)
        or not same(other, exponential.softmax_vjp(z, g, temperature=3))
    ):
        return not_yet("right at one temperature and wrong at another; use the argument")
    large = call(function, z + 2000, g, T)
    if large is None or isinstance(large, Verdict) or not same(large, expected, atol=1e-6):
        return not_yet("right, but large scores overflow; take the largest score of the row off first")
    return right("each row of gradients sums to 0, for scores of any size and at any temperature")
