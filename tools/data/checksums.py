"""Write attnlib/data/SHA256SUMS anew, after a data file was changed on purpose.

Run from anywhere: python tools/data/checksums.py
Check by hand:     cd attnlib/data && sha256sum -c SHA256SUMS
"""

import hashlib
from pathlib import Path

DATA = Path(__file__).resolve().parents[2] / "attnlib" / "data"
PROSE = {"SOURCES.md", "SHA256SUMS"}  # the two files that are not themselves data


def lines(folder):
    """Return the lines of SHA256SUMS for every data file below ``folder``, sorted by path.

    Files that an operating system hides there, such as ``.DS_Store``, are no data.
    """
    files = (path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("."))
    paths = sorted(path.relative_to(folder).as_posix() for path in files)
    return [f"{hashlib.sha256((folder / p).read_bytes()).hexdigest()}  {p}" for p in paths if p not in PROSE]


if __name__ == "__main__":
    (DATA / "SHA256SUMS").write_text("\n".join(lines(DATA)) + "\n", encoding="utf-8", newline="\n")
