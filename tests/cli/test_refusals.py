"""What a careless user does ends in one clear line and exit code 2, before any work and without harm."""

import json
import shlex
from pathlib import Path

import pytest
from tests.cli.command import Command, printed, refused, row, rows, write

from fairbrief.auditing.run import Run
from fairbrief.workbench import choose

EQUAL = "audit one.jsonl --measure 'equal_coverage({})@mood'"
EXPORT = "annotate export one.jsonl --task rating --attribute mood --out {} {}"
PEOPLE = "build people one.jsonl --out out.jsonl"
CHOOSE = "choose two.jsonl --by uer@mood"
SWEEP = "sweep one.jsonl --out out --with lead"

REFUSED = [
    # commands and options that do not exist, or lack what they need
    ("audti", "No such command 'audti'. Did you mean 'audit'? Try"),
    ("audit", "FILE"),
    ("audit one.jsonl --measure", "requires an argument", "'fairbrief audit --help'"),
    ("summarize one.jsonl --summarizer lead --out o.jsonl", "Did you mean --with?"),
    ("audit one.jsonl --output o", "Did you mean --out?"),
    ("report saved --format pdf", "markdown"),
    ("measures buur@mood", "Did you mean 'bur'"),
    ("protocol chau-sentiment 'Table 99'", "has no Table 99. It has: Section 2, Figure 1"),
    # one value where there is one
    *((f"audit one.jsonl {option} 9 {option} 8", f"{option} is given 2 times") for option in ("--resamples", "--id-field", "--out")),
    *((f"audit one.jsonl {option} mood {option} mood", "twice") for option in ("--documents-field", "--summary-field", "--attribute", "--record-attribute")),
    ("audit kinds.jsonl --by kind,kind", "names an attribute twice"),
    ("audit kinds.jsonl --by kind --by kind", "asked for twice"),
    *((f"{command} saved", "saved: this folder is given twice") for command in ("rank saved", "trend saved", "gate saved --baseline")),
    ("audit one.jsonl --measure 'bur(tau=0.8, tau=0.9)@mood'", "'tau' twice"),
    # numbers and words that cannot be
    ("audit one.jsonl --resamples many", "--resamples"),
    ("audit one.jsonl --workers -1", "--workers"),
    ("audit one.jsonl --on-error ignore", "ignore"),
    ("audit one.jsonl --sanity-baseline nothing", "nothing"),
    ("audit kinds.jsonl --sanity-baseline exchange", "Did you mean 'exchanged'?"),
    *((EQUAL.format(setting), setting) for setting in ("merge=0", "merge=nan")),
    ("summarize one.jsonl --with chat:x --base-url host:1 --out o.jsonl", "http://"),
    (f"{PEOPLE} --woman Lady", "--woman", "Ms."),
    (f"{PEOPLE} --names names.csv", "names.csv", "UTF-8"),
    (f"{PEOPLE} --content-words some", "--content-words"),
    ("build people pages --out out.jsonl", "pages", "found no"),
    # names of nothing, told with their neighbours before summaries are made or scored
    ("audit one.jsonl uer@mood", "There is no file uer@mood"),
    ("audit one.jsonl --measure uer@mod", "'mod'", "Found: mood"),
    ("audit one.jsonl --measure sentiment_shift@mod", "No document, record or person", "Did you mean 'mood'?"),
    ("audit one.jsonl --measure entity_hallucination@gendr", "No document, record or person", "'gendr'"),
    ("audit one.jsonl --measure uer@mood --attribute mod", "Did you mean 'mood'?"),
    *((f"{command} --attribute tne", "Unused fields: 'tone'. Did you mean 'tone'?") for command in ("audit tones.jsonl", "audit tones.jsonl --measure uer@tne", "sweep tones.jsonl --out out --with lead")),
    ("audit kinds.jsonl --by knd", "Did you mean 'kind'?"),
    ("audit long.csv --group-by id --documents-field text --cluster-by knd", "long.csv has no column 'knd'.", "Did you mean 'kind'?"),
    ("audit one.jsonl --protocol zang", "zhang-perspectives"),
    ("audit one.jsonl --summaries x", "no file x"),
    ("audit one.jsonl --summaries x=", "NAME=VALUE"),
    ("audit none.jsonl --quiet", "no file"),
    *((command, "--out DIR") for command in ("report .", "trend nowhere")),
    ("report saved/results.json", "results.json is a file: give the folder"),
    ("stats saved", "is the folder of a saved audit. Give the files that were audited."),
    ("words one.jsonl --by mod", "Found: mood"),
    (f"{SWEEP} --measure uerr@mood", "No measure named 'uerr'. Did you mean 'uer'?"),
    (f"{SWEEP} --measure 'uer(scorer=x)@mood'", "No scorer named 'x'"),
    *((command, "No scorer named 'vader'. Known:") for command in ("audit one.jsonl --measure 'uer(scorer=vader)@mood'", "chunks one.jsonl --scorer vader")),
    ("audit one.jsonl --measure 'sentiment_shift(scorer=ngram)@mood'", "No classifier named 'ngram'."),
    (f"{SWEEP} --attribute mod", "Did you mean 'mood'?"),
    ("choose two.jsonl --by uer@mod", "Did you mean 'mood'?"),
    (f"{CHOOSE} --floor 'nope>=1'", "No measure named 'nope'"),
    ("gate saved --max 'uerr@mood<=1'", "Did you mean 'uer@mood'? It has:"),
    ("audit control.jsonl --measure uer@mood", "'sanity:mine'", "rename the system"),
    # advice that the command itself can follow
    ("words renamed.jsonl", "'fairbrief words' has no --documents-field or --group-by: change the file."),
    ("stats renamed.jsonl", "'fairbrief init FILE' proposes the options.\n"),
    ("sweep large.jsonl --out out --with lead --measure equal_coverage@mood", "--extracts 0"),
    # options that would do nothing
    *((f"audit one.jsonl --protocol li-coverage {option}", "--protocol has its own measures and scorers") for option in ("--measure uer@mood", "--scorers ngram,tfidf")),
    ("audit bare.jsonl --protocol li-coverage", "compares attributes of a document", "none has one"),
    *((f"audit one.jsonl --protocol {name} --attribute mood", f"--attribute mood has no effect with --protocol {name}") for name in ("chau-sentiment", "chhabra-position")),
    ("audit one.jsonl --protocol steen-people --attribute mood", "No person", "'mood'", "of the record's 'entities'"),
    *((f"audit one.jsonl --protocol '{spec}'", "has no effect with") for spec in ("chhabra-position(version=text)", "chhabra-position(choose=first)", "chau-sentiment(lexicon=x)", "zhang-perspectives(layer=3)")),
    ("summarize one.jsonl --with lead --out o.jsonl --max-requests 5", "--max-requests has no effect, since no chat model is asked: drop it."),
    ("summarize one.jsonl --with lead --out o.jsonl --price 1,2", "--price has no effect"),
    (f"{CHOOSE} --pairs p.jsonl --prompt nope", "no prompt 'nope'"),
    (f"{CHOOSE} --prompt plain", "--pairs FILE"),
    ("agree saved saved --attribute mood", "--attribute has no effect on saved audits"),
    # questions that cannot be put to a saved audit, or rules that cannot be held
    ("gate saved", "gate has no limit"),
    ("gate saved --max 'uer@mood>=0.3'", "write a rule with <="),
    ("gate saved --min 'uer@mood<=0.3'", "write a rule with >="),
    ("gate saved --max 'uer@mood<=0.5' --margin 0.1", "--margin needs --baseline DIR"),
    ("gate saved --max 'uer@mood<=0.5' --allow-missing x", "--allow-missing needs --baseline DIR"),
    *((f"gate saved --max 'uer@mood<=0.5' --max-left-out {share}", "share from 0 to 1") for share in ("1.5", "nan")),
    *((f"gate saved --baseline saved --margin {margin}", "give a number of at least 0") for margin in ("-1", "inf", "nan")),
    ("power saved --records 1", "--records is 1: give a number above 1"),
    ("power saved --disparity 0", "above 0"),
    ("power saved --power 1", "give a number between 0 and 1"),
    ("explain one.jsonl --measure uer@mood --out a.pdf", ".json or .html"),
    ("claims one.jsonl --with lead --out o.jsonl", "chat:MODEL"),
    ("agree two.jsonl", "--attribute"),
    ("agree two.jsonl saved", "two.jsonl is not the folder of a saved audit"),
    ("sweep one.jsonl --with random --out out --set words=", "--set words=: write --set NAME=VALUE"),
    ("sweep one.jsonl --with random --out out --set sentences=1 --sentences 2", "is given twice"),
    ("sweep one.jsonl --with random --out out --sentences 1,,2", "has an empty value"),
    (f"{SWEEP} --set warmth=1", "no setting 'warmth'"),
    (f"{SWEEP} --sentences 1,01", "twice"),
    (f"{SWEEP} --sentences few", "give a whole number"),
    (EXPORT.format("x.pdf", ""), "ends in .csv"),
    ("summarize one.jsonl --with lead --out o.csv", "--out o.csv: give a name that ends in .jsonl"),
    ("annotate export one.jsonl --task alignment --out n.csv", "yields no question"),
    # outputs that are inputs, folders or existing files
    (f"{CHOOSE} --out two.jsonl", "--out", "is also an input"),
    (f"{CHOOSE} --pairs two.jsonl", "--pairs", "is also an input"),
    ("summarize one.jsonl --with lead --out one.jsonl", "is also an input"),
    ("claims one.jsonl --summaries mine=two.jsonl --with chat:m --out two.jsonl", "is also an input"),
    ("build reviews one.jsonl --size 2 --sentiment none --out one.jsonl", "is also an input"),
    ("build people one.jsonl --out one.jsonl", "is also an input"),
    ("audit one.jsonl --out s.csv", "--out", "is a file"),
    ("gate saved --max 'uer@mood<=0.5' --junit saved", "--junit", "is a directory"),
    (EXPORT.format("s.csv", ""), "s.csv exists"),
    (EXPORT.format("s.csv", "--annotators a,b"), "s.b.csv exists"),
    (EXPORT.format("t.csv", "--annotators 'a b,a_b'"), "one file name"),
    # builders that would make nothing
    ("build stratified one.jsonl --attribute mood --distinct --out o.jsonl", "need --size"),
    ("build stratified one.jsonl --attribute mood --size 8-4 --out o.jsonl", "smallest and largest"),
    ("build stratified one.jsonl --attribute mood --sets 2 --size 2 --values positive,negativ --out o.jsonl", "dominated by 'negativ' 0; expected 1 each"),
    ("build perspectives one.jsonl --attribute mood --counts 2 --mix positive=1 --samples 1 --set ' =tea' --out o.jsonl", "write --set NAME=VALUE"),
    ("build perspectives one.jsonl --attribute =mood --counts 2 --mix positive=1 --out o.jsonl", "'=mood' lacks one side of '='"),
    ("build reviews one.jsonl --size 99 --sentiment none --out out.jsonl", "Excluded: "),
    # files of settings
    ("audit unknown.toml", "is not an option. Did you mean 'measure'"),
    ("audit cut.toml", "is not valid TOML"),
    ("audit nowhere.toml", "has no input files"),
    ("audit quiet.toml", "quiet = 'yes': write true or false"),
    ("audit list.toml", "resamples = [1]: write one value"),
    ("audit number.toml", "number.toml: files has 5: write a list of texts"),
    ("audit marked.toml", "There is no file"),
    ("audit plain.toml one.jsonl", "give only the file of settings"),
]  # fmt: skip
SETTINGS = {
    "unknown": 'files = ["one.jsonl"]\nmesure = ["uer"]\n', "cut": "measure = [",
    "nowhere": 'measure = ["uer"]\n', "quiet": 'files = ["one.jsonl"]\nquiet = "yes"\n',
    "list": 'files = ["one.jsonl"]\nresamples = [1]\n',
    "number": "files = [5]\n", "marked": '\ufefffiles = ["none.jsonl"]\n',
    "plain": 'files = ["one.jsonl"]\n',
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Records with one summary each and with two, tables, settings, sheets that may hold answers, and a saved audit."""
    made = tmp_path_factory.mktemp("careless")
    write(made / "one.jsonl", rows(4))
    write(made / "tones.jsonl", rows(4, tone="kind"))
    texts = ("Cold soup.", "A garden.")
    write(made / "two.jsonl", [row(i, system=f"s{j}", summary=texts[j]) for i in range(4) for j in range(2)])
    write(made / "bare.jsonl", rows(4, documents=["Cold soup."]))
    write(made / "kinds.jsonl", [row(i, attributes={"kind": "ab"[i % 2]}) for i in range(4)])
    write(made / "control.jsonl", rows(4, system="sanity:mine"))
    write(made / "renamed.jsonl", [{"id": "a", "text": "Cold soup."}])
    write(
        made / "large.jsonl",
        rows(1, documents=[{"text": "Cold soup. " * 30, "attributes": {"mood": "sad"}}] * 2100),
    )
    write(made / "long.csv", [b"id,text,kind,summary\n1,Cold soup.,a,Soup.\n"])
    write(made / "names.csv", [b"name,part\n\xff\xfe"])
    (made / "pages").mkdir()
    for name in ("s.csv", "s.b.csv"):
        write(made / name, ["answers"])
    for name, text in SETTINGS.items():
        write(made / f"{name}.toml", [text])
    printed("audit", made / "one.jsonl", "--measure", "uer@mood", "--resamples", 20, "--out", made / "saved")
    return made


def contents(folder: Path) -> dict[Path, bytes]:
    """All files below a folder."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(("line", "words"), [(line, words) for line, *words in REFUSED])
def test_a_careless_command_line_is_refused_and_changes_nothing(
    line: str, words: list[str], folder: Path, fairbrief: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line names what is wrong; no file is written or changed, and no summary is chosen."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(choose, "choose", lambda *_args, **_options: pytest.fail("began to work"))
    before = contents(folder)
    refused(fairbrief(*shlex.split(line)), *words)
    assert contents(folder) == before


def test_an_unknown_baseline(fairbrief: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Systems may stand one after the other: the input is read to its end before the name is refused."""
    cases = [row(i, system=system) for system in ("first", "second") for i in range(300)]
    audit = ("audit", write(tmp_path / "in.jsonl", cases), "--measure", "uer@mood", "--resamples", "0")
    assert fairbrief(*audit, "--baseline", "second").code == 0
    for name in ("walk", "walk_parts"):
        monkeypatch.setattr(Run, name, lambda *_: pytest.fail("began to work"))
    refused(fairbrief(*audit, "--baseline", "secnd"), "Did you mean 'second'? Systems: first, second.")


@pytest.mark.parametrize("line", [
    "explain --measure uer@mood", "chunks --resamples 20", "choose --by uer@mood",
    "agree --attribute mood --resamples 20",
    "sweep --with lead --sentences 1,2 --measure uer@mood --resamples 20 --out out",
    "summarize --with lead --out out.jsonl",
])  # fmt: skip
def test_every_command_says_what_it_left_out(
    fairbrief: Command, tmp_path: Path, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With ``--on-error skip`` a broken line is counted, and named with its place."""
    name, *options = line.split()
    units = [{"text": "The soup was cold.", "values": {"mood": ["negative"]}}]
    systems = "s" if name in ("sweep", "summarize") else "st"
    both = [row(i, system=system, claims=units) for i in range(4) for system in systems]
    monkeypatch.chdir(tmp_path)
    write(Path("broken.jsonl"), [*both[:2], json.dumps({"id": "x", "documents": 7}), *both[2:]])
    done = fairbrief(name, "broken.jsonl", *options, "--on-error", "skip")
    assert done.code == 0, done
    assert "Excluded from the input: 1. The first: " in done.out.replace("\n", " "), done
    assert "broken.jsonl:3" in done.out
