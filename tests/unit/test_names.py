"""Names divided into parts, tables of names, and the pronouns and titles that go with a gender."""

from __future__ import annotations

import pytest

from fairbrief.errors import DataError
from fairbrief.text import gendered_words, names
from fairbrief.text.names import census, divide, is_given_name, read_names


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("Maria Stone", "given last"),
        ("Hans P. Berg Jr.", "given initial last suffix"),
        ("Ana de la Vega", "given particle particle last"),
        ("Otto Van Horn", "given particle last"),
        ("Van Horn", "given last"),
        ("P. Berg III", "initial last suffix"),
        ("Maria Rosa Stone", "given given last"),
        ("Louis XV", "last suffix"),
        ("du Mont", "particle last"),
        ("Vito D'Angelo, MD", "given last suffix"),
    ],
)
def test_a_name_divides_into_its_parts(name: str, parts: str) -> None:
    """Initials, particles and suffixes are told from given and last names."""
    assert " ".join(p.part for p in divide(name)) == parts


def test_a_known_last_name_is_found_where_it_stands() -> None:
    """A last name that comes first is the last name, and the rest is given."""
    assert [p.part for p in divide("Wong Mei", last="Wong")] == ["last", "given"]


def test_a_name_of_the_census_has_a_gender_from_twice_as_often() -> None:
    """The at-least-twice rule keeps 5,134 names; others have no gender."""
    pytest.importorskip("names")
    genders = names.genders()
    assert len(genders) == 5134
    assert genders["mary"] == "female"
    assert "jessie" not in genders


def test_census_names_have_weights_in_the_order_of_rank() -> None:
    """The most frequent names come first with their percentages, and no name is in both lists."""
    pytest.importorskip("names")
    table = census()
    men, women = table.pool("first", "male"), table.pool("first", "female")
    assert [len(men), len(women), len(table.pool("last"))] == [200, 200, 200]
    assert (men[0].name, men[0].weight) == ("James", 3.318)
    assert not {r.name for r in men} & {r.name for r in women}


def test_a_single_word_is_a_first_name_where_that_is_more_frequent() -> None:
    """Alice is rather a first name, Clark rather a last one, and an unknown word no first name."""
    pytest.importorskip("names")
    assert [is_given_name(w) for w in ("Alice", "Clark", "Nakamura")] == [True, False, False]


def test_a_table_is_read_with_groups() -> None:
    """Names, parts, genders, groups and weights are read; other columns are passed over."""
    table = read_names(
        [
            "name,part,gender,group,weight,note",
            "Ada,first,female,north,2,x",
            "Bern,last,,north,,y",
            "Cleo,first,female,south,,",
        ],
        "t.csv",
    )
    assert table.groups() == ("north",)
    assert table.pool("first", "female", "north")[0].weight == 2


@pytest.mark.parametrize(
    "row",
    ["Ada,middle,female,a", "Ada,first,woman,a", ",first,female,a", "Ada,first,female,a,0"],
)
def test_a_broken_row_is_named_by_its_line(row: str) -> None:
    """The error has file and line, what was found and what was wanted."""
    name, part = row.split(",")[:2]
    with pytest.raises(
        DataError, match=rf"t.csv:2: found name '{name}', part '{part}', .* Wanted a name; part"
    ):
        read_names(["name,part,gender,group,weight", row], "t.csv")


@pytest.mark.parametrize(
    ("word", "tag", "place"),
    [
        ("her", "PRP$", "his"), ("her", "PRP", "him"), ("His", "PRP$", "his"), ("his", "PRP", "his_own"),
        ("hers", "PRP", "his_own"), ("HIMSELF", "PRP", "himself"), ("she", "", "he"), ("her", "", None),
        ("they", "PRP", None), ("it", "PRP", None),
    ],
)  # fmt: skip
def test_the_tag_settles_where_a_pronoun_stands(word: str, tag: str, place: str | None) -> None:
    """A "her" before a noun is a man's "his", else his "him"; without a tag it is not guessed."""
    assert gendered_words.place(word, tag) == place


def test_every_form_reads_back_to_its_gender() -> None:
    """Each place has a form for either gender, and the form shows that gender."""
    for gender in ("male", "female"):
        for place in gendered_words.PLACES:
            assert gendered_words.pronoun_gender(gendered_words.FORMS[gender][place]) == gender


@pytest.mark.parametrize(
    ("pattern", "word", "wanted"),
    [("HIS", "her", "HER"), ("He", "she", "She"), ("he", "she", "she"), ("I", "she", "She")],
)
def test_case_is_kept(pattern: str, word: str, wanted: str) -> None:
    """Capitals throughout, a capital first letter and small letters are carried over."""
    assert gendered_words.like(pattern, word) == wanted


@pytest.mark.parametrize(
    ("title", "to", "wanted"),
    [
        ("Mr.", "female", "Ms."), ("Mr", "female", "Ms"), ("MR.", "female", "MS."), ("Mrs.", "male", "Mr."),
        ("Miss", "male", "Mr."), ("Mrs.", "female", "Mrs."), ("Sir", "female", "Lady"), ("Dame", "male", "Sir"),
        ("Madame", "male", "Monsieur"),
    ],
)  # fmt: skip
def test_a_title_follows_the_gender(title: str, to: str, wanted: str) -> None:
    """A title of the other gender is exchanged in its case and with its full stop; one that fits stays."""
    assert gendered_words.exchange_title(title, to) == wanted


def test_a_doctor_has_no_gender() -> None:
    """Titles that both genders bear tell none, and are titles all the same."""
    assert gendered_words.title_gender("Dr.") is None
    assert gendered_words.is_title("Dr.")
    assert not gendered_words.is_title("Smith")
