"""The page by families: what is drawn, in which colours, and what is said to be cut."""

import re
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from fairbrief_openings import OpeningGap
from tests import sample_families, sample_results

from fairbrief import audit, registry
from fairbrief.reports import figures, html, tables
from fairbrief.reports.plot import DARK, LIGHT, SERIES
from fairbrief.types import Estimate, Note


@pytest.fixture(scope="module")
def drawn() -> dict[str, figures.Figure]:
    """Every figure of a result of all families, by title."""
    return {figure.title: figure for figure in figures.draw(sample_families.make())}


def labels(figure: figures.Figure) -> list[str]:
    """What is read out in the place of each picture."""
    return [re.search(r'aria-label="([^"]*)"', panel.svg)[1] for panel in figure.panels]  # type: ignore[index] - a miss must fail here


DECLARED = registry.declared("measure")


@pytest.mark.parametrize(
    "name", [name for name in DECLARED if DECLARED[name][0].value.startswith("fairbrief.")]
)
def test_every_built_in_measure_declares_its_words(name: str) -> None:
    """Family, question, the harm of a gap and figures that exist are declared by each measure."""
    declaration = registry.load("measure", name).declaration
    assert declaration.family
    assert declaration.question
    assert declaration.harm.endswith(".")
    assert set(declaration.figures) <= set(figures.KINDS)


def test_each_family_has_its_pictures(drawn: dict[str, figures.Figure]) -> None:
    """Coverage, people, sentiment and quality are drawn from their per-record statistics and estimates."""
    assert list(drawn) == [
        "Coverage gap of single records by side", "How well a summary reveals the group, by seed document",
        "Sentiment of articles and summaries, by group", "Change of sentiment from article to summary",
    ]  # fmt: skip
    assert all(figure.panels for figure in drawn.values())


def test_regressions_are_drawn_for_groups_of_ten_or_more(drawn: dict[str, figures.Figure]) -> None:
    """Each group's slope and its value at neutral are read out; fewer texts have points and no line, many at most 300 points."""
    title = "Change of sentiment from article to summary"
    said = "female: slope -0.40, at neutral +0.00; male: slope -0.50, at neutral +0.10"
    assert said in labels(drawn[title])[0]
    few, many = ({f.title: f for f in figures.draw(sample_families.make(n=n))}[title] for n in (12, 400))
    assert "slope" not in labels(few)[0]
    assert many.panels[0].svg.count("<circle") == 300


def test_what_a_picture_leaves_out_is_said() -> None:
    """More systems than lines: the caption says so."""
    result = sample_families.make([f"s{i}" for i in range(9)])
    cut = next(f for f in figures.draw(result) if f.title.startswith("Coverage gap of single records"))
    assert len(cut.panels) == 6
    assert "Only the first 6 of 9 systems are shown." in cut.caption


def test_both_intervals_are_shown_where_there_are_two() -> None:
    """The interval within seed documents has a column of its own, in the digits of the value, and only there."""
    assert '<td class="num"><bdi>[0.06, 0.14]</bdi></td>' in html.render(sample_families.make())
    assert "<bdi>within seed documents</bdi>" not in html.render(sample_results.make())


def test_equal_notes_are_said_once() -> None:
    """One line has all rows with the note."""
    estimates = [
        Estimate("a@x", q, "s", 0.1, notes=(Note("undefined_resamples", {"share": share}),))
        for q, share in (("a", 0.02), ("b", 0.441))
    ]
    told = "a@x, a@x: b: undefined in some of the resamples, which the interval excludes"
    assert tables.notes(estimates) == [told]


def test_equal_reasons_of_several_systems_are_said_once() -> None:
    """What was left out for the same reasons stands in one line, with all systems it holds for."""
    e = Estimate("bur@x", "bur", "a", 0.1, n=3, excluded={"empty summary": 2})
    (line,) = tables.excluded([e, e.replace(system="b")])
    assert line == "Excluded records, a, b (bur@x): empty summary 2."


def test_a_page_of_many_systems_and_subgroups_stays_small_and_says_what_is_not_on_it() -> None:
    """Main values of all sections come before secondary estimates; the rest is counted."""
    estimates = [
        Estimate("uer", q, f"s{i}", 0.1, over=over, subgroup={"topic": part} if part else {})
        for over in "abcd"
        for part in ("", "x", "y")
        for i in range(12)
        for q in ("uer", *(f"under[{k}]" for k in range(60)))
    ]
    pairs = (Estimate("uer", "uer", "pair", 0.1, baseline="s0"),)
    page = html.render(replace(sample_results.make(), estimates=tuple(estimates), differences=pairs))
    shown = page.count('<tr><th scope="row"><bdi>uer')
    hidden = [int(n.replace(",", "")) for n in re.findall(r"([\d,]+) further rows are", page)]
    assert shown == html.MOST_ON_PAGE
    assert shown + sum(hidden) == len(estimates) + 1
    assert page.count('<th scope="row"><bdi>uer</bdi>') == 4 * 3 * 12 + 1
    assert len(page) < 1e3 * html.MOST_ON_PAGE


def test_a_plug_in_has_its_section_and_harm() -> None:
    """What a measure of another package declares is what the page shows of it."""
    page = html.render(audit("examples/reviews.jsonl", [OpeningGap("sentiment")], n_resamples=20).result)
    assert "Openings by sentiment" in page
    said = "</bdi>: how unequally summaries repeat the first words of the groups' documents.</p>"
    assert said in page.replace("&#39;", "'")
    assert "Who begins with the same words as others would be heard less than they are." in page


def luminance(colour: str) -> float:
    """The relative luminance of a hex colour, as WCAG defines it."""
    c = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    return float(np.array([0.2126, 0.7152, 0.0722]) @ linear)


@pytest.mark.parametrize("colours", [LIGHT, DARK])
def test_systems_and_less_stand_out_from_the_paper(colours: Mapping[str, str]) -> None:
    """The colours of systems and of "less" are distinct, and have a contrast of at least 3 with the paper."""
    used = [colours[name] for name in (*SERIES, "less")]
    assert len({*used}) == len(used)
    for colour in used:
        low, high = sorted(map(luminance, (colour, colours["paper"])))
        assert (high + 0.05) / (low + 0.05) >= 3, colour
