"""The gate: outcomes, exit codes, JUnit and Markdown; and it passes no audit that says less than it should."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.adversary import CHANGES, World
from tests.cli.command import Command, ended
from tests.sample_cases import documents_of

from fairbrief.auditing import Plan, audit
from fairbrief.auditing.differences import Change
from fairbrief.errors import RequestError
from fairbrief.reports.audit_folder import load, write_all
from fairbrief.saved import gate, gate_rules
from fairbrief.saved.compare import compare
from fairbrief.types import Case, Document, Estimate, Record, Summary

BUR = "bur@side"
EVEN, LEAN = "alder quartz", "alder alder alder"


def cases_of(n: int, unfair: int, *, system: str = "plain") -> list[Case]:
    """``n`` records of two sides, of which the first ``unfair`` have a one-sided summary."""
    cases = []
    for i in range(n):
        record = Record(f"r{i}", documents_of("LR", (f"alder r{i}", f"quartz r{i}")), (EVEN,))
        cases.append(Case(record, Summary(record.id, system, LEAN if i < unfair else EVEN)))
    return cases


def written(folder: Path, cases: list[Case], *measures: str) -> Path:
    """A saved audit of the cases."""
    write_all(audit(cases, Plan(measures=measures or [BUR, "rouge1"], n_resamples=200)), folder)
    return folder


Saved = Callable[..., Path]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Saved:
    """Saved audits of such cases, each written once."""

    @cache
    def folder(n: int, unfair: int) -> Path:
        place = tmp_path_factory.mktemp("audit") / f"{n} records, {unfair} unfair"
        return written(place, cases_of(n, unfair))

    return folder


def lopsided(folder: Path, left: int, right: int) -> Path:
    """A saved audit of 60 summaries with so many words of the left and of the right side; sources have six of each, and the
    record's id.
    """
    texts = [" ".join(f"{word}{k}." for k in range(6)) for word in ("alder", "quartz")]
    cases = []
    for i in range(60):
        documents = documents_of("LR", [f"{text} r{i}." for text in texts])
        words = [*texts[0].split()[: left + i % 2], *texts[1].split()[:right]]
        cases.append(Case(Record(f"r{i}", documents), Summary(f"r{i}", "plain", " ".join(words))))
    return written(folder, cases, "uer@side")


run = partial(ended, "gate")
"""Exit code and output of ``fairbrief gate``."""


def hold(rule: str, estimates: Sequence[Estimate], level: float = 0.95) -> list[gate_rules.Check]:
    """The checks of one limit on estimates whose intervals have this level."""
    return gate.decided(gate.of_limit(gate_rules.rule(rule), estimates), level)


def hold_margin(changes: Sequence[Change], margin: float) -> list[gate_rules.Check]:
    """The checks of differences against a baseline."""
    return gate.decided(gate.of_margin(changes, margin))


def test_unsigned_scores_of_two_systems_are_not_compared(saved: Saved) -> None:
    """Their differences have no p, and a gate that has nothing else to compare says so instead of passing."""
    new, old = (load(saved(60, unfair)) for unfair in (30, 0))
    found = {e.quantity: e for e in compare(new, old) if e.measure == BUR}
    for e in (found["bur"], found["chance_adjusted"]):
        assert (e.is_primary, e.p, [note.code for note in e.notes]) == (False, None, ["raw_magnitude"])
    assert (found["bur"].value, found["chance_adjusted"].value) == (0.5, 0)
    said = r"nothing to compare with the baseline: unsigned scores \(bur@side\)"
    with pytest.raises(RequestError, match=said):
        gate.gate(new, baseline=old, margin=0.1, measures=[BUR])


def test_an_audit_whose_judges_were_checked_can_be_a_baseline(tmp_path: Path) -> None:
    """Instruments are read on sources that no system wrote: they compare no systems, and stop no comparison."""
    texts = ("She was glad of the fine prize.", "He was glad of the fine prize.")
    records = [Record(f"r{i}", (Document(f"{texts[i % 2]} It was {i}."),)) for i in range(40)]
    cases = [Case(r, Summary(r.id, "plain", texts[i % 2])) for i, r in enumerate(records)]
    result = audit(cases, Plan(measures=["sentiment_shift"], n_resamples=50))
    assert any(e.measure.startswith("scorer_bias_sentiment") for e in result.estimates)
    for name in ("a", "b"):
        write_all(result, tmp_path / name)
    compared = {(e.measure, e.system) for e in compare(result, result)}
    assert compared == {("sentiment_shift", "candidate: plain")}
    code, told = run(tmp_path / "a", "--baseline", tmp_path / "b", "--margin", "1")
    assert code == 0, told


def test_junit_and_markdown_tell_every_check(saved: Saved, tmp_path: Path) -> None:
    """The XML parses: a failure, a skip and a pass; the Markdown has a row for each."""
    folder = saved(200, 60)
    junit, markdown = tmp_path / "gate.xml", tmp_path / "gate.md"
    rules = ("--max", f"{BUR}<=0.1", "--max", f"{BUR}<=0.3", "--max", f"{BUR}<=0.6")
    assert run(folder, *rules, "--junit", junit, "--markdown", markdown)[0] == 1
    assert 'tests="3" failures="1" errors="0" skipped="1"' in " ".join(
        junit.read_text(encoding="utf-8").split()
    )
    rows = [line for line in markdown.read_text(encoding="utf-8").splitlines() if "bur" in line]
    assert len(rows) == 3
    assert "fail" in markdown.read_text(encoding="utf-8").splitlines()[0]


def test_measures_limit_what_is_compared_with_the_baseline(saved: Saved, tmp_path: Path) -> None:
    """Only the named measure is held to the margin; others need not be there."""
    less, both = written(tmp_path / "less", cases_of(60, 2), "rouge1"), saved(60, 2)
    assert run(less, "--baseline", both, "--measure", "rouge1", "--margin", 0.1)[0] == 0
    with pytest.raises(RequestError, match=r"--measure bur@side: the audit does not have this measure"):
        run(less, "--baseline", both, "--measure", BUR)


def test_a_check_against_a_baseline_says_what_was_compared_with_what(saved: Saved, tmp_path: Path) -> None:
    """Quantity, the two systems and which of them is the baseline's, and the records stand in the check."""
    before, after = lopsided(tmp_path / "before", 4, 2), lopsided(tmp_path / "after", 5, 1)
    (of_uer, *_) = gate.gate(after, baseline=before, margin=0.01)
    assert of_uer.name == (
        "uer@side:difference[L] [plain] at most 0.01 further from random sentences than in the baseline"
    )
    assert re.match(r"\+0\.3\d+ from random sentences, \+0\.1\d+ in the baseline audit; ", of_uer.message)
    assert re.search(
        r": distance changed by \+0\.1\d+, interval .*on 60 records that count for both", of_uer.message
    )
    good, bad = (saved(40, unfair) for unfair in (2, 30))
    messages = {check.name: check.message for check in gate.gate(bad, baseline=good, margin=0.01)}
    (level,) = messages.values()
    assert ": changed by " in level
    told = " ".join(ended("compare", after, before)[1].split())
    assert "Differences: after minus before" in told
    assert "after: plain − before: plain" in told
    assert "compared after subtracting each system's random-sentence baseline" in told


TWO_SYSTEMS = [*cases_of(60, 0, system="good"), *cases_of(60, 12, system="bad")]


@pytest.fixture(scope="module")
def baseline(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An audit of two systems and two measures."""
    return written(tmp_path_factory.mktemp("baseline"), TWO_SYSTEMS)


@pytest.mark.parametrize(("kept", "measures", "said", "allowed"), [
    (lambda c: c.summary.system == "good" , [BUR, "rouge1"], "the system 'bad'", "bad"),
    (lambda _: True, ["rouge1"], "the measure bur@side", BUR),
    (lambda c: int(c.record.id[1:]) >= 10, [BUR, "rouge1"], r"10 of 60 records \(r0, r1, r2, r3, r4 and 5 more\)\. Audit them, too", "records"),
])  # fmt: skip
def test_what_the_baseline_has_is_required(
    tmp_path: Path, baseline: Path, kept: Callable[[Case], bool], measures: list[str], said: str, allowed: str
) -> None:
    """A system, a measure or a sixth of the records that has vanished is refused, unless it is named."""
    folder = written(tmp_path / "a", [*filter(kept, TWO_SYSTEMS)], *measures)
    with pytest.raises(RequestError, match=said):
        run(folder, "--baseline", baseline, "--margin", 0.5)
    assert run(folder, "--baseline", baseline, "--margin", 0.5, "--allow-missing", allowed)[0] == 0
    with pytest.raises(RequestError, match="it is not missing"):
        run(folder, "--baseline", baseline, "--allow-missing", allowed, "--allow-missing", "other")


def test_records_that_are_no_longer_measured_are_inconclusive(tmp_path: Path) -> None:
    """Records that lost what the baseline measured of them are counted, though they are still there."""
    cases = cases_of(60, 2)
    stripped = [replace(c, summary=replace(c.summary, text="elm")) for c in cases[:10]] + cases[10:]
    before, after = written(tmp_path / "before", cases), written(tmp_path / "after", stripped)
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
    folder = written(tmp_path / "a", cases)
    code, said = run(folder, "--max", f"{BUR}<=0.2")
    assert code == 3
    assert f"8 of 100 (8.0%): 8 {reason}; at most 5.0% are allowed (--max-left-out)" in " ".join(said.split())
    code, said = run(folder, "--max", f"{BUR}<=0.2", "--max-left-out", "0.08")
    assert code == 0
    assert f"8 {reason}" in said


def test_half_an_input_skipped_as_broken_decides_nothing(tmp_path: Path, fairbrief: Command) -> None:
    """Lines that --on-error skip left out count; rows that the user excludes by an option do not."""
    source = tmp_path / "in.jsonl"
    row = '{"id": "%s", "documents": [{"text": "alder %s", "attributes": {"side": "L"}}, '
    row += '{"text": "quartz %s", "attributes": {%s}}], "summary": "alder quartz"}\n'
    whole = "".join(row % (i, i, i, '"side": "R"') for i in range(60))
    source.write_text(whole + "{broken\n" * 60)
    audited = ("audit", source, "--measure", BUR, "--resamples", "50", "--out")
    assert fairbrief(*audited, tmp_path / "a", "--on-error", "skip").code == 0
    run_ = fairbrief("gate", tmp_path / "a", "--max", f"{BUR}<=0.5")
    assert run_.code == 3
    assert "60 of 120 (50.0%): 60 skipped lines" in run_.out
    unlabelled = row.replace('"side": "L"', "")
    source.write_text(whole + "".join(unlabelled % (f"x{i}", i, i, "") for i in range(60)))
    for option, more in (("--require", "side"), ("--missing drop", "--attribute side")):
        out = tmp_path / more
        assert f"60 rows excluded by {option}." in fairbrief(*audited, out, *f"{option} {more}".split()).out
        assert fairbrief("gate", out, "--max", f"{BUR}<=0.5").code == 0


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
        (check,) = hold_margin([change], 0.5)
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
