"""What a row of weights is like, and how far from another. Computed in float64; entropies in nats."""

from operator import index

import numpy as np

from attnlib._rows import real_array, refuse, row_axis


def entropy(weights, axis=-1):
    r"""Return the uncertainty of each row, :math:`-\sum_i p_i \log p_i` nats, of the row divided by its sum.

    From 0, if one weight has it all or none is left, to log n, if n share equally. Raises ValueError for a
    negative weight. Source: Shannon 1948.

    >>> print(entropy([0.5, 0.5, 0]).round(4), entropy([0, 1]))
    0.6931 0.0
    """
    w = _rows(weights, axis)
    with np.errstate(all="ignore"):
        w = w / np.maximum.reduce(w, axis=-1, keepdims=True, initial=5e-324)
        p = w / np.sum(w, axis=-1, keepdims=True, initial=5e-324)
    return 0.0 - _sum_p_log(p, 1.0)


def perplexity(weights, axis=-1):
    """Return the effective number of items in each row, exp(entropy); 0 if nothing has weight.

    >>> print(perplexity([0.25, 0.25, 0.25, 0.25]).round(4), perplexity([0, 0]))
    4.0 0.0
    """
    return np.exp(entropy(weights, axis)) * (np.max(_rows(weights, axis), axis=-1, initial=0.0) != 0)


def support_size(weights, axis=-1):
    """Count the entries of each row whose weight is not exactly 0.

    >>> support_size([0.5, 0, 0.5])
    np.int64(2)
    """
    w = real_array(weights, "weights")[0]
    return np.count_nonzero(w, axis=row_axis(axis, w.ndim, "weights"))


def top_k_mass(weights, k, axis=-1):
    """Return the sum of the k largest weights of each row, or of all; k is an integer, 0 or more.

    >>> top_k_mass([0.5, 0.125, 0.25, 0.125], 2)
    np.float64(0.75)
    """
    k = index(k)
    if k < 0:
        raise ValueError(f"k must be 0 or more, not {k}")
    w = np.sort(_rows(weights, axis, least=-np.inf))
    with np.errstate(all="ignore"):
        return w[..., max(w.shape[-1] - k, 0) :].sum(axis=-1)


def kl_divergence(p, q, axis=-1):
    r"""Return :math:`\sum_i p_i \log(p_i / q_i)` nats for each row: 0 if p = q, inf if q is 0 where p is not.

    Not symmetric: p is the truth, q the guess. Raises ValueError for a negative weight.

    >>> print(kl_divergence([1, 0], [0.5, 0.5]).round(4), kl_divergence([0.5, 0.5], [1, 0]))
    0.6931 inf
    """
    return _sum_p_log(_rows(p, axis, "p"), _rows(q, axis, "q"))


def total_variation(p, q, axis=-1):
    r"""Return :math:`\tfrac12 \sum_i |p_i - q_i|` for each row: how much weight must move to turn p into q.

    >>> total_variation([1, 0], [0.5, 0.5])
    np.float64(0.5)
    """
    p, q = _rows(p, axis, "p", least=-np.inf), _rows(q, axis, "q", least=-np.inf)
    with np.errstate(all="ignore"):
        return np.abs(p - q).sum(axis=-1) / 2


def expected_calibration_error(probabilities, labels, bins=15):
    r"""Return how far confidence is from accuracy, :math:`\sum_b n_b/N\,|\mathrm{acc}_b - \mathrm{conf}_b|`.

    probabilities (samples, classes), at least one of each; labels (samples,) integers. The confidence of a
    sample is its largest probability; the bins cut (0, 1] into equal parts, closed above. Raises ValueError
    for other shapes, numbers or labels out of range, no bin. Sources: Naeini et al. 2015; 15 bins: Guo et al.
    2017.

    >>> expected_calibration_error([[0.75, 0.25], [0.75, 0.25]], [0, 1])  # 75 % sure, right half of the time
    np.float64(0.25)
    """
    p = real_array(probabilities, "probabilities")[0].astype(np.float64)
    if p.ndim != 2 or p.size == 0:
        raise ValueError(
            f"probabilities must have shape (samples, classes), one of each at least, not {p.shape}"
        )
    refuse(p[~((p >= 0) & (p <= 1))], "probabilities must lie between 0 and 1, not be")
    bins = index(bins)
    if bins < 1:
        raise ValueError(f"bins must be 1 or more, not {bins}")
    right = p.argmax(axis=1) == class_labels(labels, *p.shape)
    confidence = p.max(axis=1)
    number = np.searchsorted(np.arange(1, bins) / bins, confidence)  # linspace may miss i / bins
    with np.errstate(all="ignore"):
        return np.abs(np.bincount(number, right - confidence)).sum() / len(p)


def class_labels(labels, samples, classes):
    """Return the labels, after checking them: one integer from 0 to classes - 1 per sample."""
    y = np.asarray(labels)
    if y.dtype.kind not in "iu":
        raise TypeError(f"labels must be integers, not {y.dtype}")
    if y.shape != (samples,):
        raise ValueError(f"labels must have shape ({samples},), one per sample, not {y.shape}")
    refuse(y[(y < 0) | (y >= classes)], f"labels must lie between 0 and {classes - 1}, not be")
    return y


def _rows(weights, axis, name="weights", least=0.0):
    w = real_array(weights, name)[0].astype(np.float64)
    refuse(w[w < least], f"{name} must not be negative, but hold")
    return np.moveaxis(w, row_axis(axis, w.ndim, name), -1)


def _sum_p_log(p, q):
    """Sum p log(p/q) over each row, with 0 log 0 = 0."""
    with np.errstate(all="ignore"):
        return np.sum(np.where(p == 0, 0.0, p * (np.log(p) - np.log(q))), axis=-1)
