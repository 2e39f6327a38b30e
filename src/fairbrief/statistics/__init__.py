"""Statistics over arrays: resampling, exchange of labels, intervals, distances, regression, agreement.

Knows numbers only: no record, no measure, no text. Whatever is undefined is nan here, and is given
its reason by who asked.
"""

from fairbrief.statistics.agreement import (
    ResampledSpearman,
    alpha_of_two,
    kappa_of_two,
    krippendorff_alpha,
    pearson,
    randolph_kappa,
    spearman,
)
from fairbrief.statistics.arrays import TIE, ratio
from fairbrief.statistics.distances import (
    kl_divergence,
    wasserstein_heights,
    wasserstein_positions,
)
from fairbrief.statistics.labellings import (
    EXACT_LIMIT,
    count_labellings,
    enumerate_labellings,
    sample_labellings,
)
from fairbrief.statistics.log_odds import dirichlet_log_odds
from fairbrief.statistics.multiplicity import holm
from fairbrief.statistics.permutation import LabelDraws, Labelled, with_real_labels
from fairbrief.statistics.record_labellings import Choice, Relabelled
from fairbrief.statistics.regression import Fit, fit_robust, fit_sums
from fairbrief.statistics.resampling import BlockBootstrap, Bootstrap, Bootstraps, percentile_interval

__all__ = [
    "ResampledSpearman",
    "EXACT_LIMIT",
    "TIE",
    "BlockBootstrap",
    "Bootstrap",
    "Bootstraps",
    "Choice",
    "Fit",
    "LabelDraws",
    "Labelled",
    "Relabelled",
    "alpha_of_two",
    "count_labellings",
    "dirichlet_log_odds",
    "enumerate_labellings",
    "fit_robust",
    "fit_sums",
    "holm",
    "kappa_of_two",
    "kl_divergence",
    "krippendorff_alpha",
    "pearson",
    "percentile_interval",
    "randolph_kappa",
    "ratio",
    "sample_labellings",
    "spearman",
    "wasserstein_heights",
    "wasserstein_positions",
    "with_real_labels",
]
