"""The sets of inputs that Steen & Markert's tables are divided by, and the estimates of each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fairbrief.types import Estimate

APART = ("design", "genders", "last_names", "content_words")
"""Record attributes of built inputs (`fairbrief build people`) by which the sets differ."""
BALANCED, MONO, ORIGINAL = "balanced", "mono", "original"
"""Designs: the paper's C_loc and C_glob, and the documents that both were made from."""

Part = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Kind:
    """How inputs of either design were made; empty where their records do not record it."""

    genders: str = ""
    last_names: str = ""
    content_words: str = ""

    @property
    def is_by_gender(self) -> bool:
        """Whether gender was varied, or the records do not record it."""
        return self.genders in ("", "varied")

    @property
    def is_tied(self) -> bool:
        """Whether each race has one gender: ``black male, white female``."""
        return "," in self.genders

    @property
    def keeps_words(self) -> bool:
        return self.content_words in ("", "kept")

    @property
    def is_main(self) -> bool:
        """Whether these are the inputs of the paper's main experiment: by gender, all else kept."""
        return self.is_by_gender and self.keeps_words and self.last_names in ("", "kept")

    def __str__(self) -> str:
        """How they differ from the main experiment's."""
        differences = [
            "" if self.is_by_gender else f"genders {self.genders}",
            "last names replaced" if self.is_by_gender and self.last_names == "replaced" else "",
            "" if self.keeps_words else f"content words {self.content_words}",
        ]
        return ", ".join(filter(None, differences))


@dataclass(frozen=True, slots=True)
class Row:
    """A system, within a subgroup that the user asked for."""

    system: str
    part: Part = ()

    @property
    def label(self) -> str:
        part = ", ".join(f"{name}={value}" for name, value in self.part)
        return f"{self.system} ({part})" if part else self.system


@dataclass(frozen=True, slots=True)
class Placed:
    """An estimate with its set of inputs and its row."""

    estimate: Estimate
    kind: Kind
    design: str
    row: Row


def place(estimates: Iterable[Estimate]) -> list[Placed]:
    """The estimates of single sets of inputs; where no record names its set, all are of one set."""
    kept = [e for e in estimates if not e.baseline]
    named = {name for e in kept for name in e.subgroup if name in APART}
    return [_placed(e) for e in kept if named <= set(e.subgroup)]


def _placed(estimate: Estimate) -> Placed:
    values = {name: estimate.subgroup.get(name, "") for name in APART}
    part = tuple(sorted((k, v) for k, v in estimate.subgroup.items() if k not in APART))
    kind = Kind(values["genders"], values["last_names"], values["content_words"])
    if values["design"] == ORIGINAL:
        kind = Kind()
    return Placed(estimate, kind, values["design"], Row(estimate.system, part))


def rows_of(placed: Iterable[Placed], start: str) -> list[Row]:
    """The rows for which a measure was taken, whole systems before slices."""
    found = dict.fromkeys(p.row for p in placed if p.estimate.measure.startswith(start))
    return sorted(found, key=lambda row: row.part)


def find(
    placed: Iterable[Placed], row: Row, start: str, quantity: str, over: str | None = None
) -> Estimate | None:
    """The first estimate of a quantity in a row, defined if any is; over any attribute if none is named."""
    found = [
        p.estimate
        for p in placed
        if p.row == row
        and p.estimate.quantity == quantity
        and p.estimate.measure.startswith(start)
        and (over is None or p.estimate.over in (over, ""))
    ]
    return next((e for e in found if e.value is not None), found[0] if found else None)


def of(placed: Sequence[Placed], kind: Kind | None, *designs: str) -> list[Placed]:
    """The estimates of one kind of inputs (any, if None), of these designs or of inputs that name none."""
    return [p for p in placed if (kind is None or p.kind == kind) and p.design in (*designs, "")]


def kinds_of(placed: Iterable[Placed]) -> list[Kind]:
    """The kinds of inputs, in the order in which they are met."""
    return list(dict.fromkeys(p.kind for p in placed if p.design != ORIGINAL))
