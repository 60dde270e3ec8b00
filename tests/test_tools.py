"""The tools behind the Makefile."""

import re
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

import limited_cpu
import nbformat
import pytest
import refresh
import serve
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

ROOT = Path(__file__).resolve().parent.parent


def untidy_notebook():
    stream = [new_output("stream", name="stdout", text=text) for text in ("a\n", "b\n")]
    picture = new_output(
        "execute_result",
        {
            "text/plain": "Bar chart",
            "text/html": "<div><svg/></div>",
            "image/svg+xml": "<svg/>",
            "application/vnd.jupyter.widget-view+json": {},
        },
        execution_count=41,
    )
    table = new_output("display_data", {"text/plain": "a  b", "text/html": "<table></table>"})
    return new_notebook(
        metadata={
            "kernelspec": {"name": "mine", "display_name": "of this machine"},
            "widgets": {"state": 1},
            "myst": {"a": "b"},
        },
        cells=[
            new_markdown_cell("# Title", metadata={"collapsed": True}),
            new_code_cell(
                "1", execution_count=7, outputs=stream, metadata={"execution": {}, "tags": ["hide-cell"]}
            ),
            new_code_cell("2", execution_count=41, outputs=[picture, table]),
        ],
    )


def test_normal_form_keeps_text_and_tags_only():
    tidy = refresh.normalise(untidy_notebook())
    first, second = tidy.cells[1:]
    assert set(tidy.metadata) == {"kernelspec", "language_info", "myst"}
    assert tidy.metadata.kernelspec.name == "python3"
    assert (first.execution_count, second.execution_count) == (1, 2)
    assert first.metadata == {"tags": ["hide-cell"]}
    assert [output.text for output in first.outputs] == ["a\nb\n"]
    assert second.outputs[0].data == {"text/plain": "Bar chart"}
    assert second.outputs[1].data == {"text/plain": "a  b", "text/html": "<table></table>"}
    assert second.outputs[0].execution_count == 2


def test_normal_form_is_stable():
    once = nbformat.writes(refresh.normalise(untidy_notebook()))
    twice = nbformat.writes(refresh.normalise(nbformat.reads(once, as_version=4)))
    assert once == twice


def test_refreshing_twice_changes_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(refresh, "ROOT", tmp_path)
    path = tmp_path / "chapter.ipynb"
    nbformat.write(new_notebook(cells=[new_code_cell("print(1 + 1)")]), path)
    monkeypatch.setattr(sys, "argv", ["refresh", str(path)])
    refresh.main()
    once = path.read_bytes()
    refresh.main()
    assert path.read_bytes() == once
    assert nbformat.read(path, as_version=4).cells[0].outputs[0].text == "2\n"
    assert [line.split(",")[0].split(": ")[1] for line in capsys.readouterr().out.splitlines()] == [
        "changed",
        "unchanged",
    ]


def test_limited_processor_reaches_numpy():
    """In the limited environment numpy really runs without the features that were switched off."""
    environment = limited_cpu.limited_environment()
    disabled = environment.get("NPY_DISABLE_CPU_FEATURES", "").split()
    code = (
        "import sys; from numpy._core._multiarray_umath import __cpu_features__ as features; "
        "print(any(features.get(name) for name in sys.argv[1:]))"
    )
    command = [sys.executable, "-W", "error", "-c", code, *disabled]
    run = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert (run.stdout, run.stderr) == ("False\n", "")
    assert environment["OPENBLAS_CORETYPE"] == "Haswell"


def test_help_lists_every_target():
    run = subprocess.run(["make", "-s", "help"], cwd=ROOT, capture_output=True, text=True, check=True)
    listed = [line.split()[1] for line in run.stdout.splitlines()]
    (targets,) = re.findall(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text("utf-8"), re.M)
    assert sorted(listed) == sorted(targets.split())


@pytest.mark.parametrize("prefix", ["/", "/courses/attention/", "courses/attention"])
def test_the_address_that_is_printed_leads_to_the_first_page(tmp_path, monkeypatch, capsys, prefix):
    (tmp_path / "index.html").write_text("the first page", "utf-8")
    (tmp_path / "404.html").write_text("not here", "utf-8")
    monkeypatch.setattr(sys, "argv", ["serve", "--port", "0", "--prefix", prefix, str(tmp_path)])
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    answers = []

    def serve_one(server):
        waiting = threading.Thread(target=server.handle_request)
        waiting.start()
        with direct.open(capsys.readouterr().out.split()[0], timeout=10) as answer:
            answers.append(answer.read())
        waiting.join()
        raise KeyboardInterrupt

    monkeypatch.setattr(serve.Server, "serve_forever", serve_one)
    serve.main()
    assert answers == [b"the first page"]
