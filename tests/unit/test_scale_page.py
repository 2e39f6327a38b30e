"""The page on what an audit costs as it grows: written from what was measured."""

from __future__ import annotations

import json

from benchmarks import scale
from benchmarks.recording import RESULTS

PAGE = RESULTS.parent.parent / "docs" / "contributing" / "benchmarks.md"


def test_the_page_shows_what_the_script_makes_of_its_findings() -> None:
    """No figure is typed: the section is what the script writes from its results."""
    scales, neural = (
        json.loads((RESULTS / name).read_text(encoding="utf-8"))
        for name in ("scale.json", "speed-neural.json")
    )
    assert scale.section(scales, neural) in PAGE.read_text(encoding="utf-8")
