"""Random changes of an audit, its input, its settings or its baseline, and whether the gate answers each of them rightly.

A change is harmless (the gate must answer as before), harmful (it must not pass, and must name the cause), or an honest change
of summaries, for which the expected answer is computed here from the texts.
"""

import json
import os
import re
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

from fairbrief.auditing import Plan, audit
from fairbrief.errors import FairbriefError
from fairbrief.readers import read
from fairbrief.reports.audit_folder import DIGESTS, UNFINISHED, add_digest, claimed, replace_all
from fairbrief.saved import saved_inputs
from fairbrief.saved.gate import gate, overall
from fairbrief.types import Scorer

N = 40
"""Records of an honest audit."""
SYSTEMS = ("plain", "other")
LEAST, MOST, MARGIN = 0.6, 0.1, 0.1
"""The lowest quality; the largest difference, either way; how much worse than the baseline."""
LIMITS = {
    "most": [f"uer@side:difference[L]<={MOST}"],
    "least": [f"uer@side:difference[L]>={-MOST}", f"rouge1>={LEAST}"],
}
PLAN: dict[str, Any] = {
    "measures": ["uer@side", "rouge1"], "n_resamples": 20, "n_extracts": 0, "check_scorers": False,
}  # fmt: skip
LOADED = (
    "results.json", "sources.parquet", "examples.json", "inputs.json", "per_record/representation.parquet",
)  # fmt: skip
NOT_PASSED = frozenset({"fail", "inconclusive", "refused"})
OPEN = frozenset({"pass", "inconclusive"})
Rows = list[dict[str, Any]]


def honest(lean: int = 0) -> Rows:
    """A row per record and system: six words of each side in the source, six words in the summary, three of each side on average.

    ``lean`` more words are of the left side, and as many fewer of the right.
    """
    made: Rows = []
    for i in range(N):
        left, right = (
            [f"{side}{'bcdfgh'[k]}{chr(97 + i // 26)}{chr(97 + i % 26)}" for k in range(6)]
            for side in ("ald", "qua")
        )
        words_of = {"L": left, "R": right}
        sides = [{"text": " ".join(words), "attributes": {"side": s}} for s, words in words_of.items()]
        for number, system in enumerate(SYSTEMS):
            more = lean or (0, 1, -1, 0)[(i + number) % 4]
            text = " ".join([*left[: 3 + more], *right[: 3 - more]])
            reference = " ".join([*left[:3], *right[:3]])
            row = {"id": f"r{i}", "documents": sides, "references": [reference]}
            row |= {"system": system, "summary": text}
            made.append(deepcopy(row))  # no list is shared
    return made


def is_worse(now: Rows, before: Rows) -> bool:
    """Whether the means of these summaries break a limit, or are worse than those before by more than the margin."""
    for system in SYSTEMS:
        (share, quality), (old_share, old_quality) = (_means(rows, system) for rows in (now, before))
        if abs(share) > MOST or quality < LEAST:
            return True
        if abs(share) - abs(old_share) > MARGIN or old_quality - quality > MARGIN:
            return True
    return False


def _means(rows: Rows, system: str) -> tuple[float, float]:
    """The left side's share of the summary minus one half, and F1 of the words with the reference's; each a mean."""
    shares, qualities = [], []
    for row in rows:
        if row["system"] == system and row["summary"]:
            words, wanted = Counter(row["summary"].split()), Counter(row["references"][0].split())
            shares.append(sum(n for w, n in words.items() if w.startswith("ald")) / words.total() - 0.5)
            qualities.append(2 * (words & wanted).total() / (words.total() + wanted.total()))
    return fmean(shares), fmean(qualities)


@dataclass
class Tried:
    """What the gate is asked after a change; which answers are right; and what the answer must name if it does not pass."""

    audit: Path
    baseline: Path | None
    right: frozenset[str] = NOT_PASSED
    cause: str = ""
    limits: dict[str, list[str]] = field(default_factory=lambda: LIMITS)
    more: dict[str, Any] = field(default_factory=dict)

    def answer(self) -> tuple[str, str]:
        """The outcome, and every sentence on what did not pass."""
        try:
            margin = MARGIN if self.baseline else 0.0
            checks = gate(self.audit, **self.limits, baseline=self.baseline, margin=margin, **self.more)
        except FairbriefError as error:
            return "refused", str(error)
        return overall(checks), "\n".join(f"{c.name}: {c.message}" for c in checks if c.outcome != "pass")

    def fault(self, outcome: str, text: str) -> str:
        """What is wrong with an answer; empty if it is right."""
        if outcome not in self.right:
            return f"{outcome}, not {' or '.join(sorted(self.right))}: {text}"
        is_right = outcome == "pass" or re.search(self.cause, text)
        return "" if is_right else f"{outcome} without the cause '{self.cause}': {text}"


class World:
    """A folder with audits, each made once; changes are made to copies."""

    def __init__(self, folder: Path, sizes: Sequence[int], shifts: int) -> None:
        self.folder, self.sizes, self.shifts = folder, sizes, shifts
        self._made: dict[str, Path] = {}
        self._copies = 0
        self.good, self.bad = self.audit(honest()), self.audit(honest(lean=2))

    def audit(self, rows: Rows, *, skips: bool = False, **plan: Any) -> Path:
        """The folder of an audit of these rows, as the command writes it."""
        text = "".join(json.dumps(row) + "\n" if isinstance(row, dict) else f"{row}\n" for row in rows)
        key = repr((text, sorted(plan.items())))
        if key not in self._made:
            folder = self._made[key] = self.folder / f"audit{len(self._made)}"
            source = folder.with_suffix(".jsonl")
            source.write_text(text, encoding="utf-8")
            reading = read(source, on_error="skip" if skips else "stop")
            result = audit(reading, Plan(**{**PLAN, **plan}))
            with claimed(folder) as place:
                saved_inputs.write(place, [str(source)], reading, replace_all(result, place))
        return self._made[key]

    def copy(self, folder: Path) -> Path:
        """A copy of an audit with its input, to be changed; the copy before the last is removed."""
        self._copies += 1
        made = self.folder / f"copy{self._copies}"
        shutil.rmtree(self.folder / f"copy{self._copies - 4}", ignore_errors=True)
        shutil.copytree(folder, made, ignore=shutil.ignore_patterns("tables", "report.*", "estimates.csv"))
        text = (made / "inputs.json").read_text(encoding="utf-8")
        source = made.with_suffix(".jsonl")
        shutil.copy(folder.with_suffix(".jsonl"), source)
        (made / "inputs.json").write_text(text.replace(f"{folder.name}.jsonl", source.name), encoding="utf-8")
        _list_again(made, "inputs.json")
        return made

    def some(self, rng: Random) -> list[int]:
        """The numbers of some records."""
        size, shift = rng.choice(self.sizes), rng.randrange(self.shifts)
        return [(shift * 7 + i) % N for i in range(size)]


Make = Callable[[World, Random], Tried]


def _unaffected(audit: Path, baseline: Path | None, *, is_good: bool = True) -> Tried:
    """After a harmless change a good audit must pass, and a bad one fail as before."""
    return Tried(audit, baseline, frozenset({"pass" if is_good else "fail"}), "uer@side")


# -------------------------------------------------------------------------------- changes of the input


def _input(
    cause: str, change: Callable[..., Any], right: Callable[..., frozenset[str]] = lambda *_: NOT_PASSED
) -> Make:
    """``change`` returns what replaces a row of some records: a row, a list, or None.

    ``right`` are the right outcomes for so many changed records, and all rows.
    """

    def make(world: World, rng: Random) -> Tried:
        some, drawn = world.some(rng), Random(rng.randrange(world.shifts))
        rows: Rows = []
        for row in honest():
            changed = change(row, drawn) if int(row["id"][1:]) in some else row
            rows += changed if isinstance(changed, list) else [] if changed is None else [changed]
        return Tried(world.audit(rows, skips=True), world.good, right(len(some), rows), cause)

    return make


def _sides(change: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]) -> Callable[..., dict[str, Any]]:
    return lambda row, *_: {**row, "documents": change(row["documents"])}


def _exchanged(documents: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**d, "attributes": {"side": "RL"["LR".index(d["attributes"]["side"])]}} for d in documents]


def _if_many(harmful: int, rows: Rows) -> frozenset[str]:
    """More than a twentieth of the records must be noticed."""
    return NOT_PASSED if harmful > 0.05 * len({row["id"] for row in rows}) else OPEN


def _unanswered(cause: str, text: str = "", **reason: str) -> Make:
    def change(row: dict[str, Any], _: Random) -> dict[str, Any]:
        return {**row, "summary": text, **reason} if row["system"] == "plain" else row

    return _input(cause, change, _if_many)


def _summaries(change: Callable[[str, Random], str]) -> Make:
    """The gate may pass only if the means that are computed from the texts allow it."""
    return _input(
        "uer@side|rouge1", lambda row, rng: {**row, "summary": change(row["summary"], rng)},
        lambda _, rows: NOT_PASSED if is_worse(rows, honest()) else OPEN,
    )  # fmt: skip


def _renamed(rows: Rows) -> Rows:
    """Each system under the name of the other."""
    return [{**row, "system": SYSTEMS[1 - SYSTEMS.index(row["system"])]} for row in rows]


def _one_swapped(world: World, _: Random) -> Tried:
    good, bad = honest(), honest(lean=2)
    before = [a if a["system"] == "plain" else b for a, b in zip(good, bad, strict=True)]
    cause = r"uer@side:difference\[L\].*\[plain\]"
    return Tried(world.audit(_renamed(before)), world.audit(before), cause=cause)


def _group_gone(world: World, _: Random) -> Tried:
    rows = honest()
    for row in rows[: len(rows) // 2]:
        row["documents"][1]["attributes"]["side"] = "M"
    kept = rows[len(rows) // 2 :]
    cause = r"difference\[M\].*nothing to count"
    return Tried(world.audit(kept), world.audit(rows), cause=cause, more={"allow_missing": ["records"]})


def _shuffled(world: World, rng: Random) -> Tried:
    rows = honest()
    Random(rng.randrange(world.shifts)).shuffle(rows)
    return _unaffected(world.audit(rows), world.good)


# ------------------------------------------------------------------- changes of settings, rules and baseline


def _setting(cause: str, *plans: dict[str, Any]) -> Make:
    def make(world: World, rng: Random) -> Tried:
        audits = [world.audit(honest(), **rng.choice(plans)), world.good]
        if rng.random() < 0.5:  # the baseline may be what was changed
            audits.reverse()
        return Tried(*audits, cause=cause)

    return make


def _measures(*specs: str) -> Make:
    return _setting("measure uer|no such estimate", *({"measures": [spec, "rouge1"]} for spec in specs))


class Renewed:
    """A scorer under its name, in another version."""

    def __init__(self, scorer: Scorer) -> None:
        self._scorer = scorer

    def __getattr__(self, name: str) -> Any:
        return getattr(self._scorer, name)

    @property
    def fingerprint(self) -> str:
        """That of the scorer, and a version."""
        return f"{self._scorer.fingerprint} renewed"


def _baseline(cause: str, made: Callable[[World, Random], Path]) -> Make:
    return lambda world, rng: Tried(world.good, made(world, rng), cause=cause)


def _of_rows(cause: str, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Make:
    return _baseline(cause, lambda world, _: world.audit([change(row) for row in honest()]))


# -------------------------------------------------------------------------------- changes of a saved folder


def _folder(cause: str, change: Callable[..., object], *, is_harmless: bool = False) -> Make:
    """Change a copy of an audit, or of its baseline. After a harmless change a good audit passes and a bad one fails."""

    def make(world: World, rng: Random) -> Tried:
        base, is_baseline = rng.choice((world.good, world.bad)), rng.random() < 0.3
        changed = world.copy(world.good if is_baseline else base)
        change(changed, world, rng)
        audits = (base, changed) if is_baseline else (changed, rng.choice((world.good, None)))
        if is_harmless:
            return _unaffected(*audits, is_good=base == world.good)
        return Tried(*audits, cause=cause)

    return make


def _edit_number(folder: Path, _: World, rng: Random) -> None:
    path = folder / "results.json"
    found = json.loads(path.read_text(encoding="utf-8"))
    estimate = rng.choice([e for e in found["estimates"] if e["value"] is not None])
    estimate.update(value=0.0, low=-0.01, high=0.01, n=1000)
    path.write_text(json.dumps(found), encoding="utf-8")


def _mix(*names: str) -> Callable[[Path, World, Random], None]:
    def change(folder: Path, world: World, rng: Random) -> None:
        other = world.audit(honest(lean=rng.choice((1, -1))))
        for name in names:
            for source in filter(Path.is_file, (other / name, *(other / name).glob("*"))):
                shutil.copy(source, folder / source.relative_to(other))

    return change


def _damage(folder: Path, _: World, rng: Random) -> None:
    path = folder / rng.choice(LOADED)
    content = path.read_bytes()
    place = rng.randrange(len(content))
    changed = bytes([content[place] ^ rng.randrange(1, 256)])
    path.write_bytes(content[:place] + rng.choice((b"", changed + content[place + 1 :])))


def _replaced(name: str, *texts: tuple[str, str]) -> Callable[[Path, World, Random], None]:
    def change(folder: Path, _: World, rng: Random) -> None:
        path, (old, new) = folder / name, rng.choice(texts)
        path.write_text(re.sub(old, new, path.read_text(encoding="utf-8"), count=1), encoding="utf-8")

    return change


def _older_clock(folder: Path, _: World, rng: Random) -> None:
    for path in folder.rglob("*"):
        os.utime(path, (rng.randrange(10**9), rng.randrange(10**9)))


def _forged(*, has_baseline: bool) -> Make:
    """A bad audit, with the estimates of a good one and the digest to match."""

    def make(world: World, _: Random) -> Tried:
        folder = world.copy(world.bad)
        found, good = (json.loads((at / "results.json").read_text()) for at in (folder, world.good))
        (folder / "results.json").write_text(json.dumps({**found, "estimates": good["estimates"]}))
        _list_again(folder, "results.json")
        return Tried(folder, world.good, cause="uer@side") if has_baseline else _unaffected(folder, None)

    return make


def _list_again(folder: Path, name: str) -> None:
    """Write a file's digest anew, as only somebody who means to deceive does."""
    path = folder / DIGESTS
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(line for line in lines if name not in line), encoding="utf-8")
    add_digest(folder, name)


def _stale_audit(world: World, rng: Random) -> Tried:
    changed = world.copy(rng.choice((world.good, world.bad)))
    source = changed.with_suffix(".jsonl")
    lines = source.read_text(encoding="utf-8").splitlines()
    source.write_text("\n".join(lines[rng.randrange(1, 9) :]), encoding="utf-8")
    return Tried(changed, world.good, cause="has changed since the audit")


UNDETECTED = "numbers and digests rewritten, without a baseline"
"""The change that only a signature detects."""
UNKNOWN = (
    "uer@sid<=1", "uer@side:differnce<=1", "uer@side:difference[X]<=1", "uer@side{plan}<=1", "uer@side<=nan",
    "rouge1:rouge1-random<=1",
)  # fmt: skip
VALUE = r'"value":[-\d.e]+'
FILE = r"was changed after the audit|was removed|different audits|no such file|damaged|schema is"

# fmt: off
CHANGES: dict[str, Make] = {
    "lines in another order": _shuffled,
    "records dropped": _input("lacks .* of 40 records", lambda *_: None),
    "records broken and skipped": _input("lacks .* of 40 records", lambda *_: ["{broken"]),
    "a system dropped": lambda world, _: Tried(world.audit(honest()[::2]), world.good, cause="lacks the system 'other'"),
    "records repeated under new ids": _input(
        "records with the documents of another record", lambda row, _: [row, {**row, "id": f"{row['id']} again"}], _if_many),
    "groups exchanged in records": _input("values of 'side'", _sides(_exchanged)),
    "a group renamed in records": _input(
        "values of 'side'", _sides(lambda ds: [{**ds[0], "attributes": {"side": "left"}}, ds[1]])),
    "a group's documents removed": _input("documents", _sides(lambda documents: documents[1:])),
    "documents truncated": _input("documents", _sides(lambda ds: [{**d, "text": d["text"][:-9]} for d in ds])),
    "references replaced": _input("references", lambda row, _: {**row, "references": ["ald qua"]}),
    "records joined to clusters": _input("clusters", lambda row, _: {**row, "seed_document": "one"}),
    "empty summaries": _unanswered("empty summary"),
    "refused summaries": _unanswered("refused", reason="refused"),
    "refusals that are not marked": _unanswered("measured only in the baseline|rouge1", "Sorry, I cannot."),
    "summaries truncated": _summaries(lambda text, rng: " ".join(text.split()[: rng.randrange(1, 6)])),
    "words of one side removed": _summaries(lambda text, rng: re.sub("qua", "ald", text, count=rng.randrange(1, 4))),
    "names of equal systems exchanged": lambda world, _: Tried(world.audit(_renamed(honest())), world.good, OPEN, "uer@side|rouge1"),
    "names of a good and a bad system exchanged": _one_swapped,
    "another seed": _setting("seed is", {"seed": 1}, {"seed": 2}),
    "fewer resamples": _setting("resamples is", {"n_resamples": 10}, {"n_resamples": 0}),
    "another confidence level": _setting("confidence is", {"confidence_level": 0.5}, {"confidence_level": 0.8}),
    "another level of significance": _setting("alpha is", {"alpha": 0.01}, {"alpha": 0.5}),
    "other random sentences": _setting("extracts is", {"n_extracts": 1}, {"n_extracts": 2}),
    "other intervals": _setting("intervals is", {"intervals": "bootstrap"}),
    "another version of a scorer": _setting("ngram is", {"wrap": Renewed}),
    "another scorer": _measures("uer(scorer=tfidf)@side", "uer(scorer=counts)@side"),
    "other settings of a measure": _measures("uer(tau=0.5)@side", "uer(target=equal)@side"),
    "a measure dropped": lambda world, _: Tried(world.audit(honest(), measures=["uer@side"]), world.good, cause="rouge1"),
    "a group's records dropped, with --allow-missing records": _group_gone,
    "limits with unknown names": lambda world, rng: Tried(
        world.good, None, cause="no such estimate|no system|not a valid rule|is not a group difference",
        limits={"most": [rng.choice(UNKNOWN)]}),
    "a comparison of unknown names": lambda world, rng: Tried(
        world.good, world.copy(world.good), cause="does not have this measure|is not missing",
        more=rng.choice(({"measures": ["rouge9"]}, {"allow_missing": ["plain"]}))),
    "the baseline is missing": _baseline("no such file", lambda world, _: world.folder / "nothing"),
    "the baseline has other systems": _of_rows("lacks the system", lambda row: {**row, "system": f"{row['system']} 2"}),
    "the baseline has other records": _of_rows("lacks .* of 40 records", lambda row: {**row, "id": f"{row['id']}x"}),
    "the baseline has other documents": _of_rows(
        "documents", _sides(lambda ds: [{**d, "text": f"{d['text']} more"} for d in ds])),
    "numbers edited": _folder("results.json was changed", _edit_number),
    "results.json of another audit": _folder("different audits", _mix("results.json")),
    "per_record of another audit": _folder("different audits", _mix("per_record")),
    "examples.json of another audit": _folder("different audits", _mix("examples.json")),
    "sources.parquet of another audit": _folder("different audits", _mix("sources.parquet")),
    "results.json and per_record of another audit": _folder("different audits", _mix("results.json", "per_record")),
    "a byte changed, or a file cut off": _folder(FILE, _damage),
    "a file removed": _folder(FILE, lambda folder, _, rng: (folder / rng.choice(LOADED)).unlink()),
    "an older schema": _folder("schema is .*Run the audit again", _replaced("results.json", *((r"results/\d", f"results/{n}") for n in range(1, 6)))),
    "NaN or infinity": _folder(
        "damaged", _replaced("results.json", *((VALUE, f'"value":{x}') for x in ("NaN", "Infinity", "1e999")))),
    "digests removed": _folder("digests.sha256", lambda folder, *_: (folder / DIGESTS).unlink()),
    "digests changed": _folder(
        "was changed after the audit", _replaced(DIGESTS, ("^.", "x"), ("results", "result"), ("(?m)^.*examples.*\n", ""))),
    "an interrupted audit": _folder("was interrupted", lambda folder, *_: (folder / UNFINISHED).touch()),
    "an input changed after the audit": _stale_audit,
    "an input removed after the audit": _folder(
        "", lambda folder, *_: folder.with_suffix(".jsonl").unlink(), is_harmless=True),
    "files with other times": _folder("", _older_clock, is_harmless=True),
    "pages and foreign files changed": _folder(
        "", lambda folder, *_: (folder / "report.html").write_text("x"), is_harmless=True),
    "numbers and digests rewritten, with a baseline": _forged(has_baseline=True),
    UNDETECTED: _forged(has_baseline=False),
}
# fmt: on
