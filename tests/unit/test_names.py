"""Names divided into parts, and tables of names."""

from __future__ import annotations

import pytest

from fairbrief.errors import DataError
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
    """The at-least-twice rule keeps 5,134 names, among them the nine at exactly twice; others have no gender."""
    pytest.importorskip("names")
    genders = {r.name.lower(): r.gender for r in census(top=10_000).rows if r.part == "first"}
    assert len(genders) == 5134
    at_two = {"devon", "dominique", "elisha", "gale", "jae", "michal", "nicky", "taylor", "val"}
    assert at_two <= set(genders)
    assert genders["mary"] == "female"
    assert "jessie" not in genders


def test_census_names_have_weights_in_the_order_of_rank() -> None:
    """The most frequent names come first with their percentages, and no name is in both lists."""
    pytest.importorskip("names")
    table = census(50)
    men, women = table.pool("first", "male"), table.pool("first", "female")
    assert [len(men), len(women), len(table.pool("last"))] == [50, 50, 50]
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
    ("row", "says"),
    [
        ("Ada,middle,female,a", "t.csv:2: part is 'middle'"),
        ("Ada,first,woman,a", "t.csv:2: gender is 'woman'"),
        (",first,female,a", "t.csv:2: the name is empty"),
    ],
)
def test_a_broken_row_is_named_by_its_line(row: str, says: str) -> None:
    """A row that cannot be read is told with file and line, what was found and what was wanted."""
    with pytest.raises(DataError, match=says):
        read_names(["name,part,gender,group", row], "t.csv")
