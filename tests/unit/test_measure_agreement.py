"""Two measures of one audit held against each other: their order of summaries, and how far each changes."""

from __future__ import annotations

import pytest

from fairbrief.auditing import Plan, audit
from fairbrief.errors import RequestError
from fairbrief.reports.result import Result
from fairbrief.saved.saved_values import Resampling, in_common, saved_values, specs_in
from fairbrief.saved.scorer_agreement import change_comparisons, correlations
from fairbrief.types import Case, Document, Record, Summary

MEASURES = ("uer@side", "sof@side")
DOCUMENTS = (Document("a b", {"side": "l"}), Document("c d", {"side": "r"}))


def made(
    measures: tuple[str, ...] = MEASURES, *, fair: str = "{} {}", sanity_baselines: tuple[str, ...] = ()
) -> Result:
    """Four records, of which one system repeats the left and another both sides."""
    cases = []
    for i, (left, right) in enumerate((("a b", "c d"), ("e f", "g h"), ("i j", "k l"), ("m n o", "p q"))):
        record = Record(str(i), (Document(left, {"side": "l"}), Document(right, {"side": "r"})))
        cases.append(Case(record, Summary(str(i), "plain", left + (" " + right[0]) * (i % 3))))
        cases.append(Case(record, Summary(str(i), "fair", fair.format(left, right))))
    return audit(cases, Plan(measures=measures, n_resamples=0, sanity_baselines=sanity_baselines))


def test_two_measures_are_correlated_by_system_and_over_all() -> None:
    """UER and AUC rise together here; each system has its own ρ beside that over all summaries."""
    (found,) = correlations(
        [made(("uer@side", "auc@side"))], ["uer@side", "auc@side"], resampling=Resampling(0)
    )
    assert {found.first, found.second} == {"uer@side", "auc@side"}
    assert found.records.value is not None
    assert found.records.value > 0.9
    assert [(system, n) for system, _, n in found.of_system] == [("fair", 4), ("plain", 4)]


def test_relative_changes_of_two_measures_are_subtracted() -> None:
    """A difference is the first measure's relative change minus the second's, on the records of both systems."""
    result = made()
    (found,) = change_comparisons([result], "plain", "fair", MEASURES, resampling=Resampling(50))
    read = {
        (e.system, e.quantity): e.value
        for e in result.estimates
        if e.quantity in ("uer", "sof") and not e.baseline
    }
    changes = [
        (read["plain", name] - read["fair", name]) / read["plain", name]  # type: ignore[operator]
        for name in ("uer", "sof")
    ]
    assert [c.value for c in found.changes] == pytest.approx(changes)
    assert found.difference.value == pytest.approx(changes[0] - changes[1])
    assert found.n == 4


@pytest.mark.parametrize(
    ("measures", "message"),
    [(["uer@side"], "Name two different"), (["uer@side", "bur@side"], "not in these audits")],
)
def test_measures_that_were_not_audited_are_refused(measures: list[str], message: str) -> None:
    """One measure alone, or one that no audit holds, is an error that names what there is."""
    with pytest.raises(RequestError, match=message):
        correlations([made()], measures)


def test_a_system_that_was_not_audited_is_refused() -> None:
    """The error names the systems of the audits."""
    with pytest.raises(RequestError, match=r"no system 'other'.* fair, plain"):
        change_comparisons([made()], "plain", "other", MEASURES)


def test_a_measure_of_two_audits_is_refused_and_sanity_baselines_do_not_enter() -> None:
    """Audits of different measures are taken together; of one measure, it is not clear which audit counts."""
    first, second = made(("uer@side",), sanity_baselines=("one_document",)), made(("sof@side",))
    found = saved_values([first, second], specs_in([first, second]))
    assert {spec: set(values.systems) for spec, values in found.items()} == {
        "uer@side": {"plain", "fair"}, "sof@side": {"plain", "fair"},
    }  # fmt: skip
    assert [len(values.rows) for values in found.values()] == [8, 8]
    ours, theirs = in_common(*found.values())
    assert len(ours) == len(theirs) == 8
    with pytest.raises(RequestError, match="Several of the audits have the measure uer@side"):
        saved_values([first, first], ["uer@side"])
