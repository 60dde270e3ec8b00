"""Word alignment: against a direct count with dictionaries, and what expectation-maximization guarantees."""

from collections import defaultdict

import numpy as np
import pytest
from numpy.testing import assert_allclose

from attnlib import alignment as al
from attnlib import datasets, softmax, sparsemax

FRANCS = [(("swiss", "franc"), ("franc", "suisse")), (("belgian", "franc"), ("franc", "belge"))]


@pytest.fixture(scope="module")
def corpus():
    """The names of 282 currencies in English and French, as words."""
    currencies = datasets.cldr_names().currencies.values()
    return [(al.words(row["en"]), al.words(row["fr"])) for row in currencies]


def learn_directly(pairs, rounds):
    """Model 1 as its authors describe it: fractional counts in dictionaries, no softmax, no logarithm."""
    vocabulary = {word for _, target in pairs for word in target}
    t = defaultdict(lambda: 1 / len(vocabulary))
    for _ in range(rounds):
        count, total = defaultdict(float), defaultdict(float)
        for source, target in pairs:
            keys = (al.EMPTY, *source)
            for word in target:
                whole = sum(t[word, key] for key in keys)
                for key in keys:
                    count[word, key] += t[word, key] / whole
                    total[key] += t[word, key] / whole
        t = {(word, key): n / total[key] for (word, key), n in count.items()}
    return t


def test_the_table_is_that_of_a_direct_count(corpus):
    table, t = al.learn(corpus, rounds=6), learn_directly(corpus, 6)
    assert np.isfinite(table.log_t).sum() == len(t)
    for (word, key), probability in t.items():
        found = np.exp(table.log_t[table.target[word], table.source[key]])
        assert_allclose(found, probability, rtol=1e-9, atol=1e-300)


def test_two_francs_by_hand():
    # round 1 shares each target word in thirds: t(suisse|swiss) = 1/2, t(suisse|franc) = (1/3) / (4/3) = 1/4
    table = al.learn(FRANCS, rounds=1)
    t = np.exp(table.scores(("swiss", "franc"), ("franc", "suisse")))
    assert_allclose(t, [[1 / 2, 1 / 2, 1 / 2], [1 / 4, 1 / 2, 1 / 4]])
    assert_allclose(softmax(np.log(t))[0], [1 / 3] * 3)
    # "swiss" and "suisse" end together, although they stand at different places
    weights = softmax(al.learn(FRANCS, rounds=100).scores(("swiss", "franc"), ("franc", "suisse")))
    assert weights[1, 1] > 0.99 and weights[0, 1] < 0.01


def test_no_round_knows_nothing_and_is_uniform():
    assert_allclose(np.exp(al.learn(FRANCS, rounds=0).log_t), 1 / 3)


def test_each_column_is_a_distribution_and_no_round_lowers_the_likelihood(corpus):
    tables = [al.learn(corpus, rounds=n) for n in range(8)]
    for table in tables:
        assert_allclose(np.exp(table.log_t).sum(axis=0), 1)
    assert (np.diff([table.log_likelihood(corpus) for table in tables]) > 0).all()


def test_likelihood_by_hand():
    # before any round each of the four target words has probability 1/3, whatever explains it
    assert_allclose(al.learn(FRANCS, rounds=0).log_likelihood(FRANCS), -4 * np.log(3))


def test_order_of_pairs_and_of_words_does_not_matter(corpus):
    turned = [(source[::-1], target[::-1]) for source, target in corpus[::-1]]
    one, other = al.learn(corpus, 5), al.learn(turned, 5)
    source, target = ("swiss", "franc"), ("franc", "suisse")
    assert_allclose(one.scores(source, target), other.scores(source, target))


def test_a_sparse_map_drops_what_it_gives_no_weight(corpus):
    table = al.learn(corpus, 20, transform=sparsemax)
    assert np.isfinite(table.log_t).sum() < np.isfinite(al.learn(corpus, 20).log_t).sum()
    assert set(np.exp(table.log_t).sum(axis=0).round(9)) <= {0.0, 1.0}


def test_a_pair_without_target_words_changes_nothing():
    with_gap = [*FRANCS, (("swiss",), ())]
    assert_allclose(al.learn(with_gap, 3).log_t, al.learn(FRANCS, 3).log_t)
    assert_allclose(al.learn(FRANCS, 3).log_likelihood(with_gap), al.learn(FRANCS, 3).log_likelihood(FRANCS))


@pytest.mark.parametrize("pairs", [[], [(("swiss",), ())]])
def test_an_empty_corpus_is_refused(pairs):
    with pytest.raises(ValueError, match="no target word"):
        al.learn(pairs)


def test_unknown_words_are_refused_by_name():
    table = al.learn(FRANCS, 1)
    with pytest.raises(KeyError, match="target word 'mark'"):
        table.scores(("swiss",), ("mark",))
    with pytest.raises(KeyError, match="source word 'mark'"):
        table.scores(("mark",), ("franc",))
    assert repr(table) == "WordTable(3 target words, 4 source words)"


def test_words_are_cut_at_whatever_is_no_letter_in_any_alphabet():
    assert al.words("Royaume-Uni") == ("royaume", "uni")
    assert al.words("Ελβετικό φράγκο") == ("ελβετικό", "φράγκο")


def test_stems_keep_at_least_one_letter():
    assert [al.stem(word) for word in ("united", "unis", "s", "ss")] == ["unite", "uni", "s", "ss"]
    assert al.stem("korean", letters=3) == "kor"


def test_compounds_are_cut_at_the_longest_known_end():
    pairs = [((), ("mittelhochdeutsch",)), ((), ("hochdeutsch",)), ((), ("deutsch",))]
    assert [t for _, t in al.cut_compounds(pairs)] == [
        ("mittel", "hochdeutsch"),
        ("hoch", "deutsch"),
        ("deutsch",),
    ]
    assert al.cut_compounds([((), ("xdeutsch",)), ((), ("deutsch",))])[0][1] == ("xdeutsch",)
    assert al.cut_compounds([((), ("ostsee",)), ((), ("see",))])[0][1] == ("ostsee",)


def test_spelling_is_one_for_the_same_word_and_none_across_alphabets():
    assert_allclose(al.spelling(["franc"], ["franc"]), [[0, 1]])
    assert_allclose(al.spelling(["φράγκο"], ["franc"]), [[0, 0]])


def test_a_tie_is_not_found_and_a_lone_source_word_is_not_asked():
    pairs = [(("a", "b"), ("x", "y")), (("a",), ("x", "y"))]
    dictionary = {"a": {"x"}}
    assert al.share_found(lambda s, t: np.zeros((len(t), 1 + len(s))), pairs, dictionary) == (0.0, 1)
    right = al.share_found(lambda s, t: np.eye(len(t), 1 + len(s), 1), pairs, dictionary)
    assert right == (1.0, 1)
    share, links = al.share_found(lambda s, t: None, [], dictionary)
    assert np.isnan(share) and links == 0


def test_alignment_beats_chance_where_spelling_cannot_help():
    names = datasets.cldr_names()
    rows = [row for kind in (names.territories, names.languages, names.currencies) for row in kind.values()]
    pairs = [(al.words(row["en"]), al.words(row["el"])) for row in rows if row["el"]]
    dictionary, rest = al.one_word_dictionary(pairs)
    learnt, links = al.share_found(al.learn(rest).scores, rest, dictionary)
    spelled, _ = al.share_found(lambda s, t: al.spelling(t, s), rest, dictionary)
    assert links == 60 and learnt > 0.8 and spelled == 0
