"""What holds for value distributions of any record, and under any label permutation."""

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairbrief.measures.distributions import count_unions, folded, mean_of_best, members_of
from fairbrief.measures.representation import Representation
from fairbrief.score_tables import ScoreTable
from fairbrief.scorers.shared_words import Ngram
from fairbrief.types import Booleans, Case, Document, Floats, Reason, Record, Rows, Scores, Summary

texts = st.lists(st.sampled_from(["cat", "dog", "bird", "fish", "the", "cow"]), max_size=6).map(" ".join)
documents = st.lists(st.tuples(texts, st.sampled_from("abc")), min_size=1, max_size=7)
observations = st.builds(
    Representation,
    over=st.just("x"),
    scorer=st.sampled_from(["ngram", "ngram(n=2)"]),
    target=st.sampled_from(["ratio", "equal", "a:1+b:2+c:0"]),
    ties=st.sampled_from(["fair", "under"]),
    no_match=st.just("uniform"),
    single=st.just("fair"),
    points=st.sampled_from([0, 4]),
    cutoff=st.just(True),  # noqa: FBT003
)


def observed(
    o: Representation, pairs: list[tuple[str, str]], summary: str, labels: np.ndarray | None = None
) -> Rows | Reason:
    """The rows of a record under label permutations, the real one if none are given."""
    made = tuple(Document(text, {"x": value}) for text, value in pairs)
    case = Case(Record("r", made), Summary("r", "s", summary))
    exchange = o.permutation_scheme((case,))
    if labels is None:
        labels = exchange.labels[np.newaxis] if exchange is not None else np.zeros((1, 0), dtype=np.int64)
    scorer = Ngram(2 if "2" in o.scorer else 1)
    return o.observe((case,), list(scorer.answer(o.asks((case,)))), labels)


def by_name(found: Rows, row: int = 0) -> dict[tuple[str, ...], float]:
    """Columns that are not zero."""
    return {c: v for c, v in zip(found.columns, found.values[row], strict=True) if v != 0}


@settings(max_examples=60, deadline=None)
@given(observations, documents, texts, st.randoms(use_true_random=False))
def test_any_order(o: Representation, pairs: list[tuple[str, str]], summary: str, random: Random) -> None:
    """The order of the documents changes nothing."""
    first, again = observed(o, pairs, summary), observed(o, random.sample(pairs, len(pairs)), summary)
    if isinstance(first, Reason) or isinstance(again, Reason):
        assert first == again
    else:
        assert by_name(first) == pytest.approx(by_name(again), abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(observations, documents, texts, st.randoms(use_true_random=False), st.sampled_from([1, 3, 50]))
def test_every_permutation(
    o: Representation, pairs: list[tuple[str, str]], summary: str, random: Random, count: int
) -> None:
    """A label permutation's row is that of a record whose documents really have these values."""
    found = [value for _, value in pairs]
    values = sorted(set(found))
    permutations = [found, *(random.sample(found, len(found)) for _ in range(count))]
    labels = np.array([[values.index(v) for v in permutation] for permutation in permutations])
    together = observed(o, pairs, summary, labels)
    for r, permutation in list(enumerate(permutations))[:6]:
        alone = observed(o, [(text, v) for (text, _), v in zip(pairs, permutation, strict=True)], summary)
        if isinstance(alone, Reason) or isinstance(together, Reason):
            # Whether the target gives something to the values present is the one thing a label permutation decides.
            assert (alone == together) or o.target not in ("ratio", "equal")
        else:
            assert by_name(together, r) == pytest.approx(by_name(alone), abs=1e-12)


def unions(members: Booleans, matrices: list[Floats]) -> Floats:
    """`count_unions` of the matrices, which stand in a table behind one of another shape."""
    sizes = np.zeros(len(matrices[0]))
    answers = [Scores(matrix, np.zeros(matrix.shape[1], dtype=np.int64), sizes) for matrix in matrices]
    other = Scores(np.ones((1, 2)), np.zeros(2, dtype=np.int64), np.zeros(1))
    return count_unions(members, ScoreTable.of([other, *answers]), 1 + np.arange(len(matrices)))


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 14), st.integers(1, 3), st.integers(0, 5), st.integers(0, 1000))
def test_folds(n: int, values: int, units: int, seed: int) -> None:
    """Looked up or computed, by itself or with another record, a fold is what plain loops give."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(values, size=(400, n))
    binary, real = rng.integers(2, size=(n, units)).astype(float), rng.normal(size=(n, units))
    members = members_of(labels, values)
    big = rng.integers(2, size=(20, 30)).astype(float)
    many = members_of(rng.integers(2, size=(500, 20)), 2)
    assert np.array_equal(unions(many[np.newaxis], [big])[0], (many @ big > 0).sum(axis=2))
    other, union = unions(np.stack([members[::-1], members]), [binary[:, :-1], binary])
    best = folded(mean_of_best, members, real)
    assert np.array_equal(unions(members[np.newaxis, :3], [binary])[0], union[:3])
    assert np.array_equal(other, unions(members[np.newaxis, ::-1], [binary[:, :-1]])[0])
    for r in range(0, 400, 57):
        for k in range(values):
            inside = labels[r] == k
            assert union[r, k] == (binary[inside].any(axis=0).sum() if inside.any() else 0)
            if inside.any() and units:
                assert best[r, k] == pytest.approx(real[inside].max(axis=0).mean())
            else:
                assert best[r, k] == -np.inf
