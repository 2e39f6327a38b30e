"""Records and summaries with personal data replaced, before any other part of Fairbrief sees them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from fairbrief.readers.messages import fault
from fairbrief.text.personal_data import has_email, names_in, without_identifiers, without_names
from fairbrief.types import Case, Claim, Document, Record, Summary

NAMES = "names"
"""The kind of personal data whose replacement must be asked for; identifiers are always replaced."""


@dataclass(frozen=True, slots=True)
class Redaction:
    """Replaces identifiers, and names of people if wanted, in the texts of records and summaries.

    A name that is recognized in one text of a record is replaced in all its texts. Attributes lose identifiers and keep
    names. Ids must stay distinct, so an e-mail address in one is an error. So are entities, whose positions would move.
    """

    names: bool = False

    def cases(self, record: Record, summaries: Iterable[Summary]) -> list[Case]:
        """The cases of a record without personal data; DataError if that is impossible."""
        _refuse(record)
        names = self._names(d.text for d in record.documents)
        clean = self._record(record, names)
        return [Case(clean, self._summary(one, names | self._names([one.text]))) for one in summaries]

    def _record(self, record: Record, names: frozenset[str]) -> Record:
        documents = tuple(
            Document(self._text(d.text, names), _attributes(d.attributes), d.id and without_identifiers(d.id))
            for d in record.documents
        )
        references = tuple(self._text(text, names) for text in record.references)
        attributes = _attributes(record.attributes)
        return replace(record, documents=documents, references=references, attributes=attributes)

    def _summary(self, summary: Summary, names: frozenset[str]) -> Summary:
        claims = summary.claims
        if claims is not None:
            claims = tuple(Claim(self._text(claim.text, names), claim.values) for claim in claims)
        text, made = self._text(summary.text, names), _attributes(summary.made)
        return replace(summary, text=text, claims=claims, made=made)

    def _names(self, texts: Iterable[str]) -> frozenset[str]:
        return frozenset().union(*map(names_in, texts)) if self.names else frozenset()

    def _text(self, text: str, names: frozenset[str]) -> str:
        return without_identifiers(without_names(text, names) if names else text)


def _attributes(given: Mapping[str, str]) -> Mapping[str, str]:
    return {name: without_identifiers(value) for name, value in given.items()} if given else given


def _refuse(record: Record) -> None:
    """DataError for a record that cannot be redacted."""
    if any(map(has_email, (record.id, record.seed_id, record.cluster))):
        remedy = "give --id-field '' to number the rows, or another --cluster-by"
        raise fault("an e-mail address as the id or cluster", "a pseudonym, since --redact keeps ids", remedy)
    if record.entities:
        remedy = "drop the field 'entities', or --redact"
        raise fault("entities with mentions", "plain texts, since --redact would move the mentions", remedy)
