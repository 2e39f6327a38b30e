"""The tables of Zhang et al., under their own numbers: rows are systems and scorers, numbers percent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from fairbrief import specs
from fairbrief.protocols.published_results import heading, published_results
from fairbrief.types import REFERENCE, Estimate, Table

SCORERS: Mapping[str, str] = MappingProxyType(
    {"ngram": "N-gram", "bertscore": "BERTScore", "bartscore": "BARTScore"}
)
"""The paper's rows, by scorer."""
MEASURES = ("bur", "uer", "auc_cutoff", "sof")
WITHOUT_TEXTS = ("ngram", "units", "uniform")
"""What reads documents one by one, or none."""
NUMBERED = "Number and title are the paper's; the rows are the systems audited here."
EMPTY = "Empty summaries are left out."
CUT = "The text of a value is read as one and cut at the model's window."


@dataclass(frozen=True)
class Cell:
    """One number, and where it stands. ``value`` is a share; ``of`` the value that a companion speaks of."""

    over: str
    part: str
    scorer: str
    system: str
    measure: str
    value: float | None
    n: int
    of: str = ""


def tables(estimates: Iterable[Estimate], variant: Mapping[str, str]) -> tuple[Table, ...]:
    """Tables 2, 3, 4 and 6 and Figure 3, one of each per attribute and slice.

    Estimates whose measure differs from the settings in ``variant`` are passed over. Table 4 needs references
    among the systems (``--references``).
    """
    cells = list(_cells(estimates, variant))
    return tuple(
        table
        for over, part in dict.fromkeys((cell.over, cell.part) for cell in cells)
        for make in (_scores, _long_context, _references, _by_value, _auc)
        for table in [make([c for c in cells if (c.over, c.part) == (over, part)], _place(over, part))]
        if table.rows
    )


def _cells(estimates: Iterable[Estimate], variant: Mapping[str, str]) -> Iterable[Cell]:
    for e in estimates:
        asked = specs.parse(e.measure)
        if asked.name not in MEASURES or e.baseline:
            continue
        if any(asked.settings.get(key) != value for key, value in variant.items()):
            continue
        name, _, of = e.quantity.partition("[")
        if name not in (asked.name, "share_under"):
            continue
        scorer = specs.parse(asked.settings.get("scorer", "ngram")).name
        part = ", ".join(f"{key} = {value}" for key, value in e.slice.items())
        measure = asked.name if name == asked.name else name
        yield Cell(asked.over or "", part, scorer, e.system, measure, e.value, e.n, of.removesuffix("]"))


def _place(over: str, part: str) -> str:
    return f" (over {over}{f', {part}' if part else ''})"


def _title(number: str, place: str) -> str:
    return heading(published_results("zhang-perspectives"), number) + place


def _scores(cells: Sequence[Cell], place: str) -> Table:
    """Table 2: BUR and UER by system and scorer, with the average of several scorers."""
    known = {(c.system, c.scorer, c.measure): c for c in cells}
    rows: list[tuple[str, ...]] = []
    for system in _systems(cells):
        scorers = _scorers([c for c in cells if c.system == system])
        for scorer in scorers:
            bur, uer = (known.get((system, scorer, m)) for m in ("bur", "uer"))
            rows.append((system, SCORERS.get(scorer, scorer), percent([bur]), percent([uer]), _count(bur)))
        if len(_scorers(cells)) > 1:
            means = [percent([known.get((system, s, m)) for s in _scorers(cells)]) for m in ("bur", "uer")]
            rows.append((system, "Average", *means, ""))
    is_asked = any(c.measure in ("bur", "uer") for c in cells)
    header = ("system", "scorer", "BUR", "UER", "unfair")
    return Table(_title("Table 2", place), header, tuple(rows) if is_asked else (), _notes(cells))


def _long_context(cells: Sequence[Cell], place: str) -> Table:
    """Table 3: BUR, UER and SOF of the N-gram scorer; Table 7 has the same columns."""
    return Table(
        _title("Table 3", place),
        ("system", "BUR", "UER", "SOF"),
        _by_measure([c for c in cells if c.scorer == "ngram"], ("bur", "uer", "sof"), "sof"),
        (f"{NUMBERED} Table 7 has these columns, with an instruction a row.", EMPTY),
    )


def _references(cells: Sequence[Cell], place: str) -> Table:
    """Table 4: references beside systems, in columns by scorer."""
    known = {(c.system, c.scorer, c.measure): c for c in cells}
    scorers = _scorers(cells)
    is_reference: Callable[[str], bool] = lambda system: system.startswith(REFERENCE)  # noqa: E731
    systems = sorted(_systems(cells), key=lambda system: not is_reference(system))
    rows = tuple(
        (s, *(percent([known.get((s, scorer, m))]) for scorer in scorers for m in ("bur", "uer")))
        for s in systems
    )
    header = ("summary", *(f"{SCORERS.get(s, s)} {m}" for s in scorers for m in ("BUR", "UER")))
    any_reference = any(map(is_reference, systems))
    return Table(_title("Table 4", place), header, rows if any_reference else (), _notes(cells))


def _by_value(cells: Sequence[Cell], place: str) -> Table:
    """Figure 3: the share of records in which each value gets less than its due."""
    shares = [c for c in cells if c.measure == "share_under" and c.scorer == "ngram"]
    known = {(c.system, c.of): c for c in shares}
    values = list(dict.fromkeys(c.of for c in shares))
    rows = tuple((s, *(percent([known.get((s, v))]) for v in values)) for s in _systems(shares))
    note = "Percent of records in which the value's share in the summary is at most 0.8 of its share in the source; the report draws the ratios."
    return Table(_title("Figure 3", place), ("system", *values), rows, (note, NUMBERED))


def _auc(cells: Sequence[Cell], place: str) -> Table:
    """Table 6: AUC by system, in columns by scorer."""
    found = [c for c in cells if c.measure == "auc_cutoff"]
    known = {(c.system, c.scorer): c for c in found}
    scorers = _scorers(found)
    rows = tuple((s, *(percent([known.get((s, scorer))]) for scorer in scorers)) for s in _systems(found))
    return Table(
        _title("Table 6", place), ("system", *(SCORERS.get(s, s) for s in scorers)), rows, _notes(found)
    )


def _by_measure(cells: Sequence[Cell], measures: Sequence[str], needed: str) -> tuple[tuple[str, ...], ...]:
    known = {(c.system, c.measure): c for c in cells}
    found = (s for s in _systems(cells) if (s, needed) in known)
    return tuple((s, *(percent([known.get((s, m))]) for m in measures)) for s in found)


def _systems(cells: Iterable[Cell]) -> list[str]:
    return list(dict.fromkeys(c.system for c in cells))


def _scorers(cells: Iterable[Cell]) -> list[str]:
    """The paper's scorers in its order, then others."""
    found = {c.scorer for c in cells}
    return [s for s in SCORERS if s in found] + sorted(found - set(SCORERS))


def _notes(cells: Iterable[Cell]) -> tuple[str, ...]:
    reads_texts = any(c.scorer not in WITHOUT_TEXTS for c in cells)
    return (NUMBERED, f"{EMPTY} {CUT}" if reads_texts else EMPTY)


def percent(cells: Sequence[Cell | None]) -> str:
    """The mean of the cells in percent, two decimals; a dash where one of them has no value."""
    values = [cell.value for cell in cells if cell is not None and cell.value is not None]
    return f"{100 * sum(values) / len(values):.2f}" if values and len(values) == len(cells) else "–"


def _count(cell: Cell | None) -> str:
    return "–" if cell is None or cell.value is None else f"{round(cell.value * cell.n)} of {cell.n}"
