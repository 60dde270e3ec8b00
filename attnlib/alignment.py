"""Word alignment by attention: which source word does each target word come from?

A corpus is a list of pairs (source words, target words) that mean the same. Nothing says which word belongs
to which; a table of probabilities t(target word | source word) is learnt from the pairs alone. Each target
word asks (it is the query), the source words of its pair are the keys, log t is the score, and softmax turns
a row of scores into weights. Before the source words stands the empty word :data:`EMPTY`, for target words
that come from none.

Model and estimation: Brown, Della Pietra, Della Pietra and Mercer 1993, model 1.
"""

import re
from dataclasses import dataclass

import numpy as np

from attnlib.transforms.exponential import softmax

__all__ = [
    "EMPTY", "WordTable", "cut_compounds", "learn", "one_word_dictionary", "share_found", "spelling", "stem",
    "words",
]  # fmt: skip

EMPTY = "∅"


# --- words ---------------------------------------------------------------------------------------------


def words(text):
    """Return the words of a text in small letters, without punctuation.

    >>> words("Côte d’Ivoire")
    ('côte', 'd', 'ivoire')
    """
    return tuple(re.findall(r"\w+", text.lower()))


def stem(word, letters=5):
    """Return the first letters of a word, without a closing s: one form for many endings.

    >>> stem("unis"), stem("korean"), stem("korea")
    ('uni', 'korea', 'korea')
    """
    return (word.rstrip("s") or word)[:letters]


def cut_compounds(pairs, letters=4):
    """Cut each target word whose end is itself a target word of the corpus, of at least so many letters.

    Source words stay as they are. The longest end counts, and what stands before it needs two letters.

    >>> cut_compounds([(("cook", "islands"), ("cookinseln",)), (("islands",), ("inseln",))])
    [(('cook', 'islands'), ('cook', 'inseln')), (('islands',), ('inseln',))]
    """
    known = {word for _, target in pairs for word in target}

    def cut(word):
        for k in range(2, len(word) - letters + 1):
            if word[k:] in known:
                return (word[:k], word[k:])
        return (word,)

    return [(source, tuple(part for word in target for part in cut(word))) for source, target in pairs]


def spelling(target, source):
    """Return how alike words are spelled, (target words, 1 + source words); the empty word is like none.

    Dice's coefficient: of the pairs of neighbouring letters of both words, word ends included, the share that
    they have in common.

    >>> print(spelling(["suisse"], ["swiss", "franc"]).round(3))
    [[0.    0.462 0.   ]]

    "suisse" has 7 such pairs and "swiss" 6, three of them in common: s at the beginning, is, ss. 2 · 3 / 13.
    """

    def letter_pairs(word):
        return {f" {word} "[i : i + 2] for i in range(len(word) + 1)}

    def alike(one, other):
        a, b = letter_pairs(one), letter_pairs(other)
        return 2 * len(a & b) / (len(a) + len(b))

    return np.array([[0.0, *(alike(word, other) for other in source)] for word in target])


# --- the table -----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class WordTable:
    """What was learnt: the logarithm of t(target word | source word), in nats.

    Attributes:
        source, target: ``{word: its column}`` (the empty word is column 0) and ``{word: its row}``
        log_t: float64 (target words, source words); each column of exp(log_t) sums to one; −inf for words
            that never stand in one pair
    """

    source: dict[str, int]
    target: dict[str, int]
    log_t: np.ndarray

    def __repr__(self):
        return f"WordTable({len(self.target)} target words, {len(self.source)} source words)"

    def scores(self, source, target):
        """Return log t of each target word (row) given the empty word and each source word (columns).

        Raises KeyError, as a sentence, for a word that the corpus does not have.
        """
        rows, columns = (
            [_place(known, word, what) for word in words]
            for known, words, what in (
                (self.target, target, "target"),
                (self.source, (EMPTY, *source), "source"),
            )
        )
        return self.log_t[np.ix_(rows, columns)]

    def log_likelihood(self, pairs):
        """Return log P(target words | source words) of all pairs, in nats.

        Each target word has the mean of t over the empty word and the source words of its pair.
        """
        total = 0.0
        for source, target in pairs:
            if target:
                total += np.logaddexp.reduce(self.scores(source, target), axis=1).sum()
                total -= len(target) * np.log(1 + len(source))
        return float(total)


def _place(known, word, what):
    if word not in known:
        raise KeyError(f"the {what} word {word!r} does not stand in the corpus of the table")
    return known[word]


def learn(pairs, rounds=20, transform=softmax):
    """Learn a WordTable from pairs (source words, target words) by expectation-maximization.

    At first all target words are equally probable. Each round aligns every target word with the table so far
    (``transform`` of log t: with softmax, the posterior of model 1), adds up the weights of each word pair
    over the corpus, and takes the shares of each source word as its new column. With softmax no round lowers
    the likelihood of the corpus.

    Args:
        pairs: a sequence of (source words, target words), each a sequence of texts
        rounds: 0 or more
        transform: a map of rows of scores to weights that takes a ``mask``

    Raises ValueError for a corpus without a target word.

    After one round of two pairs, "suisse" gives "swiss" twice the weight of "franc" or of the empty word:

    >>> corpus = [(("swiss", "franc"), ("franc", "suisse")), (("belgian", "franc"), ("franc", "belge"))]
    >>> softmax(learn(corpus, rounds=1).scores(("swiss", "franc"), ("suisse",)))
    array([[0.25, 0.5 , 0.25]])
    """
    source, target, row, column = _numbered(pairs)
    mask = column >= 0
    cell = (row * len(source) + column)[mask]
    log_t = np.full((len(target), len(source)), -np.log(len(target)))
    for _ in range(rounds):
        weights = transform(log_t[row, column], mask=mask)
        counts = np.bincount(cell, weights[mask], log_t.size)
        counts = counts.reshape(log_t.shape)
        totals = counts.sum(axis=0)
        with np.errstate(divide="ignore"):
            log_t = np.log(counts / np.where(totals > 0, totals, 1))
    return WordTable(source, target, log_t)


def _numbered(pairs):
    """Return (columns of source words, rows of target words, row, column) of a corpus.

    One line per target word of the corpus: its row, (n, 1), and the columns of what it may come from,
    (n, 1 + longest source), filled up with -1.
    """
    source = {w: i for i, w in enumerate(dict.fromkeys([EMPTY, *(w for s, _ in pairs for w in s)]))}
    target = {w: i for i, w in enumerate(dict.fromkeys(w for _, t in pairs for w in t))}
    if not target:
        raise ValueError("pairs holds no target word; give at least one pair (source words, target words)")
    longest = max(len(s) for s, _ in pairs)
    keys = [[0, *(source[w] for w in s)] + [-1] * (longest - len(s)) for s, t in pairs for _ in t]
    return source, target, np.array([target[w] for _, t in pairs for w in t])[:, None], np.array(keys)


# --- judging it ----------------------------------------------------------------------------------------


def one_word_dictionary(pairs):
    """Return (dictionary, rest): pairs of one word each as ``{source: set of targets}``, and the other pairs.

    >>> one_word_dictionary([(("korean",), ("coréen",)), (("old", "korean"), ("ancien", "coréen"))])
    ({'korean': {'coréen'}}, [(('old', 'korean'), ('ancien', 'coréen'))])
    """
    dictionary, rest = {}, []
    for source, target in pairs:
        if len(source) == 1 == len(target):
            dictionary.setdefault(source[0], set()).add(target[0])
        else:
            rest.append((source, target))
    return dictionary, rest


def share_found(score, pairs, dictionary):
    """Return (share, links): for which share of the known links does the right source word lead alone?

    A link is a target word whose translation in the dictionary stands in the same pair, among two or more
    source words. A tie at the top is not found.

    Args:
        score: a function of (source words, target words) that returns (target words, 1 + source words)
        pairs: the corpus
        dictionary: ``{source word: set of target words}``

    >>> pairs, dictionary = [(("old", "korean"), ("ancien", "coréen"))], {"korean": {"coréen"}}
    >>> share_found(lambda source, target: spelling(target, source), pairs, dictionary)
    (1.0, 1)
    """
    found = []
    for source, target in pairs:
        links = [
            (i, j)
            for i, word in enumerate(target)
            for j, other in enumerate(source, 1)
            if len(source) > 1 and word in dictionary.get(other, ())
        ]
        if links:
            scores = np.asarray(score(source, target))
            found += [scores[i, j] > np.delete(scores[i], j).max() + 1e-6 for i, j in links]
    return (float(np.mean(found)) if found else float("nan")), len(found)
