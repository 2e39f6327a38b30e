"""Steen & Markert's tables of bias scores: 2, 3, 5, 8, 12, 19 and 20."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from fairbrief.protocols.cells import decimal
from fairbrief.protocols.steen_inputs import BALANCED, MONO, Kind, Placed, Row, find, of, titled
from fairbrief.types import Estimate, Table

DIGITS = 2
"""Decimals, as the paper prints them."""
BOTH = "s: resampling assignments within originals; d: resampling originals. Systems are rows here, columns in the paper."
FOLDED = "Non-negative scores are above zero by chance: read them with the p of the estimates."
SOURCES = "Distinguishability is of the mono inputs (C_glob), all else of the balanced ones (C_loc)."
UNDEFINED = (
    "– is undefined: inclusion without known people or with infinite uncorrected odds (all of a group named, or nobody), "
    "hallucination with nobody invented, or no inputs of the design that the score is of."
)
PLANTED: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "random": (".15 / .02", ".24 / .00"),
        "lead": (".12 / .00", ".23 / .00"),
        "topic": (".26 / .14", ".29 / .05"),
        "sexist": (".02 / .10", ".20 / .04"),
    }
)
"""The planted systems, and what the paper's Table 2 has of them on CNN and on XSum: uniform / input reference."""
COLUMNS: Mapping[str, tuple[str, str, str]] = MappingProxyType(
    {
        "Word list": ("word_list_inclusion(words", "word_list_inclusion", BALANCED),
        "Inclusion": ("entity_inclusion", "entity_inclusion", BALANCED),
        "Hallucination": ("entity_hallucination", "entity_hallucination", BALANCED),
        "Dist. (count)": ("distinguishability(similarity=counts", "distinguishability", MONO),
        "Dist. (dense)": ("distinguishability(similarity=embedding", "distinguishability", MONO),
    }
)
"""Columns: how the measure's spec begins, the quantity, and the design that the paper takes it from."""
TIED = ("black male, white female", "black male, white male", "black female, white male", "black female, white female")  # fmt: skip
"""The paper's order of Table 20, after random."""
FOCUS = "focus"
"""Part of the name of a system that was asked to attend to women (prompt ``article-focus``)."""


def score_tables(placed: Sequence[Placed], attributes: Sequence[str]) -> Iterator[Table]:
    """The tables of scores over each attribute, one for each kind of inputs."""
    kinds = list(dict.fromkeys(p.kind for p in placed if p.design != "original"))
    for over in attributes:
        for kind in kinds:
            if over != "race" or not kind.is_tied:
                yield scores(placed, over, kind)
    if "gender" in attributes:
        yield from (induced(placed, kind) for kind in kinds if _number(kind, "gender") == "3")
    if "race" in attributes and any(kind.is_tied for kind in kinds):
        yield intersectional(placed, kinds)


def scores(placed: Sequence[Placed], over: str, kind: Kind) -> Table:
    """One row per system, each cell with both intervals; a column that was not measured is left out."""
    rows = _rows(placed, over, kind)
    return _table(_title(over, kind), over, [(row.label, row, kind) for row in rows], placed)


def induced(placed: Sequence[Placed], kind: Kind) -> Table:
    """Table 5: inclusion of the systems that were asked to attend to women."""
    asked = [(row.label, row, kind) for row in _rows(placed, "gender", kind) if FOCUS in row.system]
    balanced = of(placed, kind, BALANCED)
    title = titled("Table 5")
    return _table(title, "gender", asked, balanced, ("Word list", "Inclusion"))


def intersectional(placed: Sequence[Placed], kinds: Sequence[Kind]) -> Table:
    """Table 20: scores by race, gender drawn at random or tied to race."""
    order = ("random", *TIED)
    chosen = [k for k in kinds if k.is_tied or (k.genders == "random" and k.keeps_words)]
    chosen.sort(key=lambda k: (order.index(k.genders) if k.genders in order else len(order), k.genders))
    rows = [
        (f"{row.label}: {kind.genders}", row, kind) for kind in chosen for row in _rows(placed, "race", kind)
    ]
    return _table(titled("Table 20"), "race", rows, placed)


def planted(placed: Sequence[Placed]) -> Table:
    """Table 2, second half: word lists of the planted systems from both references, if all four were audited."""
    named = {p.row.system.partition("(")[0]: p.row for p in placed if not p.row.part}
    rows = []
    for name, published in PLANTED.items():
        row = named.get(name, Row(""))
        found = [
            find(placed, row, f"word_list_inclusion({start}", "word_list_inclusion")
            for start in ("reference=uniform", "words")
        ]
        rows.append((row.system, *(number(e) for e in found), *published))
    return Table(
        titled("Table 2"),
        ("", "Unf.", "Adj.", "paper: CNN", "paper: XSum"),
        tuple(rows) if set(PLANTED) <= set(named) else (),
        (
            "Unf.: distance from equal shares; Adj.: from the shares in the inputs. The paper's: Unf. / Adj.",
            "Seen from equal shares a system is what its inputs are: read Adj. The paper's inputs were unmodified articles.",
            "The table's first half, documents and identifiers by topic, is printed by 'fairbrief words'.",
        ),
    )


def number(estimate: Estimate | None, digits: int = DIGITS) -> str:
    """The value alone."""
    return decimal(None if estimate is None else estimate.value, digits)


def cell(estimate: Estimate | None) -> str:
    """The value, and below it the intervals that there are."""
    if estimate is None or estimate.value is None:
        return "–"
    lines = [decimal(estimate.value, DIGITS)]
    if estimate.low_within is not None and estimate.high_within is not None:
        lines.append(f"s: {decimal(estimate.low_within, DIGITS)},{decimal(estimate.high_within, DIGITS)}")
    if estimate.low is not None and estimate.high is not None:
        lines.append(f"d: {decimal(estimate.low, DIGITS)},{decimal(estimate.high, DIGITS)}")
    return "\n".join(lines)


def _number(kind: Kind, over: str) -> str:
    """The number of the paper's table with scores of such inputs; empty where it has none."""
    if over == "race":
        return "8" if kind.genders == "random" and kind.keeps_words else ""
    if over != "gender" or not kind.is_by_gender:
        return ""
    if kind.last_names == "replaced":
        return "12" if kind.keeps_words else ""
    return "3" if kind.keeps_words else "19"


def _title(over: str, kind: Kind) -> str:
    found = _number(kind, over)
    if found:
        return titled(f"Table {found}") + (f" ({kind.content_words})" if found == "19" else "")
    inputs = [] if kind.is_by_gender else [f"genders {kind.genders}"]
    inputs += ["last names replaced"] if kind.last_names == "replaced" and kind.is_by_gender else []
    inputs += [] if kind.keeps_words else [f"content words {kind.content_words}"]
    of_which = f" of inputs with {', '.join(inputs)}" if inputs else ""
    return f"Scores by {over}{of_which} (laid out as Table {8 if over == 'race' else 3})"


def _rows(placed: Sequence[Placed], over: str, kind: Kind) -> list[Row]:
    found = dict.fromkeys(p.row for p in placed if p.kind == kind and p.estimate.over == over)
    return sorted(found, key=lambda row: row.part)


def _table(
    title: str,
    over: str,
    rows: Sequence[tuple[str, Row, Kind]],
    placed: Sequence[Placed],
    columns: Sequence[str] = tuple(COLUMNS),
) -> Table:
    found = [_line(placed, row, kind, over, columns) for _, row, kind in rows]
    kept = [i for i in range(len(columns)) if any(line[i] is not None for line in found)]
    shown = tuple(
        (label, *(cell(line[i]) for i in kept), _direction(of(placed, kind, BALANCED), row, over))
        for (label, row, kind), line in zip(rows, found, strict=True)
    )
    header = ("", *(columns[i] for i in kept), "Included most / least")
    undefined = (UNDEFINED,) if any("–" in line[1:-1] for line in shown) else ()
    designs = (SOURCES,) if any(p.design for p in placed) else ()
    return Table(title, header, shown if kept else (), (BOTH, *designs, FOLDED, *undefined))


def _line(
    placed: Sequence[Placed], row: Row, kind: Kind, over: str, columns: Sequence[str]
) -> list[Estimate | None]:
    """The estimate of each column, from the design that the paper takes it from."""
    found = []
    for name in columns:
        start, quantity, design = COLUMNS[name]
        # Word lists compare genders: beside another attribute they would be read as being about it.
        fits = over == "gender" or not start.startswith("word_list")
        found.append(find(of(placed, kind, design), row, start, quantity, over) if fits else None)
    return found


def _direction(placed: Sequence[Placed], row: Row, over: str) -> str:
    """The groups with the largest and the smallest share of people included."""
    shares = {
        p.estimate.quantity[len("inclusion[") : -1]: p.estimate.value
        for p in placed
        if p.row == row
        and p.estimate.over == over
        and p.estimate.measure.startswith("entity_inclusion")
        and p.estimate.quantity.startswith("inclusion[")
        and p.estimate.value is not None
    }
    if len(set(shares.values())) < 2:
        return "–"
    return f"{max(shares, key=lambda g: shares[g])} / {min(shares, key=lambda g: shares[g])}"
