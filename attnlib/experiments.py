"""Every experiment of the learning chapters: what is trained, how it is judged, and where it is written.

`make train` runs every job of TABLES and writes what they return to attnlib/data/results, and the readers of
STORED to attnlib/data/readers. The chapters print from there; a test trains one cell of each table again.
"""

from dataclasses import dataclass, field
from functools import partial

import numpy as np

from attnlib import datasets
from attnlib.catalogue import CATALOGUE
from attnlib.margins import cross_entropy
from attnlib.measures import expected_calibration_error, perplexity, support_size
from attnlib.tasks import GRID, batches, dates, fresh_strips, strips, symbols
from attnlib.training import CLASSES, DateReader, StripReader, fit
from attnlib.transforms.exponential import softmax
from attnlib.transforms.logistic import sigmoid
from attnlib.transforms.rectified import relu_attention

__all__ = [
    "SETTINGS",
    "SETUPS",
    "TABLES",
    "Setup",
    "calibrate",
    "judge",
    "new_reader",
    "run",
    "train",
    "trained",
    "unseen",
]

SEEDS = (3, 4, 5)  # the settings were chosen with seeds 0, 1 and 2, judged on the same unseen dates
SETTINGS = {
    "dates": {"examples": 8000, "test": 2000, "steps": 1000, "batch": 64, "rate": 8e-3, "warmup": 250},
    "strips": {"test": 500, "steps": 600, "batch": 32, "rate": 6e-3, "warmup": 30},
}
TEST_SEED = 999
FEW = (125, 250, 500, 1000, 2000, 4000)  # numbers of training dates from which generalization is measured
TEMPERATURES = (0.01, 0.03, 0.1, 0.25, 1.0, 4.0, 16.0, 64.0, 256.0)
SWAPPED = (0.05, 0.25, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 10.0, 30.0)
WATCHED = (0, 25, 50, 100, 150, 200, 250, 300, 400, 500, 700, 1000)
SHOWN = ("en", "pl", "de", "fr")  # the first test date of each is followed while the reader learns
STORED = {"dates": ("softmax", "sparsemax", "relu_attention"), "strips": ("softmax", "sparsemax")}


def no_attention(scores, axis=-1, *, mask=None, temperature=1.0):
    """Give every kept entry the same weight, whatever the scores: the control.

    >>> no_attention(np.array([5.0, 0.0]))
    array([0.5, 0.5])
    """
    return softmax(np.zeros_like(scores), axis, mask=mask)


def no_attention_vjp(scores, grad_weights, axis=-1, *, mask=None, temperature=1.0):
    """Return zeros: no score has any effect.

    >>> no_attention_vjp(np.array([5.0, 0.0]), np.array([1.0, 0.0]))
    array([0., 0.])
    """
    return np.zeros_like(scores)


@dataclass(frozen=True)
class Setup:
    """A reader to train: the transform, and what else differs from the plain reader."""

    name: str
    transform: object
    options: dict = field(default_factory=dict)


SETUPS = {
    setup.name: setup
    for setup in (
        *(Setup(e.name, e.function, {"random": True} if e.random else {}) for e in CATALOGUE),
        Setup("softmax, T = 0.25", partial(softmax, temperature=0.25)),
        Setup("softmax, T = 4", partial(softmax, temperature=4.0)),
        Setup("softmax, T learnt", softmax, {"learn_temperature": True}),
        Setup("softmax, additive score", softmax, {"score": "additive"}),
        Setup("softmax, context normalized", softmax, {"normalized": True}),
        Setup("sigmoid, context normalized", sigmoid, {"normalized": True}),
        Setup("relu_attention, context normalized", relu_attention, {"normalized": True}),
        Setup("relu_attention, dead slots revived", relu_attention, {"revive": 1.0}),
        Setup("no attention", no_attention),
    )
}


def new_reader(task, setup, rng):
    """Return an untrained reader for "dates" or "strips" and a Setup (or its name)."""
    setup = SETUPS[setup] if isinstance(setup, str) else setup
    if task == "dates":
        return DateReader(setup.transform, rng=rng, symbols=len(symbols()) + 1, **setup.options)
    if task == "strips":
        return StripReader(setup.transform, rng=rng, grid=GRID, **setup.options)
    raise ValueError(f"task must be 'dates' or 'strips', not {task!r}")


def train(task, setup, seed, *, examples=None, watch=None):
    """Train one reader as SETTINGS says; return (reader, losses, the sample it was trained on or None).

    `examples`: how many different dates it sees, instead of the usual number; strips never come twice.
    """
    how, rng = SETTINGS[task], np.random.default_rng(seed)
    sample = dates(examples or how["examples"], rng) if task == "dates" else None
    reader = new_reader(task, setup, rng)
    given = batches(sample, how["batch"], rng) if task == "dates" else fresh_strips(how["batch"], rng)
    losses = fit(reader, given, how["steps"], rate=how["rate"], warmup=how["warmup"], watch=watch)
    return reader, losses, sample


def trained(task, name="softmax"):
    """Return a reader as `make train` stored it (STORED lists them), in float64.

    >>> trained("dates").parameters["Q"].shape
    (8, 32)
    """
    if name not in STORED.get(task, ()):
        raise ValueError(f"task and name must be one of {STORED}, not {task!r} and {name!r}")
    return new_reader(task, name, np.random.default_rng(0)).load(datasets.reader(f"{task}_{name}"))


def unseen(task):
    """Return the sample that every reader of a task is judged on: days and digits no reader has seen."""
    draw = dates if task == "dates" else strips
    return draw(SETTINGS[task]["test"], np.random.default_rng(TEST_SEED), "test")


def judge(reader, sample):
    """Return what a reader does on a sample, as a dictionary of numbers.

    exact: share of inputs with every digit right; digit: share of digits right; loss: nats per digit;
    found: share of the weight on tokens or patches that hold the digit, where any does; pointed: how often
    the largest weight is on one; top: the largest share; effective: exp(entropy); support: entries above
    1e-4; total: sum of the weights; dead: share of the rows without any weight. Shares are those of the
    absolute weights, rows without weight counting as 0.
    """
    parts = [reader.read(inputs) for inputs in np.array_split(sample.inputs, -(-len(sample) // 250))]
    logits, weights = (np.concatenate([getattr(p, name) for p in parts]) for name in ("logits", "weights"))
    weights = weights.astype(np.float64)
    size = np.abs(weights).sum(axis=-1, keepdims=True)
    share = np.abs(weights) / np.where(size > 0, size, 1.0)
    right, holds = logits.argmax(axis=-1) == sample.digits, sample.holds
    held, alive = holds.any(axis=-1), size[..., 0] > 0
    pointed = np.take_along_axis(holds, share.argmax(axis=-1)[..., None], axis=-1)[..., 0] & alive
    measured = {
        "exact": right.all(axis=-1).mean(),
        "digit": right.mean(),
        "loss": cross_entropy(logits.reshape(-1, logits.shape[-1]), sample.digits.ravel()),
        "found": (share * holds).sum(axis=-1)[held].mean(),
        "pointed": pointed[held].mean(),
        "top": share.max(axis=-1).mean(),
        "effective": perplexity(share[alive]).mean() if alive.any() else 0.0,
        "support": support_size(np.where(share > 1e-4, share, 0.0)).mean(),
        "total": weights.sum(axis=-1).mean(),
        "dead": 1.0 - alive.mean(),
    }
    return {name: round(float(value), 4) for name, value in measured.items()}


def calibrate(reader, sample):
    """Return the calibration error of the digits before and after a temperature fitted on half the sample."""
    logits, labels = reader.read(sample.inputs).logits.astype(np.float64), sample.digits
    half = len(labels) // 2
    (fit_on, fit_labels), (rows, labels) = (
        (logits[part].reshape(-1, CLASSES), labels[part].ravel()) for part in (slice(half), slice(half, None))
    )
    grid = np.geomspace(0.1, 10.0, 201)
    best = min(grid, key=lambda T: cross_entropy(fit_on / T, fit_labels))
    before, after = (
        expected_calibration_error(softmax(rows, temperature=T), labels, bins=15) for T in (1.0, best)
    )
    return {"temperature": round(best, 3), "ece": round(before, 4), "ece scaled": round(after, 4)}


# --- one function a table: what a job of it returns -----------------------------------------------------


def run_dates(name, seed):
    """Train the date reader with one setup."""
    reader, _, sample = train("dates", name, seed)
    row = judge(reader, unseen("dates"))
    row["exact in training"] = judge(reader, sample)["exact"]
    row["T"] = round(reader.temperature, 3)
    return row, reader.parameters


def run_strips(name, seed):
    """Train the strip reader with one setup."""
    reader, _, _ = train("strips", name, seed)
    return judge(reader, unseen("strips")) | {"T": round(reader.temperature, 3)}, reader.parameters


def run_temperatures(temperature, seed):
    """Train the date reader with softmax at one temperature."""
    reader, _, _ = train("dates", Setup("", partial(softmax, temperature=temperature)), seed)
    row = judge(reader, unseen("dates"))
    return {name: row[name] for name in ("exact", "effective", "found", "loss")}, None


def run_swaps(name, seed):
    """Train the date reader with softmax, then swap the transform under it."""
    reader, _, _ = train("dates", "softmax", seed)
    sample, exact = unseen("dates"), {}
    for entry in CATALOGUE:
        reader.transform, reader.random = entry.function, entry.random
        exact[entry.name] = judge(reader, sample)["exact"]
    reader.random = False
    for temperature in SWAPPED:
        reader.transform = partial(softmax, temperature=temperature)
        exact[f"T = {temperature:g}"] = judge(reader, sample)["exact"]
    return exact, None


def run_examples(name, examples, seed):
    """Train the date reader with one transform on few dates: the gap, and the calibration of its digits."""
    reader, _, sample = train("dates", name, seed, examples=examples)
    fresh = unseen("dates")
    row = judge(reader, fresh)
    return {
        "exact": row["exact"],
        "digit": row["digit"],
        "loss": row["loss"],
        "exact in training": judge(reader, sample)["exact"],
        **calibrate(reader, fresh),
    }, None


def run_growth(name, seed):
    """Train the date reader and look at it on the way: accuracy, and the weights of a few dates."""
    sample = unseen("dates")
    shown = [int(np.flatnonzero(sample.languages == language)[0]) for language in SHOWN]
    stops = []

    def watch(step, reader):
        if step in WATCHED:
            reading, row = reader.read(sample.inputs[shown]), judge(reader, sample)
            stops.append(
                {
                    "step": step,
                    "exact": row["exact"],
                    "digit": row["digit"],
                    "loss": row["loss"],
                    "effective": row["effective"],
                    "found": row["found"],
                    "written": ["".join(map(str, digits)) for digits in reading.digits],
                    "weights": [
                        [[round(float(w), 4) for w in slot[: len(sample.tokens[i])]] for slot in weights]
                        for i, weights in zip(shown, reading.weights, strict=True)
                    ],
                }
            )

    _, losses, _ = train("dates", name, seed, watch=watch)
    return {
        "texts": [sample.texts[i] for i in shown],
        "tokens": [sample.tokens[i] for i in shown],
        "stops": stops,
        "losses": [round(float(loss), 4) for loss in losses],
    }, None


PLAIN = [entry.name for entry in CATALOGUE]
TABLES = {
    "dates": (run_dates, [(name, seed) for name in SETUPS for seed in SEEDS]),
    "strips": (
        run_strips,
        [(n, seed) for n, s in SETUPS.items() if s.options.get("score") != "additive" for seed in SEEDS],
    ),
    "temperatures": (run_temperatures, [(T, seed) for T in TEMPERATURES for seed in SEEDS]),
    "swaps": (run_swaps, [("softmax", seed) for seed in SEEDS]),
    "examples": (
        run_examples,
        [(name, n, seed) for name in PLAIN for n in (FEW if name == "softmax" else (500,)) for seed in SEEDS],
    ),
    "growth": (run_growth, [("softmax", SEEDS[0])]),
}


def run(table, key):
    """Run one job of a table; return (its row, the parameters of the reader it trained or None)."""
    return TABLES[table][0](*key)
