"""Lists, scores and probabilities as models write them."""

from collections.abc import Callable

import pytest

from fairbrief.text import replies, segmentation


@pytest.mark.parametrize(("reply", "wanted"), [
    ("(1) It is red.\n(2) It broke.", ("It is red.", "It broke.")),
    ("1) It is red.\n2) It broke.", ("It is red.", "It broke.")),
    ("* It is red.\n• It broke.", ("It is red.", "It broke.")),
    ("1.The strap is red.\n2.It broke.", ("The strap is red.", "It broke.")),
    ("**1.** It is red.\n**2.** It broke.", ("It is red.", "It broke.")),
    ("1. 2.5 percent left.\n2. 2020 saw rain.", ("2.5 percent left.", "2020 saw rain.")),
    ("2.5 percent left.\n2020 saw rain.", ("2.5 percent left.", "2020 saw rain.")),
    (
        "1. It is red.\n2.5 percent left.\n2. 2020 saw rain.",
        ("It is red.", "2.5 percent left.", "2020 saw rain."),
    ),
    ("- 1,000 people came.\n- 3M sells tape.", ("1,000 people came.", "3M sells tape.")),
    ("1,000 people came.\n3M sells tape.", ("1,000 people came.", "3M sells tape.")),
    (
        "Sure! Here they are:\n\n1. It is red.\n2. It broke.\n\nI hope this helps!",
        ("It is red.", "It broke."),
    ),
    ("1. It is red,\n   which is rare.\n2. It broke.", ("It is red, which is rare.", "It broke.")),
    ("1. It is red.\nIt broke.\n3. It is late.", ("It is red.", "It broke.", "It is late.")),
    ("- **Strap**: it is well-made.", ("Strap: it is well-made.",)),
    ("-5 degrees were measured.\n- It was cold.", ("-5 degrees were measured.", "It was cold.")),
    ("One sentence, no list.", ()),
    ("", ()),
])  # fmt: skip
def test_items_of_lists(reply: str, wanted: tuple[str, ...]) -> None:
    """Marks go, and numbers that belong to the sentence stay."""
    assert replies.items(reply) == wanted


def test_words_that_statements_hold_are_counted() -> None:
    """A text's words that occur in some statement are counted, and all of its words."""
    assert segmentation.words_held("It is red and broke, in Missouri.", ("It is red.", "It broke.")) == (4, 7)
    assert segmentation.words_held("…", ("x",)) == (0, 0)


SCORES = {
    "It keeps the main point.\nScore: 4": 4, "The score would be 5 if it were shorter. Final score: 3": 3, "**Score:** 2": 2,
    "I give it 4/5.": 4, "3 out of 5": 3, "It misses 2 of 3 points.\n\n3": 3, "Rating: three": 3, "Score: 4.5": 4.5,
    "Score (1-5): 4": 4, "Score: 2 (from 1 (worst) to 5)": 2, "On a scale of 1 to 5, score: 4": 4, "Score: 4\nIt won 3-1.": 4,
    "Score: 9": None, "Score: 80%": None, "Score: 4/10": None, "Score: 4.5 out of 10": None, "Score: 3-4": None, "It is a good summary with 4 points.": None, "": None,
}  # fmt: skip
PROBABILITIES = {
    "Yes.": 1.0, "no": 0.0, "**No**, it does not.": 0.0, "Not at all": None, "0.85": 0.85, "Probability: .5": 0.5, "85 %": 0.85,
    "0.2 out of 1": 0.2, "0.2 on a scale from 0 to 1": 0.2, "0.7/1.0": 0.7, "0.8 (0 = not, 1 = certainly)": 0.8, "0.0-1.0: 0.3": 0.3,
    "No. Claim 1 is missing.": 0.0, "Yes, on page 3.": 1.0, "Yes, 0.8": 0.8, "1": 1.0, "1.5": None, "120%": None, "7": None, "maybe": None,
}  # fmt: skip


@pytest.mark.parametrize(("read", "wanted"), [(replies.score, SCORES), (replies.probability, PROBABILITIES)])
def test_numbers_of_judges(read: Callable[[str], float | None], wanted: dict[str, float | None]) -> None:
    """The last score stated holds; yes and no, percentages and numbers from 0 to 1 are probabilities; all else is none."""
    assert {reply: read(reply) for reply in wanted} == wanted
