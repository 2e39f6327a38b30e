"""How long a text is, by a rule with a name; and which texts are of a wanted length."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fairbrief.errors import RequestError
from fairbrief.text.segmentation import word_count

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
