"""``fairbrief annotate``: ask people about summaries, and use their answers."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, replace
from functools import partial
from itertools import combinations
from math import isnan
from pathlib import Path
from typing import Literal

import numpy as np
import typer

from fairbrief import readers, registry
from fairbrief.atomic_files import write_text
from fairbrief.auditing import audit, check, record_values
from fairbrief.auditing.scorer_lookup import Scorers
from fairbrief.cli import options as o
from fairbrief.cli.command_line import check_sheet
from fairbrief.cli.input_options import attribute_and_field, comma_separated
from fairbrief.errors import RequestError
from fairbrief.plan import Plan
from fairbrief.reports.terminal import Place, print_result, print_tables
from fairbrief.serialization import case_line, write_lines
from fairbrief.settings import setting
from fairbrief.text.counted import counted
from fairbrief.types import Case, Measure
from fairbrief.workbench import judgements
from fairbrief.workbench.choose import case_values, resampled_values
from fairbrief.workbench.sheets import Answer, Item, assign, items_of, read_answers, sheet

Asked = list[tuple[Case, tuple[Item, ...]]]
"""Cases with their questions."""
app = o.new_app("Ask people about summaries, and use their answers.")

RECORDS = o.option(..., "File that the sheets were exported from.", "FILE", "--records")
UNSAFE = re.compile(r"[^\w-]")
"""Characters of an annotator's name that are underscores in the name of the sheet."""
SHEETS = o.argument("Completed sheets.", "SHEET…")
question = partial(setting, panel="Questions")


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgingOptions:
    """What people are asked. Each field is an option of all three commands."""

    # fmt: off
    task: Literal["claims", "rating", "leaning", "alignment"] = question(MISSING, "claims, rating, leaning or alignment.", "TASK")
    attribute: str = question("", "Attribute whose values people judge; NAME=FIELD reads another field.", "NAME[=FIELD]")
    choices: str | None = question(None, "Choices of the task leaning; by default negative,fair,positive.", "A,fair,B")
    seed: int = question(0, "Seed of samples, orders and intervals.", "N", least=0)
    # fmt: on

    @property
    def over(self) -> str:
        """The name of the attribute."""
        return attribute_and_field(self.attribute)[0]

    def asked(self, records: str) -> Asked:
        """The cases of a file with their questions; RequestError if there are none."""
        choices = comma_separated(self.choices) if self.choices else None
        name, field = attribute_and_field(self.attribute)
        cases = readers.read(records, attributes={name: field} if name else {})
        asked = list(items_of(cases, self.task, name, choices=choices))
        if not asked:
            raise RequestError(f"{records} yields no question of the task '{self.task}'.")
        return asked

    def answered(self, sheets: list[Path], records: str) -> tuple[Asked, Sequence[Answer], Mapping[str, int]]:
        """The questions, the answers in the sheets, and the number of blank answers by annotator."""
        asked = self.asked(records)
        return asked, *read_answers(sheets, {item.key: item for _, items in asked for item in items})


@app.command(short_help="Write sheets with questions.")
def export(
    records: str = o.argument("File with records and summaries.", "RECORDS"),
    out: Path = o.output_file(..., "Sheet to write; --annotators adds names to the file's name.", "FILE.csv"),
    annotators: str = o.option("", "Names of annotators; each gets a file.", "A,B…"),
    per_system: int | None = o.option(None, "Cases per system (and design of built inputs).", "N", min=1),
    judging: JudgingOptions = o.all_but(),
) -> None:
    """Write sheets (CSV) with questions about summaries.

    Examples:
        fairbrief annotate export examples/reviews.jsonl --task rating --attribute sentiment --annotators ada,ben --out sheet.csv
    """
    asked = judging.asked(records)
    asked = asked if per_system is None else _sampled(asked, per_system, judging.seed)
    loads = assign(asked, comma_separated(annotators), judging.seed) if annotators else {"": asked}
    paths = {name: out.with_stem(f"{out.stem}.{UNSAFE.sub('_', name)}") if name else out for name in loads}
    if len(set(paths.values())) < len(paths):
        raise RequestError("Two names in --annotators give one file name: make their letters differ.")
    for path in paths.values():
        check_sheet(path)
    for name, cases in loads.items():
        path = paths[name]
        write_text(path, sheet(cases, name, judging.over))
        questions = counted(sum(len(items) for _, items in cases), "question")
        typer.echo(f"{path}: {questions} on {counted(len(cases), 'summary', 'summaries')}")


@app.command("import", short_help="Read sheets: agreement, and fairness as people judged it.")
def import_(
    sheets: list[Path] = SHEETS,
    records: str = RECORDS,
    out: Path | None = o.output_file(None, "File for the judged records.", "FILE.jsonl"),
    details: bool = o.DETAILS,
    plan: Plan = o.only("n_resamples"),
    judging: JudgingOptions = o.all_but(),
) -> None:
    """Read completed sheets: agreement of the annotators, judged records, and fairness as people judged it.

    Examples:
        fairbrief annotate import sheet.ada.csv sheet.ben.csv --records reviews.jsonl --task rating --attribute sentiment
    """
    task, attribute, seed = judging.task, judging.over, judging.seed
    asked, answers, blank = judging.answered(sheets, records)
    if out is not None and task == "alignment":
        raise RequestError(f"--out: the task '{task}' gives a table, not records. Drop --out.")
    _print_answers(answers, blank, seed)
    if task == "alignment":
        print_tables([judgements.alignment_table(asked, answers)], is_below_text=True)
        return
    judged = list(judgements.judged_cases(asked, answers, attribute))
    if out is not None:
        count = write_lines((case_line(case) for case in judged), out)
        typer.echo(f"\n{counted(count, 'judged summary', 'judged summaries')} in {out}")
    if task == "claims" and judged:
        measures = [f"{name}(scorer=claims)@{attribute}" for name in ("bur", "uer", "auc", "sof")]
        typer.echo("")
        result = audit(judged, replace(plan, measures=measures, seed=seed))
        print_result(result, details=details, place=Place(can_save=False))


@app.command(short_help="Compare measures with people's answers.")
def agree(
    sheets: list[Path] = SHEETS,
    records: str = RECORDS,
    measure: list[str] = o.option(..., "Measure to compare, e.g. 'uer@sentiment'.", "SPEC"),
    judging: JudgingOptions = o.all_but(),
) -> None:
    """Compare measures with people: how often both order summaries the same way, and how their values correlate.

    Reads the sheets of 'fairbrief annotate export'. To compare the groups' shares of the claims, use 'fairbrief agree' on the
    file that 'annotate import' writes.

    Examples:
        fairbrief annotate agree sheet.ada.csv --records reviews.jsonl --task rating --attribute sentiment --measure uer@sentiment
    """
    task, attribute, seed = judging.task, judging.over, judging.seed
    if task == "alignment":
        raise RequestError("--task alignment is not compared with measures. Use 'annotate import'.")
    asked, answers, _ = judging.answered(sheets, records)
    check((case.record for case, _ in asked), Plan(measures=measure, n_resamples=0))
    measures = {spec: registry.make("measure", spec) for spec in measure}
    scorers = Scorers()
    if task == "claims":
        cases = list(judgements.judged_cases(asked, answers, attribute))
        by_people = registry.make("measure", f"uer(scorer=claims)@{attribute}")
        judged = case_values(by_people, cases, scorers)["uer"]
    else:
        known = judgements.unfairness(asked, answers)
        cases = [case for case, _ in asked if (case.record.id, case.summary.system) in known]
        judged = np.array([known[case.record.id, case.summary.system] for case in cases])
    if not cases:
        raise RequestError("No summary has answers to all its questions. Complete the sheets.")
    ids = [case.record.cluster for case in cases]
    for spec, made in measures.items():
        values = case_values(made, cases, scorers)[made.name]
        typer.echo(f"\n{spec}")
        sign = -1 if record_values.better(made) == "more" else 1  # larger is worse
        _print(judgements.agreement_with_people(sign * values, judged, ids, seed))
    if task == "leaning" and len(measures) > 1:
        _compare_leanings(measures, asked, answers, scorers, seed)


def _compare_leanings(
    measures: Mapping[str, Measure], asked: Asked, answers: Sequence[Answer], scorers: Scorers, seed: int
) -> None:
    """With which of every two measures that have group differences people agree more (Li et al., Section 5.4)."""
    chosen = judgements.choices_of(answers)
    judged = [(case, items[0]) for case, items in asked if items[0].key in chosen]
    first, *_, second = judged[0][1].choices
    sides = {first: -1.0, second: 1.0}
    people = np.array([sides.get(judgements.majority(chosen[item.key]) or "fair", 0.0) for _, item in judged])
    cases = [case for case, _ in judged]
    names = f"difference[{first}]", f"difference[{second}]"
    values = {spec: case_values(made, cases, scorers) for spec, made in measures.items()}
    leans = {spec: v[names[1]] - v[names[0]] for spec, v in values.items() if set(names) <= set(v)}
    known = np.all([np.isfinite(x) for x in leans.values()], axis=0)
    if len(leans) < 2 or not known.any():
        return
    kept = [case for case, is_known in zip(cases, known, strict=True) if is_known]
    counts = judgements.bootstrap_counts(len(kept), seed)
    found = []
    for spec, lean in leans.items():
        groups = resampled_values(measures[spec], kept, scorers, counts)
        found.append(judgements.Leans(spec, lean[known], groups[names[1]] - groups[names[0]]))
    print_tables([judgements.leaning_table(people[known], a, b, counts) for a, b in combinations(found, 2)])


def _sampled(asked: Asked, many: int, seed: int) -> Asked:
    """``many`` cases of each system and design, drawn by id and seed, in the order of the file."""
    groups: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for i, (case, _) in enumerate(asked):
        name = f"{seed}\0{case.record.id}\0{case.summary.system}"
        group = (case.summary.system, case.record.attributes.get("design", ""))
        groups.setdefault(group, []).append((hashlib.sha256(name.encode()).hexdigest(), i))
    return [asked[i] for i in sorted(i for group in groups.values() for _, i in sorted(group)[:many])]


def _print_answers(answers: Sequence[Answer], blank: Mapping[str, int], seed: int) -> None:
    people = dict.fromkeys(answer.annotator for answer in answers)
    many = f"{counted(len(answers), 'answer')} of {counted(len(people), 'annotator')}"
    typer.echo(f"{many}: {', '.join(people)}")
    for name, count in blank.items():
        typer.echo(f"  left blank by {name}: {count:,}")
    _print(judgements.agreement(answers, seed))


def _print(found: Sequence[judgements.Agreement]) -> None:
    width = max(len(one.name) for one in found)
    for one in found:
        if isnan(one.value):
            typer.echo(f"  {one.name:{width}}  undefined: {one.note}")
            continue
        interval = one.note or f"[{one.low:z.3f}, {one.high:z.3f}]"
        typer.echo(f"  {one.name:{width}}  {one.value:z.3f}  {interval}  n={one.n:,}")
