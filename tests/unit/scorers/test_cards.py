"""Scorer cards: which scorers have one, what its figures are, and what is said of them."""

import tomllib
from typing import Any

import pytest
from tests.conftest import ROOT

import fairbrief
from fairbrief.cli import lookup_commands
from fairbrief.scorers import cards
from fairbrief.scorers.shared_words import Containment


def test_every_scorer_has_a_card_with_figures_or_the_reason_why_not() -> None:
    """Each was run, or has figures of others with their source, or says why there are none; no card is of anything else."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    entries = cards.everything()["scorers"]
    assert sorted(entries) == sorted(project["entry-points"]["fairbrief.scorers"])
    for entry in entries.values():
        assert entry["reads"]
        assert entry["languages"]
        assert ("by" in entry) + ("published" in entry) + ("no_figure" in entry) == 1
        for figure in entry.get("published", ()):
            assert 0 < figure["value"] < 1
            assert all(figure[key] for key in ("model", "figure", "data", "source", "read_in"))


def measured(copied: float, rewritten: float) -> dict[str, Any]:
    """A card's figures with these of support."""
    found = zip("ABC", (copied, rewritten, 0.6), strict=True)
    support = {name: {"roc_auc": [auc, 0, 1]} for name, auc in found}
    return {"support": support, "source": {"by_share": {"0.3": [0.95, 0.9, 1.0]}}}


@pytest.fixture
def made_up(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Cards of four scorers, one of them read in two ways."""
    kinds = zip("ABC", (cards.COPIED, cards.REWRITTEN, cards.CLAIMS), strict=True)
    published = {"figure": "balanced accuracy", "value": 0.8, "model": "m", "data": "d"}
    found = {
        "made": {"labels": {name: {"kind": kind} for name, kind in kinds}},
        "scorers": {
            "lexical": {"reads": "words", "by": {"sentence": measured(0.8, 0.6), "document": measured(0.55, 0.65)}},
            "good": {"reads": "meaning", "by": {"document": measured(0.9, 0.85)}},
            "judge": {"reads": "meaning", "extra": "neural", "published": [published]},
            "asked": {"reads": "meaning", "no_figure": "it asks a service"},
        },
    }  # fmt: skip
    monkeypatch.setattr(cards, "everything", lambda: found)
    return found


@pytest.mark.usefixtures("made_up")
def test_a_summary_is_one_line_of_figures() -> None:
    """What was run, what others published, why there is nothing; a scorer of a plug-in has no card."""
    assert cards.summary("lexical") == (
        "finds a sentence's source (mean reciprocal rank 0.950 with 30% of its words replaced); judges support with ROC-AUC "
        "0.80 on copied text, 0.60 on rewritten text, 0.60 on claims (chance 0.50)"
    )
    assert "0.55 on copied text" in cards.summary("lexical(by=document)")
    assert "0.80 on copied text" in cards.summary("lexical(by=3)")
    assert cards.summary("judge") == "not run here; published: balanced accuracy 0.80 by m on d"
    assert cards.summary("asked") == "no figures: it asks a service"
    assert cards.summary("mine") == cards.summary("not (a spec") == cards.NO_CARD


@pytest.mark.usefixtures("made_up")
def test_a_caution_comes_from_the_figures() -> None:
    """It names what the scorer misses and what judges better; where rewritten text is judged well, or others measured, none."""
    (caution,) = cards.cautions(["lexical", "good", "judge", "lexical"])
    assert caution == (
        f"a paraphrase can count as not covered (ROC-AUC on rewritten text: 'lexical' 0.60; chance 0.50). {cards.BETTER}"
    )
    assert [f"{text}. {cards.BETTER}" for text in cards.cautions(["lexical"], advises=False)] == [caution]
    (of_others,) = cards.cautions(["lexical"], is_english=False)
    assert of_others.endswith("(ROC-AUC on rewritten English text: 'lexical' 0.60; chance 0.50)")
    assert list(cards.cautions(["good", "judge", "asked"])) == []
    assert list(cards.cautions(["lexical(calibrated=labels.json)", "mine(checked=labels.json)"])) == []
    assert list(cards.cautions(["mine"])) == ["how well 'mine' judges support was not measured: no card"]


def test_a_command_shows_the_line_of_a_card() -> None:
    """`measures NAME` explains a scorer with its card's line."""
    text = lookup_commands.explanation("containment")
    assert f"Card: {cards.summary('containment')}." in text
    assert text.endswith("- `by: int | str = 'sentence'`")


def test_an_audit_records_the_line_of_each_scorer_that_it_asked() -> None:
    """Beside the signature: scorers of pairs, one's own among them; not classifiers of single texts."""
    texts = {"x": "Good soup here.", "y": "Cold tea."}
    documents = [{"text": text, "attributes": {"side": side}} for side, text in texts.items()]
    told = {"system": "a", "summary": "Good soup.", "documents": documents}
    rows = [{"id": f"{i}", **told} for i in range(3)]
    measures = ["uer@side", "coverage_parity(scorer=mine)@side", "sentiment_change(scorer=vader)"]
    found = fairbrief.audit(rows, measures, scorers={"mine": Containment()}, n_resamples=50)
    assert found.result.made["scorers"] == {"mine": cards.NO_CARD, "ngram": cards.summary("ngram")}
    assert found.result.made["declared"]["uer"]["scorer"] == "ngram"
    assert found.result.made["declared"]["sentiment_change"]["scorer"] == ""
