"""Linear scalings: no exponential; a row is measured against its own range, decade or length."""

import numpy as np

from attnlib._rows import clear, plain, positive, total

LEAST = -307  # the floats below it are not near a power of ten
TENS = np.array([float(f"1e{k}") for k in range(LEAST, 309)])  # np.power may be an ulp off


def min_max(scores, axis=-1, *, mask=None, temperature=1.0):
    r"""Stretch each row onto [0, 1]: its smallest score to exactly 0, its largest to exactly 1.

    .. math:: p_i = (x_i - \min x) / (\max x - \min x)

    A constant row gives zeros; a row with +inf 1 there and 0 elsewhere. The temperature is checked and has no
    effect: it scales both differences alike. Arguments and errors as for :func:`~attnlib.softmax`. Source:
    Han, Kamber and Pei, Data Mining, 3.5.2.

    >>> min_max([2, 4, 6])
    array([0. , 0.5, 1. ])
    """
    weights, blocks = plain(scores, axis, mask, temperature, scale_free=True)
    for z, _ in blocks:
        _stretch(z)
    return weights


def min_max_vjp(scores, grad_weights, axis=-1, *, mask=None, temperature=1.0):
    r"""Pull a gradient by the weights back to the scores.

    With the range :math:`r`, each score gets :math:`g_i / r`; the smallest :math:`\sum_j g_j (p_j - 1) / r`
    and the largest :math:`-\sum_j g_j p_j / r` besides, shared equally between ties. A constant row gets 0.

    >>> min_max_vjp([0, 1, 2], [0, 1, 0])
    array([-0.25,  0.5 , -0.25])
    """
    grad, blocks = plain(scores, axis, mask, temperature, scale_free=True, grad=grad_weights)
    for z, _, g in blocks:
        low, high, span, half = _stretch(z)
        at_low, at_high = total(g * (z - 1.0)), -total(g * z)
        g += np.where(low, at_low / total(low), 0.0)
        g += np.where(high, at_high / total(high), 0.0)
        g *= half
        g /= span  # last: 1/span may be beyond the dtype, and inf - inf is NaN
        np.copyto(g, 0.0, where=span == np.inf)  # a constant row, whatever the gradient
    return grad


def linear(scores, axis=-1, *, mask=None, temperature=1.0):
    r"""Stretch each row onto [0, 1] by :func:`min_max`, then divide it by its sum.

    .. math:: p_i = (x_i - \min x) / \sum_j (x_j - \min x)

    The smallest score always gets 0; a constant row is shared equally. The temperature is checked and has no
    effect. Arguments, errors and source as for :func:`min_max`.

    >>> linear([2, 3, 5]) * 4
    array([0., 1., 3.])
    """
    weights, blocks = plain(scores, axis, mask, temperature, scale_free=True)
    for z, n in blocks:
        _stretch(z)
        s = total(z)
        z /= s
        np.copyto(z, 1.0 / n, where=s == 0.0)  # a constant row
    return weights


def linear_vjp(scores, grad_weights, axis=-1, *, mask=None, temperature=1.0):
    r"""Pull a gradient by the weights back to the scores: through the sum, then :func:`min_max`.

    With :math:`S` the sum of the stretched row, :math:`(g_i - \sum_j g_j p_j) / S` goes on to min-max.

    >>> linear_vjp([0, 1, 3], [0, 4, 0])
    array([-0.5 ,  0.75, -0.25])
    """
    grad, blocks = plain(scores, axis, mask, temperature, scale_free=True, grad=grad_weights)
    for z, _, g in blocks:
        y = min_max(z)
        s = np.maximum(total(y), 1.0)  # the largest is 1, unless the row is constant
        g[...] = min_max_vjp(z, (g - total(g * y) / s) / s)
        z[...] = y  # all NaN where one is
    return grad


def decimal_scaling(scores, axis=-1, *, mask=None, temperature=1.0):
    r"""Move the decimal point of each row until every number lies strictly between -1 and 1.

    .. math:: p_i = z_i / 10^j, \qquad z = x/T, \quad j \text{ the smallest integer with } \max_i |z_i| < 10^j

    j may be negative; a row of zeros keeps j = 0. Arguments, errors and source as for :func:`min_max`, but
    the temperature counts; a score of +inf is a ValueError.

    >>> decimal_scaling([-986, 917])
    array([-0.986,  0.917])
    """
    return _move_point(*plain(scores, axis, mask, _mantissa(temperature)))


def decimal_scaling_vjp(scores, grad_weights, axis=-1, *, mask=None, temperature=1.0):
    r"""Pull a gradient by the weights back to the scores: :math:`g_i / (10^j T)`, j held still.

    >>> decimal_scaling_vjp([50, 20], [1, 2])
    array([0.01, 0.02])
    """
    return _move_point(*plain(scores, axis, mask, _mantissa(temperature), grad=grad_weights))


def length_normalization(scores, axis=-1, *, mask=None, temperature=1.0):
    r"""Divide each score by the number n of kept entries in its row.

    .. math:: p_i = z_i / n, \qquad z = x/T

    Arguments and errors as for :func:`~attnlib.softmax`. Source: the division by L in Wortsman et al. 2023.

    >>> length_normalization([1, -2, 3, 0])
    array([ 0.25, -0.5 ,  0.75,  0.  ])
    """
    weights, blocks = plain(scores, axis, mask, temperature)
    for z, n in blocks:
        z /= n
    return weights


def length_normalization_vjp(scores, grad_weights, axis=-1, *, mask=None, temperature=1.0):
    r"""Pull a gradient by the weights back to the scores: :math:`g_i / (n T)`.

    >>> length_normalization_vjp([5, 7], [1, 2])
    array([0.5, 1. ])
    """
    grad, blocks = plain(scores, axis, mask, temperature, grad=grad_weights)
    for z, n, g in blocks:
        g /= n
        np.copyto(g, np.nan, where=np.isnan(z))
    return grad


def _stretch(z):
    """Stretch rows onto [0, 1] in place; return where they are lowest and highest, and span and half.

    Their range is span / half, which may be beyond the dtype; the span of a constant row is inf.
    """
    up = np.where(z == -np.inf, np.inf, z) if -np.inf in z else z  # what is dropped is no minimum
    lo = up.min(axis=-1, keepdims=True)
    hi = z.max(axis=-1, keepdims=True)
    low, high, half = z == lo, z == hi, 1.0
    if not (hi - lo < np.inf).all():  # rare: a range that overflows is halved; +inf becomes 1, the others 0
        hot, half = hi == np.inf, np.where(hi - lo < np.inf, z.dtype.type(1.0), z.dtype.type(0.5))
        z[...] = np.where(hot, high, z * half)
        lo, hi = np.where(hot, 0.0, lo * half), np.where(hot, 1.0, hi * half)
    span = np.where(hi <= lo, np.inf, hi - lo)
    z -= lo
    np.maximum(z, 0.0, out=z)  # dropped entries
    z /= span
    return low, high, span, half


def _move_point(result, blocks):
    """Divide what each block ends with, its scores or their gradient, by the power of ten of its scores."""
    infinite = False
    for z, _, *grad in blocks:
        clear(size := np.abs(z), z == -np.inf)
        largest = size.max(axis=-1, keepdims=True)
        infinite |= np.inf in size
        moved = _times_ten_to(grad[0] if grad else z, -_decade(largest, result.dtype))
        np.copyto(moved, np.nan, where=np.isnan(largest))
    if infinite:
        raise ValueError("decimal_scaling has no power of ten for a score of +inf")
    return result


def _mantissa(temperature):
    """Return T over its power of ten: the decimal point moves anyway, and x/T can no longer overflow."""
    T = positive(temperature, np.shape(temperature))
    return _times_ten_to(T, -np.minimum(np.floor(np.log10(T)), 308.0).astype(int))


def _decade(largest, dtype):
    """Return j of each row, 10**j being the float nearest to it; the result is below 1 in its own dtype."""
    tiny = largest < TENS[0]
    j = np.searchsorted(TENS, np.where(tiny, largest * 1e16, largest), side="right") + LEAST - 16 * tiny
    j *= largest != 0
    return j + (_times_ten_to(largest.copy(), -j).astype(dtype) >= 1)


def _times_ten_to(z, k):
    """Multiply z by 10**k in place, rounding once while 10**|k| is exact (to 22)."""
    near = np.clip(k, -308, 308)
    for part in (near, k - near):
        if part.any():
            z *= TENS[np.maximum(part, 0) - LEAST]
            z /= TENS[np.maximum(-part, 0) - LEAST]
    return z
