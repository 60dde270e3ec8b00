"""Build the site: execute the notebooks that changed, write the pages, treat every warning as an error.

python tools/build.py [--output DIR] [--source DIR]      the pages land in DIR/_build/html
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
USUAL = "Kernel is running over TCP without encryption"  # once for each notebook, of sockets on this machine


def build(source=ROOT, output=None):
    """Build the book in `source` and return the folder of its pages; CalledProcessError when it fails."""
    source = Path(source).resolve()
    output = Path(output or source).resolve()
    # Kernels import the attnlib that stands beside the chapters, installed or not, and show no progress bars.
    # One thread each: where cores are shared, threads that wait for one another make training 7 times slower.
    env = os.environ | {"PYTHONPATH": str(source), "TQDM_DISABLE": "1", "OPENBLAS_NUM_THREADS": "1"}
    plain = "" if sys.stdout.isatty() else "from sphinx.util.console import nocolor; nocolor();"
    run = f"{plain} from jupyter_book.cli.main import main; main()"
    options = ["-W", "--keep-going", "--path-output", str(output)]
    command = [sys.executable, "-c", run, "build", str(source), *options]
    with subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True) as process:
        for line in process.stderr:
            if USUAL not in line:
                print(line, end="", file=sys.stderr, flush=True)
    if process.returncode:
        # Sphinx does not repeat the warnings of pages it has read: forget that it has, notebooks stay cached.
        (output / "_build" / ".doctrees" / "environment.pickle").unlink(missing_ok=True)
        raise subprocess.CalledProcessError(process.returncode, command)
    return output / "_build" / "html"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", type=Path, default=ROOT, help="folder with _config.yml (this repository)")
    parser.add_argument("--output", type=Path, help="where _build goes (the source folder)")
    arguments = parser.parse_args()
    try:
        pages = build(arguments.source, arguments.output)
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode)
    print(f"\nOpen {pages / 'index.html'}\nor serve it: make serve")
