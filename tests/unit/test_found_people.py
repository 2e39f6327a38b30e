"""People of plain articles: who is found, how the recogniser's errors are measured and carried, what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fairbrief.auditing import Plan, audit
from fairbrief.cli import app
from fairbrief.errors import DataError
from fairbrief.registry import make
from fairbrief.text.people import BUILTIN, found_people, read_errors, spell_errors
from fairbrief.types import Case, Document, Estimate, Record, Summary

PERFECT = (
    "read female: 100000 female 0 male 0 nobody; read male: 0 female 100000 male 0 nobody; "
    "read unknown: 0 female 0 male 100000 nobody; found: 100 of 100 female, 100 of 100 male"
)
BLURRED = (
    "read female: 60 female 40 male 0 nobody; read male: 40 female 60 male 0 nobody; "
    "read unknown: 0 female 0 male 10 nobody; found: 9 of 10 female, 9 of 10 male"
)
WOMEN = ("Mary", "Susan", "Linda", "Karen", "Helen")
MEN = ("Peter", "Frank", "James", "Paul", "Mark")
GENDERS = {
    **dict.fromkeys((n.lower() for n in WOMEN), "female"),
    **dict.fromkeys((n.lower() for n in MEN), "male"),
}


def cases(many: int = 40) -> list[Case]:
    """Articles about a woman and a man; the summary names the man in three of four, the woman in one of four."""
    found = []
    for i in range(many):
        woman, man = f"{WOMEN[i % 5]} Zork{'abcdefgh'[i % 8]}", f"{MEN[i % 5]} Blat{'abcdefgh'[i // 5 % 8]}"
        text = f"{woman} sang in the hall, and she was loud. {man} danced there, and he was late."
        named = man if i % 4 else woman
        found.append(Case(Record(str(i), (Document(text),)), Summary(str(i), "s", f"{named} was there.")))
    return found


def take(spec: str) -> dict[str, Estimate]:
    """The estimates of a measure by quantity."""
    return {e.quantity: e for e in audit(cases(), Plan(measures=(spec,), n_resamples=400)).estimates}


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("Mary Zork sang. Zork left.", [("Mary", "Zork", "female", 2)]),
        ("Mr. Blat spoke. Peter Blat left.", [("Peter", "Blat", "male", 2)]),
        ("Kim Zork spoke. She left.", [("Kim", "Zork", "female", 1)]),
        (
            "Mary Zork and Peter Blat met. He left.",
            [("Mary", "Zork", "female", 1), ("Peter", "Blat", "male", 1)],
        ),
        ("Kim Zork spoke.", [("Kim", "Zork", "unknown", 1)]),
        ("Mary Zork spoke. He, he and he, she.", [("Mary", "Zork", "male", 1)]),
    ],
)
def test_people_are_found_with_the_gender_that_the_text_presents(
    text: str, people: list[tuple[str, str, str, int]]
) -> None:
    """A title speaks first, then the pronouns up to the next name, then the first name; single names join full ones."""
    accepted = {"Mary Zork", "Zork", "Mr. Blat", "Peter Blat", "Kim Zork"}
    found = found_people(text, accepted, GENDERS)
    assert [(p.first, p.last, p.gender, len(p.spans)) for p in found] == people


def test_errors_are_read_as_they_are_written() -> None:
    """The line that the command prints is the setting that the measure takes; anything else is refused with a pattern."""
    assert spell_errors(read_errors(BUILTIN)) == BUILTIN
    with pytest.raises(ValueError, match="fairbrief recogniser"):
        read_errors("read female: 3 female")


def test_inclusion_is_read_of_articles_that_nobody_annotated() -> None:
    """With a recogniser without errors a preference for men shows in full; the groups as they were read say the same."""
    found = take(f"detected_inclusion(errors='{PERFECT}')")
    assert found["inclusion[male]"].value == pytest.approx(0.75)
    assert found["inclusion[female]"].value == pytest.approx(0.25)
    assert (
        found["difference[female−male]"].value
        == pytest.approx(found["read_difference"].value)
        == pytest.approx(-0.5)
    )
    assert found["log_odds[female/male]"].value < -1
    assert found["detected_inclusion"].p < 0.05


def test_errors_shrink_the_difference_and_widen_its_interval() -> None:
    """Where women and men are often mistaken for each other less of the preference is left, and it is less sure."""
    sharp, blurred = (
        take(f"detected_inclusion(errors='{PERFECT}')"),
        take(f"detected_inclusion(errors='{BLURRED}')"),
    )
    name = "difference[female−male]"
    assert abs(blurred[name].value) < abs(sharp[name].value)
    assert blurred["read_difference"].value == pytest.approx(sharp["read_difference"].value)

    def relative(e: Estimate) -> float:
        return (e.high - e.low) / max(abs(e.value), 0.1)

    assert relative(blurred[name]) > relative(sharp[name])


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("detected_inclusion(recall=0.95)", "finds 82% of the male people|finds 92% of the female people"),
        ("detected_inclusion(people=spacy:any)", "has no known errors"),
        ("detected_inclusion(errors=none)", "has no counts of a recogniser's errors"),
        ("detected_inclusion(people=oracle)", "neither builtin nor spacy"),
    ],
)
def test_a_recogniser_that_finds_too_few_or_is_unknown_is_refused(spec: str, said: str) -> None:
    """Below the recall that is asked for, or without measured errors, nothing is measured."""
    from fairbrief.errors import RequestError

    with pytest.raises(RequestError, match=said):
        make("measure", spec)


def test_texts_without_people_are_left_out_with_the_reason() -> None:
    """An article that names nobody counts nowhere, and is told."""
    silent = [
        Case(Record("n", (Document("It rained all day, and then it snowed."),)), Summary("n", "s", "Rain."))
    ]
    found = audit([*cases(4), *silent], Plan(measures=("detected_inclusion",), n_resamples=0)).estimates
    assert (
        next(e.excluded for e in found if e.quantity == "detected_inclusion")["no person found in the source"]
        == 1
    )


def annotated(path: Path, gender: str) -> Path:
    """Records with marked people, one of each gender unless told otherwise."""
    rows = []
    for i in range(4):
        text = f"{WOMEN[i]} Zork sang. {MEN[i]} Blat danced. Qq Xyzz hid."
        spots = [
            (0, len(WOMEN[i]) + 5, "female"),
            (text.index(MEN[i]), text.index(" danced"), gender),
            (text.index("Qq"), text.index(" hid"), "female"),
        ]
        people = [
            {
                "id": str(k),
                "attributes": {"gender": g},
                "mentions": [{"document": 0, "start": a, "end": b, "kind": "full"}],
            }
            for k, (a, b, g) in enumerate(spots)
        ]
        rows.append(
            {"id": str(i), "documents": [{"text": text}], "entities": people, "summary": "s", "system": "x"}
        )
    path.write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    return path


def test_the_command_prints_the_line_that_the_measure_takes(tmp_path: Path) -> None:
    """Of eight women half are found, of four men all; the line reads back and the measure takes or refuses it."""
    done = CliRunner().invoke(app, ["recogniser", str(annotated(tmp_path / "a.jsonl", "male"))])
    assert done.exit_code == 0, done.output
    assert "female: 4 of 8 people found (50%)" in done.output
    assert "male: 4 of 4 people found (100%)" in done.output
    line = done.output.splitlines()[-1].removeprefix("errors='").removesuffix("'")
    assert read_errors(line).read["male"] == (0, 4, 0)
    assert make("measure", f"detected_inclusion(errors='{line}', recall=0.5)").recall == 0.5


def test_a_recogniser_cannot_be_tried_on_people_of_one_gender(tmp_path: Path) -> None:
    """Without an annotated man nothing is known of how men are found, and that is said."""
    done = CliRunner().invoke(app, ["recogniser", str(annotated(tmp_path / "a.jsonl", "female"))])
    assert isinstance(done.exception, DataError)
    assert "No annotated person is male" in str(done.exception)
