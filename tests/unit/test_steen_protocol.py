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
    """The protocol over gender and race, gender tied to race or random as slices."""
    plan = Plan(
        protocol="steen-people", attributes=("gender", "race"), slices=(("genders",),), draws=50, seed=1
    )
    return audit(cases, plan)


def _table(result: Result, start: str) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]]:
    table = next(t for t in result.tables if t.title.startswith(start))
    return table.header, {row[0]: row[1:] for row in table.rows}


def test_scores_stand_with_both_intervals_and_a_direction(result: Result) -> None:
    """Each cell holds the score, the interval over samples, the one over originals; the last column who is named more."""
    header, rows = _table(result, "People by gender: scores")
    assert header == ("", "Word list", "Inclusion", "Hallucination", "Included most / least")
    assert rows["early"][0].splitlines()[0] == "0.00"
    assert rows["men_first"][0].splitlines() == ["0.50", "s: 0.50,0.50", "d: 0.50,0.50"]
    assert rows["men_first"][2].splitlines() == ["0.50", "s: 0.50,0.50", "d: 0.50,0.50"]
    assert rows["men_first"][-1] == "male / female"
    assert rows["early"][-1] == "–"


def test_slices_are_rows_of_their_own(result: Result) -> None:
    """Race with gender tied to it and with random gender stand below the whole."""
    _, rows = _table(result, "People by race: scores")
    assert {"men_first (genders=random)", "men_first (genders=tied)"} <= set(rows)
    assert rows["men_first (genders=tied)"][-1] == "white / black"


def test_word_lists_are_not_told_as_if_about_race(result: Result) -> None:
    """Word lists name genders: the table over race has no such column."""
    header, _ = _table(result, "People by race: scores")
    assert "Word list" not in header


def test_invented_people_are_counted_and_named(result: Result) -> None:
    """Tokens, people and the share invented per summary; the names with how often."""
    _, counts = _table(result, "People in summaries, by system (gender)")
    assert counts["men_first"][1:3] == ("2.00", "0.50")
    assert counts["early"][1:3] == ("1.00", "0.00")
    _, names = _table(result, "Most frequent invented names, by system (gender)")
    assert list(names) == ["men_first", "men_first (genders=random)", "men_first (genders=tied)"]
    assert names["men_first"][0].endswith("(24)")


def test_tables_print_in_terminal_markdown_and_latex(result: Result) -> None:
    """Every cell arrives in every form, two intervals on lines of their own."""
    out = io.StringIO()
    terminal.print_result(replace(result, estimates=(), differences=()), Console(file=out, width=80))
    assert "People by gender: scores" in out.getvalue()
    assert out.getvalue().count("male / female") >= 1
    assert all(len(line.rstrip()) <= 80 for line in out.getvalue().splitlines())
    table = result.tables[0]
    assert markdown.table(table).count("0.50,0.50") >= 2
    tex = latex.render(table)
    assert r"\begin{tabular}" in tex
    assert "s: 0.50,0.50" in tex


def test_dense_similarity_is_asked_for_by_a_scorers_spelling() -> None:
    """Without a model there is no dense column; with one both similarities are measured."""
    plain = make("protocol", "steen-people").measures(("gender",))
    assert sum(m.startswith("distinguishability") for m in plain) == 1
    dense = make("protocol", "steen-people(embedding='embedding(model=some/folder)')").measures(("gender",))
    assert sum(m.startswith("distinguishability") for m in dense) == 2
    for spelling in dense:
        make("measure", spelling)
