"""Scores: how well each query fits each key, before any transform. Rows are queries, columns keys."""

from operator import index

import numpy as np

from attnlib._rows import real_arrays, same_shape, sum_to


def dot_product_score(query, key):
    r"""Score each query against each key by :math:`q \cdot k`.

    query (..., queries, d) or (d,), key (..., keys, d) or (d,), scores (..., queries, keys) without the axis
    of a single vector. Raises ValueError if the widths d differ. Source: Luong et al. 2015.

    >>> dot_product_score([1, 2], [[3, 4], [5, 6]])
    array([11., 17.])
    """
    return _score(lambda q, k: q @ k.mT, query=query, key=key)


def dot_product_score_vjp(query, key, grad_scores):
    r"""Pull a gradient by the scores back to (query, key): :math:`G K` and :math:`G^\top Q`.

    >>> dot_product_score_vjp([1, 2], [3, 4], 1)
    (array([3., 4.]), array([1., 2.]))
    """
    return _score(_dot_vjp, grad_scores, query=query, key=key)


def scaled_dot_product_score(query, key):
    r"""Score by :math:`q \cdot k / \sqrt d`, whose variance does not grow with the width d of the keys.

    Shapes and errors as for :func:`dot_product_score`. Source: Vaswani et al. 2017.

    >>> scaled_dot_product_score([1, 1, 1, 1], [[1, 1, 1, 1], [1, 1, 0, 0]])
    array([2., 1.])
    """
    return _score(lambda q, k: q @ k.mT / _root(q), query=query, key=key)


def scaled_dot_product_score_vjp(query, key, grad_scores):
    r"""Pull a gradient by the scores back to (query, key): as for the dot product, over :math:`\sqrt d`.

    >>> scaled_dot_product_score_vjp([1, 1, 1, 1], [2, 0, 0, 0], 1)
    (array([1., 0., 0., 0.]), array([0.5, 0.5, 0.5, 0.5]))
    """
    return _score(lambda q, k, g: _dot_vjp(q, k, g / _root(q)), grad_scores, query=query, key=key)


def cosine_score(query, key):
    r"""Score by the cosine of the angle, :math:`q \cdot k / (\|q\| \|k\|)`, 0 for a zero vector.

    Shapes and errors as for :func:`dot_product_score`. Lengths cannot overflow.

    >>> cosine_score([3, 4], [[6, 8], [-4, 3], [0, 0]])
    array([1., 0., 0.])
    """
    return _score(_cosine, query=query, key=key)


def cosine_score_vjp(query, key, grad_scores):
    r"""Pull a gradient by the scores back to (query, key).

    A query gets :math:`\sum_j g_j (\hat k_j - c_j \hat q) / \|q\|`, a key likewise, a zero vector 0.

    >>> cosine_score_vjp([0, 2], [3, 0], 1)
    (array([0.5, 0. ]), array([0.        , 0.33333333]))
    """
    return _score(_cosine_vjp, grad_scores, query=query, key=key)


def additive_score(query, key, W, U, v):
    r"""Score by a small network, :math:`v^\top \tanh(W q + U k)`.

    q and k of widths d_q and d_k, W (width, d_q), U (width, d_k), v (width,), else ValueError. Other shapes
    as for :func:`dot_product_score`. Source: Bahdanau, Cho and Bengio 2015.

    >>> additive_score([1, 0], [0, 0], [[1, 0]], [[0, 1]], [2]).round(4)  # 2 tanh 1
    np.float64(1.5232)
    """
    return _score(lambda q, k, W, U, v: _hidden(q, k, W, U, v) @ v, query=query, key=key, W=W, U=U, v=v)


def additive_score_vjp(query, key, W, U, v, grad_scores):
    """Pull a gradient by the scores back to (query, key, W, U, v).

    >>> additive_score_vjp([0], [0], [[1]], [[2]], [3], 1)
    (array([3.]), array([6.]), array([[0.]]), array([[0.]]), array([0.]))
    """
    return _score(_additive_vjp, grad_scores, query=query, key=key, W=W, U=U, v=v)


def causal_mask(queries, keys):
    """Return the boolean (queries, keys) mask that keeps, for each query, the keys up to its own place.

    Aligned at the bottom right: the last query sees every key. The lengths are integers, 0 or more.

    >>> causal_mask(2, 3)
    array([[ True,  True, False],
           [ True,  True,  True]])
    """
    queries, keys = index(queries), index(keys)
    if queries < 0 or keys < 0:
        raise ValueError(f"queries and keys must be 0 or more, not {queries} and {keys}")
    return np.tri(queries, keys, keys - queries, dtype=bool)


def _dot_vjp(q, k, g):
    return g @ k, g.mT @ q


def _root(q):
    return max(q.shape[-1], 1) ** 0.5  # a vector of no numbers has score 0


def _cosine(q, k):
    (q, q_length, _), (k, k_length, _) = _scaled(q), _scaled(k)
    return np.clip(q @ k.mT / (q_length * k_length.mT), -1.0, 1.0)


def _cosine_vjp(q, k, g):
    (q, q_length), (k, k_length) = unit(q), unit(k)
    by_q, by_k, along = *_dot_vjp(q, k, g), g * (q @ k.mT)
    by_q = (by_q - along.sum(axis=-1)[..., None] * q) / np.where(q_length > 0, q_length, np.inf)
    return by_q, (by_k - along.sum(axis=-2)[..., None] * k) / np.where(k_length > 0, k_length, np.inf)


def unit(vectors):
    """Return (unit vectors, lengths with a last axis of 1); a zero vector stays as it is."""
    scaled, length, largest = _scaled(vectors)
    return scaled / length, largest * length


def _scaled(vectors):
    """Return vectors over their largest number, their lengths (1 for a zero vector), the largest numbers."""
    largest = np.max(np.abs(vectors), axis=-1, keepdims=True, initial=0.0)
    scaled = vectors / (largest + (largest == 0))
    length = np.sqrt(np.sum(scaled * scaled, axis=-1, keepdims=True))
    return scaled, length + (length == 0), largest


def _hidden(q, k, W, U, v):
    d, shapes = v.shape[-1:], (W.shape, U.shape, v.shape)
    if shapes != (d + q.shape[-1:], d + k.shape[-1:], d) or not d:
        raise ValueError(f"W, U, v must have shapes (width, d_q), (width, d_k), (width,), not {shapes}")
    return np.tanh((q @ W.T)[..., :, None, :] + (k @ U.T)[..., None, :, :])


def _additive_vjp(q, k, W, U, v, g):
    h = _hidden(q, k, W, U, v)
    by_sum = g[..., None] * v * (1.0 - h * h)
    by_q, by_k = by_sum.sum(axis=-2), by_sum.sum(axis=-3)
    return by_q @ W, by_k @ U, by_q.mT @ q, by_k.mT @ k, g[..., None] * h


def _score(function, *grad_scores, **given):
    """Return a score, or the gradients that its vjp makes of one, from functions of matrices."""
    (q, k, *rest), kind = real_arrays(**given)
    if q.ndim == 0 or k.ndim == 0:
        raise ValueError("query and key must be vectors or arrays of them, not single numbers")
    if not rest and q.shape[-1] != k.shape[-1]:
        raise ValueError(f"query and key must have the same width, not {q.shape[-1]} and {k.shape[-1]}")
    batch, matrices = np.broadcast_shapes(q.shape[:-2], k.shape[:-2]), (np.atleast_2d(q), np.atleast_2d(k))
    shape = batch + q.shape[-2:-1] + k.shape[-2:-1]  # without the axis of a single vector
    with np.errstate(all="ignore"):
        if not grad_scores:
            return function(*matrices, *rest).astype(kind).reshape(shape)
        g = same_shape(*grad_scores, shape, "grad_scores")
        g = g.reshape(*batch, *(matrix.shape[-2] for matrix in matrices))
        grads = zip(function(*matrices, *rest, g), (q, k, *rest), strict=True)
        return tuple(sum_to(grad, array.shape).astype(kind) for grad, array in grads)
