"""What `make train` stored: complete, as good as promised, and found again when a cell is trained anew."""

import json
from statistics import fmean
from types import SimpleNamespace

import numpy as np
import pytest
import train

from attnlib import CATALOGUE, datasets, softmax
from attnlib.experiments import (
    SEEDS,
    SETTINGS,
    SETUPS,
    STORED,
    TABLES,
    TEST_SEED,
    calibrate,
    judge,
    new_reader,
    no_attention,
    run,
    trained,
    unseen,
)
from attnlib.training import Reading


def rows(table):
    return {tuple(row["key"]): row for row in datasets.results(table)["rows"]}


@pytest.mark.parametrize("table", TABLES)
def test_the_stored_table_is_the_one_that_would_be_made(table):
    stored = datasets.results(table)
    assert [tuple(row["key"]) for row in stored["rows"]] == TABLES[table][1]
    task = "strips" if table == "strips" else "dates"
    assert stored["settings"] == SETTINGS[task] | {"test seed": TEST_SEED}


def test_every_map_of_the_catalogue_is_trained():
    names = {entry.name for entry in CATALOGUE}
    assert names <= set(SETUPS)
    for table in ("dates", "strips", "examples"):
        assert names <= {key[0] for key in rows(table)}
    assert all(names <= set(row) for row in rows("swaps").values())


def mean(table, name, what):
    return fmean(row[what] for key, row in rows(table).items() if key[0] == name)


def test_the_readers_are_as_good_as_promised():
    assert mean("dates", "softmax", "exact") >= 0.99
    assert mean("dates", "sparsemax", "exact") >= 0.98
    assert mean("dates", "entmax", "exact") >= 0.98
    assert mean("strips", "softmax", "digit") >= 0.96
    assert mean("dates", "no attention", "exact") < 0.05  # so the rest is owed to attention


@pytest.mark.parametrize(
    ("table", "key"),
    [
        ("dates", ("entmax", SEEDS[1])),
        ("strips", ("softmax", SEEDS[0])),
        ("temperatures", (16.0, SEEDS[2])),
        ("swaps", ("softmax", SEEDS[1])),
        ("examples", ("linear", 500, SEEDS[0])),
        ("growth", ("softmax", SEEDS[0])),
    ],
)
def test_a_cell_trained_again_stays_within_the_spread(table, key):
    again, _ = run(table, key)
    again = json.loads(json.dumps(again))  # as it would be stored
    stored = rows(table)[key]
    assert set(again) == set(stored) - {"key"}
    if table == "growth":
        assert again["texts"] == stored["texts"]
        last, kept = again["stops"][-1], stored["stops"][-1]
        assert last["exact"] == pytest.approx(kept["exact"], abs=0.01)
        assert last["written"] == kept["written"]
        assert again["losses"][0] == pytest.approx(stored["losses"][0], rel=1e-3)
        return
    same = [row for other, row in rows(table).items() if other[:-1] == key[:-1]]
    for what, value in again.items():
        spread = max(row[what] for row in same) - min(row[what] for row in same)
        near = {"exact": 0.01, "digit": 0.005}.get(what, 0.1 * max(1.0, abs(stored[what])))
        assert abs(value - stored[what]) <= spread + near, what


@pytest.mark.parametrize(("task", "name"), [(task, name) for task in STORED for name in STORED[task]])
def test_a_stored_reader_does_what_its_row_says(task, name):
    reader, row = trained(task, name), rows(task)[(name, SEEDS[0])]
    found = judge(reader, unseen(task))
    for what, value in found.items():
        assert value == pytest.approx(row[what], abs=2e-3, rel=2e-3), what
    assert reader.read(unseen(task).inputs[:2]).weights.dtype == np.float64


def test_judge_by_hand():
    weights = np.array([[[0.5, 0.5, 0.0], [0.0, 0.0, 0.0]], [[-1.0, 3.0, 0.0], [0.0, 0.2, 0.8]]])
    logits = np.log([[[0.5, 0.5], [0.25, 0.75]], [[0.1, 0.9], [0.8, 0.2]]])
    holds = np.zeros((2, 2, 3), bool)
    holds[0, 0, 1] = holds[1, 0, 1] = holds[1, 1, 1] = True
    sample = Sample(np.zeros((2, 3)), np.array([[0, 1], [1, 1]]), holds)
    found = judge(SimpleNamespace(read=lambda inputs: Reading(logits, weights, None, ())), sample)
    assert found == {
        "exact": 0.5,  # the second input has its second digit wrong
        "digit": 0.75,
        "loss": round(-np.log([0.5, 0.75, 0.9, 0.2]).mean(), 4),
        "found": round((0.5 + 0.75 + 0.2) / 3, 4),
        "pointed": round(1 / 3, 4),  # ties go to the first
        "top": round((0.5 + 0 + 0.75 + 0.8) / 4, 4),
        "effective": round(float(np.mean([2, 0.75**-0.75 * 0.25**-0.25, 0.8**-0.8 * 0.2**-0.2])), 4),
        "support": 1.5,
        "total": 1.0,
        "dead": 0.25,
    }


class Sample(SimpleNamespace):
    def __init__(self, inputs, digits, holds):
        super().__init__(inputs=inputs, digits=digits, holds=holds)

    def __len__(self):
        return len(self.inputs)


def test_calibrate_finds_the_temperature_that_was_put_in():
    rng = np.random.default_rng(0)
    true = rng.normal(scale=2.0, size=(4000, 5, 10))
    labels = (softmax(true).cumsum(axis=-1) < rng.random((4000, 5, 1))).sum(axis=-1)
    reader = SimpleNamespace(read=lambda inputs: SimpleNamespace(logits=3.0 * true))
    found = calibrate(reader, Sample(np.zeros((4000, 1)), labels, None))
    assert found["temperature"] == pytest.approx(3.0, rel=0.05)
    assert found["ece"] > 0.2 > 0.02 > found["ece scaled"]


def test_no_attention_spreads_evenly_over_what_is_kept():
    mask = np.array([[True, True, False]])
    np.testing.assert_allclose(no_attention(np.array([[9.0, 1, 2]]), mask=mask), [[0.5, 0.5, 0]])


def test_names_that_are_not_there():
    with pytest.raises(ValueError, match="task must be 'dates' or 'strips', not 'words'"):
        new_reader("words", "softmax", np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"task and name must be one of .*, not 'dates' and 'linear'"):
        trained("dates", "linear")


def test_a_table_is_stored_one_row_a_line(tmp_path, monkeypatch):
    monkeypatch.setattr(train, "DATA", tmp_path)
    (tmp_path / "results").mkdir()
    train.store("strips", [(("softmax", 3), {"exact": 0.5}), (("é", 4), {"exact": 1.0})])
    text = (tmp_path / "results" / "strips.json").read_text("utf-8")
    assert text.splitlines()[1:] == [
        '{"key":["softmax",3],"exact":0.5},',
        '{"key":["é",4],"exact":1.0}',
        "]}",
    ]
    assert json.loads(text)["settings"]["steps"] == 600
