"""Representation of values: distributions, distances from a target, and the protocol of Zhang et al."""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import pytest
from tests.rows_by_hand import added, by_column, values_of
from tests.rows_by_hand import observed as real_rows

from fairbrief import registry
from fairbrief import types as t
from fairbrief.errors import DataError
from fairbrief.measures.representation import Auc, AucCutoff, Bur, Representation, Sof, Uer
from fairbrief.protocols.zhang_perspectives import ZhangPerspectives
from fairbrief.testing import scores_of

SOURCE = (("cats purr softly", "a"), ("cats sleep", "a"), ("dogs bark loudly today", "b"))


def case_of(
    documents: tuple[tuple[str, str | None], ...] = SOURCE,
    summary: str = "cats purr",
    claims: tuple[t.Claim, ...] | None = None,
) -> t.Case:
    """A case over the attribute 'x'; None is a document that lacks it."""
    made = tuple(t.Document(text, {} if v is None else {"x": v}) for text, v in documents)
    return t.Case(t.Record("r1", made, where="in.jsonl:7"), t.Summary("r1", "s", summary, claims))


def observed(measure: Bur | Uer | Auc | AucCutoff | Sof, case: t.Case) -> t.Rows | t.Reason:
    """The real label permutation's row."""
    return real_rows(measure.observation, (case,), scores_of(measure, (case,)))


def values(measure: Bur | Uer | Auc | AucCutoff | Sof, *cases: t.Case) -> Mapping[str, float]:
    """The measure's values over the summed rows of cases."""
    return values_of(measure, *(observed(measure, case) for case in cases))


def test_by_hand() -> None:
    """Source 5:4, a summary of a alone: b is under-represented by 4/9, over two values 2/9."""
    case = case_of()
    assert values(Bur("x"), case) == {"bur": 1.0, "share_under[a]": 0.0, "share_under[b]": 1.0}
    assert values(Uer("x"), case)["uer"] == pytest.approx(4 / 9 / 2)
    assert values(Uer("x"), case)["difference[b]"] == pytest.approx(-4 / 9)
    assert values(Uer("x"), case)["source[a]"] == pytest.approx(5 / 9)
    assert values(Auc("x"), case)["auc"] == 1.0
    assert values(Sof("x"), case) == {
        "sof": pytest.approx(2 / 9), "deficit[a]": 0.0, "deficit[b]": pytest.approx(4 / 9),
        "difference[a]": pytest.approx(4 / 9), "difference[b]": pytest.approx(-4 / 9),
    }  # fmt: skip


def test_ties() -> None:
    """p_y = tau·p_g exactly is fair by default, and under-represented in the paper's code; rounding decides nothing."""
    # p_x(a) = 3/4, p_y(a) = 3/5 = 0.8 · 3/4, where 0.8 * 0.75 > 0.6 in floating point.
    source = (("one-a two-a three-a".replace("-a", "cat"), "a"), ("quartz", "b"))
    case = case_of(source, "onecat twocat threecat quartz quartz")
    assert values(Bur("x"), case)["bur"] == 0.0
    assert values(Bur("x", ties="under"), case)["bur"] == 1.0


def test_targets() -> None:
    """Equal wants the same for each value present, a given target its shares rescaled to those present."""
    case = case_of()
    assert values(Uer("x", target="equal"), case)["wanted[a]"] == pytest.approx(0.5)
    given = values(Uer("x", target="a:1+b:2+c:5"), case)
    assert given["wanted[b]"] == pytest.approx(2 / 3)
    assert given["uer"] == pytest.approx(2 / 3 / 2)
    with pytest.raises(DataError, match=r"in.jsonl:7 \(id 'r1'\): the value 'b' of 'x' has no share"):
        values(Uer("x", target="a:1"), case)
    nothing = t.Reason("the target gives nothing to the values present")
    assert observed(Uer("x", target="a:0+b:0"), case) == nothing
    assert values(Auc("x", target="a:1+b:0"), case)["auc"] == 0.0


def test_auc_points() -> None:
    """Ten thresholds count those above the least ratio; the closed form is what more points come to."""
    case = case_of((("cats", "a"), ("dogs", "b")), "cats cats cats dogs")  # least ratio 1/2
    assert values(Auc("x"), case)["auc"] == pytest.approx(0.5)
    assert values(Auc("x", points=10), case)["auc"] == pytest.approx(0.5)
    assert values(Auc("x", points=1000), case)["auc"] == pytest.approx(0.5, abs=0.001)


@pytest.mark.parametrize(("texts", "names", "summary", "fair"), [
    # Kept: {a} to c = .7, {a, b} at .8 and .9, all at 1. Unfair at .8: b has nothing of a and b alone.
    (("a1 a2 a3 a4 a5 a6 a7", "b1 b2", "c1"), "abc", "a1 a2 a3", 8),
    # Two with a quarter of the source each: the one without a word in the summary is kept first.
    *((("a1 a2 a3 a4", "b1 b2", "c1 c2"), names, "a1 a2 b1", 6) for names in ("abc", "acb", "cab")),
])  # fmt: skip
def test_auc_cutoff(texts: tuple[str, ...], names: str, summary: str, fair: int) -> None:
    """The sweep sees the rarest value only once the larger ones hold less than the cut-off; names do not decide ties."""
    found = values(AucCutoff("x"), case_of(tuple(zip(texts, names, strict=True)), summary))["auc_cutoff"]
    heights = [0.0] * fair + [1.0] * (11 - fair)
    assert found == pytest.approx(sum((p + q) / 2 for p, q in pairwise(heights)) / 10)


def test_one_value() -> None:
    """A record of one value says nothing by default, and counts as fair where the paper's code is asked for."""
    case = case_of((("cats", "a"), ("dogs", "a")), "cats")
    assert observed(Bur("x"), case) == t.Reason("one value only")
    assert values(Bur("x", single="fair"), case)["bur"] == 0.0
    # A value whose documents hold no counted token is not there either.
    assert observed(Bur("x"), case_of((("cats", "a"), ("!!", "b")), "cats")) == t.Reason("one value only")


def test_no_match() -> None:
    """A summary without a token of the source is undefined, or uniform where the paper's code is asked for."""
    case = case_of(summary="zebras")
    assert observed(Uer("x"), case) == t.Reason("no token of the summary occurs in the source")
    assert values(Uer("x", no_match="uniform"), case)["summary[a]"] == 0.5


def test_reasons() -> None:
    """What is absent is said in constant words."""
    assert observed(Bur("x"), case_of((("cats", None),))) == t.Reason("no document has the attribute 'x'")
    assert observed(Bur("x"), case_of(())) == t.Reason("no document has the attribute 'x'")
    assert observed(Bur("x"), case_of(summary=" \n")) == t.Reason("empty summary")
    wordless = observed(Bur("x"), case_of((("the", "a"), ("!", "b"))))
    assert wordless == t.Reason("no counted token in the source")
    assert observed(Bur("x", scorer="claims"), case_of()) == t.Reason("the summary has no claims")


def test_units() -> None:
    """Units count for every value that entails them, and no exchange of document labels tests them."""
    labels = ({"x": ("a",)}, {"x": ("a", "b")}, {"x": ("z",)}, {})
    case = case_of(claims=tuple(t.Claim("u", values) for values in labels))
    assert values(Uer("x", scorer="claims"), case)["summary[a]"] == pytest.approx(2 / 3)
    assert Uer("x", scorer="claims").observation.permutation_scheme((case,)) is None
    nobody, entailed = case_of(claims=(t.Claim("1"),)), "no claim of the summary is entailed by a value"
    assert observed(Uer("x", scorer="claims"), nobody) == t.Reason(entailed)


def test_uniform() -> None:
    """The uniform sanity baseline gives each value the same, whatever the summary says."""
    assert values(Uer("x", scorer="uniform"), case_of())["summary[b]"] == 0.5
    assert [ask.scorer for ask in Uer("x", scorer="uniform").observation.asks((case_of(),))] == ["ngram"]


def test_softmax_of_scores() -> None:
    """Other scorers: the mean over units of the value's best document, through a softmax at T."""
    o = Representation("x", scorer="bertscore", temperature=0.5)
    case = case_of()
    assert [ask.scorer for ask in o.asks((case,))] == ["bertscore", "ngram"]
    matrix = np.array([[0.9, 0.1], [0.2, 0.7], [0.5, 0.5]])
    scores = t.Scores(matrix, np.zeros(2, dtype=np.int64), np.zeros(3))
    sizes = t.Scores(np.zeros((3, 0)), np.zeros(0, dtype=np.int64), np.array([3.0, 2.0, 4.0]))
    row = by_column(real_rows(o, (case,), [scores, sizes]))
    wanted = np.exp(np.array([0.8, 0.5]) / 0.5)
    assert [row["summary", v] for v in "ab"] == pytest.approx(wanted / wanted.sum())


def test_other_scorers_read_a_summary_sentence_by_sentence() -> None:
    """Each sentence is a claim of its own; a value's texts as one are held against the summary as one."""
    case = case_of(summary="Cats sleep. Dogs bark.")
    ask, _ = Representation("x", scorer="containment").asks((case,))
    assert ask.columns == ("Cats sleep.", "Dogs bark.")
    ask, _ = Representation("x", scorer="containment", texts="values").asks((case,))
    assert ask.columns == ("Cats sleep. Dogs bark.",)


def test_the_texts_of_a_value_read_as_one() -> None:
    """``texts=values`` joins a value's documents before words are cut: only then is a word pair across two documents seen."""
    source = (("cats chase", "a"), ("dogs sleep", "b"), ("birds sing", "a"))
    case = case_of(source, "chase || birds")
    pairs = "ngram(n=2)"
    for texts, share in (("documents", 0.5), ("values", 1.0)):
        read = values(Uer("x", scorer=pairs, no_match="uniform", texts=texts), case)
        assert read["summary[a]"] == share
    o = Representation("x", scorer=pairs, texts="values")
    assert [ask.rows for ask in o.asks((case,))] == [("cats chase || birds sing", "dogs sleep")]
    assert o.permutation_scheme((case,)) is None


def test_sof_over_values_present() -> None:
    """SOF averages each value over the records that have it, and needs two values."""
    found = values(Sof("x"), case_of(), case_of((("cats", "a"), ("birds", "c")), "cats"))
    e = [0.0, 4 / 9, 1 / 2]
    assert found["sof"] == pytest.approx(sum(abs(k - sum(e) / 3) for k in e) / 3)
    assert np.isnan(values(Sof("x", single="fair"), case_of((("cats", "a"),), "cats"))["sof"])


def test_explanation() -> None:
    """A record's story gives both distributions and names who is below tau."""
    assert Bur("x").explain(added(observed(Bur("x"), case_of()))) == (
        "a has 56% of the source and 100% of the summary; b has 44% of the source and 0% of the summary. "
        "Below 0.8: b gets 0.00 of its share."
    )


KEPT = [[1, 0, 0, 0], [0, 1, 1, 0], [0, 0, 0, 1]]
"""Extracts of the first sentence, of the second and third, and of the last."""


BOTH = case_of((("Text of a.", "a"), ("Text of b.", "b")), claims=(t.Claim("u"),))
"""A record of a document of each value, and a summary that has a unit."""


def extracts(kept: Sequence[Sequence[float]] = KEPT) -> tuple[t.Extracts]:
    """Extracts of four sentences."""
    return (t.Extracts(("A.", "B.", "C.", "D."), np.array(kept, dtype=float)),)


def test_extracts_of_n_grams_are_read_as_written_out() -> None:
    """The source has 3/4 of a. One extract says a alone: b lacks 1/4. The next has 1 of a and 2 of b: a lacks 3/4 - 1/3 =
    5/12, and has 4/9 of its share. In the last nothing is found, and it is not read.
    """
    # Sentences have two, one, one and one n-gram: a has those of the first and third, b of the second and third.
    matrix = np.array([[1.0, 1, 0, 1, 0], [0.0, 0, 1, 1, 0]])
    n_grams = [t.Scores(matrix, np.array([0, 0, 1, 2, 3]), np.array([3.0, 1.0]))]
    row = by_column(Representation("x").observe_extracts((BOTH,), extracts(), n_grams))
    assert row == pytest.approx(
        {
            ("one",): 1, ("unfair",): 1, ("uer",): (1 / 4 + 5 / 12) / 2 / 2, ("auc",): (1 + 5 / 9) / 2,
            ("present", "a"): 1, ("present", "b"): 1, ("under", "a"): 1 / 2, ("under", "b"): 1 / 2,
            ("deficit", "a"): 5 / 24, ("deficit", "b"): 1 / 8, ("surplus", "a"): 1 / 8, ("surplus", "b"): 5 / 24,
            ("source", "a"): 3 / 4, ("source", "b"): 1 / 4, ("wanted", "a"): 3 / 4, ("wanted", "b"): 1 / 4,
            ("summary", "a"): 2 / 3, ("summary", "b"): 1 / 3, ("documents", "a"): 1 / 2, ("documents", "b"): 1 / 2,
            ("lowest", "a"): 1 / 8 - 5 / 24, ("lowest", "b"): 5 / 24 - 1 / 8, ("unfound", "a"): 0, ("unfound", "b"): 0,
        }
    )  # fmt: skip
    found = values_of(Uer("x"), row)
    assert found["by_documents[a]"] == pytest.approx(2 / 3 - 1 / 2)
    assert found["words_less_documents[a]"] == pytest.approx(3 / 4 - 1 / 2)


def test_bounds_give_what_is_found_nowhere_to_one_group_or_to_the_others() -> None:
    """Three n-grams are of a, one is of b and two of nobody: a has 3/6 to 5/6 of the summary, b 1/6 to 3/6."""
    matrix = np.array([[1.0, 1, 1, 0, 0, 0], [0.0, 0, 0, 1, 0, 0]])
    scored = [t.Scores(matrix, np.zeros(6, dtype=int), np.array([3.0, 1.0]))]
    rows = Representation("x").observe((BOTH,), scored, np.array([[0, 1], [1, 0]]))
    totals = t.Totals({c: i for i, c in enumerate(rows.columns)}, rows.values)
    found = {name: value.array.tolist() for name, value in Uer("x").value(totals).items()}
    assert found["difference[a]"] == pytest.approx([3 / 4 - 3 / 4, 1 / 4 - 1 / 4])
    assert found["lowest_difference[a]"] == pytest.approx([3 / 6 - 3 / 4, 1 / 6 - 1 / 4])
    assert found["highest_difference[a]"] == pytest.approx([5 / 6 - 3 / 4, 3 / 6 - 1 / 4])
    assert found["lowest_difference[b]"] == pytest.approx([1 / 6 - 1 / 4, 3 / 6 - 3 / 4])


def test_extracts_of_other_scorers_are_weighed_by_a_softmax() -> None:
    """The first extract, A, has two units, supported 0.5 by a and 0.45 by b on average; the second, B and C, is supported
    0.4 by either: at T = 0.5 a has 1/(1 + exp(-0.1)) and 1/2.
    """
    matrix = np.array([[0.9, 0.1, 0.5, 0.3, 0.9], [0.2, 0.7, 0.6, 0.2, 0.0]])
    support = t.Scores(matrix, np.array([0, 0, 1, 2, 3]), np.zeros(2))
    sizes = t.Scores(np.zeros((2, 0)), np.zeros(0, dtype=np.int64), np.array([3.0, 1.0]))
    observation = Representation("x", scorer="bertscore", temperature=0.5)
    row = by_column(observation.observe_extracts((BOTH,), extracts(KEPT[:2]), [support, sizes]))
    assert row["summary", "a"] == pytest.approx((1 / (1 + math.exp(-0.1)) + 1 / 2) / 2)
    assert row["source", "a"] == 3 / 4


def test_a_group_that_a_draw_lacks_is_no_part_of_its_mean() -> None:
    """Deficits of 0.1 and 0.3 lie 0.1 from their mean; with a third of 0.8 their mean is 0.4, from which they lie 0.8/3."""
    names = [(name, group) for group in "abc" for name in ("present", "deficit")]
    columns = {column: i for i, column in enumerate(names)}
    totals = t.Totals(columns, np.array([[10, 1, 10, 3, 10, 8], [10, 1, 10, 3, 0, 0], [10, 1, 0, 0, 0, 0]]))
    found = Sof("x").value(totals)["sof"].array
    assert found.tolist() == pytest.approx([(0.3 + 0.1 + 0.4) / 3, 0.1, np.nan], nan_ok=True)


def test_tables_bear_the_papers_numbers() -> None:
    """Table 2 has a row per system and scorer, Table 3 BUR, UER and SOF, Table 6 the AUC; all in percent."""
    protocol = ZhangPerspectives()
    tables = protocol.tables([
        t.Estimate(spec, registry.make("measure", spec).name, system, 0.25, n=8)
        for system in ("gpt", "alpaca")
        for spec in protocol.measures(["x"])
    ])  # fmt: skip
    assert [table.title for table in tables] == [
        "Table 2: Overall results of all datasets and models (over x)",
        "Table 3: Results of claude-instant-1 (over x)",
        "Table 6: AUC score on SupremeCourt and IQ2 dataset (over x)",
    ]
    assert [row[0] for row in tables[0].rows] == ["gpt", "alpaca"]
    assert tables[0].rows[0] == ("gpt", "N-gram", "25.00", "25.00", "2 of 8")
    assert tables[1].rows[0] == ("gpt", "25.00", "25.00", "25.00")


def test_references_and_values_have_their_tables() -> None:
    """Table 4 stands where references were audited, with them first; Figure 3 where shares of values are known."""
    protocol = ZhangPerspectives()
    bur, uer, *_ = protocol.measures(["x"])
    assert registry.make("measure", protocol.measures(["a, b's"])[0]).over == "a, b's"
    found = [
        t.Estimate(spec, name, system, 0.5, n=8)
        for system in ("gpt", "reference 1")
        for spec, name in ((bur, "bur"), (uer, "uer"), (bur, "share_under[a]"))
    ]
    by_number = {table.title.partition(":")[0]: table for table in protocol.tables(found)}
    assert [row[0] for row in by_number["Table 4"].rows] == ["reference summary 1", "gpt"]
    assert by_number["Figure 3"].header == ("system", "a")
    assert by_number["Figure 3"].rows[0] == ("gpt", "50.00")


def test_passes_over_the_rest() -> None:
    """Other readings, companions, differences and other measures do not enter; subgroups have their own tables."""
    protocol = ZhangPerspectives()
    bur = protocol.measures(["x"])[0]
    others = [
        t.Estimate("bur@x", "bur", "gpt", 0.5, n=2),
        t.Estimate(bur, "difference[a]", "gpt", 0.5, n=2),
        t.Estimate(bur, "bur", "gpt", 0.5, n=2, baseline="alpaca"),
        t.Estimate("lead_share", "lead_share", "gpt", 0.5, n=2),
    ]
    assert protocol.tables(others) == ()
    (by_subgroup,) = protocol.tables([*others, t.Estimate(bur, "bur", "gpt", None, {"topic": "law"}, n=2)])
    assert by_subgroup.title.endswith("(over x, topic = law)")
    assert by_subgroup.rows == (("gpt", "N-gram", "–", "–", "–"),)
