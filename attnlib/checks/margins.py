"""Checks of the exercises in transforms/margins.

>>> stretched_cosine(lambda theta, m: None)
not yet: the function returned None; return an array of shape (9,)
"""

from collections.abc import Callable

import numpy as np

from attnlib import margins
from attnlib.checks._verdict import Verdict, call, find_fault, not_yet, number, right, same


def largest_margin(answer: float, classes: int) -> Verdict:
    """Check the largest margin of AM-Softmax, to two decimals, for classes evenly spread in a plane.

    >>> largest_margin(0.29, 8)
    right: the own class gets 1 - 0.29 of the scale, its neighbours 0.71
    >>> largest_margin(0.71, 8)
    not yet: this is the cosine between neighbours; it is what remains, not what may be taken off
    >>> largest_margin(..., 8)
    not yet: put your number in place of the dots
    """
    answer = number(answer)
    if answer is None:
        return not_yet("put your number in place of the dots")
    if not 0 <= answer < np.inf:
        return not_yet("a margin is one number, zero or more")
    turn = 2 * np.pi / classes
    neighbour = np.cos(turn)
    if abs(answer - (1 - neighbour)) <= 0.005:
        return right(f"the own class gets 1 - {answer:.2f} of the scale, its neighbours {neighbour:.2f}")
    mistakes = [
        (neighbour, "this is the cosine between neighbours; it is what remains, not what may be taken off"),
        (1 - np.cos(turn / 2), "neighbours are a full step of the circle apart, not half of one"),
        (turn, "this is the angle between neighbours in radians; the margin comes off a cosine"),
        (1 - np.cos(np.degrees(turn)), "the angle in degrees went into a cosine that expects radians"),
    ]
    for wrong, sentence in mistakes:
        if abs(answer - wrong) <= 0.005:
            return not_yet(sentence)
    logits = margins.am_softmax([[1.0, 0.0]], [[1.0, 0.0]], [0], scale=1.0, margin=float(answer))
    size = "small: more may be taken off" if logits[0, 0] > neighbour else "large: a neighbour leads"
    return not_yet(f"the own class gets {logits[0, 0]:.2f} of the scale, so this margin is too {size}")


def additive_margin_logits(function: Callable) -> Verdict:
    """Check a student's `function(features, weights, labels, scale, margin)` that returns AM-Softmax logits.

    Mistakes told apart: the margin comes off every class, off the wrong ones, is added, comes off after
    scaling, or is added to the angle; features or class vectors are not normalized; the scale is left out.

    >>> from attnlib import am_softmax
    >>> additive_margin_logits(lambda x, w, y, s, m: am_softmax(x, w, y, scale=s, margin=m))
    right: the right cosine gives away the margin, and then the scale multiplies all
    """
    features = np.array([[3.0, 0.5, -1.0], [-0.5, 2.0, 1.0], [0.2, -0.4, 0.3], [1.0, 1.0, 0.0]])
    weights = np.array([[2.0, 0.3, 0.0], [-0.2, 0.5, 0.4], [0.0, -3.0, 1.0]])
    labels, scale, margin = np.array([0, 1, 2, 0]), 8.0, 0.25
    am = margins.am_softmax
    expected = am(features, weights, labels, scale=scale, margin=margin)
    cosines = am(features, weights, labels, scale=1.0, margin=0.0)
    length = np.linalg.norm(features, axis=1, keepdims=True)
    sizes = np.linalg.norm(weights, axis=1)
    own = np.eye(len(weights), dtype=bool)[labels]
    off = margin * own
    mistakes = [
        (scale * cosines, "the margin has no effect"),
        (scale * (cosines - margin), "the margin comes off every class; only the right one gives it away"),
        (scale * (cosines - margin * ~own), "the margin comes off the wrong classes; the right one gives it"),
        (scale * (cosines + off), "the margin is added; it makes the right class earn less"),
        (scale * cosines - off, "the margin comes off after scaling; take it off the cosine"),
        (scale * np.where(own, np.cos(np.arccos(cosines) + margin), cosines),
         "the margin is added to the angle, as in ArcFace; take it off the cosine"),
        (scale * (cosines * length - off), "the features are not divided by their lengths"),
        (scale * (cosines * sizes - off), "the class vectors are not divided by their lengths"),
        (scale * (cosines * length * sizes - off), "nothing is divided by its length; use cosines"),
        (cosines - off, "the scale has no effect"),
    ]  # fmt: skip
    fault = find_fault(
        call(function, features, weights, labels, scale, margin),
        expected,
        mistakes,
        shape="one row per feature and one column per class is",
        differs="the logits differ; compare the first row with your own calculation on paper",
    )
    if fault:
        return fault
    return right("the right cosine gives away the margin, and then the scale multiplies all")


def stretched_cosine(function: Callable) -> Verdict:
    """Check a student's `function(theta, m)` that returns psi of angles in radians.

    Mistakes told apart: no pieces at all, no -2k, no sign, the wrong sign of 2k, m in the wrong place.

    >>> from attnlib import angular_margin
    >>> stretched_cosine(angular_margin)
    right: it falls from 1 to 1 - 2m without a jump, for m = 1 to 4
    """
    theta = np.radians([0.0, 20, 50, 70, 95, 125, 140, 165, 180])
    for m in (3, 1, 2, 4):
        answer = call(function, theta, m)
        if answer is None:
            return not_yet(f"the function returned None; return an array of shape {theta.shape}")
        if isinstance(answer, Verdict):
            return answer
        if answer.shape != theta.shape:
            return not_yet(f"the shape is {answer.shape}; psi has that of the angles, {theta.shape}")
        expected = margins.angular_margin(theta, m)
        k = np.minimum(np.floor(m * theta / np.pi), m - 1)
        sign = (-1.0) ** k
        bare = sign * (expected + 2 * k)  # cos(m theta)
        piece = np.floor(m * theta / np.pi)  # at pi the next one
        mistakes = [
            (bare, "this is cos(m theta) alone; it rises again, so it is glued from pieces"),
            (expected + 2 * k, "the pieces are not lowered: -2k is missing"),
            (bare - 2 * k, "the pieces are not turned over: (-1)^k is missing"),
            (bare - 2 * piece, "the pieces are not turned over: (-1)^k is missing"),
            (expected + 4 * k, "2k is added; each piece lies lower than the one before"),
            (expected + 4 * piece, "2k is added; each piece lies lower than the one before"),
            (margins.angular_margin(theta, 1) - 2 * k, "the angle is not multiplied by m"),
            (m * margins.angular_margin(theta, 1), "m multiplies the cosine; it multiplies the angle"),
        ]  # fmt: skip
        for wrong, sentence in mistakes:
            if same(answer, wrong) and not same(wrong, expected):
                return not_yet(sentence)
        if not same(answer, expected):
            return not_yet(f"psi differs for m = {m}; draw it, it must fall from 1 to {1 - 2 * m}")
    return right("it falls from 1 to 1 - 2m without a jump, for m = 1 to 4")
