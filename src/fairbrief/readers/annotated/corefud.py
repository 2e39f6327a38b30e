"""CorefUD files (``.conllu``), such as GUM's: entities and coreference in the ``Entity=`` annotation.

Each document becomes one record with one text. The text is put together from the words and their
``SpaceAfter``; it must be that of ``# text`` to the letter. Sentences of a paragraph are joined by a
blank (by nothing after ``SpaceAfter=No``), paragraphs (``# newpar``) by a line break.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from fairbrief.errors import DataError
from fairbrief.readers.annotated.annotated_text import Annotation, Span, Token, people
from fairbrief.readers.annotated.dependencies import Word, head_of, is_attributive, names_of
from fairbrief.readers.folders import files_of, lines_of
from fairbrief.text import pronouns
from fairbrief.types import Document, Record

_BRACKETS = re.compile(r"(\()?([^()]+)(\))?")
_FIELDS = ("eid", "etype", "head", "other")


@dataclass(slots=True)
class _Pages:
    """One document while it is being read."""

    id: str
    line: int
    fields: Sequence[str] = _FIELDS
    meta: dict[str, str] = field(default_factory=dict)
    text: list[str] = field(default_factory=list)
    length: int = 0
    glue: str = ""
    """What stands between the last word and the next."""
    words: list[Word] = field(default_factory=list)
    spans: list[tuple[Span, Mapping[str, str]]] = field(default_factory=list)
    open: dict[str, list[tuple[int, Mapping[str, str]]]] = field(default_factory=lambda: defaultdict(list))

    def write(self, form: str) -> int:
        """Append a word after its glue; where it begins."""
        start = self.length + len(self.glue)
        self.text += [self.glue, form]
        self.length = start + len(form)
        self.glue = ""
        return start


def read_corefud(source: str | Path) -> Iterator[Record]:
    """The documents of a ``.conllu`` file, or of all such files below a folder.

    Each record has the people as entities (gender from their pronouns and titles; attribute
    ``identity`` where the annotation links the person to a page), the metadata ``genre`` as attribute,
    and summaries marked ``(human…)`` in the metadata as references. Raises `DataError` with file and line.
    """
    for path in files_of(Path(source), ".conllu"):
        yield from _read_file(path)


def _read_file(path: Path) -> Iterator[Record]:
    pages: _Pages | None = None
    block: list[tuple[int, str]] = []
    for number, raw in lines_of(path):
        line = raw.rstrip("\n")
        if line.startswith("# newdoc"):
            if pages is not None:
                yield _record(pages, path)
            pages = _Pages(line.partition("=")[2].strip() or path.stem, number)
        elif line:
            block.append((number, line))
        if not line and block:
            pages = pages or _Pages(path.stem, block[0][0])
            _add_sentence(pages, block, path)
            block = []
    if block:
        pages = pages or _Pages(path.stem, block[0][0])
        _add_sentence(pages, block, path)
    if pages is not None:
        yield _record(pages, path)


# ------------------------------------------------------------------------------------- sentences


def _add_sentence(pages: _Pages, block: Sequence[tuple[int, str]], path: Path) -> None:
    wanted, at = "", block[0][0]
    for number, line in block:
        if not line.startswith("#"):
            continue
        key, _, value = line[1:].partition("=")
        key = key.strip()
        if key.startswith("newpar"):
            pages.glue = "\n" if pages.length else ""
        elif key == "text":
            wanted, at = line.partition("=")[2].removeprefix(" "), number
        elif key == "global.Entity":
            pages.fields = value.strip().split("-")
        elif key.startswith("meta::"):
            pages.meta[key.removeprefix("meta::")] = value.strip()
    rows = [
        (number, _columns(line, f"{path}:{number}")) for number, line in block if not line.startswith("#")
    ]
    begin, glue = len(pages.text), pages.glue
    _add_words(pages, rows, path)
    made = "".join(pages.text[begin:]).removeprefix(glue)
    if wanted and made.rstrip() != wanted.rstrip():
        raise DataError(
            f"{path}:{at}: '# text' is {wanted!r}, but the words with SpaceAfter make {made!r}. "
            "Mend one of them."
        )


def _columns(line: str, where: str) -> list[str]:
    columns = line.split("\t")
    if len(columns) != 10:
        raise DataError(f"{where}: {len(columns)} columns. A word of CoNLL-U has 10, parted by tabs.")
    if not re.fullmatch(r"\d+(?:[-.]\d+)?", columns[0]):
        raise DataError(f"{where}: '{columns[0]}' is not the number of a word.")
    return columns


def _add_words(pages: _Pages, rows: Sequence[tuple[int, list[str]]], path: Path) -> None:
    base, covered = len(pages.words), 0
    forms = {int(c[0]): c[1] for _, c in rows if c[0].isdigit()}
    places: dict[int, tuple[int, int]] = {}
    for number, columns in rows:
        id_, form, misc = columns[0], columns[1], columns[9]
        if "." in id_:
            continue
        first, _, last = id_.partition("-")
        low, high = int(first), int(last or first)
        if low > covered:
            start = pages.write(form)
            pages.glue = _space_after(misc)
            covered = high
            places.update(_split(form, start, [forms.get(i, "") for i in range(low, high + 1)], low))
        if last:
            continue
        if low not in places:
            raise DataError(f"{path}:{number}: word {low} does not follow word {len(pages.words) - base}.")
        token = Token(form, columns[4], *places[low])
        head = columns[6]
        if head not in ("_", "0") and not head.isdigit():
            raise DataError(f"{path}:{number}: '{head}' is not the number of a head.")
        index = len(pages.words)
        if index != base + low - 1:
            raise DataError(f"{path}:{number}: word {low} does not follow word {index - base}.")
        pages.words.append(
            Word(token, columns[3], base + int(head) - 1 if head not in ("_", "0") else -1, columns[7])
        )
        _add_brackets(pages, misc, index, f"{path}:{number}")


def _split(form: str, start: int, parts: Sequence[str], low: int) -> dict[int, tuple[int, int]]:
    """Where the words of one written token stand: one after the other if they spell it, else all of it."""
    if "".join(parts) != form:
        return {low + i: (start, start + len(form)) for i in range(len(parts))}
    places, at = {}, start
    for i, part in enumerate(parts, low):
        places[i] = (at, at + len(part))
        at += len(part)
    return places


def _space_after(misc: str) -> str:
    for item in misc.split("|"):
        key, _, value = item.partition("=")
        if key == "SpaceAfter" and value == "No":
            return ""
        if key == "SpacesAfter":
            return value.replace("\\s", " ").replace("\\n", "\n").replace("\\t", "\t")
    return " "


def _add_brackets(pages: _Pages, misc: str, index: int, where: str) -> None:
    """Open and close the mentions that begin and end at a word."""
    annotation = next((i.removeprefix("Entity=") for i in misc.split("|") if i.startswith("Entity=")), "")
    for opens, body, closes in _BRACKETS.findall(annotation):
        id_ = re.sub(r"\[\d+/\d+\]", "", body.split("-")[0])
        if opens:
            given = dict(zip(pages.fields, [id_, *body.split("-")[1:]], strict=False))
            pages.open[id_].append((index, given))
        elif not pages.open[id_]:
            raise DataError(f"{where}: the mention of entity '{id_}' closes, but none was opened.")
        if closes:
            begin, said = pages.open[id_].pop()
            pages.spans.append((Span(begin, index, id_), said))


# ------------------------------------------------------------------------------------- people


def _record(pages: _Pages, path: Path) -> Record:
    left = [id_ for id_, waiting in pages.open.items() if waiting]
    where = f"{path}:{pages.line}"
    if left:
        raise DataError(
            f"{where}: in document '{pages.id}' the mention of entity '{left[0]}' is never closed."
        )
    text = "".join(pages.text)
    words = pages.words
    mentions, nouns, heads = [], [], {}
    names: list[Span] = []
    attributive: list[Span] = []
    things: dict[int, list[Span]] = defaultdict(list)
    for span, said in pages.spans:
        if said.get("etype") in ("place", "organization"):
            things[head_of(words, span)].append(span)
    notes: dict[str, dict[str, str]] = {}
    for span, said in sorted(pages.spans, key=lambda s: (s[0].first, -s[0].last)):
        kind = said.get("etype", "")
        mentions.append(span)
        head = head_of(words, span)
        heads[span] = head
        if kind not in ("person", ""):
            continue
        if kind == "" and pronouns.gender(words[head].token.form) is None:
            continue
        of_another = is_attributive(words, head) or any(
            other.covers(span) and other != span for other in things[head]
        )
        (attributive if of_another else names).extend(names_of(words, span, head, said))
        if words[head].upos == "NOUN" and words[head].token.tag in ("NN", "_"):
            nouns.append(Span(head, head, span.chain))
        if said.get("identity"):
            notes[span.chain or ""] = {"identity": unquote(said["identity"])}
    # Whom only the names of other things name (Carnegie Hall, the Stirling Prize) is nobody of the text.
    spoken_of = {name.chain for name in names}
    names += [name for name in attributive if name.chain in spoken_of]
    given = Annotation(text, [w.token for w in words], mentions, names, nouns, heads, notes)
    attributes = {"genre": pages.meta["genre"]} if "genre" in pages.meta else {}
    summaries = [v for k, v in pages.meta.items() if re.fullmatch(r"summary\d*", k)]
    human = tuple(
        v.partition(")")[2].strip() if v.startswith("(") else v
        for v in summaries
        if v.startswith("(human") or not v.startswith("(")
    )
    return Record(pages.id, (Document(text),), human, people(given), attributes, where=where)
