"""Stems are those of NLTK's Porter stemmer."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairbrief.text.rouge import porter_stem


def departures(words: set[str]) -> list[tuple[str, str, str]]:
    """Words that NLTK stems otherwise, its stem, ours."""
    by_nltk = pytest.importorskip("nltk.stem").PorterStemmer().stem
    # Older versions of NLTK know the irregular forms in lower case alone; İ makes two characters there.
    found = (
        (word, by_nltk(word.lower() if len(word) > 2 else word), porter_stem(word)) for word in sorted(words)
    )
    return [told for told in found if told[1] != told[2]]


@pytest.mark.parametrize(
    ("word", "wanted"),
    [
        *[
            ("caresses", "caress"),
            ("ponies", "poni"),
            ("ties", "tie"),
            ("cats", "cat"),
            ("is", "is"),
            ("ies", "i"),
        ],
        *[
            ("agreed", "agre"),
            ("feed", "feed"),
            ("plastered", "plaster"),
            ("bled", "bled"),
            ("motoring", "motor"),
        ],
        *[
            ("conflated", "conflat"),
            ("hopping", "hop"),
            ("falling", "fall"),
            ("filing", "file"),
            ("died", "die"),
        ],
        *[("happy", "happi"), ("enjoy", "enjoy"), ("by", "by"), ("syzygy", "syzygi"), ("spied", "spi")],
        *[("Relational", "relat"), ("rational", "ration"), ("radically", "radic"), ("geology", "geolog")],
        *[
            ("conditionally", "condit"),
            ("hopefully", "hope"),
            ("triplicate", "triplic"),
            ("goodness", "good"),
        ],
        *[("adoption", "adopt"), ("onion", "onion"), ("replacement", "replac"), ("cement", "cement")],
        *[
            ("probate", "probat"),
            ("rate", "rate"),
            ("cease", "ceas"),
            ("controll", "control"),
            ("roll", "roll"),
        ],
        *[("skies", "sky"), ("news", "news"), ("INNINGS", "inning"), ("aching", "ach"), ("owed", "owe")],
        *[("", ""), ("'s", "'s"), ("naïvely", "naïv"), ("3,000s", "3,000"), ("天気ing", "天気ing")],
    ],
)
def test_each_rule(word: str, wanted: str) -> None:
    """One word or two for every step, the irregular forms, and what is no English word."""
    assert porter_stem(word) == wanted


def test_stems_of_a_dictionary_are_those_of_nltk(shared: Path) -> None:
    """All single words of WordNet."""
    words = set()
    for path in (shared / "data" / "nltk_data" / "corpora" / "wordnet").glob("index.*"):
        lines = path.read_text(encoding="utf-8").splitlines()
        words |= {re.split("[ %]", line, maxsplit=1)[0].lower() for line in lines if not line.startswith(" ")}
    words = {word for word in words if "_" not in word}
    assert len(words) > 80_000
    assert departures(words) == []


def test_stems_of_real_texts_are_those_of_nltk(shared: Path) -> None:
    """News and reviews, cut at spaces and cut into letters and digits, in their own case."""
    words = set()
    for path in (*(shared / "data" / "news").glob("*.jsonl"), *(shared / "data" / "reviews").glob("*.jsonl")):
        for text in texts(json.loads(f"[{','.join(path.read_text(encoding='utf-8').splitlines())}]")):
            words |= {*text.split(), *re.findall(r"\w+", text)}
    assert len(words) > 20_000
    assert departures(words) == []


def texts(found: object) -> list[str]:
    """All strings inside."""
    if isinstance(found, dict):
        found = list(found.values())
    if isinstance(found, list):
        return [text for part in found for text in texts(part)]
    return [found] if isinstance(found, str) else []


ENDINGS = (
    "s sses ies ss eed ied ed ing at bl iz y yy ational tional enci anci izer bli alli entli eli ousli ization "
    "ation ator alism iveness fulness ousness aliti iviti biliti fulli logi icate ative alize iciti ical ful "
    "ness al ance ence er ic able ible ant ement ment ent sion tion ion ou ism ate iti ous ive ize e ll é İ ' 1"
).split()
letters = st.text("aeioulstywxcbBİé-1", max_size=5)
made = st.tuples(letters, st.lists(st.sampled_from(ENDINGS), max_size=3)).map(lambda m: m[0] + "".join(m[1]))


@settings(max_examples=400, deadline=None)
@given(made | st.text(max_size=12))
def test_any_word_is_stemmed_as_by_nltk(word: str) -> None:
    """Words put together from the endings that rules ask for, in any order, and any characters."""
    assert departures({word}) == []
