"""Softmax with a margin: logits that ask more of the right class than of the others, and their loss."""

import numpy as np

from attnlib._rows import number, real_arrays, refuse, same_shape, total
from attnlib.measures import class_labels
from attnlib.scores import cosine_score, cosine_score_vjp, unit
from attnlib.transforms.exponential import log_softmax, softmax


def angular_margin(theta, margin):
    r"""Return psi, a cosine stretched to fall m times as fast: from 1 at theta = 0 to 1 - 2m at pi.

    .. math:: \psi(\theta) = (-1)^k \cos(m\theta) - 2k, \qquad k = \min(\lfloor m\theta/\pi \rfloor, m - 1)

    theta in radians, any shape, from 0 to pi; margin m is 1, 2, 3 or 4; else ValueError. Source: Liu et al.
    2017.

    >>> angular_margin(np.radians([0, 60, 90, 120, 180]), 2).round(12)
    array([ 1. , -0.5, -1. , -1.5, -3. ])
    """
    theta, k, m, kind = _pieces(theta, margin)
    with np.errstate(all="ignore"):
        return ((-1.0) ** k * np.cos(m * theta) - 2.0 * k).astype(kind)[()]


def angular_margin_vjp(theta, grad, margin):
    r"""Pull a gradient of theta's shape by psi back to it: :math:`-m (-1)^k \sin(m\theta) g`, 0 at a joint.

    >>> angular_margin_vjp(np.pi / 2, 1, 1)
    np.float64(-1.0)
    """
    theta, k, m, kind = _pieces(theta, margin)
    grad = same_shape(grad, theta.shape, "grad", "theta")
    with np.errstate(all="ignore"):
        return (-m * (-1.0) ** k * np.sin(m * theta) * grad).astype(kind)[()]


def a_softmax(features, weights, labels, *, margin=4):
    r"""Return logits in which the angle to the right class counts m-fold.

    .. math:: \ell_j = \|x\| \cos\theta_j, \qquad \ell_y = \|x\| \psi(\theta_y) \text{ for the label } y

    features (batch, d), weights (classes, d), labels (batch,) integers; logits (batch, classes). A zero
    vector has cosine 0. Raises ValueError for other shapes, labels out of range, a margin
    :func:`angular_margin` does not take: it is psi. Source: Liu et al. 2017.

    >>> a_softmax([[0.0, 2.0]], [[0.0, 5.0], [1.0, 0.0]], [1], margin=2)
    array([[ 2., -2.]])
    """
    x, _, logits, at, kind = _cosines(features, weights, labels)
    logits[at] = angular_margin(np.arccos(logits[at]), margin)
    with np.errstate(all="ignore"):
        return (unit(x)[1] * logits).astype(kind)


def a_softmax_vjp(features, weights, labels, grad_logits, *, margin=4):
    """Pull a gradient by the logits back to (features, weights).

    >>> a_softmax_vjp([[0.0, 2.0]], [[0.0, 5.0]], [0], [[1.0]], margin=1)
    (array([[0., 1.]]), array([[0., 0.]]))
    """
    x, w, cosines, at, kind = _cosines(features, weights, labels)
    g = same_shape(grad_logits, cosines.shape, "grad_logits", "the logits")
    theta = np.arccos(cosines[at])
    sine = np.sin(theta)
    cosines[at] = angular_margin(theta, margin)  # from here on the logits over |x|
    with np.errstate(all="ignore"):
        direction, length = unit(x)
        by_cosine = g * length
        by_cosine[at] = angular_margin_vjp(theta, -by_cosine[at], margin) / (sine + (sine == 0))  # flat at 0
        by_x, by_w = cosine_score_vjp(x, w, by_cosine)
        return (by_x + total(g * cosines) * direction).astype(kind), by_w.astype(kind)


def am_softmax(features, weights, labels, *, scale=30.0, margin=0.35):
    r"""Return logits in which the right class gives away a margin of its cosine.

    .. math:: \ell_j = s \cos\theta_j, \qquad \ell_y = s (\cos\theta_y - m) \text{ for the label } y

    Shapes, zero vectors and errors as for :func:`a_softmax`, NaN for s or m being one. Source: Wang et al.
    2018.

    >>> am_softmax([[0.0, 2.0]], [[0.0, 5.0], [1.0, 0.0]], [0], scale=10, margin=0.25)
    array([[7.5, 0. ]])
    """
    _, _, cosines, at, kind = _cosines(features, weights, labels)
    with np.errstate(all="ignore"):
        cosines[at] -= number(margin, "margin")
        return (number(scale, "scale") * cosines).astype(kind)


def am_softmax_vjp(features, weights, labels, grad_logits, *, scale=30.0, margin=0.35):
    """Pull a gradient by the logits back to (features, weights); the margin, a constant, changes nothing.

    >>> am_softmax_vjp([[0.0, 2.0]], [[3.0, 0.0]], [0], [[1.0]], scale=2)
    (array([[1., 0.]]), array([[0.        , 0.66666667]]))
    """
    x, w, cosines, _, kind = _cosines(features, weights, labels)
    g = same_shape(grad_logits, cosines.shape, "grad_logits", "the logits")
    number(margin, "margin")
    with np.errstate(all="ignore"):
        by_cosine = number(scale, "scale") * g.astype(x.dtype)
        return tuple(grad.astype(kind) for grad in cosine_score_vjp(x, w, by_cosine))


def cross_entropy(logits, labels):
    r"""Return the mean of :math:`-\log \mathrm{softmax}(logits)_y` in nats, exact where it is tiny.

    logits (batch, classes), labels (batch,) integers. Raises ValueError for other shapes or labels out of
    range.

    >>> cross_entropy([[0.0, 0.0]], [1]).round(4)  # log 2
    np.float64(0.6931)
    """
    logs, at, kind = _logs(logits, labels)
    with np.errstate(all="ignore"):
        return kind(0.0 - np.mean(logs[at]))


def cross_entropy_vjp(logits, labels):
    r"""Return the gradient of :func:`cross_entropy` by the logits: (softmax - one-hot label) / batch.

    >>> cross_entropy_vjp([[0.0, 0.0]], [1])
    array([[ 0.5, -0.5]])
    """
    p, at, kind = _logs(logits, labels, softmax)
    p[at] -= 1.0
    with np.errstate(all="ignore"):
        return (p / len(p)).astype(kind)


def _pieces(theta, margin):
    m = number(margin, "margin", "1, 2, 3 or 4", (1, 2, 3, 4).__contains__)
    (theta,), kind = real_arrays(theta=theta)
    refuse(theta[(theta < 0) | (theta > np.pi)], "theta must lie between 0 and pi, not")
    with np.errstate(all="ignore"):
        return theta, np.minimum(np.floor(m * theta / np.pi), m - 1.0), m, kind


def _cosines(features, weights, labels):
    """Return features, weights, their cosines, where the labels are, the result's dtype."""
    (x, w), kind = real_arrays(features=features, weights=weights)
    if x.ndim != 2 or w.ndim != 2:
        shapes = f"{x.shape}, {w.shape}"
        raise ValueError(f"features and weights must have shapes (batch, d) and (classes, d), not {shapes}")
    at = np.arange(len(x)), class_labels(labels, len(x), len(w))
    return x, w, cosine_score(x, w), at, kind


def _logs(logits, labels, transform=log_softmax):
    (z,), kind = real_arrays(logits=logits)
    if z.ndim != 2 or z.size == 0:
        raise ValueError(f"logits must have shape (batch, classes) with one of each at least, not {z.shape}")
    return transform(z), (np.arange(len(z)), class_labels(labels, *z.shape)), kind
