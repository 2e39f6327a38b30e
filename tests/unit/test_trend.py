"""``fairbrief trend``: drifts, changed inputs, releases, limits, refusals; and the arithmetic of its evidence."""

import json
import re
from collections.abc import Iterable
from math import inf, log, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.cli.command import ended
from tests.sample_nights import GROUPS, SIGNATURE, SPEC, night

import fairbrief
from fairbrief.errors import FairbriefError
from fairbrief.reports.audit_folder import SOURCES, opened
from fairbrief.statistics import sequential

FLOOR = f"{SPEC}:relative_difference[cross]-random>="


def run(folders: Iterable[Path], *options: object) -> tuple[int, str]:
    """Exit code and output of ``fairbrief trend``, or the message of its error; spaces are single."""
    try:
        code, output = ended("trend", *folders, *options)
    except FairbriefError as error:
        return 2, str(error)
    return code, " ".join(output.split())


def nights(
    folder: Path, many: int = 60, since: int = 45, shift: float = 0.0, before: float = 0.0, **later: object
) -> list[Path]:
    """Saved nights; from ``since`` on with another shift than ``before`` and other settings."""
    return [night(folder, i, shift, **later) if i >= since else night(folder, i, before) for i in range(many)]


# ------------------------------------------------------------------------------------------- evidence


def test_the_evidence_is_the_published_bayes_factor() -> None:
    """ν = 10, t = 3, r = 1/4: ½ ln ¼ + 5.5 ln((1 + 0.9) / (1 + 0.225)) = −0.693147 + 5.5 · 0.438913 = 1.720873."""
    assert sequential.log_evidence(3.0, 10, 0.25) == pytest.approx(1.720873, abs=2e-6)


def test_the_evidence_becomes_robbins_mixture() -> None:
    """With r = 1/5 and t = 4: ½ ln 0.2 + ½ · 0.8 · 16 = 5.595281; at L = 3, t = √((6 + 1.609438) / 0.8) = 3.084120."""
    assert sequential.log_evidence(4.0, 1e9, 0.2) == pytest.approx(5.595281, abs=1e-6)
    assert float(sequential.boundary(3, 1e9, 0.2)) == pytest.approx(3.084120, abs=1e-6)


def test_the_boundary_is_where_the_evidence_reaches_the_limit() -> None:
    """Few nights and a vague mean give no boundary: evidence is at most −(ν/2) ln r, which is 0.69 for ν = 2, r = ½."""
    t = float(sequential.boundary(4, 30, 0.1))
    assert sequential.log_evidence(t, 30, 0.1) == pytest.approx(4)
    assert sequential.boundary(0.7, 2, 0.5) == inf
    assert sequential.boundary(0.69, 2, 0.5) < inf


def test_alpha_is_divided_by_nights_and_series() -> None:
    """Six series at 5 %: ln(6 · 365 / 0.05) = ln 43800."""
    assert sequential.log_limit(0.05, 6) == pytest.approx(log(43800))


@pytest.mark.parametrize(("error", "variance"), [(0.0, 2.0), (2.0, 4.0)])
def test_a_scan_by_hand(error: float, variance: float) -> None:
    """Nights 0 and 2, then 5: mean 1 before, change 4, scatter 2 with one degree of freedom, or the larger squared error 4.

    The residuals −1 and 1 have ρ₁ = −½, so the factor is 1, times 1 + √(32 / 6) = 3.309401. v = (1 + ½) · 3.309401 = 4.964102, and
    r = 4.964102 / 5.964102 = 0.832330.
    """
    found = sequential.scan(np.array([0.0, 2, 5]), np.ones(3), np.full(3, error), 2)
    assert (found.before[0, 0], found.change[0, 0], found.freedom[0, 0]) == (1, 4, 1)
    assert found.error[0, 0] == pytest.approx(sqrt(variance * 4.964102), abs=1e-6)
    assert found.ratio[0, 0] == pytest.approx(0.832330, abs=1e-6)


def test_common_records_correlate_nights() -> None:
    """Nights 1 and 2 of four records share three, nights 0 and 2 one: the mean of nights 0 and 1 and that of night 2 have the variance
    ½ + 1 − 2 · (¼ + ¾) / 2 = ½. If all share all, it is 0; and dependence, the larger of the two, decides.
    """
    common = np.array([[4.0, 0, 1], [0, 4, 3], [1, 3, 4]])
    weights, w0, w1 = np.ones(3), np.array([[2.0]]), np.array([[1.0]])
    found = [
        sequential._with_common_records(weights, of, 2, w0, w1)[0, 0] for of in (common, np.ones((3, 3)))
    ]
    assert found == pytest.approx([0.5, 0])
    alone = sequential.scan(np.array([0.0, 2, 5]), weights, weights, 2)
    assert sequential.scan(np.array([0.0, 2, 5]), weights, weights, 2, common=common).error == alone.error


def test_dependence_is_bartletts_sum() -> None:
    """Residuals 1, 1, −1, −1: ρ = ¼, −½, −¼; 1 + 2 (⅞ · ¼ − ¾ · ½ − ⅝ · ¼) < 1, so 1, times 1 + √(32 / 12).

    Residuals of two blocks of 20: the products of lag k sum to 40 − 3k, so 1 + 2 Σ (1 − k/8)(1 − 3k/40) = 6.425.
    """
    short = sequential.dependence(np.array([1.0, 1, -1, -1]), np.ones(4), np.array([4]))
    assert short[0] == pytest.approx(1 + sqrt(32 / 12))
    blocks = np.repeat([1.0, -1], 20)
    expected = 1 + 2 * sum((1 - k / 8) * (1 - 3 * k / 40) for k in range(1, 8))
    found = sequential.dependence(blocks, np.ones(40), np.array([40]))[0]
    assert found == pytest.approx(expected * (1 + sqrt(32 / 120)))


def test_a_missing_night_changes_nothing() -> None:
    """A night with weight 0 is skipped, whatever its value."""
    values = np.random.default_rng(0).normal(size=40)
    with_gap = np.insert(values, 10, np.nan)
    weights = np.insert(np.ones(40), 10, 0.0)
    plain = sequential.scan(values, np.ones(40), np.zeros(40), 20)
    found = sequential.scan(with_gap, weights, np.zeros(41), 21)
    assert found.change == pytest.approx(plain.change, nan_ok=True)
    assert found.freedom == pytest.approx(plain.freedom)
    size = sequential.detectable(np.append(values, np.nan), np.append(np.ones(40), 0), np.zeros(41), 7, 10)
    assert size == pytest.approx(sequential.detectable(values, np.ones(40), np.zeros(40), 7, 10))


# -------------------------------------------------------------------------------------------- answers


OTHER = SIGNATURE.replace("abc", "def").replace("0.1.0", "0.2.0")
OTHER_VERSION = {"signature": OTHER, "made": {"version": "0.2.0"}}
INPUTS = r"Share of documents with tone cross: from 0\.5"
ANSWERS: dict[str, tuple[dict[str, Any], int, list[str]]] = {
    "no drift": ({}, 0, [
        r"No drift of a group difference was detected \(2 series, 32 nights after 28 reference nights\)\.", "INPUTS No change was detected",
    ]),
    "a drift after a new prompt": ({"shift": -0.15, "prompt": "v2"}, 1, [
        r"Tone cross, writer .*: from −\S+ to −1\d% \[.*\], further from 0, since about 2026-02-1[3-7]",
        "No change in the inputs was detected", r"writer: prompt changed from v1 to v2 at 2026-02-15\.",
    ]),
    "a drift, and other inputs": ({"shift": -0.15, "cross": 0.3}, 3, [INPUTS, "The inputs changed, too"]),
    "other inputs": ({"cross": 0.3}, 0, [INPUTS]),
    "a group that vanished": ({"groups": GROUPS[:1]}, 3, ["The last night has no value of tone cross, writer"]),
    "the reference alone": ({"many": 10}, 3, [r"Nothing is compared yet: all 10 nights are the reference\."]),
    "a drift towards zero": ({"since": 40, "before": -0.2}, 0, ["closer to 0"]),
    "a new system": ({"many": 41, "since": 40, "system": "other"}, 3, ["Not compared, .*: tone calm, other"]),
    "an update of Fairbrief": (OTHER_VERSION, 0, [r"Fairbrief: version changed from 0\.1\.0 to 0\.2\.0"]),
}  # fmt: skip
"""What happens at night 45 of 60 → settings of `nights`, exit code, and sentences."""


@pytest.mark.parametrize("name", ANSWERS)
def test_what_happens_is_named_and_dated(name: str, tmp_path: Path) -> None:
    """A drift of 15 points fails, an improvement does not; other inputs make it inconclusive; a group or a comparison that is missing
    is told, and so is a system that the reference lacks.
    """
    settings, code, sentences = ANSWERS[name]
    found, output = run(nights(tmp_path, **settings))
    assert found == code, output
    for sentence in sentences:
        assert re.search(sentence, output), (sentence, output)
    assert name != "a drift after a new prompt" or "calm" not in output


def test_that_no_drift_can_be_detected_yet_is_a_caution(tmp_path: Path) -> None:
    """However large it is; later it is not."""
    folders = [night(tmp_path, i, -2.0 * (i > 6)) for i in range(40)]
    for many, is_early in ((8, True), (40, False)):
        _, output = run(folders[:many], "--reference", 7)
        assert ("No drift can be detected yet" in output) == is_early


def test_a_baseline_replaces_the_first_nights(tmp_path: Path) -> None:
    """Nights of an accepted release are the reference of later ones, wherever they are in time."""
    before = [night(tmp_path / "release", i) for i in range(28)]
    later = [night(tmp_path / "nightly", 100 + i, -0.15) for i in range(20)]
    code, output = run(later, *(option for folder in before for option in ("--baseline", folder)))
    assert (code, output) == run([tmp_path / "nightly"], "--baseline", tmp_path / "release")
    assert code == 1
    folders = str(tmp_path / "nightly"), str(tmp_path / "release")
    assert fairbrief.trend(folders[0], baseline=folders[1]).outcome == "fail"
    assert "since about 2026-04-1" in output


def test_nights_of_nearly_the_same_records_raise_no_alarm(tmp_path: Path) -> None:
    """If nine of ten records return each night, a drift of 15 points is no evidence; with new records it is. Both are said."""
    for step, code in ((40, 1), (4, 0)):
        folders = nights(tmp_path / str(step), shift=-0.15)
        for i, folder in enumerate(folders):
            ids = pa.array(range(step * i, step * i + 40), pa.int64())
            table = pa.table({"record": ids, "documents": ids})
            of_audit = {"audit": opened(folder)[0].audit}
            pq.write_table(table.replace_schema_metadata(of_audit), folder / SOURCES)
        found, output = run(folders)
        assert found == code, output
        assert ("Nights share 90% of their records with the night before" in output) == (step == 4)


@pytest.mark.parametrize(("limit", "code"), [(-0.05, 1), (-0.3, 0)])
def test_a_limit_is_held_over_all_nights(tmp_path: Path, limit: float, code: int) -> None:
    """Group `cross` is 15 points below random sentences from the first night on: no drift, but below a limit of 5 points."""
    folders = [night(tmp_path, i, -0.15) for i in range(60)]
    found, output = run(folders, "--min", f"{FLOOR}{limit}")
    assert found == code, output
    assert ("beyond its limit" in output) == (code == 1)


def test_versions_in_attributes_of_records_are_releases(tmp_path: Path) -> None:
    """A record's prompt version describes the system: it is a release, and no input."""
    profile = {"records": 40, "documents": 80, "characters": 800, "summaries": 40, "summary_characters": 400}
    folders = []
    for i in range(60):
        versions = {"prompt_version": {"a" if i < 40 else "b": 40}}
        folders.append(night(tmp_path, i, made={"inputs": {"writer": {**profile, "record": versions}}}))
    code, output = run(folders)
    assert code == 0
    assert "prompt_version changed from a to b at 2026-02-10" in output
    assert "No change was detected in 4 numbers" in output


# ---------------------------------------------------------------------------------- order and refusals


def test_nights_are_ordered_by_their_time(tmp_path: Path) -> None:
    """Folders in any order give the same answer; --order given keeps theirs."""
    folders = nights(tmp_path, shift=-0.15)
    code, output = run(reversed(folders))
    assert (code, output) == run(folders)
    assert run(reversed(folders), "--order", "given") != (code, output)


def test_an_audit_without_its_time_needs_an_order(tmp_path: Path) -> None:
    """The error names the folder, and its advice works."""
    folders = nights(tmp_path, 40, 30, made={"ended": ""})
    code, message = run(folders)
    assert code == 2
    assert str(folders[30]) in message
    assert run(folders, "--order", "given")[0] == 0


@pytest.mark.parametrize(("changed", "message"), [
    ({"made": {"measures": [SPEC, "bur@tone"]}}, "settings differ .*measures: bur@tone.*, before"),
    ({"signature": SIGNATURE.replace("seed:0", "seed:1")}, "its settings differ .*seed is 1, before 0"),
    ({"made": {"language": "German"}}, "language: German, before none"),
    ({"made": {"inputs": {"writer": {"records": 0, "documents": 3}}}}, ""),
])  # fmt: skip
def test_audits_that_differ_are_refused(tmp_path: Path, changed: dict[str, object], message: str) -> None:
    """The message names the folder and the difference; so it does where the description of the inputs is damaged."""
    folders = nights(tmp_path, 31, 30, **changed)
    code, output = run(folders)
    assert code == 2
    assert output.startswith(f"{folders[30]}: ")
    assert re.search(message, output)


def test_without_group_differences_nothing_is_compared(tmp_path: Path) -> None:
    """Nights whose group differences have no interval (``--resamples 0``), or that have none, do not pass."""
    for folders in ([night(tmp_path / "none", i, groups=()) for i in range(31)],
                    [night(tmp_path / "nan", i, error=float("nan")) for i in range(31)]):  # fmt: skip
        code, output = run(folders)
        assert code == 3
        assert "Nothing is compared: no reference night has a group difference with an interval." in output


# ----------------------------------------------------------------------------------------------- files


def test_files_escape_texts_and_agree(tmp_path: Path) -> None:
    """A system's name cannot write HTML or Markdown; JSON has the outcome and each series; Python returns the same."""
    hostile = "<script>x</script>|a"
    folders = [night(tmp_path / "nights", i, system=hostile) for i in range(40)]
    page, text, feed = (tmp_path / name for name in ("trend.html", "trend.md", "trend.json"))
    code, _ = run(folders, "--out", page, "--markdown", text, "--json", feed)
    assert "<script>x" not in page.read_text() + text.read_text()
    assert "Each value is the difference from random sentences" in text.read_text()
    found = json.loads(feed.read_text())
    assert found["schema"] == "fairbrief.trend/1"
    assert (found["outcome"], code) == ("pass", 0)
    of = {s["title"]: s for s in found["trend"]["series"] if s["kind"] == "contrast"}
    assert len(of) == 2
    assert all(len(s["values"]) == 40 for s in of.values())
    assert fairbrief.trend(folders).outcome == "pass"
