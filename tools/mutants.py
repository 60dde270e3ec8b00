"""Break attnlib's numerics one expression at a time: does a test notice? Run by `make mutants`.

mutmut makes the mutants and runs, for each, the tests that reach the broken function. It works in a copy
(.cache/mutants/tree), so that the tree at hand stays as it is. A mutant that no test kills must be listed in
mutants_harmless.toml with the reason why it does no harm; one that is not listed, or a listed one that no
longer survives, makes the exit status 1.

Not mutated: the catalogue, which is made when it is imported; constants; and the text of f-strings.

    python tools/mutants.py [MODULE ...]
"""

import os
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from contextlib import chdir
from pathlib import Path

from mutmut.mutation.diff_apply import get_diff_for_mutant

ROOT = Path(__file__).resolve().parent.parent
TREE = ROOT / ".cache" / "mutants" / "tree"
HARMLESS = Path(__file__).with_name("mutants_harmless.toml")
TRANSFORMS = ("exponential", "logistic", "rectified", "scaling", "sparse", "gumbel")
MODULES = (
    *TRANSFORMS,
    "online",
    "scores",
    "measures",
    "margins",
    "attention",
    "gradients",
    "_rows",
)
CONFTEST = """
from hypothesis import Phase, settings

# The examples of the book; a failure need not be made small, nor be the only one.
once = {"phases": [Phase.explicit, Phase.generate], "report_multiple_bugs": False}
settings.register_profile("mutants", derandomize=True, deadline=None, **once)
settings.load_profile("mutants")
"""
SETTINGS = """
[tool.pytest.ini_options]
pythonpath = [".", "tests"]
filterwarnings = ["error"]

[tool.mutmut]
source_paths = ["attnlib"]
only_mutate = ["{source}"]
also_copy = ["conftest.py", "references.bib"]
pytest_add_cli_args = ["-p", "no:cacheprovider", "-p", "no:unraisableexception"]  # the latter takes long
pytest_add_cli_args_test_selection = {tests}
use_git_change_detection = false
"""


def prepare(module):
    """Copy the package and the tests of one module, tell mutmut what to break, and return its path."""
    shutil.rmtree(TREE, ignore_errors=True)
    shutil.copytree(ROOT / "attnlib", TREE / "attnlib", ignore=shutil.ignore_patterns("data", "__pycache__"))
    source, tests = f"attnlib/{module}.py", [f"tests/test_{module.strip('_')}.py"]
    if module in TRANSFORMS:  # every map goes through the tests of the gradients
        source, tests = f"attnlib/transforms/{module}.py", [*tests, "tests/test_gradients.py"]
    (TREE / "tests").mkdir()
    for name in ("references.bib", "tests/maps.py", *tests):
        shutil.copy(ROOT / name, TREE / name)
    (TREE / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    (TREE / "pyproject.toml").write_text(SETTINGS.format(source=source, tests=tests), encoding="utf-8")
    return source


def mutmut(*arguments):
    """Run mutmut in the copy, on one thread, and return what it prints."""
    command = [sys.executable, "-m", "mutmut", *arguments]
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=TREE, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"mutmut {' '.join(arguments)} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def describe(mutant, source):
    """Name a mutant by its function and the lines it changed, as mutants_harmless.toml does."""
    with chdir(TREE):
        lines = [line.split("  # ")[0] for line in get_diff_for_mutant(mutant, path=source).splitlines()]
    changed = [line[1:].strip() for line in lines if line.startswith("+") and not line.startswith("+++")]
    return f"{mutant.split('.x_')[-1].rpartition('__mutmut_')[0]}: {' '.join(changed)}"


def survivors(module):
    """Mutate one module; return what became of its mutants, and the survivors by name."""
    source = prepare(module)
    mutmut("run", "--max-children", "1")
    results = [line.strip().rsplit(": ", 1) for line in mutmut("results", "--all", "true").splitlines()]
    alive = {describe(name, source) for name, status in results if status in ("survived", "no tests")}
    return Counter(status for _, status in results), alive


def main(modules):
    """Report on each module; return whether one of them holds a surprise."""
    harmless = tomllib.loads(HARMLESS.read_text(encoding="utf-8"))
    surprised = False
    for module in modules:
        fates, alive = survivors(module)
        listed = {name for group in harmless.get(module, []) for name in group["mutants"]}
        killed = sum(fates[fate] for fate in ("killed", "timeout", "segfault"))
        print(
            f"{module:<12}{fates.total():>5} mutants {killed:>5} killed {fates.total() - killed:>4} survived"
        )
        for kind, names in (("not listed", alive - listed), ("listed, but killed", listed - alive)):
            surprised |= bool(names)
            print(*(f"  {kind}: {name}" for name in sorted(names)), sep="\n", end="\n" if names else "")
        sys.stdout.flush()
    return surprised


if __name__ == "__main__":
    unknown = set(sys.argv[1:]) - set(MODULES)
    if unknown:
        sys.exit(f"no module named {', '.join(sorted(unknown))}; there are {', '.join(MODULES)}")
    sys.exit(main(sys.argv[1:] or MODULES))
