"""Checks of the exercises in foundations/fusion.

>>> leave_one_out(lambda x, y, temperature: None)
not yet: the function returned None; return an array of shape (6,)
"""

from collections.abc import Callable

import numpy as np

from attnlib.checks._verdict import Verdict, call, find_fault, not_yet, number, right, same
from attnlib.transforms import exponential


def temperature_of_bandwidth(answer: float, bandwidth: float) -> Verdict:
    """Check the temperature at which softmax of minus the squared distance is a Gaussian of this width.

    >>> temperature_of_bandwidth(200, 10)
    right: one bandwidth away the weight is 0.607 of that at the centre
    >>> temperature_of_bandwidth(100, 10)
    not yet: this is the square of the bandwidth; mind the 2 in the kernel
    >>> temperature_of_bandwidth(..., 10)
    not yet: put your number in place of the dots
    """
    answer = number(answer)
    if answer is None:
        return not_yet("put your number in place of the dots")
    if not 0 < answer < np.inf:
        return not_yet("a temperature is one positive number")
    weights = exponential.softmax([-(bandwidth**2), 0.0], temperature=float(answer))
    falls = f"one bandwidth away the weight is {weights[0] / weights[1]:.3f} of that at the centre"
    named = [
        (2 * bandwidth**2, None),
        (bandwidth**2, "this is the square of the bandwidth; mind the 2 in the kernel"),
        (bandwidth, "this is the bandwidth; the scores are squared distances, so square it"),
        (2 * bandwidth, "this is twice the bandwidth; square the bandwidth first"),
        ((2 * bandwidth) ** 2, "this squares the 2 as well"),
        (bandwidth**2 / 2, "this divides by 2 where it should multiply"),
        (1 / (2 * bandwidth**2), "this is 1 / T"),
    ]
    for wrong, sentence in named:
        if abs(answer - wrong) <= 1e-3 * wrong:
            return right(falls) if sentence is None else not_yet(sentence)
    return not_yet(f"{falls}; a Gaussian falls to {np.exp(-0.5):.3f} there")


def leave_one_out(function: Callable) -> Verdict:
    """Check a student's `function(x, y, temperature)`: each value from the others, weighted by closeness.

    Told apart: the point itself takes part, or takes its share although its value is dropped; the distance is
    not squared, or its sign is missing; the temperature multiplies, has no effect, or is taken for a
    bandwidth; the weights sum to one over the wrong axis; nothing is subtracted before exponentiating.

    >>> from attnlib import softmax
    >>> def solution(x, y, temperature):
    ...     others = ~np.eye(len(x), dtype=bool)
    ...     return softmax(-((x[:, None] - x) ** 2), mask=others, temperature=temperature) @ y
    >>> leave_one_out(solution)
    right: every point is filled in from the others, however far they are
    """
    softmax = exponential.softmax
    rng = np.random.default_rng(0)
    x, y = np.cumsum(rng.uniform(0.5, 1.5, size=6)), rng.normal(size=6)
    temperature, others = 2.5, ~np.eye(6, dtype=bool)
    gap = x[:, None] - x
    score = -(gap**2)
    expected = softmax(score, mask=others, temperature=temperature) @ y
    mistakes = [
        (softmax(score, temperature=temperature) @ y, "each point takes part in its own mix; leave it out"),
        ((softmax(score, temperature=temperature) * others) @ y,
         "the point is dropped after the softmax, so it still took its share; mask its score"),
        (softmax(np.where(others, -score, 0), mask=others, temperature=temperature) @ y,
         "far points weigh most; the score is minus the squared distance"),
        (softmax(-np.abs(gap), mask=others, temperature=temperature) @ y, "the distance is not squared"),
        (softmax(score, mask=others, temperature=1 / temperature) @ y,
         "the temperature multiplies; it divides"),
        (softmax(score, mask=others) @ y, "the temperature has no effect"),
        (softmax(score, mask=others, temperature=2 * temperature**2) @ y,
         "this takes the temperature for a bandwidth; the scores are divided by T as it is"),
        (softmax(score, axis=0, mask=others, temperature=temperature) @ y,
         "the columns sum to one; share out along the known points, so that each row does"),
        (np.where(others, y, 0).sum(axis=1) / 5, "this is the plain mean of the others"),
    ]  # fmt: skip
    fault = find_fault(
        call(function, x, y, temperature),
        expected,
        mistakes,
        shape="one prediction for each point is",
        differs="the predictions differ; compare the first with your own calculation on paper",
    )
    if fault:
        return fault
    far = call(function, 100 * x, y, temperature)
    if isinstance(far, Verdict) or far is None or not np.isfinite(far).all():
        return not_yet("0 divided by 0 where the others are far; subtract the largest score first")
    if not same(far, softmax(1e4 * score, mask=others, temperature=temperature) @ y):
        return not_yet("right where the others are near and wrong where they are far")
    return right("every point is filled in from the others, however far they are")
