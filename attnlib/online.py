"""Softmax over a stream: one pass over blocks of scores, with two numbers a row in hand."""

import numpy as np

from attnlib._rows import real_arrays, row_axis


def online_softmax(blocks):
    r"""Return (context, log-sum-exp) of rows whose scores come in block by block; no block is kept.

    .. math:: m' = \max(m, \max_j x_j), \qquad \ell' = \ell e^{m - m'} + \sum_j e^{x_j - m'}

    blocks is an iterable of pairs (scores, values), of shapes (..., n) and (..., n, width), read once; n may
    differ from block to block, and be 0. A score of -inf drops its entry: the way to mask. A value that every
    row drops is never multiplied, so it may be NaN. Scores of +inf share all the weight.

    The context (..., width) is the mean of the values under softmax weights: their weighted sum shrinks by
    the same factor as :math:`\ell` and is divided by it at the end. The log-sum-exp (...), :math:`m + \log
    \ell` in nats, turns a score x into its weight, :math:`e^{x - \mathrm{lse}}`. A row that keeps nothing has
    0 and -inf.

    Raises TypeError for scores or values that are not real numbers, ValueError for no block at all, values
    without one row per score, blocks whose rows differ in number. Source: Milakov and Gimelshein 2018.

    >>> first, second = ([0.0], [[8.0]]), ([np.log(3)], [[4.0]])  # weights 1/4 and 3/4
    >>> context, log_sum_exp = online_softmax([first, second])
    >>> print(context, log_sum_exp.round(4))  # log 4
    [5.] 1.3863
    """
    top, total, mix, kind = -np.inf, 0.0, 0.0, np.float16
    for block in blocks:
        x, v, kind = _checked(block, top, kind)
        with np.errstate(all="ignore"):
            new = np.maximum(top, x.max(axis=-1, keepdims=True, initial=-np.inf))
            powers, shrink = _power(x, new), _power(top, new)
            total = shrink * total + powers.sum(axis=-1, keepdims=True)
            mix = shrink * mix + powers @ v
        top = new
    if np.ndim(top) == 0:
        raise ValueError("blocks must hold at least one pair (scores, values)")
    with np.errstate(all="ignore"):
        context = mix / np.maximum(total, 1.0)  # below 1 if nothing is kept
        log_sum_exp = (top + np.log(total))[..., 0]
        return context.astype(kind), log_sum_exp.astype(kind)[()]


def _power(x, top):
    """Return e to the power x - top: 0 for a dropped x, 1 where both are the same, +inf included."""
    return np.where(x == -np.inf, 0.0, np.exp(np.where(x == top, 0.0, x - top)))


def _checked(block, top, kind):
    """Return (scores, values, dtype of the result so far), values 0 where every row drops them."""
    scores, values = block
    (x, v), block_kind = real_arrays(scores=scores, values=values)
    row_axis(-1, x.ndim)
    n = x.shape[-1]
    if v.ndim < 2 or v.shape[-2] != n:
        raise ValueError(f"values must have shape (..., {n}, width), one row per score, not {v.shape}")
    if np.ndim(top) and top.shape[:-1] != x.shape[:-1]:
        raise ValueError(f"every block must have scores of shape {(*top.shape[:-1], 'n')}, not {x.shape}")
    kept = np.atleast_2d(x != -np.inf).any(axis=-2)
    return x, np.where(kept[..., None], v, 0.0), np.result_type(kind, block_kind).type
