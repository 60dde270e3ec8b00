"""Find a browser for the tests; where there is none, get one or say clearly what to do.

Order: a Chromium or Chrome that is already here, Playwright's own download, Debian's package when root.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
from browser import find_browser

HELP = """No browser was found, and none could be installed.
Install Chromium or Google Chrome (Debian and Ubuntu: sudo apt-get install chromium), or set CHROME_PATH
to an executable of either, then run make test again."""


def installers():
    """Yield the commands that may bring a browser, each with its name."""
    yield "Playwright's Chromium", [[sys.executable, "-m", "playwright", "install", "chromium"]]
    if hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get"):
        update, install = ["apt-get", "update", "-qq"], ["apt-get", "install", "-y", "-qq"]
        for package in ("chromium-headless-shell", "chromium"):
            command = [*install, "--no-install-recommends", package]
            yield f"the distribution's {package}", [update, command]


def main():
    """Print the path of a usable browser, installing one if need be."""
    try:
        return print(f"browser: {find_browser()}")
    except FileNotFoundError as error:
        if "CHROME_PATH" in os.environ:
            sys.exit(str(error))
    for name, commands in installers():
        print(f"no browser found, trying {name}", flush=True)
        done = all(
            subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
            for command in commands
        )
        if done:
            try:
                return print(f"browser: {find_browser()}")
            except FileNotFoundError:
                continue
    sys.exit(HELP)


if __name__ == "__main__":
    main()
