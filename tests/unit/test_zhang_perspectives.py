"""The paper's protocol: the authors' readings as spellings, and its tables."""

from __future__ import annotations

from fairbrief import registry
from fairbrief.measures.representation import Bur
from fairbrief.nouns import Estimate
from fairbrief.protocols import PaperProtocol
from fairbrief.protocols.zhang_perspectives import ZhangPerspectives


def test_is_a_protocol() -> None:
    """It is found by name, and its spellings name measures in the authors' reading."""
    protocol = registry.make("protocol", "zhang-perspectives")
    assert isinstance(protocol, PaperProtocol)
    made = [registry.make("measure", text) for text in protocol.measures(["party", "a, b's"])]
    assert [m.name for m in made] == ["bur", "uer", "auc_cutoff", "sof"] * 2
    assert made[0] == Bur("party", "ngram(reading=nltk)", ties="under", no_match="uniform", single="fair")
    assert made[4].over == "a, b's"


def estimates(protocol: ZhangPerspectives) -> list[Estimate]:
    """One estimate per measure and system: 0.25 for N-gram, 0.5 for BERTScore."""
    return [
        Estimate(text, registry.make("measure", text).name, system, 0.5 if "bertscore" in text else 0.25, n=8)
        for system in ("gpt", "alpaca")
        for text in protocol.measures(["x"])
    ]


def test_tables() -> None:
    """Rows are scorers, columns systems × BUR and UER in percent, with the count of unfair records."""
    tables = ZhangPerspectives().tables(estimates(ZhangPerspectives()))
    assert [t.title for t in tables] == ["BUR and UER (%) over x", "AUC (%) over x", "SOF (× 100) over x"]
    assert tables[0].header == (
        "Scorer",
        "gpt BUR",
        "gpt UER",
        "gpt unfair",
        "alpaca BUR",
        "alpaca UER",
        "alpaca unfair",
    )
    assert tables[0].rows == (("N-gram", "25.00", "25.00", "2 of 8", "25.00", "25.00", "2 of 8"),)


def test_average() -> None:
    """Several scorers get their average; a system that lacks one has none."""
    protocol = ZhangPerspectives(("bertscore", "ngram(reading=nltk)"))
    assert "tokens=ngram(reading=nltk)" in protocol.measures(["x"])[0]
    found = estimates(protocol)
    rows = protocol.tables(found)[1].rows
    assert rows == (
        ("N-gram", "25.00", "25.00"),
        ("BERTScore", "50.00", "50.00"),
        ("Average", "37.50", "37.50"),
    )
    lacking = [e for e in found if not (e.system == "alpaca" and "bertscore" in e.measure)]
    assert protocol.tables(lacking)[1].rows[-1] == ("Average", "37.50", "–")


def test_passes_over_the_rest() -> None:
    """Other readings, companions, differences and other measures do not enter; slices have their own tables."""
    protocol = ZhangPerspectives()
    bur = protocol.measures(["x"])[0]
    others = [
        Estimate("bur@x", "bur", "gpt", 0.5, n=2),
        Estimate(bur, "share_under[a]", "gpt", 0.5, n=2),
        Estimate(bur, "bur", "gpt", 0.5, n=2, baseline="alpaca"),
        Estimate("lead_share", "lead_share", "gpt", 0.5, n=2),
    ]
    assert protocol.tables(others) == ()
    (sliced,) = protocol.tables([*others, Estimate(bur, "bur", "gpt", None, {"topic": "law"}, n=2)])
    assert sliced.title.endswith("over x (topic = law)")
    assert sliced.rows == (("N-gram", "–", "–", "–"),)
