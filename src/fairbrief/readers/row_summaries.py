"""What the systems wrote, out of one row: one summary, an object of several, or a field for each system."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from fairbrief.readers.field_values import NOTHING, attributes_of, id_of, is_plain, object_of, text_of
from fairbrief.readers.fields import Fields, FieldUse
from fairbrief.readers.messages import fault, show
from fairbrief.readers.paths import ABSENT, Several, parse_cell
from fairbrief.readers.people_fields import read_units
from fairbrief.serialization import EMPTY, MISSING
from fairbrief.types import Summary

TRIM = " _-:./"
"""What may stand between a system's name and the rest of a field's name."""


def summary(ident: str, system: str, text: Any, units: Any = None) -> Summary:
    """A summary from the value of its field: blank is an empty one, null a missing one."""
    cut = read_units(units) if units is not None else None
    if text is None:
        return Summary(ident, system, "", cut, MISSING, NOTHING)
    if not is_plain(text):
        text = text_of(text, f"the summary of {system!r}")
    return Summary(ident, system, text, cut, "" if text and not text.isspace() else EMPTY, NOTHING)


def told(plain: Summary, reason: Any, made: Any) -> Summary:
    """The summary with what the row says of how it was made, and why its text is none."""
    if reason in (None, "") and made in (None, ""):
        return plain
    return replace(
        plain,
        reason=plain.reason if reason in (None, "") else id_of(reason, "the reason"),
        made=attributes_of(made, "'made'") if made != "" else NOTHING,
    )


class SummaryReader:
    """The summaries of a row. ``system`` is the system of a row that names none."""

    def __init__(self, fields: Fields, system: str, use: FieldUse, *, cells: bool) -> None:
        self.fields = fields
        self.system = system
        self.use = use
        self.cells = cells

    def read(self, row: Mapping[str, Any], ident: str) -> tuple[Summary, ...]:
        """What each system wrote."""
        if self.fields.has_several_summaries:
            return self._by_field(row, ident)
        text = self._value(row, self.fields.summary[0][1])
        system, units = self._value(row, self.fields.system), row.get("units")
        if text.__class__ is not str and isinstance(parsed := self._cell(text), Mapping):
            return self._by_system(parsed, system, self._cell(units), ident)
        name = self.system if system is None else id_of(system, "the system")
        plain = summary(ident, name, text, self._cell(units) if units != "" else None)
        return (told(plain, row.get("reason"), self._cell(row.get("made"))),)

    def _value(self, row: Mapping[str, Any], name: str) -> Any:
        value = self.use.value(row, name)
        return None if value is ABSENT else value

    def _by_field(self, row: Mapping[str, Any], ident: str) -> tuple[Summary, ...]:
        """A summary for each field that was named, or that fits a pattern."""
        if (system := self._value(row, self.fields.system)) is not None:
            raise _two_names(system, self.fields.system)
        texts: dict[str, Any] = {}
        for name, text in self._texts(row):
            if name in texts:
                raise fault(
                    f"two fields with the summary of {name!r}", "one", "name them: --summary-field NAME=FIELD"
                )
            texts[name] = text
        return tuple(summary(ident, name, text) for name, text in texts.items())

    def _texts(self, row: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        for name, field in self.fields.summary:
            value = self._value(row, field)
            if isinstance(value, Several):
                for part, text in value.items():
                    own = " ".join(piece.strip(TRIM) for piece in part)
                    yield f"{name} {own}" if name else own or field, text
            else:
                yield name or field, value

    def _by_system(
        self, texts: Mapping[str, Any], system: Any, units: Any, ident: str
    ) -> tuple[Summary, ...]:
        if not texts:
            raise fault(
                "an empty object as the summaries", "a summary per system", "write null where there is none"
            )
        if system is not None:
            raise _two_names(system, self.fields.system)
        cut = {} if units is None else object_of(units, "the units")
        for name in cut:
            if name not in texts:
                raise fault(
                    f"units of {name!r}",
                    "the name of a system with a summary",
                    "add its summary, or remove its units",
                )
        return tuple(
            summary(ident, id_of(name, "a system's name"), text, cut.get(name))
            for name, text in texts.items()
        )

    def _cell(self, value: Any) -> Any:
        return parse_cell(value) if self.cells else value


def _two_names(system: Any, field: str) -> Exception:
    return fault(
        f"{show(system)} as the system, beside summaries that name their own",
        "the one or the other",
        f"remove the field {field!r}, or name another one with --system-field",
    )
