"""Sigmoids: each weight is a yes or no of its own, no sum ties it to the others."""

import numpy as np

from attnlib._rows import plain


def sigmoid(scores, axis=-1, *, mask=None, temperature=1.0):
    r"""Squash each score into (0, 1) on its own.

    .. math:: p_i = 1 / (1 + e^{-z_i}), \qquad z = x/T

    T = inf gives 1/2. Arguments and errors as for :func:`~attnlib.softmax`; the axis has no effect. Source:
    the logistic function, of which Bridle 1990 made the softmax.

    >>> sigmoid([0, np.log(3)])
    array([0.5 , 0.75])
    """
    weights, blocks = plain(scores, axis, mask, temperature)
    for z, _ in blocks:
        _squash(z)
    return weights


def sigmoid_vjp(scores, grad_weights, axis=-1, *, mask=None, temperature=1.0):
    r"""Pull a gradient by the weights back to the scores: :math:`g_i p_i (1 - p_i) / T`, exact far from 0.

    >>> sigmoid_vjp([0], [1])
    array([0.25])
    """
    grad, blocks = plain(scores, axis, mask, temperature, grad=grad_weights)
    for z, _, g in blocks:
        g *= _slope(z)
    return grad


def sigmoid_attention(scores, axis=-1, *, mask=None, temperature=1.0):
    r"""Squash each score on its own, lowered by log n so that a row of n equal scores sums to about one.

    .. math:: p_i = 1 / (1 + e^{-(z_i - \log n)}), \qquad z = x/T

    n is the number of kept entries; at z = 0 each weight is 1/(n + 1). Arguments and errors as for
    :func:`~attnlib.softmax`. Source: Ramapuram et al. 2024.

    >>> sigmoid_attention([0, 0, 0, 0])
    array([0.2, 0.2, 0.2, 0.2])
    """
    weights, blocks = plain(scores, axis, mask, temperature)
    for z, n in blocks:
        z -= np.log(n)
        _squash(z)
    return weights


def sigmoid_attention_vjp(scores, grad_weights, axis=-1, *, mask=None, temperature=1.0):
    r"""Pull a gradient by the weights back to the scores: :math:`g_i p_i (1 - p_i) / T`.

    >>> sigmoid_attention_vjp([0], [1])
    array([0.25])
    """
    grad, blocks = plain(scores, axis, mask, temperature, grad=grad_weights)
    for z, n, g in blocks:
        g *= _slope(z - np.log(n))
    return grad


def _squash(z):
    """Turn z into 1/(1 + e^-z) in place, through e^-|z|, which cannot overflow."""
    e = np.exp(-np.abs(z))
    np.maximum(e, z >= 0, out=z)  # e^z/(1 + e^z) below 0
    e += 1.0
    z /= e


def _slope(z):
    """Return p(1 - p) at p = 1/(1 + e^-z)."""
    e = np.exp(-np.abs(z))
    return e / (1.0 + e) ** 2
