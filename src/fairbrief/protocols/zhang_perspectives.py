"""The protocol of the value-distribution paper: its readings as settings, its tables as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from fairbrief import specs
from fairbrief.protocols import ProtocolDeclaration, zhang_tables
from fairbrief.protocols.published_results import PublishedResult, published_results
from fairbrief.protocols.zhang_tables import MEASURES, WITHOUT_TEXTS
from fairbrief.scorers.bartscore import BartScore
from fairbrief.scorers.bertscore import BertScore
from fairbrief.types import Estimate, Table

NLTK = "ngram(tokenizer=nltk)"
SETTINGS: Mapping[str, str] = MappingProxyType({"ties": "under", "no_match": "uniform", "single": "fair"})
"""The authors' code: ``<=``, equal shares without a match, a record of one value is fair."""


@dataclass(frozen=True)
class ZhangPerspectives:
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
    declaration: ClassVar[ProtocolDeclaration] = ProtocolDeclaration()
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
            "bertscore": repr(BertScore(self.bertscore, self.layer, windows="truncate")),
            "bartscore": repr(BartScore(self.bartscore, windows="truncate")),
        }
        named = [n for name in self.scorers for n in (paper if name == "all" else (name,))]
        return tuple(dict.fromkeys(paper.get(name, name) for name in named))

    def results(self) -> tuple[PublishedResult, ...]:
        """What the paper shows, under its own numbers and titles."""
        return published_results(self.name)

    def tables(self, estimates: Sequence[Estimate]) -> tuple[Table, ...]:
        """Tables 2, 3, 4 and 6 and Figure 3 of the paper, for each attribute and slice."""
        return zhang_tables.tables(estimates, SETTINGS)


def _spelled(measure: str, scorer: str, over: str, texts: str) -> str:
    settings = {"scorer": scorer}
    kind = specs.parse(scorer).name
    if kind != "ngram":
        settings["tokens"] = NLTK
    if kind not in WITHOUT_TEXTS or (kind == "ngram" and texts == "values"):
        settings["texts"] = "values"
    told = ", ".join(f"{key}={value}" for key, value in {**settings, **SETTINGS}.items())
    return f"{measure}({told})@{specs.quoted(over)}"
