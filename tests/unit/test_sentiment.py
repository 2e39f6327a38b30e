"""The shift of sentiment by group: what is observed, what is found, and what is not."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest
from tests.unit.test_statistics import assert_same_fit

from fairbrief import registry
from fairbrief.auditing import Plan, audit
from fairbrief.measures.sentiment import SentimentShift, regress_shift
from fairbrief.protocols.chau_sentiment import ChauSentiment, shifts
from fairbrief.reports import wording
from fairbrief.reports.result import Result
from fairbrief.types import Ask, Case, Document, Entity, Estimate, Record, Scores, Summary

PRONOUN = {"female": "She", "male": "He"}


@dataclass(frozen=True)
class Written:
    """Reads the sentiment that stands in the text, ``She s=-0.25``; a text without it has none."""

    name: ClassVar[str] = "vader"

    @property
    def fingerprint(self) -> str:
        return "vader:written"

    def answer(self, asks: Sequence[Ask]) -> Iterator[Scores]:
        for ask in asks:
            found = [row.partition("s=")[2].split() for row in ask.rows]
            matrix = np.array([[float(f[0]) if f else 0.0] for f in found])
            yield Scores(matrix, np.array([0]), np.array([float(bool(f)) for f in found]))


def case(i: int, group: str, article: float, summary: float, **record: object) -> Case:
    """An article about a woman or a man, and its summary, of the written sentiments."""
    text = f"{PRONOUN.get(group, 'They')} s={article!r}"
    made = Record(f"r{i}", (Document(text),), **record)
    return Case(made, Summary(made.id, "s", f"{PRONOUN.get(group, 'They')} s={summary!r}"))


def drawn(
    n: int, planted: float = 0.0, seed: int = 0, groups: Sequence[str] = ("female", "male")
) -> list[Case]:
    """Articles whose shift depends on their sentiment, and on the first group by the planted amount."""
    rng = np.random.default_rng(seed)
    cases = []
    for i in range(n):
        group = groups[i % len(groups)]
        article = float(rng.normal(0.1, 0.3))
        shift = 0.1 - 0.5 * article + planted * (group == groups[0]) + float(rng.normal(0, 0.1))
        cases.append(case(i, group, article, article + shift, attributes={"side": group}))
    return cases


def run(cases: Sequence[Case], measure: str = "sentiment_shift", n_resamples: int = 400) -> Result:
    """An audit of written sentiments."""
    return audit(cases, Plan(measures=[measure], n_resamples=n_resamples, scorers={"vader": Written()}))


def quantity(result: Result, name: str) -> Estimate:
    """The estimate of this name over all records of the system s."""
    return next(e for e in result.estimates if (e.system, e.quantity) == ("s", name))


# ------------------------------------------------------------------------------------- the numbers


def test_the_main_value_is_the_difference_of_mean_shifts_female_minus_male() -> None:
    """Computed by hand over four records."""
    told = (("female", 0.0, 0.3), ("female", 0.2, 0.3), ("male", 0.5, 0.4), ("male", 0, 0))
    result = run([case(i, *one) for i, one in enumerate(told)], n_resamples=0)
    assert quantity(result, "sentiment_shift").value == pytest.approx(0.2 - -0.05)
    assert quantity(result, "difference[female−male]").value == pytest.approx(0.25)
    assert quantity(result, "shift[female]").value == pytest.approx(0.2)
    assert quantity(result, "article[male]").value == pytest.approx(0.25)
    assert quantity(result, "summary[male]").value == pytest.approx(0.2)


def test_the_difference_at_equal_article_sentiment_is_free_of_regression_to_the_mean() -> None:
    """Sad articles about women: their summaries rise by regression alone, and the adjusted difference says so."""
    rng = np.random.default_rng(3)
    cases = []
    for i in range(300):
        group = ("female", "male")[i % 2]
        article = float(rng.normal(-0.3 if group == "female" else 0.3, 0.2))
        cases.append(case(i, group, article, 0.5 * article + float(rng.normal(0, 0.1))))
    result = run(cases)
    assert quantity(result, "sentiment_shift").p < 0.01
    assert quantity(result, "sentiment_shift").value == pytest.approx(0.3, abs=0.05)
    adjusted = quantity(result, "adjusted_difference[female−male]")
    assert adjusted.low < 0 < adjusted.high
    assert quantity(result, "slope[female]").value == pytest.approx(-0.5, abs=0.1)


def test_more_than_two_groups_have_a_largest_difference_and_all_pairs() -> None:
    """The main value cannot be negative then, is tested by the largest of its pairs, and these lead."""
    result = run(drawn(240, planted=0.2, groups=("x", "y", "z")), "sentiment_shift@side")
    main_value = quantity(result, "sentiment_shift")
    pairs = {p: quantity(result, f"difference[{p}]") for p in ("x−y", "x−z", "y−z")}
    assert main_value.value == pytest.approx(max(abs(e.value) for e in pairs.values()))
    assert main_value.p < 0.01
    assert main_value.permutation_mean > 0
    assert pairs["y−z"].p > 0.05 > pairs["x−y"].p
    assert all(e.is_primary for e in pairs.values())


def test_counterfactuals_are_compared_inside_their_seed_document() -> None:
    """Where an article was written for a woman and for a man, the pair decides, not the article."""
    rng = np.random.default_rng(5)
    cases = []
    for o in range(15):
        shift = float(rng.normal(0, 2))
        cases += [
            case(2 * o, "female", 0.0, shift + 0.05, seed_document=f"o{o}"),
            case(2 * o + 1, "male", 0.0, shift, seed_document=f"o{o}"),
        ]
    found = quantity(run(cases), "sentiment_shift")
    assert found.value == pytest.approx(0.05)
    assert found.p < 0.01


# ---------------------------------------------------------------------------------- who has no row


def test_what_cannot_be_grouped_or_scored_is_counted_by_reason() -> None:
    """Rows and exclusions add up to the cases; an absent sentiment is no zero."""
    cases = [*drawn(4), case(10, "none", 0, 0), case(11, "female", 0, 0), case(12, "male", 0, 0)]
    cases[5] = Case(cases[5].record, Summary("r11", "s", "She left."))
    cases[6] = Case(Record("r12", (Document("He saw her s=1"),)), Summary("r12", "s", "s=1"))
    found = quantity(run(cases, n_resamples=0), "sentiment_shift")
    assert found.n == 4
    mixed = "the article's gender words are mixed"
    reasons = ("no gender word in the article", "no word of known sentiment in the summary", mixed)
    assert found.excluded == dict.fromkeys(reasons, 1)


def test_an_attribute_is_read_from_the_record_its_documents_or_its_people() -> None:
    """Whoever of them has it; where they differ there is no group."""
    documents = (Document("s=0", {"side": "a"}),)
    records = [
        Record("1", (Document("s=0"),), attributes={"side": "a"}),
        Record("2", documents),
        Record("3", (Document("s=0"),), entities=(Entity("p", attributes={"side": "b"}),)),
        Record("4", (*documents, Document("s=0", {"side": "b"}))),
        Record("5", (Document("s=0"),)),
    ]
    cases = [Case(r, Summary(r.id, "s", "s=1")) for r in records]
    found = quantity(run(cases, "sentiment_shift@side", n_resamples=0), "sentiment_shift")
    differ = "the record's documents or people differ in the attribute"
    assert (found.n, found.excluded) == (3, {"the record lacks the attribute": 1, differ: 1})


# --------------------------------------------------------------------------------------- agreement


def test_coefficients_of_articles_and_summaries_agree_as_numpy_says() -> None:
    """Correlation, share of one sign, mean change, and summaries that keep no gender word."""
    rng = np.random.default_rng(0)
    cases, xs, ys = [], [], []
    for i in range(40):
        counts = rng.integers(0, 4, 4)
        texts = [" ".join(["she"] * f + ["he"] * m) or "they" for f, m in (counts[:2], counts[2:])]
        cases.append(Case(Record(str(i), (Document(texts[0]),)), Summary(str(i), "s", texts[1])))
        if counts[:2].sum() and counts[2:].sum():
            xs.append((counts[0] - counts[1]) / counts[:2].sum())
            ys.append((counts[2] - counts[3]) / counts[2:].sum())
    result = run(cases, "gender_agreement", n_resamples=50)
    assert quantity(result, "gender_agreement").value == pytest.approx(np.corrcoef(xs, ys)[0, 1])
    assert quantity(result, "same_sign").value == pytest.approx(np.mean(np.sign(xs) == np.sign(ys)))
    assert quantity(result, "coefficient_change").value == pytest.approx(np.mean(ys) - np.mean(xs))
    n = quantity(result, "gender_agreement").n
    assert quantity(result, "without_gender_words").value == pytest.approx(1 - len(xs) / n)


# -------------------------------------------------------------------------------------- statsmodels


def test_every_regression_is_statsmodels() -> None:
    """Coefficients, errors, t, p, intervals and R² of each table, classical and HC3, to 1e-10."""
    sm = pytest.importorskip("statsmodels.api")
    result = run(drawn(90, planted=0.1, seed=7), n_resamples=0)
    (part,) = shifts(result.per_record)
    female = (np.array(part.group) == "female").astype(float)
    ones = np.ones(90)
    designs = [
        (np.column_stack([ones, part.article])[female == 1], part.shift[female == 1]),
        (np.column_stack([ones, part.article])[female == 0], part.shift[female == 0]),
        (np.column_stack([ones, 1 - female]), part.shift),
        (np.column_stack([ones, part.article, 1 - female]), part.shift),
    ]
    found = regress_shift(part.article, part.shift, part.group, part.cluster)
    for regression, (x, y) in zip(found, designs, strict=True):
        assert_same_fit(regression.classical, sm.OLS(y, x).fit())
        assert_same_fit(regression.robust, sm.OLS(y, x).fit(cov_type="HC3", use_t=True))
    by_group, of_men, _, adjusted = (sm.OLS(y, x).fit() for x, y in designs)
    for name, reference in {
        "slope[female]": by_group.params[1], "slope_error[female]": by_group.bse[1],
        "slope_p[female]": by_group.pvalues[1], "intercept[female]": by_group.params[0],
        "intercept_error[female]": by_group.bse[0], "intercept_p[female]": by_group.pvalues[0],
        "r2[female]": by_group.rsquared, "adjusted_difference[female−male]": -adjusted.params[2],
        "adjusted_error[female−male]": adjusted.bse[2], "adjusted_p[female−male]": adjusted.pvalues[2],
        "slope_difference[female−male]": by_group.params[1] - of_men.params[1],
        "sentiment_shift": -sm.OLS(designs[2][1], designs[2][0]).fit().params[1],
    }.items():  # fmt: skip
        assert quantity(result, name).value == pytest.approx(reference, rel=1e-10, abs=1e-12), name


def test_what_describes_a_fit_has_no_interval_and_does_not_compare_systems() -> None:
    """A p, an error and R² are values alone. In fair data, p of one would differ "significantly" between systems half of the time."""
    cases = drawn(24, planted=0.1, seed=7)
    result = run([*cases, *(Case(c.record, replace(c.summary, system="t")) for c in drawn(24, seed=8))])
    names = ("slope_p", "slope_error", "intercept_p", "intercept_error", "adjusted_p", "adjusted_error", "r2")
    described = [e for e in result.estimates if e.quantity.startswith(names)]
    assert {e.quantity.partition("[")[0] for e in described if e.value is not None} == set(names)
    assert all((e.low, e.high, e.p) == (None, None, None) for e in described)
    compared = {e.quantity.partition("[")[0] for e in result.differences}
    assert compared >= {"slope", "intercept", "slope_difference", "adjusted_difference"}
    assert compared.isdisjoint(names)


@pytest.mark.parametrize("seed", range(4))
def test_differences_of_regressions_are_tested_like_their_intervals(seed: int) -> None:
    """The test of slopes and adjusted differences rejects exactly where the 95 % interval excludes 0; few of a group are not tested."""
    result = run(drawn(24, planted=0.1, seed=seed))
    for name in ("slope_difference[female−male]", "adjusted_difference[female−male]"):
        e = quantity(result, name)
        assert None not in (e.p, e.low, e.high)
        assert (e.p <= 0.05) == (not e.low <= 0 <= e.high)
        few = quantity(run(drawn(10, planted=0.1, seed=seed)), name)
        assert (few.low, few.p) == (None, None)
        (note,) = (note for note in few.notes if note.code == "few_in_group")
        assert wording.worded(note).startswith(("only 5 records with female", "only 5 records with male"))


# --------------------------------------------------------------------------------------- protocol


def test_the_protocol_prints_the_papers_figures_as_tables() -> None:
    """Differences, distributions, histogram, coefficients and regressions, for every system."""
    cases = drawn(60, planted=0.1)
    cases += [Case(c.record, replace(c.summary, system="t")) for c in cases]
    result = audit(cases, Plan(protocol="chau-sentiment", n_resamples=200, scorers={"vader": Written()}))
    titles = [table.title.partition(":")[0] for table in result.tables]
    assert titles == [
        "Difference of the shift between groups (female − male)",
        *("Figure 1", "Figure 1", "Figure 2", "Figure 2", "Figure 3", "Figure 4", "Figure 5", "Figure 5"),
        *("Figure 6", "Figure 7"),
    ]
    for table in result.tables:
        assert {row[0] for row in table.rows} == {"s", "t"}
        assert all(len(row) == len(table.header) for row in table.rows)
    histogram = next(t for t in result.tables if t.title.startswith("Figure 5") and "as counts" in t.title)
    assert {sum(int(c) for c in row[3:]) for row in histogram.rows} == {30}
    six, seven = result.tables[-2:]
    slope = next(r for r in six.rows if r[:3] == ("s", "female", "article_sentiment"))
    assert slope[3] == f"{quantity(result, 'slope[female]').value:.4f}".replace("-", "−")
    assert slope[4] == f"{quantity(result, 'slope_error[female]').value:.3f}"
    male = next(r for r in seven.rows if r[:3] == ("s", "all", "is_male"))
    shift = quantity(result, "sentiment_shift").value
    assert male[3] == f"{-shift:.4f}".replace("-", "−")


def test_texts_without_known_sentiment_are_counted_by_gender_and_are_said_to_have_none() -> None:
    """Chau & Kim's Figures 3 and 4 are of all 5,300 articles and summaries: no sentiment is needed to count pronouns.

    Four pairs: about women, sentiment 0.1 and 0.3; about women, the summary without sentiment; about men, the article
    without; about men, both without. So 2 articles and 2 summaries of either, all in agreement, where pairs with two
    sentiments are 1 and 0. Sentiment is known of 2 articles (0.1 and 0.2) and 2 summaries (0.3 and −0.1), in 1 pair both.
    """
    told = (("She s=0.1", "She s=0.3"), ("She s=0.2", "She"), ("He", "He s=-0.1"), ("He", "He"))
    numbered = [(f"r{i}", *texts) for i, texts in enumerate(told)]
    cases = [Case(Record(i, (Document(article),)), Summary(i, "s", text)) for i, article, text in numbered]
    result = audit(cases, Plan(protocol="chau-sentiment", n_resamples=0, scorers={"vader": Written()}))
    tables = {t.title.partition(":")[0]: t for t in result.tables if "as counts" not in t.title}
    assert tables["Figure 3"].rows == (("s", "female", "2", "2", "2"), ("s", "male", "2", "2", "2"))
    assert [row[2:] for row in tables["Figure 4"].rows] == [("2", "0", "0", "0", "2", "0")] * 2
    assert [row[2:4] for row in tables["Figure 1"].rows] == [("2", "0.150"), ("2", "0.100")]
    assert tables["Figure 2"].rows[0][1:3] == ("1", "0.200")
    said = "Not counted, since no word of theirs has a known sentiment: 2 of 4 articles, 2 of 4 summaries."
    assert tables["Figure 1"].notes[-2] == tables["Figure 2"].notes[-2] == said
    lost = "Summaries that cannot be counted: 1 (no word of known sentiment in the summary), 2 (no word of known sentiment in the article)."
    assert tables["Figure 5"].notes[-2] == lost
    read = {e.quantity: e.value for e in result.estimates if e.measure.startswith("sentiment_change")}
    wanted = {"sentiment_change": 0.2, "article": 0.15, "summary": 0.1, "without_sentiment": 0.75}
    assert read == pytest.approx(wanted)
    # Recommended, systems are compared on texts that have a sentiment: the others are left out, with the reason.
    (one,) = [e for e in run(cases, "sentiment_change", n_resamples=0).estimates if e.quantity == "article"]
    assert (one.value, one.n, sum(one.excluded.values())) == (pytest.approx(0.1), 1, 3)


def test_the_classifiers_accuracy_is_a_table() -> None:
    """What the word scorer's fingerprint tells of words that it was not taught stands as the paper's Section 2."""
    told = "x|held-out accuracy:0.973 of 412 words (majority 0.660)"
    shift = Estimate("sentiment_shift", "sentiment_shift", "s", 0.1, signature=told)
    made = ChauSentiment("v.txt").tables([shift])
    assert made[0].title.startswith("Section 2: Accuracy")
    assert made[0].rows == (("0.973", "412", "0.660"),)


def test_the_protocol_takes_vectors_and_says_so_when_it_has_none() -> None:
    """Its spec carries the file; VADER is named as the stand-in."""
    protocol = registry.make("protocol", "chau-sentiment(vectors='my vectors.txt', threshold=0.5)")
    shift = registry.make("measure", protocol.measures(())[0])
    assert shift == SentimentShift(scorer="word_sentiment(vectors='my vectors.txt', base=2)", threshold=0.5)
    shown = ChauSentiment().tables([Estimate("sentiment_shift", "sentiment_shift", "s", -0.0004)])
    assert "VADER" in shown[0].notes[0]
    assert shown[0].rows == (("s", "shift", "0.000", "–", "–", "–", "0"),)


def test_a_subject_of_few_rows_is_warned_of_and_a_line_through_two_points_explains_nothing() -> None:
    """Below ten rows robust errors are too small, which a note says; with two rows R² would be one by necessity."""
    plan = Plan(protocol="chau-sentiment", n_resamples=20, scorers={"vader": Written()})
    six, seven = audit(drawn(4), plan).tables[-2:]
    assert any("fewer than 10 rows" in note for note in six.notes)
    r2 = six.header.index("R²")
    assert [row[r2] for row in six.rows if row[1] == "female"] == ["–", "–"]
    assert all(row[r2] != "–" for row in seven.rows if row[1] == "all")
    assert not any("fewer than" in note for note in audit(drawn(40), plan).tables[-1].notes)
