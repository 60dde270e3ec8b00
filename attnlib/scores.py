"""Scores: how well each query fits each key, before any transform. Rows are queries, columns keys."""

import numpy as np

from attnlib._rows import real_arrays


def dot_product_score(query, key):
    r"""Score each query against each key by :math:`q \cdot k`.

    query has shape (..., queries, d) or (d,), key (..., keys, d) or (d,); the scores have shape (...,
    queries, keys), without the axis of a single vector. Raises ValueError if the widths d differ. Source:
    Luong et al. 2015.

    >>> dot_product_score([1, 2], [[3, 4], [5, 6]])
    array([11., 17.])
    """
    return _score(query, key, _dot)


def dot_product_score_vjp(query, key, grad_scores):
    r"""Pull a gradient by the scores back to (query, key): :math:`G K` and :math:`G^\top Q`.

    >>> dot_product_score_vjp([1, 2], [3, 4], 1)
    (array([3., 4.]), array([1., 2.]))
    """
    return _score_vjp(query, key, grad_scores, _dot_vjp)


def scaled_dot_product_score(query, key):
    r"""Score by :math:`q \cdot k / \sqrt d`, whose variance does not grow with the width d of the keys.

    Shapes and errors as for :func:`dot_product_score`. Source: Vaswani et al. 2017.

    >>> scaled_dot_product_score([1, 1, 1, 1], [[1, 1, 1, 1], [1, 1, 0, 0]])
    array([2., 1.])
    """
    return _score(query, key, lambda q, k: _dot(q, k) / _root(q))


def scaled_dot_product_score_vjp(query, key, grad_scores):
    r"""Pull a gradient by the scores back to (query, key): as for the dot product, over :math:`\sqrt d`.

    >>> scaled_dot_product_score_vjp([1, 1, 1, 1], [2, 0, 0, 0], 1)
    (array([1., 0., 0., 0.]), array([0.5, 0.5, 0.5, 0.5]))
    """
    return _score_vjp(query, key, grad_scores, lambda q, k, g: _dot_vjp(q, k, g / _root(q)))


def _dot(q, k):
    return q @ np.swapaxes(k, -1, -2)


def _dot_vjp(q, k, g):
    return g @ k, np.swapaxes(g, -1, -2) @ q


def _root(q):
    return max(q.shape[-1], 1) ** 0.5  # a vector of no numbers has score 0


def _matrices(**named):
    (q, k, *rest), kind = real_arrays(**named)
    if q.ndim == 0 or k.ndim == 0:
        raise ValueError("query and key must be vectors or arrays of them, not single numbers")
    return np.atleast_2d(q), np.atleast_2d(k), rest, kind, (q.ndim > 1, k.ndim > 1)


def _score(query, key, score):
    q, k, _, kind, (rows, columns) = _matrices(query=query, key=key)
    _same_width(q, k)
    with np.errstate(all="ignore"):
        scores = score(q, k).astype(kind)
    return scores[(..., slice(None) if rows else 0, slice(None) if columns else 0)]


def _score_vjp(query, key, grad_scores, vjp):
    q, k, (g,), kind, (rows, columns) = _matrices(query=query, key=key, grad_scores=grad_scores)
    _same_width(q, k)
    batch = np.broadcast_shapes(q.shape[:-2], k.shape[:-2])
    shape = batch + q.shape[-2:-1] * rows + k.shape[-2:-1] * columns
    if g.shape != shape:
        raise ValueError(f"grad_scores must have the shape of the scores, {shape}, not {g.shape}")
    with np.errstate(all="ignore"):
        grads = vjp(q, k, g.reshape(*batch, q.shape[-2], k.shape[-2]))
        return tuple(
            _sum_to(grad, array).reshape(np.shape(given)).astype(kind)
            for grad, array, given in zip(grads, (q, k), (query, key), strict=True)
        )


def _same_width(q, k):
    if q.shape[-1] != k.shape[-1]:
        raise ValueError(f"query and key must have the same width, not {q.shape[-1]} and {k.shape[-1]}")


def _sum_to(grad, array):
    """Sum a gradient over the axes along which the array was broadcast."""
    grad = grad.sum(axis=tuple(range(grad.ndim - array.ndim)))
    stretched = tuple(i for i, n in enumerate(array.shape) if n == 1 != grad.shape[i])
    return grad.sum(axis=stretched, keepdims=True)
