"""What every check shares: the verdict, and how a student's function is called."""

import copy
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
    """Call the student's function; return its answer as floats, or the Verdict that explains why not.

    It gets copies of the arguments, so what it does to them changes nothing here.
    """
    try:
        with np.errstate(all="ignore"):
            answer = function(*copy.deepcopy(arguments))
    except Exception as error:  # the student's own code may raise anything
        return not_yet(f"the function raised {type(error).__name__}: {error}")
    if answer is None or answer is Ellipsis:
        return None
    try:
        return _floats(answer)
    except Exception:  # and so may what it returns, when it is turned into floats
        return not_yet(f"the function returned a {type(answer).__name__}; return numbers")


def number(answer):
    """Return what a student wrote down as one number: None for the dots, NaN for anything that is none."""
    if answer is None or answer is Ellipsis:
        return None
    try:
        answer = _floats(answer)
    except Exception:  # see `call`
        return np.nan
    return np.nan if answer.ndim else float(answer)


def _floats(answer):
    array = np.asarray(answer)
    if array.dtype.kind == "c":
        raise TypeError("a complex number is no float, though numpy would drop its second part")
    return array.astype(float)


def same(answer, expected, atol=1e-9):
    """Say whether an answer has the shape and, up to rounding, the numbers of what is expected."""
    return np.shape(answer) == np.shape(expected) and np.allclose(answer, expected, rtol=1e-6, atol=atol)


def ratio(first, second):
    """Return how many times the second weight the first is, as text; a huge number is not worth reading.

    >>> ratio(0.75, 0.25), ratio(1.0, 0.0)
    ('3.000', 'more than a million')
    """
    return f"{first / second:.3f}" if first < 1e6 * second else "more than a million"


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
