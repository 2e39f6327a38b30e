"""Agreement of judges, and the order of systems over data sets, on inputs whose answer is known."""

from pathlib import Path

import numpy as np
import pytest
from tests.cli.command import printed
from tests.sample_cases import Supported, cases_of, documents_of

from fairbrief.auditing import Plan, audit
from fairbrief.errors import DataError, RequestError
from fairbrief.reports.audit_folder import write_all
from fairbrief.reports.result import Result
from fairbrief.saved.agreement import TEMPERATURES, agreement, change_comparisons, correlations, label_table
from fairbrief.saved.ranking import normalised, overall, table
from fairbrief.saved.saved_values import Resampling
from fairbrief.serialization import case_line, write_lines
from fairbrief.types import Case, Claim, Document, Record, Summary

SOUP, PARK = "The soup was cold today.", "The park benches were green."


def labelled(people: list[list[str]], record: str = "r") -> Case:
    """A record of two values, and units that people gave to them; unit texts say soup or park."""
    texts = {"a": "cold soup today", "b": "green park benches", "": "trains"}
    units = tuple(Claim(texts["".join(v[:1])], {"side": tuple(v)}) for v in people)
    summary = Summary(record, "s", ". ".join(u.text for u in units), units)
    return Case(Record(record, documents_of("ab", (SOUP, PARK))), summary)


# ----------------------------------------------------------------------------- scorers and people


def test_a_scorer_that_reads_as_people_do_agrees_fully() -> None:
    """Where words alone tell what people labelled, N-gram shares agree with them."""
    people = ([["a"], ["a"], ["b"]], [["b"], ["b"], ["a"]], [["a"]])
    cases = [labelled(said, str(i)) for i, said in enumerate(people)]
    found = agreement(cases, "side", "containment", resampling=Resampling(100))
    assert found.summaries == found.clusters == 3
    assert [s.temperature for s in found.shares] == list(TEMPERATURES)
    counted = agreement(cases, "side", "ngram", resampling=Resampling(100))
    (shares,) = counted.shares
    assert shares.temperature is None
    assert shares.alpha.value == pytest.approx(1)
    assert shares.pearson.value == shares.spearman.value == pytest.approx(1)
    assert shares.kappa.value == 1
    by_temperature, plain = label_table(found), label_table(counted)
    assert by_temperature.header == ("T", *plain.header)
    assert any(note.startswith("T: temperature") for note in by_temperature.notes)
    assert [len(row) for row in plain.rows] == [4]


def test_summaries_of_one_record_are_resampled_together() -> None:
    """Three systems that write the same add no record: κ and Pearson's coefficient have the intervals of one system."""
    cases = []
    for i in range(8):
        case = labelled([["a"], ["b"]] if i % 3 else [["a"]], str(i))
        claims = [Claim(c.text, {"side": ("b",)}) if i % 4 == 0 else c for c in case.summary.claims or ()]
        cases.append(Case(case.record, Summary(str(i), "s", case.summary.text, tuple(claims))))
    others = [
        Case(c.record, Summary(c.record.id, s, c.summary.text, c.summary.claims)) for c in cases for s in "tu"
    ]
    one, three = (agreement(all_, "side", resampling=Resampling(200)) for all_ in (cases, [*cases, *others]))
    assert (three.summaries, three.clusters) == (24, 8)
    assert "24 summaries in 8 clusters, resampled" in label_table(three).notes[0]
    for name in ("pearson", "kappa"):
        known, found = (getattr(of.shares[0], name) for of in (one, three))
        assert (found.low, found.high) == pytest.approx((known.low, known.high))


def test_summaries_without_labels_are_counted_and_none_at_all_is_an_error() -> None:
    """What cannot be compared leaves a reason; an input without any label says how labels are written."""
    bare = Case(labelled([["a"]]).record, Summary("r", "s", "cold soup"))
    found = agreement([labelled([["a"], ["b"]], "1"), bare], "side", resampling=Resampling(0))
    assert found.excluded == {"the summary has no claims": 1}
    with pytest.raises(DataError, match=r'"values": \{"side"'):
        agreement([bare], "side")


# ------------------------------------------------------------------------------- scorers, systems


def world(gaps: dict[str, float], seed: int, records: int = 8, *, apart: bool = False) -> Result:
    """Systems whose documents of value a are covered better by a given gap, judged by two scorers; ``apart``: of no common record."""
    rng = np.random.default_rng(seed)
    support: dict[tuple[str, str], float] = {}
    cases = []
    for r in range(records):
        texts = [f"Text {seed} {r} {i}." for i in range(6)]
        for system, gap in gaps.items():
            unit = f"unit {seed} {r} {system}"
            for i, t in enumerate(texts):
                support[t, unit] = 0.2 + gap * (i % 2 == 0) + 0.05 * rng.random()
            record = Record(f"{r} {system}" if apart else str(r), documents_of("ab" * 3, texts))
            cases.append(Case(record, Summary(record.id, system, "…", (Claim(unit),))))
    given = {"entailment": lambda *pair: support[pair], "embedding": lambda *pair: support[pair] ** 2}
    scorers = {name: Supported(of_pair) for name, of_pair in given.items()}
    measures = [f"equal_coverage(scorer={s})@side" for s in scorers]
    return audit(cases, Plan(measures=measures, scorers=scorers, n_resamples=60))


GAPS = {"low": 0.05, "middle": 0.3, "high": 0.6}


def test_scorers_that_order_alike_correlate_over_records_and_systems() -> None:
    """A monotone change of the scorer keeps the order of systems; over summaries ρ is high and has an interval."""
    (found,) = correlations([world(GAPS, 1)], resampling=Resampling(100))
    scorers = ("entailment", "embedding")
    assert {found.first, found.second} == {f"equal_coverage(scorer={scorer})@side" for scorer in scorers}
    assert found.systems.value == 1
    assert found.records.value > 0.9
    assert found.records.low is not None
    assert found.summaries == 24


def test_two_systems_have_no_rank_correlation() -> None:
    """Over fewer than three systems none is given; without two scorers there is nothing to compare."""
    (found,) = correlations([world({"low": 0.1, "high": 0.5}, 2)], resampling=Resampling(0))
    assert found.systems.value is None
    with pytest.raises(RequestError, match="have no measure with two scorers"):
        correlations([audit([labelled([["a"]])], Plan(measures=["equal_coverage@side"], n_resamples=0))])


def test_overall_is_the_mean_of_normalised_values() -> None:
    """(v − min)/(max − min) over the systems that entered, averaged over data sets."""
    assert normalised(np.array([[[1.0, 2.0, 3.0]], [[10.0, 30.0, 20.0]]])).tolist() == [[0.0, 0.75, 0.75]]
    assert normalised(np.array([[[1.0, 1.0]], [[0.0, 2.0]]])).tolist() == [[0.0, 1.0]]
    assert np.isnan(normalised(np.array([[[1.0, np.nan]]]))).all()


def test_the_order_depends_on_who_enters_and_says_so() -> None:
    """Best is 0 and worst 1 in every data set; leaving one out moves the others, and the note names them."""
    results = {"one": world(GAPS, 1), "two": world(GAPS, 2)}
    orders = overall(results, resampling=Resampling(50), published=True)
    everyone = next(o for o in orders if "entailment" in o.measure)
    assert everyone.systems == ("high", "low", "middle")
    high, low, middle = everyone.overall
    assert (low.value, high.value) == (0, 1)
    assert everyone.records == (8, 8)
    assert 0 < middle.value < 1
    assert middle.low is not None
    everything = overall(results, ["low", "middle"], resampling=Resampling(0), published=True)
    without = next(o for o in everything if "entailment" in o.measure)
    assert [s.value for s in without.overall] == [0, 1]
    printed = table(everyone)
    assert [row[0] for row in printed.rows] == ["low", "middle", "high"]
    assert "high, low, middle" in printed.notes[0]


def test_systems_that_some_audit_lacks_do_not_enter() -> None:
    """Only common systems are ordered; asking for another is an error that lists them."""
    results = {"one": world(GAPS, 1), "two": world({"low": 0.1, "high": 0.5}, 2)}
    assert overall(results, resampling=Resampling(0), published=True)[0].systems == ("high", "low")
    with pytest.raises(RequestError, match="high, low"):
        overall(results, ["middle"], resampling=Resampling(0), published=True)


def test_a_measure_that_no_record_could_use_is_left_out_of_the_order() -> None:
    """Its rows have no statistics; the other measures are ranked."""
    result = audit(cases_of(8), Plan(measures=["uer@party", "gender_agreement"], n_resamples=0))
    orders = overall({"one": result}, resampling=Resampling(0), published=True)
    assert {order.measure for order in orders} == {"uer"}


def test_data_sets_of_one_common_record_or_none_can_be_ranked() -> None:
    """A data set with one record that all systems summarized has no resamples; one without any is left out of the mean."""
    many, one, none = world(GAPS, 1), world(GAPS, 2, records=1), world(GAPS, 3, apart=True)
    (alone, *_), (without, *_), (both, *_) = (
        overall(results, resampling=Resampling(50), published=True)
        for results in ({"many": many}, {"many": many, "none": none}, {"many": many, "one": one})
    )
    assert (without.records, without.values[1]) == ((8, 0), (None, None, None))
    assert without.overall == alone.overall
    assert both.records == (8, 1)
    assert all(v is not None for v in both.values[1])
    assert both.overall[2].low is not None


# ------------------------------------------------------------------------------ the command line


def test_commands_compare_saved_audits_and_labels(tmp_path: Path) -> None:
    """``agree`` tells folders from files; ``rank`` names data sets after folders."""
    audits = {f"set{seed}": world(GAPS, seed) for seed in (1, 2)}
    folders = [tmp_path / name for name in audits]
    for folder, result in zip(folders, audits.values(), strict=True):
        write_all(result, folder)
    assert "Agreement (Spearman)" in printed("agree", folders[0], "--resamples", 50)
    with pytest.raises(RequestError, match="no measure with group differences in common"):
        printed("rank", *folders)
    said = printed("rank", *folders, "--published", "--resamples", 50)
    assert "set2" in said
    assert said.count("Overall order by") == len(overall(audits, resampling=Resampling(0), published=True))
    assert said.count("Min and max are over") == 1
    file = tmp_path / "labels.jsonl"
    write_lines(map(case_line, (labelled([["a"], ["b"]], "1"), labelled([["a"]], "2"))), file)
    asked = ("--attribute", "side", "--missing", "drop", "--scorer", "containment", "--resamples", 50)
    assert "containment and people" in printed("agree", file, *asked)


MEASURES = ("uer@side", "sof@side")


def made(measures: tuple[str, ...] = MEASURES, sanity_baselines: tuple[str, ...] = ()) -> Result:
    """Four records, of which one system repeats the left and another both sides."""
    cases = []
    for i, (left, right) in enumerate((("a b", "c d"), ("e f", "g h"), ("i j", "k l"), ("m n o", "p q"))):
        record = Record(str(i), (Document(left, {"side": "l"}), Document(right, {"side": "r"})))
        cases.append(Case(record, Summary(str(i), "plain", left + (" " + right[0]) * (i % 3))))
        cases.append(Case(record, Summary(str(i), "fair", f"{left} {right}")))
    return audit(cases, Plan(measures=measures, n_resamples=0, sanity_baselines=sanity_baselines))


def test_relative_changes_of_two_measures_are_subtracted() -> None:
    """A difference is the first measure's relative change minus the second's, on the records of both systems."""
    result = made()
    (found,) = change_comparisons([result], "plain", "fair", MEASURES, resampling=Resampling(50))
    read = {(e.system, e.quantity): e.value for e in result.estimates}
    changes = [1 - read["fair", name] / read["plain", name] for name in ("uer", "sof")]
    assert [c.value for c in found.changes] == pytest.approx(changes)
    assert found.difference.value == pytest.approx(changes[0] - changes[1])
    assert found.n == 4


def test_measures_and_systems_that_were_not_audited_are_refused() -> None:
    """One measure alone, or what no audit holds, is an error that names what there is."""
    with pytest.raises(RequestError, match="Name two different"):
        correlations([made()], ["uer@side"])
    with pytest.raises(RequestError, match="has no measure"):
        correlations([made()], ["uer@side", "bur@side"])
    with pytest.raises(RequestError, match=r"no system 'other'.* fair, plain"):
        change_comparisons([made()], "plain", "other", MEASURES)


def test_a_measure_of_two_audits_is_refused_and_sanity_baselines_do_not_enter() -> None:
    """Audits of different measures are taken together; of one measure, it is not clear which audit counts."""
    first, second = made(("uer@side",), sanity_baselines=("one_document",)), made(("sof@side",))
    (found,) = correlations([first, second], ["uer@side", "sof@side"], resampling=Resampling(0))
    assert (set(found.named), found.summaries) == ({"plain", "fair"}, 8)
    with pytest.raises(RequestError, match="Several of the audits have the measure uer@side"):
        correlations([first, first, second], ["uer@side", "sof@side"])


def test_a_claim_needs_more_support_than_the_threshold(tmp_path: Path) -> None:
    """``fairbrief chunks --threshold`` decides which claims have a source, also where a scorer reads a claim's words one by one."""
    file = tmp_path / "claims.jsonl"
    write_lines([case_line(labelled([["a"]]))], file)
    shares = {}
    for scorer, threshold in (("containment", 0.5), ("containment", 1), ("ngram", 0.5)):
        said = printed("chunks", file, "--sizes", 50, "--threshold", threshold, "--scorer", scorer)
        shares[scorer, threshold] = said.splitlines()[2].split()[1]
    assert shares == {("containment", 0.5): "1.00", ("containment", 1): "0.00", ("ngram", 0.5): "1.00"}
