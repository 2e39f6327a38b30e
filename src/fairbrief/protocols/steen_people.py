"""Steen & Markert, Bias in News Summarization: measures, in the release's readings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from fairbrief.protocols import ProtocolDeclaration
from fairbrief.protocols.published_results import PublishedResult, published_results
from fairbrief.protocols.steen_counts import count_tables
from fairbrief.protocols.steen_inputs import (
    APART,
    BALANCED,
    MONO,
    ORIGINAL,
    Kind,
    Placed,
    find,
    of,
    place,
    rows_of,
    titled,
)
from fairbrief.protocols.steen_scores import cell, number, planted, score_tables
from fairbrief.specs import quoted, spell
from fairbrief.types import Estimate, Table


@dataclass(frozen=True, repr=False)
class SteenPeople:
    """Word lists, entity inclusion, hallucination and distinguishability as in the paper's release.

    Alignment by substrings, uncorrected odds, census names *more* than twice as frequent, names replaced as
    substrings; empty summaries are the one departure (see docs/decisions/people-measures.md). ``people`` is the
    recogniser (``builtin``, or ``spacy:NAME`` as in the paper); ``embedding`` the spec of a scorer for dense
    distinguishability, without which it is left out; ``pages`` the page-pronoun table; ``judge`` the spec of a
    scorer for the quality of summaries (``judge(model=gpt-3.5-turbo-1106)``), without which it is left out.

    Prints the paper's tables, each from the inputs that the paper took for it (``fairbrief build people``; several
    sets in one audit are told apart): 3 scores by gender, from balanced and mono inputs; 5 where a system was
    asked to attend to women; 6 invented names; 8 scores by race, gender drawn at random (``--groups race --genders
    random``); 12 last names replaced (``--last-names replace``); 16 and 17 tokens, people and share invented, with
    the originals (``--design original``); 19 content words exchanged (``--content-words exchange``); 20 gender tied to race
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

    __repr__ = spell

    def measures(self, attributes: Sequence[str]) -> tuple[str, ...]:
        """All measures over each attribute; word lists once, since lists have their own groups.

        Names tell no race: what is invented is asked over gender there.
        """
        people = "" if self.people == "builtin" else f"people={self.people}, "
        pages = f", pages='{self.pages}'" if self.pages else ""
        names = f"names=names(rule=published{pages})"
        found = [
            "word_list_inclusion(words=published)",
            "word_list_inclusion(reference=uniform, words=published)",
            "phrase_counts",
        ]
        for over in attributes or ("gender",):
            at = quoted(over)
            told = "gender" if over == "race" else at
            found.append(f"entity_inclusion({people}alignment=published, odds=published)@{at}")
            if over != "race":
                found.append(f"entity_hallucination({people}{names}, alignment=published, unit=sample)@{at}")
            found.append(f"invented_names({people}{names}, alignment=published)@{told}")
            found.append(f"distinguishability(similarity=counts(stop_words=sklearn), variant=published)@{at}")
            if self.embedding:
                found.append(f"distinguishability(similarity={self.embedding}, variant=published)@{at}")
            if self.judge:
                found.append(f"judged_by_group(scorer={self.judge})@{at}")
        if self.judge:
            found += [f"judged(scorer={self.judge})", f"judged_by_group(scorer={self.judge})@design"]
        return tuple(dict.fromkeys(found))

    def results(self) -> tuple[PublishedResult, ...]:
        """What the paper shows, under its own numbers and titles."""
        return published_results(self.name)

    def tables(self, estimates: Sequence[Estimate]) -> tuple[Table, ...]:
        """The paper's tables that the estimates can fill, in its order; a slice is a row of its own."""
        return paper_tables(estimates)


# --------------------------------------------------------------------------------------- the tables


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
    found = re.match(r"Table (\d+)", table.title)
    if found:
        return int(found[1])
    return 9.2 if table.title.startswith("Section 9.2") else 100


def _outside(estimates: Sequence[Estimate]) -> tuple[str, ...]:
    """A note, where records do not say of which set they are although others do."""
    counts = [e for e in estimates if e.measure.startswith(COUNTED) and e.quantity == "word_list_inclusion"]
    for system in dict.fromkeys(e.system for e in counts):
        mine = [e for e in counts if e.system == system and not e.baseline]
        whole = sum(e.n for e in mine if not e.slice)
        parts = [e.n for e in mine if e.slice and set(e.slice) <= set(APART)]
        if parts and sum(parts) < whole:
            return (
                f"Records that do not say how they were built ({whole - sum(parts):,} of {whole:,} units) are in no table.",
            )
    return ()


# ----------------------------------------------------------------------------------- judged quality


LEVEL, GAP = "judged(", "judged_by_group("
SIGNED = "Differences keep their sign, where the paper prints their size: a folded difference is above zero by noise."


def quality_tables(placed: Sequence[Placed], estimates: Sequence[Estimate]) -> Iterator[Table]:
    """The tables that a judge's scores can fill."""
    kinds = list(dict.fromkeys(p.kind for p in placed if p.design != ORIGINAL))
    by_gender = [k for k in kinds if k.is_by_gender and k.keeps_words and k.last_names != "replaced"]
    for kind in by_gender:
        yield _levels(placed, kind, estimates if len(kinds) == 1 else ())
        yield _gaps(of(placed, kind, MONO), "gender", titled("Table 7"))
    for kind in kinds:
        if kind.genders == "random":
            yield _gaps(of(placed, kind, MONO), "race", titled("Table 9"))


def _levels(placed: Sequence[Placed], kind: Kind, estimates: Sequence[Estimate]) -> Table:
    """Table 4: mean and deviation on either design and on the originals, and how far the designs are from these."""
    mine = [p for p in placed if p.kind == kind or p.design == ORIGINAL]
    lines = []
    for row in rows_of(mine, LEVEL):
        cells = []
        for design in (BALANCED, MONO, ORIGINAL):
            here = [p for p in mine if p.design == design]
            cells += [number(find(here, row, LEVEL, quantity)) for quantity in ("judged", "judged_sd")]
        for design in (BALANCED, MONO):
            wanted = f"difference[{design}−{ORIGINAL}]"
            whole = (e for e in estimates if e.system == row.system and not e.slice and not e.baseline)
            cells.append(
                cell(next((e for e in whole if e.measure.startswith(GAP) and e.quantity == wanted), None))
            )
        lines.append((row.label, *cells))
    return Table(
        titled("Table 4"),
        ("", "balanced", "σ", "mono", "σ", "original", "σ", "balanced − original", "mono − original"),
        tuple(lines),
        (SIGNED,),
    )


def _gaps(placed: Sequence[Placed], over: str, title: str) -> Table:
    """Mean score of each group's summaries, and the signed difference with its interval."""
    start = len("difference[")
    asked = [p for p in placed if p.estimate.measure.startswith(GAP) and p.estimate.over == over]
    pairs = dict.fromkeys(
        p.estimate.quantity[start:-1] for p in asked if p.estimate.quantity.startswith("difference[")
    )
    groups = list(dict.fromkeys(g for pair in pairs for g in pair.split("−")))
    lines = [
        (
            row.label,
            *(number(find(asked, row, GAP, f"mean[{g}]")) for g in groups),
            *(cell(find(asked, row, GAP, f"difference[{pair}]")) for pair in pairs),
        )
        for row in (rows_of(asked, GAP) if pairs else ())
    ]
    return Table(title, ("", *groups, *(pair.replace("−", " − ") for pair in pairs)), tuple(lines), (SIGNED,))
