"""Results such as an audit returns, made up here: representation, position and subgroups of two systems."""

import io
import re
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from rich.console import Console
from tests import sample_families
from tests.held import held

from fairbrief.reports import json_file, terminal
from fairbrief.reports.frames import encodable
from fairbrief.reports.result import Examples, Link, NotMeasured, Passage, Result, Row, Support, Texts
from fairbrief.types import Estimate, Note, Table

HOSTILE = (
    "<script>document.title='ran'</script>", "</style><img src=x onerror=\"document.title='ran'\">",
    "javascript:document.title='ran'", "[red]markup[/red] [link=https://example.org]x[/link]",
    "\x1b[31mred\x1b]8;;https://example.org\x07link\x1b[2J", "\\input{/etc/passwd} $x$ \\write18{ls} %",
    '=cmd|" /C calc"!A0', "lone \ud800 surrogate and NUL \x00", "w" * 400, "مرحبا بالعالم \u202etxt.exe",
    "| a | b |\n---\n# head ![x](javascript:alert(1)) `code`", "{{ 7 * 7 }} {% raw %} ${7*7}",
)  # fmt: skip

CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that could drive a terminal or turn a text around."""
EMPTY = Result((), (), held(pa.table({})))
SYSTEMS = ("gpt-4", "alpaca-7b")
VALUES = ("negative", "neutral", "positive")


def make(systems: tuple[str, ...] = SYSTEMS, values: tuple[str, ...] = VALUES, extra: str = "") -> Result:
    """A whole result; ``extra`` is put wherever a text of the input can stand."""
    made = {
        "version": "0.1.0", "records": 300, "summaries": 600, "systems": list(systems), "sanity_baselines": [],
        "attributes": {"document": {"sentiment": list(values)}}, "protocol": None, "seed": 0, "n_resamples": 2000,
        "confidence_level": 0.95, "alpha": 0.05, "declared": sample_families.declared(),
        "scorers": {"containment": "its card", "ngram": "its card"}, "seconds": 3.212, "files": ["reviews.jsonl" + extra],
        "skipped": 7,
    }  # fmt: skip
    return Result(
        estimates=(*_representation(systems, values), *_position(systems), *_subgroups(systems, extra)),
        differences=_differences(systems),
        rows=held(_per_record(systems, values)),
        tables=(_table(systems),),
        not_measured=(NotMeasured("equal_coverage@party", f"no document has the attribute 'party'{extra}"),),
        skipped=(f"reviews.jsonl:12: not JSON: Expecting ',' delimiter{extra}",),
        examples=_examples(systems, values, extra),
        made=made,
    )


def hostile() -> Result:
    """The same with texts that try to break out of every format."""
    result = make(HOSTILE[:6], (*HOSTILE[6:10], "plain"), " ".join(HOSTILE))
    more = sample_families.make(HOSTILE[:6], (*HOSTILE[6:10], "plain"))
    per_record = pa.concat_tables([result.per_record, more.per_record], promote_options="default")
    return replace(result, estimates=(*result.estimates, *more.estimates), rows=held(per_record))


def printed(result: Result, width: int = 80, **more: Any) -> str:
    """What the terminal shows, without colour."""
    out = io.StringIO()
    terminal.print_result(result, Console(file=out, width=width), **more)
    return out.getvalue()


def results_json(result: Result) -> bytes:
    """What results.json holds."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "results.json"
        json_file.write(result, path)
        return path.read_bytes()


def _estimate(
    measure: str, quantity: str, system: str, value: float, low: float, high: float, **more: Any
) -> Estimate:
    """An estimate of 300 records, or of what ``n`` says."""
    n = more.pop("n", 300)
    over = measure.partition("@")[2]
    return Estimate(measure, quantity, system, value, low=low, high=high, n=n, clusters=n, over=over, **more)


def _representation(systems: tuple[str, ...], values: tuple[str, ...]) -> list[Estimate]:
    numbers = {
        "bur": (0.427, 0.028, 0.391), "uer": (0.0512, 0.0031, 0.0498), "auc": (0.254, 0.019, 0.2496), "sof": (0.0081, 0.0033, 0.0026),
    }  # fmt: skip
    estimates = [
        _estimate(
            f"{name}@sentiment", name, system, base + 0.3 * i * half, base + (0.3 * i - 1) * half, base + (0.3 * i + 1) * half,
            n=288 - i, excluded={"one group only": 9 + i, "empty summary": 3}, permutation_mean=chance, p=0.0005 + 0.02 * i,
            p_adjusted=0.002 + 0.04 * i, testable=True, signature="fairbrief:0.1.0|inputs:6fbb|draws:2000|seed:0",
        )
        for name, (base, half, chance) in numbers.items()
        for i, system in enumerate(systems)
    ]  # fmt: skip
    estimates += [
        _estimate("bur@sentiment", f"under[{v}]", s, 0.21, 0.17, 0.26, permutation_mean=0.2, p=0.31, n=251)
        for v in values
        for s in systems
    ]
    note = Note("undefined", {"reason": "one group only"})
    of_few = {"permutation_mean": 0.3, "testable": False}
    lost = {"excluded": {"one group only": 300}, "notes": (note,)}
    nothing = Estimate("bur@gender", "bur", systems[0], None, over="gender", **lost)
    few = _estimate("uer@gender", "uer", systems[0], 0.31, 0.22, 0.4, p=1.0, n=4, **of_few)
    return [*estimates, few, nothing]


def _position(systems: tuple[str, ...]) -> list[Estimate]:
    estimates = []
    shares = np.linspace(0.19, 0.01, 10)
    for i, s in enumerate(systems):
        name, tested = "position_bias", {"permutation_mean": 0.3, "p": 0.0004, "testable": True}
        estimates.append(_estimate(name, name, s, 1.21 + i, 1.02 + i, 1.41 + i, **tested))
        estimates.append(_estimate(name, "mean_position", s, 0.341, 0.322, 0.359))
        for k, share in enumerate((shares / shares.sum()).tolist(), 1):
            estimates.append(_estimate(name, f"share_at[{k:02}]", s, share, share * 0.9, share * 1.1))
    return estimates


def _subgroups(systems: tuple[str, ...], extra: str) -> list[Estimate]:
    tested = {"permutation_mean": 0.33, "p": 0.04, "p_adjusted": 0.08, "n": 150}
    whole = _estimate("bur@sentiment", "bur", "", 0.0, 0.25, 0.45, **tested)
    cell = whole.replace(low=0.02, high=0.5, permutation_mean=0.2, p=0.2, p_adjusted=None, n=40, clusters=40)
    estimates = []
    for s in systems:
        for i, domain in enumerate(("hotels", "restaurants and bars" + extra)):
            estimates.append(whole.replace(system=s, value=0.3 + 0.1 * i, subgroup={"domain": domain}))
        for i, mix in enumerate(("1:3", "1:1", "3:1")):
            for j, documents in enumerate(("10", "30", "50")):
                value, part = 0.1 * i + 0.04 * j if i + j else None, {"mix": mix, "documents": documents}
                estimates.append(cell.replace(system=s, value=value, subgroup=part))
    return estimates


def _differences(systems: tuple[str, ...]) -> tuple[Estimate, ...]:
    return tuple(
        _estimate(
            f"{m}@sentiment", m, systems[0], -0.0124 * k, -0.031 * k, 0.0071 * k, p=0.21 / k, p_adjusted=min(0.42 / k, 1),
            testable=True, n=287, baseline=systems[1],
        )
        for k, m in enumerate(("bur", "uer", "auc", "sof"), 1)
    )  # fmt: skip


def _per_record(systems: tuple[str, ...], values: tuple[str, ...]) -> pa.Table:
    """Shares of values and segments of 60 records per system, and one record that is left out."""
    draw = np.random.default_rng(7)
    shares_of = {"observation": "shares(over=sentiment)", "measures": "bur@sentiment\nuer@sentiment"}
    places = {"observation": "places()", "measures": "position_bias"}
    taken = (("generated", 4, np.linspace(10, 1, 10)), ("reference", 3, np.ones(10)))
    rows: list[dict[str, Any]] = []
    for i, system in enumerate(map(encodable, systems)):
        for r in range(60):
            place = {"system": system, "record": f"r{r}", "cluster": f"r{r}", "reason": None, "p": None}
            shares, segments = {}, {}
            for name, spread in (("source", 4), ("summary", 4 - i % 3)):
                drawn = draw.dirichlet(np.ones(len(values)) * spread)
                shares |= {f"{name}[{encodable(v)}]": x for v, x in zip(values, drawn, strict=True)}
            for name, many, weights in taken:
                drawn = draw.multinomial(many, weights / weights.sum())
                segments |= {f"{name}[{k:02}]": float(x) for k, x in enumerate(drawn, 1)}
            rows += [{**place, **shares_of, **shares}, {**place, **places, **segments}]
        left_out = {"record": "r99", "cluster": "r99", "reason": "one group only"}
        rows.append({"system": system, **left_out, **shares_of})
    return sample_families.table(rows)


def _examples(systems: tuple[str, ...], values: tuple[str, ...], extra: str) -> Examples:
    """Three records, whose first document supports the first sentence of each system's summary."""
    summary = f"Guests liked the room. {extra}"
    said = "The room was {} and the breakfast came late on day {}. {}"
    documents = tuple(
        Passage(said.format(word, j, extra), {"sentiment": values[j % len(values)], "stars": str(j % 5)})
        for j, word in enumerate(("clean", "noisy", "small", "bright"))
    )
    references, summaries = (Passage("A fine stay."),), {system: Passage(summary) for system in systems}
    ids = [f"hotel-{i}{extra}" for i in range(3)]
    texts = [Texts(name, {"city": "Basel" + extra}, documents, references, summaries) for name in ids]
    without = {"document": (0.1, 0.0, -0.05, None), "sentence": (0.02,)}
    rows, supports = [], []
    for system in systems:
        for i, name in enumerate(ids):
            numbers = {"uer": 0.2 + 0.1 * i}
            numbers |= {f"difference[{v}]": 0.1 * i - 0.2 * k for k, v in enumerate(values)}
            story = f"{values[0]} has 41% of the source{extra}"
            rows.append(Row("uer@sentiment", system, name, numbers, None, story, without))
            link = Link(0, 0, 0, 18, 0.5)
            supports.append(Support(name, system, "by shared words", ((0, 22),), (summary[:22],), (link,)))
    return Examples(tuple(texts), tuple(rows), tuple(supports), {"uer@sentiment": "by shared words"}, of=600)


def _table(systems: tuple[str, ...]) -> Table:
    rows = tuple((s, "20.27", "2.50", "304 of 1,500") for s in systems)
    header, notes = ("System", "BUR (%)", "UER (%)", "samples"), ("Layout of the published table.",)
    return Table("Yelp, N-gram", header, rows, notes)
