"""What is fuzzed: every reader and loader, each with files that it reads whole, and texts that parsers stumble over."""

from __future__ import annotations

import csv
import gzip
import io
import json
import zipfile
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

from fairbrief import readers, registry, serialization
from fairbrief.auditing import Plan, audit
from fairbrief.chat.journal import keys_in, open_journal
from fairbrief.classifiers.people import read_pages
from fairbrief.classifiers.sentiment import read_lexicon, read_vectors
from fairbrief.cli import settings_file
from fairbrief.engines import score_cache
from fairbrief.errors import FairbriefError
from fairbrief.people.build_people import names_of
from fairbrief.readers import corefud, treebanks
from fairbrief.readers.understanding import inspect_file, understand
from fairbrief.reports.audit_folder import load, write_all
from fairbrief.saved import saved_inputs
from fairbrief.saved import view as viewed
from fairbrief.saved.gate import gate
from fairbrief.saved.gate_rules import rules
from fairbrief.types import Case, Claim, Document, Entity, Record, Summary
from fairbrief.workbench import claims
from fairbrief.workbench.corpora.published_formats import FORMATS
from fairbrief.workbench.sheets import csv_text, items_of, read_answers, sheet

TOOLS = Path(__file__).parents[2] / "tests" / "files" / "tools"
TOKENS = [
    b"\0", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"NaN", b"1e999", b"-1", b"9" * 400, b"null", b"[]", b"{}", b"true", b'""', b"\\ud800",
    b"[" * 2000, b'{"a":' * 1000, b" " * 5000, b"\n" * 500, b"\t", b",", b'"', b"'", b"\r", b"(", b")", b"|", b"\x1b[2J", b"=1+1", b"documents",
]  # fmt: skip
CONLL = b"""#begin document (bn/abc/00/abc_0001); part 000
abc 0 0 John NNP (TOP(S(NP* - - - - (PERSON* (0
abc 0 1 Smith NNP *) - - - - *) 0)
abc 0 2 left VBD (VP*) leave 01 1 - * -
abc 0 3 . . *)) - - - - * -

#end document
"""
COREFUD = b"""# newdoc id = d1
# global.Entity = eid-etype-head-other
# sent_id = d1-1
# text = John Smith left.
1\tJohn\tJohn\tPROPN\tNNP\tNumber=Sing\t3\tnsubj\t_\tEntity=(e1-person-1-
2\tSmith\tSmith\tPROPN\tNNP\tNumber=Sing\t1\tflat\t_\tEntity=e1)
3\tleft\tleave\tVERB\tVBD\t_\t0\troot\t_\tSpaceAfter=No
4\t.\t.\tPUNCT\t.\t_\t3\tpunct\t_\t_

"""
ONTONOTES = {
    "x.coref": b'<DOC DOCNO="x@x">\n<TEXT PARTNO="000">\n<COREF ID="0" TYPE="IDENT">Lena Roth</COREF> ran .\n'
    b'<COREF ID="0" TYPE="IDENT">She</COREF> sat .\n</TEXT>\n</DOC>\n',
    "x.name": b'<DOC DOCNO="x@x">\n<ENAMEX TYPE="PERSON">Lena Roth</ENAMEX> ran .\nShe sat .\n</DOC>\n',
    "x.parse": b"(TOP (S (NP (NNP Lena) (NNP Roth)) (VP (VBD ran)) (. .)))\n\n(TOP (S (NP (PRP She)) (VP (VBD sat)) (. .)))\n",
}
SETTINGS = b"""files = ["in.jsonl"]
attribute = ["side", "stars=rating"]
measure = ["bur@side"]
group-by = "id"
resamples = 100
references = true
"""
PUBLISHED = {
    "labelled": b"1<||>male<||>Tea \xe9\n2<||>Pro-Rep<||>a <||> b\n",
    "semeval": b"ID\tTarget\tTweet\tStance\n1\tTea\tI like tea\tFAVOR\n2\tTea\tNo\tAGAINST\n",
    "fewsum": b"group_id\treview_text\tcategory\trating\nB1\tHolds tea.\thome\t5.0\nB1\tLeaks.\thome\t1.0\nB2\tFine.\thome\t4\n",
    "amazon": b'{"overall": 5.0, "reviewText": "Holds tea.", "asin": "B1"}\n{"overall": 2.0, "asin": "B1"}\n',
    "court": b"7 +++$+++ 0 +++$+++ FALSE +++$+++ CHIEF +++$+++ JUSTICE +++$+++ NA +++$+++ NA +++$+++ We begin.\n"
    b"7 +++$+++ 1 +++$+++ TRUE +++$+++ MS. TWO +++$+++ NOT JUSTICE +++$+++ NA +++$+++ PETITIONER +++$+++ Thanks.\n",
    "convokit": b'{"id": "0", "conversation_id": "a", "speaker": "j", "text": "We begin.", "meta": {"speaker_type": "J", "side": null}}\n'
    b'{"id": "1", "conversation_id": "a", "speaker": {"id": "two"}, "text": "Thanks.", "meta": {"side": 1}}\n',
    "iq2": b'{"Tea-01": {"title": "Tea", "transcript": [{"speaker": "Ann", "speakertype": "mod", "paragraphs": ["Begin."]}]}}',
}  # fmt: skip
NAMES = b"name,part,gender,group,weight,note\nAda,first,female,north,2,x\nBern,last,,north,,y\nCleo,first,female,south,,\n"
VECTORS = b"3 2\nshines 0.5 0.25\nrattles -0.5 1e-3\n/c/en/hums 1 2\n"
CONTEXT = [["Lovely room and kind staff.", {"stars": "5"}], ["Rude staff.", {"stars": "1"}]]


@dataclass(frozen=True)
class Target:
    """A reader or loader: files of ours by name, and what is called after one of them was damaged."""

    files: Mapping[str, bytes]
    call: Callable[[Path], object]
    is_slow: bool = False

    def write(self, folder: Path, changed: Mapping[str, bytes]) -> None:
        """Write all files, some of them with other content."""
        for name, content in {**self.files, **changed}.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_bytes(content)


def targets(folder: Path) -> dict[str, Target]:
    """Every reader and loader, with files that it reads whole; ``folder`` is for what is needed to make them."""
    return {**_rows(folder), **_importers(), **_saved(folder), **_annotated(), **_settings(), **_people()}


# ------------------------------------------------------------------------------------- files of cases


def _cases() -> list[Case]:
    documents = tuple(Document(f"It {w} well.", {"side": w}) for w in ("rattles", "shines"))
    people = (Entity("e1", "Ann", "Lee"),)
    cut = (Claim("It rattles.", {"side": ("rattles",)}),)
    records = [Record(f"r{i}", documents, ("It shines.",), entities=people) for i in range(6)]
    return [Case(r, Summary(r.id, "s", "It rattles.", cut)) for r in records]


def _read(name: str, content: bytes, **settings: Any) -> Target:
    return Target({name: content}, lambda at: list(readers.read(at / name, **settings)))


def _lines(rows: Iterable[object]) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def _rows(folder: Path) -> dict[str, Target]:
    serialization.write_lines(map(serialization.case_line, _cases()), folder / "c.jsonl")
    lines = (folder / "c.jsonl").read_bytes()
    rows = [json.loads(line) for line in lines.splitlines()]
    flat = [
        {"id": r["id"], "document": "It rattles.", "summary": "It shines.", "side": "a", "stars": i}
        for i, r in enumerate(rows)
    ]
    columns = pa.Table.from_pylist(flat)
    pa.parquet.write_table(columns, folder / "t.parquet")
    pa.feather.write_feather(columns, folder / "t.arrow")
    table = b"id,documents,summary\n" + b"".join(b'%d,"It, rattles","It ""shines"""\n' % i for i in range(6))
    wide = b"".join(table.replace(b"documents", b"review_1").splitlines(keepends=True))
    book = openpyxl.Workbook()
    for row in [list(flat[0]), *(list(r.values()) for r in flat)]:
        book.active.append(row)
    book.save(folder / "t.xlsx")
    beside = b"id,summary,system\n" + b"".join(b"r%d,It shines.,other\n" % i for i in range(6))
    document = {"documents_field": "document"}
    long = {**document, "group_by": "id", "attributes": {"side": None, "stars": None}, "bins": {"stars": "3"}}
    return {
        "in.jsonl": _read("in.jsonl", lines),
        "in.jsonl skipping": _read("in.jsonl", lines, on_error="skip"),
        "in.jsonl.gz": _read("in.jsonl.gz", gzip.compress(lines, mtime=0)),
        "in.json": _read("in.json", json.dumps(rows).encode()),
        "in.csv": _read("in.csv", table),
        "in.tsv": _read("in.tsv", table.replace(b",", b"\t")),
        "in.ssv": _read("in.csv", table.replace(b",", b";"), format="ssv"),
        "wide csv": _read("in.csv", wide, documents_field="review_*"),
        "in.parquet": _read("in.parquet", (folder / "t.parquet").read_bytes(), **document),
        "in.arrow": _read("in.arrow", (folder / "t.arrow").read_bytes(), **document),
        "in.xlsx": _read("in.xlsx", (folder / "t.xlsx").read_bytes(), **document),
        "long table": _read("in.jsonl", _lines(flat), **long),
        "summaries by id": Target(
            {"in.jsonl": lines, "s.csv": beside},
            lambda at: list(readers.read(at / "in.jsonl", summaries=at / "s.csv")),
        ),
        "summaries by line": Target(
            {"in.jsonl": lines, "s.txt": b"It shines.\n" * 6},
            lambda at: list(readers.read(at / "in.jsonl", summaries={"other": at / "s.txt"})),
        ),
        "init": Target({"in.csv": table, "in.jsonl": lines}, _looked),
    }  # fmt: skip


def _looked(at: Path) -> None:
    understand([inspect_file(str(at / name)) for name in ("in.csv", "in.jsonl")])


def _importers() -> dict[str, Target]:
    """What other tools write."""
    records = [{"id": k, "documents": [{"text": t, "attributes": a} for t, a in CONTEXT]} for k in "abc"]
    lines = _lines(records)
    body = {"model": "gpt-x", "choices": [{"message": {"content": "Mixed."}, "finish_reason": "stop"}]}
    batch = [{"custom_id": k, "response": {"status_code": 200, "body": body}, "error": None} for k in "abc"]
    helm = {"adapter_spec": {"model": "maker/m"}, "request_states": [
        {"instance": {"id": "i1", "input": {"text": "Lovely."}, "references": [{"output": {"text": "Nice."}, "tags": ["correct"]}]},
         "result": {"completions": [{"text": "Mixed."}]}}]}  # fmt: skip
    summeval = {
        "id": "d1",
        "text": "Lovely room.",
        "decoded": "Room.",
        "references": ["Nice."],
        "model_id": "M1",
        "filepath": "x",
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as log:
        task = {"task": "t", "model": "m/m", "config": {"epochs": 1}}
        log.writestr("header.json", json.dumps({"version": 2, "status": "success", "eval": task}))
        for r in records:
            sample = {"id": r["id"], "epoch": 1, "input": "S", "target": ""}
            sample |= {"metadata": {"documents": r["documents"]}, "output": {"completion": "Mixed."}}
            log.writestr(f"samples/{r['id']}_epoch_1.json", json.dumps(sample))
    (samples,) = TOOLS.glob("samples_*")
    joined = lambda at, name: list(readers.read(at / "in.jsonl", summaries=at / name))  # noqa: E731
    return {
        "OpenAI batch": Target({"in.jsonl": lines, "b.jsonl": _lines(batch)}, partial(joined, name="b.jsonl")),
        "Inspect log": _read("hotels.eval", packed.getvalue()),
        "Inspect log of the tool": _read("hotels.eval", (TOOLS / "hotels.eval").read_bytes()),
        "lm-eval samples": _read(samples.name, samples.read_bytes()),
        "promptfoo": _read("promptfoo.json", json.dumps(json.loads((TOOLS / "promptfoo.json").read_text())).encode()),
        "DeepEval": _read("deepeval.json", (TOOLS / "deepeval.json").read_bytes()),
        "MLflow": _read("eval_results_table.json", (TOOLS / "eval_results_table.json").read_bytes()),
        "HELM": _read("scenario_state.json", json.dumps(helm).encode()),
        "SummEval": _read("model_annotations.aligned.jsonl", _lines([summeval])),
        **{f"published {name}": Target({"x.csv": content}, partial(_published, name)) for name, content in PUBLISHED.items()},
    }  # fmt: skip


def _published(name: str, at: Path) -> None:
    list(FORMATS[name](at / "x.csv"))


# ------------------------------------------------------------------------------------- what Fairbrief itself wrote


def _saved(folder: Path) -> dict[str, Target]:
    source = folder / "c.jsonl"
    write_all(audit(_cases(), Plan(measures=["bur@side", "rouge1"], n_resamples=20)), folder / "a")
    identity = json.loads((folder / "a" / "results.json").read_text(encoding="utf-8"))["audit"]
    reading = readers.read(source)
    list(reading)
    saved_inputs.write(folder / "a", [str(source)], reading, identity)
    kinds = (".json", ".parquet")
    found = [path for path in (folder / "a").rglob("*") if path.suffix in kinds]
    saved = {str(path.relative_to(folder / "a")): path.read_bytes() for path in found}
    with open_journal(folder / "j") as journal:
        journal.append([(f"{i:032x}", {"summary": "x", "made": {}}) for i in range(5)])
        kept = (folder / "j").read_bytes()
    score_cache.write(folder / "cache", "maker", {("a", "b"): np.ones(3)})
    return {
        "audit": Target(saved, _loaded, is_slow=True),
        "journal": Target({"j": kept}, _journal),
        "score cache": Target({"cache": (folder / "cache").read_bytes()}, _cache),
    }  # fmt: skip


def _loaded(at: Path) -> None:
    """All that opens a saved audit."""
    try:
        load(at)
    finally:
        with suppress(FairbriefError):  # what comes after is tried as well
            gate(at, most=["bur@side<=0.5"])
        with suppress(FairbriefError):
            opened = viewed.OpenAudit(at)
            for spec in opened.measures:
                opened.listing(spec, "s")


def _journal(at: Path) -> None:
    keys_in(at / "j")
    with open_journal(at / "j") as found:
        for name in list(found.places):
            found[name]


def _cache(at: Path) -> None:
    score_cache.read(at / "cache", "maker", [("a", "b")])


# ------------------------------------------------------------------------------------- annotated documents, answers


def _annotated() -> dict[str, Target]:
    asked = list(items_of(_cases(), "rating", "side"))
    items = {item.key: item for _, of in asked for item in of}
    head, *rows = csv.reader(io.StringIO(sheet(asked, "ann", "side"), newline=""))
    place = head.index("answer")
    filled = csv_text(head, [[*row[:place], "3", *row[place + 1 :]] for row in rows])
    return {
        "CoNLL": Target({"x.conll": CONLL}, lambda at: list(treebanks.read_conll(at / "x.conll"))),
        "CorefUD": Target({"x.conllu": COREFUD}, lambda at: list(corefud.read_corefud(at / "x.conllu"))),
        "OntoNotes": Target(ONTONOTES, lambda at: list(treebanks.read_ontonotes(at))),
        "answers in a sheet": Target(
            {"ann.csv": filled.encode()}, lambda at: read_answers([at / "ann.csv"], items)[0]
        ),
    }


# ------------------------------------------------------------------------------------- settings, specs and lists


def _settings() -> dict[str, Target]:
    def spec(at: Path) -> object:
        return registry.make("measure", _text(at / "spec"))

    return {
        "settings": Target({"s.toml": SETTINGS}, lambda at: settings_file.read(at / "s.toml")),
        "claims' instruction": Target(
            {"u.txt": (Path(claims.__file__).parent / "claims.txt").read_bytes()},
            lambda at: claims.instruction_in(at / "u.txt"),
        ),
        "spec": Target({"spec": b"coverage_parity(scorer='entailment(model=x)', least_claims=3)@side"}, spec),
        "rules": Target({"rules": b"bur(tau=0.9)@side{gpt-4}<=0.1"}, lambda at: rules([_text(at / "rules")])),
    }


def _people() -> dict[str, Target]:
    """Tables of names, words and vectors."""

    def pages(at: Path) -> None:
        read_pages.cache_clear()
        read_pages(str(at / "pages.csv"))

    return {
        "names": Target({"names.csv": NAMES}, lambda at: names_of(str(at / "names.csv"))),
        "pages": Target({"pages.csv": b"name,gender\nAnn Lee,female\nBo Ek,male\n"}, pages),
        "lexicon": Target({"lexicon.csv": b"word,label\ngood,positive\nbad,-1\n"}, lambda at: read_lexicon(str(at / "lexicon.csv"))),
        "vectors": Target({"v.txt": VECTORS}, lambda at: list(read_vectors(at / "v.txt"))),
    }  # fmt: skip


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace")
