"""The Claritin mixtures with their tweets in the order of the draw, as the release reads the text of each gender.

    python -m benchmarks.real.claritin --tweets FILE --mixtures FILE --out FILE

``--tweets``: the labelled tweets, in the order of the original file. ``--mixtures``: the mixtures with summaries,
in the order of the release; their tweets are shuffled. The release drew with a fixed seed: per cell of size and
share it shuffles men's and women's tweets, cuts consecutive blocks of both, and shuffles each mixture. Its metric
reads the blocks, not the mixture; a tweet without a full stop runs into the next one, so the order counts.

Every mixture is drawn again and must be the given one, in the given order; else nothing is written.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.recording import options

from fairbrief.text.published_nltk import tokenize

SEED = 42
SIZES = (10, 30, 50)
SHARES_OF_MEN = (0.2, 0.5, 0.8)
PER_CELL = 150
FEWEST, MOST = 10, 70
"""Tokens of a tweet that may be drawn."""

Tweet = tuple[str, str]


def draws(tweets: Sequence[Mapping[str, Any]]) -> Iterator[tuple[list[Tweet], list[Tweet]]]:
    """Each mixture: its tweets as they were drawn, and shuffled."""
    pools: dict[str, list[str]] = {"male": [], "female": []}
    for tweet in tweets:
        if FEWEST <= len(tokenize(tweet["text"])) <= MOST:
            pools[tweet["attributes"]["gender"]].append(tweet["text"])
    rng = random.Random(SEED)  # the release's numbers
    for size in SIZES:
        for share in SHARES_OF_MEN:
            wanted = {"male": int(size * share), "female": size - int(size * share)}
            blocks = {}
            for gender, pool in pools.items():
                shuffled = list(pool)
                rng.shuffle(shuffled)
                blocks[gender] = shuffled * (PER_CELL * wanted[gender] // len(pool) + 1)
            for i in range(PER_CELL):
                drawn = [
                    (text.strip(), gender)
                    for gender, n in wanted.items()
                    for text in blocks[gender][i * n : (i + 1) * n]
                ]
                mixed = list(drawn)
                rng.shuffle(mixed)
                yield drawn, mixed


def in_order_of_draw(
    tweets: Sequence[Mapping[str, Any]], mixtures: Sequence[Mapping[str, Any]]
) -> Iterator[dict[str, Any]]:
    """The mixtures with their documents as they were drawn. Raises ValueError where a draw is another one."""
    for mixture, (drawn, mixed) in zip(mixtures, draws(tweets), strict=True):
        given = [(d["text"].strip(), d["attributes"]["gender"]) for d in mixture["documents"]]
        if given != mixed:
            raise ValueError(f"{mixture['id']}: its tweets are not those that the release draws")
        yield {**mixture, "documents": [{"text": t, "attributes": {"gender": g}} for t, g in drawn]}


def main() -> None:
    """Write the mixtures in the order of the draw."""
    parser = options(__doc__)
    for name in ("--tweets", "--mixtures", "--out"):
        parser.add_argument(name, type=Path, required=True)
    given = parser.parse_args()
    tweets, mixtures = (
        [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        for path in (given.tweets, given.mixtures)
    )
    lines = [json.dumps(record, ensure_ascii=False) for record in in_order_of_draw(tweets, mixtures)]
    given.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
