"""Checks of the exercises in applications/speech.

>>> weights_with_silence(lambda scores, padding: None)
not yet: the function returned None; return an array of shape (3, 5)
"""

from collections.abc import Callable

import numpy as np

from attnlib.checks._verdict import Verdict, call, not_yet, number, right, same
from attnlib.transforms import exponential


def lead_for_half(answer: float, frames: int) -> Verdict:
    """Check by how much one frame must lead `frames` equal ones to get half of the weight.

    >>> lead_for_half(7.2, frames=1335)
    right: the powers balance, since e to 7.197 is 1335
    >>> lead_for_half(3.13, frames=1335)
    not yet: this is the logarithm to base 10; softmax takes powers of e
    >>> lead_for_half(..., frames=1335)
    not yet: put your number in place of the dots
    """
    answer = number(answer)
    if answer is None:
        return not_yet("put your number in place of the dots")
    if not 0 < answer < np.inf:
        return not_yet("the lead is one positive number")
    lead = float(np.log(frames))
    mistakes = [
        (lead, right(f"the powers balance, since e to {lead:.3f} is {frames}")),
        (np.log10(frames), not_yet("this is the logarithm to base 10; softmax takes powers of e")),
        (np.log2(frames), not_yet("this is the logarithm to base 2; softmax takes powers of e")),
        (frames, not_yet("this is the ratio of the powers; the lead is its logarithm")),
        (np.log(frames / 2), not_yet("its share is half when one frame equals all of them")),
    ]  # fmt: skip
    for wrong, verdict in mistakes:
        if abs(answer - wrong) <= 0.005:
            return verdict
    share = float(exponential.softmax([answer, lead])[0])
    return not_yet(f"with a lead of {answer:.3f} the one frame gets {share:.3f}")


def weights_with_silence(function: Callable) -> Verdict:
    """Check a student's `function(scores, padding)` that returns weights over the frames with sound.

    Wanted: exp(score) over the sum of all powers, those of the silence included; `padding` holds the
    logarithm of the sum of the powers of the silence, one number per row. Told apart: the silence left out,
    its logarithm added in place of its power, the silence counted as a column, the softmax along the tokens,
    the silence twice, and overflow.

    >>> import numpy as np
    >>> from attnlib import softmax
    >>> def solution(scores, padding):
    ...     return softmax(np.column_stack([scores, padding]))[:, :-1]
    >>> weights_with_silence(solution)
    right: each row and its silence sum to one, at any size of score
    """
    rng = np.random.default_rng(0)
    scores, padding = rng.normal(size=(3, 5)), np.array([2.0, 0.5, 3.0])
    softmax = exponential.softmax
    both = softmax(np.column_stack([scores, padding]))
    expected = both[:, :-1]
    powers = np.exp(scores)
    mistakes = [
        (softmax(scores), "each row sums to one without the silence; it has to share with the silence"),
        (powers / (powers.sum(axis=1) + padding)[:, None],
         "the padding is the logarithm of a sum; raise e to it before you add it"),
        (both, "the last column is the silence; return the frames with sound only"),
        (softmax(np.vstack([scores, np.full(5, padding.mean())]), axis=0)[:-1],
         "the columns sum to one; each token shares out along the frames"),
        (powers / np.exp(padding)[:, None], "the sound counts in the sum, too"),
        (softmax(scores) * both[:, -1:], "this is the share of the silence; the sound has the rest"),
    ]  # fmt: skip
    answer = call(function, scores, padding)
    if answer is None:
        return not_yet(f"the function returned None; return an array of shape {expected.shape}")
    if isinstance(answer, Verdict):
        return answer
    for wrong, sentence in mistakes:
        if answer.shape == wrong.shape and same(answer, wrong):
            return not_yet(sentence)
    if answer.shape != expected.shape:
        return not_yet(
            f"the shape is {answer.shape}; one row per token and one column per frame is {expected.shape}"
        )
    if not same(answer, expected):
        return not_yet("the weights differ; compare the first row with your own calculation on paper")
    large = call(function, scores + 1e4, padding + 1e4)
    if isinstance(large, Verdict) or large is None or not np.isfinite(large).all():
        return not_yet("large scores overflow; subtract the largest of each row, silence included")
    if not same(large, softmax(np.column_stack([scores, padding]) + 1e4)[:, :-1]):
        return not_yet("the weights are right for small scores and wrong for large ones")
    return right("each row and its silence sum to one, at any size of score")
