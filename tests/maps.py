"""Every map of the package in one signature, for the tests that hold for all of them."""

from functools import partial

import numpy as np

import attnlib
from attnlib import CATALOGUE, gumbel_softmax, gumbel_softmax_vjp, log_softmax, log_softmax_vjp


def wave(scores):
    """Noise that is a function of the score, so that it follows every permutation and slice of the scores."""
    return 0.5 * np.cos(9.0 * np.clip(np.nan_to_num(np.asarray(scores, float)), -50.0, 50.0))


def gumbel(scores, axis=-1, **options):
    return gumbel_softmax(scores, axis, noise=wave(scores), **options)


def gumbel_vjp(scores, grad_weights, axis=-1, **options):
    return gumbel_softmax_vjp(scores, grad_weights, axis, noise=wave(scores), **options)


PAIRS = {entry.name: (entry.function, entry.vjp) for entry in CATALOGUE}
PAIRS |= {"gumbel_softmax": (gumbel, gumbel_vjp), "log_softmax": (log_softmax, log_softmax_vjp)}
for name, options in {
    "softmax_one": {"sink": 0.5},
    "scalable_softmax": {"scale": 0.4},
    "entmax": {"alpha": 1.2},
    "entmax ": {"alpha": 2},
    "entmax  ": {"alpha": 3},
}.items():
    pair = (getattr(attnlib, name.strip()), getattr(attnlib, f"{name.strip()}_vjp"))
    PAIRS[f"{name.strip()} {options}"] = tuple(partial(f, **options) for f in pair)

ELEMENTWISE = {"sigmoid", "sigmoid_attention", "length_normalization", "relu_attention"}
SIMPLEX = [
    name for name in PAIRS if name.split()[0] in {"softmax", "scalable_softmax", "linear", "sparsemax"}
]
SIMPLEX += [name for name in PAIRS if name.split()[0] in {"entmax", "gumbel_softmax"}]


def nothing(name):
    """Return the weight of an entry that is dropped."""
    return -np.inf if name == "log_softmax" else 0.0
