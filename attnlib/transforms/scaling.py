"""Linear scalings: no exponential; a row is measured against its own range, decade or length."""

from contextlib import closing

import numpy as np

from attnlib._rows import clear, plain, positive, total

LEAST = -307  # the floats below it are not near a power of ten
TENS = np.array([float(f"1e{k}") for k in range(LEAST, 309)])  # np.power may be an ulp off


def min_max(scores, axis=-1, *, mask=None, temperature=1.0):
    r"""Stretch each row onto [0, 1]: its smallest score to exactly 0, its largest to exactly 1.

    .. math:: p_i = (x_i - \min x) / (\max x - \min x)

    A constant row gives zeros. A row with +inf gives 1 there and 0 elsewhere. The temperature is checked and
    has no effect, because it scales both differences alike. Arguments and errors as for
    :func:`~attnlib.softmax`. Source: Han, Kamber and Pei, Data Mining, 3.5.2.

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
        _pull_stretch(z, g, *_stretch(z))
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
        _, _, flat, _ = _stretch(z)
        z /= np.maximum(total(z), 1.0)  # the largest is 1, unless the row is flat
        np.copyto(z, 1.0 / n, where=flat)
    return weights


def linear_vjp(scores, grad_weights, axis=-1, *, mask=None, temperature=1.0):
    r"""Pull a gradient by the weights back to the scores: through the sum, then :func:`min_max`.

    With :math:`y` the stretched row and :math:`S` its sum, :math:`(g_i - \sum_j g_j p_j) / S` goes on to
    :func:`min_max_vjp`. A constant row gets 0.

    >>> linear_vjp([0, 1, 3], [0, 4, 0])
    array([-0.5 ,  0.75, -0.25])
    """
    grad, blocks = plain(scores, axis, mask, temperature, scale_free=True, grad=grad_weights)
    for z, _, g in blocks:
        kept, parts = z != -np.inf, _stretch(z)
        s = np.maximum(total(z), 1.0)
        g -= kept * (total(g * z) / s)
        g /= s
        _pull_stretch(z, g, *parts)
    return grad


def decimal_scaling(scores, axis=-1, *, mask=None, temperature=1.0):
    r"""Move the decimal point of each row until every number lies strictly between -1 and 1.

    .. math:: p_i = z_i / 10^j, \qquad z = x/T, \quad j \text{ the smallest integer with } \max_i |z_i| < 10^j

    j may be negative; a row of zeros keeps j = 0. Signs stay. Arguments, errors and source as for
    :func:`min_max`, but the temperature counts; a score of +inf is a ValueError.

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

    Signs stay. Arguments and errors as for :func:`~attnlib.softmax`. Source: the division by L in Wortsman et
    al. 2023.

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
    """Stretch rows onto [0, 1] in place; return where they are lowest, highest, flat, and (span, half).

    Their range is span / half, which may be beyond the dtype.
    """
    gone = z == -np.inf
    up = np.fmax(z, np.multiply(gone, np.inf, dtype=z.dtype)) if gone.any() else z  # +inf where dropped
    lo = np.minimum.reduce(up, axis=-1, keepdims=True)
    hi = np.maximum.reduce(z, axis=-1, keepdims=True)
    low, high, flat = z == lo, z == hi, hi <= lo
    span, half = hi - lo, 1.0
    if not (span < np.inf).all():  # rare: halve a range that overflows; +inf becomes 1, the rest of its row 0
        hot, half = hi == np.inf, np.where(span == np.inf, z.dtype.type(0.5), z.dtype.type(1.0))
        z[...], flat = np.where(hot, high, z * half), flat & ~hot
        lo = np.where(hot, 0.0, lo * half)
        span = np.where(hot, 1.0, hi * half - lo)
    z -= lo
    z /= np.where(flat, 1.0, span)
    np.maximum(z, 0.0, out=z)  # dropped entries
    return low, high, flat, (span, half)


def _pull_stretch(p, g, low, high, flat, extent):
    """Turn the gradient g by the stretched row p into that by the row, in place."""
    span, half = extent
    at_low, at_high = total(g * (p - 1.0)), -total(g * p)
    g += np.where(low, at_low / np.maximum(total(low), 1), 0.0)
    g += np.where(high, at_high / np.maximum(total(high), 1), 0.0)
    g *= half
    g /= span  # last: 1/span may be beyond the dtype, and inf - inf is NaN
    np.copyto(g, 0.0, where=flat)


def _move_point(result, blocks):
    """Divide what each block ends with, its scores or their gradient, by the power of ten of its scores."""
    with closing(blocks):  # an error must not leave it open: it holds numpy's error state
        for z, _, *grad in blocks:
            clear(size := np.abs(z), z == -np.inf)
            if (size == np.inf).any():
                raise ValueError("decimal_scaling has no power of ten for a score of +inf")
            largest = size.max(axis=-1, keepdims=True)
            moved = _times_ten_to(grad[0] if grad else z, -_decade(largest, result.dtype))
            np.copyto(moved, np.nan, where=np.isnan(largest))
    return result


def _mantissa(temperature):
    """Return T over its power of ten: the decimal point moves anyway, and x/T can no longer overflow."""
    T = positive(temperature, np.shape(temperature), None)
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
            power = TENS[np.abs(part) - LEAST]
            np.multiply(z, np.where(part > 0, power, 1.0), out=z)
            np.divide(z, np.where(part > 0, 1.0, power), out=z)
    return z
