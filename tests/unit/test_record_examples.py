"""The records that the page shows: which are chosen, what supports their sentences, and what leaving parts out does."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tests.held import held
from tests.sample_cases import Pairwise

import fairbrief
from fairbrief import registry
from fairbrief.api import Audit
from fairbrief.auditing.record_values import RowReader, reader_of
from fairbrief.auditing.scorer_lookup import Scorers
from fairbrief.errors import DataError
from fairbrief.reports import json_file
from fairbrief.reports.frames import rows_with, usable
from fairbrief.reports.result import MOST_OF_EACH, Examples
from fairbrief.saved.examples import PAGE_BYTES, choose, examples, explained, scorer_for
from fairbrief.types import Case, Claim, Document, Record, Summary

REVIEWS = "examples/reviews.jsonl"
MEASURES = ("coverage_parity@sentiment", "equal_coverage@sentiment", "uer@sentiment")


@pytest.fixture(scope="module")
def audited() -> Audit:
    """The example audited by three measures."""
    return fairbrief.audit(REVIEWS, MEASURES, n_resamples=50)


@pytest.fixture(scope="module")
def shown(audited: Audit) -> Examples:
    """What its page shows."""
    return examples(audited.result, fairbrief.read(REVIEWS), Scorers())


def rows_of(audited: Audit, spec: str) -> tuple[pa.Table, RowReader]:
    """The rows behind one measure, and what reads their values."""
    rows = audited.result.rows
    reader = reader_of(spec, rows.schemas[rows.measures[spec]])
    assert reader is not None
    return usable(rows.of(rows.measures[spec])), reader


def test_a_record_alone_reads_what_an_audit_of_it_alone_reads(audited: Audit) -> None:
    """The value of one row of per-record statistics is the estimate of an audit of that record."""
    assert set(audited.result.rows.measures) >= set(MEASURES)
    rows, reader = rows_of(audited, "uer@sentiment")
    record, system = rows["record"][0].as_py(), rows["system"][0].as_py()
    alone = [c for c in fairbrief.read(REVIEWS) if (c.record.id, c.summary.system) == (record, system)]
    estimates = fairbrief.audit(alone, ["uer@sentiment"], n_resamples=0).estimates
    (estimate,) = [e for e in estimates if e.quantity == "uer"]
    assert reader.values(rows)["uer"][0] == pytest.approx(estimate.value, abs=1e-12)
    assert "difference[negative]" in reader.values(rows)


def test_both_ends_of_each_group_are_chosen(audited: Audit) -> None:
    """The record in which a group is covered least, and most, is among those shown."""
    rows = choose(audited.result.rows, ["rosy"])
    shown = {row.record for row in rows if row.measure == "coverage_parity@sentiment"}
    found, reader = rows_of(audited, "coverage_parity@sentiment")
    found = rows_with(found, "system", "rosy")
    for name in ("difference[negative]", "difference[positive]"):
        values = reader.values(found)[name]
        for place in (int(np.nanargmin(values)), int(np.nanargmax(values))):
            assert found["record"][place].as_py() in shown
    assert len(rows) <= 3 * MOST_OF_EACH * (1 + 2 * 3)


@pytest.mark.parametrize("at_once", [1, 3, 7])
def test_the_same_rows_are_chosen_however_few_are_read_at_a_time(audited: Audit, at_once: int) -> None:
    """Of equal rows the earlier one is chosen, too, where the other comes in a later piece; and as many are counted."""
    cut = replace(audited.result, rows=held(audited.result.rows.table(), at_once=at_once))
    systems = ["balanced", "rosy"]
    assert choose(cut.rows, systems) == choose(audited.result.rows, systems)
    whole, pieces = (examples(result, fairbrief.read(REVIEWS), Scorers()) for result in (audited.result, cut))
    assert pieces == whole


def test_every_row_has_its_texts_its_story_and_its_links(shown: Examples) -> None:
    """Nothing is listed that the viewer cannot open."""
    texts = {t.id: t for t in shown.texts}
    supports = {(s.system, s.record, s.rule) for s in shown.supports}
    assert shown.of == 2 * 28
    for row in shown.rows:
        assert row.system in texts[row.record].summaries
        assert row.story
        assert (row.system, row.record, shown.rules[row.measure]) in supports


def test_given_claims_are_shown_for_measures_that_use_them() -> None:
    """The viewer links the claims of a summary if the measure uses claims, else its sentences."""
    texts = ("The soup was cold.", "The room was clean.")
    documents = tuple(Document(text, {"side": side}) for text, side in zip(texts, "ab", strict=True))
    claims = tuple(map(Claim, texts))
    text = "The soup was cold and the room was clean."
    cases = [Case(Record(f"r{i}", documents), Summary(f"r{i}", "s", text, claims=claims)) for i in range(8)]
    audited = fairbrief.audit(cases, ["equal_coverage@side", "uer@side"], n_resamples=0)
    shown = examples(audited.result, cases, Scorers())
    linked = {support.rule: support.unit_texts for support in shown.supports if support.record == "r0"}
    assert linked[shown.rules["equal_coverage@side"]] == texts
    assert linked[shown.rules["uer@side"]] == (text,)


def test_links_point_at_sentences_of_the_sources(shown: Examples) -> None:
    """Each link is a whole sentence of its document, each unit a part of the summary's text."""
    texts = {t.id: t for t in shown.texts}
    for support in shown.supports:
        summary = texts[support.record].summaries[support.system].text
        for (start, end), text in zip(support.units, support.unit_texts, strict=True):
            assert summary[start:end] == text
        for link in support.links:
            document = texts[support.record].documents[link.document].text
            assert document[link.start : link.end] == document[link.start : link.end].strip() != ""


def test_a_measure_of_a_model_is_linked_by_shared_words_and_says_so() -> None:
    """Links never ask a model; the rule then names both scorers."""
    observation = registry.make("measure", "equal_coverage(scorer=entailment(model=m))@side").observation
    scorer, rule = scorer_for(observation, Scorers())
    assert scorer == "containment"
    assert "The measure uses entailment(model=m)." in rule


@pytest.mark.parametrize("spec", MEASURES)
def test_the_statistics_story_is_that_of_the_record(audited: Audit, shown: Examples, spec: str) -> None:
    """What was observed in the audit explains a record as observing it again does."""
    rows, reader = rows_of(audited, spec)
    keys = zip(rows["system"].to_pylist(), rows["record"].to_pylist(), strict=True)
    stories = dict(zip(keys, reader.stories(rows), strict=True))
    told = [row for row in shown.rows if row.measure == spec]
    assert [stories[row.system, row.record] for row in told] == [row.story for row in told] != []


def test_no_model_reads_the_shown_records_again() -> None:
    """Stories of a measure by a model are told from the per-record statistics, and are those that observing again tells."""
    spec = "coverage_parity(scorer=pairwise)@sentiment"
    scorer = Pairwise(lambda row, column: len({*row} & {*column}) / len({*column}))
    scorers = {"pairwise": scorer}
    found = fairbrief.audit(REVIEWS, [spec], n_resamples=0, scorers=scorers)
    before = len(scorer.scored)
    cases = list(fairbrief.read(REVIEWS))
    rows = examples(found.result, cases, Scorers(scorers)).rows
    assert len(scorer.scored) == before > 0
    kept = {(c.summary.system, c.record.id): (c,) for c in cases}
    again = explained(rows, kept, {spec: registry.make("measure", spec)}, Scorers(scorers))
    assert len(scorer.scored) > before
    assert [row.story for row in again] == [row.story for row in rows]


def test_leaving_a_document_out_does_what_explain_says(shown: Examples) -> None:
    """The viewer's influence of a document is that of `fairbrief explain`."""
    row = next(r for r in shown.rows if r.measure == "uer@sentiment" and r.without.get("document"))
    (found,) = fairbrief.explain(REVIEWS, "uer@sentiment", systems=[row.system], ids=[row.record])
    parts = {p.number: p.own.effect for p in found.opened[0].parts if p.kind == "document"}
    assert row.without["document"] == tuple(pytest.approx(parts[i + 1], abs=1e-4) for i in range(len(parts)))


def test_the_page_has_a_budget_for_texts(audited: Audit) -> None:
    """Texts beyond the budget are not shown, and each text is cut with the number of what is missing."""

    def grown(case: Case) -> Case:
        documents = tuple(replace(d, text=d.text + " wörd" * 1_000) for d in case.record.documents)
        return replace(case, record=replace(case.record, documents=documents * 12))

    found = examples(audited.result, [grown(c) for c in fairbrief.read(REVIEWS)], Scorers())
    assert 0 < sum(len(d.text.encode()) for t in found.texts for d in t.documents) <= PAGE_BYTES
    assert found.texts[0].documents[0].cut > 1_000
    documents = {c.record.id: len(c.record.documents) * 12 for c in fairbrief.read(REVIEWS)}
    assert all(len(t.documents) + t.more == documents[t.id] for t in found.texts)
    assert any(t.more for t in found.texts)


@pytest.mark.parametrize("text", ["[]", "{}", '{"schema": "x"}', "{", '{"schema": "fairbrief.examples/1"}'])
def test_a_damaged_file_of_examples_is_refused(tmp_path: Path, text: str) -> None:
    """What does not follow the schema is an error that says to run the audit again."""
    (tmp_path / "examples.json").write_text(text)
    with pytest.raises(DataError, match="Run the audit again"):
        json_file.read_examples(tmp_path / "examples.json", "")
