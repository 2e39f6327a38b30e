"""Steen & Markert, Bias in News Summarization: measures, in the release's readings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from fairbrief.protocols import ProtocolDeclaration
from fairbrief.protocols.published_results import Reproduced
from fairbrief.protocols.steen_inputs import APART
from fairbrief.protocols.steen_tables import paper_tables
from fairbrief.specs import quoted
from fairbrief.types import Estimate, Table


@dataclass(frozen=True, repr=False)
class SteenPeople(Reproduced):
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

    def measures(self, attributes: Sequence[str]) -> tuple[str, ...]:
        """All measures over each attribute; word lists once, since lists have their own groups.

        Names tell no race: what is invented is asked over gender there.
        """
        people = "" if self.people == "builtin" else f"people={self.people}, "
        pages = f", pages='{self.pages}'" if self.pages else ""
        names = f"names=names(rule=published{pages})"
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
            specs.append(f"distinguishability(similarity=counts(stop_words=sklearn), variant=published)@{at}")
            if self.embedding:
                specs.append(f"distinguishability(similarity={self.embedding}, variant=published)@{at}")
            if self.judge:
                specs.append(f"judged_by_group(scorer={self.judge})@{at}")
        if self.judge:
            specs += [f"judged(scorer={self.judge})", f"judged_by_group(scorer={self.judge})@design"]
        return tuple(dict.fromkeys(specs))

    def tables(self, estimates: Sequence[Estimate]) -> tuple[Table, ...]:
        """The paper's tables that the estimates can fill, in its order; a slice is a row of its own."""
        return paper_tables(estimates)
