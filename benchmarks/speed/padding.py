"""How much of what a model is given is padding: the word pieces of our batches that stand for nothing.

    python -m benchmarks.speed.padding [FILE…] [--out FILE]

Pairs of a sentence of a document and a sentence of a summary, of 256 cases at a time as an audit asks
for them, in the batches that scorers make of them, on a CPU and on an accelerator. No model runs. Of synthetic records
and of each file; the vocabulary is trained on the texts themselves.
"""

from __future__ import annotations

import tempfile
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.recording import options, write_down
from benchmarks.speed.neural import default_pairs, texts_of
from benchmarks.speed.neural_inputs import Record, articles, reviews, save_model

import fairbrief
from fairbrief.auditing.run import BATCH
from fairbrief.pretrained import ACCELERATOR_TOKENS, CPU_TOKENS
from fairbrief.scorers import pairs
from fairbrief.scorers.pieces import frame, pieces, run_batches
from fairbrief.text.sentences import split
from fairbrief.types import Integers

BUDGETS = {"on a CPU": CPU_TOKENS, "on an accelerator": ACCELERATOR_TOKENS}


def records_of(file: Path) -> list[Record]:
    """The records of a file, cut into sentences."""
    return [
        Record([split(d.text) for d in case.record.documents], split(case.summary.text))
        for case in fairbrief.read(file)
    ]


def share_of_padding(found: list[Record]) -> dict[str, Any]:
    """Of all records: how many pairs they have, how long these are, and the share of padding for each budget."""
    from transformers import AutoTokenizer

    with tempfile.TemporaryDirectory() as folder:
        save_model(Path(folder), "middle", texts_of(found))
        tokenizer = AutoTokenizer.from_pretrained(folder)
    size = frame(tokenizer, pair=True).size
    count = real = 0
    given = dict.fromkeys(BUDGETS, 0)
    stream = iter(found)
    while some := list(islice(stream, BATCH)):
        keys = pairs.pairs(default_pairs(some))
        ids = pieces(tokenizer, (text for key in keys for text in key))
        lengths = np.array([len(ids[r]) + len(ids[c]) + size for r, c in keys])
        count += len(keys)
        real += int(lengths.sum())

        def padded(batch: Integers, lengths: Integers = lengths) -> int:
            return len(batch) * int(lengths[batch].max())

        for name, budget in BUDGETS.items():
            given[name] += sum(pieces_ for _, pieces_ in run_batches(lengths, padded, budget))
    return {
        "pairs": count,
        "pieces of a pair": round(real / count, 1),
        "share of padding": {name: round(1 - real / of, 4) for name, of in given.items()},
    }


def main() -> None:
    parser = options(__doc__, "--out")
    parser.add_argument("files", type=Path, nargs="*")
    given = parser.parse_args()
    made = {"reviews, synthetic": reviews(512), "articles, synthetic": articles(512, documents=2, units=4)}
    made |= {file.stem: records_of(file) for file in given.files}
    write_down(__file__, {name: share_of_padding(of) for name, of in made.items()}, seed=0, out=given.out)


if __name__ == "__main__":
    main()
