"""Text in any encoding, and spreadsheets."""

import datetime as dt
import gzip
import sys
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from tests.cli.command import put

from fairbrief.errors import DataError, MissingExtra, RequestError
from fairbrief.readers import read

SAMPLES = {
    "cp1252": "Das Frühstück war großartig, aber die Bäder müssen erneuert werden.",
    "cp1251": "Очень хороший отель и вежливый персонал. Завтрак был ужасный.", "cp932": "部屋はとてもきれいでした。スタッフも親切でした。",
    "gb18030": "房间很干净,服务员很友好,早餐也不错。", "big5": "房間很乾淨，服務員很友好，早餐也不錯。", "euc_kr": "방이 매우 깨끗하고 직원들이 친절했습니다.",
    "cp1253": "Το δωμάτιο ήταν πολύ καθαρό και το προσωπικό ευγενικό.", "utf-16": "Das Frühstück war großartig.",
    "utf-32": "Das Frühstück war großartig.", "utf-8": "Das Frühstück war großartig. 房间很干净",
    "utf-8-sig": "Das Frühstück war großartig.",
}  # fmt: skip


def csv(path: Path, text: str, encoding: str) -> Path:
    """A table of one record in an encoding."""
    return put(path, f'id,text,summary\n1,"{text}",S.\n'.encode(encoding))


@pytest.mark.parametrize("encoding", SAMPLES)
def test_text_is_read_in_its_encoding_and_it_is_said(tmp_path: Path, encoding: str) -> None:
    """A file is read as its bytes suggest; where that is not UTF-8 a note says as what."""
    reading = read(csv(tmp_path / "a.csv", SAMPLES[encoding], encoding), documents_field="text")
    [case] = reading
    assert case.record.documents[0].text == SAMPLES[encoding]
    noted = [note for note in reading.notes if "--encoding" in note]
    assert len(noted) == (not encoding.startswith("utf-8"))


def test_an_encoding_that_is_told(tmp_path: Path) -> None:
    """What --encoding says is done, also in a compressed file; bytes that it does not have are an error."""
    path = put(tmp_path / "a.csv.gz", gzip.compress("id,text,summary\n1,Türkçe ışık,S.\n".encode("cp1254")))
    [case] = read(path, documents_field="text", encoding="cp1254")
    assert case.record.documents[0].text == "Türkçe ışık"
    with pytest.raises(DataError, match=r"which is invalid in the encoding ascii.*--encoding"):
        list(read(path, documents_field="text", encoding="ascii"))
    for name in ("klingon", "zip"):
        with pytest.raises(RequestError, match=f"--encoding {name} is unknown"):
            read(path, documents_field="text", encoding=name)


@pytest.mark.parametrize(
    ("first", "ending"), [(b"PK\3\4", "xlsx"), (b"\xd0\xcf\x11\xe0", "xls"), (b"PAR1", "parquet")]
)
@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_a_binary_file_with_the_ending_of_text_must_be_renamed(
    tmp_path: Path, name: str, first: bytes, ending: str
) -> None:
    """The message names the ending by which the file can be read."""
    with pytest.raises(RequestError, match=f"not a text file. Rename it to end in .{ending}\\."):
        read(put(tmp_path / name, first + b"\0\1"))


@pytest.mark.parametrize(("name", "row"), [
    ("a.csv", "id,text,summary\n1,Good.,S.\n"),
    ("a.jsonl", '{"id": 1, "text": "Good.", "summary": "S."}\n'),
    ("a.csv", 'id,text,summary\n1,"Das Frühstück war großartig.",S.\n'),
])  # fmt: skip
def test_utf_16_without_its_mark(tmp_path: Path, name: str, row: str) -> None:
    """It is recognized in either order of its bytes."""
    path = tmp_path / name
    for encoding in ("utf-16-le", "utf-16-be"):
        path.write_bytes(row.encode(encoding))
        [case] = read(path, documents_field="text")
        assert case.summary.text == "S."


def test_plain_summaries_in_another_encoding(tmp_path: Path) -> None:
    """Summaries a line each are read in their encoding too."""
    out = put(tmp_path / "out.txt", "Schön und größer.\n".encode("cp1252"))
    [case] = read([{"id": 1, "documents": ["One."]}], summaries={"s": out})
    assert case.summary.text == "Schön und größer."


# ------------------------------------------------------------------------------------- spreadsheets


def book(path: Path, **sheets: list[list[Any]]) -> Path:
    """A spreadsheet with these sheets."""
    made = openpyxl.Workbook()
    made.remove(made.active)
    for title, rows in sheets.items():
        sheet = made.create_sheet(title)
        for row in rows:
            sheet.append(row)
    made.save(path)
    return path


ROWS: list[list[Any]] = [
    ["id", "text", "stars", "on", "summary"], [1, "Lovely.", 5, dt.date(2024, 1, 2), "S."], [],
    [1, "Rude.", 1.5, None, None],
]  # fmt: skip


def test_a_spreadsheet_is_a_table(tmp_path: Path) -> None:
    """The first row names the columns; whole numbers and dates are written plainly; empty rows are none."""
    path, attributes = book(tmp_path / "a.xlsx", data=ROWS, other=[]), {"stars": None, "on": None}
    [case] = read(path, group_by="id", documents_field="text", attributes=attributes)
    found = [(d.text, dict(d.attributes)) for d in case.record.documents]
    assert found == [("Lovely.", {"stars": "5", "on": "2024-01-02"}), ("Rude.", {"stars": "1.5"})]
    assert case.record.where == "a.xlsx:2"


def test_sheets_are_named_where_there_are_several(tmp_path: Path) -> None:
    """Several sheets that hold something are told apart as FILE#SHEET."""
    path = book(tmp_path / "a.xlsx", one=ROWS, two=[["id", "text", "summary"], [7, "T.", "U."]])
    with pytest.raises(RequestError, match=r"sheets 'one', 'two': choose one, as a.xlsx#one"):
        list(read(path, documents_field="text"))
    with pytest.raises(RequestError, match="Did you mean 'two'"):
        list(read(f"{path}#twp", documents_field="text"))
    [case] = read(f"{path}#two", documents_field="text")
    assert case.record.id == "7"
    with pytest.raises(RequestError, match="--encoding needs a text file"):
        read(put(tmp_path / "a.parquet", b"PAR1"), encoding="cp1252")


def test_broken_spreadsheets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is no spreadsheet is damage; a column twice is named; a missing library names its extra."""
    path = put(tmp_path / "a.xlsx", b"PK nothing")
    with pytest.raises(DataError, match=r"a.xlsx: found damage"):
        list(read(path, documents_field="text"))
    book(path, data=[["id", "text", "text"], [1, "a", "b"]])
    with pytest.raises(DataError, match=r"a.xlsx:1: found the column 'text' twice"):
        list(read(path, documents_field="text"))
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(MissingExtra, match=r"fairbrief\[excel\]"):
        list(read(path, documents_field="text"))
