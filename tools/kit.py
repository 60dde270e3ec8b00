"""Zip what a classroom without internet needs: the built book, its notebooks, and wheels for this platform.

python tools/kit.py [--site DIR] [--output DIR]      the kit lands in DIR (_build/kit)

Wheels fit the operating system and the Python version of the machine that makes the kit.
"""

import argparse
import platform
import re
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
README = """Where Attention Goes: from scores to probabilities

To read: open book/index.html in a browser. Every slider works there; nothing has to be installed.

To run the notebooks: three lines in a terminal, in this folder, without a network.
They need Python {python} on {system}, the system on which this kit was made.

{lines}

The first makes a Python environment beside the kit, the second installs from the folder wheels,
the third opens the notebooks in a browser. Later the third is enough.
"""
POSIX = """    python3 -m venv .venv
    .venv/bin/python -m pip install --no-index --find-links wheels "attnlib[notebook]"
    .venv/bin/jupyter lab --LabApp.news_url=None notebooks"""
WINDOWS = r"""    py -m venv .venv
    .venv\Scripts\python -m pip install --no-index --find-links wheels "attnlib[notebook]"
    .venv\Scripts\jupyter lab --LabApp.news_url=None notebooks"""


def write_readme(system, python):
    """Return the text that stands beside the kit, with the lines that work on a system.

    >>> [line for line in write_readme("Windows", "3.12").splitlines() if "jupyter" in line]
    ['    .venv\\\\Scripts\\\\jupyter lab --LabApp.news_url=None notebooks']
    """
    lines = WINDOWS if system.startswith("Windows") else POSIX
    return README.format(python=python, system=system, lines=lines)


def list_files(site, wheels, root=ROOT):
    """Yield (name in the kit, file): the built book, the chapters, the wheels."""
    for folder, name in ((site, "book"), (root / "chapters", "notebooks"), (wheels, "wheels")):
        for path in sorted(folder.rglob("*")):
            inside = path.relative_to(folder)
            if path.is_file() and not any(part.startswith((".", "__")) for part in inside.parts):
                yield f"{name}/{inside.as_posix()}", path


def list_needed(package="attnlib", extras=("notebook",)):
    """Return the names of all that a package with its extras needs here, as the installed packages say."""
    names, waiting = set(), [(package, extra) for extra in extras]
    while waiting:
        name, extra = waiting.pop()
        for wanted in map(Requirement, metadata.requires(name) or ()):
            if wanted.marker is None or wanted.marker.evaluate({"extra": extra}):
                new = {(canonicalize_name(wanted.name), extra) for extra in ("", *wanted.extras)}
                waiting += new - names
                names |= new
    return {name for name, _ in names}


def pick(requirements, names):
    """Return those of the locked requirements, each with its hashes, that have one of the names.

    >>> pick("a==1 \\\\\\n    --hash=x\\nb==2 \\\\\\n    --hash=y\\n", {"b"})
    'b==2 \\\\\\n    --hash=y\\n'
    """
    blocks = re.findall(r"^\S.*\n(?:\s.*\n)*", requirements, re.M)
    return "".join(block for block in blocks if re.match(r"[\w.-]+", block)[0] in names)


def gather_wheels(folder, root=ROOT):
    """Put a wheel of attnlib, and of all that its notebooks need, into a folder."""
    quiet = ("--quiet", "--disable-pip-version-check", "--wheel-dir", folder)
    pip = [sys.executable, "-m", "pip", "wheel", *quiet]
    with tempfile.TemporaryDirectory() as scratch:
        locked = Path(scratch, "requirements.txt")
        locked.write_text(pick((root / "requirements.txt").read_text("utf-8"), list_needed()), "utf-8")
        subprocess.run([*pip, "--require-hashes", "-r", locked], check=True)
    subprocess.run([*pip, "--no-deps", "--no-build-isolation", root], check=True)


def name_system():
    """Return the name of this system, its processor, and its C library, where an older one may fail."""
    library, version = platform.libc_ver()
    needs = f", {library} {version} or newer" if library else ""
    return f"{platform.system()} ({platform.machine()}{needs})"


def pack(output, site, wheels, root=ROOT):
    """Write the kit and return its path."""
    output.mkdir(parents=True, exist_ok=True)
    python = ".".join(platform.python_version_tuple()[:2])
    kit = output / f"where-attention-goes-{sysconfig.get_platform()}-python{python}.zip"
    top = "where-attention-goes"
    with zipfile.ZipFile(kit, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{top}/README.txt", write_readme(name_system(), python))
        for name, path in list_files(site, wheels, root):
            archive.write(path, f"{top}/{name}")
    return kit


def main():
    """Gather and pack."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--site", type=Path, default=ROOT / "_build" / "html")
    parser.add_argument("--output", type=Path, default=ROOT / "_build" / "kit")
    arguments = parser.parse_args()
    if not (arguments.site / "index.html").is_file():
        parser.error(f"{arguments.site} holds no index.html; run make book first")
    print("gathering wheels: some minutes", flush=True)
    with tempfile.TemporaryDirectory() as wheels:
        gather_wheels(wheels)
        kit = pack(arguments.output, arguments.site, Path(wheels))
    print(f"{kit}  ({kit.stat().st_size / 1e6:.0f} MB)")


if __name__ == "__main__":
    main()
