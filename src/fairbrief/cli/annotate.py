"""``fairbrief annotate``: ask people about summaries, and read what they say."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fairbrief.cli.options import Details
from fairbrief.errors import RequestError
from fairbrief.text.counted import counted

if TYPE_CHECKING:
    from fairbrief.corpora.annotation import Agreement, Item
    from fairbrief.corpora.annotation.answers import Answers
    from fairbrief.nouns import Case

    Asked = list[tuple[Case, tuple[Item, ...]]]

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Ask people about summaries, and read what they say.",
)

Records = Annotated[str, typer.Argument(help="File with records and summaries.", metavar="RECORDS")]
RecordsOption = Annotated[
    str, typer.Option("--records", help="The file that was exported from.", metavar="FILE")
]
Sheets = Annotated[list[Path], typer.Argument(help="Sheets that came back: .csv or .json.", metavar="SHEET…")]
Task = Annotated[
    str, typer.Option(help="units, rating, leaning or people.", metavar="units|rating|leaning|people")
]
Attribute = Annotated[str, typer.Option(help="Attribute whose values are judged.", metavar="NAME")]
Choices = Annotated[
    str | None, typer.Option(help="Leanings to choose from instead of negative,fair,positive.", metavar="A,fair,B")
]  # fmt: skip
Seed = Annotated[int, typer.Option(help="Seed of samples, orders and intervals.", min=0, metavar="N")]


@app.callback()
def annotate() -> None:
    """Ask people about summaries, and read what they say."""


@app.command(short_help="Write sheets or offline pages that ask people.")
def export(
    records: Records,
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            help="Sheet .csv or page .html; with several annotators NAME is put into the file's name.",
            metavar="PATH",
        ),
    ],
    task: Task,
    attribute: Attribute = "",
    annotators: Annotated[
        str, typer.Option(help="Names; each gets a file of their own.", metavar="A,B…")
    ] = "",
    per_case: Annotated[
        int | None,
        typer.Option(help="How many annotators judge each case; by default all.", min=1, metavar="N"),
    ] = None,
    per_annotator: Annotated[
        int | None, typer.Option(help="How many cases an annotator judges at most.", min=1, metavar="N")
    ] = None,
    choices: Choices = None,
    seed: Seed = 0,
) -> None:
    """Write sheets (CSV) or offline pages (HTML) that ask people about summaries."""
    from fairbrief.cli.outputs import refuse_overwriting
    from fairbrief.corpora.annotation import assign, page, sheet

    if out.suffix not in (".csv", ".html"):
        raise RequestError(f"--out '{out}': write a sheet .csv or a page .html.")
    asked = _asked(records, task, attribute, choices)
    names = [name.strip() for name in annotators.split(",")] if annotators else [""]
    if names == [""] and per_case is not None:
        raise RequestError("--per-case needs --annotators A,B,….")
    loads = assign(asked, names, per_case=per_case, per_annotator=per_annotator, seed=seed) if annotators else {
        "": asked if per_annotator is None else assign(asked, ["x"], per_annotator=per_annotator, seed=seed)["x"]
    }  # fmt: skip
    paths = {
        name: out.with_name(f"{out.stem}.{_file_name(name)}{out.suffix}") if name else out for name in loads
    }
    if len(set(paths.values())) < len(paths):
        raise RequestError(
            "Two of the annotators' names are alike but for characters that a file cannot have."
        )
    for path in paths.values():
        refuse_overwriting(path, [records])
        if path.exists():
            # People's answers may stand in it, and cannot be had again.
            raise RequestError(
                f"{path} is there already, perhaps with answers: name another file, or remove it."
            )
    for name, own in loads.items():
        path = paths[name]
        text = sheet(own, name, attribute) if out.suffix == ".csv" else page(own, task, name, attribute)
        _write(path, text)
        questions = sum(len(items) for _, items in own)
        typer.echo(f"{path}: {counted(questions, 'question')} on {counted(len(own), 'summary', 'summaries')}")


@app.command("import", short_help="Read the sheets: agreement, and what people saw.")
def import_(
    sheets: Sheets,
    records: RecordsOption,
    task: Task,
    out: Annotated[
        Path | None, typer.Option("--out", help="Where to write the judged records.", metavar="FILE")
    ] = None,
    attribute: Attribute = "",
    combine: Annotated[
        str,
        typer.Option(help="majority, all (nobody dissents), or each annotator as a system.", metavar="RULE"),
    ] = "majority",
    choices: Choices = None,
    draws: Annotated[
        int, typer.Option(help="Resamples of the measures; 0 for values alone.", min=0, metavar="N")
    ] = 2000,
    details: Details = False,
    seed: Seed = 0,
) -> None:
    """Read the sheets: agreement, judged records, and the measures of the distributions that people saw."""
    from fairbrief.cli.outputs import refuse_overwriting
    from fairbrief.corpora.annotation import judged_cases
    from fairbrief.corpora.annotation.judged import COMBINES
    from fairbrief.lines import case_line, write_lines

    rules = {name: name for name in COMBINES}
    if combine not in rules:
        raise RequestError(f"--combine is {', '.join(rules)}, not '{combine}'.")
    refuse_overwriting(out, [records, *sheets])
    asked, answers = _answered(sheets, records, task, attribute, choices)
    judged = list(judged_cases(asked, answers.given, attribute, rules[combine]))
    _tell(answers, asked, seed)
    if out is not None:
        count = write_lines((case_line(case) for case in judged), out)
        typer.echo(f"\n{counted(count, 'judged summary', 'judged summaries')} in {out}")
    if task == "units" and judged:
        _measure(judged, attribute, draws, seed, details=details)


@app.command(short_help="Tell how often measures order summaries as people do.")
def agree(
    sheets: Sheets,
    records: RecordsOption,
    task: Task,
    measure: Annotated[
        list[str],
        typer.Option(help="Measure to hold against people, e.g. 'uer@sentiment'.", metavar="SPELLING"),
    ],
    attribute: Attribute = "",
    choices: Choices = None,
    seed: Seed = 0,
) -> None:
    """How often each measure orders summaries as people do, and how its value shares correlate with theirs.

    People's judgement comes from the sheets that 'fairbrief annotate export' wrote. How far a scorer agrees with
    labels that stand in the units of a file is told by 'fairbrief agree FILE'.
    """
    from fairbrief import registry
    from fairbrief.auditing.candidates import case_values
    from fairbrief.auditing.choosing import check_scorers
    from fairbrief.auditing.scorers import Scorers
    from fairbrief.corpora.annotation import concordance, correlations, judged_cases, unfairness

    if task == "people":
        raise RequestError(
            "Measures are held against units, ratings or leanings; people are checked on import."
        )
    measures = {spelling: registry.make("measure", spelling) for spelling in measure}
    check_scorers(list(measures.values()), {})
    asked, answers = _answered(sheets, records, task, attribute, choices)
    import numpy as np

    scorers = Scorers()
    if task == "units":
        cases = list(judged_cases(asked, answers.given, attribute))
        human = case_values(registry.make("measure", f"uer(scorer=units)@{attribute}"), cases, scorers)
        judged = human["uer"]
    else:
        known = unfairness(asked, answers.given)
        cases = [case for case, _ in asked if (case.record.id, case.summary.system) in known]
        human, judged = {}, np.array([known[case.record.id, case.summary.system] for case in cases])
    if not cases:
        raise RequestError("No summary was judged as a whole: each needs an answer to all its questions.")
    ids = [case.record.cluster for case in cases]
    for spelling, made in measures.items():
        values = case_values(made, cases, scorers)
        typer.echo(f"\n{spelling}")
        level = values[made.name] if _is_disparity(made) else -values[made.name]
        _print([concordance(level, judged, ids, seed), *correlations(level, judged, ids, seed)])
        shares = [name for name in values if name.startswith("summary[") and name in human]
        if shares:
            typer.echo("  shares of the values in the summary, against people's:")
            ours, theirs = (np.concatenate([found[name] for name in shares]) for found in (values, human))
            _print(correlations(ours, theirs, ids * len(shares), seed, same_scale=True))


def _asked(records: str, task: str, attribute: str, choices: str | None) -> Asked:
    from fairbrief import readers
    from fairbrief.corpora.annotation import items_of

    fields = {attribute: attribute} if attribute else {}
    cases = readers.read(records, attributes=fields)
    asked = list(items_of(cases, task, attribute, choices=choices.split(",") if choices else None))
    if not asked:
        raise RequestError(f"No summary of {records} gives rise to a question of the task '{task}'.")
    return asked


def _answered(
    sheets: Sequence[Path], records: str, task: str, attribute: str, choices: str | None
) -> tuple[Asked, Answers]:
    from fairbrief.corpora.annotation import read_answers

    asked = _asked(records, task, attribute, choices)
    return asked, read_answers(sheets, {item.key: item for _, items in asked for item in items})


def _tell(answers: Answers, asked: Asked, seed: int) -> None:
    from fairbrief.corpora.annotation import agreement

    people = dict.fromkeys(answer.annotator for answer in answers.given)
    typer.echo(
        f"{counted(len(answers.given), 'answer')} of {counted(len(people), 'annotator')}: {', '.join(people)}"
    )
    for name, count in answers.blank.items():
        typer.echo(f"  left blank by {name}: {count:,}")
    _print(agreement(answers.given, {item.key: item for _, items in asked for item in items}, seed))


def _print(found: Sequence[Agreement]) -> None:
    width = max(len(one.name) for one in found)
    for one in found:
        if one.value is None:
            typer.echo(f"  {one.name:{width}}  undefined: {one.note}")
            continue
        interval = f"[{one.low:.3f}, {one.high:.3f}]" if one.low is not None else one.note
        chance = "" if one.chance is None else f"  chance {one.chance:g}"
        typer.echo(f"  {one.name:{width}}  {one.value:.3f}  {interval}{chance}  n={one.n:,}")


def _measure(judged: Sequence[Case], attribute: str, draws: int, seed: int, *, details: bool) -> None:
    from rich.console import Console

    from fairbrief.auditing import Plan, audit
    from fairbrief.reports import terminal

    names = ("bur", "uer", "auc", "sof")
    measures = [f"{name}(scorer=units)@{attribute}" for name in names]
    typer.echo("")
    result = audit(judged, Plan(measures=measures, draws=draws, seed=seed))
    terminal.print_result(result, Console(), details=details, rest=terminal.Rest())


def _is_disparity(measure: object) -> bool:
    """Whether more of the headline is worse: a level (a quality) is better when larger."""
    from fairbrief.auditing.direction import better
    from fairbrief.nouns import Measure

    assert isinstance(measure, Measure)
    return better(measure) != "more"


def _file_name(name: str) -> str:
    return "".join(c if c.isalnum() or c in "-_" else "_" for c in name)


def _write(path: Path, text: str) -> None:
    from fairbrief.reports.folder import place

    place(path, lambda part: part.write_text(text, encoding="utf-8", newline=""))
