"""Do intervals, tests and gates keep their promises in worlds that look like real data?

Run: python -m benchmarks.calibration.inference [OUT.json] [--audits N] [--bank N] [--only NAME,…] [--measures SPEC,…] [--docs benchmarks/calibration/README.md]

With ``--only``, what OUT holds of other worlds stays; with ``--measures``, of other measures. ``--audits 0`` simulates nothing and writes OUT's table into the docs.

Units are observed once, as a bank; audits draw clusters from it and estimate with the package's own code. A finite bank is
a world of its own: what it says of contrasts is the truth that intervals are held to.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from benchmarks.calibration.worlds import World, worlds
from benchmarks.recording import markdown, options, write_section

from fairbrief import registry
from fairbrief.auditing.differences import difference
from fairbrief.auditing.estimating import Settings, estimates
from fairbrief.auditing.extracts import ExtractDraws
from fairbrief.auditing.ledger import Ledger, RowBlock
from fairbrief.auditing.null_sums import NullSums
from fairbrief.auditing.observing import Observer
from fairbrief.auditing.origins import WHOLE, Origin, Origins, units_of
from fairbrief.auditing.parts import Part, parts_of
from fairbrief.auditing.scorer_lookup import Scorers
from fairbrief.saved.gate import decided, of_limit
from fairbrief.saved.gate_rules import Rule
from fairbrief.statistics.label_permutations import LabelDraws
from fairbrief.types import Case, Column, Estimate, Floats, Measure, Observation

SIZES = (10, 20, 50, 200)
RESAMPLES = 199
PER_BANK = 1000
MARKERS = ("<!-- inference calibration: begin -->", "<!-- inference calibration: end -->")


@dataclass(frozen=True)
class Banked:
    """What one observation says of every cluster: sums of real rows, and sums under permutations."""

    columns: dict[Column, int]
    sums: Floats
    nulls: Sequence[NullSums | None]
    rows: Sequence[int]


def observe(
    observation: Observation, clusters: Sequence[list[Case]], scorers: Scorers, n_extracts: int
) -> Mapping[str, Banked]:
    """The bank, by system."""
    found: dict[str, list[tuple[dict[Column, float], NullSums | None, int]]] = {}
    for cases in clusters:
        systems = dict.fromkeys(case.summary.system for case in cases)
        for system in systems:
            own = [case for case in cases if case.summary.system == system]
            found.setdefault(system, []).append(_observed(observation, own, scorers, n_extracts))
    return {system: _banked(several) for system, several in found.items()}


def _observed(
    observation: Observation, cases: list[Case], scorers: Scorers, n_extracts: int
) -> tuple[dict[Column, float], NullSums | None, int]:
    ledger = Ledger(observation, RESAMPLES)
    n_resamples = LabelDraws(RESAMPLES, 0)
    extracts = ExtractDraws(n_extracts, 0) if n_extracts else None
    units = []
    for unit in units_of(cases, observation.declaration.scope):
        record = unit[0].record
        origin = Origin("s", record.id, record.cluster, is_shared=record.seed_document is not None)
        units.append((unit, origin))
    Observer(scorers, n_resamples, skips=True, extracts=extracts).observe(ledger, units)
    matrix = ledger.matrix()
    row = dict(zip(ledger.columns, matrix.sum(axis=0).tolist(), strict=True)) if len(matrix) else {}
    return row, ledger.nulls.get(("s", WHOLE)), len(matrix)


def _banked(several: Sequence[tuple[dict[Column, float], NullSums | None, int]]) -> Banked:
    columns: dict[Column, int] = {}
    for row, _, _ in several:
        for column in row:
            columns.setdefault(column, len(columns))
    sums = np.zeros((len(several), len(columns)))
    for i, (row, _, _) in enumerate(several):
        for column, value in row.items():
            sums[i, columns[column]] = value
    return Banked(columns, sums, [null for _, null, _ in several], [n for _, _, n in several])


def part_of(bank: Banked, observation: Observation, chosen: Sequence[int]) -> Part:
    """An audit of some clusters of the bank, each under a name of its own; those without a row have none."""
    ledger = Ledger(observation, RESAMPLES)
    merged = NullSums(RESAMPLES)
    for i in chosen:
        null = bank.nulls[i]
        if null is not None:
            merged.merge(null)
    there = [i for i in chosen if bank.rows[i]]
    names = [*map(str, range(len(there))), *(f"left out {k}" for k in range(len(chosen) - len(there)))]
    sums = bank.sums[there][:, np.newaxis]
    block = RowBlock(np.arange(len(there)), tuple(bank.columns), sums, None)
    left_out = dict.fromkeys(range(len(there), len(chosen)), "no row")
    ledger.write(Origins.by_column(Origin("s", name, name) for name in names), [[block]], left_out)
    ledger.nulls["s", WHOLE] = merged
    return replace(parts_of(ledger, ())["s", WHOLE], rows=int(sum(bank.rows[i] for i in there)))


def run(world: World, audits: int, bank: int, sizes: Sequence[int], seed: int = 1) -> list[dict[str, Any]]:
    """One row per quantity and size. Every `PER_BANK` audits a new bank is made, so that what one says by chance is not
    taken for truth.
    """
    found: dict[tuple[str, int], Tally] = {}
    for start in range(0, audits, PER_BANK):
        rng = np.random.default_rng([seed, start, *world.name.encode()])
        _run_bank(world, min(PER_BANK, audits - start), bank, sizes, rng, found)
    return [{"world": world.name, "n": n, **tally.told()} for (_, n), tally in found.items()]


def _run_bank(
    world: World,
    audits: int,
    bank: int,
    sizes: Sequence[int],
    rng: np.random.Generator,
    found: dict[tuple[str, int], Tally],
) -> None:
    clusters = [world.clusters(rng, i) for i in range(bank)]
    measures: dict[Observation, list[Measure]] = {}
    for spelled in world.measures:
        measure = registry.make("measure", spelled)
        measures.setdefault(measure.observation, []).append(measure)
    scorers = Scorers()
    for observation, several in measures.items():
        banked = observe(observation, clusters, scorers, world.n_extracts)
        settings = Settings(n_resamples=RESAMPLES)
        everything = {s: part_of(b, observation, range(bank)) for s, b in banked.items()}
        truth = _truth(world, several, everything, settings)
        for n in sizes:
            for _ in range(audits):
                chosen = rng.integers(0, bank, n).tolist()
                parts = {s: part_of(b, observation, chosen) for s, b in banked.items()}
                for e in _estimates(world, several, parts, settings):
                    tally = found.setdefault((f"{e.measure}:{e.quantity}", n), Tally(e))
                    tally.add(e, truth.get((e.measure, e.quantity)), world)


def _estimates(
    world: World, measures: Sequence[Measure], parts: Mapping[str, Part], settings: Settings
) -> list[Estimate]:
    if not world.compares:
        (part,) = parts.values()
        ((_, found),) = estimates(measures, [part], settings)
        return [e for e in found if _is_watched(e) and _is_judged(e, world)]
    first, second = parts["x"], parts["y"]
    return [e for e in difference(measures, first, second, settings) if e.is_primary]


def _is_watched(e: Estimate) -> bool:
    return e.is_primary or e.kind == "unsigned_disparity" or e.quantity == "chance_adjusted"


def _is_judged(e: Estimate, world: World) -> bool:
    """Where words tell the label, permuted labels are beaten truly: contrasts alone are held to random extracts."""
    return world.tested == "p" or e.extract_difference is not None


def _truth(
    world: World, measures: Sequence[Measure], parts: Mapping[str, Part], settings: Settings
) -> dict[tuple[str, str], float]:
    """What the whole bank says; zero for a unsigned score that no disparity makes zero, where there is none."""
    truth = {}
    for e in _estimates(world, measures, parts, settings):
        value = e.extract_difference if world.tested == "extract_p" else e.value
        is_null = (
            world.is_fair and e.kind == "unsigned_disparity" and e.low == 0 and e.chance_adjusted is None
        )
        if value is not None:
            truth[e.measure, e.quantity] = 0.0 if is_null else value
    return truth


class Tally:
    """How one quantity fared over audits."""

    def __init__(self, e: Estimate) -> None:
        self.first = e
        self.audits = self.tested = self.rejected = self.intervals = self.held = self.failed = self.gated = 0

    def add(self, e: Estimate, truth: float | None, world: World) -> None:
        """Count one audit."""
        self.audits += 1
        from_random = world.tested == "extract_p" and e.extract_difference is not None
        p = e.extract_p if from_random else e.p
        low, high = (e.extract_difference_low, e.extract_difference_high) if from_random else (e.low, e.high)
        if p is not None:
            self.tested += 1
            self.rejected += p <= 0.05
        if low is not None and high is not None and truth is not None:
            self.intervals += 1
            slack = 1e-9
            self.held += (low - slack <= truth or e.low_is_open) and truth <= high + slack
            is_main = e.quantity == e.measure.partition("@")[0].partition("(")[0]
            if e.clusters >= 20 and not from_random and is_main:
                limit = max(truth, 0.0) if e.kind == "unsigned_disparity" else truth
                (check, *_) = decided(of_limit(Rule(e.measure, e.quantity, "<=", limit + 1e-9), [e]))
                self.gated += 1
                self.failed += check.outcome == "fail"

    def told(self) -> dict[str, Any]:
        """The shares."""
        return {
            "quantity": f"{self.first.measure}:{self.first.quantity}", "kind": self.first.kind, "audits": self.audits,
            "tested": self.tested, "rejected": _share(self.rejected, self.audits),
            "covered": _share(self.held, self.intervals), "intervals": self.intervals,
            "gate_fails": _share(self.failed, self.gated),
        }  # fmt: skip


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def judged(row: Mapping[str, Any], world: World) -> list[str]:
    """Which promises a row breaks."""
    n, audits, broken = row["n"], row["audits"], []
    if world.is_fair and row["tested"]:
        most = 0.08 if n < 20 else 0.065 + 2 * (0.05 * 0.95 / audits) ** 0.5
        if row["rejected"] > most:
            broken.append(f"size {row['rejected']:.3f}")
    if row["covered"] is not None and row["intervals"] >= audits / 2:
        slack = 2 * (0.05 * 0.95 / audits) ** 0.5
        if row["covered"] < (0.90 if n < 20 else 0.93) - slack * (n >= 20):
            broken.append(f"coverage {row['covered']:.3f}")
    if row["gate_fails"] is not None and row["gate_fails"] > 0.04 + 2 * (0.025 / audits) ** 0.5:
        broken.append(f"gate {row['gate_fails']:.3f}")
    return broken


def table(found: Sequence[Mapping[str, Any]], known: Mapping[str, World]) -> str:
    """Markdown: a line per world and quantity, the sizes across."""
    sizes = sorted({row["n"] for row in found})
    head = ("input", "estimate", *(f"n = {n}: rejects / covers / gate fails" for n in sizes))
    lines = []
    by: dict[tuple[str, str], dict[int, Mapping[str, Any]]] = {}
    for told in found:
        by.setdefault((told["world"], told["quantity"]), {})[told["n"]] = told
    for (name, quantity), rows in by.items():
        cells = []
        for n in sizes:
            row = rows.get(n)
            rejects = "–" if row is None or not row["tested"] else f"{row['rejected']:.3f}"
            covers = "–" if row is None or row["covered"] is None else f"{row['covered']:.3f}"
            gate = "" if row is None or row["gate_fails"] is None else f" / {row['gate_fails']:.3f}"
            mark = " *" if row is not None and judged(row, known[name]) else ""
            cells.append(f"{rejects} / {covers}{gate}{mark}")
        lines.append((f"{known[name].says} ({name})", f"`{quantity}`", *cells))
    missed = [
        f"{row['world']}, n = {row['n']}, `{row['quantity']}`: {', '.join(b)}"
        for row in found
        if (b := judged(row, known[row["world"]]))
    ]
    audits = min(row["audits"] for row in found)
    total = f"{len(found)} cells of {audits:,} audits or more. Outside their target (*): {len(missed)}."
    return "\n".join([markdown(head, lines), "", total, *(f"- {cell}" for cell in missed)])


def main() -> None:
    chosen = options(
        __doc__,
        "--docs",
        "out?",
        audits=1000,
        bank=10_000,
        only="",
        measures="",
        sizes=",".join(map(str, SIZES)),
    ).parse_args()
    known = {world.name: world for world in worlds()}
    names = [n for n in chosen.only.split(",") if n] or list(known)
    taken = [spec for spec in chosen.measures.split(",") if spec]
    found: list[dict[str, Any]] = []
    if chosen.out and chosen.out.exists() and (chosen.only or not chosen.audits):
        held = json.loads(chosen.out.read_text(encoding="utf-8"))["rows"]
        found = [
            row for row in held
            if not chosen.audits or row["world"] not in names or (taken and row["quantity"].partition(":")[0] not in taken)
        ]  # fmt: skip
    names = names if chosen.audits else []
    for name in names:
        world = replace(known[name], measures=tuple(taken)) if taken else known[name]
        rows = run(world, chosen.audits, chosen.bank, [int(n) for n in chosen.sizes.split(",")])
        found += rows
        for row in rows:
            shares = (row[key] for key in ("n", "quantity", "rejected", "covered", "gate_fails"))
            print(name, *shares, *judged(row, known[name]), flush=True)
        if chosen.out:
            text = json.dumps({"audits": chosen.audits, "bank": chosen.bank, "rows": found}, indent=1)
            chosen.out.write_text(text, encoding="utf-8")
    if chosen.docs:
        write_section(chosen.docs, MARKERS, table(found, known))


if __name__ == "__main__":
    main()
