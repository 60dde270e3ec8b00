"""Checks of the exercises in choosing.

>>> maps_with(["softmax"], ["sums to one", "exact zeros possible"])
not yet: softmax does not fit: not exact zeros possible
"""

from collections.abc import Callable

import numpy as np

from attnlib.catalogue import CATALOGUE
from attnlib.checks._verdict import Verdict, call, not_yet, right


def maps_with(names, facts) -> Verdict:
    """Check a list of names of maps: all that have every one of the `facts`, and no other.

    >>> maps_with(..., ["sums to one"])
    not yet: put a list of names in place of the dots
    """
    if names is None or names is Ellipsis:
        return not_yet("put a list of names in place of the dots")
    entries = {entry.name: entry for entry in CATALOGUE}
    names = names.replace(",", " ").split() if isinstance(names, str) else names
    names = names if np.iterable(names) else [names]
    given = [getattr(name, "__name__", str(name)) for name in names]  # functions are welcome, too
    for name in given:
        if name not in entries:
            return not_yet(f"{name!r} is no map of the table")
        lacking = [fact for fact in facts if not entries[name].facts[fact]]
        if lacking:
            return not_yet(f"{name} does not fit: not {', not '.join(lacking)}")
    missing = [name for name, entry in entries.items() if all(map(entry.facts.get, facts))]
    missing = [name for name in missing if name not in given]
    if missing:
        return not_yet(f"{len(missing)} more {'fits' if len(missing) == 1 else 'fit'}")
    return right(f"{', '.join(given)}")


def shift_detector(function: Callable) -> Verdict:
    """Check a student's `function(transform, scores)` that says whether a shift by 3 changes no weight.

    Told apart: exact comparison (rounding is no change), an answer that never depends on the map, the test
    of a factor in place of a shift, the opposite answer, one answer for each weight.

    >>> shift_detector(lambda transform, scores: np.allclose(transform(scores), transform(scores + 3)))
    right: it tells every map of the catalogue from its facts
    """
    scores = np.array([0.137, 0.713, -0.611, 0.293])
    answers, truth, scale = [], [], []
    for entry in CATALOGUE:
        if entry.random:
            continue
        answer = call(function, entry.function, scores)
        if answer is None:
            return not_yet("the function returned None; return True or False")
        if isinstance(answer, Verdict):
            return answer
        if answer.ndim or answer not in (0, 1):
            return not_yet("return one answer, True or False, for the whole row; numpy has allclose for that")
        answers.append(bool(answer))
        truth.append(entry.facts["shift invariant"])
        scale.append(entry.facts["scale invariant"])
    if answers == truth:
        return right("it tells every map of the catalogue from its facts")
    if len(set(answers)) == 1:
        return not_yet(f"the answer is {answers[0]} for every map")
    if answers == scale:
        return not_yet("this tests a factor; add 3 instead of multiplying by it")
    if [not answer for answer in answers] == truth:
        return not_yet("the answer is the wrong way round")
    if all(fact or not answer for answer, fact in zip(answers, truth, strict=True)):
        return not_yet("rounding counts as a change here; compare with np.allclose, not with ==")
    return not_yet("some maps are judged wrongly; try softmax (True) and sigmoid (False)")
