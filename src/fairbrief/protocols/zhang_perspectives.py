"""Zhang et al., Fair Abstractive Summarization of Diverse Perspectives: the authors' settings, and tables in percent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from fairbrief import specs
from fairbrief.protocols.published_results import ABSENT, Reproduced, printed, with_version
from fairbrief.scorers.bartscore import BartScore
from fairbrief.scorers.bertscore import BertScore
from fairbrief.types import REFERENCE, Estimate, Table

NLTK = "ngram(tokenizer=nltk)"
SETTINGS: Mapping[str, str] = MappingProxyType({"ties": "under", "no_match": "uniform", "single": "fair"})
"""The authors' code: ``<=``, equal shares without a match, a record of one value is fair."""
SCORERS: Mapping[str, str] = MappingProxyType(
    {"ngram": "N-gram", "bertscore": "BERTScore", "bartscore": "BARTScore"}
)
"""The paper's rows, by scorer."""
SHORT: Mapping[str, str] = MappingProxyType({"ngram": "Rule", "bertscore": "BERT", "bartscore": "BART"})
"""What Tables 4 and 6 call the scorers."""
MEASURES = ("bur", "uer", "auc_cutoff", "sof")
WITHOUT_TEXTS = ("ngram", "claims", "uniform")
"""What reads documents one by one, or none."""
NUMBERED = "Number and title are the paper's; the rows are the systems audited here."
EMPTY = "Empty summaries are left out."
CUT = "The text of a value is read as one and cut at the model's window."


@dataclass(frozen=True, repr=False)
class ZhangPerspectives(Reproduced):
    """BUR and UER per system and scorer, and the AUC and SOF tables.

    Values without source tokens do not enter, empty summaries are left out, averages are plain means
    over records. The AUC is the long-tail sweep that made the paper's table.

    ``scorers`` are the rows of the tables: ``ngram`` alone, unless more are named
    (``scorers=ngram+bertscore``); ``all`` is the paper's three. Several stand above their average.
    BERTScore (rescaled precision) and BARTScore read all text of a value as one, cut at the model's
    window (512 and 1,024 word pieces), and T = 0.1. ``texts=values`` lets the N-gram scorer read so too, as the
    release does: words may be cut otherwise where a document ends without a full stop, and there is no chance
    level. ``bertscore`` (with ``layer``) and ``bartscore`` name
    other models than the paper's, from the hub or a local folder. Any other scorer's spec is a row too.
    """

    scorers: tuple[str, ...] = ("ngram",)
    bertscore: str = "roberta-large"
    layer: int = 17
    bartscore: str = "facebook/bart-large-cnn"
    texts: str = "documents"
    name: ClassVar[str] = "zhang-perspectives"
    paper: ClassVar[str] = (
        "Zhang, Zhang, Liu, Fabbri, Liu, Kamoi, Lu, Xiong, Zhao, Radev, McKeown, Zhang: "
        "Fair Abstractive Summarization of Diverse Perspectives. NAACL 2024."
    )

    def __post_init__(self) -> None:
        if self.texts not in ("documents", "values"):
            raise ValueError(f"texts is documents or values, not '{self.texts}'")

    def measures(self, attributes: Sequence[str]) -> tuple[str, ...]:
        """Every measure of the paper with every scorer, in the authors' reading."""
        return tuple(
            _spelled(measure, scorer, over, self.texts)
            for over in attributes
            for scorer in self._scorers()
            for measure in MEASURES
        )

    def _scorers(self) -> tuple[str, ...]:
        """The rows' scorers in the paper's settings; a spec with settings of its own stays as it is."""
        paper = {
            "ngram": NLTK,
            "bertscore": repr(BertScore(self.bertscore, self.layer, by="document", windows="truncate")),
            "bartscore": repr(BartScore(self.bartscore, windows="truncate")),
        }
        named = [n for name in self.scorers for n in (paper if name == "all" else (name,))]
        return tuple(dict.fromkeys(paper.get(name, name) for name in named))

    def tables(self, estimates: Sequence[Estimate]) -> tuple[Table, ...]:
        """Tables 2, 3, 4, 6 and 7 and Figure 3 of the paper, one of each for each attribute and subgroup.

        Estimates with other settings are ignored. Table 4 needs references among the systems (``--references``),
        Table 7 the answers of a sweep over ``--instruction``.
        """
        parts: dict[str, list[Cell]] = {}
        for place, cell in _cells(estimates):
            parts.setdefault(place, []).append(cell)
        filled = (
            table(cells, place)
            for place, cells in parts.items()
            for table in (_scores, _long_context, _references, _by_value, _auc, _instructions)
        )
        return with_version((table for table in filled if table.rows), "published")


def _spelled(measure: str, scorer: str, over: str, texts: str) -> str:
    settings = {"scorer": scorer}
    kind = specs.parse(scorer).name
    if kind != "ngram":
        settings["tokens"] = NLTK
    if kind not in WITHOUT_TEXTS or (kind == "ngram" and texts == "values"):
        settings["texts"] = "values"
    spelled = ", ".join(f"{key}={value}" for key, value in {**settings, **SETTINGS}.items())
    return f"{measure}({spelled})@{specs.quoted(over)}"


# ---------------------------------------------------------------------------------------- the tables


@dataclass(frozen=True)
class Cell:
    """One number and its place. ``value`` is a share; ``of`` is the attribute value of a secondary estimate."""

    scorer: str
    system: str
    measure: str
    value: float | None
    n: int
    of: str


def _cells(estimates: Iterable[Estimate]) -> Iterator[tuple[str, Cell]]:
    """The paper's numbers, each after the end of its table's title."""
    for e in estimates:
        asked = specs.parse(e.measure)
        name, _, of = e.quantity.partition("[")
        has_settings = all(asked.settings.get(key) == value for key, value in SETTINGS.items())
        if asked.name in MEASURES and name in (asked.name, "share_under") and has_settings and not e.baseline:
            scorer = specs.parse(asked.settings.get("scorer", "ngram")).name
            part = "".join(f", {key} = {value}" for key, value in e.subgroup.items())
            yield (
                f" (over {asked.over or ''}{part})",
                Cell(scorer, e.system, name, e.value, e.n, of.removesuffix("]")),
            )


def _known(cells: Iterable[Cell]) -> dict[tuple[str, str, str], Cell]:
    return {(c.system, c.scorer, c.measure): c for c in cells}


def _table(
    number: str,
    place: str,
    rows: Iterable[Sequence[str]],
    columns: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> Table:
    return printed("zhang-perspectives", number, rows, place=place, columns=columns, notes=notes)


def _scores(cells: Sequence[Cell], place: str) -> Table:
    """Table 2: BUR and UER by system and scorer, with the average of several scorers."""
    known, measures, every = _known(cells), ("bur", "uer"), _scorers(cells)
    rows: list[tuple[str, ...]] = []
    for system in _systems(cells):
        for scorer in _scorers(c for c in cells if c.system == system):
            bur, uer = (known.get((system, scorer, m)) for m in measures)
            rows.append((system, SCORERS.get(scorer, scorer), percent([bur]), percent([uer]), _count(bur)))
        if len(every) > 1:
            means = [percent([known.get((system, s, m)) for s in every]) for m in measures]
            rows.append((system, "Average", *means, ""))
    is_asked = any(c.measure in measures for c in cells)
    return _table("Table 2", place, rows if is_asked else (), notes=_notes(cells))


def _long_context(cells: Sequence[Cell], place: str) -> Table:
    """Table 3: BUR, UER and SOF of the N-gram scorer."""
    return _table("Table 3", place, _three_measures(cells))


def _instructions(cells: Sequence[Cell], place: str) -> Table:
    """Table 7: the columns of Table 3, for systems that a sweep over instructions named."""
    return _table("Table 7", place, _three_measures(c for c in cells if "instruction=" in c.system))


def _three_measures(cells: Iterable[Cell]) -> list[tuple[str, ...]]:
    known = _known(c for c in cells if c.scorer == "ngram")
    return [
        (s, *(percent([known.get((s, "ngram", m))]) for m in ("bur", "uer", "sof")))
        for s in _systems(known.values())
        if (s, "ngram", "sof") in known
    ]


def _references(cells: Sequence[Cell], place: str) -> Table:
    """Table 4: references beside systems, in columns by scorer."""
    known, asked = _known(cells), [(s, m) for s in _scorers(cells) for m in ("bur", "uer")]
    systems = sorted(_systems(cells), key=lambda system: not system.startswith(REFERENCE))
    rows = [
        (_summary(system), *(percent([known.get((system, *which))]) for which in asked)) for system in systems
    ]
    columns = ("summary", *(f"{SHORT.get(s, s)} {m.upper()}" for s, m in asked))
    has_references = systems[0].startswith(REFERENCE)
    return _table("Table 4", place, rows if has_references else (), columns, _notes(cells))


def _summary(system: str) -> str:
    """A system's name in Table 4, where references are called reference summary."""
    return system.replace(REFERENCE, f"{REFERENCE} summary", 1) if system.startswith(REFERENCE) else system


def _by_value(cells: Sequence[Cell], place: str) -> Table:
    """Figure 3: the share of records in which each value gets less than its due."""
    shares = [c for c in cells if c.measure == "share_under" and c.scorer == "ngram"]
    known = {(c.system, c.of): c for c in shares}
    values = list(dict.fromkeys(c.of for c in shares))
    rows = [(s, *(percent([known.get((s, v))]) for v in values)) for s in _systems(shares)]
    return _table("Figure 3", place, rows, ("system", *values))


def _auc(cells: Sequence[Cell], place: str) -> Table:
    """Table 6: AUC by system, in columns by scorer."""
    found = [c for c in cells if c.measure == "auc_cutoff"]
    known, scorers = _known(found), _scorers(found)
    rows = [
        (s, *(percent([known.get((s, scorer, "auc_cutoff"))]) for scorer in scorers)) for s in _systems(found)
    ]
    return _table("Table 6", place, rows, ("system", *(SHORT.get(s, s) for s in scorers)), _notes(found))


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
    return f"{100 * sum(values) / len(values):.2f}" if values and len(values) == len(cells) else ABSENT


def _count(cell: Cell | None) -> str:
    return ABSENT if cell is None or cell.value is None else f"{round(cell.value * cell.n)} of {cell.n}"
