"""Attention: a masked value is never multiplied; gradients of query, key and value."""

from functools import partial

import numpy as np
import pytest
from maps import PAIRS

from attnlib import (
    additive_score,
    attend,
    attend_vjp,
    causal_mask,
    cosine_score,
    dot_product_score,
    scaled_dot_product_score,
    softmax,
    sparsemax,
)

ATTENTION = {"score": scaled_dot_product_score, "transform": softmax}


@pytest.fixture
def qkv():
    rng = np.random.default_rng(0)
    return rng.normal(size=(2, 3, 4)), rng.normal(size=(2, 5, 4)), rng.normal(size=(2, 5, 6))


def test_weights_run_over_keys(qkv):
    query, key, value = qkv
    context, weights = attend(query, key, value, **ATTENTION)
    assert context.shape == (2, 3, 6) and weights.shape == (2, 3, 5)
    np.testing.assert_allclose(weights.sum(axis=-1), np.ones((2, 3)))
    scores = np.einsum("bqd,bkd->bqk", query, key) / 2
    np.testing.assert_allclose(weights, softmax(scores))
    np.testing.assert_allclose(context, np.einsum("bqk,bkw->bqw", weights, value))


@pytest.mark.parametrize("junk", [np.nan, np.inf, -np.inf])
def test_a_masked_value_is_never_multiplied_query_by_query(qkv, junk):
    query, key, value = qkv
    mask = causal_mask(3, 5)
    expected, _ = attend(query, key, value, mask=mask, **ATTENTION)
    dirty = value.copy()
    dirty[:, 4] = junk  # seen by the last query only
    dirty[0, 3, 2] = junk  # by the last two, in one column
    context, _ = attend(query, key, dirty, mask=mask, **ATTENTION)
    np.testing.assert_allclose(context[:, 0], expected[:, 0])
    np.testing.assert_allclose(np.delete(context[0, 1], 2), np.delete(expected[0, 1], 2))
    np.testing.assert_array_equal(context[0, 1, 2], junk)
    np.testing.assert_array_equal(context[:, 2], np.full((2, 6), junk))
    np.testing.assert_allclose(context[1, 1], expected[1, 1])


def test_a_score_of_minus_infinity_drops_the_value_too():
    context, weights = attend([[1.0]], [[-np.inf], [2.0]], [[np.nan], [3.0]], **ATTENTION)
    np.testing.assert_array_equal(weights, [[0, 1]])
    np.testing.assert_array_equal(context, [[3]])
    context, _ = attend([[1.0]], [[-np.inf]], [[np.nan]], mask=[[True]], **ATTENTION)
    np.testing.assert_array_equal(context, [[0]])


def test_a_kept_zero_weight_does_multiply():
    context, weights = attend(
        [[1.0]], [[-9.0], [2.0]], [[np.nan], [3.0]], score=dot_product_score, transform=sparsemax
    )
    np.testing.assert_array_equal(weights, [[0, 1]])
    assert np.isnan(context).all()


def test_a_query_with_nothing_kept_has_context_zero(qkv):
    query, key, value = qkv
    context, weights = attend(query, key, value, mask=causal_mask(3, 5) & False, **ATTENTION)
    assert (context == 0).all() and (weights == 0).all()


def test_attention_over_one_key_gives_its_value():
    context, _ = attend(np.ones((2, 3)), np.ones((1, 3)), [[7.0, 8.0]], **ATTENTION)
    np.testing.assert_array_equal(context, [[7, 8], [7, 8]])


def test_dtypes_and_errors(qkv):
    query, key, value = (a.astype(np.float16) for a in qkv)
    context, weights = attend(query, key, value, **ATTENTION)
    assert context.dtype == weights.dtype == np.float16
    with pytest.raises(
        ValueError, match=r"value must have shape \(\.\.\., 5, width\), one row per key, not \(2, 4, 6\)"
    ):
        attend(query, key, value[:, :4], **ATTENTION)
    with pytest.raises(ValueError, match="no <lambda>_vjp beside it"):
        attend_vjp(
            *qkv, np.ones((2, 3, 6)), score=dot_product_score, transform=lambda s, mask: softmax(s, mask=mask)
        )


SCORES = {
    "dot": dot_product_score,
    "scaled": scaled_dot_product_score,
    "cosine": cosine_score,
    "additive": partial(additive_score, W=np.eye(3, 4), U=np.eye(3, 4)[::-1], v=[1.0, -2.0, 0.5]),
}


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("name", [name for name in PAIRS if "gumbel" not in name and "log" not in name])
def test_gradients_against_differences(qkv, name, score):
    mask = causal_mask(3, 5)
    options = {"score": SCORES[score], "transform": PAIRS[name][0], "mask": mask}
    rng = np.random.default_rng(1)
    g = rng.normal(size=(2, 3, 6))
    grads = attend_vjp(*qkv, g, **options)
    for i, grad in enumerate(grads):
        assert grad.shape == qkv[i].shape
        step = 1e-6 * rng.normal(size=qkv[i].shape)
        up, down = (attend(*qkv[:i], qkv[i] + s * step, *qkv[i + 1 :], **options)[0] for s in (1, -1))
        np.testing.assert_allclose(np.sum(grad * step), np.sum(g * (up - down)) / 2, rtol=2e-5, atol=1e-11)


def test_gradients_do_not_see_what_is_masked(qkv):
    query, key, value = qkv
    mask = np.array([True, True, False, True, True])
    dirty = value.copy()
    dirty[:, 2] = np.nan
    g = np.ones((2, 3, 6))
    clean = attend_vjp(query, key, value, g, mask=mask, **ATTENTION)
    for grad, expected in zip(attend_vjp(query, key, dirty, g, mask=mask, **ATTENTION), clean, strict=True):
        np.testing.assert_allclose(grad, expected)
    assert (clean[1][:, 2] == 0).all() and (clean[2][:, 2] == 0).all()


def test_gradients_of_shared_queries_keys_and_values_are_summed(qkv):
    query, key, value = qkv
    g = np.ones((2, 3, 6))
    full = [np.stack([query[0]] * 2), np.stack([key[0]] * 2), np.stack([value[0]] * 2)]
    expected = attend_vjp(*full, g, **ATTENTION)
    for i in range(3):  # one of the three is given once, the others per batch
        shared = attend_vjp(*full[:i], full[i][0], *full[i + 1 :], g, **ATTENTION)
        for j in range(3):
            np.testing.assert_allclose(shared[j], expected[j].sum(axis=0) if i == j else expected[j])


def test_gradients_do_not_see_a_key_that_every_query_drops_or_a_query_that_drops_every_key(qkv):
    query, key, value = qkv
    mask = np.ones((3, 5), bool)
    mask[1], mask[:, 2] = False, False
    g = np.ones((2, 3, 6))
    for junk in (np.nan, np.inf):
        dirty_query, dirty_key = query.copy(), key.copy()
        dirty_query[:, 1], dirty_key[:, 2] = junk, junk
        for score in SCORES.values():
            options = {"score": score, "transform": softmax, "mask": mask}
            clean = attend_vjp(query, key, value, g, **options)
            for grad, expected in zip(
                attend_vjp(dirty_query, dirty_key, value, g, **options), clean, strict=True
            ):
                np.testing.assert_allclose(grad, expected)
    shared = attend_vjp(query, np.where(np.arange(5)[:, None] == 2, np.nan, key[0]), value, g, **options)
    assert shared[1].shape == (5, 4) and (shared[1][2] == 0).all()
    assert all(np.isfinite(grad).all() for grad in shared)


@pytest.mark.parametrize("side", ["query", "key"])
@pytest.mark.parametrize("score", SCORES)
def test_nan_reaches_only_the_gradients_of_pairs_that_keep_it(qkv, score, side):
    options = {"score": SCORES[score], "transform": softmax, "mask": causal_mask(3, 5)}
    given = dict(zip(("query", "key", "value"), (a.copy() for a in qkv), strict=True))
    given["grad_context"] = np.ones((2, 3, 6))
    clean = attend_vjp(**given, **options)
    given[side][1, 4 if side == "key" else 0] = np.nan  # the last query keeps all keys, the first 0 to 2
    queries, keys = ([2], range(5)) if side == "key" else ([0], range(3))
    grads = attend_vjp(**given, **options)
    for grad, expected, spoilt in zip(grads, clean, (queries, keys, keys), strict=True):
        np.testing.assert_allclose(grad[0], expected[0])
        np.testing.assert_array_equal(np.isnan(grad[1]).all(axis=-1), np.isin(range(len(grad[1])), spoilt))
    kept = np.isfinite(grads[0][1]).all(axis=-1)
    np.testing.assert_allclose(grads[0][1, kept], clean[0][1, kept])


def test_a_key_shared_by_a_batch_is_spoilt_where_one_of_the_batch_multiplies_it(qkv):
    query, key, value = qkv
    shared = np.where(np.arange(5)[:, None] == 4, np.nan, key[0])
    mask = np.arange(5) < np.array([[[4]], [[5]]])  # the first of the batch drops key 4
    by_query, by_key, _ = attend_vjp(query, shared, value, np.ones((2, 3, 6)), mask=mask, **ATTENTION)
    assert by_key.shape == (5, 4) and np.isnan(by_key).all()
    assert np.isfinite(by_query[0]).all() and np.isnan(by_query[1]).all()


def test_a_batch_of_values_for_one_set_of_weights(qkv):
    query, key, value = qkv
    g = np.random.default_rng(4).normal(size=(2, 3, 6))
    by_query, by_key, by_value = attend_vjp(query[0], key[0], value, g, **ATTENTION)
    alone = [attend_vjp(query[0], key[0], v, one, **ATTENTION) for v, one in zip(value, g, strict=True)]
    np.testing.assert_allclose(by_query, alone[0][0] + alone[1][0])
    np.testing.assert_allclose(by_key, alone[0][1] + alone[1][1])
    np.testing.assert_allclose(by_value, [alone[0][2], alone[1][2]])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_gradients_have_the_dtype_given_and_are_silent(qkv, dtype):
    query, key, value = (a.astype(dtype) for a in qkv)
    most = np.finfo(dtype).max
    with np.errstate(all="raise"):
        for grad in attend_vjp(query, key, value, np.ones((2, 3, 6), dtype), **ATTENTION):
            assert grad.dtype == dtype
        grads = attend_vjp([[0]], [[0], [0]], [[most], [most]], [[most]], **ATTENTION)
        assert grads[2].tolist() == [[most / 2], [most / 2]]


def test_wrong_shapes_are_named(qkv):
    query, key, value = qkv
    for call in (attend, lambda *given, **options: attend_vjp(*given, np.ones((2, 3, 6)), **options)):
        with pytest.raises(
            ValueError, match=r"^query and key must have shapes \(\.{3}, queries, d\), .* not be vectors$"
        ):
            call(query[0, 0], key[0], value[0], **ATTENTION)
        with pytest.raises(ValueError, match="value must have shape"):
            call(query, key, value[:, :4], **ATTENTION)
    for shape in ((3, 6), (2, 3, 1), (2, 1, 6), (1, 2, 3, 6)):
        with pytest.raises(ValueError, match=r"grad_context must have the shape of the context, \(2, 3, 6\)"):
            attend_vjp(query, key, value, np.ones(shape), **ATTENTION)
