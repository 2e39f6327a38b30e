"""``fairbrief calibrate``: labels in, a map and its agreement out; scorers that use it; what is refused."""

import csv
import io
import json
import re
import shutil
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.command import printed, write
from tests.files.shapes import table
from tests.stub_chat import StubChat

from fairbrief import registry
from fairbrief.auditing.scorer_lookup import Scorers
from fairbrief.errors import DataError, RequestError
from fairbrief.measures.distributions import COUNTING
from fairbrief.measures.representation import Representation
from fairbrief.scorers.calibrated import Calibrated, features_of, read
from fairbrief.scorers.lexical import FEATURES, Lexical
from fairbrief.testing import SCORER_CLAUSES, ScorerClause
from fairbrief.text import languages
from fairbrief.types import Ask
from fairbrief.workbench.calibrating import read_labels

WORDS = "soup hot bread house fresh table waiter wrote garden quiet".split()
OTHERS = "cold rude noise tariff engine paper winter copper ladder violin".split()


def labelled(path: Path) -> Path:
    """Ninety claims of ten words; the more of them the text holds, the more often it supports them."""
    rng = np.random.default_rng(1)
    rows = []
    for i in range(90):
        held = int(rng.integers(0, 11))
        is_supported = bool(rng.random() < held / 10)
        claim = " ".join([*WORDS[:held], *OTHERS[held:]])
        rows.append({"text": f"{' '.join(WORDS)} {i}", "claim": claim, "supported": is_supported})
    return write(path, rows)


def in_english() -> AbstractContextManager[None]:
    """What an audit of English texts finds out before it scores."""
    return languages.using(languages.setting()._replace(usual="en"))


@pytest.fixture(scope="module")
def maps(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    """Calibrations by scorer."""
    folder = tmp_path_factory.mktemp("maps")
    labels, found = labelled(folder / "labels.jsonl"), {}
    for name in ("containment", "lexical"):
        found[name] = folder / f"{name}.json"
        printed("calibrate", name, labels, "--out", found[name])
    return found


@pytest.fixture
def calibrated(maps: Mapping[str, Path], tmp_path: Path) -> Path:
    """A calibration of containment that a test may change."""
    return Path(shutil.copy(maps["containment"], tmp_path))


def test_labels_become_a_map_that_a_spec_names(tmp_path: Path) -> None:
    """The command prints the agreement and how many labels are needed; more words are at least as probable support."""
    out = tmp_path / "made.json"
    said = printed("calibrate", "containment", labelled(tmp_path / "labels.jsonl"), "--out", out)
    assert "ROC-AUC" in said
    spec = re.findall(r"containment\(calibrated=.*\)", said.replace("\n", ""))[-1]
    scorer = Scorers()[spec]
    claims = tuple(" ".join([*WORDS[:k], *OTHERS[k:]]) for k in range(11))
    ask = Ask(spec, (" ".join(WORDS), " ".join(OTHERS)), claims)
    (answer,) = scorer.answer([ask])
    assert (np.diff(answer.matrix[0]) >= 0).all()
    assert answer.matrix[0, 0] < 0.2 < 0.8 < answer.matrix[0, 10]
    (alone,) = scorer.answer([Ask(spec, ask.rows[:1], claims)])
    assert alone.matrix[0].tolist() == answer.matrix[0].tolist(), "a row's score depends on those beside it"
    assert repr(registry.make("scorer", spec)) == spec
    held = json.loads(out.read_text())
    assert held["pairs"] == held["texts"] == 90
    assert WORDS[0] not in out.read_text()


def test_an_audit_with_a_calibrated_scorer_has_wider_intervals(calibrated: Path, tmp_path: Path) -> None:
    """The estimate is the same; the standard error contains the maps' part, also of subgroups, differences and in two processes."""
    narrow = tmp_path / "narrow.json"
    held = json.loads(calibrated.read_text())
    narrow.write_text(json.dumps({**held, "resampled": []}), encoding="utf-8")
    found = {}
    in_two = ("wide in two", calibrated, ("--workers", "2"))
    for name, path, more in (("wide", calibrated, ()), ("narrow", narrow, ()), in_two):
        folder = tmp_path / name
        spec = f"coverage_parity(scorer=containment(calibrated={path}))@sentiment"
        printed("audit", "examples/reviews.jsonl", "--measure", spec, "--out", folder, *more)
        results = json.loads((folder / "results.json").read_text())
        every = results["estimates"] + results["differences"]
        changes = [e for e in every if e["quantity"].startswith("relative_difference")]
        fields = ("system", "quantity", "value", "se", "extract_se")
        found[name] = [tuple(e.get(field) for field in fields) for e in changes]
    assert found["wide"] == found["wide in two"]
    for wide, plain in zip(found["wide"], found["narrow"], strict=True):
        assert wide[:3] == plain[:3]
        assert wide[3] > plain[3]
        assert wide[4] is None or wide[4] > plain[4]
    said = {name: (tmp_path / name / "report.md").read_text() for name in found}
    assert "includes the uncertainty of the scorer's calibration" in said["wide"]
    assert "excludes the uncertainty of the scorer's calibration" in said["narrow"]


def test_a_lexical_scorer_needs_labels(maps: Mapping[str, Path]) -> None:
    """It refuses to score without, and says what to do; with labels it tells support better than chance."""
    with pytest.raises(RequestError, match="fairbrief calibrate lexical"):
        Lexical().answer([])
    assert read(str(maps["lexical"])).auc[1] > 0.6
    ask = Ask("", (" ".join(WORDS),), (" ".join(WORDS), " ".join(OTHERS)))
    with in_english():
        (answer,) = registry.make("scorer", f"lexical(calibrated={maps['lexical']})").answer([ask])
    assert answer.matrix[0, 0] > answer.matrix[0, 1]


@pytest.mark.parametrize("clause", SCORER_CLAUSES, ids=lambda c: c.__name__)
@pytest.mark.parametrize("name", ["containment", "lexical"])
def test_calibrated_scorers_keep_contract(name: str, clause: ScorerClause, maps: Mapping[str, Path]) -> None:
    """Whatever is asked, alone as in a batch: also empty texts, no row, and no column."""
    told = "Anna paid 40 euros. It was 1.5 times as hot."
    odd = ("", " ", "?!", "\x00", "soup soup", "ünï كلمة 汤很热", "a" * 3000, told)
    with in_english():
        scorer = registry.make("scorer", f"{name}(calibrated={maps[name]})")
        asks = [Ask("", odd, odd), Ask("", (), odd), Ask("", odd, ())]
        clause(scorer, [*asks, *(Ask("", (text,), odd[:2]) for text in odd)])


def test_features_of_a_pair_by_hand() -> None:
    """Shares of words, pairs, numbers and names; the best sentences; the longest run; what is missing; lengths."""
    row = "Anna Berg paid 40 euros. The soup was hot and the garden quiet."
    claim = "We hear that Anna Smith paid 40 of 50 euros for hot soup."
    found = dict(zip(FEATURES, Lexical().features_of([Ask("", (row,), (claim,))])[0].tolist(), strict=True))
    assert found["numbers"] == 1 / 2
    assert found["names"] == 1 / 2
    assert found["missing numbers"] == found["missing names"] == pytest.approx(np.log(2))
    assert found["words"] == 6 / 9  # hear, anna, smith, paid, 40, 50, euros, hot, soup
    assert found["best sentence"] == 4 / 9
    assert found["best two sentences"] == 6 / 9
    assert found["longest run"] == 2 / 13  # paid 40
    assert found["length of claim"] == pytest.approx(np.log(14))


@pytest.mark.parametrize(("change", "error", "said"), [
    ({"scorer": "tfidf"}, RequestError, "is of another scorer"),
    ({"fingerprint": "containment/0"}, RequestError, "is of another scorer"),
    ({"auc": [0.45, 0.4, 0.5]}, RequestError, "no better than chance"),
    ({"map": {"weights": [1], "places": [], "shares": []}}, DataError, "no calibration of this version"),
])  # fmt: skip
def test_a_calibration_that_does_not_fit_is_refused(
    calibrated: Path, change: dict[str, Any], error: type[Exception], said: str
) -> None:
    """Of another scorer, of another version of it, below chance, or damaged: with what to do."""
    calibrated.write_text(json.dumps({**json.loads(calibrated.read_text()), **change}), encoding="utf-8")
    for use in ("calibrated", "checked"):
        with pytest.raises(error, match=said):
            list(Scorers()[f"containment({use}={calibrated})"].answer([Ask("", ("a",), ("b",))]))


def test_a_checked_scorer_reports_its_agreement(calibrated: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Before the first number the agreement is on standard error, and it is in the fingerprint of every number."""
    ask = Ask("", ("hot soup",), ("hot soup", "cold tea"))
    checked = registry.make("scorer", f"containment(checked={calibrated})")
    (answer,) = checked.answer([ask])
    assert answer.matrix.tolist() == [[1.0, 0.0]]
    assert "ROC-AUC" in capsys.readouterr().err
    assert "on 90 labelled pairs of 90 texts" in checked.fingerprint
    with pytest.raises(RequestError, match="drop checked"):
        registry.make("scorer", f"containment(checked={calibrated}, calibrated={calibrated})")


def test_a_calibrated_scorer_of_tokens_answers_by_column(tmp_path: Path) -> None:
    """The mean over a column's tokens is calibrated, so that measures read it as a scorer of whole texts; checked, it is as it was."""
    out, ask = tmp_path / "made.json", Ask("", ("hot soup", "nothing"), ("hot soup", "hot tea", ""))
    printed("calibrate", "ngram", labelled(tmp_path / "labels.jsonl"), "--out", out)
    assert features_of(Scorers()["ngram"], [ask])[:, 0].tolist() == [1.0, 0.5, 0.0, 0.0, 0.0, 0.0]
    with in_english():
        (answer,) = Calibrated(Scorers()["ngram"], str(out)).answer([ask])
        (checked,) = Calibrated(Scorers()["ngram"], str(out), "checked").answer([ask])
        (plain,) = Scorers()["ngram"].answer([ask])
    assert answer.matrix.shape == (2, 3)
    assert (checked.matrix.tolist(), checked.sizes.tolist()) == (plain.matrix.tolist(), plain.sizes.tolist())
    assert Representation("party", f"ngram(calibrated={out})").kind not in COUNTING
    assert Representation("party", f"ngram(checked={out})").kind in COUNTING


def test_a_sheet_is_drawn_over_scores_and_groups_and_read_back(tmp_path: Path) -> None:
    """Every group is asked about; a filled sheet calibrates; one that is there is not written over."""
    sheet, out = tmp_path / "pairs.csv", tmp_path / "made.json"
    asked = ("--attribute", "sentiment", "--label-sheet", sheet, "--pairs", "120")
    said = printed("calibrate", "containment", "examples/reviews.jsonl", *asked)
    assert "Fill in the column 'supported'" in said
    rows = list(csv.DictReader(io.StringIO(sheet.read_text(encoding="utf-8"), newline="")))
    groups = [row["group"] for row in rows]
    assert len({(row["text"], row["claim"]) for row in rows}) == len(rows) == 120
    assert min(map(groups.count, ("negative", "neutral", "positive"))) >= 15
    shares = [len(set(row["claim"].split()) & set(row["text"].split())) for row in rows]
    half = sorted(shares)[len(shares) // 2]
    for i, (row, share) in enumerate(zip(rows, shares, strict=True)):
        row["supported"] = "" if i == 0 else "yes" if share > half else "No"
    filled = tmp_path / "filled.csv"
    table(filled, rows)
    said = printed("calibrate", "containment", filled, "--out", out)
    assert "Excluded: 1 pair left blank." in said
    assert re.search(r"Does the calibration hold for every group.*negative +\d+ +0\.\d", said, re.DOTALL)
    assert read(str(out)).pairs == 119
    with pytest.raises(RequestError, match="remove it"):
        printed("calibrate", "containment", "examples/reviews.jsonl", "--label-sheet", sheet)


def test_public_formats_are_read_and_several_labels_count_by_majority(tmp_path: Path) -> None:
    """QAGS's three answers, WiCE's labels, and our own lines, in any order; an even vote is left out, and all groups are named."""
    said = [{"response": answer} for answer in ("yes", "no", "yes")]
    rows = [
        {"article": "A.", "summary_sentences": [{"sentence": "B.", "responses": said}]},
        {"claim": "C.", "evidence": ["D.", "E."], "label": "partially_supported"},
        *({"text": "F.", "claim": "G.", "supported": True, "group": group} for group in ("", "y", "x")),
        {"text": "F.", "claim": "H.", "supported": True},
        {"text": "F.", "claim": "H.", "supported": False},
    ]
    found = read_labels([write(tmp_path / "labels.jsonl", rows)])
    assert found.pairs == (
        ("A.", "B.", True, ""), ("D. E.", "C.", False, ""), ("F.", "G.", True, "x, y"),
    )  # fmt: skip
    assert found.undecided == 1
    assert read_labels([write(tmp_path / "reversed.jsonl", rows[::-1])]) == found


def test_pairs_without_a_score_do_not_count(tmp_path: Path) -> None:
    """Their number is printed; of either label enough pairs must have a score."""
    labels = labelled(tmp_path / "labels.jsonl")
    supported = [pair.text for pair in read_labels([labels]).pairs if pair.supported]
    lacking = {*supported[:3]}

    def verdict(prompt: str) -> str:
        text = prompt.partition("Source: ")[2].split("\n")[0]
        return "No." if text in lacking else f"Score: {5 if text in supported else 2}"

    with StubChat(answer=verdict) as server:
        judge = f"judge(model=m, base_url={server.url})"
        command = ["calibrate", judge, labels, "--out", tmp_path / "made.json"]
        assert "Excluded: 3 pairs without a score." in printed(*command)
        assert Scorers().holds_model(f"{judge[:-1]}, checked={tmp_path / 'made.json'})")
        lacking.update(supported[19:])
        with pytest.raises(DataError, match="16 supported; expected at least 20 supported"):
            printed(*command)


@pytest.mark.parametrize(("line", "said"), [
    ('{"text": "a", "claim": "b"}', "labels.jsonl:1: found no labelled pair"),
    ('{"text": "a", "claim": 3, "supported": true}', "is not text"),
    ('{"text": "a", "claim": "b", "supported": "perhaps"}', "expected yes or no"),
    ('{"text": "a", "claim": "b", "supported": true}', "expected at least 20"),
])  # fmt: skip
def test_labels_that_cannot_be_used_name_their_line(line: str, said: str, tmp_path: Path) -> None:
    """What is no pair, no label, or too little is refused with what was wanted."""
    path = write(tmp_path / "labels.jsonl", [line])
    with pytest.raises(DataError, match=said):
        printed("calibrate", "containment", path, "--out", tmp_path / "made.json")
