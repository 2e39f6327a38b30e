"""What people judge of summaries: sheets and pages to ask them, their answers, agreement, and what follows.

An *item* is one question about one part of one case: which values entail a unit, how fairly a value is
represented, which way a summary leans, whether it mentions a person.
"""

from fairbrief.corpora.annotation.agreement import Agreement, agreement, concordance, correlations
from fairbrief.corpora.annotation.answers import Answer, read_answers
from fairbrief.corpora.annotation.assigning import assign
from fairbrief.corpora.annotation.items import TASKS, Item, items_of
from fairbrief.corpora.annotation.judged import judged_cases, unfairness
from fairbrief.corpora.annotation.page import page
from fairbrief.corpora.annotation.sheets import sheet

__all__ = [
    "TASKS",
    "Agreement",
    "Answer",
    "Item",
    "agreement",
    "assign",
    "concordance",
    "correlations",
    "items_of",
    "judged_cases",
    "page",
    "read_answers",
    "sheet",
    "unfairness",
]
