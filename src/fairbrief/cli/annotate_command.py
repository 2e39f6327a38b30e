"""``fairbrief annotate``: ask people about summaries, and read what they say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fairbrief.cli.option_types import Details, Resamples
from fairbrief.errors import RequestError
from fairbrief.text.counted import counted

if TYPE_CHECKING:
    from fairbrief.auditing.scorer_lookup import Scorers
    from fairbrief.types import Case, Floats, Measure
    from fairbrief.workbench.annotation.items import Item
    from fairbrief.workbench.annotation.judgements import Agreement
    from fairbrief.workbench.annotation.sheets import Answers

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
    str, typer.Option("--records", help="The file that the sheets were exported from.", metavar="FILE")
]
Sheets = Annotated[list[Path], typer.Argument(help="Sheets that came back: .csv or .json.", metavar="SHEET…")]
Task = Annotated[
    str,
    typer.Option(
        help="units, rating, leaning, pairs, people or alignment.",
        metavar="units|rating|leaning|pairs|people|alignment",
    ),
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
        str, typer.Option(help="Names of the annotators; each gets a file.", metavar="A,B…")
    ] = "",
    per_case: Annotated[
        int | None,
        typer.Option(help="How many annotators judge each case; by default all.", min=1, metavar="N"),
    ] = None,
    per_annotator: Annotated[
        int | None, typer.Option(help="How many cases an annotator judges at most.", min=1, metavar="N")
    ] = None,
    per_system: Annotated[
        int | None,
        typer.Option(
            help="How many cases of each system (and design of built inputs) are judged.", min=1, metavar="N"
        ),
    ] = None,
    choices: Choices = None,
    seed: Seed = 0,
) -> None:
    """Write sheets (CSV) or offline pages (HTML) that ask people about summaries."""
    from fairbrief.cli.output_folder import refuse_overwriting
    from fairbrief.workbench.annotation.items import assign
    from fairbrief.workbench.annotation.sheets import page, sheet

    if out.suffix not in (".csv", ".html"):
        raise RequestError(f"--out '{out}': write a sheet .csv or a page .html.")
    asked = _asked(records, task, attribute, choices)
    asked = asked if per_system is None else _sampled(asked, per_system, seed)
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
        shown = counted(len(own), "pair") if task == "pairs" else counted(len(own), "summary", "summaries")
        typer.echo(f"{path}: {counted(questions, 'question')} on {shown}")


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
        typer.Option(
            help="How judgements are combined: majority, all (where nobody dissents), or each (every annotator as a system).",
            metavar="RULE",
        ),
    ] = "majority",
    choices: Choices = None,
    n_resamples: Resamples = 2000,
    details: Details = False,
    seed: Seed = 0,
) -> None:
    """Read the sheets: agreement, judged records, and the measures of the distributions that people saw."""
    from fairbrief.cli.output_folder import refuse_overwriting
    from fairbrief.serialization import case_line, write_lines
    from fairbrief.workbench.annotation.items import pairs_of
    from fairbrief.workbench.annotation.judgements import COMBINES, judged_cases, preferences, preferred

    rules = {name: name for name in COMBINES}
    if combine not in rules:
        raise RequestError(f"--combine is {', '.join(rules)}, not '{combine}'.")
    refuse_overwriting(out, [records, *sheets])
    asked, answers = _answered(sheets, records, task, attribute, choices)
    if task in ("alignment", "pairs"):
        if out is not None:
            raise RequestError(
                f"--out: answers of the task '{task}' make a table and no records; leave --out away."
            )
        _tell(answers, asked, seed)
        if task == "alignment":
            _tell_alignments(asked, answers)
        else:
            _print(preferences(preferred(pairs_of(_cases(records, attribute)), answers.given), seed))
        return
    judged = list(judged_cases(asked, answers.given, attribute, rules[combine]))
    _tell(answers, asked, seed)
    if out is not None:
        count = write_lines((case_line(case) for case in judged), out)
        typer.echo(f"\n{counted(count, 'judged summary', 'judged summaries')} in {out}")
    if task == "units" and judged:
        _measure(judged, attribute, n_resamples, seed, details=details)


@app.command(short_help="Say how often measures order summaries as people do.")
def agree(
    sheets: Sheets,
    records: RecordsOption,
    task: Task,
    measure: Annotated[
        list[str],
        typer.Option(help="Measure to compare with people's answers, e.g. 'uer@sentiment'.", metavar="SPEC"),
    ],
    attribute: Attribute = "",
    choices: Choices = None,
    seed: Seed = 0,
) -> None:
    """How often each measure orders summaries as people do, and how its value shares correlate with theirs.

    People's judgement comes from the sheets that 'fairbrief annotate export' wrote. For a scorer's
    agreement with labels of units in a file, see 'fairbrief agree FILE'.
    """
    from fairbrief import registry
    from fairbrief.auditing.measure_selection import check_scorers
    from fairbrief.auditing.scorer_lookup import Scorers
    from fairbrief.workbench.annotation.judgements import concordance, correlations, judged_cases, unfairness
    from fairbrief.workbench.choose import case_values

    if task in ("people", "alignment"):
        raise RequestError(
            "Measures are held against units, ratings, leanings or pairs; people are checked on import."
        )
    measures = {spec: registry.make("measure", spec) for spec in measure}
    check_scorers(list(measures.values()), {})
    asked, answers = _answered(sheets, records, task, attribute, choices)
    scorers = Scorers()
    if task == "pairs":
        _hold_against_pairs(measures, _cases(records, attribute), answers, scorers, seed)
        return
    import numpy as np

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
    for spec, made in measures.items():
        values = case_values(made, cases, scorers)
        typer.echo(f"\n{spec}")
        level = _level(made, values)
        _print([concordance(level, judged, ids, seed), *correlations(level, judged, ids, seed)])
        shares = [name for name in values if name.startswith("summary[") and name in human]
        if shares:
            typer.echo("  shares of the values in the summary, against people's:")
            ours, theirs = (np.concatenate([found[name] for name in shares]) for found in (values, human))
            _print(correlations(ours, theirs, ids * len(shares), seed, same_scale=True))


def _hold_against_pairs(
    measures: Mapping[str, Measure], cases: Sequence[Case], answers: Answers, scorers: Scorers, seed: int
) -> None:
    """How often each measure finds that summary fairer which people prefer."""
    from fairbrief.workbench.annotation.items import pairs_of
    from fairbrief.workbench.annotation.judgements import agreement_with_measure, preferred
    from fairbrief.workbench.choose import case_values

    judged = preferred(pairs_of(cases), answers.given)
    wanted = {(c.record.id, c.summary.system): c for pair, _ in judged for c in (pair.first, pair.second)}
    for spec, made in measures.items():
        level = _level(made, case_values(made, list(wanted.values()), scorers))
        typer.echo(f"\n{spec}")
        _print([agreement_with_measure(judged, dict(zip(wanted, level.tolist(), strict=True)), seed)])


def _level(measure: Measure, values: Mapping[str, Floats]) -> Floats:
    """The headline of each case, more being worse."""
    return values[measure.name] if _is_disparity(measure) else -values[measure.name]


def _cases(records: str, attribute: str) -> list[Case]:
    from fairbrief import readers

    return list(readers.read(records, attributes={attribute: attribute} if attribute else {}))


def _asked(records: str, task: str, attribute: str, choices: str | None) -> Asked:
    from fairbrief.workbench.annotation.items import items_of

    cases = _cases(records, attribute)
    asked = list(items_of(cases, task, attribute, choices=choices.split(",") if choices else None))
    if not asked:
        why = " It needs summaries by two systems of one record." if task == "pairs" else ""
        raise RequestError(f"No summary of {records} gives rise to a question of the task '{task}'.{why}")
    return asked


def _sampled(asked: Asked, many: int, seed: int) -> Asked:
    """So many cases of each system and design, drawn by their ids and the seed, in the order of the file."""
    import hashlib

    def drawn(case: Case) -> str:
        return hashlib.sha256(f"{seed}\0{case.record.id}\0{case.summary.system}".encode()).hexdigest()

    groups: dict[tuple[str, str], list[str]] = {}
    for case, _ in asked:
        place = (case.summary.system, case.record.attributes.get("design", ""))
        groups.setdefault(place, []).append(drawn(case))
    chosen = {key for keys in groups.values() for key in sorted(keys)[:many]}
    return [(case, items) for case, items in asked if drawn(case) in chosen]


def _tell_alignments(asked: Asked, answers: Answers) -> None:
    from rich.console import Console

    from fairbrief.reports import terminal
    from fairbrief.workbench.annotation.judgements import alignment_table

    terminal.print_table(alignment_table(asked, answers.given), Console())


def _answered(
    sheets: Sequence[Path], records: str, task: str, attribute: str, choices: str | None
) -> tuple[Asked, Answers]:
    from fairbrief.workbench.annotation.sheets import read_answers

    asked = _asked(records, task, attribute, choices)
    return asked, read_answers(sheets, {item.key: item for _, items in asked for item in items})


def _tell(answers: Answers, asked: Asked, seed: int) -> None:
    from fairbrief.workbench.annotation.judgements import agreement

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


def _measure(judged: Sequence[Case], attribute: str, n_resamples: int, seed: int, *, details: bool) -> None:
    from rich.console import Console

    from fairbrief.auditing import Plan, audit
    from fairbrief.reports import terminal

    names = ("bur", "uer", "auc", "sof")
    measures = [f"{name}(scorer=units)@{attribute}" for name in names]
    typer.echo("")
    result = audit(judged, Plan(measures=measures, n_resamples=n_resamples, seed=seed))
    terminal.print_result(result, Console(), details=details, rest=terminal.Rest())


def _is_disparity(measure: object) -> bool:
    """Whether more of the headline is worse: a level (a quality) is better when larger."""
    from fairbrief.auditing.record_values import better
    from fairbrief.types import Measure

    assert isinstance(measure, Measure)
    return better(measure) != "more"


def _file_name(name: str) -> str:
    return "".join(c if c.isalnum() or c in "-_" else "_" for c in name)


def _write(path: Path, text: str) -> None:
    from fairbrief.reports.audit_folder import place

    place(path, lambda part: part.write_text(text, encoding="utf-8", newline=""))
