"""Every command line of the how-to pages runs as it is printed, on tiny models and with the files that the pages speak of."""

import csv
import json
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.cli.command import write
from tests.conftest import read_lines
from tests.docs import snippets
from tests.files.shapes import table
from tests.stub_chat import StubChat
from tests.stub_s3 import StubS3, in_environment

from docs import commands, generate
from fairbrief.reports.audit_folder import load

PAGES = generate.ROOT / "docs" / "how-to"
ELSEWHERE = ("console",)
"""The language whose blocks tests/docs runs."""
INSTALLS = "pip install '.[neural]'"
"""The one line that is not run: the models' libraries are what these tests need."""


def lines_of(page: Path) -> list[str]:
    """The command lines of a page that no other test runs."""
    found = []
    for block in snippets.blocks(page.read_text(encoding="utf-8")):
        if block.language in snippets.SHELLS and block.language not in ELSEWHERE:
            found += [line.strip() for line in block.body.replace("\\\n", " ").splitlines() if line.strip()]
    return [line for line in found if line != INSTALLS]


LINES = {page.stem: lines_of(page) for page in sorted(PAGES.glob("*.md"))}


def fairbrief(line: str) -> None:
    """A command that makes what a page takes as given."""
    status, told = commands.run(line.split())
    assert status == 0, told


def answered(sheet: str, answer: Callable[[Mapping[str, str]], str], column: str = "answer") -> None:
    """A sheet as somebody returns it."""
    with Path(sheet).open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    table(Path(sheet), [{**row, column: answer(row)} for row in rows])


def any_choice(row: Mapping[str, str]) -> str:
    """One of the answers that a question offers, another for another question."""
    choices = row["choices"].split(" | ")
    return choices[sum(map(ord, row["annotator"] + row["record"] + row["part"])) % len(choices)]


def is_supported(row: Mapping[str, str]) -> str:
    """Whether a text holds a quarter of a claim's words, as somebody's label."""
    claim, text = (set(row[name].lower().split()) for name in ("claim", "text"))
    return "yes" if len(claim & text) >= len(claim) / 4 else "no"


def lay_compare_and_gate(_: SimpleNamespace) -> None:
    """The earlier audit, and one for each of three data sets."""
    measures = "--measure coverage_parity@sentiment --measure rougeL"
    fairbrief(f"audit examples/reviews.jsonl {measures} --resamples 200 --out before")
    for name in ("yelp", "amazon", "tweets"):
        fairbrief(f"audit examples/reviews.jsonl --resamples 20 --out audits/{name}")


def lay_scale_out(_: SimpleNamespace) -> None:
    """The files of the page."""
    rows = list(read_lines(Path("examples/reviews.jsonl")))
    for name, more in (("reviews", ""), ("more", "more ")):
        write(Path(f"{name}.jsonl"), [{**row, "id": more + row["id"]} for row in rows])


def lay_people(folders: SimpleNamespace) -> None:
    """Six texts of GUM with the summaries of systems, and a table of names by race."""
    data = folders.shared / "data"
    Path("gum/conllu").mkdir(parents=True)
    names = ("bio_chao", "bio_hadid", "news_afghan", "news_clock", "news_flag", "court_fire")
    texts = [f"GUM_{name}" for name in names]
    for text in texts:
        shutil.copy(data / "gum" / "conllu" / f"{text}.conllu", "gum/conllu")
    with (data / "gum" / "gum_systems.jsonl").open(encoding="utf-8") as lines:
        Path("systems.jsonl").write_text("".join(line for line in lines if json.loads(line)["id"] in texts))
    shutil.copy(data / "names" / "bbq_names.csv", "names.csv")


def lay_scorers(_: SimpleNamespace) -> None:
    """News about women and men, two articles a record."""
    told = [row for row in read_lines(Path("examples/articles.jsonl")) if row["system"] == "lead"]
    rows = []
    for one, other in zip(told, [*told[1:], told[0]], strict=True):
        pairs = (("female", one), ("male", other))
        documents = [{"text": a["documents"][0], "attributes": {"gender": gender}} for gender, a in pairs]
        rows.append({**one, "attributes": {"gender": "female"}, "documents": documents})
    write(Path("news.jsonl"), rows)


def lay_contact_centres(_: SimpleNamespace) -> None:
    """Labels of some turns, the files that the page writes, and the audit of its calls."""
    write_files("contact-centres")
    turns = [turn for call in read_lines(Path("examples/calls.jsonl")) for turn in call["documents"]]
    topics, starts = ("billing", "complaint"), ("", "Well. ")
    known = {(t["text"], t["attributes"]["topic"]) for t in turns if t["attributes"]["topic"] in topics}
    pairs = [
        {"text": start + text, "claim": label, "supported": "yes" if label == topic else "no"}
        for (text, topic), start, label in product(sorted(known), starts, topics)
    ]
    table(Path("labels.csv"), pairs)
    fairbrief("audit examples/calls.jsonl --measure label_gap@topic --resamples 200 --out calls")


def lay_every_night(_: SimpleNamespace) -> None:
    """The night's sample."""
    shutil.copy("examples/reviews.jsonl", "sample.jsonl")


def lay_minutes_and_debates(_: SimpleNamespace) -> None:
    """The audit of the council's minutes."""
    fairbrief(
        "audit examples/council/turns.csv --group-by meeting --documents-field text --measure misattribution@role "
        "--speakers examples/council/speakers.csv --summaries examples/council/minutes.csv --summaries-id-field meeting "
        "--summary-field minutes --resamples 20 --out council"
    )


def lay_production_traces(_: SimpleNamespace) -> None:
    """Yesterday's traces."""
    shutil.copy("examples/traces.jsonl", "yesterday.jsonl")


def write_files(page: str) -> None:
    """The files that a page shows with their names."""
    for block in snippets.blocks((PAGES / f"{page}.md").read_text(encoding="utf-8")):
        if "." in block.word:
            Path(block.word).write_text(block.body, encoding="utf-8")


LAID = {
    "compare-and-gate": lay_compare_and_gate, "contact-centres": lay_contact_centres, "every-night": lay_every_night,
    "minutes-and-debates": lay_minutes_and_debates, "people": lay_people, "production-traces": lay_production_traces,
    "scale-out": lay_scale_out, "scorers": lay_scorers,
}  # fmt: skip


def served(words: Sequence[str]) -> tuple[int, str]:
    """A command that serves until Ctrl-C ends it: what it says until then."""
    # Tests that run in the background of a shell have Ctrl-C switched off, and so would what they start.
    heeds = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    with subprocess.Popen(
        [sys.executable, "-c", f"{heeds}; from fairbrief.cli import main; main()", *words[1:]],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        first = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        try:
            rest, _ = process.communicate(timeout=60)
        finally:
            process.kill()
    return (0 if "http://127.0.0.1" in first + rest else 1), first + rest


def in_pytest(words: Sequence[str]) -> tuple[int, str]:
    """Pytest in a process of its own, in a folder without tests of ours."""
    done = subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def folders(
    classifier_folder: Path, bart_folder: Path, deep_encoder: Path, hhem_folder: Path, shared: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> SimpleNamespace:  # fmt: skip
    """Tiny models under the names of the papers' models, one of spaCy's under that of its own, and the real inputs."""
    spacy = pytest.importorskip("spacy")
    names = {
        "roberta-large-mnli": classifier_folder, "facebook/bart-large-cnn": bart_folder, "roberta-large": deep_encoder,
        "vectara/hallucination_evaluation_model": hhem_folder,
    }  # fmt: skip
    monkeypatch.setattr("fairbrief.pretrained.cached", lambda model, _, **__: names.get(model))
    pipeline = spacy.blank("en")
    capitals = {"IS_TITLE": True, "OP": "{2}"}
    pipeline.add_pipe("entity_ruler").add_patterns([{"label": "PERSON", "pattern": [capitals]}])
    known = spacy.load
    monkeypatch.setattr(spacy, "load", lambda name: pipeline if name == "en_core_web_trf" else known(name))
    return SimpleNamespace(classifier=classifier_folder, bart=bart_folder, shared=shared)


@pytest.fixture
def scaled_out(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A cluster of Ray, and an object store with the examples in a bucket, on this machine, for the page that speaks of them."""
    if request.node.callspec.params["page"] != "scale-out":
        yield
        return
    ray = pytest.importorskip("ray")
    ray.init("local", num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level="error")
    lines = Path("examples/reviews.jsonl").read_bytes()
    stored = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist([json.loads(line) for line in lines.splitlines()]), stored)
    with in_environment(StubS3({"bucket": {}}), monkeypatch) as store:
        parquet = stored.getvalue().to_pybytes()
        store.buckets["bucket"] = {"reviews.jsonl": lines, "2026/reviews-01.parquet": parquet}
        yield
    ray.shutdown()


def first_text(prompt: str) -> str:
    """What a model would answer that sums up by its first document, splits off one claim, or finds bills by their words."""
    if "number of one label" in prompt:
        return "1" if re.search("bill|charge|fee|pay|invoice", prompt.partition("Text:")[2]) else "2"
    found = re.search(r"^1\. (.+)$", prompt, re.MULTILINE)
    return found[1] if found else "1. A statement."


@pytest.fixture
def chat(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A server of chat models, where those of OpenAI are looked for."""
    with StubChat(answer=first_text) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        yield


@pytest.mark.usefixtures("nltk_data", "scaled_out", "chat")
@pytest.mark.filterwarnings("ignore")  # Ray's own
@pytest.mark.parametrize("page", [page for page, lines in LINES.items() if lines])
def test_every_command_line_of_a_page_runs(page: str, folders: SimpleNamespace) -> None:
    """In order and in one folder, each ends well; sheets are filled before they are read."""
    with generate.fresh_folder():
        if page in LAID:
            LAID[page](folders)
        for line in LINES[page]:
            line, _, otherwise = line.partition(" || ")
            words = shlex.split(line, comments=True)
            if words[:3] == ["fairbrief", "annotate", "import"]:
                answered(words[3], any_choice)
            if "pairs.csv" in words and "--label-sheet" not in words:
                answered("pairs.csv", is_supported, "supported")
            run = {"pytest": in_pytest, "fairbrief": lambda words: commands.run(words[1:])}[words[0]]
            status, told = (served if words[1] == "view" else run)(words)
            allowed = {"echo": (1, 3), "test": (3,), "": ()}[otherwise.partition(" ")[0]]
            assert status in (0, *allowed), f"{line}\n{told}"


@pytest.mark.filterwarnings("default")
def test_the_fine_tuning_grid_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A few steps of training on each set give an estimate for every cell."""
    pytest.importorskip("accelerate")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    script = generate.ROOT / "examples" / "fine_tuning_grid.py"
    code = script.read_text(encoding="utf-8")
    assert "STEPS = 150" in code
    exec(compile(code.replace("STEPS = 150", "STEPS = 3"), script, "exec"), {"__name__": "__main__"})
    result = load(tmp_path / "grid")
    cells = [e for e in result.estimates if e.quantity == "position_bias" and len(e.subgroup) == 2]
    pairs = {(e.subgroup["train"], e.subgroup["eval"]) for e in cells}
    assert pairs == set(product(("news", "talks"), repeat=2))
    assert all(e.n + sum(e.excluded.values()) == 20 for e in cells)
