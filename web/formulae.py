r"""Formulae become MathML while the book is built: the reader's browser draws them, no script does.

A display that ends in `\tag{name}` has a number here, to which `[(name)](#name)` leads; JupyterLab sets the
name beside it.

`latex2mathml` passes on what it does not know without a word, so everything that looks like TeX in its
output is reported as a warning, which the build treats as an error.
"""

import html
import re
from xml.etree import ElementTree

from latex2mathml.converter import Converter
from sphinx.locale import _
from sphinx.transforms import SphinxTransform
from sphinx.util import logging
from sphinx.util.docutils import nodes
from sphinx.util.math import get_node_equation_number

logger = logging.getLogger(__name__)

SCRIPTS = {"msub", "msup", "msubsup", "munder", "mover", "munderover"}
LIMITS = {"msub": "munder", "msup": "mover", "msubsup": "munderover"}
WITH_LIMITS = {"max", "min", "sup", "inf", "lim", "argmax", "argmin"}
OPENING = {"(", "[", "{", "⁡"}
BEFORE, AFTER = (
    re.compile(r"[(\[“‘]+$"),
    re.compile(r"^[)\].,;:?!…”’%-]+"),
)  # signs that a line leaves with its formula


def to_mathml(tex, display):
    """Return `tex` as a MathML element, a string; ValueError says what cannot be set.

    >>> to_mathml("T", "inline")
    '<math display="inline"><mrow><mi>T</mi></mrow></math>'
    """
    tex = tex.replace("{aligned}", "{split}")
    if r"\\" in tex and r"\begin" not in tex:
        tex = rf"\begin{{split}}{tex}\end{{split}}"
    try:
        math = Converter(display=display).convert_to_element(tex)
    except Exception as error:
        raise ValueError(f"it cannot be read ({type(error).__name__} {error})".replace(" )", ")")) from error
    math.attrib.pop("xmlns")
    _check(math)
    _polish(math, display == "block")
    return ElementTree.tostring(math, encoding="unicode")


def _check(math):
    """Unescape the text of every element in place and refuse what is still TeX."""
    for element in list(math.iter("mo")):
        if len(element):  # \mathrel{-}: an operator holds a sign, not a row of them
            text = "".join(element.itertext())
            element.clear()
            element.text = text
    for element in math.iter():
        raw = element.text or ""
        if raw.startswith("&#") and element.tag == "mi" and html.unescape(raw).isascii():
            element.set("mathvariant", "normal")  # \mathrm{d}: one letter, but upright
        element.text = html.unescape(raw)
        if element.text == "∞":
            element.tag = "mi"  # a number, not an operator: no space around it
        if re.search(r"[\\&$]", element.text):
            raise ValueError(f"{element.text!r} is not understood")
        if element.tag == "menclose":
            raise ValueError("boxes and strikes are not part of MathML Core")


def _polish(parent, display):
    """Set what TeX would: limits below max, thin spaces around function names, none inside scripts."""
    children = list(parent)
    for place, child in enumerate(children):
        inner = display and child.tag not in {"mfrac", "msqrt"} and parent.tag not in SCRIPTS
        core = child
        while core.tag in SCRIPTS and len(core):
            core = core[0]
        name = (core.text or "").replace("\u2009", "")
        is_name = core.tag in {"mi", "mo"} and len(name) > 1 and name.isascii() and name.isalpha()
        if is_name and not (parent.tag in SCRIPTS and place == 0):
            after = children[place + 1] if place + 1 < len(children) else None
            tight = (
                after is None or (after.text or "") in OPENING or (len(after) and after[0].text in OPENING)
            )
            before = children[place - 1] if place and children[place - 1].tag != "mo" else None
            core.tag = "mo"
            core.set("lspace", "0" if before is None else "0.167em")
            core.set("rspace", "0" if tight else "0.167em")
            if inner and child.tag in LIMITS and name in WITH_LIMITS:
                child.tag = LIMITS[child.tag]
        if child.tag == "mo" and parent.tag in SCRIPTS and place and not is_name:
            child.set("lspace", "0")
            child.set("rspace", "0")
        _polish(child, inner)


class Numbers(SphinxTransform):
    """Give a number and an anchor to each display with a tag, as MyST does for `$$ ... $$ (name)`."""

    default_priority = 500

    def apply(self):
        """Take the tags off the formulae and make them known."""
        domain = self.env.get_domain("math")
        for node in self.document.findall(nodes.math_block):
            tex, tag, name = re.fullmatch(r"(.*?)(\\tag\{([\w:-]+)\})?\s*", node.astext(), re.S).groups()
            if not tag:
                continue
            node[:] = [nodes.Text(tex.rstrip())]
            node.attributes |= {"label": name, "docname": self.env.docname}
            domain.note_equation(self.env.docname, name, location=node)
            node["number"] = domain.get_equation_number_for(name)
            node["ids"].append(nodes.make_id(f"equation-{name}"))
            self.document.note_explicit_target(node)


def _convert(translator, node, display):
    try:
        return to_mathml(node.astext().strip(), display)
    except ValueError as error:
        logger.warning("formula %r: %s", node.astext(), error, location=node, type="book", subtype="formula")
        return ""


def keep_signs(app, doctree, docname):
    """Hold a formula and the signs around it together: browsers break a line on either side of a formula."""
    for math in list(doctree.findall(nodes.math)):
        line, place = math.parent, math.parent.index(math)
        before, after = (line[i] if 0 <= i < len(line) else None for i in (place - 1, place + 1))
        opens = BEFORE.search(before) if isinstance(before, nodes.Text) else None
        closes = AFTER.search(after) if isinstance(after, nodes.Text) else None
        if not (opens or closes):
            continue
        line[place] = whole = nodes.inline("", classes=["whole"])
        if opens:
            line[place - 1] = nodes.Text(before[: opens.start()])
            whole += nodes.Text(opens[0])
        whole += math
        if closes:
            line[place + 1] = nodes.Text(after[closes.end() :])
            whole += nodes.Text(closes[0])


def visit_inline(translator, node):
    """Write a formula within a line."""
    translator.body.append(_convert(translator, node, "inline"))
    raise nodes.SkipNode


def visit_display(translator, node):
    """Write a formula on its own line, with its number."""
    translator.body.append(translator.starttag(node, "div", CLASS="formula"))
    translator.body.append(f'<div class="scroll">{_convert(translator, node, "block")}</div>')
    if node["number"]:
        translator.body.append(f'<span class="eqno">({get_node_equation_number(translator, node)})')
        translator.add_permalink_ref(node, _("Link to this equation"))
        translator.body.append("</span>")
    translator.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app):
    """Take the place of MathJax."""
    app.add_transform(Numbers)
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_display, None))
    app.connect("doctree-resolved", keep_signs)
