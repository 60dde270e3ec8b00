"""Whatever a student writes down, or a student's function does, a check answers and never raises."""

import importlib
import inspect
import pkgutil
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from attnlib import (
    additive_score,
    am_softmax,
    angular_margin,
    checks,
    cosine_score,
    entropy,
    expected_calibration_error,
    gumbel_softmax,
    linear,
    scalable_softmax,
    scaled_dot_product_score,
    sigmoid_attention,
    softmax_one,
    softmax_vjp,
    sparsemax,
)
from attnlib import softmax as shares
from attnlib.checks import (
    captioning,
    choosing,
    end_to_end,
    focus,
    fusion,
    generalization,
    gradients,
    gumbel,
    interpretability,
    long_sequences,
    margins,
    normalization,
    relu,
    scores,
    sigmoid,
    sinks_and_scale,
    softmax,
    sparse,
    speech,
    summarization,
    temperature,
    translation,
    uncertainty,
)
from attnlib.checks import linear as linear_checks

ON_PAPER = [
    (captioning.places_of, 20, 60, 8),
    (end_to_end.dead_slot, 30),
    (focus.lift_to_notice, [2.0, 1.0, 0.0]),
    (fusion.temperature_of_bandwidth, 2.0),
    (generalization.same_weights, 0.75),
    (gradients.cross_rate, [0.5, 0.3, 0.2], 2.0),
    (gumbel.upset, 1.0),
    (interpretability.output_without, 0.8, 5.0, 4.6),
    (long_sequences.next_sum, 1.0, 1.5, 2.0),
    (margins.largest_margin, 4),
    (normalization.weight_after, [0.5, 0.3, 0.2], 0.6),
    (scores.odds_of_two_keys, 3.0, 1.0, 4),
    (sigmoid.difference_for, 0.9),
    (sinks_and_scale.temperature_for_half, 2.0, 10),
    (softmax.temperature_of_base, 2.0),
    (sparse.entry_temperature, [2.0, 1.0, 0.0]),
    (speech.lead_for_half, 165),
    (summarization.odds_of_cosines, 0.1, 20.0),
    (temperature.temperature_for_odds, 2.0, 3.0),
    (translation.weight_at, (0.1, 0.4), 0.5),
    (uncertainty.effective_number, [0.5, 0.25, 0.25]),
]


@pytest.mark.parametrize(("check", *["arguments"]), [(check, rest) for check, *rest in ON_PAPER])
@pytest.mark.parametrize(
    "answer",
    [
        [1.0, 2.0], [], [[]], [1, [2, 3]], np.zeros(3), "two", "", {}, object(), print, 1j, np.complex128(1),
        np.nan, np.inf, -np.inf, 1e308, -1e308, pytest.param(10**400, id="huge"), 1e-3, 5e-324, None, ...,
    ],
)  # fmt: skip
def test_no_answer_raises(check, arguments, answer):
    verdict = check(answer, *arguments)
    assert not verdict.passed
    assert repr(verdict).startswith("not yet: ")


def test_kinds_of_numbers():
    assert uncertainty.effective_number(Fraction(2), [0.5, 0.5]).passed
    assert uncertainty.effective_number(np.array(2), [0.5, 0.5]).passed


@pytest.mark.parametrize("answer", [0.001, 5e-324])
def test_odds_that_no_one_could_read_are_not_printed(answer):
    for verdict in (softmax.temperature_of_base(answer, 2.0), temperature.temperature_for_odds(answer, 2, 3)):
        assert "more than a million" in verdict.message
        assert "raise T" in verdict.message


@pytest.mark.parametrize(
    ("check", "arguments"),
    [(linear_checks.linear_by_hand, ([40, 10, 0],)), (relu.relu_by_hand, ([6, -3, 2], 2.0))],
)
@pytest.mark.parametrize(
    "answer",
    [[], [[]], [1, [2, 3]], "two", {}, 1, [np.inf, -np.inf, 0], [np.nan] * 3, [1j] * 3, [10**400] * 3],
)  # fmt: skip
def test_no_row_raises(check, arguments, answer):
    assert check(answer, *arguments).message == "not yet: write down 3 numbers, one weight for each score"


def public(kind):
    """The checks whose first argument is annotated so."""
    return {
        function
        for module in pkgutil.iter_modules(checks.__path__, "attnlib.checks.")
        if not module.name.endswith("_verdict")
        for name, function in vars(importlib.import_module(module.name)).items()
        if inspect.isfunction(function) and function.__module__ == module.name and not name.startswith("_")
        if next(iter(inspect.signature(function).parameters.values())).annotation is kind
    }


def test_every_check_of_a_number_is_listed():
    assert public(float) == {check for check, *_ in ON_PAPER}


# A student's function.


def others(n):
    return ~np.eye(n, dtype=bool)


def without(weights, values):
    return (weights @ values - weights[:, None] * values) / (1 - weights)[:, None]


def expect(t, pairs):
    counts = np.zeros(t.shape)
    for source, target in pairs:
        part = t[np.ix_(target, source)]
        counts[np.ix_(target, source)] += part / part.sum(axis=1, keepdims=True)
    return counts / counts.sum(axis=0)


def raised(row, k, target):
    weight = shares(row)[k]
    return np.log(target / (1 - target)) - np.log(weight / (1 - weight))


def pulled(z, mask):
    kept = np.where(mask, z, -np.inf)
    top = kept.max(axis=1, keepdims=True)
    return -1.0 * ((top <= 0) & (kept == top))


IN_CODE = [
    (captioning.coverage_penalty, lambda weights, c: ((c - weights.sum(axis=0)) ** 2).sum()),
    (choosing.shift_detector, lambda f, z: np.allclose(f(z), f(z + 3))),
    (end_to_end.revive, pulled),
    (focus.tokens_for, lambda p, mass: ((-np.sort(-p)).cumsum(axis=1) < mass).sum(axis=1) + 1),
    (fusion.leave_one_out,
     lambda x, y, T: shares(-((x[:, None] - x) ** 2), mask=others(len(x)), temperature=T) @ y),
    (generalization.calibration_error, expected_calibration_error),
    (gradients.softmax_pull_back, lambda z, g, T: softmax_vjp(z, g, temperature=T)),
    (gumbel.draw, lambda z, rng: gumbel_softmax(z, rng=rng, hard=True).argmax(axis=1)),
    (interpretability.outputs_without, without),
    (linear_checks.linear_weights, linear),
    (long_sequences.stream, lambda blocks: np.logaddexp.reduce(np.concatenate(list(blocks)))),
    (margins.additive_margin_logits, lambda x, w, y, s, m: am_softmax(x, w, y, scale=s, margin=m)),
    (margins.stretched_cosine, angular_margin),
    (normalization.rise_for, raised, [1.0, 0.0, -1.0], 1),
    (relu.merge, lambda contexts, sums: (shares(sums, axis=0)[:, :, None] * contexts).sum(axis=0)),
    (scores.additive_scores, additive_score),
    (sigmoid.bias_for_one, lambda row: -np.log(len(row) - 1), [0.0, 0.0, 0.0]),
    (sigmoid.one_by_one, lambda z, mask, T: sigmoid_attention(z, mask=mask, temperature=T)),
    (sinks_and_scale.scalable_softmax_with_mask, lambda z, mask, s: scalable_softmax(z, mask=mask, scale=s)),
    (sinks_and_scale.softmax_with_sink, lambda z, sink: softmax_one(z, sink=sink)),
    (softmax.log_sum_exp, lambda z: np.logaddexp.reduce(z, axis=1)),
    (sparse.sparsemax, sparsemax),
    (speech.weights_with_silence, lambda z, padding: shares(np.column_stack([z, padding]))[:, :-1]),
    (summarization.attention_received,
     lambda x, s: shares(s * cosine_score(x, x), mask=others(len(x))).mean(axis=0)),
    (temperature.attention_weights,
     lambda q, k, mask, T: shares(scaled_dot_product_score(q, k), mask=mask, temperature=T)),
    (temperature.temperature_for_perplexity, lambda row, target: 0.7, [0.0, 0.0, -100.0], 2.0),
    (translation.one_round, expect),
    (uncertainty.row_entropies, entropy),
]  # fmt: skip
HOSTILE = {
    "raises": lambda right: 1 / 0,
    "none": lambda right: None,
    "dots": lambda right: ...,
    "text": lambda right: "two",
    "object": lambda right: object(),
    "empty": lambda right: [],
    "nested": lambda right: [[]],
    "ragged": lambda right: [1, [2, 3]],
    "nan": lambda right: np.nan,
    "inf": lambda right: np.inf,
    "minus one": lambda right: -1,
    "huge whole number": lambda right: 10**400,
    "too long": lambda right: np.zeros(17),
    "one axis more": lambda right: np.stack([right, right]),
    "one axis less": lambda right: np.ravel(right)[:-1],
    "complex": lambda right: np.asarray(right) + 1j,
    "array of nan": lambda right: np.full(np.shape(right), np.nan),
    "array of inf": lambda right: np.full(np.shape(right), np.inf),
    "array of minus inf": lambda right: np.full(np.shape(right), -np.inf),
    "array of large numbers": lambda right: np.full(np.shape(right), 1e308),
    "array of objects": lambda right: np.full(np.shape(right), 10**400, dtype=object),
}


def calls_of(check, right, *arguments):
    """Run a check of a right function; return how often it was called."""
    times = []
    verdict = check(lambda *given: times.append(1) or right(*given), *arguments)
    assert verdict.passed, verdict
    return len(times)


@pytest.mark.parametrize("hostile", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize(("check", *["rest"]), [(check, rest) for check, *rest in IN_CODE])
def test_no_function_raises(check, rest, hostile):
    """From the first call on, and from each later one: right before, and then this."""
    right, *arguments = rest
    for first in range(calls_of(check, *rest)):
        times = []

        def turns(*given, first=first, times=times):
            times.append(1)
            answer = right(*given)
            return hostile(answer) if len(times) > first else answer

        verdict = check(turns, *arguments)
        assert not verdict.passed, f"call {first + 1}"
        assert repr(verdict).startswith("not yet: ")


@pytest.mark.parametrize(("check", *["rest"]), [(check, rest) for check, *rest in IN_CODE])
def test_a_right_function_may_spoil_its_arguments(check, rest):
    right, *arguments = rest

    def spoil(*given):
        answer = np.array(right(*given))
        for array in given:
            if isinstance(array, np.ndarray):
                array[...] = 0
        return answer

    assert check(spoil, *arguments).passed
    assert calls_of(check, *rest)


def test_every_check_of_a_function_is_listed():
    assert public(Callable) == {check for check, *_ in IN_CODE}
