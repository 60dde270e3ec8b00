"""The real data of the book, one loader per data set, read from inside the installed package.

Where each file comes from, and its licence, is told in ``attnlib/data/SOURCES.md``.
Every loader compares its file with the checksum in ``attnlib/data/SHA256SUMS`` before using it, returns a
frozen record, and makes every array read-only (take a ``.copy()`` to change one). Scores, logits and vectors
are float64 whatever the file stores, so that nothing overflows by surprise. Layers and heads count from 0.

>>> tired = attention("coref_tired")
>>> tired.tokens[10], tired.head(3, 1)[10, 2]
('it', np.float64(3.833984375))
"""

import csv
import hashlib
import io
import json
import wave
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from types import MappingProxyType

import numpy as np

ATTENTION = (
    "coref_tired",
    "coref_wide",
    "coref_people",
    "negation",
    "noun_phrase",
    "pair_en_fr",
    "paragraph",
)
CALIBRATION = ("perceptron", "logistic")
IMAGES = ("camera",)
REGRESSION = ("engel", "nile", "sunspots")
RESULTS = ("dates", "strips", "temperatures", "swaps", "examples", "growth")
READERS = ("dates_softmax", "dates_sparsemax", "dates_relu_attention", "strips_softmax", "strips_sparsemax")

_DATA = resources.files("attnlib") / "data"


class DatasetError(Exception):
    """A data set that cannot be given: unknown name, missing file, or damaged file."""


# --- reading, with checksums ---------------------------------------------------------------------------


def checksums():
    """Return ``{path below attnlib/data: sha256}`` as listed in SHA256SUMS (the format of ``sha256sum``)."""
    lines = _bytes("SHA256SUMS").decode().splitlines()
    return {path: digest for digest, _, path in (line.partition("  ") for line in lines)}


def _bytes(path):
    try:
        return _DATA.joinpath(path).read_bytes()
    except OSError as error:
        raise DatasetError(
            f"The data file attnlib/data/{path} is missing or cannot be read ({type(error).__name__}). "
            "Install attnlib again, or restore the file with: git checkout attnlib/data"
        ) from error


def _checked(path):
    """Return the bytes of a data file whose checksum is right."""
    content, listed = _bytes(path), checksums().get(path)
    if listed is None:
        raise DatasetError(f"The data file attnlib/data/{path} has no line in attnlib/data/SHA256SUMS.")
    if hashlib.sha256(content).hexdigest() != listed:
        raise DatasetError(
            f"The data file attnlib/data/{path} is damaged: its SHA-256 checksum is not the one listed in "
            "attnlib/data/SHA256SUMS. Restore the file with: git checkout attnlib/data"
        )
    return content


def _npz(path):
    with np.load(io.BytesIO(_checked(path)), allow_pickle=False) as archive:
        return {key: archive[key] for key in archive.files}


def _json(path):
    return json.loads(_checked(path).decode("utf-8"))


def _csv(path):
    """Return ``{column name: list of texts}``."""
    head, *rows = csv.reader(_checked(path).decode("utf-8").splitlines())
    return dict(zip(head, zip(*rows, strict=True), strict=True))


def _frozen(array, dtype=np.float64):
    array = np.array(array, dtype)
    array.setflags(write=False)
    return array


class _Record:
    """Gives a record that holds arrays a repr that fits on a few lines."""

    def __repr__(self):
        parts = (
            f"{name}={value.dtype} {value.shape}" if isinstance(value, np.ndarray) else f"{name}={value!r}"
            for name, value in vars(self).items()
            if not name.startswith("_")
        )
        return f"{type(self).__name__}({', '.join(parts)})"


def _known(name, allowed, what):
    if not isinstance(name, str) or name not in allowed:
        raise DatasetError(f"name={name!r} is no {what}; choose one of {', '.join(map(repr, allowed))}.")


# --- attention of a pre-trained language model ---------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class Attention(_Record):
    """Raw attention scores of all-MiniLM-L6-v2 (6 layers, 12 heads, head width 32) on one text.

    ``scores[layer, head, i, j]`` = q_i · k_j / √32, before any softmax: row i is the token that looks (the
    query), column j the token looked at (the key).

    Attributes:
        name: the name of the text
        text: the text, a string (``pair_en_fr``: a pair of strings)
        tokens: the n word pieces, ``[CLS]`` first and ``[SEP]`` last
        scores: float64 (6, 12, n, n), exact copies of the stored float16 numbers
        qkv_heads: the ``(layer, head)`` pairs whose queries, keys and values are stored
    """

    name: str
    text: str | tuple[str, str]
    tokens: tuple[str, ...]
    scores: np.ndarray
    qkv_heads: tuple[tuple[int, int], ...]
    _vectors: Mapping[tuple[int, int], np.ndarray]

    def head(self, layer, head):
        """Return the (n, n) scores of one head.

        >>> attention("negation").head(3, 1).shape
        (14, 14)
        """
        for name, value, size in zip(("layer", "head"), (layer, head), self.scores.shape, strict=False):
            if value not in range(size):
                raise DatasetError(f"{name}={value!r} does not exist; choose 0 to {size - 1}.")
        return self.scores[layer, head]

    def qkv(self, layer, head):
        """Return queries, keys and values of one head, each float64 (n, 32).

        Stored for four heads only (``qkv_heads``), as float16, so q kᵀ / √32 repeats ``head(layer, head)``
        to about three digits.

        >>> query, key, value = attention("negation").qkv(3, 1)
        >>> query.shape, bool(abs(query @ key.T / 32**0.5 - attention("negation").head(3, 1)).max() < 0.01)
        ((14, 32), True)
        """
        if (layer, head) not in self._vectors:
            stored = ", ".join(f"({a}, {b})" for a, b in self.qkv_heads)
            raise DatasetError(
                f"Queries, keys and values of layer={layer!r}, head={head!r} are not stored; the "
                f"(layer, head) pairs that are: {stored}."
            )
        return tuple(self._vectors[layer, head])


def attention(name):
    """Load the raw attention scores of one text.

    Args:
        name: ``coref_tired`` and ``coref_wide`` (the animal, the street and "it"), ``coref_people``,
            ``negation``, ``noun_phrase``, ``pair_en_fr`` (an English sentence and its translation) or
            ``paragraph``

    >>> attention("coref_wide").text
    "The animal didn't cross the street because it was too wide."
    """
    _known(name, ATTENTION, "text with attention scores")
    index = _json("minilm/tokens.json")
    entry, arrays = index["sentences"][name], _npz(f"minilm/{name}.npz")
    heads = tuple((layer, head) for layer, head in index["qkv_heads"])
    return Attention(
        name=name,
        text=entry["text"] if isinstance(entry["text"], str) else tuple(entry["text"]),
        tokens=tuple(entry["tokens"]),
        scores=_frozen(arrays["scores"]),
        qkv_heads=heads,
        _vectors=MappingProxyType({pair: _frozen(arrays["qkv_{}_{}".format(*pair)]) for pair in heads}),
    )


@dataclass(frozen=True, eq=False, repr=False)
class Reference(_Record):
    """Full-precision scores of ``coref_tired`` and the weights that the model itself computed from them.

    Attributes:
        tokens: the 16 word pieces
        scores, weights: float64 copies of float32 numbers, (6, 12, 16, 16)
    """

    tokens: tuple[str, ...]
    scores: np.ndarray
    weights: np.ndarray


def reference():
    """Load the model's own scores and weights of ``coref_tired``, a reference for tests.

    >>> bool(abs(reference().weights.sum(axis=-1) - 1).max() < 1e-6)
    True
    """
    arrays = _npz("minilm/reference_float32.npz")
    tokens = _json("minilm/tokens.json")["sentences"]["coref_tired"]["tokens"]
    return Reference(tuple(tokens), _frozen(arrays["scores"]), _frozen(arrays["model_weights"]))


# --- speech --------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class Speech(_Record):
    """One spoken sentence and the raw cross-attention scores of Whisper tiny.en, text token to sound frame.

    ``scores[h, i, t]`` = q_i · k_t / √64 before softmax, over the frames that hold sound. Whisper pads
    each clip with silence to 30 s; ``padding_logsumexp[h, i]`` is log Σ exp(score) over those silent frames,
    so the model's own weights are exp(scores − logaddexp(logsumexp(scores), padding_logsumexp)).

    Attributes:
        file: where the sound lies below attnlib/data, a WAV file
        audio: its int16 samples (52640,) at ``rate`` = 16000 per second
        scores: float64 (8, 13, 165)
        padding_logsumexp: float64 (8, 13)
        heads: the eight ``(layer, head)`` pairs that OpenAI lists as alignment heads
        reads: the token the decoder reads in row i; ``writes``: the token it is about to write (label rows
            with these)
        seconds_per_frame: 0.02
    """

    file: str
    audio: np.ndarray
    rate: int
    scores: np.ndarray
    padding_logsumexp: np.ndarray
    heads: tuple[tuple[int, int], ...]
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    seconds_per_frame: float


def speech():
    """Load the spoken sentence with its scores.

    >>> "".join(speech().writes[1:-2])
    ' He might even have been made amiable himself.'
    """
    arrays, index = _npz("whisper/whisper_scores.npz"), _json("whisper/whisper_tokens.json")
    file = "whisper/sense_and_sensibility.wav"
    with wave.open(io.BytesIO(_checked(file))) as sound:
        samples = np.frombuffer(sound.readframes(sound.getnframes()), "<i2")
        rate = sound.getframerate()
    return Speech(
        file=file,
        audio=_frozen(samples, np.int16),
        rate=rate,
        scores=_frozen(arrays["scores"]),
        padding_logsumexp=_frozen(arrays["padding_logsumexp"]),
        heads=tuple((layer, head) for layer, head in index["heads"]),
        reads=tuple(index["inputs"]),
        writes=tuple(index["predicts"]),
        seconds_per_frame=index["seconds_per_frame"],
    )


# --- classifier logits, digits, photographs ------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class Calibration(_Record):
    """Logits of a classifier of noisy handwritten digits on data it was not trained on.

    Attributes:
        name: ``perceptron`` or ``logistic``
        validation_logits, test_logits: float64 (400, 10) and (897, 10), copies of float32
        validation_labels, test_labels: int64 (400,) and (897,), the digit that was written
    """

    name: str
    validation_logits: np.ndarray
    validation_labels: np.ndarray
    test_logits: np.ndarray
    test_labels: np.ndarray


def calibration(name):
    """Load the logits of the ``perceptron`` (one hidden layer) or the ``logistic`` regression.

    >>> data = calibration("perceptron")
    >>> float((data.test_logits.argmax(axis=1) == data.test_labels).mean().round(3))
    0.871
    """
    _known(name, CALIBRATION, "classifier")
    arrays, stem = _npz("calibration/digit_logits.npz"), {"perceptron": "mlp"}.get(name, name)
    return Calibration(
        name=name,
        validation_logits=_frozen(arrays[f"{stem}_validation"]),
        validation_labels=_frozen(arrays["validation_labels"], np.int64),
        test_logits=_frozen(arrays[f"{stem}_test"]),
        test_labels=_frozen(arrays["test_labels"], np.int64),
    )


@dataclass(frozen=True, eq=False, repr=False)
class Digits(_Record):
    """Handwritten digits: ``images`` float64 (1797, 8, 8), ink from 0 to 16; ``labels`` int64 (1797,)."""

    images: np.ndarray
    labels: np.ndarray


def digits():
    """Load the 1797 handwritten digits.

    >>> digits()
    Digits(images=float64 (1797, 8, 8), labels=int64 (1797,))
    """
    arrays = _npz("digits.npz")
    return Digits(_frozen(arrays["images"]), _frozen(arrays["labels"], np.int64))


def image(name):
    """Load a grey photograph as float64 (height, width), from 0 (black) to 1 (white).

    Args:
        name: ``camera``, a photographer

    Needs Pillow, which matplotlib brings along.

    >>> image("camera").shape
    (128, 128)
    """
    _known(name, IMAGES, "photograph")
    content = _checked(f"images/{name}.png")
    try:
        from PIL import Image
    except ImportError as error:
        raise DatasetError("Photographs need Pillow; install it with: pip install pillow") from error
    with Image.open(io.BytesIO(content)) as picture:
        return _frozen(np.asarray(picture) / 255)


# --- numbers -------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class Regression(_Record):
    """Pairs of numbers: ``y`` against ``x``, float64 (n,), with what they are and their units."""

    name: str
    x: np.ndarray
    y: np.ndarray
    x_title: str
    y_title: str


def regression(name):
    """Load a small table of two columns.

    Args:
        name: ``engel`` (235 Belgian households, 1857), ``nile`` (100 years) or ``sunspots`` (309 years)

    >>> nile = regression("nile")
    >>> nile.x[0], nile.y[0], nile.y_title
    (np.float64(1871.0), np.float64(1120.0), 'flow (10⁸ m³ per year)')
    """
    _known(name, REGRESSION, "table of numbers")
    titles = {
        "engel": ("income (Belgian francs per year)", "food (Belgian francs per year)"),
        "nile": ("year", "flow (10⁸ m³ per year)"),
        "sunspots": ("year", "sunspot number"),
    }[name]
    x, y = _csv(f"regression/{name}.csv").values()
    return Regression(name, _frozen(x), _frozen(y), *titles)


# --- language ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class DateLanguage:
    """How one language writes dates: names of months and weekdays (Monday first), and CLDR date patterns.

    ``patterns`` has the keys ``full``, ``long``, ``medium`` and ``short``; in a pattern y is the year,
    M to MMMM the month, d the day, EEEE the weekday.
    """

    code: str
    name: str
    months: tuple[str, ...]
    months_short: tuple[str, ...]
    weekdays: tuple[str, ...]
    patterns: Mapping[str, str]


def cldr_dates():
    """Load how 25 languages write dates: ``{language code: DateLanguage}``.

    >>> polish = cldr_dates()["pl"]
    >>> polish.months[4], polish.patterns["long"]
    ('maja', 'd MMMM y')
    """
    return MappingProxyType(
        {
            code: DateLanguage(
                code=code,
                name=entry["name"],
                months=tuple(entry["months"]),
                months_short=tuple(entry["months_short"]),
                weekdays=tuple(entry["weekdays"]),
                patterns=MappingProxyType(entry["patterns"]),
            )
            for code, entry in _json("cldr/cldr_dates.json")["languages"].items()
        }
    )


@dataclass(frozen=True)
class Names:
    """Names in en, fr, de, es, ru and el: ``{code: {language: name}}`` for each kind of thing."""

    territories: Mapping[str, Mapping[str, str]]
    languages: Mapping[str, Mapping[str, str]]
    currencies: Mapping[str, Mapping[str, str]]


def cldr_names():
    """Load 1111 names of territories, languages and currencies in six languages.

    >>> cldr_names().currencies["CHF"]["fr"]
    'franc suisse'
    """
    table = _json("cldr/cldr_names.json")
    return Names(
        **{
            kind: MappingProxyType({code: MappingProxyType(row) for code, row in table[kind].items()})
            for kind in ("territories", "languages", "currencies")
        }
    )


@dataclass(frozen=True, eq=False, repr=False)
class Factbook(_Record):
    """Four short texts, questions about them, and unit MiniLM vectors of them all.

    Attributes:
        texts: ``{country: its sentences}``; ``sentences``: all 40 in order; ``questions``: 7
        sentence_vectors, question_vectors, text_vectors: float64 (40, 384), (7, 384) and (4, 384), of
            length 1 to three digits (they are stored as float16)
        text_of_sentence: int64 (40,), the position in ``texts`` of each sentence's text
    """

    texts: Mapping[str, tuple[str, ...]]
    sentences: tuple[str, ...]
    questions: tuple[str, ...]
    sentence_vectors: np.ndarray
    question_vectors: np.ndarray
    text_vectors: np.ndarray
    text_of_sentence: np.ndarray


def factbook():
    """Load the four Factbook texts with their questions and vectors.

    >>> book = factbook()
    >>> best = (book.sentence_vectors @ book.question_vectors[1]).argmax()
    >>> book.questions[1], book.sentences[best][:39]
    ('Which volcano harmed the economy?', 'Fallout from the Askja volcano of 1875 ')
    """
    content, arrays = _json("text/factbook.json"), _npz("text/factbook_minilm.npz")
    texts = {country: tuple(sentences) for country, sentences in content["texts"].items()}
    return Factbook(
        texts=MappingProxyType(texts),
        sentences=tuple(sentence for sentences in texts.values() for sentence in sentences),
        questions=tuple(content["questions"]),
        sentence_vectors=_frozen(arrays["sentences"]),
        question_vectors=_frozen(arrays["questions"]),
        text_vectors=_frozen(arrays["texts"]),
        text_of_sentence=_frozen(arrays["text_of_sentence"], np.int64),
    )


# --- what the readers of the book learnt ---------------------------------------------------------------


def results(table):
    """Load what ``make train`` measured: ``{"settings": {...}, "rows": [{"key": [...], ...}, ...]}``.

    Args:
        table: ``dates``, ``strips``, ``temperatures``, ``swaps``, ``examples`` or ``growth``; what the rows
            hold is told by the functions of `attnlib.experiments` that made them

    >>> results("strips")["settings"]["steps"]
    600
    """
    _known(table, RESULTS, "table of results")
    return _json(f"results/{table}.json")


def reader(name):
    """Load the parameters of a trained reader, ``{name: float64 array}``; they were trained in float32.

    Args:
        name: the task and the transform, as ``dates_softmax``

    >>> reader("dates_softmax")["Q"].shape
    (8, 32)
    """
    _known(name, READERS, "trained reader")
    return {key: _frozen(array) for key, array in _npz(f"readers/{name}.npz").items()}
