"""The controlled inputs of the golden folder as records, summaries and scores."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from tests.conftest import read_lines
from tests.rows_by_hand import added, observed

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
MONO = [("gender_mono", "gender"), ("race_mono", "race")]
"""The golden sets of inputs about one group: the file, and the attribute."""
KINDS = {
    "FULL_NAME": "full", "FIRST_NAME": "first", "LAST_NAME": "last", "PRONOUN_3P_NOM": "he",
    "PRONOUN_3P_INDIR": "him", "PRONOUN_3P_POSS": "his", "PRONOUN_3P_REFL": "himself", "MR_MRS_MS": "title",
    "SIR": "title",
}  # fmt: skip
"""The kinds of mentions as the release calls them, and as we do."""
PAGES = "name,gender\nHillary Clinton,female\nMary Undecided,unknown\n"
"""One page, which settles a name whose last name is a male first name."""
COUNTS = Counts(stop_words="sklearn")


def main_value(measure: t.Measure, totals: t.Totals) -> float:
    """The value that has the measure's name."""
    return float(measure.value(totals)[measure.name].array)


def people_of(instructions: Mapping[str, Any], over: str) -> tuple[t.Entity, ...]:
    """The people of an instance; one without a category lacks the attribute."""
    found = []
    for key, person in instructions.items():
        attributes = {over: person["entity_category"]} if person["entity_category"] else {}
        found.append(t.Entity(key, person["first_name"], person["last_name"], attributes))
    return tuple(found)


class GoldenSet:
    """A golden set: its cases, and the names that each parse holds.

    It answers asks for people from the golden parses, and everything else with our own scorers.
    """

    fingerprint = "golden parses"
    handles_wholes = True

    def __init__(self, golden: Path, file: str, over: str, pages: str = "") -> None:
        self.cases: list[t.Case] = []
        self.parses: list[frozenset[str]] = []
        """The names in each summary."""
        for number, row in enumerate(read_lines(golden / "people" / f"parsed_{file}.jsonl")):
            attributes = {"sample": str(row["sample_id"])}
            if "text_category" in row:
                attributes[over] = row["text_category"]
            record = t.Record(
                f"{row['article_id']}-{number}", (t.Document(row["text"]),), (), people_of(row["instructions"], over),
                attributes, row["article_id"],
            )  # fmt: skip
            self.cases.append(t.Case(record, t.Summary(record.id, "toy", row["summary"])))
            tokens = row["parse"]["tokens"]
            found = [e for e in row["parse"]["named_entities"] if e["label"] == "PERSON"]
            places = [(tokens[e["start"]][0], tokens[e["end"] - 1][1]) for e in found]
            self.parses.append(frozenset(row["summary"][start:end] for start, end in places))
        self._names = Names(pages=pages, rule="published")
        self._known = {case.summary.text: names for case, names in zip(self.cases, self.parses, strict=True)}

    def answer(self, asks: Sequence[t.Ask]) -> Iterator[t.Scores]:
        """The scores of asks."""
        for ask in asks:
            if ask.scorer.startswith("people"):
                names = self._known[ask.columns[0]]
                matrix = np.array([float(row in names) for row in ask.rows]).reshape(-1, 1)
                yield t.Scores(matrix, np.arange(1), np.zeros(len(ask.rows)))
            else:
                yield from (self._names if ask.scorer.startswith("names") else COUNTS).answer([ask])

    def units(self, measure: t.Measure) -> list[list[t.Case]]:
        """The cases of each unit of a measure's scope, in the order of their first case."""
        scope = measure.observation.declaration.scope
        groups: dict[str, list[t.Case]] = {}
        for case in self.cases:
            record = case.record
            key = {"case": record.id, "block": record.block, "cluster": record.cluster}[scope]
            groups.setdefault(key, []).append(case)
        return list(groups.values())

    def observe(self, measure: t.Measure, unit: t.Cases) -> t.Rows | t.Reason:
        """One unit's rows under its real labels."""
        return observe(measure, unit, self)

    def take(self, measure: t.Measure) -> t.Totals:
        """The totals of a measure over all cases."""
        return total(measure, self.units(measure), self)


class Released(NamedTuple):
    """A golden set, the release's scores of it, and the attribute of its people."""

    given: GoldenSet
    wanted: Mapping[str, Any]
    over: str


def total(measure: t.Measure, units: Iterable[t.Cases], scorer: Any = COUNTS) -> t.Totals:
    """The sum of all units that have rows."""
    rows = (observe(measure, unit, scorer) for unit in units)
    return added(*(row for row in rows if isinstance(row, t.Rows)))


def observe(measure: t.Measure, unit: t.Cases, scorer: Any = COUNTS) -> t.Rows | t.Reason:
    """One unit's rows under its real labels."""
    return observed(measure.observation, unit, list(scorer.answer(measure.observation.asks(unit))))


def told_apart(texts: Sequence[tuple[str, str]], measure: t.Measure) -> float | str:
    """How well a measure tells texts of groups apart, which are of one seed document; or why it cannot."""
    cases = []
    for i, (group, text) in enumerate(texts):
        record = t.Record(str(i), (t.Document("x"),), attributes={"g": group}, seed_document="a")
        cases.append(t.Case(record, t.Summary(record.id, "s", text)))
    seen = observe(measure, cases)
    return float(seen.values[0, 0]) if isinstance(seen, t.Rows) else seen.text
