"""The readers and what trains them: gradients against differences, Adam against its definition."""

import math
from functools import partial

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits
from tqdm import tqdm
from tqdm.notebook import tqdm as notebook_bar

from attnlib import relu_attention, softmax, sparsemax
from attnlib.experiments import SETUPS, Setup, new_reader
from attnlib.tasks import GRID, batches, dates, strips, symbols
from attnlib.training import Adam, DateReader, fit, rate_at


def sample_of(task, n=3):
    return (dates if task == "dates" else strips)(n, np.random.default_rng(0))


def reader_of(task, setup="softmax", seed=1):
    """A reader in float64, moved away from the kinks at which it starts (biases of exactly 0)."""
    reader = new_reader(task, setup, np.random.default_rng(seed))
    reader.load(reader.parameters)
    move = np.random.default_rng(2)
    for name, value in reader.parameters.items():
        value += 0.1 * move.normal(size=value.shape)
        if name == "E":
            value[0] = 0.0
    return reader


def slopes(reader, loss):
    """Return {parameter: (direction, central difference of the loss along it)}."""
    rng, found, h = np.random.default_rng(3), {}, 1e-6
    for name, value in reader.parameters.items():
        direction = rng.normal(size=value.shape)
        if name == "E":
            direction[0] = 0.0
        at = value.copy()
        value[...] = at + h * direction
        up = loss()
        value[...] = at - h * direction
        found[name] = direction, (up - loss()) / (2 * h)
        value[...] = at
    return found


@pytest.mark.parametrize("task", ["dates", "strips"])
@pytest.mark.parametrize("name", [n for n, s in SETUPS.items() if not s.options.get("revive")])
def test_gradients_of_a_whole_reader_against_differences(task, name):
    if task == "strips" and SETUPS[name].options.get("score"):
        with pytest.raises(ValueError, match="score must be 'dot' for the strip reader, not 'additive'"):
            new_reader(task, name, np.random.default_rng(0))
        return
    reader, sample = reader_of(task, name), sample_of(task)
    if reader.random:  # the same noise at every evaluation
        reader.rng = SameNoise()
    _, gradients = reader.gradients(sample.inputs, sample.digits)
    assert set(gradients) == set(reader.parameters)
    measured = slopes(reader, lambda: reader.gradients(sample.inputs, sample.digits)[0])
    for parameter, (direction, slope) in measured.items():
        found = np.sum(gradients[parameter] * direction)
        assert found == pytest.approx(slope, rel=2e-5, abs=1e-7), parameter


class SameNoise:
    def gumbel(self, size):
        return np.random.default_rng(5).gumbel(size=size)


def test_reviving_is_the_gradient_of_a_hinge_on_dead_rows():
    sample, revive = sample_of("dates"), 0.3
    plain = reader_of("dates", Setup("", relu_attention))
    revived = reader_of("dates", Setup("", relu_attention, {"revive": revive}))
    for reader in (plain, revived):
        reader.parameters["Q"][2] = 0.0  # scores of exactly 0: a dead row
        reader.parameters["Q"][2, 0] = -1e-3 * np.sign(reader.keys(reader.see(sample.inputs)[0])[0, 0, 0])
    dead = ~plain.read(sample.inputs).weights.any(axis=-1)
    assert 0 < dead.sum() < dead.size

    def hinge():
        scores = np.where(sample.inputs[:, None] > 0, revived.read(sample.inputs).scores, -np.inf)
        return -revive * scores.max(axis=-1)[dead].sum() / len(sample)

    without = plain.gradients(sample.inputs, sample.digits)[1]
    found = revived.gradients(sample.inputs, sample.digits)[1]
    for name, (direction, slope) in slopes(revived, hinge).items():
        assert np.sum((found[name] - without[name]) * direction) == pytest.approx(slope, rel=1e-4, abs=1e-8)


def test_the_date_reader_by_hand():
    reader, sample = reader_of("dates"), sample_of("dates")
    p, x = reader.parameters, sample.inputs[0]
    reading = reader.read(sample.inputs)
    length, slot = len(sample.tokens[0]), 4
    scores = []
    for place in range(length):
        window = [x[i] if 0 <= i < len(x) else 0 for i in range(place - 3, place + 4)]
        hidden = np.concatenate([p["E"][s] for s in window]) @ p["W1"] + p["b1"]
        scores.append(p["Q"][slot] @ (np.maximum(hidden, 0) @ p["K"]) / math.sqrt(32))
    exponentials = np.exp(scores)
    weights = exponentials / exponentials.sum()
    context = sum(w * p["E"][s] for w, s in zip(weights, x[:length], strict=True))
    logits = np.maximum(context @ p["W2"] + p["b2"][slot], 0) @ p["W3"] + p["b3"]
    np.testing.assert_allclose(reading.weights[0, slot, :length], weights, rtol=1e-12)
    assert not reading.weights[0, slot, length:].any()
    np.testing.assert_allclose(reading.logits[0, slot], logits, rtol=1e-10)
    assert reading.digits[0, slot] == np.argmax(logits)


def test_the_strip_reader_by_hand():
    reader, sample = reader_of("strips", "sparsemax"), sample_of("strips")
    p, patches = reader.parameters, sample.inputs[1]
    hidden = np.maximum(patches @ p["W1"] + p["b1"], 0)
    place = [p["row"][i // GRID[1]] + p["column"][i % GRID[1]] for i in range(len(patches))]
    scores = (hidden @ p["K"] + place) @ p["Q"][3] / math.sqrt(24)
    weights = sparsemax(scores)
    logits = weights @ hidden @ p["W2"] + p["b2"]
    reading = reader.read(sample.inputs)
    np.testing.assert_allclose(reading.weights[1, 3], weights, atol=1e-12)
    np.testing.assert_allclose(reading.logits[1, 3], logits, rtol=1e-10)


def test_more_padding_changes_nothing():
    reader, sample = reader_of("dates"), sample_of("dates")
    longer = np.pad(sample.inputs, ((0, 0), (0, 5)))
    np.testing.assert_allclose(reader.read(longer).logits, reader.read(sample.inputs).logits, rtol=1e-12)


def test_context_normalized_has_mean_square_one():
    reader, sample = reader_of("strips", "sigmoid, context normalized"), sample_of("strips")
    context = reader.read(sample.inputs).trace[4]
    np.testing.assert_allclose(np.mean(context**2, axis=-1), 1, atol=1e-4)


def test_loss_of_a_reader_that_knows_nothing_is_log_10_a_digit():
    reader, sample = reader_of("dates"), sample_of("dates")
    reader.parameters["W3"][...] = reader.parameters["b3"][...] = 0
    assert reader.gradients(sample.inputs, sample.digits)[0] == pytest.approx(8 * math.log(10))


def test_a_random_transform_gets_noise_in_training_only():
    reader, sample = reader_of("dates", "gumbel_softmax"), sample_of("dates")
    assert (reader.read(sample.inputs).weights == reader.read(sample.inputs).weights).all()
    np.testing.assert_allclose(reader.read(sample.inputs).weights, softmax_of(reader, sample), rtol=1e-12)
    first, second = (reader.read(sample.inputs, training=True).weights for _ in range(2))
    assert (first != second).any()


def softmax_of(reader, sample):
    return softmax(reader.read(sample.inputs).scores, mask=(sample.inputs > 0)[:, None])


def test_learnt_temperature_divides_the_scores():
    reader, sample = reader_of("dates", "softmax, T learnt"), sample_of("dates")
    reader.parameters["log T"][...] = math.log(2)
    assert reader.temperature == pytest.approx(2)
    reading = reader.read(sample.inputs)
    expected = softmax(reading.scores / 2, mask=(sample.inputs > 0)[:, None])
    np.testing.assert_allclose(reading.weights, expected, rtol=1e-12)
    assert reader_of("dates").temperature == 1


def test_adam_is_its_definition():
    rng = np.random.default_rng(0)
    parameters = {"a": rng.normal(size=3), "b": np.array(2.0)}
    adam = Adam(parameters, rate=0.1, clip=1.0)
    theta = np.array([*parameters["a"], 2.0])
    m, s = np.zeros(4), np.zeros(4)
    for t in range(1, 6):
        g = 3 * rng.normal(size=4)
        share = 1 / t
        adam.step({"a": g[:3], "b": g[3]}, share)
        g = g / max(1.0, math.sqrt(sum(x * x for x in g)))  # shortened to length 1
        for i in range(4):
            m[i] = 0.9 * m[i] + 0.1 * g[i]
            s[i] = 0.99 * s[i] + 0.01 * g[i] ** 2
            theta[i] -= share * 0.1 * (m[i] / (1 - 0.9**t)) / (math.sqrt(s[i] / (1 - 0.99**t)) + 1e-8)
        np.testing.assert_allclose([*parameters["a"], parameters["b"]], theta, rtol=1e-6)


def test_adam_finds_the_minimum_of_a_parabola_and_keeps_float32():
    point = {"x": np.array([3.0, -2.0], np.float32)}
    adam = Adam(point, rate=0.1)
    for _ in range(400):
        adam.step({"x": 2 * (point["x"] - 1)}, share=0.5)
    np.testing.assert_allclose(point["x"], 1, atol=1e-3)
    assert point["x"].dtype == np.float32


def test_the_rate_rises_and_falls():
    rates = [rate_at(step, 800) for step in range(800)]
    assert rates[0] == pytest.approx(1.02 / 50, rel=1e-4)
    assert np.argmax(rates) == 49
    assert (np.diff(rates[49:]) < 0).all()
    assert rates[-1] == pytest.approx(0.02, abs=1e-4)


def short_run(steps=60, **options):
    rng = np.random.default_rng(4)
    reader = new_reader("dates", "softmax", rng)
    return reader, fit(reader, batches(dates(40, rng), 32, rng), steps, warmup=5, **options)


def test_fit_learns_and_reports(capfd):
    seen = []
    reader, losses = short_run(watch=lambda step, reader: seen.append((step, reader)))
    assert [step for step, _ in seen] == list(range(61))
    assert all(one is reader for _, one in seen)
    assert losses.shape == (60,)
    assert losses[0] == pytest.approx(8 * math.log(10), rel=0.2)
    assert losses[-1] < 0.5 * losses[0]
    assert capfd.readouterr() == ("", "")  # no bar under test


def test_fit_shows_a_bar_and_takes_it_away(monkeypatch, capfd):
    monkeypatch.delenv("TQDM_DISABLE")
    monkeypatch.setattr("attnlib.training.tqdm", partial(tqdm, mininterval=0))
    short_run(3)
    shown = capfd.readouterr().err
    assert "training: 100%" in shown
    assert shown.endswith("\r")
    assert not shown.split("\r")[-2].strip()


def test_fit_shows_no_bar_in_a_notebook_under_test(monkeypatch, capfd):
    """tqdm's notebook bar does not read TQDM_DISABLE: a chapter would store a bar at 0 %."""
    monkeypatch.setattr("attnlib.training.tqdm", notebook_bar)
    short_run(3)
    assert capfd.readouterr() == ("", "")


def test_fit_keeps_to_one_thread_and_gives_the_others_back():
    """In every library for matrix products that can be told so; Accelerate, on a Mac, is not seen."""

    def threads():
        return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]

    seen = []
    with threadpool_limits(2):
        before = threads()
        short_run(1, watch=lambda step, reader: seen.append(threads()))
        assert threads() == before
    assert set(before) <= {2}
    assert seen == [[1] * len(before)] * 2


def test_fit_is_the_same_twice():
    (one, first), (two, second) = short_run(), short_run()
    assert (first == second).all()
    assert all((one.parameters[name] == two.parameters[name]).all() for name in one.parameters)


def test_fit_stops_when_the_loss_is_lost():
    with pytest.raises(
        FloatingPointError, match="the loss is nan at step 1: the learning rate may be too large"
    ):
        short_run(rate=np.float32(np.inf))


def test_errors_are_sentences():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="score must be 'dot' or 'additive', not 'cosine'"):
        DateReader(rng=rng, symbols=5, score="cosine")
    reader = DateReader(rng=rng, symbols=5)
    with pytest.raises(KeyError, match=r"parameters must be \['E'"):
        reader.load({})
    wrong = reader.parameters | {"b3": np.zeros(11)}
    with pytest.raises(ValueError, match=r"parameters\['b3'\] must have shape \(10,\), not \(11,\)"):
        reader.load(wrong)


def test_parameters_are_small_and_float32():
    reader = DateReader(rng=np.random.default_rng(0), symbols=len(symbols()) + 1)
    assert {value.dtype for value in reader.parameters.values()} == {np.dtype(np.float32)}
    assert sum(value.size for value in reader.parameters.values()) < 30_000
    assert not reader.parameters["E"][0].any()  # padding
