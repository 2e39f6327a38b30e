"""Mixtures, stratified sets and sets of reviews: counts exact, seeds kept, impossible designs refused."""

from collections import Counter

import pytest

from fairbrief.errors import RequestError
from fairbrief.types import Document, Record
from fairbrief.workbench.corpora import sets
from fairbrief.workbench.corpora.text_sources import gather, limits

TEXTS = [Document(f"text {i}", {"g": "a" if i % 3 else "b"}) for i in range(60)]
HALF = sets.parse_mix("a=.5,b=.5")


def values(record: Record) -> Counter[str]:
    """How many documents of each value."""
    return Counter(d.attributes["g"] for d in record.documents)


def test_shares_by_largest_remainder() -> None:
    """Shares that are not whole go to the largest remainder, of equal ones to the first named; 0.2 of 50 is 10."""
    assert sets.parse_mix("a=1/3,b=1/3,c=1/3").counts(10) == {"a": 4, "b": 3, "c": 3}
    assert sets.parse_mix("a=.15,b=.85").counts(10) == {"a": 2, "b": 8}
    assert all(sets.parse_mix("m=.2,f=.8").counts(n)["m"] * 5 == n for n in range(5, 500, 5))


@pytest.mark.parametrize("text", ["a=.5", "a=.5,b=.4", "a=.5,a=.5", "a=-1,b=2", "a,b", "=1", "a=x,b=1"])
def test_broken_mixes(text: str) -> None:
    """Shares that do not sum to one, values named twice and other slips are refused."""
    with pytest.raises(RequestError):
        sets.parse_mix(text)


def test_rounds_use_every_text_before_any_twice() -> None:
    """No text is used a second time while another of its value is unused, so samples share none while the texts suffice, and none repeats one."""
    used: Counter[str] = Counter()
    for record in sets.mixtures(TEXTS, "g", [6], [HALF], 12):
        texts = [d.text for d in record.documents if d.attributes["g"] == "b"]
        assert len(set(texts)) == len(texts)
        used.update(texts)
        # a sample may straddle two rounds: its first texts end the one, its last begin the next
        counts = [used[d.text] for d in TEXTS if d.attributes["g"] == "b"]
        assert max(counts) - min(counts) <= 1
    assert sum(used.values()) == 36
    assert len(used) == 20


def test_seeds_decide_and_cells_stand_alone() -> None:
    """One seed gives the same sets, another others; a cell does not depend on the cells beside it; sets are shuffled."""
    one = list(sets.mixtures(TEXTS, "g", [10], [HALF], 5))
    assert one == list(sets.mixtures(TEXTS, "g", [10], [HALF], 5))
    assert one == list(sets.mixtures(TEXTS, "g", [4, 10], [sets.parse_mix("a=1"), HALF], 5))[-5:]
    assert one != list(sets.mixtures(TEXTS, "g", [10], [HALF], 5, seed=1))
    assert len({tuple(d.attributes["g"] for d in r.documents) for r in one}) > 1


@pytest.mark.parametrize(("counts", "mixes", "unit", "said"), [
    ([0], [HALF], "t", "at least one"),
    ([5], [HALF], "a", "both a value"),
    ([4, 4], [HALF], "t", "twice"),
    ([4], [HALF, HALF], "t", "twice"),
    ([4, 50], [HALF], "t", "needs 25 of 'b' .*b 20.*smaller"),
])  # fmt: skip
def test_unusable_designs(counts: list[int], mixes: list[sets.Mix], unit: str, said: str) -> None:
    """A size of none, a unit named like a value, a size or mix that is given twice, and any set of more texts than there are are refused before the first record."""
    with pytest.raises(RequestError, match=said):
        next(sets.mixtures(TEXTS, "g", counts, mixes, 1, unit=unit))


def test_pools_say_what_they_leave_out() -> None:
    """Texts that are blank, unlabelled, of another value, repeated or too long are left out and counted."""
    texts = ["one two", "", "one two", "one two three", "one"]
    records = [Record(str(i), (Document(t, {"g": "a", "extra": "x"}),)) for i, t in enumerate(texts)]
    records += [Record("n", (Document("no label"),)), Record("c", (Document("two words", {"g": "c"}),))]
    left_out = Counter[str]()
    topics = gather(records, "g", left_out, values=["a"], admits=limits(2, 2, "words"), distinct=True)
    assert topics == {"": [Document("one two", {"g": "a"})]}
    assert left_out == {
        "no text": 1, "the same text again": 1, "not of the wanted length": 2, "no 'g'": 1, "another 'g'": 1,
    }  # fmt: skip
    assert gather(records, "g", left_out, topic="t") == {}
    assert left_out["no 't'"] == 5
    with pytest.raises(RequestError):
        limits(3, 2, "words")


# ------------------------------------------------------------------------------------- stratified


def candidate(i: int, *found: str) -> Record:
    """A set with these values."""
    return Record(f"r{i}", tuple(Document(f"{i} {j}", {"g": value}) for j, value in enumerate(found)))


def test_strata_are_equal() -> None:
    """Each value dominates equally many of the sets chosen, in the candidates' order, under one seed the same."""
    held = [candidate(i, *("aab" if i % 3 == 0 else "abb" if i % 3 == 1 else "ab")) for i in range(30)]
    found = sets.stratify(held, "g", 8, seed=3)
    assert Counter(r.attributes["dominated_by"] for r in found) == {"a": 4, "b": 4}
    assert [int(r.id[1:]) for r in found] == sorted(int(r.id[1:]) for r in found)
    assert not {r.id for r in found} & {f"r{i}" for i in range(2, 30, 3)}
    assert found == sets.stratify(held, "g", 8, seed=3)
    assert found != sets.stratify(held, "g", 8, seed=4)


def test_strata_that_cannot_be_filled() -> None:
    """Sets that cannot be divided equally, or values that dominate too few, are refused with what there is."""
    held = [candidate(i, "a", "a", "b") for i in range(5)] + [candidate(9, "b")]
    with pytest.raises(RequestError, match=r"cannot be dominated equally by 2 values.*ask for"):
        sets.stratify(held, "g", 3)
    with pytest.raises(RequestError, match=r"'b' 1; expected 2 each.*Ask for 2 sets"):
        sets.stratify(held, "g", 4)
    with pytest.raises(RequestError, match="two values"):
        sets.stratify(held[:5], "g", 2, values=["a"])


def test_sets_are_of_one_topic() -> None:
    """Sets are cut from the texts of one topic, disjoint."""
    topics = {t: [Document(f"{t} {i}", {"g": "a" if i % 2 else "b"}) for i in range(21)] for t in "xy"}
    cut = list(sets.cut_sets(topics, 5))
    assert len(cut) == 8
    assert all({d.text[0] for d in r.documents} == {r.attributes["topic"]} for r in cut)
    assert len({d.text for r in cut for d in r.documents}) == 40
    with pytest.raises(RequestError, match="No topic has 30"):
        list(sets.cut_sets(topics, 30))


@pytest.mark.parametrize(
    ("texts", "sizes"), [(3, []), (8, [8]), (9, [5, 4]), (17, [6, 6, 5]), (24, [8, 8, 8])]
)
def test_sets_may_have_several_sizes(texts: int, sizes: list[int]) -> None:
    """Between 4 and 8 texts in a set: as few sets as possible, about equally large, and no text in two."""
    topics = {"t": [Document(str(i), {"side": "l"}) for i in range(texts)], "other": [Document("x")] * 8}
    cut = [r for r in sets.cut_sets(topics, 4, most=8) if r.attributes["topic"] == "t"]
    assert [len(r.documents) for r in cut] == sizes
    found = [d.text for r in cut for d in r.documents]
    assert len(found) == len(set(found)) == sum(sizes)


def test_similar_texts_are_clustered() -> None:
    """Texts about one thing are together; a text like no other is alone; a set has texts of one cluster."""
    buses = [Document(f"the buses to town were late again on day {i}") for i in range(4)]
    bread = [Document(f"fresh bread from our bakery smells good number {i}") for i in range(4)]
    alone = [Document("quantum")]
    mixed = [d for pair in zip(buses, bread, strict=True) for d in pair] + alone
    found = [sorted(map(repr, c)) for c in sets.clusters(mixed, 0.2)]
    assert found == [sorted(map(repr, c)) for c in (buses, bread, alone)]
    assert [len(c) for c in sets.clusters(mixed, 1.01)] == [1] * 9
    cut = sets.cut_sets({"": mixed}, 2, similar=0.2)
    assert sorted({d.text[:3] for d in r.documents} == {"the"} for r in cut) == [False, False, True, True]


# ---------------------------------------------------------------------------------------- reviews


def test_sentiment_rules() -> None:
    """Ratings up to 2 are negative, from 4 on positive, or as told, nan is none; by VADER the larger of neg and pos, a tie is negative."""
    usual, other = sets.labeller("rating"), sets.labeller("rating", negative=3)
    reviews = [Document("x", {"rating": r}) for r in ("1", "2", "3", "4", "5", "nan")]
    assert list(map(usual, reviews)) == ["negative"] * 2 + ["neutral"] + ["positive"] * 2 + [None]
    assert other(reviews[2]) == "negative"
    assert sets.argmax_sentiment({"neg": 0.1, "pos": 0.2, "neu": 0.7, "compound": 0.0}) == "positive"
    assert sets.argmax_sentiment({"neg": 0.2, "pos": 0.2, "neu": 0.6, "compound": 0.9}) == "negative"
    assert sets.argmax_sentiment({"neg": 0, "pos": 0, "neu": 1, "compound": 0.0}) == "neutral"
    with pytest.raises(RequestError):
        sets.labeller("rating", negative=4, positive=4)


def test_review_sets_of_one_product() -> None:
    """Sets hold reviews of one product, with sentiment; what is too little, blank or unrated is counted."""
    reviews = [
        Record(f"{p}{i}", (Document(f"review {i} of {p}", {"rating": str(1 + i % 5)}),), attributes={"product": p})
        for i in range(11)
        for p in ("x", "y")
    ]  # fmt: skip
    reviews += [Record("z", (Document("alone", {"rating": "5"}),), attributes={"product": "z"})]
    reviews += [Record("e", (Document("", {"rating": "5"}),), attributes={"product": "x"})]
    reviews += [Record("u", (Document("unrated"),), attributes={"product": "x"})]
    left_out = Counter[str]()
    made = list(sets.review_sets(reviews, 4, sets.labeller("rating"), left_out, per_product=None))
    assert [(r.id, r.seed_document) for r in made] == [("x-0", "x"), ("x-1", "x"), ("y-0", "y"), ("y-1", "y")]
    assert all({d.text[-1] for d in r.documents} == {r.attributes["product"]} for r in made)
    assert {(d.attributes["rating"], d.attributes["sentiment"]) for r in made for d in r.documents} <= {
        ("1", "negative"), ("2", "negative"), ("3", "neutral"), ("4", "positive"), ("5", "positive"),
    }  # fmt: skip
    reasons = ("product with too few reviews", "review without text", "review without a rating")
    assert left_out == dict.fromkeys(reasons, 1)
    one = list(sets.review_sets(reviews, 4, sets.labeller("rating"), Counter()))
    assert [(r.id, r.seed_document) for r in one] == [("x", None), ("y", None)]
    assert one != list(sets.review_sets(reviews, 4, sets.labeller("rating"), Counter(), seed=1))


def test_whole_sets_keep_their_references() -> None:
    """A set that is taken whole keeps its human summaries, one that is cut does not; without a rule no sentiment."""
    gold = Record("g", (Document("one"), Document("two")), ("Both.",))
    (whole,) = sets.review_sets([gold], 2, sets.labeller("none"), Counter())
    assert whole.references == ("Both.",)
    assert [d.attributes for d in whole.documents] == [{}, {}]
    (cut,) = sets.review_sets([gold], 1, sets.labeller("none"), Counter())
    assert cut.references == ()
    with pytest.raises(RequestError, match="no attribute 'product'"):
        list(sets.review_sets([Record("s", (Document("one"),))], 1, sets.labeller("none"), Counter()))
