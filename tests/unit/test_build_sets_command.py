"""``fairbrief build``: from published files to records that the audit reads, the same to the byte."""

from collections import Counter
from pathlib import Path

import pytest
from tests.cli.command import printed, write

from fairbrief.readers import read


def run(*words: str | Path) -> str:
    """What ``fairbrief build`` prints."""
    return printed("build", *words)


@pytest.fixture
def tweets(tmp_path: Path) -> Path:
    """Forty labelled tweets of our own."""
    lines = [f"{i}<||>{'male' if i % 2 else 'female'}<||>tweet number {i} about tea" for i in range(40)]
    return write(tmp_path / "input.txt", lines)


def test_perspectives(tweets: Path, tmp_path: Path) -> None:
    """A published file of tweets becomes mixtures that the reader reads; one seed gives one file, to the byte."""
    options = "--attribute gender --counts 5,10 --mix male=.2,female=.8 --samples 3 --unit tweets --out"
    words = ["perspectives", tweets, *options.split()]
    said = run(*words, tmp_path / "a.jsonl")
    assert "6 sets" in said
    assert "female 20, male 20" in said
    run(*words, tmp_path / "b.jsonl")
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
    for record in read(tmp_path / "a.jsonl").records():
        counts = Counter(record.values_of("gender"))
        assert counts["male"] * 5 == int(record.attributes["tweets"])


def test_stratified(tmp_path: Path) -> None:
    """Tweets of SemEval become sets of one target that each stance dominates equally often; records do as well."""
    out, targets, stances = tmp_path / "sets.jsonl", ("Tea", "Tea", "Mugs", "Mugs"), ("AGAINST", "FAVOR")
    rows = [f"{i}\t{targets[i % 4]}\ttweet {i}\t{stances[i % 2]}" for i in range(80)]
    path = write(tmp_path / "train.txt", ["ID\tTarget\tTweet\tStance", *rows])
    asked = ("--attribute", "stance", "--topic", "target", "--size", "5", "--sets", "6")
    assert "dominated by AGAINST 3, FAVOR 3" in run("stratified", path, *asked, "--out", out)
    records = list(read(out).records())
    assert {r.attributes["topic"] for r in records} <= {"Tea", "Mugs"}
    again = run("stratified", out, "--attribute", "stance", "--sets", "2", "--out", tmp_path / "two.jsonl")
    assert "2 sets" in again


def test_stratified_as_the_coverage_paper_tells(tmp_path: Path) -> None:
    """News of 75 to 600 words for or against a claim in sets of 4 to 8; tweets of MITweet in clusters of one topic."""
    path, out = tmp_path / "news.jsonl", tmp_path / "sets.jsonl"
    rows = [
        {"id": f"{c}{i}", "text": f"{c} {i} " + "word " * (100 if i else 10), "stance": ("support", "against")[(i % 3 > 0) == (c % 2 > 0)], "claim": f"claim {c}"}
        for c in range(6)
        for i in range(9)
    ]  # fmt: skip
    write(path, [*rows, {**rows[1], "id": "again"}])
    said = run(
        "stratified", path, "--attribute", "stance", "--topic", "claim", "--size", "4-8", "--sets", "2", "--distinct",
        "--min-tokens", "75", "--max-tokens", "600", "--values", "support,against", "--out", out,
    )  # fmt: skip
    assert "excluded: 6 × not of the wanted length" in said
    assert "excluded: 1 × the same text again" in said
    assert all(4 <= len(r.documents) <= 8 for r in read(out).records())
    lines = [f"Tea,{('green tea is', 'black tea was')[i % 2]} nice {i},{i % 3},-1" for i in range(24)]
    tweets = write(tmp_path / "MITweet.csv", ["topic,tweet,I1,I2", *lines])
    said = run(
        "stratified", tweets, "--attribute", "ideology", "--topic", "topic", "--size", "3", "--similar", "0.3",
        "--sets", "2", "--values", "left,right", "--out", out,
    )  # fmt: skip
    assert "dominated by left 1, right 1" in said


def test_transcripts(tmp_path: Path) -> None:
    """Debates become segments of at most k tokens with speaker and side."""
    said = [{"speakertype": "for", "paragraphs": ["word " * (3 + i)]} for i in range(12)]
    turns = [{"speaker": f"S{i % 3}", **turn} for i, turn in enumerate(said)]
    path, out = (
        write(tmp_path / "iq2.json", [{"d": {"title": "T", "transcript": turns}}]),
        tmp_path / "segments.jsonl",
    )
    said = run("transcripts", path, "--tokens", "12", "--out", out)
    assert "longer than 12 tokens, and split: 3 turns" in said
    for record in read(out).records():
        assert sum(len(d.text.split()) for d in record.documents) <= 12
        assert record.attributes["title"] == "T"
        assert all(set(d.attributes) == {"speaker", "side"} for d in record.documents)


def test_reviews(tmp_path: Path) -> None:
    """Amazon's lines, and ordinary records whose fields are named, become sets of one product with sentiments."""
    path, out = tmp_path / "a.json", tmp_path / "sets.jsonl"
    rows = [{"asin": f"B{i % 2}", "overall": 1 + i % 5, "reviewText": f"review {i}"} for i in range(20)]
    said = run("reviews", write(path, rows), "--size", "8", "--out", out)
    assert "2 sets" in said
    assert "sentiment: negative" in said
    plain = [{"id": i, "text": f"t {i}", "stars": 1 + i % 5, "shop": "x"} for i in range(9)]
    named = ("--rating", "stars", "--product", "shop", "--negative", "1", "--out", out)
    run("reviews", write(tmp_path / "plain.jsonl", plain), "--size", "9", *named)
    (record,) = read(out).records()
    assert Counter(record.values_of("sentiment")) == {"negative": 2, "neutral": 4, "positive": 3}


def test_sets_carry_the_attributes_that_prompts_speak_of(tweets: Path, tmp_path: Path) -> None:
    """--set NAME=TEXT stands in every record, whole."""
    out = tmp_path / "sets.jsonl"
    words = "--attribute gender --counts 4 --mix male=.5,female=.5 --samples 2".split()
    run("perspectives", tweets, *words, "--out", out, "--set", "topic=tea, and = signs")
    assert {record.attributes["topic"] for record in read(out).records()} == {"tea, and = signs"}
