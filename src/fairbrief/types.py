"""The words that every other module speaks: frozen data and the protocols of the plug-ins.

Sources, summaries and people are data; `Observation`, `Measure`, `Scorer` and `Summarizer` are
what a plug-in implements. No base class is needed: an object of the right shape will do.
What measures and observations declare of themselves is in `fairbrief.declarations`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Protocol, cast, runtime_checkable

import msgspec
import numpy as np
from numpy.typing import NDArray

from fairbrief.data import Data
from fairbrief.declarations import Declaration, ObservationDeclaration
from fairbrief.errors import DataError

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# ------------------------------------------------------------------------------------- the input


class Document(Data, frozen=True):
    """One text of a record, with the attributes (rating, party, speaker …) that groups are made of."""

    text: str
    attributes: Mapping[str, str] = msgspec.field(default_factory=dict)
    id: str | None = None
    """Names the document in its record; the same in counterfactuals of the record. None where the input gives none."""


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


class Record(Data, frozen=True):
    """One case to summarize: an ordered tuple of documents, and all that is known about them."""

    id: str
    documents: tuple[Document, ...]
    references: tuple[str, ...] = ()
    entities: tuple[Entity, ...] = ()
    attributes: Mapping[str, str] = msgspec.field(default_factory=dict)
    seed_document: str | None = None
    """Id of the record that this one varies; None if it varies nothing."""
    where: str = ""
    """File and line it came from, for messages."""
    cluster_by: str | None = None
    """Attribute of the record whose value names its cluster; None: what it varies does."""

    @property
    def seed_id(self) -> str:
        """Id of the seed document that this record varies, or its own: counterfactuals are observed together under it."""
        return self.seed_document if self.seed_document is not None else self.id

    @property
    def cluster(self) -> str:
        """Records of one cluster are resampled together: those that share ``cluster_by``, or vary one seed document."""
        return self.seed_id if self.cluster_by is None else self.attributes[self.cluster_by]

    def values_of(self, attribute: str) -> list[str]:
        """The documents' values of an attribute; empty if no document has it.

        If only some have it, DataError says which one lacks it and what to do.
        """
        values = [d.attributes.get(attribute) for d in self.documents]
        if None in values:
            if values.count(None) == len(values):
                return []
            raise DataError(
                f"{self.where or 'input'} (id '{self.id}', document {values.index(None) + 1}): it has no attribute "
                f"'{attribute}', which other documents of the record have. Add it, or leave such documents out with --missing drop, "
                f"make them a group with --missing group, or leave such records out with --require {attribute}."
            )
        return cast("list[str]", values)

    @property
    def block(self) -> str:
        """The counterfactuals of one seed document that were made together, as the attribute ``sample`` says."""
        sample = self.attributes.get("sample")
        return self.id if sample is None or self.seed_document is None else f"{self.seed_document}\t{sample}"


@dataclass(frozen=True, slots=True)
class Claim:
    """An atomic statement of a summary; ``values`` holds, per attribute, the values that entail it."""

    text: str
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


SystemKind = Literal["system", "sanity_baseline", "counterfactual source"]
"""What stands behind a system's name: who wrote summaries, or texts whose fairness is known by construction."""


class Summary(Data, frozen=True):
    """What one system wrote for one record, and how it was made.

    ``reason`` is empty for a usable summary, else why there is none: ``empty``, ``refused``, ``missing``.
    """

    record: str
    system: str
    text: str
    claims: tuple[Claim, ...] | None = None
    reason: str = ""
    made: Mapping[str, str] = msgspec.field(default_factory=dict)
    system_kind: SystemKind = "system"


REFERENCE = "reference"
"""How the system is called that references are audited as, with the reference's number behind it."""


class Case(Data, frozen=True):
    """A record and one summary of it: what an audit looks at, one at a time."""

    record: Record
    summary: Summary


Cases = Sequence[Case]
"""The cases behind one row of evidence: a single one, or all counterfactuals of one seed document."""

# ------------------------------------------------------------------------------------- the scores


class Ask(Data, frozen=True):
    """A request for scores: how strongly each of ``rows`` supports or resembles each of ``columns``.

    ``scorer`` is the scorer's spec, for instance ``entailment(model=roberta-large-mnli)``. A scorer with a setting ``by``
    cuts rows into passages and answers with the best of each row's; ``whole`` rows it takes as they are.
    """

    scorer: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    whole: bool = False


class Scores(Data, frozen=True):
    """A scorer's answer to one ask.

    A scorer of whole texts has one unit per column. One that looks at tokens cuts each column into
    its own units (the summary's n-grams, say); ``owner`` tells which column a unit belongs to.

    Shapes: ``matrix`` (rows, units); ``owner`` (units,), column indices, non-decreasing;
    ``sizes`` (rows,), how many tokens of each row the scorer counted (0 where it counts none).
    """

    matrix: Floats
    owner: Integers
    sizes: Floats

    @classmethod
    def of_whole_texts(cls, ask: Ask, matrix: Floats, sizes: Floats | None = None) -> Scores:
        """The answer of a scorer that does not cut its columns: one unit per column; no token counted unless told."""
        shape = (len(ask.rows), len(ask.columns))
        owner = np.arange(shape[1], dtype=np.int64)
        return cls(
            np.asarray(matrix, dtype=np.float64).reshape(shape),
            owner,
            np.zeros(shape[0]) if sizes is None else sizes,
        )

    def by_column(self, columns: int) -> Floats:
        """The mean over each column's units; 0 for a column without any. Shape (rows, columns)."""
        many = np.bincount(self.owner, minlength=columns)
        sums = [np.bincount(self.owner, row, minlength=columns) for row in self.matrix]
        return np.asarray(np.reshape(sums, (len(self.matrix), columns)) / np.maximum(many, 1))


@runtime_checkable
class Scorer(Protocol):
    """Answers how strongly texts support or resemble other texts; the only part that may hold a model."""

    @property
    def name(self) -> str: ...
    @property
    def fingerprint(self) -> str:
        """Everything that decides a score: model, revision, settings, code version. The cache's key."""
        ...

    def answer(self, asks: Sequence[Ask]) -> Iterable[Scores]:
        """One `Scores` per ask, in order; a `fairbrief.score_tables.ScoreTable` where all are made together. Called with many asks at once, so that it can batch."""
        ...


ScoreKey = tuple[str, ...]
"""What a scorer computes at once: a pair (row, column), or a single text."""
ScoreArrays = Mapping[ScoreKey, NDArray[Any]]


@runtime_checkable
class Cacheable(Protocol):
    """A scorer whose answers are made of parts that can be kept: a cache stands between ``keys`` and ``assemble``.

    ``computed_by`` names everything that decides the arrays (model, revision, dtype class, settings, code
    version); what only ``assemble`` reads (a gate, a rescaling) need not be in it.
    """

    @property
    def name(self) -> str: ...
    @property
    def fingerprint(self) -> str: ...
    @property
    def computed_by(self) -> str: ...

    def keys(self, asks: Sequence[Ask]) -> Iterable[ScoreKey]:
        """What the asks need, each once."""
        ...

    def compute(self, keys: Sequence[ScoreKey]) -> Iterable[ScoreArrays]:
        """Each key's array, batch by batch, in any order."""
        ...

    def assemble(self, asks: Sequence[Ask], arrays: ScoreArrays) -> Iterable[Scores]:
        """One answer per ask, in order, from the arrays of its keys."""
        ...


# ------------------------------------------------------------------------------------- the per-record statistics

Column = tuple[str, ...]
"""Name of an additive statistic, and the value(s) it speaks of: ``("deficit", "negative")``."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Additive statistics of one unit of observation under R label permutations.

    Shapes: ``values`` (R, len(columns)): counts, sums, sums of products; never a ratio.
    A column that a row lacks adds zero.
    """

    columns: tuple[Column, ...]
    values: Floats

    @classmethod
    def of(cls, row: Mapping[Column, float], permutations: int = 1) -> Rows:
        """One row by column, the same under each of some label permutations."""
        return cls(tuple(row), np.array([list(row.values())] * permutations, dtype=np.float64))


@dataclass(frozen=True, slots=True)
class AlikeRows:
    """Rows of several units that have the same columns.

    Shapes: ``units`` (N,), which of those that were observed together each is; ``values`` (N, R, len(columns)).
    """

    units: Sequence[int]
    columns: tuple[Column, ...]
    values: Floats


@dataclass(frozen=True, slots=True)
class Reason:
    """Why there is no row: short, constant (it is counted), in the user's words."""

    text: str


class PermutationScheme(Data, frozen=True):
    """Which labels may be exchanged if there is no disparity.

    Shapes: ``labels`` (n,) integer codes, as they really are; ``blocks`` (n,) or None: labels are
    exchanged only among the positions of one block.
    """

    labels: Integers
    blocks: Integers | None = None
    items: Integers | Callable[[], Integers] | None = None
    """What each position is, (n,) as 64-bit keys (a document, a person), or what tells it when it is needed: units of one
    cluster that share items are labelled alike in each draw. None: alike where they have as many positions."""
    cyclic: bool = False
    """Labels are not shuffled but moved along together, around the end to the beginning."""
    is_together: bool = False
    """Units of one cluster that have the same labels take the same label permutation in each draw."""


Weighted = tuple[tuple[Column, float], ...]
"""A sum of columns, each with its weight."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """A signed contrast as a ratio of summed columns; 0 without a disparity. What studentized tests need."""

    top: Weighted
    bottom: Weighted


@dataclass(frozen=True, slots=True)
class Totals:
    """Summed rows, by column name, with any leading axes (draws, label permutations, rows).

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

    def part(self, prefix: str) -> Totals:
        """The columns whose name begins with ``prefix``, by what follows it."""
        columns = {c[1:]: i for c, i in self.columns.items() if c[0] == prefix and len(c) > 1}
        return Totals(columns, self.array)

    def weighted(self, columns: Weighted) -> Floats:
        """A weighted sum of columns. Shape: the leading axes."""
        total = np.zeros(self.array.shape[:-1])
        for column, weight in columns:
            total = total + weight * self[column]
        return total


SHARE_DIFFERENCE = (-1.0, 1.0)
"""The least and the most that a difference of two shares can be."""


class Value(Data, frozen=True):
    """One named answer of a measure, over the leading axes of the totals it was made from.

    ``array`` is nan exactly where the answer is undefined. ``tail`` says how it is tested against
    its chance level: ``upper`` for a disparity that cannot be negative, ``both`` for a signed
    contrast, None for a level that no exchange of labels speaks to (a share, a ROUGE score).
    """

    array: Floats
    tail: Literal["upper", "both"] | None = None
    contrasts: tuple[str, ...] = ()
    """Names of the observation's contrasts that decide the test: a signed contrast's own, or all that a unsigned score
    folds; it is then tested by the largest of their studentized sizes. Empty: by the value itself."""
    mean_of: tuple[Column, Column] | None = None
    """Of a unsigned score that is a mean of records: the summed column and the count. Its chance-adjusted score over chance is a mean, too."""
    is_share: bool = False
    """A mean of numbers from 0 to 1, whose interval keeps to them."""
    is_correlation: bool = False
    """A correlation, whose interval keeps to -1 and 1."""
    limits: tuple[float, float] = (-math.inf, math.inf)
    """The least and the most that it can be: no value and no bound of an interval is printed beyond."""
    has_baseline: bool = False
    """A random extract reads it too, where the observation observes extracts."""
    is_compared: bool = False
    """A signed contrast that is compared with what a random extract reads."""
    extract_baseline: Floats | None = None
    """What a random extract is known to read, where no extract need be drawn."""
    fold: Callable[[Floats], Floats] | None = None
    """How a unsigned score is made of its contrasts, (…, contrasts) → (…); gives its chance level under turned signs."""
    strata: tuple[Column, ...] = ()
    """Counts by which units of different kinds are told apart, where groups lie in different units."""
    is_between: bool = False
    """A difference of groups each unit of which lies in one: tested by the jackknife t, with Satterthwaite's degrees of
    freedom. Turned signs would take what varies within a group for what differs between groups."""
    is_tested_by_t: bool = False
    """Tested against 0 by the jackknife t, since no permutation of labels keeps what it adjusts for."""
    is_primary: bool = False
    """A signed contrast that stands before the unsigned scores that fold it."""
    group: str = ""
    """The group that it speaks of, if one."""
    present: tuple[Column, ...] = ()
    """Of a contrast of one group, or of two (``first − second``): counts that are above 0 in the clusters that have it."""


@dataclass(frozen=True, slots=True)
class Extracts:
    """Random extracts of one record's sources, as long as a summary.

    Shapes: ``sentences`` (S,); ``kept`` (E, S), 1 where an extract holds a sentence.
    """

    sentences: tuple[str, ...]
    kept: Floats

    @property
    def texts(self) -> tuple[str, ...]:
        """Each extract as one text, its sentences in the sources' order."""
        return tuple(
            " ".join(s for s, is_kept in zip(self.sentences, kept, strict=True) if is_kept)
            for kept in self.kept
        )


@runtime_checkable
class ContrastObservation(Protocol):
    """An observation some of whose columns make signed contrasts."""

    def contrasts(self, columns: Sequence[Column]) -> Mapping[str, Ratio]:
        """The signed contrasts that these columns make, by name."""
        ...


@runtime_checkable
class ExtractObservation(Protocol):
    """An observation that can also read random extracts of the sources, in place of the summary."""

    def extract_asks(self, cases: Cases, extracts: Sequence[Extracts]) -> Sequence[Ask]:
        """The scores needed to observe the extracts, one `Extracts` per case."""
        ...

    def observe_extracts(
        self, cases: Cases, extracts: Sequence[Extracts], scores: Sequence[Scores]
    ) -> Rows | Reason:
        """One row, shape (1, columns): the mean over the extracts of what `observe` would return for each of them."""
        ...


@runtime_checkable
class Observation(Protocol):
    """How the cases of one unit become one row of additive statistics. Pure."""

    declaration: ClassVar[ObservationDeclaration]

    def asks(self, cases: Cases) -> Sequence[Ask]:
        """The scores needed to observe these cases; empty if none."""
        ...

    def permutation_scheme(self, cases: Cases) -> PermutationScheme | None:
        """The labels that "no disparity" allows to exchange; None if there are none."""
        ...

    def observe(self, cases: Cases, scores: Sequence[Scores], labels: Integers) -> Rows | Reason:
        """Rows under each label permutation. ``labels`` (R, n) holds label permutations of ``permutation_scheme(cases).labels``.

        The first is the real one. Without a scheme its shape is (1, 0).
        """
        ...


@runtime_checkable
class Measure(Protocol):
    """A named question: what it observes, and how totals become values.

    Its ``repr`` is its spec everywhere. Several measures may share one observation: equal
    observations are made once. ``declaration`` says all else that others must know of it.
    """

    name: ClassVar[str]
    declaration: ClassVar[Declaration]

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

    @property
    def name(self) -> str: ...

    def summarize(self, records: Iterable[Record]) -> Iterator[Summary]:
        """One summary per record, in order."""
        ...


# ------------------------------------------------------------------------------------- the answer


NoteCode = Literal[
    "undefined",
    "infinite",
    "few_answered",
    "few_in_group",
    "few_clusters",
    "one_cluster_decides",
    "clusters_alike",
    "no_resample_defined",
    "undefined_resamples",
    "raw_magnitude",
    "few_resamples",
    "not_testable_among",
    "tests_need_resamples",
    "needs_texts",
    "runs",
    "without_claims",
    "groups_alike",
    "groups_missing",
    "scorer_differs",
    "scorer_alike",
    "scorer_retrieves",
    "exchanged",
    "documents_longer",
    "words_unlike_documents",
    "length_held_equal",
    "documents_alike",
    "length_is_group",
    "place_is_group",
    "scores_uncertain",
]


@dataclass(frozen=True, slots=True)
class Note:
    """What must be known to read an estimate: a code, and what its words say beside it.

    Arguments are numbers, texts, lists of texts, and mappings of such by name. `fairbrief.reports.wording` has the words.
    """

    code: NoteCode
    arguments: Mapping[str, Any] = field(default_factory=dict)


class Estimate(msgspec.Struct, frozen=True, gc=False):
    """A value that is never alone: with interval, chance level, p-value, counts and signature.

    ``quantity`` is the name of the measure's value that this is; the headline's is the measure's
    own name. ``value`` is None where undefined, and ``notes`` then say why. ``p`` comes from the
    null (or, for a difference of systems, from swapping them), the interval from resampling clusters.
    ``testable`` is False where even the most extreme label permutation could not be significant.
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
    """For a difference: the system that was subtracted."""
    low_within: float | None = None
    """Bounds of the interval from resampling the sampled counterfactuals inside each seed document (the papers'
    "s"), where there are any; ``low`` and ``high`` resample the seed documents ("d")."""
    high_within: float | None = None
    kind: Literal["group_difference", "unsigned_disparity", "label_independent"] = "label_independent"
    """A signed contrast, a size that cannot be negative, or a level that no exchange of labels speaks to."""
    group: str = ""
    """The group that a contrast or level speaks of, if one."""
    low_is_open: bool = False
    """``low`` itself lies outside: the value is above 0, by how little is not known."""
    se: float | None = None
    """Cluster jackknife standard error."""
    chance_adjusted: float | None = None
    """Of a mean of records: value − permutation baseline, with its interval."""
    chance_adjusted_low: float | None = None
    chance_adjusted_high: float | None = None
    extract_baseline: float | None = None
    """Random-extract baseline: what extracts of random sentences, as long as the summary, read."""
    extract_difference: float | None = None
    """Value − random-extract baseline, on the records that have one; with interval, p of the cluster t, and Holm's."""
    extract_difference_low: float | None = None
    extract_difference_high: float | None = None
    extract_p: float | None = None
    extract_p_adjusted: float | None = None
    smallest_p: float | None = None
    """The smallest p that the number of distinct label permutations allows."""
    is_primary: bool = False
    """Whether it is what the report begins with: a signed contrast, or a difference that is to be decided on."""
    detectable: float | None = None
    """The smallest difference from the baseline that so many clusters would have shown with probability 80 %, before p is
    adjusted for other tests."""
    system_kind: SystemKind = "system"
    baseline_kind: SystemKind | None = None
    """For a difference: the kind of the system that was subtracted."""
    group_clusters: int | None = None
    """Of a group difference: the clusters that have the group; of a pair ``first − second``, that have the first."""
    other_clusters: int | None = None
    """Of a pair: the clusters that have the second."""
    group_items: float | None = None
    """How many documents, people or records of the group there are, and of the second group of a pair."""
    other_items: float | None = None
    freedom: float | None = None
    """Degrees of freedom of the t interval around ``value``."""
    extract_se: float | None = None
    """Standard error of ``extract_difference``, and its degrees of freedom."""
    extract_freedom: float | None = None
    label_p: float | None = None
    """Of what leads: p of the cluster t that the value is its mean over label permutations; 1 where it differs from that in
    the other direction than from its baseline."""
    is_named: bool = False
    """Whether it was named in advance as what the audit is about."""
    family_p: float | None = None
    """P of the baseline, or ``label_p`` where that is larger, adjusted by Holm over all leading group differences of the audit
    that have the same baseline (`fairbrief.conclusions`)."""
    family_size: int = 0
    """How many they are."""
    family_low: float | None = None
    """Bounds of the interval that holds for all of them at once (Bonferroni), around the number that is tested: the
    difference from the random baseline where there is one, else the value."""
    family_high: float | None = None

    def replace(self, **changes: Any) -> Estimate:
        """The estimate with other values in some fields; TypeError for a name that is no field.

        >>> Estimate("bur@party", "bur", "lead", 0.25).replace(value=0.5).value
        0.5
        """
        return msgspec.structs.replace(self, **changes)


@dataclass(frozen=True, slots=True)
class Table:
    """A printed table: what a paper's layout or a report's section shows. Cells are already text."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = field(default=())
