"""Audit every page of the built site and print a table: what needs Node, Java or the network stands here.

Lighthouse (mobile, median of three runs), the Nu HTML checker, axe in light, dark and forced colours at three
widths, bytes of a first visit packed by gzip, and external links. The last line of the table is a chapter as
the tool chain makes it out of the box, built in the same run. Ends with status 1 when a page misses its mark.

    python tools/audit.py [--runs 3] [--offline] [PAGE ...]
"""

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from serve import ROOT, serving

sys.path.insert(0, str(ROOT / "tests"))
from browser import find_browser, open_browser
from built import MOST_KIB, WIDTHS

SITE = ROOT / "_build" / "html"
TOOLS = ROOT / ".cache" / "audit"
PACKAGES = ("lighthouse@12.8.2", "vnu-jar@26.9.27")
CATEGORIES = {"performance": 1, "accessibility": 1, "best-practices": 1, "seo": 1}  # least score wanted
STOCK = "chapters/transforms/temperature.ipynb"


def install_tools():
    """Install Lighthouse and the Nu checker below `.cache`, once per pinned version."""
    for program in ("node", "npm", "java"):
        if not shutil.which(program):
            sys.exit(f"make audit needs {program}: install Node 18 or newer and Java 17 or newer")
    stamp = TOOLS / "installed"
    if not stamp.exists() or stamp.read_text("utf-8") != " ".join(PACKAGES):
        TOOLS.mkdir(parents=True, exist_ok=True)
        command = [
            "npm",
            "install",
            "--prefix",
            str(TOOLS),
            "--no-save",
            "--no-audit",
            "--no-fund",
            *PACKAGES,
        ]
        subprocess.run(command, check=True)
        stamp.write_text(" ".join(PACKAGES), "utf-8")


def run_lighthouse(url, runs, browser):
    """Return the median score of each category, and the KiB that a first visit transfers."""
    reports = []
    for _ in range(runs):
        command = [
            *(str(TOOLS / "node_modules" / ".bin" / "lighthouse"), url, "--quiet", "--output=json"),
            f"--only-categories={','.join(CATEGORIES)}",
            "--chrome-flags=--headless=new --no-sandbox --disable-gpu",
        ]
        env = os.environ | {"CHROME_PATH": browser}
        done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=300, env=env)
        reports.append(json.loads(done.stdout))
    scores = {
        name: statistics.median(report["categories"][name]["score"] for report in reports)
        for name in CATEGORIES
    }
    requests = reports[0]["audits"]["network-requests"]["details"]["items"]
    return scores, sum(request["transferSize"] for request in requests) / 1024


def check_html(path):
    """Return what the Nu checker calls an error."""
    jar = TOOLS / "node_modules" / "vnu-jar" / "build" / "dist" / "vnu.jar"
    command = ["java", "-jar", str(jar), "--errors-only", "--format", "gnu", "--stdout", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    lines = (done.stdout + done.stderr).splitlines()
    return [line.partition('":')[2] or line for line in lines if line.strip()]


def check_accessibility(browser, url):
    """Return axe's violations over light, dark and forced colours at three widths."""
    found = []
    for options in ({"color_scheme": "light"}, {"color_scheme": "dark"}, {"forced_colors": "active"}):
        context = browser.new_context(**options, reduced_motion="reduce")
        page = context.new_page()
        page.goto(url)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            for violation in Axe().run(page).response["violations"]:
                found.append(f"{violation['id']} ({', '.join(options.values())}, {width} px)")
        context.close()
    return found


def build_stock(folder):
    """Build a chapter in `folder` with the settings of the tool chain, and return the folder of its page."""
    shutil.copy(ROOT / STOCK, folder / "index.ipynb")
    (folder / "_toc.yml").write_text("format: jb-book\nroot: index\n", "utf-8")
    settings = ("title: Stock", "author: Nobody", 'execute: {execute_notebooks: "off"}')
    (folder / "_config.yml").write_text("\n".join(settings), "utf-8")
    run = "from jupyter_book.cli.main import main; main()"
    command = [sys.executable, "-c", run, "build", str(folder), "--quiet"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return folder / "_build" / "html"


def audit_page(browser, site, base, page, runs):
    """Print the line of one page, and return what misses its mark."""
    scores, weight = run_lighthouse(base + page, runs, find_browser())
    invalid, barriers = check_html(site / page), check_accessibility(browser, base + page)
    marks = "  ".join(f"{score:4.2f}" for score in scores.values())
    print(f"{marks}  {weight:6.1f}  {len(invalid):4}  {len(barriers):4}", flush=True)
    faults = [f"{name} {scores[name]:.2f}" for name, least in CATEGORIES.items() if scores[name] < least]
    faults += [f"{weight:.0f} KiB, at most {MOST_KIB}"] if weight > MOST_KIB else []
    return [f"{page}: {fault}" for fault in faults + invalid + barriers]


def list_external_links(pages):
    """Return every address outside the site that a page links to."""
    texts = ((SITE / page).read_text("utf-8") for page in pages)
    return sorted(
        {unescape(link) for text in texts for link in re.findall(r'<a\b[^>]*\bhref="(https?:[^"#]+)', text)}
    )


def check_link(url):
    """Return None when the link is alive, else what is wrong; "gone" only when the server says so."""
    request = urllib.request.Request(url, headers={"User-Agent": "Mozilla/5.0 (link check)"})
    try:
        with urllib.request.urlopen(request, timeout=30):
            return None
    except urllib.error.HTTPError as error:
        return f"gone ({error.code}): {url}" if error.code in (404, 410) else f"unsure ({error.code}): {url}"
    except OSError as error:
        return f"unsure ({error}): {url}"


def main():
    """Audit the pages and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", nargs="*", help="pages relative to the site (all)")
    parser.add_argument("--runs", type=int, default=3, help="Lighthouse runs per page (3)")
    parser.add_argument("--offline", action="store_true", help="do not try external links")
    arguments = parser.parse_args()
    pages = arguments.pages or [
        path.relative_to(SITE).as_posix() for path in sorted(SITE.rglob("*.html")) if path.name != "404.html"
    ]
    install_tools()
    faults = []
    width = max(map(len, [*pages, STOCK]))
    print(f"{'page':{width}}  perf  a11y  best   seo     KiB  html   axe")
    with open_browser() as browser:
        with serving(SITE) as base:
            for page in pages:
                print(f"{page:{width}}", end="  ", flush=True)
                faults += audit_page(browser, SITE, base, page, arguments.runs)
        with tempfile.TemporaryDirectory() as folder:
            stock = build_stock(Path(folder))
            with serving(stock) as base:
                print(f"{'a chapter, out of the box':{width}}", end="  ", flush=True)
                audit_page(browser, stock, base, "index.html", arguments.runs)
    if not arguments.offline:
        links = list_external_links(pages)
        with ThreadPoolExecutor(8) as pool:
            answers = [answer for answer in pool.map(check_link, links) if answer]
        print(f"\n{len(links)} external links, {len(answers)} without a good answer", *answers, sep="\n  ")
        faults += [answer for answer in answers if answer.startswith("gone")]
    print("\nmissed marks:" if faults else "\nevery mark met", *faults, sep="\n  ")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
