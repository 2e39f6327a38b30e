"""Labels of sources and summaries on a few sentences: shares, distances and omissions worked out from their definitions."""

from math import log2
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.command import put
from tests.rows_by_hand import answer, observed, values_of
from tests.stub_chat import StubChat

import fairbrief
from fairbrief import specs
from fairbrief.classifiers.label_words import LabelWords
from fairbrief.errors import DataError, RequestError
from fairbrief.measures.labels import LabelGap
from fairbrief.scorers.chat_judge import ChatLabel
from fairbrief.statistics.distributions import jensen_shannon
from fairbrief.types import Ask, Case, Claim, Document, Extracts, Reason, Record, Summary

SENTENCES = ("The bill is wrong.", "It is twice as high.", "The parcel is late.", "Goodbye.")
TURNS = (
    (" ".join(SENTENCES[:2]), "billing"), (SENTENCES[2], "delivery"), (SENTENCES[3], "other")
)  # fmt: skip
"""Four sentences: two on billing, one on delivery, one on something else."""


def case(claims: list[tuple[str, ...]], turns: Any = TURNS, name: str = "r", text: str = "A bill.") -> Case:
    """A call whose turns have topics, and a summary whose claims have them."""
    record = Record(name, tuple(Document(t, {"topic": topic}) for t, topic in turns))
    units = tuple(Claim(f"Claim {i}.", {"topic": topics}) for i, topics in enumerate(claims))
    return Case(record, Summary(name, "s", text, units))


def values(*cases: Case) -> dict[str, float]:
    """The values of these records together."""
    measure = LabelGap("topic")
    return values_of(measure, *(observed(measure.observation, (one,), ()) for one in cases))


def test_shares_and_distances_of_one_record() -> None:
    """The shares p = (2, 1, 1)/4 for billing, delivery, other; q = (1, 1, 0)/2. So q − p = 0, +1/4, −1/4.

    TVD = (0 + 1/4 + 1/4)/2 = 1/4. With m = (1/2, 3/8, 1/8), in bits:
    KL(p, m) = 1/4·log₂(2/3) + 1/4·log₂ 2 and KL(q, m) = 1/2·log₂(4/3); JS is their mean.
    Of the three labels of the source the summary lacks one.
    """
    result = values(case([("billing",), ("delivery",)]))
    js = (0.25 * log2(2 / 3) + 0.25 + 0.5 * log2(4 / 3)) / 2
    expected = {
        "label_gap": 0.25, "jensen_shannon": js, "omitted": 1 / 3,
        "difference[billing]": 0, "difference[delivery]": 0.25, "difference[other]": -0.25,
        "source[billing]": 0.5, "summary[billing]": 0.5, "source[delivery]": 0.25, "summary[delivery]": 0.5,
        "source[other]": 0.25, "summary[other]": 0, "omitted[billing]": 0, "omitted[delivery]": 0, "omitted[other]": 1,
        "unlabelled[source]": 0, "unlabelled[summary]": 0,
    }  # fmt: skip
    assert result == pytest.approx(expected)
    assert js == pytest.approx(0.155639, abs=1e-6)


def test_a_record_is_averaged_and_a_label_counts_where_it_occurs() -> None:
    """The second call has only delivery (p = 1), and its summary only billing (q = 1): TVD 1, JS 1 bit, all labels omitted.

    Means of the two: TVD (1/4 + 1)/2 = 5/8; omitted (1/3 + 1)/2 = 2/3. Billing occurs in both: (0 + 1)/2; delivery in both:
    (1/4 − 1)/2 = −3/8; other only in the first: −1/4. Of the two sources with delivery one summary lacks it; of the one with
    billing none does.
    """
    first, second = [("billing",), ("delivery",)], [("billing",)]
    result = values(case(first), case(second, (("Late.", "delivery"),), name="second"))
    first_js = values(case([("billing",), ("delivery",)]))["jensen_shannon"]
    assert result["label_gap"] == pytest.approx(5 / 8)
    assert result["jensen_shannon"] == pytest.approx((first_js + 1) / 2)
    assert result["omitted"] == pytest.approx(2 / 3)
    assert result["difference[billing]"] == pytest.approx(0.5)
    assert result["difference[delivery]"] == pytest.approx(-3 / 8)
    assert result["difference[other]"] == pytest.approx(-0.25)
    assert (result["omitted[delivery]"], result["omitted[billing]"]) == (0.5, 0)


def test_a_claim_with_two_labels_counts_for_both_and_one_without_for_none() -> None:
    """Labels of the claims: billing and delivery, billing, nothing. q = (2/3, 1/3, 0), so q − p = 1/6, 1/12, −1/4 and TVD 1/4."""
    result = values(case([("billing", "delivery"), ("billing",), ()]))
    assert result["label_gap"] == pytest.approx((1 / 6 + 1 / 12 + 1 / 4) / 2)
    assert result["difference[billing]"] == pytest.approx(1 / 6)
    assert result["unlabelled[summary]"] == pytest.approx(1 / 3)


def test_a_summary_without_labels_counts_only_as_omitting() -> None:
    """Its shares are unknown, so the distances are those of the other record (1/4); it omits three labels of three."""
    result = values(case([("billing",), ("delivery",)]), case([()], name="second"))
    assert result["label_gap"] == pytest.approx(0.25)
    assert result["omitted"] == pytest.approx((1 / 3 + 1) / 2)
    assert result["omitted[billing]"] == 0.5


def test_exchanging_sentences_keeps_how_many_are_the_summarys() -> None:
    """Labels b b d o | b d. If the third sentence (d) and the first claim (b) change places: source b b b o, summary d d: p = (3/4, 0, 1/4),
    q = (0, 1, 0): TVD 1; the summary lacks two of the two labels of the source.
    """
    observation = LabelGap("topic")
    unit = (case([("billing",), ("delivery",)]),)
    assert observation.permutation_scheme(unit).labels.tolist() == [0, 0, 0, 0, 1, 1]
    rows = observation.observe(unit, (), np.array([[0, 0, 0, 0, 1, 1], [0, 0, 1, 0, 0, 1]]))
    place = {c: i for i, c in enumerate(rows.columns)}
    assert rows.values[:, place["tvd",]].tolist() == [0.25, 1]
    assert rows.values[:, place["omitted",]].tolist() == pytest.approx([1 / 3, 1])
    assert rows.values[:, place["present", "delivery"]].tolist() == [1, 1]


def test_random_sentences_have_the_labels_of_their_documents() -> None:
    """Extracts of the first, and of the second and third sentence: q = (1, 0, 0) and (1/2, 1/2, 0). TVD 1/2 and 1/4, mean 3/8; they
    omit two and one of three labels, mean 1/2. The mean of billing is 3/4.
    """
    unit = (case([("other",)]),)
    drawn = Extracts(SENTENCES, np.array([[1, 0, 0, 0], [0, 1, 1, 0.0]]))
    rows = LabelGap("topic").observe_extracts(unit, (drawn,), ())
    result = dict(zip(rows.columns, rows.values[0].tolist(), strict=True))
    assert (result["tvd",], result["omitted",]) == pytest.approx((3 / 8, 1 / 2))
    assert (result["summary", "billing"], result["summary", "other"]) == pytest.approx((3 / 4, 0))


def test_a_scorer_labels_the_sentences_of_both_texts() -> None:
    """Four sentences of the source and one of the summary: labels a a b –, and b. p = (2/3, 1/3), q = (0, 1): TVD 2/3."""
    observation = LabelGap("topic", "containment", ("a", "b"), "About {label}.")
    unit = (case([]),)
    (ask,) = observation.asks(unit)
    assert ask.columns == ("About a.", "About b.")
    assert ask.rows == (*SENTENCES, "A bill.")
    answers = [answer([[0.9, 0], [0.6, 0.5], [0, 1], [0.2, 0.1], [0, 0.7]])]
    rows = observation.observe(unit, answers, np.array([[0, 0, 0, 0, 1]]))
    result = dict(zip(rows.columns, rows.values[0].tolist(), strict=True))
    assert result["tvd",] == pytest.approx(2 / 3)
    assert (result["bare", "source"], result["sentences", "source"]) == (1, 4)
    assert list(observation.details(unit, answers)) == ["The summary lacks a: “The bill is wrong.”"]


@pytest.mark.parametrize(("one", "reason"), [
    (case([]), "the summary has no claims"),
    (case([("billing",)], text=" "), "empty summary"),
    (Case(Record("r", (Document("A bill."),)), case([("billing",)]).summary), "no document has the attribute 'topic'"),
])  # fmt: skip
def test_a_record_without_labels_has_a_reason(one: Case, reason: str) -> None:
    """Each reason says what is missing."""
    observation, drawn = LabelGap("topic"), Extracts(("A bill.",), np.ones((1, 1)))
    assert observation.observe((one,), (), np.zeros((1, 0), dtype=np.int64)) == Reason(reason)
    assert observation.observe_extracts((one,), (drawn,), ()) == Reason(reason)
    assert LabelGap("topic", "containment", ("a",)).asks((case([], text=" "),)) == ()
    unnamed = LabelGap("").observe((case([("billing",)]),), (), np.zeros((1, 0), dtype=np.int64))
    assert unnamed == Reason("no attribute is named: write label_gap@ATTRIBUTE")


def test_divergence_is_in_bits() -> None:
    """Of distributions without a common label it is 1, of equal ones 0, of one without mass undefined."""
    result = jensen_shannon(np.array([[1, 0], [1, 3], [0, 0]]), np.array([[0, 2], [2, 6], [1, 1]]))
    assert result == pytest.approx([1, 0, np.nan], nan_ok=True)


# ---------------------------------------------------------------------------------- words


@pytest.fixture
def topics(tmp_path: Path) -> str:
    """Two lists with a phrase, an ending, and a word of both."""
    lists = 'billing = "bill, direct debit, charge*, fee"\ndelivery = "parcel, Fee, 房间"\n'
    return str(put(tmp_path / "topics.toml", lists))


def test_whole_words_phrases_and_endings_are_found(topics: str) -> None:
    """The word "Bills" is not "bill"; an ending is free only with the star."""
    bills = ("The bill.", "Two bills", "A Direct Debit failed", "overcharged", "Charges")
    texts = (*bills, "a fee", "房间太小了", "")
    (scores,) = LabelWords(topics).answer([Ask("words", texts, ("billing", "delivery"))])
    assert scores.matrix.tolist() == [[1, 0], [0, 0], [1, 0], [0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]


def test_files_and_labels_that_cannot_be_used_are_named(topics: str, tmp_path: Path) -> None:
    """With the file and what to write; without labels, the setting that is missing."""
    with pytest.raises(RequestError, match="add labels=A\\+B"):
        specs.build(LabelGap, specs.parse("label_gap(scorer=words(file=x.toml))@topic"))
    with pytest.raises(RequestError, match=r"no words for 'roaming'\. Its labels: billing, delivery"):
        list(LabelWords(topics).answer([Ask("words", ("a",), ("roaming",))]))
    bad = put(tmp_path / "bad.toml", 'billing = ""')
    with pytest.raises(DataError, match="bad\\.toml: theme 'billing' with '' is not a list of words"):
        _ = LabelWords(str(bad)).fingerprint
    with pytest.raises(DataError, match="no such file"):
        _ = LabelWords(str(tmp_path / "absent.toml")).fingerprint


# ---------------------------------------------------------------------------------- a chat model


def test_a_chat_model_is_asked_once_per_text_and_chooses_one_label() -> None:
    """Replies 2, none, and no number: the second label, no label, and unknown; whatever the columns, the question lists all labels."""
    judge = ChatLabel("m", labels=("billing", "late delivery"), dimension="topic")
    asks = [Ask("x", ("a", "b"), ("late delivery",)), Ask("x", ("b", "c"), ("billing", "late delivery"))]
    assert judge.keys(asks) == [("a",), ("b",), ("c",)]
    ((_, text),) = judge.question(("a",)).messages
    assert "1. billing\n2. late delivery\n0. none of these" in text
    assert text.endswith("Text: a")
    replies = {
        "2": 2, "0.": 0, "**1**": 1, "2. late delivery": 2, "It is late.\nLabel: 2": 2, "The answer is 1.": 1, "0: none of these": 0,
        "3": None, "billing": None, "2. billing": None, "21": None,
    }  # fmt: skip
    assert {reply: judge.read(reply) for reply in replies} == replies
    arrays = {("a",): np.array([2.0]), ("b",): np.array([0.0]), ("c",): np.array([np.nan])}
    first, second = judge.assemble(asks, arrays)
    assert first.matrix.tolist() == [[1], [0]]
    assert second.matrix[0].tolist() == [0, 0]
    assert np.isnan(second.matrix[1]).all()
    with pytest.raises(RequestError, match="has no label 'roaming'"):
        list(judge.assemble([Ask("x", ("a",), ("roaming",))], arrays))
    with pytest.raises(RequestError, match="two or more different labels"):
        ChatLabel("m", labels=("billing",))


def test_a_chat_model_labels_a_call_with_one_request_per_sentence() -> None:
    """Billing, billing, delivery, none; and billing: p = (2, 1)/3, q = (1, 0), TVD 1/3. Random sentences ask nothing more."""

    def answer(prompt: str) -> str:
        text = prompt.rpartition("Text: ")[2]
        return "1" if "bill" in text or "high" in text else "2" if "parcel" in text else "0"

    with StubChat(answer) as server:
        judge = ChatLabel("stub-1", base_url=server.url, labels=("billing", "delivery"))
        measure = LabelGap("topic", "chat", ("billing", "delivery"))
        cases = [case([], name=f"r{i}") for i in range(4)]
        plan = {"n_resamples": 100, "n_extracts": 20, "scorers": {"chat": judge}}
        result = {e.quantity: e for e in fairbrief.audit(cases, [measure], **plan).estimates}
    assert result["label_gap"].value == pytest.approx(1 / 3)
    assert result["difference[delivery]"].extract_baseline is not None
    assert (sum(server.served.values()), max(server.served.values())) == (5, 1)
