"""One family for all that may lead: Holm over it, an interval for all at once, and records too small for any test."""

import pytest
from scipy.stats import t
from tests.sample_results import printed

import fairbrief
from fairbrief.auditing.estimating import Settings
from fairbrief.auditing.multiple_tests import with_families, with_holm
from fairbrief.conclusions import conclusion
from fairbrief.errors import RequestError
from fairbrief.reports.wording import worded
from fairbrief.statistics.jackknife import t_quantile
from fairbrief.types import Estimate

SETTINGS = Settings(n_resamples=2000)
ALONE = float(t_quantile(0.95, 19.0)) * 0.05
REVIEWS = "examples/reviews.jsonl"


def difference(
    over: str, group: str, p: float, system: str = "s", value: float = -0.2, **more: object
) -> Estimate:
    """A leading group difference that random sentences were observed for; t with 19 degrees of freedom, error 0.05."""
    return Estimate(
        f"coverage_parity@{over}", f"relative_difference[{group}]", system, value, low=value - 0.1, high=value + 0.1, over=over,
        group=group, is_primary=True, kind="group_difference", clusters=20, n=20, extract_baseline=0.0, extract_difference=value,
        extract_difference_low=value - ALONE, extract_difference_high=value + ALONE, extract_p=p, extract_se=0.05,
        extract_freedom=19.0,
    ).replace(**more)  # fmt: skip


FAMILIES = {
    # The smallest p is multiplied by 4, the next by 3, whatever the attribute.
    "all attributes and systems": (
        [difference("party", "left", 0.02, value=-0.3), difference("age", "old", 0.01),
         difference("age", "young", 0.5, value=0.1), difference("age", "old", 0.3, "t", 0.05)],
        [(0.06, 4), (0.04, 4), (0.6, 4), (0.6, 4)],
    ),
    # What was named in advance keeps its p; the others are a family without it.
    "named in advance": (
        [difference("party", "left", 0.02, is_named=True), difference("age", "old", 0.01, value=-0.3),
         difference("age", "young", 0.5)],
        [(0.02, 1), (0.02, 2), (0.5, 2)],
    ),
    # What one of two groups has more the other has less: the same p counts once.
    "mirrored": (
        [difference("side", "a", 0.03), difference("side", "b", 0.03, value=0.2)], [(0.03, 1), (0.03, 1)],
    ),
    # A difference of two systems, and a value without random sentences, are families of their own.
    "other baselines": (
        [difference("side", "a", 0.01), difference("side", "a", 0.04, value=-0.1, baseline="t"),
         difference("side", "b", 0.02).replace(extract_difference=None, extract_p=None, p=0.02, se=0.05, freedom=19.0)],
        [(0.01, 1), (0.04, 1), (0.02, 1)],
    ),
}  # fmt: skip


def test_label_permutations_alone_name_nobody_where_random_sentences_were_observed() -> None:
    """A group in two records has a difference from random sentences, but no p for it."""
    assert conclusion(difference("side", "b", 0.02).replace(extract_p=None, p=0.001), 0.05) == "not tested"


@pytest.mark.parametrize("name", FAMILIES)
def test_holms_correction_is_made_over_a_whole_family(name: str) -> None:
    """Each p as corrected, and the number of tests."""
    tests, wanted = FAMILIES[name]
    found = with_families(tests, SETTINGS)
    assert [e.family_p for e in found] == pytest.approx([p for p, _ in wanted])
    assert [e.family_size for e in found] == [size for _, size in wanted]


def test_the_interval_holds_for_the_whole_family() -> None:
    """Bonferroni's for two: t(0.9875, 19) = 2.4334 standard errors; a significant one does not cross 0, and what permuted groups do
    not show to differ includes it.
    """
    one, two = with_families([difference("a", "x", 0.001), difference("b", "y", 0.026, value=-0.1)], SETTINGS)
    half = 2.4334 * 0.05
    assert (one.family_low, one.family_high) == pytest.approx((-0.2 - half, -0.2 + half), abs=1e-4)
    assert two.family_p == pytest.approx(0.026)
    assert two.family_high == 0
    # A p against the mean of label permutations does not show on which side of 0 a value nearer to 0 is.
    alone = {
        "extract_difference": None,
        "extract_baseline": None,
        "extract_p": None,
        "p": 0.001,
        "permutation_mean": -0.2,
    }
    one = difference("a", "x", 0.001, value=-0.02).replace(**alone, se=0.05, freedom=19.0)
    (found,) = with_families([one], SETTINGS)
    assert found.family_high == pytest.approx(0.08)  # that of this test alone
    (by_permutation,) = with_families([difference("a", "x", 0.2)], SETTINGS)
    assert by_permutation.family_high == 0


def test_primary_names_a_measure_that_is_taken_and_a_group_difference_that_leads() -> None:
    """A name that nothing has is refused with what there is."""
    parity = "coverage_parity@sentiment"
    asked = f"{parity}:relative_difference[neutral]{{rosy}}"
    found = fairbrief.audit(REVIEWS, parity, primary=asked, n_resamples=100)
    (named,) = (e for e in found.estimates if e.is_named)
    assert (named.group, named.system, named.family_size) == ("neutral", "rosy", 1)
    assert "Holm over 5 comparisons (named in advance: over 1)" in " ".join(printed(found.result, 80).split())
    with pytest.raises(RequestError, match="the audit does not compute uer@sentiment"):
        fairbrief.audit(REVIEWS, parity, primary="uer@sentiment", n_resamples=100)
    with pytest.raises(RequestError, match=r"relative_difference\[negative\]\{balanced\}"):
        fairbrief.audit(REVIEWS, parity, primary=f"{parity}:relative_difference[x]", n_resamples=100)


def test_what_differs_from_random_sentences_whatever_the_labels_is_not_significant() -> None:
    """LexRank gives the large group 1 point less than random sentences do, and so it does with shuffled labels."""
    found = [
        difference("place", "large", 1e-9, value=-0.01, se=0.002, freedom=19.0, permutation_mean=-0.0105),
        difference("place", "small", 1e-9, value=-0.01, se=0.002, freedom=19.0, permutation_mean=0.0),
    ]
    large, small = with_families(found, SETTINGS)
    assert large.label_p == 1.0  # above its permutation mean, below random sentences
    assert large.family_p == 1.0
    assert conclusion(large, 0.05) == "as permuted"
    assert small.label_p == pytest.approx(2 * t.sf(5.0, 19))
    assert conclusion(small, 0.05) == "below"


def test_a_difference_that_only_random_sentences_show_after_correction_is_said_to_be_one() -> None:
    """Both p are below 0.05 alone; of two comparisons only that of random sentences is: its interval excludes 0."""
    one = difference("place", "a", 1e-9, se=0.09, freedom=19.0, permutation_mean=0.0)
    found, _ = with_families([one.replace(p=0.01), difference("place", "b", 0.9)], SETTINGS)
    assert found.label_p == pytest.approx(0.0386, abs=1e-4)
    assert (found.family_high or 0.0) < 0
    assert conclusion(found, 0.05) == "as permuted"


def test_a_difference_of_systems_is_held_against_their_permutation_means() -> None:
    """Two systems that differ by 1 point do so with shuffled labels, too: no difference of theirs is significant."""
    means = (("s", -0.13), ("t", -0.12))
    systems = [difference("place", "a", 0.5, name, permutation_mean=mean) for name, mean in means]
    one = difference("place", "a", 1e-9, baseline="t", value=-0.01, se=0.002, freedom=19.0)
    (gap,) = with_families([one], SETTINGS, systems)
    assert gap.label_p == pytest.approx(1.0)
    assert conclusion(gap, 0.05) == "as permuted"
    (gap,) = with_families([one], SETTINGS, [e.replace(permutation_mean=0.0) for e in systems])
    assert conclusion(gap, 0.05) == "below"


def test_a_family_that_needs_more_resamples_says_so() -> None:
    """The least p of 99 two-sided permutations is 0.02: of 3 comparisons none can be significant; 120 would do."""
    few = Settings(n_resamples=99)
    tests = [
        difference("age", group, 0.5, value=value).replace(extract_p=None, extract_difference=None, p=p)
        for group, p, value in (("old", 0.02, -0.3), ("middle", 0.4, 0.1), ("young", 0.6, 0.2))
    ]
    least, *others = with_families(tests, few)
    assert [note.arguments["resamples"] for note in least.notes] == [120]
    assert not any(e.notes for e in others)
    assert not any(e.notes for e in with_families(tests, Settings(n_resamples=999)))


def test_what_could_not_be_significant_beside_the_others_is_not_testable() -> None:
    """Seven tests of eight clusters: 7/128 is above .05, so that no p is given; six of them are testable."""
    seven = [Estimate("m", "m", "s", 0.5, p=1 / 128, smallest_p=1 / 128, testable=True)] * 7
    found = with_holm(seven, Settings())
    assert {(e.testable, e.p, e.p_adjusted) for e in found} == {(False, None, None)}
    assert "not testable among 7 tests" in worded(found[0].notes[0])
    assert "Unadjusted p = 0.0078" in worded(found[0].notes[0])
    found = with_holm(seven[:6], Settings())
    assert {(e.testable, e.p_adjusted) for e in found} == {(True, 6 / 128)}
