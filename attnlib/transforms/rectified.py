"""ReLU attention: nothing for a negative score, and no sum that ties the others together."""

import numpy as np

from attnlib._rows import plain


def relu_attention(scores, axis=-1, *, mask=None, temperature=1.0):
    r"""Keep the positive scores, divided by the number n of kept entries; the others get exactly 0.

    .. math:: p_i = \max(z_i, 0) / n, \qquad z = x/T

    Arguments and errors as for :func:`~attnlib.softmax`. Source: Wortsman et al. 2023.

    >>> relu_attention([1, -2, 3, 0])
    array([0.25, 0.  , 0.75, 0.  ])
    """
    weights, blocks = plain(scores, axis, mask, temperature)
    for z, n in blocks:
        np.maximum(z, 0.0, out=z)
        z /= n
    return weights


def relu_attention_vjp(scores, grad_weights, axis=-1, *, mask=None, temperature=1.0):
    r"""Pull a gradient by the weights back to the scores: :math:`g_i / (n T)` where x > 0, else 0.

    >>> relu_attention_vjp([1, -2, 0, 3], [4, 4, 4, 8])
    array([1., 0., 0., 2.])
    """
    grad, blocks = plain(scores, axis, mask, temperature, grad=grad_weights)
    for z, n, g in blocks:
        g[...] = np.where(z > 0, g, np.maximum(z, 0.0)) / n  # NaN stays NaN
    return grad
