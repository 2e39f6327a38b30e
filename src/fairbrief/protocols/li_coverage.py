"""Li et al., Coverage-based Fairness in Multi-document Summarization: measures and tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from fairbrief.protocols import ProtocolDeclaration
from fairbrief.protocols.cells import decimal
from fairbrief.protocols.published_results import PublishedResult, heading, published_results
from fairbrief.scorers.bartscore import BartScore
from fairbrief.scorers.entailment import Entailment
from fairbrief.specs import quoted
from fairbrief.types import Estimate, Table

RELEASED = "cut=sentence_centred, merge=0.95, denominator=covered, least_units=3, pairwise=true"
PROPORTIONAL = (
    "tokens=ngram(tokenizer=nltk), texts=values, temperature=2, ties=under, no_match=uniform, single=fair"
)
"""Zhang et al.'s code, which made the baseline: its temperature, and all text of a value cut at the window."""


@dataclass(frozen=True)
class LiCoverage:
    """Equal Coverage and Coverage Parity with the release's arithmetic (Li et al., Tables 3 to 5).

    roberta-large-mnli, sentence-centred windows under 100 words, units that entail each other above
    0.95 merged, probabilities only where entailment is the likeliest class, units that no document
    supports left out of the denominator, summaries of two or fewer units left out. The released
    code's defects are not repeated: see docs/decisions/coverage.md.

    ``model`` is another entailment model, from the hub or a local folder. ``proportional`` is the
    BARTScore model behind the paper's baseline, Proportional Representation (BUR and UER of the text
    of each value as a whole, T = 2); ``none`` leaves the baseline out. It needs NLTK's data.
    """

    model: str = "roberta-large-mnli"
    proportional: str | None = "facebook/bart-large-cnn"

    name: ClassVar[str] = "li-coverage"
    declaration: ClassVar[ProtocolDeclaration] = ProtocolDeclaration()
    paper: ClassVar[str] = (
        "Li, Zhang, Wang, Zhang: Coverage-based Fairness in Multi-document Summarization. NAACL 2025. arXiv:2412.08795"
    )

    def measures(self, attributes: Sequence[str]) -> tuple[str, ...]:
        """Both measures over each attribute, Coverage Parity by extremes (the paper's text), the baseline."""
        released = f"scorer={Entailment(self.model, gate='argmax', windows='truncate')!r}, {RELEASED}"
        told = [
            f"equal_coverage({released})",
            f"coverage_parity({released})",
            f"coverage_parity({released}, extremes=true)",
        ]
        if self.proportional is not None:
            baseline = f"scorer={BartScore(self.proportional, windows='truncate')!r}, {PROPORTIONAL}"
            told += [f"bur({baseline})", f"uer({baseline})"]
        return tuple(f"{measure}@{quoted(name)}" for name in attributes for measure in told)

    def results(self) -> tuple[PublishedResult, ...]:
        """What the paper shows, under its own numbers and titles."""
        return published_results(self.name)

    def tables(self, estimates: Sequence[Estimate]) -> tuple[Table, ...]:
        """Tables 3, 4 and 5 for each attribute, and the baseline's."""
        whole = [e for e in estimates if not e.slice and not e.baseline]
        attributes = list(dict.fromkeys(e.over for e in whole))
        return tuple(
            table
            for name in attributes
            for table in (
                _uneven_share([e for e in whole if e.over == name], name),
                _parity([e for e in whole if e.over == name], name),
                _dominance([e for e in whole if e.over == name], name),
                _proportional([e for e in whole if e.over == name], name),
            )
            if table.rows
        )


def _title(number: str, over: str) -> str:
    return f"{heading(published_results('li-coverage'), number)} (over {over})"


def _systems(estimates: Sequence[Estimate]) -> list[str]:
    return list(dict.fromkeys(e.system for e in estimates))


def _find(estimates: Sequence[Estimate], system: str, quantity: str, spelled: str = "") -> Estimate | None:
    return next(
        (e for e in estimates if e.system == system and e.quantity == quantity and spelled in e.measure), None
    )


def _number(estimate: Estimate | None) -> str:
    return decimal(None if estimate is None else estimate.value)


def _uneven_share(estimates: Sequence[Estimate], over: str) -> Table:
    rows = []
    for system in _systems(estimates):
        gap = _find(estimates, system, "equal_coverage")
        if gap is None:
            continue
        rows.append(
            (
                system,
                _number(_find(estimates, system, "uneven_share")),
                _number(_find(estimates, system, "uneven_share_by_chance")),
                _number(gap),
                decimal(gap.null_mean),
                _number(_find(estimates, system, "level")),
                _number(_find(estimates, system, "testable_share")),
                str(gap.n),
            )
        )
    return Table(
        _title("Table 3", over),
        ("system", "R_EC", "by chance", "mean EC", "EC by chance", "p(d,s)", "testable", "n"),
        tuple(rows),
        (
            "R_EC is what the paper calls the proportion of unfair summaries: records more uneven than permuted labels are, p < 0.05. Random extracts may be so, too.",
            "R_EC counts testable records only and uses ≥ in the test; compare it with its share by chance, never across set sizes.",
        ),
    )


def _parity(estimates: Sequence[Estimate], over: str) -> Table:
    rows = []
    for reading, spelled in (("pooled", ""), ("extremes", "extremes=true")):
        for system in _systems(estimates):
            of_reading = [e for e in estimates if ("extremes=true" in e.measure) == bool(spelled)]
            means = [e for e in of_reading if e.system == system and e.quantity.startswith("difference[")]
            defined = [e for e in means if e.value is not None]
            if not defined:
                continue
            most = max(defined, key=lambda e: e.value or 0.0)
            least = min(defined, key=lambda e: e.value or 0.0)
            rows.append(
                (
                    system,
                    reading,
                    _number(_find(of_reading, system, "coverage_parity")),
                    _signed(most),
                    _signed(least),
                )
            )
    return Table(
        _title("Table 4", over),
        ("system", "variant", "CP", "most over-represented", "most under-represented"),
        tuple(rows),
        ("An asterisk marks p < 0.05, Holm-adjusted over the values. Positive = over-represented.",),
    )


def _signed(estimate: Estimate) -> str:
    value = estimate.quantity.removeprefix("difference[").removesuffix("]")
    star = "*" if estimate.p_adjusted is not None and estimate.p_adjusted < 0.05 else ""
    return f"{value} {estimate.value or 0.0:+.4f}{star}"


def _dominance(estimates: Sequence[Estimate], over: str) -> Table:
    rows = tuple(
        (
            system,
            _number(_find(estimates, system, "uneven_share_by_dominance")),
            _number(_find(estimates, system, "by_dominance", "equal_coverage")),
            _number(_find(estimates, system, "by_dominance", "coverage_parity")),
        )
        for system in _systems(estimates)
    )
    return Table(
        _title("Table 5", over),
        ("system", "R_EC", "mean EC", "E(C_k)"),
        rows if any(cell != "–" for row in rows for cell in row[1:]) else (),
        ("The paper has R_EC and E(C_k); mean EC is not a share of small tests.",),
    )


def _proportional(estimates: Sequence[Estimate], over: str) -> Table:
    rows = []
    for system in _systems(estimates):
        bur, uer = _find(estimates, system, "bur"), _find(estimates, system, "uer")
        if bur is not None and uer is not None:
            rows.append((system, _number(bur), _number(uer), str(bur.n)))
    return Table(
        f"Proportional Representation over {over} (baseline)",
        ("system", "BUR", "UER", "n"),
        tuple(rows),
        ("The text of a value is read as one and cut at the model's window, so large groups are cut.",),
    )
