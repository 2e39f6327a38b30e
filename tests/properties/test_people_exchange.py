"""Laws of measures about people, and of controlled inputs: on GUM's 56 real documents, on any names and any text."""

import re
from difflib import SequenceMatcher
from itertools import product
from pathlib import Path
from string import ascii_lowercase

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fairbrief.measures.word_lists import WordListInclusion
from fairbrief.people.build_people import build
from fairbrief.people.counterfactual import exchange_genders
from fairbrief.people.filling import Assignment, PeopleOptions, fill
from fairbrief.people.template import Template, make_template
from fairbrief.readers.corefud import read_corefud
from fairbrief.text import gendered_words
from fairbrief.text.anonymisation import anonymise
from fairbrief.text.gendered_words import is_title
from fairbrief.text.names import divide, is_given_name
from fairbrief.text.people import Name
from fairbrief.text.recognition import propose
from fairbrief.types import Document, Entity, Mention, Record, Totals

WORD = re.compile(r"\w+|\s+|[^\w\s]")


@pytest.fixture(scope="module")
def gum(shared: Path) -> list[Record]:
    """All documents of GUM beside the project."""
    return list(read_corefud(shared / "data" / "gum" / "conllu"))


def _exchanged(template: Template) -> dict[str, Assignment]:
    """Everybody named gets a new first name and the other gender (people of no gender: a man's)."""
    letters = [a + b for a in ascii_lowercase for b in ascii_lowercase]
    return {
        p.entity.id: Assignment(f"Zq{letters[i]}", None, "female" if p.gender == "male" else "male")
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


def test_built_sets_are_whole_sound_and_reproducible(gum: list[Record]) -> None:
    """Each seed document has all of its rows or none, the pairs exchange every group, and a seed gives the same rows again."""
    rows, report = build(gum, PeopleOptions(per_seed_document=4, seed=3))
    made = list(rows)
    assert made == list(build(gum, PeopleOptions(per_seed_document=4, seed=3))[0])
    assert {c.written for c in report} == {0, 4}
    assert len(report) - len(report.refused) >= 45
    assert all(c.reason for c in report.refused)
    for one, other in zip(made[::2], made[1::2], strict=True):
        here, there = (
            {e.id: e.attributes["gender"] for e in r.entities if "gender" in e.attributes}
            for r in (one, other)
        )
        assert all(here[i] != there[i] for i in here)
        assert abs(list(here.values()).count("male") * 2 - len(here)) <= 1


# A title is no given name: "Dr Smith" reads as a title and a last name.
PART = st.from_regex(r"[A-Z][a-z]{1,7}", fullmatch=True).filter(lambda name: not is_title(name))


@settings(max_examples=40, deadline=None)
@given(
    given_=PART, initial=st.sampled_from(["", "L. ", "J.R. "]),
    particle=st.sampled_from(["", "de la ", "von "]), last=PART, suffix=st.sampled_from(["", " Jr.", " III"]),
    new=PART, loud=st.booleans(),
)  # fmt: skip
def test_a_name_changes_in_its_first_part_alone(
    given_: str, initial: str, particle: str, last: str, suffix: str, new: str, loud: bool
) -> None:
    """Initials, particles, last name and suffix survive around a new first name, in capitals too; the way back is exact."""
    assume(last not in (given_, new))  # "Qc Qc" may be either of the two
    name = f"{given_} {initial}{particle}{last}{suffix}"
    wanted = f"{new} {initial}{particle}{last}{suffix}"
    if loud:
        name, wanted = name.upper(), wanted.upper()
    first = name[: len(given_)]
    text = f"So {name} left 0.5 of it."
    mention = Mention(0, 3, 3 + len(name), "full")
    entity = Entity("p", first, last.upper() if loud else last, mentions=(mention,))
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


GENDERS = {"female": "female", "male": "male"}
WORDS = st.sampled_from(
    "He she him her his hers himself HERSELF Mr. Mrs Miss Anna Peter Reed Will's wife husbands King a An the own door, "
    "said. — «to» St. O'Brien Anne-Marie her- (him) “She’ll 3 \n\n İ ﬁ".split(" ")
)


@settings(max_examples=60, deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=30))
def test_each_version_is_of_one_gender_and_all_else_stays(words: list[str]) -> None:
    """No pronoun of the other gender is left, and what tells no gender stands where it stood."""
    text = " ".join(words)
    made = exchange_genders([Record("r", (Document(text),))], "gender", GENDERS, 0)
    assert len(made.records) == 2 * made.ways.total() == 2 - 2 * made.refused.total()
    for record in made.records:
        found = record.documents[0].text
        genders = {gendered_words.pronoun_gender(w) for w in _plain(found)} - {None}
        assert genders <= {record.attributes["gender"]}
        assert len(found.split(" ")) == len(text.split(" "))
        kept = ("door,", "the", "own", "King", "said.", "—")
        assert [w for w in found.split(" ") if w in kept] == [w for w in words if w in kept]


def _plain(text: str) -> list[str]:
    """The runs of letters."""
    return "".join(c if c.isalpha() else " " for c in text).split()


names = st.sampled_from(["Ann", "Leo", "Mary", "O'Brien", "Smith", "de la Cruz", "Li", "Jean-Luc"])


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


counts = st.tuples(st.integers(0, 50), st.integers(0, 50))


@settings(max_examples=50, deadline=None)
@given(counts, counts)
def test_word_list_shifts_are_share_differences(source: tuple[int, int], summary: tuple[int, int]) -> None:
    """What one group gains the other loses, and the total variation is the size of it."""
    places = product(("source", "summary"), ("female", "male"))
    totals = Totals({c: i for i, c in enumerate(places)}, np.array([*source, *summary], dtype=float))
    found = {name: float(value.array) for name, value in WordListInclusion().value(totals).items()}
    if sum(source) and sum(summary):
        shift = summary[0] / sum(summary) - source[0] / sum(source)
        assert (found["shift[female]"], found["shift[male]"]) == pytest.approx((shift, -shift))
        assert found["word_list_inclusion"] == pytest.approx(abs(shift))
