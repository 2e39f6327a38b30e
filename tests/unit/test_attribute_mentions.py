"""Mentions of age, sex, ethnicity and place: the recogniser, and fates and shares worked by hand from the definitions."""

import json
import re
from collections.abc import Mapping

import numpy as np
import pytest
from benchmarks.real.attributes import RESULT, compare, parts
from tests.rows_by_hand import by_column, observed, values_of

from fairbrief.api import audit
from fairbrief.measures.attribute_mentions import AttributeMentions, fates_of
from fairbrief.text.attributes import mentions_of
from fairbrief.types import Case, Document, Extracts, Record, Summary

ELLIS = "Mrs Ellis is 81. She is a Polish woman from Leeds."
"""Four values: sex female, age 81, ethnicity Polish, place Leeds."""


def case(number: int, age: str, source: str, summary: str) -> Case:
    """A record with an age group, and its summary."""
    record = Record(f"r{number}", (Document(source),), attributes={"age": age})
    return Case(record, Summary(record.id, "s", summary))


def fates(source: str, summary: str) -> dict[str, list[str]]:
    """By fate, the values of the source, or of the summary where the source has none."""
    found: dict[str, list[str]] = {}
    for fate in fates_of(source, summary):
        mention = fate.source or fate.summary
        found.setdefault(fate.name, []).append(mention.value)
    return found


@pytest.mark.parametrize(("summary", "expected"), [
    ("Mrs Ellis, 81, is from Leeds.", {"kept": ["female", "81", "leeds"], "lost": ["polish"]}),
    ("She is in her early eighties.", {"kept": ["female", "81"], "lost": ["polish", "leeds"]}),
    ("An elderly client.", {"kept": ["81"], "lost": ["female", "polish", "leeds"]}),
    ("He is 18.", {"changed": ["female", "81"], "lost": ["polish", "leeds"]}),
    (f"{ELLIS} Her sister is in Paris.", {"kept": ["female", "81", "polish", "leeds"], "invented": ["paris"]}),
    ("The visit went well.", {"lost": ["female", "81", "polish", "leeds"]}),
])  # fmt: skip
def test_each_value_of_the_source_has_one_fate(summary: str, expected: Mapping[str, list[str]]) -> None:
    """Kept in the same or coarser words, changed to another value, or lost; the summary's other values are invented."""
    assert fates(ELLIS, summary) == expected


@pytest.mark.parametrize("summary", ["He left the U.S. for us.", "The USA won."])
def test_a_short_form_of_a_place_is_its_name(summary: str) -> None:
    """The states are kept and not lost; *us* is no place."""
    assert fates("In the United States it rained.", summary)["kept"] == ["united states"]
    assert fates("All of us were in the US.", summary)["kept"] == ["united states"]


def test_a_value_beside_a_name_is_compared_with_that_person() -> None:
    """The source gives Ellis 81 and Fox 34; a summary that gives Ellis 34 changes her age, and Fox has lost his."""
    source = "Ellis, 81, met Fox, 34, at noon."
    assert fates(source, "Ellis, 34, met somebody.") == {"changed": ["81"], "lost": ["34"]}
    assert fates(source, "Ellis, 81, met Fox, 34, at noon.") == {"kept": ["81", "34"]}


CASES = [
    case(1, "old", ELLIS, "Mrs Ellis, 81, is from Leeds."),
    case(2, "old", "Mr Fox, 77, lives in Hull and in York.", "He was seen in Hull. He is 30."),
    case(3, "young", "Ms Roe, 34, lives in Cardiff.", "Ms Roe, 34, called from Cardiff. She was in Paris."),
    case(4, "young", "Mr Cole is 29.", "A client of 29 wards. He left."),
]
"""Old: ages 81 kept, 77 changed; places Leeds and Hull kept, York lost; sexes kept. Young: 34 kept, 29 lost; Cardiff kept, Paris
invented; sexes kept."""


MEASURE = AttributeMentions("age")
VALUES = values_of(MEASURE, *(observed(MEASURE, [one], ()) for one in CASES))


@pytest.mark.parametrize(("name", "expected"), [
    ("kept_rate[age, old]", 1 / 2),  # 81 of 81, 77
    ("kept_rate[age, young]", 1 / 2),  # 34 of 34, 29
    ("changed_rate[age, old]", 1 / 2),  # 77 became 30
    ("changed_rate[age, young]", 0 / 2),
    ("kept_rate[place, old]", 2 / 3),  # Leeds and Hull of Leeds, Hull, York
    ("kept_rate[place, young]", 1 / 1),  # Cardiff
    ("kept_rate[sex, old]", 2 / 2),
    ("kept_rate[ethnicity, old]", 0 / 1),  # Polish is lost
    ("kept_rate[ethnicity, young]", np.nan),  # no source has one
    ("invented_rate[place, young]", 1 / 2),  # Paris, in two summaries
    ("invented_rate[place, old]", 0 / 2),
    ("kept[age, old−young]", 1 / 2 - 1 / 2),
    ("kept[place, old−young]", 2 / 3 - 1),
    ("kept[sex, old−young]", 0.0),
    ("changed[age, old−young]", 1 / 2 - 0),
    ("invented[place, old−young]", 0 - 1 / 2),
    ("attribute_mentions", 1 / 3),  # the largest of |0|, |0| and |2/3 − 1|
])  # fmt: skip
def test_shares_worked_by_hand(name: str, expected: float) -> None:
    """Each value equals its definition."""
    assert VALUES[name] == pytest.approx(expected, nan_ok=True)


def test_the_group_may_be_the_one_of_all_documents() -> None:
    """A record without the attribute is of the group that its documents share."""
    record = Record("r", (Document(ELLIS, {"age": "old"}),))
    audited = audit([Case(record, Summary("r", "s", ELLIS))], ["attribute_mentions@age"], n_resamples=0)
    assert ("kept_rate[age, old]", 1.0) in {(e.quantity, e.value) for e in audited.estimates}


def test_random_sentences_keep_what_one_of_their_sentences_keeps() -> None:
    """Two texts of the first record: the first sentence alone (sex, age), then both (all four values)."""
    sentences = ("Mrs Ellis is 81.", "She is a Polish woman from Leeds.")
    extracts = Extracts(sentences, np.array([[1.0, 0], [1, 1]]))
    rows = MEASURE.observe_extracts(CASES[:1], [extracts], ())
    counts = by_column(rows)
    kept = {kind: counts[f"kept {kind}", "old"] for kind in ("age", "sex", "ethnicity", "place")}
    assert kept == {"age": 1.0, "sex": 1.0, "ethnicity": 0.5, "place": 0.5}


def test_details_name_each_change_with_its_sentence() -> None:
    """Changed before lost; kept values are not listed."""
    assert MEASURE.details(CASES[1:2], ()) == [
        "Changed age: '77' (Mr Fox, 77, lives in Hull and in York.) became '30' (He is 30.)",
        "Lost place: 'York' (Mr Fox, 77, lives in Hull and in York.)",
    ]


def test_blanks_and_line_breaks_between_words_hide_no_mention() -> None:
    """Two blanks, or a line that continues in lower case, count as one blank, also in the sentences that are shown."""
    written = case(5, "old", "Ellis is 81  years\nold. Home:\nSouth  Street.", "In\nher  eighties.")
    invented, lost = "Invented sex: 'her' (In her eighties.)", "Lost place: 'South Street' (South Street.)"
    assert MEASURE.details([written], ()) == [invented, lost]


@pytest.mark.parametrize(("text", "expected"), [
    ("He was fined in May.", [("sex", "male")]), ("She speaks Polish.", [("sex", "female")]),
    ("The 80-year-old church is in Hull.", [("place", "hull")]), ("Grace Bath called.", []),
    ("The house is white.", []),
])  # fmt: skip
def test_words_that_only_look_like_mentions(text: str, expected: list[tuple[str, str]]) -> None:
    """Months, languages, ages of things, names, colours."""
    assert [m[:2] for m in mentions_of(text)] == expected


@pytest.mark.parametrize(("text", "ages"), [
    ("Ellis is eighty one years old.", ["81"]), ("A woman of eighty one came.", ["81"]),
    ("A man of eighty came.", ["80"]), ("A resident who is one hundred and two years old.", []),
    ("Ellis turned one hundred.", []), ("Ellis is 1.5 years old.", []), ("A baby, aged 10 months.", []),
])  # fmt: skip
def test_an_age_is_never_a_part_of_a_longer_number(text: str, ages: list[str]) -> None:
    """80 + 1 = 81, with a hyphen or a blank; the 2 of 102, the 1 of 100, the 5 of 1.5 and ten months are nobody's years."""
    assert [m.value for m in mentions_of(text) if m.kind == "age"] == ages


def test_the_docstring_says_the_measured_precision_and_recall() -> None:
    """The figures are those that benchmarks/real/attributes.py recorded, and the sentences still give them."""
    recorded = json.loads(RESULT.read_text(encoding="utf-8"))
    assert recorded["held out"] == compare(parts()["held out"])
    figures = [
        f"{n['correct'] / n['recognised']:.2f} and {n['recalled'] / n['marked']:.2f}"
        for n in (*recorded["held out"].values(), recorded["GUM"]["place"])
    ]
    said = re.findall(r"\d\.\d\d and \d\.\d\d", " ".join((AttributeMentions.__doc__ or "").split()))
    assert said == figures
