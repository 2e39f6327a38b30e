"""The gate on estimates so plain that its decision can be read off them: at its limits, and just beyond."""

import math
from dataclasses import replace
from typing import Any

import pytest
from tests.unit.test_gate import hold, hold_margin

from fairbrief.auditing.differences import Change
from fairbrief.errors import RequestError
from fairbrief.saved import gate
from fairbrief.saved.gate_rules import Rule, rule
from fairbrief.types import Estimate


def estimate(low: float | None, high: float | None, **more: Any) -> Estimate:
    """A level of 20 records between two bounds."""
    told = {"measure": "m@x", "quantity": "m", "system": "a", "n": 20, "clusters": 20, **more}
    value = None if low is None or high is None else (low + high) / 2
    return Estimate(value=value, low=low, high=high, **told)


def outcome(text: str, *estimates: Estimate, **more: Any) -> str:
    """What one rule makes of one estimate."""
    (check,) = hold(text, estimates, **more)
    return check.outcome


def test_a_shell_sees_zero_one_and_three() -> None:
    """Pass, fail and inconclusive, in this order; one failure outweighs, one doubt spoils a pass."""
    assert gate.EXIT == {"pass": 0, "fail": 1, "inconclusive": 3}
    checks = [gate.Check("c", o, "") for o in ("pass", "inconclusive", "fail")]
    assert [gate.overall(checks[:k]) for k in (0, 1, 2, 3)] == ["pass", "pass", "inconclusive", "fail"]


@pytest.mark.parametrize(("low", "high", "text", "told"), [
    (0.1, 0.3, "m@x<=0.3", "pass"), (0.1, 0.31, "m@x<=0.3", "inconclusive"),
    (0.3, 0.4, "m@x<=0.3", "inconclusive"), (0.31, 0.4, "m@x<=0.3", "fail"), (0.3, 0.4, "m@x>=0.3", "pass"),
    (0.29, 0.4, "m@x>=0.3", "inconclusive"), (0.2, 0.3, "m@x>=0.3", "inconclusive"),
    (0.2, 0.29, "m@x>=0.3", "fail"),
])  # fmt: skip
def test_a_bound_on_the_limit_keeps_it(low: float, high: float, text: str, told: str) -> None:
    """The whole interval keeps a limit that it touches, and breaks one that it does not."""
    assert outcome(text, estimate(low, high)) == told


def test_twenty_records_are_wanted() -> None:
    """Nineteen decide nothing, twenty do; nor does a value without an interval, whatever its number."""
    assert outcome("m@x<=0.5", estimate(0.1, 0.2)) == "pass"
    assert outcome("m@x<=0.5", estimate(0.1, 0.2, clusters=19)) == "inconclusive"
    (check,) = hold("m@x<=0.5", [estimate(None, 0.2)])
    assert (check.outcome, check.message) == ("inconclusive", "no interval (n = 20)")
    for broken in (estimate(0.1, 0.2).replace(high=math.inf), estimate(0.1, 0.2).replace(low=None)):
        assert outcome("m@x<=0.5", broken) == "inconclusive"


def test_records_that_agree_leave_clopper_and_pearsons_doubt() -> None:
    """None of 20 at 95 % leaves 1 - 0.025^(1/20) = 0.168, at 50 % 1 - 0.25^(1/20) = 0.067; no record leaves all."""
    alike = estimate(0.0, 0.0)
    assert [outcome(f"m@x<={limit}", alike) for limit in (0.169, 0.168)] == ["pass", "inconclusive"]
    half = [outcome(f"m@x<={limit}", alike, level=0.5) for limit in (0.067, 0.066)]
    assert half == ["pass", "inconclusive"]
    below = estimate(1.0, 1.0)
    assert [outcome(f"m@x>={limit}", below) for limit in (0.831, 0.832)] == ["pass", "inconclusive"]
    assert outcome("m@x<=0.5", estimate(0.0, 0.0, clusters=0)) == "inconclusive"


@pytest.mark.parametrize(("more", "told"), [
    ({"p": 0.25}, "fail"), ({"p": 0.26}, "inconclusive"), ({"p": None}, "inconclusive"),
    ({"p": 0.9, "chance_adjusted": 0.1}, "fail"), ({"p": 0.9, "kind": "group_difference"}, "fail"),
])  # fmt: skip
def test_a_unsigned_score_fails_only_if_its_test_rejects_in_one_tail(more: dict[str, Any], told: str) -> None:
    """At 50 % one tail is (1 - 0.5)/2 = 0.25; a contrast, and a mean with a chance-adjusted score, fail by their interval alone."""
    found = estimate(0.2, 0.3, **{"kind": "unsigned_disparity", **more})
    assert outcome("m@x<=0.1", found, level=0.5) == told
    assert outcome("m@x<=0.4", found, level=0.5) == "pass"
    if told == "inconclusive":
        (check,) = hold("m@x<=0.1", [found], 0.5)
        assert "[0, 0.3]" in check.message


def test_a_check_of_an_unsigned_score_says_what_it_holds() -> None:
    """What random sentences and label permutations score, or that the interval begins at 0; of other values nothing."""
    size = estimate(0.2, 0.3, kind="unsigned_disparity", p=0.001, permutation_mean=0.05)
    permuted = "label permutations score 0.05 on average"
    for ends, changes in {
        permuted: {"chance_adjusted": 0.2},
        f"random sentences score 0.105, {permuted}": {"chance_adjusted": 0.2, "extract_baseline": 0.105},
        "its interval begins at 0 unless its test rejects": {},
    }.items():
        message = hold("m@x<=0.1", [size.replace(**changes)])[0].message
        assert message.endswith(f"n = 20; an unsigned score, {ends}")
    for changes in ({"kind": "label_independent"}, {"kind": "group_difference"}):
        one = size.replace(**changes)
        message = hold("m@x<=0.1", [one])[0].message
        assert message.endswith("n = 20")
        assert ("a − b" in message) == bool(one.baseline)
        assert message.startswith("the whole interval breaks the limit: 0.25, ") == (not one.baseline)


def test_subgroups_and_sanity_baselines_are_held_to_nothing() -> None:
    """A rule speaks of the whole input and of systems."""
    bad = estimate(0.8, 0.9)
    others = [bad.replace(subgroup={"topic": "x"}), bad.replace(system="c", system_kind="sanity_baseline")]
    assert outcome("m@x<=0.5", estimate(0.1, 0.2), *others) == "pass"
    for system, said in (("c", r" It has: a\."), ("aa", r" Did you mean 'a'\?")):
        with pytest.raises(RequestError, match=rf"no system '{system}' for the rule .*{said}"):
            hold(f"m@x{{{system}}}<=0.5", [bad, *others])
    assert outcome("m@x{a}<=0.5", estimate(0.1, 0.2), bad.replace(system="b")) == "pass"


def test_a_rule_names_a_main_value_or_a_quantity() -> None:
    """Without a quantity it is the main value; of a measure that read no record, the estimate that says why."""
    main_value, part = estimate(0.1, 0.2), estimate(0.8, 0.9, quantity="part")
    assert outcome("m@x<=0.5", main_value, part) == "pass"
    assert outcome("m@x:part<=0.5", main_value, part) == "fail"
    assert outcome("m@x<=0.5", part.replace(value=None, n=0)) == "inconclusive"
    absent = r"'m@x<=0.5': the audit has no such estimate.*It has: m@x:part\."
    for one in (part.replace(value=None), part.replace(n=0)):
        with pytest.raises(RequestError, match=absent):
            hold("m@x<=0.5", [one])
    with pytest.raises(RequestError, match=r"Did you mean 'mean@x'\? It has: mean@x\."):
        hold("maen@x<=0.5", [main_value.replace(measure="mean@x", quantity="mean")])
    with pytest.raises(RequestError, match=r"Did you mean 'm@x:part'\?") as raised:
        hold("m@x:prat<=0.5", [part, part.replace(measure="other@x")])
    assert "other@x" not in str(raised.value)


def test_a_level_is_held_on_the_side_that_is_worse() -> None:
    """A quality from below, a level of which less is better from above; with doubt unless all rows are the same."""
    alike = Change(estimate(0.0, 0.0, baseline="b"))
    for is_quality, side in ((False, "higher"), (True, "lower")):
        alike = replace(alike, more_is_better=is_quality)
        (check,) = hold_margin([alike], 0.1)
        assert (check.name, check.outcome) == (f"m@x [a] at most 0.1 {side} than [b]", "inconclusive")
        assert hold_margin([replace(alike, are_equal=True)], 0.1)[0].outcome == "pass"
    (check,) = hold_margin([alike], 0.17)
    assert check.outcome == "pass"  # the doubt is 0.168
    (check,) = hold_margin([Change(alike.difference.replace(baseline="a"))], 0.1)
    assert check.name.endswith("than in the baseline")


def group_difference(now: float, before: float, half: float = 0.01, **more: Any) -> Change:
    """A group difference that was ``before`` and is ``now``, less the random-sentence baseline."""
    gap, growth = now - before, abs(now) - abs(before)
    e = estimate(
        0.8, 0.9, baseline="b", is_primary=True, extract_difference=gap, extract_difference_low=gap - half,
        extract_difference_high=gap + half, **{"quantity": "difference[g]", "group": "g", **more},
    )  # fmt: skip
    ends = {"low": growth - half, "high": growth + half}
    return Change(e, is_contrast=True, from_random=True, now=now, before=before, **ends)


@pytest.mark.parametrize(("now", "before", "told"), [
    (-0.076, -0.152, "pass"), (-0.152, -0.076, "fail"), (0.05, -0.152, "pass"), (0.2, -0.1, "fail"),
    (-0.152, -0.15, "pass"), (-0.17, -0.15, "inconclusive"),
])  # fmt: skip
def test_a_group_difference_may_shrink_and_not_grow(now: float, before: float, told: str) -> None:
    """One check: its distance from random sentences may grow by the margin."""
    (check,) = hold_margin([group_difference(now, before)], 0.02)
    assert check.outcome == told
    assert check.name == "m@x:difference[g] [a] at most 0.02 further from random sentences than [b]"
    assert f"{now:+.4g} from random sentences, {before:+.4g} in the baseline audit; " in check.message


def test_group_differences_that_mirror_each_other_are_one_check() -> None:
    """Of two groups one gets what the other lacks, in however many measures; a third group, and another system, are checks of their own."""
    one = group_difference(-0.2, -0.1)
    mirrored = group_difference(0.2, 0.1, quantity="difference[h]", group="h")
    third = group_difference(-0.2, -0.15, quantity="difference[i]", group="i")
    other = group_difference(-0.2, -0.1, system="c")
    shared = group_difference(-0.2, -0.1, measure="n@x")
    found = hold_margin([one, mirrored, third, other, shared], 0.02)
    names = [check.name.partition(" at")[0] for check in found]
    assert names == ["m@x:difference[g] [a]", "m@x:difference[i] [a]", "m@x:difference[g] [c]"]


@pytest.mark.parametrize(("limit", "more", "told"), [
    (0.7, {}, " (about 200 records, if the value stays the same)"), (0.7, {"n": 300}, " (about 200 independent groups, if the value stays the same)"),
    (0.5, {}, ""), (0.7, {"se": None}, ""), (0.2, {"baseline": "b"}, " (about 270 records, if nothing is worse than in the baseline)"),
    (0.4, {"baseline": "b"}, ""),
])  # fmt: skip
def test_an_inconclusive_check_says_how_many_records_decide(
    limit: float, more: dict[str, Any], told: str
) -> None:
    """The error of 100 records is 0.1, and (t.975 + t.8) · 0.1 · √(100/n) is 0.2 at n = 201; beside a baseline (t.975 + t.9) is 0.2 at
    269, and 0.4 at 68, fewer than there are.
    """
    e = estimate(0.1, 0.9, **{"n": 100, "clusters": 100, "se": 0.1, "freedom": 99, **more})
    (check,) = gate.decided([gate.Asked("c", e, "<=", limit)])
    assert check.outcome == "inconclusive"
    assert check.message.endswith(f"add records to decide{told}")


def test_twenty_records_of_the_group_are_wanted() -> None:
    """Where the records that have a group are counted, these decide."""
    few = estimate(-0.6, -0.4, quantity="difference[g]", n=200, clusters=200, group="g", group_clusters=3)
    (check,) = hold("m@x:difference>=-0.1", [few])
    assert (check.outcome, check.message) == ("inconclusive", "3 records with g; a decision needs 20")
    (of_clusters,) = hold("m@x:difference>=-0.1", [few.replace(n=600)])
    assert of_clusters.message == "3 independent groups with g; a decision needs 20"


def test_a_limit_on_the_difference_from_random_sentences_holds_every_group() -> None:
    """Without a group in brackets there is a check for each; with one, its own; the baseline is subtracted on request only."""
    one, two = (
        estimate(
            -0.5, -0.4, quantity=f"difference[{g}]", group=g, kind="group_difference", extract_baseline=-0.4,
            extract_difference=gap, extract_difference_low=gap - 0.02, extract_difference_high=gap + 0.02,
        )
        for g, gap in (("g", -0.05), ("h", -0.3))
    )  # fmt: skip
    both = hold("m@x:difference-random>=-0.1", [one, two])
    assert [(check.name, check.outcome) for check in both] == [
        ("m@x:difference[g]-random>=-0.1 [a]", "pass"),
        ("m@x:difference[h]-random>=-0.1 [a]", "fail"),
    ]
    assert outcome("m@x:difference[g]-random>=-0.1", one, two) == "pass"
    assert outcome("m@x:difference[g]>=-0.1", one, two) == "fail"


def test_where_there_is_no_random_baseline_nothing_is_passed() -> None:
    """A group difference without one is inconclusive; of an unsigned score or a level there is none to ask for."""
    without = estimate(0.0, 0.01, quantity="difference[g]", kind="group_difference")
    (check,) = hold("m@x:difference-random>=-0.1", [without])
    assert check.outcome == "inconclusive"
    assert check.message == "undefined: no random-sentence baseline (n = 20)"
    for one in (
        estimate(0.0, 0.01, kind="unsigned_disparity", extract_baseline=0.3),
        estimate(0.0, 0.01),
        estimate(0.0, 0.01, quantity="chance_adjusted", kind="group_difference"),
    ):
        with pytest.raises(RequestError, match="is not a group difference"):
            hold(f"m@x:{one.quantity}-random<=0.1", [one])


@pytest.mark.parametrize(("text", "read"), [
    ("bur@side<=0.1", Rule("bur@side", "", "<=", 0.1)),
    ("m:part { gpt-4 } >= -2e-1", Rule("m", "part", ">=", -0.2, "gpt-4")),
    ("m(a:b)<=1", Rule("m(a:b)", "", "<=", 1.0)), ("m(a:b):part<=1", Rule("m(a:b)", "part", "<=", 1.0)),
    ("m{x}y<=1", Rule("m{x}y", "", "<=", 1.0)), ("m}<=1", Rule("m}", "", "<=", 1.0)),
    ("m(kind>=1)<=2", Rule("m(kind>=1)", "", "<=", 2.0)), ("m(kind<=1)>=2", Rule("m(kind<=1)", "", ">=", 2.0)),
    ("m:part[g]-random>=-1", Rule("m", "part[g]", ">=", -1.0, from_random=True)),
    ("m:-random>=-1", Rule("m", "-random", ">=", -1.0)),
    ("m(s=a:b)@o:part[x: y)]-random{s]}>=-1", Rule("m(s=a:b)@o", "part[x: y)]", ">=", -1.0, "s]", from_random=True)),
    ("m@'a:b(':part[{]{a{b}}<=1", Rule("m@'a:b('", "part[{]", "<=", 1.0, "a{b}")),
])  # fmt: skip
def test_a_rule_is_read_from_its_last_sign(text: str, read: Rule) -> None:
    """Spaces do not count, a colon in round brackets is a setting's, and braces at the end name a system; names may have any sign."""
    assert rule(text) == read


def test_a_rule_is_written_as_it_is_read() -> None:
    """With its quantity and its system, if it has them."""
    for text in ("m<=0.1", "m:part<=0.1", "m{gpt-4}>=0.1", "m:part{gpt-4}>=0.1", "m:part-random{gpt-4}>=0.1"):
        assert str(rule(text)) == text
    for text in ("m{}<=1", "<=1", "{a}<=1", "m<=nan", "m<=1e999", "m"):
        with pytest.raises(RequestError, match="is not a valid rule"):
            rule(text)


def test_a_check_fails_only_if_it_would_among_all_checks() -> None:
    """An interval that just breaks the limit fails alone; as one of twenty systems' it is inconclusive and says so."""
    one = estimate(0.41, 0.59, clusters=200, n=200)
    (alone,) = hold("m@x<=0.4", [one])
    assert alone.outcome == "fail"
    several = hold("m@x<=0.4", [one.replace(system=f"s{i}") for i in range(20)])
    assert {check.outcome for check in several} == {"inconclusive"}
    assert "the interval breaks the limit, but not when corrected for 20 checks" in several[0].message
    clear = hold("m@x<=0.2", [one.replace(system=f"s{i}") for i in range(20)])
    assert {check.outcome for check in clear} == {"fail"}


def test_a_bound_is_widened_by_the_degrees_of_freedom_of_its_own_interval() -> None:
    """A value that few of 200 clusters decide has a wide t interval, which many checks widen further than one of all clusters."""
    one = Estimate("m@x", "m", "a", 0.5, low=0.41, high=0.59, clusters=200, n=200, freedom=199)
    for freedom, told in ((199, "fail"), (4, "inconclusive")):
        both = [one.replace(system=system, freedom=freedom) for system in ("a", "b")]
        assert {check.outcome for check in hold("m@x<=0.39", both)} == {told}
    random = one.replace(
        quantity="difference[g]", kind="group_difference", extract_difference=0.5, extract_difference_low=0.41,
        extract_difference_high=0.59, extract_freedom=4,
    )  # fmt: skip
    both = [random.replace(system=system) for system in ("a", "b")]
    assert {check.outcome for check in hold("m@x:difference-random<=0.39", both)} == {"inconclusive"}
