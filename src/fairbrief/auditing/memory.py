"""How much memory an audit will take, told from its first cases before it begins; and how much there is.

The constants are from the largest resident memory of `fairbrief audit --attribute party --quiet --out DIR` in processes of
their own, with and without ``--extracts 0``: a thousand to a million records of three short documents
(`benchmarks.speed.audit`); thousands with 6 to 64 documents in 2 to 32 groups, by up to 8 systems, in up to 100 slices
(`benchmarks.scale`); and thousands of longer texts, few of whose numbers are alike. What is told of these lies 5 to 48 % above
what was measured. Who imports fairbrief may take a hundred megabytes more: see `fairbrief.process_settings`.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Sequence, Sized
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fairbrief.auditing.differences import pairs_of
from fairbrief.auditing.extracts import N_EXTRACTS
from fairbrief.auditing.grouping import by_observation
from fairbrief.auditing.ledger import CHUNK
from fairbrief.auditing.null_sums import COMMON, FEW
from fairbrief.auditing.observing import BATCH, LABELS_AT_ONCE
from fairbrief.auditing.plan import Plan
from fairbrief.auditing.scored_rows import LABELS_OF_ONE
from fairbrief.auditing.waiting import HELD, size_of
from fairbrief.errors import RequestError
from fairbrief.reports.evidence_file import GROUP
from fairbrief.statistics import count_labellings
from fairbrief.statistics.permutation import KEPT
from fairbrief.types import Case, ExtractObservation, Measure, Observation, Record

SETTING = "FAIRBRIEF_MEMORY"
"""Environment variable that says how much memory there is (``32GB``), where the machine tells it wrongly."""
BASE = 200e6
"""A process: the program, texts that are scored together, labellings that are kept."""
PER_ESTIMATE = 1_000
"""What is kept of an estimate or a difference: its numbers and notes."""
PER_CASE, PER_NUMBER = 100, 2.0
"""What is kept of a case, and of each of its statistics: codes of packed columns, and the numbers that these stand for."""
PER_PAIR = 50
"""What is held of a record for each two systems that are compared."""
SUMMED_APART = 60e6
"""At most: what a part of the input is summed into, until it is added to all others."""
CGROUP = Path("/sys/fs/cgroup")
GB = 1e9
MOST_PAIRS = 1 << 24
"""Pairs of a sentence and a document of one record that are scored for its random extracts without being asked for."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """Bytes: of the program and the cases that wait, of the largest cases while they are observed, of all rows, of what
    slices are summed into, and of estimates.
    """

    base: float
    largest: float
    rows: float
    slices: float
    estimates: float
    about: str = ""
    """Which case is the largest, and that it takes so much alone or with others."""

    @property
    def total(self) -> float:
        """All together."""
        return self.base + self.largest + self.rows + self.slices + self.estimates


def forecast(
    cases: Iterable[Case], head: Sequence[Case], plan: Plan, measures: Sequence[Measure]
) -> Forecast:
    """What an audit of the cases takes. ``head`` are the first of them; what comes later is taken to be like these."""
    observations = {o: str(getattr(m, "over", "") or "") for o, (m, *_) in by_observation(measures).items()}
    many = _count_of(cases, head)
    extracts = N_EXTRACTS if plan.n_extracts is None else plan.n_extracts
    extracts = extracts if plan.n_resamples else 0
    groups = {over: max(len(set(_labels(c, over))) for c in head) for over in {*observations.values()}}
    # About so many statistics has a row: by group, and as many again of extracts; some are moved by labellings.
    statistics = [(9 + 8 * groups[over]) * (2 if extracts else 1) for over in observations.values()]
    sizes = [_of_case(case, groups, plan.n_resamples, extracts) for case in head]
    largest = max(sizes)
    processes = plan.workers if plan.workers > 1 else 0
    return Forecast(
        BASE * (1 + processes) + _of_waiting(head, plan, list(observations), many),
        largest * max(1, processes),
        _of_rows(head, plan, statistics, many),
        _of_slices(head, plan, list(observations.values()), groups, many) if plan.n_resamples else 0.0,
        _of_estimates(head, plan, measures, groups, many),
        _about(head[sizes.index(largest)], groups, plan.n_resamples),
    )


def check(cases: Iterable[Case], head: Sequence[Case], plan: Plan, measures: Sequence[Measure]) -> None:
    """Refuse, before any work, an audit that the memory of this machine cannot hold, or of a record that is too large."""
    _check_memory(cases, head, plan, measures)
    _refuse_extracts_of_many(head, plan, measures)


def _check_memory(
    cases: Iterable[Case], head: Sequence[Case], plan: Plan, measures: Sequence[Measure]
) -> None:
    there = available()
    if there is None:
        return
    needed = forecast(cases, head, plan, measures)
    if needed.total <= there:
        return
    said = f"This audit would take about {needed.total / GB:.1f} GB of memory, and there are {there / GB:.1f} GB. "
    wrong = f"Where that is wrong, say how much there is: {SETTING}=32GB."
    if needed.largest >= max(needed.rows, needed.slices, needed.estimates):
        raise RequestError(
            f"{said}{needed.about} {needed.largest / GB:.1f} GB while observed. Take fewer --resamples, "
            f"--extracts 0, fewer --workers, or measures by name (--measure); or cut the record into several. {wrong}"
        )
    if needed.estimates >= max(needed.slices, needed.rows):
        raise RequestError(
            f"{said}{needed.estimates / GB:.1f} GB are for about {needed.estimates / PER_ESTIMATE:,.0f} estimates by system and "
            f"slice, and differences of systems. Take fewer --slice, measures by name (--measure), or systems one after "
            f"another. {wrong}"
        )
    if needed.slices >= needed.rows:
        raise RequestError(
            f"{said}{needed.slices / GB:.1f} GB are for sums by system and slice. Take fewer --slice, fewer --resamples or "
            f"measures by name (--measure). {wrong}"
        )
    raise RequestError(
        f"{said}{needed.rows / GB:.1f} GB are for the rows of all records. Take measures by name (--measure), or a part of "
        f"the input at a time. {wrong}"
    )


def _refuse_extracts_of_many(head: Sequence[Case], plan: Plan, measures: Sequence[Measure]) -> None:
    """Refuse extracts of a very large record, unless they are asked for: each of its sentences is scored with each document."""
    reads = any(isinstance(measure.observation, ExtractObservation) for measure in measures)
    if not reads or plan.n_extracts is not None or not plan.n_resamples:
        return
    for record in {case.record.id: case.record for case in head}.values():
        pairs = _sentences_of(record) * len(record.documents)
        if pairs > MOST_PAIRS:
            raise RequestError(
                f"{_place_of(record)}: its random extracts would be scored in about {pairs:,.0f} pairs of a sentence and a "
                f"document, and no more than {MOST_PAIRS:,} are without being asked for. Leave extracts out (--extracts 0), "
                f"ask for them (--extracts {N_EXTRACTS}), or cut the record into several."
            )


def available() -> float | None:
    """Bytes that this process may still take: of the machine, or of its control group if that is less; None if unknown."""
    if told := os.environ.get(SETTING):
        return _bytes_of(told)
    found = [free for free in (_of_machine(), *(_of_group(path) for path in _groups())) if free is not None]
    return min(found, default=None)


def _of_case(case: Case, overs: Iterable[str], n_resamples: int, extracts: int) -> float:
    """What observing cases like this one takes at most: labellings of documents, their statistics, and extracts."""
    documents = len(case.record.documents)
    sentences = _sentences_of(case.record)
    largest = 0.0
    for over in overs:
        groups = max(1, len(set(_labels(case, over))))
        rows, alone = _rows_at_once(case, over, n_resamples)
        labelled = float(rows * documents)
        at_once = min(labelled, LABELS_OF_ONE)
        labels = 8.0 * (2.5 * labelled + 4 * at_once) if groups > 1 else 0.0
        members = 1.0 * at_once * groups if groups > 1 else 0.0
        kept = min(KEPT, 2.0 * BATCH * alone * documents) if groups > 1 else 0.0
        statistics = 8.0 * rows * (9 + 9 * groups) * 10
        drawn = 8.0 * sentences * (2 * documents + 4 * extracts) if extracts else 0.0
        largest = max(largest, labels + members + kept + statistics + drawn)
    return largest


def _rows_at_once(case: Case, over: str, n_resamples: int) -> tuple[int, int]:
    """Under how many labellings cases like this one are observed together, and under how many it is alone."""
    alone = min(n_resamples + 1, _labellings(case, over))
    together = min(BATCH * alone, LABELS_AT_ONCE // max(1, len(case.record.documents)))
    return max(alone, together), alone


def _about(case: Case, overs: Iterable[str], n_resamples: int) -> str:
    is_alone = any(rows == alone for rows, alone in (_rows_at_once(case, o, n_resamples) for o in overs))
    return f"{_place_of(case.record)} {'alone takes' if is_alone else 'and others like it take'}"


def _sentences_of(record: Record) -> int:
    """About how many sentences the documents have, of twenty words or, in short texts, fewer: the order of magnitude."""
    return sum(max(1, len(d.text) // 80) for d in record.documents)


def _place_of(record: Record) -> str:
    return f"{record.where or 'input'} (id '{record.id}', {len(record.documents):,} documents)"


def _of_waiting(head: Sequence[Case], plan: Plan, observations: Sequence[Observation], many: float) -> float:
    """The cases that wait in memory until their clusters were read."""
    if not plan.has_clusters and all(o.declaration.scope == "case" for o in observations):
        return 0.0
    return min(1.0 * HELD, many * sum(map(size_of, head)) / len(head))


def _of_rows(head: Sequence[Case], plan: Plan, statistics: Sequence[int], many: float) -> float:
    """All rows; those that are open until they are packed, or on their way into the file; and pairs of systems."""
    rows, numbers = many * (1 + len(plan.controls)), sum(statistics)
    kept = rows * (PER_CASE + PER_NUMBER * numbers)
    plain = 8.0 * min(rows, CHUNK) * numbers + 16.0 * min(rows, GROUP) * max(statistics)
    names = _systems_of(head)
    return kept + plain + PER_PAIR * many / len(names) * _pairs(names, plan)


def _systems_of(head: Sequence[Case]) -> list[str]:
    return list(dict.fromkeys(case.summary.system for case in head))


def _pairs(names: Sequence[str], plan: Plan) -> int:
    """How many pairs of systems are compared, controls among them."""
    return len(pairs_of(names, plan.baseline)) + len(names) * len(plan.controls) if plan.n_resamples else 0


def _of_slices(
    head: Sequence[Case], plan: Plan, overs: Sequence[str], groups: dict[str, int], many: float
) -> float:
    """The sums of all systems and slices, the whole among them, and those of a part of the input."""
    systems = len(_systems_of(head)) * (1 + len(plan.controls))
    most = {over: max(_labellings(case, over) for case in head[:20]) for over in groups}
    found = 0.0
    for names in ((), *plan.slices):
        slices = _slices_of(head, [str(n) for n in names], many)
        rows = many * (1 + len(plan.controls)) / (systems * slices)
        for over in overs:
            columns = 6 + 9 * groups[over]
            summed = 16.0 * columns * plan.n_resamples * (1 if rows < COMMON else 2)
            labellings = min(plan.n_resamples + 1, most[over])
            kept = rows * (8.0 * columns * labellings + 2.0 * plan.n_resamples + 2_000)
            is_kept = rows <= FEW and rows * labellings <= plan.n_resamples + 1
            found += systems * slices * (kept if is_kept else summed)
    return found + min(found, SUMMED_APART)


def _of_estimates(
    head: Sequence[Case], plan: Plan, measures: Sequence[Measure], groups: dict[str, int], many: float
) -> float:
    """About so many values has a measure of so many groups; each is estimated by system and slice, and compared."""
    values = sum(7 + 1.5 * groups[str(getattr(measure, "over", "") or "")] for measure in measures)
    names = _systems_of(head)
    slices = sum(_slices_of(head, [str(n) for n in by], many) for by in ((), *plan.slices))
    return PER_ESTIMATE * values * slices * (len(names) * (1 + len(plan.controls)) + _pairs(names, plan))


def _slices_of(head: Sequence[Case], names: Sequence[str], many: float) -> float:
    """How many slices a grouping has: those of the first cases, or more where nearly every record brings another."""
    records = {case.record.id: case.record for case in head}
    values = {tuple(r.attributes.get(n) for n in names) for r in records.values()}
    if 2 * len(values) <= len(records):
        return len(values)
    of_record = many / max(1, len(head)) * len(records)
    return max(1.0, of_record * len(values) / len(records))


def _labellings(case: Case, over: str) -> int:
    labels = _labels(case, over)
    codes = {label: i for i, label in enumerate(sorted(set(labels)))}
    return count_labellings(np.array([codes[label] for label in labels], dtype=np.int64)) if labels else 1


def _labels(case: Case, over: str) -> list[str]:
    found = (d.attributes.get(over) for d in case.record.documents)
    return [label for label in found if label is not None]


def _count_of(cases: Iterable[Case], head: Sequence[Case]) -> float:
    """How many cases there are: counted, or the bytes of a file by those of the first cases."""
    if isinstance(cases, Sized):
        return len(cases)
    size = getattr(cases, "bytes_total", 0)
    # A record is told once, or again in the line of each system.
    texts = {(c.record.id, c.record.where): sum(len(d.text) + 60 for d in c.record.documents) for c in head}
    each = (sum(texts.values()) + sum(len(c.summary.text) + 60 for c in head)) / len(head)
    return max(float(len(head)), size / each)


def _bytes_of(text: str) -> float:
    found = re.fullmatch(r"([\d.]{1,20}) ?([KMGT]?)i?B?", text.strip(), re.IGNORECASE)
    number = math.nan
    if found is not None:
        with suppress(ValueError):
            number = float(found[1]) * 1000.0 ** " KMGT".index(found[2].upper() or " ")
    if math.isnan(number):
        raise RequestError(f"{SETTING}={text} is no amount of memory: write it like 32GB or 512MB.")
    return number


def _of_machine() -> float | None:
    with suppress(OSError):
        found = re.search(r"MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text(encoding="ascii"))
        if found is not None:
            return float(found[1]) * 1024
    with suppress(ValueError, OSError, AttributeError):
        return float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")
    return None


def _groups() -> list[Path]:
    """Folders of the control groups that this process is in, in either version."""
    own = []
    with suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines():
            _, kinds, path = line.split(":", 2)
            if not kinds or "memory" in kinds.split(","):
                root = CGROUP if not kinds else CGROUP / "memory"
                own += [root / path.strip("/"), root]
    return own


def _of_group(folder: Path) -> float | None:
    """What a control group may still take; None where it has no limit."""
    for limit, used in (("memory.max", "memory.current"), ("memory.limit_in_bytes", "memory.usage_in_bytes")):
        with suppress(OSError, ValueError):
            most = float((folder / limit).read_text(encoding="ascii"))  # "max" is no number: no limit
            held = float((folder / used).read_text(encoding="ascii"))
            stat = (folder / "memory.stat").read_text(encoding="ascii")
            files = re.search(r"^(?:total_)?inactive_file (\d+)$", stat, re.MULTILINE)
            return max(0.0, most - held + (float(files[1]) if files else 0.0))
    return None
