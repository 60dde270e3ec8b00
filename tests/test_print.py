"""On paper: every page of the site on A4 and Letter, and the book of some of them as one PDF."""

import re
from html import unescape
from io import BytesIO

import pdf
import pikepdf
import pytest
from built import PAGES, ROOT
from pypdf import PdfReader

CHAPTER = "chapters/transforms/temperature.html"
LATER = "chapters/learning/long_sequences.html"
FILES = re.findall(r"- file: (\S+)", (ROOT / "_toc.yml").read_text("utf-8"))
NUMBERS = {
    f"{name}.html": number
    for number, name in enumerate((name for name in FILES if (ROOT / f"{name}.ipynb").exists()), 1)
}
FIRST, SECOND = NUMBERS[CHAPTER], NUMBERS[LATER]
LIGATURES = str.maketrans({"\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi"})
WIDTHS = {"A4": 210 - 36, "Letter": 215.9 - 36}  # mm, without the margins of print.css
MM = 96 / 25.4  # CSS pixels
TOO_WIDE = """(limit) => [...document.querySelectorAll("main *")].filter((element) => {
  const box = element.getBoundingClientRect();
  return box.width && box.right > limit + 1 && !element.closest("svg svg, svg *");
}).map((element) => `${element.tagName} ${element.textContent.slice(0, 60)}`)"""


# ---- A page of the site ----


@pytest.mark.parametrize("paper", WIDTHS)
@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_on_paper_with_every_fold_open(visit, base, name, paper):
    width = round(WIDTHS[paper] * MM)
    page = visit(base + name, java_script_enabled=False, viewport={"width": width, "height": 900})
    page.emulate_media(media="print")
    page.evaluate("document.querySelectorAll('article details').forEach((fold) => { fold.open = true; })")
    assert page.evaluate(TOO_WIDE, width) == []


def test_a_page_is_white_on_paper_and_without_what_only_a_screen_needs(visit, base):
    page = visit(base + CHAPTER, color_scheme="dark")
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    page.emulate_media(media="print")
    style = "(name) => getComputedStyle(document.documentElement)[name]"
    assert page.evaluate(style, "backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate(style, "color") == "rgb(0, 0, 0)"
    assert page.evaluate("getComputedStyle(document.body).getPropertyValue('--attn-weight')") == "#0072b2"
    for selector in ("header.bar", "nav.contents", ".pager", "details.fold", "attn-explorer input"):
        assert not page.locator(selector).first.is_visible(), selector
    assert page.locator(".attn-stop").first.is_visible()


def test_a_solution_is_printed_once_it_is_unfolded(visit, base):
    page = visit(base + CHAPTER)
    page.locator(".tag_hide-cell summary").first.click()
    page.emulate_media(media="print")
    assert page.locator(".tag_hide-cell pre").first.is_visible()
    assert not page.locator(".tag_hide-cell pre").last.is_visible()


# ---- The book ----


@pytest.fixture(scope="module", params=pdf.PAPERS)
def printed(request, site, browser, tmp_path_factory):
    """A reader of the book that holds the first page, two chapters, the glossary and the references."""
    output = tmp_path_factory.mktemp("book") / "book.pdf"
    only = [CHAPTER, LATER, "chapters/glossary.html", "chapters/references.html"]
    pdf.make_pdf(browser, site, output, request.param, only)
    reader = PdfReader(output)
    reader.paper = request.param
    reader.texts = [squeeze(page.extract_text()) for page in reader.pages]
    return reader


def squeeze(text):
    """Text as one line, with signs at their numbers and ligatures as letters."""
    return " ".join(text.replace("− ", "−").translate(LIGATURES).split())


def bookmarks(reader, items=None, depth=0):
    for item in reader.outline if items is None else items:
        if isinstance(item, list):
            yield from bookmarks(reader, item, depth + 1)
        else:
            yield depth, item.title, reader.get_destination_page_number(item)


def page_of(reader, name):
    return reader.get_destination_page_number(reader.named_destinations[f"/{name}"]) + 1


def test_the_paper_has_the_size_that_was_asked_for(printed):
    millimetres = {"A4": (210, 297), "Letter": (215.9, 279.4)}[printed.paper]
    for page in printed.pages:
        assert [float(v) for v in page.mediabox[2:]] == pytest.approx(
            [v / 25.4 * 72 for v in millimetres], abs=1
        )


def test_bookmarks_name_parts_chapters_and_sections_and_lead_to_them(printed):
    marks = list(bookmarks(printed))
    titles = [(depth, title) for depth, title, _ in marks]
    for expected in [
        (0, "Contents"),
        (0, "Preface"),
        (0, "Transforms"),
        (1, f"{FIRST} Set how sure attention is: the temperature"),
        (2, f"{FIRST}.2 By hand"),
        (0, "Learning"),
        (1, "Solutions"),
        (3, "Exercise 1"),
    ]:
        assert expected in titles
    for _, title, page in marks:
        assert title.replace(" ", "") in printed.texts[page].replace(" ", ""), title


def test_contents_name_the_page_on_which_each_chapter_begins(printed):
    contents = printed.texts[1]
    rows = re.findall(r"(\d+) (Set how sure.*?|Read more than.*?) (\d+)", contents)
    assert [row[0] for row in rows] == [str(FIRST), str(SECOND)]
    for number, title, page in rows:
        assert printed.texts[int(page) - 1].count(f"{number} {title}") == 2, "running head and heading"
        assert f"{number} {title} {int(page) + 1}" in printed.texts[int(page)], "running head and page number"


def test_the_cover_shows_the_sentence_and_each_chapter_opens_with_its_part(printed):
    assert "[CLS] the animal didn ' t cross the street because it was too" in printed.texts[0]
    opening = printed.texts[page_of(printed, f"chapter-{FIRST}") - 1]
    assert f"Transforms {FIRST} Set how sure attention is: the temperature" in opening


def test_every_page_but_the_cover_has_its_number(printed):
    for number, (page, text) in enumerate(zip(printed.pages, printed.texts, strict=True), 1):
        opens_a_part = text.split()[0] in ("Transforms", "Learning", "Reference")
        assert (re.search(rf"\b{number}\b", text) is not None) or number == 1 or opens_a_part, text[:80]
        assert page.extract_text().strip(), f"page {number} is empty"


def test_links_lead_into_the_book_or_to_the_web(printed):
    inside, outside = set(), set()
    for page in printed.pages:
        for annotation in page.get("/Annots", []):
            link = annotation.get_object()
            if "/Dest" in link:
                inside.add(link["/Dest"])
            else:
                outside.add(link["/A"]["/URI"])
    assert inside <= set(printed.named_destinations)
    assert any(re.match(r"/appendix-\w\.term-", name) for name in inside), "terms lead to the glossary"
    assert any(re.match(r"/appendix-\w\.id", name) for name in inside), "citations lead to the references"
    assert outside
    assert all(re.match("https?://", address) for address in outside)


@pytest.mark.parametrize("name", [CHAPTER, LATER])
def test_the_state_of_every_explorer_is_printed_with_its_numbers(printed, site, name):
    explorers = re.findall(r"<attn-explorer.*?</attn-explorer>", (site / name).read_text("utf-8"), re.S)
    assert explorers
    text = " ".join(printed.texts[page_of(printed, f"chapter-{NUMBERS[name]}") - 1 :])
    for explorer in explorers:
        shown = explorer[: explorer.index("<script")]
        values = re.findall(r'class="attn-number">([^<]+)<|<dd>([^<]+)</dd>|<td>([^<]+)</td>', shown)
        values += re.findall(r'class="attn-stop"[^>]*>([^<]+)<|<option selected="">([^<]+)<', shown)
        assert len(values) > 5
        for value in {unescape("".join(value)) for value in values}:
            assert squeeze(value) in text, value
        caption = re.search(r"<figcaption>(.*?)</figcaption>", shown)[1]
        assert squeeze(unescape(re.sub("<[^>]+>", "", caption))) in text


def test_figures_and_explorers_are_numbered_in_one_series(printed):
    text = " ".join(printed.texts)
    for chapter in (FIRST, SECOND):
        numbers = [int(n) for n in re.findall(rf"Figure {chapter}\.(\d+)\.", text)]
        assert numbers == list(range(1, len(numbers) + 1))
        assert len(numbers) >= 5


def test_an_exercise_names_the_page_of_its_solution_and_back(printed):
    first, second = f"chapter-{FIRST}", f"chapter-{SECOND}"
    exercise, solution = page_of(printed, f"{first}.exercise-1"), page_of(printed, f"{first}.solution-1")
    assert f"Solution on page {solution}" in printed.texts[exercise - 1]
    assert f"page {exercise}" in printed.texts[solution - 1]
    assert page_of(printed, first) < exercise < page_of(printed, second) < solution
    assert "# Solution" not in " ".join(printed.texts[: page_of(printed, second)])
    assert "# Solution" in printed.texts[solution - 1]


def test_the_file_says_what_it_is_and_whose(printed):
    assert printed.metadata.title == "Where Attention Goes: from scores to probabilities"
    assert printed.metadata.author == "The contributors"
    assert printed.root_object["/Lang"] == "en"
    assert printed.root_object["/MarkInfo"]["/Marked"] == True  # noqa: E712, a PDF boolean
    assert "/StructTreeRoot" in printed.root_object


@pytest.mark.parametrize("paper", pdf.PAPERS)
def test_nothing_of_the_book_is_wider_than_its_paper_and_no_figure_higher(browser, site, tmp_path, paper):
    width = {"A4": 210, "Letter": 215.9}[paper] - 56  # the margins of edition.css
    file = tmp_path / "book.html"
    file.write_text(pdf.Book(site).compose(paper, pdf.read_facts(pdf.ROOT)), "utf-8")
    page = browser.new_page(viewport={"width": round(width * MM), "height": 900})
    page.emulate_media(media="print")
    page.goto(file.as_uri())
    assert page.evaluate(TOO_WIDE, round(width * MM)) == []
    heights = page.locator("figure.attn-figure").evaluate_all(
        "(all) => all.map((figure) => figure.getBoundingClientRect().height)"
    )
    high = {"A4": 297, "Letter": 279.4}[paper] - 49
    assert 150 < max(heights) / MM < high
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((element) => element.id)")
    assert len(set(ids)) == len(ids)
    links = page.locator("a[href^='#']").evaluate_all("(all) => all.map((a) => a.getAttribute('href'))")
    targets = {link[1:] for link in links}
    assert targets - set(ids) == set()
    page.close()


def test_the_same_pages_give_the_same_bytes(browser, site, tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    only = ["chapters/glossary.html", "chapters/notation.html"]
    for name in ("one", "two"):
        pdf.make_pdf(browser, site, tmp_path / name, "A4", only)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert PdfReader(tmp_path / "one").metadata.creation_date.strftime("%Y-%m-%d") == "2023-11-14"


def test_the_bytes_do_not_depend_on_what_the_browser_showed_before(browser, site, tmp_path):
    """Chromium names the heads of tables by a counter that runs through all pages of a process."""
    facts = pdf.read_facts(pdf.ROOT)
    table = "<table><tr><th>a</th><td>1</td></tr><tr><th>b</th><td>2</td></tr></table>"
    source = tmp_path / "print.html"
    source.write_text(f"<!DOCTYPE html><html lang=en><title>t</title><h1>h</h1>{table}", "utf-8")
    page, raw, files = browser.new_page(), [], []
    for number in range(2):
        page.goto(source.as_uri(), wait_until="load")
        raw.append(page.pdf(tagged=True, outline=True))
        pdf.finish(raw[-1], facts, ["h"], tmp_path / str(number))
        files.append((tmp_path / str(number)).read_bytes())
    page.close()
    assert len(head_names(raw[0])) == 2
    assert files[0] == files[1]
    assert head_names(files[0]) == ["node00000001", "node00000002"]


def head_names(file):
    """The names of the heads of tables in a PDF, in the order of the tree that finds them."""
    with pikepdf.open(BytesIO(file)) as opened:
        tree = opened.Root.StructTreeRoot.IDTree
        return [str(name) for kid in tree.get("/Kids", [tree]) for name in list(kid.Names)[::2]]


def test_page_numbers_are_written_where_they_are_asked_for():
    html = '<a class="page-number" href="#x">000</a> <a href="#x">text</a>'
    assert pdf.fill_pages(html, {"x": 12}) == '<a class="page-number" href="#x">12</a> <a href="#x">text</a>'
    with pytest.raises(KeyError):
        pdf.fill_pages(html, {})
