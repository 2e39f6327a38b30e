"""The published N-gram numbers as a person gets them, from the released files through the command, all figures that the
page of the paper shows as obtained from these files, and what the sanity baselines read.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from benchmarks.real.claritin import in_order_of_draw
from tests.cli.command import printed, write
from tests.conftest import read_lines

from fairbrief.protocols.published_results import published_results
from fairbrief.reports.audit_folder import load
from fairbrief.text import published_nltk

YELP, CLARITIN = "data/reviews/yelp__gpt-4.jsonl", "data/tweets/claritin__alpaca-7b.jsonl"
TWEETS = "data/tweets/tweets_claritin.jsonl"
EXCHANGED = 4, 0.28
"""Four standard deviations of permutations, of BUR and UER in percent."""
FIGURES = [figure for result in published_results("zhang-perspectives") for figure in result.obtained]
AS_DRAWN = "Claritin, rebuilt, in the order of the draw (benchmarks/real/claritin.py), with the released Alpaca outputs"
REFERENCES = {
    "the three released references of 60 products": ("amazon", "rating"),
    "the three released references of 100 businesses": ("yelp", "sentiment"),
}
INPUTS = {
    "Yelp with the released gpt-4 outputs", "Claritin, rebuilt with the released loader",
    "Claritin, rebuilt, with the released Alpaca outputs", AS_DRAWN, *REFERENCES,
}  # fmt: skip
"""The inputs of obtained figures, each checked by a test below."""
remembered = cache(published_nltk.tokenize)


@pytest.fixture(autouse=True)
def _tokens_once(nltk_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """NLTK reads each text once, though many records and systems share it."""
    assert nltk_data.is_dir()
    monkeypatch.setattr(published_nltk, "tokenize", remembered)


def audited(folder: Path, file: Path, over: str, *more: str, texts: str = "documents") -> dict[str, Any]:
    """The numbers of the protocol times 100 by system, the only one of the input as ``own``, and what is ``printed``."""
    protocol = f"zhang-perspectives(texts={texts})"
    asked = ("--attribute", over, "--protocol", protocol, "--resamples", "0")
    said = printed("audit", file, *asked, "--out", folder, *more)
    found: dict[str, Any] = {}
    for e in load(folder).estimates:
        if e.quantity in ("bur", "uer", "sof", "auc_cutoff") and not e.subgroup:
            name = e.system.partition("(")[0]
            of_system = found.setdefault(name if name.startswith("sanity:") else "own", {"n": e.n})
            of_system[e.quantity] = 100 * (e.value or 0)
    own = found["own"]
    own["unfair"] = round(own["bur"] * own["n"] / 100)
    return {**found, "printed": said}


def lengths(file: Path) -> dict[str, str]:
    """Records, and the longest and mean record in tokens, as ``fairbrief stats`` prints them."""
    said = printed("stats", file, "--tokens", "nltk").replace(",", "")
    (line,) = (line for line in said.splitlines() if line.startswith("tokens per record"))
    n, mean, _, most = line.split()[-4:]
    return {"Samples": n, "Length": f"{most}/{mean}"}


def percents(numbers: Mapping[str, float]) -> dict[str, str]:
    """BUR and UER as they are printed."""
    return {name: f"{numbers[name.lower()]:.2f}" for name in ("BUR", "UER")}


def is_as_on_the_page(given: str, *found: Mapping[str, str]) -> None:
    """Every obtained figure of an input is the number that it gives today; of three references those that are there."""
    figures = [figure for figure in FIGURES if figure.input == given]
    assert figures
    for figure in figures:
        now = [one[figure.cell.rpartition(" ")[2]] for one in found]
        assert now == figure.obtained.split(", ")[: len(now)], figure.cell


def published(golden: Path, file: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The cell of a file, and what sanity baselines read when the cells were recomputed."""
    told = json.loads((golden / "representation" / "published.json").read_text(encoding="utf-8"))
    return next(cell for cell in told["cells"] if cell["file"] == file), told["controls"]


def is_like(found: Mapping[str, float], control: Mapping[str, float], within: tuple[float, float]) -> None:
    """A sanity baseline's BUR and UER are those of a control."""
    assert found["bur"] == pytest.approx(control["BUR"], abs=within[0])
    assert found["uer"] == pytest.approx(control["UER"], abs=within[1])


def test_yelp(shared: Path, golden: Path, tmp_path: Path) -> None:
    """PerspectiveSumm Table 2, GPT-4 on Yelp, N-gram: exactly 304 of 1,500, 20.27 / 2.50, in the table that is printed.

    Outputs of other records score much worse. The source as its own summary is almost never unfair, but not at zero:
    shared words flatten p_y.
    """
    cell, controls = published(golden, YELP)
    baselines = ("--sanity-baseline", "exchanged", "--sanity-baseline", "whole_source")
    found = audited(tmp_path, shared / YELP, "sentiment", *baselines)
    own = found["own"]
    assert (own["n"], own["unfair"]) == (cell["n"], cell["unfair"])
    assert percents(own) == {"BUR": f"{cell['BUR']:.2f}", "UER": f"{cell['UER']:.2f}"}
    # SOF moves with the tagger's data by more than BUR does: 0.54 with one, 0.55 with another.
    assert own["sof"] == pytest.approx(cell["SOF_x100"], abs=0.01)
    (line,) = (x for x in found["printed"].splitlines() if x.split()[:2] == ["gpt-4", "N-gram"])
    assert line.split()[2:4] == ["20.27", "2.50"]
    assert f"{cell['unfair']} of {cell['n']}" in line
    is_like(found["sanity:exchanged"], controls["yelp gpt-4, outputs exchanged between records"], EXCHANGED)
    is_like(found["sanity:whole_source"], controls["yelp, whole source as summary"], (0.07, 0.02))
    is_as_on_the_page("Yelp with the released gpt-4 outputs", {**percents(own), **lengths(shared / YELP)})


def test_claritin(shared: Path, golden: Path, tmp_path: Path) -> None:
    """Table 2, Alpaca on Claritin, N-gram: 684 of 1,338 within 3, the file's order not being the paper's.

    Outputs of other records score about alike, as they did before.
    """
    cell, controls = published(golden, CLARITIN)
    found = audited(tmp_path, shared / CLARITIN, "gender", "--sanity-baseline", "exchanged")
    own = found["own"]
    assert own["n"] == cell["n"]
    assert abs(own["unfair"] - cell["unfair"]) <= 3
    assert own["uer"] == pytest.approx(cell["UER"], abs=0.01)
    assert own["sof"] == pytest.approx(cell["SOF_x100"], abs=0.05)
    assert own["auc_cutoff"] == pytest.approx(12.91, abs=0.1)  # recomputed from the authors' sweep
    is_like(found["sanity:exchanged"], controls["claritin alpaca, outputs exchanged"], EXCHANGED)
    is_as_on_the_page("Claritin, rebuilt, with the released Alpaca outputs", percents(own))
    is_as_on_the_page("Claritin, rebuilt with the released loader", lengths(shared / CLARITIN))


def test_claritin_in_the_order_of_the_draw(shared: Path, golden: Path, tmp_path: Path) -> None:
    """The tweets of a gender joined as the release drew them give the published count exactly: 684 of 1,338."""
    cell, _ = published(golden, CLARITIN)
    drawn = in_order_of_draw(list(read_lines(shared / TWEETS)), list(read_lines(shared / CLARITIN)))
    file = write(tmp_path / "drawn.jsonl", list(drawn))
    own = audited(tmp_path / "audit", file, "gender", texts="values")["own"]
    assert (own["n"], own["unfair"]) == (cell["n"], cell["unfair"])
    assert percents(own) == {"BUR": f"{cell['BUR']:.2f}", "UER": f"{cell['UER']:.2f}"}
    is_as_on_the_page(AS_DRAWN, percents(own))


@pytest.mark.parametrize("given", REFERENCES)
def test_references(given: str, shared: Path, tmp_path: Path) -> None:
    """Table 4: the released references, audited as summaries."""
    name, over = REFERENCES[given]
    files = sorted((shared / "data" / "reviews").glob(f"{name}_gold__human-*.jsonl"))
    assert files
    own = [audited(tmp_path / file.stem, file, over)["own"] for file in files]
    is_as_on_the_page(given, *map(percents, own))


def test_every_obtained_figure_is_checked() -> None:
    """The figures of the page have no inputs but those of the tests above."""
    assert {figure.input for figure in FIGURES} == INPUTS
