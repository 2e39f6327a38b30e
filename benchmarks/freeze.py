"""Do thirty audits still say what they said? For changes of the code that may change no answer.

The audits are of made and of real inputs, by the command line: every family, the papers' protocols, subgroups, sanity baselines, clusters,
references, several systems and runs, labelled units, languages, several processes and Ray. Real inputs are read from the folder
that ``--real`` names, and what is not there, or not installed, is passed over. FOLDER gets a file for each audit: its numbers,
texts, tables and examples, without the time that it took. With ``--against OLDER``, numbers are compared with those in that
folder to 1e-9, everything else exactly, what differs is named, and the exit status says whether anything does.

Run: python -m benchmarks.freeze FOLDER [--against OLDER] [--real ../shared/data] [--only NAME …]
"""

from __future__ import annotations

import json
import math
import os
import random
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.recording import options
from benchmarks.speed.audit import sentence, write_longer_records, write_records

ROOT = Path(__file__).parents[1]
EXAMPLES = "examples"
"""From the root, so that nothing that is said depends on where that is."""
TOLERANCE = 1e-9
SHOWN = 12
"""Differences of one audit that are printed."""
RESAMPLES = "--resamples 60"
KEYS = ("measure", "quantity", "system", "group", "subgroup", "baseline", "id", "name", "number")
"""What tells one item of a list from the others, where it is there."""

AUDITS = {
    "reviews": "{examples}/reviews.jsonl --attribute sentiment --extracts 50",
    "subgroups and a baseline": "{examples}/reviews.jsonl --attribute sentiment --by kind --baseline balanced --seed 3",
    "sanity baselines": "{examples}/reviews.jsonl --attribute sentiment --sanity-baseline all --measure uer --measure rouge1 --measure coverage_parity",
    "scorers compared": "{examples}/reviews.jsonl --attribute sentiment --scorers containment,ngram,tfidf --references",
    "articles": "{examples}/articles.jsonl --by section --references",
    "turns": "{examples}/transcripts.jsonl --attribute speaker",
    "labelled claims": "{examples}/labelled_claims.jsonl --measure uer(scorer=claims)@sentiment --measure equal_coverage@sentiment",
    "German": "{examples}/reviews_de.jsonl --attribute sentiment --language de",
    "Arabic": "{examples}/reviews_ar.jsonl --attribute sentiment --language ar",
    "Chinese": "{examples}/reviews_zh.jsonl --attribute sentiment",
    "people": "{made}/lead.jsonl {made}/sexist.jsonl --attribute gender",
    "protocol of people": "{made}/lead.jsonl {made}/sexist.jsonl --attribute gender --protocol steen-people",
    "protocol of perspectives": "{examples}/reviews.jsonl --attribute sentiment --protocol zhang-perspectives",
    "protocol of positions": "{examples}/articles.jsonl --protocol chhabra-position",
    "protocol of sentiment": "{examples}/articles.jsonl --protocol chau-sentiment(vectors={examples}/word_vectors.txt,lexicon={examples}/lexicon.csv)",
    "clusters": "{made}/clustered.jsonl --attribute party --cluster-by maker --by kind,place --record-attribute kind --record-attribute place",
    "runs": "{made}/runs.jsonl --attribute party --pool-runs --measure uer --measure rougeL --sanity-baseline exchanged",
    "one process": "{made}/many.jsonl --attribute party --extracts 20",
    "two processes": "{made}/many.jsonl --attribute party --extracts 20 --workers 2",
    "Ray": "{made}/many.jsonl --attribute party --measure uer --measure rouge1 --engine ray",
    "many groups": "{made}/groups.jsonl --attribute author --workers 2 --measure uer --measure equal_coverage",
    "a table": "{made}/texts.csv --group-by maker --documents-field text --attribute stars --bin stars=3 --summaries {made}/digests.csv --summaries-id-field maker",
    "too many documents": "{made}/crowd.jsonl --attribute party",
    "longer texts": "{made}/longer.jsonl --attribute party",
    "real reviews": "{made}/yelp.jsonl --attribute sentiment --extracts 40",
    "real tweets": "{made}/tweets.jsonl --attribute gender --on-error skip",
    "real news": "{made}/news.jsonl --by topic --record-attribute topic=dataset --on-error skip",
    "real articles": "{made}/gum.jsonl --by genre --baseline gpt4o",
}  # fmt: skip
REAL = {
    "yelp": ("reviews/yelp__gpt-4.jsonl", 150),
    "tweets": ("tweets/claritin__alpaca-7b.jsonl", 150),
    "news": ("news/xsum__lead3.jsonl", 150),
    "gum": ("gum/gum_systems.jsonl", 120),
}
"""By name of the input the file, and how many of its lines are taken."""


def audits(made: Path, real: Path) -> Iterator[tuple[str, list[str]]]:
    """The name of every audit that can be done here, and its arguments."""
    _make_inputs(made, real)
    for name, template in AUDITS.items():
        words = [word.format(examples=EXAMPLES, made=made) for word in shlex.split(template)]
        is_there = all(Path(word).exists() for word in words if word.startswith(str(made)))
        if not is_there or (name == "Ray" and find_spec("ray") is None):
            print(f"{name}: passed over, since its input or its engine is not here")
            continue
        yield name, words


def frozen(arguments: Sequence[str]) -> dict[str, Any]:
    """All that an audit says, but for how long it took; or why it was refused."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "audit"
        refusal = _fairbrief("audit", *arguments, *RESAMPLES.split(), "--quiet", "--out", str(out))
        if refusal:
            return {"refused": refusal}
        found: dict[str, Any] = json.loads((out / "results.json").read_text(encoding="utf-8"))
        examples = json.loads((out / "examples.json").read_text(encoding="utf-8"))
        report = (out / "report.md").read_text(encoding="utf-8").splitlines()
    del found["made"]["seconds"], found["made"]["ended"], found["audit"], found["per_record"]
    return {
        **found,
        "examples": examples,
        "report": [line for line in report if not line.startswith("- seconds: ")],
    }


def differing(old: Any, new: Any, place: str = "") -> Iterator[str]:
    """Where two things made of objects, lists, texts and numbers differ."""
    if isinstance(old, dict) and isinstance(new, dict):
        for name in dict.fromkeys([*old, *new]):
            if name not in old or name not in new:
                yield f"{place}.{name}: {'new' if name in new else 'gone'}"
            else:
                yield from differing(old[name], new[name], f"{place}.{name}")
    elif isinstance(old, list) and isinstance(new, list):
        before, after = _by_key(old), _by_key(new)
        if list(before) != list(after) and set(before) == set(after):
            yield f"{place}: in another order"
        yield from differing(before, after, place)
    elif _is_number(old) and _is_number(new):
        if not math.isclose(old, new, rel_tol=TOLERANCE, abs_tol=TOLERANCE):
            yield f"{place}: {old!r} -> {new!r}"
    elif old != new or type(old) is not type(new):
        yield f"{place}: {old!r} -> {new!r}"


def _by_key(items: Sequence[Any]) -> dict[str, Any]:
    """The items of a list by what they are of, or by their place."""
    found: dict[str, Any] = {}
    for i, item in enumerate(items):
        of = [f"{item[key]}" for key in KEYS if item.get(key)] if isinstance(item, dict) else []
        key = f"[{', '.join(of) or i}]"
        found[key if key not in found else f"{key[:-1]} #{i}]"] = item
    return found


def _is_number(thing: Any) -> bool:
    return isinstance(thing, (int, float)) and not isinstance(thing, bool)


def _fairbrief(*arguments: str) -> str:
    """What the command wrote to standard error where it refused; nothing where it went well."""
    ended = subprocess.run(
        [sys.executable, "-m", "fairbrief", *arguments],
        cwd=ROOT, check=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    return ended.stderr.strip() if ended.returncode else ""


# ------------------------------------------------------------------------------------- inputs


def _make_inputs(made: Path, real: Path) -> None:
    rng = random.Random(0)
    write_records(made / "many.jsonl", 9_000, seed=1)
    write_longer_records(made / "longer.jsonl", 150, seed=2)
    _write(made / "clustered.jsonl", (_clustered(rng, i) for i in range(500)))
    _write(made / "runs.jsonl", (_run(rng, i, run) for run in (1, 2, 3) for i in range(60)))
    _write(made / "groups.jsonl", (_grouped(rng, i) for i in range(300)))
    crowd = [{"text": sentence(rng), "attributes": {"party": "LR"[i % 2]}} for i in range(20_000)]
    _write(made / "crowd.jsonl", iter([{"id": "crowd", "documents": crowd, "summary": sentence(rng)}]))
    _write_tables(made, rng)
    _fairbrief(
        "build", "people", f"{EXAMPLES}/people.jsonl", "--seed", "1", "--out", str(made / "people.jsonl")
    )
    for name in ("lead", "sexist"):
        _fairbrief("summarize", str(made / "people.jsonl"), "--with", name, "--out", str(made / f"{name}.jsonl"))  # fmt: skip
    for name, (file, many) in REAL.items():
        if (real / file).exists():
            with (real / file).open(encoding="utf-8") as lines:
                (made / f"{name}.jsonl").write_text("".join(islice(lines, many)), encoding="utf-8")


def _write(path: Path, rows: Iterator[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def _record(rng: random.Random, i: int, system: str, labels: Sequence[str] = "LLRR") -> dict[str, Any]:
    documents = [{"text": sentence(rng), "attributes": {"party": label}} for label in labels]
    return {
        "id": f"r{i}", "documents": documents, "system": system, "references": [sentence(rng), sentence(rng)],
        "summary": f"{rng.choice(documents)['text']} {sentence(rng)}",
    }  # fmt: skip


def _run(rng: random.Random, i: int, run: int) -> dict[str, Any]:
    """One of several summaries of the same documents."""
    return {**_record(random.Random(i), i, f"even#{run}"), "summary": f"{sentence(rng)} {sentence(rng)}"}


def _clustered(rng: random.Random, i: int) -> dict[str, Any]:
    """Records of some makers, of which those of the last come late."""
    maker = "late" if i in (450, 499) else f"m{i % 60}"
    own = {"maker": maker, "kind": rng.choice("abc"), "place": rng.choice("xy")}
    return {**_record(rng, i, "even" if i % 3 else "rosy"), **own}


def _grouped(rng: random.Random, i: int) -> dict[str, Any]:
    documents = [{"text": sentence(rng), "attributes": {"author": f"a{rng.randrange(30)}"}} for _ in range(6)]
    return {"id": f"g{i}", "documents": documents, "summary": f"{documents[0]['text']} {sentence(rng)}"}


def _write_tables(made: Path, rng: random.Random) -> None:
    rows = [f"m{i % 40},{rng.randint(1, 5)},{sentence(rng)}" for i in range(240)]
    (made / "texts.csv").write_text("\n".join(["maker,stars,text", *rows]) + "\n", encoding="utf-8")
    digests = [f"m{i},{sentence(rng)} {sentence(rng)}" for i in range(40)]
    (made / "digests.csv").write_text("\n".join(["maker,summary", *digests]) + "\n", encoding="utf-8")


def main() -> None:
    parser = options(__doc__, "folder", "--against", real=Path("../shared/data"))
    parser.add_argument("--only", nargs="*", metavar="NAME")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    if (given.real / "nltk_data").is_dir():
        os.environ["NLTK_DATA"] = str((given.real / "nltk_data").resolve())
    moved = 0
    with tempfile.TemporaryDirectory() as made:
        for name, arguments in audits(Path(made), given.real):
            if given.only and name not in given.only:
                continue
            found = frozen(arguments)
            if refusal := found.get("refused"):
                print(f"{name}: refused: {refusal[:300]}")
            text = json.dumps(found, indent=1, ensure_ascii=False, sort_keys=True)
            (given.folder / f"{name}.json").write_text(text + "\n", encoding="utf-8")
            if given.against is None:
                continue
            before = given.against / f"{name}.json"
            said = [f"{before}: not there"]
            if before.exists():
                said = list(differing(json.loads(before.read_text(encoding="utf-8")), json.loads(text)))
            moved += len(said)
            print(f"{name}: {len(said) or 'nothing'} differs", *said[:SHOWN], sep="\n  ")
    sys.exit(1 if moved else 0)


if __name__ == "__main__":
    main()
