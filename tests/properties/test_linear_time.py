"""No text takes the processor longer than its length allows: every function of `text`, every pattern."""

import ast
import importlib
import inspect
import pkgutil
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from tests.properties.adversarial_texts import LONGEST, found, grows_too_fast

import fairbrief
import fairbrief.text
from fairbrief.chat.endpoint import Reply, is_refusal, read_reply
from fairbrief.classifiers.sentiment import passage_sentiment
from fairbrief.reports import plain
from fairbrief.text import people, personal_data, recognition, rouge, segmentation, sentences
from fairbrief.text.attributes import Mention
from fairbrief.text.gendered_words import count_identifiers
from fairbrief.text.themes import count_entries
from fairbrief.workbench.claims import read_claims

NAMES = [people.Name("John", "Smith"), people.Name("Mary", "Jones")]
ARGUMENTS: dict[str, Callable[[str], object]] = {
    "str": str, "Sequence[str]": str.split, "Collection[str]": lambda t: frozenset(t.split()), "Iterable[str]": str.split,
    "list[str]": str.split, "tuple[str, ...]": lambda t: (t,), "tuple[bool, ...]": lambda _: (True,),
    "Mapping[str, str]": lambda _: {"john": "male"}, "Sequence[Name]": lambda _: NAMES,
    "Sequence[FirstAndLast]": lambda _: [("John", "Smith")], "Mention": lambda t: Mention("ethnicity", t, 0, 1),
    "Callable[[str], list[str]]": lambda _: str.split, "int": lambda _: 10, "float": lambda _: 1.0, "bool": lambda _: True, "object": str,
}  # fmt: skip
"""What a function is given for a text, by the annotation of its parameter."""
MORE: dict[str, Callable[[str], object]] = {
    **{f"passages by {by}": partial(sentences.passages_of, by=by) for by in (3, "10words", "10words_centred")},
    "sentences.packed": lambda t: list(sentences.packed(((word, 1) for word in t.split()), most=10)),
    "sentences.passages_of": partial(sentences.passages_of, by="sentence"),
    "gendered_words.count_identifiers": partial(count_identifiers, lists="helm"),
    "themes.count_entries": partial(count_entries, themes="care"),
    "people.invented, people.unresolved, people.find_known": lambda t: people.invented(people.find_known(t, NAMES, ""), t),
    "recognition.choose, recognition.accept, recognition.parts": personal_data.names_in,
    "recognition.choose of known": lambda t: recognition.choose(recognition.propose(t), ("John Smith",)),
    "segmentation.numbered": lambda t: segmentation.Parted([t]).words(segmentation.Rule(rouge.words)).grams(2),
    "segmentation.replaced": lambda t: segmentation.replaced(t, [(i, i + 1, "") for i in range(0, len(t), 2)]),
    # Not in `text`, and given texts that strangers wrote.
    "chat.endpoint.is_refusal": is_refusal,
    "classifiers.sentiment.passage_sentiment": lambda t: passage_sentiment(t, {"a": 1.0}),
    "chat.endpoint.read_reply": read_reply,
    "workbench.claims.read_claims": lambda t: read_claims(t, Reply(t)),
    "reports.plain.printable": plain.printable,
    "reports.plain.printable of lines": lambda t: plain.printable(t, lines=True),
    "reports.plain.visible": plain.visible,
    "reports.plain.shorten": lambda t: plain.shorten(t, 50_000),
}  # fmt: skip
UNTRIED = {
    # Two sequences against each other take the product of their lengths: a longest common subsequence, difflib's matching.
    "rouge.rouge_scores", "gendered_words.varying_identifiers",
    # NLTK's own, which need its data.
    "paraphrase.paraphrase", "published_nltk.words", "published_nltk.tokenize", "published_nltk.split",
    # Take no text of a stranger.
    "languages.using", "segmentation.ascii_table", "segmentation.runs_of",
    "segmentation.ascii_words", "gendered_words.subject_group", "addresses.hide",
}  # fmt: skip


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


def needed(function: Callable[..., object]) -> list[inspect.Parameter]:
    """The parameters that have no default."""
    return [p for p in inspect.signature(function).parameters.values() if p.default is p.empty]


LISTED = UNTRIED | {name for key in MORE for name in key.split(", ")}
EVERY = {name: function for name, function in functions().items() if name not in LISTED}


def test_every_function_of_text_is_called() -> None:
    """A function that is added to `text` is tested here, unless its parameters are unknown: then name it in one of the lists."""
    assert {p.annotation for function in EVERY.values() for p in needed(function)} <= set(ARGUMENTS)


@pytest.mark.parametrize("name", sorted({**EVERY, **MORE}))
def test_a_function_takes_time_in_proportion(name: str) -> None:
    """Twice the text takes at most three times the processor time, whatever is repeated; a refusal, too."""

    def call(text: str) -> None:
        with suppress(Exception):
            if name in MORE:
                MORE[name](text)
            else:
                given = {p: ARGUMENTS[p.annotation](text) for p in needed(EVERY[name])}
                positional = [value for p, value in given.items() if p.kind is not p.KEYWORD_ONLY]
                EVERY[name](*positional, **{p.name: v for p, v in given.items() if p.kind is p.KEYWORD_ONLY})

    assert found(call) == ""


def test_a_long_run_of_capitals_takes_time_in_proportion() -> None:
    """Each part of 12,500 capitalised words is looked at, and never the rest of them again."""
    assert grows_too_fast(lambda text: people.find_known(text, NAMES, ""), ("", "Xor "), 50_000) == ""


WINDOWED = {
    "fairbrief.people.template._BEFORE", "fairbrief.people.template._RIGHT_BEFORE",
    "fairbrief.people.template._SCRIPTURE", "fairbrief.text.recognition.LOCATING",
    "fairbrief.text.attributes._NAME_BEFORE", "fairbrief.text.attributes._SAID",
}  # fmt: skip
"""Looked for in the few characters before a name: their length is bounded where they are used."""
SCANS = {"sub", "subn", "search", "split", "findall", "finditer"}
"""Methods that look for a pattern from every place of a text; one of them stands for all."""
METHODS = {*SCANS, "match", "fullmatch"}


def sources() -> dict[str, str]:
    """The code of every module of the package."""
    root = Path(fairbrief.__file__).parents[1]
    paths = {path: path.relative_to(root).with_suffix("").parts for path in sorted(root.rglob("*.py"))}
    names = {path: ".".join(parts).removesuffix(".__init__") for path, parts in paths.items()}
    return {name: path.read_text("utf-8") for path, name in names.items()}


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
        found = getattr(pattern, method)(text)
        return list(found) if method == "finditer" else found

    assert found(used, min(2 * LONGEST, 100_000)) == "", where
