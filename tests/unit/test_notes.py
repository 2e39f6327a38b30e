"""Notes on groups: where their documents differ in length, where they are one but for their spelling, where they are no value."""

import numpy as np
import pytest
from tests.sample_cases import of

from fairbrief.auditing import Plan, audit
from fairbrief.reports import html
from fairbrief.reports.result import Result
from fairbrief.reports.wording import worded
from fairbrief.types import Case, Document, Record, Summary

MEASURES = ["coverage_parity@side", "uer@side"]


def audited(longer: int, records: int = 40, spread: bool = True) -> Result:
    """A picker of sentences without regard to groups; documents of b have so many times the sentences of a's."""
    rng = np.random.default_rng(7)
    cases = []
    for i in range(records):
        documents, every = [], []
        for side, times in (("a", 1), ("b", longer)):
            for _ in range(4):
                many = times * (int(rng.integers(1, 4)) if spread else 2)
                told = [f"W{' w'.join(map(str, rng.integers(0, 400, 8)))}." for _ in range(many)]
                every += told
                documents.append(Document(" ".join(told), {"side": side}))
        picked = " ".join(rng.choice(every, 5, replace=False))
        cases.append(Case(Record(f"r{i}", tuple(documents)), Summary(f"r{i}", "s", picked)))
    return audit(cases, Plan(measures=MEASURES, n_resamples=200))


@pytest.fixture(scope="module")
def unequal() -> Result:
    """Documents of b three times as long."""
    return audited(3)


@pytest.mark.parametrize("measure", MEASURES)
def test_main_values_and_contrasts_say_it_with_both_readings(unequal: Result, measure: str) -> None:
    """Both notes stand at the main value, at each leading contrast, in the page, and in Python."""
    main_value = of(unequal, measure.partition("@")[0])
    codes = ("documents_longer", "words_unlike_documents", "length_held_equal", "documents_alike")
    fact, readings = (note for note in main_value.notes if note.code in codes)
    assert worded(fact).startswith("documents differ in length")
    start = "s at equal document lengths: a" if "coverage" in measure else "s with equal weight per document"
    assert worded(readings).startswith(start)
    assert "(unadjusted for length" in worded(readings)
    for e in unequal.estimates:
        if e.measure == measure and e.is_primary:
            assert fact in e.notes
    assert "documents differ in length" in html.render(unequal)


def test_without_a_difference_inside_groups_length_cannot_be_told_apart() -> None:
    """Where all documents of a group are equally long, the note says that there is no second reading."""
    notes = of(audited(2, records=12, spread=False), "coverage_parity").notes
    assert any(note.code == "length_is_group" for note in notes)


ALIKE = "the groups {} of stars differ only in spelling: if they are one group, use one spelling"
MISSING = "'{}' is a group of stars: if it means a missing value, leave the cell empty"


@pytest.mark.parametrize(("groups", "said"), [
    (("5", "5.0", "nan"), [ALIKE.format("'5', '5.0'"), MISSING.format("nan")]),
    (("pos ", "pos", "neg"), [ALIKE.format("'pos', 'pos '")]),
    (("Left", "left"), [ALIKE.format("'Left', 'left'")]),
    (("1e1", "10"), [ALIKE.format("'10', '1e1'")]),
    *(((missing, "1"), [MISSING.format(missing)]) for missing in ("NaN", "None", "null", "N/A", "<NA>")),
])  # fmt: skip
def test_groups_alike_or_without_a_value_are_named(groups: tuple[str, ...], said: list[str]) -> None:
    """Decimals, blanks and case part what people read as one; programs write a word where people leave empty."""
    documents = tuple(Document(f"Word{i} here.", {"stars": group}) for i, group in enumerate(groups))
    cases = [Case(Record(i, documents), Summary(i, "a", "Word0 here.")) for i in "012"]
    result = audit(cases, Plan(measures=["uer@stars"], n_resamples=0))
    assert [worded(note) for note in of(result, "uer").notes if note.code.startswith("groups")] == said
