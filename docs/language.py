"""Counts words, long sentences and words that Fairbrief does not use, in pages, help texts and messages.

python -m docs.language [PAGE …]    a line per page, and every place of a forbidden word

The vocabulary is in docs/reference/glossary.md. Code, commands and names in backticks are not looked at.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from typing import NamedTuple

from docs import commands, generate
from fairbrief import cli

LONGEST = 25
"""Words of a sentence from which on it counts as long."""
FORBIDDEN = {
    r"anew|alike|evener|likewise|dealt|hitherto|thereof|wherein|heed": "plain words of today",
    r"told|tells? apart|(?:is|are) said": "is distinguished, is described",
    r"stands?(?![-\w])|stood|lies?": "is",
    r"settled|surest|standings?": "sorted, most certain, conclusions",
    r"(?<!there )(?<!where )(?:is|are) no\b(?! (?:longer|more|less|other|larger|smaller|better|worse))": "is not a",
    r"random (?:extracts?|picks?)|beyond extract|blind (?:value|difference|baseline)": "random-sentence baseline",
    r"(?:permuted|exchanged|relabelled) labels|labellings|turned signs": "label permutations, sign flips",
    r"chance levels?|read with its null": "permutation mean",
    r"clear likewise|clear the other way|clearly set apart": "significant (Holm); same direction, opposite direction",
    r"signed contrasts?": "group difference",
    r"excess(?:es)?": "chance-adjusted score",
    r"coherent intervals?": "test-inverted interval",
    r"magnitudes?": "unsigned disparity",
    r"companions?": "secondary estimates",
    r"exhibits?": "examples",
    r"taggers?": "classifier",
    r"slices?|sliced": "subgroup",
    r"sanity controls?": "sanity baseline",
    r"threat model": "security",
    r"witness(?:es)?|lenders?|of the house|rooms of": "no fables",
}
"""What is not written (a regular expression, whole words, case aside) → what is written instead."""
_FORBIDDEN = {
    re.compile(rf"\b(?:{pattern})(?!\w)", re.IGNORECASE): instead for pattern, instead in FORBIDDEN.items()
}
_CODE = re.compile(r"^```.*?^```|<!--.*?-->|`[^`\n]*`|\]\([^)\s]*\)|https?://\S+", re.DOTALL | re.MULTILINE)
_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_ENDS = re.compile(r"(?<=[.!?])[\"”)*]*\s+(?=[\"“(*`A-Z0-9])|\n\s*(?:[-*|]|\d+\.|#+)\s|\n\s*\n|\s\|\s")
_MESSAGE = re.compile(r"[a-z]+ [a-z]+ [a-z]+", re.IGNORECASE)
COLUMNS = ("no random extract",)
"""Names of columns, not sentences."""
QUOTED = ("CHANGELOG.md",)
"""Pages that name what was renamed."""


class Place(NamedTuple):
    """A forbidden word: where, the words around it, and what is written instead."""

    where: str
    words: str
    instead: str


def prose(page: str) -> str:
    """A page without code, comments and addresses; a name in backticks counts as one word."""
    return _CODE.sub(lambda m: " Name " if m[0].startswith("`") and not m[0].startswith("```") else "", page)


def words(page: str) -> int:
    """How many words of prose a page has."""
    return len(_WORD.findall(prose(page)))


def long_sentences(page: str) -> list[str]:
    """Sentences, list items and cells of more than `LONGEST` words."""
    parts = (" ".join(part.split()) for part in _ENDS.split(prose(page)))
    return [part for part in parts if len(_WORD.findall(part)) > LONGEST]


def forbidden(text: str, where: str) -> Iterator[Place]:
    """Every forbidden word of a text."""
    plain = " ".join(prose(text).split())
    for pattern, instead in _FORBIDDEN.items():
        for match in pattern.finditer(plain):
            yield Place(where, plain[max(0, match.start() - 40) : match.end() + 40], instead)


def pages() -> dict[str, str]:
    """Name → text of all pages that readers see."""
    more = [generate.ROOT / "CONTRIBUTING.md", *(generate.ROOT / name for name in QUOTED)]
    return {
        str(path.relative_to(generate.ROOT)): path.read_text(encoding="utf-8")
        for path in [*generate.written_pages(), *more]
    }


def helps() -> Iterator[tuple[str, str]]:
    """The command line and its help text, for each command."""
    for name in ("", *cli.COMMANDS):
        command = cli.loaded(name) if name else None
        for inner in ("", *getattr(command, "commands", {})):
            path = [word for word in (name, inner) if word]
            yield f"fairbrief {' '.join(path)} --help", commands.help_of(path)


def messages() -> Iterator[tuple[str, str]]:
    """File and line, and text, of the strings in the source that read like sentences; docstrings and word lists are passed over."""
    source = generate.ROOT / "src" / "fairbrief"
    for path in sorted(source.rglob("*.py")):
        if path.is_relative_to(source / "text"):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        passed = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        texts = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in passed]
        texts = [node for node in texts if node.value not in COLUMNS]
        for node in texts:
            if isinstance(node.value, str) and _MESSAGE.search(node.value) and "\\" not in node.value:
                yield f"{path.relative_to(generate.ROOT)}:{node.lineno}", node.value


def found() -> list[Place]:
    """Every forbidden word in pages, help texts and messages."""
    texts = [(name, text) for name, text in pages().items() if name not in QUOTED]
    return [place for where, text in (*texts, *helps(), *messages()) for place in forbidden(text, where)]


def main() -> int:
    """Print a line per page, and the places of forbidden words; exit 1 if there are any."""
    asked = sys.argv[1:]
    known = {name: text for name, text in pages().items() if not asked or name in asked}
    sys.stdout.write(f"{'words':>7} {'long':>5}  page\n")
    for name, text in known.items():
        sys.stdout.write(f"{words(text):7,} {len(long_sentences(text)):5,}  {name}\n")
    total = sum(map(words, known.values())), sum(len(long_sentences(text)) for text in known.values())
    sys.stdout.write(f"{total[0]:7,} {total[1]:5,}  {len(known)} pages\n")
    places = [place for place in found() if not asked or place.where in asked]
    for place in places:
        sys.stdout.write(f"{place.where}: …{place.words}… (write: {place.instead})\n")
    return 1 if places else 0


if __name__ == "__main__":
    sys.exit(main())
