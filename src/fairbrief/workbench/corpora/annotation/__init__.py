"""What people judge of summaries: sheets and pages to ask them, their answers, agreement, and what follows.

An *item* is one question about one part of one case: which values entail a unit, how fairly a value is
represented, which way a summary leans, which of two is fairer, whether it mentions a person.
"""

from fairbrief.workbench.corpora.annotation.annotation_sheets import page, sheet
from fairbrief.workbench.corpora.annotation.answers import Answer, read_answers
from fairbrief.workbench.corpora.annotation.human_judgements import judged_cases, unfairness
from fairbrief.workbench.corpora.annotation.items import TASKS, Item, assign, items_of
from fairbrief.workbench.corpora.annotation.rater_agreement import (
    Agreement,
    agreement,
    concordance,
    correlations,
)
from fairbrief.workbench.corpora.annotation.summary_pairs import (
    agreement_with_measure,
    pairs_of,
    preferences,
    preferred,
)

__all__ = [
    "TASKS",
    "Agreement",
    "Answer",
    "Item",
    "agreement",
    "agreement_with_measure",
    "assign",
    "concordance",
    "correlations",
    "items_of",
    "judged_cases",
    "page",
    "pairs_of",
    "preferences",
    "preferred",
    "read_answers",
    "sheet",
    "unfairness",
]
