"""The paper's protocol: the authors' readings as specs, and its tables."""

from __future__ import annotations

import pytest

from fairbrief import registry
from fairbrief.errors import RequestError
from fairbrief.measures.representation import Bur
from fairbrief.protocols import PaperProtocol
from fairbrief.protocols.zhang_perspectives import ZhangPerspectives
from fairbrief.types import Estimate


def test_is_a_protocol() -> None:
    """It is found by name, and its specs name measures in the authors' reading."""
    protocol = registry.make("protocol", "zhang-perspectives")
    assert isinstance(protocol, PaperProtocol)
    made = [registry.make("measure", text) for text in protocol.measures(["party", "a, b's"])]
    assert [m.name for m in made] == ["bur", "uer", "auc_cutoff", "sof"] * 2
    assert made[0] == Bur("party", "ngram(tokenizer=nltk)", ties="under", no_match="uniform", single="fair")
    assert made[4].over == "a, b's"


def estimates(protocol: ZhangPerspectives) -> list[Estimate]:
    """One estimate per measure and system: 0.25 for N-gram, 0.5 for BERTScore."""
    return [
        Estimate(text, registry.make("measure", text).name, system, 0.5 if "bertscore" in text else 0.25, n=8)
        for system in ("gpt", "alpaca")
        for text in protocol.measures(["x"])
    ]


def test_tables_bear_the_papers_numbers() -> None:
    """Table 2 has a row per system and scorer, Table 3 BUR, UER and SOF, Table 6 the AUC; all in percent."""
    tables = ZhangPerspectives().tables(estimates(ZhangPerspectives()))
    assert [t.title for t in tables] == [
        "Table 2: Overall results of all datasets and models (over x)",
        "Table 3: Results of claude-instant-1 (over x)",
        "Table 6: AUC score on SupremeCourt and IQ2 dataset (over x)",
    ]
    assert tables[0].rows == (
        ("gpt", "N-gram", "25.00", "25.00", "2 of 8"),
        ("alpaca", "N-gram", "25.00", "25.00", "2 of 8"),
    )
    assert tables[1].rows[0] == ("gpt", "25.00", "25.00", "25.00")


def test_references_and_values_have_their_tables() -> None:
    """Table 4 stands where references were audited, with them first; Figure 3 where shares of values are known."""
    protocol = ZhangPerspectives()
    bur, uer, *_ = protocol.measures(["x"])
    found = [
        Estimate(spec, name, system, 0.5, n=8)
        for system in ("gpt", "reference 1")
        for spec, name in ((bur, "bur"), (uer, "uer"), (bur, "share_under[a]"))
    ]
    by_number = {t.title.partition(":")[0]: t for t in protocol.tables(found)}
    assert [row[0] for row in by_number["Table 4"].rows] == ["reference 1", "gpt"]
    assert by_number["Figure 3"].header == ("system", "a")
    assert by_number["Figure 3"].rows[0] == ("gpt", "50.00")


def test_average() -> None:
    """Several scorers get their average; a system that lacks one has none."""
    protocol = ZhangPerspectives(("bertscore", "ngram(tokenizer=nltk)"))
    assert "tokens=ngram(tokenizer=nltk)" in protocol.measures(["x"])[0]
    found = estimates(protocol)
    rows = protocol.tables(found)[0].rows
    assert rows[:3] == (
        ("gpt", "N-gram", "25.00", "25.00", "2 of 8"),
        ("gpt", "BERTScore", "50.00", "50.00", "4 of 8"),
        ("gpt", "Average", "37.50", "37.50", ""),
    )
    lacking = [e for e in found if not (e.system == "alpaca" and "bertscore" in e.measure)]
    assert protocol.tables(lacking)[0].rows[-1] == ("alpaca", "Average", "–", "–", "")


def test_texts_of_a_value_as_one() -> None:
    """``texts=values`` asks the N-gram scorer for them, and other words are refused."""
    spec = registry.make("protocol", "zhang-perspectives(texts=values)").measures(["x"])[0]
    assert spec.startswith("bur(scorer=ngram(tokenizer=nltk), texts=values")
    with pytest.raises(RequestError, match="texts is documents or values"):
        registry.make("protocol", "zhang-perspectives(texts=all)")


def test_passes_over_the_rest() -> None:
    """Other readings, companions, differences and other measures do not enter; slices have their own tables."""
    protocol = ZhangPerspectives()
    bur = protocol.measures(["x"])[0]
    others = [
        Estimate("bur@x", "bur", "gpt", 0.5, n=2),
        Estimate(bur, "difference[a]", "gpt", 0.5, n=2),
        Estimate(bur, "bur", "gpt", 0.5, n=2, baseline="alpaca"),
        Estimate("lead_share", "lead_share", "gpt", 0.5, n=2),
    ]
    assert protocol.tables(others) == ()
    (sliced,) = protocol.tables([*others, Estimate(bur, "bur", "gpt", None, {"topic": "law"}, n=2)])
    assert sliced.title.endswith("(over x, topic = law)")
    assert sliced.rows == (("gpt", "N-gram", "–", "–", "–"),)
