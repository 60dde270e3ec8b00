"""What every check shares: the verdict, and how a student's function is called."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Verdict:
    """The outcome of a check: `passed`, and a `message` for the student, which is also how it prints."""

    passed: bool
    message: str

    def __repr__(self):
        return self.message


def right(message):
    return Verdict(True, f"right: {message}")


def not_yet(message):
    return Verdict(False, f"not yet: {message}")


def call(function, *arguments):
    """Call the student's function; return its answer as floats, or the Verdict that explains why not."""
    try:
        with np.errstate(all="ignore"):
            answer = function(*arguments)
    except Exception as error:  # the student's own code may raise anything
        return not_yet(f"the function raised {type(error).__name__}: {error}")
    if answer is None or answer is Ellipsis:
        return None
    try:
        return np.asarray(answer, dtype=float)
    except (TypeError, ValueError):
        return not_yet(f"the function returned a {type(answer).__name__}; return numbers")


def number(answer):
    """Return what a student wrote down as one number: None for the dots, NaN for anything that is none."""
    if answer is None or answer is Ellipsis:
        return None
    try:
        return np.nan if np.ndim(answer) else float(answer)
    except (TypeError, ValueError):
        return np.nan


def same(answer, expected):
    return np.allclose(answer, expected, rtol=1e-6, atol=1e-9)


def find_fault(answer, expected, mistakes, *, shape, differs):
    """Return the Verdict on a student's array (as `call` gave it) if it is not `expected`, else None.

    `mistakes` are pairs (array, sentence): likely wrong answers, each with what leads to it. `shape` says
    what the shape should be, `differs` what to do about a mistake that has no name.
    """
    if answer is None:
        return not_yet(f"the function returned None; return an array of shape {expected.shape}")
    if isinstance(answer, Verdict):
        return answer
    if answer.shape != expected.shape:
        return not_yet(f"the shape is {answer.shape}; {shape} {expected.shape}")
    for wrong, sentence in mistakes:
        if same(answer, wrong):
            return not_yet(sentence)
    return None if same(answer, expected) else not_yet(differs)
