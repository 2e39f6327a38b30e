"""Laws of the measures about people, whatever the counts and names."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fairbrief.measures.entity_inclusion import EntityInclusion
from fairbrief.measures.word_lists import WordListInclusion
from fairbrief.text.anonymisation import anonymise
from fairbrief.text.people import Name
from fairbrief.text.recognition import propose
from fairbrief.types import Totals

counts = st.integers(0, 50)
names = st.sampled_from(["Ann", "Leo", "Mary", "O'Brien", "Smith", "de la Cruz", "Li", "Jean-Luc"])


def _totals(first: str, second: str, values: list[int]) -> Totals:
    columns = [(first, "female"), (first, "male"), (second, "female"), (second, "male")]
    return Totals({c: i for i, c in enumerate(columns)}, np.array(values, dtype=float))


@settings(max_examples=50, deadline=None)
@given(st.tuples(counts, counts), st.tuples(counts, counts))
def test_renaming_the_groups_changes_signs_only(included: tuple[int, int], left: tuple[int, int]) -> None:
    """Exchanging the groups keeps the size of inclusion and turns the signed contrast round."""
    source = [i + k for i, k in zip(included, left, strict=True)]
    measure = EntityInclusion("gender")
    one = measure.value(_totals("source", "included", [*source, *included]))
    other = measure.value(_totals("source", "included", [*source[::-1], *included[::-1]]))
    np.testing.assert_allclose(one[measure.name].array, other[measure.name].array)
    contrast = "log_odds[female/male]"
    np.testing.assert_allclose(one[contrast].array, -other[contrast].array, atol=1e-12)


@settings(max_examples=50, deadline=None)
@given(st.lists(counts, min_size=4, max_size=4))
def test_word_list_shifts_sum_to_zero_and_bound_the_distance(values: list[int]) -> None:
    """What one group gains the others lose, and the total variation is half of all shifts."""
    found = WordListInclusion().value(_totals("source", "summary", values))
    shifts = np.array([found[f"shift[{g}]"].array for g in ("female", "male")])
    if not np.isnan(shifts).any():
        assert abs(shifts.sum()) < 1e-12
        assert found["word_list_inclusion"].array == np.abs(shifts).sum() / 2


@settings(max_examples=50, deadline=None)
@given(names, names)
def test_no_known_name_survives_anonymisation(first: str, last: str) -> None:
    """Whatever the name and its case, the neutral text does not hold it, and is left alone the second time."""
    known = [Name(first, last)]
    text = f"Mr. {last}'s dog bit {first} {last}; {last.upper()} fled."
    once = anonymise(text, known)
    words = once.replace("'", " ").replace("-", " ").lower().split()
    assert not {*last.lower().split(), first.lower()} & set(words)
    assert anonymise(once, known) == once


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=80) | st.text(alphabet="Ab .'-\nde", max_size=60))
def test_proposed_spans_lie_in_their_text(text: str) -> None:
    """Any text is read without error, and each span stands where it says."""
    for span in propose(text):
        assert text[span.start : span.end].split() == list(span.tokens)
