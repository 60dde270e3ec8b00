"""Softmax and its relatives: every weight is a share of exponentials."""

import numpy as np

from attnlib._rows import normalize, number, shifted, total


def softmax(scores, axis=-1, *, mask=None, temperature=1.0):
    r"""Share out one unit of weight in proportion to exp(score / T).

    .. math:: p_i = e^{(x_i - c)/T} / \sum_j e^{(x_j - c)/T}, \qquad c = \max_j x_j

    Source: Bridle 1990; the temperature: Hinton, Vinyals and Dean 2015.

    The scores are real numbers in any shape; rows run along the axis. The weights have the scores' shape and
    dtype (integers and bools give float64). The mask is boolean and broadcasts to the scores, True = keep:
    a dropped entry, or a score of -inf, gets weight 0, a row with nothing kept is all 0. The temperature is a
    positive number, or an array with the scores' ndim and length 1 along the axis: T to 0 puts all weight on
    the largest score, T = inf shares it equally.

    Raises TypeError for scores that are not real numbers or a mask that is not boolean, ValueError for 0-d
    scores, a mask that does not broadcast to them, or a temperature that is not positive.

    >>> softmax([0, np.log(3)])
    array([0.25, 0.75])
    """
    weights, blocks = shifted(scores, axis, mask, temperature)
    for z in blocks:
        np.exp(z, out=z)
        normalize(z)
    return weights


def softmax_vjp(scores, grad_weights, axis=-1, *, mask=None, temperature=1.0):
    r"""Pull a gradient by the weights back to the scores: :math:`p_i (g_i - \sum_j p_j g_j) / T`.

    >>> softmax_vjp([0, 0], [1, 0])
    array([ 0.25, -0.25])
    """
    grad, blocks = shifted(scores, axis, mask, temperature, grad=grad_weights)
    for z, g in blocks:
        p = softmax(z)
        g -= total(p * g)
        g *= p
    return grad


def log_softmax(scores, axis=-1, *, mask=None, temperature=1.0):
    r"""Return the logarithm of :func:`softmax` in nats, exact where the softmax itself rounds to 0 or 1.

    .. math:: \log p_i = z_i - \log \sum_j e^{z_j}, \qquad z_i = (x_i - \max_j x_j)/T

    One of the exponentials is exactly 1, so the others are summed inside log1p. Arguments, errors and source
    as for :func:`softmax`; a dropped entry gets -inf.

    >>> print(*log_softmax([0, np.log(3)]).round(4))
    -1.3863 -0.2877
    """
    logs, blocks = shifted(scores, axis, mask, temperature, dropped=-np.inf)
    for z in blocks:
        e = np.exp(z)
        np.put_along_axis(e, z.argmax(axis=-1, keepdims=True), 0.0, axis=-1)
        z -= np.log1p(total(e))
    return logs


def log_softmax_vjp(scores, grad_weights, axis=-1, *, mask=None, temperature=1.0):
    r"""Pull a gradient by the log weights back to the scores: :math:`(g_i - p_i \sum_j g_j) / T`.

    >>> log_softmax_vjp([0, 0], [1, 0])
    array([ 0.5, -0.5])
    """
    grad, blocks = shifted(scores, axis, mask, temperature, grad=grad_weights)
    for z, g in blocks:
        g -= softmax(z) * total(g)
    return grad


def softmax_one(scores, axis=-1, *, mask=None, temperature=1.0, sink=0.0):
    r"""Share out one unit by softmax between the scores and a sink, whose share is dropped.

    .. math:: p_i = e^{x_i/T} / (e^{b/T} + \sum_j e^{x_j/T})

    The sink b is one more score, divided by T too; a row that lies far below it keeps next to no weight. With
    b = 0: "softmax1". Arguments and errors as for :func:`softmax`; b = NaN is a ValueError. Source: Miller
    2023.

    >>> softmax_one([0, np.log(2)])
    array([0.25, 0.5 ])
    """
    weights, blocks = shifted(scores, axis, mask, temperature, sink=(number(sink, "sink"),))
    for z in blocks:  # one entry longer than the scores
        np.exp(z, out=z)
        normalize(z)
    return weights


def softmax_one_vjp(scores, grad_weights, axis=-1, *, mask=None, temperature=1.0, sink=0.0):
    r"""Pull a gradient back to the scores: :math:`p_i (g_i - \sum_j p_j g_j) / T`, with no g for the sink.

    >>> softmax_one_vjp([0], [1])
    array([0.25])
    """
    sink = (number(sink, "sink"),)
    return pull_softmax(*shifted(scores, axis, mask, temperature, sink=sink, grad=grad_weights))


def scalable_softmax(scores, axis=-1, *, mask=None, temperature=1.0, scale=1.0):
    r"""Share out one unit by a softmax that sharpens with the number n of kept entries.

    .. math:: p = \mathrm{softmax}(s \log n \cdot x / T)

    So the largest weight need not fade as a row grows. Arguments and errors as for :func:`softmax`; a scale
    that is negative or not finite is a ValueError. Source: Nakanishi 2025.

    >>> scalable_softmax([1, 0]).round(4)  # 2 to 1
    array([0.6667, 0.3333])
    """
    weights, blocks = shifted(scores, axis, mask, temperature, sharpen=_log_n(scale))
    for z in blocks:
        np.exp(z, out=z)
        normalize(z)
    return weights


def scalable_softmax_vjp(scores, grad_weights, axis=-1, *, mask=None, temperature=1.0, scale=1.0):
    r"""Pull a gradient by the weights back to the scores: that of softmax, times :math:`s \log n`.

    >>> scalable_softmax_vjp([0, 0], [1, 0]).round(4)
    array([ 0.1733, -0.1733])
    """
    return pull_softmax(*shifted(scores, axis, mask, temperature, sharpen=_log_n(scale), grad=grad_weights))


def pull_softmax(grad, blocks):
    """Pull a gradient back through the softmax of each block."""
    for z, g in blocks:
        g[...] = softmax_vjp(z, g)
    return grad


def _log_n(scale):
    scale = number(scale, "scale", "finite and not negative", lambda s: 0 <= s < np.inf)
    return lambda T, n: np.maximum(T / scale, 5e-324) / np.log(n)
