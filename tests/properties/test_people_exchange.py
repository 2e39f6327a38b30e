"""Properties of controlled inputs on the 56 real documents of GUM, and on names of any shape."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairbrief.people.build_people import build
from fairbrief.people.filling import Assignment, fill
from fairbrief.people.template import Template, make_template
from fairbrief.readers.corefud import read_corefud
from fairbrief.text import gendered_words
from fairbrief.text.gendered_words import is_title
from fairbrief.text.names import divide, is_given_name
from fairbrief.types import Document, Entity, Mention, Record

WORD = re.compile(r"\w+|\s+|[^\w\s]")


@pytest.fixture(scope="module")
def gum(shared: Path) -> list[Record]:
    """All documents of GUM beside the project."""
    pytest.importorskip("names")
    return list(read_corefud(shared / "data" / "gum" / "conllu"))


def _exchanged(template: Template) -> dict[str, Assignment]:
    """Everybody named gets a new first name and the other gender (people of no gender: a man's)."""
    return {
        p.entity.id: Assignment(
            f"Zq{'abcdefghijklmnopqrstuvwxyz'[i // 26]}{'abcdefghijklmnopqrstuvwxyz'[i % 26]}",
            None,
            "female" if p.gender == "male" else "male",
        )
        for i, p in enumerate(template.people)
        if p.is_named
    }


def test_the_seed_document_assignment_gives_the_seed_document_back(gum: list[Record]) -> None:
    """All 56 documents, filled with their own names and genders, are unchanged to the byte."""
    assert len(gum) == 56
    for record in gum:
        template = make_template(record, is_given=is_given_name)
        own = {p.entity.id: Assignment(p.first, p.last, p.gender) for p in template.people}
        assert fill(template, own).documents == record.documents


def test_an_exchange_changes_words_of_the_people_alone(gum: list[Record]) -> None:
    """By a diff of the texts: what changed lies in names, titles and pronouns that the annotation gives to a named person."""
    changed = 0
    for record in gum:
        template = make_template(record, is_given=is_given_name)
        old, new = record.documents[0].text, fill(template, _exchanged(template)).documents[0].text
        allowed = _allowed(record)
        place = 0
        assert old.count("\n") == new.count("\n")
        for a, b in zip(old.split("\n"), new.split("\n"), strict=True):
            if a != b:
                for start, end in _changes(a, b):
                    changed += 1
                    places = set(range(place + start, place + end))
                    assert places <= allowed, (record.id, a[max(0, start - 20) : end + 20])
            place += len(a) + 1
    assert changed > 1200


def _changes(a: str, b: str) -> list[tuple[int, int]]:
    """Characters of ``a`` that a diff by words finds changed."""
    words, others = WORD.findall(a), WORD.findall(b)
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word))
    matcher = SequenceMatcher(None, words, others, autojunk=False)
    return [(starts[i], starts[j]) for op, i, j, _, _ in matcher.get_opcodes() if op != "equal"]


def _allowed(record: Record) -> set[int]:
    """Places of names, titles and pronouns of named people, of their full names anywhere, and of articles before these."""
    text = record.documents[0].text
    places: set[int] = set()
    spans = []
    for entity in record.entities:
        if entity.first_name or entity.last_name:
            spans += [(m.start, m.end) for m in entity.mentions if m.kind != "content"]
            if entity.first_name and entity.last_name:
                full = re.escape(f"{entity.first_name} {entity.last_name}")
                spans += [m.span() for m in re.finditer(full, text)]
    for start, end in spans:
        places.update(range(start, end))
        if article := re.search(r"\ban? $", text[:start][-4:], re.IGNORECASE):
            places.update(range(start - len(article[0]), start))
    return places


def test_every_pronoun_of_an_exchanged_person_stands_in_its_place(gum: list[Record]) -> None:
    """A "her" before a noun becomes his, her elsewhere him; his becomes her or hers; none of a named person is missed."""
    seen = 0
    for record in gum:
        template = make_template(record, is_given=is_given_name)
        assigned = _exchanged(template)
        filled = fill(template, assigned)
        new = {e.id: e for e in filled.entities}
        for person in template.people:
            if not person.is_named or person.gender is None:
                continue
            for before, after in zip(person.entity.mentions, new[person.entity.id].mentions, strict=True):
                if before.kind in gendered_words.PLACES:
                    word = filled.documents[0].text[after.start : after.end]
                    assert word.lower() == gendered_words.form(
                        before.kind, assigned[person.entity.id].gender or ""
                    )
                    seen += 1
    assert seen > 600


def test_built_sets_are_whole_sound_and_reproducible(gum: list[Record]) -> None:
    """Each seed document has all of its rows or none, the pairs exchange every group, and a seed gives the same rows again."""
    rows, report = build(gum, per_seed_document=4, seed=3)
    made = list(rows)
    assert made == list(build(gum, per_seed_document=4, seed=3)[0])
    assert {c.written for c in report.capacities} == {0, 4}
    assert len(report.built) >= 45
    assert all(c.reason for c in report.refused)
    for one, other in zip(made[::2], made[1::2], strict=True):
        here = {e.id: e.attributes["gender"] for e in one.entities if "gender" in e.attributes}
        there = {e.id: e.attributes["gender"] for e in other.entities if "gender" in e.attributes}
        assert all(here[i] != there[i] for i in here)
        assert abs(list(here.values()).count("male") * 2 - len(here)) <= 1


# A title is no given name: "Dr Smith" reads as a title and a last name.
PART = st.from_regex(r"[A-Z][a-z]{1,7}", fullmatch=True).filter(lambda name: not is_title(name))


@settings(max_examples=40, deadline=None)
@given(
    given_=PART,
    initial=st.sampled_from(["", "L. ", "J.R. "]),
    particle=st.sampled_from(["", "de la ", "von "]),
    last=PART,
    suffix=st.sampled_from(["", " Jr.", " III"]),
    new=PART,
    loud=st.booleans(),
)
def test_a_name_changes_in_its_first_part_alone(
    given_: str, initial: str, particle: str, last: str, suffix: str, new: str, loud: bool
) -> None:
    """Initials, particles, last name and suffix survive around a new first name, in capitals too; the way back is exact."""
    name = f"{given_} {initial}{particle}{last}{suffix}"
    wanted = f"{new} {initial}{particle}{last}{suffix}"
    if loud:
        name, wanted = name.upper(), wanted.upper()
    first = name[: len(given_)]
    text = f"So {name} left 0.5 of it."
    entity = Entity(
        "p", first, last.upper() if loud else last, mentions=(Mention(0, 3, 3 + len(name), "full"),)
    )
    record = Record("r", (Document(text),), entities=(entity,))
    there = fill(make_template(record), {"p": Assignment(new)})
    assert there.documents[0].text == f"So {wanted} left 0.5 of it."
    assert fill(make_template(there), {"p": Assignment(first)}).documents[0].text == text


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="Abc .'-,JrI", min_size=1, max_size=25).filter(lambda s: s.strip(" ,")))
def test_dividing_never_loses_or_doubles_a_place(name: str) -> None:
    """Pieces lie in order inside the name, whatever the name."""
    pieces = divide(name)
    at = 0
    for piece in pieces:
        assert at <= piece.start < piece.end <= len(name)
        at = piece.end
