"""Every obtained figure of the reproduction page is obtained again where its input lies beside the project."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from tests.cli.command import printed
from tests.golden.test_representation import CLARITIN, YELP, percent_as_drawn, percent_of

from docs import reproduction
from fairbrief.measures.position import PositionHeights, segment_names
from fairbrief.protocols.published_results import ObtainedFigure
from fairbrief.types import Totals

pytestmark = pytest.mark.usefixtures("nltk_data")
FIGURES = [
    (name, result.number, figure)
    for name, _, _, results in reproduction.declared()
    for result in results
    for figure in result.obtained
]
REFERENCES = {"Amazon": ("data/reviews/amazon_gold__human-{}.jsonl", "rating"), "Yelp": ("data/reviews/yelp_gold__human-{}.jsonl", "sentiment")}  # fmt: skip
PLOTS = {"TF-IDF": "LlaMa2-reddit-capped", "ROUGE-1": "LlaMa2-reddit-capped_random-rouge"}


@cache
def statistics(path: Path) -> tuple[str, str]:
    """Records, and the longest and mean record in tokens, as ``fairbrief stats`` prints them."""
    said = printed("stats", path, "--tokens", "nltk")
    n, mean, _, most = next(
        line.split()[-4:] for line in said.splitlines() if line.startswith("tokens per record")
    )
    return n.replace(",", ""), f"{most}/{mean}".replace(",", "")


def obtained_now(shared: Path, number: str, figure: ObtainedFigure) -> list[str]:
    """The figure as the page prints it; one for each released reference that there is."""
    cell = figure.cell
    if number == "Table 1":
        return [statistics(shared / (YELP if "Yelp" in cell else CLARITIN))["Length" in cell]]
    measure = cell.rpartition(" ")[2].lower()
    if number == "Table 4":
        name, over = next(REFERENCES[k] for k in REFERENCES if k in cell)
        files = [shared / name.format(i) for i in (1, 2, 3)]
        return [f"{percent_of(file, over)['own'][measure]:.2f}" for file in files if file.exists()]
    if "Yelp" in cell:
        return [f"{percent_of(shared / YELP, 'sentiment')['own'][measure]:.2f}"]
    if "order of the draw" not in figure.input:
        return [f"{percent_of(shared / CLARITIN, 'gender')['own'][measure]:.2f}"]
    return [f"{percent_as_drawn(shared)[measure]:.2f}"]


@pytest.mark.parametrize(("name", "number", "figure"), FIGURES, ids=lambda x: getattr(x, "cell", x))
def test_an_obtained_figure_is_still_obtained(
    shared: Path, name: str, number: str, figure: ObtainedFigure
) -> None:
    """The number on the page is the number that the input gives today; of three references those that are there."""
    if name == "chhabra-position":
        results = json.loads((shared / "golden/position/histograms.json").read_text())["results"]
        plot = next(r for r in results if r["result"] == PLOTS[figure.cell.partition(", ")[2]])
        columns = {(s, k): 10 * i + j for i, s in enumerate(("generated", "reference")) for j, k in enumerate(segment_names(10))}  # fmt: skip
        totals = Totals(columns, np.array([*plot["gen"], *plot["gold"]], dtype=np.float64))
        found = PositionHeights(weights="pooled").value(totals)["position_heights"].array
        assert f"{float(found):.4f}" == figure.obtained
        return
    now = obtained_now(shared, number, figure)
    assert now
    assert now == figure.obtained.split(", ")[: len(now)]
