"""People's judgement of summaries: what is asked of whom, how answers come back, and what follows from them."""

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.files.shapes import table

from fairbrief.errors import DataError, RequestError
from fairbrief.types import Case, Claim, Document, Record, Summary
from fairbrief.workbench import judgements as judging
from fairbrief.workbench.judgements import agreement, judged_cases, unfairness
from fairbrief.workbench.sheets import Answer, Item, assign, free, items_of, protect, read_answers, sheet


def case(i: int = 0, system: str = "s", claims: bool = True) -> Case:
    """A case of our own with two values and two claims."""
    record = Record(f"r{i}", (Document("Tea is good.", {"g": "a"}), Document("=Tea is bad.", {"g": "b"})))
    cut = (Claim("Tea is good."), Claim("Some say bad.")) if claims else None
    return Case(record, Summary(f"r{i}", system, "Tea is good. Some say bad.", cut))


def asked(cases: list[Case], task: str, **more: Any) -> list[tuple[Case, tuple[Item, ...]]]:
    """Cases with their items."""
    return list(items_of(cases, task, "" if task == "leaning" else "g", **more))


def filled(folder: Path, name: str, text: str, answers: list[str], **columns: str) -> Path:
    """A sheet with its answers filled in, as a spreadsheet would save it."""
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    for row, answer in zip(rows, answers, strict=True):
        row.update(answer=answer, **columns)
    table(folder / name, rows, delimiter=";" if name.endswith("x.csv") else ",", encoding="utf-8-sig")
    return folder / name


def index(cases: list[tuple[Case, tuple[Item, ...]]]) -> dict[Any, Item]:
    """The items by key."""
    return {item.key: item for _, items in cases for item in items}


@pytest.mark.parametrize(("task", "parts", "choices"), [
    ("claims", ["1", "2"], ("a", "b", "none")),
    ("rating", ["a", "b"], ("1", "2", "3", "4", "5")),
    ("leaning", [""], ("negative", "fair", "positive")),
])  # fmt: skip
def test_questions(task: str, parts: list[str], choices: tuple[str, ...]) -> None:
    """Each task asks about its parts with its choices; cases without a summary are passed over."""
    missing = Case(case().record, Summary("r0", "t", "", reason="missing summary"))
    ((_, items),) = asked([case(), missing], task)
    assert [item.key.part for item in items] == parts
    assert {item.choices for item in items} == {choices}
    assert len({item.key for item in items}) == len(items)


def test_judges_do_not_know_the_systems() -> None:
    """No sheet names a system, and one system has another code in each record."""
    held = asked([case(i, s) for i in range(3) for s in ("brand-new-model", "other")], "rating")
    assert len({item.key.system for _, items in held for item in items}) == 6
    assert "brand-new-model" not in sheet(held, "ann", "g")


def test_claims_without_a_cut_are_sentences() -> None:
    """A summary without claims is judged sentence by sentence, and is given those as its claims."""
    held = asked([case(claims=False)], "claims")
    assert [item.about for item in held[0][1]] == ["Tea is good.", "Some say bad."]
    (judged,) = judged_cases(held, [Answer("x", item, ("a",)) for item in held[0][1]], "g")
    good, bad = (Claim(text, {"g": ("a",)}) for text in ("Tea is good.", "Some say bad."))
    assert judged.summary.claims == (good, bad)


def test_impossible_questions() -> None:
    """No attribute, choices without 'fair' and values like an answer are refused."""
    for task, attribute, choices in (
        ("claims", "", None), ("leaning", "", ["a", "b"]), ("rating", "g", ["fair", "b"]),
    ):  # fmt: skip
        with pytest.raises(RequestError):
            list(items_of([case()], task, attribute, choices=choices))
    for value in ("none", "a|b"):
        odd = Case(Record("r", (Document("x", {"g": value}),)), Summary("r", "s", "x"))
        with pytest.raises(DataError, match="Rename it"):
            list(items_of([odd], "claims", "g"))


def test_assignment() -> None:
    """Each case goes to all people, in different orders, which seeds decide."""
    cases = list(range(25))
    load = assign(cases, ["ann", "bea"])
    assert sorted(load["ann"]) == sorted(load["bea"]) == cases
    assert load["ann"] != load["bea"]
    assert load == assign(cases, ["ann", "bea"])
    assert load != assign(cases, ["ann", "bea"], seed=1)
    for people in (["a", "a"], []):
        with pytest.raises(RequestError):
            assign(cases, people)


def test_sheets_come_back(tmp_path: Path) -> None:
    """Sheets filled in by a spreadsheet (a mark at the beginning, semicolons) are read; blanks are counted."""
    held = asked([case(0), case(1, "=cmd")], "claims")
    text = sheet(held, "ann", "g")
    one = filled(tmp_path, "one.csv", text, ["a", "A | b", "none", ""])
    two = filled(tmp_path, "bea x.csv", text, ["a,b", "b", "NONE", "a"], annotator="")
    answers, blank = read_answers([one, two], index(held))
    assert [(a.annotator, a.chosen) for a in answers] == [
        ("ann", ("a",)), ("ann", ("a", "b")), ("ann", ()), ("bea x", ("a", "b")), ("bea x", ("b",)), ("bea x", ()),
        ("bea x", ("a",)),
    ]  # fmt: skip
    assert blank == {"ann": 1}


def test_sheets_hold_no_formulas() -> None:
    """No cell of a sheet begins as a formula; what was protected is freed alike."""
    text = sheet(asked([case(0, "=cmd|' /C calc'!A0")], "claims"), "-ann", "g")
    rows = csv.reader(io.StringIO(text, newline=""))
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "-", "@"))]
    for cell in ("=1", "'", "'=x", "plain", "", "-", "''"):
        assert free(protect(cell)) == cell


@pytest.mark.parametrize(("answers", "columns", "said"), [
    (["c", "a"], {}, r"x\.csv:2: found the answer 'c'; expected a or b or none"),
    (["a", "none|a"], {}, r"x\.csv:4: found 'none' beside values"),
    (["a", "a"], {"record": "other"}, r"x\.csv:2: found the question 'claims/other/"),
    (["a", "a"], {"check": "00000000"}, "another summary of record 'r0'"),
    (["", ""], {}, "no answer"),
])  # fmt: skip
def test_wrong_answers(tmp_path: Path, answers: list[str], columns: dict[str, str], said: str) -> None:
    """An answer that is no choice, to a question that is not asked, or to an older text is told with its line."""
    held = asked([case()], "claims")
    path = filled(tmp_path, "x.csv", sheet(held, "ann"), answers, **columns)
    with pytest.raises(DataError, match=said):
        read_answers([path], index(held))


def test_other_wrong_files(tmp_path: Path) -> None:
    """A question answered twice, a file of something else, and no file at all are told."""
    held = asked([case()], "claims")
    path = filled(tmp_path, "y.csv", sheet(held, "ann"), ["a", "b"])
    with pytest.raises(DataError, match=r"y\.csv:2: found a second answer of 'ann'.*y\.csv:2"):
        read_answers([path, path], index(held))
    for content, said in (("a,b\n1,2\n", "no 'task'"), ("{}", "no answer"), ("", "no answer")):
        bad = tmp_path / "z.csv"
        bad.write_text(content, encoding="utf-8")
        with pytest.raises(DataError, match=said):
            read_answers([bad], index(held))
    with pytest.raises(RequestError, match="cannot be read"):
        read_answers([tmp_path / "none.csv"], index(held))


def test_judged_claims() -> None:
    """A majority needs more than half; a case with unjudged claims is passed over."""
    held = asked([case(0), case(1)], "claims")
    (one, two), (three, _) = held[0][1], held[1][1]
    answers = [
        Answer("x", one, ("a", "b")), Answer("y", one, ("a",)),
        Answer("x", two, ()), Answer("y", two, ("b",)), Answer("z", two, ("b",)),
        Answer("x", three, ("a",)),
    ]  # fmt: skip
    (judged,) = judged_cases(held, answers, "g")
    assert [claim.values["g"] for claim in judged.summary.claims or ()] == [("a",), ("b",)]


def test_judged_ratings_and_leanings() -> None:
    """Mean ratings and the leaning of the majority become attributes; unfairness is their shortfall."""
    rated = asked([case()], "rating")
    a, b = rated[0][1]
    given = (("x", a, "5"), ("y", a, "4"), ("x", b, "2"), ("y", b, "1"))
    answers = [Answer(name, item, (rating,)) for name, item, rating in given]
    (judged,) = judged_cases(rated, answers, "g")
    assert judged.record.attributes == {"rating a": "4.5", "rating b": "1.5"}
    assert unfairness(rated, answers) == {("r0", "s"): (5 - 1.5) / 4}
    assert unfairness(rated, answers[:2]) == {}
    leaning = asked([case()], "leaning", choices=["left", "fair"])
    ((item,),) = [items for _, items in leaning]
    answers = [Answer(n, item, (v,)) for n, v in zip("xyz", ("left", "fair", "left"), strict=True)]
    (judged,) = judged_cases(leaning, answers)
    assert judged.record.attributes == {"leaning": "left"}
    assert unfairness(leaning, answers) == {("r0", "s"): pytest.approx(2 / 3)}


def test_agreement_of_annotators() -> None:
    """Annotators who always agree have α and κ 1, those who answer by lot have both near 0, one alone has none."""
    items = index(asked([case(i) for i in range(120)], "leaning")).values()
    rng = np.random.default_rng(5)
    choices = ("negative", "fair", "positive")
    lots = {item: [choices[j] for j in rng.integers(3, size=2)] for item in items}
    same = [Answer(n, item, (lots[item][0],)) for n in "xy" for item in items]
    apart = [Answer(n, item, (lots[item][i],)) for i, n in enumerate("xy") for item in items]
    assert [one.value for one in agreement(same)] == [1, 1]
    for one in agreement(apart):
        assert one.low < 0 < one.high
        assert one.low < one.value < one.high
    assert np.isnan([one.value for one in agreement(apart[:120])]).all()
    rated = asked([case(i) for i in range(4)], "rating")
    votes = [Answer(n, item, (r,)) for item in index(rated).values() for n, r in (("x", "5"), ("y", "4"))]
    found = {one.name: one.value for one in agreement(votes)}
    assert found["rating: Randolph's κ (5 categories)"] == pytest.approx(-0.25)


def test_claims_are_compared_value_by_value() -> None:
    """Two annotators who share one of two values of a claim agree on half of the questions: κ is 0."""
    held = asked([case(0), case(1)], "claims")
    chosen = {"x": ("a",), "y": ("a", "b")}
    answers = [Answer(n, item, values) for item in index(held).values() for n, values in chosen.items()]
    kappa = next(one for one in agreement(answers) if one.name == "claims: Randolph's κ (2 categories)")
    assert (kappa.value, kappa.n) == (0, 8)


def test_agreement_of_measures_with_people(monkeypatch: pytest.MonkeyPatch) -> None:
    """A measure that orders like people agrees always, its mirror never, one by lot half the time; nan is left out."""
    monkeypatch.setattr(judging, "DRAWS", 100)
    rng = np.random.default_rng(1)
    judged = rng.integers(0, 3, size=60).astype(float)
    ids = [str(i) for i in range(60)]

    def ordered(measured: np.ndarray, judged: np.ndarray, records: list[str] = ids) -> judging.Agreement:
        return judging.agreement_with_people(measured, judged, records)[0]

    assert ordered(judged * 2 + 1, judged).value == 1
    assert ordered(-judged, judged).value == 0
    assert ordered(np.zeros(60), judged).value == 0.5
    by_lot = ordered(rng.random(60), judged)
    assert by_lot.low < 0.5 < by_lot.high
    some = judged.copy()
    some[:10] = np.nan
    assert ordered(some, judged).n == 50
    assert np.isnan(ordered(judged, np.ones(60)).value)
    assert np.isnan(ordered(judged, judged, ["one"] * 60).low)
    found = {one.name: one.value for one in judging.agreement_with_people(judged / 2 + 1, judged, ids)}
    assert found["Pearson"] == pytest.approx(1)
    assert found["Spearman"] == pytest.approx(1)


PEOPLE = np.array([1.0, 1.0, -1.0, 0.0])
"""Two samples lean to the second side, one to the first, one is fair."""


def test_samples_go_to_the_measure_with_the_same_side_or_nearer_zero() -> None:
    """First has the sides of samples 1 to 3, second that of sample 1. In the fair one |0.1|/0.4 = 0.25 is nearer than 3/3 = 1."""
    counts = np.array([[1.0, 1, 1, 1], [4, 0, 0, 0], [0, 0, 4, 0], [0, 1, 1, 2]])
    first = judging.Leans("first", np.array([0.2, 0.4, -0.1, 0.1]), np.array([0.15, 0.2, -0.1, 0.1]))
    second = judging.Leans("second", np.array([1.0, -2.0, 3.0, -3.0]), np.array([-0.25, 1.0, 3.0, -1.0]))
    table = judging.leaning_table(PEOPLE, first, second, counts)
    # Groups: people lean to 1, 1, −1 and (one each) to neither side; first is right in all three, second in the second.
    assert table.rows == (("first", "3", "100%"), ("second", "0", "33%"))
    # First leads by 3, 0, 4 and 4: only in the second group it is not ahead.
    assert "Samples: 1 agree equally with both; p = 0.250" in table.notes[0]
    assert "in 1 people lean to neither side" in table.notes[1]
