"""The protocol about people: what it measures, and its tables in terminal, Markdown and LaTeX."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests.sample_cases import FIRST, LAST
from tests.sample_results import printed
from tests.stub_chat import StubChat

from fairbrief.auditing import Plan, audit
from fairbrief.errors import RequestError
from fairbrief.protocols.published_results import decimal
from fairbrief.protocols.steen_people import COLUMNS
from fairbrief.registry import make
from fairbrief.reports import exports
from fairbrief.reports.result import Result
from fairbrief.types import Case, Document, Entity, Record, Summary, Table

RACES = {"female": "black", "male": "white"}


def record(
    seed_document: str, sample: int, member: str, genders: tuple[str, str], design: str, kind: dict[str, str]
) -> Record:
    """Two people of these genders (and of the race that goes with each) in two sentences."""
    values = [{"gender": gender, "race": RACES[gender]} for gender in genders]
    people = tuple(Entity(str(i), FIRST[v["gender"]][i], LAST[i], v) for i, v in enumerate(values))
    pronouns = [{"female": "she", "male": "he"}[gender] for gender in genders]
    named = [f"{p.first_name} {p.last_name}" for p in people]
    text = " ".join(f"{who} sang and {he} danced." for who, he in zip(named, pronouns, strict=True))
    told = {"genders": "varied", "last_names": "kept", "content_words": "kept", **kind}
    place = {"pair": member} if design == "balanced" else {"group": member}
    attributes = {"design": design, **told, "sample": str(sample), **place}
    name = f"{seed_document}.{design}.{'-'.join(kind.values())}.{sample}.{member}"
    return Record(name, (Document(text),), (), people, attributes, seed_document)


def records(**kind: str) -> Iterator[Record]:
    """Six originals: two balanced pairs, two mono inputs of either gender."""
    for seed_document in "abcdef":
        for sample in (0, 1):
            yield record(seed_document, sample, "0", ("female", "male"), "balanced", kind)
            yield record(seed_document, sample, "1", ("male", "female"), "balanced", kind)
            for gender in ("female", "male"):
                yield record(seed_document, sample, gender, (gender, gender), "mono", kind)


def written(r: Record) -> list[Case]:
    """Two systems: one keeps the first sentence, one keeps a man where there is one, and invents another."""
    first, second = r.documents[0].text.split(". ")
    men = first if " he danced" in first else second
    men_first = Summary(r.id, "men_first", f"{men.rstrip('.')}. Mr. Karl Zork left.")
    return [Case(r, Summary(r.id, "early", f"{first}.")), Case(r, men_first)]


def cases_of(**kind: str) -> list[Case]:
    """Both systems on inputs of a kind."""
    return [case for r in records(**kind) for case in written(r)]


def originals() -> Iterator[Case]:
    """The originals themselves, with a longer summary."""
    for r in {r.seed_document: r for r in records()}.values():
        told = {"design": "original", "genders": "as written", "last_names": "kept", "content_words": "kept"}
        original = replace(r, id=f"{r.seed_document}.original", attributes=told)
        yield Case(original, Summary(original.id, "early", "One two three four."))


def run(cases: list[Case], *attributes: str) -> tuple[Table, ...]:
    """The protocol's tables."""
    return audit(cases, Plan(protocol="steen-people", attributes=attributes, n_resamples=20)).tables


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    """Both systems on balanced and mono inputs by gender."""
    return cases_of()


@pytest.fixture(scope="module")
def result(cases: list[Case]) -> Result:
    """The protocol over gender, with the seed documents beside the built inputs."""
    plan = Plan(protocol="steen-people", attributes=("gender",), n_resamples=50, seed=1)
    return audit([*cases, *originals()], plan)


def _table(tables: tuple[Table, ...], start: str) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]]:
    table = next(t for t in tables if t.title.startswith(start))
    return table.header, {row[0]: row[1:] for row in table.rows}


def _numbers(tables: tuple[Table, ...]) -> list[str]:
    return [t.title.partition(":")[0] for t in tables]


def test_table_3_takes_each_score_from_the_inputs_that_the_paper_took(result: Result) -> None:
    """Word lists, inclusion and hallucination are of the balanced inputs alone, distinguishability of the mono ones."""
    header, rows = _table(result.tables, "Table 3: Results of our bias measures")
    assert header[1:] == (
        "Word List Inclusion", "Entity Inclusion", "Entity Hallucination", "Distinguishability (Count)",
        "Included most / least",
    )  # fmt: skip
    for column, (start, quantity, design) in enumerate(list(COLUMNS.values())[:4]):
        of_measure = [e for e in result.estimates if e.measure.startswith(start)]
        key = ("men_first", quantity, design)
        (wanted,) = [e for e in of_measure if (e.system, e.quantity, e.subgroup.get("design")) == key]
        assert rows["men_first"][column].splitlines()[0] == decimal(wanted.value, 2)


def test_tables_stand_in_the_papers_order_under_its_numbers(result: Result) -> None:
    """By gender 3, 6, 16 and section 9.2; by race 8, 17 and 20."""
    assert _numbers(result.tables) == ["Table 3", "Table 6", "Section 9.2", "Table 16"]
    drawn = cases_of(genders="random", last_names="replaced")
    tied = cases_of(genders="black female, white male", last_names="replaced")
    by_race = _numbers(run([*drawn, *tied], "race"))
    assert [n for n in by_race if n.startswith("Table")] == ["Table 8", "Table 17", "Table 20"]


def test_the_four_ties_of_gender_and_race_are_rows_of_table_20_in_one_audit() -> None:
    """Random gender first, then the four combinations in the paper's order, from one audit whose ids do not collide."""
    ways = ("black female, white female", "random", "black male, white male", "black female, white male", "black male, white female")  # fmt: skip
    every = [case for way in ways for case in cases_of(genders=way, last_names="replaced")]
    cases = [case for case in every if case.summary.system == "early"]
    assert len({c.record.id for c in cases}) == len(cases)
    header, rows = _table(run(cases, "race"), "Table 20")
    assert list(rows) == [f"early: {way}" for way in ("random", "black male, white female", "black male, white male", "black female, white male", "black female, white female")]  # fmt: skip
    assert "Word List Inclusion" not in header
    assert "Entity Hallucination" not in header


def test_last_names_and_content_words_have_tables_of_their_own(cases: list[Case]) -> None:
    """Inputs with last names replaced are Table 12, with content words exchanged Table 19, beside Table 3 in one audit."""
    replaced, exchanged = cases_of(last_names="replaced"), cases_of(content_words="exchanged")
    wanted = ["Table 3", "Table 12", "Table 19"]
    titles = _numbers(run([*cases, *replaced, *exchanged], "gender"))
    assert [n for n in titles if n in wanted] == wanted


def test_a_system_asked_to_attend_to_women_is_table_5(cases: list[Case]) -> None:
    """Where a system's name says that the prompt asked for a focus, its inclusion stands in Table 5 as well."""
    men_first = [c for c in cases if c.summary.system == "men_first"]
    focused = [replace(c, summary=replace(c.summary, system="chat(prompt=article-focus)")) for c in men_first]
    header, rows = _table(run([*cases, *focused], "gender"), "Table 5")
    assert header == ("", "Word List Inclusion", "Entity Inclusion", "Included most / least")
    assert list(rows) == ["chat(prompt=article-focus)"]


@pytest.mark.parametrize("way", ["kept", "crossed", "unheard of"])
def test_other_designs_of_race_have_no_number_of_the_papers(way: str) -> None:
    """Gender as in the original or crossed with race: the layout of the race tables, and no number."""
    changed = cases_of(genders=way, last_names="replaced")
    (scores,) = [t for t in run(changed, "race") if t.title.startswith(("Table 8:", "Scores by race"))]
    made = f"genders {way}, last names replaced, content words kept"
    assert scores.title == f"Scores by race of inputs with {made} (laid out as Table 8)"


def test_records_that_tell_no_design_fill_the_tables_whole() -> None:
    """Inputs made elsewhere are taken as one set, for every column."""
    pairs = [r for r in records() if "pair" in r.attributes]
    bare = [replace(r, attributes={name: r.attributes[name] for name in ("sample", "pair")}) for r in pairs]
    _, rows = _table(run([case for r in bare for case in written(r)], "gender"), "Table 3")
    assert rows["men_first"][0].splitlines()[0] == "0.50"


def test_records_outside_of_all_sets_are_told(cases: list[Case]) -> None:
    """Where some records say how they were built and others do not, a note counts the others."""
    strange = []
    for i, case in enumerate(cases[:4]):
        record = replace(case.record, id=f"x{i}", attributes={}, seed_document=None)
        strange.append(Case(record, replace(case.summary, record=record.id)))
    tables = run([*cases, *strange], "gender")
    assert all(any("do not say how they were built (2 of" in note for note in t.notes) for t in tables)


def test_invented_names_bear_marks_and_their_genders_are_counted(result: Result) -> None:
    """Table 6: name, mark of gender and count; then how many are male, female and unknown. Who invents nobody says so."""
    header, rows = _table(result.tables, "Table 6")
    assert header == ("", "Names", "# male", "# female", "# unknown")
    assert rows["men_first"] == ("Mr. Karl Zork (m) 24", "24", "0", "0")
    assert rows["early"] == ("nobody", "0", "0", "0")


def test_table_16_has_means_deviations_and_the_seed_documents(result: Result) -> None:
    """Tokens and people with their standard deviations, per cent invented, for both designs and the seed documents."""
    header, rows = _table(result.tables, "Table 16")
    assert header == (
        "", "balanced: tokens", "balanced: people", "balanced: % invented",
        "mono: tokens", "mono: people", "mono: % invented", "original: tokens", "original: people",
    )  # fmt: skip
    assert rows["men_first"][1:3] == ("2.00\nσ: 0.00", "50.00")
    assert rows["early"][:3] == ("6.00\nσ: 0.00", "1.00\nσ: 0.00", "0.00")
    assert rows["early"][-2:] == ("4.00\nσ: 0.00", "0.00\nσ: 0.00")


def test_firsts_are_counted_as_in_section_9() -> None:
    """First woman, first female, first man, first male in summaries of mono inputs, whole words, case aside."""
    said = {"female": "The First  woman. A first manager.", "male": "The first man."}
    mono = (r for r in records() if "group" in r.attributes)
    made = [Case(r, Summary(r.id, "s", said[r.attributes["group"]])) for r in mono]
    header, rows = _table(run(made, "gender"), "Section 9.2")
    assert header[1:] == ("first woman", "first female", "first man", "first male")
    assert rows["s"] == ("12", "0", "12", "0")


def judged(prompt: str) -> str:
    """4 for texts about women, 5 for others."""
    return f"Fine.\nScore: {4 if 'Mary' in prompt.partition('Summary:')[0] else 5}"


def test_judged_quality_is_told_as_signed_differences(cases: list[Case]) -> None:
    """With a judge Table 7 has both genders' means and their difference with its sign and interval, Table 4 designs and originals."""
    with StubChat(answer=judged) as server:
        protocol = f"steen-people(judge='judge(model=m, base_url={server.url})')"
        plan = Plan(protocol=protocol, attributes=("gender",), n_resamples=20)
        tables = audit([*cases, *originals()], plan).tables
    header, rows = _table(tables, "Table 7")
    assert header == ("", "female", "male", "female − male")
    assert rows["early"] == ("4.00", "5.00", "−1.00\nd: −1.00,−1.00")
    header, rows = _table(tables, "Table 4")
    assert header[-2:] == ("balanced − original", "mono − original")
    assert rows["early"][2:4] == ("4.50", "0.50")


def test_summaries_without_names_have_no_share(cases: list[Case]) -> None:
    """Where no summary names anybody a share of names is undefined, and inclusion too; nothing fails."""
    shown = run([Case(c.record, Summary(c.record.id, "silent", "they sang.")) for c in cases], "gender")
    _, counts = _table(shown, "Table 16")
    assert counts["silent"][1:3] == ("0.00\nσ: 0.00", "–")
    assert _table(shown, "Table 6")[1]["silent"][0] == "nobody"


def test_an_attribute_that_is_neither_gender_nor_race_has_the_layout_of_table_3(cases: list[Case]) -> None:
    """Scores over another attribute say whose they are; tables of invented people are told once."""
    aged = []
    for case in cases:
        ages = zip(case.record.entities, ("young", "old"), strict=True)
        people = tuple(replace(p, attributes={**p.attributes, "age": age}) for p, age in ages)
        aged.append(Case(replace(case.record, entities=people), case.summary))
    shown = run(aged, "age", "gender")
    assert [t.title for t in shown if "cores" in t.title or t.title.startswith("Table 3:")] == [
        "Table 3: Results of our bias measures",
        "Scores by age of inputs with genders varied, last names kept, content words kept (laid out as Table 3)",
    ]
    assert _numbers(shown).count("Table 6") == 1
    assert "Word List Inclusion" not in _table(shown, "Scores by age")[0]


def test_planted_systems_give_table_2_from_both_references() -> None:
    """With all four planted systems audited, Table 2 has their distances beside the paper's; with three it is absent."""
    articles = [replace(r, attributes={}) for r in records() if "pair" in r.attributes]
    made = []
    for name in ("random", "lead", "topic", "sexist"):
        made += map(Case, articles, make("summarizer", name).summarize(articles))
    assert {case.summary.system for case in made} == {"random", "lead", "topic", "sexist"}
    plan = Plan(protocol="steen-people", attributes=("gender",), n_resamples=20)
    shown = audit(made, plan)
    header, rows = _table(shown.tables, "Table 2: First half")
    assert header == ("", "Unf.", "Adj.", "paper: CNN", "paper: XSum")
    known = {(e.system, e.measure, e.quantity): e.value for e in shown.estimates if not e.subgroup}
    for name, (unf, adj, *_) in rows.items():
        for spelled, cell in (("reference=uniform, words=published", unf), ("words=published", adj)):
            measure = f"word_list_inclusion({spelled})"
            assert cell == f"{known[name, measure, 'word_list_inclusion']:.2f}"
    three = [case for case in made if case.summary.system != "topic"]
    assert not any(t.title.startswith("Table 2:") for t in audit(three, plan).tables)


def test_tables_print_in_terminal_markdown_and_latex(result: Result) -> None:
    """Every cell arrives in every form, with both intervals."""
    shown = printed(replace(result, estimates=(), differences=()))
    assert "Table 3: Results of our bias measures" in shown
    assert " ".join(shown.split()).count("male /") >= 1
    assert all(len(line.rstrip()) <= 80 for line in shown.splitlines())
    table = result.tables[0]
    assert exports.markdown_table(table).count("0.50<br>s: 0.50,0.50<br>d: 0.50,0.50") >= 2
    tex = exports.latex_table(table)
    assert r"\begin{tabular}" in tex
    assert r"\shortstack[l]{0.50\\{\tiny s: 0.50,0.50}\\{\tiny d: 0.50,0.50}}" in tex
    assert tex.count(r"\begin{tabular}") == tex.count(r"\end{tabular}") == 1


def test_dense_similarity_is_asked_for_by_a_scorers_spelling() -> None:
    """Without a model there is no dense column; with one both similarities are measured."""
    plain = make("protocol", "steen-people").measures(("gender",))
    assert sum(m.startswith("distinguishability") for m in plain) == 1
    dense = make("protocol", "steen-people(embedding='embedding(model=some/folder)')").measures(("gender",))
    assert sum(m.startswith("distinguishability") for m in dense) == 2
    for spec in dense:
        make("measure", spec)


def test_the_version_is_part_of_what_is_asked_and_is_printed_under_every_table(cases: list[Case]) -> None:
    """``version=text`` asks for Eq. 4 and Appendix F as worded; both versions name themselves."""
    for version, said in (("published", "Version: published"), ("text", "Version: text")):
        protocol = make("protocol", f"steen-people(version={version})")
        assert f"version={version})@gender" in protocol.measures(("gender",))[-1]
        assert any(f"names(rule={version})" in spec for spec in protocol.measures(("gender",)))
        plan = Plan(protocol=f"steen-people(version={version})", attributes=("gender",), n_resamples=0)
        found = audit(cases, plan)
        assert found.tables
        assert all(table.notes[-1].startswith(said) for table in found.tables)
    with pytest.raises(RequestError, match=r"version='paper'.*: give published or text"):
        make("protocol", "steen-people(version=paper)")
