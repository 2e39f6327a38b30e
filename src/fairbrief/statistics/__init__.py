"""Statistics over arrays: resampling, label permutations, intervals, distances, regression, agreement.

This package works on numbers only, not on records, measures or texts. Undefined values are nan; the caller gives the reason.
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
from fairbrief.statistics.classification import balanced_accuracy, best_cut, isotonic, roc_auc
from fairbrief.statistics.distributions import (
    dirichlet_log_odds,
    jensen_shannon,
    kl_divergence,
    wasserstein_heights,
    wasserstein_positions,
)
from fairbrief.statistics.label_draws import Choice, LabelDraws, Labelled, Relabelled, with_real_labels
from fairbrief.statistics.label_permutations import EXACT_LIMIT, enumerate_permutations
from fairbrief.statistics.permutation_tests import holm
from fairbrief.statistics.regression import Fit, fit_logistic, fit_robust, fit_sums
from fairbrief.statistics.resampling import BlockBootstrap, Bootstrap, percentile_interval, shared_bootstrap

__all__ = [
    "ResampledSpearman",
    "EXACT_LIMIT",
    "TIE",
    "BlockBootstrap",
    "Bootstrap",
    "Choice",
    "Fit",
    "LabelDraws",
    "Labelled",
    "Relabelled",
    "alpha_of_two",
    "balanced_accuracy",
    "best_cut",
    "dirichlet_log_odds",
    "enumerate_permutations",
    "fit_logistic",
    "fit_robust",
    "fit_sums",
    "holm",
    "isotonic",
    "kappa_of_two",
    "jensen_shannon",
    "kl_divergence",
    "krippendorff_alpha",
    "pearson",
    "percentile_interval",
    "randolph_kappa",
    "ratio",
    "roc_auc",
    "shared_bootstrap",
    "spearman",
    "wasserstein_heights",
    "wasserstein_positions",
    "with_real_labels",
]
