"""Checks of the exercises in transforms/gumbel.

>>> draw(lambda scores, rng: None)
not yet: the function returned None; return one index per row
"""

from collections.abc import Callable

import numpy as np

from attnlib.checks._verdict import Verdict, call, not_yet, number, right
from attnlib.transforms import exponential, gumbel

_DRAWS = 20_000


def upset(answer: float, gap: float) -> Verdict:
    """Check how often the lower of two scores wins under Gumbel noise, to two decimals.

    >>> upset(0.27, 1)
    right: the softmax of two scores that differ by 1 gives the lower one 0.269
    >>> upset(0.73, 1)
    not yet: this is how often the higher one wins
    >>> upset(..., 1)
    not yet: put your number in place of the dots
    """
    answer = number(answer)
    if answer is None:
        return not_yet("put your number in place of the dots")
    if not 0 <= answer <= 1:
        return not_yet("a share lies between 0 and 1")
    higher, expected = exponential.softmax([gap, 0.0])
    if abs(answer - expected) <= 0.005:
        return right(f"the softmax of two scores that differ by {gap:g} gives the lower one {expected:.3f}")
    named = {
        higher: "this is how often the higher one wins",
        expected / higher: "these are the odds; the share is odds / (1 + odds)",
        0.5: "the noise is the same for both, but the scores are not",
        0.0: "the noise can be larger than the gap",
    }
    for wrong, sentence in named.items():
        if abs(answer - wrong) <= 0.005:
            return not_yet(sentence)
    return not_yet(f"the winner is a draw from the softmax of ({gap:g}, 0)")


def draw(function: Callable) -> Verdict:
    """Check a student's `function(scores, rng)` that draws one index per row from the softmax of the scores.

    The frequencies over 20,000 equal rows must lie within four standard errors. Told apart: the sign of the
    noise, one logarithm instead of two, normal or uniform noise, no noise, one noise for all rows, noise
    added to the weights, the smallest instead of the largest, and a softmax in place of the index.

    >>> def solution(scores, rng):
    ...     return gumbel.gumbel_softmax(scores, rng=rng, hard=True).argmax(axis=1)
    >>> draw(solution)
    right: all four frequencies lie within four standard errors of the softmax
    """
    z = np.array([1.5, 1.0, 0.0, -1.0])
    rows, p = np.tile(z, (_DRAWS, 1)), exponential.softmax(z)
    answer = call(function, rows, np.random.default_rng(0))
    if answer is None:
        return not_yet("the function returned None; return one index per row")
    if isinstance(answer, Verdict):
        return answer
    if answer.shape == rows.shape:
        return not_yet("this is a number for every item; return the index of the winner, one per row")
    if answer.shape == (4,):
        return not_yet("this takes the largest of each column; draw one index per row, along axis 1")
    if answer.shape != (_DRAWS,):
        return not_yet(f"the shape is {answer.shape}; one index per row is ({_DRAWS},)")
    frequency = _frequencies(answer)
    if frequency is None:
        return not_yet("an index is a whole number from 0 to n − 1")
    if frequency.max() == 1:
        others = {_draw_again(function, z, seed).argmax() for seed in range(1, 6)}
        if others == {0}:
            return not_yet("the first always wins: no noise has been added")
        return not_yet("all rows have the same winner; each row needs noise of its own")
    if not _close(frequency, p):
        wrong, sentence = min(_mistakes(z, p), key=lambda mistake: np.abs(frequency - mistake[0]).max())
        if _close(frequency, wrong, errors=6):
            return not_yet(sentence)
        worst = np.abs(frequency - p).argmax()
        return not_yet(
            f"item {worst} is drawn {frequency[worst]:.3f} of the time; the softmax gives it {p[worst]:.3f}"
        )
    if not _close(_draw_again(function, 20 - z, 1), exponential.softmax(-z)):
        return not_yet("right for these scores and wrong for others")
    return right("all four frequencies lie within four standard errors of the softmax")


def _frequencies(drawn):
    """Return how often each of the four items was drawn, None if these are no indices, one per row."""
    if drawn.shape != (_DRAWS,) or not np.isin(drawn, range(4)).all():
        return None
    return np.bincount(drawn.astype(int), minlength=4) / _DRAWS


def _draw_again(function, z, seed):
    """Return how often a function that has passed the first look draws each item; zeros if it fails now."""
    drawn = call(function, np.tile(z, (_DRAWS, 1)), np.random.default_rng(seed))
    frequency = _frequencies(drawn) if isinstance(drawn, np.ndarray) else None
    return np.zeros(4) if frequency is None else frequency


def _close(frequency, p, errors=4):
    return (np.abs(frequency - p) <= errors * np.sqrt(p * (1 - p) / _DRAWS)).all()


def _mistakes(z, p):
    """Return the frequencies that each likely mistake leads to, and what to say of it."""
    rng = np.random.default_rng(0)
    u, normal = rng.random((_DRAWS, 4)), rng.normal(size=(_DRAWS, 4))
    noise = rng.gumbel(size=(_DRAWS, 4))

    def won(scores, noise):
        return gumbel.gumbel_softmax(np.tile(scores, (_DRAWS, 1)), noise=noise, hard=True).mean(axis=0)

    return [
        (won(-z, -noise), "this takes the smallest sum; take the largest"),
        (won(z, -noise), "the sign of the noise is wrong: it is −log(−log u), with two minus signs"),
        (won(z, -np.log(u)), "this noise has one logarithm; it is −log(−log u), with two"),
        (won(z, np.log(u)), "this noise has one logarithm; it is −log(−log u), with two"),
        (won(z, u), "this noise is uniform; turn it into −log(−log u)"),
        (won(z, normal), "this noise is normal; Gumbel noise is −log(−log u)"),
        (exponential.softmax(p), "the noise is added to the weights; add it to the scores"),
        (np.full(4, 0.25), "all are drawn equally often: the scores have no effect"),
    ]
