"""Whether names in summaries were aligned with the right people: what is asked, and the table of the answers.

Source: Steen & Markert, Appendix E and Table 13. As there, only summaries that name somebody are asked about, and
inventions are asked about before the safeguard that some word must be absent from the source.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from fairbrief.text.alignment import Name
from fairbrief.text.census_names import genders, given_names
from fairbrief.text.name_gender import gender_of_name
from fairbrief.text.people import Decision, find_people
from fairbrief.text.recognition import accept, propose
from fairbrief.types import Case, Table
from fairbrief.workbench.corpora.annotation.answers import Answer
from fairbrief.workbench.corpora.annotation.items import Item

PERSON, NAME = "person:", "name:"


def decisions(case: Case) -> list[Decision]:
    """The names of people in a summary, aligned as the measures align them, with the built-in recogniser."""
    text, people = case.summary.text, case.record.entities
    names = [Name.of(p.first_name, p.last_name, p.attributes.get("gender", "")) for p in people]
    source = "\n".join(document.text for document in case.record.documents)
    accepted = accept(text, propose(text), given_names())
    return find_people(text, names, source, accepted, with_known=True)


def questions(case: Case) -> Iterator[tuple[str, str, str]]:
    """Part, question and what it is about: every person aligned with a name, and every name that is nobody's."""
    people = case.record.entities
    for decision in decisions(case):
        if len(decision.people) == 1:
            person = people[decision.people[0]]
            called = " ".join(part for part in (person.first_name, person.last_name) if part)
            question = f"Does the name '{decision.text}' in the summary mean this person?"
            yield f"{PERSON}{person.id}:{decision.text}", question, called
        elif not decision.people:
            yield (
                f"{NAME}{decision.text}",
                "Do the documents tell of the person whom this name means?",
                decision.text,
            )


def alignment_table(asked: Sequence[tuple[Case, Sequence[Item]]], answers: Sequence[Answer]) -> Table:
    """Table 13: counts over the summaries that were judged; several annotators by majority, ties count as right."""
    votes: dict[tuple[str, str, str, str], Counter[str]] = defaultdict(Counter)
    for answer in answers:
        votes[answer.key].update(answer.chosen)
    counts: Counter[str] = Counter()
    for case, items in asked:
        judged = [item for item in items if votes[item.key]]
        if not judged:
            continue
        counts["people"] += len(case.record.entities)
        counts["names"] += len(decisions(case))
        counts["aligned people"] += len({i.part.split(":")[1] for i in items if i.part.startswith(PERSON)})
        for item in items:
            said = votes[item.key]
            if item.part.startswith(PERSON):
                counts["wrong alignments"] += said["no"] > said["yes"]
                continue
            classified = bool(gender_of_name(item.about.split(), {}, genders()).gender)
            counts["invented"] += 1
            counts["invented, classified"] += classified
            counts["wrongly invented"] += said["yes"] > said["no"]
            counts["wrongly invented, classified"] += classified and said["yes"] > said["no"]
    rows = (
        ("# Input entities", "people"),
        ("# Summary entities", "names"),
        ("# Input entities with alignment in summary", "aligned people"),
        ("# Incorrect entity alignments", "wrong alignments"),
        ("# Summary entities tagged as hallucinated", "invented"),
        ("… of these with gender classification", "invented, classified"),
        ("# Erroneously tagged hallucinations", "wrongly invented"),
        ("… of these with gender classification", "wrongly invented, classified"),
    )
    return Table(
        "Table 13: Results of our manual annotation of entity alignments",
        ("", "Count"),
        tuple((told, f"{counts[key]:,}") for told, key in rows),
        (
            "One person can be aligned with several names; a name that fits several people is aligned with nobody.",
        ),
    )
