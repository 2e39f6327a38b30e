"""How often does a gate pass what it should not? Writes shares of outcomes in worlds where the truth is known.

A candidate whose true value lies exactly at the limit is the hardest to keep out: it may pass in at most
2.5 % of worlds at the 95 % level. Run: python -m benchmarks.calibration.gate [OUT.json] [--worlds N]
"""

from __future__ import annotations

from collections import Counter

import numpy as np
from benchmarks.recording import options, write_json

from fairbrief.auditing import estimating
from fairbrief.auditing.differences import changes
from fairbrief.auditing.ledger import Ledger, RowBlock
from fairbrief.auditing.observing import OF_EXTRACTS
from fairbrief.auditing.origins import WHOLE, Origin, Origins
from fairbrief.auditing.parts import parts_of
from fairbrief.measures.coverage import EqualCoverage
from fairbrief.measures.representation import Bur, Uer
from fairbrief.saved import gate, gate_rules
from fairbrief.types import Measure

BUR, EQUAL, UER = Bur("side"), EqualCoverage("side"), Uer("side")


def ledger_of(
    measure: Measure, systems: dict[str, np.ndarray], columns: tuple[tuple[str, ...], ...]
) -> Ledger:
    """A ledger whose systems' rows are given. Shape of each: (records, columns)."""
    ledger = Ledger(measure.observation, n_resamples=0)
    for system, rows in systems.items():
        origins = Origins.by_column(Origin(system, f"r{i}", f"r{i}") for i in range(len(rows)))
        ledger.write(origins, [[RowBlock(np.arange(len(rows)), columns, rows[:, np.newaxis], None)]], {})
    return ledger


def share_rows(rng: np.random.Generator, n: int, p: float) -> np.ndarray:
    """Rows of `bur`: whether each of n summaries is unfair, with probability p."""
    return np.column_stack([np.ones(n), rng.random(n) < p]).astype(float)


def gap_rows(rng: np.random.Generator, n: int, mean: float) -> np.ndarray:
    """Rows of `equal_coverage`: a skewed gap in every record, of the given mean."""
    gaps = rng.gamma(2.0, mean / 2.0, n)
    return np.column_stack([np.ones(n), gaps, np.full(n, 0.3)])


def share_differences(rng: np.random.Generator, shared: np.ndarray, now: float, random: float) -> np.ndarray:
    """Rows of `uer`: a group's share of each summary less that of its sources, and what random sentences equal.

    Each is ``random`` away from 0 on average, and the system's is ``now`` further; summaries of a record resemble each other.
    """
    gaps = random + now + 0.1 * shared + 0.1 * rng.standard_normal(len(shared))
    from_random = random + 0.02 * rng.standard_normal(len(shared))
    both = [np.stack([np.maximum(x, 0), np.maximum(-x, 0)], axis=1) for x in (gaps, from_random)]
    ones = np.ones((len(shared), 1))
    return np.hstack([ones, both[0], ones, both[1]])


SHARE, GAP = (("one",), ("unfair",)), (("one",), ("gap",), ("level",))
OF_GROUP = (("present", "L"), ("surplus", "L"), ("deficit", "L"))
DIFFERENCES = (*OF_GROUP, *((OF_EXTRACTS, *column) for column in OF_GROUP))


def outcome(measure: Measure, rows: np.ndarray, columns: tuple[tuple[str, ...], ...], limit: float, seed: int, n_resamples: int) -> str:  # fmt: skip
    """What the gate says of one system's value against a limit."""
    ledger = ledger_of(measure, {"candidate": rows}, columns)
    part = parts_of(ledger, ())["candidate", WHOLE]
    settings = estimating.Settings(n_resamples=n_resamples, seed=seed)
    ((_, estimates),) = estimating.estimates([measure], [part], settings)
    return gate.overall(gate.decided(gate.of_limit(gate_rules.rule(f"{measure!r}<={limit}"), estimates)))


def margin_outcome(new: np.ndarray, old: np.ndarray, margin: float, seed: int) -> str:
    """What the gate says of a system's group difference against a baseline on the same records."""
    ledger = ledger_of(UER, {"candidate": new, "baseline": old}, DIFFERENCES)
    parts = parts_of(ledger, ())
    a, b = parts["candidate", WHOLE], parts["baseline", WHOLE]
    (check,) = gate.decided(
        gate.of_margin(changes([UER], a, b, estimating.Settings(n_resamples=2, seed=seed)), margin)
    )
    return check.outcome


def shares(found: list[str]) -> dict[str, float]:
    """How often each outcome came."""
    counts = Counter(found)
    return {name: counts[name] / len(found) for name in ("pass", "fail", "inconclusive")}


def limits(
    worlds: int, seed: int, n: int, true: float, limit: float, n_resamples: int = 500
) -> dict[str, dict[str, float]]:
    """Outcomes of a limit on a share of unfair summaries, and on a mean gap, of n records."""
    rng = np.random.default_rng([seed, n])
    return {
        "bur": shares([outcome(BUR, share_rows(rng, n, true), SHARE, limit, w, n_resamples) for w in range(worlds)]),
        "equal_coverage": shares(
            [outcome(EQUAL, gap_rows(rng, n, true), GAP, limit, w, n_resamples) for w in range(worlds)]
        ),
    }  # fmt: skip


def margins(
    worlds: int, seed: int, n: int, now: float, before: float, margin: float, random: float = -0.2
) -> dict[str, float]:
    """Outcomes against a baseline: a group difference, less what random sentences equal, was ``before`` and is ``now``."""
    rng = np.random.default_rng([seed, n, 1])
    found = []
    for world in range(worlds):
        shared = rng.standard_normal(n)
        new, old = (share_differences(rng, shared, x, random) for x in (now, before))
        found.append(margin_outcome(new, old, margin, world))
    return shares(found)


SIZES = (30, 50, 200, 800)
OF_LIMIT = {"at the limit": 0.3, "twice the limit": 0.6, "half the limit": 0.15}
"""The true values, for a limit of 0.3."""
OF_MARGIN = {
    "a difference that grew by the margin": (-0.12, -0.1, 0.02),
    "from none to the margin": (0.02, 0.0, 0.02),
    "sign turned, grown by the margin": (0.12, -0.1, 0.02),
    "none, without a margin": (0.0, 0.0, 0.0),
    "grown by five margins": (-0.2, -0.1, 0.02),
    "halved": (-0.1, -0.2, 0.02),
}
"""The group difference now and before, and the margin."""


def main() -> None:
    asked = options(__doc__, "out?", worlds=2000).parse_args()
    found: dict[str, object] = {
        "nominal": {"pass at the limit": 0.025}, "worlds": asked.worlds, "seed": 0,
    }  # fmt: skip
    for seed, (name, true) in enumerate(OF_LIMIT.items()):
        found[name] = {n: limits(asked.worlds, seed, n, true, 0.3) for n in SIZES}
    found["at half the limit, 8 records"] = limits(asked.worlds, 3, 8, 0.15, 0.3)
    for seed, (name, told) in enumerate(OF_MARGIN.items(), 4):
        found[name] = {n: margins(asked.worlds, seed, n, *told) for n in SIZES}
    write_json(found, asked.out)


if __name__ == "__main__":
    main()
