"""The contract every map keeps: dtype, axis, mask, temperature, infinities, NaN, layouts, silence."""

import pickle
import re
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from maps import ELEMENTWISE, PAIRS, SIMPLEX, nothing

from attnlib import (
    _rows,
    entmax,
    entmax_vjp,
    gumbel_softmax,
    gumbel_softmax_vjp,
    scalable_softmax,
    softmax,
    softmax_one,
    softmax_one_vjp,
    softmax_vjp,
    sparsemax,
)

few = settings(max_examples=40)
every_map = pytest.mark.parametrize("name", PAIRS)
numbers = st.floats(-30, 30, allow_subnormal=False)


@st.composite
def tables(draw, numbers=numbers):
    """Draw scores (rows, n), a gradient and a mask of the same shape."""
    rows, n = draw(st.integers(1, 3)), draw(st.integers(1, 7))
    flat = st.lists(numbers, min_size=rows * n, max_size=rows * n)
    scores = np.array(draw(flat)).reshape(rows, n)
    grad = np.array(draw(st.lists(st.floats(-3, 3), min_size=rows * n, max_size=rows * n))).reshape(rows, n)
    mask = np.array(draw(st.lists(st.booleans(), min_size=rows * n, max_size=rows * n))).reshape(rows, n)
    return scores, grad, mask


def close(a, b, scale=1.0):
    np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12 * scale)


@every_map
@few
@given(table=tables(), junk=st.sampled_from([np.nan, np.inf, -np.inf, 1e308, 0.0]))
def test_a_mask_is_a_slice_forward_and_backward_whatever_lies_under_it(name, table, junk):
    function, vjp = PAIRS[name]
    scores, grad, mask = table
    dirty, dirty_grad = np.where(mask, scores, junk), np.where(mask, grad, np.nan)
    weights, pulled = function(dirty, mask=mask), vjp(dirty, dirty_grad, mask=mask)
    for x, g, keep, p, d in zip(scores, grad, mask, weights, pulled, strict=True):
        close(p[keep], function(x[keep]))
        close(d[keep], vjp(x[keep], g[keep]), scale=1.0 + np.abs(d[keep]).max(initial=0.0))
        assert (p[~keep] == nothing(name)).all()
        assert (d[~keep] == 0).all()


@every_map
@few
@given(table=tables())
def test_a_score_of_minus_infinity_is_a_masked_entry(name, table):
    function, vjp = PAIRS[name]
    scores, grad, mask = table
    dropped = np.where(mask, scores, -np.inf)
    np.testing.assert_array_equal(function(dropped), function(scores, mask=mask))
    np.testing.assert_array_equal(vjp(dropped, grad), vjp(scores, grad, mask=mask))


@every_map
@few
@given(table=tables(), data=st.data())
def test_permuting_the_scores_permutes_the_weights(name, table, data):
    function, vjp = PAIRS[name]
    scores, grad, mask = table
    order = data.draw(st.permutations(range(scores.shape[1])))
    close(function(scores[:, order], mask=mask[:, order]), function(scores, mask=mask)[:, order])
    pulled = vjp(scores, grad, mask=mask)[:, order]
    close(vjp(scores[:, order], grad[:, order], mask=mask[:, order]), pulled, scale=1 + np.abs(pulled).max())


@every_map
@few
@given(row=st.lists(numbers, min_size=1, max_size=5), copies=st.integers(2, 40))
def test_equal_scores_get_bit_equal_weights(name, row, copies):
    weights = PAIRS[name][0](np.tile(row, copies)).reshape(copies, -1)
    assert (weights == weights[0]).all()


@every_map
@few
@given(table=tables(), temperature=st.floats(0.1, 10))
def test_the_temperature_divides_the_scores_before_the_map(name, table, temperature):
    function, vjp = PAIRS[name]
    scores, grad, mask = table
    if name == "gumbel_softmax":  # the noise is drawn before the temperature
        return
    if name.startswith("softmax_one {"):
        return  # the sink is divided too: test_exponential
    close(function(scores, mask=mask, temperature=temperature), function(scores / temperature, mask=mask))
    if name not in ("sparsemax", "decimal_scaling") and "entmax" not in name and "relu" not in name:  # kinks
        scaled = vjp(scores / temperature, grad, mask=mask) / temperature
        pulled = vjp(scores, grad, mask=mask, temperature=temperature)
        np.testing.assert_allclose(pulled, scaled, rtol=1e-6, atol=1e-9 * (1 + np.abs(scaled).max()))


@every_map
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_an_infinite_temperature_turns_every_finite_score_into_zero(name, dtype):
    function, _ = PAIRS[name]
    if name in ("min_max", "linear") or name.startswith("softmax_one {"):
        return  # without effect, or on the sink too
    most = np.finfo(dtype).max
    scores = np.array([[most, -most, 1, -np.inf], [-most, 2, 3, most]], dtype)
    zeros = np.where(np.isfinite(scores), dtype(0), scores)
    for temperature in (np.inf, [[np.inf], [np.inf]]):
        np.testing.assert_array_equal(function(scores, temperature=temperature), function(zeros))


@every_map
def test_a_temperature_per_row_is_the_temperature_of_that_row(name):
    function, vjp = PAIRS[name]
    rng = np.random.default_rng(1)
    scores, grad = rng.normal(size=(2, 3, 4, 5))
    temperature = rng.uniform(0.5, 2, size=(3, 1, 5))
    weights = function(scores, 1, temperature=temperature)
    pulled = vjp(scores, grad, 1, temperature=temperature)
    for i in range(3):
        for k in range(5):
            close(weights[i, :, k], function(scores[i, :, k], temperature=temperature[i, 0, k]))
            close(pulled[i, :, k], vjp(scores[i, :, k], grad[i, :, k], temperature=temperature[i, 0, k]))
    shared = function(scores, 1, temperature=temperature[:1])
    np.testing.assert_array_equal(shared[2], function(scores[2], 0, temperature=temperature[0]))


@every_map
@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2, -3])
def test_the_axis_says_where_rows_run(name, axis):
    function, vjp = PAIRS[name]
    rng = np.random.default_rng(2)
    scores, grad = rng.normal(size=(2, 3, 4, 5))
    mask = rng.random((3, 4, 5)) > 0.3
    moved, keep, slopes = (np.moveaxis(a, axis, -1) for a in (scores, mask, grad))
    np.testing.assert_array_equal(
        np.moveaxis(function(scores, axis, mask=mask), axis, -1), function(moved, mask=keep)
    )
    np.testing.assert_array_equal(
        np.moveaxis(vjp(scores, grad, axis, mask=mask), axis, -1), vjp(moved, slopes, mask=keep)
    )


@every_map
def test_any_memory_layout_and_no_input_is_written(name):
    function, vjp = PAIRS[name]
    scores, grad = np.random.default_rng(3).normal(size=(2, 6, 8))
    expected = function(scores, temperature=2.0), vjp(scores, grad, temperature=2.0)
    wide = np.zeros((12, 24))
    wide[::2, ::-3] = scores
    for layout in (
        np.asfortranarray(scores),
        scores[::-1, ::-1].copy()[::-1, ::-1],
        wide[::2, ::-3],
        scores.astype(">f8"),
    ):
        layout.flags.writeable = False
        before = layout.copy()
        np.testing.assert_array_equal(function(layout, temperature=2.0), expected[0])
        np.testing.assert_array_equal(vjp(layout, grad, temperature=2.0), expected[1])
        np.testing.assert_array_equal(layout, before)
    np.testing.assert_array_equal(function(scores[0], temperature=2.0), expected[0][0])
    row = np.broadcast_to(scores[0], (5, 8))
    np.testing.assert_array_equal(function(row)[4], function(scores[0]))
    np.testing.assert_array_equal(function(scores.tolist()), function(scores))


@every_map
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_float_dtypes_stay_and_agree(name, dtype):
    function, vjp = PAIRS[name]
    rng = np.random.default_rng(4)
    scores, grad = rng.integers(-8, 8, size=(2, 40, 9)) / 4  # the same numbers in every dtype
    mask = rng.random(scores.shape) > 0.2
    weights = function(scores.astype(dtype), mask=mask)
    pulled = vjp(scores.astype(dtype), grad.astype(dtype), mask=mask)
    assert weights.dtype == pulled.dtype == dtype
    eps = np.finfo(dtype).eps
    np.testing.assert_allclose(weights, function(scores, mask=mask), rtol=9 * eps, atol=4 * eps)
    np.testing.assert_allclose(pulled, vjp(scores, grad, mask=mask), rtol=30 * eps, atol=30 * eps)
    assert vjp(scores.astype(dtype), grad).dtype == dtype  # the gradient takes the dtype of the scores
    assert vjp(scores.astype(dtype), grad.astype(int)).dtype == dtype


@every_map
@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int16, np.int64])
def test_integers_and_bools_become_float64_before_any_arithmetic(name, dtype):
    function, vjp = PAIRS[name]
    scores = np.array([[1, 3, 2], [0, 255, 7]]).astype(dtype)
    assert function(scores).dtype == np.float64
    np.testing.assert_array_equal(function(scores), function(scores.astype(float)))
    np.testing.assert_array_equal(vjp(scores, scores), vjp(scores.astype(float), scores.astype(float)))


@every_map
@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 3), (2, 0, 4)])
def test_empty_arrays_give_empty_arrays(name, shape):
    function, vjp = PAIRS[name]
    for axis in range(len(shape)):
        assert function(np.zeros(shape, np.float32), axis).shape == shape
        assert vjp(np.zeros(shape, np.float32), np.zeros(shape), axis).dtype == np.float32


@every_map
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_a_row_with_nothing_kept_has_no_weight_and_no_gradient(name, dtype):
    function, vjp = PAIRS[name]
    scores = np.array([[1, 2, 3], [4, 5, 6]], dtype)
    mask = np.array([[True, True, False], [False, False, False]])
    for x, keep in ((scores, mask), (np.where(mask, scores, dtype(-np.inf)), None)):
        assert (function(x, mask=keep)[1] == nothing(name)).all()
        assert (vjp(x, np.ones_like(x), mask=keep)[1] == 0).all()
        close(function(x, mask=keep)[0, :2], function(scores[0, :2]))
    assert (function(np.full(3, -np.inf, dtype)) == nothing(name)).all()


@pytest.mark.parametrize("name", SIMPLEX)
@pytest.mark.parametrize("temperature", [1.0, 5e-324, np.inf])
def test_infinite_scores_share_all_weight_whatever_the_temperature(name, temperature):
    function, vjp = PAIRS[name]
    scores = np.array([[1.0, np.inf, 2.0, np.inf], [-np.inf, np.inf, 0.0, 1e308], [1.0, 2.0, 3.0, 4.0]])
    weights = function(scores, temperature=temperature)
    np.testing.assert_array_equal(weights[:2], [[0, 0.5, 0, 0.5], [0, 1, 0, 0]])
    np.testing.assert_array_equal(weights[2], function(scores[2], temperature=temperature))
    grad = np.arange(12.0).reshape(3, 4)
    pulled = vjp(scores, grad, temperature=temperature)
    np.testing.assert_array_equal(pulled[:2], np.zeros((2, 4)))
    np.testing.assert_array_equal(pulled[2], vjp(scores[2], grad[2], temperature=temperature))
    np.testing.assert_array_equal(function([np.inf, np.inf], mask=[True, False]), [1, 0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_difference_beyond_the_dtype_is_divided_all_the_same(dtype):
    most = float(np.finfo(dtype).max)
    rows = np.array([[1, -1], [0, -1], [1, 0.5], [-1, -0.5]]) * most
    scores = np.vstack([rows, [[np.inf, 0], [np.nan, 0]]]).astype(dtype)
    weights = softmax(scores, temperature=most)
    larger = 1 / (1 + np.exp(-np.array([2, 1, 0.5])))  # of differences of 2, 1 and 1/2
    np.testing.assert_allclose(weights[:3, 0], larger, rtol=np.finfo(dtype).eps * 4)
    np.testing.assert_array_equal(weights[3], weights[2, ::-1])
    np.testing.assert_array_equal(weights[4:], [[1, 0], [np.nan, np.nan]])
    np.testing.assert_array_equal(
        sparsemax(scores[:4], temperature=most), [[1, 0], [1, 0], [0.75, 0.25], [0.25, 0.75]]
    )


@every_map
def test_nan_poisons_its_row_or_its_entry_and_nothing_else(name):
    function, vjp = PAIRS[name]
    scores = np.array([[1.0, np.nan, 3.0, -np.inf], [1.0, 2.0, 3.0, 5e-324]])
    mask = np.array([[True, True, True, True], [True, True, True, True]])
    weights, pulled = function(scores), vjp(scores, np.ones((2, 4)))
    if name in ELEMENTWISE:
        np.testing.assert_array_equal(np.isnan(weights), np.isnan(scores))
        np.testing.assert_array_equal(np.isnan(pulled), np.isnan(scores))
    else:
        assert np.isnan(weights[0, :3]).all() and np.isnan(pulled[0, :3]).all()
    assert weights[0, 3] == nothing(name) and pulled[0, 3] == 0
    np.testing.assert_array_equal(weights[1], function(scores[1]))
    np.testing.assert_array_equal(pulled[1], vjp(scores[1], np.ones(4)))
    mask[0, 2] = False
    assert function(scores, mask=mask)[0, 2] == nothing(name)
    assert np.isnan(function(np.array([np.nan, 1.0]))[0])


@every_map
def test_blocks_do_not_show(name, monkeypatch):
    function, vjp = PAIRS[name]
    rng = np.random.default_rng(5)
    scores, grad = rng.normal(size=(2, 3, 4, 5, 6))
    mask = rng.random((3, 1, 5, 6)) > 0.3
    temperature = rng.uniform(0.5, 2, size=(1, 4, 5, 1))
    whole = (
        function(scores, mask=mask, temperature=temperature),
        vjp(scores, grad, mask=mask, temperature=temperature),
    )
    for size in (1, 6, 13, 40, 200):
        monkeypatch.setattr(_rows, "BLOCK", size)
        np.testing.assert_array_equal(function(scores, mask=mask, temperature=temperature), whole[0])
        np.testing.assert_array_equal(vjp(scores, grad, mask=mask, temperature=temperature), whole[1])
        cooled = function(scores, temperature=2.0)
        np.testing.assert_array_equal(cooled[2, 3], function(scores[2, 3], temperature=2.0))
        assert function(np.zeros((2, 0, 3))).shape == (2, 0, 3)


def test_blocks_are_whole_rows_and_as_many_as_fit(monkeypatch):
    monkeypatch.setattr(_rows, "BLOCK", 12)

    def blocks(*shape):
        return [z.shape for z in _rows.shifted(np.zeros(shape), -1, True, 1.0)[1]]

    assert blocks(3, 4) == [(3, 4)] and blocks(1) == [(1, 1)]  # all that fits
    assert blocks(20) == [(1, 20)] and blocks(2, 20) == [(1, 20)] * 2  # and one row of any length
    assert blocks(0) == blocks(0, 4) == blocks(4, 0) == []
    assert blocks(5, 4) == [(3, 4), (2, 4)]
    assert blocks(2, 3, 4) == [(3, 4)] * 2
    assert blocks(5, 3, 2) == [(6, 2), (6, 2), (3, 2)]
    assert blocks(2, 5, 4) == [(3, 4)] * 3 + [(1, 4)]
    assert blocks(1, 2, 20) == [(1, 20)] * 2
    assert blocks(1, 2, 4, 4) == [(3, 4), (3, 4), (2, 4)]


@every_map
def test_silent_even_where_numpy_is_told_to_raise(name):
    function, vjp = PAIRS[name]
    extremes = np.array(
        [[1e308, -1e308, 5e-324, 0.0], [700.0, -745.0, 1e-310, -np.inf], [np.nan, 1.0, 2.0, -1e5]]
    )
    for dtype in (np.float32, np.float64):
        most = float(np.finfo(dtype).max)
        cast = np.clip(extremes, -most, most, where=extremes > -np.inf, out=extremes.copy()).astype(dtype)
        with np.errstate(all="raise"):
            for temperature in (1.0, 5e-324, 1e308, np.inf):
                for x in (cast, cast[0], cast[1]):
                    function(x, temperature=temperature)
                    vjp(x, x, temperature=temperature)


@every_map
@pytest.mark.parametrize(
    ("bad", "error", "words"),
    [
        ({"scores": np.float64(1.0)}, ValueError, "^scores must have at least one axis"),
        ({"scores": [1j, 2]}, TypeError, r"^scores must be real numbers .* not complex128$"),
        ({"scores": ["a", "b"]}, TypeError, "<U1"),
        ({"scores": np.array([1, 2], object)}, TypeError, "object"),
        ({"scores": np.array([1, 2], np.longdouble)}, TypeError, str(np.dtype(np.longdouble))),
        ({"scores": np.ma.array([1.0, 2.0])}, TypeError, r"^scores is a masked array; .*mask=~scores\.mask"),
        ({"mask": [1, 0]}, TypeError, "int64"),
        ({"mask": np.ones((2, 2), bool)}, ValueError, r"\(2, 2\)"),
        ({"mask": np.ones(3, bool)}, ValueError, r"\(3,\)"),
        ({"temperature": 0}, ValueError, "not 0"),
        ({"temperature": -1.0}, ValueError, "not -1.0"),
        ({"temperature": float("nan")}, ValueError, "not nan"),
        ({"temperature": -np.inf}, ValueError, "not -inf"),
        ({"temperature": [0.0]}, ValueError, "not 0.0"),
        ({"temperature": [1.0, 2.0]}, ValueError, r"\(2,\)"),
        ({"temperature": [[1.0]]}, ValueError, r"\(1, 1\)"),
        ({"temperature": "hot"}, TypeError, "<U3"),
        ({"temperature": None}, TypeError, "object"),
        ({"temperature": 1j}, TypeError, "complex"),
        ({"temperature": np.longdouble(1)}, TypeError, str(np.dtype(np.longdouble))),
        ({"temperature": np.ma.array([1.0])}, TypeError, "temperature is a masked array"),
        ({"axis": 1}, ValueError, "axis must lie between -1 and 0"),
        ({"axis": -2}, ValueError, "axis must lie between -1 and 0 for these scores, not be -2"),
        ({"axis": None}, TypeError, "NoneType"),
        ({"axis": 0.0}, TypeError, "float"),
    ],
)
def test_errors_name_the_value(name, bad, error, words):
    function, vjp = PAIRS[name]
    arguments = {"scores": np.array([1.0, 2.0])} | bad
    scores = arguments.pop("scores")
    if name == "gumbel_softmax" and error is TypeError and "scores" in bad:
        return  # the helper that makes the noise cannot read such scores
    with pytest.raises(error, match=words):
        function(scores, **arguments)
    with pytest.raises(error, match=words):
        vjp(scores, np.ones(np.shape(scores)), **arguments)


@every_map
def test_the_gradient_must_have_the_shape_of_the_scores(name):
    with pytest.raises(
        ValueError, match=r"grad_weights must have the shape of the scores, \(2, 3\), not \(3,\)"
    ):
        PAIRS[name][1](np.zeros((2, 3)), np.zeros(3))
    with pytest.raises(TypeError, match=r"^grad_weights must be real numbers .* not complex128$"):
        PAIRS[name][1](np.zeros(2), np.zeros(2, complex))
    with pytest.raises(TypeError, match=r"^grad_weights must be real numbers .* not object$"):
        PAIRS[name][1](np.zeros(2), None)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_noise_is_added_in_full_and_never_to_a_dropped_entry(dtype):
    scores, noise = np.array([2048, 2048, -np.inf, 0], dtype), np.array([1, 0, np.inf, np.nan], dtype)
    keep = [True, True, True, False]
    weights = gumbel_softmax(scores, noise=noise, mask=keep)  # 2049 is not a float16
    np.testing.assert_array_equal(weights, softmax(np.array([1, 0, -np.inf, -np.inf], dtype)))
    pulled = gumbel_softmax_vjp(scores, np.ones(4), noise=noise, mask=keep)
    np.testing.assert_allclose(pulled, np.zeros(4), atol=np.finfo(dtype).eps)


def test_a_sink_is_one_more_score_and_the_number_of_kept_entries_sharpens():
    np.testing.assert_allclose(softmax_one([0.0, 0.0], sink=np.log(2)), [0.25, 0.25], rtol=1e-15)
    pulled = softmax_one_vjp([0.0, 0.0], [1.0, 0.0])  # three equal shares; the third's gradient is 0
    np.testing.assert_allclose(pulled, [2 / 9, -1 / 9], rtol=1e-15)
    keep = [True, True, True, False]  # 3 to the power of 1 and of 0: 3/5 and 1/5
    weights = scalable_softmax([1.0, 0.0, 0.0, 9.0], scale=1, mask=keep)
    np.testing.assert_allclose(weights, [0.6, 0.2, 0.2, 0], rtol=1e-15)


def test_the_temperature_at_fault_is_named_among_others():
    with pytest.raises(ValueError, match=r"^temperature must be positive, not -1\.0$"):
        softmax(np.zeros((3, 2)), temperature=[[0.5], [-1.0], [2.0]])


@pytest.mark.parametrize("shape", [(1,), (3,), (3, 2), (2, 1), (1, 3, 1)])
def test_a_temperature_that_does_not_fit_is_refused_with_both_shapes(shape):
    words = f"temperature must be a number or of a shape that fits (3, 1), not {shape}"
    with pytest.raises(ValueError, match=f"^{re.escape(words)}$"):
        softmax(np.zeros((3, 2)), temperature=np.ones(shape))


def test_the_noise_must_have_the_shape_of_the_scores():
    with pytest.raises(ValueError, match=r"^noise must have the shape of the scores, \(2,\), not \(3,\)$"):
        gumbel_softmax([0.0, 1.0], noise=[0.0, 1.0, 2.0])


@every_map
def test_masks_broadcast_to_the_scores(name):
    function, _ = PAIRS[name]
    scores = np.random.default_rng(6).normal(size=(2, 3))
    row = np.array([True, False, True])
    full = function(scores, mask=np.stack([row, row]))
    for mask in (row, row[None], row.tolist()):
        np.testing.assert_array_equal(function(scores, mask=mask), full)
    np.testing.assert_array_equal(function(scores, mask=True), function(scores))


@every_map
def test_threads_and_pickles(name):
    function, _ = PAIRS[name]
    rows = list(np.random.default_rng(7).normal(size=(40, 300)))
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(function, rows))
    for row, result in zip(rows, results, strict=True):
        np.testing.assert_array_equal(result, function(row))
    again = pickle.loads(pickle.dumps(function))
    np.testing.assert_array_equal(again(rows[0]), results[0])


def test_subclasses_give_plain_arrays():
    class Tagged(np.ndarray):
        pass

    assert type(softmax(np.arange(3.0).view(Tagged))) is np.ndarray


def test_a_view_of_the_result_owns_nothing_of_the_input():
    scores = np.zeros((3, 4))
    for axis in (0, 1):
        assert not np.shares_memory(softmax(scores, axis), scores)
        assert not np.shares_memory(softmax_vjp(scores, scores, axis), scores)


def test_a_leftover_error_state_does_not_leak():
    before = np.geterr()
    softmax(np.zeros((2, 3)), mask=[True, False, True])
    for call in (PAIRS["decimal_scaling"][0], lambda x: PAIRS["decimal_scaling"][1](x, x)):
        with pytest.raises(ValueError, match=r"\+inf") as kept:  # as a notebook keeps the last error
            call([np.inf, 1.0])
        assert np.geterr() == before and kept.tb


def test_vjp_of_finds_what_stands_beside_a_function():
    assert _rows.vjp_of(softmax) is softmax_vjp
    with pytest.raises(ValueError, match="len_vjp"):
        _rows.vjp_of(len)


def test_vjp_of_keeps_what_a_partial_fixed():
    scores, grad = [0.0, 1.0, 0.5], [1.0, 0.0, 2.0]
    vjp = _rows.vjp_of(partial(entmax, scores, alpha=3))
    np.testing.assert_array_equal(vjp(grad), entmax_vjp(scores, grad, alpha=3))


def test_vjp_of_names_what_has_no_name():
    class Map:
        def __repr__(self):
            return "a map"

    with pytest.raises(ValueError, match=r"^a map has no a map_vjp beside it$"):
        _rows.vjp_of(Map())


def test_arrays_come_in_the_dtype_of_the_work_and_are_not_copied():
    single, half = np.float32([1, 2]), np.float16([3])
    arrays, kind = _rows.real_arrays(one=single, two=half)
    assert kind == np.float32 and arrays[0] is single and arrays[1].dtype == np.float32
    arrays, kind = _rows.real_arrays(one=half, two=half)
    assert kind == np.float16 and [a.dtype for a in arrays] == [np.float32] * 2
    np.testing.assert_array_equal(arrays, [[3], [3]])
    with pytest.raises(TypeError, match=r"^two must be real numbers .* not complex128$"):
        _rows.real_arrays(one=single, two=[1j])


def test_one_number():
    value = _rows.number(np.float32(0.5), "margin")
    assert value == 0.5 and type(value) is float
    with pytest.raises(TypeError, match=r"^margin must be one real number, not \[1\]$"):
        _rows.number([1], "margin")
    with pytest.raises(ValueError, match=r"^margin must be a number, not nan$"):
        _rows.number(np.nan, "margin")
    with pytest.raises(ValueError, match=r"^margin must be positive, not -2$"):
        _rows.number(-2, "margin", "positive", lambda value: value > 0)


def test_a_generator():
    rng = np.random.default_rng(0)
    assert _rows.generator(rng) is rng
    with pytest.raises(TypeError, match=r"^rng must be a numpy Generator, .*default_rng\(0\), not 7$"):
        _rows.generator(7)


def test_sum_to_undoes_a_broadcast():
    np.testing.assert_array_equal(_rows.sum_to(np.ones((4, 2, 3)), (2, 1)), [[12], [12]])


@every_map
def test_nan_poisons_the_gradient_of_a_row_with_infinity_too(name):
    function, vjp = PAIRS[name]
    if name == "decimal_scaling":
        return  # an error
    scores = np.array([np.nan, np.inf, 1.0])
    np.testing.assert_array_equal(
        vjp(scores, np.ones(3)), [np.nan] * 3 if name not in ELEMENTWISE else [np.nan, 0, 0]
    )
    assert np.isnan(function(scores)).sum() == (1 if name in ELEMENTWISE else 3)
