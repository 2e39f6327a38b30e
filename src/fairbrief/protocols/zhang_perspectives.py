"""Zhang et al., Fair Abstractive Summarization of Diverse Perspectives: the authors' settings, and tables in percent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import product
from typing import ClassVar, Literal

from fairbrief import specs
from fairbrief.protocols.published_results import ABSENT, Reproduced, group_in
from fairbrief.scorers.bartscore import BartScore
from fairbrief.scorers.vectors import BertScore
from fairbrief.types import REFERENCE, Estimate, Table

NLTK = "ngram(tokenizer=nltk)"
SETTINGS = {"ties": "under", "no_match": "uniform", "single": "fair"}
"""The authors' code: ``<=``, equal shares without a match, a record of one value is fair."""
SCORERS = {"ngram": "N-gram", "bertscore": "BERTScore", "bartscore": "BARTScore"}
"""The paper's rows, by scorer."""
SHORT = {"ngram": "Rule", "bertscore": "BERT", "bartscore": "BART"}
"""What Tables 4 and 6 call the scorers."""
SCORER_OF = {"bertscore": "bertscore", "layer": "bertscore", "bartscore": "bartscore", "texts": "ngram"}
"""The scorer that has a setting."""
MEASURES = ("bur", "uer", "auc_cutoff", "sof")
WITHOUT_TEXTS = ("ngram", "claims", "uniform")
"""What reads documents one by one, or none."""
CUT = "The text of a value is read as one and cut at the model's window."


class ZhangPerspectives(Reproduced):
    """BUR and UER per system and scorer, and the AUC and SOF tables.

    Values without source tokens do not enter, empty summaries are left out, averages are plain means
    over records. The AUC is the long-tail sweep that made the paper's table.

    ``scorers`` are the rows of the tables: ``ngram`` alone, unless more are named
    (``scorers=ngram+bertscore``); ``all`` is the paper's three. Several are printed above their average.
    BERTScore (rescaled precision) and BARTScore read all text of a value as one, cut at the model's
    window (512 and 1,024 word pieces), and T = 0.1. ``texts=values`` lets the N-gram scorer read so too, as the
    release does: words may be cut otherwise where a document ends without a full stop, and there is no permutation
    mean. ``bertscore`` (with ``layer``) and ``bartscore`` name
    other models than the paper's, from the hub or a local folder. Any other scorer's spec is a row too.
    """

    scorers: tuple[str, ...] = ("ngram",)
    bertscore: str = "roberta-large"
    layer: int = 17
    bartscore: str = "facebook/bart-large-cnn"
    texts: Literal["documents", "values"] = "documents"
    name: ClassVar[str] = "zhang-perspectives"

    def __post_init__(self) -> None:
        super().__post_init__()
        kinds = {specs.parse(name).name for name in self.scorers}
        for setting, scorer in SCORER_OF.items():
            self.check_effect(
                setting, bool(kinds & {scorer, "all"}), f"without the scorer {scorer}: add it to scorers"
            )

    def measures(self, attributes: Sequence[str]) -> tuple[str, ...]:
        """Every measure of the paper with every scorer, in the authors' reading."""
        asked = product(attributes, self._scorers(), MEASURES)
        return tuple(_spelled(measure, scorer, over, self.texts) for over, scorer, measure in asked)

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
        instructions = partial(_long_context, number="Table 7", named="instruction=")
        kinds = (_scores, _long_context, _references, _by_value, _auc, instructions)
        made = (table(known, place) for place, known in _by_place(estimates).items() for table in kinds)
        return self.with_version(made, "published")


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


Known = dict[tuple[str, str, str], Estimate]
"""The paper's numbers, by system, scorer and quantity."""


def _by_place(estimates: Iterable[Estimate]) -> dict[str, Known]:
    """The paper's numbers, by the end of their tables' titles."""
    parts: dict[str, Known] = {}
    for e in estimates:
        asked = specs.parse(e.measure)
        has_settings = all(asked.settings.get(key) == value for key, value in SETTINGS.items())
        is_shown = e.quantity.partition("[")[0] in (asked.name, "share_under")
        if asked.name in MEASURES and is_shown and has_settings and not e.baseline:
            scorer = specs.parse(asked.settings.get("scorer", "ngram")).name
            part = "".join(f", {key} = {value}" for key, value in e.subgroup.items())
            place = f" (over {asked.over or ''}{part})"
            parts.setdefault(place, {})[e.system, scorer, e.quantity] = e
    return parts


def _scores(known: Known, place: str) -> Table:
    """Table 2: BUR and UER by system and scorer, with the average of several scorers."""
    known = _some(known, "bur", "uer")
    every = _scorers(known)
    rows: list[tuple[str, ...]] = []
    for system in _systems(known):
        for scorer in every:
            bur, uer = (known.get((system, scorer, m)) for m in ("bur", "uer"))
            if bur or uer:
                label = SCORERS.get(scorer, scorer)
                rows.append((system, label, percent([bur]), percent([uer]), _count(bur)))
        if len(every) > 1:
            means = (percent([known.get((system, s, m)) for s in every]) for m in ("bur", "uer"))
            rows.append((system, "Average", *means, ""))
    return ZhangPerspectives.published("Table 2").printed(rows, place, notes=_notes(known))


def _long_context(known: Known, place: str, number: str = "Table 3", named: str = "") -> Table:
    """Tables 3 and 7: BUR, UER and SOF of the N-gram scorer, in Table 7 for systems that a sweep over instructions named."""
    systems = [s for s in _systems(known) if (s, "ngram", "sof") in known and named in s]
    asked = [("ngram", m) for m in ("bur", "uer", "sof")]
    return ZhangPerspectives.published(number).printed(_percents(known, systems, asked), place)


def _references(known: Known, place: str) -> Table:
    """Table 4: references, which are called reference summary there, beside systems, in columns by scorer."""
    asked = [(s, m) for s in _scorers(known) for m in ("bur", "uer")]
    systems = sorted(_systems(known), key=lambda system: not system.startswith(REFERENCE))
    rows = _percents(known, systems if systems[0].startswith(REFERENCE) else (), asked)
    named = [(re.sub(f"^{REFERENCE}", f"{REFERENCE} summary", system), *cells) for system, *cells in rows]
    columns = ("summary", *(f"{SHORT.get(s, s)} {m.upper()}" for s, m in asked))
    return ZhangPerspectives.published("Table 4").printed(named, place, columns, _notes(known))


def _by_value(known: Known, place: str) -> Table:
    """Figure 3: the share of records in which each value gets less than its due."""
    known = {key: e for key, e in known.items() if key[1] == "ngram" and key[2].startswith("share_under[")}
    asked = list(dict.fromkeys((scorer, quantity) for _, scorer, quantity in known))
    columns = ("system", *(group_in(quantity) for _, quantity in asked))
    rows = _percents(known, _systems(known), asked)
    return ZhangPerspectives.published("Figure 3").printed(rows, place, columns)


def _auc(known: Known, place: str) -> Table:
    """Table 6: AUC by system, in columns by scorer."""
    known = _some(known, "auc_cutoff")
    scorers = _scorers(known)
    rows = _percents(known, _systems(known), [(scorer, "auc_cutoff") for scorer in scorers])
    columns = ("system", *(SHORT.get(s, s) for s in scorers))
    return ZhangPerspectives.published("Table 6").printed(rows, place, columns, _notes(known))


def _percents(known: Known, systems: Iterable[str], of: Sequence[tuple[str, str]]) -> list[tuple[str, ...]]:
    """A row per system, with the quantities of these scorers in percent."""
    return [(s, *(percent([known.get((s, *which))]) for which in of)) for s in systems]


def _some(known: Known, *quantities: str) -> Known:
    return {place: estimate for place, estimate in known.items() if place[2] in quantities}


def _systems(known: Known) -> list[str]:
    return list(dict.fromkeys(system for system, _, _ in known))


def _scorers(known: Known) -> list[str]:
    """The paper's scorers in its order, then others."""
    found = {scorer for _, scorer, _ in known}
    return [s for s in SCORERS if s in found] + sorted(found - set(SCORERS))


def _notes(known: Known) -> tuple[str, ...]:
    reads_texts = any(scorer not in WITHOUT_TEXTS for _, scorer, _ in known)
    return (CUT,) if reads_texts else ()


def percent(estimates: Sequence[Estimate | None]) -> str:
    """The mean of the estimates in percent, two decimals; a dash where one of them has no value."""
    values = [e.value for e in estimates if e is not None and e.value is not None]
    return f"{100 * sum(values) / len(values):.2f}" if values and len(values) == len(estimates) else ABSENT


def _count(e: Estimate | None) -> str:
    return ABSENT if e is None or e.value is None else f"{round(e.value * e.n)} of {e.n}"
