"""A real Chromium for the tests: where it is, how it is started, what a page must not do.

Nothing is installed here; `make test` does that first. Start the browser per test module, not per session:
Playwright's synchronous API keeps an event loop running, which the notebook tests must not meet.
"""

import contextlib
import functools
import os
import shutil
import subprocess

from playwright.sync_api import sync_playwright

# The headless shell comes first: the same engine without the windows of a desktop, a page in half the time.
NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
)
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
FLAGS = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@functools.cache
def _runs(path):
    """True when the file starts and says its version (a stub that only advertises a package does not)."""
    try:
        return subprocess.run([path, "--version"], capture_output=True, timeout=60).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def find_browser(playwright=None):
    """Path of a Chromium or Chrome that starts: CHROME_PATH, else the system's, else Playwright's own.

    Pass a running `playwright` when there is one; two cannot run in the same thread.
    """
    chosen = os.environ.get("CHROME_PATH")
    if chosen:
        if _runs(chosen):
            return chosen
        raise FileNotFoundError(
            f"CHROME_PATH is {chosen!r}, which does not start; point it at Chromium or Chrome"
        )
    for path in (*filter(None, map(shutil.which, NAMES)), *filter(os.path.exists, PLACES)):
        if _runs(path):
            return path
    with contextlib.ExitStack() as stack:
        own = (playwright or stack.enter_context(sync_playwright())).chromium.executable_path
    if os.path.exists(own) and _runs(own):
        return own
    raise FileNotFoundError(
        "no Chromium or Chrome found: install one, run `playwright install chromium`, or set CHROME_PATH"
    )


def launch(playwright, **options):
    """Start the browser headless under a running `playwright`."""
    return playwright.chromium.launch(executable_path=find_browser(playwright), args=list(FLAGS), **options)


@contextlib.contextmanager
def open_browser(**options):
    """The browser for the length of a `with` block: the body of a module-scoped fixture."""
    with sync_playwright() as playwright:
        browser = launch(playwright, **options)
        yield browser
        browser.close()


def watch(page, *allowed, kinds=("error", "warning")):
    """List that fills with what `page` must not do.

    Console messages of the `kinds`, uncaught exceptions, and requests to an address that does not begin with
    one of `allowed` (data: and blob: stay inside the page and are always allowed).
    """
    problems = []
    inside = (*allowed, "data:", "blob:", "about:")

    def on_console(message):
        if message.type in kinds:
            problems.append(f"console {message.type}: {message.text}")

    def on_request(request):
        if not request.url.startswith(inside):
            problems.append(f"request to {request.url}")

    page.on("console", on_console)
    page.on("pageerror", lambda error: problems.append(f"uncaught: {error}"))
    page.on("request", on_request)
    return problems
