"""Which measures an audit takes when it is not told: those whose needs the input meets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from typing import Any

from fairbrief import registry, spelling
from fairbrief.errors import RequestError
from fairbrief.nouns import Case, Measure
from fairbrief.reports.result import LeftOut

MOST_VALUES = 20
"""An attribute with more values than this is a name or a number, not a group."""
READERS = ("document", "record", "entity")


@dataclass(frozen=True, slots=True)
class Choice:
    """The measures to take, and why each other one was left out."""

    measures: tuple[Measure, ...]
    left_out: tuple[LeftOut, ...] = ()


def attributes_of(cases: Sequence[Case]) -> Mapping[str, Mapping[str, Counter[str]]]:
    """Attributes by who has them (document, record, entity), with the counts of their values."""
    found: dict[str, dict[str, Counter[str]]] = {reader: {} for reader in READERS}
    for case in cases:
        record = case.record
        for reader, holders in (
            ("document", record.documents),
            ("record", (record,)),
            ("entity", record.entities),
        ):
            for holder in holders:
                for name, value in holder.attributes.items():
                    found[reader].setdefault(name, Counter())[value] += 1
    return found


def named(spellings: Sequence[str], attributes: Sequence[str], head: Sequence[Case]) -> Choice:
    """The measures that were asked for.

    One that names no attribute is taken over each of ``attributes`` that those it reads (documents,
    records or people) have; without ``attributes``, over each of theirs that could be a group.
    """
    known = attributes_of(head)
    measures: list[Measure] = []
    for text in spellings:
        parsed = spelling.parse(text)
        kind = registry.load("measure", parsed.name)
        reader = getattr(kind, "reads", "document")
        there = known[reader]
        if not needs_attribute(kind) or parsed.over is not None:
            made = registry.make("measure", text)
            _check_there(made, parsed.over if needs_attribute(kind) else None, reader, there, len(head))
            measures.append(made)
            continue
        over = [a for a in attributes if a in there] or [
            a for a, v in there.items() if not attributes and _is_group(v)
        ]
        if not over:
            wanted = f" named {' or '.join(attributes)}" if attributes else " that could be a group"
            raise RequestError(
                f"'{text}' is taken over an attribute of a {reader}, and no {reader} has one{wanted}. "
                f"Found: {', '.join(there) or 'none'}. Write {text}@ATTRIBUTE, or map it: --attribute NAME=FIELD."
            )
        measures += [registry.make("measure", f"{text}@{name}") for name in over]
    return Choice(tuple(dict.fromkeys(measures)))


def _check_there(
    measure: Measure, over: str | None, reader: str, there: Mapping[str, object], cases: int
) -> None:
    """An attribute that none of those a measure reads has, among the first cases, is taken to be misspelt."""
    if over is not None and over not in there:
        raise RequestError(
            f"'{measure!r}': no {reader} of the first {cases} summaries' records has the attribute '{over}'. "
            f"Found: {', '.join(there) or 'none'}. Another field is mapped with --attribute {over}=FIELD."
        )


def _is_group(values: Counter[str]) -> bool:
    return 2 <= len(values) <= MOST_VALUES


def fitting(head: Sequence[Case], attributes: Sequence[str]) -> Choice:
    """Every measure that the attributes of the first cases allow; ``attributes`` limits what it is taken over.

    Whether the cases have what else a measure needs (references, people) is seen when they are observed.
    """
    known = attributes_of(head)
    for name in attributes:
        if not any(name in known[reader] for reader in READERS):
            there = sorted({name for reader in READERS for name in known[reader]})
            raise RequestError(
                f"No document, record or person has the attribute '{name}'. Found: {', '.join(there) or 'none'}."
            )
    measures: list[Measure] = []
    left_out: list[LeftOut] = []
    for name, kind in registry.loaded("measure"):
        if reason := getattr(kind, "on_request", ""):
            left_out.append(LeftOut(name, f"on request only: {reason}"))
            continue
        for candidate in _candidates(name, kind, known, attributes):
            if isinstance(candidate, LeftOut):
                left_out.append(candidate)
            else:
                measures.append(candidate)
    return Choice(tuple(measures), tuple(left_out))


def needs_attribute(kind: Any) -> bool:
    """Whether a measure is taken over an attribute that must be named."""
    return any(
        f.name == "over" and f.default is MISSING and f.default_factory is MISSING for f in fields(kind)
    )


def _candidates(
    name: str, kind: Any, known: Mapping[str, Mapping[str, Counter[str]]], wanted: Sequence[str]
) -> Iterator[Measure | LeftOut]:
    if not needs_attribute(kind):
        yield kind()
        return
    reader = getattr(kind, "reads", "document")
    over = {a: values for a, values in known[reader].items() if not wanted or a in wanted}
    if not over:
        yield LeftOut(
            name, f"no {reader} has an attribute" + (f" named {' or '.join(wanted)}" if wanted else "")
        )
    for attribute, values in over.items():
        if len(values) > MOST_VALUES and attribute not in wanted:
            yield LeftOut(
                f"{name}@{attribute}",
                f"'{attribute}' has more than {MOST_VALUES} values: no group, unless asked for",
            )
        elif len(values) < 2:
            yield LeftOut(f"{name}@{attribute}", f"'{attribute}' has one value only")
        else:
            yield kind(over=attribute)
