"""Every vjp against central differences and the adjoint identity, and the checker against wrong vjps."""

import numpy as np
import pytest
from maps import PAIRS

import attnlib
from attnlib import (
    check_vjp,
    gradients,
    jacobian,
    length_normalization,
    log_softmax,
    softmax,
    softmax_vjp,
    sparsemax,
    temperature_gradient,
)

# maps of x/T alone: not linear and min_max, which T leaves alone, nor the sink of .5
TEMPERED = {"softmax", "softmax_one", "scalable_softmax", "sigmoid", "sigmoid_attention"}
TEMPERED |= {"length_normalization", "relu_attention", "sparsemax", "entmax", "log_softmax"}
CHECKED = {
    name: pair for name, pair in PAIRS.items() if name != "gumbel_softmax"
}  # there the noise moves with the scores


@pytest.mark.parametrize("name", CHECKED)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"temperature": 0.3},
        {"axis": 0},
        {"axis": 1, "mask": np.arange(60).reshape(3, 4, 5) % 7 > 1},
        {"mask": np.arange(5) != 2, "temperature": np.linspace(0.5, 2, 12).reshape(3, 4, 1)},
    ],
    ids=["plain", "temperature", "axis", "mask", "temperatures"],
)
def test_every_vjp_against_differences(name, options):
    rng = np.random.default_rng(0)
    assert check_vjp(CHECKED[name][0], rng.normal(size=(3, 4, 5)), rng, **options) < 1e-6


@pytest.mark.parametrize("name", CHECKED)
def test_the_adjoint_identity(name):
    """<g, J d> = <J' g, d> for the Jacobian built one output at a time."""
    rng = np.random.default_rng(1)
    x, g, d = rng.normal(size=(3, 6))
    J = jacobian(CHECKED[name][0], x)
    np.testing.assert_allclose(g @ J @ d, CHECKED[name][1](x, g) @ d, rtol=1e-10, atol=1e-14)
    columns = [(CHECKED[name][0](x + h) - CHECKED[name][0](x - h)) / 2e-6 for h in 1e-6 * np.eye(6)]
    np.testing.assert_allclose(J, np.transpose(columns), atol=2e-8)


def test_known_jacobians():
    p = softmax([1.0, 2.0, 3.0])
    np.testing.assert_allclose(jacobian(softmax, [1, 2, 3]), np.diag(p) - np.outer(p, p), rtol=1e-12)
    np.testing.assert_allclose(jacobian(log_softmax, [1, 2, 3]), np.eye(3) - p, rtol=1e-12)
    s = np.array([1, 1, 0])
    np.testing.assert_allclose(jacobian(sparsemax, [1.2, 0.8, -0.5]), np.diag(s) - np.outer(s, s) / 2)
    np.testing.assert_array_equal(jacobian(softmax, [1, 2], mask=[True, False]), np.zeros((2, 2)))
    assert jacobian(softmax, np.zeros(3, np.float32)).dtype == np.float32
    assert jacobian(softmax, []).shape == (0, 0)
    assert jacobian(softmax, np.zeros(0, np.float32)).dtype == np.float32
    with pytest.raises(ValueError, match=r"scores must be one row, not an array of shape \(1, 2\)"):
        jacobian(softmax, [[1, 2]])


@pytest.mark.parametrize(
    ("wrong", "least"),
    [
        (lambda x, g, **o: softmax_vjp(x, g, **o) * 1.001, 5e-4),
        (lambda x, g, **o: softmax(x) * g, 1e-2),  # the sum left out
        (lambda x, g, **o: 0.0 * x, 1),
        (lambda x, g, **o: np.nan * x, 1),
        (lambda x, g, **o: softmax_vjp(x, g[::-1], **o), 1e-2),
    ],
)
def test_the_checker_finds_wrong_derivatives(monkeypatch, wrong, least):
    monkeypatch.setattr(gradients, "vjp_of", lambda transform: wrong)
    for scores in ([1.0, 2.0, 4.0], [0.0, 0.0, 0.0]):  # a common step would change nothing
        assert check_vjp(softmax, scores, np.random.default_rng(0)) >= least


def test_the_checker_where_there_is_no_slope():
    rng = np.random.default_rng(2)
    assert check_vjp(sparsemax, [5.0, 0.0], rng) == 0
    assert check_vjp(softmax, [], rng) == 0
    with np.errstate(all="raise"):
        for transform in (softmax, log_softmax):
            assert check_vjp(transform, [1.0, -np.inf, 2.0], rng) < 1e-8
        assert temperature_gradient([1e300, 1.0], [1e300, 0.0], 1) == -np.inf


def test_a_transform_that_gives_nan_is_not_right(monkeypatch):
    monkeypatch.setattr(gradients, "vjp_of", lambda transform: softmax_vjp)
    assert check_vjp(lambda x: softmax(x) * np.nan, [1.0, 2.0], np.random.default_rng(0)) == 1


def test_the_step_of_the_checker_grows_with_the_scores():
    assert check_vjp(length_normalization, [1e15, 2e15], np.random.default_rng(3)) < 1e-8


@pytest.mark.parametrize("rng", [None, 0, np.random, np.random.RandomState(0)])
def test_the_checker_needs_a_generator(rng):
    with pytest.raises(TypeError, match=r"rng must be a numpy Generator, such as .*default_rng\(0\), not "):
        check_vjp(softmax, [1.0, 2.0], rng)


@pytest.mark.parametrize("name", sorted(TEMPERED))
def test_temperature_gradient_against_differences(name):
    rng = np.random.default_rng(3)
    function, vjp = PAIRS[name]
    x, g = rng.normal(size=(2, 3, 4))
    for temperature in (0.7, np.array([[0.6], [0.9], [1.4]])):
        slope = temperature_gradient(x, vjp(x, g, temperature=temperature), temperature)
        h = 1e-6
        change = (
            (function(x, temperature=temperature + h) - function(x, temperature=temperature - h))
            * g
            / (2 * h)
        )
        expected = change.sum() if np.ndim(temperature) == 0 else change.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(slope, expected, rtol=1e-5, atol=1e-9)


def test_temperature_gradient_of_dropped_entries_and_errors():
    assert temperature_gradient([1.0, -np.inf, 2.0], [0.5, 0.0, -0.5], 1) == 0.5
    with pytest.raises(ValueError, match="temperature must be positive, not 0"):
        temperature_gradient([1.0], [1.0], 0)
    with pytest.raises(ValueError, match="grad_scores must have the shape"):
        temperature_gradient([1.0], [1.0, 2.0], 1)


def test_every_vjp_stands_beside_its_function():
    for name in attnlib.__all__:
        if name.endswith("_vjp") and name != "check_vjp":
            assert hasattr(attnlib, name.removesuffix("_vjp"))
