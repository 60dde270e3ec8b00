"""Checks of the exercises in transforms/sparse.

>>> sparsemax(lambda scores: None)
not yet: the function returned None; return an array of shape (3, 5)
"""

from collections.abc import Callable

import numpy as np

from attnlib.checks._verdict import Verdict, call, not_yet, number, right, same
from attnlib.transforms import exponential
from attnlib.transforms import sparse as maps


def entry_temperature(answer: float, scores) -> Verdict:
    """Check the temperature, to one decimal, above which sparsemax gives the lowest of these scores a weight.

    `scores` fall from the first to the last, with three of them or more.

    >>> entry_temperature(1.4, [3, 2.6, 2.1])
    right: up to T = 1.400 the last gets nothing, from there on it gets something
    >>> entry_temperature(0.5, [3, 2.6, 2.1])
    not yet: this counts only the score just above it; add up all that are ahead
    >>> entry_temperature(..., [3, 2.6, 2.1])
    not yet: put your number in place of the dots
    """
    answer = number(answer)
    if answer is None:
        return not_yet("put your number in place of the dots")
    if not 0 < answer < np.inf:
        return not_yet("a temperature is one positive number")
    ahead = np.asarray(scores, dtype=float)[:-1] - scores[-1]
    expected = ahead.sum()
    if abs(answer - expected) <= 0.05:
        return right(f"up to T = {expected:.3f} the last gets nothing, from there on it gets something")
    named = {
        ahead[-1]: "this counts only the score just above it; add up all that are ahead",
        ahead[0]: "this counts only the largest score; add up all that are ahead",
        ahead.mean(): "this is the mean by which the others are ahead; take the sum",
        1 / expected: "this is 1 / T",
        float(np.sum(scores)): "this is the sum of the scores; add up how far each is ahead of the last",
    }
    for wrong, sentence in named.items():
        if abs(answer - wrong) <= 0.005:
            return not_yet(sentence)
    weight = maps.sparsemax(scores, temperature=answer)[-1]
    return not_yet(
        f"at T = {answer:.3f} the last has a weight of {weight:.3f}; "
        f"{'lower' if answer > expected else 'raise'} T"
    )


def sparsemax(function: Callable) -> Verdict:
    """Check a student's `function(scores)` that returns the sparsemax of each row, (m, n) to (m, n).

    Told apart: the sum runs over columns, it is softmax, the threshold is zero, it is that of all entries, of
    one row for all, or lacks the −1, and the weights come out sorted.

    >>> sparsemax(maps.sparsemax)
    right: every row is the nearest point of the simplex, at any size of score
    """
    z = np.array([[0.1, 0.9, -1.2, 0.5, 0.3], [-0.4, -0.1, -2.0, -0.9, -0.7], [2.0, -1.0, 0.4, 1.7, 1.4]])
    expected = maps.sparsemax(z)
    answer = call(function, z)
    if answer is None:
        return not_yet(f"the function returned None; return an array of shape {expected.shape}")
    if isinstance(answer, Verdict):
        return answer
    if answer.shape != expected.shape:
        return not_yet(f"the shape is {answer.shape}; the weights have that of the scores, {expected.shape}")
    all_kept = np.maximum(z - (z.sum(axis=1, keepdims=True) - 1) / z.shape[1], 0)
    size = (expected > 0).sum(axis=1, keepdims=True)
    mean = np.where(expected > 0, z, 0).sum(axis=1, keepdims=True) / size
    positive = np.maximum(z, 0)
    total = positive.sum(axis=1, keepdims=True)
    level = (z - expected)[np.arange(3), z.argmax(axis=1)]
    mistakes = [
        (maps.sparsemax(z, axis=0), "the columns sum to one; share out along each row"),
        (maps.sparsemax(z.ravel()).reshape(z.shape), "all rows share one unit; each row has its own"),
        (exponential.softmax(z), "this is softmax; nothing in it is exactly zero"),
        (all_kept, "the threshold is that of all entries; find how many are kept first"),
        (all_kept / all_kept.sum(axis=1, keepdims=True),
         "the threshold is that of all entries, and dividing by the sum does not mend it"),
        (positive, "the threshold is zero; it has to make the sum one"),
        (np.divide(positive, total, out=np.zeros_like(z), where=total > 0),
         "the positive scores divided by their sum; subtract a threshold instead"),
        (np.maximum(z - mean, 0), "the sum of the kept scores is not lowered by 1 before dividing"),
        (np.maximum(z - level[0], 0), "one threshold for all rows; each row has its own"),
        (-np.sort(-expected, axis=1), "the weights come out sorted; put them back in their places"),
        (np.sort(expected, axis=1), "the weights come out sorted; put them back in their places"),
        (np.eye(5)[z.argmax(axis=1)], "the largest takes all; the next may be close enough to share"),
    ]  # fmt: skip
    for wrong, sentence in mistakes:
        if same(answer, wrong):
            return not_yet(sentence)
    if not same(answer, expected):
        return not_yet("the weights differ; compare the first row with your own calculation on paper")
    for other in (z + 1000, 1000 * z, z[:, ::-1] / 1000, np.zeros((2, 4))):
        moved = call(function, other)
        if moved is None or isinstance(moved, Verdict) or not same(moved, maps.sparsemax(other)):
            return not_yet("right for these rows, wrong for others: try equal scores, or large ones")
    return right("every row is the nearest point of the simplex, at any size of score")
