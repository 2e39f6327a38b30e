"""Summarizers without a model, sanity baselines, and what the inputs themselves say."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.sample_cases import of

from fairbrief.auditing import Plan, audit
from fairbrief.auditing.sanity_baselines import Exchange, from_record
from fairbrief.errors import DataError, RequestError
from fairbrief.registry import make
from fairbrief.text.gendered_words import count_identifiers
from fairbrief.text.sentences import split
from fairbrief.text.themes import topic_of
from fairbrief.types import Case, Document, Record, Summary
from fairbrief.workbench.corpora.corpus_statistics import (
    distinctive_words,
    majority_group,
    topic_table,
    word_tables,
)
from fairbrief.workbench.summarizers import extractive

TEXT = "The cat sat. The cat ran far. Rain fell. The cat sat and ran. A dog slept."
RECORDS = [Record("a", (Document(TEXT),)), Record("b", (Document("One. Two."), Document("Three.")))]


@pytest.fixture(scope="module")
def reference(golden: Path) -> dict[str, Any]:
    """What two implementations written from the paper agree on."""
    found: dict[str, Any] = json.loads((golden / "people" / "reference_paper_only.json").read_text("utf-8"))
    return found


@pytest.fixture(scope="module")
def documents(reference: dict[str, Any]) -> list[Record]:
    """The reference's six small documents."""
    return [Record(name, (Document(text),)) for name, text in reference["mini_docs"].items()]


def test_lead_and_tail_take_the_ends() -> None:
    """The first or last sentences of all documents, in order; a short record gives what it has, one without sentences the reason."""
    assert next(extractive.Lead(2).summarize(RECORDS)).text == "The cat sat. The cat ran far."
    assert next(extractive.Tail(2).summarize(RECORDS)).text == "The cat sat and ran. A dog slept."
    assert next(extractive.Lead(9).summarize(RECORDS[1:])).text == "One. Two. Three."
    assert next(extractive.LexRank().summarize([Record("e", (Document(" "),))])).reason == "empty"


def test_lexrank_prefers_what_others_repeat() -> None:
    """The sentence that shares words with most others comes first; centralities sum to one."""
    assert next(extractive.LexRank(1).summarize(RECORDS)).text == "The cat sat and ran."
    np.testing.assert_allclose(extractive.centrality(["a b", "c d", "e f"], 0.1, 0.15), 1 / 3)


def test_random_depends_on_seed_and_record_alone() -> None:
    """The same seed repeats a record's choice, whatever stands before it; another seed changes some."""
    many = [Record(f"r{i}", (Document(TEXT),)) for i in range(20)]
    first = [s.text for s in extractive.RandomSentences(1).summarize(many)]
    assert [s.text for s in extractive.RandomSentences(1).summarize(many[5:])] == first[5:]
    assert [s.text for s in extractive.RandomSentences(1, seed=1).summarize(many)] != first


def test_topics_majorities_and_chosen_sentences_equal_the_reference(
    reference: dict[str, Any], documents: list[Record]
) -> None:
    """Lead is equal, topic has as many sentences, and sexist as many of the preferred words: the reference breaks ties at random."""
    texts, wanted = reference["mini_docs"], reference["baselines"]
    assert {name: topic_of(text) for name, text in texts.items()} == reference["topic"]
    assert {name: majority_group(text) for name, text in texts.items()} == reference["majority"]
    writers = (extractive.Lead(), extractive.Sexist(), extractive.TopicLength())
    for lead, sexist, topic in zip(*(writer.summarize(documents) for writer in writers), strict=True):
        theirs = {name: wanted[name]["summaries"][lead.record] for name in ("lead", "sexist", "topic")}
        assert lead.text == " ".join(theirs["lead"])
        assert topic.text.count(" .") == len(theirs["topic"])
        if (about := reference["topic"][lead.record]) != "unknown":
            ours, other = (count_identifiers(x, "helm") for x in (sexist.text, " ".join(theirs["sexist"])))
            assert ours[about == "sport"] == other[about == "sport"]


@pytest.mark.parametrize("system", ["lead", "sexist", "random", "topic"])
def test_planted_systems_score_as_there(
    reference: dict[str, Any], documents: list[Record], system: str
) -> None:
    """Counts of words, and the shift from a uniform share (Unf) and from the documents' (Adj), of the reference's summaries."""
    wanted = reference["baselines"][system]
    pairs = [Case(r, Summary(r.id, system, " ".join(wanted["summaries"][r.id]))) for r in documents]
    found = {}
    for name, kind in (("unf", "uniform"), ("adj", "source")):
        plan = Plan(measures=(f"word_list_inclusion(reference={kind})",), n_resamples=0)
        found[name] = of(audit(pairs, plan), "word_list_inclusion").value
    counts = np.sum([count_identifiers(case.summary.text, "helm") for case in pairs], axis=0)
    assert counts.tolist() == wanted["counts_f_m"]
    assert found == pytest.approx({"unf": wanted["unf"], "adj": wanted["adj"]}, abs=1e-12)


def test_distinctive_words_equal_the_reference(reference: dict[str, Any], documents: list[Record]) -> None:
    """Z of all 72 words in the paper's reading (marks are words), identifiers paired, four pronouns ignored."""
    found = {w.word: w for w in distinctive_words(documents, "gender", punctuation=True) if w.group == "male"}
    assert set(found) == set(reference["z"])
    for word, z in reference["z"].items():
        assert found[word].z == pytest.approx(z, abs=1e-12), word
    assert sum(w.count for w in found.values()) == reference["n_tokens"]["male"]
    assert sum(w.rest for w in found.values()) == reference["n_tokens"]["female"]


def test_words_lean_to_the_group_that_uses_them() -> None:
    """Any attribute groups documents; each group's table begins with its own words; one group is refused.

    Punctuation tells no groups apart, unless the paper's reading is asked for.
    """
    sport, news = Document("goal goal match!", {"desk": "sport"}), Document("tax tax vote.", {"desk": "news"})
    records = [Record("1", (sport, news))]
    contrasts = distinctive_words(records, "desk")
    assert [t.rows[0][0] for t in word_tables(contrasts, 1)] == ["tax", "goal"]
    marks = {w.word for w in distinctive_words(records, "desk", punctuation=True)}
    assert marks - {w.word for w in contrasts} == {"!", "."}
    with pytest.raises(DataError, match="only the value 'sport'"):
        distinctive_words([Record("1", (sport,))], "desk")


def test_identifier_shares_are_taken_by_topic(documents: list[Record]) -> None:
    """Sport speaks of men and family of women in the reference's documents; all documents come first."""
    table = topic_table(documents)
    known = [row for row in table.rows if "–" not in row]
    shares = {topic: [int(share.rstrip("%")) for share in row] for topic, _, *row in known}
    assert table.header == ("topic", "documents", "female", "male")
    assert shares["family"][0] > 50
    assert shares["sport"][1] > 50
    assert all(abs(sum(row) - 100) <= 1 for row in shares.values())
    counts = [int(row[1]) for row in table.rows]
    assert table.rows[0][0] == "total"
    assert counts[0] == sum(counts[1:]) == sum(len(record.documents) for record in documents)


def test_without_identifying_words_no_shares_are_shown() -> None:
    """Columns of dashes for women and men are left out, and the title does not promise them."""
    table = topic_table([Record("a", (Document("the club won"),))])
    assert (table.title, table.header) == ("Documents by topic", ("topic", "documents"))
    assert table.rows[0] == ("total", "1")


def test_a_seed_document_counts_once_however_many_counterfactuals_it_has() -> None:
    """Twenty counterfactuals of one seed document give the words of each group, and the documents of a topic, once."""
    given = {"a": ("the club won", "x"), "b": ("a wife", "y")}
    one = [Record(name, (Document(text, {"desk": desk}),)) for name, (text, desk) in given.items()]
    many = [replace(one[0], id=f"a{i}", seed_document="a") for i in range(20)]
    assert distinctive_words([*many, one[1]], "desk") == distinctive_words(one, "desk")
    assert topic_table([*many, one[1]]) == topic_table(one)
    # Its variants of another group are counted there.
    turned = replace(one[0], id="t", seed_document="a", documents=(Document("the club won", {"desk": "y"}),))
    words = {(w.group, w.word): w.count for w in distinctive_words([*many, turned, one[1]], "desk")}
    assert words["x", "club"] == words["y", "club"] == 1


@pytest.mark.parametrize("bad", ["lead(sentences=0)", "lexrank(damping=1)", "sexist(prefers=nobody)"])
def test_settings_out_of_range_are_refused(bad: str) -> None:
    """A setting that means nothing is refused with its value."""
    with pytest.raises(RequestError, match=r"\): give "):
        make("summarizer", bad)


def record_of(name: str, values: str = "aaab") -> Record:
    """A record with one document per letter of ``values``."""
    return Record(name, tuple(Document(f"{name}-{i}-{v}", {"x": v}) for i, v in enumerate(values)))


SOURCES = [record_of("r1"), record_of("r2", "abbbbbb"), record_of("r3", "ab")]


def texts(kind: str, over: str = "") -> list[list[str]]:
    """The sentences of the sanity baseline of each record; no document continues in the next one."""
    return [split(from_record(record, kind, over).text) for record in SOURCES]


def test_texts() -> None:
    """The whole source is all documents, five or one are drawn without repetition, a group is itself alone.

    Without the attribute there is no largest group: an empty text and the reason.
    """
    assert texts("whole_source")[0] == [d.text for d in SOURCES[0].documents]
    assert [len(set(five)) for five in texts("proportional_documents")] == [4, 5, 2]
    assert [len(one) for one in texts("one_document")] == [1, 1, 1]
    group = texts("largest_group", "x")
    assert [{text[-1] for text in of} for of in group] == [{"a"}, {"b"}, {"a"}]
    assert [len(of) for of in group] == [3, 5, 1]
    made = from_record(SOURCES[0], "largest_group", "y")
    assert (made.text, made.reason) == ("", "empty summary")


def test_seeds() -> None:
    """Another seed draws other documents; the same seed the same."""
    drawn = [from_record(SOURCES[1], "one_document", seed=seed).text for seed in (*range(20), *range(20))]
    assert len(set(drawn)) > 3
    assert drawn[:20] == drawn[20:]


def exchanged(cases: Sequence[Case]) -> list[Case]:
    """The cases with summaries of other records."""
    exchange = Exchange(cases, seed=3)
    return [borrowed for case in cases if (borrowed := exchange.of(case)) is not None]


@pytest.mark.parametrize("count", [2, 3, 10])
def test_exchanged(count: int) -> None:
    """Every summary goes to another record, each once, whatever the order of the cases."""
    cases = [Case(record_of(f"r{i}"), Summary(f"r{i}", "gpt", f"summary {i}")) for i in range(count)]
    dealt = exchanged(cases)
    assert all(c.summary.text[-1] != c.record.id[-1] and c.summary.record == c.record.id for c in dealt)
    assert {c.summary.text for c in dealt} == {c.summary.text for c in cases}
    assert {c.summary.system for c in dealt} == {"sanity:exchanged(gpt)"}
    again = exchanged(list(reversed(cases)))
    assert {c.record.id: c.summary.text for c in again} == {c.record.id: c.summary.text for c in dealt}


def test_exchanged_leaves_out() -> None:
    """Missing summaries are not dealt; a summary that is alone has no other record to go to."""
    summaries = [Summary(f"r{i}", "gpt", "t", reason=why) for i, why in enumerate(("", "empty", "empty"))]
    assert not exchanged([Case(record_of(s.record), s) for s in summaries])
