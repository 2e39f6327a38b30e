"""Inputs that differ only in a person's age, and the care notes and complaints that come as examples."""

import re
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest

from fairbrief.errors import DataError, RequestError
from fairbrief.people.build_people import build
from fairbrief.people.filling import PeopleOptions
from fairbrief.types import Document, Entity, Mention, Record
from fairbrief.workbench.corpora.text_sources import read_people

AGES = PeopleOptions(groups="age", design="mono")


def note(text: str, *marked: str) -> Record:
    """A note about Ann Lee, in which each of these words is a mention of her age."""
    spans = [("full", "Ann Lee"), *(("age", words) for words in marked)]
    places = ((text.index(words), len(words), kind) for kind, words in spans)
    mentions = tuple(Mention(0, start, start + length, kind) for start, length, kind in places)
    return Record("note", (Document(text),), entities=(Entity("e", "Ann", "Lee", mentions=mentions),))


def texts(record: Record, groups: str = "age") -> dict[str, str]:
    """Group → text of each version."""
    made, _ = build([record], replace(AGES, groups=groups))
    return {r.attributes["group"]: r.documents[0].text for r in made}


def test_ages_articles_and_words_of_age_follow_the_group() -> None:
    """Numbers, "an 81", and pensioner; nothing else changes."""
    text = "Ann Lee is a 40-year-old employee. At work she sits."
    record = note(text, "40-year-old", "employee", "At work")
    assert texts(record) == {
        "aged 34": "Ann Lee is a 34-year-old employee. At work she sits.",
        "aged 81": "Ann Lee is an 81-year-old pensioner. In retirement she sits.",
    }
    assert texts(record, "age=18+29+64")["aged 18"] == "Ann Lee is an 18-year-old employee. At work she sits."


@pytest.mark.parametrize(("record", "reason", "detail"), [
    (note("Ann Lee is 40. At 40 she left.", "40"), "an original age remains", "40"),
    (note("Ann Lee left."), "no person to vary", "nobody named shows the group by a mention of kind age"),
])  # fmt: skip
def test_a_text_with_an_unmarked_age_is_excluded(record: Record, reason: str, detail: str) -> None:
    """The second 40 would contradict the new age; without a mention nobody can vary."""
    made, report = build([record], AGES)
    assert list(made) == []
    assert report.reasons() == {reason: 1}
    assert detail in report.refused[0].detail


def test_requests_that_no_text_could_meet_are_refused() -> None:
    """One age, an age outside the limits, more inputs than ages, a marked word without a known form."""
    for groups in ("age=34", "age=34+34", "age=7+81", "age=old+young"):
        with pytest.raises(RequestError, match="expected at least two different ages"):
            build([], PeopleOptions(groups=groups))
    with pytest.raises(RequestError, match="2 inputs of a seed document can differ"):
        build([], replace(AGES, per_seed_document=4))
    with pytest.raises(DataError, match="'tall', a mention of kind age, has no number"):
        texts(note("Ann Lee is tall.", "tall"))


@pytest.mark.parametrize("name", ["care_notes", "complaints"])
@pytest.mark.parametrize("groups", ["age", "gender"])
def test_all_example_notes_can_be_built(name: str, groups: str) -> None:
    """Two versions of each; they differ in the words of age or gender only, and no version mixes genders."""
    words = "exchange" if groups == "gender" else "keep"
    options = replace(AGES, groups=groups, per_seed_document=2, content_words=words)
    made, report = build(read_people(Path(f"examples/{name}.jsonl")), options)
    records = list(made)
    assert not report.refused
    assert len(report) >= 6
    for one, other in combinations(records, 2):
        if one.seed_document == other.seed_document:
            words = [re.findall(r"\w+", r.documents[0].text.lower()) for r in (one, other)]
            pairs = zip(*words, strict=groups == "gender")
            shown = {word for pair in pairs if pair[0] != pair[1] for word in pair}
            assert not {"she", "he"} <= set(words[0])
            assert groups == "age" or {"she", "he"} <= shown
            assert one.documents != other.documents
