"""Summaries by tiny models made on the spot: batches, templates, and texts that are too long."""

import random
from pathlib import Path

import pytest
from tests.neural.tiny_writers import WORDS, remove_weights, save_decoder, save_encoder_decoder, save_pegasus
from tests.written_summaries import written_by

from fairbrief import registry
from fairbrief.errors import BackendError
from fairbrief.types import Document, Record
from fairbrief.workbench.summarizers import transformers
from fairbrief.workbench.summarizers.transformers import Transformers
from fairbrief.workbench.summarizing import Job, summarize_all

pytest.importorskip("transformers")
pytestmark = pytest.mark.neural


@pytest.fixture(scope="module")
def bart(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The folder of an encoder-decoder."""
    return str(save_encoder_decoder(tmp_path_factory.mktemp("bart")))


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The folder of a decoder with a chat template."""
    return str(save_decoder(tmp_path_factory.mktemp("llama")))


def records_of(n: int, words: int = 12) -> list[Record]:
    """Records of two documents of different lengths."""
    rng = random.Random(5)
    texts = [" ".join(rng.choices(WORDS, k=rng.randint(3, words))) for _ in range(2 * n)]
    return [Record(f"r{i}", tuple(map(Document, texts[2 * i : 2 * i + 2]))) for i in range(n)]


def lengths(record: Record) -> list[int]:
    """The words of each document."""
    return [len(d.text.split()) for d in record.documents]


@pytest.mark.parametrize("kind", ["bart", "llama"])
def test_batches_equal_single_calls(kind: str, request: pytest.FixtureRequest) -> None:
    """Greedy answers of a batch of unequal texts are those of each text alone, and they are not all alike."""
    folder = request.getfixturevalue(kind)
    together = Transformers(folder, max_new_tokens=12)
    alone = Transformers(folder, max_new_tokens=12, batch_tokens=1)
    records = records_of(9)
    texts = [s.text for s in written_by(together, records)]
    assert texts == [s.text for s in written_by(alone, records)]
    assert len(set(texts)) > 3
    assert all(texts)


def test_the_decoder_is_asked_through_its_template(llama: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The template frames the prompt; a role goes into the user's turn where the template has no other."""
    seen: list[str] = []
    original = Transformers._generate

    def spy(self: Transformers, drafts: list, *others: object) -> list[str]:  # type: ignore[type-arg]  # test double
        seen.extend(d.text for d in drafts)
        return original(self, drafts, *others)  # type: ignore[arg-type]  # test double

    monkeypatch.setattr(Transformers, "_generate", spy)
    written_by(Transformers(llama, role="mediator", max_new_tokens=4), records_of(1))
    assert seen[0].startswith("<s> user You are a mediator")
    assert seen[0].endswith("assistant ")


def test_an_encoder_decoder_reads_the_documents_alone(bart: str) -> None:
    """Without a prompt nothing but the documents is sent to a model that was trained to summarize."""
    summary = written_by(Transformers(bart, max_new_tokens=4), records_of(1))[0]
    assert summary.made["prompt"] == "source"


def test_truncating_keeps_every_document(bart: str) -> None:
    """The longest documents are cut to one length, short ones stay whole, and the summary says how much went."""
    long = Record("x", (Document("room " * 90), Document("cold coffee"), Document("staff " * 80)))
    short, cut = transformers.truncated(long, lambda record: sum(lengths(record)) <= 62)
    assert lengths(short) == [30, 2, 30]
    assert cut == 110
    summary = written_by(Transformers(bart, max_new_tokens=4), [long])[0]
    assert 100 < int(summary.made["long"].removesuffix(" words cut off")) < 120


def test_samples_differ_and_come_again(llama: str) -> None:
    """Several samples have systems of their own, differ, and are the same whatever stands beside them."""
    three = Transformers(llama, samples=3, temperature=1.5, max_new_tokens=10, system="tiny")
    found = written_by(three, records_of(2))
    assert [s.system for s in found] == ["tiny#1", "tiny#2", "tiny#3"] * 2
    assert len({s.text for s in found[:3]}) == 3
    assert [s.text for s in written_by(three, records_of(2)[1:])] == [s.text for s in found[3:]]


def test_a_finished_run_loads_no_model(llama: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the journal holds is not written again, nor is the model loaded to find that out."""
    records, summarizer = records_of(3), Transformers(llama, max_new_tokens=4)
    job = Job(summarizer, tmp_path / "o")
    (first,) = summarize_all([job], lambda: records, tmp_path / "o.journal")
    monkeypatch.setattr(transformers, "load_writer", None)
    (again,) = summarize_all([job], lambda: records, tmp_path / "o.journal")
    assert (first.asked, again.from_journal) == (3, 3)


def test_name_grammar(llama: str) -> None:
    """transformers:FOLDER stands for transformers(model=FOLDER), and its spec reads back."""
    made = registry.make("summarizer", f"transformers:{llama}(beams=2, max_new_tokens=5)")
    assert made == Transformers(llama, beams=2, max_new_tokens=5)
    assert registry.make("summarizer", repr(made)) == made
    assert all(s.text for s in written_by(made, records_of(2)))


def test_a_folder_without_a_model_is_explained(tmp_path: Path) -> None:
    """A folder that transformers cannot load is named, with what to give instead."""
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(BackendError, match=r"transformers: the model in .* cannot be loaded"):
        written_by(Transformers(str(tmp_path)), records_of(1))


def test_a_model_without_some_of_its_weights_is_refused(tmp_path: Path) -> None:
    """They would be random numbers; the error names one of them."""
    folder = save_decoder(tmp_path)
    remove_weights(folder, "layers.1.mlp.up_proj")
    with pytest.raises(BackendError, match=r"no weights for model\.layers\.1\.mlp\.up_proj\.weight"):
        written_by(Transformers(str(folder)), records_of(1))


def test_positions_that_are_sines_need_no_weights(tmp_path: Path) -> None:
    """The published files of Pegasus lack them: it writes the same texts with and without."""
    whole, published = save_pegasus(tmp_path / "whole"), save_pegasus(tmp_path / "published")
    remove_weights(published, "embed_positions")
    texts, same = (
        [summary.text for summary in written_by(Transformers(str(folder), max_new_tokens=8), records_of(4))]
        for folder in (whole, published)
    )
    assert texts == same
    assert any(texts)
