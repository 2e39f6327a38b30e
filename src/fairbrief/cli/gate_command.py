"""``fairbrief gate``: a saved audit against limits and a baseline, for a pipeline."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fairbrief.cli.option_types import SavedAudit
from fairbrief.cli.output_folder import refuse_overwriting
from fairbrief.types import Table

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

Most = Annotated[
    list[str] | None,
    typer.Option("--max", help="Upper limit, e.g. 'uer@sentiment:difference-random<=0.1'.", metavar="RULE"),
]
Least = Annotated[
    list[str] | None,
    typer.Option(
        "--min",
        help="Lower limit, e.g. 'coverage_parity@sentiment:relative_difference-random>=-0.15' or 'rouge1>=0.3'.",
        metavar="RULE",
    ),
]
Baseline = Annotated[
    Path | None, typer.Option(help="Saved audit that this one must not be worse than.", metavar="DIR")
]
Margin = Annotated[
    float,
    typer.Option(
        help="How much larger than in the baseline a group difference may be, or how much smaller a quality.",
        metavar="X",
    ),
]
Measures = Annotated[
    list[str] | None,
    typer.Option(
        "--measure", help="Measure to compare with the baseline; without it, all of them.", metavar="SPEC"
    ),
]
BothDirections = Annotated[
    bool,
    typer.Option("--both-directions", help="Hold group differences to --margin where they shrink, too."),
]
AllowMissing = Annotated[
    list[str] | None,
    typer.Option(
        help="System or measure of the baseline that need not be there, or 'records'.", metavar="NAME"
    ),
]
MaxLeftOut = Annotated[
    float,
    typer.Option(
        help="Share of the input that may be skipped, refused, empty or unanswered; above it nothing is decided.",
        metavar="SHARE",
    ),
]
Junit = Annotated[Path | None, typer.Option(help="Write the checks as JUnit XML.", metavar="FILE")]
Markdown = Annotated[Path | None, typer.Option(help="Write a summary in Markdown.", metavar="FILE")]


@app.command()
def gate(
    folder: SavedAudit,
    most: Most = None,
    least: Least = None,
    baseline: Baseline = None,
    margin: Margin = 0.0,
    measure: Measures = None,
    both_directions: BothDirections = False,
    allow_missing: AllowMissing = None,
    max_left_out: MaxLeftOut = 0.05,
    junit: Junit = None,
    markdown: Markdown = None,
) -> None:
    """Hold a saved audit to limits: exit 0 if all pass, 1 if one fails, 3 if one is inconclusive.

    The interval decides: a check passes if the whole interval keeps the limit, fails if the whole
    interval breaks it, and is inconclusive if the limit is inside the interval. MEASURE:QUANTITY-random limits a group
    difference less its random-sentence baseline; without [GROUP], the limit holds for every group. With
    --baseline, no group difference may be further from its random-sentence baseline than before by more than --margin,
    no quality lower, and no system, measure or record of the baseline may be missing.
    """
    from rich.console import Console
    from rich.text import Text

    from fairbrief.reports import junit as junit_report
    from fairbrief.reports import markdown as markdown_report
    from fairbrief.reports.audit_folder import place
    from fairbrief.saved import gate, gate_rules

    refuse_overwriting(junit, (), "--junit")
    refuse_overwriting(markdown, (), "--markdown")
    checks = gate.hold_audit(
        folder,
        gate_rules.rules(most or (), least or ()),
        baseline,
        margin,
        measures=measure or (),
        both_directions=both_directions,
        allow_missing=allow_missing or (),
        max_left_out=max_left_out,
    )
    outcome = gate.overall(checks)
    if junit is not None:
        text = junit_report.render(checks)
        place(junit, lambda path: path.write_text(text, encoding="utf-8"))
    if markdown is not None:
        rows = tuple((check.name, check.outcome, check.message) for check in checks)
        table = Table(f"Fairness gate: {outcome}", ("check", "outcome", "why"), rows)
        place(markdown, lambda path: path.write_text(markdown_report.table(table) + "\n", encoding="utf-8"))
    styles = {"pass": "green", "fail": "bold red", "inconclusive": "yellow"}
    console = Console()
    for check in checks:
        console.print(Text.assemble((f"{check.outcome:13}", styles[check.outcome]), check.name))
        console.print(Text(f"{'':13}{check.message}", style="dim"))
    console.print(Text(outcome, style=styles[outcome]))
    raise typer.Exit(gate.EXIT[outcome])
