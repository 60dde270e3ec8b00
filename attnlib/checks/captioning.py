"""Checks of the exercises in applications/captioning.

>>> coverage_penalty(lambda weights, constant: None)
not yet: the function returned None; return one number
"""

from collections.abc import Callable

import numpy as np

from attnlib.checks._verdict import Verdict, call, not_yet, number, right, same
from attnlib.transforms import exponential


def places_of(answer: float, height: int, width: int, side: int) -> Verdict:
    """Check the number of places of a square patch in a picture.

    >>> places_of(689, height=20, width=60, side=8)
    right: 13 rows times 53 columns
    >>> places_of(624, height=20, width=60, side=8)
    not yet: a patch can also stand at the very end: one more row and one more column
    >>> places_of(..., height=20, width=60, side=8)
    not yet: put your number in place of the dots
    """
    answer = number(answer)
    if answer is None:
        return not_yet("put your number in place of the dots")
    if not 0 < answer < np.inf:
        return not_yet("the number of places is one positive number")
    rows, columns = height - side + 1, width - side + 1
    mistakes = [
        (rows * columns, right(f"{rows} rows times {columns} columns")),
        ((height - side) * (width - side),
         not_yet("a patch can also stand at the very end: one more row and one more column")),
        (height * width, not_yet("this is the number of pixels; a patch must fit in whole")),
        (height / side * (width / side), not_yet("these are patches side by side; here they overlap")),
        (height // side * (width // side), not_yet("these are patches side by side; here they overlap")),
        (rows + columns, not_yet("rows and columns are multiplied: each row has all the columns")),
        (rows * columns * side**2, not_yet("this counts the pixels of all patches; count the patches")),
    ]  # fmt: skip
    for wrong, verdict in mistakes:
        if abs(answer - wrong) < 0.5:
            return verdict
    return not_yet(f"{answer:g} is not it; count the rows in which the upper left corner can stand")


def coverage_penalty(function: Callable) -> Verdict:
    """Check a student's `function(weights, constant)`: how unevenly the places of a picture are seen.

    Wanted: the sum over the places of (constant - what the place received from all symbols)^2. Told apart:
    the sum along the wrong axis, the square of each weight, the distance without a square, its root, the
    mean in place of the sum, and the constant left out.

    >>> coverage_penalty(lambda weights, constant: ((constant - weights.sum(axis=0)) ** 2).sum())
    right: 0 when all places have received the constant, and more the more unevenly they were seen
    """
    weights, constant = exponential.softmax(np.random.default_rng(0).normal(size=(3, 6))), 0.5
    received = weights.sum(axis=0)
    off = constant - received
    expected = off @ off
    mistakes = [
        (np.sum((constant - weights.sum(axis=1)) ** 2),
         "this sums over the places, which gives 1 for each symbol; sum over the symbols first"),
        (np.sum((constant - weights) ** 2), "this compares single weights; sum over the symbols first"),
        (np.abs(off).sum(), "these are plain distances; square them"),
        (off.sum(), "signed differences cancel; square them"),
        (np.sqrt(expected), "this is the root; the penalty is the sum of the squares itself"),
        (expected / len(off), "this is the mean over the places; take the sum"),
        (received @ received, "the constant is missing: compare what each place received with it"),
    ]  # fmt: skip
    answer = call(function, weights, constant)
    if answer is None:
        return not_yet("the function returned None; return one number")
    if isinstance(answer, Verdict):
        return answer
    if answer.shape == off.shape and same(answer, off**2):
        return not_yet("one number for each place; sum them")
    if answer.shape:
        return not_yet(f"the shape is {answer.shape}; return one number")
    for wrong, sentence in mistakes:
        if same(answer, wrong):
            return not_yet(sentence)
    if not same(answer, expected):
        return not_yet("the penalty differs; try two symbols and two places by hand")
    even = call(function, np.full((3, 4), 0.25), 0.75)
    if even is None or isinstance(even, Verdict) or even.shape or not same(even, 0.0):
        return not_yet("three symbols that look everywhere alike, over four places, have no penalty at 0.75")
    return right("0 when all places have received the constant, and more the more unevenly they were seen")
