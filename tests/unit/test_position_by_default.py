"""Measures of position are taken where documents have an order; groups that always have the same place are named."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.cli.command import Command, printed

import fairbrief
from fairbrief.auditing import Plan, audit, check
from fairbrief.auditing.watchers import MOST_GROUPS, MOST_PATTERNS, GroupPlaces
from fairbrief.errors import RequestError
from fairbrief.reports import load
from fairbrief.reports.result import Result
from fairbrief.reports.wording import worded
from fairbrief.types import Case, Document, Record, Summary

POSITION = ["position_bias", "position_from_uniform"]
ORDERS = "whose order may mean nothing; if it means something (turns, posts by date), add --ordered"


def cases(orders: Sequence[str], systems: str = "s", **other: str) -> list[Case]:
    """Records whose documents are by sides as each order says, summarized by their first document; all with the other attributes."""
    found = []
    for i, order in enumerate(orders):
        documents = tuple(
            Document(f"Word{side}{k} comes here. More{k} too.", {"side": side, **other})
            for k, side in enumerate(order)
        )
        record = Record(f"r{i}", documents, ("Word comes here.",))
        found += [Case(record, Summary(f"r{i}", system, documents[0].text)) for system in systems]
    return found


def taken(result: Result) -> list[str]:
    """The measures of position that an audit took."""
    return [name for name in POSITION if name in result.made["measures"]]


def placed(result: Result) -> dict[str, list[str]]:
    """By measure, the attributes of which an audit says that its groups have their place."""
    found: dict[str, list[str]] = {}
    for e in result.estimates:
        for note in e.notes:
            if note.code == "place_is_group":
                found.setdefault(e.measure, []).append(note.arguments["attribute"])
    return {measure: sorted(set(names)) for measure, names in found.items()}


def test_several_documents_have_no_order_until_somebody_says_so() -> None:
    """Position is not measured by default on records of several documents; why, and how to ask, is said."""
    given = cases(["ab", "ba"] * 5)
    plain = audit(given, Plan(n_resamples=20))
    assert taken(plain) == []
    assert {out.measure: out.reason for out in plain.left_out if out.measure in POSITION} == dict.fromkeys(
        POSITION, f"records have several documents, {ORDERS}"
    )
    assert plain.made["ordered"] is False
    ordered = fairbrief.audit(given, ordered=True, n_resamples=20).result
    assert taken(ordered) == POSITION
    assert ordered.made["ordered"] is True
    assert taken(audit(given, Plan(measures=["position_bias"], n_resamples=20))) == ["position_bias"]


def test_the_place_in_one_document_is_always_measured() -> None:
    """Sentences of a text have an order."""
    assert taken(audit(cases(["a"] * 8), Plan(n_resamples=20))) == POSITION


def test_an_order_that_changes_nothing_is_refused() -> None:
    """Where measures are named, a protocol brings them, or no record has several documents."""
    with pytest.raises(RequestError, match="--ordered has no effect where measures are named"):
        Plan(measures=["position_bias"], ordered=True)
    with pytest.raises(
        RequestError, match="--ordered has no effect where a protocol brings its own measures"
    ):
        Plan(protocol="li-coverage", ordered=True)
    single = cases(["a"] * 8)
    for refused in (lambda plan: audit(single, plan), lambda plan: check([c.record for c in single], plan)):
        with pytest.raises(RequestError, match="no record of the first 8 summaries has several documents"):
            refused(Plan(ordered=True))


def test_the_command_and_its_settings_say_that_there_is_an_order(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """``--ordered``, or ``ordered = true`` in a file of settings; a saved audit keeps it."""
    lines = (
        {
            "id": case.record.id, "summary": case.summary.text, "references": list(case.record.references),
            "documents": [{"text": d.text, "attributes": dict(d.attributes)} for d in case.record.documents],
        }
        for case in cases(["ab", "ba"] * 5)
    )  # fmt: skip
    file, settings = tmp_path / "r.jsonl", tmp_path / "a.toml"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    settings.write_text('files = ["r.jsonl"]\nordered = true\nresamples = 20\n', encoding="utf-8")
    command = Command(capsys, monkeypatch)
    shown = command("audit", file, "--resamples", "20")
    assert "add --ordered" in " ".join(shown.out.split())
    for given in ((file, "--ordered", "--resamples", "20"), (settings,)):
        run = command("audit", *given, "--out", tmp_path / "out")
        assert run.code == 0, run.err
        assert taken(load(tmp_path / "out")) == POSITION
        assert load(tmp_path / "out").made["ordered"] is True
    refused = command("audit", file, "--ordered", "--measure", "uer")
    assert (refused.code, refused.out) == (2, "")
    assert "--ordered has no effect" in refused.err


def test_an_experiment_says_that_there_is_an_order(tmp_path: Path) -> None:
    """``ordered = true`` under [audit]."""
    documents = [{"text": f"Word {side} here.", "attributes": {"side": side}} for side in "ab"]
    rows = (json.dumps({"id": f"r{i}", "documents": documents}) for i in range(8))
    (tmp_path / "r.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
    file = tmp_path / "e.toml"
    file.write_text(
        '[data]\nfiles = "r.jsonl"\nattributes = ["side"]\n[[systems]]\nwith = "lead"\n'
        "[audit]\nordered = true\nresamples = 20\n",
        encoding="utf-8",
    )
    printed("run", file, "--out", tmp_path / "out")
    result = load(tmp_path / "out" / "audit")
    assert result.made["ordered"] is True
    assert taken(result) == ["position_from_uniform"]


@pytest.mark.parametrize(
    ("orders", "is_said"),
    [
        (["aab", "ab", "abb", "abbb"] * 2, True),
        (["ab"] * 7, False),
        (["ab"] * 18 + ["ba"] * 2, True),
        (["ab"] * 17 + ["ba"] * 3, False),
        (["a", "b"] * 10, False),
    ],
)
def test_groups_that_nearly_always_come_first_are_named(orders: list[str], is_said: bool) -> None:
    """From nine of ten pairs and eight records on, at what is said of the attribute and of position, and nowhere else."""
    plan = Plan(measures=["coverage_parity@side", "position_from_uniform", "rouge1"], n_resamples=20)
    wanted = {"coverage_parity@side": ["side"], "position_from_uniform": ["side"]}
    assert placed(audit(cases(orders, kind="k"), plan)) == (wanted if is_said else {})


def test_the_note_says_which_group_has_which_place() -> None:
    """In words, with the share of pairs; both systems have it, and their difference has not."""
    result = audit(cases(["abc", "acb"] * 10, systems="st"), Plan(measures=["uer@side"], n_resamples=20))
    for e in result.estimates:
        if e.leads or e.quantity == "uer":
            (note,) = [note for note in e.notes if note.code == "place_is_group"]
            assert worded(note) == (
                "documents by side nearly always come in the same order: 'a' before the others (100% of pairs, 20 records); "
                "position and side cannot be told apart"
            )
    assert not [note for e in result.differences for note in e.notes if note.code == "place_is_group"]


def test_places_are_the_same_however_the_input_is_parted() -> None:
    """In any order, in parts, and beyond the sequences that are held at once; names are not watched."""
    rng = random.Random(7)
    given = cases(["".join(rng.choices("abc", k=rng.randint(2, 9))) for _ in range(MOST_PATTERNS + 500)])
    whole, parted = GroupPlaces(("side",)), GroupPlaces(("side",))
    whole.note(given)
    for start in reversed(range(0, len(given), 700)):
        part = parted.empty()
        part.note(given[start : start + 700])
        parted.merge(part)
    for places in (whole, parted):
        places._sum_up()
    assert (dict(whole._sums), dict(whole._records)) == (dict(parted._sums), dict(parted._records))
    assert not whole._patterns
    names = GroupPlaces(("name",))
    for i in range(MOST_GROUPS + 1):
        pair = (Document("One.", {"name": f"n{i}"}), Document("Two.", {"name": f"n{i + 1}"}))
        names.note([Case(Record(f"r{i}", pair), Summary(f"r{i}", "s", "One."))])
    names._sum_up()
    assert not names._records
