"""No text takes the processor longer than its length allows: every function of `text`, every pattern."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from tests.properties.adversarial_texts import LONGEST, found

import fairbrief
import fairbrief.text
from fairbrief.chat.endpoint import Reply, is_refusal, read_reply
from fairbrief.classifiers.sentiment import passage_sentiment
from fairbrief.cli.command_line import printable as printable_for_a_terminal
from fairbrief.reports import plain
from fairbrief.text import (
    addresses,
    anonymisation,
    attributes,
    attribution,
    counted,
    gendered_words,
    hashes,
    languages,
    names,
    people,
    personal_data,
    recognition,
    rouge,
    segmentation,
    sentences,
    themes,
)  # fmt: skip
from fairbrief.workbench.claims import read_claims

KNOWN = [people.Name("John", "Smith"), people.Name("Mary", "Jones")]
PAIRS = [("John", "Smith"), ("Mary", "Jones")]


def _value_error(read: Callable[[str], object], text: str) -> object:
    """What a reader of settings says of a text that is none."""
    try:
        return read(text)
    except ValueError as error:
        return error


def of_the_known(text: str, source: str) -> object:
    """All that is decided about names that refer to known people."""
    decisions = people.find_known(text, KNOWN, source)
    return people.invented(decisions, text), people.unresolved(decisions)


OF_A_TEXT: dict[str, Callable[[str], object]] = {
    "gendered_words.exchange_title": lambda t: gendered_words.exchange_title(t, "Mr."),
    "people.align": lambda t: people.align(rouge.words(t), KNOWN, rouge.words(t)),
    "people.align_published": lambda t: people.align_published(t.split(), KNOWN),
    "anonymisation.anonymise": lambda t: anonymisation.anonymise(t, PAIRS),
    "anonymisation.anonymise_published": lambda t: anonymisation.anonymise_published(t, PAIRS),
    "sentences.passages_of": partial(sentences.passages_of, by="sentence"),
    **{f"passages by {by}": partial(sentences.passages_of, by=by) for by in (3, "10words", "10words_centred")},
    "sentences.sentence_groups": lambda t: sentences.sentence_groups(t.split(), 10),
    "sentences.sentence_windows": lambda t: sentences.sentence_windows(t.split(), 10),
    "attributes.agree": lambda t: attributes.agree(
        attributes.Mention("ethnicity", t, 0, 1), attributes.Mention("ethnicity", f"a {t}", 0, 1)
    ),
    "attribution.attributions": lambda t: attribution.attributions((t,), ("John Smith", "Mary Jones"), (True,)),
    "personal_data.without_names": lambda t: personal_data.without_names(t, {"John Smith"}),
    "themes.count_entries": lambda t: themes.count_entries(t, "care"),
    "counted.counted": lambda t: counted.counted(2, t),
    "counted.listed": lambda t: counted.listed(t.split()),
    "names.gender_of_name": lambda t: names.gender_of_name(rouge.words(t), {}, {"john": "male"}),
    "names.text_gender": lambda t: names.text_gender(t.split(), {}, {"john": "male"}),
    "names.genders_of": lambda t: names.genders_of([t, "f"]),
    "names.without_titles": lambda t: names.without_titles(t.split()),
    "names.published_gender": lambda t: names.published_gender(t.split(), {}, {"john": "male"}),
    "people.find_known, people.known_spans, people.invented, people.unresolved": lambda t: of_the_known(t, t),
    "of known people, without a source": lambda t: of_the_known(t, ""),
    "people.find_people": lambda t: people.find_people(t, KNOWN, t, ("John Smith",), with_known=True),
    "recognition.is_described_at": lambda t: recognition.is_described_at(t, len(t) // 2, len(t) // 2 + 4),
    "gendered_words.guess_place": lambda t: gendered_words.guess_place("her", t),
    "gendered_words.like": lambda t: gendered_words.like(t, "her"),
    "hashes.digest_of": lambda t: hashes.digest_of([t]),
    "gendered_words.count_identifiers": lambda t: gendered_words.count_identifiers(t, "helm"),
    "personal_data.names_in, recognition.accept, recognition.propose, recognition.runs, recognition.parts":
        personal_data.names_in,
    "recognition.choose": lambda t: recognition.choose(recognition.propose(t), ("John Smith",)),
    "rouge.tokens": lambda t: rouge.tokens(t, stem=True),
    "addresses.is_stored": addresses.is_stored,
    "addresses.refuse_stored": lambda t: _refused(addresses.refuse_stored, t),
    "segmentation.ascii_words": lambda t: segmentation.ascii_words(
        t.encode("ascii", "replace").decode(), segmentation.ascii_table(str.isalnum)
    ),
    "segmentation.word_total": segmentation.word_total,
    "segmentation.recall": lambda t: segmentation.recall(t, [t]),
    "segmentation.words_held": lambda t: segmentation.words_held(t, [t]),
    "people.read_errors": lambda t: _value_error(people.read_errors, t),
    "languages.languages_of": lambda t: languages.languages_of(segmentation.Parted([t]), np.ones(1, dtype=np.int64)),
    "segmentation.numbered": lambda t: segmentation.numbered([t], [segmentation.Rule(rouge.words)]).grams(2),
    "languages.other_language": lambda t: languages.other_language(t, "en"),
    "languages.language_of_input": lambda t: languages.language_of_input([t]),
    "people.found_people": lambda t: people.found_people(t, ("John Smith",), {"john": "male"}),
    "rouge.stems": lambda t: rouge.stems(rouge.words(t), "en"),
    "rouge.porter_stem": rouge.porter_stem,
    # Not in `text`, and given texts that strangers wrote.
    "chat.endpoint.is_refusal": is_refusal,
    "classifiers.sentiment.passage_sentiment": lambda t: passage_sentiment(t, {"a": 1.0}),
    "chat.endpoint.read_reply": lambda t: _refused(read_reply, t),
    "workbench.claims.read_claims": lambda t: read_claims(t, Reply(t)),
    "reports.plain.printable": plain.printable,
    "reports.plain.printable of lines": lambda t: plain.printable(t, lines=True),
    "reports.plain.visible": plain.visible,
    "reports.plain.shorten": lambda t: plain.shorten(t, 50_000),
    "cli.command_line.printable": printable_for_a_terminal,
}  # fmt: skip
WITHOUT_A_TEXT = {
    "names.shares", "names.commonest_last_names", "gendered_words.word_lists",
    "names.genders", "names.given_names", "gendered_words.pair_markers", "names.census", "published_nltk.word_cutter",
    "gendered_words.subject_group", "names.read_names", "gendered_words.form",
    "published_nltk.edition", "published_nltk.wordnet", "sentences.check_by", "paraphrase.why_not", "published_nltk.punkt", "languages.given", "languages.known", "languages.use", "languages.using",
    "languages.suppose", "languages.setting", "languages.described", "languages.usual",
    "people.spell_errors", "segmentation.ascii_table", "addresses.where_credentials",
    "rouge.rule", "segmentation.forget", "themes.themes_of", "vocabulary.vocabulary", "vocabulary.words", "segmentation.compact", "segmentation.different_of",
}  # fmt: skip
"""Take no text of a stranger, but a number, a table of ours or nothing."""
MORE_THAN_LINEAR = {"rouge.rouge_scores", "gendered_words.varying_identifiers"}
"""Hold two sequences against each other, which takes the product of their lengths: a longest common subsequence
(64 cells at a step), and difflib's matching of the listed words of two variants of a text."""
OF_NLTK = {
    "paraphrase.paraphrase",
    "published_nltk.words",
    "published_nltk.tokenize",
    "published_nltk.split",
}
"""NLTK's own, behind a protocol that asks for them: they need its data."""


def _refused(call: Callable[[str], object], text: str) -> None:
    try:
        call(text)
    except Exception as error:  # noqa: BLE001 - how long it takes to refuse is what counts
        del error


def functions() -> dict[str, Callable[..., object]]:
    """Every public function of `text`, as module.name."""
    every = {}
    for module in pkgutil.iter_modules(fairbrief.text.__path__):
        loaded = importlib.import_module(f"fairbrief.text.{module.name}")
        for name, thing in vars(loaded).items():
            is_own = getattr(thing, "__module__", "") == loaded.__name__
            if is_own and not name.startswith("_") and inspect.isfunction(inspect.unwrap(thing)):
                every[f"{module.name}.{name}"] = thing
    return every


def takes_one_text(function: Callable[..., object]) -> bool:
    """Whether it can be called with a text alone."""
    needed = [p for p in inspect.signature(function).parameters.values() if p.default is p.empty]
    return [p.annotation for p in needed] == ["str"]


EVERY = functions()
LISTED = WITHOUT_A_TEXT | OF_NLTK | MORE_THAN_LINEAR | {name for key in OF_A_TEXT for name in key.split(", ")}
"""A call that makes others is listed with their names."""
CALLS = {n: f for n, f in EVERY.items() if n not in LISTED and takes_one_text(f)} | OF_A_TEXT


def test_every_function_of_text_is_listed() -> None:
    """A function that is added to `text` is tested here, or said to take no text of a stranger."""
    assert set(EVERY) - set(CALLS) - LISTED == set()


@pytest.mark.parametrize("name", sorted(CALLS))
def test_a_function_takes_time_in_proportion(name: str) -> None:
    """Twice the text takes at most three times the processor time, whatever is repeated."""
    assert found(CALLS[name]) == ""


WINDOWED = {
    "fairbrief.people.template._BEFORE", "fairbrief.people.template._RIGHT_BEFORE",
    "fairbrief.people.template._SCRIPTURE", "fairbrief.text.recognition.DEFINITE", "fairbrief.text.recognition.IN_A_PLACE",
    "fairbrief.text.attributes._NAME_BEFORE", "fairbrief.text.attributes._SAID",
}  # fmt: skip
"""Looked for in the few characters before a name: their length is bounded where they are used."""
SCANS = {"sub", "subn", "search", "split", "findall", "finditer"}
"""Methods that look for a pattern from every place of a text; one of them stands for all."""
METHODS = {*SCANS, "match", "fullmatch"}


def sources() -> dict[str, str]:
    """The code of every module of the package."""
    root = Path(fairbrief.__file__).parent
    return {
        ".".join(("fairbrief", *path.relative_to(root).with_suffix("").parts)).removesuffix(
            ".__init__"
        ): path.read_text(encoding="utf-8")
        for path in sorted(root.rglob("*.py"))
    }


def uses() -> Iterator[tuple[str, re.Pattern[str], str]]:
    """Every pattern of the package with each method that it is used with: in place, or by its name."""
    code = sources()
    named: dict[str, list[tuple[str, re.Pattern[str]]]] = {}
    for module in (module for module, source in code.items() if "re.compile" in source):
        for name, thing in vars(importlib.import_module(module)).items():
            if isinstance(thing, re.Pattern) and isinstance(thing.pattern, str):
                named.setdefault(name, []).append((module, thing))
    matching = re.compile(rf"\b(?:re|{'|'.join(named)})\s*\.\s*(?:{'|'.join(METHODS)})\b")
    for module, source in code.items():
        calls = ast.walk(ast.parse(source)) if matching.search(source) else ()
        for call in calls:
            if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
                continue
            method, of = call.func.attr, call.func.value
            if method not in METHODS or not isinstance(of, ast.Name | ast.Attribute):
                continue
            name = of.id if isinstance(of, ast.Name) else of.attr
            how = "finditer" if method in SCANS else method
            if name == "re" and isinstance(call.args[0], ast.Constant):
                yield f"{module}:{call.lineno}", re.compile(str(call.args[0].value)), how
            for where, pattern in named.get(name, ()):
                yield f"{where}.{name}", pattern, how


USES = sorted(
    {(where, how): (where, pattern, how) for where, pattern, how in uses() if where not in WINDOWED}.values(),
    key=lambda use: (use[0], use[2]),
)


def test_the_patterns_were_found() -> None:
    """The package's patterns are found by their names, and where they are used in place."""
    kinds = Counter(":" in where for where, _, _ in USES)
    assert kinds[False] > 50, kinds
    assert kinds[True] > 20, kinds


@pytest.mark.parametrize(("where", "pattern", "method"), USES, ids=[f"{w}.{m}" for w, _, m in USES])
def test_a_pattern_takes_time_in_proportion(where: str, pattern: re.Pattern[str], method: str) -> None:
    """Each pattern, used as it is used, takes at most three times as long for twice the text."""

    def used(text: str) -> object:
        return (
            sum(1 for _ in pattern.finditer(text)) if method == "finditer" else getattr(pattern, method)(text)
        )

    assert found(used, min(2 * LONGEST, 100_000)) == "", where
