"""The texts of an audit's records, read from the inputs where the audit found them."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence

from fairbrief.auditing.system_runs import Pooled, numbered
from fairbrief.errors import DataError
from fairbrief.readers import Reading
from fairbrief.readers.files import InputFile
from fairbrief.readers.input_parts import RecordPlaces
from fairbrief.readers.references import references_of
from fairbrief.reports.frames import encodable
from fairbrief.types import Case

KEPT = 200
"""Cases that are kept."""
MOST_FOUND = 20_000
"""Records that a search finds."""


class SavedTexts:
    """Cases by record and system, and the search in all texts.

    ``places`` says where each record stands; without them the inputs are read from their beginning. Where the audit
    pooled runs, cases are known by the names that they had there.
    """

    def __init__(self, reading: Reading, places: RecordPlaces | None, *, pools_runs: bool = False) -> None:
        self._reading = reading
        self._pools_runs = pools_runs
        self._places = places
        self._cases: OrderedDict[tuple[str, str], Case] = OrderedDict()
        self._searches: OrderedDict[tuple[str, ...], frozenset[str]] = OrderedDict()

    def case(self, record: str, system: str) -> Case:
        """One case. DataError where the inputs do not hold it any more."""
        key = record, system
        for case in () if key in self._cases else self._near(record):
            for each in (case, *references_of(case)):
                self._keep(each)
            if key in self._cases:
                break
        if key not in self._cases:
            raise DataError(f"The inputs hold no record '{record}' of the system '{system}' any more.")
        return self._cases[key]

    def search(self, words: Sequence[str]) -> frozenset[str]:
        """Ids of the records whose texts, or summaries, hold all words, in whatever case; at most `MOST_FOUND`."""
        key = tuple(sorted({word.lower() for word in words}))
        if key not in self._searches:
            self._searches[key] = frozenset(self._found(key))
            if len(self._searches) > KEPT:
                self._searches.popitem(last=False)
        return self._searches[key]

    def _near(self, record: str) -> Iterator[Case]:
        if self._places is None:
            yield from self._named(self._reading)
            return
        run = numbered(record) if self._pools_runs else None
        for name in (record,) if run is None else (run[0], record):
            for source, start in self._places.of(name):
                yield from self._named(self._reading.part(source, (start, start + 1)))

    def _named(self, cases: Iterable[Case]) -> Iterable[Case]:
        return Pooled(cases) if self._pools_runs else cases

    def _keep(self, case: Case) -> None:
        self._cases[encodable(case.record.id), encodable(case.summary.system)] = case
        if len(self._cases) > KEPT:
            self._cases.popitem(last=False)

    def _found(self, words: Sequence[str]) -> Iterator[str]:
        wanted: set[str] = set()
        lines = self._lines(words) if self._places is not None else None
        for case in self._named(self._reading if lines is None else lines):
            if case.record.id not in wanted and _holds(case, words):
                wanted.add(case.record.id)
                yield encodable(case.record.id)
                if len(wanted) >= MOST_FOUND:
                    return

    def _lines(self, words: Sequence[str]) -> Iterator[Case] | None:
        """The cases of JSON Lines that may hold the words; None where some input is something else."""
        if any(path.suffix != ".jsonl" for path in self._reading.files):
            return None
        return self._likely(words)

    def _likely(self, words: Sequence[str]) -> Iterator[Case]:
        spelled = [(word.encode(), json.dumps(word)[1:-1].lower().encode()) for word in words]
        for source, path in enumerate(self._reading.files):
            for start in _starts(path, spelled):
                yield from self._reading.part(source, (start, start + 1))


def _starts(path: InputFile, words: Sequence[tuple[bytes, bytes]]) -> Iterator[int]:
    """Where the lines begin that hold all words, written out or escaped."""
    start = 0
    with path.open("rb") as file:
        for line in file:
            # Letters beyond ASCII are lowered as text.
            lowered = line.lower() if line.isascii() else line.decode("utf-8", "replace").lower().encode()
            if all(plain in lowered or escaped in lowered for plain, escaped in words):
                yield start
            start += len(line)


def _holds(case: Case, words: Sequence[str]) -> bool:
    texts = [case.record.id, case.summary.text, *(d.text for d in case.record.documents)]
    joined = "\n".join(texts).lower()
    return all(word in joined for word in words)
