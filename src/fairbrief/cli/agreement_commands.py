"""``fairbrief agree``: agreement of scorers with each other or with people; ``fairbrief chunks``: sizes of pieces."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

from fairbrief.cli import options as o
from fairbrief.cli.input_options import (
    ReadingOptions,
    cached,
    check_choice,
    print_excluded,
    progress_bar,
    reading_options,
    set_default_language,
)
from fairbrief.cli.output import print_tables
from fairbrief.errors import RequestError
from fairbrief.plan import Plan

if TYPE_CHECKING:
    from fairbrief.reports.result import Result
    from fairbrief.saved.saved_values import Resampling
    from fairbrief.types import Table

app = o.new_app()


@app.command()
@o.in_language
@o.plan_options("n_resamples", "seed", "confidence_level")
@reading_options("attribute", "references_field", "document_id_field")
def agree(
    sources: list[str] = o.argument(
        "Saved audits, to compare two scorers; or files whose claims people labelled.",
        "DIR…|FILE…",
    ),
    attribute: str | None = o.option(None, "Attribute that the labels of claims name.", "NAME[=FIELD]"),
    scorer: str = o.option("ngram", "Scorer to compare with the labels.", "SPEC"),
    temperature: str = o.option(".05,.1,.2,.5,1,2", "Softmax temperatures, separated by commas.", "T,…"),
    measure: list[str] | None = o.option(
        None, "For saved audits: measure to compare; give two or more.", "SPEC"
    ),
    relative_change: tuple[str, str] | None = o.option(
        None,
        "For saved audits: compare how each measure changes from the first system to the second.",
        "PLAIN FAIR",
    ),
    cache: Path | None = o.CACHE,
    *,
    plan: Plan,
    options: ReadingOptions,
) -> None:
    """Measure the agreement of two scorers or measures in saved audits, or of a scorer with labelled claims.

    For people who filled in sheets, see 'fairbrief annotate agree'.
    """
    from fairbrief.auditing.scorer_lookup import Scorers
    from fairbrief.reports import load
    from fairbrief.saved import label_agreement
    from fairbrief.saved.saved_values import Resampling

    resampling = Resampling(plan.n_resamples, plan.seed, plan.confidence_level)
    saved = [(Path(source) / "results.json").is_file() for source in sources]
    if any(saved):
        if not all(saved):
            raise RequestError("Give either folders of saved audits or files of records, not both.")
        given = {"attribute": attribute, **options.given()}
        if set_options := [name for name, value in given.items() if value is not None]:
            option = set_options[0].replace("_", "-")
            raise RequestError(f"--{option} has no effect on saved audits: drop it.")
        audits = [load(source) for source in sources]
        print_tables(_of_audits(audits, measure or (), relative_change, resampling))
        return
    if measure or relative_change:
        raise RequestError(
            "--measure and --relative-change need folders of saved audits: give them, or drop the options."
        )
    if attribute is None:
        raise RequestError("Give --attribute NAME, the attribute that the labels of claims name.")
    reading = options.read(sources, [attribute])
    set_default_language(reading)
    with progress_bar(reading) as progress:
        with_people = label_agreement.agreement(
            reading,
            attribute.partition("=")[0],
            scorer,
            resampling=resampling,
            temperatures=_temperatures(temperature),
            scorers=Scorers(wrap=cached(cache)),
            progress=progress,
        )
    print_tables([label_agreement.table(with_people, resampling)])
    print_excluded(reading)


def _of_audits(
    audits: Sequence[Result],
    measures: Sequence[str],
    between: tuple[str, str] | None,
    resampling: Resampling,
) -> Sequence[Table]:
    from fairbrief.saved import scorer_agreement

    if between is None:
        return scorer_agreement.tables(
            scorer_agreement.correlations(audits, measures, resampling), resampling
        )
    changes = scorer_agreement.change_comparisons(audits, *between, measures, resampling)
    return (scorer_agreement.change_table(changes, *between, resampling),)


def _temperatures(text: str) -> list[float]:
    try:
        result = [float(part) for part in text.split(",")]
    except ValueError:
        result = []
    if not result or not all(0 < t < float("inf") for t in result):
        raise RequestError(
            f"--temperature {text}: write numbers above 0, separated by commas, as in .1,.5,1."
        )
    return result


@app.command()
@o.in_language
@o.plan_options("n_resamples", "seed")
@reading_options("attribute", "references_field", "document_id_field", "cluster_by", "record_attribute")
def chunks(
    files: list[str] = o.argument("Files or saved data sets with records and summaries.", "FILE…"),
    attribute: str | None = o.option(
        None,
        "Also report each value of this attribute.",
        "NAME[=FIELD]",
    ),
    scorer: str = o.option("containment", "Scorer of support, e.g. entailment.", "SPEC"),
    sizes: str = o.option(
        "sentence,50,100,200,400",
        "Sizes of pieces: sentence, or numbers of words.",
        "SIZES",
    ),
    threshold: float = o.option(0.5, "Support above X identifies a claim's source.", "X"),
    claims: str = o.option("auto", "Claims: given (those of the file), sentences, or auto.", "CLAIMS"),
    cache: Path | None = o.CACHE,
    *,
    plan: Plan,
    options: ReadingOptions,
) -> None:
    """Find the best size of pieces: the share of claims whose source document is identified, for each size."""
    from fairbrief.auditing.scorer_lookup import Scorers
    from fairbrief.saved.label_agreement import chunk_sizes, chunk_tables
    from fairbrief.saved.saved_values import Resampling

    check_choice("--claims", claims, ("auto", "given", "sentences"))
    if not isfinite(threshold):
        raise RequestError(f"--threshold {threshold}: write a finite number.")
    reading = options.read(files, [attribute] if attribute else None)
    set_default_language(reading)
    with progress_bar(reading) as progress:
        result = chunk_sizes(
            reading,
            scorer,
            sizes=[size.strip() for size in sizes.split(",")],
            over=attribute.partition("=")[0] if attribute else None,
            threshold=threshold,
            claims=claims,
            resampling=Resampling(plan.n_resamples, plan.seed),
            scorers=Scorers(wrap=cached(cache)),
            progress=progress,
        )
    print_tables(chunk_tables(result, scorer, threshold))
    print_excluded(reading)
