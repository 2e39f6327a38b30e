"""The published N-gram numbers, from texts to table cells, and what the sanity baselines read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.real.claritin import in_order_of_draw
from tests.conftest import read_lines

from fairbrief import registry
from fairbrief.auditing.sanity_baselines import Exchange, from_record
from fairbrief.measures.representation import Representation
from fairbrief.protocols.zhang_perspectives import ZhangPerspectives
from fairbrief.scorers.shared_words import Ngram
from fairbrief.types import Case, Document, Reason, Record, Summary, Totals

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


def percent(cases: Sequence[Case], over: str, texts: str = "documents") -> Mapping[str, float]:
    """The protocol's numbers over cases, times 100, with the counts of records."""
    measures = [registry.make("measure", text) for text in ZhangPerspectives(texts=texts).measures([over])]
    observation: Representation = next(m for m in measures if m.name == "auc_cutoff").observation
    asks = [observation.asks((case,)) for case in cases]
    answers = iter(Ngram(tokenizer="nltk").answer([ask for several in asks for ask in several]))
    sums: dict[tuple[str, ...], float] = {}
    for case, several in zip(cases, asks, strict=True):
        exchange = observation.permutation_scheme((case,))
        labels = np.zeros((1, 0), dtype=np.int64) if exchange is None else exchange.labels[np.newaxis]
        rows = observation.observe((case,), [next(answers) for _ in several], labels)
        if not isinstance(rows, Reason):
            for column, number in zip(rows.columns, rows.values[0], strict=True):
                sums[column] = sums.get(column, 0.0) + number
    totals = Totals({c: i for i, c in enumerate(sums)}, np.array(list(sums.values())))
    found = {m.name: 100 * float(m.value(totals)[m.name].array) for m in measures}
    return found | {"n": float(totals["one"]), "unfair": float(totals["unfair"])}


@cache
def percent_of(path: Path, over: str) -> Mapping[str, float]:
    """The protocol's numbers of a file."""
    return percent(cases_of(path), over)


@cache
def percent_as_drawn(data: Path) -> Mapping[str, float]:
    """The numbers of Claritin's tweets, those of a gender joined as the release drew them."""
    mixtures, tweets = read_lines(data / CLARITIN), read_lines(data / TWEETS)
    return percent(cases_from(in_order_of_draw(tweets, mixtures)), "gender", "values")


def test_yelp(shared: Path, golden: Path) -> None:
    """PerspectiveSumm Table 2, GPT-4 on Yelp, N-gram: exactly 304 of 1,500, 20.27 / 2.50."""
    cell, found = published(golden, YELP), percent_of(shared / YELP, "sentiment")
    assert (found["n"], found["unfair"]) == (cell["n"], cell["unfair"])
    assert (round(found["bur"], 2), round(found["uer"], 2)) == (cell["BUR"], cell["UER"])
    # SOF moves with the tagger's data by more than BUR does: 0.54 with one, 0.55 with another.
    assert found["sof"] == pytest.approx(cell["SOF_x100"], abs=0.01)


def test_claritin(shared: Path, golden: Path) -> None:
    """Table 2, Alpaca on Claritin, N-gram: 684 of 1,338 within 3, the file's order not being the paper's."""
    cell, found = published(golden, CLARITIN), percent_of(shared / CLARITIN, "gender")
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


def exchanged(cases: Sequence[Case]) -> list[Case]:
    """The cases with summaries of other records."""
    exchange = Exchange(cases)
    return [borrowed for case in cases if (borrowed := exchange.of(case)) is not None]


def test_exchanged_outputs(shared: Path, golden: Path) -> None:
    """Outputs of other records score much worse on Yelp, and about alike on Claritin, as they did before."""
    sanity_baselines = json.loads((golden / "representation" / "published.json").read_text())["controls"]
    yelp = percent(exchanged(cases_of(shared / YELP)), "sentiment")
    wanted = sanity_baselines["yelp gpt-4, outputs exchanged between records"]
    assert yelp["bur"] == pytest.approx(wanted["BUR"], abs=4)  # four standard deviations of permutations
    assert yelp["uer"] == pytest.approx(wanted["UER"], abs=0.28)
    claritin = percent(exchanged(cases_of(shared / CLARITIN)), "gender")
    wanted = sanity_baselines["claritin alpaca, outputs exchanged"]
    assert claritin["bur"] == pytest.approx(wanted["BUR"], abs=4)
    assert claritin["uer"] == pytest.approx(wanted["UER"], abs=0.28)


def test_whole_source(shared: Path, golden: Path) -> None:
    """The source as its own summary is almost never unfair, but not at zero: shared words flatten p_y."""
    sanity_baselines = json.loads((golden / "representation" / "published.json").read_text())["controls"]
    wanted = sanity_baselines["yelp, whole source as summary"]
    records = [case.record for case in cases_of(shared / YELP)]
    found = percent([Case(r, from_record(r, "whole_source")) for r in records], "sentiment")
    assert found["bur"] == pytest.approx(wanted["BUR"], abs=0.07)
    assert found["uer"] == pytest.approx(wanted["UER"], abs=0.02)
