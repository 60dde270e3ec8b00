"""Every claim of the source article stands in the book, with evidence that a reader can reach."""

import re
import tomllib
from functools import cache
from html import unescape
from urllib.parse import unquote, urldefrag, urljoin

import nbformat
import pytest
from built import NOTEBOOKS, ROOT, run_build

import attnlib
from web.coverage import WAYS

PARTS = {"ideas": 14, "systems": 16, "fields": 4}  # as many claims as the article makes
CLAIMS = tomllib.loads((ROOT / "chapters" / "coverage.toml").read_text("utf-8"))
ROWS = [pytest.param(row, id=row["claim"][:40]) for rows in CLAIMS.values() for row in rows]


@cache
def cells(page):
    return {cell.id: cell for cell in nbformat.read(ROOT / f"{page}.ipynb", as_version=4).cells}


def test_every_claim_is_in_the_list_once():
    assert {part: len(CLAIMS[part]) for part in PARTS} == PARTS
    assert CLAIMS.keys() - PARTS.keys() == {"beyond"}
    claims = [row["claim"] for rows in CLAIMS.values() for row in rows]
    assert len(set(claims)) == len(claims)


def test_every_chapter_shows_a_claim():
    shown = {row["chapter"] for rows in CLAIMS.values() for row in rows}
    chapters = {name.removesuffix(".ipynb") for name in NOTEBOOKS}
    assert not chapters - shown, "each of them needs a row in chapters/coverage.toml, [[beyond]] for instance"
    assert shown <= chapters


def test_every_map_and_score_of_the_package_has_a_claim():
    named = {name for rows in CLAIMS.values() for row in rows for name in row.get("names", ())}
    maps = {entry.name for entry in attnlib.CATALOGUE} | {"a_softmax", "am_softmax"}
    scores = {"additive_score", "scaled_dot_product_score", "cosine_score"}
    assert maps | scores <= named


@pytest.mark.parametrize("row", ROWS)
def test_a_claim_stands_on_the_page_with_live_evidence(site, outlines, row):
    text = (site / "chapters" / "coverage.html").read_text("utf-8")
    items = re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", text, re.S)
    (found,) = [body for claim, body in items if unescape(claim) == row["claim"]]
    assert row["shown"] in unescape(re.sub("<[^>]+>", "", found))
    links = [
        urldefrag(urljoin("chapters/coverage.html", link)) for link in re.findall(r'href="([^"]+)"', found)
    ]
    assert all(anchor in outlines[page].ids for page, anchor in links if anchor)
    places = {f"{page.removesuffix('.html')}#{unquote(anchor)}" for page, anchor in links}
    wanted = [anchor for way in WAYS for anchor in row.get(way, ())]
    assert wanted
    assert {anchor if "#" in anchor else f"{row['chapter']}#{anchor}" for anchor in wanted} <= places
    for name in row.get("names", ()):
        assert hasattr(attnlib, name)
        assert f">{name}<" in found


@pytest.mark.parametrize("row", ROWS)
def test_a_cell_behind_a_claim_shows_something_or_asserts_it(row):
    for way in ("see", "check"):
        for place in row.get(way, ()):
            page, _, anchor = place.rpartition("#")
            if anchor.startswith("cell-"):
                cell = cells(page or row["chapter"])[anchor.removeprefix("cell-")]
                asserts = way == "check" and re.search(r"^\s*assert ", cell.source, re.M)
                assert cell.outputs or asserts, f"{place} only defines what another cell uses"


def test_a_claim_without_live_evidence_stops_the_build(small_book):
    book = small_book({"coverage": "# Claims\n\n```{coverage} claims\n```\n", "chapter": ["x = 1"]})
    rows = [
        'claim = "gone"\nchapter = "chapter"\nsee = ["cell-of-yesterday"]',
        'claim = "elsewhere"\nchapter = "no_such_chapter"\nsee = ["cell-x"]',
        'claim = "bare"\nchapter = "chapter"',
        'claim = "unknown"\nchapter = "chapter"\nsee = ["chapter-chapter"]\nnames = ["sofmax"]',
    ]
    text = "\n".join(f'[[claims]]\nshown = "Something to see."\n{row}' for row in rows)
    (book / "coverage.toml").write_text(text, "utf-8")
    result = run_build("--source", book)
    assert result.returncode != 0
    said = result.stdout + result.stderr
    assert re.search(r"coverage.*no 'cell-of-yesterday' in 'chapter'", said)
    assert re.search(r"coverage.*no 'cell-x' in 'no_such_chapter'", said)
    assert re.search(r"coverage.*no evidence for the claim 'bare'", said)
    assert re.search(r"coverage.*the claim 'unknown' names what does not exist.*sofmax", said)
    assert "chapter-chapter" not in said
