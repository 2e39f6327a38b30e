"""The labelled texts that sets are drawn from, and how long a text is, by a rule with a name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from fairbrief.errors import RequestError
from fairbrief.text.segmentation import word_count
from fairbrief.types import Document, Record

Count = Callable[[str], int]
RULES = ("words", "nltk", "characters")


def counter(rule: str) -> Count:
    """Counts a text's tokens: ``words`` (what white space parts, or in a script without it the words), ``nltk`` (its ``word_tokenize``), ``characters``.

    Raises: RequestError for another rule; MissingExtra for ``nltk`` without NLTK.
    """
    if rule == "words":
        return word_count
    if rule == "characters":
        return len
    if rule == "nltk":
        from fairbrief.text.nltk_tokens import tokenize

        return lambda text: len(tokenize(text))
    raise RequestError(f"There is no way to count named '{rule}'. Known: {', '.join(RULES)}.")


@dataclass(frozen=True, slots=True)
class Lengths:
    """Texts of ``least`` to ``most`` tokens (both count in), and of ``least_characters`` at least."""

    least: int = 0
    most: int | None = None
    rule: str = "words"
    least_characters: int = 0

    def __post_init__(self) -> None:
        if self.most is not None and self.most < self.least:
            raise RequestError(f"No text has at least {self.least} and at most {self.most} tokens.")

    def admit(self) -> Callable[[str], bool]:
        """Whether a text is of a wanted length."""
        count = counter(self.rule)
        least, most, characters = self.least, self.most, self.least_characters
        if not least and most is None:
            return lambda text: len(text) >= characters
        return lambda text: (
            len(text) >= characters
            and least <= (n := count(text)) <= (n if most is None else most)
        )  # fmt: skip


# ---- The labelled texts that sets are drawn from


@dataclass(slots=True)
class Pool:
    """Texts by topic, in the input's order, and how many were left out for which reason.

    Without a topic field all texts are of the topic ``""``.
    """

    topics: dict[str, list[Document]] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)

    @property
    def texts(self) -> list[Document]:
        """All texts, whatever their topic."""
        return [document for documents in self.topics.values() for document in documents]


def gather(
    records: Iterable[Record],
    attribute: str,
    *,
    values: Iterable[str] | None = None,
    topic: str = "",
    lengths: Lengths = Lengths(),  # frozen
    distinct: bool = False,
) -> Pool:
    """The documents of the records that have the attribute and a wanted length.

    ``values`` are the only values taken; ``topic`` is an attribute of the document or its record, and texts
    of different topics are kept apart; ``distinct`` drops a text that occurred before. A text keeps the
    attribute alone, so that what else is known of it does not become a group by accident.
    """
    pool, admit, seen = Pool(), lengths.admit(), set[str]()
    wanted = None if values is None else set(values)
    for record in records:
        for document in record.documents:
            reason = _reason(document, attribute, wanted, seen if distinct else set())
            if not reason and not admit(document.text):
                reason = "not of the wanted length"
            about = _of(topic, document, record.attributes) if topic else ""
            if not reason and about is None:
                reason = f"no '{topic}'"
            if reason or about is None:
                pool.left_out[reason] += 1
                continue
            seen.add(document.text)
            kept = Document(document.text, {attribute: document.attributes[attribute]})
            pool.topics.setdefault(about, []).append(kept)
    return pool


def _reason(document: Document, attribute: str, wanted: set[str] | None, seen: set[str]) -> str:
    if not document.text.strip():
        return "no text"
    if attribute not in document.attributes:
        return f"no '{attribute}'"
    if wanted is not None and document.attributes[attribute] not in wanted:
        return f"another '{attribute}'"
    return "the same text again" if document.text in seen else ""


def _of(topic: str, document: Document, attributes: Mapping[str, str]) -> str | None:
    return document.attributes.get(topic, attributes.get(topic))
