"""Transcripts and tables of speakers, as people have them, to records of turns."""

from pathlib import Path

import pytest
from tests.cli.command import put

import fairbrief
from fairbrief.errors import DataError, RequestError
from fairbrief.readers.transcripts import speaker_in
from fairbrief.types import Record

VTT = """WEBVTT - made up

STYLE
::cue { color: lime }

1
00:01.000 --> 00:04.000
<v Ms Anna Weber>Buses &amp; trams are <i>late</i>.</v>

00:05.000 --> 00:06.000 align:start
<v.loud Ms Anna Weber>Every day.</v>
<v Per Olsen>No money.</v> <v Ms Anna Weber>Still.

00:07.000 --> 00:08.000
It rains.
"""
SRT = """1
00:00:01,000 --> 00:00:04,000
Ms Anna Weber: Buses are late.

2
00:00:05,000 --> 00:00:06,000
Every day.

3
00:00:07,000 --> 00:00:08,000
- Two things: time, and money.
>> PER OLSEN: No money.
"""
TEXT = """Council, 3 May

[00:12] Ms Anna Weber (Greens): One thing: buses are late.
Every day.
Per Olsen [00:40]: No money.
customer: And me?
"""
TABLE = "speaker,party,seniority\nMs Anna Weber,Green,3\nPer Olsen,Blue,9\n"


def turns(path: Path, content: str | bytes) -> list[tuple[str, str]]:
    """Speakers and texts of the record in a file."""
    (record,) = fairbrief.read(str(put(path, content))).records()
    assert record.id == path.name.partition(".")[0]
    return [(d.attributes["speaker"], d.text) for d in record.documents]


@pytest.mark.parametrize(("name", "content", "wanted"), [
    ("a.vtt", VTT, [
        ("Ms Anna Weber", "Buses & trams are late. Every day."), ("Per Olsen", "No money."),
        ("Ms Anna Weber", "Still. It rains."),
    ]),
    ("a.srt", SRT, [
        ("Ms Anna Weber", "Buses are late. Every day. - Two things: time, and money."), ("PER OLSEN", "No money."),
    ]),
    ("a.txt", TEXT, [
        ("Ms Anna Weber (Greens)", "One thing: buses are late. Every day."), ("Per Olsen", "No money."),
        ("customer", "And me?"),
    ]),
    ("a.txt", "Müller: Grüße.\r\nWeber: Ja.\r\n".encode("cp1252"), [("Müller", "Grüße."), ("Weber", "Ja.")]),
], ids=["vtt", "srt", "text", "windows"])  # fmt: skip
def test_files_become_turns(tmp_path: Path, name: str, content: str, wanted: list[tuple[str, str]]) -> None:
    """One record per file; lines without a name and next cues of a speaker belong to the turn before."""
    assert turns(tmp_path / name, content) == wanted


@pytest.mark.parametrize(("line", "speaker"), [
    ("The Chair: Order!", "The Chair"), ("Dr. Omar al Haddad: Yes.", "Dr. Omar al Haddad"),
    ("SPEAKER_01: Yes.", "SPEAKER_01"), ("李华：我反对。", "李华"), ("We need two things: time and money.", ""),
    ("At 10:30 we left.", ""), ("See https://example.org", ""), ("Is it so? Yes: it is.", ""),
])  # fmt: skip
def test_a_name_is_told_from_a_sentence_with_a_colon(line: str, speaker: str) -> None:
    """A name is short, its words are capitalised, and no sentence ends in it."""
    assert speaker_in(line)[0] == speaker


def test_a_file_without_names_is_refused_with_what_to_do(tmp_path: Path) -> None:
    """The error names the file, and the ways to give speakers; a byte that is not text its line."""
    path = put(tmp_path / "a.vtt", "WEBVTT\n\n00:01.000 --> 00:04.000\nhello\n")
    with pytest.raises(DataError, match=r"a\.vtt: found no line with a name; .*--group-by\."):
        list(fairbrief.read(str(path)).records())
    path.write_bytes(b"WEBVTT\n\n00:01.000 --> 00:04.000\n<v A>" + "ö".encode() * 20 + b"\xff</v>\n")
    with pytest.raises(DataError, match=r"a\.vtt:4: found the byte 0xff 46 bytes from the line's start"):
        list(fairbrief.read(str(path)).records())


# ------------------------------------------------------------------------------- the table of speakers


def joined(tmp_path: Path, table: str, **settings: object) -> list[Record]:
    """The records of a transcript whose speakers are in a table."""
    path = put(tmp_path / "a.txt", "Ms Anna Weber: Late.\nPer Olsen: No money.\nGuest: Hello.\n")
    people = put(tmp_path / "people.csv", table)
    return list(fairbrief.read(str(path), speakers=str(people), **settings).records())


def test_attributes_of_speakers_come_from_a_second_table(tmp_path: Path) -> None:
    """Each turn has the columns of its speaker; bins work on them; blank cells are absent."""
    (record,) = joined(tmp_path, TABLE + "Guest,,4\n", attributes={"party": None}, bins={"seniority": "4"})
    assert [dict(d.attributes) for d in record.documents] == [
        {"speaker": "Ms Anna Weber", "party": "Green", "seniority": "up to 4"},
        {"speaker": "Per Olsen", "party": "Blue", "seniority": "over 4"},
        {"speaker": "Guest", "seniority": "up to 4"},
    ]


def test_a_table_of_turns_reads_the_speaker_by_itself(tmp_path: Path) -> None:
    """With --group-by, the column 'speaker' need not be named; an attribute of the turn is kept."""
    path = put(tmp_path / "turns.csv", "m,speaker,party,text\n1,Ms Anna Weber,Red,Late.\n1,Per Olsen,,No.\n")
    people = put(tmp_path / "people.csv", TABLE)
    named = {"documents_field": "text", "attributes": {"party": None}, "speakers": str(people)}
    (record,) = fairbrief.read(str(path), group_by="m", **named).records()
    assert [d.attributes["party"] for d in record.documents] == ["Red", "Blue"]


def test_a_speaker_missing_in_the_table_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    """The advice works: such turns can be dropped or made a group."""
    said = r"a\.txt:1 \(id 'a'\): found the speaker 'Guest', who is not in people\.csv"
    with pytest.raises(DataError, match=said):
        joined(tmp_path, TABLE)
    (dropped,) = joined(tmp_path, TABLE, attributes={"party": None}, missing="drop")
    assert len(dropped.documents) == 2
    (grouped,) = joined(tmp_path, TABLE, attributes={"party": None}, missing="group")
    assert grouped.documents[2].attributes["party"] == "missing"
    with pytest.raises(DataError, match="Did you mean 'Per Olson'"):
        joined(tmp_path, TABLE.replace("Per Olsen", "Per Olson"))


@pytest.mark.parametrize(("table", "error", "message"), [
    (TABLE + "Per Olsen,Red,1\n", DataError, r"people\.csv:4: found 'Per Olsen' twice, first in row 3"),
    (TABLE + ",Red,1\n", DataError, r"people\.csv:4: found no speaker"),
    ("name,party\nA,B\n", RequestError, r"people\.csv needs the column 'speaker'.*'name', 'party'"),
    ("speaker\nA\n", RequestError, r"columns with attributes"),
], ids=["twice", "no name", "no column", "one column"])  # fmt: skip
def test_a_wrong_table_is_refused(tmp_path: Path, table: str, error: type[Exception], message: str) -> None:
    """With file and row."""
    with pytest.raises(error, match=message):
        joined(tmp_path, table)
