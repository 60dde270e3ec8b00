"""Linear scalings: ends reached exactly, decades chosen exactly."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attnlib import (
    _rows,
    decimal_scaling,
    decimal_scaling_vjp,
    length_normalization,
    length_normalization_vjp,
    linear,
    linear_vjp,
    min_max,
    min_max_vjp,
)

rows = arrays(np.float64, st.integers(1, 9), elements=st.floats(allow_nan=False, allow_infinity=False))


def test_min_max_reference():
    np.testing.assert_array_equal(min_max([2, 4, 6]), [0, 0.5, 1])
    np.testing.assert_array_equal(min_max([-1e308, 0, 1e308]), [0, 0.5, 1])
    np.testing.assert_array_equal(
        min_max([[-1e308, 1e308, 0], [0, 5e-324, 1e-323]]), [[0, 1, 0.5], [0, 0.5, 1]]
    )
    np.testing.assert_array_equal(min_max(np.float32([-3e38, 0, 3e38])), [0, 0.5, 1])
    np.testing.assert_array_equal(min_max([9, 2, 4, 6], mask=[False, True, True, True]), [0, 0, 0.5, 1])


def test_linear_reference():
    np.testing.assert_allclose(linear([2, 4, 6]), [0, 1 / 3, 2 / 3], rtol=1e-15)
    np.testing.assert_allclose(linear([-1e308, 0, 1e308]), [0, 1 / 3, 2 / 3], rtol=1e-15)
    np.testing.assert_array_equal(linear([-np.inf, 1, 2]), [0, 0, 1])


def test_mlxtend_1167_a_constant_row():
    np.testing.assert_array_equal(min_max([5, 5, 5]), [0, 0, 0])
    np.testing.assert_array_equal(linear([5, 5, 5]), [1 / 3] * 3)
    np.testing.assert_array_equal(linear([5, 5, 5], mask=[True, False, True]), [0.5, 0, 0.5])
    for vjp in (min_max_vjp, linear_vjp):
        np.testing.assert_array_equal(vjp([5, 5, 5], [1, 2, 3]), [0, 0, 0])
        np.testing.assert_array_equal(vjp([7], [1]), [0])
        np.testing.assert_array_equal(vjp([5, 5, 5], [np.inf, 2, -np.inf]), [0, 0, 0])


def test_infinite_scores():
    np.testing.assert_array_equal(min_max([[np.inf, 1, np.inf], [np.inf] * 3]), [[1, 0, 1], [1, 1, 1]])
    np.testing.assert_array_equal(linear([[np.inf, 1, np.inf], [np.inf] * 3]), [[0.5, 0, 0.5], [1 / 3] * 3])
    for vjp in (min_max_vjp, linear_vjp):
        np.testing.assert_array_equal(vjp([np.inf, 1, 2], [1, 2, 3]), [0, 0, 0])
    with pytest.raises(ValueError, match=r"^decimal_scaling has no power of ten for a score of \+inf$"):
        decimal_scaling([1, np.inf])
    np.testing.assert_array_equal(decimal_scaling([1, np.inf], mask=[True, False]), [0.1, 0])


def test_an_infinite_score_is_found_in_whichever_block_it_stands(monkeypatch):
    monkeypatch.setattr(_rows, "BLOCK", 2)
    for scores in ([[np.inf, 1], [2, 3]], [[2, 3], [np.inf, 1]]):
        with pytest.raises(ValueError, match=r"no power of ten for a score of \+inf$"):
            decimal_scaling(scores)


@given(row=rows)
def test_min_max_stays_in_the_unit_interval_and_reaches_both_ends(row):
    weights = min_max(row)
    assert ((weights >= 0) & (weights <= 1)).all()
    if row.min() < row.max():
        assert (weights[row == row.min()] == 0).all() and (weights[row == row.max()] == 1).all()


@given(row=arrays(np.float64, st.integers(2, 9), elements=st.integers(-50, 50)), shift=st.integers(-99, 99))
def test_shift_and_scale_do_nothing_nor_does_the_temperature(row, shift):
    for function in (min_max, linear):
        np.testing.assert_array_equal(function(row + shift), function(row))
        np.testing.assert_allclose(function(3 * row), function(row), rtol=1e-14)
        for temperature in (5e-324, 0.1, 7, np.inf):
            np.testing.assert_array_equal(function(row, temperature=temperature), function(row))
    for vjp in (min_max_vjp, linear_vjp):
        np.testing.assert_array_equal(vjp(row, row, temperature=9), vjp(row, row))


def test_ties_share_the_gradient_of_the_extremum():
    # y = (0, 0, 1/2, 1): g by y_3 moves both minima down by half of (y_3 - 1)/2, the maximum by -y_3/2
    np.testing.assert_array_equal(min_max_vjp([0, 0, 1, 2], [0, 0, 1, 0]), [-0.125, -0.125, 0.5, -0.25])
    np.testing.assert_array_equal(min_max_vjp([0, 1, 2, 2], [0, 1, 0, 0]), [-0.25, 0.5, -0.125, -0.125])


@pytest.mark.parametrize(("dtype", "large"), [(np.float32, 2.0**127), (np.float64, 2.0**1023)])
def test_the_gradient_divides_by_a_range_beyond_the_dtype(dtype, large):
    # y = (0, 1/2, 1) over a range of 2 * large: the middle gets g/(2 * large), both ends minus half of that
    grad = min_max_vjp(dtype([-large, 0, large]), dtype([0, large, 0]))
    np.testing.assert_array_equal(grad, dtype([-0.25, 0.5, -0.25]))
    np.testing.assert_array_equal(min_max_vjp(dtype([large, -large]), dtype([1, 0])), [0, 0])


def test_a_row_that_overflows_leaves_the_other_rows_alone():
    rows = [[5, 5, 5], [-1e308, 0, 1e308], [np.inf, 1, 2], [1, 2, 5], [np.inf] * 3, [-np.inf] * 3]
    half = [[0, 0, 0], [0, 0.5, 1], [1, 0, 0], [0, 0.25, 1], [1, 1, 1], [0, 0, 0]]
    np.testing.assert_array_equal(min_max(rows), half)
    whole = [[1 / 3] * 3, [0, 1 / 3, 2 / 3], [1, 0, 0], [0, 0.2, 0.8], [1 / 3] * 3, [0, 0, 0]]
    np.testing.assert_array_equal(linear(rows), whole)


def test_a_mask_does_not_change_the_dtype_of_the_work():
    rows, mask = np.float32([[-3e38, 0, 3e38, 1], [1, 2, 5, 0]]), [True, True, True, False]
    np.testing.assert_array_equal(min_max(rows, mask=mask), [[0, 0.5, 1, 0], [0, 0.25, 1, 0]])


def test_a_dropped_entry_is_no_part_of_the_gradient():
    mask = [True, False, True, True]
    for vjp in (min_max_vjp, linear_vjp):
        pulled = vjp([0, 9, 1, 3], [1, 5, 2, 4], mask=mask)
        np.testing.assert_allclose(pulled[mask], vjp([0, 1, 3], [1, 2, 4]), rtol=1e-14)


# decimal scaling
@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([-986, 917], [-0.986, 0.917]),
        ([10], [0.1]),
        ([1000], [0.1]),  # strictly below 1
        ([1], [0.1]),
        ([0.1, 0.05], [0.1, 0.05]),
        ([0.00123], [0.123]),
        ([999.9999999999999], [0.9999999999999999]),
        ([0, 0], [0, 0]),
        ([5e-324], [0.49406564584124654]),
        ([1e-323], [0.98813129168249309]),  # twice that: no float is nearer to 1e-323
        ([1.7976931348623157e308], [0.17976931348623157]),
        ([np.nextafter(1, 0)], [np.nextafter(1, 0)]),
    ],
)
def test_decimal_scaling_reference(scores, expected):
    np.testing.assert_allclose(decimal_scaling(scores), expected, rtol=4e-16)


@given(row=rows)
@example(row=np.array([1e22, 1e17]))
@example(row=np.array([2.5e-310]))
def test_the_decade_is_the_smallest_one(row):
    weights = np.abs(decimal_scaling(row)).max()
    assert weights < 1
    largest = Fraction(np.abs(row).max())
    if largest:
        exact = largest
        while exact >= 1:
            exact /= 10
        while exact * 10 < 1:
            exact *= 10
        if exact * 10 == 1 or np.isclose(float(exact), 1, rtol=2e-16, atol=0):
            return  # a power of ten, which the dtype may have rounded: see below
        np.testing.assert_allclose(weights, float(exact), rtol=1e-15)


def test_a_power_of_ten_counts_as_one_however_the_dtype_rounds_it():
    for k in range(-307, 309):  # 1e-23 times the float 1e23 would be 0.9999999999999999
        assert decimal_scaling([float(f"1e{k}")])[0] == pytest.approx(0.1, rel=1e-15)


def test_strictness_is_judged_in_the_dtype_of_the_result():
    assert decimal_scaling(np.float16([0.99951171875])) == np.float16(0.99951171875)
    assert decimal_scaling(np.float16([0.09997558])) == np.float16(0.1)  # 10 times it would round to 1
    halves = np.arange(1, 0x7C00, dtype=np.uint16).view(np.float16)  # every positive finite number
    powers = np.array([float(f"1e{k}") for k in range(-37, 39)]).astype(np.float32)
    for grid in (halves, powers, np.nextafter(powers, np.float32(0))):
        scaled = decimal_scaling(grid[:, None])[:, 0]
        tenth = grid.dtype.type(0.1)
        assert (scaled < 1).all() and (scaled >= np.nextafter(tenth, tenth * 0)).all()


def test_float32_at_both_ends():
    tiny, large = np.finfo(np.float32).smallest_subnormal, np.finfo(np.float32).max
    np.testing.assert_allclose(decimal_scaling(np.float32([tiny])), [0.14012985], rtol=1e-6)
    np.testing.assert_allclose(decimal_scaling(np.float32([large])), [0.34028235], rtol=1e-6)


@pytest.mark.parametrize("temperature", [2.0, 0.1, 1e-200, 5e-324, 1e300])
def test_the_temperature_of_decimal_scaling(temperature):
    exact = Fraction(3) / Fraction(temperature)
    while exact >= 1:
        exact /= 10
    while exact * 10 < 1:
        exact *= 10
    np.testing.assert_allclose(decimal_scaling([3], temperature=temperature), [float(exact)], rtol=1e-15)
    np.testing.assert_allclose(
        decimal_scaling_vjp([3], [1], temperature=temperature), [float(exact) / 3], rtol=1e-14
    )


def test_decimal_scaling_at_infinite_temperature():
    np.testing.assert_array_equal(decimal_scaling([3, -4], temperature=np.inf), [0, 0])
    np.testing.assert_array_equal(decimal_scaling_vjp([3, -4], [1, 1], temperature=np.inf), [0, 0])


def test_nan_takes_its_row_of_decimal_scaling():
    weights = decimal_scaling([[1, np.nan], [20, 3]])
    np.testing.assert_array_equal(weights, [[np.nan, np.nan], [0.2, 0.03]])


def test_nan_keeps_to_its_row_or_its_entry_in_gradients():
    np.testing.assert_array_equal(length_normalization_vjp([np.nan, 5], [2, 4]), [np.nan, 2])
    np.testing.assert_array_equal(
        decimal_scaling_vjp([[np.nan, 1], [20, 3]], [[1, 1], [1, 2]]), [[np.nan, np.nan], [0.01, 0.02]]
    )


def test_length_normalization_reference():
    np.testing.assert_array_equal(length_normalization([1, -2, 3, 0]), [0.25, -0.5, 0.75, 0])
    np.testing.assert_array_equal(
        length_normalization([1, -2, 3, 0], mask=[True, True, False, False]), [0.5, -1, 0, 0]
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_range_that_overflows_reaches_both_ends_exactly_too(dtype):
    rows = np.random.default_rng(0).uniform(-1, 1, size=(200, 6)) * float(np.finfo(dtype).max)
    weights = min_max(rows.astype(dtype))
    assert (np.ptp(rows / 2, axis=1) > np.finfo(dtype).max / 2).mean() > 0.5
    assert (weights.min(axis=1) == 0).all() and (weights.max(axis=1) == 1).all()


@pytest.mark.parametrize("pull", [min_max_vjp, linear_vjp])
def test_a_range_too_small_for_its_inverse_gives_no_nan(pull):
    grad = pull([0.0, 1e-310, 2e-310], [1.0, 2.0, 4.0])
    assert not np.isnan(grad).any()
    np.testing.assert_array_equal(np.sign(grad), np.sign(pull([0.0, 1.0, 2.0], [1.0, 2.0, 4.0])))
