"""Mentions of age, sex, ethnicity and place: which ones a summary keeps, loses, changes and invents."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np

from fairbrief import types as t
from fairbrief.declarations import TEXTS_OF_TWO_GROUPS, Declaration
from fairbrief.measures.bases import BaseMeasure, NotObserved
from fairbrief.measures.groups import PRIMARY, largest_of, pair_differences
from fairbrief.measures.record_texts import known, needs_english, subject_of
from fairbrief.text.attributes import KINDS, Mention, agree, mentions_of, spaced_once
from fairbrief.text.sentences import sentence_spans

MOST = 200
"""The most values of a kind that are compared in one text; further ones are not counted."""
LIMITS = {"kept": t.SHARE_DIFFERENCE, "changed": t.SHARE_DIFFERENCE, "invented": (-math.inf, math.inf)}
PLURALS = dict(zip(KINDS, ("ages", "sexes", "ethnicities", "places"), strict=True))


class Fate(NamedTuple):
    """``kept``, ``lost``, ``changed`` or ``invented``, with the source's mention and the summary's, if there are any."""

    name: str
    source: Mention | None
    summary: Mention | None


def fates_of(source: str, summary: str) -> list[Fate]:
    """What became of each value that the source mentions, then the values that the summary invents.

    A summary's value with a name beside it is compared with the source's values beside that name, if there are any of its
    kind; otherwise with all of its kind. It keeps those that agree with it. If none does, it changes the first of them
    that is not kept, and without such a one it is invented.
    """
    values = _values(source)
    replaced, kept, invented = dict[Mention, Mention](), set[Mention](), list[Mention]()
    new: list[tuple[Mention, list[Mention]]] = []
    for mention, people in _values(summary).items():
        alike = [s for s in values if s.kind == mention.kind]
        alike = [s for s in alike if people & values[s]] or alike
        agreeing = [s for s in alike if agree(s, mention)]
        kept.update(agreeing)
        new += [] if agreeing else [(mention, alike)]
    for mention, alike in new:
        left = next((s for s in alike if s not in kept and s not in replaced), None)
        if left is None:
            invented.append(mention)
        else:
            replaced[left] = mention
    names = ("kept" if s in kept else "changed" if s in replaced else "lost" for s in values)
    fates = [Fate(name, s, replaced.get(s)) for name, s in zip(names, values, strict=True)]
    return [*fates, *(Fate("invented", None, mention) for mention in invented)]


@lru_cache(maxsize=4096)
def _values(text: str) -> Mapping[Mention, set[str]]:
    """The first mention of each value in a text, with the people named beside any mention of it; at most `MOST` of a kind."""
    first: dict[tuple[str, str], Mention] = {}
    people: dict[Mention, set[str]] = {}
    counts = Counter[str]()
    for mention in mentions_of(spaced_once(text)):
        if (mention.kind, mention.value) not in first:
            counts[mention.kind] += 1
        if counts[mention.kind] > MOST:
            continue
        known_one = first.setdefault((mention.kind, mention.value), mention)
        people.setdefault(known_one, set()).update(filter(None, [mention.person]))
    return people


def _shown(mention: Mention, text: str) -> str:
    """The words of a mention in a text, and its sentence."""
    text = spaced_once(text)
    start, end = next(span for span in sentence_spans(text) if span[1] > mention.start)
    return f"'{text[mention.start : mention.end]}' ({text[start:end]})"


class AttributeMentions(BaseMeasure):
    """How unequally summaries keep the mentions of a person's attributes between groups: largest difference of shares.

    The sources of group g have n values of a kind (age, sex, ethnicity or nationality, place), of which the summaries
    keep k. The value is ``max |k_a / n_a − k_b / n_b|`` over all kinds and pairs of groups. A value is kept if the summary
    has one that agrees (81 and *in her 80s*, *US* and *United States*). It is changed if the summary has another one in its
    place, otherwise lost. A value of the summary that replaces none of the source is invented.

    Reads:      texts, by patterns and lists (`fairbrief.text.attributes`); groups by ``over`` of the record, or shared
                by all its documents or people. A value counts once per record.
    Per record:  in the record's group g, for each kind K: ``source K[g]``, ``kept K[g]``, ``changed K[g]``,
                ``invented K[g]``, numbers of values; ``one[g]``, summaries.
    Value:      in [0, 1]; 0 if all groups keep equal shares. Above 0 even without a disparity. Primary:
                ``kept[KIND, a−b]`` = k_a / n_a − k_b / n_b, positive = more is kept of a. Secondary: the
                differences ``changed[KIND, a−b]`` and (values per summary) ``invented[KIND, a−b]``; each group's
                ``kept_rate[KIND, g]``, ``changed_rate[KIND, g]`` and ``invented_rate[KIND, g]``.
    Undefined:  groups without values of a kind; records: no group, no mention in source and summary.
    Accuracy:   in 40 sentences written for this, precision and recall are 1.00 and 0.78 (ages), 1.00 and 1.00 (sexes),
                1.00 and 0.78 (ethnicities), 0.94 and 0.94 (places); for places in GUM 0.80 and 0.56.
    Source:     after Aghaebe et al. (AACL 2025), whose *demographic salience* is the share of ages kept.
    """

    name = "attribute_mentions"
    languages = ("en",)
    declaration = Declaration(
        version=5,
        draws_unscored=True,
        family="People",
        question="how unequally summaries keep the mentions of age, sex, ethnicity and place, between groups of records",
        harm="A reader would not learn that a finding is about old people, women or a minority.",
        attribute_of="record",
        on_request="its mentions are recognized by patterns and lists, which miss some",
        contrast=TEXTS_OF_TWO_GROUPS.replace(
            title="share of the source's mentions that summaries keep, one group minus the other",
            question="Whose attributes are lost?",
            unit="points",
            below="{first} texts are kept {size} less often than {second} texts",
            above="{first} texts are kept {size} more often than {second} texts",
            even="kept equally often",
        ),
    )
    over: str

    def extract_asks(self, cases: t.Cases, extracts: t.UnitExtracts) -> Sequence[t.Ask]:
        """Nothing: mentions are found without a scorer."""
        return ()

    def observe_extracts(self, cases: t.Cases, extracts: t.UnitExtracts, scores: t.Answers) -> t.Observed:
        """The mean numbers of the extracts, each of which keeps what one of its sentences keeps."""
        (case,), (drawn,) = cases, extracts
        source = known(case.record).source
        by_sentence = [[f for f in fates_of(source, text) if f.source] for text in drawn.sentences]
        kept = np.array([[f.name == "kept" for f in fates] for fates in by_sentence], dtype=np.float64)
        shares = (drawn.kept @ kept > 0).mean(axis=0)
        fates = [f._replace(name="kept") for f in by_sentence[0]]
        return self._row(case, [*zip(fates, shares, strict=True)])

    def observe(self, cases: t.Cases, scores: t.Answers, labels: t.Integers) -> t.Observed:
        needs_english(cases, "the patterns and lists")
        (case,) = cases
        fates = fates_of(known(case.record).source, case.summary.text)
        if not fates:
            raise NotObserved("neither source nor summary mentions age, sex, ethnicity or place")
        return self._row(case, [(fate, 1.0) for fate in fates])

    def details(self, cases: t.Cases, scores: t.Answers) -> Sequence[str]:
        """Each value that was changed, lost or invented, with its sentence."""
        lines = []
        for case in cases:
            texts = known(case.record).source, case.summary.text
            for name, *mentions in fates_of(*texts):
                shown = [_shown(m, text) for m, text in zip(mentions, texts, strict=True) if m]
                kind = next(m.kind for m in mentions if m)
                lines += [] if name == "kept" else [f"{name.capitalize()} {kind}: {' became '.join(shown)}"]
        return sorted(lines)

    def _row(self, case: t.Case, fates: Sequence[tuple[Fate, float]]) -> t.Rows:
        """The row of weighted fates; the weight is the share of texts with this fate."""
        group = subject_of(case.record, self.over, 1.0)
        row: dict[t.Column, float] = {("one", group): 1.0}
        for kind in KINDS:
            of_kind = [(f, weight) for f, weight in fates if kind in {m.kind for m in f[1:] if m}]
            row["source " + kind, group] = float(sum(f.source is not None for f, _ in of_kind))
            for name in ("kept", "changed", "invented"):
                row[f"{name} {kind}", group] = sum((w for f, w in of_kind if f.name == name), 0.0)
        return t.Rows.of(row)

    def value(self, totals: t.Totals) -> Mapping[str, t.Value]:
        differences: dict[str, t.Value] = {}
        rates: dict[str, t.Value] = {}
        for stem, kind in product(("kept", "changed", "invented"), KINDS):
            is_kept, is_invented = stem == "kept", stem == "invented"
            whole = "one" if is_invented else f"source {kind}"
            rate = totals.ratios(f"{stem} {kind}", whole)
            name, group = f"{stem}[{kind}, {{}}−{{}}]", f"{PLURALS[kind]} in {{}} − {PLURALS[kind]} in {{}}"
            special = PRIMARY if is_kept else {}
            differences |= pair_differences(rate, whole, name, group, limits=LIMITS[stem], **special)
            for g, of_group in rate.items():
                value = t.Value(of_group, limits=t.FROM_0, is_share=not is_invented, has_baseline=is_kept)
                rates[f"{stem}_rate[{kind}, {g}]"] = value
        kept = {name: value for name, value in differences.items() if value.is_primary}
        return {self.name: largest_of(kept, totals.array.shape[:-1]), **differences, **rates}

    def explain(self, totals: t.Totals) -> str:
        """The numbers of one record by kind."""
        (group, *_) = totals.values_of("one")
        parts = [
            f"{kind}: {totals[f'kept {kind}', group]:.0f} of {totals[f'source {kind}', group]:.0f} kept, "
            f"{totals[f'changed {kind}', group]:.0f} changed, {totals[f'invented {kind}', group]:.0f} invented"
            for kind in KINDS
            if totals[f"source {kind}", group] or totals[f"invented {kind}", group]
        ]
        return f"{'; '.join(parts)}."
