"""Representation judged by models, and the two protocols that need them, on tiny random models."""

from pathlib import Path

import pytest

from fairbrief import registry
from fairbrief.auditing import Plan, audit
from fairbrief.protocols.li_coverage import LiCoverage
from fairbrief.protocols.zhang_perspectives import ZhangPerspectives
from fairbrief.types import Case, Claim, Document, Record, Summary

PRAISE = ("The room was clean and the staff was kind.", "The view over the harbour is worth the price!")
BLAME = ("Breakfast came late, and the coffee was cold.", "Nobody answered the phone for two days.")
SUMMARIES = (
    "The staff was kind. The coffee was cold. The view is worth it.",
    "Nobody answered the phone. Breakfast came late. The room was clean.",
    "Parking is free. The lift is out of order. The staff was kind.",
)


def cases() -> list[Case]:
    """Three records of five reviews, with units that people labelled."""
    found = []
    for i, text in enumerate(SUMMARIES):
        praise, blame = (PRAISE[:1], BLAME) if i else (PRAISE, BLAME[:1])
        documents = [Document(t, {"mood": "good"}) for t in praise * 2]
        documents += [Document(t, {"mood": "bad"}) for t in blame]
        told = (s.strip() for s in text.split(".") if s.strip())
        moods = ((s, "good" if "kind" in s or "clean" in s else "bad") for s in told)
        units = tuple(Claim(f"{s}.", {"mood": (mood,)}) for s, mood in moods)
        found.append(Case(Record(str(i), tuple(documents)), Summary(str(i), "s", text, units)))
    return found


@pytest.fixture(scope="session")
def scorers(encoder_folder: Path, bart_folder: Path, classifier_folder: Path) -> dict[str, str]:
    """The specs of all scorers that give a value its share of a summary."""
    return {
        "bertscore": f"bertscore(model={encoder_folder}, layer=2)",
        "bartscore": f"bartscore(model={bart_folder})",
        "entailment": f"entailment(model={classifier_folder})",
        "embedding": f"embedding(model={encoder_folder})",
        "claims": "claims",
    }


@pytest.mark.parametrize("kind", ["bertscore", "bartscore", "entailment", "embedding", "claims"])
def test_every_scorer_gives_all_four_measures(kind: str, scorers: dict[str, str]) -> None:
    """BUR, UER, AUC and SOF are defined and in range; a chance level stands beside what labels can move."""
    told = [f"{m}(scorer={scorers[kind]})@mood" for m in ("bur", "uer", "auc", "sof")]
    found = {e.quantity: e for e in audit(cases(), Plan(measures=told, n_resamples=50)).estimates}
    for name, top in (("bur", 1.0), ("uer", 0.5), ("auc", 1.0), ("sof", 0.5)):
        estimate = found[name]
        assert estimate.value is not None
        assert 0 <= estimate.value <= top
        assert estimate.n == 3
        assert (estimate.permutation_mean is None) == (kind == "claims")
        assert kind == "claims" or f"{kind}/" in estimate.signature


@pytest.mark.usefixtures("nltk_data")
def test_the_paper_s_three_rows_and_their_average(encoder_folder: Path, bart_folder: Path) -> None:
    """``zhang-perspectives(scorers=all)`` prints N-gram, BERTScore, BARTScore and the mean of the three."""
    asked = f"zhang-perspectives(scorers=all, bertscore={encoder_folder}, layer=2, bartscore={bart_folder})"
    result = audit(cases(), Plan(protocol=asked, n_resamples=50))
    numbers = [t.title.partition(":")[0] for t in result.tables]
    assert numbers[:1] == ["Table 2"], numbers
    for table in result.tables[:1]:
        place = table.rows[0].index("N-gram")
        assert [row[place] for row in table.rows] == ["N-gram", "BERTScore", "BARTScore", "Average"]
        *of_scorers, average = (float(row[place + 1]) for row in table.rows)
        assert average == pytest.approx(sum(of_scorers) / 3, abs=0.01)


def test_the_protocols_settings_are_the_papers() -> None:
    """T = 0.1, rescaled precision of roberta-large's layer 17, values' texts joined and cut at the window."""
    told = ZhangPerspectives(scorers=("all",)).measures(["x"])
    _, bert, bart = (registry.make("measure", text) for text in told if text.startswith("bur("))
    assert (bert.temperature, bert.texts, bert.tokens) == (0.1, "values", "ngram(tokenizer=nltk)")
    judge = registry.make("scorer", bert.scorer)
    assert (judge.model, judge.layer, judge.windows) == ("roberta-large", 17, "truncate")
    assert judge.baseline == pytest.approx(0.83150584)
    assert registry.make("scorer", bart.scorer).windows == "truncate"


@pytest.mark.usefixtures("nltk_data")
def test_the_coverage_protocol_takes_other_models(classifier_folder: Path, bart_folder: Path) -> None:
    """``li-coverage(model=…, proportional=…)`` prints the paper's tables and the baseline's; ``version=text`` those of its words."""
    tables = {}
    for settings in (f"proportional={bart_folder}", "proportional=none, version=text"):
        protocol = f"li-coverage(model={classifier_folder}, {settings})"
        made = audit(cases(), Plan(protocol=protocol, attributes=("mood",), n_resamples=50)).tables
        tables[settings[-4:] == "text"] = {table.title.partition(":")[0]: table for table in made}
    published, text = tables[False], tables[True]
    assert published["Table 3"].title.endswith("according to Equal Coverage (over mood)")
    assert published["Proportional Representation over mood (baseline)"].rows
    assert {row[1] for row in published["Table 4"].rows} == {"pooled", "extremes"}
    assert {row[1] for row in text["Table 4"].rows} == {"extremes"}
    assert [row[6] for row in text["Table 3"].rows] == ["–"]  # all records, so that none is "testable"
    assert all(table.notes[-1].startswith("Version: text") for table in text.values())


def test_the_baseline_is_zhang_et_al_s_code() -> None:
    """T = 2 as in the code that made it; ``proportional=none`` leaves it out."""
    told = LiCoverage().measures(["x"])
    bur = registry.make("measure", next(t for t in told if t.startswith("bur(")))
    assert (bur.temperature, bur.texts, bur.scorer) == (2.0, "values", "bartscore(windows=truncate)")
    without = registry.make("protocol", "li-coverage(proportional=none)").measures(["x"])
    assert not any(t.startswith(("bur", "uer")) for t in without)
