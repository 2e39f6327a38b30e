"""The words that every other module speaks: frozen data and the protocols of the plug-ins.

Sources, summaries and people are data; `Observation`, `Measure`, `Scorer` and `Summarizer` are
what a plug-in implements. No base class is needed: an object of the right shape will do.
All of them stand on this one page, since it is what every other module is read beside.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from fairbrief.errors import DataError

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# ------------------------------------------------------------------------------------- the input


@dataclass(frozen=True, slots=True)
class Document:
    """One text of a record, with the attributes (rating, party, speaker …) that groups are made of."""

    text: str
    attributes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Mention:
    """A span of one document that refers to an entity: characters ``start`` to ``end`` (half open).

    ``kind`` says what the span is: a name (``first``, ``last``, ``full``), a ``title``, a pronoun
    (``he``, ``him``, ``his``, ``his_own``, ``himself``) or other words (``content``).
    """

    document: int
    start: int
    end: int
    kind: str


@dataclass(frozen=True, slots=True)
class Entity:
    """A person in the documents, with the attributes (gender, race …) that the input gives to them."""

    id: str
    first_name: str | None = None
    last_name: str | None = None
    attributes: Mapping[str, str] = field(default_factory=dict)
    mentions: tuple[Mention, ...] = ()


@dataclass(frozen=True, slots=True)
class Record:
    """One case to summarize: an ordered tuple of documents, and all that is known about them."""

    id: str
    documents: tuple[Document, ...]
    references: tuple[str, ...] = ()
    entities: tuple[Entity, ...] = ()
    attributes: Mapping[str, str] = field(default_factory=dict)
    original: str | None = None
    """Id of the record that this one varies; None if it varies nothing."""
    where: str = ""
    """File and line it came from, for messages."""

    @property
    def cluster(self) -> str:
        """The records that vary one original are resampled together, under its id."""
        return self.original if self.original is not None else self.id

    def values_of(self, attribute: str) -> list[str]:
        """The documents' values of an attribute; empty if no document has it.

        If only some have it, DataError says which one lacks it and what to do.
        """
        values = [d.attributes.get(attribute) for d in self.documents]
        if all(value is None for value in values):
            return []
        if None in values:
            raise DataError(
                f"{self.where or 'input'} (id '{self.id}'): document {values.index(None) + 1} has no attribute "
                f"'{attribute}', which others of the record have. Add it, or leave such records out with "
                f"--require {attribute}."
            )
        return [value for value in values if value is not None]

    @property
    def block(self) -> str:
        """The variants of one original that were made together, as the attribute ``sample`` says."""
        sample = self.attributes.get("sample")
        return self.id if sample is None or self.original is None else f"{self.original}\t{sample}"


@dataclass(frozen=True, slots=True)
class Unit:
    """An atomic statement of a summary; ``values`` holds, per attribute, the values that entail it."""

    text: str
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Summary:
    """What one system wrote for one record, and how it was made.

    ``reason`` is empty for a usable summary, else why there is none: ``empty``, ``refused``, ``missing``.
    """

    record: str
    system: str
    text: str
    units: tuple[Unit, ...] | None = None
    reason: str = ""
    made: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Case:
    """A record and one summary of it: what an audit looks at, one at a time."""

    record: Record
    summary: Summary


Cases = Sequence[Case]
"""The cases behind one row of evidence: a single one, or all variants of one original."""

# ------------------------------------------------------------------------------------- the scores


@dataclass(frozen=True, slots=True)
class Ask:
    """A request for scores: how strongly each of ``rows`` supports or resembles each of ``columns``.

    ``scorer`` is the scorer's spelling, for instance ``entailment(model=roberta-large-mnli)``.
    """

    scorer: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Scores:
    """A scorer's answer to one ask.

    A scorer of whole texts has one unit per column. One that looks at tokens cuts each column into
    its own units (the summary's n-grams, say); ``owner`` tells which column a unit belongs to.

    Shapes: ``matrix`` (rows, units); ``owner`` (units,), column indices, non-decreasing;
    ``sizes`` (rows,), how many tokens of each row the scorer counted (0 where it counts none).
    """

    matrix: Floats
    owner: Integers
    sizes: Floats


@runtime_checkable
class Scorer(Protocol):
    """Answers how strongly texts support or resemble other texts; the only judge that may hold a model."""

    name: str

    @property
    def fingerprint(self) -> str:
        """Everything that decides a score: model, revision, settings, code version. The cache's key."""
        ...

    def answer(self, asks: Sequence[Ask]) -> Iterable[Scores]:
        """One `Scores` per ask, in order. Called with many asks at once, so that it can batch."""
        ...


# ------------------------------------------------------------------------------------- the evidence

Column = tuple[str, ...]
"""Name of an additive statistic, and the value(s) it speaks of: ``("deficit", "negative")``."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Additive statistics of one unit of observation under R labellings.

    Shapes: ``values`` (R, len(columns)): counts, sums, sums of products; never a ratio.
    A column that a row lacks adds zero.
    """

    columns: tuple[Column, ...]
    values: Floats


@dataclass(frozen=True, slots=True)
class Reason:
    """Why there is no row: short, constant (it is counted), in the user's words."""

    text: str


@dataclass(frozen=True, slots=True)
class Exchange:
    """Which labels may be exchanged if there is no disparity.

    Shapes: ``labels`` (n,) integer codes, as they really are; ``blocks`` (n,) or None: labels are
    exchanged only among the positions of one block.
    """

    labels: Integers
    blocks: Integers | None = None


@dataclass(frozen=True, slots=True)
class Totals:
    """Summed rows, by column name, with any leading axes (draws, labellings, rows).

    ``totals["one"]`` and ``totals["deficit", "negative"]`` have the leading shape; a column that
    nobody observed is zero. ``totals.values_of("deficit")`` lists the values a statistic speaks of.
    """

    columns: Mapping[Column, int]
    array: Floats

    def __getitem__(self, column: str | Column) -> Floats:
        key = (column,) if isinstance(column, str) else column
        if key in self.columns:
            return self.array[..., self.columns[key]]
        return np.zeros(self.array.shape[:-1])

    def values_of(self, statistic: str) -> list[str]:
        """The sorted first subscripts of a statistic's columns."""
        return sorted({c[1] for c in self.columns if len(c) > 1 and c[0] == statistic})

    def stack(self, statistic: str, values: Sequence[str]) -> Floats:
        """The columns (statistic, value) side by side. Shape (..., len(values))."""
        return np.stack([self[statistic, value] for value in values], axis=-1)


@dataclass(frozen=True, slots=True)
class Value:
    """One named answer of a measure, over the leading axes of the totals it was made from.

    ``array`` is nan exactly where the answer is undefined. ``tail`` says how it is tested against
    its chance level: ``upper`` for a disparity that cannot be negative, ``both`` for a signed
    contrast, None for a level that no exchange of labels speaks to (a share, a ROUGE score).
    """

    array: Floats
    tail: Literal["upper", "both"] | None = None


@runtime_checkable
class Observation(Protocol):
    """How the cases of one unit become one row of additive statistics. Pure.

    ``scope`` is ``case`` (each case is a unit), ``cluster`` (all variants of one original are) or ``block``: the
    variants of one original that share the record attribute ``sample`` are (a pair filled with exchanged
    groups, say); a record without it is a block by itself. A class attribute ``one_labelling_per_cluster = True``,
    if there is one, relabels all units of an original alike in each draw: what they share (words that no
    variant changes, an invented celebrity) then does not look like so many independent witnesses.
    ``version`` rises when the numbers change. ``tests_units`` names the column, if any, that is also
    tested in each unit alone, upper tail, over all its labellings; the audit then adds the columns
    ``("testable",)``, ``("significant",)`` and ``("expected_significant",)`` to the unit's row. A class
    attribute ``tests_within``, if there is one, names a statistic of 0 and 1 by whose values these three are
    counted as well: ``("testable", value)``.

    Where "no disparity" lets whole units change groups (articles about women and about men), there is
    nothing to exchange inside one; a class attribute ``grouped_by`` then names the statistic that
    tells a unit's group: its row has 1 in ``(grouped_by, group)`` and ``(statistic, group, …)`` for
    all that moves along, and the audit exchanges the groups between units.
    """

    scope: ClassVar[Literal["case", "block", "cluster"]]
    tests_units: ClassVar[Column | None]
    version: ClassVar[int]

    def asks(self, cases: Cases) -> Sequence[Ask]:
        """The scores needed to observe these cases; empty if none."""
        ...

    def exchange(self, cases: Cases) -> Exchange | None:
        """The labels that "no disparity" allows to exchange; None if there are none."""
        ...

    def observe(self, cases: Cases, scores: Sequence[Scores], labels: Integers) -> Rows | Reason:
        """Rows under each labelling. ``labels`` (R, n) holds labellings of ``exchange(cases).labels``.

        The first is the real one. Without an exchange its shape is (1, 0).
        """
        ...


@runtime_checkable
class Measure(Protocol):
    """A named question: what it observes, and how totals become values.

    Its ``repr`` is its spelling everywhere. Several measures may share one observation: equal
    observations are made once. A class attribute ``on_request``, if there is one, says why the
    measure is taken only when it is asked for by name; ``reads`` says whose attribute ``over``
    is: ``document`` (unless it says otherwise), ``record`` or ``entity``; ``better`` is ``less``,
    ``more`` or ``nearer zero`` where the headline's tail does not tell (a level that should be small). A property
    ``instruments``, if there is one, names the measures that check the judges it relies on, with their settings
    (``{"instrument_support": {"scorer": …}}``): the audit takes them of sources that differ in the group alone.
    """

    name: ClassVar[str]

    @property
    def observation(self) -> Observation: ...

    def value(self, totals: Totals) -> Mapping[str, Value]:
        """The values of summed rows; the first, named like the measure, is the headline."""
        ...

    def explain(self, totals: Totals) -> str:
        """One row's story for a person, from the totals of that row alone (no leading axis)."""
        ...


@runtime_checkable
class Summarizer(Protocol):
    """Anything that turns records into summaries."""

    name: str

    def summarize(self, records: Iterable[Record]) -> Iterator[Summary]:
        """One summary per record, in order."""
        ...


# ------------------------------------------------------------------------------------- the answer


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value that is never alone: with interval, chance level, p-value, counts and signature.

    ``quantity`` is the name of the measure's value that this is; the headline's is the measure's
    own name. ``value`` is None where undefined, and ``notes`` then say why. ``p`` comes from the
    null (or, for a difference of systems, from swapping them), the interval from resampling clusters.
    ``testable`` is False where even the most extreme labelling could not be significant.
    """

    measure: str
    quantity: str
    system: str
    value: float | None
    slice: Mapping[str, str] = field(default_factory=dict)
    low: float | None = None
    high: float | None = None
    null_mean: float | None = None
    p: float | None = None
    p_adjusted: float | None = None
    testable: bool | None = None
    n: int = 0
    clusters: int = 0
    excluded: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    signature: str = ""
    over: str = ""
    baseline: str = ""
    """For a difference: the system that was subtracted."""
    low_within: float | None = None
    """Bounds of the interval from resampling the sampled variants inside each original (the papers'
    "s"), where there are any; ``low`` and ``high`` resample the originals ("d")."""
    high_within: float | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A printed table: what a paper's layout or a report's section shows. Cells are already text."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = field(default=())
