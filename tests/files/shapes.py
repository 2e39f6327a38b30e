"""Eight inputs in the shapes that people have, made on the spot: a folder of files for each.

The reviews are our own words; what differs is how they are kept.
"""

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.cli.command import write

SUBJECTS = ("room", "soup", "pool", "staff", "lift", "garden", "bath", "bar", "view", "bed", "desk", "tea")
GOOD = (
    "The {} was lovely and bright.",
    "We liked the {} very much indeed.",
    "What a fine {} they have here.",
)
BAD = (
    "The {} was dirty and far too loud.",
    "We waited an hour for the {} in vain.",
    "The {} is broken and nobody cares.",
)
TOWNS = ("Ulm", "Bonn", "Graz")


@dataclass(frozen=True)
class Review:
    """A review of a hotel."""

    hotel: str
    stars: int
    text: str
    town: str


def hotels(n: int = 12) -> dict[str, list[Review]]:
    """Hotels with six reviews each, three of them bad."""
    return {
        f"h{i:02}": [
            Review(f"h{i:02}", stars, said[j // 2].format(SUBJECTS[(i + j) % 12]), TOWNS[i % 3])
            for j, (stars, said) in enumerate(zip((5, 1, 4, 2, 5, 1), (GOOD, BAD) * 3, strict=True))
        ]
        for i in range(n)
    }


def summary(reviews: Sequence[Review], system: str) -> str:
    """The first good and bad review, or only the good ones."""
    chosen = [reviews[0], reviews[2]] if system == "rosy" else [reviews[0], reviews[1]]
    return " ".join(review.text for review in chosen)


def table(
    path: Path, rows: Sequence[Mapping[str, Any]], *, delimiter: str = ",", encoding: str = "utf-8"
) -> None:
    """A table in text."""
    with path.open("w", newline="", encoding=encoding) as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)


def _long_and_summaries(folder: Path) -> None:
    reviews = [r for of in hotels().values() for r in of]
    reviews.sort(key=lambda r: r.text)  # as an export has them: not by hotel
    table(folder / "reviews.csv", [
        {"review_id": i, "product_id": r.hotel, "rating": r.stars, "city": r.town, "review_text": r.text}
        for i, r in enumerate(reviews)
    ])  # fmt: skip
    table(folder / "summaries.csv", [
        {"asin": key, "model": system, "generated_summary": summary(of, system)}
        for key, of in hotels().items() for system in ("even", "rosy")
    ])  # fmt: skip


def _wide(folder: Path) -> None:
    rows = []
    for key, of in hotels().items():
        row: dict[str, Any] = {"hotel_id": key}
        row |= {f"review_{j}": r.text if (j + int(key[1:])) % 5 else "" for j, r in enumerate(of, 1)}
        row |= {f"stars_{j}": r.stars for j, r in enumerate(of, 1)}
        row |= {f"summary_{system}": summary(of, system) for system in ("even", "rosy")}
        rows.append(row)
    table(folder / "wide.csv", rows)


def _german_semicolons(folder: Path) -> None:
    table(folder / "bewertungen.csv", [
        {"nr": key, "texte": " || ".join(r.text.replace("lovely", "schön").replace("dirty", "schmutzig, größer") for r in of),
         "sterne": "|".join(str(r.stars) for r in of), "zusammenfassung": summary(of, "even")}
        for key, of in hotels().items()
    ], delimiter=";", encoding="cp1252")  # fmt: skip


def _nested_json(folder: Path) -> None:
    write(folder / "calls.jsonl", [
        {"request": {"hotel": key, "reviews": [{"body": r.text, "stars": r.stars} for r in of], "town": of[0].town},
         "response": {"model": system, "choices": [{"message": {"role": "assistant", "content": summary(of, system)}}]}}
        for key, of in hotels().items() for system in ("even", "rosy")
    ])  # fmt: skip


def _batch(folder: Path) -> None:
    write(folder / "records.jsonl", [
        {"id": key, "documents": [{"text": r.text, "attributes": {"stars": r.stars}} for r in of]}
        for key, of in hotels().items()
    ])  # fmt: skip
    answers = [
        {"id": f"batch_{key}", "custom_id": key, "error": None, "response": {"status_code": 200, "body": {
            "model": "gpt-x", "choices": [{"index": 0, "message": {"content": summary(of, "rosy")}, "finish_reason": "stop"}]}}}
        for key, of in reversed(hotels().items())
    ]  # fmt: skip
    answers[3] |= {"response": None, "error": {"code": "batch_expired", "message": "expired"}}
    write(folder / "batch_output.jsonl", answers)


def _parquet_numbers(folder: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [
        {"ticket": f"t{i:02}", "messages": [r.text for r in of], "ages": [20 + 10 * (j % 3) for j in range(len(of))],
         "abstract": summary(of, "even")}
        for i, of in enumerate(hotels().values())
    ]  # fmt: skip
    pq.write_table(pa.Table.from_pylist(rows), folder / "tickets.parquet")


def _articles(folder: Path) -> None:
    write(folder / "articles.jsonl", [
        {"article": " ".join(r.text for r in of), "highlights": summary(of, "even"), "model_output": summary(of, "rosy"),
         "section": ("news", "sport")[i % 2]}
        for i, of in enumerate(hotels(24).values())
    ])  # fmt: skip


def _plain_summaries(folder: Path) -> None:
    write(folder / "debates.jsonl", [
        {"debate_id": key, "speeches": [{"text": r.text, "party": "L" if r.stars > 3 else "R"} for r in of]}
        for key, of in hotels().items()
    ])  # fmt: skip
    said = [summary(of, "rosy") + "\n" for of in hotels().values()]
    (folder / "bart.txt").write_text("".join(said), encoding="utf-8")


@dataclass(frozen=True)
class Shape:
    """A folder of files, and what an audit of it must find."""

    write: Callable[[Path], None]
    files: tuple[str, ...]
    systems: tuple[str, ...]
    groups: Mapping[str, int]
    """Attributes that must be audited over, with their numbers of groups."""
    records: int = 12
    documents: int = 72


BOTH, STARS = ("even", "rosy"), {"stars": 4}
SHAPES = {
    "long table, summaries in a second file": Shape(_long_and_summaries, ("reviews.csv", "summaries.csv"), BOTH, {"rating": 4}),
    "wide table, two systems": Shape(_wide, ("wide.csv",), BOTH, STARS, documents=58),
    "semicolons in Windows' encoding": Shape(_german_semicolons, ("bewertungen.csv",), ("bewertungen",), {"sterne": 4}),
    "logged calls, nested": Shape(_nested_json, ("calls.jsonl",), BOTH, STARS),
    "records and an OpenAI batch": Shape(_batch, ("batch_output.jsonl", "records.jsonl"), ("gpt-x",), STARS),
    "Parquet with lists and numbers": Shape(_parquet_numbers, ("tickets.parquet",), ("tickets",), {"ages": 3}),
    "articles and highlights": Shape(_articles, ("articles.jsonl",), ("articles",), {}, 24, 24),
    "objects with texts, summaries a line each": Shape(_plain_summaries, ("debates.jsonl", "bart.txt"), ("bart",), {"party": 2}),
}  # fmt: skip
"""Shapes by what they are."""
