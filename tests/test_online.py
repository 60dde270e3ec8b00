"""The softmax over a stream: whatever the cut into blocks, it is the softmax of the whole row."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from attnlib import log_softmax, online_softmax, softmax

LARGE = np.finfo(np.float64).max
SCORES = st.floats(-50, 50) | st.sampled_from([-np.inf, np.inf, LARGE, -LARGE])


def cut(scores, values, places):
    """Blocks of scores and values, cut at these places (a place twice: an empty block)."""
    parts = np.split(scores, places, axis=-1), np.split(values, places, axis=-2)
    return zip(*parts, strict=True)


@given(hnp.arrays(np.float64, (3, 7), elements=SCORES), st.lists(st.integers(0, 7)).map(sorted))
def test_it_is_softmax_for_any_cut(scores, places):
    weights, _ = online_softmax(cut(scores, np.eye(7), places))
    np.testing.assert_allclose(weights, softmax(scores), rtol=1e-14, atol=1e-300)


def test_reference_values_of_the_sum():
    one = [[1.0], [1.0]]
    np.testing.assert_allclose(online_softmax([([1, 2], one)])[1], 2 + np.log(1.36787944117144), rtol=1e-14)
    np.testing.assert_allclose(
        online_softmax([([1, 2], one), ([3, 4], one)])[1], 4.44018969856120, rtol=1e-14
    )


def test_one_score_at_a_time_in_any_order():
    rng = np.random.default_rng(0)
    scores, values = 20 * rng.normal(size=(4, 30)), rng.normal(size=(30, 2))
    order = rng.permutation(30)
    context, log_sum_exp = online_softmax((scores[:, [j]], values[[j]]) for j in order)
    np.testing.assert_allclose(context, softmax(scores) @ values, rtol=1e-12)
    np.testing.assert_allclose(scores - log_sum_exp[:, None], log_softmax(scores), atol=1e-12)


def test_batches_with_values_of_their_own():
    rng = np.random.default_rng(1)
    scores, values = rng.normal(size=(2, 3, 4, 9)), rng.normal(size=(2, 1, 9, 5))
    context, _ = online_softmax(cut(scores, values, [2, 3]))
    np.testing.assert_allclose(context, softmax(scores) @ values, rtol=1e-12)


@pytest.mark.parametrize("places", [[], [1], [1, 1, 2]])
def test_a_row_that_keeps_nothing_gets_nothing(places):
    context, log_sum_exp = online_softmax(cut(np.full((2, 3), -np.inf), np.ones((3, 4)), places))
    assert (context == np.zeros((2, 4))).all()
    assert (log_sum_exp == -np.inf).all()
    context, _ = online_softmax([(np.empty((2, 0)), np.empty((0, 4)))])
    assert (context == np.zeros((2, 4))).all()


def test_a_value_that_every_row_drops_is_never_multiplied():
    scores = np.array([[0.0, -np.inf, 0.0], [1.0, -np.inf, -np.inf]])
    values = np.array([[2.0], [np.nan], [4.0]])
    context, _ = online_softmax(cut(scores, values, [1]))
    np.testing.assert_allclose(context, [[3.0], [2.0]])
    context, _ = online_softmax(cut(scores, values[[1, 0, 2]], [1]))
    assert np.isnan(context).all()


def test_infinite_scores_share_the_weight_even_across_blocks():
    scores = np.array([5.0, np.inf, 1.0, np.inf, LARGE])
    weights, log_sum_exp = online_softmax(cut(scores, np.eye(5), [2]))
    assert weights.tolist() == [0, 0.5, 0, 0.5, 0]
    assert log_sum_exp == np.inf


def test_nan_poisons_its_own_row_only():
    scores = np.array([[0.0, 1.0, np.nan], [0.0, 0.0, 0.0]])
    weights, log_sum_exp = online_softmax(cut(scores, np.eye(3), [1]))
    assert np.isnan(weights[0]).all()
    assert np.isnan(log_sum_exp[0])
    np.testing.assert_allclose(weights[1], 1 / 3)


@pytest.mark.parametrize(
    ("kinds", "kind"),
    [("ee", "e"), ("ff", "f"), ("ef", "f"), ("dd", "d"), ("il", "d"), ("?f", "d")],
)
def test_dtype_of_the_result(kinds, kind):
    blocks = [(np.array([1, 0]).astype(t), np.eye(2, dtype=np.float16)) for t in kinds]
    for result in online_softmax(blocks):
        assert result.dtype == kind


def test_half_precision_is_computed_in_single():
    scores = np.zeros(5000, np.float16)  # a sum of 5000 ones is not a float16
    ones = np.ones((5000, 1), np.float16)
    context, log_sum_exp = online_softmax(cut(scores, ones, [1, 2500]))
    assert context == 1
    assert log_sum_exp == np.float16(np.log(5000))


def test_scores_are_asked_for_once_and_not_written_to():
    scores, values = np.array([1.0, 2.0]), np.array([[1.0], [-np.inf]])
    scores.setflags(write=False)
    values.setflags(write=False)
    asked = []

    def stream():
        for j in range(2):
            asked.append(j)
            yield scores[[j]], values[[j]]

    assert online_softmax(stream())[0] == -np.inf
    assert asked == [0, 1]


def test_no_block_is_kept():
    blocks = ((np.full((100, 1000), float(i)), np.ones((1000, 1))) for i in range(50))  # 0.8 MB each
    tracemalloc.start()
    online_softmax(blocks)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 10 * 0.8e6


def test_warnings_of_the_stream_are_not_hushed():
    def stream():
        yield np.log(np.zeros(1)), np.ones((1, 1))

    with pytest.warns(RuntimeWarning, match="divide by zero"):
        online_softmax(stream())


@pytest.mark.parametrize(
    ("blocks", "error", "message"),
    [
        ([], ValueError, r"^blocks must hold at least one pair \(scores, values\)$"),
        ([(1.0, [[1.0]])], ValueError, "scores must have at least one axis"),
        ([([1.0, 2.0], [1.0, 2.0])], ValueError, r"values must have shape \(..., 2, width\), .* not \(2,\)"),
        ([([1.0, 2.0], [[1.0]])], ValueError, r"values must have shape \(..., 2, width\), .* not \(1, 1\)"),
        (
            [(np.ones((2, 3, 1)), [[1.0]]), (np.ones((2, 4, 1)), [[1.0]])],
            ValueError,
            r"^every block must have scores of shape \(2, 3, 'n'\), not \(2, 4, 1\)$",
        ),
        ([([1.0], [[1.0]]), ([[1.0]], [[1.0]])], ValueError, r"scores of shape \('n',\), not \(1, 1\)$"),
        ([([1j], [[1.0]])], TypeError, "scores must be real numbers"),
        ([([1.0], [["a"]])], TypeError, "values must be real numbers"),
    ],
)
def test_errors_are_sentences(blocks, error, message):
    with pytest.raises(error, match=message):
        online_softmax(blocks)
