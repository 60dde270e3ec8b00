"""ReLU attention: exact zeros, and a derivative of 0 at the kink."""

import numpy as np
import pytest

from attnlib import length_normalization, relu_attention, relu_attention_vjp


def test_relu_attention_reference():
    np.testing.assert_array_equal(relu_attention([1, -2, 3, 0]), [0.25, 0, 0.75, 0])
    np.testing.assert_array_equal(relu_attention([1, -2, 3, 0], temperature=2), [0.125, 0, 0.375, 0])
    np.testing.assert_array_equal(relu_attention([8, 1, -1], mask=[False, True, True]), [0, 0.5, 0])
    np.testing.assert_array_equal(relu_attention([-np.inf, 1]), [0, 1])  # minus infinity is masked: n = 1


def test_it_is_the_length_normalization_of_the_positive_part():
    scores = np.random.default_rng(0).normal(size=(4, 7))
    np.testing.assert_array_equal(relu_attention(scores), length_normalization(np.maximum(scores, 0)))


def test_the_kink_has_derivative_zero():
    np.testing.assert_array_equal(relu_attention_vjp([1, 0, -0.0, -1], [4, 4, 4, np.inf]), [1, 0, 0, 0])


@pytest.mark.parametrize("function", [relu_attention, length_normalization])
def test_infinities(function):
    np.testing.assert_array_equal(function([np.inf, 2]), [np.inf, 1])
    np.testing.assert_array_equal(function([np.inf, 2], temperature=np.inf), [np.inf, 0])
    np.testing.assert_array_equal(function([3, 2], temperature=np.inf), [0, 0])
    np.testing.assert_array_equal(function([3, 2], temperature=5e-324), [np.inf, np.inf])
    np.testing.assert_array_equal(relu_attention_vjp([np.inf, 2], [1, 1]), [0, 0])


def test_nan_stays_with_its_entry():
    np.testing.assert_array_equal(relu_attention([np.nan, -1, 4, 2]), [np.nan, 0, 1, 0.5])
    np.testing.assert_array_equal(relu_attention_vjp([np.nan, -1, 4, 2], [8, 8, 8, 4]), [np.nan, 0, 2, 1])
