"""From attention scores to probability distributions: the implementations behind the book.

`import attnlib` loads numpy alone. Figures, explorers, data sets and exercise checks are submodules to import
by name.
"""

from attnlib.attention import attend
from attnlib.catalogue import CATALOGUE, FACTS
from attnlib.gradients import check_vjp, jacobian
from attnlib.measures import entropy, expected_calibration_error, perplexity, top_k_mass
from attnlib.scores import (
    dot_product_score,
    dot_product_score_vjp,
    scaled_dot_product_score,
    scaled_dot_product_score_vjp,
)
from attnlib.transforms.exponential import log_softmax, log_softmax_vjp, softmax, softmax_vjp

__all__ = [
    "CATALOGUE",
    "FACTS",
    "attend",
    "check_vjp",
    "dot_product_score",
    "dot_product_score_vjp",
    "entropy",
    "expected_calibration_error",
    "jacobian",
    "log_softmax",
    "log_softmax_vjp",
    "perplexity",
    "scaled_dot_product_score",
    "scaled_dot_product_score_vjp",
    "softmax",
    "softmax_vjp",
    "top_k_mass",
]
