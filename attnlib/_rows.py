"""One preparation step for every transform: dtype, axis, mask, temperature, +-inf and NaN.

A transform asks for its rows and turns each block of them into weights *in place*; it never sees an axis, a
mask or a dtype. Two generators cover every map of the book:

    weights, blocks = shifted(scores, axis, mask, temperature)
    for z in blocks:  # z = (x - max x)/T, of shape (rows, length); the body writes the weights into it
    weights, blocks = plain(scores, axis, mask, temperature)
    for z, n in blocks:  # z = x/T; n = entries kept in each row

z is -inf where the mask or a score of -inf drops an entry. With `grad=`, the gradient by the weights, a block
ends with g, 0 where an entry is dropped; the body turns g into the gradient by z, and the division by T
happens here. Blocks stay in cache and are the result's own memory wherever the dtype allows.
"""

import sys
from functools import partial
from numbers import Real
from operator import index

import numpy as np

BLOCK = 1 << 16  # numbers in a block: 512 KiB of float64
WORK = {np.float16: np.float32, np.float32: np.float32, np.float64: np.float64}
LARGEST = {work: float(np.finfo(work).max) for work in (np.float32, np.float64)}
SMALLEST = {np.float32: np.float32(1e-45), np.float64: np.float64(5e-324)}
HUGE = {work: largest / 2**60 for work, largest in LARGEST.items()}  # above it x - max x may overflow


def real_array(values, name="scores"):
    """Return (array, dtype of the result): float16, 32 and 64 stay, integers and bools become float64.

    >>> real_array([1, 2])
    (array([1., 2.]), <class 'numpy.float64'>)
    """
    array = np.asarray(values)
    if hasattr(values, "filled"):
        raise TypeError(f"{name} is a masked array; pass its data, and mask=~{name}.mask (True = keep)")
    if array.dtype.type not in WORK and array.dtype.kind not in "iub":
        raise TypeError(f"{name} must be real numbers (float16, 32, 64, integers, bools), not {array.dtype}")
    return (array, array.dtype.type) if array.dtype.type in WORK else (array.astype(np.float64), np.float64)


def real_arrays(**named):
    """Return (arrays in one working dtype, dtype of the result): float16 is computed in float32."""
    arrays, kinds = zip(*(real_array(values, name) for name, values in named.items()), strict=True)
    kind = np.result_type(*kinds).type
    return [array.astype(WORK[kind], copy=False) for array in arrays], kind


def row_axis(axis, ndim, name="scores"):
    """Return `axis` as an index from 0 to ndim - 1."""
    if ndim == 0:
        raise ValueError(f"{name} must have at least one axis, not be a single number")
    if not -ndim <= index(axis) < ndim:
        raise ValueError(f"axis must lie between {-ndim} and {ndim - 1} for these {name}, not be {axis}")
    return index(axis) % ndim


def same_shape(values, shape, name, model="the scores"):
    """Return `values` as an array of real numbers of exactly this shape, that of the model."""
    array, _ = real_array(values, name)
    if array.shape != shape:
        raise ValueError(f"{name} must have the shape of {model}, {shape}, not {array.shape}")
    return array


def kept_entries(mask, shape):
    """Return the mask as a boolean array of this shape (True = keep), or None for no mask."""
    if mask is None:
        return None
    mask = np.asarray(mask)
    if mask.dtype != bool:
        raise TypeError(f"mask must be boolean (True = keep), not {mask.dtype}")
    if not fits(mask.shape, shape):
        raise ValueError(f"mask of shape {mask.shape} does not broadcast to scores of shape {shape}")
    return np.broadcast_to(mask, shape)


def fits(shape, wanted):
    """Tell whether an array of one shape broadcasts to another shape."""
    axes = zip(reversed(shape), reversed(wanted), strict=False)
    return len(shape) <= len(wanted) and all(n in (1, m) for n, m in axes)


def positive(temperature, shape):
    """Return the temperature as a float64 array, 0-d or with as many axes as the shape, to which it fits."""
    T = real_array(temperature, "temperature")[0].astype(np.float64)
    if T.ndim not in (0, len(shape)) or not fits(T.shape, shape):
        raise ValueError(f"temperature must be a number or of a shape that fits {shape}, not {T.shape}")
    refuse(T[~(T > 0)], "temperature must be positive, not")
    return T


def refuse(wrong, message):
    """Raise a ValueError that ends with the first of the wrong values, if there are any."""
    if wrong.size:
        raise ValueError(f"{message} {wrong.flat[0]}")


def number(value, name, allowed="a number", holds=lambda value: value == value):
    """Return an option that must be one real number as a float, after a test of its value."""
    if not isinstance(value, Real):
        raise TypeError(f"{name} must be one real number, not {value!r}")
    if not holds(float(value)):
        raise ValueError(f"{name} must be {allowed}, not {value}")
    return float(value)


def generator(rng):
    """Return rng, which must be a numpy Generator."""
    if not isinstance(rng, np.random.Generator):
        raise TypeError(f"rng must be a numpy Generator, such as numpy.random.default_rng(0), not {rng!r}")
    return rng


def total(z):
    """Sum each row, keeping the axis."""
    return np.add.reduce(z, axis=-1, keepdims=True)


def normalize(z):
    """Divide each row by its sum in place; a row of zeros stays as it is."""
    z *= np.reciprocal(np.add.reduce(z, -1, None, None, True, 1e-38))  # lost in any sum of 1 or more


def sum_to(grad, shape):
    """Sum a gradient over the axes along which an array of this shape was broadcast."""
    grad = grad.sum(axis=tuple(range(grad.ndim - len(shape))))
    return grad.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1 != grad.shape[i]), keepdims=True)


def vjp_of(function):
    """Return what stands beside a function as NAME_vjp; that of a partial has the same arguments fixed."""
    if isinstance(function, partial):
        return partial(vjp_of(function.func), *function.args, **function.keywords)
    name = f"{getattr(function, '__name__', function)}_vjp"
    vjp = getattr(sys.modules.get(function.__module__), name, None)
    if vjp is None:
        raise ValueError(f"{function!r} has no {name} beside it")
    return vjp


def shifted(scores, axis, mask, temperature, **extras):
    """Yield z = (x - max x)/T for the maps that are blind to a common shift; see the module for the use.

    Extras: `grad`; `sink`, a tuple of one more score for each row; `noise`, added to the scores; `sharpen`, a
    function of T and the number of kept entries that returns T; `dropped`, the weight of a dropped entry (0).
    A row that holds +inf arrives as 0 on its infinite entries and -inf elsewhere.
    """
    simple = mask is None and not extras and axis == -1 and type(temperature) is float and temperature == 1.0
    kind = scores.dtype.type if simple and type(scores) is np.ndarray and scores.ndim == 1 else None
    if kind in HUGE and scores.size:  # one plain row: what _blocks does, whose bookkeeping costs more than it
        top, huge = scores[scores.argmax()], HUGE[kind]
        if -huge <= top <= huge and np.geterr()["under"] == "ignore":  # it can only underflow
            weights = scores - top
            return weights, [weights]
    return _open(True, scores, axis, mask, temperature, **extras)


def plain(scores, axis, mask, temperature, **extras):
    """Yield z = x/T and the number n of kept entries in each row; dropped entries get weight 0 in any case.

    Extras: `grad`; `scale_free`, for maps on which T has no effect: it is checked and left out.
    """
    return _open(False, scores, axis, mask, temperature, **extras)


def _open(shift, scores, axis, mask, temperature, scale_free=False, **extras):
    x, kind = real_array(scores)
    axis = row_axis(axis, x.ndim)
    keep = kept_entries(mask, x.shape)
    one_per_row = (*x.shape[:axis], 1, *x.shape[axis + 1 :])
    T = np.broadcast_to(positive(temperature, one_per_row), one_per_row)
    grad = same_shape(extras.pop("grad"), x.shape, "grad_weights") if "grad" in extras else None
    noise = same_shape(extras.pop("noise"), x.shape, "noise") if "noise" in extras else None
    out = np.empty(x.swapaxes(axis, -1).shape, kind).swapaxes(axis, -1)  # in memory, rows run last
    if x.size == 0:
        return out, []
    T = None if scale_free or ("sharpen" not in extras and (T == 1).all()) else T
    arrays = x, out, keep, T, grad, noise
    rows = (a if a is None else a.swapaxes(axis, -1).reshape(-1, a.shape[axis]) for a in arrays)
    return out, _blocks(*rows, shift, **extras)


def _blocks(x, out, keep, T, grad, noise, shift, sink=(), sharpen=None, dropped=0.0):
    work, length = WORK[out.dtype.type], x.shape[-1]
    own = out.dtype == work and not sink  # a block is the result's own memory
    copy = keep is not None or noise is not None or sink or x.dtype != work
    lean = shift and grad is None and not sharpen  # no need to know what is dropped: e to the -inf is 0
    step = max(1, BLOCK // length)
    with np.errstate(all="ignore"):
        for start in range(0, len(x), step):
            cut = slice(start, start + step)
            s, n, t, gone, half = x[cut], None, None, None, None
            result = out[cut] if own else np.empty((len(s), length + len(sink)), work)
            z = result if grad is None else np.empty(result.shape, work)
            if copy:
                _load(z[:, :length], s, cut, keep, noise)
                z[:, length:] = sink
                s = z
            if not lean:
                gone = s == -np.inf
                n = (length - np.add.reduce(gone, -1, np.int32, None, True)).astype(work)
            if T is not None:  # in the dtype of z; one that is too small for it becomes its smallest number
                t = sharpen(T[cut], n) if sharpen else T[cut]
                t = np.maximum(t.astype(work), SMALLEST[work])
            parts = [z] if shift else [z, n]
            if grad is not None:
                result[:, :length], result[:, length:] = grad[cut], 0.0
                clear(result, gone)
                hot = (s == np.inf).any(axis=-1, keepdims=True)
                parts.append(result)
            top = np.maximum.reduce(s, -1, None, None, True, -LARGEST[work]) if shift else work(0.0)
            if not (top <= HUGE[work]).all():  # rare: +inf, NaN, or a difference that may overflow
                gone, half = s == -np.inf, np.where(top > HUGE[work], work(0.5), work(1.0))
                s = np.where(top == np.inf, np.where(s == np.inf, 0.0, -np.inf), s * half)
                top = np.where(top == np.inf, 0.0, top * half)
            np.subtract(s, top, out=z)
            for divisor in (t, half):
                if divisor is not None:  # T = inf leaves what is infinite
                    np.divide(z, divisor, out=z, where=np.inf not in divisor or np.isfinite(z))
            yield parts if len(parts) > 1 else z
            if grad is not None:
                result /= work(1.0) if t is None else t
                gone |= hot & ~np.isnan(z)
            if gone is not None:
                clear(result, gone)
            if gone is not None and dropped:
                np.copyto(result, dropped, where=gone)
            if not own:
                out[cut] = result[:, :length]


def _load(z, s, cut, keep, noise):
    """Copy a block of scores into z, noise added, -inf where dropped."""
    if noise is None:
        np.copyto(z, s)
    else:
        np.add(s, noise[cut], out=z, dtype=np.float64)
        np.copyto(z, -np.inf, where=s == -np.inf)
    if keep is not None:  # 0 * -inf is NaN, which fmin ignores: much faster than where=, which has to branch
        np.fmin(z, np.multiply(~keep[cut], -np.inf, dtype=z.dtype), out=z)


def clear(z, where):
    """Set z to 0 where a boolean array says so, by its bits, which is faster than a branch."""
    if where.any():
        bits = z.view(np.int32 if z.itemsize == 4 else np.int64)
        bits &= where.view(np.int8) - 1  # 0 or all ones
