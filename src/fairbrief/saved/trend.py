"""Saved audits over time: whether group differences drift, since when, and whether inputs or systems changed."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal

import numpy as np

from fairbrief.conclusions import decides, leading
from fairbrief.declarations import ContrastUnit
from fairbrief.errors import DataError, RequestError
from fairbrief.reports import per_record, wording
from fairbrief.reports.audit_folder import RESULTS, SOURCES, opened
from fairbrief.reports.json_file import ResultsFile
from fairbrief.reports.plain import named
from fairbrief.reports.trend_page import PANELS, Drift, Kind, Night, Release, Series, Trend
from fairbrief.reports.wording import group_or_part, group_with
from fairbrief.saved import compare, gate
from fairbrief.saved.gate_rules import Rule, Sign, rules
from fairbrief.settings import Names, as_list
from fairbrief.statistics import sequential
from fairbrief.types import Data, Estimate, Floats

REFERENCE = 28
"""Reference nights by default: whole weeks, in which weekdays are equally frequent."""
ALPHA = 0.05
"""The rate of false alarms in a year."""
WEEK, MONTH = 7, 28
OF_SYSTEMS = re.compile("commit|model|prompt|release|version", re.IGNORECASE)
"""Attributes of records with such names describe the system, not the inputs."""
PANEL = {kind: title for title, kinds in PANELS for kind in kinds}
"""The section of the page of each kind: its series share one rate of false alarms."""
Order = Literal["time", "given"]


class _Key(Data, frozen=True):
    """The identity of a series; ``of`` distinguishes series with equal titles."""

    kind: Kind
    title: str
    unit: ContrastUnit = "plain"
    of: tuple[str, ...] = ()
    limit: float | None = None
    sign: Sign = "<="


class _Point(Data, frozen=True):
    """One night of a series: value, standard error, weight, and interval."""

    value: float
    error: float
    weight: float
    low: float | None = None
    high: float | None = None


Points = Mapping[_Key, _Point]
RECORDS = _Key("input", "records per audit")
ABSENT = _Point(math.nan, math.nan, 0)
"""A night that a series lacks."""


def trend(
    folders: Path | str | Sequence[Path | str],
    *,
    baseline: Path | str | Sequence[Path | str] = (),
    most: Names = (),
    least: Names = (),
    reference: int = REFERENCE,
    order: Order = "time",
) -> Trend:
    """The trend of saved audits: series with their changes, releases, and the ``outcome`` pass, fail or inconclusive.

    ``folders`` are audits, or contain audits. The reference is the audits in ``baseline``, or else the first ``reference`` ones.
    ``most`` and ``least`` are rules as for `gate`. ``order`` is by time, or as the folders are ``given``. Raises RequestError for audits that cannot be compared.
    """
    limits = rules(as_list(most), as_list(least))
    baseline, folders = (list(_audits_in(map(Path, as_list(of)))) for of in (baseline, folders))
    paths = [*baseline, *folders]
    if len(paths) < 2 or not folders:
        _in_order(paths, order)  # raises for a folder without an audit
        raise RequestError("A trend needs at least two audits: give more folders.")
    compare.check_distinct(paths)
    ordered = {**_in_order(baseline, order), **_in_order(folders, order)}
    _check_comparable(ordered)
    many, made = len(baseline) or min(reference, len(paths)), [one.made for one in ordered.values()]
    nights = tuple(
        Night(name, str(path), str(one.made.get("ended", "")), one.made.get("records", 0))
        for name, (path, one) in zip(compare.names_of([*ordered]), ordered.items(), strict=True)
    )
    points = [_points(one, limits, path) for path, one in ordered.items()]
    keys = list(dict.fromkeys(key for of in points for key in of))
    known = {key: sum(key in of for of in points[:many]) for key in keys}
    for of in points:
        if (records := of.get(RECORDS)) is not None:  # a value that no record has, has a share of 0
            none = _Point(0, 0, records.value)
            of.update({key: none for key in keys if key.kind == "input" and key.of and key not in of})
    fewest = {"limit": -1, "contrast": 0}  # others need half of the reference
    chosen = [key for key in keys if known[key] > fewest.get(key.kind, (many - 1) / 2)]
    tested = Counter(PANEL[key.kind] for key in chosen)
    common = _common_records([per_record.read_sources(p / SOURCES, one.audit) for p, one in ordered.items()])
    contrasts = [key for key in keys if key.kind == "contrast"]
    return Trend(
        nights, many, ALPHA,
        tuple(_series(key, points, many, sequential.log_limit(ALPHA, tested[PANEL[key.kind]]), common) for key in chosen),
        tuple(r for i, (a, b) in enumerate(pairwise(made), 1) for r in _releases(a, b, i)),
        absent=tuple(key.title for key in contrasts if known[key] and key not in points[-1]),
        new=tuple(key.title for key in contrasts if not known[key]),
        repeated=_repeated(common),
    )  # fmt: skip


def _audits_in(folders: Iterable[Path]) -> Iterator[Path]:
    """The folders of audits; in place of a folder without an audit, the audits in it."""
    for folder in folders:
        inner = sorted(file.parent for file in folder.glob(f"*/{RESULTS}"))
        yield from [folder] if (folder / RESULTS).exists() or not inner else inner


def _in_order(folders: Iterable[Path], order: Order) -> dict[Path, ResultsFile]:
    """The audits in their order; RequestError for one without a time."""
    saved = {path: opened(path)[0] for path in folders}
    if order == "given":
        return saved
    if without := [path for path, one in saved.items() if not one.made.get("ended")]:
        raise RequestError(f"{without[0]} has no time. Give the folders in their order, with --order given.")
    return dict(sorted(saved.items(), key=lambda item: str(item[1].made["ended"])))


def _check_comparable(audits: Mapping[Path, ResultsFile]) -> None:
    """RequestError for an audit whose measures or settings differ from those of the first."""
    (first, reference), *others = audits.items()
    before = _described_settings(reference)
    for path, saved in others:
        now = _described_settings(saved)
        differing = [
            f"{name}: {now[name]}, before {before[name]}" for name in now if now[name] != before[name]
        ]
        differing += compare.other_settings(saved.estimates, reference.estimates)
        if differing:
            raise RequestError(
                f"{path}: its settings differ from those of {first} ({'; '.join(differing)}). Audit with the same settings, or leave "
                "the folder out."
            )


def _described_settings(file: ResultsFile) -> dict[str, str]:
    """What must be equal beside what signatures name."""
    names = ("measures", "language", "protocol")
    return {name: ", ".join(sorted(as_list(file.made.get(name)))) or "none" for name in names}


# ------------------------------------------------------------------------------------ the numbers of a night


def _points(saved: ResultsFile, limits: Sequence[Rule], path: Path) -> dict[_Key, _Point]:
    """All numbers of one audit that are followed."""
    try:
        found: dict[_Key, _Point] = dict(_described(saved.made))
    except (AttributeError, KeyError, TypeError, ValueError, ZeroDivisionError) as error:
        raise DataError(f"{path}: 'made' in {RESULTS} is damaged. Run the audit again.") from error
    asked: dict[_Key, Estimate] = {}
    for e in leading(saved.estimates):
        words = wording.declared(e.measure, saved.made).contrast
        title = f"{group_or_part(e)}, {named(e.system)} ({words.title or e.measure})"
        key = _Key("contrast", title, words.unit, (e.measure, e.quantity, e.system))
        asked[key] = wording.from_random(e)
    for rule in limits:
        try:
            held = gate.of_limit(rule, saved.estimates)
        except RequestError as error:
            raise RequestError(f"{path}: {error}") from error
        asked |= {_Key("limit", one.name, limit=rule.limit, sign=rule.sign): one.estimate for one in held}
    for key, e in asked.items():
        if e.value is not None and e.se is not None and math.isfinite(e.value) and math.isfinite(e.se):
            found[key] = _Point(e.value, e.se, decides(e), e.low, e.high)
    return found


def _described(made: Mapping[str, Any]) -> Iterator[tuple[_Key, _Point]]:
    """What describes the inputs, over all systems, and each system's summaries."""
    profiles: Mapping[str, Mapping[str, Any]] = made.get("inputs") or {}
    total, groups = Counter[str](), defaultdict[tuple[str, str], Counter[str]](Counter)
    for system, of in profiles.items():
        total.update({name: many for name, many in of.items() if isinstance(many, int)})
        for owner in ("document", "record"):
            for name, values in of.get(owner, {}).items():
                if owner == "document" or not OF_SYSTEMS.search(name):
                    groups[owner, name].update(values)
        if of.get("summaries"):
            mean = of["summary_characters"] / of["summaries"]
            yield _Key("output", f"characters per summary, {named(system)}"), _Point(mean, 0, of["summaries"])
        without = _share(of["records"] - of["summaries"], of["records"], of["records"])
        yield _Key("output", f"share of summaries without text, {named(system)}"), without
    if not total["documents"]:
        return
    records = total["records"]
    yield RECORDS, _Point(made["records"], 0, 1)
    yield _Key("input", "documents per record"), _Point(total["documents"] / records, 0, records)
    characters = total["characters"] / total["documents"]
    yield _Key("input", "characters per document"), _Point(characters, 0, records)
    others = sum(of["documents"] for of in (made.get("other_languages") or {}).values()) * len(profiles)
    yield _Key("input", "share of documents in another language"), _share(others, total["documents"], records)
    for (owner, name), values in groups.items():
        for value, many in values.items():
            title = f"share of {owner}s with {group_with(name, value)}"
            yield _Key("input", title, of=(owner, name, value)), _share(many, values.total(), records)


def _share(many: int, of: int, records: int) -> _Point:
    """A share with its standard error over records."""
    p = min(many / of, 1.0)
    return _Point(p, math.sqrt(p * (1 - p) / records), records)


def _releases(before: Mapping[str, Any], after: Mapping[str, Any], night: int) -> Iterator[Release]:
    """What changed between two nights in how summaries were made, by the most frequent value; and Fairbrief's version."""
    if before.get("version") != after.get("version"):
        yield Release(night, "Fairbrief", "version", str(before.get("version")), str(after.get("version")))
    for system, now in (after.get("inputs") or {}).items():
        was = (before.get("inputs") or {}).get(system, {})
        for owner in ("record", "summary"):
            for name, values in now.get(owner, {}).items():
                known = was.get(owner, {}).get(name)
                if known and (owner == "summary" or OF_SYSTEMS.search(name)):
                    old, new = (max(of.items(), key=itemgetter(1))[0] for of in (known, values))
                    if old != new:
                        yield Release(night, system, name, old, new)


def _common_records(sources: Sequence[Any]) -> Floats:
    """The number of records that each two nights have in common; 0 if it is unknown. Shape (nights, nights)."""
    from scipy.sparse import csr_array

    ids = [np.zeros(0, dtype=np.int64) if of is None else of["record"].to_numpy() for of in sources]
    night = np.repeat(np.arange(len(ids)), [len(of) for of in ids])
    distinct, record = np.unique(np.concatenate(ids), return_inverse=True)
    has = csr_array((np.ones(len(record)), (night, record)), shape=(len(ids), len(distinct)))
    return np.asarray((has @ has.T).toarray())


def _repeated(common: Floats) -> float | None:
    """The median share of a night's records that the night before has, too; None if unknown."""
    many, shared = np.diagonal(common), np.diagonal(common, 1)
    known = (many[:-1] > 0) & (many[1:] > 0)
    return float(np.median(shared[known] / many[1:][known])) if known.any() else None


# ------------------------------------------------------------------------------------------- one series


def _series(key: _Key, points: Sequence[Points], reference: int, limit: float, common: Floats) -> Series:
    """A series with its change, if the evidence for one ever reached the limit; ``common`` are `_common_records`."""
    of = [points_of.get(key, ABSENT) for points_of in points]
    values, errors, weights = np.array([(p.value, p.error, p.weight) for p in of], dtype=np.float64).T
    drift = None
    if len(points) > reference and (key.limit is not None or weights[:reference].any()):
        seen = sequential.scan(values, weights, errors, reference, key.limit, common)
        drift = _drift(seen, key, reference, limit)
    end = None if drift is None else drift.since
    steady, weight, error = values[:end], weights[:end], errors[:end]
    spans = (WEEK, MONTH) if (weight > 0).sum() > 1 else ()
    return Series(
        key.kind,
        key.title,
        key.unit,
        values=[None if p is ABSENT else p.value for p in of],
        low=[p.low for p in of],
        high=[p.high for p in of],
        reference=_mean(values[:reference], weights[:reference]),
        latest=_mean(values[reference:][-WEEK:], weights[reference:][-WEEK:]),
        limit=key.limit,
        drift=drift,
        smallest=tuple(sequential.detectable(steady, weight, error, n, limit) for n in spans),
    )


def _drift(seen: sequential.Scan, key: _Key, reference: int, limit: float) -> Drift | None:
    """The change of one series; of a limit, only one that breaks it."""
    way = {"<=": 1, ">=": -1}[key.sign]
    if key.limit is not None:
        seen.evidence[seen.change * way <= 0] = -math.inf
    if (alarm := seen.alarm(limit)) is None:
        return None
    night, start = alarm
    before = float(seen.before[start, 0])
    after = before + float(seen.change[start, -1])
    return Drift(reference + start, reference + night, before, after, *seen.interval(start, -1, limit))


def _mean(values: Floats, weights: Floats) -> float | None:
    """The weighted mean of the nights that have a value."""
    there = weights > 0
    return float(np.average(values[there], weights=weights[there])) if there.any() else None
