"""Derivatives, checked: the whole Jacobian of a row, and every vjp against differences."""

import numpy as np

from attnlib._rows import generator, positive, real_array, same_shape, sum_to, vjp_of


def jacobian(transform, scores, **options):
    r"""Return the (n, n) matrix :math:`\partial p_i / \partial x_j` of a transform at one row of n scores.

    Options (mask, temperature, ...) go to the transform's vjp. Raises ValueError for more than one axis.

    >>> from attnlib import softmax
    >>> jacobian(softmax, [0, 0])
    array([[ 0.25, -0.25],
           [-0.25,  0.25]])
    """
    x, _ = real_array(scores)
    if x.ndim != 1:
        raise ValueError(f"scores must be one row, not an array of shape {x.shape}")
    vjp = vjp_of(transform)
    return np.array([vjp(x, unit, **options) for unit in np.eye(x.size)], x.dtype).reshape(x.size, x.size)


def check_vjp(transform, scores, rng, **options):
    r"""Return the largest relative error of a vjp against central differences in random directions.

    Computed in float64 with steps of about 6e-6, relative to the sum of the absolute slopes; below 1e-6 the
    vjp is right. `rng` is a numpy Generator, else TypeError.

    >>> from attnlib import softmax
    >>> check_vjp(softmax, [1.0, 2.0, 3.0], np.random.default_rng(0)) < 1e-8
    True
    """
    x = real_array(scores)[0].astype(np.float64)
    vjp = vjp_of(transform)
    worst = 0.0
    for _ in range(8):
        g, step = generator(rng).normal(size=(2, *x.shape))
        with np.errstate(all="ignore"):
            step *= 6e-6 * np.maximum(1.0, np.abs(np.where(np.isfinite(x), x, 0.0)))
            up, down = transform(x + step, **options), transform(x - step, **options)
            difference = np.sum(g * np.where(up == down, 0.0, up - down)) / 2
            slopes = vjp(x, g, **options) * step
            size = np.maximum(np.sum(np.abs(slopes)), np.abs(difference))  # NaN counts as wrong
        worst = max(worst, np.abs(difference - np.sum(slopes)) / size if size > 0 else float(size != 0))
    return float(worst)


def temperature_gradient(scores, grad_scores, temperature):
    r"""Return the gradient by T from that by the scores, for maps that depend on x/T alone.

    .. math:: \partial L/\partial T = -\sum_i x_i\, (\partial L/\partial x_i) / T

    summed over the axes along which T has length 1 (all of them for a number). Not for a softmax_one whose
    sink is not 0: there T divides the sink too. T must be positive, else ValueError.

    >>> temperature_gradient([1.0, 2.0], [0.5, -0.5], 2.0)
    np.float64(0.25)
    """
    x, _ = real_array(scores)
    grad = same_shape(grad_scores, x.shape, "grad_scores").astype(np.float64)
    T = positive(temperature, x.shape)
    with np.errstate(all="ignore"):
        terms = np.where(grad == 0, 0.0, x * grad)  # a dropped score may be -inf or NaN
        return -sum_to(terms, T.shape) / T
