"""The three pictures of the book (bars, heat maps, curves), each with an alternative text made from its data.

Every call returns a :class:`Figure`: an SVG drawing whose colours follow the page's light or dark variables
(``--attn-weight``, ``--attn-ink``, ...), and a text that gives its numbers in words. A notebook shows the
drawing and stores the text, so a test that compares the text checks what the picture shows. JupyterLab takes
the drawing as HTML, which its theme can colour; an image could not see whether the page is dark.

One meaning, one colour: weights are blue, scores grey, values green (from Okabe and Ito's palette, safe for
colour-blind readers), and colour is never the only cue. Rows are queries, columns are keys.

>>> print(bars([0.25, 0.75], ["cat", "dog"], caption="Two weights.").alt)
Two weights.
Bar chart, weight from 0 to 1, 2 bars.
cat 0.250, dog 0.750. Largest: dog 0.750.
"""

import functools
import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from matplotlib.ticker import FixedLocator, MaxNLocator, NullLocator

from attnlib._drawing import (
    COLOURS,
    LINE_HEIGHT,
    SMALL,
    WIDTH,
    clip,
    draw_cells,
    in_html,
    sheet,
    strike_cells,
    text_width,
    wrap,
)
from attnlib._numbers import fixed, minus, rounded, separator

_QUIET = {"size": SMALL, "color": COLOURS["muted"]}  # the look of titles and scales
_TALLEST = 820  # units of a heat map that stands with its caption on one page of print, A4 or Letter
_SMALL_MAP = 64  # cells; the alternative text of a map up to this size gives every number


@dataclass(frozen=True, repr=False)
class Figure:
    """A drawing and the same in words.

    Attributes:
        svg: the drawing; the root attribute ``data-plain-height`` is its height without the caption, whose
            lines have the class ``attn-caption``
        alt: the alternative text, caption first
        caption: one or two sentences
    """

    svg: str
    alt: str
    caption: str

    def __repr__(self):
        return self.alt

    def _repr_mimebundle_(self, include=None, exclude=None):
        drawings = {"text/html": in_html(self.svg), "image/svg+xml": self.svg}
        return drawings | {"text/plain": self.alt}


# --- bars ----------------------------------------------------------------------------------------------


def bars(weights, labels, *, caption, title="weight", limit=None, kind="weight"):
    """Draw one bar per item, with its number; several panels share one scale.

    Args:
        weights: array (n,), or ``{"panel name": array, ...}``
        labels: n texts, drawn as they are and by position, so repeated tokens are fine; or
            ``{"panel name": texts, ...}``
        caption: what the picture says
        title: what the bars measure
        limit: end of the scale; default 1 for weights up to 1, else the next round number
        kind: ``"weight"`` (blue), ``"score"`` (grey) or ``"value"`` (green)

    Raises ValueError for a number that is not finite or beyond ``limit``, and for labels that do not match.

    >>> print(bars([2, -1], ["a", "b"], caption="Scores.", title="score", kind="score").alt)
    Scores.
    Bar chart, score from −1 to 2, 2 bars.
    a 2.000, b −1.000. Largest: a 2.000.
    """
    if kind not in ("weight", "score", "value"):
        raise ValueError(f'kind={kind!r} is unknown; choose "weight", "score" or "value".')
    caption = _caption(caption)
    panels = _panels(weights, 1)
    texts = _labels("labels", labels, panels, 0)
    low, high = _bar_scale(panels, limit, kind)

    label_width = max(text_width(text) for panel in texts.values() for text in panel)
    across = 1 if len(panels) == 1 or label_width > 92 else 2
    label_width = min(label_width, 180 if across == 1 else 92)
    number_width = max(text_width(fixed(v), SMALL) for values in panels.values() for v in values)
    panel_width = (WIDTH - 24 * (across - 1)) / across
    width = panel_width - label_width - number_width - 20
    row, foot, between = 20, 42, 12
    lines = _lines(panels, across)
    names = _wrap_names(panels, panel_width - label_width - 8)
    heads = [max(LINE_HEIGHT * len(names[name]) + 6 * bool(name) for name in line) for line in lines]
    heights = [
        head + row * max(map(len, line.values())) + foot for head, line in zip(heads, lines, strict=True)
    ]

    with sheet(sum(heights) + between * (len(lines) - 1), caption) as paper:
        for i, line in enumerate(lines):
            top = sum(heights[:i]) + between * i + heads[i]
            for j, (name, values) in enumerate(line.items()):
                left, right = j * (panel_width + 24) + label_width + 8, j * (panel_width + 24) + panel_width
                bottom = top + row * len(values)
                axes = paper.axes(left, top, width, bottom - top, (low, high), (len(values) - 0.5, -0.5))
                axes.barh(range(len(values)), values, height=0.66, color=COLOURS[kind])
                axes.axvline(0, color=COLOURS["muted"], linewidth=1)
                axes.grid(axis="x")
                ticks = _bar_ticks(low, high, width)
                axes.set_xticks(ticks, _ticks(ticks))
                axes.set_yticks(
                    range(len(values)), [paper.stand_in(clip(t, label_width)) for t in texts[name]]
                )
                axes.tick_params(axis="y", labelcolor=COLOURS["ink"], labelsize="medium", pad=8)
                _, largest = _largest(values)
                for k, value in enumerate(values):
                    weight = "bold" if k in largest else "normal"
                    y = top + row * (k + 0.5)
                    paper.text(right, y, fixed(value), ha="right", size=SMALL, weight=weight)
                _write_name(paper, left, top - 6, names[name])
                paper.text(left + width / 2, bottom + 32, title, ha="center", **_QUIET)

        many = len(panels) > 1
        count = f"{len(panels)} panels on one scale" if many else _count(len(values), "bar")
        said = [f"Bar chart, {title} from {_span(low, high)}, {count}."]
        for name, values in panels.items():
            before = f"{name}, {_count(len(values), 'bar')}: " if many else ""
            named = _distinct(texts[name])
            said.append(f"{before}{_list(named, values)}. Largest: {_name_largest(named, values)}.")
        return _finish(paper, caption, said)


def _bar_scale(panels, limit, kind):
    """Return the two ends of the scale that all panels share."""
    lowest, highest = (f(f(values) for values in panels.values()) for f in (min, max))
    if limit is not None:
        _check_limit(limit, max(highest, -lowest), kind)
        return (-limit if lowest < 0 else 0, limit)
    if kind == "weight" and max(highest, -lowest) <= 1:
        return (-1 if lowest < 0 else 0, 1)
    return (-_round_up(-lowest) if lowest < 0 else 0, _round_up(highest) if highest > 0 or lowest == 0 else 0)


def _bar_ticks(low, high, width):
    """Return zero, the ends, and the middle of each side where there is room for its label."""
    unit = width / (high - low)
    ticks = {0} | {end for end in (low, high) if abs(end) * unit > 22 or low * high == 0}
    return sorted(ticks | {end / 2 for end in (low, high) if abs(end) * unit > 90})


# --- heat maps -----------------------------------------------------------------------------------------


def heatmap(
    weights,
    rows,
    columns,
    *,
    caption,
    title="weight",
    row_title="query",
    column_title="key",
    limit=1.0,
    signed=False,
):
    """Draw a matrix of weights, from the page's own background (0) to blue (``limit``).

    Args:
        weights: array (rows, columns) of numbers from 0 to ``limit``, or ``{"panel name": array, ...}``
        rows, columns: a text or number per row and per column, or ``{"panel name": texts, ...}``. Where
            there is no room for all, every second (third, ...) one is drawn; of columns with numbers in even
            steps those with round numbers, as on an axis.
        caption: what the picture says
        title: what the colour measures
        row_title, column_title: what rows and columns are
        limit: the number that is drawn in full blue; None takes the largest of all panels, rounded up
        signed: whether numbers go down to ``-limit``. Those below 0 are drawn towards vermilion, and told
            apart without colour too: by their minus sign, or struck through where cells show no numbers.

    Cells that are wide enough show their number. The alternative text gives every number of a small map, and
    the largest of each row of a large one.

    >>> print(heatmap([[1, 0], [0.5, 0.5]], "ab", "ab", caption="Looking back.").alt)
    Looking back.
    Heat map, weight from 0 to 1, 2 rows (query) by 2 columns (key).
    a: a 1.000, b 0.000.
    b: a 0.500, b 0.500.
    >>> jacobian = [[0.25, -0.25], [-0.25, 0.25]]
    >>> print(heatmap(jacobian, "ab", "ab", caption="Push and pull.", limit=None, signed=True).alt)
    Push and pull.
    Heat map, weight from −0.3 to 0.3, 2 rows (query) by 2 columns (key).
    a: a 0.250, b −0.250.
    b: a −0.250, b 0.250.
    """
    caption = _caption(caption)
    panels = _panels(weights, 2)
    columns = columns if isinstance(columns, Mapping) else {name: list(columns) for name in panels}
    row_texts, column_texts = _labels("rows", rows, panels, 0), _labels("columns", columns, panels, 1)
    lowest, highest = (f(f(values.ravel()) for values in panels.values()) for f in (min, max))
    if lowest < 0 and not signed:
        raise ValueError(
            f"weights holds {lowest:.6g}; a heat map shows numbers from 0 to its limit, "
            "or from -limit to limit with signed=True."
        )
    strongest = max(highest, -lowest) if signed else highest
    limit = _round_up(strongest) if limit is None else limit
    _check_limit(limit, strongest, "weight")
    low = -limit if signed else 0

    most_rows, most_columns = (max(values.shape[i] for values in panels.values()) for i in (0, 1))
    label_width = min(max(text_width(t) for panel in row_texts.values() for t in panel), 0.45 * WIDTH)
    edge = LINE_HEIGHT + label_width + 10
    label_height = max(text_width(t) for panel in column_texts.values() for t in panel)
    for least in (18, 12.5):  # how narrow a cell may be for more panels side by side
        fitting = (n for n in range(len(panels), 1, -1) if WIDTH / n - edge - 8 >= least * most_columns)
        across = next(fitting, 1)
        cell_width = (WIDTH / across - edge - 8) / most_columns
        numbers = cell_width >= text_width(fixed(low or limit), SMALL) + 8
        cell_width = min(cell_width, 84 if numbers else 26)
        cell_height = 30 if numbers else max(cell_width, 14 if most_rows <= 24 else 6.6)
        lines = _lines(panels, across)
        all_rows = sum(max(map(len, line.values())) for line in lines)
        room = _TALLEST - len(lines) * (62 + min(label_height, 120))
        if all_rows * cell_height <= room:
            break
    else:
        cell_height = min(cell_height, max(room / all_rows, 18 if numbers else 12.5))
        cell_width = cell_width if numbers else min(cell_width, cell_height)
    upright = label_height <= cell_width - 4
    column_ticks = {} if upright else {str(n): _round_columns(own, cell_width) for n, own in columns.items()}
    if column_ticks and all(column_ticks.values()):
        upright = True
    else:
        step = 1 if upright else math.ceil(12.5 / cell_width)
        room = cell_width if upright else min(label_height, 120)
        column_ticks = {
            name: (range(0, len(own), step), [clip(text, room) for text in own[::step]])
            for name, own in column_texts.items()
        }
    label_height = LINE_HEIGHT if upright else min(label_height, 120)
    names = _wrap_names(panels, WIDTH / across - edge - 8 * (across > 1))
    heads = [
        max(LINE_HEIGHT * len(names[name]) + 4 * bool(name) for name in line) + LINE_HEIGHT + label_height + 8
        for line in lines
    ]
    heights = [
        head + cell_height * max(map(len, line.values())) + 14
        for head, line in zip(heads, lines, strict=True)
    ]

    with sheet(sum(heights) + 18, caption) as paper:
        for i, line in enumerate(lines):
            top = sum(heights[:i]) + heads[i]
            for j, (name, values) in enumerate(line.items()):
                left = WIDTH / across * j + edge
                width, height = values.shape[1] * cell_width, len(values) * cell_height
                axes = paper.axes(
                    left, top, width, height, (-0.5, values.shape[1] - 0.5), (len(values) - 0.5, -0.5)
                )
                roomy = min(cell_width, cell_height) > 12
                gap = (1 / cell_width, 1 / cell_height) if roomy else (0, 0)
                _draw_signed(axes, values / limit, gap, strike=not numbers)
                axes.spines[:].set_visible(True)
                axes.xaxis.tick_top()
                axes.tick_params(labelcolor=COLOURS["ink"], labelsize="medium", pad=6)
                step = math.ceil(12.5 / cell_height)
                shown = [paper.stand_in(clip(t, label_width)) for t in row_texts[name][::step]]
                axes.set_yticks(range(0, len(values), step), shown)
                places, shown = column_ticks[name]
                axes.set_xticks(places, map(paper.stand_in, shown))
                for tick, text in zip(axes.get_xticklabels(), shown, strict=True):
                    if not upright and len(text) > 1:
                        tick.set(rotation=90, rotation_mode="anchor", ha="left", va="center_baseline")
                for (k, m), value in np.ndenumerate(values) if numbers else ():
                    x, y = left + (m + 0.5) * cell_width, top + (k + 0.5) * cell_height
                    ink, halo = _on_cell(value / limit)
                    look = {"color": COLOURS[ink], "size": SMALL, "ha": "center"}
                    paper.text(x, y, fixed(value), halo=COLOURS[halo], **look)
                over = top - LINE_HEIGHT - label_height - 8  # where the title of the columns begins
                _write_name(paper, left, over - 4, names[name])
                paper.text(left + width / 2, over + 8, column_title, ha="center", **_QUIET)
                paper.text(left - edge + 8, top + height / 2, row_title, ha="center", rotation=90, **_QUIET)
        _draw_scale(paper, edge, sum(heights) + 2, title, low, limit, strike=not numbers)

        many = len(panels) > 1
        said = [f"Heat map, {title} from {_span(low, limit)}"]
        said[0] += f", {len(panels)} panels on one scale." if many else ", "
        for name, values in panels.items():
            size = " by ".join(
                f"{_count(n, noun)} ({what})"
                for n, noun, what in zip(
                    values.shape, ("row", "column"), (row_title, column_title), strict=True
                )
            )
            if many:
                said.append(f"{name}, {size}.")
            else:
                said[0] += f"{size}."
            said += _say_rows(_distinct(row_texts[name]), _distinct(column_texts[name]), values, title)
        return _finish(paper, caption, said)


def _round_columns(numbers, cell_width):
    """Return the places and labels of the columns with round numbers, as close as there is room.

    None where columns have names, their steps are not even or no two numbers are round.

    >>> _round_columns([0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0], 10)
    ([2, 7], ['0.5', '1'])
    """
    if len(numbers) < 3 or any(isinstance(number, str) for number in numbers):
        return None
    numbers = np.asarray(numbers, dtype=float)
    step = numbers[1] - numbers[0]
    if step <= 0 or not np.allclose(np.diff(numbers), step):
        return None
    power = 10.0 ** math.floor(math.log10(step))
    for apart in (factor * power * scale for scale in (1, 10, 100, 1000) for factor in (1, 2, 5)):
        shares = numbers / apart
        places = np.flatnonzero(abs(shares - np.round(shares)) < 1e-6)
        labels = _ticks(numbers[places])
        if len(places) < 2:
            return None
        if min(np.diff(places)) * cell_width >= max(map(text_width, labels)) + 8:
            return places.tolist(), labels
    return None


def _on_cell(share):
    """Return the colours of a number and of its halo that can be read on a cell, in light and in dark."""
    if share > 0.7:
        return "paper", "weight"
    return ("black", "warn") if share < -0.65 else ("ink", "paper")


def _draw_signed(axes, shares, gap, strike):
    """Draw cells above 0 in blue and those below in vermilion, struck through if told."""
    draw_cells(axes, shares, gap)
    draw_cells(axes, -shares, gap, "warn")
    if strike:
        strike_cells(axes, shares < 0)


def _draw_scale(paper, left, top, title, low, limit, strike):
    """Draw the colour bar: five steps, or three where there is no room, with their numbers."""
    paper.text(left, top + 7, title, **_QUIET)
    x = left + text_width(title, SMALL) + 12
    steps = (-1, -0.5, 0, 0.5, 1) if low else (0, 0.25, 0.5, 0.75, 1)
    labels = dict(zip(steps, _ticks([share * limit for share in steps]), strict=True))
    if x + sum(text_width(label, SMALL) + 33 for label in labels.values()) > WIDTH:
        labels = {share: labels[share] for share in steps[::2]}
    for share, label in labels.items():
        swatch = paper.axes(x, top, 14, 14, (-0.5, 0.5), (0.5, -0.5))
        swatch.set(xticks=[], yticks=[])
        swatch.spines[:].set_visible(True)
        _draw_signed(swatch, np.array([[share]]), (0, 0), strike)
        paper.text(x + 19, top + 7, label, **_QUIET)
        x += text_width(label, SMALL) + 33


def _say_rows(rows, columns, values, title):
    """Give every number of a small map, and the largest of each row of a large one."""
    if values.size <= _SMALL_MAP:
        return [f"{text}: {_list(columns, row)}." for text, row in zip(rows, values, strict=True)]
    listed = [f"{text}: {_name_largest(columns, row)}." for text, row in zip(rows, values, strict=True)]
    return [f"Largest {title} of each row:", *listed]


# --- curves --------------------------------------------------------------------------------------------


def curves(
    x,
    lines,
    *,
    caption,
    x_title,
    y_title,
    log_x=False,
    mark=None,
    points=None,
    limits=None,
    kinds=None,
):
    """Draw one or more curves over the same x, each labelled at its end.

    Args:
        x: array (n,), rising
        lines: ``{"name": array (n,), ...}``
        caption: what the picture says
        x_title, y_title: what the axes measure, with units
        log_x: whether the x axis is logarithmic
        mark: ``{x value: "label", ...}``, vertical rules
        points: ``{"name": (x, y), ...}``, series of points that no line joins
        limits: (lowest, highest) y; default: those of the data, from 0 if that wastes less than half
        kinds: ``{"name": kind, ...}`` with a kind of ``"weight"``, ``"score"``, ``"value"``, ``"warn"``,
            ``"ink"`` or ``"muted"`` (a thin line, for a diagonal or a bound); other series take the next
            free one of weight, value, ink, warn

    Every curve has its own dashes and every series of points its own marker, so that colour is not needed.

    >>> print(curves([1, 2, 4], {"line": [0, 1, 3]}, caption="A line.", x_title="x", y_title="y").alt)
    A line.
    Line chart, y from 0 to 3 against x from 1 to 4.
    line (3 values): (1, 0.000), (2, 1.000), (4, 3.000); rising throughout.
    """
    caption = _caption(caption)
    x, lines, points = _check_series(x, lines, points or {})
    every_x = np.concatenate([x, *(xs for xs, _ in points.values())])
    low_x, high_x = every_x.min(), every_x.max()
    mark = _check_mark(mark or {}, low_x, high_x, log_x)
    low, high = _y_limits(np.concatenate([*lines.values(), *(ys for _, ys in points.values())]), limits)
    looks = _looks([*lines, *points], kinds or {})
    names = {name: wrap(name, 110) for name in looks}

    y_ticks = [t for t in MaxNLocator(5, steps=_STEPS).tick_values(low, high) if low <= t <= high]
    left = max(text_width(t, SMALL) for t in _ticks(y_ticks, y_title)) + 10
    width = WIDTH - left - 33 - max(text_width(line) for wrapped in names.values() for line in wrapped)
    x_ticks = _x_ticks(low_x, high_x, log_x, width)

    def across(at):
        """Return where an x value lies, in units from the left of the sheet."""
        scale = math.log if log_x else float
        return left + width * (scale(at) - scale(low_x)) / (scale(high_x) - scale(low_x))

    rules = _place_rules({at: (across(at), label) for at, label in mark.items()}, left + width)
    top = 30 + LINE_HEIGHT * max((row + 1 for _, row in rules.values()), default=0)
    height = 210

    with sheet(top + height + 42, caption) as paper:
        axes = paper.axes(left, top, width, height, (low_x, high_x), (low, high))
        if log_x:
            axes.set_xscale("log")
            axes.set_xlim(low_x, high_x)
        axes.xaxis.set_major_locator(FixedLocator(x_ticks))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_xticklabels(_ticks(x_ticks, x_title))
        axes.set_yticks(y_ticks, _ticks(y_ticks, y_title))
        axes.tick_params(pad=7)
        axes.grid(axis="y")
        axes.spines["bottom"].set(visible=True, color=COLOURS["muted"])
        for at, (ha, row) in rules.items():
            axes.axvline(at, color=COLOURS["muted"], linewidth=1, dashes=(1, 2))
            paper.text(across(at), top - 10 - LINE_HEIGHT * row, mark[at], ha=ha, size=SMALL)
        for name, y in lines.items():
            colour, dashes, _, thick = looks[name]
            axes.plot(x, y, color=colour, dashes=dashes, linewidth=thick, clip_on=False)
        dot = {"linestyle": "none", "markersize": 8, "markeredgecolor": COLOURS["paper"], "clip_on": False}
        for name, (xs, ys) in points.items():
            colour, _, marker, _ = looks[name]
            axes.plot(xs, ys, color=colour, marker=marker, zorder=3, **dot)
        paper.text(0, 9, y_title, **_QUIET)
        paper.text(left + width / 2, top + height + 34, x_title, ha="center", **_QUIET)

        last = {name: y[-1] for name, y in lines.items()} | {name: ys[-1] for name, (_, ys) in points.items()}
        ends = {name: top + height * (high - y) / (high - low) for name, y in last.items()}
        places = _spread(ends, {name: 16 * len(names[name]) + 2 for name in ends}, top + height + 9)
        for name, y in places.items():
            colour, dashes, marker, thick = looks[name]
            if name in points:
                paper.line([left + width + 19], [y], color=colour, marker=marker, markersize=8)
            else:  # lead from the end of the curve to its label
                xs = [across(x[-1]) + 3, *(left + width + k for k in (8, 18, 28))]
                ys = [ends[name], ends[name], y, y]
                paper.line(xs, ys, color=colour, dashes=dashes, linewidth=thick)
            for k, text in enumerate(names[name]):
                paper.text(left + width + 33, y + 16 * (k - (len(names[name]) - 1) / 2), text)

        said = [
            f"Line chart, {y_title} from {_span(low, high, y_title)} against {x_title} from "
            f"{_span(low_x, high_x, x_title)}{' on a logarithmic scale' if log_x else ''}."
        ]
        place = functools.partial(_place, title=x_title)
        for name, y in lines.items():
            said.append(f"{name} ({_count(len(y), 'value')}): {_say_curve(x, y, place)}.")
        for name, (xs, ys) in points.items():
            said.append(f"{name} ({_count(len(xs), 'point')}): {_pairs(xs, ys)}.")
        for one, other in itertools.combinations(lines, 2):
            said += _say_crossings(x, lines, one, other, log_x, place)
        for at, label in mark.items():
            scale = np.log if log_x else np.asarray
            there = [np.interp(scale(at), scale(x), y) for y in lines.values()]
            (tick,) = _ticks([at], x_title)
            said.append(
                f"At the mark {label} ({tick}): {_list(lines, there)}." if lines else f"Mark: {label}."
            )
        return _finish(paper, caption, said)


# Colour, dashes and marker of each series that the caller has not chosen a kind for, in this order.
_CYCLE = {"weight": ((), "o"), "value": ((6, 2), "s"), "ink": ((2, 2), "D"), "warn": ((8, 2, 2, 2), "^")}
_LOOKS = _CYCLE | {"score": ((4, 1.5), "v"), "muted": ((3, 3), "x")}
_STEPS = [1, 2, 2.5, 5, 10]  # between the ticks of an axis


def _looks(names, kinds):
    """Return ``{name: (colour, dashes, marker, line width)}``."""
    for name, kind in kinds.items():
        if name not in names:
            raise ValueError(f"kinds names {name!r}, which is not drawn; choose from {_choice(names)}.")
        if kind not in _LOOKS:
            raise ValueError(f"kinds[{name!r}]={kind!r} is unknown; choose from {_choice(_LOOKS)}.")
    free = [kind for kind in _CYCLE if kind not in kinds.values()]
    others = [name for name in names if name not in kinds]
    if len(others) > len(free):
        raise ValueError(f"{len(names)} series are too many for one picture; draw at most {len(_CYCLE)}.")
    chosen = dict(zip(others, free, strict=False)) | kinds
    return {
        name: (COLOURS[chosen[name]], *_LOOKS[chosen[name]], 1 if chosen[name] == "muted" else 2)
        for name in names
    }


def _y_limits(y, limits):
    """Return the ends of the y axis."""
    low, high = float(y.min()), float(y.max())
    if limits is not None:
        if not (np.isfinite(limits).all() and limits[0] < limits[1]):
            raise ValueError(f"limits={limits!r} must be two numbers, the lower first.")
        if low < limits[0] or high > limits[1]:
            raise ValueError(f"limits={limits!r} leave out data, which go from {low:.6g} to {high:.6g}.")
        return limits
    if 0 <= low <= high / 2:
        low = 0.0
    if low == high:
        low, high = low - 0.5, high + 0.5
    ticks = MaxNLocator(5, steps=_STEPS).tick_values(low, high)
    step = ticks[1] - ticks[0]

    def end(value, outwards):
        """Return the next tick if it is near, else the next fifth of a step."""
        tick, fifth = (outwards(round(value / s, 6)) * s for s in (step, step / 5))
        return float(tick if abs(tick - value) < 0.51 * step else fifth)

    return end(low, math.floor), end(high, math.ceil)


def _x_ticks(low, high, log_x, width):
    """Return the ticks of the x axis: round numbers, as many as there is room for."""
    if not log_x:
        return [t for t in MaxNLocator(6, steps=_STEPS).tick_values(low, high) if low <= t <= high]
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for factors, every in (((1, 2, 5), 1), ((1, 3), 1), ((1,), 1), ((1,), 2), ((1,), 3)):
        ticks = [f * 10.0**p for p in powers for f in factors]
        ticks = [t for t in ticks if low * (1 - 1e-9) <= t <= high * (1 + 1e-9)][::every]
        if len(ticks) * max([34, *(text_width(label, SMALL) + 8 for label in _ticks(ticks))]) <= width:
            break
    return ticks if len(ticks) > 1 else [low, high]


def _place_rules(rules, right):
    """Return ``{x: (side, row)}`` so that no label of a rule leaves the sheet or hits another."""
    placed, ends = {}, []
    for at, (place, label) in sorted(rules.items()):
        length = text_width(label, SMALL)
        side = "right" if place + length > right else "left"
        start = place - length if side == "right" else place
        row = next((r for r, end in enumerate(ends) if end + 8 < start), len(ends))
        ends[row : row + 1] = [start + length]
        placed[at] = (side, row)
    return placed


def _spread(places, heights, bottom):
    """Move labels up and down so that none overlaps another or leaves the sheet.

    Labels that touch form a block, centred on the mean of the places that its members want.

    >>> _spread({"a": 10, "b": 12, "c": 100}, {"a": 18, "b": 18, "c": 18}, 200)
    {'a': 9.0, 'b': 27.0, 'c': 100.0}
    """

    def inside(centre, height):
        return max(min(float(centre), bottom - height / 2), height / 2)

    blocks = []  # [names, centre, height]
    for name in sorted(places, key=places.get):
        blocks.append([[name], inside(places[name], heights[name]), heights[name]])
        while len(blocks) > 1 and blocks[-1][1] - blocks[-2][1] < (blocks[-1][2] + blocks[-2][2]) / 2:
            (some, a, above), (more, b, below) = blocks[-2:]
            centre = (a * len(some) + b * len(more)) / (len(some) + len(more))
            blocks[-2:] = [[some + more, inside(centre, above + below), above + below]]
    spread = {}
    for names, centre, height in blocks:
        y = centre - height / 2
        for name in names:
            spread[name] = y + heights[name] / 2
            y += heights[name]
    return spread


def _say_curve(x, y, place):
    """Describe a curve: all its values if they are few, else ends, extremes and quarters."""
    printed = np.array([rounded(value) for value in y])
    steps = np.diff(printed)
    if not steps.any():
        return f"{fixed(y[0])} throughout"
    ways = {
        "rising throughout": (steps > 0).all(),
        "falling throughout": (steps < 0).all(),
        "never falling": (steps >= 0).all(),
        "never rising": (steps <= 0).all(),
    }
    way = next((way for way, holds in ways.items() if holds), "")
    if len(x) <= 12:
        return _pairs(x, y) + (f"; {way}" if way else "")

    def at(i):
        return f"{fixed(y[i])} at {place(x[i])}"

    quarters = ", ".join(at(round(q * (len(x) - 1))) for q in (0.25, 0.5, 0.75))
    extremes = way or f"lowest {at(printed.argmin())}, highest {at(printed.argmax())}"
    return f"from {at(0)} to {at(-1)}; {extremes}; on the way {quarters}"


def _say_crossings(x, lines, one, other, log_x, place):
    """Say where two curves cross, counting only crossings that can be seen."""
    gap = lines[one] - lines[other]
    seen = np.flatnonzero(abs(gap) > 2e-3 * max(np.ptp(lines[one]), np.ptp(lines[other])))
    places = []
    for i, j in itertools.pairwise(seen):
        if gap[i] * gap[j] < 0:
            share = gap[i] / (gap[i] - gap[j])
            at = x[i] * (x[j] / x[i]) ** share if log_x else x[i] + share * (x[j] - x[i])
            places.append(place(0.0 if abs(at) < 1e-9 * np.ptp(x) else float(f"{at:.2g}")))
    return [f"{one} and {other} cross near {' and '.join(places)}."] if places else []


# --- checking what was passed --------------------------------------------------------------------------


def _caption(caption):
    if not isinstance(caption, str) or not caption.strip():
        raise ValueError(f"caption={caption!r} must be a text that says what the picture shows.")
    return " ".join(caption.split())


def _finite(where, values, dimensions):
    """Return a non-empty float64 array of finite numbers, or raise a sentence."""
    array = np.asarray(values)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{where} must hold real numbers, not {array.dtype}.")
    if array.ndim != dimensions or array.size == 0:
        expected = "(n,)" if dimensions == 1 else "(rows, columns)"
        raise ValueError(f"{where} has shape {array.shape}; expected {expected} with at least one entry.")
    array = array.astype(np.float64)
    if not np.isfinite(array).all():
        place = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ValueError(f"{where} holds {array[place]} at {place}; only finite numbers can be drawn.")
    return array


def _panels(weights, dimensions):
    """Return ``{panel name: array}``; the name of a single array is empty."""
    if not isinstance(weights, Mapping):
        return {"": _finite("weights", weights, dimensions)}
    if not weights:
        raise ValueError("weights is an empty dict; give at least one panel.")
    return {str(name): _finite(f"weights[{name!r}]", values, dimensions) for name, values in weights.items()}


def _lines(panels, across):
    """Cut the panels into lines of at most ``across``."""
    items = list(panels.items())
    return [dict(items[i : i + across]) for i in range(0, len(items), across)]


def _wrap_names(panels, width):
    """Return ``{panel name: lines}``, each line as wide as its panel at most; none for a single array."""
    return {name: wrap(name, width / 1.07) if name else [] for name in panels}  # bold letters are wider


def _write_name(paper, left, bottom, lines):
    """Write the name of a panel, so that its last line ends at a height."""
    for k, line in enumerate(lines):
        paper.text(left, bottom - LINE_HEIGHT * (len(lines) - k - 0.5), line, weight="bold")


def _labels(what, labels, panels, axis):
    """Return ``{panel name: texts}``, one text per entry along the axis."""
    if not isinstance(labels, Mapping):
        own = list(labels)
        labels = dict.fromkeys(panels, own)
    elif {str(name) for name in labels} != set(panels):
        raise ValueError(f"{what} has the panels {_choice(labels)}, but weights has {_choice(panels)}.")
    texts = {
        str(name): [t if isinstance(t, str) else _plain(t, comma="") for t in own]
        for name, own in labels.items()
    }
    for name, values in panels.items():
        if len(texts[name]) != values.shape[axis]:
            where = f"{what}[{name!r}]" if name else what
            expected = f"{_count(values.shape[axis], 'entry', 'entries')} along that axis"
            raise ValueError(
                f"{where} has {_count(len(texts[name]), 'entry', 'entries')}, but weights has {expected}."
            )
    return texts


def _check_limit(limit, largest, kind):
    if not (np.isfinite(limit) and limit > 0):
        raise ValueError(f"limit={limit!r} must be a positive number.")
    if largest > limit * (1 + 1e-9):
        raise ValueError(f"limit={limit!r} is smaller than the largest {kind}, {largest:.6g}.")


def _check_series(x, lines, points):
    """Return x, curves and points as arrays, or raise a sentence."""
    x = _finite("x", x, 1)
    if len(x) < 2 or not (np.diff(x) > 0).all():
        raise ValueError("x must hold two or more numbers that rise from each to the next.")
    if not isinstance(lines, Mapping) or not isinstance(points, Mapping) or not (lines or points):
        raise ValueError('lines must be a dict {"name": array, ...} and points a dict {"name": (x, y), ...}.')
    curves = {str(name): _finite(f"lines[{name!r}]", y, 1) for name, y in lines.items()}
    for name, y in curves.items():
        if len(y) != len(x):
            raise ValueError(f"lines[{name!r}] has {_count(len(y), 'entry', 'entries')}, but x has {len(x)}.")
    dots = {}
    for name, pair in points.items():
        xs, ys = (_finite(f"points[{name!r}]", part, 1) for part in pair)
        if len(xs) != len(ys):
            raise ValueError(f"points[{name!r}] has {len(xs)} x but {len(ys)} y.")
        if str(name) in curves:
            raise ValueError(f"{name!r} names both a curve and a series of points; give each its own name.")
        order = np.argsort(xs, kind="stable")
        dots[str(name)] = (xs[order], ys[order])
    return x, curves, dots


def _check_mark(mark, low, high, log_x):
    if log_x and low <= 0:
        raise ValueError(f"x holds {low:.6g}; a logarithmic axis needs numbers above 0.")
    for at in mark:
        if not low <= at <= high:
            raise ValueError(f"mark={at!r} lies outside of x, which goes from {low:.6g} to {high:.6g}.")
    return {float(at): str(label) for at, label in mark.items()}


# --- numbers and words ---------------------------------------------------------------------------------


def _plain(value, digits=4, comma=","):
    """Format a number without an exponent: whole from 1,000 on, else with so many significant digits.

    >>> _plain(12345.6), _plain(-0.25), _plain(2.5e-5), _plain(1871, comma="")
    ('12,346', '−0.25', '0.000025', '1871')
    """
    value = float(value)
    power = math.floor(math.log10(abs(value))) if value else 0
    text = f"{value + 0.0:z,.{max(digits - 1 - power, 0) if power < 3 else 0}f}"
    return minus((text.rstrip("0").rstrip(".") if "." in text else text).replace(",", comma))


def _ticks(values, title=""):
    """Format the numbers of one axis in one notation: in full, or as powers of ten where that would be long.

    Years are names and have no comma; what an axis measures, its title says.

    >>> _ticks([0.1, 10, 1000, 1e5]), _ticks([1880, 1900], "year"), _ticks([0, 2e-9, 1e-8])
    (['0.1', '10', '1,000', '100,000'], ['1880', '1900'], ['0', '2·10⁻⁹', '10⁻⁸'])
    """
    if all(value == 0 or 1e-4 <= abs(value) < 1e7 for value in values):
        return [_plain(value, comma=separator(title)) for value in values]
    return [_power(value) for value in values]


def _power(value):
    """Format a number as a multiple of a power of ten."""
    factor, power = f"{value:.3e}".split("e")
    factor = minus(factor.rstrip("0").rstrip("."))
    if int(power) == 0:
        return factor
    raised = "10" + str(int(power)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return {"1": raised, "−1": f"−{raised}"}.get(factor, f"{factor}·{raised}")


def _span(low, high, title=""):
    """Say from where to where an axis goes."""
    return " to ".join(_ticks([low, high], title))


def _place(value, title):
    """Format an x value: whole numbers as they are, others to three digits."""
    comma = separator(title)
    if value == round(value):
        return minus(f"{value + 0.0:,.0f}".replace(",", comma))
    return _plain(value, 3, comma) if abs(value) >= 1e-4 else _power(float(f"{value:.3g}"))


def _count(n, noun, plural=None):
    return f"{n} {noun if n == 1 else plural or noun + 's'}"


def _choice(names):
    return ", ".join(repr(name) for name in names)


def _list(names, values):
    return ", ".join(f"{name} {fixed(value)}" for name, value in zip(names, values, strict=True))


def _pairs(x, y):
    """List points; a comma stands between their two numbers, so none stands within."""
    pairs = ([_place(a, "").replace(",", ""), fixed(b).replace(",", "")] for a, b in zip(x, y, strict=True))
    return ", ".join(f"({', '.join(pair)})" for pair in pairs)


def _largest(values):
    """Return the largest number and the places of all that print the same; none if all print the same.

    Comparing what is printed keeps the last binary digits, which differ between machines, out of the text.
    """
    printed = np.array([rounded(value) for value in values])
    at = np.flatnonzero(printed == printed.max())
    return printed.max(), [] if 1 < len(at) == len(printed) else at.tolist()


def _name_largest(names, values):
    value, at = _largest(values)
    more = f" and {len(at) - 3} more" if len(at) > 3 else ""
    return f"{', '.join(names[i] for i in at[:3]) or 'all'}{more} {fixed(value)}"


def _distinct(names):
    """Tell repeated names apart.

    >>> _distinct(["the", "cat", "the", "the"])
    ['the', 'cat', 'the (2nd)', 'the (3rd)']
    """
    seen, told = {}, []
    for name in names:
        n = seen[name] = seen.get(name, 0) + 1
        ending = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
        told.append(name if n == 1 else f"{name} ({n}{ending})")
    return told


def _round_up(value):
    """Return the next number of the form 1, 1.5, 2, 3, 4, 5, 6, 8 times a power of ten; 1 for 0."""
    power = 10.0 ** math.floor(math.log10(value or 1))
    return next(s * power for s in (1, 1.5, 2, 3, 4, 5, 6, 8, 10) if s * power >= value * (1 - 1e-9))


def _finish(paper, caption, said):
    alt = "\n".join([caption, *said])
    return Figure(svg=paper.svg(alt), alt=alt, caption=caption)
