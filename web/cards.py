"""The picture that stands for a page where its address is shared: its title, and words filled by weights."""

import functools
import re
from html import unescape

from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.patches import Rectangle
from matplotlib.textpath import TextPath

CARD = (1200, 630)  # pixels, the size that every reader of Open Graph takes
MARGIN, GAP = 78, 7  # at the edges, and between words
INK, PAPER, MUTED, SCORE, WEIGHT = "#1d1f24", "#fdfcf8", "#5b5e66", "#7a7f87", "#0072b2"  # as in style.css
EMPTY, FILL, WORD = "#f1efe9", "#93c2db", "#4d5058"  # a vessel and what is in it, as on the first page
SERIF, SANS = "DejaVu Serif", "DejaVu Sans"  # these come with matplotlib, so that all machines draw the same


def name_card(docname):
    """Return where the card of a page stands, below the first page.

    >>> name_card("chapters/choosing")
    'cards/chapters-choosing.png'
    """
    return f"cards/{docname.replace('/', '-')}.png"


def list_weights(html):
    """Return the (word, weight) of each bar that a page's first explorer shows; empty if it has no such bars.

    >>> cell = '<span class="attn-bar" style="--attn-from:0%;--attn-to:67.7%"></span>'
    >>> row = f'<tr><th scope="row"><bdi>&lt;s&gt;</bdi></th><td class="attn-weight">{cell}</td></tr>'
    >>> list_weights(f"<attn-explorer><table>{row}</table></attn-explorer>")
    [('<s>', 0.677)]
    >>> list_weights("<p>No explorer.</p>")
    []
    """
    explorer = re.search(r"<attn-explorer.*?</attn-explorer>", html, re.DOTALL)
    rows = re.findall(r'<tr><th scope="row".*?</tr>', explorer[0], re.DOTALL) if explorer else ()
    bar = r'<bdi>(.*?)</bdi>.*<td class="attn-weight">.*?--attn-from:0%;--attn-to:([\d.]+)%'
    found = [re.search(bar, row, re.DOTALL) for row in rows]
    if not all(found):  # no bars, or some that go below zero
        return []
    return [(unescape(match[1]), float(match[2]) / 100) for match in found]


def draw_card(path, title, book, place="", weights=()):
    """Draw the picture that stands for a page where its address is shared: the same bytes every time.

    It looks like the opening page: the title with its subject apart, and words filled by their weights.

    Args:
        path: the file, in a folder that is made if need be
        title: what the page is called
        book: what the book is called
        place: the part of the book and the number of the page in it
        weights: (word, weight) pairs, each a vessel as full as its weight says
    """
    figure = Figure(figsize=(CARD[0] / 100, CARD[1] / 100), dpi=100, facecolor=PAPER)
    canvas = figure.add_axes([0, 0, 1, 1], xlim=(0, CARD[0]), ylim=(CARD[1], 0))
    canvas.set_axis_off()

    def box(left, top, width, height, color):
        canvas.add_patch(Rectangle((left, top), width, height, color=color, linewidth=0))

    def write(left, base, text, size, color=INK, family=SERIF, **look):
        canvas.text(left, base, text, size=size * 0.72, color=color, family=family, parse_math=False, **look)

    for column, height in enumerate((8, 26, 15, 4)):  # the sign of the book
        box(MARGIN + 9 * column, 86 - height, 7, height, WEIGHT)
    write(MARGIN + 48, 85, book, 27, weight="bold")
    write(CARD[0] - MARGIN, 85, place, 24, MUTED, SANS, ha="right")
    lines, size = set_title(title)
    for number, (line, weight, color) in enumerate(lines):
        write(MARGIN - size / 20, 130 + size * (1 + 1.14 * number), line, size, color, weight=weight)
    rows, size = set_words(weights)
    height = 1.62 * size
    for number, row in enumerate(reversed(rows)):
        left, top = MARGIN, CARD[1] - 52 - height - number * (height + 14)
        for word, share, width in row:
            box(left, top, width, height, EMPTY)
            box(left, top + height * (1 - share), width, height * share, FILL)
            box(left, top + height, width, 2, SCORE)
            look = (size / 2, MUTED, SANS) if is_marker(word) else (size, WORD, SERIF)
            write(left + width / 2, top + height * 0.68, word, *look, ha="center")
            left += width + GAP
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, metadata={"Software": None})


def set_title(title):
    """Return (line, weight, colour) of each line of a title and the size, the largest that leaves room."""
    asks, colon, subject = title.partition(": ")
    for size in (78, 70, 62, 54):
        lines = [(line, "bold", INK) for line in wrap(asks + colon.strip(), size, "bold")]
        lines += [(line, "normal", MUTED) for line in wrap(subject, size, "normal")]
        if size * (1.14 * len(lines) + 0.1) <= 240:
            break
    return lines, size


def set_words(weights):
    """Return at most two rows of (word, weight, width) and the size, the largest that lets them fit."""
    for size in (46, 40, 34, 29):
        rows, left = [[]], 0
        for word, share in weights:
            width = round(measure(word, size) * (0.55 if is_marker(word) else 1) + 0.5 * size)
            if left + width > CARD[0] - 2 * MARGIN:
                rows, left = [*rows, []], 0
            rows[-1].append((word, min(share, 1), width))
            left += width + GAP
        if len(rows) <= 2:
            break
    return rows[:2], size


def is_marker(word):
    """Say whether a token is no word but a sign of the model, such as [CLS]."""
    return word[:1] + word[-1:] in ("[]", "<>")


def wrap(text, size, weight):
    """Return the lines of a title, as few as can be and then as even."""
    least = None
    for width in range(CARD[0] - 2 * MARGIN, 0, -20):
        lines = []
        for word in text.split():
            if lines and measure(f"{lines[-1]} {word}", size, weight) <= width:
                lines[-1] += f" {word}"
            else:
                lines.append(word)
        if least is not None and (len(lines) > len(least) or len(lines) < 2):
            break
        least = lines
    return least


@functools.cache
def measure(text, size, weight="normal"):
    """Return how many pixels of a card a line of serif letters takes."""
    properties = FontProperties(family=SERIF, weight=weight)
    return TextPath((0, 0), text, size=size, prop=properties).get_extents().x1
