"""Tables of numbers: one cell of a notebook, shown as a table on every page and compared as text by nbval.

>>> table([{"T": "0.5", "animal": 0.9586}, {"T": "2", "animal": 0.3184}])
T    animal
0.5   0.959
2     0.318
"""

from dataclasses import dataclass
from html import escape

import numpy as np

from attnlib._numbers import fixed, minus

__all__ = ["Table", "table"]


def _text(value, digits):
    """Return a cell as text: floats rounded, arrays as their numbers, the rest as it is."""
    if isinstance(value, np.ndarray):
        return " ".join(_text(number, digits) for number in np.atleast_1d(value))
    if isinstance(value, float | np.floating):
        return fixed(value, digits)
    return minus(str(value)) if isinstance(value, int | np.integer) else str(value)


@dataclass(frozen=True, repr=False)
class Table:
    """A header and rows of texts; `numeric` says which columns hold numbers and are set to the right."""

    header: tuple
    rows: tuple
    numeric: tuple

    def __repr__(self):
        widths = [max(map(len, column)) for column in zip(self.header, *self.rows, strict=True)]
        sides = [">" if number else "<" for number in self.numeric]
        return "\n".join(
            "  ".join(
                f"{cell:{side}{width}}" for cell, side, width in zip(line, sides, widths, strict=True)
            ).rstrip()
            for line in (self.header, *self.rows)
        )

    @staticmethod
    def _cell(text, number):
        """Escape a cell; the numbers of a row of numbers stand further apart than words (by an en space)."""
        return escape(text).replace(" ", "\u2002" if number else " ")

    def _repr_html_(self):
        # JupyterLab sets all cells of a table to the right, against which only an inline style helps.
        looks = [' class="attn-number"' if n else ' style="text-align:left"' for n in self.numeric]
        head = "".join(
            f'<th scope="col"{look}>{escape(name)}</th>'
            for look, name in zip(looks, self.header, strict=True)
        )
        body = []
        for first, *rest in self.rows:
            # A row of numbers that names its row is no heading to look at.
            plain = ' style="font-weight:400"' if self.numeric[0] and " " in first else ""
            cells = f'<th scope="row"{looks[0]}{plain}>{self._cell(first, self.numeric[0])}</th>'
            cells += "".join(
                f"<td{look}>{self._cell(cell, number)}</td>"
                for look, cell, number in zip(looks[1:], rest, self.numeric[1:], strict=True)
            )
            body.append(f"<tr>{cells}</tr>")
        label = escape(f"Table: {', '.join(self.header)}")
        return (
            f'<div class="attn-table scroll" role="region" tabindex="0" aria-label="{label}">'
            f"<table><thead><tr>{head}</tr></thead><tbody>\n" + "\n".join(body) + "\n</tbody></table></div>"
        )


def table(rows, digits=3):
    """Make a table from dictionaries, one per row, all with the same keys in the same order.

    A float, numpy's too, is shown with `digits` decimals and with commas from 1,000 on, and a column of
    numbers is set to the right; a row of numbers (an array) stays in one cell. Numbers below zero have a true
    minus sign (U+2212), as in the text. Anything else is shown as `str` does. The first column names the row.

    Raises ValueError when there is no row, a column has no name, or the keys differ.

    >>> table([{"map": "softmax", "weights": np.array([0.25, 0.75])}])
    map          weights
    softmax  0.250 0.750
    """
    rows = list(rows)
    if not rows:
        raise ValueError("table needs at least one row, got none")
    header = tuple(rows[0])
    if not all(name.strip() for name in header):
        raise ValueError(f"every column of a table needs a name that can be read out, got {header}")
    for number, row in enumerate(rows):
        if tuple(row) != header:
            raise ValueError(f"row {number} has the columns {tuple(row)}, where row 0 has {header}")
    numeric = tuple(
        all(isinstance(row[name], int | float | np.number | np.ndarray) for row in rows) for name in header
    )
    cells = tuple(tuple(_text(value, digits) for value in row.values()) for row in rows)
    return Table(header, cells, numeric)
