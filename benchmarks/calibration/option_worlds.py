"""Do whole audits keep their promises with references, margins, samples, chosen summaries, rare events and small groups?

Run: python -m benchmarks.calibration.option_worlds [OUT.json] [--audits N] [--only NAME] [--docs benchmarks/calibration/README.md]

Each row is a world and a number of records: of each question the share of audits, tests or intervals with "yes", its binomial standard
error, and their number. What OUT has stays; ``--audits 0`` only writes the table.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from math import sqrt
from pathlib import Path
from typing import ClassVar

import numpy as np
from benchmarks.calibration.people_words import FAIR, attributes
from benchmarks.calibration.whole_audits import different, named
from benchmarks.calibration.worlds import GROUPS, LAST, Rng, Sentences, labels, random_summary, source
from benchmarks.recording import markdown, options, show

import fairbrief
from fairbrief.auditing.scorer_lookup import Scorers
from fairbrief.types import Ask, Case, Document, Entity, Estimate, Record, Scores, Summary
from fairbrief.workbench.choose import choose, chosen_case

MARKERS = ("<!-- worlds of options: begin -->", "<!-- worlds of options: end -->")
RESAMPLES, EXTRACTS, LARGE = 199, 50, 4000
HALF, SMALL, MOSTLY = (0.5, 0.5), (0.6, 0.33, 0.07), (0.8, 0.2)
COVERAGE = ("coverage_parity@side", "uer@side")
ROUGE = ("rouge1", "rouge1(leaves_out=true)")
Answers = dict[str, Sequence[float]]
"""By question the answers, or numbers whose mean the table has."""
Write = Callable[[Rng, Sentences, np.ndarray], str]


@dataclass(frozen=True)
class World:
    """What one audit of so many records answers to each question."""

    name: str
    audit: Callable[[Rng, int], Answers]
    sizes: tuple[int, ...]


def audited(cases: Iterable[Case], measures: Sequence[str], **more: object) -> fairbrief.Audit:
    return fairbrief.audit(
        list(cases), list(measures), n_resamples=RESAMPLES, n_extracts=EXTRACTS, check_scorers=False, **more  # type: ignore[arg-type]
    )  # fmt: skip


def estimate(audit: fairbrief.Audit, quantity: str, system: str = "") -> Estimate:
    is_wanted = [e for e in audit.estimates if e.quantity == quantity and system in ("", e.system)]
    return max(is_wanted, key=lambda e: e.is_primary)


def holds(low: float | None, high: float | None, truth: float) -> list[bool]:
    """Whether an interval contains the truth; [] without an interval."""
    return [] if low is None or high is None else [low - 1e-9 <= truth <= high + 1e-9]


def is_small(p: float | None) -> list[bool]:
    return [] if p is None else [p <= 0.05]


def of_estimate(e: Estimate, truth: float | None = None, name: str = "") -> Answers:
    """Of a group difference whose truth is 0, or another number."""
    found: Answers = {f"{name} p ≤ .05": is_small(e.p), f"{name} covers": []}
    if e.extract_difference is not None:
        found |= {f"{name} p ≤ .05, random": is_small(e.extract_p)}
        if truth is None:
            found |= {f"{name} covers": holds(e.extract_difference_low, e.extract_difference_high, 0.0)}
            return found
    return found | {f"{name} covers": holds(e.low, e.high, truth or 0.0)}


# ------------------------------------------------------------------------------------- records of documents


def texts_of(rng: Rng, shares: Sequence[float], how: float = 0.3) -> tuple[np.ndarray, Sentences]:
    """Two to nine documents of unequal groups; those of the second group are longer, and words partly reveal the label."""
    of = labels(rng, int(rng.integers(2, 10)), shares)
    return of, source(rng, of, how, np.clip(rng.geometric(np.where(of == 1, 0.35, 0.5)), 1, 8).tolist())


def sentences(most: int, skip: float = 0.0) -> Write:
    """Up to so many random sentences; those of group b are kept with odds 1 − ``skip``."""
    return lambda rng, texts, of: random_summary(rng, texts, of, int(rng.integers(1, most + 1)), skip)


def cases(
    rng: Rng,
    n: int,
    shares: Sequence[float],
    writers: Mapping[str, Write],
    references: Sequence[Write] = (),
    places: Sequence[Mapping[str, Write]] = (),
) -> list[Case]:
    """Records in clusters of one or two, whose documents are the same but for one. Every other record lacks the last reference.

    With ``places``, the writers of each fifth record are those of the second place.
    """
    made, number = list[Case](), 0
    while number < n:
        of, texts = texts_of(rng, shares)
        for _ in range(min(n - number, 1 + (number % 3 == 0))):
            texts = [source(rng, of[:1], 0.3)[0], *texts[1:]]
            documents = tuple(
                Document(" ".join(t), {"side": GROUPS[g]}) for t, g in zip(texts, of, strict=True)
            )
            written = [write(rng, texts, of) for write in references[: len(references) - number % 2]]
            place = int(number % 5 == 4) if places else 0
            record = Record(
                f"r{number}", documents, tuple(written), cluster_by="cluster",
                attributes={"place": "xy"[place], "cluster": f"c{number - (number % 3 == 1)}"},
            )  # fmt: skip
            here = places[place] if places else writers
            made += [Case(record, Summary(record.id, s, write(rng, texts, of))) for s, write in here.items()]
            number += 1
    return made


def references(writers: Sequence[Write], rng: Rng, n: int) -> Answers:
    """Two or three references by different writers, and a system that writes like the first of them."""
    reading = fairbrief.read(cases(rng, n, MOSTLY, {"s": writers[0]}, writers))
    reading.audits_references = True
    audit = fairbrief.audit(
        reading, [*COVERAGE, *ROUGE], n_resamples=RESAMPLES, n_extracts=EXTRACTS, check_scorers=False,
        is_pairwise=True,
    )  # fmt: skip
    answers: Answers = {
        "names a group": [bool(named(audit.result))], "systems differ": [bool(different(audit.result))],
    }  # fmt: skip
    for e in audit.estimates:
        if e.group and e.is_primary and e.system.startswith("reference"):
            for question, found in of_estimate(e, None, "reference").items():
                answers[question] = [*answers.get(question, []), *found]
    for e in audit.differences:
        if e.quantity == "rouge1" and "reference 1" in (e.system, e.baseline):
            name = e.measure.replace("rouge1", "ROUGE-1", 1)
            other = e.system if e.baseline == "reference 1" else str(e.baseline)
            if other == "s" or writers.count(writers[0]) == len(writers):
                question = f"{name}: reference 1 and {other} p ≤ .05"
                answers[question] = [*answers.get(question, []), *is_small(e.p)]
                answers[f"mean {name}: {e.system} − {e.baseline}"] = [e.value or 0.0]
    return answers


def rare(keep: float, rng: Rng, n: int, skips: float = 0.0) -> list[Case]:
    """Summaries that keep nearly all sentences; a share ``skips`` of the records lacks group b."""

    def write(rng: Rng, texts: Sentences, of: np.ndarray) -> str:
        drops = rng.random() < skips
        kept = [
            s for document, g in zip(texts, of, strict=True) for s in document
            if rng.random() < keep and not (drops and g == 1)
        ]  # fmt: skip
        return " ".join(kept) or texts[0][0]

    made = []
    for i in range(n):
        of = labels(rng, int(rng.integers(2, 10)), MOSTLY)
        texts = source(rng, of, 0.0, np.clip(rng.geometric(0.4, len(of)), 1, 8).tolist())
        documents = tuple(Document(" ".join(t), {"side": GROUPS[g]}) for t, g in zip(texts, of, strict=True))
        made.append(Case(Record(f"r{i}", documents), Summary(f"r{i}", "s", write(rng, texts, of))))
    return made


RARE = ("auc@side", "bur@side", "uer@side")


def values(audit: fairbrief.Audit) -> dict[str, float]:
    primary = sorted(audit.estimates, key=lambda e: e.is_primary)
    return {e.quantity: e.value for e in primary if e.value is not None}


@cache
def truth_of_rare(keep: float, skips: float) -> dict[str, tuple[float, float]]:
    """Of a large input, each score and its chance-adjusted score."""
    large = rare(keep, np.random.default_rng(99), LARGE, skips)
    audit = fairbrief.audit(large, list(RARE), n_resamples=20, n_extracts=0, check_scorers=False)
    found = [estimate(audit, name) for name in ("auc", "bur", "uer")]
    return {e.quantity: (e.value or 0.0, e.chance_adjusted or 0.0) for e in found}


def rare_events(keep: float, skips: float, rng: Rng, n: int) -> Answers:
    """Scores of representation, if few summaries are unfair: p, and intervals around the values of a large input."""
    truth, answers = truth_of_rare(keep, skips), Answers()
    audit = audited(rare(keep, rng, n, skips), RARE)
    for name in ("auc", "bur", "uer"):
        e = estimate(audit, name)
        answers[f"{name} p ≤ .05"] = is_small(e.p)
        answers[f"{name} covers"] = holds(e.low, e.high, truth[name][0])
        answers[f"{name}, chance-adjusted, covers"] = holds(
            e.chance_adjusted_low, e.chance_adjusted_high, truth[name][1]
        )
    answers["names a group"] = [bool(named(audit.result))]
    return answers


# ------------------------------------------------------------------------------------- gates, samples, choices


@cache
def margin_of(skip: float, measure: str, quantity: str) -> float:
    """How far a writer who keeps group b with odds 1 − ``skip`` is from a fair one, in a large input."""
    writers = {"fair": sentences(3), "skip": sentences(3, skip)}
    large = cases(np.random.default_rng(98), LARGE, MOSTLY, writers)
    audit = fairbrief.audit(large, measure, n_resamples=2, n_extracts=EXTRACTS, check_scorers=False)
    (gap,) = [
        abs(e.extract_difference or 0)
        for e in audit.estimates
        if (e.system, e.quantity) == ("skip", quantity)
    ]
    return gap


def margins(skip: float, times: float, measure: str, quantity: str, rng: Rng, n: int) -> Answers:
    """A fair version as the baseline, and a candidate; the margin is ``times`` the difference that odds of 0.5 make."""
    state = int(rng.integers(1 << 60))
    audits = [
        audited(
            [c for c in cases(np.random.default_rng(state), n, MOSTLY, {"old": sentences(3), "new": sentences(3, skip)})
             if c.summary.system == system],
            [measure],
        )
        for system in ("new", "old")
    ]  # fmt: skip
    margin = times * margin_of(0.5, measure, quantity)
    outcomes = {check.outcome for check in fairbrief.gate(audits[0], baseline=audits[1], margin=margin)}
    return {
        "passes": [outcomes == {"pass"}],
        "fails": ["fail" in outcomes],
        "inconclusive": ["inconclusive" in outcomes and "fail" not in outcomes],
    }


PLACES = ({"s": sentences(3)}, {"s": sentences(3, 0.7)})


def samples(size: float, by: str | None, rng: Rng, n: int) -> Answers:
    """A sample of n records in whose second place (a fifth) group b is neglected: does its interval contain the whole's value?"""
    whole = cases(rng, n, MOSTLY, {}, places=PLACES)
    reading = fairbrief.read(whole, sample=size, sample_by=by, seed=int(rng.integers(1000)))
    every, some = (
        fairbrief.audit(x, list(COVERAGE), n_resamples=RESAMPLES, n_extracts=0, check_scorers=False)
        for x in (whole, reading)
    )
    return {
        f"{quantity} covers the whole's": holds(e.low, e.high, values(every)[quantity])
        for quantity in ("difference[b]", "relative_difference[b]")
        for e in [estimate(some, quantity)]
    }


def chosen_by(scorer: str, audits: str, skip: float, rng: Rng, n: int) -> Answers:
    """The best of eight candidates by one scorer, audited by the same or another."""
    candidates = cases(rng, n, MOSTLY, {f"k{k}": sentences(3, skip) for k in range(8)})
    by = f"coverage_parity(scorer={scorer})@side"
    chosen = [chosen_case(c, by) for c in choose(candidates, by, scorers=Scorers())]
    measure = [f"coverage_parity(scorer={audits})@side"]
    before, after = (
        audited([c for c in candidates if c.summary.system == "k0"], measure),
        audited(chosen, measure),
    )
    old, new = (estimate(a, "relative_difference[b]").extract_difference for a in (before, after))
    return {
        "one candidate named": [bool(named(before.result))], "chosen named": [bool(named(after.result))],
        "mean difference, one candidate": [old or 0.0], "mean difference, chosen": [new or 0.0],
    }  # fmt: skip


def best_system(rng: Rng, n: int) -> Answers:
    """Of eight systems with odds 0.5, the one whose group b is nearest to random; its difference here, and in new records."""
    writers = {f"k{k}": sentences(3, 0.5) for k in range(8)}
    quantity, truth = (
        "relative_difference[b]",
        -margin_of(0.5, "coverage_parity@side", "relative_difference[b]"),
    )
    audit = audited(cases(rng, n, MOSTLY, writers), ["coverage_parity@side"])
    best = min(
        (estimate(audit, quantity, s) for s in writers), key=lambda e: abs(e.extract_difference or 0.0)
    )
    return {
        "mean difference, best of the audit": [best.extract_difference or 0.0], "mean difference, new records": [truth],
        "covers the difference in new records": holds(best.extract_difference_low, best.extract_difference_high, truth),
    }  # fmt: skip


# ------------------------------------------------------------------------------------- small groups


def small(shares: Sequence[float], rng: Rng, n: int) -> Answers:
    """Fair writers, and a group in few documents."""
    audit = audited(cases(rng, n, shares, {"s": sentences(4)}), COVERAGE)
    rarest = GROUPS[len(shares) - 1]
    answers: Answers = {"names a group": [bool(named(audit.result))]}
    for quantity in (f"difference[{rarest}]", f"relative_difference[{rarest}]"):
        if quantity in values(audit):
            answers |= of_estimate(estimate(audit, quantity), None, quantity)
    return answers


def people(women: float, rng: Rng, n: int, odds: float = 1.0) -> Answers:
    """One to eight people per record, few of them women; how many are named differs from record to record."""
    made = []
    for i in range(n):
        many, rate = int(np.clip(rng.geometric(0.25), 1, 8)), rng.beta(1, 1)
        genders = ["female" if rng.random() < women else "male" for _ in range(many)]
        entities = tuple(
            Entity(last, {"female": "Mary", "male": "John"}[g], last, {"gender": g})
            for g, last in zip(genders, LAST, strict=False)
        )
        said = [f"{e.first_name} {e.last_name} spoke." for e in entities]
        kept = [
            text for e, text in zip(entities, said, strict=True)
            if rng.random() < rate * (odds if e.attributes["gender"] == "female" else 1.0)
        ]  # fmt: skip
        record = Record(f"r{i}", (Document(" ".join(said)),), entities=entities)
        made.append(Case(record, Summary(record.id, "s", " ".join(kept) or "It spoke.")))
    audit = audited(made, ["entity_inclusion@gender"])
    answers: Answers = {"names a group": [bool(named(audit.result))]}
    if "log_odds[female/male]" in values(audit):
        answers |= of_estimate(estimate(audit, "log_odds[female/male]"), 0.0, "log odds")
    return answers


def mentions(old: float, rng: Rng, n: int) -> Answers:
    """Notes of which few are about old people: which ages, sexes and places are kept."""
    made = [c for i in range(n) for c in attributes(rng, i, 1.0, is_paired=False, old=old)]
    audit = audited([c for c in made if c.summary.system == FAIR], ["attribute_mentions@group"])
    answers: Answers = {"names a group": [bool(named(audit.result))]}
    for e in audit.estimates:
        if e.is_primary and e.value is not None and e.quantity.startswith("kept["):
            for question, found in of_estimate(e, None, "kept[…]").items():
                answers[question] = [*answers.get(question, []), *found]
    return answers


def pronouns(women: float, lost: float, drop: float, rng: Rng, n: int) -> Answers:
    """Articles with unequal numbers of pronouns; summaries keep each, but lose a share ``lost``, and ``drop`` of women's in addition."""
    made = []
    for i in range(n):
        about_women = rng.beta(0.5, 0.5 * (1 - women) / women)
        said = ["she" if rng.random() < about_women else "he" for _ in range(int(rng.geometric(0.1)) + 1)]
        kept = [w for w in said if rng.random() >= (lost + drop if w == "she" else lost)]
        texts = [f"Then {' and '.join(some)} met." if some else "It met." for some in (said, kept)]
        made.append(Case(Record(f"r{i}", (Document(texts[0]),)), Summary(f"r{i}", "s", texts[1])))
    audit = audited(made, ["word_list_inclusion"])
    answers: Answers = {"names a group": [bool(named(audit.result))]}
    if "shift[female]" in values(audit):
        found = of_estimate(estimate(audit, "shift[female]"), 0.0, "shift")
        answers |= found if not drop else {"shift p ≤ .05": found["shift p ≤ .05"]}
    return answers


@dataclass(frozen=True)
class Written:
    """The number that ends a summary is its score."""

    name: ClassVar[str] = "written"
    fingerprint: ClassVar[str] = "written"

    def answer(self, asks: Sequence[Ask]) -> Iterator[Scores]:
        for ask in asks:
            scores = [float(text.rpartition(" ")[2]) for text in ask.columns]
            yield Scores.of_whole_texts(ask, np.tile(scores, (len(ask.rows), 1)))


def judged(copies: tuple[int, int], shares: Sequence[float], rng: Rng, n: int) -> Answers:
    """Seed documents in some counterfactuals of unequal groups; nearly all scores are 4 or 5, and vary by seed document."""
    made = []
    for i in range(n):
        level = rng.normal(4.6, 0.5)
        for k in range(int(rng.integers(*copies))):
            group = GROUPS[int(rng.choice(len(shares), p=shares))]
            score = int(np.clip(round(level + rng.normal(0, 0.4)), 1, 5))
            record = Record(
                f"r{i}.{k}", (Document("It rained."),), attributes={"g": group}, seed_document=f"o{i}"
            )
            made.append(Case(record, Summary(record.id, "s", f"It rained {score}")))
    audit = audited(made, ["judged_by_group(scorer=written)@g"], scorers={"written": Written()})
    answers: Answers = {"names a group": [bool(named(audit.result))]}
    for e in audit.estimates:
        if e.is_primary and e.value is not None:
            for question, found in of_estimate(e, 0.0, "difference").items():
                answers[question] = [*answers.get(question, []), *found]
    return answers


def worlds() -> Iterator[World]:
    """All worlds."""
    three, unequal = sentences(3), [sentences(2), sentences(4), sentences(6)]
    yield World("references: three writers alike", partial(references, [three] * 3), (80,))
    yield World("references: writers of 2, 4 and 6 sentences", partial(references, unequal), (80,))
    yield World("rare: 95 % of sentences kept", partial(rare_events, 0.95, 0.0), (30, 150))
    yield World("rare: all kept, 5 % of records lack a group", partial(rare_events, 1.0, 0.05), (30, 150))
    for measure, quantity in (
        ("uer@side", "difference[b]"),
        ("coverage_parity@side", "relative_difference[b]"),
    ):
        yield World(
            f"gate at the margin, {measure}", partial(margins, 0.5, 1.0, measure, quantity), (50, 150)
        )
        yield World(
            f"gate, no difference, wide margin, {measure}",
            partial(margins, 0.0, 1.0, measure, quantity),
            (50, 150),
        )
    yield World("sample of 60 of each place (a fifth is in one)", partial(samples, 60, "place"), (400,))
    yield World("sample of 30 % of each place", partial(samples, 0.3, "place"), (400,))
    yield World("sample of 120 of all", partial(samples, 120, None), (400,))
    for scorer, other in (("tfidf", "tfidf"), ("tfidf", "ngram")):
        for skip in (0.0, 0.7):
            writer = "fair" if not skip else "odds 0.3"
            yield World(
                f"best of 8 by {scorer}, audited by {other}, {writer}",
                partial(chosen_by, scorer, other, skip),
                (50,),
            )
    yield World("best of 8 systems with odds 0.5", best_system, (50,))
    yield World("7 % of documents in group c", partial(small, SMALL), (30, 120))
    yield World("5 % of documents in group b", partial(small, (0.95, 0.05)), (30, 120))
    yield World("8 % of people are women", partial(people, 0.08), (30, 100, 300))
    yield World("8 % of notes about old people", partial(mentions, 0.08), (100,))
    for lost in (0.02, 0.1, 0.5):
        yield World(
            f"8 % women's words, {lost:.0%} of words lost", partial(pronouns, 0.08, lost, 0.0), (30, 100, 300)
        )
    for lost in (0.02, 0.5):
        yield World(
            f"the same, {lost:.0%} lost, women's 30 % more",
            partial(pronouns, 0.08, lost, 0.3),
            (30, 100, 300),
        )
    yield World("judge, 2 to 4 counterfactuals, 10 % c", partial(judged, (2, 5), (0.6, 0.3, 0.1)), (30, 100))
    yield World("judge, 1 counterfactual, 10 % b", partial(judged, (1, 2), (0.9, 0.1)), (80, 200))


def simulate(world: World, n: int, audits: int) -> dict[str, list[float]]:
    """By question how often the answer is yes (or the sum of numbers), and how often it was asked."""
    found: dict[str, list[float]] = {}
    for k in range(audits):
        for question, answers in world.audit(np.random.default_rng([k, n, *world.name.encode()]), n).items():
            own = found.setdefault(question.strip(), [0, 0])
            own[0] += sum(answers)
            own[1] += len(answers)
    return found


def table(found: Mapping[str, Mapping[str, Sequence[float]]]) -> str:
    """A row per world and number of records, with each question's share and standard error in percent, and how often it was asked."""
    rows = []
    for name, answers in found.items():
        told = []
        for question, (yes, many) in answers.items():
            share = yes / max(many, 1)
            error = (
                ""
                if question.startswith("mean")
                else f" ± {100 * sqrt(share * (1 - share) / max(many, 1)):.1f}"
            )
            told.append(f"{question}: {100 * share:.1f}{error} ({many:,})")
        rows.append((*name.rsplit("|", 1), "; ".join(told)))
    return markdown(("world", "records", "percent of audits, tests or intervals (their number)"), rows, (1,))


def main() -> None:
    parser = options(__doc__, "out?", audits=200, only="")
    parser.add_argument("--docs", type=Path)
    asked = parser.parse_args()
    is_known = asked.out is not None and asked.out.exists()
    found = json.loads(asked.out.read_text(encoding="utf-8")) if is_known else {}
    for world in worlds() if asked.audits else ():
        for n in world.sizes:
            if asked.only in world.name and f"{world.name}|{n}" not in found:
                found[f"{world.name}|{n}"] = simulate(world, n, asked.audits)
                print(world.name, n, found[f"{world.name}|{n}"], flush=True)
                if asked.out is not None:
                    asked.out.write_text(json.dumps(found, indent=1, ensure_ascii=False), encoding="utf-8")
    show(table(found), asked.docs, MARKERS)


if __name__ == "__main__":
    main()
