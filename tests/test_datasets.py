"""The data are what SOURCES.md says they are, and a bad file is refused in a sentence."""

import csv
import dataclasses
import hashlib
import json
import re
import subprocess
import sys
import zipfile
from importlib import resources
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attnlib import datasets
from attnlib.datasets import DatasetError

ROOT = Path(__file__).resolve().parents[1]
DATA = resources.files("attnlib") / "data"


def softmax(scores):
    """Softmax over the last axis, written out here so that these tests stand alone."""
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def data_files():
    root = Path(str(DATA))
    files = (path for path in root.rglob("*") if path.is_file() and not path.name.startswith("."))
    return sorted(path.relative_to(root).as_posix() for path in files)


# --- the folder ----------------------------------------------------------------------------------------


def test_checksums_list_every_data_file_and_no_other():
    listed = datasets.checksums()
    assert sorted(listed) == [f for f in data_files() if f not in ("SOURCES.md", "SHA256SUMS")]
    for path, digest in listed.items():
        assert hashlib.sha256((DATA / path).read_bytes()).hexdigest() == digest, path


def test_checksum_script_agrees_with_the_list():
    sys.path.insert(0, str(ROOT / "tools" / "data"))
    try:
        import checksums
    finally:
        sys.path.pop(0)
    assert checksums.lines(checksums.DATA) == (DATA / "SHA256SUMS").read_text("utf-8").splitlines()


def test_sources_lists_every_data_file_and_no_other():
    text = (DATA / "SOURCES.md").read_text(encoding="utf-8")
    table = text[text.index("## Files") : text.index("## Origin")]
    first_cells = [row.split("|")[1] for row in table.splitlines() if row.startswith("| `")]
    listed = [path for cell in first_cells for path in re.findall(r"`([^`]+)`", cell)]
    assert sorted(listed) == [f for f in data_files() if f not in ("SOURCES.md", "SHA256SUMS")]


def test_sources_gives_origin_licence_and_maker_of_every_file():
    text = (DATA / "SOURCES.md").read_text(encoding="utf-8")
    table = text[text.index("## Origin") : text.index("## Looked at")]
    rows = [
        [cell.strip() for cell in row.split("|")[1:-1]] for row in table.splitlines() if row.startswith("| `")
    ]
    assert all(len(row) == 4 and all(row) for row in rows)
    prefixes = tuple(row[0].strip("`") for row in rows)
    assert [f for f in data_files() if "/" in f and not f.startswith((*prefixes, "licenses/"))] == []
    for _, _, _, maker in rows:
        script = re.match(r"`([\w./]+\.py)", maker)
        assert maker == "copied" or (ROOT / "tools" / "data" / script.group(1)).is_file()


def test_sources_names_only_loaders_that_exist():
    text = (DATA / "SOURCES.md").read_text(encoding="utf-8")
    named = set(re.findall(r"\| `(\w+)\((?:name|table)?\)` \|", text))
    assert named == {
        "attention", "reference", "speech", "digits", "calibration", "image",
        "cldr_dates", "cldr_names", "factbook", "regression", "results", "reader",
    }  # fmt: skip
    assert all(callable(getattr(datasets, name)) for name in named)


def test_every_data_set_is_used():
    """By a chapter or the package; `reference` is there for a test in this file."""
    cells = [
        "".join(cell["source"])
        for path in (ROOT / "chapters").rglob("*.ipynb")
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
    ]
    modules = (path for path in (ROOT / "attnlib").glob("*.py") if path.name != "datasets.py")
    code = "\n".join([*cells, *(path.read_text(encoding="utf-8") for path in modules)])
    text = (DATA / "SOURCES.md").read_text(encoding="utf-8")
    loaders = set(re.findall(r"\| `(\w+)\((?:name|table)?\)` \|", text)) - {"reference"}
    assert [loader for loader in sorted(loaders) if f"datasets.{loader}(" not in code] == []
    kinds = (datasets.ATTENTION, datasets.CALIBRATION, datasets.IMAGES, datasets.REGRESSION, datasets.RESULTS)
    assert [name for kind in kinds for name in kind if f'"{name}"' not in code] == []


def test_text_files_have_unix_line_ends_so_that_git_cannot_change_their_checksum():
    for path in data_files():
        if not path.endswith((".npz", ".png", ".wav")):
            assert b"\r" not in (DATA / path).read_bytes(), path


def test_every_licence_named_has_its_text():
    notices = (DATA / "licenses" / "NOTICES.txt").read_text(encoding="utf-8")
    here = {path.removeprefix("licenses/") for path in data_files() if path.startswith("licenses/")}
    assert set(re.findall(r"\(([\w.-]+\.txt|LICENSE\.unicode)", notices)) <= here
    words = {
        "Apache-2.0.txt": "TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION",
        "CC0-1.0.txt": "CC0 1.0 Universal",
        "LICENSE.unicode": "UNICODE LICENSE V3",
        "scikit-learn-BSD-3.txt": "The scikit-learn developers",
        "statsmodels-BSD-3.txt": "statsmodels Developers",
        "whisper-MIT.txt": "Copyright (c) 2022 OpenAI",
        "pocketsphinx-testdata-debian-copyright.txt": "Carnegie Mellon University",
        "NOTICES.txt": "Lav Varshney",
    }
    assert set(words) == here
    for name, phrase in words.items():
        assert phrase in (DATA / "licenses" / name).read_text(encoding="utf-8"), name


def test_the_wheel_holds_every_data_file(tmp_path):
    code = "import sys; from flit_core import buildapi; print(buildapi.build_wheel(sys.argv[1]))"
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    with zipfile.ZipFile(tmp_path / done.stdout.strip()) as wheel:
        inside = {n.removeprefix("attnlib/data/") for n in wheel.namelist() if n.startswith("attnlib/data/")}
    assert inside == set(data_files())


# --- refusing ------------------------------------------------------------------------------------------


@pytest.fixture
def copied_data(tmp_path, monkeypatch):
    """A copy of two data files and the list of checksums, which a test may spoil."""
    for path in ("SHA256SUMS", "digits.npz", "regression/nile.csv"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes((DATA / path).read_bytes())
    monkeypatch.setattr(datasets, "_DATA", tmp_path)
    return tmp_path


def test_missing_file_is_a_sentence(copied_data):
    (copied_data / "digits.npz").unlink()
    with pytest.raises(
        DatasetError, match=r"attnlib/data/digits\.npz is missing .*git checkout attnlib/data$"
    ):
        datasets.digits()


@pytest.mark.parametrize("spoil", [lambda b: b[:-1], lambda b: b.replace(b"1120", b"1121"), lambda b: b""])
def test_damaged_file_is_a_sentence(copied_data, spoil):
    file = copied_data / "regression" / "nile.csv"
    assert datasets.regression("nile").y[0] == 1120
    file.write_bytes(spoil(file.read_bytes()))
    with pytest.raises(DatasetError, match=r"attnlib/data/regression/nile\.csv is damaged: .*SHA256SUMS"):
        datasets.regression("nile")


def test_damage_is_noticed_before_the_file_is_parsed(copied_data):
    (copied_data / "digits.npz").write_bytes(b"\x80\x04 not an archive")
    with pytest.raises(DatasetError, match="damaged"):
        datasets.digits()


def test_changed_file_with_recomputed_checksum_is_read_anew(copied_data):
    file, sums = copied_data / "regression" / "nile.csv", copied_data / "SHA256SUMS"
    old = file.read_bytes()
    file.write_bytes(old.replace(b"1120", b"1121"))
    digests = [hashlib.sha256(content).hexdigest() for content in (old, file.read_bytes())]
    sums.write_text(sums.read_text("utf-8").replace(*digests), "utf-8")
    assert datasets.regression("nile").y[0] == 1121


def test_unlisted_file_and_missing_list_are_sentences(copied_data):
    sums = copied_data / "SHA256SUMS"
    lines = sums.read_text("utf-8").splitlines(keepends=True)
    sums.write_text("".join(line for line in lines if " digits.npz" not in line), "utf-8")
    with pytest.raises(DatasetError, match=r"digits\.npz has no line in attnlib/data/SHA256SUMS"):
        datasets.digits()
    sums.unlink()
    with pytest.raises(DatasetError, match="SHA256SUMS is missing"):
        datasets.digits()


@pytest.mark.parametrize(
    "load, allowed",
    [
        (datasets.attention, datasets.ATTENTION),
        (datasets.calibration, datasets.CALIBRATION),
        (datasets.image, datasets.IMAGES),
        (datasets.regression, datasets.REGRESSION),
    ],
)
@pytest.mark.parametrize("name", ["tired", "", None, 3, ["coref_tired"], "../digits"])
def test_unknown_name_lists_the_allowed_ones(load, allowed, name):
    with pytest.raises(DatasetError) as caught:
        load(name)
    assert f"name={name!r}" in str(caught.value)
    assert all(repr(known) in str(caught.value) for known in allowed)
    assert all(load(known) is not None for known in allowed)


@pytest.mark.parametrize("layer, head, words", [(6, 0, "layer=6"), (0, 12, "head=12"), (-1, 0, "layer=-1")])
def test_a_head_that_does_not_exist_is_a_sentence(layer, head, words):
    with pytest.raises(DatasetError, match=f"{words} does not exist; choose 0 to"):
        datasets.attention("negation").head(layer, head)


def test_vectors_that_are_not_stored_are_a_sentence():
    stored = r"\(0, 2\), \(2, 9\), \(3, 1\), \(3, 11\)\.$"
    with pytest.raises(DatasetError, match=r"layer=4, head=5 are not stored.*" + stored):
        datasets.attention("negation").qkv(4, 5)


def test_photograph_without_pillow_is_a_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(DatasetError, match="pip install pillow"):
        datasets.image("camera")


# --- frozen --------------------------------------------------------------------------------------------


def every_record():
    for name in datasets.ATTENTION:
        yield datasets.attention(name)
    for name in datasets.CALIBRATION:
        yield datasets.calibration(name)
    for name in datasets.REGRESSION:
        yield datasets.regression(name)
    yield from (datasets.reference(), datasets.speech(), datasets.digits())
    yield from (
        datasets.factbook(),
        datasets.cldr_names(),
        datasets.cldr_dates()["en"],
    )


def test_records_are_frozen_and_arrays_read_only():
    arrays = [datasets.image(name) for name in datasets.IMAGES]
    for record in every_record():
        field = dataclasses.fields(record)[0].name
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(record, field, None)
        arrays += [v for v in vars(record).values() if isinstance(v, np.ndarray)]
        if isinstance(record, datasets.Attention):
            arrays += [record.head(3, 1), *record.qkv(3, 1)]
    assert len(arrays) > 60
    for array in arrays:
        assert not array.flags.writeable
        assert array.base is None or not array.base.flags.writeable
    with pytest.raises(TypeError):
        datasets.cldr_dates()["en"].patterns["full"] = ""
    with pytest.raises(TypeError):
        datasets.factbook().texts["Iceland"] = ()


def test_scores_logits_and_vectors_are_float64():
    text, talk, book = datasets.attention("negation"), datasets.speech(), datasets.factbook()
    logits = datasets.calibration("logistic")
    arrays = [text.scores, *text.qkv(0, 2), talk.scores, talk.padding_logsumexp, datasets.reference().scores]
    arrays += [logits.test_logits, logits.validation_logits, book.sentence_vectors, datasets.digits().images]
    for array in (*arrays, datasets.image("camera"), datasets.regression("engel").x):
        assert array.dtype == np.float64 and np.isfinite(array).all()


def test_importing_datasets_loads_numpy_alone():
    code = (
        "import sys, attnlib.datasets; print([m for m in ('matplotlib', 'PIL', 'scipy') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"


# --- language model ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name, n",
    list(zip(datasets.ATTENTION, (16, 16, 13, 14, 14, 38, 52), strict=True)),
    ids=datasets.ATTENTION,
)
def test_attention_shapes_and_tokens(name, n):
    text = datasets.attention(name)
    assert text.name == name and text.scores.shape == (6, 12, n, n) and len(text.tokens) == n
    assert (text.tokens[0], text.tokens[-1]) == ("[CLS]", "[SEP]")
    assert_array_equal(text.head(3, 1), text.scores[3, 1])
    assert_array_equal(text.scores, text.scores.astype(np.float16))
    assert len(repr(text)) < 1500 and "scores=float64 (6, 12" in repr(text)


def test_the_opening_pair():
    """Only the last adjective differs, and "it" turns from the animal, .677 to .281, street .050 to .121."""
    weights = {}
    for name in ("coref_tired", "coref_wide"):
        text = datasets.attention(name)
        row = softmax(text.head(3, 1))[text.tokens.index("it")]
        weights[name] = [row[text.tokens.index(token)].round(3) for token in ("animal", "street")]
    assert weights == {"coref_tired": [0.677, 0.050], "coref_wide": [0.281, 0.121]}
    tired, wide = (datasets.attention(n).tokens for n in ("coref_tired", "coref_wide"))
    assert [(a, b) for a, b in zip(tired, wide, strict=True) if a != b] == [("tired", "wide")]


def test_no_head_puts_most_weight_on_street():
    text = datasets.attention("coref_wide")
    on_street = softmax(text.scores)[:, :, 10, 8]
    assert np.unravel_index(on_street.argmax(), (6, 12)) == (5, 1)
    assert on_street.max().round(3) == 0.239


def test_reference_weights_are_the_softmax_of_the_reference_scores():
    reference = datasets.reference()
    assert reference.scores.shape == reference.weights.shape == (6, 12, 16, 16)
    error = abs(softmax(reference.scores.astype(np.float32)) - reference.weights).max()
    assert 1e-8 < error < 4.85e-7  # in float32, as the model computes; last digits differ between CPUs
    stored = datasets.attention("coref_tired")
    assert stored.tokens == reference.tokens
    assert_allclose(stored.scores, reference.scores, rtol=2**-11, atol=2**-24)
    assert abs(softmax(stored.scores) - reference.weights).max() <= 7.6e-4


@pytest.mark.parametrize("name", datasets.ATTENTION)
def test_queries_and_keys_repeat_the_scores(name):
    text = datasets.attention(name)
    assert text.qkv_heads == ((0, 2), (2, 9), (3, 1), (3, 11))
    for layer, head in text.qkv_heads:
        query, key, value = text.qkv(layer, head)
        assert query.shape == key.shape == value.shape == (len(text.tokens), 32)
        # q, k and the score are each rounded to 11 bits: error within 3 * 2^-11 of sum |q k| / sqrt(32)
        bound = 3 * 2**-11 * (abs(query) @ abs(key).T) / np.sqrt(32)
        assert (abs(query @ key.T / np.sqrt(32) - text.head(layer, head)) <= bound).all()


# --- speech, classifiers, pictures ---------------------------------------------------------------------


def test_speech():
    talk = datasets.speech()
    assert talk.audio.shape == (52640,) and talk.audio.dtype == np.int16 and talk.rate == 16000
    assert len(talk.audio) / talk.rate == pytest.approx(3.29)
    assert (DATA / talk.file).read_bytes()[44:] == talk.audio.tobytes()  # after the header of a WAV file
    assert talk.scores.shape == (8, 13, 165) and talk.padding_logsumexp.shape == (8, 13)
    assert 165 * talk.seconds_per_frame >= 3.29 > 164 * talk.seconds_per_frame
    assert len(talk.heads) == 8 and len(talk.reads) == len(talk.writes) == 13
    assert talk.reads[1:] == talk.writes[:-1] and talk.writes[-1] == ""
    head = talk.heads.index((3, 4))
    times = talk.scores[head, 1:10].argmax(axis=1) * talk.seconds_per_frame
    assert_allclose(times, [0.46, 0.68, 0.80, 1.06, 1.30, 1.66, 1.88, 2.00, 2.56], atol=1e-9)


@pytest.mark.parametrize("name, accuracy, loss", [("perceptron", 0.871, 0.426), ("logistic", 0.858, 0.525)])
def test_calibration(name, accuracy, loss):
    data = datasets.calibration(name)
    assert data.validation_logits.shape == (400, 10) and data.test_logits.shape == (897, 10)
    assert data.validation_labels.shape == (400,) and data.test_labels.shape == (897,)
    assert data.test_labels.dtype == np.int64
    assert (data.test_logits.argmax(axis=1) == data.test_labels).mean().round(3) == accuracy
    right = softmax(data.test_logits)[np.arange(897), data.test_labels]
    assert -np.log(right).mean().round(3) == loss


def test_digits():
    data = datasets.digits()
    assert data.images.shape == (1797, 8, 8) and data.labels.shape == (1797,)
    assert (data.images.min(), data.images.max()) == (0, 16)
    assert np.bincount(data.labels).tolist() == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]


def test_photographs():
    for name in datasets.IMAGES:
        picture = datasets.image(name)
        assert picture.shape == (128, 128)
        assert 0 <= picture.min() < 0.1 and 0.8 < picture.max() <= 1


def test_regression_tables():
    engel, nile, sunspots = (datasets.regression(name) for name in datasets.REGRESSION)
    assert (len(engel.x), len(nile.x), len(sunspots.x)) == (235, 100, 309)
    assert engel.y.std().round(1) == 275.9 and nile.y.std().round(1) == 168.4
    assert nile.x.tolist() == list(range(1871, 1971)) and sunspots.x.tolist() == list(range(1700, 2009))
    assert engel.x_title.startswith("income") and engel.y_title.startswith("food")


# --- language ------------------------------------------------------------------------------------------


def test_dates():
    languages = datasets.cldr_dates()
    assert len(languages) == 25 and {code: entry.code for code, entry in languages.items()} == {
        c: c for c in languages
    }
    for entry in languages.values():
        assert (len(entry.months), len(entry.months_short), len(entry.weekdays)) == (12, 12, 7)
        assert set(entry.patterns) == {"full", "long", "medium", "short"}
    assert languages["fr"].months[7] == "août" and languages["en"].weekdays[0] == "Monday"


def test_names():
    names = datasets.cldr_names()
    assert [len(names.territories), len(names.languages), len(names.currencies)] == [264, 565, 282]
    assert len(names.territories) + len(names.languages) + len(names.currencies) == 1111
    for kind in (names.territories, names.languages, names.currencies):
        assert all(set(row) == {"en", "fr", "de", "es", "ru", "el"} for row in kind.values())
    assert names.territories["GB"]["fr"] == "Royaume-Uni"


def test_factbook():
    book = datasets.factbook()
    assert {country: len(sentences) for country, sentences in book.texts.items()} == {
        "Iceland": 8, "Ecuador": 10, "Ireland": 11, "South Africa": 11,
    }  # fmt: skip
    assert book.sentence_vectors.shape == (40, 384) and book.text_vectors.shape == (4, 384)
    assert book.question_vectors.shape == (7, 384) and len(book.questions) == 7 and len(book.sentences) == 40
    assert np.bincount(book.text_of_sentence).tolist() == [8, 10, 11, 11]
    for vectors in (book.sentence_vectors, book.question_vectors, book.text_vectors):
        assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-3)
    cosine = book.sentence_vectors @ book.question_vectors[1]
    best = softmax(20 * cosine)
    assert cosine.max().round(2) == 0.64 and np.sort(cosine)[-2].round(2) == 0.37
    assert "Askja" in book.sentences[best.argmax()]


def test_loaders_give_what_the_files_hold():
    """Read each text file a second way and compare."""
    sentences = json.loads((DATA / "minilm" / "tokens.json").read_text(encoding="utf-8"))["sentences"]
    assert {n: list(datasets.attention(n).tokens) for n in sentences} == {
        n: s["tokens"] for n, s in sentences.items()
    }
    with (DATA / "regression" / "engel.csv").open(newline="", encoding="utf-8") as file:
        rows = [(float(row["income"]), float(row["foodexp"])) for row in csv.DictReader(file)]
    engel = datasets.regression("engel")
    assert_array_equal(np.column_stack([engel.x, engel.y]), rows)
