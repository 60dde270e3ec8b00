"""Attention: the weighted mean of values, with weights made of scores."""

import numpy as np

from attnlib._rows import kept_entries, real_arrays, same_shape, sum_to, vjp_of


def attend(query, key, value, *, score, transform, mask=None):
    r"""Return (context, weights): weights = transform(score(query, key)), context = weights @ value.

    query, key, value have shapes (..., queries, d), (..., keys, d), (..., keys, width), else ValueError. The
    score is a function of (query, key), such as scaled_dot_product_score; the transform one of (scores,
    mask=...), such as softmax, along the keys. The mask broadcasts to the scores, True = keep. A value whose
    weight is dropped, by the mask or a score of -inf, is never multiplied, so it may be NaN or inf. Source:
    Vaswani et al. 2017.

    >>> from attnlib import scaled_dot_product_score, softmax
    >>> context, weights = attend([[1.0]], [[0.0], [np.log(3)]], [[4.0], [8.0]],
    ...                           score=scaled_dot_product_score, transform=softmax)
    >>> print(weights, context)
    [[0.25 0.75]] [[7.]]
    """
    scores = score(query, key)
    weights = transform(scores, mask=mask)
    (w, v), kind = _checked(weights=weights, value=value)
    kept = np.asarray(scores) != -np.inf
    kept = kept if mask is None else kept & kept_entries(mask, kept.shape)
    finite = np.isfinite(v)
    with np.errstate(all="ignore"):
        context = w @ np.where(finite, v, 0.0)
        rows = np.flatnonzero(~finite.all(axis=(*range(v.ndim - 2), -1)))
        for j in rows:  # NaN or inf: only where the query keeps it
            here = np.where(finite[..., j, :], 0.0, v[..., j, :])
            context = context + np.where(kept[..., j, None], w[..., j, None] * here[..., None, :], 0.0)
        return context.astype(kind), weights


def attend_vjp(query, key, value, grad_context, *, score, transform, mask=None):
    """Pull a gradient by the context back to (query, key, value).

    Arguments as for :func:`attend`; grad_context has the context's shape. Score and transform must have their
    vjp beside them, as those of attnlib do; functools.partial may fix options. NaN in a query or a key goes
    to the gradients of the pairs that keep it, and of no other.

    >>> from attnlib import dot_product_score, softmax
    >>> attend_vjp([[0.0]], [[1.0], [3.0]], [[0.0], [4.0]], [[1.0]],
    ...            score=dot_product_score, transform=softmax)
    (array([[2.]]), array([[0.],
           [0.]]), array([[0.5],
           [0.5]]))
    """
    scores = score(query, key)
    (w, v, g), kind = _checked(weights=transform(scores, mask=mask), value=value, grad_context=grad_context)
    shape = (*np.broadcast_shapes(w.shape[:-2], v.shape[:-2]), w.shape[-2], v.shape[-1])
    g = same_shape(g, shape, "grad_context", "the context")
    with np.errstate(all="ignore"):
        grad_weights = sum_to(g @ v.mT, w.shape)
        grad_value = sum_to(w.mT @ g, v.shape).astype(kind)
    grad_scores = vjp_of(transform)(scores, grad_weights, mask=mask)
    used = np.isfinite(grad_scores) & (grad_scores != 0)  # NaN times a vector is NaN, whatever the vector
    rows, columns = (used.any(axis=i, keepdims=True) for i in (-1, -2))
    query, key = _where_used(rows, query), _where_used(columns.mT, key)
    return *vjp_of(score)(query, key, grad_scores=grad_scores)[:2], grad_value


def _where_used(used, vectors):
    """Return the vectors, 0 in place of those that are not used anywhere they are broadcast to."""
    return np.where(sum_to(used, (*np.shape(vectors)[:-1], 1)), vectors, 0)


def _checked(**given):
    (w, v, *rest), kind = real_arrays(**given)
    if w.ndim < 2:
        raise ValueError("query and key must have shapes (..., queries, d), (..., keys, d), not be vectors")
    if v.ndim < 2 or v.shape[-2] != w.shape[-1]:
        raise ValueError(f"value must have shape (..., {w.shape[-1]}, width), one row per key, not {v.shape}")
    return (w, v, *rest), kind
