"""Inputs with controlled people: the same documents, with other names, titles and pronouns in them.

Annotated documents become templates; a template filled with assignments becomes a set of records that
differ in who the people are said to be, and in nothing else (Steen & Markert, section 5).
"""

from fairbrief.people.build_people import Report, build
from fairbrief.people.capacity import Capacity
from fairbrief.people.counterfactual import (
    Counterfactuals,
    exchange_genders,
    exchange_names,
)
from fairbrief.people.linting import Fault, lint
from fairbrief.people.name_groups import Group, read_groups
from fairbrief.people.template import Person, Slot, Template, make_template
from fairbrief.people.template_filling import Assignment, fill
from fairbrief.text.name_gender import genders_of

__all__ = [
    "build",
    "Report",
    "Capacity",
    "make_template",
    "Template",
    "Person",
    "Slot",
    "fill",
    "Assignment",
    "lint",
    "Fault",
    "read_groups",
    "Counterfactuals",
    "exchange_genders",
    "exchange_names",
    "genders_of",
    "Group",
]
