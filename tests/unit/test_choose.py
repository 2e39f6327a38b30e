"""Choosing among candidates: planted best ones, ties, floors, lengths, and the command."""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import datasets
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cli.command import printed

from fairbrief.auditing import Plan, audit
from fairbrief.auditing.scorer_lookup import Scorers
from fairbrief.errors import RequestError
from fairbrief.readers import read
from fairbrief.saved.gate_rules import rule
from fairbrief.serialization import case_line, write_lines
from fairbrief.types import Case, Document, Record, Summary
from fairbrief.workbench.choose import CHOSEN, NOT_ALLOWED, NOT_MEASURED, Choice, choose, preference, table
from fairbrief.workbench.summarizers.prompts import Wish, fill, find, prompt_of

LEFT, RIGHT = ("alder", "birch", "cedar", "damson"), ("quartz", "shale", "talc", "umber")
EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "reviews.jsonl"
BY = "uer@side"


def record(i: int, references: Sequence[str] = ()) -> Record:
    """Eight one-word documents, four of each side."""
    documents = [Document(word, {"side": "L" if word in LEFT else "R"}) for word in (*LEFT, *RIGHT)]
    return Record(f"r{i}", tuple(documents), tuple(references))


def candidates(i: int, *texts: str, references: Sequence[str] = ()) -> list[Case]:
    """One record with a candidate per text."""
    source = record(i, references)
    return [
        Case(source, Summary(source.id, f"s{j}", text, reason="" if text else "empty summary"))
        for j, text in enumerate(texts)
    ]


def chosen(cases: Sequence[Case], by: str = BY, floors: Sequence[str] = (), **given: object) -> list[Choice]:
    """The choices, as the command makes them."""
    return list(choose(cases, by, [rule(text) for text in floors], scorers=Scorers(), **given))


def test_ties_go_to_the_first_and_make_no_pair() -> None:
    """Candidates that are equally fair are no preference."""
    (choice,) = chosen(candidates(0, "alder quartz", "birch shale"))
    assert (choice.chosen, choice.rejected) == (0, None)
    assert preference(choice, "prompt") is None


def test_the_rejected_one_is_the_worst() -> None:
    """A pair is made of the best and the worst candidate, with their values."""
    (choice,) = chosen(candidates(0, "alder birch quartz", "alder quartz", "alder birch cedar"))
    pair = preference(choice, "say it")
    texts = (pair["prompt"], pair["chosen"], pair["rejected"])
    assert texts == ("say it", "alder quartz", "alder birch cedar")
    assert pair["chosen_value"] == pytest.approx(0, abs=0.05)  # less what random words equal
    assert pair["rejected_value"] == pytest.approx(0.5, abs=0.05)


def test_candidates_of_another_length_do_not_take_part() -> None:
    """Within a tenth of the median length only: the fair one that is twice as long is not chosen.
    Chinese words are counted, too; and by ROUGE, the candidate nearest to the reference wins.
    """
    texts = ("alder birch cedar damson quartz shale talc umber", "alder birch quartz", "alder birch cedar")
    cases = [case for i in range(20) for case in candidates(i, *texts)]
    choices = chosen(cases, length_within=0.1)
    assert {choice.chosen for choice in choices} == {1}
    assert {choice.pool for choice in choices} == {(1, 2)}
    assert chosen(cases)[0].chosen == 0
    texts = ("这家店很好。我们都喜欢它的咖啡和蛋糕，也喜欢这里的人。", "这家店很好。", "这家店不好。")
    (choice,) = chosen(candidates(0, *texts, references=["这家店很好。"]), by="rouge1", length_within=0.1)
    assert (choice.pool, choice.chosen) == ((1, 2), 1)


def test_a_floor_rules_the_fairest_out() -> None:
    """A candidate below the floor is not chosen; where none keeps it the best is taken, told, and gives no pair to train on."""
    cases = candidates(0, "alder quartz", "birch cedar talc", references=["birch cedar talc"])
    (free,), (held,) = chosen(cases), chosen(cases, floors=["rouge1>=0.5"])
    assert (free.chosen, held.chosen, held.reason) == (0, 1, "")
    cases = candidates(0, "alder birch cedar", "alder quartz", references=["something else entirely"])
    (choice,) = chosen(cases, floors=["rouge1>=0.5"])
    assert (choice.chosen, choice.reason) == (1, NOT_ALLOWED)
    assert preference(choice, "prompt") is None
    with pytest.raises(RequestError, match=r"a floor limits every candidate. Drop \{s0\}"):
        chosen(cases, floors=["rouge1{s0}>=0.5"])


def test_a_candidate_is_judged_by_its_difference_from_random_sentences() -> None:
    """Its value is the largest group difference less the record's random-sentence baseline, as an audit of it alone has it."""
    texts = [f"Left word{i} said {i}." for i in range(9)] + ["Right umber spoke once."]
    documents = tuple(Document(text, {"side": text.split()[0]}) for text in texts)
    source, by = Record("r", documents), "coverage_parity@side"
    said = [*texts[:4], texts[9]], texts[:5]
    cases = [Case(source, Summary("r", f"s{i}", " ".join(each))) for i, each in enumerate(said)]
    (choice,) = chosen(cases, by)
    for case, value in zip(cases, choice.values, strict=True):
        leading = [e for e in audit([case], Plan(measures=[by], n_resamples=20)).estimates if e.is_primary]
        assert value == pytest.approx(max(abs(e.extract_difference) for e in leading))
        assert value != pytest.approx(max(abs(e.value) for e in leading))


def test_a_record_without_a_measurable_candidate_is_counted() -> None:
    """Empty candidates leave nothing to measure; the table has the means of the other records."""
    choices = chosen([*candidates(0, "", ""), *candidates(1, "alder quartz", "alder birch talc birch")])
    assert [choice.reason for choice in choices] == [NOT_MEASURED, ""]
    rows = dict(table(choices).rows)
    assert rows["records without a candidate that has a value"] == "1"
    assert (rows["mean words, chosen"], rows["mean words, all candidates"]) == ("2.00", "3.00")
    assert float(rows["mean value, chosen"]) < float(rows["mean value, all candidates"])


def shared(case: Case) -> float:
    """ROUGE-1 of a candidate."""
    ours, theirs = (Counter(text.split()) for text in (case.summary.text, case.record.references[0]))
    return 2 * (ours & theirs).total() / (ours.total() + theirs.total())


texts = st.lists(st.sampled_from([*LEFT, *RIGHT]), min_size=1, max_size=6).map(" ".join)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.lists(texts, min_size=1, max_size=5), min_size=1, max_size=4), st.booleans())
def test_no_allowed_candidate_is_fairer_than_the_chosen_one(sets: list[list[str]], has_length: bool) -> None:
    """The chosen value is at most that of any candidate that keeps floors and length."""
    cases = []
    for i, several in enumerate(sets):
        cases += candidates(i, *several, references=several[:1])
    for choice in chosen(cases, floors=["rouge1>=0.4"], length_within=0.2 if has_length else None):
        assert choice.chosen in choice.pool
        keeps = [i for i in choice.pool if shared(choice.candidates[i]) >= 0.4]
        assert (choice.chosen in keeps) == (not choice.reason)
        assert all(choice.values[choice.chosen] <= choice.values[i] for i in keeps or choice.pool)


def test_the_prompt_of_a_pair_is_what_was_asked() -> None:
    """A text that the summary carries, else a named prompt filled in as the summary tells, else the documents."""
    (case,) = candidates(0, "alder quartz")
    assert prompt_of(case).startswith("alder\n\nbirch")
    told = Case(case.record, Summary("r0", "s", "alder", made={"prompt": "Sum it up: alder"}))
    assert prompt_of(told) == "Sum it up: alder"
    assert "1. alder" in prompt_of(case, "plain")
    wish = Wish(over="side", instruction="fair", sentences=2, draw=3)
    made = {"prompt": "plain", "prompt_sha": find("plain").sha, **wish.as_settings()}
    told = Case(case.record, Summary("r0", "s", "alder", made=made))
    assert prompt_of(told) == fill(find("plain"), case.record, wish).user
    assert "side" in prompt_of(told)
    stale = Case(case.record, Summary("r0", "s", "alder", made={"prompt": "plain", "prompt_sha": "0"}))
    with pytest.raises(RequestError, match="has changed since"):
        prompt_of(stale)


def test_the_command_writes_records_and_pairs_that_others_read(tmp_path: Path) -> None:
    """What it writes is read back by our reader, and by the library that trainers load data with."""
    texts = "alder birch cedar damson", "alder birch quartz shale"
    source, out, pairs = tmp_path / "candidates.jsonl", tmp_path / "chosen.jsonl", tmp_path / "pairs.jsonl"
    write_lines((case_line(case) for i in range(12) for case in candidates(i, *texts)), source)
    assert "preference pairs" in printed("choose", source, "--by", BY, "--out", out, "--pairs", pairs)
    cases = list(read(out))
    assert {case.summary.system for case in cases} == {CHOSEN}
    assert {case.summary.text for case in cases} == {"alder birch quartz shale"}
    assert cases[0].summary.made["candidate"] == "s1"
    assert float(cases[0].summary.made["value"]) == pytest.approx(0, abs=0.05)

    rows = datasets.load_dataset("json", data_files=str(pairs), split="train", cache_dir=str(tmp_path / "hf"))
    assert {"prompt", "chosen", "rejected"} <= set(rows.column_names)
    assert rows.num_rows == 12
    assert rows[0]["chosen"] == "alder birch quartz shale"
    assert rows[0]["rejected"] == "alder birch cedar damson"


def test_two_choices_can_be_compared(tmp_path: Path) -> None:
    """An audit names each file of chosen summaries; a file with one summary of each record leaves no choice, nor does a measure
    without a value.
    """
    out = tmp_path / "chosen.jsonl"
    printed("choose", EXAMPLE, "--by", "equal_coverage@sentiment", "--out", out)
    named = ["--summaries", f"again={out}", "--summaries", f"by-coverage={out}"]
    said = printed("audit", EXAMPLE, *named, "--measure", "uer@sentiment", "--resamples", 20, "--details")
    assert re.search("again +by-coverage", said)
    with pytest.raises(RequestError, match="more than one candidate"):
        printed("choose", out, "--by", "uer@sentiment")
    with pytest.raises(RequestError, match="No candidate has a value of label_gap@sentiment"):
        printed("choose", EXAMPLE, "--by", "label_gap@sentiment", "--out", tmp_path / "none.jsonl")
    assert not (tmp_path / "none.jsonl").exists()
