"""Every map from scores to weights, with what is true of it: the source of the book's comparison table."""

from collections.abc import Callable
from dataclasses import dataclass

from attnlib.transforms import exponential, gumbel, logistic, rectified, scaling, sparse

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


def _entry(module, name, formula, citation, facts):
    facts = dict(zip(FACTS, (mark == "+" for mark in facts.split()), strict=True))
    return Transform(name, getattr(module, name), getattr(module, f"{name}_vjp"), formula, citation, facts)


_MIN_MAX = r"y_i = \frac{x_i - \min x}{\max x - \min x}"
CATALOGUE = (
    # one mark per fact: sum, [0, 1], non-negative; shift, scale, order; zeros, smooth
    _entry(
        exponential,
        "softmax",
        r"\frac{e^{z_i}}{\sum_j e^{z_j}}",
        "bridle1990probabilistic",
        "+ + + + - + - +",
    ),
    _entry(
        exponential,
        "softmax_one",
        r"\frac{e^{z_i}}{1 + \sum_j e^{z_j}}",
        "miller2023attention",
        "- + + - - + - +",
    ),
    _entry(
        exponential,
        "scalable_softmax",
        r"\frac{n^{s z_i}}{\sum_j n^{s z_j}}",
        "nakanishi2025scalable",
        "+ + + + - + - +",
    ),
    _entry(logistic, "sigmoid", r"\frac{1}{1 + e^{-z_i}}", "bridle1990probabilistic", "- + + - - + - +"),
    _entry(
        logistic, "sigmoid_attention", r"\frac{1}{1 + n e^{-z_i}}", "ramapuram2025theory", "- + + - - + - +"
    ),
    _entry(scaling, "linear", r"\frac{y_i}{\sum_j y_j}, \quad " + _MIN_MAX, "han2012data", "+ + + + + + + -"),
    _entry(scaling, "min_max", r"\frac{x_i - \min x}{\max x - \min x}", "han2012data", "- + + + + + + -"),
    _entry(
        scaling,
        "decimal_scaling",
        r"\frac{z_i}{10^j}, \quad j = \min\{j : \max_k |z_k| < 10^j\}",
        "han2012data",
        "- - - - - + + -",
    ),
    _entry(scaling, "length_normalization", r"\frac{z_i}{n}", "wortsman2023replacing", "- - - - - + + +"),
    _entry(
        rectified, "relu_attention", r"\frac{\max(z_i, 0)}{n}", "wortsman2023replacing", "- - + - - + + -"
    ),
    _entry(sparse, "sparsemax", r"[z_i - \tau]_+", "martins2016softmax", "+ + + + - + + -"),
    _entry(
        sparse,
        "entmax",
        r"[(\alpha - 1) z_i - \tau]_+^{1/(\alpha - 1)}",
        "peters2019sparse",
        "+ + + + - + + +",
    ),
    _entry(
        gumbel,
        "gumbel_softmax",
        r"\frac{e^{(x_i + g_i)/T}}{\sum_j e^{(x_j + g_j)/T}}",
        "jang2017categorical",
        "+ + + + - - - +",
    ),
)
