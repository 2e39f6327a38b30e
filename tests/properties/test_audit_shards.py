"""An audit is a sum: neither the order of the stream nor how it is cut changes an estimate."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fairbrief.auditing import Plan, audit, run
from fairbrief.reports.frames import Evidence
from fairbrief.reports.result import Result
from fairbrief.types import Case, Document, Record, Summary

WORDS = ("soup", "garden", "waiter", "room", "street", "view", "cold", "warm", "loud", "lovely")


def sentence(rng: random.Random) -> str:
    """A few words of few."""
    return f"The {rng.choice(WORDS)} is {rng.choice(WORDS)} and {rng.choice(WORDS)}."


def cases_of(seed: int, records: int) -> list[Case]:
    """Records of two to five documents with a party and a reference; two systems, some texts empty."""
    rng = random.Random(seed)
    cases = []
    for i in range(records):
        documents = tuple(
            Document(f"{sentence(rng)} {sentence(rng)}", {"party": rng.choice("LR")})
            for _ in range(rng.randint(2, 5))
        )
        record = Record(
            f"r{i}", documents, references=(sentence(rng),), attributes={"size": rng.choice(("small", "large"))},
            original=f"o{i // 2}" if i % 4 > 1 else None,
        )  # fmt: skip
        for system in ("a", "b"):
            text = " ".join(sentence(rng) for _ in range(rng.randint(0, 3)))
            cases.append(
                Case(record, Summary(record.id, system, text, reason="" if text else "empty summary"))
            )
    return cases


def told(result: Result) -> dict[tuple[object, ...], tuple[object, ...]]:
    """Every number that does not come from resampling clusters, whose draws go by the clusters' order."""
    return {
        (e.measure, e.quantity, e.system, e.baseline, tuple(e.slice.items())): (
            e.value, e.n, e.clusters, dict(e.excluded), e.null_mean if not e.baseline else None, e.testable,
        )
        for e in (*result.estimates, *result.differences)
    }  # fmt: skip


def rows_of(result: Result) -> list[str]:
    """The evidence, in an order of its own; floats to twelve digits."""
    rows = Evidence(result.evidence).to_dicts()
    return sorted(
        str(
            {
                k: float(f"{v:.12g}") + 0.0 if isinstance(v, float) else v
                for k, v in sorted(row.items())
                if v is not None
            }
        )
        for row in rows
    )


def assert_alike(ours: Sequence[object], theirs: Sequence[object]) -> None:
    """Equal, numbers to 1e-12."""
    for a, b in zip(ours, theirs, strict=True):
        assert a == (pytest.approx(b, rel=1e-12, abs=1e-12) if isinstance(b, float) else b)


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10_000), batch=st.sampled_from([1, 3, 16]))
def test_a_shuffled_and_recut_stream_gives_the_same_audit(
    seed: int, batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All default measures: values, counts, exclusions and chance levels to 1e-12, the evidence up to order."""
    cases = cases_of(seed, 8)
    plan = Plan(attributes=["party"], slices=[("size",)], n_resamples=20, seed=seed)
    monkeypatch.setattr(run, "SHARD", 256)
    whole = audit(cases, plan)
    # Systems are compared, and columns named, in the order of the stream: its first record stays first.
    rest = cases[2:]
    random.Random(seed).shuffle(rest)
    monkeypatch.setattr(run, "SHARD", batch)
    cut = audit([*cases[:2], *rest], plan)
    ours, theirs = told(cut), told(whole)
    assert ours.keys() == theirs.keys()
    for key, found in ours.items():
        assert_alike(found, theirs[key])
    assert rows_of(cut) == rows_of(whole)
