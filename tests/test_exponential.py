"""Softmax and its relatives: reference values (mpmath, 50 digits), the faults of others, laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attnlib import (
    entropy,
    log_softmax,
    log_softmax_vjp,
    scalable_softmax,
    scalable_softmax_vjp,
    sigmoid,
    softmax,
    softmax_one,
    softmax_one_vjp,
    softmax_vjp,
)

rows = arrays(np.float64, st.integers(1, 9), elements=st.floats(-700, 700))


def same(got, expected, rtol=1e-14):
    np.testing.assert_allclose(got, expected, rtol=rtol, atol=1e-300)


# [exp(x / T) / sum(exp(y / T) for y in row) for x in row], mp.dps = 50
@pytest.mark.parametrize(
    ("temperature", "expected"),
    [
        (1.0, [0.0900305731703805, 0.244728471054798, 0.665240955774822]),
        (0.5, [0.0158762399764668, 0.117310427826198, 0.866813332197335]),
        (2, [0.186323723225848, 0.307195885718498, 0.506480391055654]),
    ],
)
def test_softmax_reference(temperature, expected):
    same(softmax([1, 2, 3], temperature=temperature), expected)
    same(log_softmax([1, 2, 3], temperature=temperature), np.log(expected))


def test_softmax_vjp_reference():
    # p_i (g_i - sum_j p_j g_j)
    expected = [0.0819250690649932, -0.0220330445201743, -0.0598920245448189]
    same(softmax_vjp([1, 2, 3], [1, 0, 0]), expected)
    same(softmax_vjp([2, 4, 6], [1, 0, 0], temperature=2), np.divide(expected, 2))


def test_entropy_reference():
    same(entropy(softmax([1, 2, 3])), 0.832395581839939)  # -sum(p * log(p))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_log_softmax_is_exact_where_softmax_rounds_to_one(dtype):
    # -log(1 + exp(-20)), -20 - log(1 + exp(-20))
    same(
        log_softmax(np.array([20, 0], dtype)),
        [-2.06115362031438e-9, -20.0000000020612],
        4 * np.finfo(dtype).eps + 1e-14,
    )
    same(log_softmax(np.array([80, 0, 0], dtype))[0], -2 * np.exp(-80.0), 4 * np.finfo(dtype).eps)


# masks, named after the public reports of the fault
def test_pytorch_103963_a_row_with_nothing_kept():
    scores, mask = [[1, 2], [3, 4]], [[True, True], [False, False]]
    same(softmax(scores, mask=mask), [[0.2689414213699951, 0.7310585786300049], [0, 0]])
    np.testing.assert_array_equal(softmax_vjp(scores, [[1, 0], [1, 0]], mask=mask)[1], [0, 0])
    np.testing.assert_array_equal(softmax([1, 1, 1, 1], mask=[False] * 4), np.zeros(4))


def test_pytorch_101967_nan_under_the_mask():
    same(softmax([1, np.nan, 2], mask=[True, False, True]), [0.2689414213699951, 0, 0.7310585786300049])


@pytest.mark.parametrize("hidden", [0, 1e9, -1e9, np.nan, np.inf])
def test_flashinfer_4401_no_finite_sentinel(hidden):
    weights = softmax([-60000, -60001, hidden], mask=[True, True, False])
    same(weights, [0.7310585786300049, 0.2689414213699951, 0])


def test_apex_93_float16_mask():
    weights = softmax(np.array([1, 2, 3], np.float16), mask=[True, False, True])
    assert weights.dtype == np.float16
    np.testing.assert_array_equal(weights, np.array([0.1192, 0, 0.8808], np.float16))


def test_the_mask_comes_before_the_softmax_and_true_keeps():
    same(softmax([1, 2, 3], mask=[True, True, False]), [0.2689414213699951, 0.7310585786300049, 0])
    np.testing.assert_array_equal(softmax([0, 0], mask=[True, False]), [1, 0])


def test_allennlp_890_log_softmax_of_masked_entries():
    same(
        log_softmax([1, 2, 5], mask=[True, True, False]), [-1.3132616875182228, -0.3132616875182228, -np.inf]
    )
    np.testing.assert_array_equal(log_softmax([1, 2], mask=[False, False]), [-np.inf, -np.inf])
    np.testing.assert_array_equal(log_softmax([np.nan, 2, -np.inf]), [np.nan, np.nan, -np.inf])
    np.testing.assert_array_equal(
        log_softmax([np.inf, 2, 1], mask=[True, True, False]), [0, -np.inf, -np.inf]
    )


# range, dtype
def test_integers_do_not_wrap():
    expected = softmax([1.0, 3.0, 2.0])
    np.testing.assert_array_equal(softmax(np.array([1, 3, 2], np.uint8)), expected)
    np.testing.assert_array_equal(softmax(np.array([-32768, 32767], np.int16)), [0, 1])
    np.testing.assert_array_equal(softmax([1000, 0, 0]), [1, 0, 0])
    same(softmax([True, False]), [0.7310585786300049, 0.2689414213699951])


def test_float32_underflow_is_gradual():
    weights = softmax(np.array([90, 2, -2], np.float32))
    np.testing.assert_allclose(weights, [1, 6.054602e-39, 1.10893e-40], rtol=1e-4)


def test_signed_zeros_are_equal():
    np.testing.assert_array_equal(softmax([-0.0, 0.0]), [0.5, 0.5])


def test_one_score_per_row_has_all_weight():
    np.testing.assert_array_equal(
        softmax(np.random.default_rng(0).normal(size=(2, 3, 1))), np.ones((2, 3, 1))
    )


@pytest.mark.parametrize(("dtype", "limit"), [(np.float32, 1e-6), (np.float64, 1e-10)])
def test_a_row_of_100000_sums_to_one(dtype, limit):
    for scores in (np.zeros(100000), np.random.default_rng(0).normal(size=100000)):
        assert abs(softmax(scores.astype(dtype)).sum(dtype=np.float64) - 1) <= limit


# temperature
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("temperature", [1e-320, 5e-324, np.float64(1e-320)])
def test_bark_270_a_tiny_temperature_is_not_replaced_by_an_epsilon(dtype, temperature):
    scores = np.array([1, 2, 2.5], dtype)
    np.testing.assert_array_equal(softmax(scores, temperature=temperature), [0, 0, 1])
    np.testing.assert_array_equal(softmax_vjp(scores, scores, temperature=temperature), [0, 0, 0])
    np.testing.assert_array_equal(softmax(np.array([2, 2], dtype), temperature=temperature), [0.5, 0.5])


def test_temperatures_of_the_size_of_the_scores_at_both_ends_of_the_range():
    same(softmax([1e308, -1e308], temperature=1e308), softmax([1, -1]))
    same(softmax([5e-324, 0], temperature=5e-324), softmax([1, 0]))
    same(softmax([[5e-324, 0], [np.nan, 0]], temperature=5e-324)[0], softmax([1, 0]))
    same(log_softmax([1e308, -1e308], temperature=4), [0, -5e307])
    same(softmax(np.float32([3e38, -3e38]), temperature=3e38), softmax([1, -1]), 1e-6)


def test_an_infinite_temperature_is_uniform_over_what_is_kept():
    same(softmax([1, -1e308, 1e308], temperature=np.inf), [1 / 3] * 3)
    same(softmax([1, 2, 3, -np.inf], mask=[True, False, True, True], temperature=np.inf), [0.5, 0, 0.5, 0])
    same(softmax_one([1, 2, 3], temperature=np.inf), [0.25] * 3)
    same(scalable_softmax([1, 2], temperature=np.inf), [0.5, 0.5])
    np.testing.assert_array_equal(softmax_vjp([1, 2], [1, 0], temperature=np.inf), [0, 0])


@given(row=rows, shift=st.integers(-1000, 1000))
def test_softmax_is_blind_to_a_shift(row, shift):
    whole = np.round(row)  # so that adding the shift does not round
    np.testing.assert_array_equal(softmax(whole + shift), softmax(whole))
    np.testing.assert_array_equal(log_softmax(whole + shift), log_softmax(whole))


@given(row=rows)
def test_softmax_is_a_distribution_in_the_order_of_the_scores(row):
    weights = softmax(row)
    assert (weights >= 0).all() and abs(weights.sum() - 1) < 1e-14
    assert (np.diff(weights[np.argsort(row, kind="stable")]) >= 0).all()


@given(row=rows)
def test_the_log_is_the_log(row):
    np.testing.assert_allclose(np.exp(log_softmax(row)), softmax(row), rtol=1e-12, atol=1e-300)
    same(log_softmax_vjp(row, np.ones(row.size)), 1 - row.size * softmax(row), 1e-12)


@given(t=st.floats(-700, 700))
def test_two_scores_are_a_sigmoid(t):
    same(softmax([t, 0])[0], sigmoid([t])[0], 1e-14)


# sinks
def test_softmax_one_reference():
    # exp(x) / (1 + sum(exp(y) for y in row))
    same(softmax_one([1, 2, 3]), [0.0871443187420326, 0.236882818089910, 0.643914259887972], 2e-15)
    np.testing.assert_array_equal(softmax_one([0]), [0.5])
    np.testing.assert_array_equal(softmax_one([1000, 0]), [1, 0])
    np.testing.assert_array_equal(softmax_one([-1000, -1000]), [0, 0])


@given(row=rows, sink=st.floats(-50, 50), temperature=st.floats(0.1, 10))
def test_softmax_one_is_a_softmax_with_one_more_score(row, sink, temperature):
    grad = np.cos(np.arange(row.size + 1.0))
    grad[-1] = 0
    wide = np.append(row, sink)
    same(
        softmax_one(row, sink=sink, temperature=temperature),
        softmax(wide, temperature=temperature)[:-1],
        1e-12,
    )
    pulled = softmax_vjp(wide, grad, temperature=temperature)[:-1]
    np.testing.assert_allclose(
        softmax_one_vjp(row, grad[:-1], sink=sink, temperature=temperature), pulled, rtol=1e-9, atol=1e-14
    )


def test_extreme_sinks():
    same(softmax_one([1, 2], sink=-np.inf), softmax([1, 2]))
    np.testing.assert_array_equal(softmax_one([1, 2], sink=np.inf), [0, 0])
    np.testing.assert_array_equal(softmax_one([np.inf, 2]), [1, 0])
    np.testing.assert_array_equal(softmax_one([1, 2], mask=[False, False]), [0, 0])
    with pytest.raises(ValueError, match="sink must be a number, not nan"):
        softmax_one([1], sink=np.nan)
    with pytest.raises(ValueError, match="sink must be a number, not nan"):
        softmax_one_vjp([1], [1], sink=np.nan)


# length
def test_scalable_softmax_reference():
    # with s = 1, n ** x / sum(n ** y for y in row)
    same(scalable_softmax([1, 0]), [2 / 3, 1 / 3])
    same(scalable_softmax([2, 1, 0, 0]), [8 / 11, 2 / 11, 1 / 22, 1 / 22])
    same(scalable_softmax([1, 2, 3]), [1 / 13, 3 / 13, 9 / 13])
    weights = scalable_softmax([[1, 2, 3, 9], [1, 0, 9, 9]], mask=np.arange(4) < [[3], [2]])
    same(weights, [[1 / 13, 3 / 13, 9 / 13, 0], [2 / 3, 1 / 3, 0, 0]])  # n counts what is kept
    np.testing.assert_array_equal(scalable_softmax([7.0]), [1.0])
    same(scalable_softmax([5, -1e308, 2], scale=0), [1 / 3] * 3)


@given(row=rows, scale=st.floats(0, 5), temperature=st.floats(0.1, 10))
def test_scalable_softmax_sharpens_with_the_length(row, scale, temperature):
    sharp = scale * np.log(row.size) * row / temperature
    np.testing.assert_allclose(
        scalable_softmax(row, scale=scale, temperature=temperature), softmax(sharp), rtol=1e-9, atol=1e-300
    )


@pytest.mark.parametrize("scale", [-1.0, np.inf, np.nan])
def test_scale_must_be_finite_and_not_negative(scale):
    with pytest.raises(ValueError, match=f"scale must be finite and not negative, not {scale}"):
        scalable_softmax([1], scale=scale)
    with pytest.raises(ValueError, match="scale"):
        scalable_softmax_vjp([1], [1], scale=scale)


def test_online_softmax_reaches_the_same_sum():
    # m' = max(m, x), l' = l e^(m - m') + e^(x - m'): Milakov and Gimelshein 2018
    m, s = 2.0, np.exp(-1) + 1
    same(s, 1.36787944117144, 1e-14)
    s, m = s * np.exp(m - 4) + np.exp(-1) + 1, 4.0
    same([s, m + np.log(s)], [1.55300179277592, 4.44018969856120], 1e-14)
    same(log_softmax([1, 2, 3, 4]), np.arange(1, 5) - 4.44018969856120, 1e-13)


def test_the_largest_scales_do_not_overflow_the_temperature():
    np.testing.assert_allclose(scalable_softmax([1.0, 2.0], temperature=np.inf, scale=1.79e308), [0.5, 0.5])
    small = scalable_softmax([1.0, 2.0, 3.0], temperature=2.0, scale=1.7)
    large = scalable_softmax([1.0, 2.0, 3.0], temperature=2e307, scale=1.7e307)
    np.testing.assert_allclose(large, small, rtol=1e-12)
    np.testing.assert_array_equal(scalable_softmax([3.0], temperature=5e-324, scale=2.0), [1.0])


@pytest.mark.parametrize("bad", ["1", None, 1j, [1.0], np.array([1.0, 2.0])])
def test_a_sink_or_a_scale_that_is_not_a_number(bad):
    with pytest.raises(TypeError, match="sink must be one real number, not "):
        softmax_one([1.0, 2.0], sink=bad)
    with pytest.raises(TypeError, match="scale must be one real number, not "):
        scalable_softmax([1.0, 2.0], scale=bad)
