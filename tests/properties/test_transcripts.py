"""Segments never exceed their length, and lose and change nothing."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairbrief.errors import RequestError
from fairbrief.types import Document, Record
from fairbrief.workbench.corpora.sets import SPLIT, segments
from fairbrief.workbench.corpora.text_sources import counter

TEXT = st.lists(
    st.sampled_from(["tea", "is", "better.", "Really?", "No", "it's", "antidisestablishment", "…", "\n"]),
    max_size=25,
).map(" ".join)
TURNS = st.lists(st.tuples(st.sampled_from(["ANN", "BEA", ""]), TEXT), min_size=1, max_size=8)


@settings(max_examples=80, deadline=None)
@given(turns=TURNS, most=st.integers(2, 30), rule=st.sampled_from(["words", "characters"]))
def test_segments(turns: list[tuple[str, str]], most: int, rule: str) -> None:
    """The tokens of a segment never exceed k, all words come through in order, each under its speaker."""
    most = most if rule == "words" else most + 8
    record = Record("c", tuple(Document(t, {"speaker": s} if s else {}) for s, t in turns))
    count = counter(rule)
    made = list(segments([record], most, Counter(), rule=rule))
    found: list[tuple[str, str]] = []
    for segment in made:
        assert segment.documents
        assert sum(count(d.text) for d in segment.documents) <= most
        assert (segment.seed_document, segment.attributes["conversation"]) == ("c", "c")
        for document in segment.documents:
            speaker = document.attributes.get("speaker", "")
            lead = f"{speaker}: " if speaker else ""
            assert document.text.startswith(lead)
            found.append((speaker, document.text.removeprefix(lead)))
    assert len({segment.id for segment in made}) == len(made)
    wanted = [(s, "".join(t.split())) for s, t in turns if t.strip()]
    for speaker in ("ANN", "BEA", ""):
        mine = "".join("".join(t.split()) for s, t in found if s == speaker)
        assert mine == "".join(t for s, t in wanted if s == speaker)


def test_turns_are_kept_whole_where_they_fit() -> None:
    """As many whole turns as fit make a segment; a long one is split at its sentences, then its words; both are told."""
    turns = ["one two three.", "four five.", "Six seven. Eight nine ten eleven twelve thirteen. End.", ""]
    record = Record("c", tuple(Document(t, {"speaker": "ANN", "side": "for"}) for t in turns))
    told = Counter[str]()
    made = list(segments([record], 5, told, names=False))
    assert [[d.text for d in s.documents] for s in made] == [
        ["one two three.", "four five."], ["Six seven."], ["Eight nine ten eleven twelve"],
        ["thirteen. End."],
    ]  # fmt: skip
    assert all(d.attributes == {"speaker": "ANN", "side": "for"} for s in made for d in s.documents)
    assert told == {SPLIT: 1, "turn without words": 1}


def test_names_that_leave_no_room() -> None:
    """Where the speaker's name alone fills a segment that is refused."""
    record = Record("c", (Document("word", {"speaker": "A VERY LONG NAME"}),))
    with pytest.raises(RequestError, match="no room for the speaker"):
        list(segments([record], 4, Counter()))


def test_nltk_tokens(nltk_data: object) -> None:  # noqa: ARG001
    """Counted as NLTK cuts words, punctuation counts, and no segment is over."""
    count = counter("nltk")
    record = Record("c", tuple(Document("It's good, isn't it? Yes!", {"speaker": "ANN"}) for _ in range(6)))
    made = list(segments([record], 25, Counter(), rule="nltk"))
    assert [sum(count(d.text) for d in s.documents) for s in made] == [24, 24, 24]
