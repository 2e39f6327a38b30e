"""Every page does what it shows, says what the code says, and links to what is there."""

import doctest
import json
import re
import tomllib
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

import pytest
from benchmarks import recording, scale, table
from benchmarks.calibration import coverage as calibrated_coverage
from benchmarks.calibration import people_words, saved_audits
from benchmarks.real import coverage as real_coverage
from tests.docs import snippets

from docs import generate

PAGES = generate.written_pages()
ROOT = generate.ROOT
SPECIAL = re.compile(r"[^\w\- ]")


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_every_block_of_a_page_runs_and_prints_what_is_shown(page: Path) -> None:
    """Python and console blocks run in a fresh folder; shown output is what is printed; shell lines can be parsed."""
    with generate.fresh_folder():
        snippets.run_page(page)


def test_generated_pages_are_up_to_date() -> None:
    """Generated pages are those of the code as it is now."""
    old = [str(path.relative_to(ROOT)) for path in generate.stale()]
    assert not old, f"out of date: {', '.join(old)}. Update with: make docs"


def test_the_tables_of_benchmarks_show_what_was_recorded() -> None:
    """Pages show speeds, costs and the figures of simulations as they are in the benchmarks' files, and every benchmark of speed."""
    page = ROOT / "docs" / "contributing" / "benchmarks.md"
    speeds = {path.stem for path in recording.RESULTS.glob("speed-*.json")}
    assert speeds == {f"speed-{name}" for name in table.SHOWN}
    text = page.read_text(encoding="utf-8")
    assert text == table.put(text, table.section())
    costs = (recorded(recording.RESULTS / name) for name in ("scale.json", "speed-neural.json"))
    assert scale.section(*costs) in text
    calibrated = Path(people_words.__file__).with_name("README.md")
    shown = ((page, (calibrated_coverage, real_coverage)), (calibrated, (people_words, saved_audits)))
    for where, made in ((where, made) for where, several in shown for made in several):
        text = where.read_text(encoding="utf-8")
        found = made.table(recorded(Path(made.__file__).with_suffix(".json")))
        assert text == recording.with_section(text, made.MARKERS, found)


def recorded(path: Path) -> Any:
    """What a benchmark found."""
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    """A relative link names a file that exists, and a heading in it."""
    for target in links(page):
        name, _, heading = target.partition("#")
        other = (page.parent / name).resolve() if name else page
        assert other.exists(), f"{page.name} links to {target}, which is not there"
        if heading:
            assert heading in _anchors(other), f"{page.name} links to {target}: no such heading"


def links(page: Path) -> list[str]:
    """The targets of a page's relative links, those in code left out."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    return [target for target in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in target]


def _anchors(page: Path) -> set[str]:
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    titles = re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)
    return {SPECIAL.sub("", title.lower()).replace(" ", "-") for title in titles}


def test_the_readme_names_commands_extras_and_protocols() -> None:
    """`make demo`, whose command stands between the README's markers, `make test`, every extra and every paper's protocol."""
    readme, makefile = (ROOT / "README.md").read_text(encoding="utf-8"), (ROOT / "Makefile").read_text()
    for target in ("demo", "test"):
        assert f"make {target}" in readme
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)
    shown = generate.SHOWN.search(readme)
    assert shown is not None
    assert f"$(BIN)/fairbrief {shown['command']}\n" in makefile
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = [*declared["optional-dependencies"], *declared["entry-points"]["fairbrief.protocols"]]
    assert not [name for name in names if f"`{name}`" not in readme]


def test_the_design_names_every_package() -> None:
    """The table of packages has each package and module at the top of the tree."""
    design = (ROOT / "docs" / "contributing" / "design.md").read_text(encoding="utf-8")
    tree = (ROOT / "src" / "fairbrief").iterdir()
    known = {path.stem for path in tree if path.suffix in ("", ".py") and not path.name.startswith("_")}
    assert not [name for name in sorted(known) if f"`{name}`" not in design.partition("## Packages")[2]]


def test_every_page_can_be_reached_from_the_index() -> None:
    """Following links from the README and docs/README.md leads to every page; there are at most fifty."""
    ahead = [ROOT / "README.md", ROOT / "docs" / "README.md"]
    reached = set(ahead)
    while ahead:
        page = ahead.pop()
        found = {(page.parent / target.partition("#")[0]).resolve() for target in links(page)}
        ahead += [other for other in found - reached if other in PAGES]
        reached |= found
    assert not [str(page.relative_to(ROOT)) for page in PAGES if page not in reached]
    assert len([page for page in PAGES if page.is_relative_to(ROOT / "docs")]) <= 50


def test_the_site_has_every_page() -> None:
    """zensical.toml lists each page of docs/ once, and no other."""
    listed = re.findall(r'"(\S+\.md)"', (ROOT / "zensical.toml").read_text(encoding="utf-8"))
    docs = ROOT / "docs"
    assert sorted(listed) == sorted(path.relative_to(docs).as_posix() for path in docs.rglob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_a_page_begins_with_a_sentence(page: Path) -> None:
    """Below the title, before any heading, list, table or block: what the reader will be able to do."""
    text = re.sub(r"<!--.*?-->", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    title, _, rest = text.strip().partition("\n")
    assert title.startswith("# ")
    first = rest.strip().partition("\n\n")[0]
    assert re.match(r"[A-Z`*\[].*[.:]", " ".join(first.split())), f"{page.name} begins with: {first[:80]}"


@pytest.mark.parametrize(("page", "message"), [
    ("```console\n$ fairbrief measures uer\nuer (scorer)\n…\n```\n", "shows"),
    ("```console\n$ fairbrief audit nowhere.jsonl\n```\n", "ended with 2"),
    ("```console\n$ fairbrief audit nowhere.jsonl\n…\n```\n", "ended with 2"),
    ("```console\n$ rm -r examples\n```\n", "only fairbrief"),
    ("```sh\nfairbrief audit a.jsonl --colour red\n```\n", "No such option"),
    ("```sh\nfairbrief audti a.jsonl\n```\n", "no command 'audti'"),
    ("```sh\nfairbrief sweep a.jsonl --with 'chat:M(over=party)' --out o\n```\n", "attribute after an @"),
    ("```sh\nfairbrief audit a.jsonl --measure 'uer(warmth=1)@party'\n```\n", "no setting 'warmth'"),
    ("```python\nprint(1 + 1)\n```\n```text\n3\n```\n", "shows"),
    ("```python\nassert 1 > 2, 'arithmetic'\n```\n", "arithmetic"),
])  # fmt: skip
def test_a_page_that_is_wrong_fails(tmp_path: Path, page: str, message: str) -> None:
    """Wrong output, a failing command, an unknown option and a failing block are all noticed."""
    written = tmp_path / "page.md"
    written.write_text(page, encoding="utf-8")
    with generate.fresh_folder(), pytest.raises(AssertionError, match=message):
        snippets.run_page(written)


def test_the_citation_names_this_version() -> None:
    """The citation has the version of the package."""
    from fairbrief import __version__

    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert metadata.version("fairbrief") == __version__


SOURCES = generate.ROOT / "src"


def modules_with_examples() -> list[str]:
    """Names of the modules whose source holds a prompt; the others are not imported for nothing."""
    found = (path for path in sorted(SOURCES.rglob("*.py")) if ">>> " in path.read_text(encoding="utf-8"))
    names = (".".join(path.relative_to(SOURCES).with_suffix("").parts) for path in found)
    return [name.removesuffix(".__init__") for name in names]


@pytest.mark.parametrize("name", modules_with_examples())
def test_examples_of_a_module_print_what_they_show(name: str) -> None:
    """Every example in the module's docstrings gives the output below it."""
    with generate.fresh_folder():
        failed, tried = doctest.testmod(import_module(name))
    assert tried
    assert not failed
