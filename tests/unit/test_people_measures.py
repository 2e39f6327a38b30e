"""The measures about people on small records: contract, exchange, settings, words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.sample_cases import of

from fairbrief.auditing import Plan, audit
from fairbrief.errors import RequestError
from fairbrief.measures.entity_hallucination import EntityHallucination
from fairbrief.measures.entity_inclusion import EntityInclusion
from fairbrief.measures.word_lists import WordListInclusion
from fairbrief.testing import scores_of
from fairbrief.types import Case, Document, Entity, Reason, Record, Summary

PAIRS = [(("Ann", "female"), ("Leo", "male")), (("Leo", "male"), ("Ann", "female"))]
LAST = ("Smith", "Jones")


def record(seed_document: str, sample: int, member: int) -> Record:
    """One variant: two people, the first of whom is named first."""
    named = zip(PAIRS[member], LAST, strict=True)
    people = [Entity(last, first, last, {"gender": gender}) for (first, gender), last in named]
    said = {"female": "she", "male": "he"}
    texts = [f"{p.first_name} {p.last_name} sang and {said[p.attributes['gender']]} danced." for p in people]
    return Record(
        f"{seed_document}-{sample}-{member}", (Document(" ".join(texts)),), entities=tuple(people),
        attributes={"sample": str(sample)}, seed_document=seed_document,
    )  # fmt: skip


def pair(seed_document: str, sample: int, summaries: tuple[str, str]) -> list[Case]:
    """A pair with exchanged groups and its two summaries."""
    records = [record(seed_document, sample, member) for member in (0, 1)]
    return [Case(r, Summary(r.id, "s", text)) for r, text in zip(records, summaries, strict=True)]


SAID = (
    ("Ann Smith sang and she danced.", "Ann Jones sang. Zork Blat, who left, wept."),
    ("Leo Jones sang and he danced. Mary Poe left.", "It rained."),
)
CASES = [case for name in "abcd" for sample, texts in enumerate(SAID) for case in pair(name, sample, texts)]


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
    uneven = {"reference": "given", "shares": (0.4, 0.6)}
    for measure in (WordListInclusion(**uneven), EntityHallucination("gender", **uneven)):
        assert measure.observation.permutation_scheme(CASES[:2]) is None


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
    measures = ("entity_hallucination@gender", "invented_names@gender")
    result = audit(CASES, Plan(measures=measures, n_resamples=50))
    assert of(result, "shift[female]").value == of(result, "unknown").value == 0.5
    assert of(result, "count[Mary Poe]").value == of(result, "count[Zork Blat]").value == 4


GERMAN = "Der Minister sagte, dass die Regierung nicht auf den Brief und auf die Frage antworten werde."


@pytest.mark.parametrize(
    "spec", ["word_list_inclusion", "entity_hallucination@gender", "distinguishability@gender"]
)
def test_measures_of_english_words_name_the_language_that_they_cannot_read(spec: str) -> None:
    """Of a German text among English ones word lists, the recogniser and neutral pronouns read nothing, and say German."""
    documents = (Document(GERMAN),)
    german = [
        Case(replace(c.record, documents=documents), replace(c.summary, text=GERMAN)) for c in CASES[:4]
    ]
    found = audit([*CASES[4:], *german], Plan(measures=(spec,), n_resamples=0))
    main_value = of(found, spec.partition("@")[0])
    assert any("the text is German" in reason for reason in main_value.excluded)
    with pytest.raises(RequestError, match="in English only; these are in German"):
        audit(german, Plan(measures=(spec,), n_resamples=0))


def built(member: int, text: str) -> Case:
    """One of a pair of built inputs, which a system repeats."""
    about = {"design": "balanced", "sample": "0", "pair": str(member)}
    record = Record(f"o.balanced.0.{member}", (Document(text),), attributes=about, seed_document="o")
    return Case(record, Summary(record.id, "s", text))


def test_on_built_inputs_only_words_that_vary_are_counted() -> None:
    """The mother whom no variant changes counts neither in sources nor in summaries; he and she do. As published all count."""
    pair = [built(member, f"{who} sang. A mother came.") for member, who in enumerate(("He", "She"))]
    for words, share in (("recommended", 0.5), ("published", 0.75)):
        found = audit(pair, Plan(measures=(f"word_list_inclusion(words={words})",), n_resamples=0))
        assert of(found, "summary_share[female]").value == share
    same = [built(member, "A mother came.") for member in (0, 1)]
    found = audit(same, Plan(measures=("word_list_inclusion",), n_resamples=0))
    reason = "no word of the lists differs between the variants"
    assert of(found, "word_list_inclusion").excluded == {reason: 1}
