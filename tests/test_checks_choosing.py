"""The checks of choosing: each likely mistake is caught by name, and right answers pass."""

import numpy as np
import pytest

from attnlib import entmax, linear, sparsemax
from attnlib.checks import choosing as checks

WANTED = ["sums to one", "exact zeros possible"]


@pytest.mark.parametrize(
    "names",
    [
        ["linear", "sparsemax", "entmax"],
        ("entmax", "linear", "sparsemax"),
        {"entmax", "linear", "sparsemax"},
        np.array(["linear", "sparsemax", "entmax"]),
        [linear, sparsemax, entmax],
        "linear, sparsemax, entmax",
    ],
)
def test_right_names_pass(names):
    assert checks.maps_with(names, WANTED).passed


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["sparsemax", "entmax"], "1 more fits"),
        ("sparsemax", "2 more fit"),
        (["sparsemax", "entmax", "linear", "min_max"], "min_max does not fit: not sums to one"),
        (["softmax"], "not exact zeros possible"),
        (["relu_attention"], "not sums to one"),
        (["sparse"], "'sparse' is no map"),
        ([], "3 more fit"),
        (3, "'3' is no map"),
        (..., "dots"),
    ],
)
def test_wrong_names_are_named(names, said):
    verdict = checks.maps_with(names, WANTED)
    assert not verdict.passed
    assert said in verdict.message


def test_right_detector_passes():
    assert checks.shift_detector(lambda f, x: np.abs(f(x) - f(x + 3)).max() < 1e-9).passed


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda f, x: (f(x) == f(x + 3)).all(), "rounding"),
        (lambda f, x: np.allclose(f(x), f(x * 3)), "a factor"),
        (lambda f, x: not np.allclose(f(x), f(x + 3)), "wrong way round"),
        (lambda f, x: True, "True for every map"),
        (lambda f, x: np.allclose(f(x + 3), f(x + 3)), "True for every map"),
        (lambda f, x: np.isclose(f(x), f(x + 3)), "one answer"),
        (lambda f, x: np.abs(f(x) - f(x + 3)).max(), "True or False"),
        (lambda f, x: (f(x) >= 0).all(), "judged wrongly"),
        (lambda f, x: None, "returned None"),
        (lambda f, x: f(x).missing, "raised AttributeError"),
    ],
)
def test_wrong_detectors_are_named(function, said):
    verdict = checks.shift_detector(function)
    assert not verdict.passed
    assert said in verdict.message
