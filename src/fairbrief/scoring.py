"""Parallel lists as the input of an audit, and its main estimates as a small frame: the parts of `fairbrief.score`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from math import nan
from typing import Any

from fairbrief import registry, specs
from fairbrief.errors import DataError, RequestError
from fairbrief.readers.field_values import value_of
from fairbrief.readers.messages import at, fault, names, show
from fairbrief.reports import number_format
from fairbrief.reports.frames import Estimates
from fairbrief.reports.terminal import table_lines
from fairbrief.reports.wording import is_main_value
from fairbrief.text.counted import counted
from fairbrief.types import Measure, Table

Measures = Sequence[str | Measure]
COLUMNS = (
    "measure", "system", "quantity", "group", "value", "low", "high", "permutation_mean", "extract_baseline", "p",
    "family_p", "n", "excluded",
)  # fmt: skip
SYSTEM = "system"
"""The system of summaries in a plain list."""
GROUP = "group"
"""The attribute of groups in a plain list, if no measure names one."""
CLUSTER = "clusters="
"""The field with a record's cluster; no attribute has this name."""
DROP = "drop this record from every list"


class Score(Estimates):
    """The main values and the primary group differences of measures, as a tuple of `Estimate` and as a frame.

    Columns: ``measure``, ``system``, ``quantity``, ``group``, ``value``, the interval ``low`` to ``high``, both
    baselines (``permutation_mean``, ``extract_baseline``), ``p`` of the label permutations, ``family_p`` (Holm; the p of the
    first screen, for primary group differences), and the numbers of records that count (``n``) and are ``excluded``.
    ``float`` returns the main value, if there is only one.
    """

    __slots__ = ()

    @property
    def columns(self) -> list[str]:
        """The columns of each frame."""
        return [*COLUMNS, *(f"subgroup.{name}" for name in self._by_subgroup)]

    def each(self) -> Iterator[dict[str, Any]]:
        """`to_dicts`, one by one."""
        for row in super().each():
            yield {name: row[name] for name in self.columns}

    def __float__(self) -> float:
        main = [e for e in self if is_main_value(e) and e.system_kind == "system" and not e.subgroup]
        if len(main) != 1:
            raise RequestError(
                f"float() needs one measure and one system, but this score has {counted(len(main), 'main value')}. "
                "Use .to_dicts(), or score one system and one measure."
            )
        return nan if main[0].value is None else main[0].value

    def __repr__(self) -> str:
        rows = tuple(
            (
                e.measure, e.system, ", ".join([e.quantity, *e.subgroup.values()]), number_format.value(e),
                number_format.interval(e), number_format.chance(e), number_format.random_sentences(e),
                number_format.probability(e.p), number_format.probability(e.family_p), f"{e.n:,}",
            )
            for e in self
        )  # fmt: skip
        header = (
            "measure", "system", "quantity", "value", "interval", "permuted", "random", "p", "family_p", "n",
        )  # fmt: skip
        return "\n".join(line.plain.rstrip() for line in table_lines(Table("", header, rows), 100)).strip()


def of_main_values(estimates: Iterable[Any]) -> Score:
    """The main values and the primary group differences among an audit's estimates."""
    return Score(e for e in estimates if e.is_primary or is_main_value(e))


def record_rows(
    documents: Any, summaries: Any, groups: Any, references: Any, ids: Any, clusters: Any, measures: Measures
) -> list[dict[str, Any]]:
    """One row per record, as `fairbrief.readers.read` takes them. Errors name the list and the position."""
    rows = _documents(documents)
    if isinstance(summaries, Mapping) and not summaries:
        remedy = "give it, as in {'ours': [...]}"
        raise at("summaries", fault("no system", "a list of texts per system", remedy))
    for system, column, what in _named(summaries, SYSTEM, "summaries"):
        for row, given, where in _zipped(rows, _listed(column, what), what):
            remedy = f"{DROP}, or write '' to exclude and count it as an empty summary"
            row["summary"][system] = _text(given, where, remedy)
    if groups is not None:
        name = "" if isinstance(groups, Mapping) else _attribute(measures)
        for attribute, column, what in _named(groups, name, "groups"):
            _add_groups(rows, attribute, _listed(column, what), what)
    _check_groups(measures, rows)
    for row, given, where in _zipped(rows, references, "references"):
        texts = [] if _is_absent(given) else [given] if isinstance(given, str) else _listed(given, where)
        row["references"] = [_text(text, f"{where}[{j}]", "drop it") for j, text in enumerate(texts)]
    first: dict[str, str] = {}
    for row, given, where in _zipped(rows, ids, "ids"):
        row["id"] = _value(given, where)
        if (before := first.setdefault(row["id"], where)) != where:
            found = f"{row['id']!r} again, after {before}"
            raise at(where, fault(found, "one id per record", "make the ids unique, or drop ids"))
    for row, given, where in _zipped(rows, clusters, "clusters"):
        row[CLUSTER] = _value(given, where)
    return rows


def over_groups(measures: Measures, groups: Any) -> list[str | Measure]:
    """The measures; if groups have no names, those that compare documents or records are taken over these groups."""
    if groups is None or isinstance(groups, Mapping):
        return list(measures)
    over = f"@{specs.quoted(_attribute(measures))}"
    return [f"{measure}{over}" if _lacks_over(measure) else measure for measure in measures]


def _lacks_over(measure: str | Measure) -> bool:
    """Whether a name of a measure may have an attribute of documents or records, but has none."""
    if not isinstance(measure, str) or _over(measure):
        return False
    kind = _kind(measure)
    has_over = any(f.name == "over" for f in specs.settings_of(kind))
    return has_over and kind.declaration.attribute_of in ("document", "record")


def _attribute(measures: Measures) -> str:
    """The attribute of groups without a name: the one that the measures name."""
    over = sorted({name for measure in measures if (name := _over(measure))})
    if len(over) > 1:
        raise RequestError(
            f"The measures compare groups by {names(over)}: give groups as a dictionary of these names."
        )
    return over[0] if over else GROUP


def _check_groups(measures: Measures, rows: Sequence[Mapping[str, Any]]) -> None:
    """RequestError if a measure compares documents or records by an attribute that they lack."""
    there = {"document": rows[0]["documents"][0]["attributes"], "record": rows[0]["attributes"]}
    shapes = {
        "document": "for each record a list of one value per document", "record": "one value per record",
    }  # fmt: skip
    for measure in measures:
        holder = _kind(measure).declaration.attribute_of
        needs = _over(measure) or specs.needs_over(_kind(measure))
        name = _over(measure) or next(iter(there.get(holder, ())), GROUP)
        if needs and holder in there and name not in there[holder]:
            raise RequestError(
                f"{measure} compares {holder}s by {name!r}, which 'groups' lacks. Give groups={{{name!r}: …}}: "
                f"{shapes[holder]}."
            )


def _kind(measure: str | Measure) -> type[Measure]:
    return registry.load("measure", specs.parse(measure).name) if isinstance(measure, str) else type(measure)


def _over(measure: str | Measure) -> str | None:
    return specs.parse(measure).over if isinstance(measure, str) else getattr(measure, "over", None)


def _documents(documents: Any) -> list[dict[str, Any]]:
    """A row per record with its documents, and with places for the rest."""
    cells = _listed(documents, "documents")
    if not cells:
        raise DataError("documents: found no record; expected at least one; check how they were selected.")
    rows = []
    for i, cell in enumerate(cells):
        what = f"documents[{i}]"
        texts = [
            _text(text, f"{what}[{j}]", "drop this document, and its group")
            for j, text in enumerate(_listed(cell, what))
        ]
        if not texts:
            raise at(what, fault("no document", "at least one text", DROP))
        own = [{"text": text, "attributes": {}} for text in texts]
        rows.append({"documents": own, "summary": {}, "attributes": {}})
    return rows


def _named(given: Any, name: str, what: str) -> list[tuple[str, Any, str]]:
    """Name, column and place of each column in a dictionary, or of a plain list, which has this name."""
    if isinstance(given, Mapping):
        return [(key, column, f"{what}[{key!r}]") for key, column in given.items()]
    return [(name, given, what)]


def _add_groups(rows: Sequence[dict[str, Any]], name: str, cells: list[Any], what: str) -> None:
    """Add an attribute to the documents of each row, or from a flat list to the records."""
    is_flat = bool(cells) and (isinstance(cells[0], str) or not isinstance(cells[0], Iterable))
    for row, cell, where in _zipped(rows, cells, what):
        if is_flat:
            row["attributes"][name] = _value(cell, where)
        else:
            for document, value, place in _zipped(row["documents"], _listed(cell, where), where):
                document["attributes"][name] = _value(value, place, "drop its document")


def _zipped(
    owners: Sequence[dict[str, Any]], column: Any, what: str
) -> Iterator[tuple[dict[str, Any], Any, str]]:
    """Each row or document with its value of a column, and the value's place; nothing without a column."""
    if column is None:
        return
    values = _listed(column, what)
    if len(values) != len(owners):
        wanted = f"{len(owners)}, one per {'document' if _is_in_record(what) else 'record'}"
        raise at(what, fault(counted(len(values), "value"), wanted, "give one for each, in the same order"))
    for i, (owner, value) in enumerate(zip(owners, values, strict=True)):
        yield owner, value, f"{what}[{i}]"


def _is_in_record(what: str) -> bool:
    """Whether a place is inside one record, as ``documents[3]``."""
    return what[-2].isdigit()


def _listed(column: Any, what: str) -> list[Any]:
    """A column or a cell as a list."""
    if not isinstance(column, (str, bytes, Mapping, AbstractSet)) and not hasattr(column, "columns"):
        for method in ("to_pylist", "to_list", "tolist"):  # Arrow; pandas and polars; numpy
            if hasattr(column, method):
                column = getattr(column, method)()
                break
        if isinstance(column, Iterable):
            return list(column)
    remedy = "give a list per record" if _is_in_record(what) else "give a list, or one column of a table"
    raise at(what, fault(show(column), "a list", remedy))


def _text(value: Any, where: str, remedy: str) -> str:
    if not isinstance(value, str):
        raise at(where, fault(show(value), "a text", remedy))
    return str(value)  # a plain string of numpy's


def _value(value: Any, where: str, otherwise: str = DROP) -> str:
    with suppress(DataError):
        if not _is_absent(value) and (text := value_of(value, where)) is not None:
            return text
    remedy = f"name it, as in 'unknown', or {otherwise}"
    raise at(where, fault(show(value), "text, a number, true or false", remedy))


def _is_absent(value: Any) -> bool:
    """Whether a value is None, NaN, or the missing value of pandas."""
    is_nan = isinstance(value, float) and value != value
    return value is None or is_nan or type(value).__name__ in ("NAType", "NaTType")
