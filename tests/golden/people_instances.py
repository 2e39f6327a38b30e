"""The controlled inputs of the golden folder as records, summaries and scores."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fairbrief import types as t
from fairbrief.classifiers.people import Names
from fairbrief.scorers.word_counts import Counts

SETS = [
    ("gender_balanced", "gender_balanced", "gender"),
    ("gender_balanced_pair0", "gender_balanced_pair0", "gender"),
    ("gender_mono", "gender_mono_entity", "gender"),
    ("race_balanced", "race_balanced", "race"),
]
"""The golden sets of parsed instances: the file, its scores' name, and the attribute of people."""
KINDS = {
    "FULL_NAME": "full", "FIRST_NAME": "first", "LAST_NAME": "last", "PRONOUN_3P_NOM": "he",
    "PRONOUN_3P_INDIR": "him", "PRONOUN_3P_POSS": "his", "PRONOUN_3P_REFL": "himself", "MR_MRS_MS": "title",
    "SIR": "title",
}  # fmt: skip
"""The kinds of mentions as the release calls them, and as we do."""
PAGES = "name,gender\nHillary Clinton,female\nMary Undecided,unknown\n"
"""One page, which settles a name whose last name is a male first name."""


def people_of(instructions: Mapping[str, Any], over: str) -> tuple[t.Entity, ...]:
    """The people of an instance; one without a category lacks the attribute."""
    return tuple(
        t.Entity(
            key,
            person["first_name"],
            person["last_name"],
            {over: person["entity_category"]} if person["entity_category"] else {},
        )
        for key, person in instructions.items()
    )


def read_instances(path: Path, over: str) -> list[tuple[t.Case, frozenset[str]]]:
    """Each parsed instance as a case, with the names that its parse holds."""
    found = []
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            row = json.loads(line)
            attributes = {"sample": str(row["sample_id"])}
            if "text_category" in row:
                attributes[over] = row["text_category"]
            record = t.Record(
                f"{row['article_id']}-{number}",
                (t.Document(row["text"]),),
                entities=people_of(row["instructions"], over),
                attributes=attributes,
                seed_document=row["article_id"],
            )
            tokens = row["parse"]["tokens"]
            names = frozenset(
                row["summary"][tokens[e["start"]][0] : tokens[e["end"] - 1][1]]
                for e in row["parse"]["named_entities"]
                if e["label"] == "PERSON"
            )
            found.append((t.Case(record, t.Summary(record.id, "toy", row["summary"])), names))
    return found


class GoldenScorers:
    """Answers asks for people from the golden parses, and everything else with our own scorers."""

    def __init__(self, instances: Iterable[tuple[t.Case, frozenset[str]]], pages: str = "") -> None:
        self.parses = {case.summary.text: names for case, names in instances}
        self.names = Names(pages=pages, rule="published")
        self.counts = Counts(stop_words="sklearn")

    def answer(self, ask: t.Ask) -> t.Scores:
        """The scores of one ask."""
        if ask.scorer.startswith("people"):
            names = self.parses[ask.columns[0]]
            matrix = np.array([float(row in names) for row in ask.rows]).reshape(-1, 1)
            return t.Scores(matrix, np.arange(1), np.zeros(len(ask.rows)))
        scorer = self.names if ask.scorer.startswith("names") else self.counts
        return next(iter(scorer.answer([ask])))


def units(measure: t.Measure, cases: Sequence[t.Case]) -> Iterator[t.Cases]:
    """The cases of each unit of a measure's scope, in the order of their first case."""
    scope = measure.observation.declaration.scope
    groups: dict[str, list[t.Case]] = {}
    for case in cases:
        record = case.record
        key = {"case": record.id, "block": record.block, "cluster": record.cluster}[scope]
        groups.setdefault(key, []).append(case)
    yield from groups.values()


def observe(
    measure: t.Measure, cases: t.Cases, scorers: GoldenScorers, labels: t.Integers | None = None
) -> t.Rows | t.Reason:
    """One unit's rows, under its real labels if none are given."""
    observation = measure.observation
    scores = [scorers.answer(ask) for ask in observation.asks(cases)]
    if labels is None:
        exchange = observation.permutation_scheme(cases)
        labels = np.zeros((1, 0), dtype=np.int64) if exchange is None else exchange.labels[None, :]
    return observation.observe(cases, scores, labels)


def add(rows: Iterable[t.Rows | t.Reason]) -> t.Totals:
    """The sum of all rows' real labelling."""
    sums: dict[tuple[str, ...], float] = {}
    for row in rows:
        if isinstance(row, t.Rows):
            for column, value in zip(row.columns, row.values[0], strict=True):
                sums[column] = sums.get(column, 0.0) + value
    values: t.Floats = np.array(list(sums.values()))
    return t.Totals({column: i for i, column in enumerate(sums)}, values)


def take(measure: t.Measure, cases: Sequence[t.Case], scorers: GoldenScorers) -> t.Totals:
    """The totals of a measure over cases."""
    return add(observe(measure, unit, scorers) for unit in units(measure, cases))
