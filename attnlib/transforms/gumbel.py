"""Gumbel-softmax: a random, differentiable pick whose largest weight falls on i as often as softmax says."""

import numpy as np

from attnlib._rows import generator, normalize, shifted
from attnlib.transforms.exponential import pull_softmax


def gumbel_softmax(scores, axis=-1, *, mask=None, temperature=1.0, rng=None, noise=None, hard=False):
    r"""Draw soft picks: softmax of the scores plus Gumbel noise, over T.

    .. math:: p = \mathrm{softmax}((x + g)/T), \qquad g_i = -\log(-\log u_i), \quad u_i \text{ uniform}

    The largest weight falls on i with probability softmax(x), at every T. Arguments and errors as for
    :func:`~attnlib.softmax`. `rng` is a numpy Generator that draws the noise, in float64 for every entry,
    kept or not; `noise` an array of the scores' shape instead; without exactly one of them: ValueError.
    `hard=True` gives 1 to the largest weight (the first of equals), 0 to the others; the gradient stays the
    soft one. Sources: Jang, Gu and Poole 2016; Maddison, Mnih and Teh 2016.

    >>> gumbel_softmax([0, 0], noise=[np.log(3), 0])
    array([0.75, 0.25])
    """
    weights, blocks = shifted(scores, axis, mask, temperature, noise=_noise(scores, rng, noise))
    for z in blocks:
        np.exp(z, out=z)
        normalize(z)
        if hard:
            first, top = z.argmax(axis=-1, keepdims=True), z.max(axis=-1, keepdims=True)
            z *= 0.0  # a row of NaN stays one
            np.put_along_axis(z, first, np.sign(top), axis=-1)
    return weights


def gumbel_softmax_vjp(scores, grad_weights, axis=-1, *, mask=None, temperature=1.0, noise, hard=False):
    r"""Pull a gradient by the weights back to the scores, for given noise: that of the soft pick.

    `hard` changes nothing ("straight-through").

    >>> gumbel_softmax_vjp([0, 0], [1, 0], noise=[1, 1])
    array([ 0.25, -0.25])
    """
    return pull_softmax(*shifted(scores, axis, mask, temperature, noise=noise, grad=grad_weights))


def _noise(scores, rng, noise):
    if (rng is None) == (noise is None):
        raise ValueError("gumbel_softmax needs either rng, a Generator, or noise, an array like the scores")
    return _gumbel(generator(rng).random(np.shape(scores))) if noise is None else noise


def _gumbel(u):
    """Turn uniform numbers into Gumbel noise; 0, which a generator may return, counts as 2**-54."""
    return -np.log(-np.log(np.maximum(u, 2.0**-54)))
