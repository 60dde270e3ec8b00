"""The checks of learning/end_to_end: each likely mistake is caught by name, and right answers pass."""

import numpy as np
import pytest

from attnlib.checks import end_to_end as checks


def right(scores, mask):
    kept = np.where(mask, scores, -np.inf)
    top = kept.max(axis=1, keepdims=True)
    return -((top <= 0) & (kept == top)).astype(float)


def by_loop(scores, mask):
    out = np.zeros(scores.shape)
    for row, keep, push in zip(scores, mask, out, strict=True):
        best = max((s, k) for k, s in enumerate(row) if keep[k])
        if best[0] <= 0:
            push[best[1]] = -1
    return out


def without_mask(scores, mask):
    return right(scores, np.ones_like(mask))


def masked_maximum(scores, mask):
    dead = np.where(mask, scores, -np.inf).max(axis=1, keepdims=True) <= 0
    return -1.0 * (dead & (scores == scores.max(axis=1, keepdims=True)))


def every_row(scores, mask):
    kept = np.where(mask, scores, -np.inf)
    return -1.0 * (kept == kept.max(axis=1, keepdims=True))


def smallest(scores, mask):
    dead = right(scores, mask).any(axis=1, keepdims=True)
    low = np.where(mask, scores, np.inf)
    return -1.0 * (dead & (low == low.min(axis=1, keepdims=True)))


def whole_row(scores, mask):
    return -1.0 * (right(scores, mask).any(axis=1, keepdims=True) & mask)


def columns(scores, mask):
    kept = np.where(mask, scores, -np.inf)
    return -1.0 * ((kept.max(axis=0) <= 0) & (kept == kept.max(axis=0)))


def zero_masked(scores, mask):
    return right(np.where(mask, scores, 0.0), np.ones_like(mask))


def strict(scores, mask):
    kept = np.where(mask, scores, -np.inf)
    return right(scores, mask) * (kept.max(axis=1, keepdims=True) < 0)


def by_heart(scores, mask):
    known = {-1.5: 1, -0.2: 0, -0.6: 1, -2.4: 1}
    out = np.zeros((5, 4))
    for row, place in zip((0, 2, 3, 4), known.values(), strict=True):
        out[row, place] = -1
    return out


@pytest.mark.parametrize("function", [right, by_loop])
def test_right_hinges_pass(function):
    verdict = checks.revive(function)
    assert verdict.passed
    assert repr(verdict).startswith("right: ")


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (without_mask, "the mask was forgotten"),
        (masked_maximum, "may be masked"),
        (every_row, "leave them alone"),
        (lambda z, m: every_row(z, m) - right(z, m), "push the dead ones"),
        (lambda z, m: -right(z, m), "sign is turned round"),
        (smallest, "smallest score"),
        (whole_row, "whole row"),
        (columns, "down the columns"),
        (zero_masked, "use -inf"),
        (strict, "exactly 0"),
        (lambda z, m: right(z, m) * -z, "whatever the score"),
        (by_heart, "right for these rows only"),
        (lambda z, m: right(z, m).sum(axis=1), "the shape is (5,)"),
        (lambda z, m: right(z, m) + 0.1, "-1 at the largest kept score"),
        (lambda z, m: None, "returned None"),
        (lambda z: z, "raised TypeError"),
    ],
)
def test_wrong_hinges_are_named(function, name):
    verdict = checks.revive(function)
    assert not verdict.passed
    assert name in verdict.message


def test_right_shares_pass():
    assert checks.dead_slot(0.1, days=30).passed
    assert checks.dead_slot(4 / 31, days=31).passed  # 1, 11, 21, 31
    assert checks.dead_slot(0.13, days=31).passed


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        (0, "now and then"),
        (1 / 30, "single day"),
        (1 / 3, "first digit of the day"),
        (0.9, "how often the slot is wrong"),
        (1 / 6, "month's last digit"),
        (1 / 12, "more days than months"),
        (0.5, "count the days"),
        (1.5, "between 0 and 1"),
        (np.nan, "between 0 and 1"),
        ("a tenth", "between 0 and 1"),
        (None, "dots"),
        (..., "dots"),
    ],
)
def test_wrong_shares_are_named(answer, name):
    verdict = checks.dead_slot(answer, days=30)
    assert not verdict.passed
    assert name in verdict.message


def test_the_worst_digit_is_named_where_digits_differ():
    assert "worst digit" in checks.dead_slot(3 / 31, days=31).message
