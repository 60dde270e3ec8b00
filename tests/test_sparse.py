"""Sparsemax and entmax against an exact sort, against each other, and at their extremes."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attnlib import entmax, entmax_vjp, softmax, softmax_vjp, sparsemax, sparsemax_vjp

rows = arrays(np.float64, st.integers(1, 12), elements=st.floats(-5, 5))


def sorted_sparsemax(z):
    """Martins and Astudillo 2016, algorithm 1."""
    ordered = np.sort(z)[::-1]
    sums = np.cumsum(ordered) - 1
    size = np.flatnonzero(ordered * np.arange(1, z.size + 1) > sums)[-1]
    return np.maximum(z - sums[size] / (size + 1), 0)


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([0, 0.5, 1], [0, 0.25, 0.75]),
        ([1.2, 0.8, -0.5], [0.7, 0.3, 0]),
        ([0.1, 0.2, 0.3, 0.4, 0.5], [0, 0.1, 0.2, 0.3, 0.4]),  # keras 23425
        ([3.5], [1]),
        ([2, 1], [1, 0]),
    ],
)
def test_sparsemax_reference(scores, expected):
    np.testing.assert_allclose(sparsemax(scores), expected, atol=1e-15)
    np.testing.assert_allclose(entmax(scores, alpha=2), expected, atol=1e-15)


def test_sparsemax_vjp_reference():
    np.testing.assert_allclose(sparsemax_vjp([1.2, 0.8, -0.5], [1, 2, 3]), [-0.5, 0.5, 0], atol=1e-15)
    np.testing.assert_allclose(
        sparsemax_vjp([1.2, 0.8, -0.5], [1, 2, 3], temperature=0.8), [-0.625, 0.625, 0]
    )


@given(t=st.floats(-3, 3))
def test_two_items_are_a_clipped_line(t):
    np.testing.assert_allclose(sparsemax([t, 0])[0], np.clip((t + 1) / 2, 0, 1), atol=1e-15)


@given(row=rows)
def test_sparsemax_is_the_projection(row):
    np.testing.assert_allclose(sparsemax(row), sorted_sparsemax(row), atol=2e-15)


# brentq on tau in sum([max((a - 1) * z - tau, 0) ** (1 / (a - 1)) for z in row]) = 1, mp.dps = 50
@pytest.mark.parametrize(
    ("scores", "alpha", "expected"),
    [
        ([1, 0], 1.5, [0.830718913883074, 0.169281086116926]),
        ([-2, 0, 0.5], 1.5, [0, 0.326007363661562, 0.673992636338438]),
        ([1, 0.9, 0], 3, [0.6, 0.4, 0]),
        ([0, 0, 1], 1, [0.211941557617085, 0.211941557617085, 0.576116884765829]),
    ],
)
def test_entmax_reference(scores, alpha, expected):
    np.testing.assert_allclose(entmax(scores, alpha=alpha), expected, rtol=2e-12, atol=1e-15)


@pytest.mark.parametrize(
    ("alpha", "size", "rtol", "atol"),
    [
        (1.2, 1000, 1e-14, 0),
        (1.5, 1000, 1e-14, 1e-16),
        (1.5, 1_000_000, 1e-12, 1e-18),
        (2, 1_000_000, 0, 3e-16),
        (2.5, 1000, 0, 1e-15),
        (3, 1000, 0, 2e-13),
    ],
)
def test_scores_made_from_weights_give_them_back(alpha, size, rtol, atol):
    """With tau = 0 the scores are p**(alpha - 1)/(alpha - 1), and a score below 0 gets nothing."""
    p = np.arange(1.0, size + 1) ** 2
    p /= p.sum()
    weights = entmax(np.append(p ** (alpha - 1) / (alpha - 1), [0, -0.5]), alpha=alpha)
    np.testing.assert_allclose(weights[:-2], p, rtol=rtol, atol=atol)
    assert weights[-1] == 0


@pytest.mark.parametrize("alpha", [1.2, 1.5, 2, 3])
def test_equal_scores_share_equally(alpha):
    for size in range(1, 100):
        np.testing.assert_allclose(entmax(np.zeros(size), alpha=alpha), 1 / size, rtol=1e-15)


@settings(max_examples=60)
@given(row=rows, alpha=st.floats(1, 8))
def test_entmax_solves_its_equation(row, alpha):
    p = entmax(row, alpha=alpha)
    assert (p >= 0).all() and abs(p.sum() - 1) < 1e-14
    # p maximizes <p, z> + H(p): z_i - p_i^(a - 1)/(a - 1) is the same on the support, no larger off it
    if alpha > 1.001:
        level = row - p ** (alpha - 1) / (alpha - 1)
        support = p > 1e-4
        tolerance = 1e-9 + 1e-13 / (alpha - 1)
        assert np.ptp(level[support]) < tolerance
        assert (row[p == 0] <= level[support].min() + tolerance).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("near", [1 + 1e-8, 1 + 2.3e-16, np.nextafter(1, 2)])
def test_entmax_23_just_above_one_is_softmax(dtype, near):
    scores = np.random.default_rng(0).normal(size=(3, 500)).astype(dtype)
    tolerance = 1e-6 if dtype == np.float32 else 1e-9 + 60 * (near - 1)
    np.testing.assert_allclose(entmax(scores, alpha=near), softmax(scores), rtol=tolerance)
    np.testing.assert_allclose(
        entmax_vjp(scores, scores, alpha=near), softmax_vjp(scores, scores), atol=tolerance, rtol=0
    )


def test_alpha_joins_smoothly():
    scores = np.random.default_rng(1).normal(size=(3, 50))
    for alpha in (1.5, 2):
        for near in (alpha - 1e-9, alpha + 1e-9):
            np.testing.assert_allclose(entmax(scores, alpha=near), entmax(scores, alpha=alpha), atol=1e-8)
    np.testing.assert_array_equal(entmax(scores), entmax(scores, alpha=1.5))
    np.testing.assert_array_equal(entmax(scores, alpha=2), sparsemax(scores))
    np.testing.assert_array_equal(entmax(scores, alpha=1), softmax(scores))


def test_a_large_alpha_is_an_argmax():
    for alpha in (50, 1e5, 1e300):
        np.testing.assert_allclose(entmax([0, 0, 1], alpha=alpha), [0, 0, 1], atol=1e-15)
        np.testing.assert_allclose(entmax([1, 0, 1], alpha=alpha), [0.5, 0, 0.5], atol=1e-15)
        assert np.isfinite(entmax_vjp([1, 0, 1], [1, 2, 3], alpha=alpha)).all()


@pytest.mark.parametrize("alpha", [0.99, -1, np.inf, np.nan])
def test_alpha_must_be_finite_and_at_least_one(alpha):
    for call in (lambda: entmax([1], alpha=alpha), lambda: entmax_vjp([1], [1], alpha=alpha)):
        with pytest.raises(ValueError, match=f"alpha must be finite and at least 1, not {alpha}"):
            call()


def test_entmax_19_infinities_and_nan():
    for function in (sparsemax, entmax, partial(entmax, alpha=1.2), partial(entmax, alpha=3)):
        np.testing.assert_array_equal(function([-np.inf, -np.inf]), [0, 0])
        np.testing.assert_array_equal(function([np.inf, 1]), [1, 0])
        assert np.isnan(function([np.nan, 1])).all()


@pytest.mark.parametrize("alpha", [1.2, 1.5, 2, 3])
@pytest.mark.parametrize(
    "scores",
    [
        np.zeros((3, 100000)),
        np.linspace(0, 1e-5, 100000)[None],
        np.repeat([0.0, -9.0], 500)[None],
        np.random.default_rng(2).normal(size=(40, 1000)),
    ],
    ids=["equal", "nearly equal", "half of them", "normal"],
)
def test_float32_rows_sum_to_one_and_agree_with_float64(alpha, scores):
    single, double = (
        entmax(scores.astype(np.float32), alpha=alpha),
        entmax(scores.astype(np.float32).astype(float), alpha=alpha),
    )
    np.testing.assert_allclose(single.sum(axis=-1, dtype=np.float64), 1, atol=5e-7)
    np.testing.assert_allclose(single, double, rtol=2e-4, atol=2e-7)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_sum_that_rounding_leaves_below_one_gives_nothing_to_a_score_far_below(dtype):
    near = 1e-3 * np.random.default_rng(4).normal(size=(9, 5000))
    for size in (100, 500, 1000, 5000):
        row = np.append(near[:, :size], np.full((9, 1), -2.0), axis=-1).astype(dtype)
        for alpha in (1.5, 2):
            assert (entmax(row, alpha=alpha)[:, -1] == 0).all()


def test_a_row_does_not_depend_on_its_neighbours():
    scores = np.random.default_rng(3).normal(size=(30, 40)) * np.geomspace(0.01, 100, 30)[:, None]
    for alpha in (1.3, 1.5, 2):
        together = entmax(scores, alpha=alpha)
        for row, weights in zip(scores, together, strict=True):
            np.testing.assert_array_equal(entmax(row, alpha=alpha), weights)


@given(row=rows)
def test_gradients_sum_to_zero(row):
    for alpha in (1.3, 1.5, 2, 2.5):
        pulled = entmax_vjp(row, np.sin(np.arange(row.size)), alpha=alpha)
        assert abs(pulled.sum()) < 1e-9 * (1 + np.abs(pulled).sum())


def test_a_large_alpha_does_not_lose_the_small_weight():
    # two items: w**d - (1 - w)**d = -d z for the larger weight w, here chosen; the other is 1 - w
    for d, w in ((9, 0.75), (49, 0.96875), (49, 0.75)):
        z = ((1 - w) ** d - w**d) / d
        np.testing.assert_allclose(entmax([0.0, z], alpha=d + 1), [w, 1 - w], rtol=0, atol=1e-14)
        tied = entmax([0.0, z, z], alpha=d + 1)
        assert tied[1] == tied[2]


@pytest.mark.parametrize("bad", ["2", None, 1j, [1.5], np.array([1.0, 2.0])])
def test_an_alpha_that_is_not_a_number(bad):
    for call in (entmax, lambda scores, alpha: entmax_vjp(scores, scores, alpha=alpha)):
        with pytest.raises(TypeError, match="alpha must be one real number, not "):
            call([1.0, 2.0], alpha=bad)
