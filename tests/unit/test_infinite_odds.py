"""Published odds may be infinite: that is the value, in every output, and not an undefined one."""

import json
import math
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import pytest
from tests.sample_cases import of
from tests.sample_results import printed
from tests.unit.test_gate import hold

from fairbrief import readers
from fairbrief.auditing import Plan, audit
from fairbrief.protocols.published_results import decimal
from fairbrief.reports import audit_folder, exports, plot
from fairbrief.reports.result import Result
from fairbrief.saved.ranking import overall
from fairbrief.saved.saved_values import Resampling

PUBLISHED, CORRECTED = "entity_inclusion(odds=published)@gender", "entity_inclusion@gender"
SYSTEMS = {
    "women": ["Mary Alder sang."],
    "mixed": ["Mary Alder sang.", "Mary Alder sang. John Birch ran.", "Mary Alder sang.", "John Birch ran."],
    "everybody": ["Mary Alder sang. John Birch ran."],
    "nobody": ["They left."],
}


def audited(systems: Mapping[str, Sequence[str]], *measures: str) -> Result:
    """An audit of 24 texts about a woman and a man, whose summaries are in turn those that each system says."""
    people = [
        {"id": "f", "first_name": "Mary", "last_name": "Alder", "attributes": {"gender": "female"}},
        {"id": "m", "first_name": "John", "last_name": "Birch", "attributes": {"gender": "male"}},
    ]
    text = "Mary Alder sang. John Birch ran. They left."
    rows = [
        {"id": f"r{i}", "documents": [{"text": text}], "entities": people, "system": system, "summary": said[i % len(said)]}
        for i in range(24)
        for system, said in systems.items()
    ]  # fmt: skip
    plan = Plan(measures=measures or [PUBLISHED], n_resamples=200, intervals="bootstrap")
    return audit(readers.read(rows), plan)


@pytest.fixture(scope="module")
def result() -> Result:
    """``women`` names all 24 women and no man, ``mixed`` 18 women and 12 men."""
    return audited(SYSTEMS, PUBLISHED, CORRECTED)


published = partial(of, measure=PUBLISHED)


def test_odds_of_a_share_of_one_are_infinite_and_of_two_undefined(result: Result) -> None:
    """Steen & Markert's Eq. 2, max odds ratio − 1, with odds p / (1 − p).

    mixed: women 18 of 24, odds 0.75 / 0.25 = 3, men 12 of 24, odds 1: 3 / 1 − 1 = 2, and the log of the ratio is ln 3.
    women: women 24 of 24, odds 1 / 0 = ∞, men 0 of 24, odds 0: ∞. everybody: ∞ / ∞, and nobody: 0 / 0, undefined.
    With half a person more (recommended) women has 24.5 / 0.5 = 49 against 0.5 / 24.5: 49² − 1 = 2,400.
    """
    read = {system: published(result, "entity_inclusion", system).value for system in SYSTEMS}
    assert read == {"mixed": pytest.approx(2), "women": math.inf, "everybody": None, "nobody": None}
    assert published(result, "log_odds[female/male]", "mixed").value == pytest.approx(math.log(3))
    infinite = published(result, "log_odds[female/male]", "women")
    assert (infinite.value, infinite.low, infinite.high) == (math.inf,) * 3
    assert [note.code for note in infinite.notes] == ["infinite", "few_people"]
    assert infinite.p is None
    assert of(result, "entity_inclusion", "women", measure=CORRECTED).value == pytest.approx(49**2 - 1)


def test_a_difference_from_infinite_odds_is_infinite_and_of_two_undefined(result: Result) -> None:
    """Ln 3 − ∞ = −∞; ∞ − ∞ is undefined, and says why."""
    assert published(result, "log_odds[female/male]", "mixed", "women").value == -math.inf
    again = {"women": SYSTEMS["women"], "again": SYSTEMS["women"]}
    same = of(audited(again), "log_odds[female/male]", "again", "women")
    assert (same.value, [note.arguments for note in same.notes]) == (None, [{"reason": "both are infinite"}])


def test_every_output_has_the_infinite_value(result: Result, tmp_path: Path) -> None:
    """Terminal, page, Markdown, CSV, LaTeX and JSON; what was written is read back."""
    assert "∞" in printed(result, 100, details=True)
    audit_folder.write_all(result, tmp_path)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "∞" in page
    assert "nan" not in page.lower().replace("finance", "")
    assert "∞" in (tmp_path / "report.md").read_text(encoding="utf-8")
    assert r"$\infty$" in exports.latex(result)
    json.loads((tmp_path / "results.json").read_text(encoding="utf-8"), parse_constant=pytest.fail)
    assert tuple(audit_folder.load(tmp_path).estimates) == tuple(result.estimates)
    assert decimal(published(result, "entity_inclusion", "women").value, 2) == "∞"


def test_a_gate_holds_infinite_values_to_its_limits(result: Result) -> None:
    """∞ breaks any upper limit and keeps any lower one; among several checks, too, where all of its interval is infinite."""
    several = [e for e in result.estimates if e.system in ("women", "mixed")]
    asked = f"{PUBLISHED}:log_odds[female/male]"
    told = {c.name.rpartition("[")[2]: c.outcome for c in hold(f"{asked}<=5", several)}
    assert told == {"women]": "fail", "mixed]": "pass"}
    told = {c.name.rpartition("[")[2]: c.outcome for c in hold(f"{asked}>=5", several)}
    assert told == {"women]": "pass", "mixed]": "fail"}
    half = published(result, "log_odds[female/male]", "women").replace(low=6.0)
    (alone,) = hold(f"{asked}<=5", [half])
    assert alone.outcome == "fail"
    among = hold(f"{asked}<=5", [half, published(result, "log_odds[female/male]", "mixed")])
    assert among[0].outcome == "inconclusive"


def test_the_order_of_systems_shows_an_infinite_value_and_leaves_its_data_set_out_of_the_mean(
    result: Result,
) -> None:
    """Of systems named in an audit that also checked its scorers."""
    (order,) = overall({"set": result}, ["women", "mixed"], Resampling(0))
    assert order.values == ((pytest.approx(math.log(3)), math.inf),)
    assert [place.value for place in order.overall] == [None, None]


def test_pictures_end_in_an_arrow_where_a_value_is_infinite() -> None:
    """The axis holds the finite values; an arrow at its end points to what is beyond."""
    intervals = ((0.5, 2.0), (1.0, math.inf), (None, None))
    marks = [mark for ends in intervals for mark in plot.interval(*ends, plot.INK)]
    marks += [plot.dot(value, 0.5, plot.INK) for value in (1.0, -math.inf)]
    svg = plot.drawn("", plot.Axis(0.5, 2.0), plot.Axis(0, 3), marks)
    assert svg.count("<polygon") == 2
    assert svg.count("<circle") == 1
    assert "nan" not in svg
    assert "inf" not in svg
