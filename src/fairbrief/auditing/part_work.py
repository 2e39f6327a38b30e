"""An input that is read in parts: each is read, checked, scored and observed by itself, wherever an engine does it.

Where parts begin depends on the input alone, and they are put together in their order: so the answer is the same
whoever did them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import cast

import fairbrief
from fairbrief.auditing.control_systems import OF_SYSTEMS
from fairbrief.auditing.examples import Exhibits
from fairbrief.auditing.grouping import by_observation
from fairbrief.auditing.part_files import PartFiles, Sections
from fairbrief.auditing.part_results import Observed, PartResult, joined, parted
from fairbrief.auditing.plan import Plan
from fairbrief.auditing.run import Run
from fairbrief.auditing.scorer_lookup import Scorers
from fairbrief.auditing.watchers import Watchers
from fairbrief.engines.engine import Engine, ThisProcess
from fairbrief.errors import DataError, RequestError
from fairbrief.readers import Reading
from fairbrief.readers.input_parts import with_line_numbers
from fairbrief.readers.json_lines import Range
from fairbrief.readers.part_tallies import PartTally
from fairbrief.summarizers.controls import Exchange
from fairbrief.text import languages
from fairbrief.types import Case, Measure, Observation

Part = tuple[int, Range]
"""Number of a source, and a range of it."""
PartDone = tuple[PartResult, PartTally, Watchers]


@dataclass(frozen=True, slots=True)
class PartWork:
    """Audits one part. Called with equal parts it gives equal results, in whichever process."""

    reading: Reading
    plan: Plan
    measures: Sequence[Measure]
    scorers: Scorers
    watchers: Watchers
    files: PartFiles | None = None
    """Where parts that are done are kept, if they are."""
    language: languages.Setting = languages.NOTHING_TOLD
    """The language that the sender reads texts in."""
    only_keeps: bool = False
    """Whether nothing is answered: the part's file is all that is wanted."""
    exchange: Exchange | None = None
    """The summaries of all parts, where some are exchanged."""
    exhibits: Exhibits | None = None
    """Where cases to show are kept, if the part is not kept and done where they are."""

    def __call__(self, numbered: tuple[int, Part]) -> PartDone | None:
        """What the part's cases add to the audit; errors name the lines of the file."""
        _, part = numbered
        if self.files is None:
            return self._audited(part, None)
        digest = self.reading.part_digest(*part)
        names, there = self._names(), self.files.read(digest)
        missing = [observation for observation, name in names.items() if name not in there]
        if not missing and self._rest in there:
            return None if self.only_keeps else self._loaded(there)
        self._save(digest, self._audited(part, missing), missing)
        return None if self.only_keeps else self._loaded(self.files.read(digest))

    def is_kept(self, part: Part) -> bool:
        """Whether all of a part is kept that the audit needs."""
        assert self.files is not None
        there = self.files.read(self.reading.part_digest(*part))
        return all(name in there for name in (self._rest, *self._names().values()))

    def _save(self, digest: str, done: PartDone, made: Collection[Observation]) -> None:
        assert self.files is not None
        result, tally, watchers = done
        names = self._names()
        readers = {o: several for o, several in by_observation(self.measures).items() if o in made}
        rest, observed, shards = parted(result, readers)
        self.files.save(
            digest,
            {
                **{f"shard {name}": shard for name, shard in shards.items()},
                **{names[observation]: one for observation, one in observed.items()},
                self._rest: (rest, tally, watchers),
            },
        )

    def _loaded(self, kept: Sections) -> PartDone:
        names = list(self._names().values())
        found = kept.load([*names, self._rest])
        observed: list[Observed] = [found[name] for name in names]
        wanted = {f"shard {name}" for one in observed for name in one.unscored}
        shards = {name.removeprefix("shard "): shard for name, shard in kept.load(wanted).items()}
        rest, tally, watchers = found[self._rest]
        return joined(rest, observed, shards), tally, watchers

    def _names(self) -> dict[Observation, str]:
        """By observation the section that keeps what it made: it is known by the measures that read it."""
        return {
            observation: f"by {_short([repr(measure) for measure in measures])}"
            for observation, measures in by_observation(self.measures).items()
        }

    @property
    def _rest(self) -> str:
        """The section of what no observation makes: it has cases aside for those of some scopes, for scorers' checks, and places of groups."""
        scopes = sorted({measure.observation.declaration.scope for measure in self.measures})
        return f"rest {_short([scopes, self.watchers.sources is None, self.watchers.places.attributes])}"

    def _audited(self, part: Part, only: Collection[Observation] | None) -> PartDone:
        reading = self.reading.part(*part)
        watchers = self.watchers.empty()
        with _placing(reading):
            run = Run(
                self.plan, self.measures, part_scorers=self.scorers, only=only,
                exchange=self.exchange, exhibits=self.exhibits,
            )  # fmt: skip
            result = run.walk_part(watchers.watch(reading))
        tally = reading.tally
        tally.skipped = [with_line_numbers(said, reading.files) for said in tally.skipped]
        return result, tally, watchers


@contextmanager
def _placing(reading: Reading) -> Iterator[None]:
    """Errors that name a place in a part name the line of the file instead."""
    try:
        yield
    except DataError as error:
        raise DataError(with_line_numbers(str(error), reading.files)) from None


def parts_of(cases: Iterable[Case], plan: Plan) -> list[Part]:
    """The parts of an input; none where it is read from its beginning.

    Controls that are made from records, whichever system summarized them, need to know which records they had.
    Raises RequestError where parts are to be kept and there are none.
    """
    if not isinstance(cases, Reading) or any(name not in OF_SYSTEMS for name in plan.controls):
        parts = []
    else:
        parts = cases.ranges or []
    if plan.into is not None and not parts:
        raise RequestError(
            "This input has no parts that could be kept: only files of JSON Lines and Parquet have, not compressed, with "
            "ids, without summaries in other files, and without controls that are made from records. Convert it, or drop "
            "what keeps parts (--into)."
        )
    return parts if len(parts) > 1 or plan.into is not None else []


@dataclass(frozen=True, slots=True)
class PartedInput:
    """An input, its parts, and the run that they are taken into."""

    run: Run
    reading: Reading
    parts: Sequence[Part]
    watchers: Watchers

    def walk(self, engine: Engine) -> bool:
        """All parts into the run; whether they are those of a sound input (else the run is of no use)."""
        self.reading.look()
        tally = PartTally()
        lines: dict[Part, int] = {}
        for (number, part), done in engine.map(self._work(engine), list(enumerate(self.parts))):
            result, told, watchers = cast("PartDone", done)
            self.reading.reach((number + 1) / len(self.parts))
            with _placing(self.reading):
                self.run.take(result)
            tally.add(told, part[0])
            lines[part] = told.lines
            self.watchers.merge(watchers)
        is_sound = self.reading.finish(tally)
        if is_sound:
            with _placing(self.reading):  # what waited for other parts is observed only now
                self.run.finish(engine)
            self.run.exhibits.place(self.reading.in_files(lines))
        return is_sound

    def keep(self, engine: Engine, share: int, shares: int) -> tuple[int, int]:
        """Do what is missing of one share of the parts, and keep it; how many were done, and how many the share has."""
        self.reading.look()
        n = len(self.parts)
        own = range((share - 1) * n // shares, share * n // shares)
        work = replace(self._work(engine), only_keeps=True)
        missing = [i for i in own if not work.is_kept(self.parts[i])]
        for _ in engine.map(work, [(number, self.parts[number]) for number in missing]):
            pass
        return len(missing), len(own)

    def _work(self, engine: Engine) -> PartWork:
        is_here, files = isinstance(engine, ThisProcess), self._files()
        return PartWork(
            self.reading,
            replace(self.run.plan, progress=None, scorers={}, wrap=None),
            self.run.measures,
            self.run.scorers if is_here else self.run.work_elsewhere().scorers,
            self.watchers.empty(),
            files,
            languages.setting(),
            exchange=self.run.exchange,
            exhibits=self.run.exhibits if is_here and files is None else None,
        )

    def _files(self) -> PartFiles | None:
        folder = self.run.plan.into
        if folder is None:
            return None
        modules = {type(measure).__module__ for measure in self.run.measures}
        return PartFiles(Path(folder), self._identity(), tuple(sorted(modules)))

    def _identity(self) -> str:
        """What must be alike, beside what it holds and what is observed, for a part to be one of this audit.

        What is estimated from the sums, and how, is no part of it.
        """
        plan = replace(
            self.run.plan,
            measures=(),
            attributes=(),
            ordered=False,
            protocol=None,
            compared_scorers=(),
            check_scorers=None,
            baseline=None,
            intervals=None,
            is_pairwise=False,
            confidence_level=0.5,
            alpha=0.5,
            progress=None,
            wrap=None,
            scorers={},
            workers=1,
            engine="",
            models_in_workers=False,
            into=None,
        )
        given = {name: scorer.fingerprint for name, scorer in sorted(self.run.plan.scorers.items())}
        # This control is made for each attribute that is audited over.
        has_groups = "largest_group" in plan.controls
        over = sorted({str(getattr(m, "over", "")) for m in self.run.measures}) if has_groups else []
        # What is exchanged comes from other parts.
        others = (
            [self.reading.part_digest(*part) for part in self.parts] if "exchanged" in plan.controls else []
        )
        said = (
            plan,
            languages.setting(),
            given,
            over,
            others,
            self.reading.settings,
        )
        return f"{code_digest()} {said}"


def _short(thing: object) -> str:
    return blake2b(repr(thing).encode(), digest_size=16).hexdigest()


@cache
def code_digest() -> str:
    """A digest of this package's code: parts that other code did are done again."""
    digest = blake2b(digest_size=16)
    for path in sorted(Path(fairbrief.__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
