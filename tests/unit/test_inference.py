"""What intervals and tests are made of: jackknife, clusters in common, turned signs, permutations, random extracts, and random
numbers by name.
"""

from hashlib import blake2b
from itertools import permutations, product

import numpy as np
import pytest
from benchmarks.label_draws import observed_and_choice

from fairbrief.auditing.extracts import AS_LONG, NO_SENTENCE, ExtractDraws, kept_sentences
from fairbrief.statistics.keyed_random import keys_of, random_bits
from fairbrief.statistics.label_permutations import LabelDraws
from fairbrief.types import Case, Document, Reason, Record, Summary


def test_records_that_share_documents_are_labelled_alike() -> None:
    """In each resample a document moves alike in all records of its cluster, whatever else they hold."""
    draws = LabelDraws(200, 0)
    labels, items = np.array([0, 0, 1, 1]), np.array([11, 22, 33, 44])
    order = np.array([2, 0, 3, 1])
    rows, choice, exact = observed_and_choice(draws, "c", labels, items=items)
    other, chosen, _ = observed_and_choice(draws, "c", labels[order], items=items[order])
    assert exact
    assert (rows[choice][:, order] == other[chosen]).all()
    assert {tuple(row) for row in rows[choice].tolist()} == set(permutations([0, 0, 1, 1]))


def case(summary: str, *documents: str) -> tuple[Case]:
    """A record and its summary."""
    return (Case(Record("r", tuple(map(Document, documents))), Summary("r", "s", summary)),)


@pytest.mark.parametrize(("words", "coin", "kept"), [
    (3, 0.0, [0, 1, 0]), (6, 0.59, [0, 1, 1]), (6, 0.6, [0, 1, 0]), (8, 0.99, [0, 1, 1]), (9, 0.2, [1, 1, 1]),
    (9, 0.25, [0, 1, 1]), (2, 0.99, [0, 1, 0]),
])  # fmt: skip
def test_a_crossing_sentence_is_kept_by_its_missing_words(words: int, coin: float, kept: list[int]) -> None:
    """The second sentence of 3 words is drawn first, then the third of 5, then the first of 4. Of 6 words 3 are missing
    before the third: it is kept where the coin is below 3/5. Of 9 one is missing before the first: below 1/4. Of 2 the
    second is kept all the same.
    """
    assert kept_sentences(np.array([0.3, 0.1, 0.2, coin]), np.array([4, 3, 5]), words).tolist() == kept


def test_a_summary_as_long_as_its_source_has_no_extract() -> None:
    """Of 5 words there are extracts of 4, none of 5 or more; a source without a sentence has none of any length."""
    draws = ExtractDraws(4, seed=0)
    texts = ("One two three.", "Four five.")
    assert draws.extracts_of([case("a b c d e", *texts)])[0] == AS_LONG
    assert Reason("the summary is as long as its source") == AS_LONG
    ((found,),) = draws.extracts_of([case("a b c d", *texts)])  # type: ignore[misc]
    assert found.sentences == texts
    assert found.kept.shape == (4, 2)
    assert ExtractDraws(4, seed=0).extracts_of([case("a", " ")]) == [NO_SENTENCE]


NAMES = [f"record {i}" for i in range(500)]
KEYS = keys_of(NAMES, 0, "test")


def test_numbers_are_kept_from_version_to_version() -> None:
    """A key and its numbers are those of a plain reading of the definition; a change would change audits.

    The plain reading gives the first numbers that are published for SplitMix64, from the state 1234567.
    """
    states = [(1234567 + i * 0x9E3779B97F4A7C15) % 2**64 for i in (1, 2, 3)]
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert [reference_mix(state) for state in states] == published
    assert keys_of(["a", ""], 3, "x").tolist() == [reference_key("a"), reference_key("")]
    key = int(KEYS[7])
    wanted = [reference_mix(key ^ reference_mix((i + 1) * 0x9E3779B97F4A7C15 % 2**64)) for i in range(5)]
    assert random_bits(KEYS[7:8], 5)[0].tolist() == wanted


def reference_key(name: str) -> int:
    """Of seed 3 and purpose "x"."""
    return int.from_bytes(blake2b(f"3 1 x {name}".encode(), digest_size=8).digest(), "little")


def reference_mix(x: int) -> int:
    """SplitMix64's finalizer, with Python's integers."""
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ x >> 27) * 0x94D049BB133111EB % 2**64
    return x ^ x >> 31


def test_seed_purpose_and_name_make_other_numbers() -> None:
    """No two of them are mistaken for each other, whatever characters a name has."""
    named = product(("a", "b", "", "x a", "\udc80"), (0, 1, 11), ("x", "x a", "1"))
    keys = [keys_of([name], seed, purpose)[0] for name, seed, purpose in named]
    assert len(set(keys)) == len(keys)
