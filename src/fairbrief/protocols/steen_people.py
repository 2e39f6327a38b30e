"""Steen & Markert, Bias in News Summarization: measures, in the release's readings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from fairbrief.nouns import Estimate, Table
from fairbrief.protocols import steen_tables
from fairbrief.spelling import quoted, spell


@dataclass(frozen=True, repr=False)
class SteenPeople:
    """Word lists, entity inclusion, hallucination and distinguishability as in the paper's release.

    Alignment by substrings, uncorrected odds, census names *more* than twice as frequent, names replaced as
    substrings; empty summaries are the one departure (see docs/decisions/people-measures.md). ``people`` is the
    recogniser (``builtin``, or ``spacy:NAME`` as in the paper); ``embedding`` the spelling of a scorer for dense
    distinguishability, without which it is left out; ``pages`` the page-pronoun table.

    Prints the paper's Tables 3 (scores by gender), 6 (invented names), 8 (tokens, people, share invented), 16
    and 20 (race with gender drawn at random, and tied to race: inputs of ``--groups race --genders random`` and
    ``--groups "gender*race=male:A+female:B"``, in one audit or two), and 2 where the four planted systems
    ``random``, ``lead``, ``topic`` and ``sexist`` are audited.
    """

    name: ClassVar[str] = "steen-people"
    reads: ClassVar[str] = "entity"
    slices: ClassVar[tuple[tuple[str, ...], ...]] = ((steen_tables.GENDERS,),)
    """Race tables are told apart by how gender went with race when the inputs were built."""
    paper: ClassVar[str] = (
        "Steen, Markert: Bias in News Summarization: Measures, Pitfalls and Corpora. Findings of ACL 2024. arXiv:2309.08047"
    )
    people: str = "builtin"
    embedding: str = ""
    pages: str = ""

    def __repr__(self) -> str:
        return spell(self)

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
        ]
        for over in attributes or ("gender",):
            at = quoted(over)
            told = "gender" if over == "race" else at
            found.append(f"entity_inclusion({people}alignment=published, odds=published)@{at}")
            if over != "race":
                found.append(f"entity_hallucination({people}{names}, alignment=published, unit=sample)@{at}")
            found.append(f"invented_names({people}{names}, alignment=published)@{told}")
            found.append(f"distinguishability(similarity=counts(stop_words=sklearn), reading=published)@{at}")
            if self.embedding:
                found.append(f"distinguishability(similarity={self.embedding}, reading=published)@{at}")
        return tuple(dict.fromkeys(found))

    def tables(self, estimates: Sequence[Estimate]) -> tuple[Table, ...]:
        """The paper's tables that the estimates can fill, in its order; a slice is a row of its own."""
        return steen_tables.tables(estimates)
