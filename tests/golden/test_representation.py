"""The published N-gram numbers, from texts to table cells, and what the sanity baselines read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from benchmarks.real.claritin import in_order_of_draw
from tests.conftest import read_lines

from fairbrief.auditing import Plan, audit
from fairbrief.protocols.zhang_perspectives import ZhangPerspectives
from fairbrief.types import Case, Document, Record, Summary

YELP, CLARITIN = "data/reviews/yelp__gpt-4.jsonl", "data/tweets/claritin__alpaca-7b.jsonl"
TWEETS = "data/tweets/tweets_claritin.jsonl"
pytestmark = pytest.mark.usefixtures("nltk_data")


@cache
def cases_of(path: Path) -> tuple[Case, ...]:
    """The records of a file with their summaries."""
    return cases_from(read_lines(path))


def cases_from(lines: Iterable[Mapping[str, Any]]) -> tuple[Case, ...]:
    """Records with their summaries, from lines of a file."""
    return tuple(
        Case(
            Record(line["id"], tuple(Document(d["text"], d["attributes"]) for d in line["documents"])),
            Summary(
                line["id"], line["system"], line["summary"], reason="" if line["summary"].strip() else "empty"
            ),
        )
        for line in lines
    )


def published(golden: Path, file: str) -> dict[str, Any]:
    """The cell of a file."""
    cells = json.loads((golden / "representation" / "published.json").read_text())["cells"]
    return next(cell for cell in cells if cell["file"] == file)


def percent(
    cases: Sequence[Case], over: str, texts: str = "documents", baselines: Sequence[str] = ()
) -> dict[str, dict[str, float]]:
    """The protocol's numbers over cases, times 100, with the counts of records; of the system, and of each sanity baseline."""
    measures = ZhangPerspectives(texts=texts).measures([over])
    found: dict[str, dict[str, float]] = {}
    plan = Plan(measures=measures, n_resamples=0, sanity_baselines=baselines, check_scorers=False)
    for e in audit(cases, plan).estimates:
        if e.quantity in ("bur", "uer", "sof", "auc_cutoff") and not e.subgroup:
            of_system = found.setdefault(e.system.partition("(")[0], {"n": e.n})
            of_system[e.quantity] = 100 * (e.value or 0)
    for of_system in found.values():
        of_system["unfair"] = round(of_system["bur"] * of_system["n"] / 100)
    return found


@cache
def percent_of(path: Path, over: str) -> Mapping[str, Mapping[str, float]]:
    """The protocol's numbers of a file, and of its sanity baselines."""
    whole = () if over == "gender" else ("whole_source",)
    found = percent(cases_of(path), over, baselines=("exchanged", *whole))
    own = next(system for system in found if not system.startswith("sanity:"))
    return {**found, "own": found[own]}


@cache
def percent_as_drawn(data: Path) -> Mapping[str, float]:
    """The numbers of Claritin's tweets, those of a gender joined as the release drew them."""
    mixtures, tweets = read_lines(data / CLARITIN), read_lines(data / TWEETS)
    (numbers,) = percent(cases_from(in_order_of_draw(tweets, mixtures)), "gender", "values").values()
    return numbers


def test_yelp(shared: Path, golden: Path) -> None:
    """PerspectiveSumm Table 2, GPT-4 on Yelp, N-gram: exactly 304 of 1,500, 20.27 / 2.50."""
    cell, found = published(golden, YELP), percent_of(shared / YELP, "sentiment")["own"]
    assert (found["n"], found["unfair"]) == (cell["n"], cell["unfair"])
    assert (round(found["bur"], 2), round(found["uer"], 2)) == (cell["BUR"], cell["UER"])
    # SOF moves with the tagger's data by more than BUR does: 0.54 with one, 0.55 with another.
    assert found["sof"] == pytest.approx(cell["SOF_x100"], abs=0.01)


def test_claritin(shared: Path, golden: Path) -> None:
    """Table 2, Alpaca on Claritin, N-gram: 684 of 1,338 within 3, the file's order not being the paper's."""
    cell, found = published(golden, CLARITIN), percent_of(shared / CLARITIN, "gender")["own"]
    assert found["n"] == cell["n"]
    assert abs(found["unfair"] - cell["unfair"]) <= 3
    assert found["uer"] == pytest.approx(cell["UER"], abs=0.01)
    assert found["sof"] == pytest.approx(cell["SOF_x100"], abs=0.05)
    assert found["auc_cutoff"] == pytest.approx(12.91, abs=0.1)  # recomputed from the authors' sweep


def test_claritin_in_the_order_of_the_draw(shared: Path, golden: Path) -> None:
    """The tweets of a gender joined as the release drew them give the published count exactly: 684 of 1,338."""
    cell, found = published(golden, CLARITIN), percent_as_drawn(shared)
    assert (found["n"], found["unfair"]) == (cell["n"], cell["unfair"])
    assert (round(found["bur"], 2), round(found["uer"], 2)) == (cell["BUR"], cell["UER"])


@pytest.mark.parametrize(
    ("path", "over", "baseline", "control", "tolerances"),
    [
        # Exchanged: four standard deviations of permutations.
        (YELP, "sentiment", "exchanged", "yelp gpt-4, outputs exchanged between records", (4, 0.28)),
        (CLARITIN, "gender", "exchanged", "claritin alpaca, outputs exchanged", (4, 0.28)),
        (YELP, "sentiment", "whole_source", "yelp, whole source as summary", (0.07, 0.02)),
    ],
)
def test_sanity_baselines(
    path: str,
    over: str,
    baseline: str,
    control: str,
    tolerances: tuple[float, float],
    shared: Path,
    golden: Path,
) -> None:
    """Outputs of other records score much worse on Yelp, and about alike on Claritin, as they did before.

    The source as its own summary is almost never unfair, but not at zero: shared words flatten p_y.
    """
    wanted = json.loads((golden / "representation" / "published.json").read_text())["controls"][control]
    found = percent_of(shared / path, over)[f"sanity:{baseline}"]
    assert found["bur"] == pytest.approx(wanted["BUR"], abs=tolerances[0])
    assert found["uer"] == pytest.approx(wanted["UER"], abs=tolerances[1])
