"""A sheet to draw on with matplotlib, written as plain SVG that follows the page's colours.

Only :mod:`attnlib.figures` uses this module. It decides what is drawn and said; here is how.
"""

import io
import math
import re
import unicodedata
from contextlib import contextmanager
from xml.etree import ElementTree
from xml.sax.saxutils import escape, quoteattr

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch
from matplotlib.path import Path

# What the page calls each colour, and the light colour used where no page defines it.
COLOURS = {
    "weight": "#0072b2",
    "score": "#7a7f87",
    "value": "#009e73",
    "warn": "#d55e00",
    "ink": "#1d2129",
    "muted": "#59606b",
    "line": "#d9dde3",
    "paper": "#ffffff",
    "black": "#000000",  # on vermilion, in light and in dark; no page calls it otherwise
}
# The colours where the page names none and is dark: JupyterLab's dark theme, with its own ink and paper.
DARK = {
    "weight": "#5ab4e8",
    "score": "#8d949e",
    "value": "#35b990",
    "warn": "#f2894a",
    "ink": "var(--jp-content-font-color1, #e6e4df)",
    "muted": "#a0a8b3",
    "line": "#3f464f",
    "paper": "var(--jp-layout-color0, #16171b)",
}
VARIABLES = {colour: f"var(--attn-{name}, {colour})" for name, colour in COLOURS.items()}

WIDTH = 440  # units; a unit is a CSS pixel at natural size
MARGIN = 8  # around the drawing, so that it stands well on the dark background of JupyterLab
SIZE, SMALL = 13, 12  # font sizes
LINE_HEIGHT = 18
FONT = "var(--attn-font, system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif)"
STYLE = {
    "svg.fonttype": "none",  # text stays text
    "path.simplify": False,
    "font.family": "DejaVu Sans",  # only measured with; the reader's own fonts are drawn
    "font.size": SIZE,
    "text.color": COLOURS["ink"],
    "text.parse_math": False,
    "axes.edgecolor": COLOURS["line"],
    "axes.linewidth": 1,
    "axes.axisbelow": True,
    "grid.color": COLOURS["line"],
    "grid.linewidth": 1,
    "xtick.color": COLOURS["muted"],
    "xtick.labelsize": SMALL,
    "ytick.color": COLOURS["muted"],
    "ytick.labelsize": SMALL,
}


@contextmanager
def sheet(height, caption):
    """Give a :class:`Sheet`; whatever style the user has set is put aside and comes back unchanged."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        yield Sheet(height, caption)


class Sheet:
    """A drawing in units from its top left.

    matplotlib never sees a text of the caller: it is given a stand-in ("@7"), which is replaced when the SVG
    is written. So no text can be taken for a formula or lack a glyph in matplotlib's font; the reader's
    browser draws it in the reader's fonts.
    """

    def __init__(self, height, caption):
        self.plain_height = math.ceil(height)
        self._caption = wrap(caption, WIDTH)
        self.height = self.plain_height + 10 + LINE_HEIGHT * len(self._caption)
        self.canvas = Figure(figsize=(WIDTH / 72, self.height / 72))
        self.canvas.patch.set_visible(False)
        self._texts = []

    def axes(self, left, top, width, height, xlim, ylim):
        """Return empty axes: no spines, no tick marks, no background."""
        bottom = 1 - (top + height) / self.height
        axes = self.canvas.add_axes((left / WIDTH, bottom, width / WIDTH, height / self.height))
        axes.set(xlim=xlim, ylim=ylim)
        axes.patch.set_visible(False)
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        return axes

    def stand_in(self, text, **attributes):
        """Return what matplotlib is to draw in place of a text."""
        self._texts.append((str(text), attributes))
        return f"@{len(self._texts) - 1}"

    def text(self, x, y, text, *, halo=None, css=None, **style):
        """Write a text with its middle at height y, with a halo in a second colour if need be."""
        attributes = {"class": css} if css else {}
        if halo:
            attributes |= {"stroke": VARIABLES[halo], "stroke-width": "2", "paint-order": "stroke"}
        style = {"va": "center_baseline", "rotation_mode": "anchor"} | style
        self.canvas.text(x / WIDTH, 1 - y / self.height, self.stand_in(text, **attributes), **style)

    def line(self, xs, ys, **style):
        """Draw a line, or a marker, outside of any axes."""
        line = Line2D(np.array(xs) / WIDTH, 1 - np.array(ys) / self.height, **style)
        self.canvas.add_artist(line)

    def svg(self, alt):
        """Return the drawing with its caption as SVG.

        matplotlib's SVG is written anew as a flat list of paths and texts in the page's colours, without ids
        (which would clash with those of another figure in the page), style sheet or date.
        """
        for i, line in enumerate(self._caption):
            y = self.plain_height + 10 + LINE_HEIGHT * (i + 0.5)
            self.text(0, y, line, color=COLOURS["muted"], css="attn-caption")
        file = io.StringIO()
        self.canvas.savefig(file, format="svg", metadata={"Date": None})
        width, height = WIDTH + 2 * MARGIN, self.height + 2 * MARGIN
        root = {
            "xmlns": "http://www.w3.org/2000/svg",
            "width": width,
            "height": height,
            "viewBox": f"{-MARGIN} {-MARGIN} {width} {height}",
            "data-plain-height": self.plain_height + 2 * MARGIN,
            "role": "img",
            "aria-label": alt.replace("\n", " "),
            "font-family": FONT,
            "font-size": SIZE,
            "stroke-linejoin": "round",
            "style": "font-variant-numeric: tabular-nums",
        }
        paper = {"x": -MARGIN, "y": -MARGIN, "width": "100%", "height": "100%"}
        paper["fill"] = VARIABLES[COLOURS["paper"]]
        body = _elements(ElementTree.fromstring(file.getvalue()), self._texts)
        return "\n".join([f"<svg {_attributes(root)}>", f"<rect {_attributes(paper)}/>", *body, "</svg>"])


def in_html(svg):
    """Return a drawing as HTML for a notebook: as wide as there is room, dark where JupyterLab is dark."""
    dark = "".join(f"--attn-{name}:{colour};" for name, colour in DARK.items())
    style = (
        f"[data-jp-theme-light=false] .attn-drawing{{{dark}}}.attn-drawing svg{{max-width:100%;height:auto}}"
    )
    return f'<div class="attn-drawing"><style>{style}</style>{svg}</div>'


def draw_cells(axes, shares, gap, colour="weight"):
    """Draw each cell of a matrix in one colour, as opaque as its share; equal cells make one path."""
    across, down = 0.5 - gap[0] / 2, 0.5 - gap[1] / 2
    corners = np.array([(-across, -down), (across, -down), (across, down), (-across, down), (-across, -down)])
    codes = [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY]
    opacities = np.round(np.minimum(shares, 1), 3 if shares.size <= 400 else 2)
    for opacity in np.unique(opacities[opacities > 0]):
        places = np.argwhere(opacities == opacity)[:, ::-1]
        outline = Path((places[:, None] + corners).reshape(-1, 2), codes * len(places))
        face = matplotlib.colors.to_rgba(COLOURS[colour], opacity)
        style = {"facecolor": face, "linewidth": 0, "clip_on": False, "antialiased": any(gap)}
        axes.add_patch(PathPatch(outline, **style))


def strike_cells(axes, struck):
    """Strike the chosen cells of a matrix through, from the lower left to the upper right, in one path."""
    places = np.argwhere(struck)[:, ::-1]
    if len(places):
        strokes = (places[:, None] + np.array([(-0.5, 0.5), (0.5, -0.5)])).reshape(-1, 2)
        outline = Path(strokes, [Path.MOVETO, Path.LINETO] * len(places))
        style = {"facecolor": "none", "edgecolor": COLOURS["paper"], "linewidth": 1.5, "capstyle": "butt"}
        axes.add_patch(PathPatch(outline, **style))


# --- texts ---------------------------------------------------------------------------------------------


def text_width(text, size=SIZE):
    """Estimate the width of a text in the reader's font, on the generous side."""
    ems = 0.0
    for character in text:
        if unicodedata.east_asian_width(character) in "WF":
            ems += 1.0
        elif character in "ijlI.,:;'|!()[]` ":
            ems += 0.34
        elif character in "mwMW@%<>=+~#−" or character.isupper():
            ems += 0.78
        elif not unicodedata.combining(character):
            ems += 0.58
    return ems * size


def clip(text, width):
    """Shorten a label that has no room.

    >>> clip("immeasurable", 60)
    'immeas…'
    """
    if text_width(text) <= width:
        return text
    while text and text_width(text + "…") > width:
        text = text[:-1]
    return text.rstrip() + "…"


def wrap(text, width):
    """Break a text into lines at its spaces, and a word that is wider than a line at its underscores.

    >>> wrap("one two three", 60), wrap("length_normalization", 120)
    (['one two', 'three'], ['length_', 'normalization'])
    """
    lines = [""]
    for word in text.split():
        for k, part in enumerate([word] if text_width(word) <= width else re.split("(?<=_)", word)):
            longer = lines[-1] + part if k else f"{lines[-1]} {part}".strip()
            if lines[-1] and text_width(longer) > width:
                lines.append(part)
            else:
                lines[-1] = longer
    return lines


# --- matplotlib's SVG, written anew --------------------------------------------------------------------

_SVG, _HREF = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}href"
_KEPT = (
    "fill",
    "fill-opacity",
    "stroke",
    "stroke-width",
    "stroke-dasharray",
    "stroke-linecap",
    "shape-rendering",
)


def _elements(root, texts):
    """Yield the shapes and texts of matplotlib's SVG in the order of drawing."""
    shapes = {f"#{path.get('id')}": path for path in root.iter(f"{_SVG}path") if path.get("id")}
    for element in root.iter():
        style = dict(part.split(": ", 1) for part in element.get("style", "").split("; ") if part)
        paint = {name: VARIABLES.get(style[name], style[name]) for name in _KEPT if name in style}
        if element.tag == f"{_SVG}path" and not element.get("id"):
            yield f"<path {_attributes(paint | {'d': _outline(element)})}/>"
        elif element.tag == f"{_SVG}use":  # a marker
            place = _rounded(f"translate({float(element.get('x'))} {float(element.get('y'))})")
            outline = _outline(shapes[element.get(_HREF)])
            yield f"<path {_attributes(paint | {'d': outline, 'transform': place})}/>"
        elif element.tag == f"{_SVG}text":
            known = re.fullmatch(r"@(\d+)", element.text)
            text, extra = texts[int(known[1])] if known else (element.text, {})
            if text:
                look = _attributes(_text_style(element, style) | extra)
                yield f"<text {look}>{escape(_legal(text))}</text>"


def _text_style(element, style):
    attributes = {name: _rounded(element.get(name)) for name in ("x", "y")}
    turn = element.get("transform", "")
    if turn and not turn.startswith("rotate(-0 "):
        attributes["transform"] = _rounded(turn)
    attributes["fill"] = VARIABLES[style.get("fill", COLOURS["black"])]  # matplotlib leaves black unsaid
    size = style["font-size"].removesuffix("px")
    attributes |= {"font-size": size} if size != str(SIZE) else {}
    attributes |= {"font-weight": "600"} if "font-weight" in style else {}
    attributes |= {"text-anchor": style["text-anchor"]} if style["text-anchor"] != "start" else {}
    return attributes


def _outline(path):
    """Return an outline, short: numbers to a hundredth of a unit, rectangles by their sides."""
    outline = re.sub(r" ?([A-Za-z]) ?", r"\1", " ".join(_rounded(path.get("d")).split()))
    return re.sub(r"M(\S+) ([^\sL]+)L(\S+) \2L\3 ([^\sL]+)L\1 \4z", r"M\1 \2H\3V\4H\1z", outline)


def _rounded(text):
    return re.sub(r"-?\d+\.\d+", lambda m: f"{round(float(m[0]), 2) + 0.0:.2f}".rstrip("0").rstrip("."), text)


def _legal(text):
    """Replace what XML cannot hold, such as a control character in a token."""
    return re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]", "\ufffd", text)


def _attributes(pairs):
    return " ".join(f"{name}={quoteattr(_legal(str(value)))}" for name, value in pairs.items())
