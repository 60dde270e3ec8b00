"""Print the built site as one book: title page, contents, numbers, bookmarks, solutions at the end.

    python tools/pdf.py [--paper A4|Letter] [--site FOLDER] [--output FILE] [PAGE ...]

The pages are joined into one, and the Chromium of the tests prints it. It sets MathML, SVG and the style
sheet as on the site, and writes tags, links and bookmarks; WeasyPrint knows no MathML, LaTeX no explorer.
Chromium cannot yet name the page that a link leads to, so the book is printed until its page numbers stay.
"""

import argparse
import copy
import itertools
import json
import math
import os
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass, field
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import pikepdf
import yaml
from bs4 import BeautifulSoup

ROOT = Path(__file__).resolve().parent.parent
NUMBERED = 16  # columns of a map whose numbers fit on paper
SHORT = 12  # lines of code that stay on one page
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
from browser import open_browser  # noqa: E402

from web.builder import THEME, style_sheet  # noqa: E402
from web.cards import list_weights  # noqa: E402

PAPERS = ("A4", "Letter")
OLDEST = 131  # the first Chromium with running heads
MOST_PASSES = 5
NOTHING_ON_PAPER = ".headerlink, script, noscript, output, [hidden], .attn-figures, attn-explorer button"
NAMES_AN_ID = ("aria-describedby", "aria-labelledby", "for")


@dataclass
class Unit:
    """A chapter, an appendix or another stretch of the book with a running head of its own."""

    key: str
    title: str
    number: str = ""
    about: str = ""
    body: list = field(default_factory=list)

    @property
    def heading(self):
        """The number, if there is one, and the title."""
        return f"{self.number}\u2002{self.title}" if self.number else self.title


class Book:
    """The joined pages, before they are printed."""

    def __init__(self, site, only=()):
        """Read the pages of `site`, or `only` some, in the order of the first page's list of parts."""
        self.site = Path(site)
        self.soup = BeautifulSoup("", "html.parser")
        first = self.read("index.html")
        canonical = first.find("link", rel="canonical")
        self.address = canonical and canonical["href"]
        self.keys = {"index.html": "preface"}
        self.parts = []  # (title, units)
        numbers, letters = itertools.count(1), map(chr, itertools.count(ord("A")))
        for part in self.list_parts(first):
            units = []
            for page, title, about in part[1]:
                is_chapter = (self.site / page).with_suffix(".ipynb").exists()
                number = str(next(numbers)) if is_chapter else next(letters)
                if not only or page in only:
                    self.keys[page] = f"{'chapter' if is_chapter else 'appendix'}-{number}"
                    units.append(Unit(self.keys[page], title, number, about))
            if units:
                self.parts.append((part[0], units))
        self.pages = {key: page for page, key in self.keys.items()}
        self.units = {unit.key: unit for _, units in self.parts for unit in units}
        self.solutions, self.headings = [], []
        self.preface = Unit("preface", "Preface")
        article = first.article
        self.title = article.h1.find(string=True)
        self.sentence = list_weights(str(first.find("attn-explorer") or ""))
        strong = article.h1.find_next_sibling("p")
        self.subtitle = strong.get_text().rstrip(".") if strong else ""
        if strong and strong.strong:
            strong.decompose()
        article.h1.string = self.preface.title
        self.fill(self.preface, article)
        for unit in self.units.values():
            self.fill(unit, self.read(self.pages[unit.key]).article)
        self.place_solutions()

    def read(self, page):
        """Return the parsed page."""
        return BeautifulSoup((self.site / page).read_text("utf-8"), "html.parser")

    @staticmethod
    def list_parts(first):
        """Yield (title, [(page, title, description), ...]) for each part that the first page lists."""
        for chapters in first.select(".parts ul"):
            heading = chapters.find_previous_sibling()
            title = heading.get_text() if heading is not None and heading.name == "h2" else ""
            items = chapters.find_all("li", recursive=False)
            yield title, [(unquote(item.a["href"]), item.a.get_text(), item.p.get_text()) for item in items]

    def tag(self, name, *content, **attributes):
        """Return a new element; `class_` stands for class."""
        element = self.soup.new_tag(name, attrs={key.rstrip("_"): value for key, value in attributes.items()})
        element.extend(content)
        return element

    # ---- One page of the site becomes one unit ----

    def fill(self, unit, article):
        """Bring a page into the form that is printed."""
        for element in article.select(NOTHING_ON_PAPER):
            element.decompose()
        self.rename(unit, article)
        for explorer in article.find_all("attn-explorer"):
            self.freeze(explorer)
        for figure in article.select("figure.attn-figure"):
            self.describe(figure)
        for code in article.find_all("pre"):
            if code.get_text().rstrip().count("\n") < SHORT:
                code["class"] = "short"
        for sound in article.find_all(["audio", "video"]):
            sound.replace_with(self.tag("p", "(The recording is on the page of the site.)", class_="absent"))
        self.take_solutions(unit, article)
        self.number_sections(unit, article)
        self.number_figures(unit, article)
        for fold in article.find_all("details"):
            fold.summary.decompose()
            fold.unwrap()
        unit.body = [child for child in article.contents if child.name]

    def rename(self, unit, article):
        """Make ids differ between pages, and lead links to the place in the book instead of the page."""
        page = self.pages[unit.key]
        for element in article.find_all(True):
            attributes = element.attrs
            if "id" in attributes:
                attributes["id"] = f"{unit.key}.{attributes['id']}"
            for name in NAMES_AN_ID:
                if name in attributes:
                    value = attributes[name]
                    names = value if isinstance(value, list) else value.split()
                    attributes[name] = " ".join(f"{unit.key}.{part}" for part in names)
            for name, value in attributes.items():
                if isinstance(value, str) and "url(#" in value:
                    attributes[name] = value.replace("url(#", f"url(#{unit.key}.")
            for name in {"href", "xlink:href"} & attributes.keys() if element.name == "use" else ():
                attributes[name] = f"#{unit.key}.{attributes[name].removeprefix('#')}"
            if element.name == "img":
                attributes["src"] = (self.site / page).parent.joinpath(unquote(attributes["src"])).as_uri()
        for link in article.find_all("a", href=True):
            self.lead(page, link)

    def lead(self, page, link):
        """Lead a link of `page` to its place in the book; take it away where there is none."""
        if urlsplit(link["href"]).scheme:
            return
        target, anchor = urldefrag(urljoin(f"/{page}", link["href"]))
        key = self.keys.get(unquote(target.lstrip("/")))
        if key is None:
            link.unwrap()
            return
        link["href"] = f"#{key}.{unquote(anchor)}" if anchor else f"#{key}"
        number = self.units[key].number if key in self.units else ""
        if number.isdigit() and not anchor and "chapter" not in link.get_text().lower():
            link.insert_after(f" (chapter {number})")

    def freeze(self, explorer):
        """Show an explorer as it stands at its start: words for controls, numbers without hovering."""
        for fieldset in explorer.find_all("fieldset"):
            stands = []
            for control in fieldset.select(".attn-control"):
                label = control.select_one(".attn-label")
                chosen = control.select_one("option[selected]") or control.select_one("option")
                value = (chosen or control.select_one(".attn-stop")).get_text()
                ends = [end.get_text() for end in control.select(".attn-ends > span")]
                choices = [option.get_text() for option in control.find_all("option")]
                reach = f" (from {' to '.join(ends)})" if ends else f" (of {', '.join(choices)})"
                symbol = label.var.get_text() if label.var else None
                name = label.get_text().removesuffix(symbol or "").strip()
                stands.append(self.tag("span", f"{name}: ", self.tag("b", value), reach))
            fieldset.replace_with(self.tag("p", *stands, class_="stands"))
        for table in explorer.select(".attn-numbers"):
            self.set_in_columns(table)
        for table in explorer.select(".attn-map"):
            if len(table.tbody.tr.find_all("td")) <= NUMBERED:
                table["class"] = [*table["class"], "with-numbers"]

    def set_in_columns(self, table):
        """Set a long and narrow table as two or three shorter ones, side by side."""
        rows = table.tbody.find_all("tr")
        columns = 3 if len(rows[0].find_all(True, recursive=False)) < 4 else 2
        frame = self.tag("div", class_="numbers")
        table.replace_with(frame)
        length = math.ceil(len(rows) / columns)
        for start in range(0, len(rows), length):
            shorter = copy.copy(table)
            shorter.tbody.clear()
            shorter.tbody.extend(rows[start : start + length])
            frame.append(shorter)

    def describe(self, figure):
        """Give the picture its whole text alternative, which a reader of the site unfolds."""
        words = figure.select_one("figcaption details")
        if words:
            figure.svg["aria-label"] = " ".join(words.p.get_text().split())
            del figure.svg["aria-describedby"]
            words.decompose()

    def take_solutions(self, unit, article):
        """Move the solutions of a chapter to the end of the book, and leave the number of their page."""
        taken = []
        for fold in article.select("details.fold"):
            if fold.summary.get_text() != "Solution":
                continue
            cell = fold.parent
            task = next(
                (found for p in cell.find_all_previous("p") if p.strong and (found := self.exercise(p))), None
            )
            name = f"Exercise {task or len(taken) + 1}"
            key = f"{unit.key}.solution-{len(taken) + 1}"
            here = f"{unit.key}.exercise-{len(taken) + 1}"
            pointer = self.tag("p", "Solution on page ", self.page_of(key), class_="pointer", id=here)
            cell.replace_with(pointer)
            fold.summary.decompose()
            heading = self.tag("h4", name, id=key)
            heading.append(self.tag("span", " page ", self.page_of(here), class_="back"))
            taken.append(self.tag("section", heading, *list(fold.contents), class_="solution"))
        if taken:
            self.solutions.append((unit, taken))

    @staticmethod
    def exercise(paragraph):
        """Return the number of the exercise that a paragraph opens, or None."""
        found = re.match(r"(\d+)\.", paragraph.strong.get_text())
        return found and found[1]

    def page_of(self, key):
        """Return a link that shows a page number once it is known."""
        return self.tag("a", "000", href=f"#{key}", class_="page-number")

    def number_sections(self, unit, article):
        """Number the sections, and lower every heading by one: parts stand above chapters."""
        sections = itertools.count(1)
        for heading in article.find_all(["h1", "h2", "h3", "h4", "h5"]):
            level = int(heading.name[1])
            heading.name = f"h{level + 1}"
            number = unit.number if level == 1 else f"{unit.number}.{next(sections)}" if level == 2 else ""
            if level == 1:
                heading["id"] = unit.key
            if unit.number and number:
                heading.insert(0, self.tag("span", number, class_="number"), " ")

    def number_figures(self, unit, article):
        """Number figures and explorers in one series."""
        count = itertools.count(1)
        for figure in article.find_all("figure"):
            caption = figure.figcaption
            if caption is None:
                caption = self.tag("figcaption")
                figure.append(caption)
            number = f"{unit.number}.{next(count)}" if unit.number else str(next(count))
            caption.insert(0, self.tag("b", f"Figure {number}."), " ")

    def place_solutions(self):
        """Set the solutions before the first part that holds appendices only."""
        if not self.solutions:
            return
        unit = Unit("solutions", "Solutions", about="Worked answers to the exercises, chapter by chapter.")
        unit.body = [self.tag("h2", unit.title, id=unit.key)]
        for chapter, taken in self.solutions:
            title = self.tag("h3", self.tag("span", chapter.number, class_="number"), " ", chapter.title)
            unit.body.append(self.tag("section", title, *taken))
        for position, (_, units) in enumerate(self.parts):
            if all(other.number.isalpha() for other in units):
                self.parts[position][1].insert(0, unit)
                return
        self.parts.append(("Appendix", [unit]))

    # ---- The whole ----

    def compose(self, paper, facts):
        """Return the book as one HTML document."""
        ordered = [self.preface, *(unit for _, units in self.parts for unit in units)]
        styles = [style_sheet(ROOT), (THEME / "edition.css").read_text("utf-8"), f"@page {{ size: {paper} }}"]
        for unit in ordered:
            head = json.dumps(unit.heading, ensure_ascii=False)
            styles.append(f"@page {unit.key} {{ @top-left {{ content: {head} }} }}")
            styles.append(f".{unit.key} {{ page: {unit.key} }}")
        main = self.tag("main", self.title_page(facts), self.contents(), self.section(self.preface))
        for position, (title, units) in enumerate(self.parts, 1):
            if title:
                main.append(self.part_page(f"part-{position}", title, units))
                named = ", ".join(f".{unit.key} h2 > .number::before" for unit in units)
                above = json.dumps(f"{title}\u2002", ensure_ascii=False)
                styles.append(f"{named} {{ content: {above} }}")
            main.extend(map(self.section, units))
        for heading in main.find_all(re.compile("^h[1-6]$")):
            words = (text for text in heading.find_all(string=True) if not text.find_parent(class_="back"))
            self.headings.append(" ".join("".join(words).split()))
        head = self.tag("head", self.tag("meta", charset="utf-8"), self.tag("title", facts["title"]))
        head.append(self.tag("style", "\n".join(styles)))
        return f"<!DOCTYPE html>\n{self.tag('html', head, self.tag('body', main), lang=facts['language'])}"

    def section(self, unit):
        """Return a unit as a section that begins a page."""
        return self.tag("section", self.tag("article", *unit.body), class_=f"unit {unit.key}")

    def title_page(self, facts):
        """Return the first page and the imprint on it."""
        imprint = [self.tag("p", line) for line in facts["imprint"]]
        if self.address:
            imprint.append(self.tag("p", "The pages: ", self.tag("a", self.address, href=self.address)))
        lines = ("title", self.title), ("subtitle", self.subtitle), ("author", facts["author"])
        page = self.tag("section", *(self.tag("p", text, class_=name) for name, text in lines))
        page["class"] = "title-page"
        words = [self.tag("span", word, style=f"--attn-to: {share:.1%}") for word, share in self.sentence]
        page.find(class_="subtitle").insert_after(self.tag("p", *words, class_="vessels"))
        page.append(self.tag("div", *imprint, class_="imprint"))
        return page

    def contents(self):
        """Return the table of contents."""
        rows = [self.row(self.preface)]
        for position, (title, units) in enumerate(self.parts, 1):
            if title:
                rows.append(self.tag("p", self.tag("a", title, href=f"#part-{position}"), class_="part-row"))
            rows += map(self.row, units)
        heading = self.tag("h2", "Contents", id="contents")
        return self.tag("section", heading, *rows, class_="unit list-of-contents")

    def row(self, unit):
        """Return a line of the contents."""
        asks, colon, subject = unit.title.partition(": ")
        title = self.tag("a", asks + colon, href=f"#{unit.key}")
        if subject:
            title.append(self.tag("span", subject, class_="subject"))
        number = self.tag("span", unit.number, class_="number")
        return self.tag("p", number, title, self.tag("i"), self.page_of(unit.key), class_="row")

    def part_page(self, key, title, units):
        """Return the page that opens a part and says what its chapters are about."""
        page = self.tag("section", self.tag("h1", title, id=key), class_="unit part-page")
        for unit in units:
            page.extend([self.row(unit), self.tag("p", unit.about, class_="about")])
        return page


def read_facts(root):
    """Return what the title page and the metadata say, from _config.yml and pyproject.toml."""
    config = yaml.safe_load((root / "_config.yml").read_text("utf-8"))
    package = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    when = read_date(root)
    return {
        "title": config["title"],
        "author": config["author"],
        "language": config["sphinx"]["config"]["language"],
        "date": when,
        "subject": package["description"],
        "imprint": [
            f"Version {package['version']}, {when:%B %Y}.",
            "This is the printed form of a book that runs: each chapter is a notebook, "
            "and its numbers are checked.",
            "Explorers, which move on the pages of the site, stand here at their starting position. "
            "Solutions come after the last chapter.",
            "Text and figures: CC BY 4.0. Code: BSD 3-Clause.",
        ],
    }


def read_date(root):
    """Return the date of SOURCE_DATE_EPOCH, else of the last commit, else the present."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if not epoch:
        command = ["git", "-C", str(root), "log", "-1", "--format=%ct"]
        epoch = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    return datetime.fromtimestamp(int(epoch), UTC) if epoch else datetime.now(UTC)


def print_html(browser, html, folder):
    """Return `html` as PDF; pictures are found by their address."""
    source = Path(folder, "print.html")
    source.write_text(html, "utf-8")
    page = browser.new_page()
    try:
        page.goto(source.as_uri(), wait_until="load")
        page.evaluate("document.fonts.ready.then(() => true)")
        return page.pdf(prefer_css_page_size=True, print_background=True, outline=True, tagged=True)
    finally:
        page.close()
        source.unlink()


def find_pages(pdf):
    """Return {anchor: page number, from 1} for every place that a link of the book leads to."""
    with pikepdf.open(BytesIO(pdf)) as opened:
        numbers = {page.obj.objgen: number for number, page in enumerate(opened.pages, 1)}
        return {name[1:]: numbers[place[0].objgen] for name, place in opened.Root.Dests.items()}


def fill_pages(html, pages):
    """Write page numbers into the links that show them."""
    pattern = re.compile(r'(<a class="page-number" href="#([^"]+)">)[^<]*')
    return pattern.sub(lambda found: f"{found[1]}{pages[found[2]]}", html)


def list_items(items):
    """Yield the bookmarks in the order of the book."""
    for item in items:
        yield item
        yield from list_items(item.children)


def renumber_heads(opened):
    """Number the heads of tables from 1: Chromium names them by a counter of its process, not of the page."""

    def names_in(value):
        """Yield (container, key) of every name of a head within one object of the file."""
        inside = value.items() if isinstance(value, pikepdf.Dictionary) else enumerate(value)
        for key, item in list(inside):
            if isinstance(item, pikepdf.String) and re.fullmatch(r"node\d{8}", str(item)):
                yield value, key
            elif isinstance(item, pikepdf.Dictionary | pikepdf.Array) and not item.is_indirect:
                yield from names_in(item)

    tables = [o for o in opened.objects if isinstance(o, pikepdf.Dictionary | pikepdf.Array)]
    places = [place for table in tables for place in names_in(table)]
    names = sorted({str(container[key]) for container, key in places})
    # The order stays, for the names stand in a sorted tree.
    numbers = {name: f"node{number:08}" for number, name in enumerate(names, 1)}
    for container, key in places:
        container[key] = pikepdf.String(numbers[str(container[key])])


def finish(pdf, facts, headings, output):
    """Write the PDF packed, with the metadata that Chromium leaves out, the same in every run."""
    with pikepdf.open(BytesIO(pdf)) as opened:
        stamp = facts["date"].strftime("D:%Y%m%d%H%M%SZ")
        opened.docinfo = opened.make_indirect(
            pikepdf.Dictionary(
                Title=facts["title"],
                Author=facts["author"],
                Subject=facts["subject"],
                Producer=str(opened.docinfo.Producer),
                CreationDate=stamp,
                ModDate=stamp,
            )
        )
        with opened.open_metadata(set_pikepdf_as_editor=False, update_docinfo=False) as metadata:
            metadata.load_from_docinfo(opened.docinfo)
            metadata["dc:language"] = {facts["language"]}
        with opened.open_outline() as outline:
            for item, heading in zip(list_items(outline.root), headings, strict=True):
                item.title = heading  # Chromium runs the lines of a heading together
        renumber_heads(opened)
        opened.Root.PageMode = pikepdf.Name.UseOutlines
        opened.save(output, object_stream_mode=pikepdf.ObjectStreamMode.generate, deterministic_id=True)


def make_pdf(browser, site, output, paper="A4", only=()):
    """Print the pages of `site` into `output`; ValueError when the page numbers do not settle."""
    if int(browser.version.split(".")[0]) < OLDEST:
        raise ValueError(f"running heads need Chromium {OLDEST} or newer, found {browser.version}")
    facts = read_facts(ROOT)
    book = Book(site, only)
    html = book.compose(paper, facts)
    output = Path(output).resolve()
    output.parent.mkdir(parents=True, exist_ok=True)
    for _ in range(MOST_PASSES):
        pdf = print_html(browser, html, output.parent)
        filled = fill_pages(html, find_pages(pdf))
        if filled == html:
            finish(pdf, facts, book.headings, output)
            return output
        html = filled
    raise ValueError(f"the page numbers still changed after {MOST_PASSES} passes")


def main():
    """Print the book."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "pages", nargs="*", help="print only these, for instance chapters/choosing.html (all)"
    )
    parser.add_argument("--site", type=Path, default=ROOT / "_build" / "html")
    parser.add_argument("--paper", choices=PAPERS, default="A4")
    parser.add_argument("--output", type=Path, help="_build/where-attention-goes-PAPER.pdf")
    arguments = parser.parse_args()
    output = arguments.output or ROOT / "_build" / f"where-attention-goes-{arguments.paper.lower()}.pdf"
    with open_browser() as browser:
        print(make_pdf(browser, arguments.site, output, arguments.paper, arguments.pages))


if __name__ == "__main__":
    main()
