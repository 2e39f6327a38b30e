"""The measures of an audit by default: those that the input allows."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import starmap
from typing import Any

from fairbrief import registry, specs
from fairbrief.auditing.system_runs import RUN
from fairbrief.errors import RequestError
from fairbrief.measures.representation import WITHOUT_ASK
from fairbrief.readers.messages import did_you_mean
from fairbrief.reports.result import ON_REQUEST, NotMeasured
from fairbrief.text.counted import counted, listed
from fairbrief.text.languages import ENGLISH, given, language_of_input, name_of
from fairbrief.types import Case, Measure, over_of

MOST_VALUES = 20
"""An attribute with more values than this is a name or a number, not a group."""
IN_WORDS = {"document": "document", "record": "record", "entity": "person"}
"""What has attributes, the kinds of `Declaration.attribute_of`, and their words in messages."""
HOLDERS = tuple(IN_WORDS)
GENDER = "gender"
HOW_TO_GIVE = "Those of people are in the 'attributes' of the record's 'entities'."
Attributes = dict[str, dict[str, Counter[str]]]
NO_ORDER = "records have several documents, whose order may mean nothing; if it means something (turns, posts by date), add --ordered"
"""Why measures of position are left out."""


class UnknownAttribute(RequestError):
    """Nobody in the first cases has an attribute of this name."""

    def __init__(self, message: str, name: str = "") -> None:
        super().__init__(message)
        self.name = name


@dataclass(frozen=True, slots=True)
class Choice:
    """The measures to take, and why each other one was left out."""

    measures: tuple[Measure, ...]
    left_out: tuple[NotMeasured, ...] = ()


def attributes_of(cases: Sequence[Case]) -> Attributes:
    """Attributes by holder (document, record, entity), with the counts of their values."""
    found: Attributes = {holder: {} for holder in HOLDERS}
    for record in (case.record for case in cases):
        owners: dict[str, Sequence[Any]] = {
            "document": record.documents, "record": (record,), "entity": record.entities,
        }  # fmt: skip
        for kind, owned in owners.items():
            for owner in owned:
                for name, value in owner.attributes.items():
                    found[kind].setdefault(name, Counter())[value] += 1
    return {holder: dict(sorted(of.items())) for holder, of in found.items()}


def named(specs_: Sequence[str], attributes: Sequence[str], head: Sequence[Case]) -> Choice:
    """The requested measures.

    A measure without an attribute is taken over each of ``attributes`` that its documents, records or people
    have; without ``attributes``, over each attribute that could define groups.
    """
    known = attributes_of(head)
    measures: list[Measure] = []
    for text in specs_:
        parsed = specs.parse(text)
        kind = registry.load("measure", parsed.name)
        holder = kind.declaration.attribute_of
        if not specs.needs_over(kind) or parsed.over is not None:
            measures.append(registry.make("measure", text))
            is_strict = specs.needs_over(kind) and holder != "entity"
            # Names and words tell the gender of people in inputs without it.
            has_groups = parsed.over == GENDER or parsed.settings.keys() & kind.declaration.groups_from
            if parsed.over is not None and (is_strict or not has_groups):
                # A record without the attribute has the one that its documents or people share.
                holders = (holder,) if holder == "document" and is_strict else HOLDERS
                check_attributes([parsed.over], head, holders)
            continue
        there = known[holder]
        groups = [a for a, values in there.items() if _is_group(values)]
        over = [a for a in attributes if a in there] if attributes else groups
        if not over:
            wanted = f" named {' or '.join(attributes)}" if attributes else " that could be a group"
            raise without_attribute(f"'{text}'", holder, there, wanted)
        measures += [registry.make("measure", f"{text}@{name}") for name in over]
    language = language_of(head)
    for measure in measures:
        if why := _unread(measure, language):
            raise RequestError(f"{measure!r}: {why}.")
    return Choice(tuple(dict.fromkeys(measures)))


def without_attribute(asked: str, holder: str, there: Iterable[str], wanted: str = "") -> RequestError:
    """The refusal of a measure or protocol of which no holder in the first cases has a ``wanted`` attribute."""
    return RequestError(
        f"{asked} compares attributes of a {IN_WORDS[holder]}, and none has one{wanted}. Found: {', '.join(there) or 'none'}. "
        f"{HOW_TO_GIVE if holder == 'entity' else 'Name an attribute or a field: --attribute NAME or --attribute NAME=FIELD.'}"
    )


def check_attributes(names: Sequence[str], head: Sequence[Case], holders: Sequence[str] = HOLDERS) -> None:
    """RequestError for an attribute that none of the holders among the first cases has; claims may name those of people."""
    known = attributes_of(head)
    there = {name for holder in holders for name in known[holder]}
    if "entity" in holders:
        there |= {name for case in head for claim in case.summary.claims or () for name in claim.values}
    for name in names:
        if name in there:
            continue
        parts = [part.strip() for part in name.split(",")]
        if len(parts) > 1 and set(parts) <= there:
            once_each = " ".join(f"--attribute {shlex.quote(part)}" for part in parts)
            raise RequestError(f"'{name}' is read as one attribute. Name each by itself: {once_each}.")
        nobody = listed([IN_WORDS[holder] for holder in holders], conjunction="or")
        advice = f"To read it from a field or column, write --attribute {name}=FIELD."
        raise UnknownAttribute(
            f"No {nobody} of the first {counted(len(head), 'summary', 'summaries')} has the attribute '{name}'."
            f"{did_you_mean(name, there)} Found: {', '.join(sorted(there)) or 'none'}. "
            f"{HOW_TO_GIVE if tuple(holders) == ('entity',) else advice}",
            name,
        )


def check_scorers(measures: Sequence[Measure], given: Mapping[str, Any]) -> None:
    """RequestError for a scorer that is unknown, or of another kind than the measure declares; ``given`` are objects."""
    for measure in measures:
        text = getattr(measure, "scorer", None)
        if isinstance(text, str) and text not in WITHOUT_ASK and text not in given:
            registry.make(measure.declaration.scorer_kind, text)


def _is_group(values: Counter[str]) -> bool:
    return 2 <= len(values) <= MOST_VALUES


def check_ordered(head: Sequence[Case]) -> None:
    """RequestError if no record of the first cases has several documents, so that there is no order."""
    if not _have_several(head):
        raise RequestError(
            f"--ordered has no effect: no record of the first {counted(len(head), 'summary', 'summaries')} has several documents, so "
            "measures of position are taken anyway. Drop it."
        )


def _have_several(head: Sequence[Case]) -> bool:
    return any(len(case.record.documents) > 1 for case in head)


def watched_attributes(head: Sequence[Case], measures: Sequence[Measure]) -> tuple[str, ...]:
    """Attributes of documents that could define groups, or that a measure distinguishes."""
    over = set(map(over_of, measures))
    found = attributes_of(head)["document"].items()
    return tuple(name for name, values in found if name in over or _is_group(values))


def profiled_attributes(head: Sequence[Case]) -> dict[str, tuple[str, ...]]:
    """By owner the attributes with few values; those of a ``summary`` say how it was made."""
    made: dict[str, Counter[str]] = {}
    for case in head:
        for name, value in case.summary.made.items():
            made.setdefault(name, Counter())[value] += 1
    known = {**attributes_of(head), "summary": made}
    return {
        owner: tuple(sorted(name for name, values in known[owner].items() if len(values) <= MOST_VALUES))
        for owner in ("document", "record", "summary")
    }


def fitting(head: Sequence[Case], attributes: Sequence[str], *, is_ordered: bool = False) -> Choice:
    """Every measure that the attributes of the first cases allow; ``attributes`` limits the attributes.

    Measures of order are included if ``is_ordered``, or if each record has one document.
    Whether the cases have everything else a measure needs (references, people) is known once they are observed.
    """
    check_attributes(attributes, head)
    known = attributes_of(head)
    for name in {RUN, *(case.record.cluster_by or "" for case in head)} - set(attributes):
        known["record"].pop(name, None)  # names clusters or runs, not groups
    lacks_order = not is_ordered and _have_several(head)
    measures: list[Measure] = []
    left_out = registry.broken("measure")
    for name, kind in registry.loaded("measure"):
        if kind.declaration.checks_scorer:
            continue  # taken of counterfactual sources, for the measures that rely on that scorer
        if reason := kind.declaration.on_request:
            left_out[name] = f"{ON_REQUEST}: {reason}"
        elif lacks_order and kind.declaration.needs_order:
            left_out[name] = NO_ORDER
        elif specs.needs_over(kind):
            measures += _over_each(name, kind, known, attributes, left_out)
        else:
            measures.append(kind())
    language = language_of(head)
    left_out |= {repr(measure): why for measure in measures if (why := _unread(measure, language))}
    kept = tuple(measure for measure in measures if repr(measure) not in left_out)
    return Choice(kept, tuple(starmap(NotMeasured, left_out.items())))


def _over_each(
    name: str, kind: Any, known: Attributes, wanted: Sequence[str], left_out: dict[str, str]
) -> Iterator[Measure]:
    """The measure over each attribute that can be a group; adds why others are left out."""
    holder = kind.declaration.attribute_of
    over = {a: values for a, values in known[holder].items() if not wanted or a in wanted}
    if not over:
        of_these = f" named {' or '.join(wanted)}" if wanted else ""
        left_out[name] = f"no {IN_WORDS[holder]} has an attribute{of_these}"
    for attribute, values in over.items():
        if len(values) > MOST_VALUES and attribute not in wanted:
            how = f"--attribute {attribute} compares them, --bin {attribute}=CUT,CUT cuts numbers"
            left_out[f"{name}@{attribute}"] = f"'{attribute}' has more than {MOST_VALUES} values ({how})"
        elif len(values) < 2:
            left_out[f"{name}@{attribute}"] = f"'{attribute}' has one value only"
        else:
            yield kind(over=attribute)


def language_of(head: Sequence[Case]) -> str:
    """The given language, or the most frequent one among the first records' documents."""
    texts = {case.record.id: " ".join(d.text for d in case.record.documents) for case in head}
    return language_of_input(texts.values())


def described(head: Sequence[Case]) -> str:
    """The language to print; empty for English by default."""
    code = language_of(head)
    if given():
        return name_of(code)
    return "" if code == ENGLISH else f"{name_of(code)} (detected)"


def _unread(measure: Measure, language: str) -> str:
    """Why a measure does not understand a language; empty if it does, as every measure without the attribute ``languages``."""
    known: tuple[str, ...] = getattr(measure, "languages", ())
    if not known or language in known:
        return ""
    wanted = " or ".join(map(name_of, known))
    return f"works for texts in {wanted} only; these are in {name_of(language)}. If that is wrong, give --language CODE"
