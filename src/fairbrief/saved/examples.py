"""The records of the report's viewer: chosen from the per-record statistics, fetched from the input, linked and explained."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, islice, zip_longest
from math import inf, isfinite, nan
from operator import itemgetter

import numpy as np
import pyarrow as pa

from fairbrief import registry, specs
from fairbrief.auditing.per_record import columns_of
from fairbrief.auditing.record_values import RowReader, reader_of
from fairbrief.auditing.scorer_lookup import Scorers
from fairbrief.auditing.system_runs import Pooled
from fairbrief.errors import FairbriefError
from fairbrief.ranges import grouped
from fairbrief.reports.frames import coded, rows_with, usable
from fairbrief.reports.per_record import PerRecordRows
from fairbrief.reports.result import MOST_OF_EACH, Examples, Link, Passage, Result, Row, Support, Texts
from fairbrief.reports.wording import name_of
from fairbrief.saved.explanations import Omission, observed, omissions, story_of, values_of
from fairbrief.saved.saved_inputs import cases_of
from fairbrief.text.sentences import sentence_spans
from fairbrief.types import Ask, Case, Cases, Floats, Integers, Measure, Observation

MOST_CHARACTERS = 3_000
"""Characters of one text."""
MOST_DOCUMENTS = 60
PAGE_BYTES = 900_000
"""Bytes of all texts on a page; further records are not shown."""

Key = tuple[str, str]
"""System and record."""


def examples(result: Result, cases: Iterable[Case], scorers: Scorers) -> Examples:
    """The viewer's records of an audit; ``cases`` are the audited cases, read again."""
    rows = choose(result.rows, result.systems)
    found = cases_of(cases, {(row.system, row.record) for row in rows}) if rows else {}
    texts = _affordable([(row.system, row.record) for row in rows], found)
    kept = {
        (system, record): found[system, record] for record, of in texts.items() for system in of.summaries
    }
    shown = [row for row in rows if (row.system, row.record) in kept]
    measures = {m: registry.make("measure", m) for m in dict.fromkeys(row.measure for row in shown)}
    complete: list[Row] = []
    for observation, own in grouped((measures[row.measure].observation, row) for row in shown).items():
        if holds_model(observation, kept.values(), scorers):
            complete += _with_stories(own, measures, result.rows)
        else:
            complete += explained(own, {key: (case,) for key, case in kept.items()}, measures, scorers)
    rules = {m: scorer_for(measure.observation, scorers)[1] for m, measure in measures.items()}
    supports = _supports(complete, measures, kept, scorers)
    many = int(result.made.get("summaries") or 0)
    return Examples(tuple(texts.values()), tuple(complete), supports, rules, many)


def with_examples(result: Result, cases: Iterable[Case], scorers: Scorers) -> Result:
    """The result with the `examples` of its report, unless it keeps no texts."""
    if result.made.get("keeps_texts") is False:
        return result
    cases = Pooled(cases) if result.made.get("pools_runs") else cases
    return replace(result, examples=examples(result, cases, scorers))


def open_case(row: Row, cases: Cases, scorers: Scorers) -> tuple[Row, Texts, Support]:
    """One unit for the viewer: its row with explanation; the texts of its first case, and the support of their claims."""
    key, measures = (row.system, row.record), {row.measure: registry.make("measure", row.measure)}
    (row,) = explained([row], {key: cases}, measures, scorers)
    (support,) = _supports([row], measures, {key: cases[0]}, scorers)
    return row, _affordable([key], {key: cases[0]}, inf)[row.record], support


def _with_stories(
    rows: Sequence[Row], measures: Mapping[str, Measure], per_record: PerRecordRows
) -> Iterator[Row]:
    """The rows of one observation with their stories from the per-record statistics, without asking a model again."""
    observation, records = per_record.measures[rows[0].measure], {row.record for row in rows}
    columns = columns_of(per_record.schemas[observation])
    readers = {row.measure: RowReader(measures[row.measure], columns) for row in rows}
    stories: dict[tuple[str, Key], str] = {}
    for piece in per_record.each_of(observation):
        shown = usable(rows_with(piece, "record", *records))
        keys = [*zip(shown["system"].to_pylist(), shown["record"].to_pylist(), strict=True)]
        for measure, reader in readers.items():
            told = zip(keys, reader.stories(shown), strict=True)
            stories |= {(measure, key): story for key, story in told}
    for row in rows:
        yield replace(row, story=stories.get((row.measure, (row.system, row.record)), ""))


def _supports(
    rows: Iterable[Row], measures: Mapping[str, Measure], kept: Mapping[Key, Case], scorers: Scorers
) -> tuple[Support, ...]:
    """The links of every summary, once per rule of its measures."""
    made: dict[tuple[Key, str], Support] = {}
    for row in rows:
        observation, key = measures[row.measure].observation, (row.system, row.record)
        scorer, rule = scorer_for(observation, scorers)
        if (key, rule) not in made:
            reads_claims = getattr(observation, "claims", "") in ("auto", "given")
            made[key, rule] = support_of(kept[key], scorer, rule, scorers, reads_claims=reads_claims)
    return tuple(made.values())


def _affordable(keys: Iterable[Key], found: Mapping[Key, Case], room: float = PAGE_BYTES) -> dict[str, Texts]:
    """The texts of the first cases, as many as fit on the page: by record, with the summaries of the systems that are shown."""
    shown: dict[str, Texts] = {}
    for system, record in dict.fromkeys(keys):
        if (case := found.get((system, record))) is not None:
            before, summary = shown.get(record), _passage(case.summary.text)
            texts = before or _texts(record, case)
            new = [summary] if before else [summary, *texts.documents, *texts.references]
            cost = sum(len(passage.text.encode("utf-8", "replace")) for passage in new)
            if cost <= room:
                room -= cost
                shown[record] = replace(texts, summaries={**texts.summaries, system: summary})
    return shown


def _texts(name: str, case: Case) -> Texts:
    """The texts of a record, without summaries."""
    record = case.record
    documents = tuple(_passage(d.text, d.attributes) for d in record.documents[:MOST_DOCUMENTS])
    references = tuple(map(_passage, record.references))
    more = max(len(record.documents) - MOST_DOCUMENTS, 0)
    return Texts(name, dict(record.attributes), documents, references, {}, more)


def _passage(text: str, attributes: Mapping[str, str] | None = None) -> Passage:
    return Passage(text[:MOST_CHARACTERS], dict(attributes or {}), max(len(text) - MOST_CHARACTERS, 0))


# ---- Links between sources and summary, and the contribution of each item


LEXICAL = "containment"
OF_WHOLE_TEXTS = ("containment", "ngram", "tfidf", "rouge1", "rouge2")
"""Scorers without a model that score how far one sentence contains another."""
LEAST = 0.2
"""The least support of a link."""
MOST_SENTENCES = 400
"""The most sentences of a record's sources that are scored."""
MOST_LINKS = 12
"""The most links of one claim, the strongest first."""
ELSEWHERE = (-1, -1)
"""The span of a claim whose words are not in the summary."""


def scorer_for(observation: Observation, scorers: Scorers) -> tuple[str, str]:
    """The scorer of the links, and the rule in words."""
    own = str(getattr(observation, "scorer", ""))
    name = specs.parse(own).name if own else ""
    rule = f"Links: in each document the sentence with the most support by {{}}, at least {LEAST:g}"
    if name in OF_WHOLE_TEXTS and not scorers.holds_model(own):
        return own, f"{rule.format(own)} (the scorer of the measure)."
    used = f"The measure uses {own}." if own else "The measure does not use these links."
    return LEXICAL, f"{rule.format(LEXICAL)} (shared words). {used}"


def support_of(case: Case, scorer: str, rule: str, scorers: Scorers, *, reads_claims: bool) -> Support:
    """The links of one summary."""
    summary, record = case.summary, case.record
    spans, texts = _claims(case, reads_claims=reads_claims)
    places = [(i, *span) for i, d in enumerate(record.documents) for span in sentence_spans(d.text)]
    places = places[:MOST_SENTENCES]
    links, answering = tuple[Link, ...](), ""
    if places and texts:
        rows = tuple(record.documents[i].text[start:end] for i, start, end in places)
        with suppress(FairbriefError):  # a library or its data is missing: no links
            (scores,) = scorers[scorer].answer([Ask(scorer, rows, texts, whole=True)])
            links, answering = _links(scores.by_column(len(texts)), places), scorer
    return Support(record.id, summary.system, rule, spans, texts, links, answering)


def _claims(case: Case, *, reads_claims: bool) -> tuple[tuple[tuple[int, int], ...], tuple[str, ...]]:
    """Spans and texts of the summary's sentences, or of its claims if the measure uses them."""
    text = case.summary.text
    if not reads_claims or not case.summary.claims:
        spans = sentence_spans(text)
        return spans, tuple(text[start:end] for start, end in spans)
    texts = tuple(claim.text for claim in case.summary.claims)
    starts = [(text.find(claim), len(claim)) for claim in texts]
    return tuple((start, start + many) if start >= 0 else ELSEWHERE for start, many in starts), texts


def _links(support: Floats, places: Sequence[tuple[int, int, int]]) -> tuple[Link, ...]:
    """The best sentence per claim and document, if it is good enough."""
    links = []
    documents = np.array([document for document, _, _ in places])
    for claim, scores in enumerate(support.T):
        order = np.argsort(-scores, kind="stable")
        best = order[np.sort(np.unique(documents[order], return_index=True)[1])]
        good: list[int] = [place for place in best.tolist() if scores[place] >= LEAST]
        links += [Link(claim, *places[i], round(float(scores[i]), 3)) for i in good[:MOST_LINKS]]
    return tuple(links)


MOST_PARTS = 40
"""The most documents, sentences and claims of a record that are removed in turn; with more, none is."""


def explained(
    rows: Sequence[Row], units: Mapping[Key, Cases], measures: Mapping[str, Measure], scorers: Scorers
) -> list[Row]:
    """The rows with their stories, and with the contribution of each item of the record to the main value.

    The measures of the rows share one observation, so that each case, complete and without each item, is observed once. If the
    observation uses a model, or several counterfactuals, no item is removed; ``fairbrief explain`` does that.
    """
    observation = measures[rows[0].measure].observation
    kept = {(row.system, row.record): units[row.system, row.record] for row in rows}
    firsts = [cases[0] for cases in kept.values()]
    leaves = observation.declaration.scope == "case" and not holds_model(observation, firsts, scorers)
    left_out = {key: _omissions(cases) if leaves else [] for key, cases in kept.items()}
    groups = [left for key, cases in kept.items() for left in (cases, *(one.left for one in left_out[key]))]
    try:
        found = iter(observed(observation, groups, scorers))
    except FairbriefError:  # a scorer lacks something that the audit had
        return list(rows)
    seen = {key: [next(found) for _ in (None, *left_out[key])] for key in kept}
    complete = []
    for row in rows:
        key, measure = (row.system, row.record), measures[row.measure]
        now, *then = values_of(measure, measure.name, seen[key])
        effects: dict[str, list[float | None]] = {}
        for one, value in zip(left_out[key], then, strict=True):
            moved = nan if now is None or value is None else now - value
            effects.setdefault(one.kind, []).append(round(moved, 4) if isfinite(moved) else None)
        # Without the kinds that the measure does not use, whose contributions are all zero.
        without = {kind: tuple(several) for kind, several in sorted(effects.items()) if any(several)}
        story = story_of(measure, kept[key], seen[key][0], scorers)
        complete.append(replace(row, story=story, without=without))
    return complete


def holds_model(observation: Observation, cases: Iterable[Case], scorers: Scorers) -> bool:
    """Whether any scorer of the observation is a model or a service."""
    try:
        asks = [ask for case in islice(cases, 1) for ask in observation.asks((case,))]
    except FairbriefError:
        return True
    return any(scorers.holds_model(ask.scorer) for ask in asks)


def _omissions(cases: Cases) -> list[Omission]:
    """The items of the first case; none if there are too many."""
    found = list(islice(omissions(cases[0], cases), MOST_PARTS + 1))
    return found if len(found) <= MOST_PARTS else []


# ---- Which records are shown


MOST_ROWS = 600
"""The most rows in the viewer."""
MOST_CASES = 160
"""The most summaries whose texts are shown."""


def choose(per_record: PerRecordRows, systems: Sequence[str]) -> list[Row]:
    """The rows to show: the first of every order, then the second of every order, and so on; each once."""
    chosen: dict[tuple[str, str, str], Row] = {}
    cases: set[Key] = set()
    for row in filter(None, chain.from_iterable(zip_longest(*_lists(per_record, systems)))):
        case = row.system, row.record
        if len(chosen) < MOST_ROWS and (case in cases or len(cases) < MOST_CASES):
            cases.add(case)
            chosen.setdefault((row.measure, *case), row)
    return list(chosen.values())


_Ends = dict[tuple[str, bool], list[tuple[float, Row]]]
"""By quantity and direction, the first rows with the values that sort them."""


def _lists(per_record: PerRecordRows, systems: Sequence[str]) -> Iterator[list[Row]]:
    """Both ends of every order of the viewer, by measure and system."""
    observed = grouped((observation, measure) for measure, observation in per_record.measures.items())
    for observation, measures in observed.items():
        readers = {measure: reader_of(measure, per_record.schemas[observation]) for measure in measures}
        ends: dict[tuple[str, str], _Ends] = {(m, system): {} for m in measures for system in systems}
        for rows in map(usable, per_record.each_of(observation)):
            codes, names = coded(rows["system"])
            for measure, reader in readers.items():
                found = {} if reader is None else reader.values(rows)
                for code, system in enumerate(names.to_pylist()):
                    if system in systems:
                        places = np.flatnonzero(codes == code)
                        _merge(ends[measure, system], measure, system, found, rows, places)
        yield from ([row for _, row in end] for of_system in ends.values() for end in of_system.values())


def _merge(
    ends: _Ends, measure: str, system: str, found: Mapping[str, Floats], rows: pa.Table, places: Integers
) -> None:
    """Merge some rows of a system into the first rows of its orders; earlier rows win ties."""
    for name, values in found.items():
        own = np.where(np.isfinite(values[places]), values[places], np.nan)
        ranks = {False: own, True: -own} if name != name_of(measure) else {True: -np.abs(own)}
        for is_largest, ranked in ranks.items():
            end = ends.setdefault((name, is_largest), [])
            order = np.argsort(ranked, kind="stable")[:MOST_OF_EACH]
            for rank, i in zip(ranked[order].tolist(), places[order].tolist(), strict=True):
                if isfinite(rank):
                    known = {q: float(of[i]) for q, of in found.items() if np.isfinite(of[i])}
                    row = Row(measure, system, rows["record"][i].as_py(), known, rows["p"][i].as_py(), "")
                    end.append((rank, row))
            end.sort(key=itemgetter(0))
            del end[MOST_OF_EACH:]
