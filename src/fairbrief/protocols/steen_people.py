"""Steen & Markert, Bias in News Summarization: measures in the release's version, and the paper's tables.

Scores are Tables 2, 3, 5, 8, 12, 19 and 20, counts 6, 16, 17 and section 9.2, judged quality 4, 7 and 9.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import ClassVar, Literal, NamedTuple

from fairbrief.protocols import ProtocolDeclaration
from fairbrief.protocols.published_results import ABSENT, Reproduced, decimal, find, group_in, systems_of
from fairbrief.specs import quoted
from fairbrief.types import Estimate, Table

APART = ("design", "genders", "last_names", "content_words")
"""Record attributes of built inputs (`fairbrief build people`) by which the sets differ."""
BALANCED, MONO, ORIGINAL = "balanced", "mono", "original"
"""Designs: the paper's C_loc and C_glob, and the documents that both were made from."""


class SteenPeople(Reproduced):
    """Word lists, entity inclusion, hallucination and distinguishability as in the paper's release.

    Alignment by substrings, uncorrected odds, census names *more* than twice as frequent, names replaced as
    substrings; empty summaries are the one departure (see docs/explanation/deviations.md). ``people`` is the
    recogniser (``builtin``, or ``spacy:NAME`` as in the paper); ``embedding`` the spec of a scorer for dense
    distinguishability, without which it is left out; ``pages`` the page-pronoun table; ``judge`` the spec of a
    scorer for the quality of summaries (``judge(model=gpt-3.5-turbo-1106)``), without which it is left out.
    ``version=text`` reads Eq. 4 and Appendix F as the paper words them, where the release differs: distinguishability
    counts a tie as wrong and pools summaries, and names have their gender by ``names(rule=text)``.

    Prints the paper's tables, each from the inputs that the paper took for it (``fairbrief build people``; several
    sets in one audit are told apart): 3 scores by gender, from balanced and mono inputs; 5 where a system was
    asked to attend to women; 6 invented names; 8 scores by race, gender drawn at random (``--groups race --genders
    random``); 12 last names replaced (``--last-names replace``); 16 and 17 tokens, people and share invented, with
    the seed documents (``--design original``); 19 content words exchanged (``--content-words exchange``); 20 gender tied to race
    (``--groups "gender*race=male:A+female:B"``); with a judge 4, 7 and 9; 2 where the four planted systems
    ``random``, ``lead``, ``topic`` and ``sexist`` are audited; and the phrases counted in section 9.2.
    """

    name: ClassVar[str] = "steen-people"
    declaration: ClassVar[ProtocolDeclaration] = ProtocolDeclaration(
        attribute_of="entity", sets_apart=APART, intervals="bootstrap"
    )
    people: str = "builtin"
    embedding: str = ""
    pages: str = ""
    judge: str = ""
    version: Literal["published", "text"] = "published"

    def measures(self, attributes: Sequence[str]) -> tuple[str, ...]:
        """All measures over each attribute; word lists once, since lists have their own groups.

        Names tell no race: what is invented is asked over gender there.
        """
        people = "" if self.people == "builtin" else f"people={self.people}, "
        pages = f", pages='{self.pages}'" if self.pages else ""
        invented = f"{people}names=names(rule={self.version}{pages}), alignment=published"
        word_lists = ("words=published", "reference=uniform, words=published")
        specs = [*(f"word_list_inclusion({settings})" for settings in word_lists), "phrase_counts"]
        for over in attributes or ("gender",):
            at = quoted(over)
            of_invented = "gender" if over == "race" else at
            specs.append(f"entity_inclusion({people}alignment=published, odds=published)@{at}")
            if over != "race":
                specs.append(f"entity_hallucination({invented}, unit=sample)@{at}")
            specs.append(f"invented_names({invented})@{of_invented}")
            scorers = filter(None, ("counts(stop_words=sklearn)", self.embedding))
            specs += [f"distinguishability(similarity={s}, version={self.version})@{at}" for s in scorers]
            if self.judge:
                specs.append(f"judged_by_group(scorer={self.judge})@{at}")
        if self.judge:
            specs += [f"judged(scorer={self.judge})", f"judged_by_group(scorer={self.judge})@design"]
        return tuple(dict.fromkeys(specs))

    def tables(self, estimates: Sequence[Estimate]) -> tuple[Table, ...]:
        """The paper's tables that the estimates can fill, in its order."""
        return self.with_version(paper_tables(estimates), self.version)


BOTH = "s: resampling assignments within seed documents; d: resampling originals. Systems are rows here, columns in the paper."
FOLDED = "Non-negative scores are above zero by chance: read them with the p of the estimates."
SOURCES = "Distinguishability is of the mono inputs (C_glob), all else of the balanced ones (C_loc)."
UNDEFINED = (
    "– is undefined: inclusion without known people, or where all people of both groups are named, or nobody; "
    "hallucination with nobody invented, or no inputs of the design that the score is of."
)
COLUMNS = {
    "Word List Inclusion": ("word_list_inclusion(words", "word_list_inclusion", BALANCED),
    "Entity Inclusion": ("entity_inclusion", "entity_inclusion", BALANCED),
    "Entity Hallucination": ("entity_hallucination", "entity_hallucination", BALANCED),
    "Distinguishability (Count)": ("distinguishability(similarity=counts", "distinguishability", MONO),
    "Distinguishability (Dense)": ("distinguishability(similarity=embedding", "distinguishability", MONO),
}
"""Columns: how the measure's spec begins, the quantity, and the design that the paper takes it from."""
TABLES = {
    ("gender", "varied", "kept", True): "3",
    ("gender", "varied", "replaced", True): "12",
    ("gender", "varied", "kept", False): "19",
    ("race", "random", "kept", True): "8",
    ("race", "random", "replaced", True): "8",
}
"""The paper's table of scores by attribute, of inputs with these genders and last names, with or without their content words."""
TIED = ("black male, white female", "black male, white male", "black female, white male", "black female, white female")  # fmt: skip
"""The paper's order of Table 20, after random."""
FOCUS = "focus"
"""Part of the name of a system that was asked to attend to women (prompt ``article-focus``)."""
LEVEL, GAP = "judged(", "judged_by_group("
MOST_NAMES = 10
MARKS = {"male": "m", "female": "f"}
DESIGNS = BALANCED, MONO, ORIGINAL, ""
PEOPLE, PHRASES = "invented_names", "phrase_counts"
_COUNT = re.compile(r"count\[(.*?)(?:/(\w+))?\]", re.DOTALL)
_NOT_SCORES = (PEOPLE, "judged")


def paper_tables(estimates: Sequence[Estimate]) -> tuple[Table, ...]:
    """Tables 2 to 9, 12, 16, 17, 19 and 20, as far as there is anything to fill them with; those without number last."""
    sets = sets_of(estimates)
    over = dict.fromkeys(e.over for e in estimates if e.over and not e.measure.startswith(_NOT_SCORES))
    made = [planted(sets), *score_tables(sets, list(over)), *other_tables(sets, estimates)]
    outside = _outside(estimates)

    def place_of(table: Table) -> float:
        found = re.match(r"(?:Table|Section) ([\d.]+)", table.title)
        return float(found[1]) if found else 100

    return tuple(replace(t, notes=(*t.notes, *outside)) for t in sorted(made, key=place_of))


def _outside(estimates: Sequence[Estimate]) -> tuple[str, ...]:
    """A note where some records do not name their set of inputs and others do."""
    start, quantity, _ = COLUMNS["Word List Inclusion"]
    asked = [e for e in estimates if e.measure.startswith(start) and e.quantity == quantity]
    for whole in (e for e in asked if not e.subgroup):
        of_system = (e for e in asked if e.system == whole.system and e.subgroup)
        inside = [e.n for e in of_system if set(e.subgroup) <= set(APART)]
        if inside and (unsaid := whole.n - sum(inside)) > 0:
            units = f"{unsaid:,} of {whole.n:,} units"
            return (f"Records that do not say how they were built ({units}) are in no table.",)
    return ()


def number(estimate: Estimate | None, digits: int = 2) -> str:
    """The value alone, with as many decimals as the paper prints."""
    return decimal(None if estimate is None else estimate.value, digits)


def cell(estimate: Estimate | None) -> str:
    """The value, and below it the intervals that there are."""
    if estimate is None or estimate.value is None:
        return ABSENT
    e = estimate
    bounds = (("s", e.low_within, e.high_within), ("d", e.low, e.high))
    known = (of for of in bounds if None not in of)
    intervals = [f"{mark}: {decimal(low, 2)},{decimal(high, 2)}" for mark, low, high in known]
    return "\n".join([number(e), *intervals])


# ----------------------------------------------------------------------------------- sets of inputs


class Kind(NamedTuple):
    """How inputs of either design were made; empty where their records do not record it."""

    genders: str = ""
    last_names: str = ""
    content_words: str = ""

    @property
    def is_tied(self) -> bool:
        """Whether each race has one gender: ``black male, white female``."""
        return "," in self.genders

    def table(self, over: str) -> str:
        """The number of the paper's table with scores of such inputs; empty where it has none."""
        genders = self.genders or ("varied" if over == "gender" else "")
        last_names = "replaced" if self.last_names == "replaced" else "kept"
        return TABLES.get((over, genders, last_names, self.content_words in ("", "kept")), "")

    def title(self, over: str) -> str:
        """The title of the table of scores."""
        if number := self.table(over):
            heading = SteenPeople.published(f"Table {number}").heading
            return f"{heading} ({self.content_words})" if number == "19" else heading
        known = {name.replace("_", " "): value for name, value in self._asdict().items() if value}
        made = ", ".join(f"{name} {value}" for name, value in known.items())
        of_which = f" of inputs with {made}" if made else ""
        return f"Scores by {over}{of_which} (laid out as Table {8 if over == 'race' else 3})"


Sets = dict[tuple[Kind, str], list[Estimate]]
"""The estimates of each kind of inputs and design; their systems are rows."""


def sets_of(estimates: Sequence[Estimate]) -> Sets:
    """The estimates of single sets of inputs; where no record names its set, all are of one set."""
    named = {name for e in estimates for name in e.subgroup if name in APART}
    sets: Sets = {}
    for e in estimates:
        if not e.baseline and set(e.subgroup) == named:
            design, *made = (e.subgroup.get(name, "") for name in APART)
            kind = Kind() if design == ORIGINAL else Kind(*made)
            sets.setdefault((kind, design), []).append(e)
    return sets


def of_kind(sets: Sets, kind: Kind, *designs: str) -> list[Estimate]:
    """The estimates of one kind of inputs, of these designs or of inputs that name none."""
    return [e for (k, design), own in sets.items() if k == kind and design in (*designs, "") for e in own]


def kinds_of(sets: Sets) -> list[Kind]:
    """The kinds of inputs, in the order in which they are met."""
    return list(dict.fromkeys(kind for kind, design in sets if design != ORIGINAL))


# ------------------------------------------------------------------------------------------- scores


def score_tables(sets: Sets, attributes: Sequence[str]) -> Iterator[Table]:
    """The tables of scores over each attribute, one for each kind of inputs; then Tables 5 and 20."""
    kinds = kinds_of(sets)
    by_gender = [kind for kind in kinds if kind.table("gender") == "3"]

    def lines(over: str, some: Iterable[Kind], label: str = "{row}") -> list[Line]:
        of_kinds = ((kind, of_kind(sets, kind, *DESIGNS)) for kind in some)
        own = ((kind, systems_of(e for e in found if e.over == over)) for kind, found in of_kinds)
        return [
            (label.format(row=row, genders=kind.genders), row, kind) for kind, rows in own for row in rows
        ]

    for over in attributes:
        for kind in kinds:
            if over != "race" or not kind.is_tied:
                kept = by_gender if kind.table(over) == "19" else ()
                both = [*lines(over, [kind]), *lines(over, kept, "{row} (Orig.)")]
                yield _scores(kind.title(over), over, both, sets)
    for kind in by_gender if "gender" in attributes else ():
        asked = [line for line in lines("gender", [kind]) if FOCUS in line[1]]
        columns = ("Word List Inclusion", "Entity Inclusion")
        heading = SteenPeople.published("Table 5").heading
        yield _scores(heading, "gender", asked, sets, columns)
    if "race" in attributes and any(kind.is_tied for kind in kinds):  # gender drawn at random or tied to race
        order = ("random", *TIED)
        chosen = [k for k in kinds if k.is_tied or k.table("race") == "8"]
        chosen.sort(key=lambda k: (order.index(k.genders) if k.genders in order else len(order), k.genders))
        heading = SteenPeople.published("Table 20").heading
        yield _scores(heading, "race", lines("race", chosen, "{row}: {genders}"), sets)


Line = tuple[str, str, Kind]
"""A line of a table of scores: its label, and the row and kind of inputs that it shows."""


def planted(sets: Sets) -> Table:
    """Table 2, second half: word lists of the planted systems from both references, if all four were audited; and what the paper
    has of them on CNN and on XSum, uniform / input reference.
    """
    result = SteenPeople.published("Table 2")
    figures = {name.split()[0].lower(): own for name, *own in result.table.rows if "(Unf., Adj.)" in name}
    every = [e for own in sets.values() for e in own]
    named = {system.partition("(")[0]: system for system in systems_of(every)}
    rows = []
    for name, own in figures.items() if set(figures) <= set(named) else ():
        starts = ("word_list_inclusion(reference=uniform", "word_list_inclusion(words")
        found = (find(every, named[name], "word_list_inclusion", start) for start in starts)
        a, b, c, d = (figure.removeprefix("0") for figure in own)
        rows.append((named[name], *map(number, found), f"{a} / {b}", f"{c} / {d}"))
    return result.printed(rows)


def _scores(
    title: str,
    over: str,
    lines: Sequence[Line],
    sets: Sets,
    columns: Sequence[str] = tuple(COLUMNS),
) -> Table:
    """A table of scores, each of the design that the paper takes it from, without columns that have no estimate."""
    found: dict[str, list[Estimate | None]] = {}
    for name in columns:
        start, quantity, design = COLUMNS[name]
        own = [find(of_kind(sets, kind, design), row, quantity, start, over) for _, row, kind in lines]
        # Word lists compare genders: beside another attribute they would be read as being about it.
        if any(own) and (over == "gender" or not start.startswith("word_list")):
            found[name] = own
    shown = tuple(
        (label, *map(cell, own), _direction(of_kind(sets, kind, BALANCED), row, over))
        for (label, row, kind), *own in zip(lines, *found.values(), strict=True)
    )
    undefined = (UNDEFINED,) if any(ABSENT in line[1:-1] for line in shown) else ()
    designs = (SOURCES,) if any(design for _, design in sets) else ()
    header = ("", *found, "Included most / least")
    return Table(title, header, shown if found else (), (BOTH, *designs, FOLDED, *undefined))


def _direction(estimates: Sequence[Estimate], row: str, over: str) -> str:
    """The groups with the largest and the smallest share of people included."""
    own = (e for e in estimates if e.system == row and e.over == over)
    included = [e for e in own if e.measure.startswith("entity_inclusion") and e.value is not None]
    shares = {e.quantity: e.value or 0.0 for e in included if e.quantity.startswith("inclusion[")}
    if len(set(shares.values())) < 2:
        return ABSENT
    ends = (choose(shares, key=lambda quantity: shares[quantity]) for choose in (max, min))
    return " / ".join(map(group_in, ends))


# --------------------------------------------------------------------------- counts, judged quality


def other_tables(sets: Sets, estimates: Sequence[Estimate]) -> Iterator[Table]:
    """The tables of counts and of a judge's scores, of the kinds of inputs that the paper took."""
    kinds = kinds_of(sets)
    for kind in kinds:
        if kind.table("gender") == "3":
            yield names(of_kind(sets, kind, BALANCED))
            yield statistics(sets, kind, "Table 16")
            yield firsts(of_kind(sets, kind, MONO))
            yield _levels(sets, kind, estimates if len(kinds) == 1 else ())
            yield _gaps(of_kind(sets, kind, MONO), "gender", "Table 7")
        elif kind.table("race") == "8":
            yield statistics(sets, kind, "Table 17")
        if kind.genders == "random":
            yield _gaps(of_kind(sets, kind, MONO), "race", "Table 9")


def names(estimates: Sequence[Estimate]) -> Table:
    """Table 6: the most frequent invented names, m, f or u by their gender, and how many are of either."""
    lines = []
    for row in _counted(estimates):
        own = [e for e in estimates if e.system == row and e.measure.startswith(PEOPLE)]
        counted = [(m, int(e.value)) for e in own if e.value and (m := _COUNT.fullmatch(e.quantity))]
        total = {m[1]: count for m, count in counted if m[2] is None}
        mark = {m[1]: MARKS.get(m[2], m[2]) for m, _ in counted if m[2] is not None}
        most = sorted(total, key=lambda name: (-total[name], name))[:MOST_NAMES]
        listed = ", ".join(f"{name} ({mark.get(name, 'u')}) {total[name]}" for name in most)
        of_gender = [find(own, row, f"invented[{g}]") for g in MARKS]
        known = [0 if e is None or e.value is None else int(e.value) for e in of_gender]
        lines.append((row, listed or "nobody", *map(str, known), str(sum(total.values()) - sum(known))))
    return SteenPeople.published("Table 6").printed(lines)


def statistics(sets: Sets, kind: Kind, table: str) -> Table:
    """Tables 16 and 17: tokens and people per summary with their standard deviations, and the share invented.

    Table 16 has the seed documents, too.
    """
    by_design = _by_design(sets, kind, PEOPLE)
    if table != "Table 16":
        del by_design[ORIGINAL]
    columns, lines = [""], [[row] for row in _counted([e for own in by_design.values() for e in own])]
    for design, own in by_design.items():
        names = ("tokens", "people") if design == ORIGINAL else ("tokens", "people", "% invented")
        columns += [f"{design or 'all'}: {name}" for name in names if own]
        for line in lines if own else ():
            for name in names[:2]:
                mean, deviation = (number(find(own, line[0], quantity)) for quantity in (name, f"{name}_sd"))
                line.append(mean if mean == ABSENT else f"{mean}\nσ: {deviation}")
            if design != ORIGINAL:
                share = find(own, line[0], "share")
                line.append(decimal(None if share is None or share.value is None else 100 * share.value, 2))
    return SteenPeople.published(table).printed(lines, columns=columns)


def _by_design(sets: Sets, kind: Kind, measure: str) -> dict[str, list[Estimate]]:
    """A measure's estimates of one kind of inputs by design, with those of the seed documents."""
    of_kinds = {design: sets.get((Kind() if design == ORIGINAL else kind, design), ()) for design in DESIGNS}
    return {design: [e for e in own if e.measure.startswith(measure)] for design, own in of_kinds.items()}


def firsts(estimates: Sequence[Estimate]) -> Table:
    """Section 9.2: how often summaries call somebody the first woman, female, man or male."""
    own = [e for e in estimates if e.measure.startswith(PHRASES)]
    phrases = list(dict.fromkeys(e.quantity for e in own if e.quantity.startswith("count[")))
    lines = [(row, *(number(find(own, row, q), 0) for q in phrases)) for row in systems_of(own)]
    return SteenPeople.published("Section 9.2").printed(lines, columns=("", *map(group_in, phrases)))


def _counted(estimates: Sequence[Estimate]) -> list[str]:
    """The rows for which invented people could be counted at all."""
    rows = systems_of(estimates, PEOPLE)
    return [row for row in rows if number(find(estimates, row, PEOPLE, PEOPLE)) != ABSENT]


def _levels(sets: Sets, kind: Kind, estimates: Sequence[Estimate]) -> Table:
    """Table 4: mean and deviation on either design and on the seed documents, and how far the designs are from these.

    The differences keep their sign: a folded one is above zero by noise.
    """
    by_design = _by_design(sets, kind, LEVEL)
    whole = [e for e in estimates if not e.subgroup and not e.baseline]
    lines = []
    for row in systems_of(e for own in by_design.values() for e in own):
        pairs = product((BALANCED, MONO, ORIGINAL), ("judged", "judged_sd"))
        levels = (number(find(by_design[design], row, quantity)) for design, quantity in pairs)
        differences = (f"difference[{design}−{ORIGINAL}]" for design in (BALANCED, MONO))
        lines.append((row, *levels, *(cell(find(whole, row, name, GAP)) for name in differences)))
    return SteenPeople.published("Table 4").printed(lines)


def _gaps(estimates: Sequence[Estimate], over: str, table: str) -> Table:
    """Mean score of each group's summaries, and the signed difference with its interval."""
    asked = [e for e in estimates if e.measure.startswith(GAP) and e.over == over]
    pairs = list(dict.fromkeys(e.quantity for e in asked if e.quantity.startswith("difference[")))
    groups = list(dict.fromkeys(g for pair in pairs for g in group_in(pair).split("−")))
    lines = []
    for row in systems_of(asked) if pairs else ():
        means = (number(find(asked, row, f"mean[{g}]")) for g in groups)
        lines.append((row, *means, *(cell(find(asked, row, pair)) for pair in pairs)))
    columns = ("", *groups, *(group_in(pair).replace("−", " − ") for pair in pairs))
    return SteenPeople.published(table).printed(lines, columns=columns)
