"""Measures: known values, units, and the rows that have none."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attnlib import (
    entropy,
    expected_calibration_error,
    kl_divergence,
    perplexity,
    softmax,
    support_size,
    top_k_mass,
    total_variation,
)

rows = arrays(np.float64, st.integers(1, 9), elements=st.floats(0, 100))


def test_entropy_is_in_nats_and_of_the_row_divided_by_its_sum():
    np.testing.assert_allclose(entropy([2, 2, 0, 0]), np.log(2), rtol=1e-15)
    np.testing.assert_allclose(entropy(np.ones((3, 5)), axis=0), [np.log(3)] * 5, rtol=1e-15)
    np.testing.assert_allclose(perplexity([2, 2, 0, 0]), 2, rtol=1e-15)
    np.testing.assert_allclose(entropy([1e308, 1e308]), np.log(2))
    np.testing.assert_allclose(entropy(np.float16([60000, 60000])), np.log(2))
    np.testing.assert_allclose(entropy([[5e-324, 5e-324], [1e308, 1e308]]), [np.log(2)] * 2)
    np.testing.assert_allclose(perplexity(np.ones((3, 5)), axis=0), [3] * 5)


def test_rows_with_one_weight_and_with_none():
    for one in ([1.0], [0, 3, 0], [True, False]):
        assert entropy(one) == 0 and not np.signbit(entropy(one)) and perplexity(one) == 1
    for none in ([0.0, 0.0], np.zeros((0,)), softmax([-np.inf, -np.inf])):
        assert entropy(none) == 0 and perplexity(none) == 0
    np.testing.assert_array_equal(perplexity([[0, 0], [1, 1]]), [0, perplexity([1, 1])])
    assert np.isnan(entropy([np.nan, 1])) and np.isnan(perplexity([np.nan, 1]))


@given(row=rows)
def test_entropy_lies_between_nothing_and_equal_shares(row):
    assert 0 <= entropy(row) <= np.log(row.size) + 1e-12
    assert (entropy(row) == 0) == (np.count_nonzero(row / (row.max() or 1.0) > 1e-18) <= 1) or entropy(
        row
    ) < 1e-14


def test_support_and_top_k():
    assert support_size([0.5, 0, 0.5, 5e-324]) == 3
    np.testing.assert_array_equal(support_size([[0, 1], [0, 0]], axis=0), [0, 1])
    assert top_k_mass([0.1, 0.6, 0.3], 1) == 0.6
    np.testing.assert_allclose(top_k_mass([0.1, 0.6, 0.3], 2), 0.9)
    np.testing.assert_allclose(top_k_mass([[0.1, 0.6, 0.3]], 9), [1.0])
    assert top_k_mass([0.1, 0.9], 0) == 0
    np.testing.assert_array_equal(top_k_mass([[1, 5], [2, 3]], 1, axis=0), [2, 5])
    with pytest.raises(ValueError, match="k must be 0 or more, not -1"):
        top_k_mass([1], -1)
    with pytest.raises(TypeError):
        top_k_mass([1], 1.5)


def test_divergences():
    # sum(p * log(p / q))
    np.testing.assert_allclose(kl_divergence([0.5, 0.5], [0.25, 0.75]), 0.143841036225890, rtol=1e-14)
    assert kl_divergence([0.5, 0.5], [1, 0]) == np.inf
    np.testing.assert_allclose(kl_divergence([1, 0], [0.5, 0.5]), np.log(2))
    np.testing.assert_allclose(kl_divergence([0.5, 0.5], [1e-310, 1]), 356.204, rtol=1e-5)
    np.testing.assert_allclose(kl_divergence(np.eye(2), [0.5, 0.5]), [np.log(2)] * 2)
    assert total_variation([1, 0], [0, 1]) == 1
    assert total_variation([0.5, 0.5], [0.25, 0.75]) == 0.25
    np.testing.assert_array_equal(total_variation(np.eye(2), np.eye(2), axis=0), [0, 0])
    np.testing.assert_array_equal(total_variation(np.eye(2), [[1, 0], [1, 0]]), [0, 1])


@given(a=arrays(np.float64, 5, elements=st.floats(-5, 5)), b=arrays(np.float64, 5, elements=st.floats(-5, 5)))
def test_pinsker(a, b):
    p, q = softmax(a), softmax(b)
    assert kl_divergence(p, q) >= -1e-15
    assert total_variation(p, q) <= np.sqrt(np.maximum(kl_divergence(p, q), 0) / 2) + 1e-8
    np.testing.assert_allclose(kl_divergence(p, p), 0, atol=0)


def test_negative_weights_have_no_entropy():
    for measure in (entropy, perplexity):
        with pytest.raises(ValueError, match=r"weights must not be negative, but hold -0.5"):
            measure([-0.5, 1.5])
    with pytest.raises(ValueError, match=r"hold -0\.25"):
        entropy([0.0, 0.5, -0.25])
    assert top_k_mass([-2.0, 1.0, -1.0], 2) == 0 and total_variation([-1, 0], [1, -2]) == 2
    with pytest.raises(ValueError, match="q must not be negative"):
        kl_divergence([1, 0], [2, -1])


def test_calibration_error_by_a_loop():
    rng = np.random.default_rng(0)
    p = softmax(2 * rng.normal(size=(400, 4)))
    labels = rng.integers(4, size=400)
    for bins in (1, 7, 15):
        error, confidence, right = 0.0, p.max(axis=1), p.argmax(axis=1) == labels
        for b in range(bins):
            inside = (confidence > b / bins) & (confidence <= (b + 1) / bins)
            if inside.any():
                error += inside.mean() * abs(right[inside].mean() - confidence[inside].mean())
        np.testing.assert_allclose(expected_calibration_error(p, labels, bins), error, rtol=1e-12)
    assert expected_calibration_error(p, labels) == expected_calibration_error(p, labels, 15)


def test_calibration_error_at_the_edges():
    assert expected_calibration_error([[1.0, 0.0]], [0]) == 0
    assert expected_calibration_error([[1.0, 0.0]], [1]) == 1
    # the lowest bin holds a confidence of 0 too: one right of two, 0.01 sure in all
    np.testing.assert_allclose(expected_calibration_error([[0, 0], [0.01, 0]], [0, 1]), 0.99 / 2)
    # .5 belongs to the lower of two bins, closed above: (1 - .5)/2 + (1 - .6)/2 in two bins, as in one
    np.testing.assert_allclose(
        expected_calibration_error([[0.5, 0.5], [0.6, 0.4]], [0, 1], bins=2), 0.5 * 0.5 + 0.5 * 0.6
    )
    np.testing.assert_allclose(
        expected_calibration_error([[0.5, 0.5], [0.6, 0.4]], [0, 1], bins=1), abs(0.5 - 0.55)
    )


@pytest.mark.parametrize(
    ("probabilities", "labels", "bins", "error", "words"),
    [
        ([[0.5, 0.5]], [2], 15, ValueError, "labels must lie between 0 and 1, not be 2"),
        ([[0.5, 0.5]], [-1], 15, ValueError, "not be -1"),
        ([[0.5, 0.5]], [0.0], 15, TypeError, "labels must be integers, not float64"),
        ([[0.5, 0.5]], [0, 1], 15, ValueError, r"labels must have shape \(1,\)"),
        ([[1.5, 0.5]], [0], 15, ValueError, "between 0 and 1, not be 1.5"),
        ([[0.0, 1.0, -0.5, 2.0]], [0], 15, ValueError, "not be -0.5"),
        ([[1.0, 0.0], [0.5, 0.5]], [0, -2], 15, ValueError, "not be -2"),
        ([[1.0, 0.0], [0.5, 0.5]], [0, 3], 15, ValueError, "not be 3"),
        ([[np.nan, 0.5]], [0], 15, ValueError, "not be nan"),
        ([0.5, 0.5], [0], 15, ValueError, r"shape \(samples, classes\)"),
        (np.zeros((0, 2)), np.zeros(0, int), 15, ValueError, "one of each at least"),
        ([[0.5, 0.5]], [0], 0, ValueError, "bins must be 1 or more, not 0"),
    ],
)
def test_calibration_errors_name_the_value(probabilities, labels, bins, error, words):
    with pytest.raises(error, match=words):
        expected_calibration_error(probabilities, labels, bins)


@pytest.mark.parametrize("bins", [7, 10, 49])
def test_bins_are_closed_at_exactly_their_upper_end(bins):
    # np.linspace misses 5/7 from below and 3/10 from above; in bins of their own the two errors add up
    edges = np.arange(1, bins) / bins
    for edge in edges[edges > 0.3]:
        p = np.zeros((2, 10))
        p[:, 0], p[1, 0] = edge, np.nextafter(edge, 1)
        apart = expected_calibration_error(p, [0, 1], bins)
        np.testing.assert_allclose(apart, ((1 - edge) + edge) / 2, rtol=1e-12)


def test_counts_of_any_integer_type_are_the_same_count():
    assert top_k_mass([0.5, 0.25, 0.25], np.uint8(5)) == 1
    assert expected_calibration_error([[0.5, 0.5]], [0], np.uint8(255)) == 0.5


@pytest.mark.parametrize(
    ("measure", "name"),
    [
        (entropy, "weights"),
        (perplexity, "weights"),
        (support_size, "weights"),
        (lambda w, axis=-1: top_k_mass(w, 1, axis), "weights"),
        (lambda w, axis=-1: kl_divergence(w, w, axis), "p"),
        (lambda w, axis=-1: kl_divergence(np.ones(2), w, 0), "q"),
        (lambda w, axis=-1: total_variation(w, w, axis), "p"),
        (lambda w, axis=-1: total_variation(np.ones(2), w, 0), "q"),
        (lambda w: expected_calibration_error(w, [0]), "probabilities"),
    ],
)
def test_errors_name_the_argument(measure, name):
    with pytest.raises(TypeError, match=f"^{name} must be real numbers .* not complex128$"):
        measure([1j, 2])
    with pytest.raises(ValueError, match=f"^{name} must have (at least one axis|shape)"):
        measure(np.float64(1))
    if name in ("weights", "p"):
        with pytest.raises(ValueError, match=f"axis must lie between -1 and 0 for these {name}, not be 1"):
            measure([1.0, 2.0], axis=1)


def test_silent_even_where_numpy_is_told_to_raise():
    with np.errstate(all="raise"):
        assert entropy([5e-324, 3.0]) == 0 and perplexity([5e-324, 3.0]) == 1
        assert top_k_mass([1e308, 1e308], 2) == np.inf
        assert total_variation([1e308, 1e308], [-1e308, -1e308]) == np.inf
        assert np.isnan(total_variation([np.inf], [np.inf])) and np.isnan(kl_divergence([np.inf], [np.inf]))
        assert total_variation([5e-324], [0.0]) == 0
        assert kl_divergence([1e308, 1e308, 5e-324], [1e308, 1e308, 5e-324]) == 0
        assert expected_calibration_error([[5e-324, 0.0], [0.0, 0.0]], [1, 1]) == 0
