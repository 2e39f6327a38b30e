"""Every command of the papers' pages runs, on the examples and tiny models, and prints the published rows."""

import re
import shlex
from collections.abc import Iterator, Sequence
from itertools import takewhile
from pathlib import Path

import pytest
from tests.golden.test_published_figures import FIGURE
from tests.stub_chat import StubChat

from docs import commands, generate, reproduction
from fairbrief.protocols.published_results import PublishedResult

MODELS = (
    "roberta-large-mnli", "facebook/bart-large-cnn", "roberta-large", "sentence-transformers/all-MiniLM-L6-v2",
)  # fmt: skip
RESULTS = [(name, result) for name, _, _, results in reproduction.declared() for result in results]
COMMANDS: dict[tuple[str, ...], list[str]] = {}
for name, result in RESULTS:
    if result.commands:
        COMMANDS.setdefault(result.commands, []).append(f"{name} {result.number}: {result.prints}")
BROUGHT = {
    "zhang-perspectives": """Claritin; US Election; Election; Yelp; Amazon; Supreme Court; SupremeCourt; Intelligence Squared; IQ2;
        Healthcare; Politics; Restaurant; Product; Law; Public Policy; Social media; Review; Dialogue; Debate; twitter.com; yelp.com;
        amazon.com; supremecourt.gov; opendebate.org; Gender; Party; Sentiment; Rating; Speakers, Gender, Power; Speakers, Power; Alpaca (7B); Alpaca;
        text-davinci-003 (175B); text-davinci-003; gpt-turbo-3.5 (175B); gpt-turbo-3.5; gpt-4 (N/A); gpt-4; claude-instant-1""",
    "li-coverage": """Amazon; MITweet; Article Bias; SemEval; News Stance; Review; Tweet; News; Sentiment; Political Ideology;
        Stance toward Target; negative, neutral, positive; left, center, right; support, against; GPT-3.5; GPT-4; Llama2-7b;
        Llama2-13b; Llama2-70b; Mistral-7b; Mixtral-8x7b; Gemma; Claude3-haiku; Claude3-sonnet; COOP; PEGASUS; PRIMERA""",
    "chhabra-position": "XSum; CNN/DM; Reddit; Reddit TL;DR; News; News Summary",
    "steen-people": """CNN/DM; XSum; BART CNN/DM; BART XSum; Pegasus CNN/DM; Pegasus XSum; Llama-2 7b; Llama-2 13b; Llama-2 70b;
        LLama2 7b; LLama2 13b; LLama2 70b; LLAMA 7B; LLAMA 13B; LLAMA 70B; Black Male/White Female; Black Male/White Male;
        Black Female/White Male; Black Female/White Female""",
    "chau-sentiment": "",
}
"""Labels of published rows that the user's inputs bring: names of systems, data sets, their kinds and groups."""
PRINTED = {
    "Random (Unf., Adj.)": "random", "Lead (Unf., Adj.)": "lead", "Topic (Unf., Adj.)": "topic", "Sexist (Unf., Adj.)": "sexist",
    "Total Docs": "total", "# Sport": "sport", "# Family": "family", "Entity Inclusion Bias": "Entity Inclusion", "Random": "random",
    "Claritin + Definition": "instruction=definition", "Yelp + Definition": "instruction=definition",
    "Election + Definition": "instruction=definition", "accuracy, greater than": "accuracy on held-out words",
    "Equal Coverage": "equal_coverage", "Coverage Parity": "coverage_parity",
}  # fmt: skip
"""Published labels that are printed in other words. A measure of the paper's (Orig.) is a row, not a part of its name."""


SCORED = ("Table 3", "Table 5", "Table 8", "Table 12", "Table 19", "Table 20")
"""Tables of Steen & Markert in which a stand-in for the model leaves no score undefined."""


def empty_rows(printed: str, heading: str) -> list[str]:
    """The rows of a printed table with a dash in place of a score; the last column, of directions, may have one."""
    lines = printed.partition(heading)[2].partition("\n\n")[0].splitlines()
    rows = [line for line in lines if re.match(r"(MODEL|focus)", line)]
    assert rows, f"no row below {heading}"
    return [row for row in rows if "–" in re.split(r"\s{2,}", row.strip())[1:-1]]


def labels(name: str, result: PublishedResult) -> set[str]:
    """The labels of a result's published rows, as far as the inputs do not bring them."""
    leading = {c for row in result.table.rows for c in takewhile(lambda c: not FIGURE.fullmatch(c), row)}
    brought = set(re.split(r";\s+", BROUGHT[name])) | {"", "–", "none"}
    if result.number == "Table 1" and name == "steen-people":
        brought |= leading  # the words are those of the corpora
    parts = {part for label in leading - brought for part in label.partition(" (Orig.)")}
    return {part.strip() for part in parts - {""}}


def is_printed(label: str, text: str) -> bool:
    """Whether the text has a label, or the words in which Fairbrief prints it."""
    return label in text or PRINTED.get(label, label) in text


@pytest.fixture
def stand_ins(
    classifier_folder: Path, bart_folder: Path, deep_encoder: Path, encoder_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[None]:  # fmt: skip
    """Tiny models under the names of the papers' models, and a chat server of our own."""
    pytest.importorskip("nltk")
    folders = dict(zip(MODELS, (classifier_folder, bart_folder, deep_encoder, encoder_folder), strict=True))
    monkeypatch.setattr("fairbrief.pretrained.cached", lambda model, _, weights=True: folders.get(model))  # noqa: ARG005
    with StubChat(answer=_answer) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        yield


def _answer(prompt: str) -> str:
    """A score where one is asked for; else a summary that names a person of the text, if any, and invents two."""
    if "Score: N" in prompt:
        return "A score.\nScore: 4"
    named = re.findall(r"[A-Z][a-z]+ [A-Z][a-z]+", prompt)
    if named:
        return f"{named[0]} spoke first. He and she met James Carter and Mary Brown, his wife."
    return "The staff is kind and the room is bright. The soup was cold."


@pytest.mark.usefixtures("nltk_data", "stand_ins")
@pytest.mark.parametrize("told", COMMANDS, ids=lambda told: " && ".join(told)[:60])
def test_commands_of_a_result_run_and_print_it(told: Sequence[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Each command succeeds; all published rows that the inputs allow are printed, and what the declaration promises."""
    monkeypatch.setitem(commands.TERMINAL, "COLUMNS", "300")  # where no label is cut
    outputs = []
    with generate.fresh_folder():
        for command in told:
            program, *words = shlex.split(command)
            assert program == "fairbrief"
            named = [sorted(map(str, Path().glob(word))) if "*" in word else [] for word in words]
            given = [file for word, files in zip(words, named, strict=True) for file in files or [word]]
            status, printed = commands.run(given)
            assert status == 0, f"{command}\n{printed}"
            outputs.append(printed)
    for name, result in RESULTS:
        if result.commands == told and "annotate export" not in told[-1]:  # the sheets come back from people
            absent = {label for label in labels(name, result) if not is_printed(label, "".join(outputs))}
            assert not absent, f"{name} {result.number}: no row {absent} in\n{printed}"
            if name == "steen-people" and result.number in SCORED:
                assert empty_rows(printed, result.heading) == []
    flat = " ".join(printed.split())
    missing = [wanted for wanted in COMMANDS[tuple(told)] if wanted.partition(": ")[2] not in flat]
    assert not missing, f"{missing} not in\n{printed}"
