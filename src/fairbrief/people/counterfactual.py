"""Counterfactual sources: one copy of a record per group, differing only in the group of its people."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from fairbrief.errors import DataError
from fairbrief.people.build_people import placed, rows_of
from fairbrief.people.filling import Assignment, PeopleOptions, fill
from fairbrief.people.groups import GENDERS, TOO_FEW, Group, Plan, read_groups
from fairbrief.people.template import Person, Slot, Template, content_words, in_order
from fairbrief.text import gendered_words
from fairbrief.text.names import Listed, Names, census, is_title, without_titles
from fairbrief.text.names import genders as genders_of_names
from fairbrief.text.recognition import Span, accept, choose, propose
from fairbrief.types import Entity, Record

ANNOTATED = "the names, pronouns and titles of annotated people"
NAMES = "the names of annotated people"


@dataclass(slots=True)
class Counterfactuals:
    """The sets of records, those of one seed document next to each other, and the reasons of refused ones.

    Their group is in the attribute ``over`` of records and people: ``value`` has it by the group's name. ``ways``
    counts seed documents by what was exchanged in them, ``refused`` by reason.
    """

    over: str
    value: Mapping[str, str]
    records: list[Record] = field(default_factory=list)
    ways: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)

    def add(self, way: str, made: Sequence[Record] | str) -> None:
        """The versions of one seed document, or the reason why there are none."""
        if isinstance(made, str):
            self.refused[made] += 1
            return
        self.ways[way] += 1
        for record in made:
            others = {k: v for k, v in record.attributes.items() if k not in ("design", "sample", "group")}
            attributes = {**others, self.over: self.value[record.attributes["group"]]}
            people = tuple(map(self._person, record.entities))
            self.records.append(replace(record, attributes=attributes, entities=people))

    def _person(self, person: Entity) -> Entity:
        """A person with the assigned group, or with none if none was assigned."""
        others = {k: v for k, v in person.attributes.items() if k not in ("gender", "race", self.over)}
        groups = (person.attributes.get(kind, "") for kind in ("gender", "race"))
        group = next((self.value[g] for g in groups if g in self.value), None)
        return replace(person, attributes=others if group is None else {**others, self.over: group})


def exchange_genders(
    records: Sequence[Record], over: str, genders: Mapping[str, str], seed: int
) -> Counterfactuals:
    """Each record with women only and with men only.

    With marked mentions, names, pronouns, titles and gendered nouns are filled as in inputs with controlled people
    (`rows_of`, one group per input). Otherwise these words are found in the text (`find_template`). First names are
    drawn from the census for both versions, so that neither is the original. ``genders`` maps the values of the
    attribute ``over`` to female and male.
    """
    found = Counterfactuals(over, {gender: word for word, gender in genders.items()})
    options = PeopleOptions(design="mono", content_words="exchange", seed=seed)
    plan = Plan(read_groups("gender", census()), options, census())
    for record in records:
        if any(e.mentions for e in record.entities):
            found.add(ANNOTATED, _by_marks(record, plan))
        else:
            found.add("first names and gendered words", _by_words(record, plan, list(found.value)))
    return found


def exchange_names(records: Sequence[Record], over: str, values: Sequence[str], seed: int) -> Counterfactuals:
    """Each record with all people in one group, for each of ``values``, by the names of the input's people.

    For groups that only names signal (race). Names are drawn from those of the input's people in each group; a name
    in two groups is not drawn. Genders do not change.
    """
    codes = {value: f"g{i}" for i, value in enumerate(values)}
    found = Counterfactuals(over, {code: value for value, code in codes.items()})
    listed = []
    for person in (person for record in records for person in record.entities):
        if (group := codes.get(person.attributes.get(over, ""))) is not None:
            gender = person.attributes.get("gender", "")
            if person.first_name:
                listed.append(Listed(person.first_name, "first", gender if gender in GENDERS else "", group))
            if person.last_name:
                listed.append(Listed(person.last_name, "last", "", group))
    names = Names(tuple(listed), "the input's people")
    plan = Plan(
        tuple(Group(race=code) for code in found.value), PeopleOptions(design="mono", seed=seed), names
    )
    for record in records:
        if not any(e.mentions for e in record.entities):
            found.refused["no people with marked mentions"] += 1
        elif set(names.groups()) != set(found.value):
            found.refused[TOO_FEW] += 1
        else:
            found.add(NAMES, _by_marks(record, plan))
    return found


def _by_marks(record: Record, plan: Plan) -> Sequence[Record] | str:
    """The versions of a record with marked mentions, or the reason why there are none."""
    try:
        rows, capacity = rows_of(record, plan)
    except DataError:
        # The audit may not be able to read the marks; `build people` reports their errors.
        return "the marks of its people overlap, or are of an unknown kind"
    return rows or capacity.reason


def _by_words(record: Record, plan: Plan, genders: Sequence[str]) -> Sequence[Record] | str:
    """The versions of a record without mentions, one of each gender; or the reason why there are none."""
    template = find_template(record, genders_of_names())
    if not template.slots:
        return "no word of the text shows a gender"
    pools = plan.pools(template)
    named = [p for p in template.people if p.is_named]
    rng = random.Random(f"{plan.options.seed}|{record.id}")  # noqa: S311 # a seed that reproduces is wanted
    own = {p.id for p in record.entities}
    made = []
    for gender in genders:
        pool = pools["first", GENDERS.index(gender), gender]
        if len(pool) < len(named):
            return TOO_FEW
        drawn = rng.sample(list(pool), len(named))
        assigned = {NOBODY: Assignment(gender=gender)}
        for person, first in zip(named, drawn, strict=True):
            assigned[person.entity.id] = Assignment(first, None, gender)
        filled = fill(template, assigned)
        entities = tuple(e for e in filled.entities if e.id in own)
        made.append(placed(replace(filled, entities=entities), record, gender, {"group": gender}))
    return made


# --------------------------------------------------------------------- people without annotation


_WORD = re.compile(r"[^\W\d_]+")
_TITLE = re.compile(
    r"\b(?:M(?:r|rs|s)\b\.?|(?:Miss|Mister|Madame|Monsieur|Mademoiselle)\b)(?=\s+[^\W\d_a-z])"
)
NOBODY = "nobody"
"""Id of the person to whom pronouns, titles and gendered nouns are assigned."""


def find_template(record: Record, genders: Mapping[str, str]) -> Template:
    """The template of a record without mentions, for inputs with all people of one gender.

    Slots: pronouns (``her`` and ``his`` by the following words), courtesy titles, the `content_words` (only in
    lower case, so the King does not change), and first names: those of the record's people, and of other people's
    names with a first word in ``genders`` (first name in lower case → gender). One person represents each first name.
    All get one gender, so the referent of a pronoun does not matter, and the person `NOBODY` has all pronouns. Last
    names do not change.
    """
    given = {p.first_name: p for p in record.entities if p.first_name}
    people = [Person(Entity(NOBODY), None, None, None, frozenset())]
    place: dict[str, int] = {}
    slots: list[Slot] = []
    for number, document in enumerate(record.documents):
        names = list(_first_names(document.text, genders, given))
        for start, end in names:
            first = document.text[start:end]
            index = place.setdefault(first, len(people))
            if index == len(people):
                entity = given.get(first) or Entity(f"{NOBODY}:{first}", first)
                people.append(Person(entity, first, entity.last_name, None, frozenset()))
            slots.append(Slot(number, start, end, "first", (index,), first))
        slots += _words(number, document.text, names)
    return Template(record, tuple(people), tuple(in_order(record, slots)))


def _first_names(
    text: str, genders: Mapping[str, str], given: Mapping[str, Entity]
) -> Iterator[tuple[int, int]]:
    """The positions of first names."""
    spans = propose(text)
    accepted = set(accept(text, genders.keys()))
    people = choose(spans, accepted)
    known = {first for span in people if (first := _first(span, genders)) is not None} | given.keys()
    # A first name at the start of a sentence is accepted only if it also occurs elsewhere.
    for span in choose(spans, accepted | {s.text for s in spans if s.text in known}):
        for token, (start, end) in zip(span.tokens, span.places, strict=True):
            if not is_title(token):
                if token in known and (token in given or _first(span, genders) == token):
                    yield start, end
                break


def _first(span: Span, genders: Mapping[str, str]) -> str | None:
    """The first name in a person's name; None after a title with one name, which is a last name."""
    core = without_titles(span.tokens)
    titled = len(core) < len(span.tokens)
    return core[0] if core and core[0].lower() in genders and not (titled and len(core) == 1) else None


def _words(document: int, text: str, names: Sequence[tuple[int, int]]) -> Iterator[Slot]:
    """Titles, pronouns and gendered nouns."""
    taken = {found.start() for start, end in names for found in _WORD.finditer(text, start, end)}
    for found in _TITLE.finditer(text):
        if gendered_words.title_gender(found[0]) is not None:
            taken.add(found.start())
            yield Slot(document, found.start(), found.end(), "title", (0,), found[0])
    for found in _WORD.finditer(text):
        if found.start() in taken:
            continue
        word = found[0]
        role: str | None = "content" if word in content_words() and word.islower() else None
        if gendered_words.pronoun_gender(word) is not None:
            role = gendered_words.guess_place(word, text[found.end() : found.end() + 40])
        if role is not None:
            yield Slot(document, found.start(), found.end(), role, (0,), word)
