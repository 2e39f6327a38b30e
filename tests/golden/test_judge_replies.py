"""Replies of judges as the notes on the paper's appendix read them."""

import json
from pathlib import Path

from fairbrief.scorers.chat_judge import Judge
from fairbrief.text.replies import score


def test_replies_are_read_as_in_the_reference(golden: Path) -> None:
    """Each reference reply (people/reference_paper_only.json, rts_parse) gives its score, or none."""
    pairs = json.loads((golden / "people" / "reference_paper_only.json").read_text())["rts_parse"]
    assert len(pairs) == 8
    assert [score(reply) for reply, _ in pairs] == [wanted for _, wanted in pairs]


def test_relevance_is_asked_in_our_words_for_what_the_papers_prompt_asks(golden: Path) -> None:
    """The prompt is not the paper's to the letter, but asks the same: main message, nothing minor, a reason, then 1 to 5."""
    theirs = json.loads((golden / "people" / "reference_paper_only.json").read_text())["rts_prompt"]
    ours = Judge("m").worded(("", ""))
    assert ours != theirs
    for asked in ("relevance", "main message", "reason in one sentence", "score"):
        assert asked in theirs.lower()
        assert asked in ours.lower()
    assert theirs.index("Article:") < theirs.index("Summary:") < theirs.index("reason")
    assert ours.index("Source:") < ours.index("Summary:") < ours.index("reason")
