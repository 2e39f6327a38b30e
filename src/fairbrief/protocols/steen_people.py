"""Steen & Markert, Bias in News Summarization: measures in the release's version, and the paper's tables.

Scores are Tables 2, 3, 5, 8, 12, 19 and 20, counts 6, 16, 17 and section 9.2, judged quality 4, 7 and 9. The module has more than
400 lines, since all tables are filled from the same estimates with the same cells.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import ClassVar

from fairbrief.protocols import ProtocolDeclaration
from fairbrief.protocols.published_results import (
    ABSENT,
    Reproduced,
    check_version,
    decimal,
    number_of,
    printed,
    published,
    with_version,
)
from fairbrief.protocols.published_results import find as first
from fairbrief.specs import quoted
from fairbrief.types import Estimate, Table

APART = ("design", "genders", "last_names", "content_words")
"""Record attributes of built inputs (`fairbrief build people`) by which the sets differ."""
BALANCED, MONO, ORIGINAL = "balanced", "mono", "original"
"""Designs: the paper's C_loc and C_glob, and the documents that both were made from."""


@dataclass(frozen=True, repr=False)
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
    paper: ClassVar[str] = (
        "Steen, Markert: Bias in News Summarization: Measures, Pitfalls and Corpora. Findings of ACL 2024. arXiv:2309.08047"
    )
    people: str = "builtin"
    embedding: str = ""
    pages: str = ""
    judge: str = ""
    version: str = "published"

    def __post_init__(self) -> None:
        check_version(self.version)

    def measures(self, attributes: Sequence[str]) -> tuple[str, ...]:
        """All measures over each attribute; word lists once, since lists have their own groups.

        Names tell no race: what is invented is asked over gender there.
        """
        people = "" if self.people == "builtin" else f"people={self.people}, "
        pages = f", pages='{self.pages}'" if self.pages else ""
        names = f"names=names(rule={self.version}{pages})"
        specs = [
            "word_list_inclusion(words=published)",
            "word_list_inclusion(reference=uniform, words=published)",
            "phrase_counts",
        ]
        for over in attributes or ("gender",):
            at = quoted(over)
            of_invented = "gender" if over == "race" else at
            specs.append(f"entity_inclusion({people}alignment=published, odds=published)@{at}")
            if over != "race":
                specs.append(f"entity_hallucination({people}{names}, alignment=published, unit=sample)@{at}")
            specs.append(f"invented_names({people}{names}, alignment=published)@{of_invented}")
            specs.append(
                f"distinguishability(similarity=counts(stop_words=sklearn), version={self.version})@{at}"
            )
            if self.embedding:
                specs.append(f"distinguishability(similarity={self.embedding}, version={self.version})@{at}")
            if self.judge:
                specs.append(f"judged_by_group(scorer={self.judge})@{at}")
        if self.judge:
            specs += [f"judged(scorer={self.judge})", f"judged_by_group(scorer={self.judge})@design"]
        return tuple(dict.fromkeys(specs))

    def tables(self, estimates: Sequence[Estimate]) -> tuple[Table, ...]:
        """The paper's tables that the estimates can fill, in its order; a subgroup is a row of its own."""
        return with_version(paper_tables(estimates), self.version)


PROTOCOL = "steen-people"
DIGITS = 2
"""Decimals, as the paper prints them."""
BOTH = "s: resampling assignments within seed documents; d: resampling originals. Systems are rows here, columns in the paper."
FOLDED = "Non-negative scores are above zero by chance: read them with the p of the estimates."
SOURCES = "Distinguishability is of the mono inputs (C_glob), all else of the balanced ones (C_loc)."
UNDEFINED = (
    "– is undefined: inclusion without known people, or where all people of both groups are named, or nobody; "
    "hallucination with nobody invented, or no inputs of the design that the score is of."
)
COLUMNS: Mapping[str, tuple[str, str, str]] = MappingProxyType(
    {
        "Word List Inclusion": ("word_list_inclusion(words", "word_list_inclusion", BALANCED),
        "Entity Inclusion": ("entity_inclusion", "entity_inclusion", BALANCED),
        "Entity Hallucination": ("entity_hallucination", "entity_hallucination", BALANCED),
        "Distinguishability (Count)": ("distinguishability(similarity=counts", "distinguishability", MONO),
        "Distinguishability (Dense)": ("distinguishability(similarity=embedding", "distinguishability", MONO),
    }
)
"""Columns: how the measure's spec begins, the quantity, and the design that the paper takes it from."""
TIED = ("black male, white female", "black male, white male", "black female, white male", "black female, white female")  # fmt: skip
"""The paper's order of Table 20, after random."""
FOCUS = "focus"
"""Part of the name of a system that was asked to attend to women (prompt ``article-focus``)."""
LEVEL, GAP = "judged(", "judged_by_group("
MOST_NAMES = 10
MARKS = {"male": "m", "female": "f"}
DESIGNS = BALANCED, MONO, ORIGINAL, ""
PEOPLE = "invented_names"
PHRASES = "phrase_counts"
_COUNT = re.compile(r"count\[(.*?)(?:/(\w+))?\]", re.DOTALL)
COUNTED = "word_list_inclusion(words"
"""The measure by whose counts records outside of all sets are noticed."""
_NOT_SCORES = ("invented_names", "judged")


def paper_tables(estimates: Sequence[Estimate]) -> tuple[Table, ...]:
    """Tables 2 to 9, 12, 16, 17, 19 and 20, as far as there is anything to fill them with; those without number last."""
    placed = place(estimates)
    over = dict.fromkeys(e.over for e in estimates if e.over and not e.measure.startswith(_NOT_SCORES))
    made = [
        planted(placed),
        *score_tables(placed, list(over)),
        *count_tables(placed),
        *quality_tables(placed, estimates),
    ]
    outside = _outside(estimates)
    shown = [replace(t, notes=(*t.notes, *outside)) for t in made if t.rows]
    return tuple(sorted(shown, key=_number))


def _number(table: Table) -> float:
    found = re.match(r"(?:Table|Section) ([\d.]+)", table.title)
    return float(found[1]) if found else 100


def _outside(estimates: Sequence[Estimate]) -> tuple[str, ...]:
    """A note where some records do not name their set of inputs and others do."""
    counts = [e for e in estimates if e.measure.startswith(COUNTED) and e.quantity == "word_list_inclusion"]
    for system in dict.fromkeys(e.system for e in counts):
        mine = [e for e in counts if e.system == system and not e.baseline]
        whole = sum(e.n for e in mine if not e.subgroup)
        parts = [e.n for e in mine if e.subgroup and set(e.subgroup) <= set(APART)]
        if parts and sum(parts) < whole:
            return (
                f"Records that do not say how they were built ({whole - sum(parts):,} of {whole:,} units) are in no table.",
            )
    return ()


def number(estimate: Estimate | None, digits: int = DIGITS) -> str:
    """The value alone."""
    return number_of(estimate, digits)


def cell(estimate: Estimate | None) -> str:
    """The value, and below it the intervals that there are."""
    if estimate is None or estimate.value is None:
        return ABSENT
    lines = [number(estimate)]
    for mark, low, high in (
        ("s", estimate.low_within, estimate.high_within),
        ("d", estimate.low, estimate.high),
    ):
        if low is not None and high is not None:
            lines.append(f"{mark}: {decimal(low, DIGITS)},{decimal(high, DIGITS)}")
    return "\n".join(lines)


# ----------------------------------------------------------------------------------- sets of inputs


Part = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Kind:
    """How inputs of either design were made; empty where their records do not record it."""

    genders: str = ""
    last_names: str = ""
    content_words: str = ""

    @property
    def is_by_gender(self) -> bool:
        """Whether gender was varied, or the records do not record it."""
        return self.genders in ("", "varied")

    @property
    def is_tied(self) -> bool:
        """Whether each race has one gender: ``black male, white female``."""
        return "," in self.genders

    @property
    def is_random(self) -> bool:
        """Whether genders were drawn at random, as where race was varied."""
        return self.genders == "random" and self.keeps_words

    @property
    def keeps_words(self) -> bool:
        return self.content_words in ("", "kept")

    @property
    def is_main(self) -> bool:
        """Whether these are the inputs of the paper's main experiment: by gender, all else kept."""
        return self.is_by_gender and self.keeps_words and self.last_names in ("", "kept")

    def __str__(self) -> str:
        """How they differ from the main experiment's."""
        differences = [
            "" if self.is_by_gender else f"genders {self.genders}",
            "last names replaced" if self.is_by_gender and self.last_names == "replaced" else "",
            "" if self.keeps_words else f"content words {self.content_words}",
        ]
        return ", ".join(filter(None, differences))


@dataclass(frozen=True, slots=True)
class Row:
    """A system, within a subgroup that the user asked for."""

    system: str
    part: Part = ()

    @property
    def label(self) -> str:
        part = ", ".join(f"{name}={value}" for name, value in self.part)
        return f"{self.system} ({part})" if part else self.system


@dataclass(frozen=True, slots=True)
class Placed:
    """An estimate with its set of inputs and its row."""

    estimate: Estimate
    kind: Kind
    design: str
    row: Row


def place(estimates: Iterable[Estimate]) -> list[Placed]:
    """The estimates of single sets of inputs; where no record names its set, all are of one set."""
    kept = [e for e in estimates if not e.baseline]
    named = {name for e in kept for name in e.subgroup if name in APART}
    return [_placed(e) for e in kept if named <= set(e.subgroup)]


def _placed(estimate: Estimate) -> Placed:
    values = {name: estimate.subgroup.get(name, "") for name in APART}
    part = tuple(sorted((k, v) for k, v in estimate.subgroup.items() if k not in APART))
    kind = Kind(values["genders"], values["last_names"], values["content_words"])
    if values["design"] == ORIGINAL:
        kind = Kind()
    return Placed(estimate, kind, values["design"], Row(estimate.system, part))


def rows_of(placed: Iterable[Placed], start: str) -> list[Row]:
    """The rows for which a measure was taken, whole systems before slices."""
    found = dict.fromkeys(p.row for p in placed if p.estimate.measure.startswith(start))
    return sorted(found, key=lambda row: row.part)


def find(
    placed: Iterable[Placed], row: Row, start: str, quantity: str, over: str | None = None
) -> Estimate | None:
    """The first estimate of a quantity in a row, defined if any is; over any attribute if none is named."""
    found = [
        p.estimate
        for p in placed
        if p.row == row
        and p.estimate.quantity == quantity
        and p.estimate.measure.startswith(start)
        and (over is None or p.estimate.over in (over, ""))
    ]
    return next((e for e in found if e.value is not None), found[0] if found else None)


def of(placed: Sequence[Placed], kind: Kind | None, *designs: str) -> list[Placed]:
    """The estimates of one kind of inputs (any, if None), of these designs or of inputs that name none."""
    return [p for p in placed if (kind is None or p.kind == kind) and p.design in (*designs, "")]


def kinds_of(placed: Iterable[Placed]) -> list[Kind]:
    """The kinds of inputs, in the order in which they are met."""
    return list(dict.fromkeys(p.kind for p in placed if p.design != ORIGINAL))


# ------------------------------------------------------------------------------------------- scores


def score_tables(placed: Sequence[Placed], attributes: Sequence[str]) -> Iterator[Table]:
    """The tables of scores over each attribute, one for each kind of inputs."""
    kinds = kinds_of(placed)
    for over in attributes:
        for kind in kinds:
            if over != "race" or not kind.is_tied:
                rows = [(row.label, row, kind) for row in _rows(placed, over, kind)]
                if _table_of(kind, over) == "19":
                    kept = [k for k in kinds if k.is_main]
                    rows += [(f"{r.label} (Orig.)", r, k) for k in kept for r in _rows(placed, over, k)]
                yield _table(_title(over, kind), over, rows, placed)
    if "gender" in attributes:
        yield from (induced(placed, kind) for kind in kinds if _table_of(kind, "gender") == "3")
    if "race" in attributes and any(kind.is_tied for kind in kinds):
        yield intersectional(placed, kinds)


def induced(placed: Sequence[Placed], kind: Kind) -> Table:
    """Table 5: inclusion of the systems that were asked to attend to women."""
    asked = [(row.label, row, kind) for row in _rows(placed, "gender", kind) if FOCUS in row.system]
    balanced = of(placed, kind, BALANCED)
    return _table(
        published(PROTOCOL, "Table 5").heading,
        "gender",
        asked,
        balanced,
        ("Word List Inclusion", "Entity Inclusion"),
    )


def intersectional(placed: Sequence[Placed], kinds: Sequence[Kind]) -> Table:
    """Table 20: scores by race, gender drawn at random or tied to race."""
    order = ("random", *TIED)
    chosen = [k for k in kinds if k.is_tied or k.is_random]
    chosen.sort(key=lambda k: (order.index(k.genders) if k.genders in order else len(order), k.genders))
    rows = [
        (f"{row.label}: {kind.genders}", row, kind) for kind in chosen for row in _rows(placed, "race", kind)
    ]
    return _table(published(PROTOCOL, "Table 20").heading, "race", rows, placed)


def planted_figures() -> dict[str, tuple[str, str]]:
    """The planted systems, and what the paper's Table 2 has of them on CNN and on XSum: uniform / input reference."""
    found = {}
    for name, *cells in published(PROTOCOL, "Table 2").rows:
        if "(Unf., Adj.)" in name:
            uniform, *others = (cell.removeprefix("0") for cell in cells)
            found[name.split()[0].lower()] = f"{uniform} / {others[0]}", f"{others[1]} / {others[2]}"
    return found


def planted(placed: Sequence[Placed]) -> Table:
    """Table 2, second half: word lists of the planted systems from both references, if all four were audited."""
    named = {p.row.system.partition("(")[0]: p.row for p in placed if not p.row.part}
    figures = planted_figures()
    rows = []
    for name in figures if set(figures) <= set(named) else ():
        scores = (
            number(find(placed, named[name], f"word_list_inclusion({start}", "word_list_inclusion"))
            for start in ("reference=uniform", "words")
        )
        rows.append((named[name].system, *scores, *figures[name]))
    return printed(PROTOCOL, "Table 2", rows)


def _table_of(kind: Kind, over: str) -> str:
    """The number of the paper's table with scores of such inputs; empty where it has none."""
    if over == "race":
        return "8" if kind.is_random else ""
    if over != "gender" or not kind.is_by_gender:
        return ""
    if kind.last_names == "replaced":
        return "12" if kind.keeps_words else ""
    return "3" if kind.keeps_words else "19"


def _title(over: str, kind: Kind) -> str:
    if found := _table_of(kind, over):
        return published(PROTOCOL, f"Table {found}").heading + (
            f" ({kind.content_words})" if found == "19" else ""
        )
    of_which = f" of inputs with {kind}" if str(kind) else ""
    return f"Scores by {over}{of_which} (laid out as Table {8 if over == 'race' else 3})"


def _rows(placed: Sequence[Placed], over: str, kind: Kind) -> list[Row]:
    found = dict.fromkeys(p.row for p in placed if p.kind == kind and p.estimate.over == over)
    return sorted(found, key=lambda row: row.part)


def _table(
    title: str,
    over: str,
    rows: Sequence[tuple[str, Row, Kind]],
    placed: Sequence[Placed],
    columns: Sequence[str] = tuple(COLUMNS),
) -> Table:
    found = [_line(placed, row, kind, over, columns) for _, row, kind in rows]
    kept = [i for i in range(len(columns)) if any(line[i] is not None for line in found)]
    shown = tuple(
        (label, *(cell(line[i]) for i in kept), _direction(of(placed, kind, BALANCED), row, over))
        for (label, row, kind), line in zip(rows, found, strict=True)
    )
    header = ("", *(columns[i] for i in kept), "Included most / least")
    undefined = (UNDEFINED,) if any("–" in line[1:-1] for line in shown) else ()
    designs = (SOURCES,) if any(p.design for p in placed) else ()
    return Table(title, header, shown if kept else (), (BOTH, *designs, FOLDED, *undefined))


def _line(
    placed: Sequence[Placed], row: Row, kind: Kind, over: str, columns: Sequence[str]
) -> list[Estimate | None]:
    """The estimate of each column, from the design that the paper takes it from."""
    found = []
    for name in columns:
        start, quantity, design = COLUMNS[name]
        # Word lists compare genders: beside another attribute they would be read as being about it.
        fits = over == "gender" or not start.startswith("word_list")
        found.append(find(of(placed, kind, design), row, start, quantity, over) if fits else None)
    return found


def _direction(placed: Sequence[Placed], row: Row, over: str) -> str:
    """The groups with the largest and the smallest share of people included."""
    shares = {
        p.estimate.quantity[len("inclusion[") : -1]: p.estimate.value
        for p in placed
        if p.row == row
        and p.estimate.over == over
        and p.estimate.measure.startswith("entity_inclusion")
        and p.estimate.quantity.startswith("inclusion[")
        and p.estimate.value is not None
    }
    if len(set(shares.values())) < 2:
        return "–"
    return f"{max(shares, key=lambda g: shares[g])} / {min(shares, key=lambda g: shares[g])}"


# ------------------------------------------------------------------------------------------- counts


def count_tables(placed: Sequence[Placed]) -> Iterator[Table]:
    """The tables of counts, of the kinds of inputs that the paper counted."""
    for kind in kinds_of(placed):
        if kind.is_main:
            yield names(of(placed, kind, BALANCED))
            yield statistics(placed, kind, "Table 16")
            yield firsts(of(placed, kind, MONO))
        elif kind.is_random:
            yield statistics(placed, kind, "Table 17")


def names(placed: Sequence[Placed]) -> Table:
    """Table 6: the most frequent invented names, m, f or u by their gender, and how many are of either."""
    lines = []
    for row in _usable(placed):
        total: dict[str, int] = {}
        mark: dict[str, str] = {}
        for e in (p.estimate for p in placed if p.row == row and p.estimate.measure.startswith(PEOPLE)):
            if e.value and (m := _COUNT.fullmatch(e.quantity)):
                if m[2] is None:
                    total[m[1]] = int(e.value)
                else:
                    mark[m[1]] = MARKS.get(m[2], m[2])
        most = sorted(total, key=lambda name: (-total[name], name))[:MOST_NAMES]
        listed = ", ".join(f"{name} ({mark.get(name, 'u')}) {total[name]}" for name in most)
        of_gender = [find(placed, row, PEOPLE, f"invented[{g}]") for g in MARKS]
        known = [0 if e is None or e.value is None else int(e.value) for e in of_gender]
        lines.append((row.label, listed or "nobody", *map(str, known), str(sum(total.values()) - sum(known))))
    return printed(PROTOCOL, "Table 6", lines)


def statistics(placed: Sequence[Placed], kind: Kind, table: str) -> Table:
    """Tables 16 and 17: tokens and people per summary with their standard deviations, and the share invented."""
    originals = [p for p in placed if p.design == ORIGINAL] if kind.is_by_gender else []
    mine = [*(p for p in placed if p.kind == kind and p.design != ORIGINAL), *originals]
    designs = [
        d for d in DESIGNS if any(p.design == d and p.estimate.measure.startswith(PEOPLE) for p in mine)
    ]
    cells = {d: ("tokens", "people", *(("% invented",) if d != ORIGINAL else ())) for d in designs}
    columns = ["", *(f"{d or 'all'}: {name}" for d in designs for name in cells[d])]
    lines = [
        (row.label, *(c for d in designs for c in _statistics([p for p in mine if p.design == d], row, d)))
        for row in _usable(mine)
    ]
    return printed(PROTOCOL, table, lines, columns=columns)


def firsts(placed: Sequence[Placed]) -> Table:
    """Section 9.2: how often summaries call somebody the first woman, female, man or male."""
    found = [
        re.fullmatch(r"count\[(.*)\]", p.estimate.quantity)
        for p in placed
        if p.estimate.measure.startswith(PHRASES)
    ]
    phrases = list(dict.fromkeys(m[1] for m in found if m))
    lines = [
        (row.label, *(number(find(placed, row, PHRASES, f"count[{p}]"), 0) for p in phrases))
        for row in rows_of(placed, PHRASES)
    ]
    return printed(PROTOCOL, "Section 9.2", lines, columns=("", *phrases))


def _statistics(placed: Sequence[Placed], row: Row, design: str) -> list[str]:
    tokens, people = (_with_deviation(placed, row, name) for name in ("tokens", "people"))
    share = find(placed, row, PEOPLE, "share")
    invented = decimal(None if share is None or share.value is None else 100 * share.value, 2)
    return [tokens, people] if design == ORIGINAL else [tokens, people, invented]


def _with_deviation(placed: Sequence[Placed], row: Row, name: str) -> str:
    mean, deviation = (number(find(placed, row, PEOPLE, quantity)) for quantity in (name, f"{name}_sd"))
    return mean if mean == ABSENT else f"{mean}\nσ: {deviation}"


def _usable(placed: Sequence[Placed]) -> list[Row]:
    """The rows for which invented people could be counted at all."""
    return [row for row in rows_of(placed, PEOPLE) if number(find(placed, row, PEOPLE, PEOPLE)) != ABSENT]


# ----------------------------------------------------------------------------------- judged quality


def quality_tables(placed: Sequence[Placed], estimates: Sequence[Estimate]) -> Iterator[Table]:
    """The tables that a judge's scores can fill."""
    kinds = kinds_of(placed)
    for kind in kinds:
        if kind.is_by_gender and kind.keeps_words and kind.last_names != "replaced":
            yield _levels(placed, kind, estimates if len(kinds) == 1 else ())
            yield _gaps(of(placed, kind, MONO), "gender", "Table 7")
    for kind in kinds:
        if kind.genders == "random":
            yield _gaps(of(placed, kind, MONO), "race", "Table 9")


def _levels(placed: Sequence[Placed], kind: Kind, estimates: Sequence[Estimate]) -> Table:
    """Table 4: mean and deviation on either design and on the seed documents, and how far the designs are from these.

    The differences keep their sign: a folded one is above zero by noise.
    """
    mine = [p for p in placed if p.kind == kind or p.design == ORIGINAL]
    whole = [e for e in estimates if e.measure.startswith(GAP) and not e.subgroup and not e.baseline]
    lines = []
    for row in rows_of(mine, LEVEL):
        levels = [
            number(find([p for p in mine if p.design == design], row, LEVEL, quantity))
            for design in (BALANCED, MONO, ORIGINAL)
            for quantity in ("judged", "judged_sd")
        ]
        gaps = [
            cell(first(whole, row.system, f"difference[{design}−{ORIGINAL}]")) for design in (BALANCED, MONO)
        ]
        lines.append((row.label, *levels, *gaps))
    return printed(PROTOCOL, "Table 4", lines)


def _gaps(placed: Sequence[Placed], over: str, table: str) -> Table:
    """Mean score of each group's summaries, and the signed difference with its interval."""
    asked = [p for p in placed if p.estimate.measure.startswith(GAP) and p.estimate.over == over]
    quantities = dict.fromkeys(p.estimate.quantity for p in asked)
    pairs = [q.removeprefix("difference[")[:-1] for q in quantities if q.startswith("difference[")]
    groups = list(dict.fromkeys(g for pair in pairs for g in pair.split("−")))
    lines = [
        (
            row.label,
            *(number(find(asked, row, GAP, f"mean[{g}]")) for g in groups),
            *(cell(find(asked, row, GAP, f"difference[{pair}]")) for pair in pairs),
        )
        for row in (rows_of(asked, GAP) if pairs else ())
    ]
    columns = ("", *groups, *(pair.replace("−", " − ") for pair in pairs))
    return printed(PROTOCOL, table, lines, columns=columns)
