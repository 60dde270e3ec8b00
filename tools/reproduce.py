"""Build the last commit in two clean clones that differ in all that must not matter; compare every byte.

    python tools/reproduce.py

The clones stand in folders of different depth and are built with different hash seeds, time zones, languages
and widths of the terminal. Ends with status 1 when a file differs. Takes as long as two first builds.
"""

import filecmp
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SURROUNDINGS = (
    {"PYTHONHASHSEED": "1", "TZ": "Asia/Tokyo", "LANG": "C.UTF-8", "COLUMNS": "60"},
    {"PYTHONHASHSEED": "2", "TZ": "America/New_York", "LANG": "C", "COLUMNS": "200"},
)


def list_files(folder):
    """Return the paths of all files below `folder`, relative to it."""
    return {path.relative_to(folder).as_posix() for path in Path(folder).rglob("*") if path.is_file()}


def compare(first, second):
    """Return one line for each file that only one folder has, or whose bytes differ.

    >>> compare("attnlib", "attnlib")
    []
    """
    here, there = list_files(first), list_files(second)
    faults = [f"{name}: only in {first}" for name in sorted(here - there)]
    faults += [f"{name}: only in {second}" for name in sorted(there - here)]
    for name in sorted(here & there):
        one, other = Path(first, name), Path(second, name)
        if not filecmp.cmp(one, other, shallow=False):
            faults.append(f"{name}: {show_difference(one.read_bytes(), other.read_bytes())}")
    return faults


def show_difference(one, other):
    """Return where two contents part, with a little of both.

    >>> show_difference(b"built 10:15", b"built 10:21")
    'byte 9: 10:15 | 10:21'
    """
    shorter = min(len(one), len(other))
    place = next((n for n in range(shorter) if one[n] != other[n]), shorter)
    around = (text[max(place - 3, 0) : place + 40].decode("utf-8", "replace") for text in (one, other))
    return f"byte {place}: {' | '.join(around)}"


def build_in(repository, surroundings, source=None):
    """Build the book in `source`, else in the repository, with the tools of the latter; return its pages."""
    source = source or repository
    command = [sys.executable, str(Path(repository, "tools", "build.py")), "--source", str(source)]
    done = subprocess.run(command, env=os.environ | surroundings, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{source} does not build:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return Path(source, "_build", "html")


def main():
    """Build two clones, compare them, say what differs."""
    with tempfile.TemporaryDirectory() as folder:
        clones = [Path(folder, "one"), Path(folder, "a", "longer path", "two")]
        for clone in clones:
            subprocess.run(["git", "clone", "--quiet", "--no-local", str(ROOT), str(clone)], check=True)
        sites = [build_in(*pair) for pair in zip(clones, SURROUNDINGS, strict=True)]
        faults = compare(*sites)
        count = len(list_files(sites[0]))
    print(*faults, f"{count} files, {len(faults)} differ", sep="\n")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
