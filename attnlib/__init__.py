"""From attention scores to probability distributions: the implementations behind the book.

`import attnlib` loads numpy alone. Figures, explorers, data sets and exercise checks are submodules to import
by name.
"""

# ruff: noqa: F401, I001
from attnlib.attention import attend, attend_vjp
from attnlib.catalogue import CATALOGUE, FACTS
from attnlib.gradients import check_vjp, jacobian, temperature_gradient
from attnlib.margins import a_softmax, a_softmax_vjp, am_softmax, am_softmax_vjp
from attnlib.margins import angular_margin, angular_margin_vjp, cross_entropy, cross_entropy_vjp
from attnlib.measures import entropy, kl_divergence, perplexity, total_variation
from attnlib.measures import expected_calibration_error, support_size, top_k_mass
from attnlib.online import online_softmax
from attnlib.scores import additive_score, additive_score_vjp, causal_mask, cosine_score, cosine_score_vjp
from attnlib.scores import dot_product_score, dot_product_score_vjp
from attnlib.scores import scaled_dot_product_score, scaled_dot_product_score_vjp
from attnlib.transforms.exponential import log_softmax, log_softmax_vjp, softmax_one, softmax_one_vjp
from attnlib.transforms.exponential import scalable_softmax, scalable_softmax_vjp, softmax, softmax_vjp
from attnlib.transforms.gumbel import gumbel_softmax, gumbel_softmax_vjp
from attnlib.transforms.logistic import sigmoid, sigmoid_attention, sigmoid_attention_vjp, sigmoid_vjp
from attnlib.transforms.rectified import relu_attention, relu_attention_vjp
from attnlib.transforms.scaling import decimal_scaling, decimal_scaling_vjp, min_max, min_max_vjp
from attnlib.transforms.scaling import length_normalization, length_normalization_vjp, linear, linear_vjp
from attnlib.transforms.sparse import entmax, entmax_vjp, sparsemax, sparsemax_vjp

__all__ = sorted(name for name, value in globals().items() if name.isupper() or callable(value))
