"""What the two readers of the book learn: dates as eight languages write them, and strips of digits.

Both are made of real data (Unicode CLDR's date formats, handwritten digits) by a random generator that is
passed in. Days, and digits, are split once and for all into those for training and those for testing.
"""

import re
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache

import numpy as np

from attnlib import datasets

__all__ = [
    "GRID",
    "LANGUAGES",
    "Dates",
    "Strips",
    "batches",
    "dates",
    "fresh_strips",
    "read_dates",
    "strips",
    "symbols",
    "tokenize",
    "write_date",
]

LANGUAGES = ("en", "fr", "de", "es", "it", "pt", "nl", "pl")
STYLES = ("full", "long", "medium")
FIRST_DAY, DAYS = date(1900, 1, 1), 73_049  # to the end of 2099
KEYS = 18  # symbols of a date, the start included; CLDR's longest has 14
START = "<s>"

HEIGHT, CELL, SIDE, SLOTS = 11, 12, 8, 4  # pixels: height of a strip, width of a cell, side of a digit
GRID = (HEIGHT - SIDE + 1, SLOTS * CELL - SIDE + 1)  # places of a patch: rows, columns


# --- dates ---------------------------------------------------------------------------------------------

_formats = cache(datasets.cldr_dates)


def write_date(day, language, style):
    """Return (text, fields): a day as a language writes it, and for each character what it belongs to.

    A field is "y", "m", "d", "w" (weekday) or " "; style is "full", "long" or "medium".

    >>> write_date(date(2024, 5, 3), "pl", "long")
    ('3 maja 2024', 'd mmmm yyyy')
    """
    how = _formats()[language]
    text = fields = ""
    for part in re.findall(r"'[^']*'|E+|M+|d+|y+|.", how.patterns[style]):
        match part[0], len(part):
            case "E", _:
                piece, field = how.weekdays[day.weekday()], "w"
            case "M", 4:
                piece, field = how.months[day.month - 1], "m"
            case "M", 3:
                piece, field = how.months_short[day.month - 1], "m"
            case "M", width:
                piece, field = str(day.month).zfill(width), "m"
            case "d", width:
                piece, field = str(day.day).zfill(width), "d"
            case "y", _:
                piece, field = str(day.year), "y"
            case _:
                piece, field = part.strip("'"), " "
        text, fields = text + piece, fields + field * len(piece)
    return text.lower(), fields


def tokenize(text, fields=None):
    """Return (tokens, their fields) of a date: words, single digits and signs, after a start token.

    Without the fields of its characters, those of the tokens are unknown ("?").

    >>> tokenize("3 maja 2024")[0]
    ['<s>', '3', 'maja', '2', '0', '2', '4']
    """
    fields = "?" * len(text) if fields is None else fields
    found = list(re.finditer(r"\d|[^\W\d_]+|[^\w\s]", text.lower()))
    return [START, *(m.group() for m in found)], ["s", *(fields[m.start()] for m in found)]


@cache
def symbols():
    """Return {token: number} for every token that a date of the eight languages can hold; 0 is padding.

    >>> symbols()["<s>"], symbols()["maja"], len(symbols())
    (14, 113, 192)
    """
    found = {START, *"0123456789"}
    for language in LANGUAGES:
        how = _formats()[language]
        for name in (*how.months, *how.months_short, *how.weekdays):
            found.update(tokenize(name)[0])
        for style in STYLES:
            found.update(tokenize(write_date(FIRST_DAY, language, style)[0])[0])
    return {token: number for number, token in enumerate(sorted(found), start=1)}


@dataclass(frozen=True, repr=False)
class Dates:
    """A sample of n dates for the reader.

    Attributes:
        texts, tokens, languages: as they are written, cut into tokens, and in which language
        inputs: (n, 18) symbols, 0 after the end; digits: (n, 8), the answer YYYYMMDD
        holds: (n, 8, 18) bool, whether a token holds the digit of a slot: the very digit of the year, the day
            or a numeric month, or the month's word. The tens of a day below 10 are held by nothing.
    """

    texts: tuple
    tokens: tuple
    languages: np.ndarray
    inputs: np.ndarray
    digits: np.ndarray
    holds: np.ndarray

    def __len__(self):
        return len(self.texts)

    def __repr__(self):
        return f"Dates({len(self)} dates, the first {self.texts[0]!r})"


@cache
def _days(part):
    """Return the days of a part, in a random order that never changes: four fifths are for training."""
    order = np.random.default_rng(2024).permutation(DAYS)
    parts = {"train": order[: DAYS * 4 // 5], "test": order[DAYS * 4 // 5 :]}
    if part not in parts:
        raise ValueError(f"part must be 'train' or 'test', not {part!r}")
    return parts[part]


def dates(n, rng, part="train", languages=LANGUAGES):
    """Draw n dates from 1900 to 2099: the day from one part of all days, the language and the style at will.

    Raises ValueError for a part that is neither "train" nor "test".

    >>> dates(2, np.random.default_rng(0)).texts
    ('11 de dezembro de 2020', 'samstag, 30. september 2062')
    """
    days = _days(part)
    drawn = [
        (
            FIRST_DAY + timedelta(int(days[rng.integers(len(days))])),
            languages[rng.integers(len(languages))],
            STYLES[rng.integers(len(STYLES))],
        )
        for _ in range(n)
    ]
    texts, fields = zip(*(write_date(*one) for one in drawn), strict=True)
    cut = [tokenize(text, field) for text, field in zip(texts, fields, strict=True)]
    tokens = tuple(tuple(one) for one, _ in cut)
    return Dates(
        texts=texts,
        tokens=tokens,
        languages=np.array([language for _, language, _ in drawn]),
        inputs=_numbered(tokens),
        digits=np.array([[int(c) for c in day.strftime("%Y%m%d")] for day, _, _ in drawn]),
        holds=np.array([_holders(*one) for one in cut]),
    )


def read_dates(reader, texts):
    """Return (tokens of each text, the reader's Reading of all of them), for dates typed by hand.

    Raises ValueError for a date with too many symbols or with one that no date of the eight languages has.
    """
    tokens = tuple(tuple(tokenize(text)[0]) for text in texts)
    return tokens, reader.read(_numbered(tokens))


def _numbered(tokens):
    """Return the symbols of dates in tokens, (n, KEYS), 0 after the end."""
    inputs = np.zeros((len(tokens), KEYS), int)
    for row, one in zip(inputs, tokens, strict=True):
        unknown = [token for token in one if token not in symbols()]
        if unknown or len(one) > KEYS:
            what = f"holds {unknown[0]!r}" if unknown else f"has {len(one) - 1} symbols"
            raise ValueError(
                f"a date must have at most {KEYS - 1} symbols, all known to the reader, but {one[1:]} {what}"
            )
        row[: len(one)] = [symbols()[token] for token in one]
    return inputs


def _holders(tokens, fields):
    """Return the (8, KEYS) booleans of Dates.holds for one date."""
    holds = np.zeros((8, KEYS), bool)
    year, month, day = ([i for i, f in enumerate(fields) if f == field] for field in "ymd")
    month = [i for i in month if tokens[i] != "."]
    holds[range(4), year] = True
    if tokens[month[0]].isdigit() and len(month) == 2:
        holds[(4, 5), month] = True
    else:
        holds[4:6, month] = True
    holds[7, day[-1]] = True
    if len(day) == 2:
        holds[6, day[0]] = True
    return holds


# --- strips --------------------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class Strips:
    """A sample of n strips of four handwritten digits for the reader.

    Attributes:
        images: (n, 11, 48) float32, ink from 0 to 1, with noise of standard deviation 0.05
        digits: (n, 4), the answer; rows, columns: (n, 4), the place of each digit's upper left corner
    """

    images: np.ndarray
    digits: np.ndarray
    rows: np.ndarray
    columns: np.ndarray

    @property
    def inputs(self):
        """Patches of 8 x 8 pixels at each place of GRID, row by row: (n, 164, 64) float32."""
        patches = np.lib.stride_tricks.sliding_window_view(self.images, (SIDE, SIDE), axis=(1, 2))
        return np.ascontiguousarray(patches).reshape(len(self.images), -1, SIDE * SIDE)

    @property
    def holds(self):
        """Whether a patch is the digit's own or at most one pixel away: (n, 4, 164) bool."""
        row, column = np.divmod(np.arange(GRID[0] * GRID[1]), GRID[1])
        away = np.maximum(abs(row - self.rows[..., None]), abs(column - self.columns[..., None]))
        return away <= 1

    def __len__(self):
        return len(self.images)

    def __repr__(self):
        return f"Strips({len(self)} strips, the first {''.join(map(str, self.digits[0]))})"


@cache
def _handwriting(part):
    """Return (images from 0 to 1, labels) of the digits of a part: 1297 for training, 500 for testing."""
    data = datasets.digits()
    order = np.random.default_rng(0).permutation(len(data.labels))
    parts = {"train": order[:1297], "test": order[1297:]}
    if part not in parts:
        raise ValueError(f"part must be 'train' or 'test', not {part!r}")
    return data.images[parts[part]].astype(np.float32) / 16, data.labels[parts[part]]


def strips(n, rng, part="train"):
    """Draw n strips: four digits of one part, each somewhere in its own cell, on noisy paper.

    Raises ValueError for a part that is neither "train" nor "test".

    >>> strips(1, np.random.default_rng(0))
    Strips(1 strips, the first 8987)
    """
    images, labels = _handwriting(part)
    drawn = rng.integers(0, len(images), (n, SLOTS))
    rows = rng.integers(0, GRID[0], (n, SLOTS))
    columns = np.arange(SLOTS) * CELL + rng.integers(0, CELL - SIDE + 1, (n, SLOTS))
    paper = np.zeros((n, HEIGHT, SLOTS * CELL), np.float32)
    for one, row, column, strip in zip(drawn, rows, columns, paper, strict=True):
        for digit, r, c in zip(one, row, column, strict=True):
            strip[r : r + SIDE, c : c + SIDE] = images[digit]
    noisy = paper + rng.normal(0.0, 0.05, paper.shape).astype(np.float32)
    return Strips(np.clip(noisy, 0.0, 1.0), labels[drawn], rows, columns)


# --- both ----------------------------------------------------------------------------------------------


def batches(sample, size, rng):
    """Yield batches (inputs, digits) of a size, drawn from a sample with replacement, without end."""
    inputs, digits = sample.inputs, sample.digits
    while True:
        chosen = rng.integers(0, len(inputs), size)
        yield inputs[chosen], digits[chosen]


def fresh_strips(size, rng):
    """Yield batches (inputs, digits) of new strips for training, without end."""
    while True:
        sample = strips(size, rng)
        yield sample.inputs, sample.digits
