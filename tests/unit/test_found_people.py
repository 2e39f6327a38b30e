"""People of plain articles: who is found, and how many of them a recogniser finds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.cli.command import printed, write

from fairbrief.errors import DataError
from fairbrief.text.people import found_people

WOMEN = ("Mary", "Susan", "Linda", "Karen")
MEN = ("Peter", "Frank", "James", "Paul")


@pytest.mark.parametrize(("text", "people"), [
    ("Mary Zork sang. Zork left.", [("Mary", "Zork", "female", 2)]),
    ("Mr. Blat spoke. Peter Blat left.", [("Peter", "Blat", "male", 2)]),
    ("Kim Zork spoke. She left.", [("Kim", "Zork", "female", 1)]),
    ("Mary Zork and Peter Blat met. He left.", [("Mary", "Zork", "female", 1), ("Peter", "Blat", "male", 1)]),
    ("Kim Zork spoke.", [("Kim", "Zork", "unknown", 1)]),
    ("Mary Zork spoke. He, he and he, she.", [("Mary", "Zork", "male", 1)]),
])  # fmt: skip
def test_people_are_found_with_the_gender_that_the_text_presents(text: str, people: list[Any]) -> None:
    """A title speaks first, then the pronouns up to the next name, then the first name; single names join full ones."""
    accepted = {"Mary Zork", "Zork", "Mr. Blat", "Peter Blat", "Kim Zork"}
    found = found_people(text, accepted, {"mary": "female", "peter": "male"})
    assert [(p.first, p.last, p.gender, len(p.spans)) for p in found] == people


def annotated(path: Path, gender: str) -> Path:
    """Records with marked people, one of each gender unless told otherwise."""
    rows = []
    for i in range(4):
        text = f"{WOMEN[i]} Zork sang. {MEN[i]} Blat danced. Qq Xyzz hid."
        people = []
        shown_as = {f"{WOMEN[i]} Zork": "female", f"{MEN[i]} Blat": gender, "Qq Xyzz": "female"}
        for name, shown in shown_as.items():
            at = text.index(name)
            mention = {"document": 0, "start": at, "end": at + len(name), "kind": "full"}
            people.append({"id": name, "attributes": {"gender": shown}, "mentions": [mention]})
        rows.append({"id": str(i), "documents": [text], "entities": people, "summary": "s", "system": "x"})
    return write(path, rows)


def test_the_command_prints_who_is_found_and_as_whom(tmp_path: Path) -> None:
    """Of eight women half are found, of four men all; everybody found is read as what they are."""
    said = printed("recogniser", annotated(tmp_path / "a.jsonl", "male"))
    assert "female: 4 of 8 people found (50%)" in said
    assert "male: 4 of 4 people found (100%)" in said
    assert "read as female: 4 female, 0 male, 0 nobody" in said
    assert "read as male: 0 female, 4 male, 0 nobody" in said


def test_a_recogniser_cannot_be_tried_on_people_of_one_gender(tmp_path: Path) -> None:
    """Without an annotated man nothing is known of how men are found, and that is said."""
    with pytest.raises(DataError, match="No annotated person is male"):
        printed("recogniser", annotated(tmp_path / "a.jsonl", "female"))
