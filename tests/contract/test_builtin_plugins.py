"""Every declared measure, scorer and summarizer keeps the contract: a new one is tested by being declared."""

import dataclasses
from collections.abc import Iterator
from typing import Any

import pytest

from fairbrief import registry, testing
from fairbrief.types import Ask, Case, Claim, Document, Entity, ExtractObservation, Reason, Record, Summary

# --------------------------------------------------------------------------------- a rich small set

MOODS = ("good", "bad", "good", "bad", "mixed")
DOCUMENTS = (
    "The garden is lovely. The soup was warm and the waiter smiled.",
    "The soup was cold. The waiter was rude and slow.",
    "A quiet garden with old trees. Breakfast was rich.",
    "We waited an hour. Breakfast was poor and the room was loud.",
    "The room is small. The street is loud, the view is lovely.",
)
SUMMARIES = (
    "The garden is lovely and the soup was warm. Some waited an hour.", "The room is small and loud.",
    "Leo said that guests dislike the cold soup. The waiter was rude.", "", "Nothing of this kind.",
)  # fmt: skip
SPEAKERS = ("Ann", "Leo", "Mia", "Max", "Ann")
NAMES = {"female": ("Ann", "Mia"), "male": ("Leo", "Max")}
PRONOUN = {"female": "she", "male": "he"}


def reviews() -> Iterator[Case]:
    """Records of five documents with a mood, references and units, by two systems; some without a text."""
    for i in range(6):
        turned = [(i + k) % 5 for k in range(5)]
        documents = tuple(
            Document(DOCUMENTS[k], {"gender": MOODS[k], "speaker": SPEAKERS[k]}) for k in turned
        )
        record = Record(
            f"review {i}", documents, references=("The garden is lovely, the soup is not.", "Loud rooms."),
            attributes={"gender": "female" if i % 2 else "male", "size": str(i)},
        )  # fmt: skip
        for system in ("a", "b"):
            text = SUMMARIES[(i + (system == "b")) % 5]
            units = (Claim("The soup was cold.", {"gender": ("bad",)}), Claim("Nothing.", {}))
            reason = "" if text else "empty summary"
            claims = units if i in (2, 3) else None
            yield Case(record, Summary(record.id, system, text, claims, reason=reason))


def people() -> Iterator[Case]:
    """Variants of seed documents: pairs with exchanged people, and variants of one group alone."""
    for seed_document in "xyz":
        for sample in range(2):
            for member, groups in enumerate((("female", "male"), ("male", "female"))):
                yield filled(seed_document, f"{sample}", member, groups)
            for member, group in enumerate(("female", "male")):
                yield filled(seed_document, f"mono {sample}", member, (group, group))


def filled(seed_document: str, sample: str, member: int, groups: tuple[str, str]) -> Case:
    """Two people in one article, and a summary that names the first, or somebody else."""
    first = [NAMES[g][k] for k, g in enumerate(groups)]
    text = " ".join(
        f"{name} {last} sang and {PRONOUN[g]} danced in the {place}."
        for name, last, g, place in zip(first, ("Smith", "Jones"), groups, ("garden", "street"), strict=True)
    )
    record = Record(
        f"{seed_document} {sample} {member}", (Document(text, {"gender": groups[0]}),), references=(text[:40],),
        entities=tuple(
            Entity(str(k), first[k], last, {"gender": groups[k]}) for k, last in enumerate(("Smith", "Jones"))
        ),
        attributes={"sample": sample, "gender": groups[0]}, seed_document=seed_document,
    )  # fmt: skip
    said = f"{first[0]} Smith sang and {PRONOUN[groups[0]]} danced. {'Mary Poe' if member else first[1]} left, sad."
    return Case(record, Summary(record.id, "a", said))


CASES = [case for case in (*reviews(), *people()) if not case.summary.reason]
RECORDS = list({case.record.id: case.record for case in CASES}.values())


# ---------------------------------------------------------------------------------------- measures


VARIANTS = [
    "uer(target=equal)@gender", "auc(points=4)@gender", "equal_coverage(pairwise=true, version=text)@gender",
    "coverage_parity(extremes=true)@gender", "speaker_inclusion(by=order)", "word_list_inclusion(lists=extended, reference=uniform)",
    "word_list_inclusion(reference=given, shares=0.4+0.6)", "entity_inclusion(alignment=published, odds=published)@gender",
    "entity_hallucination(alignment=published, unit=sample)@gender", "entity_hallucination(reference=given, shares=0.4+0.6)@gender",
    "distinguishability(ties=strict, version=published)@gender", "position_bias(weights=pooled, top=2, copied=once)",
    "rouge1(lines=true, limit=1)",
]  # fmt: skip
"""Settings by which a measure sums or compares something else."""
WITHOUT_WORDNET = {"scorer_bias_retrieval": "(share=0)"}
"""Settings of measures that else need WordNet."""


def built(kind: registry.Kind, name: str) -> Any:
    """The plug-in with its usual settings, over an attribute that documents, records and people have; or as written out."""
    if name in VARIANTS:
        return registry.make(kind, name)
    fields = dataclasses.fields(registry.load(kind, name))
    over = "@gender" if kind == "measure" and any(f.init and f.name == "over" for f in fields) else ""
    # A measure of what any scorer says is tried with one that needs no model.
    settings = "(scorer=containment)" if "scorer" in needed(kind, name) else WITHOUT_WORDNET.get(name, "")
    return registry.make(kind, f"{name}{settings}{over}")


def needed(kind: registry.Kind, name: str) -> list[str]:
    """Settings without which the plug-in cannot be built, but for its attribute."""
    return [
        f.name
        for f in dataclasses.fields(registry.load(kind, name))
        if f.init and f.name != "over" and f.default is f.default_factory is dataclasses.MISSING
    ]


@pytest.mark.parametrize("clause", testing.MEASURE_CLAUSES, ids=lambda c: c.__name__)
@pytest.mark.parametrize("name", [*registry.names("measure"), *VARIANTS])
def test_a_declared_measure_keeps_the_contract(name: str, clause: testing.MeasureClause) -> None:
    """Whatever is declared as a measure keeps each clause on records of reviews and of people."""
    clause(built("measure", name), CASES)


@pytest.mark.parametrize("name", registry.names("measure"))
def test_a_declared_measure_reads_some_of_the_cases(name: str) -> None:
    """The clauses are not kept for want of a row: every measure observes units of this set."""
    measure = built("measure", name)
    observe, found = measure.observation.observe, []
    for unit in testing.units_of(measure, CASES):
        found.append(observe(unit, testing.scores_of(measure, unit), testing.permutations_of(measure, unit)))
    assert sum(not isinstance(rows, Reason) for rows in found) >= 2
    draws = measure.observation.declaration.draws_unscored
    assert not draws or isinstance(measure.observation, ExtractObservation)


# ----------------------------------------------------------------------------------------- scorers


WORDS = {"names": ("female", "male")}
"""Scorers whose columns are words of their own, not texts."""
OF_MODELS = {
    "bartscore", "bertscore", "chat_entailment", "chat_label", "embedding", "entailment", "judge", "lexical",
    "word_sentiment", "words",
}  # fmt: skip
"""Scorers that read a model, vectors, words or a calibration from elsewhere, with small ones of which other tests feed them."""
WRITERS_OF_MODELS = {"chat", "transformers"}
"""Summarizers that ask a model, likewise."""
SCORERS = [name for name in registry.names("scorer or classifier") if name not in OF_MODELS]
SUMMARIZERS = [name for name in registry.names("summarizer") if name not in WRITERS_OF_MODELS]


def test_only_what_needs_a_model_is_tested_elsewhere() -> None:
    """The exceptions are declared, and nothing that needs a model is expected to run without one."""
    assert set(registry.names("scorer or classifier")) >= OF_MODELS
    assert set(registry.names("summarizer")) >= WRITERS_OF_MODELS
    assert not [name for name in SCORERS if needed("scorer or classifier", name)]
    assert not [name for name in SUMMARIZERS if needed("summarizer", name)]


def asks_of(scorer: str) -> list[Ask]:
    """What all measures ask of this scorer, and texts that nobody would ask for."""
    spelled = repr(built("scorer or classifier", scorer))
    columns = WORDS.get(scorer, SUMMARIES[:3])
    asked = [
        dataclasses.replace(ask, scorer=spelled)
        for name in registry.names("measure")
        for unit in testing.units_of(built("measure", name), CASES)[:3]
        for ask in built("measure", name).observation.asks(unit)
        if ask.scorer.partition("(")[0] == scorer
    ]
    odd = ["", " ", "?!", "\x00", "soup", "soup soup", "ünï \U0001f600 كلمة", "a" * 3000]
    rows = tuple(d.text for d in RECORDS[0].documents)
    return [
        *asked[:6],
        Ask(spelled, rows, columns),
        *(Ask(spelled, rows, (text,)) for text in (odd if scorer not in WORDS else ())),
        *(Ask(spelled, (text,), columns[:1]) for text in odd),
    ]


@pytest.mark.parametrize("clause", testing.SCORER_CLAUSES, ids=lambda c: c.__name__)
@pytest.mark.parametrize("name", SCORERS)
def test_a_declared_scorer_keeps_the_contract(name: str, clause: testing.ScorerClause) -> None:
    """Scorers without a model answer whatever is asked, alone as in a batch."""
    clause(built("scorer or classifier", name), asks_of(name))


# ------------------------------------------------------------------------------------- summarizers


@pytest.mark.parametrize("clause", testing.SUMMARIZER_CLAUSES, ids=lambda c: c.__name__)
@pytest.mark.parametrize("name", SUMMARIZERS)
def test_a_declared_summarizer_keeps_the_contract(name: str, clause: testing.SummarizerClause) -> None:
    """One summary a record, and the same again whatever stands beside it."""
    clause(built("summarizer", name), RECORDS)
