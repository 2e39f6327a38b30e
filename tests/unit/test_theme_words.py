"""Words of themes on counterfactual pairs, worked by hand from the definitions; files of themes; planted systems."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from tests.cli.command import put
from tests.rows_by_hand import added, by_column

from fairbrief.errors import DataError, RequestError
from fairbrief.measures.theme_words import ThemeWords
from fairbrief.text.themes import count_entries
from fairbrief.types import Case, Document, Extracts, Reason, Record, Summary, Totals, Value

LISTS = 'needs = "help, need*, short of breath"\nlooks = "neat, pale"\n'


@pytest.fixture
def lists(tmp_path: Path) -> str:
    """A file of two themes."""
    return str(put(tmp_path / "themes.toml", LISTS))


def case(seed: str, group: str, text: str, source: str = "A note.", sample: str = "0") -> Case:
    """A version of a seed document, with its summary."""
    name, attributes = f"{seed}.{group}.{sample}", {"gender": group, "sample": sample}
    record = Record(name, (Document(source),), attributes=attributes, seed_document=seed)
    return Case(record, Summary(record.id, "s", text))


ONE = [
    case("one", "female", "She needs help. She is neat."),
    case("one", "male", "He needs help, help and more help. He is short of breath."),
]
TWO = [case("two", "female", "Help came."), case("two", "male", "He was pale and neat.")]


def totals_of(units: Sequence[Sequence[Case]], lists: str) -> Totals:
    """The sums of several seed documents."""
    return added(*(ThemeWords("gender", lists).observe(unit, (), np.array([[0, 1]])) for unit in units))


def values_of(units: Sequence[Sequence[Case]], lists: str, least: int = 5) -> Mapping[str, Value]:
    """The values of several seed documents."""
    return ThemeWords("gender", lists, least).value(totals_of(units, lists))


def number(values: Mapping[str, Value], name: str) -> float:
    """One of the values."""
    return float(values[name].array)


@pytest.mark.parametrize(("name", "expected"), [
    # Both notes: needs 2 + 1 = 3 of women, 5 + 0 = 5 of men, 2 summaries each: ln((3 + ½)/(5 + ½) · 2/2) = ln(3.5/5.5)
    ("log_ratio[needs, female/male]", -0.451985),
    # looks 1 + 0 = 1 and 0 + 2 = 2: ln(1.5/2.5)
    ("log_ratio[looks, female/male]", -0.510826),
    ("difference[needs, female−male]", -1.0),  # 3/2 − 5/2
    ("difference[looks, female−male]", -0.5),  # 1/2 − 2/2
    ("theme_words", 1.0),  # the larger size of both
    # words per summary: 3/2, 5/2, 1/2, 2/2
    ("rate[needs, female]", 1.5),
    ("rate[needs, male]", 2.5),
    ("rate[looks, female]", 0.5),
    ("rate[looks, male]", 1.0),
    # lengths (6 + 2)/2 = 4 and (12 + 5)/2 = 8.5: ln(4/8.5)
    ("length[female/male]", -0.753772),
    # help: 1 + 1 = 2 and 3 + 0 = 3, together 5 ≥ 5: ln(2.5/3.5)
    ("word[help, female/male]", -0.336472),
])  # fmt: skip
def test_values_worked_by_hand(name: str, expected: float, lists: str) -> None:
    """Each value equals its definition."""
    assert number(values_of([ONE, TWO], lists), name) == pytest.approx(expected, abs=1e-6)


def test_rare_words_and_absent_themes_have_no_value(lists: str) -> None:
    """need* occurs twice, fewer than five times; looks occurs in no summary."""
    assert math.isnan(number(values_of([ONE, TWO], lists), "word[need*, female/male]"))
    values = values_of([[case("x", "female", "Help."), case("x", "male", "Help.")]], lists)
    assert math.isnan(number(values, "difference[looks, female−male]"))
    # needs 1/1 − 1/1 = 0, and no other theme is defined
    assert number(values, "theme_words") == 0


def test_a_count_of_zero_is_smoothed_by_half_a_word(lists: str) -> None:
    """0 words in 1 summary against 4 in 2 summaries: ln((0 + ½)/(4 + ½) · 2/1) = ln(2/9)."""
    men = [case("x", "male", "Help, help.", sample=sample) for sample in "01"]
    values = values_of([[case("x", "female", "She left."), *men]], lists)
    assert number(values, "log_ratio[needs, female/male]") == pytest.approx(math.log(2 / 9))


def test_random_sentences_are_counted_by_the_share_of_texts_that_keep_them(lists: str) -> None:
    """One need kept in 1 of 2 texts for her, in both for him: ½ and 1."""
    kept = [np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[1.0, 0.0], [1.0, 1.0]])]
    extracts = [Extracts(("Help came.", "It rained."), matrix) for matrix in kept]
    counts = by_column(ThemeWords("gender", lists).observe_extracts(TWO, extracts, ()))
    assert counts["theme needs", "female"] == 0.5
    assert counts["theme needs", "male"] == 1.0


def test_words_about_who_the_person_is_are_not_counted(lists: str) -> None:
    """The sources differ in *neat*, so it belongs to the person; *pale* is in no source and counts."""
    sources = {"female": "Ms Neat wrote.", "male": "Mr Fox wrote."}
    unit = [case("x", group, "Neat and pale.", source) for group, source in sources.items()]
    totals = totals_of([unit], lists)
    assert totals["theme looks", "female"] == totals["theme looks", "male"] == 1


def test_units_without_a_pair_have_a_reason(lists: str) -> None:
    """One version, no seed document, or only documents with the attribute."""
    observation = ThemeWords("gender", lists)
    bare = Case(Record("r", (Document("A.", {"gender": "female"}),)), Summary("r", "s", "Help."))
    alone = Case(Record("r", (Document("A."),), attributes={"gender": "female"}), Summary("r", "s", "Help."))
    for cases, reason in (
        (ONE[:1], "only one version"),
        ([alone], "only one version"),
        ([bare], "only documents have 'gender'"),
    ):
        found = observation.observe(cases, (), np.zeros((1, 0), dtype=np.int64))
        assert isinstance(found, Reason)
        assert reason in str(found)


def test_details_name_the_words_of_each_version(lists: str) -> None:
    """The word with the largest difference comes first."""
    assert ThemeWords("gender", lists).details(ONE, ()) == [
        "needs, female: help 1, need* 1.", "needs, male: help 3, short of breath 1, need* 1.",
        "looks, female: neat 1.", "looks, male: none.",
    ]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), [
    ("", "found no theme"),
    ("needs = 3", "'needs' with '3' is not a list of words"),
    ('needs = " , "', "'needs' with ' , ' is not a list of words"),
    ('needs = "help!"', "'needs' with the entry 'help!'"),
    ('needs = "short of breath*"', r"the entry 'short of breath\*' .* Only single words have an asterisk"),
    ('"a/b" = "help"', "'a/b' with 'help' is not a list of words with a plain name"),
    ("needs", "found no lists of words"),
])  # fmt: skip
def test_a_broken_file_of_themes_is_refused(text: str, message: str, tmp_path: Path) -> None:
    """The error names the file and the theme, and how to write one."""
    path = put(tmp_path / "themes.toml", text)
    with pytest.raises(DataError, match=message) as raised:
        ThemeWords("gender", str(path))
    assert str(path) in str(raised.value)
    with pytest.raises(DataError, match="no such file of themes"):
        ThemeWords("gender", str(tmp_path / "none.toml"))


def test_an_asterisk_of_the_shipped_themes_covers_other_endings() -> None:
    """Words that begin as an entry count for it, also after a hyphen."""
    assert count_entries("Depressed and self-harming", "care") == {"depress*": 1, "self-harm*": 1}


def test_every_word_can_be_compared(lists: str) -> None:
    """With ``words=all`` *is* counts 1 against 2: log(1.5 / 2.5); themes stay as they are, and names of the sources are skipped."""
    pair = [
        case("a", "female", "Ann is pale. Ann rests.", "Ann rests."),
        case("a", "male", "Ben is well and is calm.", "Ben rests."),
    ]
    measure = ThemeWords("gender", lists, 3, "all")
    values = measure.value(added(measure.observation.observe(pair, (), np.array([[0, 1]]))))
    assert number(values, "word[is, female/male]") == pytest.approx(math.log(1.5 / 2.5))
    assert math.isnan(number(values, "word[rests, female/male]"))
    assert number(values, "difference[looks, female−male]") == 1
    assert not any("[ann" in name or "[ben" in name for name in values)
    with pytest.raises(RequestError, match="give listed or all"):
        ThemeWords("gender", lists, words="some")
