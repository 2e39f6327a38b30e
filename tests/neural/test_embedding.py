"""Embeddings: sentence-transformers' own vectors, and real semantics."""

from dataclasses import replace
from pathlib import Path

import numpy as np
from tests.neural.tiny_models import LONG, MODEL_SCORE_TOLERANCE, TEXTS, matrix

from fairbrief.engines import score_cache
from fairbrief.engines.score_cache import Cached
from fairbrief.scorers import vectors
from fairbrief.scorers.pairs import watched
from fairbrief.scorers.vectors import Embedding
from fairbrief.text.sentences import sentences_of
from fairbrief.types import Ask


def test_cosines_are_sentence_transformers_own(minilm_folder: Path) -> None:
    """Cosines equal those of the library's own encoding of each text, to 1e-4."""
    from sentence_transformers import SentenceTransformer

    encoder = SentenceTransformer(str(minilm_folder), device="cpu")
    vectors = encoder.encode(list(TEXTS), normalize_embeddings=True)
    found = matrix(Embedding(model=str(minilm_folder), device="cpu", dtype="fp32"), TEXTS[:2], TEXTS)
    np.testing.assert_allclose(found, vectors[:2] @ vectors.T, atol=MODEL_SCORE_TOLERANCE)


def test_a_document_is_as_near_as_its_nearest_sentence(encoder_folder: Path) -> None:
    """By default the best of its sentences; by=document its vector as a whole, which is another."""
    document = " ".join(TEXTS[:3])
    scorer = Embedding(model=str(encoder_folder), device="cpu", dtype="fp32")
    (found,) = scorer.answer([Ask("", (document, TEXTS[3]), TEXTS)])
    wanted = matrix(scorer, tuple(sentences_of(document)), TEXTS).max(axis=0)
    np.testing.assert_allclose(found.matrix[0], wanted, atol=1e-6)
    np.testing.assert_allclose(found.matrix[0, :3], 1, atol=1e-6)
    (whole,) = replace(scorer, by="document").answer([Ask("", (document,), TEXTS)])
    np.testing.assert_allclose(whole.matrix, matrix(scorer, (document,), TEXTS), atol=1e-6)
    assert (whole.matrix[0, :3] < 0.999).all()


def test_each_sentence_is_embedded_once_and_kept(encoder_folder: Path, tmp_path: Path) -> None:
    """Whatever asks share it; another claim about the same documents costs its own vector alone, however they are cut."""
    scorer, documents = Embedding(model=str(encoder_folder)), (" ".join(TEXTS[:3]), " ".join(TEXTS[1:4]))
    asks = [Ask("", documents, (TEXTS[0],)), Ask("", documents[:1], (TEXTS[4],))]
    keys = list(scorer.keys(asks))
    assert len(keys) == len(set(keys)) == len({s for d in documents for s in sentences_of(d)} | {TEXTS[4]})
    list(Cached(scorer, tmp_path / "s").answer(asks))
    assert len(score_cache.read(tmp_path / "s", scorer.computed_by, keys)) == len(keys)
    made: list[int] = []
    with watched(lambda _scorer, _done, total, _rate: made.append(total)):
        list(Cached(scorer, tmp_path / "s").answer([Ask("", documents, ("Something new.",))]))
    assert set(made) == {1}


def test_long_texts_are_the_mean_of_their_windows(encoder_folder: Path) -> None:
    """A long text's vector is the mean of its windows' by length; truncation keeps only the first."""
    scorer = Embedding(model=str(encoder_folder))
    (found,) = [batch[LONG,] for batch in scorer.compute([(LONG,)])]
    from fairbrief import pretrained
    from fairbrief.scorers import models
    from fairbrief.scorers.pieces import parts

    place = pretrained.find(str(encoder_folder), "x")
    resident = models.sentence_encoder(place, scorer.placement, "embedding")
    assert resident.limit == 64
    ids = np.array(resident.tokenizer(LONG, add_special_tokens=False)["input_ids"])
    windows = parts(len(ids), 62)
    assert len(windows) > 1
    embedded = vectors._embed(resident, [(np.array([0, *ids[w], 2]), None) for w in windows])
    wanted = np.average(embedded, axis=0, weights=[w.stop - w.start for w in windows])
    np.testing.assert_allclose(found, wanted, atol=MODEL_SCORE_TOLERANCE)
    (cut,) = [b[LONG,] for b in Embedding(model=str(encoder_folder), windows="truncate").compute([(LONG,)])]
    first = vectors._embed(resident, [(np.array([0, *ids[:62], 2]), None)])[0]
    np.testing.assert_allclose(cut, first, atol=MODEL_SCORE_TOLERANCE)


def test_an_empty_text_is_near_nothing(encoder_folder: Path) -> None:
    """A text without word pieces has cosine 0 with all others."""
    assert (matrix(Embedding(model=str(encoder_folder)), ("",), ("", TEXTS[0])) == 0).all()
