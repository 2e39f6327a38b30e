"""Where measures whose word lists are English read nothing."""

from __future__ import annotations

from fairbrief.measures.known_records import known
from fairbrief.text.languages import is_foreign
from fairbrief.types import Cases, Reason


def needs_english(cases: Cases, what: str) -> Reason | None:
    """Why ``what`` reads nothing in these cases: they are in another language, which is named; None in English ones."""
    language = is_foreign(known(cases[0].record).source) if cases else ""
    return Reason(f"the text is {language}, and {what} are English") if language else None
