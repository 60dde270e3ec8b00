"""Log-mel features: the model's own, a direct sum, and what is known of the mel scale."""

import cmath
import math
from importlib import resources

import numpy as np
import pytest
from numpy.testing import assert_allclose

from attnlib import audio, datasets

SCORES = resources.files("attnlib") / "data" / "whisper" / "whisper_scores.npz"


def test_features_are_those_that_the_model_got():
    # every twentieth column, computed by another implementation (tools/data/extract_whisper_scores.py)
    with np.load(str(SCORES)) as archive:
        reference = archive["log_mel"]
    sound = datasets.speech().audio
    padded = np.pad(sound, (0, 30 * 16000 - len(sound)))
    features = audio.log_mel(padded)
    assert features.shape == (80, 3000)
    assert_allclose(features[:, :330:20], reference, atol=1e-6)
    assert_allclose(audio.log_mel(sound)[:, :325], features[:, :325], atol=1e-12)  # silence adds nothing


def test_one_column_is_the_sum_written_out():
    sound = np.random.default_rng(0).normal(size=800)
    filters, middle, powers = audio.mel_filters(bands=3), 2 * audio.HOP, []
    for k in range(201):
        total = sum(
            sound[middle - 200 + n]
            * (0.5 - 0.5 * math.cos(2 * math.pi * n / 400))
            * cmath.exp(-2j * math.pi * k * n / 400)
            for n in range(400)
        )
        powers.append(abs(total) ** 2)
    levels = [math.log10(sum(f * p for f, p in zip(row, powers, strict=True))) for row in filters]
    assert_allclose(audio.log_mel(sound, bands=3)[:, 2], (np.array(levels) + 4) / 4, rtol=1e-9)


def test_the_mel_scale_is_linear_then_logarithmic():
    assert_allclose(audio.hertz_to_mel([0, 500, 1000, 6400, 40960]), [0, 7.5, 15, 42, 69])
    hertz = np.linspace(0, 8000, 57)
    assert_allclose(audio.mel_to_hertz(audio.hertz_to_mel(hertz)), hertz, atol=1e-9)
    assert (np.diff(audio.hertz_to_mel(hertz)) > 0).all()


def test_filters_are_triangles_of_area_one():
    filters = audio.mel_filters(bands=40, window=16000)  # 1 Hz apart, fine enough to integrate
    assert_allclose(filters.sum(axis=1), 1, rtol=2e-3)
    corners = audio.mel_to_hertz(np.linspace(0, audio.hertz_to_mel(8000), 42))
    assert_allclose(filters.argmax(axis=1), corners[1:-1], atol=1)
    for row, low, high in zip(filters, corners, corners[2:], strict=False):
        inside = np.flatnonzero(row)
        assert low < inside[0] <= low + 1 and high - 1 <= inside[-1] < high


def test_loudness_moves_the_features_and_the_floor_stops_them():
    sound = datasets.speech().audio / 32768
    once, tenth = audio.log_mel(sound), audio.log_mel(sound / 10)
    high = once > once.min() + 0.01
    assert_allclose((once - tenth)[high & (tenth > -1.4)].max(), 2 / 4, atol=1e-9)  # 20 dB are 2 of log10
    assert_allclose(once.max() - once.min(), 8 / 4)
    assert_allclose(audio.log_mel(np.zeros(800)), (-10 + 4) / 4)


def test_what_is_stored_as_integers_is_the_same_sound():
    stored = datasets.speech().audio[:3200]
    assert_allclose(audio.log_mel(stored), audio.log_mel(stored / 32768))


@pytest.mark.parametrize("sound", [np.zeros((2, 800)), np.zeros(200), np.float64(0)])
def test_other_shapes_are_refused(sound):
    with pytest.raises(ValueError, match=r"expected one channel of over 200 samples"):
        audio.log_mel(sound)
