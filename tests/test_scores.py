"""Scores: reference values, shapes, and gradients by the adjoint identity."""

import numpy as np
import pytest

from attnlib import (
    additive_score,
    additive_score_vjp,
    causal_mask,
    cosine_score,
    cosine_score_vjp,
    dot_product_score,
    dot_product_score_vjp,
    scaled_dot_product_score,
    scaled_dot_product_score_vjp,
)

PAIRS = {
    "dot": (dot_product_score, dot_product_score_vjp),
    "scaled": (scaled_dot_product_score, scaled_dot_product_score_vjp),
    "cosine": (cosine_score, cosine_score_vjp),
}
SHAPES = [
    ((4,), (4,)),
    ((4,), (3, 4)),
    ((2, 4), (4,)),
    ((2, 4), (3, 4)),
    ((5, 2, 4), (3, 4)),
    ((1, 2, 4), (6, 3, 4)),
]
EXTRAS = {"W": (5, 4), "U": (5, 4), "v": (5,)}


def test_references():
    query, keys = [1, 1, 1, 1], [[1, 1, 1, 1], [1, 1, 0, 0], [0, 0, 0, 0]]
    np.testing.assert_array_equal(scaled_dot_product_score(query, keys), [2, 1, 0])
    np.testing.assert_array_equal(dot_product_score(query, keys), [4, 2, 0])
    np.testing.assert_allclose(cosine_score(query, keys), [1, np.sqrt(0.5), 0], rtol=1e-15)
    np.testing.assert_allclose(
        additive_score([1, 0], [0, 1], np.eye(2), np.eye(2), [1, 1]), 1.52318831191153
    )  # 2 tanh 1


@pytest.mark.parametrize("name", [*PAIRS, "additive"])
@pytest.mark.parametrize(("q_shape", "k_shape"), SHAPES)
def test_shapes_and_gradients(name, q_shape, k_shape):
    """<g, J d> = <vjp(g), d>, with J d by central differences, for every argument."""
    rng = np.random.default_rng(0)
    score, vjp = PAIRS.get(name, (additive_score, additive_score_vjp))
    given = [rng.normal(size=s) for s in (q_shape, k_shape, *(EXTRAS.values() if name == "additive" else ()))]
    scores = np.asarray(score(*given))
    batch = np.broadcast_shapes(q_shape[:-2], k_shape[:-2])
    assert scores.shape == batch + q_shape[-2:-1] + k_shape[-2:-1]
    g = rng.normal(size=scores.shape)
    grads = vjp(*given, g)
    for i, (array, grad) in enumerate(zip(given, grads, strict=True)):
        assert grad.shape == array.shape
        d = 1e-6 * rng.normal(size=array.shape)
        up, down = (score(*given[:i], array + sign * d, *given[i + 1 :]) for sign in (1, -1))
        np.testing.assert_allclose(np.sum(grad * d), np.sum(g * (up - down)) / 2, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("name", PAIRS)
def test_every_score_is_that_of_one_query_and_one_key(name):
    rng = np.random.default_rng(1)
    queries, keys = rng.normal(size=(3, 4)), rng.normal(size=(5, 4))
    scores = PAIRS[name][0](queries, keys)
    for i in range(3):
        for j in range(5):
            np.testing.assert_allclose(scores[i, j], PAIRS[name][0](queries[i], keys[j]), rtol=1e-13)


def test_cosines_at_the_extremes():
    np.testing.assert_allclose(
        cosine_score([[1e300, 1e300], [1e-300, 0]], [[1e300, 0.0]]), [[np.sqrt(0.5)], [1]], rtol=1e-15
    )
    vectors = np.random.default_rng(2).normal(size=(9000, 1, 3))
    for same in (cosine_score(vectors, vectors), -cosine_score(vectors, -vectors)):
        assert same.max() <= 1 and same.min() > 1 - 1e-15  # rounding alone would lead past 1
    for zero in (cosine_score([0, 0], [1, 2]), *cosine_score_vjp([0, 0], [3, 4], 1)[1]):
        assert zero == 0 and not np.signbit(zero)
    for grad in cosine_score_vjp([0, 0], [0, 0], 1):
        np.testing.assert_array_equal(grad, [0, 0])


def test_dtypes():
    half = np.array([[300, 300]], np.float16)
    assert dot_product_score(half, half).dtype == np.float16
    assert dot_product_score(half, half) == np.inf  # beyond the dtype, silently
    assert scaled_dot_product_score(half / 100, half / 100) == np.float16(18 / 2**0.5)
    assert dot_product_score([[1]], np.float32([[1]])).dtype == np.float64
    assert dot_product_score(np.array([200], np.uint8), np.array([200], np.uint8)) == 40000


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_gradients_have_the_dtype_of_the_scores_and_are_silent(dtype):
    query = np.array([[1, 2]], dtype)
    most = np.finfo(dtype).max
    with np.errstate(all="raise"):
        for by_query, by_key in (
            dot_product_score_vjp(query, query, [[3.0]]),
            dot_product_score_vjp(query, query, [[3]]),
        ):
            assert by_query.dtype == by_key.dtype == dtype
            np.testing.assert_array_equal(by_query, [[3, 6]])
        np.testing.assert_array_equal(dot_product_score_vjp(query, query, [[most]])[0], [[most, np.inf]])


def test_the_narrowest_vectors():
    assert scaled_dot_product_score([3], [2]) == 6
    for score in (dot_product_score, scaled_dot_product_score, cosine_score):
        np.testing.assert_array_equal(score(np.zeros((2, 0)), np.zeros((3, 0))), np.zeros((2, 3)))


def test_the_variance_argument():
    rng = np.random.default_rng(3)
    q, k = rng.normal(size=(2, 20000, 1, 64))
    assert abs(dot_product_score(q, k).var() / 64 - 1) < 0.05
    assert abs(scaled_dot_product_score(q, k).var() - 1) < 0.05


def test_causal_mask_is_aligned_at_the_bottom_right():
    np.testing.assert_array_equal(causal_mask(3, 3), np.tri(3, dtype=bool))
    assert causal_mask(3, 3).dtype == bool
    np.testing.assert_array_equal(causal_mask(1, 4), [[True] * 4])
    np.testing.assert_array_equal(causal_mask(3, 2), [[False, False], [True, False], [True, True]])
    assert causal_mask(0, 3).shape == (0, 3) and causal_mask(2, 0).shape == (2, 0)
    with pytest.raises(ValueError, match="not -1 and 2"):
        causal_mask(-1, 2)
    with pytest.raises(TypeError):
        causal_mask(2.0, 2)


def test_errors():
    with pytest.raises(ValueError, match="same width, not 2 and 3"):
        dot_product_score([1, 2], [1, 2, 3])
    with pytest.raises(
        ValueError, match=r"^query and key must be vectors or arrays of them, not single numbers$"
    ):
        cosine_score(1, [1])
    with pytest.raises(TypeError, match="query must be real numbers"):
        dot_product_score([1j], [1])
    with pytest.raises(
        ValueError, match=r"grad_scores must have the shape of the scores, \(2,\), not \(3,\)"
    ):
        dot_product_score_vjp([1, 2], [[1, 2], [3, 4]], [1, 2, 3])
    with pytest.raises(ValueError, match=r"not \(\(1, 3\), \(1, 2\), \(1,\)\)"):
        additive_score([1, 2], [1, 2], [[1, 2, 3]], [[1, 2]], [1])
    for v in (np.ones(()), np.ones((3, 1))):
        with pytest.raises(ValueError, match=r"W, U, v must have shapes"):
            additive_score([1, 2], [1, 2], np.ones((*v.shape, 2)), np.ones((*v.shape, 2)), v)


def test_a_causal_mask_of_any_integer_type():
    np.testing.assert_array_equal(causal_mask(np.uint8(3), np.uint8(2)), [[0, 0], [1, 0], [1, 1]])
