"""Sparsemax and entmax: weights on the simplex that can be exactly 0."""

import numpy as np

from attnlib._rows import normalize, number, shifted, total
from attnlib.transforms.exponential import softmax


def sparsemax(scores, axis=-1, *, mask=None, temperature=1.0):
    r"""Return the point of the simplex nearest to the scores: low scores get exactly 0.

    .. math:: p = \operatorname*{argmin}_{p \in \Delta} \|p - z\|^2 = [z - \tau]_+, \qquad z = x/T

    The threshold :math:`\tau` makes the sum 1. Arguments and errors as for :func:`~attnlib.softmax`.
    Source: Martins and Astudillo 2016.

    >>> sparsemax([0, 0.5, 1])
    array([0.  , 0.25, 0.75])
    """
    weights, blocks = shifted(scores, axis, mask, temperature)
    for z in blocks:
        _climb(z, 2.0)
    return weights


def sparsemax_vjp(scores, grad_weights, axis=-1, *, mask=None, temperature=1.0):
    r"""Pull a gradient by the weights back to the scores: g less its mean, over T, on the support.

    >>> sparsemax_vjp([1.2, 0.8, -0.5], [1, 2, 3])
    array([-0.5,  0.5,  0. ])
    """
    return entmax_vjp(scores, grad_weights, axis, mask=mask, temperature=temperature, alpha=2)


def entmax(scores, axis=-1, *, mask=None, temperature=1.0, alpha=1.5):
    r"""Share out one unit with exact zeros, by a curve between softmax (alpha = 1) and sparsemax (alpha = 2).

    .. math:: p_i = [(\alpha - 1) z_i - \tau]_+^{1/(\alpha - 1)}, \qquad z = x/T

    The threshold :math:`\tau` makes the sum 1. Arguments and errors as for :func:`~attnlib.softmax`; an alpha
    below 1, inf or NaN is a ValueError. Source: Peters, Niculae and Martins 2019.

    >>> entmax([1, 0.9, 0], alpha=3).round(4)
    array([0.6, 0.4, 0. ])
    """
    alpha = _checked(alpha)
    weights, blocks = shifted(scores, axis, mask, temperature)
    for z in blocks:
        _share_out(z, alpha)
    return weights


def entmax_vjp(scores, grad_weights, axis=-1, *, mask=None, temperature=1.0, alpha=1.5):
    r"""Pull a gradient by the weights back to the scores.

    :math:`u_i (g_i - \sum_j u_j g_j / \sum_j u_j) / T`, with :math:`u_i = p_i^{2-\alpha}`, 0 off the support.

    >>> entmax_vjp([0, 0, -9], [1, 0, 0]).round(4)  # u = sqrt(1/2) twice
    array([ 0.3536, -0.3536, -0.    ])
    """
    alpha = _checked(alpha)
    grad, blocks = shifted(scores, axis, mask, temperature, grad=grad_weights)
    for z, g in blocks:
        p = z.astype(np.float64)
        _share_out(p, alpha)
        u = np.sign(p) * np.minimum(np.where(p > 0, p, 1.0) ** (2.0 - alpha), 1e290)
        g[...] = u * (g - total(u * g) / np.maximum(total(u), 5e-324))
    return grad


def _checked(alpha):
    return number(alpha, "alpha", "finite and at least 1", lambda a: 1 <= a < np.inf)


def _share_out(z, alpha):
    """Turn z = (x - max x)/T into entmax weights in place."""
    if alpha == 1:
        z[...] = softmax(z)
    elif alpha in (1.5, 2):
        _climb(z, alpha)
    else:
        z[...] = _bisect(z.astype(np.float64), alpha - 1.0)
        normalize(z)


def _climb(z, alpha):
    """Find tau by Newton's method for alpha = 1.5 or 2, on r = (alpha - 1)z - tau, in place of z.

    The sum of r**(1/(alpha - 1)) is convex and falls as tau grows, so the climb starts below, at the tau
    where the largest weight alone is 1. Rounding may lead past the root; the step back moves the support
    only.
    """
    z *= alpha - 1.0
    z += 1.0
    np.maximum(z, 0.0, out=z)
    enough = 8.0 * np.finfo(z.dtype).eps
    for _ in range(40):  # 5 to 12 are usual
        slope = total(np.ceil(z)) if alpha == 2 else 2.0 * total(z)
        excess = total(z if alpha == 2 else z * z) - (slope > 0)
        open_rows = np.abs(excess) > enough
        if not open_rows.any():
            break
        step = excess * open_rows / np.maximum(slope, 1.0)  # a row that has arrived stays as it is
        z -= step * np.sign(z) if (step < 0).any() else step
        np.maximum(z, 0.0, out=z)
    if alpha != 2:
        z *= z
    normalize(z)


def _bisect(z, d):
    """Return p = w (1 + d z / w**d)**(1/d) for d = alpha - 1 > 0, bisecting for the largest weight w.

    For a large d, one step of rounding in w moves a small weight a lot, so that it is known best as what the
    others leave: the last two rows, whose sums lie on both sides of 1, are mixed to a sum of 1.
    """

    def row(w):
        return w * np.exp(np.log1p(np.maximum(d * z / np.maximum(w**d, 1e-300), -1.0)) / d)

    with np.errstate(all="ignore"):
        low, high = 1.0 / z.shape[-1], 1.0
        for _ in range(60):
            w = (low + high) / 2.0
            enough = total(row(w)) >= 1.0
            low, high = np.where(enough, low, w), np.where(enough, w, high)
        p, rise = row(low), row(high) - row(low)
        return p + rise * np.clip((1.0 - total(p)) / np.maximum(total(rise), 5e-324), 0.0, 1.0)
