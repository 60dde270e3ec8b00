"""What every chapter must keep to, and proof that nbval would notice a wrong number.

nbval itself compares the outputs of all cells: pytest collects the notebooks beside these tests.
"""

import copy
import json
import os
import re
import shutil
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import nbformat
import pytest
import refresh
from pybtex.database import parse_file

from web.links import name_work, tell_apart

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = refresh.find_notebooks()
PAGES = [ROOT / "index.md", *sorted((ROOT / "chapters").rglob("*.md"))]
MAX_CELL_LINES = 20
ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}\b")
NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d+)\.\d"
PRECISE_NUMBER = re.compile(rf"(?<![\w.,:/-]){NUMBER}\d+(?![\w.]*\d)")
PRINTED_NUMBER = re.compile(rf"{NUMBER}\d*(?![\de])")
ROLE_CITATION = re.compile(r"\{cite(?::\w+)?\}`([^`]+)`")
CITATION = re.compile(r"\[([^\]]*)\]\([./]*references\.md#([^)]*)\)")
ROLE_TERM = re.compile(r"\{term\}`(?:[^`<]*<)?([^`>]+)>?`")
TERM = re.compile(r"\[([^\]]*)\]\([./]*glossary\.md#([^)]*)\)")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)")
LABEL = re.compile(r"\\tag\{([\w:-]+)\}\s*\$\$")
DISPLAY = re.compile(r"(?s)\$\$.*?\$\$")
REFERENCE = re.compile(r"\{eq\}`([^`]+)`|\]\(#([\w:-]+)\)")
BIBLIOGRAPHY = parse_file(str(ROOT / "references.bib")).entries


def read(path):
    return nbformat.read(path, as_version=4)


def cells(path, kind):
    return [cell for cell in read(path).cells if cell.cell_type == kind]


def prose(path):
    if path.suffix == ".md":
        return path.read_text(encoding="utf-8")
    return "\n\n".join(cell.source for cell in cells(path, "markdown"))


def printed(path):
    """All text that the outputs of a notebook show."""
    parts = []
    for cell in cells(path, "code"):
        for output in cell.outputs:
            parts.append(output.get("text", ""))
            parts.extend(str(v) for k, v in output.get("data", {}).items() if k.startswith("text/"))
    return "\n".join(parts)


def not_printed(text, output):
    """The numbers of a text with two decimals or more that equal no number of an output, nor one rounded."""
    found = {Decimal(number.replace(",", "")) for number in PRINTED_NUMBER.findall(output)}

    def stands(said):
        number = Decimal(said.replace(",", ""))
        half = Decimal(5).scaleb(number.as_tuple().exponent - 1)
        finer = (other for other in found if other.as_tuple().exponent < number.as_tuple().exponent)
        return number in found or any(abs(number - other) <= half for other in finer)

    return [said for said in PRECISE_NUMBER.findall(text) if not stands(said)]


def cited(path):
    """Keys of the works that a page cites."""
    text = prose(path)
    roles = {key.strip() for keys in ROLE_CITATION.findall(text) for key in keys.split(",")}
    return roles | {key for _, key in CITATION.findall(text)}


def count_words(text):
    """Words that are read: of a link its text, and a formula counts as one."""
    text = DISPLAY.sub(" formula ", re.sub(r"(?s)```.*?```", " ", text))
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", re.sub(r"\$[^$\n]+\$", " formula ", text))
    return len(re.findall(r"\S*\w\S*", text))


WORKS = {
    key: copy.deepcopy(BIBLIOGRAPHY[key])
    for path in NOTEBOOKS + PAGES
    for key in cited(path)
    if key in BIBLIOGRAPHY
}
tell_apart(list(WORKS.values()))


def name(path):
    return path.relative_to(ROOT).as_posix()


def test_there_are_chapters():
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name)
class TestNotebook:
    def test_is_executed_in_order(self, path):
        counts = [cell.execution_count for cell in cells(path, "code")]
        assert counts == list(range(1, len(counts) + 1)), "un-run cells pass nbval uncompared: make refresh"

    def test_is_stored_in_normal_form(self, path):
        text = path.read_text(encoding="utf-8")
        normal = nbformat.writes(refresh.normalise(nbformat.reads(text, as_version=4))) + "\n"
        assert (normal == text) is True, "saved by JupyterLab? `make refresh` restores the normal form"

    def test_writes_nothing_to_stderr(self, path):
        outputs = [o for cell in cells(path, "code") for o in cell.outputs]
        assert not [o for o in outputs if o.get("name") == "stderr" or o.output_type == "error"]

    def test_hides_no_output(self, path):
        for cell in cells(path, "code"):
            assert not cell.source.rstrip().endswith(";"), (
                f"nbval ignores a trailing semicolon: {cell.source}"
            )

    def test_prints_no_memory_address(self, path):
        assert not ADDRESS.findall(printed(path))

    def test_cells_are_short(self, path):
        for cell in cells(path, "code"):
            hidden = {"hide-input", "hide-cell", "remove-input"} & set(cell.metadata.get("tags", ()))
            assert hidden or len(cell.source.splitlines()) <= MAX_CELL_LINES, cell.source

    def test_folded_cells_are_folded_in_jupyterlab_too(self, path):
        for cell in cells(path, "code"):
            tags = set(cell.metadata.get("tags", ()))
            if {"hide-input", "hide-cell"} & tags:
                assert cell.metadata.get("jupyter", {}).get("source_hidden") is True, cell.source
            if "hide-cell" in tags:  # JupyterLab shows the first line of a folded cell
                assert cell.metadata.jupyter.get("outputs_hidden") is True, cell.source
                assert cell.source.startswith("# Solution\n"), cell.source

    def test_numbers_in_prose_are_printed_by_a_cell(self, path):
        code_free = re.sub(r"(?s)```.*?```", "", prose(path))
        shown = re.sub(r"<[^>]*>", " ", printed(path))  # a number of a style is not read
        missing = not_printed(code_free, shown)
        assert not missing, f"no cell of this notebook prints {missing}"

    def test_pictures_have_a_text_alternative(self, path):
        for cell in cells(path, "code"):
            if not re.search(r"^figures\.|^Explorer\(", cell.source, re.M):
                continue
            texts = [o.data.get("text/plain", "") for o in cell.outputs if "data" in o]
            assert texts and all(len(t) > 40 for t in texts), cell.source

    def test_has_a_description_and_one_top_heading(self, path):
        about = read(path).metadata.get("myst", {}).get("html_meta", {}).get("description")
        assert about, 'the notebook\'s metadata need {"myst": {"html_meta": {"description": "one sentence"}}}'
        first = cells(path, "markdown")[0].source
        assert re.search(r"^# \S", first, re.M)
        assert len(re.findall(r"^# ", re.sub(r"(?s)```.*?```", "", prose(path)), re.M)) == 1

    def test_prose_holds_links_not_roles(self, path):
        """JupyterLab shows a role as its source; the site makes citations and terms of plain links."""
        assert re.findall(r"\{[\w:]+\}`", prose(path)) == []

    def test_formulae_are_named_by_tags_not_labels(self, path):
        """JupyterLab shows a label after a formula as a line of text, and a tag beside it."""
        assert set(re.findall(r"(?s)\$\$.*?\$\$([^\n]*)", prose(path))) <= {""}

    def test_answers_have_one_marker(self, path):
        """Each is called by its letter, so a bullet before it says nothing."""
        assert re.findall(r"^\s*(?:[-*+]|\d+[.)]) \(?[a-z]\) .*", prose(path), re.M) == []

    def test_is_read_in_one_sitting(self, path):
        before, _, _ = prose(path).partition("## Exercises")
        assert 900 <= count_words(before) <= 1400

    def test_needs_only_what_a_reader_has(self, path):
        code = "\n".join(cell.source for cell in cells(path, "code"))
        imported = set(re.findall(r"^(?:from|import) (\w+)", code, re.M))
        assert imported <= {"attnlib", "numpy", "inspect", "math"}


def test_a_number_is_printed_as_a_whole_or_rounded():
    output = "0.125, (1,0.975) 2,483.732 and 7.5e-05 in 10.500 of 3.2"
    said = "0.125 0.13 0.12 0.97 0.98 2,483.732 2483.73 2,483.7 10.50 3.20"
    assert not_printed(said, output) == []
    wrong = ["0.25", "0.15", "0.50", "0.500", "483.732", "2,483.74", "7.50", "3.21", "0.96"]
    assert not_printed(" ".join(wrong), output) == wrong


def test_explorers_have_names_of_their_own():
    ids = [
        i
        for path in NOTEBOOKS
        for i in re.findall(r'<attn-explorer[^>]* id=\\?"([^"\\]+)', json.dumps(read(path)))
    ]
    assert ids
    assert len(ids) == len(set(ids)), f"duplicate explorer names among {sorted(ids)}"


def test_no_two_works_are_cited_alike():
    names = {key: name_work(work) for key, work in WORKS.items()}
    assert len(set(names.values())) == len(names)
    assert names["bridle1990probabilistic"] == "Bridle, 1990a", "the first in the list of works"
    assert names["bridle1990training"] == "Bridle, 1990b"
    assert names["wang2018additive"] == "Wang et al., 2018a", "Feng Wang, before Hao Wang"
    assert names["wang2018cosface"] == "Wang et al., 2018b"
    assert names["wang2020minilm"] == "Wang et al., 2020", "no other has this name"


def test_letters_do_not_depend_on_an_earlier_build():
    works = [copy.deepcopy(BIBLIOGRAPHY[key]) for key in ("bridle1990training", "bridle1990probabilistic")]
    for _ in range(2):
        tell_apart(works)
        assert [work.fields["year"] for work in works] == ["1990b", "1990a"]
    tell_apart(works[:1])
    assert works[0].fields["year"] == "1990"


@pytest.mark.parametrize("path", NOTEBOOKS + PAGES, ids=name)
class TestReferences:
    def test_citations_are_in_the_bibliography(self, path):
        assert cited(path) <= set(BIBLIOGRAPHY)
        links = CITATION.findall(prose(path))
        assert set(links) == {(name_work(WORKS[key]), key) for _, key in links}

    def test_terms_are_in_the_glossary(self, path):
        _, _, glossary = prose(ROOT / "chapters/glossary.md").partition("```{glossary}")
        known = set(re.findall(r"^\w[^\n]*", glossary, re.M))
        text = prose(path)
        linked = TERM.findall(text)
        assert {*ROLE_TERM.findall(text), *(term for term, _ in linked)} <= known
        assert all(anchor == "term-" + re.sub(r"\W+", "-", term) for term, anchor in linked)

    def test_links_lead_to_files(self, path):
        for target in LINK.findall(prose(path)):
            assert "://" in target or (path.parent / target).exists(), target

    def test_equation_references_have_their_equation(self, path):
        labels = LABEL.findall(prose(path))
        assert len(labels) == len(set(labels))
        assert {role or link for role, link in REFERENCE.findall(prose(path))} <= set(labels)


# Mutations: a changed formula or a changed datum must turn nbval red.

CHAPTER = "chapters/transforms/temperature.ipynb"


def copy_of_the_book(folder):
    ignore = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints")
    for part in ("attnlib", "chapters"):
        shutil.copytree(ROOT / part, folder / part, ignore=ignore)
    for part in ("conftest.py", "pyproject.toml"):
        shutil.copy(ROOT / part, folder / part)
    return folder


def run_nbval(folder, chapter=CHAPTER):
    environment = os.environ | {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", chapter]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def replace_once(path, old, new, start=""):
    """Replace `old`, which must stand exactly once in the file, or first after `start`."""
    text = path.read_text(encoding="utf-8")
    before, found, after = text.partition(start) if start else ("", "", text)
    assert found == start
    assert old in after if start else after.count(old) == 1, f"{old!r} is not where it was in {path.name}"
    path.write_text(before + found + after.replace(old, new, 1), encoding="utf-8")


EXPONENTIAL = "attnlib/transforms/exponential.py"


def change_the_temperature(folder):
    replace_once(folder / EXPONENTIAL, "mask, temperature)", "mask, temperature**1.01)", "def softmax(")


def leave_out_the_sum(folder):
    replace_once(folder / EXPONENTIAL, "normalize(z)", "pass", "def softmax(")


def change_one_datum(folder):
    """One score of the opening sentence, with its checksum made right again."""
    import hashlib

    import numpy as np

    data = folder / "attnlib/data"
    path = data / "minilm/coref_tired.npz"
    with np.load(path) as archive:
        arrays = dict(archive)
    arrays["scores"][3, 1, 10, 2] += 0.01
    old = hashlib.sha256(path.read_bytes()).hexdigest()
    np.savez_compressed(path, **arrays)
    replace_once(data / "SHA256SUMS", old, hashlib.sha256(path.read_bytes()).hexdigest())


def change_one_cell_of_a_table(folder):
    """As stored, in its HTML alone: only drawings are left out of the comparison."""
    replace_once(folder / CHAPTER, ">0.959</td>", ">0.958</td>", "attn-table")


class TestMutation:
    """nbval is green on a faithful copy of the book, and red on each broken one."""

    def test_a_faithful_copy_is_green(self, tmp_path):
        run = run_nbval(copy_of_the_book(tmp_path))
        assert run.returncode == 0, run.stdout + run.stderr

    @pytest.mark.parametrize(
        "mutate",
        [change_the_temperature, leave_out_the_sum, change_one_datum, change_one_cell_of_a_table],
    )
    def test_a_broken_copy_is_red(self, mutate, tmp_path):
        folder = copy_of_the_book(tmp_path)
        mutate(folder)
        run = run_nbval(folder)
        assert run.returncode == 1, run.stdout + run.stderr
        assert "cell" in run.stdout.lower(), "red for another reason than a cell's output"
