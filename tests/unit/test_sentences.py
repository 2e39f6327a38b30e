"""Where sentences end."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairbrief.text import languages, published_nltk
from fairbrief.text.sentences import sentence_spans, sentences_of, split

CUT_AT = "|"


@pytest.mark.parametrize("text", [
    "It rained.|We went home.", "Dr. Lee met Mrs. Ray.|They spoke.",
    "It cost $3.50 or 2.5 percent.|Nobody paid.", "J. K. Rowling wrote it.|J.R.R. Tolkien did not.",
    '"Was it much?" she asked.|It was not.', '"It is over."|She left.',
    "“Stop!” he cried.|‘Why?’|Nobody knew.", "He lives in the U.S. Senate district.|He moved.",
    "He lives in the U.S.|The rest do not.", "At 5 p.m. Smith left.|At 6 p.m.|The doors closed.",
    "See Fig. 3 (e.g. the left one).|Good.", "He said no.|Then he left.", "No. 5 is alive.",
    "Acme Inc. Chairman Roe sold.|It fell.", "She left...|And then came back.",
    "She left ... and came back.", "Really?!|Yes.", "(It was late.)|[So was I.]",
    "First line|Second line|Third", "A line that is\nwrapped here.|New one", "It ended.|wikiHow went on.",
    "a heading||and lower case after a blank line", "1. Wash.|2. Dry it.", "天気がいい。|散歩しよう！|はい", "The end",
])  # fmt: skip
def test_a_text_is_cut_where_a_reader_would(text: str) -> None:
    """Full stops of abbreviations, numbers and initials end no sentence; quotes stay with theirs."""
    wanted = [part for part in text.split(CUT_AT) if part]
    is_lines = any(mark in text for mark in ("line", "heading", "wikiHow"))
    assert split(text.replace(CUT_AT, "\n" if is_lines else " ")) == wanted


@settings(max_examples=150, deadline=None)
@given(st.text(st.sampled_from(list("aA.!?…\"'”) \n\t1。\x00\ud800é")), max_size=60))
def test_spans_hold_every_character_once(text: str) -> None:
    """Whatever stands between two spans, before the first or after the last is white space."""
    spans, end = sentence_spans(text), 0
    for a, b in [*spans, (len(text), len(text))]:
        assert a >= end
        assert not text[end:a].strip()
        end = b
    assert all(text[a:b] == text[a:b].strip() != "" for a, b in spans)


PIECES = "The| the|\n|\n\n|. |.\n|! |?\n| |Dr.|U.S.| 3.|am 3. Mai| No.|I.|a)|(|”|...|…|。|é|².".split("|")
GERMAN = " Das ist gut und der Hund ist nicht da"
LANGUAGES = [languages.Setting(), languages.Setting("", "en"), languages.Setting("de")]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from([*PIECES, GERMAN]), max_size=20), st.sampled_from(LANGUAGES))
def test_sentences_are_those_of_the_spans(pieces: list[str], language: languages.Setting) -> None:
    """Texts without an end inside, and lines that surely end, are cut as any text is."""
    text = "".join(pieces)
    with languages.using(language):
        assert split(text) == [text[start:end] for start, end in sentence_spans(text)]


def test_punkt_cuts_as_the_published_numbers_were_made(nltk_data: Path) -> None:
    """Later editions of NLTK close a sentence with curly quotes; the protocol's sentences do not."""
    assert nltk_data.is_dir()
    assert published_nltk.split("“He left.” She stayed. Why?") == ["“He left.” She stayed.", "Why?"]
    text = 'Dr. Lee paid $3.50. "Was it much?" she asked. It was not.\nThe end'
    assert published_nltk.split(text) == [
        "Dr. Lee paid $3.50.", '"Was it much?"', "she asked.", "It was not.", "The end",
    ]  # fmt: skip


def test_a_text_is_cut_in_the_language_that_holds_now() -> None:
    """What was cut in one input's language is cut anew in another's, and as before when that one is over."""
    text, pieces = "Nach 3. Mai kam Otto.", []
    for usual in ("en", "de", "en"):
        with languages.using(""):
            languages.suppose(usual)
            pieces.append((split(text), list(sentences_of(text))))
    english, german = ["Nach 3.", "Mai kam Otto."], [text]
    assert pieces == [(english, english), (german, german), (english, english)]
