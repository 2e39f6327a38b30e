"""The types that all modules share: frozen data, and the protocols of plug-ins.

Sources, summaries and people are data. Plug-ins implement `Observation`, `Measure`, `Scorer` or `Summarizer`; no base
class is needed. The declarations of measures and observations are in `fairbrief.declarations`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import Field, dataclass, field, make_dataclass
from functools import cache
from itertools import compress
from string import Formatter
from typing import Any, ClassVar, Literal, Protocol, cast, runtime_checkable

import msgspec
import numpy as np
from numpy.typing import NDArray

from fairbrief.declarations import Declaration, ObservationDeclaration
from fairbrief.errors import DataError
from fairbrief.statistics import ratio

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]


class _FieldsForDataclasses:
    """The attribute that `dataclasses` reads, computed from a structure's fields on access."""

    def __get__(self, instance: object, owner: type[Data]) -> Mapping[str, Field[Any]]:
        return _fields_of(owner)


class Data(msgspec.Struct, frozen=True, gc=False):
    """Frozen data as a structure, which is created several times as fast as a dataclass.

    ``replace``, ``fields`` and ``asdict`` of `dataclasses` work as for dataclasses.
    """

    __dataclass_fields__: ClassVar[Any] = _FieldsForDataclasses()


@cache
def _fields_of(kind: type[Data]) -> Mapping[str, Field[Any]]:
    # Without defaults, which neither of these functions reads.
    made: Any = make_dataclass(kind.__name__, [(f.name, f.type) for f in msgspec.structs.fields(kind)])
    return cast("Mapping[str, Field[Any]]", made.__dataclass_fields__)


# ------------------------------------------------------------------------------------- the input


class Document(Data, frozen=True):
    """One text of a record, with the attributes (rating, party, speaker …) that define groups."""

    text: str
    attributes: Mapping[str, str] = msgspec.field(default_factory=dict)
    id: str | None = None
    """The id of the document in its record; equal in counterfactuals of the record. None if the input has none."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A span of one document that refers to an entity: characters ``start`` to ``end`` (half open).

    ``kind`` is the kind of span: a name (``first``, ``last``, ``full``), a ``title``, a pronoun
    (``he``, ``him``, ``his``, ``his_own``, ``himself``) or other words (``content``).
    """

    document: int
    start: int
    end: int
    kind: str


@dataclass(frozen=True, slots=True)
class Entity:
    """A person in the documents, with attributes (gender, race …) from the input."""

    id: str
    first_name: str | None = None
    last_name: str | None = None
    attributes: Mapping[str, str] = field(default_factory=dict)
    mentions: tuple[Mention, ...] = ()

    @property
    def full_name(self) -> str:
        """First and last name; empty if neither is known."""
        return " ".join(filter(None, (self.first_name, self.last_name)))


class Record(Data, frozen=True):
    """One case to summarize: an ordered tuple of documents, with everything known about them."""

    id: str
    documents: tuple[Document, ...]
    references: tuple[str, ...] = ()
    entities: tuple[Entity, ...] = ()
    attributes: Mapping[str, str] = msgspec.field(default_factory=dict)
    seed_document: str | None = None
    """Id of the record of which this one is a counterfactual; None if it is none."""
    where: str = ""
    """File and line, for messages."""
    cluster_by: str | None = None
    """Attribute of the record with its cluster; None: the seed document is the cluster."""

    @property
    def place(self) -> str:
        """File, line and id, for messages."""
        return f"{self.where or 'input'} (id '{self.id}')"

    @property
    def seed_id(self) -> str:
        """Id of the record's seed document, or of the record itself; counterfactuals of one seed document are observed together."""
        return self.seed_document if self.seed_document is not None else self.id

    @property
    def cluster(self) -> str:
        """The cluster: records with the same ``cluster_by``, or the counterfactuals of one seed document, are resampled together."""
        return self.seed_id if self.cluster_by is None else self.attributes[self.cluster_by]

    def values_of(self, attribute: str) -> list[str]:
        """The documents' values of an attribute; empty if no document has it.

        Raises DataError if only some documents have it.
        """
        values = [d.attributes.get(attribute) for d in self.documents]
        if None in values:
            if values.count(None) == len(values):
                return []
            raise DataError(
                f"{self.where or 'input'} (id '{self.id}', document {values.index(None) + 1}): found no attribute "
                f"'{attribute}', which other documents of the record have. Add it, drop such documents with --attribute {attribute} "
                f"--missing drop, make them a group with --missing group, or exclude such records with --require {attribute}."
            )
        return cast("list[str]", values)

    @property
    def block(self) -> str:
        """The block: the counterfactuals of one seed document with the same attribute ``sample``."""
        sample = self.attributes.get("sample")
        return self.id if sample is None or self.seed_document is None else f"{self.seed_document}\t{sample}"


@dataclass(frozen=True, slots=True)
class Claim:
    """An atomic statement of a summary; ``values`` are, per attribute, the values that entail it."""

    text: str
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


SystemKind = Literal["system", "sanity_baseline", "counterfactual source"]
"""The kind of a system: one that wrote summaries, or texts whose fairness is known by construction."""


class Summary(Data, frozen=True):
    """One system's summary of one record, and how it was made.

    ``reason`` is empty for a usable summary, otherwise e.g. ``empty``, ``refused`` or ``missing``.
    """

    record: str
    system: str
    text: str
    claims: tuple[Claim, ...] | None = None
    reason: str = ""
    made: Mapping[str, str] = msgspec.field(default_factory=dict)
    system_kind: SystemKind = "system"
    is_reference: bool = False
    """Whether this is a reference of the record, which then has only its other references."""


REFERENCE = "reference"
"""The name of the system of references, followed by the reference's number."""


class Case(Data, frozen=True):
    """A record and one summary of it."""

    record: Record
    summary: Summary


Cases = Sequence[Case]
"""The cases of one row of statistics: a single one, or all counterfactuals of one seed document."""

# ------------------------------------------------------------------------------------- the scores


class Ask(Data, frozen=True):
    """A request for scores: how strongly each of ``rows`` supports or resembles each of ``columns``.

    ``scorer`` is the scorer's spec, for instance ``entailment(model=roberta-large-mnli)``. A scorer with a setting ``by``
    splits rows into passages and answers with each row's best score, except with ``whole``.
    """

    scorer: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    whole: bool = False


class Scores(Data, frozen=True):
    """A scorer's answer to one ask.

    A scorer of whole texts has one unit per column. A scorer of tokens splits each column into units (e.g. n-grams);
    ``owner`` is the column of each unit.

    Shapes: ``matrix`` (rows, units); ``owner`` (units,), column indices, non-decreasing;
    ``sizes`` (rows,), how many tokens of each row the scorer counted (0 where it counts none).
    """

    matrix: Floats
    owner: Integers
    sizes: Floats

    @classmethod
    def of_whole_texts(cls, ask: Ask, matrix: Floats, sizes: Floats | None = None) -> Scores:
        """The answer of a scorer of whole texts: one unit per column; ``sizes`` are 0 by default."""
        shape = (len(ask.rows), len(ask.columns))
        owner = np.arange(shape[1], dtype=np.int64)
        matrix = np.asarray(matrix, dtype=np.float64).reshape(shape)
        return cls(matrix, owner, np.zeros(shape[0]) if sizes is None else sizes)

    def by_column(self, columns: int) -> Floats:
        """The mean over each column's units; 0 for a column without any. Shape (rows, columns)."""
        many = np.bincount(self.owner, minlength=columns)
        sums = [np.bincount(self.owner, row, minlength=columns) for row in self.matrix]
        return np.asarray(np.reshape(sums, (len(self.matrix), columns)) / np.maximum(many, 1))


Answers = Sequence[Scores]
"""The answers to the asks of a unit, in their order."""


@runtime_checkable
class Scorer(Protocol):
    """Answers how strongly texts support or resemble other texts; only scorers contain models."""

    @property
    def name(self) -> str: ...
    @property
    def fingerprint(self) -> str:
        """Everything that affects a score: model, revision, settings, code version. The cache's key."""

    def answer(self, asks: Sequence[Ask]) -> Iterable[Scores]:
        """One `Scores` per ask, in order, or a `fairbrief.score_tables.ScoreTable` of all. Called with many asks at once, for batching."""


ScoreKey = tuple[str, ...]
"""The key of one computation of a scorer: a pair (row, column), or a single text."""
ScoreArrays = Mapping[ScoreKey, NDArray[Any]]


@runtime_checkable
class Cacheable(Scorer, Protocol):
    """A scorer whose parts can be cached, between ``keys`` and ``assemble``.

    ``computed_by`` includes everything that affects the arrays (model, revision, dtype class, settings, code version),
    but not settings of ``assemble`` only (a gate, a rescaling).
    """

    @property
    def computed_by(self) -> str: ...

    def keys(self, asks: Sequence[Ask]) -> Iterable[ScoreKey]:
        """The keys of the asks, each once."""

    def compute(self, keys: Sequence[ScoreKey]) -> Iterable[ScoreArrays]:
        """Each key's array, batch by batch, in any order."""

    def assemble(self, asks: Sequence[Ask], arrays: ScoreArrays) -> Iterable[Scores]:
        """One answer per ask, in order, from the arrays of its keys."""


# ------------------------------------------------------------------------------------- the per-record statistics

Column = tuple[str, ...]
"""Name of an additive statistic, with its value(s): ``("deficit", "negative")``."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Additive statistics of one unit of observation under R label permutations.

    Shapes: ``values`` (R, len(columns)): counts, sums, sums of products; never a ratio.
    A column that a row lacks adds zero.
    """

    columns: tuple[Column, ...]
    values: Floats

    @classmethod
    def of(cls, row: Mapping[Column, float]) -> Rows:
        """One row from a mapping, of a unit without label permutations."""
        return cls(tuple(row), np.array([list(row.values())], dtype=np.float64))


@dataclass(frozen=True, slots=True)
class AlikeRows:
    """Rows of several units with the same columns.

    Shapes: ``units`` (N,), indices of the units among those observed together; ``values`` (N, R, len(columns)).
    """

    units: Sequence[int]
    columns: tuple[Column, ...]
    values: Floats


@dataclass(frozen=True, slots=True)
class Reason:
    """The reason of a missing row: short and constant, since it is counted, and understandable for users."""

    text: str


Observed = Rows | Reason
"""What an observation returns for a unit: its rows, or the reason why it has none."""


class PermutationScheme(Data, frozen=True):
    """The labels that are exchangeable under the null hypothesis of no disparity.

    Shape of ``labels``, integer codes of the real labels: (n,).
    """

    labels: Integers
    cyclic: bool = False
    """Labels are not shuffled but rotated together."""
    is_together: bool = True
    """Whether units of one cluster with equal labels get the same label permutation in each draw; else those of one sampled variant."""
    items: Integers | Callable[[], Integers] | None = None
    """The 64-bit key of each position (a document, a person), (n,), or a function that returns the keys: units of one cluster
    that share items get equal labels in each draw. None: units with as many positions get equal labels."""


Weighted = tuple[tuple[Column, float], ...]
"""Columns with their weights in a sum."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """A group difference as a ratio of summed columns, for studentized tests; 0 without a disparity."""

    top: Weighted
    bottom: Weighted


@dataclass(frozen=True, slots=True)
class Totals:
    """Summed rows, by column name, with any leading axes (draws, label permutations, rows).

    ``totals["one"]`` and ``totals["deficit", "negative"]`` have the leading shape; a column without
    observations is zero. ``totals.values_of("deficit")`` lists the values of a statistic.
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

    def ratio(self, top: str | Column, bottom: str | Column) -> Floats:
        """A column divided by another one; nan where this is zero. Shape: the leading axes."""
        return ratio(self[top], self[bottom])

    def ratios(self, top: str, bottom: str) -> dict[str, Floats]:
        """By the values of the statistic ``bottom``: the statistic ``top``, divided by it."""
        return {value: self.ratio((top, value), (bottom, value)) for value in self.values_of(bottom)}

    def stack(self, statistic: str, values: Sequence[str]) -> Floats:
        """The columns (statistic, value) side by side. Shape (..., len(values))."""
        return np.stack([self[statistic, value] for value in values], axis=-1)

    def describe(self, count: str, words: str) -> str:
        """Each group that has a ``count``, with words about it; ``{name}`` in them is its statistic, ``{name/other}`` a quotient.

        >>> totals = Totals({("claims", "left"): 0, ("wrong", "left"): 1}, np.array([4.0, 1.0]))
        >>> totals.describe("claims", ": {wrong:.0f} of {claims:.0f}")
        'left: 1 of 4'
        """

        def number(name: str, g: str) -> float:
            top, _, bottom = name.partition("/")
            return float(self.ratio((top, g), (bottom, g)) if bottom else self[top, g])

        names = [name for _, name, _, _ in Formatter().parse(words) if name]
        groups = [g for g in self.values_of(count) if self[count, g] > 0]
        return "; ".join(g + words.format_map({name: number(name, g) for name in names}) for g in groups)

    def part(self, prefix: str) -> Totals:
        """The columns whose name begins with ``prefix``, without it."""
        columns = {c[1:]: i for c, i in self.columns.items() if c[0] == prefix and len(c) > 1}
        return Totals(columns, self.array)

    def weighted(self, columns: Weighted) -> Floats:
        """A weighted sum of columns. Shape: the leading axes."""
        total = np.zeros(self.array.shape[:-1])
        for column, weight in columns:
            total = total + weight * self[column]
        return total


SHARE_DIFFERENCE = (-1.0, 1.0)
"""The range of a difference of two shares."""
FROM_0 = (0.0, math.inf)
"""The range of counts and sizes."""


class Value(Data, frozen=True):
    """One named number of a measure, over the leading axes of its totals.

    ``array`` is nan exactly if the number is undefined. ``tail`` is the tail of its test against label permutations:
    ``upper`` for a disparity that cannot be negative, ``both`` for a group difference, None for a number that does not
    depend on labels (a share, a ROUGE score).
    """

    array: Floats
    tail: Literal["upper", "both"] | None = None
    contrasts: tuple[str, ...] = ()
    """Names of the observation's group differences for the test: its own, or all of an unsigned score, which is tested by
    the largest of their studentized sizes. Empty: the value itself is tested."""
    mean_of: tuple[Column, Column] | None = None
    """The summed column and the count of an unsigned score that is a mean of records; its chance-adjusted score is then also a mean."""
    is_share: bool = False
    """Whether it is a mean of numbers from 0 to 1; its interval is limited to them."""
    is_correlation: bool = False
    """Whether it is a correlation; its interval is limited to -1 and 1."""
    limits: tuple[float, float] = (-math.inf, math.inf)
    """Its range, also for the bounds of its interval."""
    has_baseline: bool = False
    """Whether random extracts have it, too, if the observation observes extracts."""
    is_compared: bool = False
    """Whether it is a group difference that is compared with random extracts."""
    extract_baseline: Floats | None = None
    """The known value of random extracts, if none need be drawn."""
    fold: Callable[[Floats], Floats] | None = None
    """The function from group differences to the unsigned score, (…, differences) → (…), for its mean under sign flips."""
    shares: tuple[str, ...] = ()
    """The name of the share that it is, less a reference; or of the two shares that it compares. Its error is at least that of
    equal shares."""
    lost: tuple[Floats, ...] = ()
    """Of a share less a reference: the same share of the items that are lost, and the number of lost items per kept one. Few may be
    lost, and none of a small group by chance: its error is at least that if lost items have the reference's share."""
    strata: tuple[Column, ...] = ()
    """Counts that distinguish kinds of units, if groups are in different units."""
    is_between: bool = False
    """Whether it is a difference of groups in different units, whose test is `fairbrief.auditing.chance.between_chance`: permuted
    groups of clusters, or the jackknife t. Sign flips would confuse variation within groups with differences between groups."""
    groups: tuple[Floats, ...] = ()
    """The values of the two groups of such a difference."""
    is_tested_by_t: bool = False
    """Whether it is tested against 0 by the jackknife t, since no permutation of labels preserves its adjustment."""
    is_descriptive: bool = False
    """Whether it only describes the data or a fit (a count, a standard error, R², a p): without interval and test, and systems are
    not compared by it."""
    is_primary: bool = False
    """Whether it is a primary estimate: a group difference that reports show before unsigned scores."""
    group: str = ""
    """Its group, if any."""
    present: tuple[Column, ...] = ()
    """Counts that are above 0 in the clusters with its group, or with its two groups (``first − second``)."""


@dataclass(frozen=True, slots=True)
class Extracts:
    """Random extracts of one record's sources, as long as a summary.

    Shapes: ``sentences`` (S,); ``kept`` (E, S), 1 if an extract contains a sentence.
    """

    sentences: tuple[str, ...]
    kept: Floats

    @property
    def texts(self) -> tuple[str, ...]:
        """Each extract as one text, its sentences in the sources' order."""
        return tuple(" ".join(compress(self.sentences, kept)) for kept in self.kept)


UnitExtracts = Sequence[Extracts]
"""The random extracts of a unit: one `Extracts` per case."""


@runtime_checkable
class ContrastObservation(Protocol):
    """An observation with columns for group differences."""

    def contrasts(self, columns: Sequence[Column]) -> Mapping[str, Ratio]:
        """The group differences of these columns, by name."""


@runtime_checkable
class ExtractObservation(Protocol):
    """An observation that can also observe random extracts of the sources, in place of the summary."""

    def extract_asks(self, cases: Cases, extracts: UnitExtracts) -> Sequence[Ask]:
        """The scores needed to observe the extracts."""

    def observe_extracts(self, cases: Cases, extracts: UnitExtracts, scores: Answers) -> Observed:
        """One row, shape (1, columns): the mean over the extracts of their rows under `observe`."""


@runtime_checkable
class Observation(Protocol):
    """A pure function from the cases of one unit to one row of additive statistics."""

    @property
    def declaration(self) -> ObservationDeclaration: ...

    def asks(self, cases: Cases) -> Sequence[Ask]:
        """The scores needed to observe these cases; empty if none."""

    def permutation_scheme(self, cases: Cases) -> PermutationScheme | None:
        """The labels that are exchangeable without a disparity; None if there are none."""

    def observe(self, cases: Cases, scores: Answers, labels: Integers) -> Observed:
        """Rows under each label permutation. ``labels`` (R, n) are label permutations of ``permutation_scheme(cases).labels``.

        The first is the real one. Without a scheme its shape is (1, 0).
        """


@runtime_checkable
class ShowsDetails(Protocol):
    """An observation that can also show what decides its row: the claims, documents and scores of one unit."""

    def details(self, cases: Cases, scores: Answers) -> Sequence[str]:
        """Sentences for people, the most important first; they follow the measure's explanation. ``scores`` answer `asks`."""


@runtime_checkable
class Measure(Protocol):
    """A measure: an observation, and a function from totals to values.

    Its ``repr`` is its spec. Several measures may share one observation; equal observations are computed once.
    ``declaration`` has everything else that other modules need, except attributes that a measure may have: ``over``, the
    attribute whose groups it compares; ``scorer``, the spec of its scorer; ``languages``, the codes of the languages that
    it understands (empty or absent: all).
    """

    name: ClassVar[str]
    declaration: ClassVar[Declaration]

    @property
    def observation(self) -> Observation: ...

    def value(self, totals: Totals) -> Mapping[str, Value]:
        """The values of summed rows; the first, with the measure's name, is the main value."""

    def explain(self, totals: Totals) -> str:
        """An explanation of one row for people, from its totals (no leading axis)."""


def over_of(measure: Measure) -> str:
    """The attribute whose groups a measure compares; empty if it compares none."""
    return str(getattr(measure, "over", "") or "")


@runtime_checkable
class Summarizer(Protocol):
    """Summarizes records."""

    @property
    def name(self) -> str: ...

    def summarize(self, records: Iterable[Record]) -> Iterator[Summary]:
        """One summary per record, in order."""


# ------------------------------------------------------------------------------------- the answer


@dataclass(frozen=True, slots=True)
class Note:
    """A note on an estimate: a code and its arguments.

    Arguments are numbers, texts, lists of texts, and mappings of these. `fairbrief.reports.wording.WORDS` has the codes and
    their sentences.
    """

    code: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


class Estimate(msgspec.Struct, frozen=True, gc=False):
    """A value with its interval, permutation mean, p-value, counts and signature.

    ``quantity`` is the name of the measure's value; for the main value, the measure's name. ``value`` is None if undefined,
    with a reason in ``notes``. ``p`` comes from label permutations (or, for a difference of systems, from swapping them),
    the interval from the jackknife over clusters, or from resampling them. ``testable`` is False if the smallest attainable p exceeds alpha.
    """

    measure: str
    quantity: str
    system: str
    value: float | None
    subgroup: Mapping[str, str] = msgspec.field(default_factory=dict)
    low: float | None = None
    high: float | None = None
    permutation_mean: float | None = None
    p: float | None = None
    p_adjusted: float | None = None
    testable: bool | None = None
    n: int = 0
    clusters: int = 0
    excluded: Mapping[str, int] = msgspec.field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    signature: str = ""
    over: str = ""
    baseline: str = ""
    """For a difference of systems: the subtracted system."""
    low_within: float | None = None
    """Bounds of the interval from resampling the sampled counterfactuals within each seed document (the papers'
    "s"), if there are any; ``low`` and ``high`` resample the seed documents ("d")."""
    high_within: float | None = None
    kind: Literal["group_difference", "unsigned_disparity", "label_independent"] = "label_independent"
    """A group difference, an unsigned disparity, or a number that does not depend on labels."""
    group: str = ""
    """Its group, if any."""
    low_is_open: bool = False
    """Whether ``low`` itself is outside the interval: the value is above 0 by an unknown amount."""
    se: float | None = None
    """Cluster jackknife standard error."""
    chance_adjusted: float | None = None
    """For a mean of records: value − permutation mean, with its interval."""
    chance_adjusted_low: float | None = None
    chance_adjusted_high: float | None = None
    extract_baseline: float | None = None
    """Random-sentence baseline: the value of extracts of random sentences, as long as the summary."""
    extract_difference: float | None = None
    """Value − random-sentence baseline, on the records with a baseline; with interval, p of the cluster t, and p after Holm."""
    extract_difference_low: float | None = None
    extract_difference_high: float | None = None
    extract_p: float | None = None
    extract_p_adjusted: float | None = None
    smallest_p: float | None = None
    """The smallest attainable p, from the number of distinct label permutations."""
    is_primary: bool = False
    """Whether it is a primary estimate, with which reports begin."""
    detectable: float | None = None
    """The smallest difference from the baseline that this number of clusters detects with probability 80 %, before
    adjustment for other tests."""
    system_kind: SystemKind = "system"
    baseline_kind: SystemKind | None = None
    """For a difference of systems: the kind of the subtracted system."""
    group_clusters: int | None = None
    """For a group difference: clusters with the group; for a pair ``first − second``, with the first. For a difference of systems the
    smaller of their two numbers, here and in the next three."""
    other_clusters: int | None = None
    """For a pair: clusters with the second."""
    group_items: float | None = None
    """Number of documents, people or records of the group, and of the second group of a pair."""
    other_items: float | None = None
    freedom: float | None = None
    """Degrees of freedom of the t interval around ``value``."""
    extract_se: float | None = None
    """Standard error of ``extract_difference``, and its degrees of freedom."""
    extract_freedom: float | None = None
    label_p: float | None = None
    """For primary estimates: p of the cluster t for the difference from the permutation mean; 1 if this difference has
    another direction than the difference from the baseline."""
    is_named: bool = False
    """Whether it was named in advance with --primary."""
    family_p: float | None = None
    """The larger of the baseline's p and ``label_p``, adjusted by Holm over all primary group differences with the same
    baseline (`fairbrief.conclusions`)."""
    family_size: int = 0
    """The number of these."""
    family_low: float | None = None
    """Bounds of the simultaneous interval for all of them (Bonferroni), around the tested number: the difference from the
    random baseline if there is one, otherwise the value."""
    family_high: float | None = None

    def replace(self, **changes: Any) -> Estimate:
        """The estimate with other values in some fields; TypeError for an unknown field.

        >>> Estimate("bur@party", "bur", "lead", 0.25).replace(value=0.5).value
        0.5
        """
        return msgspec.structs.replace(self, **changes)


@dataclass(frozen=True, slots=True)
class Table:
    """A table of text cells, for a paper's layout or a report's section."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = field(default=())
