"""The player: a spoken sentence, its words, and the moment each word attends to.

Like an explorer, one object serves three places: in the built page native audio controls and a script that
lets each word play its moment (the sound is a file beside the page, loaded when it is first asked for); with
a kernel the same, the sound sent along; under nbval the words with their moments as text.
"""

from functools import cache, cached_property
from html import escape
from pathlib import PurePosixPath

import numpy as np

from attnlib._numbers import fixed, minus
from attnlib.datasets import _checked
from attnlib.explorer import HERE, _check_name, _has_kernel, _tag, _texts, _thousandths

__all__ = ["Player"]


class Player:
    """A sound with its transcript; beside each word where it attends, and a button that plays that moment.

    Parameters
    ----------
    file : path of a WAV file below attnlib/data, such as `datasets.speech().file`.
    words : texts, one per row of the weights, repeats allowed.
    weights : array (words, frames) of numbers from 0 to 1; the frames share the sound out evenly.
    seconds_per_frame : length of a frame.
    name : lower-case slug, unique in the book; the element's id is player-NAME.
    caption : one or two sentences under the words.

    Raises
    ------
    ValueError
        When the shapes do not fit or a weight is outside 0 to 1.

    Examples
    --------
    >>> Player("whisper/sense_and_sensibility.wav", ["He", "might"], [[0.9, 0.1], [0.2, 0.8]], 1.65,
    ...        name="two-words", caption="Two words.")
    Player two-words: sense_and_sensibility.wav, 3.30 s
    He: 0.00 s, weight 0.900
    might: 1.65 s, weight 0.800
    """

    def __init__(self, file, words, weights, seconds_per_frame, *, name, caption):
        """Check what is given; the sound is not read."""
        _check_name(name)
        self.file, self.name, self.caption = PurePosixPath(file), name, caption
        self.words, self.weights = _texts(words, "words"), np.asarray(weights, dtype=float)
        if self.weights.ndim != 2 or len(self.weights) != len(self.words) or self.weights.shape[1] < 2:
            raise ValueError(
                f"weights has shape {self.weights.shape}; expected ({len(self.words)}, frames), one per word"
            )
        if not ((self.weights >= 0) & (self.weights <= 1)).all():
            raise ValueError("weights must lie between 0 and 1")
        if not self.weights.any():
            raise ValueError("weights holds no weight above 0, so no word has a moment")
        if not seconds_per_frame > 0:
            raise ValueError(f"seconds_per_frame must be positive, got {seconds_per_frame!r}")
        self.moments = self.weights.argmax(axis=1) * seconds_per_frame
        self.seconds = self.weights.shape[1] * seconds_per_frame

    def text(self):
        """The words with the moment each attends to most."""
        lines = [f"Player {self.name}: {self.file.name}, {self.seconds:.2f} s"]
        for word, moment, row in zip(self.words, self.moments, self.weights, strict=True):
            lines.append(f"{word}: {moment:.2f} s, weight {fixed(row.max())}")
        return "\n".join(lines)

    __repr__ = text

    def _inside(self):
        """The native player, the words with their strips, and the caption."""
        heights = 1000 - np.reshape(
            _thousandths((self.weights / self.weights.max()).ravel()), self.weights.shape
        )
        rows = []
        for word, moment, row, tops in zip(self.words, self.moments, self.weights, heights, strict=True):
            label = _tag("span", escape(word)) + _tag("span", f"{moment:.2f} s", cls="attn-time")
            button = _tag("button", label, type="button", value=f"{moment:.2f}")
            outline = "".join(f"V{top}h1" for top in tops)
            peak = _tag("path", d=f"M{row.argmax() + 0.5:g} 0V1000", cls="attn-peak")
            strip = _tag(
                "svg",
                _tag("path", d=f"M0 1000{outline}V1000z") + peak,
                viewBox=f"0 0 {len(row)} 1000",
                preserveAspectRatio="none",
                role="img",
                aria_label=f"weight of {word} over the sound: at most {fixed(row.max())}, at {moment:.2f} s",
            )
            rows.append(_tag("li", button + _tag("div", strip, cls="attn-strip")))
        ends = _tag("span", "0 s") + _tag("span", minus(f"{self.seconds:.2f} s"))
        return _tag(
            "figure",
            _tag("audio", controls="", preload="none", src=self.file.name)
            + _tag("p", "The sound cannot be loaded here.", cls="attn-error", role="alert", hidden="")
            + _tag(
                "fieldset",
                _tag("ol", "".join(rows), data_seconds=f"{self.seconds:g}"),
                disabled="",
                aria_label="words and the moments they attend to",
            )
            + _tag("div", ends, cls="attn-ends", aria_hidden="true")
            + _tag("figcaption", escape(self.caption)),
        )

    def html(self):
        """The element for the page; its sound is looked for beside the page."""
        return _tag("attn-player", self._inside(), id=f"player-{self.name}", cls="attn-explorer attn-player")

    @cached_property
    def widget(self):
        """The same with the sound sent along, for a page that has a kernel."""
        return _widget_class()(html=self._inside(), sound=_checked(str(self.file)))

    def _repr_mimebundle_(self, **kwargs):
        """Text and HTML, and the widget where a kernel is there to send the sound."""
        bundle, metadata = {"text/plain": self.text(), "text/html": self.html()}, {}
        if _has_kernel():
            view, metadata = self.widget._repr_mimebundle_(**kwargs)
            bundle = view | bundle
        return bundle, metadata


@cache
def _widget_class():
    import anywidget
    import traitlets

    scripts = [(HERE / f"{name}.js").read_text("utf-8") for name in ("explorer", "player")]
    styles = [(HERE / f"{name}.css").read_text("utf-8") for name in ("explorer", "player")]

    class PlayerWidget(anywidget.AnyWidget):
        _esm = "\n".join([*scripts, "export default { render: attnPlayer.render };\n"])
        _css = "\n".join(styles)
        html = traitlets.Unicode().tag(sync=True)
        sound = traitlets.Bytes().tag(sync=True)

    return PlayerWidget
