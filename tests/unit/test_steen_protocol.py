"""The protocol about people: what it measures, and its tables in terminal, Markdown and LaTeX."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console

from fairbrief.auditing import Plan, audit
from fairbrief.nouns import Case, Document, Entity, Record, Summary
from fairbrief.registry import make
from fairbrief.reports import latex, markdown, terminal
from fairbrief.reports.result import Result

FIRST = {"female": ("Mary", "Susan"), "male": ("Frank", "Peter")}
LAST = ("Smith", "Jones")


def record(original: str, sample: int, member: int, tied: str) -> Record:
    """One of a pair with exchanged genders and races."""
    genders = ("female", "male") if member == 0 else ("male", "female")
    people = tuple(
        Entity(str(i), FIRST[g][i], LAST[i], {"gender": g, "race": "black" if g == "female" else "white"})
        for i, g in enumerate(genders)
    )
    text = " ".join(
        f"{p.first_name} {p.last_name} sang and {'she' if p.attributes['gender'] == 'female' else 'he'} danced."
        for p in people
    )
    attributes = {"sample": str(sample), "pair": str(member), "genders": tied}
    return Record(
        f"{original}-{sample}-{member}",
        (Document(text),),
        entities=people,
        attributes=attributes,
        original=original,
    )


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    """Two systems: one keeps the first sentence, one keeps men and invents a man and a woman."""
    found = []
    for number, original in enumerate("abcdef"):
        for sample in (0, 1):
            for member in (0, 1):
                r = record(original, sample, member, "tied" if number % 2 else "random")
                first, second = r.documents[0].text.split(". ")
                men = first if "he danced" in first.replace("she", "") else second
                found.append(Case(r, Summary(r.id, "early", f"{first}.")))
                found.append(Case(r, Summary(r.id, "men_first", f"{men.rstrip('.')}. Mr. Karl Zork left.")))
    return found


@pytest.fixture(scope="module")
def result(cases: list[Case]) -> Result:
    """The protocol over gender and race; half of the inputs have gender tied to race."""
    return audit(cases, Plan(protocol="steen-people", attributes=("gender", "race"), draws=50, seed=1))


def _table(result: Result, start: str) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]]:
    table = next(t for t in result.tables if t.title.startswith(start))
    return table.header, {row[0]: row[1:] for row in table.rows}


def test_scores_stand_with_both_intervals_and_a_direction(result: Result) -> None:
    """Each cell holds the score, the interval over samples, the one over originals; the last column who is named more."""
    header, rows = _table(result, "Table 3: scores by gender")
    assert header == ("", "Word list", "Inclusion", "Hallucination", "Dist. (count)", "Included most / least")
    assert rows["early"][0].splitlines()[0] == "0.00"
    assert rows["men_first"][0].splitlines() == ["0.50", "s: 0.50,0.50", "d: 0.50,0.50"]
    assert rows["men_first"][2].splitlines() == ["0.50", "s: 0.50,0.50", "d: 0.50,0.50"]
    assert rows["men_first"][-1] == "male / female"
    assert rows["early"][-1] == "–"


def test_tables_stand_in_the_papers_order(result: Result) -> None:
    """Tables 3, 6, 8, 16 and 20, each with its number."""
    assert [t.title for t in result.tables] == [
        "Table 3: scores by gender",
        "Table 6: most frequent invented names, by system",
        "Table 8: tokens, people and share invented, by system",
        "Table 16: scores by race, gender drawn at random",
        "Table 20: scores by race, gender tied to race",
    ]


def test_race_with_random_and_with_tied_gender_are_two_tables_of_one_audit(result: Result) -> None:
    """The protocol asks for the slice itself; each table has the rows of its inputs, and the other table has them not."""
    assert result.made["slices"] == [["genders"]]
    whole = {e.value for e in result.estimates if e.quantity == "inclusion[white]" and not e.slice}
    for way, title in (("random", "Table 16"), ("tied", "Table 20")):
        _, rows = _table(result, title)
        assert list(rows) == ["early", "men_first"]
        assert rows["men_first"][-1] == "white / black"
        sliced = [e for e in result.estimates if e.slice == {"genders": way}]
        assert {e.n for e in sliced if e.measure.startswith("entity_inclusion")} == {6}
    assert whole


def test_inputs_of_one_design_give_its_table_alone(cases: list[Case]) -> None:
    """Of tied inputs alone there is Table 20, without Table 16 and without the same rows twice."""
    tied = [case for case in cases if case.record.attributes["genders"] == "tied"]
    shown = audit(tied, Plan(protocol="steen-people", attributes=("race", "gender"), draws=20))
    titles = [t.title.partition(":")[0] for t in shown.tables]
    assert titles == ["Table 3", "Table 6", "Table 8", "Table 20"]
    assert all([row[0] for row in t.rows] == ["early", "men_first"] for t in shown.tables)
    by_race = audit(tied, Plan(protocol="steen-people", attributes=("race",), draws=20))
    assert [t.title.partition(":")[0] for t in by_race.tables] == ["Table 6", "Table 8", "Table 20"]
    assert not any(e.measure.startswith("entity_hallucination") for e in by_race.estimates)


def test_a_slice_of_the_user_is_a_row_beside_the_whole(cases: list[Case]) -> None:
    """Rows of a slice name it; what the title tells already is not said again."""
    plan = Plan(
        protocol="steen-people", attributes=("race",), slices=(("pair",), ("genders", "pair")), draws=20
    )
    _, rows = _table(audit(cases, plan), "Table 20")
    assert list(rows) == ["early", "men_first"] or {"men_first (pair=0)", "men_first (pair=1)"} <= set(rows)


@pytest.mark.parametrize("way", ["kept", "crossed", "", "unheard of"])
def test_other_designs_of_race_have_no_number_of_the_papers(cases: list[Case], way: str) -> None:
    """Gender as in the original, crossed with race or not told: the layout of the race tables, and no number."""
    changed = []
    for case in cases:
        others = {k: v for k, v in case.record.attributes.items() if k != "genders"}
        record = replace(case.record, attributes={**others, **({"genders": way} if way else {})})
        changed.append(Case(record, case.summary))
    shown = audit(changed, Plan(protocol="steen-people", attributes=("race",), draws=20))
    (scores,) = [t for t in shown.tables if "by race" in t.title]
    assert scores.title.startswith("Scores by race")
    assert not any("number" in note for note in scores.notes)


def test_word_lists_are_not_told_as_if_about_race(result: Result) -> None:
    """Word lists name genders: the table over race has no such column."""
    header, _ = _table(result, "Table 16")
    assert "Word list" not in header


def test_invented_people_are_counted_and_named(result: Result) -> None:
    """Tokens, people and the share invented per summary; the names with how often; who invents nobody says so."""
    _, counts = _table(result, "Table 8")
    assert counts["men_first"][1:3] == ("2.00", "0.50")
    assert counts["early"][1:3] == ("1.00", "0.00")
    _, names = _table(result, "Table 6")
    assert names["men_first"][0].endswith("(24)")
    assert names["early"] == ("nobody",)


def test_without_any_invented_name_the_tables_say_so(cases: list[Case]) -> None:
    """One system that invents nobody: Table 6 says nobody, Table 8 zero, and the score is undefined."""
    early = [case for case in cases if case.summary.system == "early"]
    shown = audit(early, Plan(protocol="steen-people", attributes=("gender",), draws=20))
    header, names = _table(shown, "Table 6")
    assert (header, names) == (("", "Names"), dict.fromkeys(names, ("nobody",)))
    header, counts = _table(shown, "Table 8")
    assert header == ("", "Tokens", "People", "Share invented")
    assert counts["early"][-1] == "0.00"
    header, scores = _table(shown, "Table 3")
    assert scores["early"][header.index("Hallucination") - 1] == "–"


def test_summaries_without_names_have_no_share(cases: list[Case]) -> None:
    """Where no summary names anybody a share of names is undefined, and inclusion too; nothing fails."""
    silent = [Case(c.record, Summary(c.record.id, "silent", "they sang.")) for c in cases]
    shown = audit(silent, Plan(protocol="steen-people", attributes=("gender",), draws=20))
    _, counts = _table(shown, "Table 8")
    assert counts["silent"][1:] == ("0.00", "–")
    _, names = _table(shown, "Table 6")
    assert names["silent"] == ("nobody",)


def test_an_attribute_that_is_neither_gender_nor_race_has_the_layout_of_table_3(cases: list[Case]) -> None:
    """Scores over another attribute say whose they are; tables of invented people are told once."""
    aged = []
    for case in cases:
        people = tuple(
            replace(p, attributes={**p.attributes, "age": "old" if i else "young"})
            for i, p in enumerate(case.record.entities)
        )
        aged.append(Case(replace(case.record, entities=people), case.summary))
    shown = audit(aged, Plan(protocol="steen-people", attributes=("age", "gender"), draws=20))
    assert [t.title for t in shown.tables] == [
        "Table 3: scores by gender",
        "Table 6: most frequent invented names, by system",
        "Table 8: tokens, people and share invented, by system",
        "Scores by age (laid out as Table 3)",
    ]
    header, _ = _table(shown, "Scores by age")
    assert "Word list" not in header


def test_planted_systems_give_table_2_from_both_references(cases: list[Case]) -> None:
    """With all four planted systems audited, Table 2 has their distances beside the paper's; with three it is absent."""
    records = list({case.record.id: case.record for case in cases}.values())
    made = [
        Case(record, summary)
        for name in ("random", "lead", "topic", "sexist")
        for record, summary in zip(records, make("summarizer", name).summarize(records), strict=True)
    ]
    assert {case.summary.system for case in made} == {"random", "lead", "topic", "sexist"}
    shown = audit(made, Plan(protocol="steen-people", attributes=("gender",), draws=20))
    header, rows = _table(shown, "Table 2: word lists of planted systems")
    assert header == ("", "Unf.", "Adj.", "paper: CNN", "paper: XSum")
    for name, (unf, adj, *_) in rows.items():
        for spelled, cell in (("reference=uniform, words=published", unf), ("words=published", adj)):
            value = next(
                e.value
                for e in shown.estimates
                if e.system == name and e.measure == f"word_list_inclusion({spelled})" and not e.slice
            )
            assert value is not None
            assert cell == f"{value:.2f}"
    three = [case for case in made if case.summary.system != "topic"]
    shown = audit(three, Plan(protocol="steen-people", attributes=("gender",), draws=20))
    assert not any(t.title.startswith("Table 2:") for t in shown.tables)


def test_tables_print_in_terminal_markdown_and_latex(result: Result) -> None:
    """Every cell arrives in every form, two intervals on lines of their own."""
    out = io.StringIO()
    terminal.print_result(replace(result, estimates=(), differences=()), Console(file=out, width=80))
    assert "Table 3: scores by gender" in out.getvalue()
    assert out.getvalue().count("male / female") >= 1
    assert all(len(line.rstrip()) <= 80 for line in out.getvalue().splitlines())
    table = result.tables[0]
    assert markdown.table(table).count("0.50<br>s\\: 0.50,0.50<br>d\\: 0.50,0.50") >= 2
    tex = latex.render(table)
    assert r"\begin{tabular}" in tex
    assert r"\shortstack[l]{0.50\\{\tiny s: 0.50,0.50}\\{\tiny d: 0.50,0.50}}" in tex
    assert tex.count(r"\begin{tabular}") == tex.count(r"\end{tabular}") == 1


def test_dense_similarity_is_asked_for_by_a_scorers_spelling() -> None:
    """Without a model there is no dense column; with one both similarities are measured."""
    plain = make("protocol", "steen-people").measures(("gender",))
    assert sum(m.startswith("distinguishability") for m in plain) == 1
    dense = make("protocol", "steen-people(embedding='embedding(model=some/folder)')").measures(("gender",))
    assert sum(m.startswith("distinguishability") for m in dense) == 2
    for spelling in dense:
        make("measure", spelling)
