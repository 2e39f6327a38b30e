"""Which measures read the language of the texts, and which need another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fairbrief.errors import RequestError
from fairbrief.reports.result import LeftOut
from fairbrief.text.languages import ENGLISH, given, language_of_input, name_of
from fairbrief.types import Case, Measure


def language_of(head: Sequence[Case]) -> str:
    """The language told, or the one that most documents of the first records are in."""
    texts = {case.record.id: " ".join(d.text for d in case.record.documents) for case in head}
    return language_of_input(texts.values())


def described(head: Sequence[Case]) -> str:
    """The language for people to read; empty for English that nobody told."""
    code = language_of(head)
    if given():
        return name_of(code)
    return "" if code == ENGLISH else f"{name_of(code)} (detected)"


def reads(measure: Measure, language: str) -> bool:
    """Whether a measure reads a language: those that declare no ``languages`` read all."""
    known: tuple[str, ...] = getattr(measure, "languages", ())
    return not known or language in known


def reason(measure: Measure, language: str) -> str:
    """Why a measure does not read a language."""
    wanted = " or ".join(map(name_of, getattr(measure, "languages", ())))
    return f"it reads {wanted} only, and the texts are in {name_of(language)}; --language says so if they are not"


def without_unread(
    measures: Iterable[Measure], language: str
) -> tuple[tuple[Measure, ...], tuple[LeftOut, ...]]:
    """The measures that read the language, and what is left out."""
    measures = tuple(measures)
    kept = tuple(m for m in measures if reads(m, language))
    left_out = tuple(LeftOut(repr(m), reason(m, language)) for m in measures if not reads(m, language))
    return kept, left_out


def refuse_unread(measures: Iterable[Measure], language: str) -> None:
    """Raise RequestError naming the language for a measure that was asked for and cannot read it."""
    for measure in measures:
        if not reads(measure, language):
            raise RequestError(f"{measure!r}: {reason(measure, language)}.")
