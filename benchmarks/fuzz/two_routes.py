"""Two routes to one number, on small random inputs: they must agree.

1. Two systems are compared in one audit, and in an audit of each, whatever else these measure.
2. A subgroup is estimated in the audit, and from the statistics of a finished one.
3. The whole audit, and one with further measures, subgroups and sanity baselines.
4. Two audits are compared, and the other way round.

Run: python -m benchmarks.fuzz.two_routes [--inputs N] [--first SEED]
Prints each number that differs by more than 1e-9, with the seed that shows it. An input takes about two seconds.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from benchmarks.fuzz.commands import rows_of

import fairbrief
from fairbrief.errors import FairbriefError
from fairbrief.types import Estimate

NUMBERS = ("value", "low", "high", "extract_baseline", "extract_difference", "extract_p")
OF_PERMUTATIONS = ("low", "high")
"""Numbers of unsigned scores that depend on a permutation test, which finished audits lack."""
Key = tuple[str, ...]


def by_name(estimates: Iterable[Estimate], *, is_part: bool = False) -> dict[Key, Estimate]:
    """Estimates on all records, or on subgroups."""
    some = (e for e in estimates if bool(e.subgroup) == is_part)
    return {(e.measure, e.quantity, e.system, e.baseline, str(e.subgroup)): e for e in some}


def differing(
    route: str, one: dict[Key, Estimate], other: dict[Key, Estimate], numbers: Sequence[str]
) -> Iterator[str]:
    """The numbers that the same estimate has in one and not in the other."""
    for key in one.keys() & other.keys():
        for name in numbers:
            if name in OF_PERMUTATIONS and one[key].kind == "unsigned_disparity":
                continue
            a, b = getattr(one[key], name), getattr(other[key], name)
            if (a is None) != (b is None) or (
                a is not None and not math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)
            ):
                yield f"{route}: {' '.join(key)} {name}: {a} and {b}"


def mirrored(e: Estimate) -> Estimate:
    """The difference the other way round."""
    signs = {
        name: getattr(e, name) for name in ("value", "low", "high", "extract_baseline", "extract_difference")
    }
    turned = {name: None if x is None else -x for name, x in signs.items()}
    turned |= {"low": turned["high"], "high": turned["low"]}
    return e.replace(system=e.baseline, baseline=e.system, **turned)


def faults(rng: random.Random) -> Iterator[str]:
    """What differs between two routes on one input. Raises FairbriefError where it cannot be audited."""
    rows = rows_of(rng, systems=2)
    measures = fairbrief.audit(rows, n_resamples=0).result.made["measures"]
    chosen = rng.sample(measures, min(3, len(measures)))
    plan: dict[str, Any] = {"n_resamples": 19, "n_extracts": rng.choice([0, 5])}
    whole = fairbrief.audit(rows, chosen, **plan)
    more: dict[str, Any] = {"sanity_baselines": ("whole_source",), **plan}
    if "attributes" in rows[0]:
        more["by"] = [["kind"]]
        parts = fairbrief.subgroups(whole, "kind")
        audited = by_name(fairbrief.audit(rows, chosen, **more).estimates, is_part=True)
        yield from differing("subgroup", by_name(parts.estimates, is_part=True), audited, NUMBERS)
    wider = fairbrief.audit(rows, measures, **more)
    yield from differing("more", by_name(whole.estimates), by_name(wider.estimates), NUMBERS)
    yield from differing("more", by_name(whole.differences), by_name(wider.differences), NUMBERS[:3])
    plans = [{**plan, "n_extracts": rng.choice([0, 5]), "n_resamples": rng.choice([0, 19])} for _ in range(2)]
    plans[0]["sanity_baselines"] = rng.choice([(), ("whole_source",)])
    alone = [
        fairbrief.audit([row for row in rows if row["system"] == system], chosen, **own)
        for system, own in zip(("s0", "s1"), plans, strict=True)
    ]
    # Without label permutations in one of them, audits are not compared by tests of single records.
    compared = by_name(e for e in fairbrief.compare(*alone) if e.value is not None)
    together = by_name(e for e in whole.differences if (e.system, e.baseline) == ("s0", "s1"))
    yield from differing("compare", compared, together, NUMBERS[:3])
    back = by_name(mirrored(e) for e in fairbrief.compare(*reversed(alone)) if e.value is not None)
    yield from differing("mirrored", compared, back, NUMBERS)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--inputs", type=int, default=100)
    parser.add_argument("--first", type=int, default=0)
    asked = parser.parse_args()
    counts: Counter[str] = Counter()
    for seed in range(asked.first, asked.first + asked.inputs):
        try:
            found = list(faults(random.Random(seed)))
        except FairbriefError:
            counts["not audited"] += 1
            continue
        counts["with a fault" if found else "equal"] += 1
        for text in found:
            print(f"seed {seed}: {text}")
    print(", ".join(f"{many} {what}" for what, many in sorted(counts.items())))
    sys.exit(counts["with a fault"] > 0)


if __name__ == "__main__":
    main()
