"""What a ledger keeps of its rows: every number exactly, whatever their columns and however many."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

from fairbrief.auditing import evidence as evidence_module
from fairbrief.auditing import ledger as ledgers
from fairbrief.auditing.evidence import LedgerEvidence, ledgers_from
from fairbrief.auditing.ledger import Ledger
from fairbrief.auditing.origins import WHOLE, Origin, Origins
from fairbrief.auditing.parts import parts_of
from fairbrief.registry import make
from fairbrief.reports.evidence import Held
from fairbrief.reports.frames import unpacked
from fairbrief.statistics.jackknife import groups_of
from fairbrief.types import Ratio, Rows

DRAWS = 5
MEASURE = make("measure", "uer@party")


def filled(units: int, kinds: int, sheet: int = 1, part: int = 1) -> tuple[Ledger, np.ndarray, np.ndarray]:
    """A ledger of random rows over changing columns; the rows and the chance sums, written out.

    So many units at a time are written to a sheet, and so many sheets absorbed by a part, which is packed and sent as to
    another process.
    """
    rng = np.random.default_rng(0)
    ledger, of_part = (Ledger(MEASURE.observation, DRAWS) for _ in range(2))
    page, written = Ledger(MEASURE.observation, DRAWS, whose=None), list[Origin]()
    plain, null = np.zeros((units, 2 * kinds)), np.zeros((DRAWS, 2 * kinds))
    for i in range(units):
        origin = Origin("s", f"r{i}", f"r{i}")
        written.append(origin)
        if i % 7 == 3:
            page.leave_out(origin, "empty summary")
            plain[i] = np.nan
        else:
            kind = int(rng.integers(kinds)) if i >= kinds else i
            values = rng.random((3, 2))
            choice = rng.integers(0, 3, DRAWS)
            columns = (("deficit", f"{kind:02}"), ("surplus", f"{kind:02}"))
            page.add(origin, Rows(columns, values if i % 5 else values[:1]), choice if i % 5 else None)
            place = [2 * kind, 2 * kind + 1]
            plain[i, place] = values[0]
            null[:, place] += values[choice] if i % 5 else values[0]
        if len(written) == sheet or i == units - 1:
            of_part.absorb(pickle.loads(pickle.dumps(page)), [Origins.by_column(written)])
            page, written = Ledger(MEASURE.observation, DRAWS, whose=None), []
        if len(of_part) >= sheet * part or i == units - 1:
            if i % 2:
                of_part.pack()
            ledger.absorb(pickle.loads(pickle.dumps(of_part)), of_part.whose or ())
            of_part = Ledger(MEASURE.observation, DRAWS)
    order = [2 * int(c[1]) + (c[0] == "surplus") for c in ledger.columns]
    return ledger, plain[:, order], null[:, order]


@pytest.mark.parametrize("kinds", [3, 12])
@pytest.mark.parametrize(("sheet", "part"), [(1, 1), (7, 2), (23, 1), (60, 1)])
@pytest.mark.parametrize("chunk", [4, 13, 1000])
def test_rows_are_read_as_they_were_written(
    sheet: int, part: int, chunk: int, kinds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bit by bit, over columns that come late and units without a row, however they are absorbed and packed, sorted or not."""
    monkeypatch.setattr(ledgers, "CHUNK", chunk)
    monkeypatch.setattr(ledgers, "SORTED", 2 * chunk)
    ledger, plain, wanted = filled(60, kinds, sheet, part)
    null = ledger.null("s", WHOLE)
    assert null is not None
    for _ in range(2):
        drawn = null.drawn()
        assert drawn is not None
        sums = np.stack([drawn.totals[column] for column in ledger.columns], axis=-1)[drawn.draws]
        assert sums == pytest.approx(wanted, abs=1e-10)
    assert null.log_labellings == pytest.approx(sum(i % 7 != 3 and i % 5 > 0 for i in range(60)) * np.log(3))
    assert ledger.excluded("s", WHOLE) == {"empty summary": 9}
    assert (ledger.matrix() == plain[~np.isnan(plain[:, 0])]).all()
    columns = list(ledger.columns)
    ledgers.sort([ledger])
    names = [f"r{i}" for i in range(60)]
    assert [o.record for o in ledger.origins] == sorted(names)
    order = sorted(range(60), key=lambda i: names[i])
    kept = [i for i in order if i % 7 != 3]
    assert [o.record for o in ledger.kept()] == [names[i] for i in kept]
    assert (ledger.matrix([ledger.columns[c] for c in columns]) == plain[kept]).all()
    assert ledger.excluded("s", WHOLE) == {"empty summary": 9}


@pytest.mark.parametrize("chunk", [2, 7, 1000])
def test_evidence_is_packed_inside_and_plain_outside(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table holds dictionaries of numbers; unpacked, and read back as a ledger a few at a time, they are the same.

    Over chunks that lack columns, and over chunks of few and of many distinct numbers.
    """
    monkeypatch.setattr(ledgers, "SMALL", 9)
    monkeypatch.setattr(ledgers, "SORTED", chunk)
    monkeypatch.setattr(evidence_module, "SORTED", 7)
    ledger, plain, _ = filled(60, 3)
    table = LedgerEvidence([ledger], {MEASURE.observation: [MEASURE]}).table()
    numbers = np.column_stack(
        [unpacked(table)[f"{a}[{b}]"].to_numpy(zero_copy_only=False) for a, b in ledger.columns]
    )
    assert np.array_equal(numbers, plain[:, : len(ledger.columns)], equal_nan=True)
    ((again, _),) = ledgers_from(Held(table))
    ledgers.sort([ledger])
    assert (again.matrix() == ledger.matrix()).all()
    assert again.excluded("s", WHOLE) == ledger.excluded("s", WHOLE) == {"empty summary": 9}


@pytest.mark.parametrize("together", [1, 3, 1000])
def test_whose_rows_are_is_read_back_and_held_once(together: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of clusters, sampled variants, slices and kinds of systems, however many rows are read at a time; controls come last."""
    for module in (ledgers, evidence_module):
        monkeypatch.setattr(module, "SORTED", together)
    parts = ((("topic", "t"),), (("topic", "t"), ("year", "1")))
    given = [
        Origin("s", "a", "a"),
        Origin("s", "ä", "of both", parts[:1], "one"),
        Origin("t", "ä", "of both", parts[:1], "two"),
        Origin("s", "b\ud800", "of both", parts),
        Origin("lead", "b\ud800", "b\ud800", (), system_kind="control"),
        Origin("s", "", "", parts),
    ]
    other = make("measure", "opening_gap@party")
    several = [Ledger(measure.observation, 0) for measure in (MEASURE, other, make("measure", "rouge1"))]
    for ledger, origins in zip(several, (given, given, given[:4]), strict=True):
        for i, origin in enumerate(origins):
            ledger.add(origin, Rows((A,), np.array([[float(i)]])), None)
    ledgers.sort(several)
    readers = {
        MEASURE.observation: [MEASURE],
        other.observation: [other],
        several[2].observation: [make("measure", "rouge1")],
    }
    evidence = LedgerEvidence(several, readers)
    (first, _), (second, _), (fewer, _) = ledgers_from(evidence, by=[("topic",), ("topic", "year")])
    assert first.origins is second.origins
    for ledger, own in ((first, several[0]), (fewer, several[2])):
        assert [
            replace(o, record=texts_of(o.record), cluster=texts_of(o.cluster)) for o in own.origins
        ] == list(ledger.origins)
        assert ledger.matrix().tolist() == own.matrix().tolist()


def texts_of(name: str) -> str:
    """A name as a file of Parquet can hold it."""
    return name.replace("\ud800", "?")


A, B, C = ("a",), ("b",), ("c",)
ODD = (("parity", "odd"),)


def of_clusters(clusters: int, rows: int) -> Ledger:
    """Small whole numbers: row i belongs to cluster i modulo ``clusters``, every fifth has no row, every odd one a slice."""
    ledger = Ledger(MEASURE.observation, 0)
    for i in range(rows):
        origin = Origin("s", f"r{i:04}", f"c{i % clusters:04}", (ODD,) if i % 2 else ())
        if i % 5 == 4:
            ledger.leave_out(origin, "empty summary")
        else:
            ledger.add(origin, Rows((A, B, C), np.array([[i % 7, i % 3 - 1, 1.0]])), None)
    return ledger


@pytest.mark.parametrize(("clusters", "rows"), [(400, 400), (400, 1000), (30, 100)])
@pytest.mark.parametrize("is_sorted", [True, False])
def test_parts_hold_the_sums_of_their_clusters_and_units(
    clusters: int, rows: int, *, is_sorted: bool
) -> None:
    """Added up row by row: of the whole and of a slice, of single rows, of clusters of several, and of groups of clusters."""
    ledger = of_clusters(clusters, rows)
    if is_sorted:
        ledgers.sort([ledger])
    parts = parts_of(ledger, [ODD], seed=3)
    for slice_, kept in ((WHOLE, range(rows)), (ODD, range(1, rows, 2))):
        wanted: dict[str, np.ndarray] = {}
        for i in kept:
            if i % 5 != 4:
                own = wanted.setdefault(f"c{i % clusters:04}", np.zeros(3))
                own += [i % 7, i % 3 - 1, 1]
        part = parts["s", slice_]
        assert part.rows == sum(i % 5 != 4 for i in kept)
        assert dict(zip(part.clusters, part.sums.tolist(), strict=True)) == {
            c: own.tolist() for c, own in wanted.items()
        }
        assert list(part.clusters) == list(sorted(wanted) if is_sorted else wanted)
        group = groups_of(part.clusters, 3)
        units = part.sums if group is None else np.zeros((group.max() + 1, 3))
        for g, own in zip(() if group is None else group.tolist(), part.sums, strict=False):
            units[g] += own
        assert part.units.sums[0].tolist() == units.tolist()
        assert bool(part.units.clusters) == (group is not None)
        top, bottom = part.sums[:, 0] - part.sums[:, 1], 2 * part.sums[:, 2]
        assert part.units.moments(Ratio(((A, 1.0), (B, -1.0)), ((C, 2.0), (("nobody",), 1.0))))[0].tolist() == [
            top.sum(), bottom.sum(), top @ top, top @ bottom, bottom @ bottom, np.abs(top).max(),
        ]  # fmt: skip
