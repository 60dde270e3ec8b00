"""The house: imports go down only, and `import attnlib` loads numpy alone."""

import ast
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "attnlib"
# what each module may import of the package; whatever is not listed may import anything below floor 4
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
        file = PACKAGE.joinpath(*module.split("."))
        file = file / "__init__.py" if file.is_dir() else file.with_suffix(".py")
        assert imported(file) <= allowed, f"{module} imports {imported(file) - allowed}"


def test_numerics_never_import_the_fourth_floor():
    upper = {"datasets", "figures", "explorer", "checks", "tables", "tasks", "experiments"}
    assert not imported(PACKAGE / "__init__.py") & upper


def test_there_are_no_circular_imports():
    graph = {}
    for path in PACKAGE.rglob("*.py"):
        module = ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")
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
