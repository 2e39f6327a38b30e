"""How well scorers judge support after calibration on few labels: fitted on draws of one file, tested on another.

    python -m benchmarks.calibrated_scorers TRAIN.jsonl TEST.jsonl lexical containment

The files hold labelled pairs as `fairbrief calibrate` reads them (ours, QAGS's, WiCE's). No text is kept.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from fairbrief import registry
from fairbrief.statistics.agreement import balanced_accuracy, roc_auc
from fairbrief.workbench.calibrating import Fitting, fitted, read_labels

LABELS, DRAWS = (100, 300, 1000), 20


def main(train: str, test: str, *specs: str) -> None:
    print(f"{DRAWS} draws of pairs of {Path(train).name}, tested on {Path(test).name}: mean [least, most]")
    for spec in specs:
        scorer = registry.make("scorer", spec)
        known, held_out = (fitted(scorer, read_labels([Path(file)]).pairs) for file in (train, test))
        for many in LABELS:
            found = []
            for seed in range(DRAWS):
                size = len(known.labels)
                drawn = np.random.default_rng(seed).choice(size, min(many, size), replace=False)
                text = np.unique(known.text[drawn], return_inverse=True)[1]
                one = Fitting(known.features[drawn], known.labels[drawn], text, seed).map()
                # Of the weighed sum, whose order the map keeps, and which has no ties.
                area = roc_auc(held_out.features @ one.weights, held_out.labels)
                share = known.labels[drawn].mean()
                probabilities = one.probabilities(held_out.features)
                found.append((area, balanced_accuracy(probabilities, held_out.labels, share)))
            means, least, most = (of(np.array(found), axis=0) for of in (np.mean, np.min, np.max))
            figures = zip(("ROC-AUC", "balanced accuracy"), means, least, most, strict=True)
            said = (f"{name} {mean:.3f} [{low:.3f}, {high:.3f}]" for name, mean, low, high in figures)
            print(f"{spec:24} {many:5} labels  {'  '.join(said)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
