"""How an input is read: every setting, declared once.

The options of all commands that read records, the keywords of `fairbrief.read` (`keywords`, written by ``make docs``),
the keys of settings files and the records in inputs.json and results.json are derived from the fields of `ReadingSettings`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import Field, dataclass, fields
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from fairbrief.errors import RequestError
from fairbrief.readers.fields import ID
from fairbrief.readers.formats import LISTED
from fairbrief.settings import INPUTS, Named, Names, SummaryFields, as_list, check, key_of, setting
from fairbrief.specs import names_in

if TYPE_CHECKING:
    from fairbrief.readers.reading import Reading

reading = partial(setting, panel=INPUTS)
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingSettings:
    """How an input is read. Several values, and mappings, may also be texts as on the command line."""

    # fmt: off
    attributes: Named = reading(
        (), "Attribute whose groups are compared. NAME=FIELD reads it from another field.", "NAME[=FIELD]",
        flag="--attribute",
    )
    summary_field: SummaryFields = reading(
        ("summary",), "Field with the summary. For several systems: repeat it, or write 'summary_*'.", "[NAME=]FIELD",
    )
    documents_field: Names = reading(
        ("documents",), "Field with the documents, or a pattern such as 'review_*' or 'reviews[*].text'.", "FIELD",
    )
    group_by: str | None = reading(None, "Where each row is one document: field with the record's id.", "FIELD")
    id_field: str | None = reading(ID, "Field with the record's id; '' numbers the rows.", "FIELD")
    system_field: str = reading("system", "Field with the system's name.", "FIELD")
    references_field: str = reading("references", "Field with summaries by people.", "FIELD")
    cluster_by: str | None = reading(
        None, "Field whose equal values make records one cluster: they are resampled together.", "FIELD",
    )
    speakers: Any = reading(
        None, "Table with a row per 'speaker'; its other columns become attributes of the speaker's turns.", "FILE",
        recorded=False,
    )
    separator: str | None = reading(None, "Text between documents in one field, e.g. '||'.", "TEXT")
    summaries: Any = reading(
        (), "File with only summaries: of the system NAME, or of those that its rows name.", "[NAME=]FILE",
        recorded=False,
    )
    summaries_id_field: str | None = reading(None, "Field with the record's id in files of summaries.", "FIELD")
    record_attributes: Named = reading(
        (), "Attribute of the record, for results by subgroup; or NAME=FIELD.", "NAME", flag="--record-attribute",
    )
    system: str | None = reading(None, "Name of the system, if the file names none.", "NAME")
    format: str | None = reading(None, f"File format; by default detected. {LISTED}.", "NAME")
    encoding: str | None = reading(None, "Encoding, e.g. cp1252; by default detected.", "NAME")
    require: Names = reading((), "Exclude records in which a document lacks this attribute.", "ATTRIBUTE")
    missing: Literal["refuse", "drop", "group"] = reading(
        "refuse", "If only some documents of a record have the attribute: refuse (an error), drop the other documents, or "
        "make them a group.", "RULE",
    )
    bins: Named = reading((), "Group numbers: NAME=3,7 cuts at 3 and 7.", "NAME=CUTS", flag="--bin")
    sample: float | None = reading(
        None, "Audit only N records, or a share below 1: those with the smallest hashes of seed and id.", "N",
        recorded=False,
    )
    sample_by: str | None = reading(
        None, "With --sample: N records, or the share, of each group of this attribute.", "NAME", recorded=False,
    )
    seed: int = reading(0, "Seed of the sample.", "N", recorded=False)
    redact: Names = reading(
        (), "Replace personal data in all texts: 'identifiers' (e-mail and IP addresses, phone, card and account "
        "numbers), 'names' (of people, in English).", "WHAT[,WHAT]",
    )
    on_error: Literal["stop", "skip"] = reading("stop", "At bad input: stop, or skip it and list what was skipped.", "stop|skip")
    # fmt: on

    def __post_init__(self) -> None:
        """RequestError for settings that are invalid, exclude each other or have no effect together."""
        check(self)
        once_each("--summary-field", self.summary_field)
        summaries = [field for _, field in self.summary_fields]
        documents = once_each("--documents-field", self.documents_field)
        for option, given in (("--summary-field", summaries), ("--documents-field", documents)):
            if not given or "" in given:
                raise RequestError(f"{option} names no field: give one, or drop it.")
        if self.separator == "":
            raise RequestError("--separator is empty: give the text between two documents, or drop it.")
        if self.system is not None and not self.system.strip():
            raise RequestError("--system is empty: give a name, or drop it to use the file's name.")
        if self.group_by is not None and self.id_field != ID:
            raise RequestError("--group-by already names the field with the record's id: drop --id-field.")
        if self.missing != "refuse" and not self.attribute_fields:
            raise RequestError(f"--missing {self.missing} needs --attribute NAME: add it, or drop --missing.")
        if unknown := [kind for kind in self.redacted if kind not in ("identifiers", "names")]:
            raise RequestError(f"--redact {unknown[0]}: write identifiers, or identifiers,names.")
        if (size := self.sample) is not None and (not size > 0 or (size > 1 and size % 1)):
            raise RequestError(f"--sample {size:g}: give a whole number above 0, or a share between 0 and 1.")
        if self.sample_by is not None and self.sample is None:
            raise RequestError("--sample-by needs --sample N: add it, or drop --sample-by.")

    @classmethod
    def from_options(cls, given: Mapping[str, Any]) -> ReadingSettings:
        """The settings by the names of their options, as in a file of settings; TypeError for an unknown name."""
        names = {key_of(f): f.name for f in fields(cls)}
        keys = {key.replace("-", "_"): value for key, value in given.items()}
        return cls(**{names.get(key, key): value for key, value in keys.items()})

    def given(self) -> dict[str, Any]:
        """The settings, except attributes and seed, whose value is not the default, by the names of their options."""
        return self._given(f for f in fields(self) if f.name not in ("attributes", "seed"))

    def record(self) -> dict[str, Any]:
        """The settings for results.json that are not the default."""
        return self._given(f for f in fields(self) if f.metadata["recorded"])

    def _given(self, some: Iterable[Field[Any]]) -> dict[str, Any]:
        values = {f: getattr(self, f.name) for f in some}
        return {key_of(f): value for f, value in values.items() if value != f.default}

    def read(self, source: Any) -> Reading:
        """The cases of an input: see `readers.read`."""
        from fairbrief.readers.input_sources import find_sources
        from fairbrief.readers.reading import Reading

        return Reading(find_sources(source, self.format, self.encoding), self)

    @property
    def attribute_fields(self) -> dict[str, str | None]:
        """Attribute → its field; None for the field of the same name, if there is one."""
        return _mapped("--attribute", self.attributes)

    @property
    def record_attribute_fields(self) -> dict[str, str]:
        """Attribute of the record → its field."""
        fields = _mapped("--record-attribute", self.record_attributes)
        return {name: field or name for name, field in fields.items()}

    @property
    def cuts(self) -> dict[str, str]:
        """Attribute → the cuts of its bins."""
        return {name: cuts or f"{name}=" for name, cuts in _mapped("--bin", self.bins).items()}

    @property
    def redacted(self) -> tuple[str, ...]:
        """The kinds of personal data to replace."""
        return names_in(as_list(self.redact))

    @property
    def summary_fields(self) -> tuple[tuple[str | None, str], ...]:
        """Pairs of system and field; without a name, the field (or what its star matches) names the system."""
        given = self.summary_field
        several = given.items() if isinstance(given, Mapping) else as_list(given)
        return tuple(named(one) if isinstance(one, str) else one for one in several)


def options_in(message: str) -> dict[str, str]:
    """The options of reading that a message names outside of a command, each with its setting in Python."""
    known = {f"--{key_of(f).replace('_', '-')}": f.name for f in fields(ReadingSettings)}
    asked = dict.fromkeys(OPTION.findall(message.partition("fairbrief ")[0]))
    return {name: known[name] for name in asked if name in known}


def named(text: str) -> tuple[str | None, str]:
    """Name and value of NAME=VALUE, or None and the value."""
    name, equals, value = text.partition("=")
    if not equals:
        return None, text
    if not (name and value):
        raise RequestError(f"'{text}' lacks one side of '='. Write NAME=VALUE, or only the value.")
    return name, value


def once_each(option: str, given: SummaryFields | Sequence[Any]) -> Sequence[Any]:
    """The values of an option; RequestError for a repeated one."""
    values = list(as_list(given))
    for value in values:
        if values.count(value) > 1:
            raise RequestError(f"{option} {value} was given twice: give it once.")
    return values


def _mapped(option: str, given: Named) -> dict[str, str | None]:
    """Name → value, from a mapping, or from texts NAME=VALUE or NAME."""
    if isinstance(given, Mapping):
        return dict(given)
    pairs = [(value, None) if name is None else (name, value) for name, value in map(named, as_list(given))]
    once_each(option, [name for name, _ in pairs])
    return dict(pairs)
