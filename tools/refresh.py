"""Execute notebooks and store them in normal form, so that a second run changes nothing.

What stays: text and explorer outputs, execution counts 1..n, tags. What goes: pictures (the site draws
them anew, their text alternative stays), live widgets, timings, and everything about this machine.

    python tools/refresh.py [NOTEBOOK ...]      all chapters when none is named
"""

import argparse
import os
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parent.parent
DRAWING = "image/svg+xml"  # an output that has it shows a drawing, as an image and as HTML
NOT_STORED = {DRAWING, "image/png", "application/vnd.jupyter.widget-view+json"}
KEPT_METADATA = {"myst"}  # the description of the page
KEPT_CELL_METADATA = {"tags", "jupyter"}
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def find_notebooks():
    """Return every chapter that is a notebook, in a fixed order."""
    return sorted(p for p in (ROOT / "chapters").rglob("*.ipynb") if ".ipynb_checkpoints" not in p.parts)


def normalise(notebook):
    """Drop from an executed notebook, in place, whatever another run or machine would change."""
    kept = {k: v for k, v in notebook.metadata.items() if k in KEPT_METADATA}
    notebook.metadata = nbformat.from_dict(METADATA | kept)
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    count = 0
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict(
            {k: v for k, v in cell.metadata.items() if k in KEPT_CELL_METADATA}
        )
        if cell.cell_type != "code":
            continue
        count += 1
        cell.execution_count = count
        cell.outputs = _join_streams(cell.outputs)
        for output in cell.outputs:
            if "execution_count" in output:
                output.execution_count = count
            if "data" in output:
                output.metadata = nbformat.NotebookNode()
                left_out = NOT_STORED | ({"text/html"} if DRAWING in output.data else set())
                output.data = nbformat.from_dict({k: v for k, v in output.data.items() if k not in left_out})
    return notebook


def _join_streams(outputs):
    """Join neighbouring pieces of one stream: where a kernel cuts them is chance."""
    joined = []
    for output in outputs:
        last = joined[-1] if joined else None
        if last and last.output_type == output.output_type == "stream" and last.name == output.name:
            last.text += output.text
        else:
            joined.append(output)
    return joined


def execute(notebook, folder):
    """Run all cells in a fresh kernel that starts in the folder of the notebook."""
    NotebookClient(
        notebook,
        timeout=600,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
        record_timing=False,
        store_widget_state=False,
    ).execute()
    return notebook


def main():
    """Refresh the notebooks named on the command line, or all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("notebooks", nargs="*", type=Path)
    os.environ |= {"TQDM_DISABLE": "1", "OPENBLAS_NUM_THREADS": "1"}  # as tests and builds run them
    for path in parser.parse_args().notebooks or find_notebooks():
        start = time.perf_counter()
        before = path.read_text(encoding="utf-8")
        notebook = execute(nbformat.reads(before, as_version=4), path.parent)
        after = nbformat.writes(normalise(notebook)) + "\n"
        path.write_text(after, encoding="utf-8")
        change = "unchanged" if after == before else "changed"
        print(
            f"{path.resolve().relative_to(ROOT)}: {change}, {time.perf_counter() - start:.1f} s", flush=True
        )


if __name__ == "__main__":
    main()
