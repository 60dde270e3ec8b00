"""A chapter built twice, from copies of the same sources in other folders and other surroundings."""

import shutil

import pytest
import reproduce
from built import make_small_book

CELLS = [
    "from attnlib import figures, softmax\nfrom attnlib.explorer import Bars, Explorer, stops",
    "def attend(temperature):\n    return {'weights': softmax([2, 1, 0], temperature=temperature)}",
    "Explorer(attend, Bars(['a', 'b', 'c']), temperature=stops(0.1, 10),\n"
    "         name='twice', caption='Three weights.')",
    "figures.bars(softmax([2, 1, 0]), ['a', 'b', 'c'], title='weight', caption='Three weights.')",
    "print(sorted({'one', 'two', 'three'}), softmax([2, 1, 0]))",
]
WORDS = "# Words\n\nOne chapter has a {term}`softmax`.\n\n```{glossary}\nsoftmax\n  A map.\n```\n"


def build_twice(tmp_path, cells):
    first, second = tmp_path / "one", tmp_path / "deeper" / "other"
    first.mkdir()
    make_small_book(first, {"chapter": cells, "words": WORDS})
    shutil.copytree(first, second)
    pages = [
        reproduce.build_in(reproduce.ROOT, surroundings, source)
        for source, surroundings in zip((first, second), reproduce.SURROUNDINGS, strict=True)
    ]
    return reproduce.compare(*pages)


def test_two_builds_of_a_chapter_have_the_same_bytes(tmp_path):
    assert build_twice(tmp_path, CELLS) == []


def test_what_depends_on_the_build_is_found(tmp_path):
    leak = "import os\nprint(os.environ['PYTHONHASHSEED'])"
    faults = build_twice(tmp_path, [leak])
    assert [fault.split(":")[0] for fault in faults] == ["chapter.html"]
    assert "byte" in faults[0]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ({"a": b"1"}, {"a": b"1"}, []),
        ({"a": b"1", "b": b""}, {"a": b"1"}, ["b: only in one"]),
        ({}, {"c/d": b""}, ["c/d: only in other"]),
        ({"a": b"same 1"}, {"a": b"same 2"}, ["a: byte 5: me 1 | me 2"]),
        ({"a": b"same"}, {"a": b"same and more"}, ["a: byte 4: ame | ame and more"]),
    ],
)
def test_every_kind_of_difference_is_named(tmp_path, monkeypatch, first, second, expected):
    monkeypatch.chdir(tmp_path)
    for name, files in {"one": first, "other": second}.items():
        (tmp_path / name).mkdir()
        for path, content in files.items():
            (tmp_path / name / path).parent.mkdir(exist_ok=True)
            (tmp_path / name / path).write_bytes(content)
    assert reproduce.compare("one", "other") == expected
