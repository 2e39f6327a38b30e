"""The page on inference has the words of reports and the figures that were recorded."""

import json
import re
from pathlib import Path
from typing import Any

from benchmarks.calibration import inference, whole_audits
from benchmarks.calibration.worlds import worlds

from fairbrief.conclusions import FEWEST_IN_A_GROUP, FEWEST_TO_DECIDE, MOST_PERMUTED, WORDS

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "inference.md"


def test_the_table_of_conclusions_has_the_words_of_reports() -> None:
    """The page lists every conclusion in the order in which findings are ranked, and the limits are those of the code."""
    text = PAGE.read_text(encoding="utf-8")
    table = text.partition("<!-- conclusions: begin -->")[2].partition("<!-- conclusions: end -->")[0]
    rows = [line.split(" | ")[:2] for line in table.splitlines() if line.startswith("| `")]
    assert [(name.strip("| `"), words) for name, words in rows] == list(WORDS.items())
    assert f"Fewer than {FEWEST_TO_DECIDE} clusters" in text
    assert f"From {FEWEST_IN_A_GROUP} to {MOST_PERMUTED}, p is a studentized permutation" in text


def test_the_summary_of_the_simulations_has_the_recorded_figures() -> None:
    """The number of cells and of missed targets, and the largest shares, are those of the recorded runs."""
    rows, known = recorded(inference), {world.name: world for world in worlds()}
    missed = {id(row): row for row in rows if inference.judged(row, known[row["world"]])}
    kept = [row for row in rows if id(row) not in missed]
    rejected = [r["rejected"] for r in kept if known[r["world"]].is_fair and r["tested"]]
    covered = [r["covered"] for r in kept if r["covered"] is not None]
    assert {row["quantity"].partition(":")[2] for row in missed.values()} == {"position_kl"}
    counted = stated(r"Of (\d+) combinations of input and procedure, with 1,000 audits each, (\d+) miss")
    assert counted == [len(rows), len(missed)]
    for said, shares in (("rejected at the 0.05 level", rejected), ("contain the true value", covered)):
        assert stated(rf"{said} in ([\d.]+) to ([\d.]+) %") == percent(min(shares), max(shares))

    audits = [row for row in recorded(whole_audits) if "different" in row]
    broken = [row for row in audits if whole_audits.broken(row)]
    assert {row["world"] for row in broken} == {"rare"}
    assert stated(r"In (\d+) kinds of audits") == [len(audits)]
    most = percent(*(max(row[name] for row in audits) for name in ("named", "different")))
    said = r"names a group in at most ([\d.]+) % of the audits, and calls two systems different in at most ([\d.]+) %"
    assert stated(said) == most


def recorded(benchmark: Any) -> list[dict[str, Any]]:
    """The rows of a benchmark's recorded run."""
    return json.loads(Path(benchmark.__file__).with_suffix(".json").read_text("utf-8"))["rows"]


def stated(pattern: str) -> list[float]:
    """The numbers that a sentence of the page states."""
    match = re.search(pattern, PAGE.read_text(encoding="utf-8"))
    assert match is not None, f"the page does not say {pattern}"
    return [float(number) for number in match.groups()]


def percent(*shares: float) -> list[float]:
    """Shares in percent, with one digit."""
    return [round(100 * share, 1) for share in shares]
