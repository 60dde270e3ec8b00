"""What the readers read: dates as CLDR writes them, strips as they were composed."""

from datetime import date, timedelta

import numpy as np
import pytest

from attnlib import datasets, tasks
from attnlib.tasks import LANGUAGES, STYLES, dates, read_dates, strips, symbols, tokenize, write_date


def test_dates_as_people_write_them():
    day = date(2024, 5, 3)
    assert write_date(day, "en", "full")[0] == "friday, may 3, 2024"
    assert write_date(day, "de", "full")[0] == "freitag, 3. mai 2024"
    assert write_date(day, "fr", "long")[0] == "3 mai 2024"
    assert write_date(day, "es", "full")[0] == "viernes, 3 de mayo de 2024"
    assert write_date(day, "pl", "long")[0] == "3 maja 2024"
    assert write_date(day, "de", "medium")[0] == "03.05.2024"
    assert write_date(day, "de", "medium")[1] == "dd mm yyyy"
    assert write_date(day, "es", "long") == ("3 de mayo de 2024", "d    mmmm    yyyy")


def test_a_day_of_every_month_and_weekday_fits_the_reader():
    longest = 0
    for language in LANGUAGES:
        for style in STYLES:
            for step in range(0, 365 * 3, 11):
                text, fields = write_date(date(1999, 11, 27) + timedelta(step), language, style)
                assert len(text) == len(fields)
                tokens, _ = tokenize(text)
                assert set(tokens) <= set(symbols())
                longest = max(longest, len(tokens))
    assert longest == 14 < tasks.KEYS


def test_symbols_are_numbered_from_one():
    assert sorted(symbols().values()) == list(range(1, len(symbols()) + 1))
    assert {"<s>", *"0123456789", "środa", "août", "märz", ",", "."} <= set(symbols())


def test_answers_and_holders_agree():
    sample = dates(400, np.random.default_rng(3))
    names = {c: (how.months, how.months_short) for c, how in datasets.cldr_dates().items()}
    one_digit = 0
    for i, tokens in enumerate(sample.tokens):
        answer, holds = sample.digits[i], sample.holds[i]
        assert not holds[:, len(tokens) :].any()
        held = [[tokens[j] for j in np.flatnonzero(slot)] for slot in holds]
        for slot in (0, 1, 2, 3, 7):
            assert held[slot] == [str(answer[slot])]
        month = 10 * answer[4] + answer[5]
        written = {lists[month - 1].lower().strip(".") for lists in names[sample.languages[i]]}
        if held[4] != held[5]:  # two digits
            assert held[4] + held[5] == [str(answer[4]), str(answer[5])]
        else:
            assert set(held[4]) & written
        assert held[6] == [str(answer[6])] or (held[6] == [] and answer[6] == 0)
        one_digit += not held[6]
    assert one_digit > 50


def test_inputs_are_the_tokens():
    sample = dates(20, np.random.default_rng(1), "test")
    names = {number: token for token, number in symbols().items()}
    for tokens, row in zip(sample.tokens, sample.inputs, strict=True):
        assert [names[x] for x in row if x] == list(tokens)
    assert len(sample) == 20
    assert sample.digits.shape == (20, 8)


def test_no_day_is_in_both_parts():
    train, test = tasks._days("train"), tasks._days("test")
    assert not set(train) & set(test)
    assert sorted([*train, *test]) == list(range(tasks.DAYS))
    assert tasks.FIRST_DAY + timedelta(tasks.DAYS - 1) == date(2099, 12, 31)
    drawn = dates(300, np.random.default_rng(0), "test").digits
    days = {
        (
            date(*(int("".join(map(str, d[part]))) for part in (slice(4), slice(4, 6), slice(6, 8))))
            - tasks.FIRST_DAY
        ).days
        for d in drawn
    }
    assert days <= set(test.tolist())


def test_no_handwriting_is_in_both_parts():
    train, test = (images for images, _ in map(tasks._handwriting, ("train", "test")))
    assert (len(train), len(test)) == (1297, 500)
    everything = np.sort(np.concatenate([train, test]).reshape(1797, -1).sum(axis=1))
    np.testing.assert_array_equal(
        everything, np.sort((datasets.digits().images / 16).astype(np.float32).reshape(1797, -1).sum(axis=1))
    )


def test_a_patch_shows_the_digit_that_was_put_there():
    sample = strips(30, np.random.default_rng(6), "test")
    images, labels = tasks._handwriting("test")
    patches = sample.inputs
    assert patches.shape == (30, 164, 64)
    assert patches.dtype == np.float32
    for i in range(30):
        for slot in range(4):
            place = sample.rows[i, slot] * tasks.GRID[1] + sample.columns[i, slot]
            away = np.abs(images.reshape(len(images), -1) - patches[i, place]).mean(axis=1)
            assert away.min() < 0.06  # the noise
            assert labels[away.argmin()] == sample.digits[i, slot]
            assert sample.holds[i, slot, place]
            assert 4 <= sample.holds[i, slot].sum() <= 9  # the place and its neighbours


def test_strips_keep_to_their_cells():
    sample = strips(200, np.random.default_rng(0))
    assert (sample.columns // tasks.CELL == range(4)).all()
    assert ((sample.columns % tasks.CELL) <= tasks.CELL - tasks.SIDE).all()
    assert set(sample.rows.ravel()) == {0, 1, 2, 3}
    assert sample.images.min() >= 0
    assert sample.images.max() <= 1


def test_batches_are_drawn_from_the_sample():
    sample = dates(5, np.random.default_rng(0))
    inputs, digits = next(tasks.batches(sample, 12, np.random.default_rng(1)))
    assert inputs.shape == (12, tasks.KEYS)
    for row, answer in zip(inputs, digits, strict=True):
        (same,) = np.flatnonzero((sample.inputs == row).all(axis=1))[:1]
        assert (sample.digits[same] == answer).all()
    stream = tasks.fresh_strips(3, np.random.default_rng(0))
    (first, _), (second, _) = next(stream), next(stream)
    assert first.shape == (3, 164, 64)
    assert (first != second).any()


def test_dates_typed_by_hand_must_be_readable():
    from attnlib.experiments import new_reader

    reader = new_reader("dates", "softmax", np.random.default_rng(0))
    tokens, reading = read_dates(reader, ["May 3, 2024", "3 maja 2024"])
    assert tokens[0] == ("<s>", "may", "3", ",", "2", "0", "2", "4")
    assert reading.weights.shape == (2, 8, tasks.KEYS)
    with pytest.raises(ValueError, match=r"at most 17 symbols, all known to the reader, but .* holds 'маја'"):
        read_dates(reader, ["3 маја 2024"])
    with pytest.raises(ValueError, match="has 18 symbols"):
        read_dates(reader, ["1" * 18])


@pytest.mark.parametrize("draw", [dates, strips])
def test_parts_are_two(draw):
    with pytest.raises(ValueError, match="part must be 'train' or 'test', not 'all'"):
        draw(1, np.random.default_rng(0), "all")
