"""Li et al., Coverage-based Fairness in Multi-document Summarization: measures and tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Literal

from fairbrief.protocols.published_results import Reproduced, cells, group_in, systems_of
from fairbrief.scorers.bartscore import BartScore
from fairbrief.scorers.entailment import Entailment
from fairbrief.specs import quoted
from fairbrief.types import Estimate, Table

RELEASED = "merge=0.95, denominator=covered, least_claims=3, pairwise=true"
PROPORTIONAL = (
    "tokens=ngram(tokenizer=nltk), texts=values, temperature=2, ties=under, no_match=uniform, single=fair"
)
"""Zhang et al.'s code, which made the baseline: its temperature, and all text of a value cut at the window."""


class LiCoverage(Reproduced):
    """Equal Coverage and Coverage Parity with the release's arithmetic (Li et al., Tables 3 to 5).

    roberta-large-mnli, sentence-centred windows under 100 words, units that entail each other above
    0.95 merged, probabilities only where entailment is the likeliest class, units that no document
    supports left out of the denominator, summaries of two or fewer units left out. The released
    code's defects are not repeated: see docs/explanation/deviations.md.

    ``model`` is another entailment model, from the hub or a local folder. ``proportional`` is the
    BARTScore model behind the paper's baseline, Proportional Representation (BUR and UER of the text
    of each value as a whole, T = 2); ``none`` leaves the baseline out. It needs NLTK's data.

    The release has no test of single records, so that R_EC is of testable records, and p counts ties.
    ``version=text`` takes R_EC and Coverage Parity as the paper words them: R_EC is a share of all records, a record's p
    the share of permutations with a larger gap, and Coverage Parity that of extremes, in Tables 4 and 5.
    """

    model: str = "roberta-large-mnli"
    proportional: str | None = "facebook/bart-large-cnn"
    version: Literal["published", "text"] = "published"

    name: ClassVar[str] = "li-coverage"

    def measures(self, attributes: Sequence[str]) -> tuple[str, ...]:
        """Both measures over each attribute, Coverage Parity by extremes (the paper's text), the baseline."""
        released = f"scorer={Entailment(self.model, gate='argmax', by='100words_centred', windows='truncate')!r}, {RELEASED}"
        extremes = f"coverage_parity({released}, extremes=true)"
        specs = [f"equal_coverage({released})", f"coverage_parity({released})", extremes]
        if self.version == "text":
            specs = [f"equal_coverage({released}, version=text)", extremes]
        if self.proportional is not None:
            baseline = f"scorer={BartScore(self.proportional, windows='truncate')!r}, {PROPORTIONAL}"
            specs += [f"bur({baseline})", f"uer({baseline})"]
        return tuple(f"{measure}@{quoted(name)}" for name in attributes for measure in specs)

    def tables(self, estimates: Sequence[Estimate]) -> tuple[Table, ...]:
        """Tables 3, 4 and 5 for each attribute, and the baseline's."""
        made: list[Table] = []
        for over in dict.fromkeys(e.over for e in estimates if not e.subgroup and not e.baseline):
            own = [e for e in estimates if e.over == over and not e.subgroup and not e.baseline]
            place = f" (over {over})"
            made += [
                self.published("Table 3").filled(own, place=place, notes=(R_EC[self.version],)),
                self.published("Table 4").printed(_parity(own), place),
                self.published("Table 5").filled(own, place=place),
                _proportional(own, over),
            ]
        return self.with_version(made, self.version)


R_EC = {
    "published": "R_EC is of testable records, and p counts ties: the release has no test. The paper's words are version=text.",
    "text": "R_EC is of all records, and p counts only permutations with a larger gap.",
}
"""By version, what Table 3 has."""


def _parity(estimates: Sequence[Estimate]) -> Iterator[tuple[str, ...]]:
    parity = [e for e in estimates if e.measure.startswith("coverage_parity")]
    for means_of in ("pooled", "extremes"):
        own = [e for e in parity if ("extremes=true" in e.measure) == (means_of == "extremes")]
        for system in systems_of(estimates):
            differences = (e for e in own if e.system == system and e.quantity.startswith("difference["))
            means = [(e.value, e) for e in differences if e.value is not None]
            if means:
                least, most = (_signed(choose(means, key=lambda pair: pair[0])[1]) for choose in (min, max))
                yield system, means_of, *cells(own, system, ("coverage_parity",)), most, least


def _signed(estimate: Estimate) -> str:
    value = group_in(estimate.quantity)
    star = "*" if estimate.p_adjusted is not None and estimate.p_adjusted < 0.05 else ""
    return f"{value} {estimate.value or 0.0:+z.4f}{star}"


def _proportional(estimates: Sequence[Estimate], over: str) -> Table:
    systems = systems_of(e for e in estimates if e.quantity == "bur")
    rows = tuple((s, *cells(estimates, s, ("bur", "uer", "bur.n"))) for s in systems)
    note = "The text of a value is read as one and cut at the model's window, so large groups are cut."
    title = f"Proportional Representation over {over} (baseline)"
    return Table(title, ("system", "BUR", "UER", "n"), rows, (note,))
