"""What the papers of the project say of it: whose it is, which version, what it needs. They say it alike."""

import ast
import re
import tomllib

import pytest
import yaml
from built import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
CONFIG = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))
CODE = sorted(path for name in ("attnlib", "web", "tools", "tests") for path in (ROOT / name).rglob("*.py"))


def test_the_same_people_made_it_everywhere():
    (whole,) = (author["name"] for author in CITATION["authors"])
    assert whole == f"{CONFIG['author']} to {CONFIG['project']}"
    years, holder = re.search(
        r"^Copyright \(c\) (.*), (the .*)$", (ROOT / "LICENSE").read_text("utf-8"), re.M
    ).groups()
    assert (years, holder.capitalize()) == (CONFIG["copyright"], whole.capitalize())


def test_it_has_one_name_one_version_and_one_licence():
    assert CITATION["title"] == CONFIG["title"]
    assert CITATION["version"] == PROJECT["version"]
    assert PROJECT["license"] in CITATION["license"]


def test_a_date_of_release_is_named_once_there_was_a_release():
    latest = re.search(r"^## (\S+) \((.*)\)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)
    assert latest[1] == PROJECT["version"]
    assert latest[2] == str(CITATION.get("date-released", "not yet released"))


@pytest.mark.parametrize("name", ["bench", "mutants"])
def test_environments_of_their_own_have_the_versions_of_the_book(name):
    def pins(path):
        return dict(re.findall(r"^([\w.-]+)==([\w.]+)", path.read_text("utf-8"), re.M))

    book, own = pins(ROOT / "requirements.txt"), pins(ROOT / "tools" / f"{name}_requirements.txt")
    both = book.keys() & own.keys()
    assert "numpy" in both
    assert {package: own[package] for package in both} == {package: book[package] for package in both}


def test_text_is_read_and_written_with_a_named_encoding():
    """For that of the system is not UTF-8 everywhere."""
    faults = []
    for path in CODE:
        for call in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
                given = len(call.args) + any(keyword.arg == "encoding" for keyword in call.keywords)
                if given < {"read_text": 1, "write_text": 2}.get(call.func.attr, 0):
                    faults.append(f"{path.relative_to(ROOT)}:{call.lineno}: {ast.unparse(call)}")
    assert faults == []
