"""Numbers whose arithmetic is written out: each of these tests has failed on a planted fault."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fairbrief import audit
from fairbrief.types import Case, Document, Entity, Record, Summary


def cases(clusters: int, systems: dict[str, str]) -> Iterator[Case]:
    """Records of one document a side; a system writes the same of each."""
    for i in range(clusters):
        record = Record(
            str(i), (Document("alder birch", {"side": "L"}), Document("quartz stone", {"side": "R"}))
        )
        for system, text in systems.items():
            yield Case(record, Summary(record.id, system, text))


@pytest.mark.parametrize(("clusters", "testable"), [(6, False), (7, True)])
def test_swaps_of_two_systems_need_seven_clusters_for_two_groups(clusters: int, testable: bool) -> None:
    """Of 2^c swaps two are as extreme as the real one, it and its mirror, and two contrasts are adjusted together:
    2 · 2/2^6 = 0.0625, 2 · 2/2^7 = 0.03125 <= 0.05.
    """
    systems = {"a": "alder birch", "b": "alder quartz"}
    found = audit(list(cases(clusters, systems)), "uer@side", n_resamples=2000)
    signed = [e for e in found.differences if e.quantity.startswith("difference[")]
    assert [e.testable for e in signed] == [testable, testable]


def test_sanity_baselines_are_a_holm_family_of_their_own() -> None:
    """The systems' adjusted p is the same whether sanity baselines stand beside them or not."""
    given = [
        case
        for i in range(12)
        for case in cases_of_one(i, {"a": "alder birch", "b": "alder quartz" if i % 3 else "alder birch"})
    ]
    alone = audit(given, ["uer@side", "bur@side"], n_resamples=400)
    beside = audit(
        given, ["uer@side", "bur@side"], n_resamples=400, sanity_baselines=["exchanged", "one_document"]
    )
    adjusted = {(e.measure, e.quantity, e.system): e.p_adjusted for e in beside.estimates}
    assert any(e.p_adjusted is not None for e in alone.estimates)
    for e in alone.estimates:
        assert adjusted[e.measure, e.quantity, e.system] == e.p_adjusted


def cases_of_one(i: int, systems: dict[str, str]) -> list[Case]:
    """One record of three documents a side, with so many words that labels can be exchanged."""
    documents = [Document(f"alder birch {w}", {"side": "L"}) for w in ("cedar", "elm", "fir")]
    documents += [Document(f"quartz stone {w}", {"side": "R"}) for w in ("slate", "chalk", "marl")]
    record = Record(str(i), tuple(documents))
    return [Case(record, Summary(record.id, system, text)) for system, text in systems.items()]


def test_a_surname_of_two_people_includes_neither() -> None:
    """Two of the three known people are called Smith: 'Smith' is one ambiguous mention, and names no one."""
    people = (
        Entity("1", "Ann", "Smith", {"gender": "female"}),
        Entity("2", "Bob", "Smith", {"gender": "male"}),
        Entity("3", "Carl", "Jones", {"gender": "male"}),
    )
    source = "Ann Smith met Bob Smith and Carl Jones."
    record = Record("r", (Document(source),), entities=people)
    found = audit(
        [Case(record, Summary("r", "a", "Smith spoke to Jones."))], "entity_inclusion@gender", n_resamples=0
    )
    inclusion = {e.quantity: e.value for e in found.estimates if e.quantity.startswith("inclusion")}
    assert inclusion == {"inclusion[female]": 0.0, "inclusion[male]": 0.5}


@pytest.mark.parametrize(("place", "share"), [(0, 1.0), (2, 1.0), (3, 0.0)])
def test_the_lead_is_three_sentences(place: int, share: float) -> None:
    """A summary that copies the third sentence of eight is of the lead, one that copies the fourth is not."""
    words = ("Alder", "Birch", "Cedar", "Dogwood", "Elder", "Fir", "Gorse", "Hazel")
    sentences = [f"{word} grows by the {word.lower()} river {i}." for i, word in enumerate(words)]
    record = Record("r", (Document(" ".join(sentences)),))
    found = audit([Case(record, Summary("r", "a", sentences[place]))], "position_from_uniform", n_resamples=0)
    (lead,) = (e.value for e in found.estimates if e.quantity == "lead_share")
    assert lead == share
