"""The gate does not pass an audit that says less than it should, whatever is changed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.adversary import CHANGES, World
from tests.cli.command import Command
from tests.unit.test_gate import BUR, cases_of, hold, hold_margin, run

from fairbrief.auditing import Plan, audit
from fairbrief.auditing.differences import Change
from fairbrief.errors import RequestError
from fairbrief.reports import write_all
from fairbrief.saved import gate_rules
from fairbrief.types import Case, Estimate, Summary


def saved(folder: Path, cases: list[Case], *measures: str) -> Path:
    """A saved audit of the cases."""
    write_all(audit(cases, Plan(measures=measures or [BUR, "rouge1"], n_resamples=200)), folder)
    return folder


def two_systems(n: int = 60) -> list[Case]:
    """Cases of two systems, one of which treats a fifth of the records unfairly."""
    return [*cases_of(n, 0, system="good"), *cases_of(n, n // 5, system="bad")]


@pytest.fixture(scope="module")
def baseline(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An audit of two systems and two measures."""
    return saved(tmp_path_factory.mktemp("baseline"), two_systems())


@pytest.mark.parametrize(
    ("kept", "measures", "said", "allowed"),
    [
        (lambda c: c.summary.system == "good" , [BUR, "rouge1"], "the system 'bad'", "bad"),
        (lambda _: True, ["rouge1"], "the measure bur@side", BUR),
        (lambda c: int(c.record.id[1:]) >= 10, [BUR, "rouge1"], r"10 of 60 records \(r0, r1, r2, r3, r4 and 5 more\)", "records"),
    ],
)  # fmt: skip
def test_what_the_baseline_has_is_required(
    tmp_path: Path, baseline: Path, kept: object, measures: list[str], said: str, allowed: str
) -> None:
    """A system, a measure or a sixth of the records that has vanished is refused, unless it is named."""
    assert callable(kept)
    folder = saved(tmp_path / "a", [c for c in two_systems() if kept(c)], *measures)
    with pytest.raises(RequestError, match=said):
        run(folder, "--baseline", baseline, "--margin", 0.5)
    assert run(folder, "--baseline", baseline, "--margin", 0.5, "--allow-missing", allowed)[0] == 0
    with pytest.raises(RequestError, match="it is not missing"):
        run(folder, "--baseline", baseline, "--allow-missing", allowed, "--allow-missing", "other")


def test_records_that_are_no_longer_measured_are_inconclusive(tmp_path: Path) -> None:
    """Records that lost what the baseline measured of them are counted, though they are still there."""
    cases = cases_of(60, 2)
    stripped = [
        replace(c, summary=replace(c.summary, text="elm")) if i < 10 else c for i, c in enumerate(cases)
    ]
    before, after = saved(tmp_path / "before", cases), saved(tmp_path / "after", stripped)
    code, said = run(after, "--baseline", before, "--margin", 0.5)
    assert code == 3
    assert "10 of 60 (16.7%): 10 measured only in the baseline" in said
    assert run(after, "--baseline", before, "--margin", 0.5, "--max-left-out", 0.2)[0] == 0


@pytest.mark.parametrize("reason", ["refused", "empty summary", "no answer"])
def test_summaries_without_a_text_are_counted(tmp_path: Path, reason: str) -> None:
    """Above --max-left-out the outcome is inconclusive; below it is printed."""
    cases = cases_of(100, 0)
    for i in range(8):
        cases[i] = Case(cases[i].record, Summary(f"r{i}", "plain", "", reason=reason))
    folder = saved(tmp_path / "a", cases)
    code, said = run(folder, "--max", f"{BUR}<=0.2")
    assert code == 3
    assert f"8 of 100 (8.0%): 8 {reason}; at most 5.0% are allowed (--max-left-out)" in " ".join(said.split())
    code, said = run(folder, "--max", f"{BUR}<=0.2", "--max-left-out", "0.08")
    assert code == 0
    assert f"8 {reason}" in said


def test_half_an_input_skipped_as_broken_decides_nothing(tmp_path: Path, fairbrief: Command) -> None:
    """Lines that --on-error skip left out count; those that --require leaves out were meant to be."""
    source = tmp_path / "in.jsonl"
    row = '{"id": "%s", "documents": [{"text": "alder %s", "attributes": {"side": "L"}}, '
    row += '{"text": "quartz %s", "attributes": {%s}}], "summary": "alder quartz"}\n'
    whole = "".join(row % (i, i, i, '"side": "R"') for i in range(60))
    source.write_text(whole + "{broken\n" * 60)
    audited = ("audit", source, "--measure", BUR, "--resamples", "50", "--quiet", "--out")
    assert fairbrief(*audited, tmp_path / "a", "--on-error", "skip").code == 0
    run_ = fairbrief("gate", tmp_path / "a", "--max", f"{BUR}<=0.5")
    assert run_.code == 3
    assert "60 of 120 (50.0%): 60 skipped lines" in run_.out
    source.write_text(whole + "".join(row % (f"x{i}", i, i, "") for i in range(60)))
    assert fairbrief(*audited, tmp_path / "b", "--require", "side").code == 0
    assert fairbrief("gate", tmp_path / "b", "--max", f"{BUR}<=0.5").code == 0


def test_a_limit_may_name_a_system_that_must_be_there(baseline: Path) -> None:
    """MEASURE{SYSTEM} holds that system alone, and is refused where it is not in the audit."""
    assert run(baseline, "--max", f"{BUR}{{good}}<=0.1")[0] == 0
    code, said = run(baseline, "--max", f"{BUR} {{bad}} <= 0.05")
    assert code == 1
    assert "good" not in said
    with pytest.raises(RequestError, match=r"no system 'god' .* Did you mean 'good'"):
        run(baseline, "--max", f"{BUR}{{god}}<=0.1")


@given(st.text(alphabet="bur@side<>=.{}:()'0123456789e -", max_size=30))
def test_any_text_is_a_rule_or_refused(text: str) -> None:
    """No text breaks the reading of rules, and a rule that was read is read back alike."""
    try:
        found = gate_rules.rule(text)
    except RequestError:
        return
    assert gate_rules.rule(str(found)).limit == float(f"{found.limit:g}")


NAN = float("nan")


@pytest.mark.parametrize(
    ("value", "low", "high"), [(NAN, 0.1, 0.2), (0.1, NAN, 0.2), (0.1, 0.1, NAN), (NAN, NAN, NAN)]
)
@pytest.mark.parametrize("rule", ["m<=1e300", "m>=-1e300"])
def test_nan_never_passes(value: float, low: float, high: float, rule: str) -> None:
    """An estimate that is not a number keeps no limit, however wide."""
    estimate = Estimate("m", "m", "a", value, low=low, high=high, n=50, clusters=50)
    (check,) = hold(rule, [estimate])
    assert check.outcome == "inconclusive"
    gap = estimate.replace(baseline="b")
    for change in (Change(gap), Change(gap, is_contrast=True, now=value, before=0.1, low=low, high=high)):
        (check,) = hold_margin([change], 0.5, {"m": "less"})
        assert check.outcome == "inconclusive"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """Audits that are made once."""
    return World(tmp_path_factory.mktemp("world"), sizes=(8,), shifts=1)


@pytest.mark.parametrize("name", CHANGES)
def test_the_gate_is_not_fooled(world: World, name: str) -> None:
    """A harmful change never passes and is named; a harmless one changes nothing; `benchmarks.adversary` tries many more."""
    rng = Random(name)
    for _ in range(2):
        tried = CHANGES[name](world, rng)
        assert not tried.fault(*tried.answer())
        if tried.audit.parent == world.folder and not tried.audit.name.startswith("copy"):
            break  # no copy was changed: another try is an audit like this one
