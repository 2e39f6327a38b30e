"""Sets of reviews of one product, with the sentiment of each from its rating or from VADER.

Source: Zhang et al., Fair Abstractive Summarization of Diverse Perspectives (Amazon, Yelp); Li et al.,
Coverage-based Fairness (Amazon: 1-2 stars negative, 3 neutral, 4-5 positive).
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from fairbrief.errors import MissingExtra, RequestError
from fairbrief.types import Document, Record
from fairbrief.workbench.corpora.text_sources import Lengths

Label = Callable[[Document], str | None]
NEGATIVE, NEUTRAL, POSITIVE = "negative", "neutral", "positive"
SENTIMENTS = ("rating", "vader_argmax", "vader_compound", "none")
COMPOUND = 0.05
"""VADER's authors' threshold of the compound score."""


def rating_sentiment(rating: float, negative: float = 2, positive: float = 4) -> str:
    """``negative`` up to a rating, ``positive`` from a rating on, ``neutral`` between."""
    if rating <= negative:
        return NEGATIVE
    return POSITIVE if rating >= positive else NEUTRAL


def argmax_sentiment(scores: Mapping[str, float]) -> str:
    """The rule of the value-distribution paper's code: the larger of VADER's neg and pos.

    ``neu`` and ``compound`` are ignored, a tie is negative, and neutral is only what has neither.
    """
    if not scores["neg"] and not scores["pos"]:
        return NEUTRAL
    return POSITIVE if scores["pos"] > scores["neg"] else NEGATIVE


def compound_sentiment(scores: Mapping[str, float]) -> str:
    """VADER's authors' rule: positive from a compound score of 0.05 on, negative up to −0.05, else neutral."""
    if scores["compound"] >= COMPOUND:
        return POSITIVE
    return NEGATIVE if scores["compound"] <= -COMPOUND else NEUTRAL


def labeller(rule: str, *, negative: float = 2, positive: float = 4, analyser: str = "vader") -> Label | None:
    """Gives a review its sentiment: by ``rating``, ``vader_argmax`` or ``vader_compound``; ``none`` gives none.

    ``analyser`` is the library ``vader`` (vaderSentiment) or ``nltk``, whose analyser the published labels
    were made with: the two differ in how they cut words. None for a review without a rating.

    Raises: RequestError for another rule or thresholds that overlap; MissingExtra without the library.
    """
    if rule == "none":
        return None
    if rule == "rating":
        if not negative < positive:
            raise RequestError(f"Negative up to {negative:g} and positive from {positive:g} on overlap.")
        return lambda review: _by_rating(review, negative, positive)
    rules = {"vader_argmax": argmax_sentiment, "vader_compound": compound_sentiment}
    if rule not in rules:
        raise RequestError(f"There is no sentiment by '{rule}'. Known: {', '.join(SENTIMENTS)}.")
    scores, label = _analyser(analyser), rules[rule]
    return lambda review: label(scores(review.text))


def _by_rating(review: Document, negative: float, positive: float) -> str | None:
    try:
        return rating_sentiment(float(review.attributes["rating"]), negative, positive)
    except (KeyError, ValueError):
        return None


def _analyser(name: str) -> Callable[[str], Mapping[str, float]]:
    if name == "nltk":
        try:
            from nltk.sentiment.vader import SentimentIntensityAnalyzer
        except ImportError as error:
            raise MissingExtra("nltk", "nltk", "VADER's sentiment by NLTK") from error
        analyser = _nltk_analyser(SentimentIntensityAnalyzer)
    elif name == "vader":
        try:
            from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer
        except ImportError as error:
            raise MissingExtra("vaderSentiment", "sentiment", "VADER's sentiment") from error
        analyser = SentimentIntensityAnalyzer()
    else:
        raise RequestError(f"There is no analyser '{name}'. Known: vader, nltk.")
    found: Callable[[str], Mapping[str, float]] = analyser.polarity_scores
    return found


def _nltk_analyser(make: Callable[..., Any]) -> Any:
    """NLTK's analyser with its word list, packed as NLTK's downloader leaves it or unpacked."""
    for place in ("vader_lexicon.zip/vader_lexicon/vader_lexicon.txt", "vader_lexicon/vader_lexicon.txt"):
        try:
            return make(lexicon_file=f"sentiment/{place}")
        except LookupError:
            continue
    raise RequestError("VADER by NLTK needs its word list: python -m nltk.downloader vader_lexicon")


@dataclass(frozen=True, slots=True)
class Sets:
    """Sets of ``size`` reviews of one product, at most ``per_product`` of each (None: all that it has).

    ``draw``: ``random`` shuffles a product's reviews first, ``first`` takes them as they stand.
    """

    size: int
    per_product: int | None = 1
    draw: Literal["random", "first"] = "random"
    seed: int = 0

    def __post_init__(self) -> None:
        if self.size < 1 or (self.per_product is not None and self.per_product < 1):
            raise RequestError("A set has at least one review, and a product at least one set.")
        if self.draw not in ("random", "first"):
            raise RequestError(f"Reviews are drawn 'random' or 'first', not '{self.draw}'.")


def review_sets(
    records: Iterable[Record],
    sets: Sets,
    label: Label | None,
    left_out: Counter[str],
    *,
    lengths: Lengths = Lengths(),  # noqa: B008 # frozen
) -> Iterator[Record]:
    """Sets of reviews of one product, in the order in which the products first occur.

    A record of one document belongs to its ``product`` (attribute); one of many is a product's reviews, and
    keeps its references if it is not cut. Each review gets the attribute ``sentiment``; one that can be given
    none is left out and counted by its reason, if any rule is asked for. Sets of one product have it as their original, if there may be several.
    """
    admit = lengths.admit()
    for product, record, reviews in _products(records):
        kept = []
        for review in reviews:
            labelled, reason = _labelled(review, label, admit)
            if labelled is None:
                left_out[reason] += 1
            else:
                kept.append(labelled)
        if len(kept) < sets.size:
            left_out["product with too few reviews"] += 1
            continue
        yield from _cut(product, record, kept, sets, is_whole=len(kept) == len(reviews) == sets.size)


def _products(records: Iterable[Record]) -> Iterator[tuple[str, Record, Sequence[Document]]]:
    """Sets as they come, and single reviews once all of their product are known."""
    single: dict[str, tuple[Record, list[Document]]] = {}
    for record in records:
        if len(record.documents) > 1:
            yield record.id, record, record.documents
            continue
        (review,) = record.documents
        product = review.attributes.get("product", record.attributes.get("product"))
        if product is None:
            raise RequestError(
                f"{record.where or record.id}: the review has no attribute 'product'. Name its field with --product FIELD."
            )
        own = {name: value for name, value in review.attributes.items() if name != "product"}
        single.setdefault(product, (record, []))[1].append(Document(review.text, own))
    for product, (record, reviews) in single.items():
        yield product, record, reviews


def _labelled(
    review: Document, label: Label | None, admit: Callable[[str], bool]
) -> tuple[Document | None, str]:
    if not review.text.strip():
        return None, "review without text"
    if not admit(review.text):
        return None, "review not of the wanted length"
    if label is None:
        return review, ""
    if (sentiment := label(review)) is None:
        return None, "review without a rating"
    return replace(review, attributes={**review.attributes, "sentiment": sentiment}), ""


def _cut(
    product: str, record: Record, reviews: list[Document], sets: Sets, *, is_whole: bool
) -> Iterator[Record]:
    if sets.draw == "random":
        rng = random.Random(f"{sets.seed}|{product}")  # noqa: S311 # a seed that reproduces is wanted
        rng.shuffle(reviews)
    count = len(reviews) // sets.size
    if sets.per_product is not None:
        count = min(count, sets.per_product)
    for i in range(count):
        yield Record(
            product if sets.per_product == 1 else f"{product}-{i}",
            tuple(reviews[i * sets.size : (i + 1) * sets.size]),
            record.references if is_whole else (),
            attributes={**record.attributes, "product": product},
            seed_document=None if sets.per_product == 1 else product,
        )
