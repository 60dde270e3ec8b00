"""A number worked out on paper: whatever is written in its place, the check answers and never raises."""

import importlib
import inspect
import pkgutil

import numpy as np
import pytest

from attnlib import checks
from attnlib.checks import (
    captioning,
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
    "answer", [[1.0, 2.0], np.zeros(3), "two", {}, 1j, np.nan, np.inf, -np.inf, None, ...]
)
def test_no_answer_raises(check, arguments, answer):
    verdict = check(answer, *arguments)
    assert not verdict.passed
    assert repr(verdict).startswith("not yet: ")


def test_every_check_of_a_number_is_listed():
    found = {
        function
        for module in pkgutil.iter_modules(checks.__path__, "attnlib.checks.")
        if not module.name.endswith("_verdict")
        for function in vars(importlib.import_module(module.name)).values()
        if inspect.isfunction(function)
        and function.__module__ == module.name
        and next(iter(inspect.signature(function).parameters.values())).annotation is float
    }
    assert found == {check for check, *_ in ON_PAPER}
