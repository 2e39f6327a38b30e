"""What a file holds: records, lengths, groups, mixes; samples of it; and references audited as systems."""

import random
from pathlib import Path
from typing import Any

import pytest
from tests.cli.command import printed, write

from fairbrief.errors import DataError, RequestError
from fairbrief.readers import Reading, read
from fairbrief.types import Case, Document, Record, Summary
from fairbrief.workbench.corpora.corpus_statistics import statistics_of


def record(i: str, *documents: tuple[str, str | None]) -> Record:
    """A record whose documents have a side, or none."""
    return Record(i, tuple(Document(t, {} if side is None else {"side": side}) for t, side in documents))


def test_groups_and_mixes_are_counted() -> None:
    """A record is dominated by the group with the most documents, by none on a tie; a document without group is counted apart."""
    one = record("1", ("a b", "l"), ("c", "l"), ("d", "r"))
    two = record("2", ("e", "l"), ("f g h", "r"), ("i", None))
    lengths, groups = statistics_of([one, two], [], lambda text: len(text.split()))
    rows = {row[0]: row[1:] for row in lengths.rows}
    assert rows["words per document"] == ("6", "1.50", "1", "3")
    assert rows["words per record"] == ("2", "4.50", "4", "5")
    assert groups.rows == (("l", "3", "60.0%", "2", "1", "1.3"), ("r", "2", "40.0%", "2", "0", "2.0"))
    assert "1 documents have no side." in groups.notes


def test_a_file_without_summaries_is_counted(tmp_path: Path) -> None:
    """Records alone are enough; with summaries each system's are counted, and those that are missing said."""
    path = write(tmp_path / "r.jsonl", [{"id": "1", "documents": ["One. Two."]}])
    assert "sentences per document" in printed("stats", path, "--sentences", "builtin")
    write(path, [{"id": "1", "documents": ["One."], "summary": {"a": "x y", "b": ""}}])
    said = printed("stats", path)
    assert "words per summary by a" in said
    assert "b: 1 without a summary." in said


def test_lengths_are_compared_with_the_prompts() -> None:
    """Exact are answers with the sentences asked for that were not cut, among answers; no response counts among inputs.
    A text in place of the number is ignored.
    """
    cases = []
    for text, made in (
        ("One. Two.", {"sentences": "2"}),
        ("One. Two.", {"sentences": "2", "cut": "3 sentences to 2"}),
        ("One.", {"sentences": "2"}),
        ("One and. on\nTwo and", {"sentences": "2"}),
        ("", {"sentences": "2"}),
        ("One.", {"sentences": "a few"}),
    ):
        reason = "" if text else "refused"
        cases.append(Case(record("1", ("d", None)), Summary("1", "a", text, reason=reason, made=made)))
    asked = statistics_of([], cases, len)[1]
    assert asked.title == "As the prompt asked"
    assert asked.rows == (("a", "5", "50.0%", "20.00%"),)


ROW = {"id": "1", "documents": ["d"], "references": ["x", "y"], "summary": "z"}
ROWS = [{**ROW, "system": system} for system in "ab"]


def _with_references(rows: list[dict[str, Any]]) -> Reading:
    reading = read(rows)
    reading.audits_references = True
    return reading


def test_references_are_systems() -> None:
    """Each reference is a system once per record, and is held against the record's other references."""
    cases = list(_with_references(ROWS))
    assert [c.summary.system for c in cases] == ["a", "reference 1", "reference 2", "b"]
    assert (cases[1].summary.text, cases[1].record.references) == ("x", ("y",))


def test_references_that_cannot_be_audited_are_refused() -> None:
    """Without any reference, or beside a system of that name, the error says what to do."""
    with pytest.raises(RequestError, match="--references-field"):
        list(_with_references([{"id": "1", "documents": ["d"], "summary": "z"}]))
    named = [{**ROWS[0], "system": "reference 1"}]
    with pytest.raises(DataError, match="rename it"):
        list(_with_references(named))


def rows(n: int = 40) -> list[dict[str, Any]]:
    """Records of which every fifth is from the south, summarized by two systems."""
    return [
        {"id": f"r{i}", "documents": ["One.", "Two."], "summary": "One.", "system": system, "region": "south" if i % 5 == 0 else "north"}
        for i in range(n) for system in "ab"
    ]  # fmt: skip


def ids(reading: Reading) -> set[str]:
    """The ids of the records of all cases; every system has the same."""
    by_system: dict[str, set[str]] = {}
    for case in reading:
        by_system.setdefault(case.summary.system, set()).add(case.record.id)
    first, *others = by_system.values()
    assert all(other == first for other in others)
    return first


def test_a_sample_is_the_same_in_any_order() -> None:
    """Shuffled rows give the same records, another seed gives others, and a larger sample contains a smaller one."""
    given = rows()
    shuffled = random.Random(1).sample(given, len(given))
    ten = ids(read(given, sample=10))
    assert len(ten) == 10
    assert ids(read(shuffled, sample=10)) == ten
    assert ids(read(given, sample=10, seed=1)) != ten
    assert ten < ids(read(given, sample=0.5))
    assert len(ids(read(given, sample=0.5))) == 20
    assert len(ids(read(given, sample=1000))) == 40


def test_a_sample_by_group_has_as_many_of_each() -> None:
    """A number counts per group, as far as a group has records; a share keeps the mix."""
    attributes = {"region": "region"}
    reading = read(rows(), sample=10, sample_by="region", record_attributes=attributes)
    assert len(ids(reading)) == 18
    assert reading.sample == {
        "records": 40, "sampled": 18, "size": 10, "seed": 0, "by": "region",
        "groups": {"north": (10, 32), "south": (8, 8)},
    }  # fmt: skip
    said = "hashes of their ids (seed 0); by region: north 10 of 32, south 8 of 8. Values of all records have the sample's mix of groups."
    assert reading.notes[-1].endswith(said)
    share = read(rows(), sample=0.25, sample_by="region", record_attributes=attributes)
    ids(share)
    assert share.sample["groups"] == {"north": (8, 32), "south": (2, 8)}


def test_a_sample_is_of_the_records_that_are_not_excluded() -> None:
    """Half of the records have the required attribute: ten of these are sampled, and all others are counted as excluded."""
    given = rows()
    for i, row in enumerate(given):
        labels = {"stars": "5"} if i % 4 < 2 else {}
        row["documents"] = [{"text": "One.", "attributes": labels}]
    reading = read(given, sample=10, require="stars")
    assert len(ids(reading)) == 10
    assert (reading.sample["records"], reading.tally.excluded_by) == (20, {"--require": 40})


def test_counterfactuals_are_sampled_together() -> None:
    """Of a seed document, all counterfactuals are selected, or none."""
    given = [{"id": f"{i}{v}", "seed_document": str(i), "documents": ["One."], "summary": "One."} for i in range(9) for v in "xy"]  # fmt: skip
    found = [case.record for case in read(given, sample=4)]
    assert len(found) == 8
    assert len({record.seed_id for record in found}) == 4


@pytest.mark.parametrize(("settings", "advice"), [
    ({"sample": 0}, "--sample 0: give"),
    ({"sample": 2.5}, r"--sample 2\.5: give"),
    ({"sample_by": "region"}, "--sample-by needs --sample"),
    ({"sample": 2, "sample_by": "regoin"}, "no record has the attribute 'regoin'.*--record-attribute regoin=FIELD"),
])  # fmt: skip
def test_samples_that_cannot_be_drawn(settings: dict[str, Any], advice: str) -> None:
    """The error names the option and what to write."""
    with pytest.raises(RequestError, match=advice):
        list(read(rows(), **settings))


def test_a_sample_without_a_readable_record_says_what_is_wrong_with_each() -> None:
    """The excluded records are listed, as without a sample."""
    bad = [{"id": "a", "documents": [], "region": "north", "summary": "One."}]
    for settings in ({}, {"sample": 2}, {"sample": 2, "sample_by": "region"}):
        reading = read(bad, on_error="skip", **settings)
        assert list(reading) == []
        assert "no documents" in reading.skipped[0]
