"""The protocol of the value-distribution paper: its readings as settings, its tables as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from fairbrief import spelling
from fairbrief.nouns import Estimate, Table
from fairbrief.scorers.bartscore import BartScore
from fairbrief.scorers.bertscore import BertScore

NLTK = "ngram(reading=nltk)"
SCORERS: Mapping[str, str] = MappingProxyType(
    {"ngram": "N-gram", "bertscore": "BERTScore", "bartscore": "BARTScore"}
)
"""The paper's rows, by scorer."""
READING: Mapping[str, str] = MappingProxyType({"ties": "under", "no_match": "uniform", "single": "fair"})
"""The authors' code: ``<=``, equal shares without a match, a record of one value is fair."""
WITHOUT_TEXTS = ("ngram", "units", "uniform")
"""What reads documents one by one, or none."""
MEASURES = ("bur", "uer", "auc_cutoff", "sof")


@dataclass(frozen=True)
class ZhangPerspectives:
    """BUR and UER per system and scorer, and the AUC and SOF tables.

    Values without source tokens do not enter, empty summaries are left out, averages are plain means
    over records. The AUC is the long-tail sweep that made the paper's table.

    ``scorers`` are the rows of the tables: ``ngram`` alone, unless more are named
    (``scorers=ngram+bertscore``); ``all`` is the paper's three. Several stand above their average.
    BERTScore (rescaled precision) and BARTScore read all text of a value as one, cut at the model's
    window (512 and 1,024 word pieces), and T = 0.1. ``bertscore`` (with ``layer``) and ``bartscore`` name
    other models than the paper's, from the hub or a local folder. Any other scorer's spelling is a row too.
    """

    scorers: tuple[str, ...] = ("ngram",)
    bertscore: str = "roberta-large"
    layer: int = 17
    bartscore: str = "facebook/bart-large-cnn"
    name: ClassVar[str] = "zhang-perspectives"
    paper: ClassVar[str] = (
        "Zhang, Zhang, Liu, Fabbri, Liu, Kamoi, Lu, Xiong, Zhao, Radev, McKeown, Zhang: "
        "Fair Abstractive Summarization of Diverse Perspectives. NAACL 2024."
    )

    def measures(self, attributes: Sequence[str]) -> tuple[str, ...]:
        """Every measure of the paper with every scorer, in the authors' reading."""
        return tuple(
            _spelled(measure, scorer, over)
            for over in attributes
            for scorer in self._scorers()
            for measure in MEASURES
        )

    def _scorers(self) -> tuple[str, ...]:
        """The rows' scorers in the paper's settings; a spelling with settings of its own stays as it is."""
        paper = {
            "ngram": NLTK,
            "bertscore": repr(BertScore(self.bertscore, self.layer, windows="truncate")),
            "bartscore": repr(BartScore(self.bartscore, windows="truncate")),
        }
        named = [n for name in self.scorers for n in (paper if name == "all" else (name,))]
        return tuple(dict.fromkeys(paper.get(name, name) for name in named))

    def tables(self, estimates: Sequence[Estimate]) -> tuple[Table, ...]:
        """BUR and UER (percent), AUC (percent) and SOF (× 100), one of each per attribute and slice."""
        cells = _cells(estimates)
        tables = []
        for over, part in dict.fromkeys((cell.over, cell.part) for cell in cells):
            within = [cell for cell in cells if (cell.over, cell.part) == (over, part)]
            place = f" over {over}{f' ({part})' if part else ''}"
            tables += [
                _table(f"BUR and UER (%){place}", within, ("bur", "uer"), 2, counts=True),
                _table(f"AUC (%){place}", within, ("auc_cutoff",), 2),
                _table(f"SOF (× 100){place}", within, ("sof",), 2),
            ]
        return tuple(table for table in tables if table.rows)


@dataclass(frozen=True)
class Cell:
    """One number of a table, and where it stands."""

    over: str
    part: str
    scorer: str
    system: str
    measure: str
    value: float | None
    n: int


def _spelled(measure: str, scorer: str, over: str) -> str:
    settings = {"scorer": scorer}
    kind = spelling.parse(scorer).name
    if kind != "ngram":
        settings["tokens"] = NLTK
    if kind not in WITHOUT_TEXTS:
        settings["texts"] = "values"
    told = ", ".join(f"{key}={value}" for key, value in {**settings, **READING}.items())
    return f"{measure}({told})@{spelling.quoted(over)}"


def _cells(estimates: Sequence[Estimate]) -> list[Cell]:
    found = []
    for e in estimates:
        asked = spelling.parse(e.measure)
        if asked.name not in MEASURES or e.quantity != asked.name or e.baseline:
            continue
        if any(asked.settings.get(key) != value for key, value in READING.items()):
            continue
        scorer = spelling.parse(asked.settings.get("scorer", "ngram")).name
        part = ", ".join(f"{key} = {value}" for key, value in e.slice.items())
        found.append(Cell(asked.over or "", part, scorer, e.system, asked.name, e.value, e.n))
    return found


def _table(
    title: str, cells: Sequence[Cell], measures: Sequence[str], decimals: int, *, counts: bool = False
) -> Table:
    """Rows are scorers, with their average if there are several; columns are systems × measures."""
    by_place = {(c.scorer, c.system, c.measure): c for c in cells if c.measure in measures}
    systems = list(dict.fromkeys(system for _, system, _ in by_place))
    scorers = [s for s in SCORERS if any(s == scorer for scorer, _, _ in by_place)]
    scorers += sorted({scorer for scorer, _, _ in by_place} - set(scorers))
    header = ["Scorer"]
    for system in systems:
        header += [f"{system} {'AUC' if m == 'auc_cutoff' else m.upper()}" for m in measures]
        header += [f"{system} unfair"] * counts
    rows = []
    for scorer in scorers:
        row = [SCORERS.get(scorer, scorer)]
        for system in systems:
            row += [_percent([by_place.get((scorer, system, m))], decimals) for m in measures]
            row += [_count(by_place.get((scorer, system, "bur")))] * counts
        rows.append(tuple(row))
    if len(scorers) > 1:
        row = ["Average"]
        for system in systems:
            row += [_percent([by_place.get((s, system, m)) for s in scorers], decimals) for m in measures]
            row += [""] * counts
        rows.append(tuple(row))
    return Table(title, tuple(header), tuple(rows), _notes(scorers) if rows else ())


def _notes(scorers: Sequence[str]) -> tuple[str, ...]:
    if set(scorers) <= set(WITHOUT_TEXTS):
        return ("Empty summaries are left out.",)
    return (
        "Empty summaries are left out. The text of a value is read as one and cut at the model's window.",
    )


def _percent(cells: Sequence[Cell | None], decimals: int) -> str:
    """The mean of the cells in percent; a dash where one of them has no value."""
    values = [cell.value for cell in cells if cell is not None and cell.value is not None]
    return f"{100 * sum(values) / len(values):.{decimals}f}" if values and len(values) == len(cells) else "–"


def _count(cell: Cell | None) -> str:
    return "–" if cell is None or cell.value is None else f"{round(cell.value * cell.n)} of {cell.n}"
