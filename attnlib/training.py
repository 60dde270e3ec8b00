"""Learning with attention, small enough to read in one sitting: Adam, a loop, and two readers, in numpy.

A reader has one learnt query for each digit it writes. Each query scores every key, a transform turns the
scores into weights, and the weighted mean of the values (the context) is read off as a digit:

    inputs -> hidden -> keys, values         see
    scores = score(queries, keys)            any score of attnlib
    weights = transform(scores, mask=mask)   any map of attnlib
    context = weights @ values -> logits     answer

Each step has its backward half beside it; the gradients of scores and weights are attnlib's own. The date
reader turns a date as people write it into eight digits; the strip reader turns a picture of handwritten
digits into their sequence. Training runs in float32, as such models do; a checkpoint is read in float64.
"""

import os
from dataclasses import dataclass
from math import cos, pi

import numpy as np
from threadpoolctl import threadpool_limits
from tqdm.auto import tqdm

from attnlib._rows import vjp_of
from attnlib.gradients import temperature_gradient
from attnlib.margins import cross_entropy, cross_entropy_vjp
from attnlib.scores import (
    additive_score,
    additive_score_vjp,
    scaled_dot_product_score,
    scaled_dot_product_score_vjp,
)
from attnlib.transforms.exponential import softmax

__all__ = ["Adam", "DateReader", "Reader", "Reading", "StripReader", "fit", "rate_at"]

CLASSES = 10  # the digits 0 to 9


def rate_at(step, steps, warmup=50):
    r"""Return the share of the learning rate used at a step: up in a line, then down along half a cosine.

    >>> [round(rate_at(step, 100, warmup=2), 2) for step in (0, 1, 50, 99)]
    [0.51, 1.02, 0.52, 0.02]
    """
    return min(1.0, (step + 1) / warmup) * (0.5 * (1.0 + cos(pi * step / steps)) + 0.02)


class Adam:
    r"""Move each parameter against the running mean of its gradient, over the root of that of its square.

    .. math:: \theta \mathrel{-}= r\, \hat m / (\sqrt{\hat s} + 10^{-8})

    :math:`\hat m, \hat s` are the running means, corrected for their start at 0. A gradient whose length over
    all parameters is above `clip` is shortened to it first. Source: Kingma and Ba 2015.

    >>> point = {"x": np.array([3.0])}
    >>> Adam(point, rate=0.5).step({"x": 2 * point["x"]})  # the first step has the length of the rate
    >>> point["x"].round(6)
    array([2.5])
    """

    def __init__(self, parameters, rate=4e-3, betas=(0.9, 0.99), clip=5.0):
        self.parameters, self.rate, self.betas, self.clip = parameters, rate, betas, clip
        self.mean = {name: np.zeros_like(value) for name, value in parameters.items()}
        self.square = {name: np.zeros_like(value) for name, value in parameters.items()}
        self.steps = 0

    def step(self, gradients, share=1.0):
        """Move the parameters, in place, at this share of the rate."""
        self.steps += 1
        first, second = self.betas
        length = np.sqrt(sum(np.sum(np.square(g)) for g in gradients.values()))
        shorter = min(1.0, self.clip / (float(length) + 1e-9))
        for name, gradient in gradients.items():
            gradient = gradient * shorter
            self.mean[name] += (1 - first) * (gradient - self.mean[name])
            self.square[name] += (1 - second) * (np.square(gradient) - self.square[name])
            mean = self.mean[name] / (1 - first**self.steps)
            square = self.square[name] / (1 - second**self.steps)
            move = share * self.rate * mean / (np.sqrt(square) + 1e-8)
            self.parameters[name] -= move.astype(self.parameters[name].dtype)


@threadpool_limits.wrap(limits=1)
def fit(reader, batches, steps, *, rate=4e-3, warmup=50, watch=None):
    """Train a reader for some steps, one batch (inputs, labels) each; return the loss before each step.

    `batches` is an iterator that gives at least so many. `watch(step, reader)` is called before each step and
    once after the last. The bar that shows the progress is tqdm's: the environment variable TQDM_DISABLE=1
    hides it, as the tests do. Matrix products keep to one thread: these are so small that threads spend their
    time waiting for one another. (Apple's Accelerate, which numpy may use on a Mac, takes no orders and keeps
    its own.) Raises FloatingPointError when the loss is no longer finite.
    """
    optimizer, losses = Adam(reader.parameters, rate), []
    quiet = bool(os.environ.get("TQDM_DISABLE"))  # notebooks forget it
    bar = tqdm(range(steps), desc="training", leave=False, disable=quiet)
    for step, (inputs, labels) in zip(bar, batches, strict=False):
        if watch is not None:
            watch(step, reader)
        with np.errstate(all="ignore"):  # the loss tells of what overflows
            loss, gradients = reader.gradients(inputs, labels)
            optimizer.step(gradients, rate_at(step, steps, warmup))
        if not np.isfinite(loss):
            why = "the learning rate may be too large"
            raise FloatingPointError(f"the loss is {loss} at step {step}: " + why)
        losses.append(float(loss))
    if watch is not None:
        watch(len(losses), reader)
    return np.array(losses)


@dataclass(frozen=True)
class Reading:
    """What a reader made of a batch of n inputs.

    Attributes:
        logits: (n, slots, 10), one row of class scores for each digit to write
        weights, scores: (n, slots, keys), where each slot looks
    """

    logits: np.ndarray
    weights: np.ndarray
    scores: np.ndarray
    trace: tuple  # what the backward pass needs again

    @property
    def digits(self):
        """The digits written, (n, slots)."""
        return self.logits.argmax(axis=-1)


class Reader:
    """What both readers share: learnt queries, a score, a transform, a weighted mean.

    A kind of reader says how it sees its inputs and how it answers from a context, each with its backward
    half; how many `slots` it writes; and how wide its keys and hidden vectors are.

    Parameters
    ----------
    transform : a map of attnlib that has its vjp beside it; functools.partial may fix options
    rng : numpy Generator that draws the first parameters
    score : "dot" (scaled dot product) or "additive"
    learn_temperature : learn log T, which starts at 0, along with the rest
    normalized : divide each context by the root of the mean of its squares
    revive : hinge on dead slots: the largest score of a row without any weight is pulled up with this force
    random : the transform draws noise (gumbel_softmax): new noise at each training step, none when reading
    """

    slots: int
    key_width: int
    hidden_width: int
    query_scale: float  # small: each query looks everywhere at first, so that no slot settles too soon

    def __init__(
        self,
        transform=softmax,
        *,
        rng,
        score="dot",
        learn_temperature=False,
        normalized=False,
        revive=0.0,
        random=False,
    ):
        if score not in ("dot", "additive"):
            raise ValueError(f"score must be 'dot' or 'additive', not {score!r}")
        self.transform, self.score, self.normalized, self.revive = transform, score, normalized, revive
        self.rng, self.random = rng, random
        self.parameters = {"Q": self._normal(self.slots, self.key_width, scale=self.query_scale)}
        if score == "dot":
            self.parameters["K"] = self._normal(self.hidden_width, self.key_width)
        else:
            self.parameters["W"] = self._normal(self.key_width, self.key_width)
            self.parameters["U"] = self._normal(
                self.key_width, self.hidden_width, scale=self.hidden_width**-0.5
            )
            self.parameters["v"] = self._normal(self.key_width)
        if learn_temperature:
            self.parameters["log T"] = np.zeros((), np.float32)

    def _normal(self, *shape, scale=None):
        """Return normal numbers of standard deviation 1/sqrt(rows), or `scale`."""
        scale = shape[0] ** -0.5 if scale is None else scale
        return (scale * self.rng.normal(size=shape)).astype(np.float32)

    @property
    def temperature(self):
        """The temperature learnt so far, or 1."""
        return float(np.exp(self.parameters.get("log T", 0.0)))

    def load(self, parameters):
        """Take over stored parameters, as float64; KeyError or ValueError if they are not this reader's."""
        if set(parameters) != set(self.parameters):
            raise KeyError(f"parameters must be {sorted(self.parameters)}, not {sorted(parameters)}")
        for name, value in self.parameters.items():
            if np.shape(parameters[name]) != value.shape:
                raise ValueError(
                    f"parameters[{name!r}] must have shape {value.shape}, not {np.shape(parameters[name])}"
                )
        self.parameters = {name: np.array(parameters[name], np.float64) for name in self.parameters}
        return self

    def read(self, inputs, *, training=False):
        """Return the Reading of a batch of inputs; only in training does a random transform get noise."""
        p = self.parameters
        hidden, values, mask, seen = self.see(inputs)
        if self.score == "dot":
            scores = scaled_dot_product_score(p["Q"], self.keys(hidden))
        else:
            scores = additive_score(p["Q"], hidden, p["W"], p["U"], p["v"])
        options = {"mask": mask}
        if "log T" in p:
            options["temperature"] = self.temperature
        if self.random:
            options["noise"] = self.rng.gumbel(size=scores.shape) if training else np.zeros(scores.shape)
        weights = self.transform(scores, **options)
        context = weights @ values
        size = np.sqrt(np.mean(context * context, axis=-1, keepdims=True) + 1e-4) if self.normalized else 1.0
        logits, answered = self.answer(context / size)
        return Reading(
            logits, weights, scores, (hidden, values, options, seen, context / size, size, answered)
        )

    def gradients(self, inputs, labels):
        """Return (cross-entropy in nats for an input, the sum over its digits; its gradient by parameter).

        labels: (n, slots) digits.
        """
        reading = self.read(inputs, training=True)
        p, (hidden, values, options, seen, context, size, answered) = self.parameters, reading.trace
        rows, labels = reading.logits.reshape(-1, CLASSES), np.ravel(labels)
        loss = self.slots * cross_entropy(rows, labels)
        by_logits = self.slots * cross_entropy_vjp(rows, labels).reshape(reading.logits.shape)
        by_context, found = self.answer_back(context, by_logits, answered)
        if self.normalized:
            by_context = by_context - context * np.mean(by_context * context, axis=-1, keepdims=True)
        by_context = by_context / size
        by_values = reading.weights.mT @ by_context
        by_scores = vjp_of(self.transform)(reading.scores, by_context @ values.mT, **options)
        if "log T" in p:
            found["log T"] = temperature_gradient(reading.scores, by_scores, self.temperature)
            found["log T"] = np.float32(found["log T"] * self.temperature)
        if self.revive:
            by_scores = by_scores - self.revive * _tops_of_dead_rows(reading, options["mask"])
        if self.score == "dot":
            found["Q"], by_keys = scaled_dot_product_score_vjp(p["Q"], self.keys(hidden), by_scores)
            found["K"] = np.tensordot(hidden, by_keys, ((0, 1), (0, 1)))
            by_hidden = by_keys @ p["K"].T
            found |= self.keys_back(by_keys)
        else:
            back = additive_score_vjp(p["Q"], hidden, p["W"], p["U"], p["v"], by_scores)
            found["Q"], by_hidden, found["W"], found["U"], found["v"] = back
        found |= self.see_back(by_hidden, by_values, seen)
        return loss, {name: found[name] for name in p}

    def keys(self, hidden):
        """Return the keys of the dot product, (n, keys, key_width)."""
        return hidden @ self.parameters["K"]

    def keys_back(self, by_keys):
        """Return the gradients of what a kind of reader adds to its keys."""
        return {}


def _tops_of_dead_rows(reading, mask):
    """Return 1/n at the largest score of each row that has no weight at all, 0 elsewhere."""
    scores = reading.scores if mask is None else np.where(mask, reading.scores, -np.inf)
    dead = ~reading.weights.any(axis=-1, keepdims=True)
    return (dead & (scores == scores.max(axis=-1, keepdims=True))).astype(scores.dtype) / len(scores)


class DateReader(Reader):
    """Read a date, written by people, as the eight digits YYYYMMDD.

    Inputs are symbols, integers (n, keys): 0 is padding, which is never looked at. Keys are made of windows
    of seven neighbouring symbols; a value is the embedding of one symbol alone, so that the answer has to
    come from the symbols looked at.
    """

    slots, key_width, hidden_width, query_scale = 8, 32, 64, 0.1
    window, width, answer_width = 7, 32, 64

    def __init__(self, transform=softmax, *, rng, symbols, **options):
        super().__init__(transform, rng=rng, **options)
        self.parameters |= {
            "E": self._normal(symbols, self.width, scale=0.5),
            "W1": self._normal(self.window * self.width, self.hidden_width),
            "b1": np.zeros(self.hidden_width, np.float32),
            "W2": self._normal(self.width, self.answer_width),
            "b2": np.zeros((self.slots, self.answer_width), np.float32),
            "W3": self._normal(self.answer_width, CLASSES),
            "b3": np.zeros(CLASSES, np.float32),
        }
        self.parameters["E"][0] = 0.0

    def see(self, inputs):
        """Return (hidden, values, mask, what see_back needs)."""
        p, beside = self.parameters, self.window // 2
        padded = np.pad(inputs, ((0, 0), (beside, beside)))
        windows = np.lib.stride_tricks.sliding_window_view(padded, self.window, axis=1)
        seen = p["E"][windows].reshape(*inputs.shape, -1)
        hidden = np.maximum(seen @ p["W1"] + p["b1"], 0.0)
        return hidden, p["E"][inputs], (inputs > 0)[:, None, :], (inputs, windows, seen, hidden > 0)

    def see_back(self, by_hidden, by_values, trace):
        """Return the gradients by the embedding and the first layer."""
        inputs, windows, seen, alive = trace
        by_sum = (by_hidden * alive).reshape(-1, self.hidden_width)
        by_seen = (by_sum @ self.parameters["W1"].T).reshape(-1, self.width)
        symbols = np.concatenate([windows.ravel(), inputs.ravel()])
        parts = np.concatenate([by_seen, by_values.reshape(-1, self.width)])
        count = len(self.parameters["E"])
        by_E = np.stack([np.bincount(symbols, column, count) for column in parts.T], axis=-1)
        by_E[0] = 0.0
        by_W1 = seen.reshape(len(by_sum), -1).T @ by_sum
        return {"E": by_E.astype(by_sum.dtype), "W1": by_W1, "b1": by_sum.sum(axis=0)}

    def answer(self, context):
        """Return (logits, what answer_back needs): two layers, the first with a bias for each slot."""
        p = self.parameters
        inner = np.maximum(context @ p["W2"] + p["b2"], 0.0)
        return inner @ p["W3"] + p["b3"], inner

    def answer_back(self, context, by_logits, inner):
        """Return the gradient by the context, and those by the parameters of the answer."""
        p = self.parameters
        by_inner = by_logits @ p["W3"].T * (inner > 0)
        return by_inner @ p["W2"].T, {
            "W3": np.tensordot(inner, by_logits, ((0, 1), (0, 1))),
            "b3": by_logits.sum(axis=(0, 1)),
            "W2": np.tensordot(context, by_inner, ((0, 1), (0, 1))),
            "b2": by_inner.sum(axis=0),
        }


class StripReader(Reader):
    """Read a strip of handwritten digits, a picture, from left to right.

    Inputs are patches of the picture, (n, keys, pixels), one for each place on a grid of (rows, columns). A
    key tells what the patch shows and where it stands; a value only what it shows.
    """

    slots, key_width, hidden_width, query_scale = 4, 24, 96, 0.3

    def __init__(self, transform=softmax, *, rng, grid, pixels=64, **options):
        if options.get("score", "dot") != "dot":
            raise ValueError(f"score must be 'dot' for the strip reader, not {options['score']!r}")
        super().__init__(transform, rng=rng, **options)
        self.grid = grid
        self.parameters |= {
            "W1": self._normal(pixels, self.hidden_width),
            "b1": np.zeros(self.hidden_width, np.float32),
            "row": self._normal(grid[0], self.key_width, scale=0.1 * grid[0] ** -0.5),
            "column": self._normal(grid[1], self.key_width, scale=0.1 * grid[1] ** -0.5),
            "W2": self._normal(self.hidden_width, CLASSES),
            "b2": np.zeros(CLASSES, np.float32),
        }

    def see(self, inputs):
        """Return (hidden, values, mask, what see_back needs)."""
        hidden = np.maximum(inputs @ self.parameters["W1"] + self.parameters["b1"], 0.0)
        return hidden, hidden, None, (inputs, hidden > 0)

    def see_back(self, by_hidden, by_values, trace):
        """Return the gradients by the first layer."""
        inputs, alive = trace
        by_sum = (by_hidden + by_values) * alive
        return {"W1": np.tensordot(inputs, by_sum, ((0, 1), (0, 1))), "b1": by_sum.sum(axis=(0, 1))}

    def keys(self, hidden):
        """Return the keys: what a patch shows plus where it stands."""
        place = self.parameters["row"][:, None] + self.parameters["column"]
        return super().keys(hidden) + place.reshape(-1, self.key_width)

    def keys_back(self, by_keys):
        """Return the gradients by the places."""
        by_place = by_keys.sum(axis=0).reshape(*self.grid, -1)
        return {"row": by_place.sum(axis=1), "column": by_place.sum(axis=0)}

    def answer(self, context):
        """Return (logits, None)."""
        return context @ self.parameters["W2"] + self.parameters["b2"], None

    def answer_back(self, context, by_logits, answered):
        """Return the gradient by the context, and those by the parameters of the answer."""
        return by_logits @ self.parameters["W2"].T, {
            "W2": np.tensordot(context, by_logits, ((0, 1), (0, 1))),
            "b2": by_logits.sum(axis=(0, 1)),
        }
