"""Margins: psi joins without a step, losses against scalar loops, gradients against differences."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnlib import (
    a_softmax,
    a_softmax_vjp,
    am_softmax,
    am_softmax_vjp,
    angular_margin,
    angular_margin_vjp,
    cross_entropy,
    cross_entropy_vjp,
)

margins = pytest.mark.parametrize("margin", [1, 2, 3, 4])


@pytest.mark.parametrize(
    ("margin", "expected"),
    [(1, [1, 0.5, 0, -0.5, -1]), (2, [1, -0.5, -1, -1.5, -3]), (4, [1, -1.5, -3, -4.5, -7])],
)
def test_angular_margin_reference(margin, expected):
    # (-1)^k cos(m theta) - 2k; sphereface 1: cos(240 degrees) alone would be -.5 for m = 2 at 120 degrees
    np.testing.assert_allclose(
        angular_margin(np.radians([0, 60, 90, 120, 180]), margin), expected, atol=1e-14
    )


@margins
def test_psi_is_continuous_and_strictly_decreasing(margin):
    theta = np.linspace(0, np.pi, 2001)
    psi = angular_margin(theta, margin)
    assert (np.diff(psi) < 0).all()
    assert np.abs(np.diff(psi)).max() <= margin * np.pi / 2000 * 1.001  # no step: the slope is at most m
    for k in range(1, margin):
        joint = k * np.pi / margin
        around = angular_margin([joint - 1e-9, joint, joint + 1e-9], margin)
        np.testing.assert_allclose(around, [1 - 2 * k] * 3, atol=1e-12)
        np.testing.assert_allclose(angular_margin_vjp(joint, 1.0, margin), 0, atol=1e-13)
    assert (psi <= np.cos(theta) + 1e-15).all()


@margins
@given(theta=st.floats(0.001, np.pi - 0.001), g=st.floats(-3, 3))
def test_the_slope_of_psi(margin, theta, g):
    slope = (angular_margin(theta + 1e-6, margin) - angular_margin(theta - 1e-6, margin)) / 2e-6
    np.testing.assert_allclose(angular_margin_vjp(theta, g, margin), slope * g, atol=2e-5)


def test_angular_margin_takes_numbers_arrays_and_every_dtype():
    assert isinstance(angular_margin(0.0, 2), np.float64) and angular_margin(0, 2) == 1
    for dtype in (np.float16, np.float32):
        assert angular_margin(np.array(np.pi, dtype), 4).dtype == dtype
        assert angular_margin_vjp(np.array([1, 2], dtype), [1, 2], 4).dtype == dtype
        np.testing.assert_allclose(angular_margin(np.array([np.pi], dtype), 4), [-7], rtol=2e-3)
    assert angular_margin(np.zeros((2, 0)), 3).shape == (2, 0)
    assert np.isnan(angular_margin(np.nan, 2))
    for bad in (0, 2.5, -1, 5):
        with pytest.raises(ValueError, match=f"margin must be 1, 2, 3 or 4, not {bad}"):
            angular_margin(1.0, bad)
    for bad in (-0.1, 3.2):
        with pytest.raises(ValueError, match=f"theta must lie between 0 and pi, not {bad}"):
            angular_margin([bad, 1.0], 2)


# -log(exp(2 psi(60 degrees)) / (exp(2 psi(60 degrees)) + exp(0)))
@pytest.mark.parametrize(
    ("margin", "loss"),
    [(1, 0.313261687518223), (2, 1.31326168751822), (3, 2.12692801104297), (4, 3.04858735157374)],
)
def test_a_softmax_reference(margin, loss):
    features, weights = [[2.0, 0.0]], [[0.5, math.sqrt(0.75)], [0.0, 3.0]]
    np.testing.assert_allclose(
        cross_entropy(a_softmax(features, weights, [0], margin=margin), [0]), loss, rtol=1e-13
    )


def test_am_softmax_reference():
    def unit(cosines):
        return [[c, math.sqrt(1 - c * c)] for c in cosines]

    logits = am_softmax([[7.0, 0.0]], unit([0.5, 0.3]), [0], scale=10, margin=0.2)
    np.testing.assert_allclose(cross_entropy(logits, [0]), math.log(2), rtol=1e-14)
    # Confusezius 12: with the margin on every class it would be .1269
    logits = am_softmax([[1.0, 0.0]], unit([0.8, 0.1, -0.2]), [0])
    np.testing.assert_allclose(cross_entropy(logits, [0]), 2.75394684029256e-5, rtol=1e-12)


def by_loop(features, weights, labels, scale, target):
    """The mean loss, one number at a time."""
    loss = 0.0
    for x, y in zip(features.tolist(), labels, strict=True):
        length = math.sqrt(sum(v * v for v in x))
        logits = []
        for j, w in enumerate(weights.tolist()):
            cosine = sum(a * b for a, b in zip(x, w, strict=True)) / length / math.sqrt(sum(v * v for v in w))
            logits.append((scale or length) * (target(cosine) if j == y else cosine))
        loss += math.log(sum(math.exp(v - logits[y]) for v in logits))
    return loss / len(features)


@pytest.fixture
def batch():
    rng = np.random.default_rng(0)
    return rng.normal(size=(8, 5)), rng.normal(size=(4, 5)), rng.integers(4, size=8)


@margins
def test_a_softmax_against_a_loop(batch, margin):
    def psi(cosine):
        theta = math.acos(cosine)
        k = min(int(margin * theta / math.pi), margin - 1)
        return (-1) ** k * math.cos(margin * theta) - 2 * k

    features, weights, labels = batch
    loss = cross_entropy(a_softmax(features, weights, labels, margin=margin), labels)
    np.testing.assert_allclose(loss, by_loop(features, weights, labels, None, psi), rtol=1e-12)


def test_am_softmax_against_a_loop(batch):
    features, weights, labels = batch
    loss = cross_entropy(am_softmax(features, weights, labels, scale=12, margin=0.3), labels)
    np.testing.assert_allclose(loss, by_loop(features, weights, labels, 12, lambda c: c - 0.3), rtol=1e-12)


@pytest.mark.parametrize(
    ("logits", "vjp", "options"),
    [(a_softmax, a_softmax_vjp, {"margin": m}) for m in (1, 2, 3, 4)]
    + [(am_softmax, am_softmax_vjp, {"scale": 7.0}), (am_softmax, am_softmax_vjp, {})],
)
def test_gradients_against_differences(batch, logits, vjp, options):
    features, weights, labels = batch
    rng = np.random.default_rng(1)
    g = rng.normal(size=(8, 4))
    by_x, by_w = vjp(features, weights, labels, g, **options)
    dx, dw = 1e-6 * rng.normal(size=features.shape), 1e-6 * rng.normal(size=weights.shape)
    for slope, d in ((np.sum(by_x * dx), (dx, 0)), (np.sum(by_w * dw), (0, dw))):
        up = logits(features + d[0], weights + d[1], labels, **options)
        down = logits(features - d[0], weights - d[1], labels, **options)
        np.testing.assert_allclose(slope, np.sum(g * (up - down)) / 2, rtol=1e-6, atol=1e-12)
    assert (
        a_softmax(features, weights, labels).tolist()
        == a_softmax(features, weights, labels, margin=4).tolist()
    )


@margins
def test_a_softmax_where_the_angle_is_0_or_pi(margin):
    logits = a_softmax([[2.0, 0.0], [-2.0, 0.0]], [[3.0, 0.0]], [0, 0], margin=margin)
    np.testing.assert_allclose(logits, [[2], [2 * (1 - 2 * margin)]], rtol=1e-14)
    by_x, by_w = a_softmax_vjp(
        [[2.0, 0.0], [-2.0, 0.0]], [[3.0, 0.0]], [0, 0], np.ones((2, 1)), margin=margin
    )
    np.testing.assert_allclose(
        by_x, [[1, 0], [2 * margin - 1, 0]], atol=1e-12
    )  # psi is flat in cosine's plane
    assert np.isfinite(by_w).all()


def test_zero_vectors_and_float16():
    np.testing.assert_allclose(
        am_softmax([[0.0, 0.0]], [[1.0, 0.0]], [0], scale=1, margin=0), [[0]], atol=1e-16
    )
    np.testing.assert_array_equal(a_softmax([[0.0, 0.0]], [[1.0, 0.0]], [0]), [[0]])
    for vjp in (a_softmax_vjp, am_softmax_vjp):
        for grad in vjp([[0.0, 0.0]], [[0.0, 0.0]], [0], [[1.0]]):
            assert np.isfinite(grad).all()
    half = np.eye(2, dtype=np.float16)
    assert a_softmax(half, half, [0, 1]).dtype == am_softmax(half, half, [0, 1]).dtype == np.float16
    for vjp in (a_softmax_vjp, am_softmax_vjp):
        for grad in vjp(half, half, [0, 1], np.eye(2)):
            assert grad.dtype == np.float16
    assert cross_entropy_vjp(half, [0, 1]).dtype == cross_entropy(half, [0, 1]).dtype == np.float16
    large = 1e200 * np.eye(2)
    np.testing.assert_allclose(am_softmax(large, large, [0, 1], scale=1, margin=0), np.eye(2))


def test_cross_entropy_is_exact_when_tiny():
    np.testing.assert_allclose(
        cross_entropy([[40, 0]], [0]), 4.24835425529159e-18, rtol=1e-14
    )  # log(1 + exp(-40))
    np.testing.assert_allclose(cross_entropy([[1000, 0]], [1]), 1000)
    assert cross_entropy([[5.0]], [0]) == 0 and not np.signbit(cross_entropy([[5.0]], [0]))
    np.testing.assert_allclose(cross_entropy([[30, 0, 0]], [2]), 30)


def test_cross_entropy_vjp_is_prediction_less_truth():
    np.testing.assert_allclose(cross_entropy_vjp([[30, 0, 0]], [2]), [[1, 0, -1]], atol=1e-12)
    rng = np.random.default_rng(2)
    z, d, y = rng.normal(size=(5, 3)), 1e-6 * rng.normal(size=(5, 3)), rng.integers(3, size=5)
    slope = (cross_entropy(z + d, y) - cross_entropy(z - d, y)) / 2
    np.testing.assert_allclose(np.sum(cross_entropy_vjp(z, y) * d), slope, rtol=1e-7)


def test_errors(batch):
    features, weights, labels = batch
    for call in (a_softmax, am_softmax):
        with pytest.raises(ValueError, match="labels must lie between 0 and 3, not be 4"):
            call(features, weights, np.full(8, 4))
        with pytest.raises(ValueError, match="not be -1"):
            call(features, weights, np.full(8, -1))
        with pytest.raises(TypeError, match="labels must be integers, not float64"):
            call(features, weights, labels * 1.0)
        with pytest.raises(ValueError, match=r"not \(5,\), \(4, 5\)"):
            call(features[0], weights, labels)
    with pytest.raises(ValueError, match=r"margin must be 1, 2, 3 or 4, not 2\.5"):
        a_softmax(features, weights, labels, margin=2.5)
    with pytest.raises(ValueError, match=r"logits must have shape \(batch, classes\)"):
        cross_entropy([1.0, 2.0], [0])
    for vjp in (a_softmax_vjp, am_softmax_vjp):
        with pytest.raises(
            ValueError, match=r"^grad_logits must have the shape of the logits, \(8, 4\), not \(8, 3\)$"
        ):
            vjp(features, weights, labels, np.ones((8, 3)))
        with pytest.raises(TypeError, match=r"^grad_logits must be real numbers"):
            vjp(features, weights, labels, np.ones((8, 4)) * 1j)


def test_a_gradient_by_psi_has_the_shape_of_theta_and_real_numbers():
    with pytest.raises(ValueError, match=r"grad must have the shape of theta, \(2,\), not \(3,\)"):
        angular_margin_vjp([1.0, 2.0], [1, 2, 3], 2)
    with pytest.raises(TypeError, match=r"grad must be real numbers .* not complex128"):
        angular_margin_vjp(1.0, 1j, 2)


@margins
def test_a_margin_of_any_integer_type_is_the_same_margin(margin):
    for kind in (np.uint8, np.int8, np.float16, float):  # -np.uint8(2) is 254
        assert angular_margin(2.0, kind(margin)) == angular_margin(2.0, margin)
        assert angular_margin_vjp(2.0, 1.0, kind(margin)) == angular_margin_vjp(2.0, 1.0, margin)


@pytest.mark.parametrize("bad", ["2", None, 1j, [2], np.array([1, 2])])
def test_options_that_are_not_numbers(bad):
    features = weights = np.eye(2)
    with pytest.raises(TypeError, match="margin must be one real number, not "):
        angular_margin(1.0, bad)
    for name in ("scale", "margin"):
        with pytest.raises(TypeError, match=f"{name} must be one real number, not "):
            am_softmax(features, weights, [0, 1], **{name: bad})
        with pytest.raises(TypeError, match=f"{name} must be one real number, not "):
            am_softmax_vjp(features, weights, [0, 1], np.eye(2), **{name: bad})


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_silent_even_where_numpy_is_told_to_raise(dtype):
    most = np.finfo(dtype).max
    extremes = np.array([[most, most], [0, 0], [np.inf, 1], [np.nan, 1], [1, 0]], dtype)
    extremes[1] = np.finfo(dtype).smallest_subnormal
    labels, flat = [0, 1, 0, 1, 0], np.eye(2, dtype=dtype)
    with np.errstate(all="raise"):
        logits = a_softmax(extremes, flat, labels)
        assert logits[0, 0] == -np.inf and logits.dtype == dtype  # beyond the dtype
        a_softmax_vjp(extremes, extremes[:2], labels, np.full((5, 2), 1e300))
        assert (am_softmax(flat, flat, [0, 1], scale=1e308, margin=-9.0).diagonal() == np.inf).all()
        am_softmax_vjp(extremes, flat, labels, np.full((5, 2), 1e300), scale=1e300)
        angular_margin(extremes[[1, 1, 4]], 3)
        angular_margin_vjp(extremes[[1, 1, 4]], np.full((3, 2), 1e-300), 3)
        cross_entropy_vjp(extremes, labels)
        cross_entropy_vjp(
            np.array([[0, -17], [0, -103], [0, -740]], dtype), [0, 0, 0]
        )  # a third of the least
        assert cross_entropy(np.array([[most, -most]]), [1]) == np.inf
