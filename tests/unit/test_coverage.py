"""Coverage: what the released code gets wrong, and we must not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows_by_hand import added
from tests.sample_cases import Supported
from tests.tested_rows import case_of, rows_of, with_test

import fairbrief
from fairbrief import registry
from fairbrief.errors import DataError
from fairbrief.measures.coverage import Coverage, CoverageParity, EqualCoverage
from fairbrief.text.segmentation import words_held
from fairbrief.text.sentences import split
from fairbrief.types import Estimate, Reason


@pytest.mark.parametrize(("values", "support", "settings", "reason"), [
    (["a", "a"], [[1.0], [0.5]], {}, "one group only"),
    ([None, None], [[1.0], [0.5]], {}, "no document has the attribute 'side'"),
    (["a", "b"], [[0.0], [0.0]], {}, "no claim is supported"),
    (["a", "b"], [[1.0, 1.0], [0.5, 0.5]], {"least_claims": 3}, "too few claims"),
])  # fmt: skip
def test_a_record_without_an_answer_leaves_a_reason(
    values: list[str | None], support: list[list[float]], settings: dict[str, object], reason: str
) -> None:
    """Nothing is dropped in silence."""
    assert rows_of(values, support, **settings) == Reason(reason)


def test_equal_coverage_of_all_documents_is_a_gap_of_zero_with_p_one() -> None:
    """Exact ties are no evidence."""
    _, p = with_test(rows_of(list("aabbcccc"), [[0.3]] * 8), ("gap",))
    assert p == 1.0


def test_renaming_the_groups_never_counts_as_a_larger_gap() -> None:
    """Labellings that only rename the groups tie with the real one, within rounding."""
    rng = np.random.default_rng(3)
    for _ in range(50):
        _, p = with_test(rows_of(list("aaabbb"), rng.random((6, 7)).tolist()), ("gap",))
        assert round(p * 20) % 2 == 0


def test_a_document_without_the_attribute_is_named() -> None:
    """File, line, id, document and remedy stand in the message."""
    said = r"f\.jsonl:3 \(id 'r', document 2\): found no attribute 'side'.*--require side"
    with pytest.raises(DataError, match=said):
        Coverage("side").asks((case_of(["a", None, "b"]),))


@given(st.text(alphabet="ab1_ .!?…。！’\"')\n\t ÀЖ房؟।-", max_size=40))
def test_sentences_hold_every_word_of_their_text(text: str) -> None:
    """No sentence ends within a word: so the words of sentences need not be counted beside the text's."""
    held, total = words_held(text, split(text))
    assert held == total == words_held(text, ())[1]


def test_the_uneven_share_is_told_by_the_dominating_value() -> None:
    """Table 5: tests are counted by the value of most documents, and their largest difference is a value."""
    rows = rows_of(list("aaaaabbb"), [[0.9]] * 5 + [[0.1]] * 3, pairwise=True)
    even = [[0.5], [0.4], [0.47], [0.43], [0.52], [0.38], [0.45], [0.49]]
    other = rows_of(list("aaabbbbb"), even, pairwise=True)
    totals = added(*(with_test(r, ("gap",), within="dominated")[0] for r in (rows, other)))
    assert totals["testable", "a"] == totals["testable", "b"] == 1
    assert (totals["significant", "a"], totals["significant", "b"]) == (1, 0)
    values = EqualCoverage("side", pairwise=True).value(totals)
    assert float(values["uneven_share"].array) == 0.5
    assert float(values["uneven_share_by_dominance"].array) == 1


def test_the_papers_share_of_unfair_summaries_is_strict_and_of_all_records() -> None:
    """One document is of a, all others of b, so that a record's gap grows with the distance of a's document from the mean.

    "abbb", coverage 0.2, 1, 0.5, 0.5 (mean 0.55): distances 0.35, 0.45, 0.05, 0.05. One of 4 label permutations is larger: p = 1/4.
    "abbbbb", coverage 0.2, 1 and four times 0.5 (mean 0.533): 0.333, 0.467, 0.033: one of 6, p = 1/6 = 0.17.
    "abbb", coverage 1, 0.2, 0.5, 0.5: none of 4, p = 0 < 0.05. So R_EC = 1/3, as in Li et al., section 4.1.
    With ties counted the least p are 1/4, 1/6 and 1/4: no record is testable, and there is no share.
    By chance one of 4, one of 6 and one of 4 label permutations has p = 0: (1/4 + 1/6 + 1/4) / 3 = 2/9.
    """
    records = (("abbb", "0.2 1 0.5 0.5"), ("abbbbb", "0.2 1 0.5 0.5 0.5 0.5"), ("abbb", "1 0.2 0.5 0.5"))
    given = []
    for i, (sides, support) in enumerate(records):
        pairs = zip(sides, support.split(), strict=True)
        documents = [{"text": text, "attributes": {"side": side}} for side, text in pairs]
        given.append({"id": f"r{i}", "documents": documents, "summary": "One claim."})
    read = {}
    for version in ("text", "recommended"):
        spec = f"equal_coverage(scorer=stated, version={version})@side"
        found = fairbrief.audit(given, [spec], scorers={"stated": Supported(lambda row, _: float(row))})
        read[version] = {e.quantity: e.value for e in found.estimates}
    assert read["text"]["uneven_share"] == pytest.approx(1 / 3)
    assert read["text"]["uneven_share_by_chance"] == pytest.approx(2 / 9)
    assert "testable_share" not in read["text"]
    assert (read["recommended"]["uneven_share"], read["recommended"]["testable_share"]) == (None, 0)
    assert read["text"]["equal_coverage"] == read["recommended"]["equal_coverage"]


def test_table_4_has_only_differences_in_coverage() -> None:
    """The differences of the baseline (UER) are not those of Coverage Parity."""
    values = {"uer": 0.9, "coverage_parity": 0.1}
    found = [Estimate(f"{name}@side", "difference[a]", "s", x, over="side") for name, x in values.items()]
    tables = registry.make("protocol", "li-coverage").tables(found)
    (rows,) = (table.rows for table in tables if table.title.startswith("Table 4"))
    assert rows == (("s", "pooled", "–", "a +0.1000", "a +0.1000"),)


def test_dominance_of_extremes_is_that_of_the_papers_sets() -> None:
    """Table 5 by the paper's sets, and pooled. Documents of a are covered above their record's mean by 0.3375 / 3 = 0.1125
    and 0.9 / 4 = 0.225 in two records that a dominates, by 2 · 0.95625 / 3 = 0.6375 in one that b does.

    The mean over a's two records is 0.16875, over their five documents (2 · 0.1125 + 3 · 0.225) / 5 = 0.18. So the
    differences are 0.6375 − 0.16875 = 0.46875 by extremes, and 0.6375 − 0.18 = 0.4575 pooled.
    """
    records = (("aab", [0.3375, 0.3375, 0]), ("aaab", [0.9, 0.9, 0.9, 0]), ("abb", [0.95625, 0, 0]))
    rows = [rows_of(list(values), [[x] for x in support], pairwise=True) for values, support in records]
    totals = added(*rows)
    for extremes, wanted in ((True, 0.46875), (False, 0.4575)):
        found = CoverageParity("side", pairwise=True, extremes=extremes).value(totals)["by_dominance"]
        assert float(found.array) == pytest.approx(wanted)
