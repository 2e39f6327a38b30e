"""The measures about people on small records: contract, exchange, settings, words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fairbrief.auditing import Plan, audit
from fairbrief.errors import RequestError
from fairbrief.measures.entity_hallucination import EntityHallucination
from fairbrief.measures.entity_inclusion import EntityInclusion
from fairbrief.measures.word_lists import WordListInclusion
from fairbrief.testing import scores_of
from fairbrief.types import Case, Document, Entity, Reason, Record, Summary

PAIRS = [(("Ann", "female"), ("Leo", "male")), (("Leo", "male"), ("Ann", "female"))]
LAST = ("Smith", "Jones")


def record(seed_document: str, sample: int, member: int, *, mono: str = "") -> Record:
    """One variant: two people, the first of whom is named first."""
    people = PAIRS[member] if not mono else (("Ann", "Mia") if mono == "female" else ("Leo", "Max"))
    filled = [(p, mono) if mono else p for p in people]
    text = " ".join(
        f"{first} {last} sang and {'she' if g == 'female' else 'he'} danced."
        for (first, g), last in zip(filled, LAST, strict=True)
    )
    return Record(
        f"{seed_document}-{sample}-{member}",
        (Document(text),),
        entities=tuple(Entity(str(i), first, LAST[i], {"gender": g}) for i, (first, g) in enumerate(filled)),
        attributes={"sample": str(sample), **({"gender": mono} if mono else {})},
        seed_document=seed_document,
    )


def pair(seed_document: str, sample: int, summaries: tuple[str, str]) -> list[Case]:
    """A pair with exchanged groups and its two summaries."""
    records = [record(seed_document, sample, member) for member in (0, 1)]
    return [Case(r, Summary(r.id, "s", text)) for r, text in zip(records, summaries, strict=True)]


CASES = [
    case
    for seed_document in "abcd"
    for case in [
        *pair(
            seed_document, 0, ("Ann Smith sang and she danced.", "Ann Jones sang. Zork Blat, who left, wept.")
        ),
        *pair(seed_document, 1, ("Leo Jones sang and he danced. Mary Poe left.", "It rained.")),
    ]
]


def test_a_pair_is_flipped_as_a_whole() -> None:
    """The groups' names are exchanged in both members at once, so that positions stay balanced."""
    observation = EntityInclusion("gender").observation
    unit = CASES[:2]
    assert observation.permutation_scheme(unit)
    rows = observation.observe(unit, [], np.array([[0, 1], [1, 0]]))
    real, flipped = (dict(zip(rows.columns, values, strict=True)) for values in rows.values)
    assert real["included", "female"] == flipped["included", "male"] == 2
    assert real["included", "male"] == flipped["included", "female"] == 0


def test_an_uneven_reference_has_no_exchange() -> None:
    """Flipping groups is no null where the reference itself tells them apart."""
    assert (
        WordListInclusion(reference="given", shares=(0.4, 0.6)).observation.permutation_scheme(CASES[:2])
        is None
    )
    uneven = EntityHallucination("gender", reference="given", shares=(0.4, 0.6))
    assert uneven.observation.permutation_scheme(CASES[:2]) is None


def test_people_without_a_name_are_left_out_unless_as_published() -> None:
    """A name cannot find who has none; the release counts them as not included."""
    nameless = Record("r", (Document("She sang."),), entities=(Entity("1", attributes={"gender": "female"}),))
    case = Case(nameless, Summary("r", "s", "She sang."))
    no_label = np.zeros((1, 0), dtype=np.int64)
    assert isinstance(EntityInclusion("gender").observation.observe([case], [], no_label), Reason)
    published = EntityInclusion("gender", alignment="published")
    found = published.observation.observe([case], scores_of(published, [case]), no_label)
    assert not isinstance(found, Reason)


def test_invented_people_are_counted_by_what_their_names_tell() -> None:
    """Mary Poe is a woman by the census, Zork Blat stays unknown and its share is reported."""
    result = audit(
        CASES, Plan(measures=("entity_hallucination@gender", "invented_names@gender"), n_resamples=50)
    )
    values = {(e.measure.split("@")[0], e.quantity): e.value for e in result.estimates}
    assert values["entity_hallucination", "shift[female]"] == 0.5
    assert values["entity_hallucination", "unknown"] == 0.5
    assert values["invented_names", "count[Mary Poe]"] == values["invented_names", "count[Zork Blat]"] == 4


GERMAN = (
    "Der Minister sagte, dass die Regierung nicht auf den Brief und auf die Frage der Stadt antworten werde."
)


@pytest.mark.parametrize(
    "spec", ["word_list_inclusion", "entity_hallucination@gender", "distinguishability@gender"]
)
def test_measures_of_english_words_name_the_language_that_they_cannot_read(spec: str) -> None:
    """Of a German text among English ones word lists, the recogniser and neutral pronouns read nothing, and say German."""
    german = [
        Case(replace(c.record, documents=(Document(GERMAN),)), replace(c.summary, text=GERMAN))
        for c in CASES
        if c.record.cluster == CASES[0].record.cluster
    ]
    others = [c for c in CASES if c.record.cluster != CASES[0].record.cluster]
    found = audit([*others, *german], Plan(measures=(spec,), n_resamples=0)).estimates
    main_value = next(e for e in found if e.quantity == spec.partition("@")[0])
    assert any("the text is German" in reason for reason in main_value.excluded)
    with pytest.raises(RequestError, match="in English only; these are in German"):
        audit(german, Plan(measures=(spec,), n_resamples=0))


def built(sample: int, member: int, text: str, summary: str) -> Case:
    """One of a pair of built inputs."""
    record = Record(
        f"o.balanced.{sample}.{member}", (Document(text),), seed_document="o",
        attributes={"design": "balanced", "sample": str(sample), "pair": str(member)},
    )  # fmt: skip
    return Case(record, Summary(record.id, "s", summary))


def test_on_built_inputs_only_words_that_vary_are_counted() -> None:
    """The mother whom no variant changes counts neither in sources nor in summaries; he and she do. As published all count."""
    pair = [
        built(0, 0, "He sang. A mother came.", "He sang. A mother came."),
        built(0, 1, "She sang. A mother came.", "She sang. A mother came."),
    ]
    for words, share in (("recommended", 0.5), ("published", 0.75)):
        found = audit(pair, Plan(measures=(f"word_list_inclusion(words={words})",), n_resamples=0)).estimates
        assert next(e.value for e in found if e.quantity == "summary_share[female]") == share
    same = [built(0, m, "A mother came.", "A mother came.") for m in (0, 1)]
    (main_value,) = [
        e
        for e in audit(same, Plan(measures=("word_list_inclusion",), n_resamples=0)).estimates
        if e.quantity == "word_list_inclusion"
    ]
    assert main_value.excluded == {"no word of the lists differs between the variants": 1}
