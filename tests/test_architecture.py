"""The house: imports go down only, and `import attnlib` loads numpy alone."""

import ast
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "attnlib"
# What each module of the numerics, floors 1 to 3, may import of the package. All others stand on floor 4:
# they may import what they like, in no circle, and no module of the numerics imports them.
FLOORS = {
    "_rows": set(),
    "scores": {"_rows"},
    "measures": {"_rows"},
    "online": {"_rows"},
    "transforms.exponential": {"_rows"},
    "transforms.logistic": {"_rows"},
    "transforms.scaling": {"_rows"},
    "transforms.rectified": {"_rows", "transforms.scaling"},
    "transforms.sparse": {"_rows", "transforms.exponential"},
    "transforms.gumbel": {"_rows", "transforms.exponential"},
    "transforms": set(),
}
FLOORS["margins"] = FLOORS["alignment"] = set(FLOORS)
FLOORS["audio"] = set()
FLOORS["catalogue"] = FLOORS["attention"] = FLOORS["margins"] | {"margins"}
FLOORS["gradients"] = FLOORS["catalogue"] | {"catalogue"}
FLOORS["training"] = FLOORS["gradients"] | {"attention", "gradients"}


MODULES = {
    ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__"): path
    for path in PACKAGE.rglob("*.py")
}


def imported(path):
    """Return the modules of the package that a file imports, without the attnlib. in front."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}: relative import"
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        for name in names:
            module = name.removeprefix("attnlib.")
            file = PACKAGE.joinpath(*module.split("."))
            if name.startswith("attnlib.") and (file.with_suffix(".py").exists() or file.is_dir()):
                found.add(module)
            if name == "attnlib":
                found.add("attnlib")
    return found


def test_imports_go_down_only():
    for module, allowed in FLOORS.items():
        found = imported(MODULES[module])
        assert found <= allowed, f"{module} imports {found - allowed}"


def test_numerics_never_import_the_fourth_floor():
    upper = MODULES.keys() - FLOORS.keys() - {"__init__"}
    assert {"datasets", "figures", "checks.softmax"} <= upper
    for module in ("__init__", *FLOORS):
        assert not imported(MODULES[module]) & upper, module


def test_there_are_no_circular_imports():
    graph = {}
    for module, path in MODULES.items():
        graph[module] = imported(path) - {"attnlib", module} if module != "__init__" else set()

    def visit(module, trail):
        assert module not in trail, " imports ".join([*trail, module])
        for target in graph.get(module, ()):
            visit(target, [*trail, module])

    for module in graph:
        visit(module, [])


def test_import_attnlib_loads_numpy_alone():
    code = (
        "import sys, numpy; before = set(sys.modules); import attnlib;"
        "print(*sorted({m.split('.')[0] for m in set(sys.modules) - before}))"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert set(loaded) - {"attnlib"} <= sys.stdlib_module_names


def test_every_public_name_is_exported_and_documented():
    import attnlib

    for name in attnlib.__all__:
        if callable(getattr(attnlib, name)):
            assert ">>>" in getattr(attnlib, name).__doc__, name
