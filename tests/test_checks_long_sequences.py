"""The checks of learning/long_sequences: each likely mistake is caught by name, and right answers pass."""

import numpy as np
import pytest

from attnlib.checks import long_sequences as checks


def lse(scores):
    return np.logaddexp.reduce(scores)


def right(blocks):
    m, total = -np.inf, 0.0
    for block in blocks:
        new = max(m, block.max())
        if new > -np.inf:
            total, m = total * np.exp(m - new) + np.exp(block - new).sum(), new
    return m + np.log(total)


def pairwise(blocks):
    """Right, by merging log-sum-exps."""
    answer = -np.inf
    for block in blocks:
        answer = np.logaddexp(answer, lse(block))
    return answer


def careless(blocks):
    m, total = -np.inf, 0.0
    for block in blocks:
        m = max(m, block.max())
        total += np.exp(block - m).sum()
    return m + np.log(total)


def breaks_on_masks(blocks):
    m, total = -np.inf, 0.0
    for block in blocks:
        new = max(m, block.max())
        total, m = total * np.exp(m - new) + np.exp(block - new).sum(), new
    return m + np.log(total)


def largest(blocks):
    return max(block.max() for block in blocks)


def sum_alone(blocks):
    blocks = list(blocks)
    return sum(np.exp(block - largest(blocks)).sum() for block in blocks)


def plus_the_sum(blocks):
    blocks = list(blocks)
    return largest(blocks) + sum_alone(blocks)


def mean(blocks):
    row = np.concatenate(list(blocks))
    return lse(row) - np.log(row.size)


def twice(blocks):
    first = right(blocks)
    return first + 0 * max(block.max() for block in blocks)  # nothing is left to read


@pytest.mark.parametrize("function", [right, pairwise])
def test_right_streams_pass(function):
    verdict = checks.stream(function)
    assert verdict.passed
    assert repr(verdict).startswith("right: ")


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (careless, "not shrunk"),
        (lambda blocks: np.log(sum_alone(blocks)), "not added again"),
        (sum_alone, "this is the sum; take its logarithm"),
        (lambda blocks: np.exp(right(blocks)), "sum of the powers"),
        (plus_the_sum, "logarithm of the sum before you add"),
        (lambda blocks: lse(list(blocks)[-1]), "last block alone"),
        (lambda blocks: lse(next(blocks)), "first block alone"),
        (mean, "logarithm of a mean"),
        (lambda blocks: sum(lse(block) for block in blocks), "do not add up"),
        (largest, "this is the largest score"),
        (lambda blocks: np.log(sum(np.exp(b).sum() for b in blocks)), "large scores overflow"),
        (breaks_on_masks, "a block of -inf alone"),
        (twice, "raised ValueError"),
        (lambda blocks: [right(blocks)], "the shape is (1,)"),
        (lambda blocks: right(blocks) + 0.1, "on paper"),
        (lambda blocks: "much", "returned a str"),
        (lambda blocks: ..., "returned None"),
    ],
)
def test_wrong_streams_are_named(function, name):
    verdict = checks.stream(function)
    assert not verdict.passed
    assert repr(verdict).startswith("not yet: ")
    assert name in verdict.message


STREAM = {"largest": 2, "total": 1.5, "score": 3}


def test_next_sum():
    assert checks.next_sum(1.55, **STREAM).passed
    assert checks.next_sum(1.87, largest=2, total=1.5, score=1).passed  # the largest stays


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        (2.5, "has to shrink"),
        (5.08, "makes it grow"),
        (0.55, "added as well"),
        (4.22, "the old largest score"),
        (20.64, "measured from the largest score, too"),
        (3.44, "the log-sum-exp"),
        (9, "shrink the old sum by e"),
        (-1, "positive"),
        (None, "dots"),
        (..., "dots"),
    ],
)
def test_wrong_sums_are_named(answer, name):
    verdict = checks.next_sum(answer, **STREAM)
    assert not verdict.passed
    assert name in verdict.message
