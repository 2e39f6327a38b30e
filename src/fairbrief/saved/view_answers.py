"""What the page of ``fairbrief view`` asks and is answered: plain values, without a word of HTTP."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fairbrief.auditing.record_values import RowReader, contrasts_of, reader_of
from fairbrief.auditing.scorer_lookup import Scorers
from fairbrief.errors import DataError, FairbriefError, RequestError
from fairbrief.readers import Reading
from fairbrief.reports import json_file, number_format
from fairbrief.reports.audit_folder import opened
from fairbrief.reports.contrast_words import ordered_groups
from fairbrief.reports.json_file import visible_all
from fairbrief.reports.per_record import SavedRows
from fairbrief.reports.result import Result, Row
from fairbrief.saved import saved_inputs
from fairbrief.saved.examples import open_case
from fairbrief.saved.saved_inputs import Inputs, SavedTexts
from fairbrief.types import Floats, Integers

PAGE = 50
"""Records of one page of the list."""
SUREST = "sure"
"""The order that begins with what is there whatever the scorers did not find."""


@dataclass(frozen=True, slots=True)
class Saved:
    """One audit folder, opened: estimates in memory, per-record statistics and texts on disk."""

    name: str
    result: Result
    per_record: SavedPerRecord
    texts: SavedTexts | None
    fault: str

    @property
    def systems(self) -> list[str]:
        """The audited systems."""
        return [str(s) for s in self.result.made.get("systems", ())]


@dataclass(frozen=True, slots=True)
class Asked:
    """A list that is asked for: a measure of a system, maybe against another, in an order, with words to search for."""

    measure: str
    system: str
    other: str = ""
    order: str = ""
    search: str = ""
    start: int = 0


class Answers:
    """Answers about one audit, or several that are compared; systems are named ``NUMBER:SYSTEM``."""

    def __init__(self, audits: Sequence[Saved]) -> None:
        self._audits = audits
        self._scorers = Scorers()

    def about(self) -> dict[str, Any]:
        """What there is to choose from."""
        first = self._audits[0]
        several = len(self._audits) > 1
        over = {e.measure: e.over for e in first.result.estimates}
        primary = {e.measure for e in first.result.estimates if e.is_primary}
        found = {
            "audits": [saved.name for saved in self._audits],
            "faults": [f"{saved.name}: {saved.fault}" for saved in self._audits if saved.fault],
            "systems": [
                {"key": f"{i}:{s}", "name": f"{saved.name}: {s}" if several else s}
                for i, saved in enumerate(self._audits)
                for s in saved.systems
            ],
            "measures": [
                {
                    "spec": spec,
                    "label": spec.removesuffix(f"@{over[spec]}")
                    + (f" by {over[spec]}" if over[spec] else ""),
                }
                for spec in sorted(first.per_record.measures, key=lambda measure: measure not in primary)
                if spec in over
            ],
        }
        return _visible(found)

    def rows(self, asked: Asked) -> dict[str, Any]:
        """One page of the list: ids with values, and of how many."""
        listing = self._listing(asked.measure, asked.system)
        quantity, way = self._order(listing, asked)
        values = listing.values[quantity]
        beside = self._beside(listing, asked, quantity)
        ranked = values if beside is None else values - beside
        places = (
            np.flatnonzero(self._found(listing, asked)) if asked.search.strip() else np.arange(len(ranked))
        )
        by = {"up": ranked, "down": -ranked}.get(way, -np.abs(ranked))
        order = places[np.argsort(by[places], kind="stable")]  # records without a value come last
        if way == SUREST:
            order = order[np.argsort(-np.abs(listing.sure[order]), kind="stable")]
        shown = order[asked.start : asked.start + PAGE].tolist()
        return _visible(
            {
                "total": len(order),
                "of": len(values),
                "start": asked.start,
                "size": PAGE,
                "orders": self._orders(listing, compared=beside is not None),
                "order": f"{way}|{quantity}",
                "compared": beside is not None,
                "sure": int(np.count_nonzero(listing.sure[order])) if way == SUREST else None,
                "rows": [
                    {
                        "record": listing.record[i].as_py(),
                        "value": _known(values[i]),
                        "other": None if beside is None else _known(beside[i]),
                        "label": listing.label(i) if way == SUREST else "",
                        "doubt": listing.doubt(i),
                    }
                    for i in shown
                ],
            }
        )

    def record(self, measure: str, system: str, record: str) -> dict[str, Any]:
        """One record of one system, as the page's record view takes it."""
        saved, name = self._named(system)
        listing = self._listing(measure, system)
        place = pc.index(listing.record, record).as_py()
        if place < 0:
            raise RequestError(f"'{measure}' has no value of the record '{record}' of '{name}'.")
        if saved.texts is None:
            raise DataError(f"The texts of {saved.name} cannot be shown. {saved.fault}")
        values = {q: float(of[place]) for q, of in listing.values.items() if np.isfinite(of[place])}
        p = None if np.isnan(listing.p[place]) else float(listing.p[place])
        row, texts, support = open_case(
            Row(measure, name, record, values, p, ""), saved.texts.case(record, name), self._scorers
        )
        over = next((e.over for e in saved.result.estimates if e.measure == measure), "")
        known = ordered_groups(d.attributes[over] for d in texts.documents if over in d.attributes)
        told = saved.result.made.get("attributes", {}).get("document", {}).get(over, known)
        return _visible(
            {
                "row": json_file.plain(row), "texts": json_file.plain(texts), "support": json_file.plain(support),
                "over": over, "groups": ordered_groups([*told, *known]), "doubt": listing.doubt(place),
            }
        )  # fmt: skip

    # ------------------------------------------------------------------------------- what is asked for

    def _named(self, key: str) -> tuple[Saved, str]:
        number, _, name = key.partition(":")
        if (
            not number.isdecimal()
            or int(number) >= len(self._audits)
            or name not in self._audits[int(number)].systems
        ):
            raise RequestError(f"There is no system '{key}'.")
        return self._audits[int(number)], name

    def _listing(self, measure: str, system: str) -> Listing:
        saved, name = self._named(system)
        if measure not in saved.per_record.measures:
            raise RequestError(f"{saved.name} has no measure '{measure}'.")
        return saved.per_record.listing(measure, name)

    def _order(self, listing: Listing, asked: Asked) -> tuple[str, str]:
        known = {key for key, _ in self._orders(listing, compared=bool(asked.other))}
        order = (
            asked.order if asked.order in known else self._orders(listing, compared=bool(asked.other))[0][0]
        )
        way, _, quantity = order.partition("|")
        return quantity, way

    def _orders(self, listing: Listing, *, compared: bool) -> list[tuple[str, str]]:
        """What the list can be sorted by; the groups' contrasts first."""
        contrasts = [name for name in listing.values if name != listing.main_value]
        found = []
        for name in contrasts:
            group = name.partition("[")[2].removesuffix("]") + (
                ", relative" if name.startswith("relative") else ""
            )
            words = ("falls most", "rises most") if compared else ("least first", "most first")
            found += [(f"up|{name}", f"{group} {words[0]}"), (f"down|{name}", f"{group} {words[1]}")]
        size = "largest difference first" if compared else "largest value first"
        found.append((f"size|{listing.main_value}", f"{listing.main_value}: {size}"))
        surest = (
            [(f"{SUREST}|{listing.main_value}", "surest first")] if listing.groups and not compared else []
        )
        return [*surest, *found]

    def _beside(self, listing: Listing, asked: Asked, quantity: str) -> Floats | None:
        """The other system's values, record by record; nan where it has none."""
        if not asked.other:
            return None
        other = self._listing(asked.measure, asked.other)
        if quantity not in other.values:
            return np.full(len(listing.record), np.nan)
        if listing.record.equals(other.record):
            return other.values[quantity]
        place = pc.index_in(listing.record, other.record)
        there = pc.fill_null(place, 0).to_numpy()
        missing = pc.is_null(place).to_numpy(zero_copy_only=False)
        values = other.values[quantity][there] if len(other.record) else np.zeros(len(there))
        return np.where(missing, np.nan, values)

    def _found(self, listing: Listing, asked: Asked) -> np.ndarray:
        saved, _ = self._named(asked.system)
        if saved.texts is None:
            raise DataError(f"The texts of {saved.name} cannot be searched. {saved.fault}")
        ids = saved.texts.search(asked.search.split())
        return np.asarray(
            pc.is_in(listing.record, pa.array(sorted(ids), pa.string())).to_numpy(zero_copy_only=False)
        )


def _known(value: float) -> float | None:
    """A number; None where a record has none in what the list is sorted by."""
    return float(value) if np.isfinite(value) else None


def open_audit(folder: Path, read: Callable[[Sequence[str], Inputs], Reading]) -> Saved:
    """Open a folder that ``fairbrief audit --out`` wrote. DataError where it is none.

    ``read`` reads the files that it is given as the audit read its inputs. Arrow takes memory from the system from
    here on: its own pool keeps what it once took, a tenth more for the per-record statistics of a million records.
    """
    pa.set_memory_pool(pa.system_memory_pool())
    saved, rows = opened(folder)
    texts, fault = _texts(folder, saved.audit, read, pools_runs=bool(saved.made.get("pools_runs")))
    return Saved(folder.resolve().name, saved.result(rows), SavedPerRecord(rows), texts, fault)


def _texts(
    folder: Path, audit: str, read: Callable[[Sequence[str], Inputs], Reading], *, pools_runs: bool
) -> tuple[SavedTexts | None, str]:
    """The texts, and what is wrong with them; None where they cannot be read at all."""
    inputs = saved_inputs.read(folder, audit)
    if inputs is None:
        return (
            None,
            "The audit did not note where its inputs are: it was not made by 'fairbrief audit … --out DIR'.",
        )
    fault = saved_inputs.fault_of(folder, inputs)
    try:
        reading = read(saved_inputs.paths(folder, inputs), inputs)
    except FairbriefError as error:
        return None, fault or str(error)
    return SavedTexts(reading, saved_inputs.places(folder), pools_runs=pools_runs), fault


def _visible(found: dict[str, Any]) -> dict[str, Any]:
    shown: dict[str, Any] = visible_all(found)
    return shown


# ------------------------------------------------------------------------------- the saved per-record statistics


KEPT = 2
"""Listings that are kept, a system and the one beside it: of a million records one takes some 90 MB."""
PLACES = ("system", "record", "reason", "p")


@dataclass(frozen=True, slots=True)
class Listing:
    """The usable records of one measure and system: ``record`` (n,) ids, ``values`` per quantity (n,), ``p`` (n,) or nan.

    ``sure`` (n,) is how far the contrast of one of the ``groups``, whose number is in ``whose`` (n,), surely is from its
    baseline: the largest that all scorers of the audit agree on (`RowReader.surely`); 0 where there is none.
    """

    record: pa.Array
    values: Mapping[str, Floats]
    p: Floats
    main_value: str
    groups: Mapping[str, str]
    """By group its contrast among ``values``."""
    sure: Floats
    whose: Integers

    def label(self, place: int) -> str:
        """A record's surest contrast; of one without the largest."""
        group, name = list(self.groups.items())[self.whose[place]]
        value, sure = self.values[name][place], self.sure[place]
        if not np.isfinite(value):
            return "no value"
        least = f", at least {number_format.number(abs(sure), 3)}" if sure else "?"
        return f"{group} {number_format.signed(value)}{least}"

    def doubt(self, place: int) -> str:
        """Why a record proves nothing about any group; empty where it does."""
        if not self.groups or self.sure[place]:
            return ""
        return (
            "No group is surely above or below random sentences here: the scorers of the audit disagree, or what they did "
            "not find could be paraphrases of the group's documents."
        )


def _surest(sure: Floats, contrasts: Floats) -> tuple[Floats, Integers]:
    """The surest contrast of each record, and whose it is; where none is sure, the group of the largest. (groups, n) each → (n,)."""
    sizes = np.nan_to_num(np.abs(contrasts), nan=-1.0)
    whose = np.where(sure.any(axis=0), np.abs(sure).argmax(axis=0), sizes.argmax(axis=0))
    return sure[whose, np.arange(sure.shape[1])], whose


class SavedPerRecord:
    """The per-record statistics of one audit; ``measures`` maps each spec to its observation."""

    def __init__(self, rows: SavedRows) -> None:
        self._rows = rows
        self.measures = rows.measures()
        self._listings: OrderedDict[tuple[str, str], Listing] = OrderedDict()

    def listing(self, spec: str, system: str) -> Listing:
        """What a measure reads of each record of a system; the last few are kept."""
        key = spec, system
        if key not in self._listings:
            self._listings[key] = self._read(spec, system)
            if len(self._listings) > KEPT:
                self._listings.popitem(last=False)
            pa.default_memory_pool().release_unused()
        self._listings.move_to_end(key)
        return self._listings[key]

    def _read(self, spec: str, system: str) -> Listing:
        observation = self.measures[spec]
        reader = reader_of(spec, list(self._rows.schema(observation)))
        if reader is None:
            raise DataError(f"The measure {spec} is of a plug-in that is not installed here.")
        records: list[pa.Array] = []
        ps: list[Floats] = []
        values: dict[str, list[Floats]] = {}
        sure: dict[str, list[Floats]] = {}
        for own in self._rows_of(observation, reader, system):
            records += own["record"].cast(pa.string()).chunks
            ps.append(own["p"].cast(pa.float64()).to_numpy())
            for numbers, parts in ((reader.values(own), values), (reader.surely(own), sure)):
                for name, column in numbers.items():
                    parts.setdefault(name, []).append(column)
        record = self._known(pa.concat_arrays(records) if records else pa.array([], pa.string()))
        joined = {name: np.concatenate(values.pop(name)) for name in list(values)}  # frees as it goes
        groups = contrasts_of(reader.of_nothing(), reader.measure) if len(record) else {}
        agreed = {group: np.concatenate(parts) for group, parts in sure.items()}
        for other in self._others(spec, reader):
            self._agree(agreed, record, other, system)
        surest, whose = np.zeros(len(record)), np.zeros(len(record), dtype=np.int64)
        if groups:
            surest, whose = _surest(
                np.stack([agreed[g] for g in groups]), np.stack([joined[n] for n in groups.values()])
            )
        return Listing(record, joined, np.concatenate(ps), reader.measure.name, groups, surest, whose)

    def _rows_of(self, observation: str, reader: RowReader, system: str) -> Iterator[pa.Table]:
        """The usable rows of a system, with what a measure reads of them."""
        for rows in self._rows.each_of(observation, {*PLACES, *(f.name for f in reader.fields)}.__contains__):
            yield rows.filter(pc.and_(pc.equal(rows["system"], system), pc.is_null(rows["reason"])))

    def _others(self, spec: str, reader: RowReader) -> Iterator[tuple[str, RowReader]]:
        """Other observations by the same attribute, each with a measure of theirs that has signed contrasts of groups, and bounds
        of them if one has.
        """
        chosen: dict[str, RowReader] = {}
        over = getattr(reader.measure, "over", "")
        for other, observation in self.measures.items():
            if not over or other == spec or (observation == self.measures[spec] and reader.has_bounds):
                continue
            its = reader_of(other, list(self._rows.schema(observation)))
            if its is None or getattr(its.measure, "over", "") != over:
                continue
            if contrasts_of(its.of_nothing(), its.measure) and (observation not in chosen or its.has_bounds):
                chosen[observation] = its
        yield from chosen.items()

    def _agree(
        self, sure: dict[str, Floats], record: pa.Array, other: tuple[str, RowReader], system: str
    ) -> None:
        """Set to 0 what another scorer does not agree with: its contrast has the other sign, or may have."""
        observation, reader = other
        contrasts, has_bounds = contrasts_of(reader.of_nothing(), reader.measure), reader.has_bounds
        for rows in self._rows_of(observation, reader, system):
            place = pc.index_in(record, rows["record"].cast(pa.string()).combine_chunks())
            values, surely = reader.values(rows), reader.surely(rows)
            here = np.flatnonzero(pc.is_valid(place).to_numpy(zero_copy_only=False))
            there = place.take(pa.array(here)).to_numpy(zero_copy_only=False).astype(np.int64)
            for group, name in contrasts.items():
                if group not in sure:
                    continue
                opposes = values[name][there] * sure[group][here] < 0
                unsure = has_bounds & (surely[group][there] * sure[group][here] <= 0)
                sure[group][here[opposes | unsure]] = 0.0

    def _known(self, record: pa.Array) -> pa.Array:
        """The ids, as another listing has them if it has the same: those of a million records take 25 MB."""
        held = (listing.record for listing in self._listings.values())
        return next((known for known in held if known.equals(record)), record)
