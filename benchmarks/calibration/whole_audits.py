"""Do audits as a whole keep their promises? Whom the first screen names, which systems differ, where a gate fails.

Run: python -m benchmarks.calibration.whole_audits [OUT.json] [--audits N] [--only NAME,…] [--docs benchmarks/calibration/README.md]

With ``--only``, what OUT holds of other worlds stays. ``--audits 0`` simulates nothing and writes OUT's tables into the docs.

The clusters of a world are observed once, for all systems, measures and attributes. An audit draws some of them, none
twice, and goes on as every audit does: rows into ledgers, estimates, differences, families of tests, the first screen.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.calibration.audited_worlds import Cell, World, worlds
from benchmarks.calibration.worlds import Rng
from benchmarks.recording import write_section

from fairbrief import conclusions
from fairbrief.auditing import Plan, declared_words, measure_selection
from fairbrief.auditing.estimating import Settings
from fairbrief.auditing.extracts import ExtractDraws
from fairbrief.auditing.ledger import Ledger, RowBlock, Written
from fairbrief.auditing.observing import Observer, by_observation
from fairbrief.auditing.origins import Origin, Origins, Subgroup, units_of
from fairbrief.auditing.per_record import rows_from
from fairbrief.auditing.run import Run
from fairbrief.auditing.scorer_lookup import Scorers
from fairbrief.conclusions import NAMED
from fairbrief.reports.result import Result
from fairbrief.reports.wording import Context
from fairbrief.saved.gate import decided, of_limit
from fairbrief.saved.gate_rules import Rule
from fairbrief.statistics.label_permutations import LabelDraws
from fairbrief.types import Case, Column, Estimate, Integers, Measure, Observation

RESAMPLES, N_EXTRACTS = 199, 100
PLAN = Plan(n_resamples=RESAMPLES)
MARKERS = ("<!-- whole audits: begin -->", "<!-- whole audits: end -->")
Name = tuple[str, str, str]
"""System, measure, group."""


class Bank(Ledger):
    """What one observation reads of all clusters, as it would be written into a ledger."""

    def __init__(self, observation: Observation) -> None:
        super().__init__(observation, RESAMPLES)
        self.sources: list[Origin] = []
        self.blocks: list[RowBlock] = []
        self.left: dict[int, str] = {}

    def write(
        self, origins: Origins, blocks: Iterable[Sequence[RowBlock]], left_out: Mapping[int, str]
    ) -> None:
        """Keep the units instead of adding them up."""
        first = len(self.sources)
        self.sources += origins
        for block in (block for several in blocks for block in several):
            beside = [(units + first, columns, numbers) for units, columns, numbers in block.beside]
            self.blocks.append(replace(block, units=block.units + first, beside=beside))
        self.left |= {first + i: why for i, why in left_out.items()}

    def close(self) -> None:
        """Put blocks of equal columns together."""
        alike: dict[object, list[RowBlock]] = {}
        for b in self.blocks:
            has = b.choices is None, b.ps is None
            alike.setdefault((b.columns, b.values.shape[1], has), []).append(b)
        self.blocks = [_joined(several) for several in alike.values()]
        self.systems = np.array([o.system for o in self.sources])
        numbers = {name: i for i, name in enumerate(dict.fromkeys(o.cluster for o in self.sources))}
        self.clusters = np.array([numbers[o.cluster] for o in self.sources])

    def draw_into(self, ledger: Ledger, audit: Integers, systems: Sequence[str]) -> None:
        """The rows of some systems into a ledger, each in the subgroup of its audit. Shape: (clusters,), -1 where in none."""
        kept = np.flatnonzero((audit[self.clusters] >= 0) & np.isin(self.systems, systems))
        place = np.full(len(self.sources), -1)
        place[kept] = np.arange(len(kept))
        blocks = [_placed(block, place) for block in self.blocks if (place[block.units] >= 0).any()]
        left = {int(place[i]): why for i, why in self.left.items() if place[i] >= 0}
        origins = Origins.by_column(
            replace(self.sources[i], subgroups=(_subgroup(k),))
            for i, k in zip(kept.tolist(), audit[self.clusters[kept]].tolist(), strict=True)
        )
        ledger.write(origins, [blocks], left)


def _subgroup(audit: int) -> Subgroup:
    return ((f"audit {audit}", ""),)


PER_UNIT = ("values", "choices", "ps")


def _placed(block: RowBlock, place: Integers) -> RowBlock:
    """The units of a block that have a place, there. Shape: (all units,), -1 where one has none."""
    chosen = np.flatnonzero(place[block.units] >= 0)

    def part(name: str) -> Any:
        whole = getattr(block, name)
        return None if whole is None else whole[chosen]

    beside = []
    for units, columns, numbers in block.beside:
        has_place = place[units] >= 0
        beside.append((place[units[has_place]], columns, numbers[has_place]))
    parts = {name: part(name) for name in PER_UNIT}
    return replace(block, units=place[block.units[chosen]], beside=beside, **parts)


def _joined(several: Sequence[RowBlock]) -> RowBlock:
    def together(parts: Iterable[Any]) -> Any:
        parts = list(parts)
        return None if parts[0] is None else np.concatenate(parts)

    alike: dict[tuple[Column, ...], list[Written]] = {}
    for written in (written for block in several for written in block.beside):
        alike.setdefault(written[1], []).append(written)
    beside = [
        (together(units for units, _, _ in own), columns, together(numbers for _, _, numbers in own))
        for columns, own in alike.items()
    ]
    parts = {name: together(getattr(b, name) for b in several) for name in ("units", *PER_UNIT)}
    return replace(several[0], beside=beside, **parts)


@dataclass(frozen=True)
class Banks:
    """All that is known of a world's clusters: a bank per observation, and the measures that read it."""

    banks: Mapping[Observation, Bank]
    measures: Sequence[Measure]
    made: Mapping[str, Any]

    @classmethod
    def of(cls, world: World, rng: Rng) -> Banks:
        """Observe all clusters of a world, as far as its audits need."""
        systems = {system for cell in world.cells for system in cell.systems}
        attributes = sorted({attribute for cell in world.cells for attribute in cell.attributes})
        made = (case for i in range(world.bank) for case in world.make(rng, i))
        cases = [case for case in made if case.summary.system in systems]
        fitting = measure_selection.fitting(cases[:200], attributes).measures
        measures = [m for m in fitting if type(m).__module__.startswith("fairbrief.")]  # no plug-in's
        scorers = Scorers()
        banks = {o: _observed(o, cases, scorers) for o in by_observation(measures)}
        banks = {o: bank for o, bank in banks.items() if bank.blocks}
        kept = [m for m in measures if m.observation in banks]
        declared = {m.name: declared_words(m) for m in kept}
        return cls(banks, kept, {"declared": declared, "alpha": PLAN.alpha})

    def audits(self, audit: Integers, systems: Sequence[str], attributes: Sequence[str]) -> list[Result]:
        """Audits of some systems and attributes, each of the clusters that have its number. Shape: (clusters,)."""
        measures = [m for m in self.measures if getattr(m, "over", "") in ("", *attributes)]
        run = SideBySide(PLAN, measures)
        for ledger in run.ledgers:
            self.banks[ledger.observation].draw_into(ledger, audit, systems)
        estimates, differences = (_by_subgroup(found) for found in run.estimates(run.settings()))
        rows = rows_from((), {})
        return [
            Result(tuple(estimates[s]), tuple(differences.get(s, ())), rows, made=self.made)
            for s in estimates
            if s
        ]


class SideBySide(Run):
    """Many audits in one run, each a subgroup, so that all are estimated together; corrected each by itself."""

    def _adjusted(
        self, found: list[Estimate], systems: Sequence[Estimate], settings: Settings
    ) -> list[Estimate]:
        made: list[Estimate] = []
        audits = _by_subgroup(systems)
        for name, own in _by_subgroup(found).items():
            adjusted = super()._adjusted(own, audits[name], settings) if name else ()
            made += [e.replace(subgroup=dict(name)) for e in adjusted]
        return made


def _by_subgroup(found: Iterable[Estimate]) -> dict[Subgroup, list[Estimate]]:
    """Estimates by audit, as an audit by itself has them."""
    alike: dict[Subgroup, list[Estimate]] = {}
    for e in found:
        alike.setdefault(tuple(e.subgroup.items()), []).append(e.replace(subgroup={}))
    return alike


def _observed(observation: Observation, cases: Sequence[Case], scorers: Scorers) -> Bank:
    bank = Bank(observation)
    units = [(unit, _origin(unit[0])) for unit in units_of(cases, observation.declaration.scope)]
    Observer(scorers, LabelDraws(RESAMPLES, 0), skips=True, extracts=ExtractDraws(N_EXTRACTS, 0)).observe(
        bank, units
    )
    bank.close()
    return bank


def _origin(case: Case) -> Origin:
    record = case.record
    return Origin(case.summary.system, record.id, record.cluster, is_shared=record.seed_document is not None)


# ------------------------------------------------------------------------------- what an audit says


def named(result: Result) -> set[Name]:
    """Whom the first screen names: groups that are significantly below their baseline."""
    context = Context(result)
    return {
        (e.system, e.measure, e.group)
        for e in leading(result)
        if context.kind(e) in NAMED and context.worse(e)
    }


def different(result: Result) -> set[Name]:
    """Differences of systems, in what groups get, that are significant."""
    return {
        (f"{e.system} − {e.baseline}", e.measure, e.quantity)
        for e in conclusions.leading(result.differences)
        if e.group and conclusions.conclusion(e, PLAN.alpha) in NAMED
    }


def gate_fails(result: Result, limits: Sequence[Rule]) -> bool:
    """Whether a limit is said to be broken."""
    return any(
        check.outcome == "fail" for rule in limits for check in decided(of_limit(rule, result.estimates))
    )


def leading(result: Result) -> list[Estimate]:
    """The contrasts of groups that lead, each once."""
    return [e for members in Context(result).leading() for e in members if e.group]


# ------------------------------------------------------------------------------------- the audits


def audits_of(banks: Banks, world: World, cell: Cell, many: int, rng: Rng) -> list[Result]:
    """So many audits of a cell: the clusters are dealt out, and dealt again when none are left."""
    kinds = np.array([world.kind(i) for i in range(world.bank)])
    made: list[Result] = []
    while len(made) < many:
        at_once = min(many - len(made), *(int((kinds == k).sum()) // n for k, n in enumerate(cell.sizes)))
        audit = np.full(world.bank, -1)
        for k, n in enumerate(cell.sizes):
            of_kind = rng.permutation(np.flatnonzero(kinds == k))[: at_once * n]
            audit[of_kind] = np.arange(len(of_kind)) // n
        made += banks.audits(audit, cell.systems, cell.attributes)
    return made


def limits_of(whole: Result) -> dict[str, Rule]:
    """Limits of the first attribute that hold, each the truth of the worst system and group: of a score, and of the group
    differences from random sentences.
    """
    limits: dict[str, Rule] = {}
    scores = [e for e in whole.estimates if e.quantity == "equal_coverage" and e.value is not None]
    if scores:
        values = [e.value or 0.0 for e in scores if e.measure == scores[0].measure]
        limits["score"] = Rule(scores[0].measure, "equal_coverage", "<=", max(values))
    groups = [
        e
        for e in whole.estimates
        if e.quantity.startswith("relative_difference[") and e.extract_difference is not None
    ]
    if groups:
        values = [e.extract_difference or 0.0 for e in groups if e.measure == groups[0].measure]
        limits["contrast"] = Rule(
            groups[0].measure, "relative_difference", ">=", min(values), from_random=True
        )
    return limits


def run(world: World, audits: int, seed: int = 1) -> list[dict[str, Any]]:
    """One row per cell of a world."""
    rng = np.random.default_rng([seed, *world.name.encode()])
    banks = Banks.of(world, rng)
    return [_told(banks, world, cell, audits, rng) for cell in world.cells]


def _told(banks: Banks, world: World, cell: Cell, audits: int, rng: Rng) -> dict[str, Any]:
    results = audits_of(banks, world, cell, audits, rng)
    (whole,) = banks.audits(np.zeros(world.bank, dtype=np.int64), cell.systems, cell.attributes)
    names = [{(s, m.partition("@")[2], g) for s, m, g in named(result)} for result in results]
    told: dict[str, Any] = {
        "world": world.name, "asks": world.asks, "attributes": len(cell.attributes), "systems": len(cell.systems), "n": cell.sizes,
        "audits": audits, "named": _share(bool(own - world.planted) for own in names),
        "planted": {s: _share((s, over, g) in own for own in names) for s, over, g in sorted(world.planted)},
    }  # fmt: skip
    if world.asks in ("fair", "between records"):
        told["different"] = _share(bool(different(result)) for result in results)
        for kind, limit in limits_of(whole).items():
            told[f"gate {kind}"] = _share(gate_fails(result, [limit]) for result in results)
    if world.asks in ("between records", "seen"):
        told["contrasts"] = _contrasts(results, whole)
    return told


def _contrasts(results: Sequence[Result], whole: Result) -> list[dict[str, Any]]:
    """Of each leading contrast by system what would have been seen, and by p against permuted labels or turned signs, and
    against random extracts: its truth, how often it has a p, how often that is significant.
    """
    of: dict[tuple[str, str], list[Estimate]] = {}
    for e in (e for result in results for e in leading(result)):
        of.setdefault((e.system, f"{e.measure}:{e.quantity}"), []).append(e)
    truth = {(e.system, f"{e.measure}:{e.quantity}"): e for e in leading(whole)}
    rows = []
    for (system, contrast), own in of.items():
        true = truth.get((system, contrast))
        seen = [e.detectable for e in own if e.detectable is not None]
        row: dict[str, Any] = {
            "system": system, "contrast": contrast, "detectable": float(np.mean(seen)) if seen else None
        }  # fmt: skip
        for of_p, value in (("p", "value"), ("extract_p", "extract_difference")):
            ps = [p for e in own if (p := getattr(e, of_p)) is not None]
            row[of_p] = {
                "truth": getattr(true, value, None), "tested": len(ps), "significant": sum(p <= PLAN.alpha for p in ps),
            }  # fmt: skip
        rows.append(row)
    return rows


def _share(which: Iterable[bool]) -> float | None:
    several = list(which)
    return round(sum(several) / len(several), 4) if several else None


# -------------------------------------------------------------------------------------- the tables

FALSE = ("named", "different", "gate score", "gate contrast")
PS = ("p", "extract_p")


def broken(row: Mapping[str, Any]) -> list[str]:
    """Which promises a cell breaks: at most 6.5 % of false alarms and two standard errors of the simulation."""
    if row["asks"] == "seen":
        return []

    def is_more(share: float | None, of: int) -> bool:
        return share is not None and share > 0.065 + 2 * (0.05 * 0.95 / of) ** 0.5

    sizes = {(contrast, of_p): _size(row, contrast, of_p) for contrast in _contrasts_in(row) for of_p in PS}
    return [
        *(what for what in FALSE if is_more(row.get(what), row["audits"])),
        *(
            f"{of_p} of `{contrast}`"
            for (contrast, of_p), (tested, share) in sizes.items()
            if is_more(share, min(tested, row["audits"]))
        ),
    ]


def _contrasts_in(row: Mapping[str, Any]) -> list[str]:
    return list(dict.fromkeys(told["contrast"] for told in row.get("contrasts", ())))


def _size(row: Mapping[str, Any], contrast: str, of_p: str) -> tuple[int, float | None]:
    """How often a contrast has a p, over all systems, and the share of these that are significant."""
    several = [told[of_p] for told in row["contrasts"] if told["contrast"] == contrast]
    tested = sum(told["tested"] for told in several)
    return tested, sum(told["significant"] for told in several) / tested if tested else None


def _power(row: Mapping[str, Any], contrast: str, of_p: str) -> tuple[float | None, float | None]:
    """The size that audits without a disparity say they would have seen, and how often one of that size is found.

    That is read off between planted disparities of known size; None beyond them.
    """
    from scipy.special import ndtr, ndtri

    known = sorted(
        (abs(p["truth"]), p["significant"] / p["tested"], told["detectable"])
        for told in row["contrasts"]
        if told["contrast"] == contrast and (p := told[of_p])["truth"] is not None and p["tested"]
    )
    if not known or known[0][2] is None or known[0][2] > known[-1][0]:
        return None, None
    probits = ndtri(np.clip([share for _, share, _ in known], 0.001, 0.999))
    return known[0][2], float(ndtr(np.interp(known[0][2], [size for size, _, _ in known], probits)))


def tables(rows: Sequence[Mapping[str, Any]]) -> str:
    """Markdown: false alarms of whole audits, planted disparities, contrasts between records, what would have been seen."""
    says = {world.name: world.says for world in worlds()}
    fair: list[tuple[object, ...]] = []
    planted: list[tuple[object, ...]] = []
    between: list[tuple[object, ...]] = []
    seen: list[tuple[object, ...]] = []
    for r in rows:
        missed, sizes = broken(r), " and ".join(map(str, r["n"]))

        def told(share: float | None, what: str = "", missed: Sequence[str] = missed) -> str:
            return f"{_percent(share)}{' *' if what in missed else ''}"

        if "different" in r:
            shares = (told(r.get(what), what) for what in FALSE)
            fair.append((says[r["world"]], r["attributes"], r["systems"], sizes, r["audits"], *shares))
        for system, share in r["planted"].items():
            planted.append((system, sizes, _percent(share), told(r["named"], "named")))
        for contrast in _contrasts_in(r):
            name = f"`{contrast}`"
            if r["asks"] == "seen":
                (size, share), (_, against) = (_power(r, contrast, of_p) for of_p in PS)
                if size is not None:  # else none so large was planted
                    seen.append((name, sizes, f"{size:.3f}", _percent(share), _percent(against)))
            else:
                alarms = [_size(r, contrast, of_p) for of_p in PS]
                has = _percent(alarms[0][0] / r["audits"] / r["systems"])
                stars = (told(share, f"{p} of {name}") for p, (_, share) in zip(PS, alarms, strict=True))
                between.append((name, sizes, has, *stars))
    missed = [
        f"- {says[r['world']]}, {r['attributes']} × {r['systems']}, {' and '.join(map(str, r['n']))}: {', '.join(b)}"
        for r in rows
        if (b := broken(r))
    ]
    return "\n".join(
        [
            *_table(
                "audits of|attributes|systems|clusters|audits|a group is named|systems differ|gate: score|gate: group difference",
                fair,
            ),
            *_table("planted|clusters|named|another group named", planted),
            *_table(
                "group difference|clusters|has a p|p ≤ .05 of these|against random sentences",
                between,
            ),
            *_table("group difference|clusters|detectable|found at that size|against random sentences", seen),
            f"All shares in percent. Outside their target (*): {len(missed)} of {len(rows)} cells.",
            *missed,
        ]
    )


def _table(header: str, rows: Iterable[Sequence[object]]) -> list[str]:
    names = header.split("|")
    lines = (names, ["---", *["---:"] * (len(names) - 1)], *rows)
    return [*(f"| {' | '.join(map(str, cells))} |" for cells in lines), ""]


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path, nargs="?")
    parser.add_argument("--audits", type=int, default=400)
    parser.add_argument("--only", default="")
    parser.add_argument("--docs", type=Path)
    chosen = parser.parse_args()
    known = {world.name: world for world in worlds()}
    names = ([n for n in chosen.only.split(",") if n] or list(known)) if chosen.audits else []
    rows: list[dict[str, Any]] = []
    if chosen.out and chosen.out.exists():
        held = json.loads(chosen.out.read_text(encoding="utf-8"))["rows"]
        rows = [row for row in held if row["world"] not in names]
    for name in names:
        for row in run(known[name], chosen.audits):
            rows.append(row)
            print({k: v for k, v in row.items() if k != "contrasts"}, *broken(row), flush=True)
        rows.sort(key=lambda row: list(known).index(row["world"]))
        if chosen.out:
            chosen.out.write_text(json.dumps({"rows": rows}, indent=1) + "\n", encoding="utf-8")
    if chosen.docs:
        write_section(chosen.docs, MARKERS, tables(rows))


if __name__ == "__main__":
    main()
