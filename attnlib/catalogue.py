"""Every map from scores to weights, with what is true of it: the source of the book's comparison table."""

from collections.abc import Callable
from dataclasses import dataclass

from attnlib.transforms.exponential import softmax, softmax_vjp

#: What a fact says: each True is tested on random rows, each False by a row that breaks it ("exact zeros
#: possible" the other way round). Order preserving: a larger score never gets a smaller weight. Scale: by a
#: positive factor. Smooth: a continuous derivative.
FACTS = (
    "sums to one",
    "within [0, 1]",
    "non-negative",
    "shift invariant",
    "scale invariant",
    "order preserving",
    "exact zeros possible",
    "smooth everywhere",
)


@dataclass(frozen=True)
class Transform:
    """A map from scores to weights; formula is LaTeX in z = x/T, citation a key of references.bib."""

    name: str
    function: Callable
    vjp: Callable
    formula: str
    citation: str
    facts: dict

    @property
    def random(self):
        """Whether the map needs `rng=` or `noise=`."""
        return self.name == "gumbel_softmax"


def _entry(function, vjp, formula, citation, *facts):
    return Transform(
        function.__name__, function, vjp, formula, citation, dict(zip(FACTS, facts, strict=True))
    )


yes, no = True, False
CATALOGUE = (
    _entry(
        softmax,
        softmax_vjp,
        r"\frac{e^{z_i}}{\sum_j e^{z_j}}",
        "bridle1990probabilistic",
        *(yes, yes, yes, yes, no, yes, no, yes),
    ),
)
