"""What leaves the house: a notebook alone with its install line, the kit for a classroom without internet."""

import os
import re
import shutil
import subprocess
import sys
import zipfile

import kit
import nbformat
import pytest
from built import ROOT

CHAPTER = "chapters/transforms/temperature.ipynb"
RUN = "import sys, nbclient, nbformat; nbclient.execute(nbformat.read(sys.argv[1], 4))"


def test_a_notebook_alone_runs_after_its_one_line(site, tmp_path):
    """The wheel beside the page and the notebook, in a folder with nothing else."""
    (wheel,) = site.glob("*.whl")
    page = (site / CHAPTER).with_suffix(".html").read_text("utf-8")
    assert f"pip install &#34;./{wheel.name}[notebook]&#34;" in page
    installed, alone = tmp_path / "installed", tmp_path / "alone"
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        "--target",
        installed,
    ]
    subprocess.run([*command, wheel], check=True)
    alone.mkdir()
    notebook = nbformat.read(site / CHAPTER, 4)
    where = f"import attnlib\nassert attnlib.__file__.startswith({str(installed)!r}), attnlib.__file__"
    notebook.cells.append(nbformat.v4.new_code_cell(where))
    nbformat.write(notebook, alone / "notebook.ipynb")
    run = subprocess.run(
        [sys.executable, "-c", RUN, "notebook.ipynb"],
        cwd=alone,
        env=os.environ | {"PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr


@pytest.fixture
def packed(tmp_path):
    """The kit of a book of one page and one wheel."""
    site, wheels, root = tmp_path / "html", tmp_path / "wheels", tmp_path / "root"
    for path in (
        site / "index.html",
        site / ".nojekyll",
        wheels / "numpy.whl",
        root / "chapters" / "a.ipynb",
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(path.name, "utf-8")
    checkpoints = root / "chapters" / ".ipynb_checkpoints"
    checkpoints.mkdir()
    shutil.copy(root / "chapters" / "a.ipynb", checkpoints)
    return kit.pack(tmp_path / "kit", site, wheels, root)


def test_the_kit_holds_book_notebooks_wheels_and_how_to_use_them(packed):
    with zipfile.ZipFile(packed) as archive:
        assert sorted(archive.namelist()) == [
            "where-attention-goes/README.txt",
            "where-attention-goes/book/index.html",
            "where-attention-goes/notebooks/a.ipynb",
            "where-attention-goes/wheels/numpy.whl",
        ]
        assert archive.read("where-attention-goes/book/index.html") == b"index.html"


@pytest.mark.parametrize(
    ("system", "bin"), [("Linux (x86_64)", ".venv/bin/"), ("Windows (AMD64)", ".venv\\Scripts\\")]
)
def test_three_lines_install_and_open(system, bin):
    lines = [
        line.strip() for line in kit.write_readme(system, "3.11").splitlines() if line.startswith("    ")
    ]
    assert len(lines) == 3
    assert lines[0].endswith("-m venv .venv")
    assert lines[1] == f'{bin}python -m pip install --no-index --find-links wheels "attnlib[notebook]"'
    assert lines[2] == f"{bin}jupyter lab --LabApp.news_url=None notebooks"


def test_the_kit_holds_what_notebooks_need_and_nothing_that_only_builds_or_tests():
    needed = kit.list_needed()
    assert {"numpy", "matplotlib", "ipywidgets", "anywidget", "jupyterlab", "tqdm", "ipykernel"} <= needed
    assert needed.isdisjoint({"playwright", "ruff", "sphinx", "jupyter-book", "pytest", "nbval", "pypdf"})
    locked = kit.pick((ROOT / "requirements.txt").read_text("utf-8"), needed)
    assert len(re.findall("^numpy==", locked, re.M)) == 1
    assert "playwright" not in re.findall(r"^([\w-]+)==", locked, re.M)
    assert locked.count("--hash=sha256:") > len(re.findall("==", locked))


def test_a_kit_needs_a_built_book(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["kit", "--site", str(tmp_path)])
    with pytest.raises(SystemExit):
        kit.main()
    assert "holds no index.html; run make book first" in capsys.readouterr().err


def test_make_kit_builds_the_book_first():
    text = (ROOT / "Makefile").read_text("utf-8")
    assert "\nkit: book  ##" in text
