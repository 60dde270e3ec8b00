"""Every map from scores to weights, with what is true of it: the source of the book's comparison table."""

from collections import namedtuple

from attnlib._rows import vjp_of
from attnlib.transforms import exponential, gumbel, logistic, rectified, scaling, sparse

#: What a fact says: each True is tested on random rows, each False by a row that breaks it ("exact zeros
#: possible" the other way round). Order preserving: a larger score never gets a smaller weight. Scale: by a
#: positive factor. Smooth: a continuous derivative.
# fmt: off
FACTS = (
    "sums to one", "within [0, 1]", "non-negative", "shift invariant", "scale invariant",
    "order preserving", "exact zeros possible", "smooth everywhere",
)
# fmt: on


class Transform(namedtuple("Transform", "name function vjp formula citation facts")):
    """A map from scores to weights; formula is LaTeX in z = x/T, citation a key of references.bib."""

    __slots__ = ()

    @property
    def random(self):
        """Whether the map needs `rng=` or `noise=`."""
        return self.name == "gumbel_softmax"


def _entry(marks, function, citation, formula):
    facts = dict(zip(FACTS, (mark == "+" for mark in marks), strict=True))
    return Transform(function.__name__, function, vjp_of(function), formula, citation, facts)


_MIN_MAX = r"\frac{x_i - \min x}{\max x - \min x}"
# fmt: off
CATALOGUE = tuple(_entry(*row) for row in (  # one mark per fact, in the order of FACTS
    ("++++-+-+", exponential.softmax, "bridle1990probabilistic", r"\frac{e^{z_i}}{\sum_j e^{z_j}}"),
    ("-++--+-+", exponential.softmax_one, "miller2023attention", r"\frac{e^{z_i}}{1 + \sum_j e^{z_j}}"),
    ("++++-+-+", exponential.scalable_softmax, "nakanishi2025scalable", r"\mathrm{softmax}(s \log n\, z)"),
    ("-++--+-+", logistic.sigmoid, "bridle1990probabilistic", r"\frac{1}{1 + e^{-z_i}}"),
    ("-++--+-+", logistic.sigmoid_attention, "ramapuram2025theory", r"\frac{1}{1 + n e^{-z_i}}"),
    ("+++++++-", scaling.linear, "han2012data", r"\frac{y_i}{\sum_j y_j}, \quad y_i = " + _MIN_MAX),
    ("-++++++-", scaling.min_max, "han2012data", _MIN_MAX),
    ("-----++-", scaling.decimal_scaling, "han2012data", r"\frac{z_i}{10^j}, \quad \max_k |z_k| < 10^j"),
    ("-----+++", scaling.length_normalization, "wortsman2023replacing", r"\frac{z_i}{n}"),
    ("--+--++-", rectified.relu_attention, "wortsman2023replacing", r"\frac{\max(z_i, 0)}{n}"),
    ("++++-++-", sparse.sparsemax, "martins2016softmax", r"[z_i - \tau]_+"),
    ("++++-+++", sparse.entmax, "peters2019sparse", r"[(\alpha - 1) z_i - \tau]_+^{1/(\alpha - 1)}"),
    ("++++---+", gumbel.gumbel_softmax, "jang2017categorical", r"\mathrm{softmax}((x + g)/T)"),
))
