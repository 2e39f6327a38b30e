"""The settings of an audit, each declared once.

The options of the command line, the keywords of Python (`keywords`, written by ``make docs``), the checks of values and
the records in results.json are derived from the fields of `Plan`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fairbrief import specs
from fairbrief.errors import RequestError
from fairbrief.settings import MACHINE, MEASURED, OUTPUT, STATISTICS, as_list, check, documented, setting

if TYPE_CHECKING:
    from fairbrief.types import Measure, Scorer


def crossed(texts: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Subgroups from texts: ``A`` is one attribute, ``A,B`` crosses two.

    >>> crossed(["topic", "topic,year"])
    (('topic',), ('topic', 'year'))
    """
    return tuple(tuple(name.strip() for name in text.split(",")) for text in texts)


measured = partial(setting, panel=MEASURED)
statistic = partial(setting, panel=STATISTICS)
machine = partial(setting, panel=MACHINE, recorded=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The settings of an audit. Raises RequestError for a value of a wrong type or range, and for settings without effect."""

    # fmt: off
    measures: Sequence[str | Measure] = measured(
        (), "Measure, e.g. 'bur(tau=0.9)@sentiment'; by default all that apply.", "SPEC",
        flag="--measure", recorded=False,
    )
    attributes: Sequence[str] = setting(
        (), "Attributes whose groups are compared; by default all that could be groups.",
        recorded=False,
    )
    protocol: str | None = measured(None, "Run a paper's measures and print its tables.", "NAME")
    by: Sequence[Sequence[str]] = measured(
        (), "Also estimate each subgroup of a record attribute; A,B crosses two.", "NAME[,NAME]",
        flag="--by", parse=crossed,
    )
    sanity_baselines: Sequence[str] = measured(
        (), "Also audit a sanity baseline, e.g. whole_source; all: every one.", "NAME",
        flag="--sanity-baseline", recorded="asked_sanity_baselines",
    )
    ordered: bool = measured(
        False, "Documents have a meaningful order (turns, dated posts): also measure position.",
    )
    baseline: str | None = statistic(None, "System that the others are compared with.", "SYSTEM")
    primary: Sequence[str] = statistic(
        (), "Group difference named in advance: MEASURE, MEASURE:QUANTITY or MEASURE{SYSTEM}. Reports begin "
        "with it, and p-values are adjusted only among those named.", "SPEC",
    )
    is_pairwise: bool = setting(
        False, "Compare two systems on the records that both answered, not only on those that all systems "
        "answered.",
    )
    seed: int = statistic(0, "Seed of all random numbers.", "N", least=0, signed="seed")
    n_resamples: int = statistic(
        2000, "Resamples and label permutations; 0: estimates only.", "N", flag="--resamples", least=0,
        signed="resamples",
    )
    confidence_level: float = statistic(
        0.95, "Confidence level of the intervals.", "X", flag="--confidence", least=0.5, most=0.9999,
        signed="confidence",
    )
    alpha: Annotated[float, "(0, 1)"] = setting(0.05, "Level of significance.", signed="alpha")
    n_extracts: int | None = statistic(
        None, "Draws of the random-sentence baseline per record; 0: none. By default 200 for scorers without "
        "a model.", "N", flag="--extracts", least=0, signed="extracts",
    )
    has_clusters: bool = setting(
        False, "Whether records after the first 200 share clusters; the first 200 are checked.",
        recorded=False,
    )
    intervals: Literal["jackknife", "bootstrap"] | None = setting(
        None, "Intervals: jackknife (Student's t over clusters) or bootstrap (percentiles over resampled "
        "clusters, as in papers); by default those of the protocol, or else the jackknife.",
        signed="intervals",
    )
    pools_runs: bool = measured(
        False, "Pool NAME#1, NAME#2 … as runs of the system NAME, and report their spread.",
        flag="--pool-runs", recorded=False,
    )
    skips: bool = setting(
        False, "Exclude and count a case for which a measure fails, instead of ending the audit.",
        recorded=False,
    )
    check_scorers: bool | None = measured(
        None, "Check scorers for bias on sources that differ only in the group; by default only scorers "
        "without a model.", flag="--check-scorers/--no-check-scorers",
    )
    compared_scorers: Sequence[str] = measured(
        (), "Repeat coverage and representation with each scorer, e.g. containment,ngram, to see whether a "
        "finding depends on it; 'recommended' is the best one installed.", "NAME,NAME…",
        flag="--scorers", parse=specs.names_in,
    )
    scorers: Mapping[str, Scorer] | None = setting(
        None, "Scorers as objects, by the names that measures use.", recorded=False,
    )
    wrap: Callable[[Scorer], Scorer] | None = setting(
        None, "Function that returns the scorer to use in place of a scorer, e.g. one with a cache.", recorded=False,
    )
    progress: Callable[[int], None] | None = setting(
        None, "Function that is called with the number of finished summaries.", recorded=False,
    )
    language: str = measured(
        "", "Language of the texts, e.g. de; by default detected.", "CODE", recorded=False,
    )
    keeps_texts: bool = setting(
        True, "Keep example texts in the audit. Without them it has numbers, ids and places; 'view' reads the texts from "
        "the input.", flag="--texts/--no-texts", panel=OUTPUT, recorded=False,
    )
    workers: int = machine(
        1, "Number of processes; 0: one per core. Any number gives the same results.", "N", least=0,
    )
    engine: str = machine(
        "", "Where to compute: processes, ray (this machine), ray:ADDRESS, or a plug-in. Any gives the same "
        "results.", "NAME[:ADDRESS]",
    )
    models_in_workers: bool = machine(
        False, "Load models in each worker, on its own device, not only in the main process; scores then "
        "repeat to 1e-5.",
    )
    # fmt: on

    def __post_init__(self) -> None:
        """Check all values and their combinations."""
        check(self)
        _check_objects(self.measures, self.scorers or {})
        _check_together(self)

    def record(self) -> dict[str, Any]:
        """The settings for results.json."""
        return {
            f.metadata["recorded"] if isinstance(f.metadata["recorded"], str) else f.name: _plain(getattr(self, f.name))
            for f in fields(self)
            if f.metadata["recorded"]
        }  # fmt: skip

    def signed(self) -> list[str]:
        """What signatures say of the settings: ``seed:0``; nothing of those that are None."""
        named = ((f.metadata["signed"], getattr(self, f.name)) for f in SIGNED)
        return [f"{name}:{value}" for name, value in named if value is not None]


Plan.__doc__ = documented(Plan.__doc__, Plan)
SIGNED = tuple(f for f in fields(Plan) if f.metadata["signed"])
"""The settings that decide numbers of estimates."""


def plan_from(**settings: Any) -> Plan:
    """A plan from keywords; one name may replace a list of names."""
    lists = {f.name for f in fields(Plan) if str(f.type).startswith("Sequence")}
    given = {name: as_list(value) if name in lists else value for name, value in settings.items()}
    return Plan(**{**given, "by": tuple(map(as_list, given.get("by", ())))})


def _plain(value: Any) -> Any:
    return [_plain(one) for one in value] if isinstance(value, (list, tuple)) else value


def _check_objects(measures: Sequence[Any], scorers: Mapping[str, Any]) -> None:
    """RequestError for classes in place of measures and scorers, and for what is no measure."""
    for one in (*measures, *scorers.values()):
        if inspect.isclass(one):
            what = "scorers" if one in scorers.values() else "measures"
            raise RequestError(
                f"{what} contains the class {one.__name__}: give an instance, {one.__name__}(…)."
            )
    for measure in measures:
        if not isinstance(measure, str) and not hasattr(measure, "observation"):
            raise RequestError(
                f"measures contains {type(measure).__name__}: give names, specs such as 'uer@sentiment', or measures."
            )


def _check_together(plan: Plan) -> None:
    """RequestError for settings that exclude each other or have no effect together."""
    if plan.protocol and (plan.measures or plan.compared_scorers):
        raise RequestError("--protocol has its own measures and scorers: drop --measure and --scorers.")
    if plan.primary and plan.protocol is not None:
        raise RequestError("--primary has no effect with --protocol, which prints no findings: drop one.")
    if plan.ordered and (plan.measures or plan.protocol):
        raise RequestError("--ordered has no effect with --measure or --protocol: drop it.")
    if plan.models_in_workers and plan.workers == 1 and plan.engine in ("", "here"):
        raise RequestError("--models-in-workers needs workers: add --workers N or --engine NAME, or drop it.")


def check_subgroup(names: Sequence[str]) -> None:
    """RequestError for a subgroup by the same attribute twice."""
    if len(set(names)) < len(names):
        raise RequestError(f"--by {','.join(names)} names an attribute twice: give each once.")
