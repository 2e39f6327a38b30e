"""Reviews of products: FewSum's tables, and Amazon's JSON Lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fairbrief.errors import DataError
from fairbrief.text.counted import counted
from fairbrief.types import Document, Record
from fairbrief.workbench.corpora.formats.text_lines import Encoding, fault, field, objects, text_lines

REVIEW, SUMMARY = re.compile(r"rev\d+"), re.compile(r"summ\d*")


def read_fewsum(path: Path, encoding: Encoding) -> Iterator[Record]:
    """FewSum's sets of reviews: each product is a record, its reviews the documents with their ``rating``.

    A file of reviews (``group_id``, ``review_text``, ``category``, ``rating``) gives one record per group; a
    file of gold sets (``rev1`` …, ``summ1`` …) one per line, with the summaries as references. A folder is
    read file by file in the order of the names (the published selection took the file system's order).
    Fields stand between tabs and are not quoted, as FewSum itself reads them.
    """
    files = [path] if path.is_file() else sorted(path.glob("**/*.csv"))
    if not files:
        raise DataError(f"{path}: found no .csv file; wanted FewSum's tables; name the folder they are in.")
    for file in files:
        yield from _fewsum_file(file, encoding)


def read_amazon(path: Path, encoding: Encoding) -> Iterator[Record]:
    """Amazon's reviews: a record each, with the attribute ``rating`` and the record's ``product`` (asin).

    A review without a text (there are some) has an empty one.
    """
    for number, row in objects(path, encoding):
        product = str(field(path, number, row, "asin"))
        rating = rating_text(path, number, field(path, number, row, "overall"))
        text = row.get("reviewText") or ""
        if not isinstance(text, str):
            raise fault(path, number, "a reviewText that is no text", "text", "mend the line")
        yield Record(
            f"{product}-{number}",
            (Document(_plain(text), {"rating": rating}),),
            attributes={"product": product},
            where=f"{path.name}:{number}",
        )


def rating_text(path: Path, number: int, value: Any) -> str:
    """A rating as text: ``5`` for 5, 5.0 and "5.0"."""
    try:
        rating = float(value)
    except (TypeError, ValueError):
        raise fault(path, number, f"{value!r} as the rating", "a number", "mend the line") from None
    if rating != rating or abs(rating) == float("inf"):
        raise fault(path, number, f"{value!r} as the rating", "a finite number", "mend the line")
    return f"{rating:g}"


def _fewsum_file(path: Path, encoding: Encoding) -> Iterator[Record]:
    rows = _rows(path, encoding)
    first = next(rows, None)
    if first is None:
        raise DataError(f"{path.name}: found no row; wanted a header and rows by tabs; remove the file.")
    if any(REVIEW.fullmatch(name) for name in first[1]):
        yield from (_gold(path, number, row) for number, row in _chain(first, rows))
    elif "review_text" in first[1]:
        yield from _groups(path, _chain(first, rows))
    else:
        known = ", ".join(map(repr, first[1]))
        raise fault(path, 1, f"the columns {known}", "'review_text', or 'rev1' …", "name the right --format")


def _chain(first: tuple[int, Any], rest: Iterator[tuple[int, Any]]) -> Iterator[tuple[int, Any]]:
    yield first
    yield from rest


def _rows(path: Path, encoding: Encoding) -> Iterator[tuple[int, Mapping[str, str]]]:
    columns: Sequence[str] = ()
    for number, line in text_lines(path, encoding):
        cells = line.split("\t")
        if not columns:
            columns = [cell.strip() for cell in cells]
        elif len(cells) != len(columns):
            wanted = f"{len(columns)}, as many as the columns"
            raise fault(
                path,
                number,
                counted(len(cells), "field"),
                wanted,
                "mend the line (fields stand between tabs)",
            )
        else:
            yield number, dict(zip(columns, cells, strict=True))


def _gold(path: Path, number: int, row: Mapping[str, str]) -> Record:
    reviews = [text for name, text in row.items() if REVIEW.fullmatch(name) and text.strip()]
    summaries = [text for name, text in row.items() if SUMMARY.fullmatch(name) and text.strip()]
    product, category = row.get("group_id") or row.get("prod_id") or "", row.get("cat") or ""
    # In the published Yelp gold sets the group_id column holds the category, the same for many rows.
    ident = f"{path.stem}-{number}" + (f"-{product.strip()}" if product.strip() else "")
    return Record(
        ident,
        tuple(Document(_plain(text)) for text in reviews),
        tuple(_plain(text) for text in summaries),
        attributes={"category": category.strip()} if category.strip() else {},
        where=f"{path.name}:{number}",
    )


def _groups(path: Path, rows: Iterator[tuple[int, Mapping[str, str]]]) -> Iterator[Record]:
    """Neighbouring rows of one group are one record."""
    group, start, category, documents = "", 0, "", list[Document]()
    for number, row in rows:
        name = row.get("group_id", "").strip() or path.stem
        if documents and name != group:
            yield _product(path, start, group, category, documents)
            documents = []
        if not documents:
            group, start, category = name, number, row.get("category", "").strip()
        given = row.get("rating", "").strip()
        rating = {"rating": rating_text(path, number, given)} if given else {}
        documents.append(Document(_plain(row["review_text"]), rating))
    if documents:
        yield _product(path, start, group, category, documents)


def _product(path: Path, line: int, group: str, category: str, documents: Sequence[Document]) -> Record:
    attributes = {"product": group, **({"category": category} if category else {})}
    return Record(group, tuple(documents), attributes=attributes, where=f"{path.name}:{line}")


def _plain(text: str) -> str:
    """The text without the NUL characters that some scraped reviews hold."""
    return text.replace("\0", "").strip()
