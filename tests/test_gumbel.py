"""Gumbel-softmax: the right frequencies, finite at every number a generator can return, one-hot when hard."""

import numpy as np
import pytest

from attnlib import check_vjp, gumbel_softmax, gumbel_softmax_vjp, softmax
from attnlib.transforms.gumbel import _gumbel


def test_gumbel_reference():
    # softmax of the sums 1.1, 2.2, 2.7
    weights = gumbel_softmax([1, 2, 3], noise=[0.1, 0.2, -0.3])
    np.testing.assert_allclose(weights, [0.111642050331614, 0.335391254449952, 0.552966695218434], rtol=1e-14)
    np.testing.assert_allclose(
        gumbel_softmax([1, 2, 3], noise=[0.1, 0.2, -0.3], temperature=0.5),
        softmax([2.2, 4.4, 5.4]),
        rtol=1e-14,
    )


@pytest.mark.parametrize("temperature", [0.2, 1.0, 5.0])
def test_the_largest_falls_on_i_as_often_as_softmax_says(temperature):
    scores = np.array([1.0, 2.0, 3.0, 0.0])
    draws = 40000
    picks = gumbel_softmax(
        np.tile(scores, (draws, 1)), temperature=temperature, rng=np.random.default_rng(0)
    ).argmax(axis=-1)
    share = np.bincount(picks, minlength=4) / draws
    p = softmax(scores)
    assert (np.abs(share - p) < 4 * np.sqrt(p * (1 - p) / draws)).all()  # four standard errors


def test_the_noise_is_finite_at_the_ends_of_the_generator():
    noise = _gumbel(np.array([0.0, 2.0**-53, 0.5, 1 - 2.0**-53]))
    np.testing.assert_allclose(
        noise, [-np.log(54 * np.log(2)), -np.log(53 * np.log(2)), -np.log(np.log(2)), 53 * np.log(2)]
    )


def test_pytorch_41663_a_million_float16_scores():
    weights = gumbel_softmax(
        np.zeros((1000, 1000), np.float16), temperature=0.1, rng=np.random.default_rng(1)
    )
    assert weights.dtype == np.float16 and np.isfinite(weights).all()
    assert gumbel_softmax([5.0], rng=np.random.default_rng(2)) == 1


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_hard_is_exactly_one_hot(dtype):
    scores = np.random.default_rng(3).normal(size=(500, 7)).astype(dtype)
    noise = np.random.default_rng(4).gumbel(size=scores.shape)
    hard = gumbel_softmax(scores, noise=noise, hard=True)
    assert hard.dtype == dtype
    np.testing.assert_array_equal(np.sort(hard, axis=-1), np.eye(7)[[6] * 500])
    np.testing.assert_array_equal(hard.argmax(axis=-1), (scores + noise).argmax(axis=-1))
    grad = np.random.default_rng(5).normal(size=scores.shape)
    np.testing.assert_array_equal(
        gumbel_softmax_vjp(scores, grad, noise=noise, hard=True),
        gumbel_softmax_vjp(scores, grad, noise=noise),
    )


def test_hard_takes_the_first_of_equals_in_working_precision():
    np.testing.assert_array_equal(gumbel_softmax([1, 1, 0], noise=np.zeros(3), hard=True), [1, 0, 0])
    close = np.array([1.0, 1.0], np.float16)  # equal after casting, not before
    np.testing.assert_array_equal(gumbel_softmax(close, noise=[0.0, 1e-4], hard=True), [0, 1])
    np.testing.assert_array_equal(
        gumbel_softmax([[0, 0], [0, 1]], mask=[[False], [True]], noise=np.zeros((2, 2)), hard=True),
        [[0, 0], [0, 1]],
    )
    assert np.isnan(gumbel_softmax([np.nan, 1], noise=np.zeros(2), hard=True)).all()
    np.testing.assert_array_equal(
        gumbel_softmax([0, np.inf, np.inf], noise=np.zeros(3), hard=True), [0, 1, 0]
    )


def test_noise_is_drawn_for_every_entry_kept_or_not():
    scores, mask = np.zeros((2, 3)), np.array([[True, False, True], [True, True, True]])
    masked = gumbel_softmax(scores, mask=mask, rng=np.random.default_rng(6))
    plain = gumbel_softmax(scores, rng=np.random.default_rng(6))
    np.testing.assert_array_equal(masked[1], plain[1])
    single = gumbel_softmax(scores.astype(np.float32), rng=np.random.default_rng(6))
    np.testing.assert_allclose(single, plain, rtol=1e-6)


def test_noise_under_a_dropped_entry_has_no_effect():
    noise = np.array([0.0, np.nan, 0.0])
    for scores, mask in (([1, 2, 3], [True, False, True]), ([1, -np.inf, 3], None)):
        np.testing.assert_array_equal(gumbel_softmax(scores, mask=mask, noise=noise)[::2], softmax([1, 3]))


def test_the_vjp_agrees_with_differences():
    rng = np.random.default_rng(7)
    scores = rng.normal(size=(3, 4))
    noise = rng.gumbel(size=(3, 4))
    for options in ({}, {"temperature": 0.7}, {"axis": 0, "mask": [True, False, True, True]}):
        assert check_vjp(gumbel_softmax, scores, rng, noise=noise, **options) < 1e-7
    mask = np.array([True, False, True, True])
    assert (gumbel_softmax_vjp(scores, scores, mask=mask, noise=noise)[:, ~mask] == 0).all()


def test_errors():
    needs = r"^gumbel_softmax needs either rng, a Generator, or noise, an array like the scores$"
    with pytest.raises(ValueError, match=needs):
        gumbel_softmax([1.0])
    with pytest.raises(ValueError, match=needs):
        gumbel_softmax([1.0], rng=np.random.default_rng(0), noise=[0.0])
    with pytest.raises(TypeError, match=r"^noise must be real numbers .* not object$"):
        gumbel_softmax_vjp([1.0], [1.0], noise=None)
    with pytest.raises(TypeError, match="rng must be a numpy Generator"):
        gumbel_softmax([1.0], rng=np.random.RandomState(0))
    with pytest.raises(ValueError, match=r"noise must have the shape of the scores, \(2,\), not \(3,\)"):
        gumbel_softmax([1.0, 2.0], noise=[0.0, 0.0, 0.0])
    with pytest.raises(ValueError, match="temperature must be positive, not 0"):  # pytorch 184031
        gumbel_softmax([1.0], temperature=0, rng=np.random.default_rng(0))


def test_noise_in_float16_is_added_in_float32():
    scores, noise = np.array([60000, 50000], np.float16), np.array([60000, 60000], np.float16)
    np.testing.assert_array_equal(gumbel_softmax(scores, noise=noise), [1, 0])
    np.testing.assert_array_equal(gumbel_softmax_vjp(scores, [1, 0], noise=noise), [0, 0])
