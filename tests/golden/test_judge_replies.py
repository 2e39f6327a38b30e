"""Replies of judges as the notes on the paper's appendix read them."""

from __future__ import annotations

import json
from pathlib import Path

from fairbrief.text.verdicts import score


def test_replies_are_read_as_in_the_reference(golden: Path) -> None:
    """Each reference reply (people/reference_paper_only.json, rts_parse) gives its score, or none."""
    pairs = json.loads((golden / "people" / "reference_paper_only.json").read_text())["rts_parse"]
    assert len(pairs) == 8
    assert [score(reply) for reply, _ in pairs] == [wanted for _, wanted in pairs]
