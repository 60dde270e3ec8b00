"""The explorer: a chart with sliders, alive in JupyterLab, in the built page, and checked as text.

One call gives one object for three places:

- with a kernel, a widget: moving a control, or editing a score, calls `compute` in Python;
- in the built page, a grid of precomputed results that the page's script steps through, no kernel needed;
- under nbval, the same grid as text, so that a wrong number at any stop shows as a difference.

The HTML made here is the only description of what an explorer holds: `explorer.js` changes the numbers in it,
`explorer.css` says how it looks, in the page and in JupyterLab alike.
"""

import hashlib
import itertools
import json
import math
import re
import sys
from dataclasses import dataclass
from functools import cache, cached_property
from html import escape
from numbers import Integral, Real
from pathlib import Path

import numpy as np

from attnlib._numbers import fixed, minus, rounded, separator

__all__ = ["Bars", "Curves", "Explorer", "Heatmap", "stops"]

MAX_STATES = 2_000
MAX_BYTES = 100 * 1024
MAX_CURVES = 4  # as many as explorer.css has looks for
LISTED_STATES = 60
LISTED_NUMBERS = 4_000
SYMBOLS = {"temperature": "T", "alpha": "α"}
DEPTHS = (0.64, 0.92)  # shares of blue beyond which black text, then white, is the more readable
NAMES_SEEN = 24  # columns of a map that can all show their names; of more, every fourth or so does
NEGATIVE_DEPTHS = (0.65,)  # the same for vermilion, on which black stays the more readable
HERE = Path(__file__).parent


def stops(low, high, per_decade=10):
    """Slider stops in geometric steps, so that one step of the hand is one step of effect.

    From `low` to `high`, both positive, about `per_decade` steps to a factor of ten, rounded to two
    significant digits, duplicates removed. Ten to the decade are the preferred numbers R10 (ISO 3).

    Examples
    --------
    >>> stops(1, 10)
    (1.0, 1.3, 1.6, 2.0, 2.5, 3.2, 4.0, 5.0, 6.3, 7.9, 10.0)
    """
    if not 0 < low < high < math.inf:
        raise ValueError(f"stops need 0 < low < high, both finite, got low={low!r} and high={high!r}")
    if not per_decade > 0:
        raise ValueError(f"per_decade must be positive, got {per_decade!r}")
    steps = max(1, round(per_decade * math.log10(high / low)))
    return tuple(dict.fromkeys(float(f"{value:.2g}") for value in np.geomspace(low, high, steps + 1)))


# Charts. Each knows the shape of its numbers, how to list them as text, and its HTML at one state.


@dataclass(frozen=True)
class Bars:
    """Horizontal bars, one per label, in fixed order on a fixed scale; `compute` returns shape (labels,).

    Parameters
    ----------
    labels : texts, repeats allowed; a bar keeps its position.
    scores : one number per label, or None. Drawn grey beside the weights and passed to `compute` as `scores`;
        where there is a kernel they can be edited.
    limit : end of the scale, which begins at 0; or a pair (low, high) around 0.
    title, label_title : headings of the bars and of the labels.
    """

    labels: tuple
    scores: tuple | None = None
    limit: float | tuple = 1.0
    title: str = "weight"
    label_title: str = "token"

    def __post_init__(self):
        """Check and freeze the fields."""
        _freeze(self, labels=_texts(self.labels, "Bars labels"), limit=_limits(self.limit, "Bars limit"))
        if not self.limit[0] <= 0 <= self.limit[1]:
            raise ValueError(f"Bars limit {self.limit} leaves out 0, where every bar begins")
        if self.scores is None:
            return
        scores = np.asarray(self.scores, dtype=float)
        if scores.shape != self.shape:
            raise ValueError(f"Bars has {len(self.labels)} labels but scores of shape {scores.shape}")
        _freeze(self, scores=_finite(scores, "Bars scores"))

    @property
    def shape(self):
        """Shape of the array that `compute` returns."""
        return (len(self.labels),)

    @property
    def heading(self):
        """Line of text over the listed numbers."""
        return f"{self.title} of {' | '.join(self.labels)}"

    def extra(self, values):
        """Numbers the script needs beside the values: none."""
        return []

    @cached_property
    def score_limits(self):
        """Scale of the scores: all of them, zero, and room on both sides to drag into."""
        low, high = min(0.0, *self.scores), max(0.0, *self.scores)
        step = _step((high - low) or 2.0)
        return (math.floor(low / step - 0.5) * step, math.ceil(high / step + 0.5) * step)

    def data(self):
        """What the script must know to draw these bars."""
        scores = {} if self.scores is None else {"scoreLimits": self.score_limits}
        return {"kind": "bars", "limits": self.limit, **scores}

    def html(self, values, live=False):
        """A table of labels, bars and numbers at one state; with `live`, the scores are inputs."""
        scored = self.scores is not None
        digits = max(map(_decimals, self.scores)) if scored else 0
        head = _tag("th", escape(self.label_title), scope="col")
        if scored:
            head += _tag("th", "score (drag or type)" if live else "score", scope="col", cls="attn-score")
        head += _tag("th", escape(self.title), scope="col", cls="attn-weight")
        rows = []
        for position, label in enumerate(self.labels):
            row = _label(label)
            if scored:
                score = self.scores[position]
                number = _score_input(f"{score:.{digits}f}", label) if live else _number(fixed(score, digits))
                row += _tag("td", _bar(score, self.score_limits, number), cls="attn-score")
            number = _number(fixed(values[position]))
            row += _tag("td", _bar(values[position], self.limit, number), cls="attn-weight")
            rows.append(row)
        style = _scale_style("weight", self.limit, map(fixed, self.limit))
        if scored:
            style += ";" + _scale_style("score", self.score_limits, (fixed(s, digits) for s in self.scores))
        label = f"{self.title} of each {self.label_title}"
        return _table("attn-bars", head, rows, style=style, aria_label=label)


@dataclass(frozen=True)
class Heatmap:
    """A matrix of cells from the page's own background to blue; `compute` returns shape (rows, columns).

    Parameters
    ----------
    rows, columns : texts, one per row and per column, repeats allowed; of more than 24 columns some names are
        only read aloud.
    row_title, column_title : what the rows and the columns are.
    limit : the value that is drawn in full blue; 0 is drawn empty.
    signed : whether numbers go down to -limit. Those below 0 are drawn hatched, towards vermilion.
    """

    rows: tuple
    columns: tuple
    row_title: str = "query"
    column_title: str = "key"
    limit: float = 1.0
    signed: bool = False

    def __post_init__(self):
        """Check and freeze the fields."""
        _freeze(self, rows=_texts(self.rows, "Heatmap rows"), columns=_texts(self.columns, "Heatmap columns"))
        limits = _limits(self.limit, "Heatmap limit")
        if limits[0] != 0:
            raise ValueError(f"Heatmap limit must be one positive number, got {self.limit!r}")
        _freeze(self, limit=(-limits[1], limits[1]) if self.signed else limits)

    @property
    def shape(self):
        """Shape of the array that `compute` returns."""
        return (len(self.rows), len(self.columns))

    @property
    def heading(self):
        """Line of text over the listed numbers."""
        return (
            f"rows ({self.row_title}) {' | '.join(self.rows)}; "
            f"columns ({self.column_title}) {' | '.join(self.columns)}"
        )

    def extra(self, values):
        """Numbers the script needs beside the values: none."""
        return []

    def data(self):
        """What the script must know to draw this map."""
        signed = {"negativeDepths": NEGATIVE_DEPTHS} if self.signed else {}
        return {"kind": "heatmap", "limits": self.limit, "depths": DEPTHS, **signed}

    def html(self, values, live=False):
        """A table of coloured cells at one state, each holding its number."""
        corner = f"{escape(self.column_title)} →\n{escape(self.row_title)} ↓"
        head = _tag("th", corner, cls="attn-corner")
        step = 1 if len(self.columns) <= NAMES_SEEN else -(-len(self.columns) // 12)
        for place, column in enumerate(self.columns):
            unseen = {"cls": "attn-unseen"} if place % step else {}
            head += _tag("th", _bdi(column), scope="col", **unseen)
        rows = [
            _label(row) + "".join(_cell(value, self.limit) for value in numbers)
            for row, numbers in zip(self.rows, values, strict=True)
        ]
        cls = "attn-map attn-signed" if self.signed else "attn-map"
        table = _table(cls, head, rows, style=f"--columns:{len(self.columns)}")
        label = f"{self.row_title} by {self.column_title}"
        scale = ""
        if self.signed:
            low, high = (minus(f"{end:g}") for end in self.limit)
            label += f", from {low} to {high}"
            ends = _tag("span", f"{low} (hatched)") + _tag("i") + _tag("span", high)
            scale = _tag("div", ends, cls="attn-scale", aria_hidden="true")
        few = {"checked": ""} if len(self.columns) <= 8 else {}
        box = _tag("input", type="checkbox", **few)
        return _tag("div", table, cls="attn-scroll", role="group", tabindex=0, aria_label=label) + (
            scale + _tag("label", f"{box} numbers in the cells", cls="attn-figures")
        )


@dataclass(frozen=True)
class Curves:
    """Lines over a common x on fixed scales; `compute` returns shape (names, x), or (x,) for one name.

    Parameters
    ----------
    x : increasing numbers, two or more; positive with `log_x`.
    names : one text per curve, written at its right end; at most four, each with dashes of its own.
    x_title, y_title : what the axes are.
    limits : pair (low, high) of the y axis.
    """

    x: tuple
    names: tuple
    x_title: str
    y_title: str
    limits: tuple = (0, 1)
    log_x: bool = False

    def __post_init__(self):
        """Check and freeze the fields."""
        names = (self.names,) if isinstance(self.names, str) else self.names
        x = _finite(np.asarray(self.x, dtype=float), "Curves x")
        if len(x) < 2 or np.any(np.diff(x) <= 0) or (self.log_x and x[0] <= 0):
            raise ValueError("Curves x must increase, over two or more numbers, all positive with log_x=True")
        _freeze(self, x=x, names=_texts(names, "Curves names"), limits=_limits(self.limits, "Curves limits"))
        if len(self.names) > MAX_CURVES:
            raise ValueError(
                f"{len(self.names)} curves are too many for one picture; draw at most {MAX_CURVES}"
            )

    @property
    def shape(self):
        """Shape of the array that `compute` returns."""
        return (len(self.names), len(self.x))

    @property
    def heading(self):
        """Line of text over the listed numbers."""
        ends = f"{self.x[0]:{self.comma}g} to {self.x[-1]:{self.comma}g}"
        return f"{self.y_title} of {' | '.join(self.names)} at {len(self.x)} values of {self.x_title}, {ends}"

    @cached_property
    def places(self):
        """Horizontal place of each x, in thousandths of the width."""
        x = np.log(self.x) if self.log_x else np.asarray(self.x)
        return np.rint(1000 * (x - x[0]) / (x[-1] - x[0])).astype(int).tolist()

    @property
    def comma(self):
        """What stands between thousands along x: nothing if x are years, which are names."""
        return separator(self.x_title)

    @property
    def every(self):
        """Step through x that leaves about twenty rows for the table."""
        return math.ceil(len(self.x) / 20)

    def extra(self, values):
        """Heights of the names, in the order of the curves' right ends and kept apart."""
        gap = 0.085
        ends = [_share(curve[-1], self.limits) for curve in values]
        low = 0.0
        for index in sorted(range(len(ends)), key=ends.__getitem__):
            ends[index] = low = max(ends[index], low)
            low += gap
        high = 1.0
        for index in sorted(range(len(ends)), key=ends.__getitem__, reverse=True):
            ends[index] = high = min(ends[index], high)
            high -= gap
        return ends

    def data(self):
        """What the script must know to draw these curves."""
        return {
            "kind": "curves",
            "limits": self.limits,
            "places": self.places,
            "x": [f"{x:{self.comma}.4g}" for x in self.x],
            "every": self.every,
        }

    def html(self, values, live=False):
        """A plot at one state, with the numbers as a table behind it."""
        grid, axes, lines = "", "", ""
        for value in _ticks(*self.limits):
            top = 1 - _share(value, self.limits)
            grid += f"M0 {1000 * top:.0f}H1000"
            axes += _tag("span", minus(f"{value:,g}"), cls="attn-y", style=f"top:{100 * top:.4g}%")
        for value in _ticks(self.x[0], self.x[-1], self.log_x):
            left = float(np.interp(value, self.x, self.places)) / 10
            axes += _tag("span", minus(f"{value:{self.comma}g}"), cls="attn-x", style=f"left:{left:.4g}%")
        heights = self.extra(values)
        for number, (name, curve, height) in enumerate(zip(self.names, values, heights, strict=True), 1):
            tops = (1000 - 1000 * _share(value, self.limits) for value in curve)
            points = "L".join(f"{x} {top:.0f}" for x, top in zip(self.places, tops, strict=True))
            lines += _tag("path", d=f"M{points}", cls=f"attn-line attn-line-{number}")
            style = f"top:{100 - 100 * height:.4g}%"
            axes += _tag("span", escape(name), cls=f"attn-name attn-line-{number}", style=style)
        svg = _tag(
            "svg",
            _tag("path", d=grid, cls="attn-grid") + lines,
            viewBox="0 0 1000 1000",
            preserveAspectRatio="none",
            role="img",
            aria_label=f"{self.y_title} against {self.x_title}: {', '.join(self.names)}",
        )
        plot = (
            _tag("div", escape(self.y_title), cls="attn-y-title")
            + _tag("div", svg + axes, cls="attn-area")
            + _tag("div", escape(self.x_title), cls="attn-x-title")
        )
        head = "".join(_tag("th", escape(title), scope="col") for title in (self.x_title, *self.names))
        rows = [
            _tag("th", minus(f"{self.x[index]:{self.comma}.4g}"), scope="row")
            + "".join(_tag("td", fixed(curve[index])) for curve in values)
            for index in range(0, len(self.x), self.every)
        ]
        table = _tag("summary", "Numbers as a table") + _table("attn-numbers", head, rows)
        margin = max(map(len, self.names)) + 1
        return _tag("div", plot, cls="attn-plot", style=f"--names:{margin}ch") + _tag("details", table)


class _Control:
    """One control: its stops as values for `compute`, as texts, and in words."""

    def __init__(self, name, values):
        values = np.asarray(values).tolist() if isinstance(values, np.ndarray) else values
        if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
            raise TypeError(f"control {name!r} must be a sequence of numbers or of texts, got {values!r}")
        self.name, self.values = name, tuple(values)
        self.title = name.replace("_", " ").capitalize()
        self.symbol = SYMBOLS.get(name, name.replace("_", " "))
        self.numeric = bool(self.values) and all(_is_number(value) for value in self.values)
        if len(self.values) < 2:
            raise ValueError(f"control {name!r} needs two stops or more, got {len(self.values)}")
        if not self.numeric and not all(isinstance(value, str) for value in self.values):
            raise TypeError(f"control {name!r} must hold only numbers or only texts, got {self.values!r}")
        if len(set(self.values)) < len(self.values):
            twice = next(value for value in self.values if self.values.count(value) > 1)
            raise ValueError(f"control {name!r} holds {twice!r} more than once")
        if self.numeric:
            bad = [value for value in self.values if not math.isfinite(value)]
            if bad:
                raise ValueError(f"control {name!r} holds {bad[0]!r}: stops must be finite numbers")
            if list(self.values) != sorted(self.values):
                raise ValueError(f"the numbers of control {name!r} must increase, got {self.values!r}")
        self.texts = (
            [_stop(value, self.values) for value in self.values] if self.numeric else list(self.values)
        )

    @property
    def middle(self):
        """Where a control begins unless told: the middle of a slider, the first text of a menu."""
        return len(self.values) // 2 if self.numeric else 0

    def index(self, value):
        """Position of a stop; the error names the stops."""
        if value not in self.values:
            raise ValueError(
                f"start of control {self.name!r} is {value!r}, which is not a stop; stops: {self.values}"
            )
        return self.values.index(value)

    def words(self, index):
        """The control's state as read aloud: "T = 0.50", or the chosen text."""
        return f"{self.symbol} = {self.texts[index]}" if self.numeric else self.texts[index]

    def sign(self, index):
        """The state as written beside its slider: with the symbol where there is one of the field's own."""
        return minus(self.words(index) if self.name in SYMBOLS else self.texts[index])

    def data(self):
        """What the script must know of this control: each state in words and as written."""
        if not self.numeric:
            return {"words": self.texts}
        states = range(len(self.values))
        return {"words": [minus(self.words(i)) for i in states], "signs": [self.sign(i) for i in states]}

    def html(self, index):
        """A labelled native range or select input."""
        sign = f" {_tag('var', self.symbol)}" if self.name in SYMBOLS else ""
        label = _tag("span", escape(self.title) + sign, cls="attn-label")
        if not self.numeric:
            options = (
                _tag("option", escape(text), **({"selected": ""} if position == index else {}))
                for position, text in enumerate(self.texts)
            )
            return _tag(
                "label", label + _tag("select", "".join(options), autocomplete="off"), cls="attn-control"
            )
        last = len(self.values) - 1
        slider = _tag(
            "input",
            type="range",
            min=0,
            max=last,
            value=index,
            autocomplete="off",
            aria_valuetext=minus(self.words(index)),
            style=f"--steps:{last}",
        )
        ends = _tag("span", minus(self.texts[0])) + _tag("span", minus(self.texts[last]))
        return _tag(
            "label",
            label
            + _tag(
                "span", slider + _tag("span", ends, cls="attn-ends", aria_hidden="true"), cls="attn-slider"
            )
            + _tag("span", self.sign(index), cls="attn-stop", aria_hidden="true"),
            cls="attn-control",
        )


class Explorer:
    """A chart and its controls: a live widget with a kernel, a precomputed grid without one.

    Parameters
    ----------
    compute : called as `compute(temperature=0.5, ...)` with one stop of each control, and with `scores=` (a
        float64 copy) when the chart is `Bars` with scores. Returns an array of the chart's shape, or a dict
        whose first item is that array and whose other items are single numbers, shown under their names.
    chart : `Bars`, `Heatmap` or `Curves`.
    name : lower-case slug, unique in the book; the element's id is explorer-NAME.
    caption : one or two sentences under the chart.
    start : stop of each control that is shown first, e.g. `{"temperature": 1.0}`; by default the
        middle one of a slider, the first text of a menu.
    controls : numbers in increasing order (a slider) or texts (a menu), two stops or more.

    Raises
    ------
    ValueError, TypeError
        When an argument does not fit, when the grid has over 2,000 states or takes over 100 KB, and when
        `compute` returns another shape, a number that is not finite, or one outside the chart's scale: the
        sentence names the state.

    Examples
    --------
    >>> halve = lambda factor: [1 / factor, 1 - 1 / factor]
    >>> Explorer(halve, Bars(["left", "right"]), name="halve", caption="Two parts.", factor=[2, 4, 5])
    Explorer halve: weight of left | right
    factor = 2: 0.500 0.500
    factor = 4: 0.250 0.750
    factor = 5: 0.200 0.800
    """

    def __init__(self, compute, chart, *, name, caption, start=None, **controls):
        """Compute every state of the grid, so that what does not fit fails here."""
        _check_name(name)
        if not controls:
            raise ValueError(f"explorer {name!r} has no control, such as temperature=stops(0.1, 10)")
        self.compute, self.chart, self.name, self.caption = compute, chart, name, caption
        self.controls = [_Control(*item) for item in controls.items()]
        unknown = set(start or {}) - set(controls)
        if unknown:
            raise ValueError(
                f"start names {sorted(unknown)[0]!r}, which is not a control; controls: {', '.join(controls)}"
            )
        self.start = tuple(
            control.index(start[control.name]) if control.name in (start or {}) else control.middle
            for control in self.controls
        )
        states = math.prod(len(control.values) for control in self.controls)
        if states > MAX_STATES:
            raise ValueError(
                f"explorer {name!r} has {states:,} states, {states - MAX_STATES:,} over the {MAX_STATES:,} "
                "allowed: drop stops or a control"
            )
        self.readouts, self.grid = None, {}
        for state in itertools.product(*(range(len(control.values)) for control in self.controls)):
            self.grid[state] = self._at(state)
            self._within_scale(state)
        columns = zip(*(scalars for _, scalars in self.grid.values()), strict=True)
        self.counts = [all(isinstance(value, int) for value in column) for column in columns]
        size = len(self.html().encode())
        if size > MAX_BYTES:
            raise ValueError(
                f"explorer {name!r} takes {size:,} bytes, {size - MAX_BYTES:,} over the {MAX_BYTES:,} "
                "(100 KB) allowed: drop stops, or show fewer numbers"
            )

    def _at(self, state, scores=None):
        """Values and read-outs at one state, checked."""
        words = self._words(state)
        values = {c.name: c.values[index] for c, index in zip(self.controls, state, strict=True)}
        if getattr(self.chart, "scores", None) is not None:
            values["scores"] = np.array(self.chart.scores if scores is None else scores)
        result = self.compute(**values)
        if isinstance(result, dict) and not result:
            raise ValueError(f"compute returned an empty dict at {words}: its first item is what is drawn")
        shown, *others = result.items() if isinstance(result, dict) else [("", result)]
        try:
            array = np.asarray(shown[1], dtype=float)
        except (TypeError, ValueError):
            raise ValueError(
                f"compute returned {shown[1]!r} at {words}, but the chart shows an array of numbers"
            ) from None
        array = array[None] if isinstance(self.chart, Curves) and array.ndim == 1 else array
        if array.shape != self.chart.shape:
            raise ValueError(
                f"compute returned shape {array.shape} at {words}, but the chart shows {self.chart.shape}"
            )
        if not np.isfinite(array).all():
            raise ValueError(
                f"compute returned {array[~np.isfinite(array)][0]} at {words}: every number must be finite"
            )
        names = [other for other, _ in others]
        if self.readouts is None:
            self.readouts = names
        elif names != self.readouts:
            raise ValueError(f"compute returned the read-outs {names} at {words}, but {self.readouts} before")
        scalars = []
        for other, value in others:
            value = value.item() if isinstance(value, np.ndarray | np.generic) and not value.ndim else value
            if not isinstance(value, Real) or not math.isfinite(value):
                raise ValueError(
                    f"compute returned {value!r} as {other!r} at {words}: a read-out is one finite number"
                )
            scalars.append(int(value) if isinstance(value, Integral) else float(value))
        return array, scalars

    def _within_scale(self, state):
        """Refuse numbers that the chart would have to cut off."""
        array, (low, high) = self.grid[state][0], self.chart.data()["limits"]
        for value in (array.min(), array.max()):
            if not low - 1e-9 <= value <= high + 1e-9:
                raise ValueError(
                    f"compute returned {value:.6g} at {self._words(state)}, outside the chart's scale "
                    f"{low:g} to {high:g}"
                )

    def _words(self, state):
        return ", ".join(control.words(index) for control, index in zip(self.controls, state, strict=True))

    def _numbers(self, state):
        """All numbers of one state in thousandths, in the order the script reads them."""
        array, scalars = self.grid[state]
        return _thousandths([*array.ravel().tolist(), *scalars, *self.chart.extra(array)])

    def _read(self, scalars):
        """Names and texts of the read-outs: what is a whole number at every stop is written as one."""
        for name, value, count in zip(self.readouts, scalars, self.counts, strict=True):
            yield name, minus(f"{value:,d}") if count else fixed(value)

    def _list(self, scalars):
        """The read-outs in HTML: one whose length changes says how long it gets, so that lines stay."""
        every = zip(*([text for _, text in self._read(at)] for _, at in self.grid.values()), strict=True)
        items = []
        for (name, text), count, texts in zip(self._read(scalars), self.counts, every, strict=True):
            lengths = set(map(len, texts))
            marks = {"data_count": ""} if count else {}
            marks |= {"style": f"--signs:{max(lengths)}"} if len(lengths) > 1 else {}
            items.append(_tag("div", _tag("dt", escape(name)) + _tag("dd", text, **marks)))
        return "".join(items)

    def text(self):
        """The grid as text: all of it up to 60 states, else ends, middle and a digest over every number."""
        lines = [f"Explorer {self.name}: {self.chart.heading}"]
        if getattr(self.chart, "scores", None) is not None:
            lines.append(f"scores: {' '.join(_keyed(fixed(score)) for score in self.chart.scores)}")
        states = list(self.grid)
        every = [number for state in states for number in self._numbers(state)]
        whole = len(states) <= LISTED_STATES and len(every) <= LISTED_NUMBERS
        listed = (
            states if whole else dict.fromkeys([states[0], self.start, states[len(states) // 2], states[-1]])
        )
        for state in sorted(listed):
            array, scalars = self.grid[state]
            rows = [" ".join(_keyed(fixed(v)) for v in row) for row in np.atleast_2d(array).tolist()]
            text = f" {rows[0]}" if len(rows) == 1 else "".join(f"\n  {row}" for row in rows)
            named = "".join(f"; {name} {_keyed(number)}" for name, number in self._read(scalars))
            lines.append(f"{self._words(state)}:{text}{named}")
        if not whole:
            digest = hashlib.sha256(",".join(map(str, every)).encode()).hexdigest()[:16]
            lines.append(f"{len(states):,} states, {len(every):,} numbers, sha256 {digest}")
        return "\n".join(lines)

    __repr__ = text

    def _inside(self, live=False):
        """Figure, controls and read-outs at the start state, and what the script must know."""
        array, scalars = self.grid[self.start]
        shown = np.reshape(_thousandths(array.ravel().tolist()), array.shape) / 1000  # as the script has them
        words = escape(self._words(self.start))
        controls = "".join(c.html(index) for c, index in zip(self.controls, self.start, strict=True))
        readouts = self._list(scalars)
        if live:
            controls += _tag("button", "Reset", type="button")
            note = _tag("p", cls="attn-error", role="alert", hidden="")
        else:
            note = _tag("noscript", _tag("p", f"Shown at {words}; the controls need JavaScript."))
        figure = (
            self.chart.html(shown.tolist(), live)
            + _tag("fieldset", controls, disabled="", aria_label="controls")
            + note
            + (_tag("dl", readouts) if readouts else "")
            + _tag("output")
            + _tag("figcaption", escape(self.caption))
        )
        data = {
            **self.chart.data(),
            "controls": [control.data() for control in self.controls],
            "start": self.start,
            "numbers": self._numbers(self.start),
        }
        if not live:
            data["grid"] = [number for state in self.grid for number in self._numbers(state)]
        block = json.dumps(data, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
        return _tag("figure", figure) + _tag("script", block, type="application/json")

    def html(self):
        """The element for the page: the start state as it is shown, and the whole grid for the script."""
        return _tag("attn-explorer", self._inside(), id=f"explorer-{self.name}", cls="attn-explorer")

    def _answer(self, request):
        """What the widget is told: the numbers at the state it asks for, or what went wrong."""
        try:
            scores = request["scores"] or None
            if scores:
                scores = [
                    own if new is None else new for own, new in zip(self.chart.scores, scores, strict=True)
                ]
            array, scalars = self._at(tuple(request["state"]), scores)
        except Exception as error:
            return {"serial": request["serial"], "error": f"{type(error).__name__}: {error}"}
        numbers = _thousandths([*array.ravel().tolist(), *scalars, *self.chart.extra(array)])
        return {"serial": request["serial"], "numbers": numbers}

    @cached_property
    def widget(self):
        """The live view (anywidget): its state is a request, its answer comes from `compute`."""
        live = _widget_class()(html=self._inside(live=True))
        live.observe(lambda change: live.set_trait("answer", self._answer(change.new)), "request")
        return live

    def _repr_mimebundle_(self, **kwargs):
        """Text and HTML, and the live view where a kernel is there to answer it."""
        bundle, metadata = {"text/plain": self.text(), "text/html": self.html()}, {}
        if _has_kernel():
            view, metadata = self.widget._repr_mimebundle_(**kwargs)
            bundle = view | bundle
        return bundle, metadata


def _has_kernel():
    """True in a notebook; asks IPython only where it runs already."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")


@cache
def _widget_class():
    import anywidget
    import traitlets

    class ExplorerWidget(anywidget.AnyWidget):
        _esm = (HERE / "explorer.js").read_text(
            "utf-8"
        ) + "\nexport default { render: attnExplorer.render };\n"
        _css = (HERE / "explorer.css").read_text("utf-8")
        html = traitlets.Unicode().tag(sync=True)
        request = traitlets.Dict().tag(sync=True)
        answer = traitlets.Dict().tag(sync=True)

    return ExplorerWidget


# Small parts: checks, numbers as text, pieces of HTML.


def _freeze(record, **fields):
    for field, value in fields.items():
        object.__setattr__(record, field, value)


def _check_name(name):
    """Refuse a name that cannot be part of an element's id."""
    if not (isinstance(name, str) and re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name)):
        raise ValueError(
            f"name must be lower-case words joined by hyphens, such as 'two-scores', got {name!r}"
        )


def _is_number(value):
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))


def _texts(labels, what):
    if isinstance(labels, str) or not len(labels):
        raise ValueError(f"{what} must be a sequence of one or more texts, got {labels!r}")
    return tuple(map(str, labels))


def _finite(array, what):
    if array.ndim != 1 or not np.isfinite(array).all():
        raise ValueError(f"{what} must be finite numbers in one row, got {array.tolist()}")
    return tuple(array.tolist())


def _limits(limit, what):
    low, high = (0, limit) if _is_number(limit) else tuple(limit)
    if not -math.inf < low < high < math.inf:
        raise ValueError(f"{what} must be a positive number, or finite low < high, got {limit!r}")
    return (low, high)


def _step(span, count=4):
    """Round number near span / count: 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(span / count))
    return power * next(factor for factor in (1, 2, 5, 10) if factor * power >= 0.75 * span / count)


def _ticks(low, high, log=False):
    """A few round numbers within an axis."""
    if log and high / low >= 10:
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        factors = (1,) if high / low >= 100 else (1, 2, 5)
        ticks = [float(f"{factor}e{power}") for power in powers for factor in factors]
    else:
        step = _step(high - low)
        ticks = [round(step * k, 9) for k in range(math.ceil(low / step), math.floor(high / step) + 1)]
    return [tick for tick in ticks if low <= tick <= high]


def _stop(value, values):
    """A stop as text: two significant digits where that is exact for all ("0.50"), else in full ("5,000")."""
    if all(isinstance(other, Integral) for other in values):
        return f"{value:,}"
    if all(0.01 <= abs(other) < 100 and float(f"{other:.2g}") == other for other in values):
        return f"{value:#.2g}".rstrip(".")
    return f"{float(value):,}".removesuffix(".0")


def _thousandths(numbers):
    """Numbers to three decimals, as whole thousandths."""
    return [round(1000 * rounded(number)) for number in numbers]


def _keyed(number):
    """A number with the hyphen of a keyboard, as the listing has it."""
    return number.replace("−", "-")


def _decimals(score):
    """Decimals that write a score, one to three."""
    return max(1, len(fixed(score).rstrip("0").partition(".")[2]))


def _share(value, limits):
    """Where a value lies between the limits, from 0 to 1."""
    return min(1.0, max(0.0, (value - limits[0]) / (limits[1] - limits[0])))


def _tag(name, inside="", **attributes):
    """An element; `cls` is its class, an underscore in an attribute's name a hyphen, `inside` is HTML."""
    written = "".join(
        f' {"class" if key == "cls" else key.replace("_", "-")}="{escape(str(value))}"'
        for key, value in attributes.items()
    )
    return f"<{name}{written}>" + ("" if name == "input" else f"{inside}</{name}>")


def _table(cls, head, rows, **attributes):
    body = _tag("tbody", "".join(_tag("tr", row) for row in rows))
    return _tag("table", _tag("thead", _tag("tr", head)) + body, cls=cls, **attributes)


def _bdi(text):
    return _tag("bdi", escape(text))


def _label(text):
    long = {"cls": "attn-long", "title": text} if len(text) > 14 else {}
    return _tag("th", _bdi(text), scope="row", **long)


def _cell(value, limits):
    """A cell of a heat map: its place on the scale of colours, what is readable on it, its number."""
    share = _share(value, limits)
    depth = sum(abs(value) > limit * limits[1] for limit in (NEGATIVE_DEPTHS if value < 0 else DEPTHS))
    names = ["attn-negative"] * (value < 0) + [f"attn-depth-{depth}"] * (depth > 0)
    attributes = {"cls": " ".join(names)} if names else {}
    return _tag(
        "td", _tag("span", fixed(value)), style=f"background-position-x:{100 * share:.4g}%", **attributes
    )


def _number(text):
    return _tag("span", text, cls="attn-number")


def _score_input(text, label):
    return _tag(
        "input",
        cls="attn-number",
        type="number",
        step="any",
        value=text,
        autocomplete="off",
        aria_label=f"score of {label}",
    )


def _scale_style(name, limits, texts):
    """Where zero is marked, when inside the scale, and the room the widest number takes."""
    zero = f"{100 * _share(0.0, limits):.4g}%" if limits[0] < 0 else "-2px"
    return f"--{name}-zero:{zero};--{name}-digits:{max(map(len, texts))}ch"


def _bar(value, limits, number):
    """A bar between zero and the value on its scale, and its number."""
    ends = sorted((_share(0.0, limits), _share(value, limits)))
    style = f"--attn-from:{100 * ends[0]:.4g}%;--attn-to:{100 * ends[1]:.4g}%"
    return _tag("div", _tag("span", cls="attn-bar", style=style) + number, cls="attn-cell")
