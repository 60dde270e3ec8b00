"""Sigmoids: exact in both tails, forward and backward."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnlib import sigmoid, sigmoid_attention, sigmoid_attention_vjp, sigmoid_vjp


def test_sigmoid_reference():
    # 1 / (1 + exp(-z)), mp.dps = 50
    z = [-745.0, -100.0, -1.0, 0.0, 1.0, 40.0]
    expected = [4.94065645841247e-324, 3.72007597602084e-44, 0.268941421369995, 0.5, 0.731058578630005, 1.0]
    np.testing.assert_allclose(sigmoid(z), expected, rtol=1e-14)
    # e^-|z| / (1 + e^-|z|)^2
    slopes = [
        4.94065645841247e-324,
        3.72007597602084e-44,
        0.196611933241482,
        0.25,
        0.196611933241482,
        4.24835425529159e-18,
    ]
    np.testing.assert_allclose(sigmoid_vjp(z, np.ones(6)), slopes, rtol=1e-14)


def test_flash_attention_1255_minus_infinity():
    np.testing.assert_array_equal(sigmoid([-np.inf, np.inf, 0]), [0, 1, 0.5])
    np.testing.assert_array_equal(sigmoid_vjp([-np.inf, 0.0], [np.nan, 1]), [0, 0.25])
    np.testing.assert_array_equal(sigmoid_vjp([np.inf, 0.0], [1, 1]), [0, 0])


@given(z=st.floats(-700, 700))
def test_sigmoid_is_symmetric(z):
    np.testing.assert_allclose(sigmoid([z]) + sigmoid([-z]), [1], rtol=1e-15)
    np.testing.assert_allclose(sigmoid_vjp([z], [1]), sigmoid_vjp([-z], [1]), rtol=1e-15)


def test_sigmoid_attention_reference():
    np.testing.assert_allclose(sigmoid_attention(np.zeros(4)), [0.2] * 4, rtol=1e-15)
    # 1 / (1 + n exp(-z))
    np.testing.assert_allclose(sigmoid_attention([1, -1]), [0.576116884765829, 0.155362403496964], rtol=1e-14)
    np.testing.assert_allclose(
        sigmoid_attention([1, 5, -1], mask=[True, False, True])[::2], sigmoid_attention([1, -1])
    )


@pytest.mark.parametrize("n", [1, 5, 100])
def test_an_infinite_temperature(n):
    np.testing.assert_array_equal(sigmoid(np.arange(n), temperature=np.inf), [0.5] * n)
    np.testing.assert_allclose(
        sigmoid_attention(np.arange(n), temperature=np.inf), [1 / (n + 1)] * n, rtol=1e-15
    )
    np.testing.assert_array_equal(sigmoid([np.inf, 3], temperature=np.inf), [1, 0.5])
    np.testing.assert_array_equal(
        sigmoid_attention_vjp(np.arange(n), np.ones(n), temperature=np.inf), np.zeros(n)
    )


def test_a_tiny_temperature_is_a_step():
    np.testing.assert_array_equal(sigmoid([-1, 0, 1], temperature=5e-324), [0, 0.5, 1])
    np.testing.assert_array_equal(sigmoid(np.float32([-1, 0, 1]), temperature=1e-320), [0, 0.5, 1])
