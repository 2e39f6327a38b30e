"""What a value rests on: records, documents, sentences; each against an audit made without it, or by hand."""

import json
import random
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sample_cases import Pairwise, documents_of
from typer.testing import CliRunner

import fairbrief
from fairbrief import explain
from fairbrief.auditing import Plan, audit
from fairbrief.cli import app
from fairbrief.engines.score_cache import Cached
from fairbrief.errors import RequestError
from fairbrief.reports.explanation import Explanation, Opened, Part, as_json, as_page, tables
from fairbrief.saved.explanations import without_claim, without_document, without_sentence
from fairbrief.text.sentences import split
from fairbrief.types import Case, Claim, Document, Entity, Mention, Record, Summary

EXACT = 1e-12
PEOPLE = {"female": ("Ada", "Byron"), "male": ("Kofi", "Mensah")}
WORDS = "soup garden waiter view price music lovely rude cold warm awful great".split()


# ------------------------------------------------------------------------------------- made inputs


def of_pairs(cases: list[Case], scorer: Pairwise, more: str = "", **asked: Any) -> Explanation:
    """What an explanation by this scorer says of the one system."""
    measure = f"equal_coverage(scorer=pairwise{more})@side"
    (found,) = explain(cases, measure, scorers={"pairwise": scorer}, **asked)
    return found


def planted() -> tuple[list[Case], Pairwise]:
    """Two even records, and one that a single document of the left supports the summary of."""
    documents = documents_of("LLRR", ("L 1.", "L 2.", "R 1.", "R 2."))
    said = {"even1": "Even so.", "planted": "They spoke. It was said.", "even2": "Even so."}
    cases = [Case(Record(name, documents), Summary(name, "s", text)) for name, text in said.items()]
    supported = {("L 1.", "They spoke."), ("L 1.", "It was said.")}
    return cases, Pairwise(lambda *pair: 0.9 if pair in supported else 0.1)


def made(n: int = 7, seed: int = 3) -> list[Case]:
    """Records with sides, people, references and gender words; only the first has documents of a third side."""
    rng = random.Random(seed)

    def was() -> str:
        return f"{rng.choice(WORDS)} was {rng.choice(WORDS)}."

    def sentence() -> str:
        return f"{rng.choice(('She', 'He'))} said the {was()}"

    people, cases = [], []
    for d, (gender, name) in enumerate(PEOPLE.items()):
        mention = Mention(d, 0, len(" ".join(name)), "full")
        people.append(Entity(f"{gender}{d}", *name, {"gender": gender}, (mention,)))
    for i in range(n):
        left, names = f"{('She', 'He')[i % 2]} left the", [" ".join(name) for name in PEOPLE.values()]
        texts = [f"{name} came. The {was()} {left} {rng.choice(WORDS)}." for name in names * 2]
        sides = ["L", "R", "L" if i % 3 else "C", "R"] if i else ["L", "R", "M", "M"]
        text = f"{rng.choice(names)} came. {sentence()} The {was()}"
        record = Record(f"r{i}", documents_of(sides, texts), (sentence(), sentence()), tuple(people))
        cases.append(Case(record, Summary(record.id, "s", text)))
    return cases


def value(cases: Sequence[Case], measure: str, quantity: str | None = None) -> float | None:
    """The value that an audit of these cases alone gives."""
    if not cases:
        return None
    wanted = quantity or measure.partition("@")[0].partition("(")[0]
    result = audit(cases, Plan(measures=[measure], n_resamples=0))
    return next((e.value for e in result.estimates if e.quantity == wanted), None)


def same(found: float | None, wanted: float | None) -> None:
    """Equal to 1e-12, or both undefined."""
    assert found == (wanted if wanted is None else pytest.approx(wanted, abs=EXACT))


def part(opened: Opened, kind: str, number: int) -> Part:
    """The part of this kind and number."""
    return next(p for p in opened.parts if (p.kind, p.number) == (kind, number))


# ------------------------------------------------------------------------------------ the numbers


def test_the_one_document_that_makes_a_gap_is_named_with_its_effect() -> None:
    """Means of .9, .1 against .1, .1 are .2 from their own mean; without the .9 nothing is left of it."""
    cases, scorer = planted()
    (opened,) = of_pairs(cases, scorer, ", pairwise=true", top=1).opened
    assert (opened.record, opened.value) == ("planted", pytest.approx(0.2, abs=EXACT))
    first = opened.parts[0]
    assert (first.kind, first.number, first.text) == ("document", 1, "L 1.")
    assert first.own.without == pytest.approx(0.0, abs=EXACT)
    assert first.own.effect == pytest.approx(0.2, abs=EXACT)
    # .9 alone against .1, .1: mean 1.1/3, so .5333 and .2667 away from it.
    assert part(opened, "document", 2).own.effect == pytest.approx(0.2 - 0.4, abs=EXACT)
    assert part(opened, "document", 3).own.effect == pytest.approx(0.2 - 0.2, abs=EXACT)
    assert part(opened, "sentence", 1).own.effect == pytest.approx(0.0, abs=EXACT)


MEASURES = (
    "equal_coverage@side uer@side position_from_uniform rouge1 sentiment_shift@side entity_inclusion@gender "
    "entity_hallucination@gender"
).split()


@pytest.mark.parametrize("measure", MEASURES)
def test_the_influence_of_a_record_is_that_of_an_audit_without_it(measure: str) -> None:
    """Leaving rows out of the per-record statistics and auditing the other records anew give one number, also for all looked into."""
    cases = made()
    (found,) = explain(cases, measure, top=3)
    same(found.value, value(cases, measure))
    gone = {opened.record for opened in found.opened}
    same(found.together.without, value([c for c in cases if c.record.id not in gone], measure))
    assert len(found.influences) + sum(found.excluded.values()) == len(cases)
    for influence in found.influences:
        others = [c for c in cases if c.record.id != influence.cluster]
        same(influence.whole.without, value(others, measure))
        if influence.whole.effect is not None:
            assert influence.whole.effect == pytest.approx(found.value - influence.whole.without, abs=EXACT)
    sizes = [abs(i.whole.effect) for i in found.influences if i.whole.effect is not None]
    assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize("measure", MEASURES)
def test_the_effect_of_a_part_is_that_of_audits_without_it(measure: str) -> None:
    """Documents and sentences: the record's own value, and that of the whole, as audits of the reduced case give."""
    cases = made()
    (found,) = explain(cases, measure, ids=["r0", "r1"])
    for opened in found.opened:
        (case,) = [c for c in cases if c.record.id == opened.record]
        same(opened.value, value([case], measure))
        assert len(opened.parts) == 4 + 3
        for p in opened.parts:
            reduce = without_document if p.kind == "document" else without_sentence
            left = reduce(case, p.number - 1)
            same(p.own.without, value([left], measure))
            same(p.whole.without, value([left if c is case else c for c in cases], measure))


def test_another_quantity_can_be_explained() -> None:
    """``quantity`` names one of the measure's other values; a name that it does not have is refused."""
    cases = made()
    (found,) = explain(cases, "uer@side", quantity="difference[L]", top=1)
    same(found.value, value(cases, "uer@side", "difference[L]"))
    (opened,) = found.opened
    same(opened.value, value([c for c in cases if c.record.id == opened.record], "uer@side", "difference[L]"))
    with pytest.raises(RequestError, match=r"no quantity 'difference\[Q\]'. Did you mean 'difference\[R\]'"):
        explain(cases, "uer@side", quantity="difference[Q]")


# ------------------------------------------------------------------------------------- no number


def test_without_the_only_document_of_a_side_there_is_a_reason() -> None:
    """A record of one side has no gap: the reason stands where the number would."""
    cases, scorer = planted()
    cases[1] = without_document(cases[1], 3)
    found = of_pairs(cases, scorer, ids=["planted"])
    only = part(found.opened[0], "document", 3)
    assert (only.own.without, only.own.effect, only.own.reason) == (None, None, "one group only")
    assert any("(one group only)" in row[0] for row in tables(found)[1].rows)
    assert found.opened[0].parts[-1].own.reason, "what has no number comes last"


def test_a_record_that_had_no_value_can_be_looked_into() -> None:
    """One that the audit left out is named with its reason; leaving it out changes nothing."""
    cases, scorer = planted()
    cases.append(Case(Record("one", cases[0].record.documents[:2]), Summary("one", "s", "They spoke.")))
    found = of_pairs(cases, scorer, ids=["one", "planted"])
    opened = found.opened[0]
    assert (opened.influence, opened.value, opened.reason) == (None, None, "one group only")
    assert found.excluded == {"one group only": 1}
    assert "one: no value of this record alone (one group only)" in [table.title for table in tables(found)]


def test_a_value_of_groups_of_records_is_told_through_the_whole() -> None:
    """One article has no contrast of groups: its sentences are ordered by what they do to that of all."""
    (found,) = explain(made(), "sentiment_shift", top=1)
    (opened,) = found.opened
    assert opened.value is None
    assert opened.reason == "undefined for a single record"
    effects = [abs(p.whole.effect) for p in opened.parts if p.whole.effect is not None]
    assert effects == sorted(effects, reverse=True)
    assert effects[0] > 0


def test_without_its_only_sentence_a_record_adds_nothing_to_the_others() -> None:
    """Also where its words are the only ones that name a group, so that nothing else has columns of that group."""
    cases = list(fairbrief.read("examples/articles.jsonl"))
    for found in explain(cases, "word_list_inclusion"):
        own = [c for c in cases if c.summary.system == found.system]
        for opened in found.opened:
            reduced = [without_sentence(c, 0) if c.record.id == opened.record else c for c in own]
            same(part(opened, "sentence", 1).whole.without, value(reduced, "word_list_inclusion"))


def test_an_input_that_a_measure_cannot_read_has_no_story() -> None:
    """Where no record has a value, the reason is counted and nothing is opened."""
    cases = [replace(c, record=replace(c.record, references=())) for c in made()]
    (found,) = explain(cases, "rouge1")
    assert (found.value, found.opened, found.excluded) == (None, (), {"no references": 7})


# --------------------------------------------------------------------------- what is scored again


def test_with_a_cache_nothing_is_scored_again(tmp_path: Path) -> None:
    """After an audit that kept its scores, an explanation scores no pair at all."""
    cases, scorer = planted()

    def wrap(inner: Pairwise) -> Cached:
        return Cached(inner, tmp_path / "scores.sqlite")

    measures, scorers = ["equal_coverage(scorer=pairwise)@side"], {"pairwise": scorer}
    audit(cases, Plan(measures=measures, scorers=scorers, wrap=wrap, n_resamples=0))
    scorer.scored.clear()
    found = of_pairs(cases, scorer, wrap=wrap)
    assert scorer.scored == []
    assert found.opened[0].parts[0].own.effect == pytest.approx(0.2, abs=EXACT)


# ----------------------------------------------------------------------------------- leaving out


def test_mentions_move_with_their_documents() -> None:
    """Mentions in what is left out go, later ones move up; who was mentioned only there goes, references stay."""
    documents = tuple(Document(text) for text in ("Ada came.", "Kofi and Ada left.", "Kofi slept."))
    ada = Entity("a", "Ada", None, {}, (Mention(0, 0, 3, "first"), Mention(1, 9, 12, "first")))
    kofi = Entity("k", "Kofi", None, {}, (Mention(1, 0, 4, "first"), Mention(2, 0, 4, "first")))
    unseen = Entity("u", "Lin")
    record = Record("r", documents, ("A reference.",), (ada, kofi, unseen), {"topic": "t"}, where="f:1")
    summary = Summary("r", "s", "Text.", (Claim("u", {"side": ("L",)}),))
    left = without_document(Case(record, summary), 1)
    assert left.summary == summary
    assert [d.text for d in left.record.documents] == ["Ada came.", "Kofi slept."]
    assert left.record.references == record.references
    assert left.record.attributes == record.attributes
    moved = [(Mention(0, 0, 3, "first"),), (Mention(1, 0, 4, "first"),), ()]
    assert [e.mentions for e in left.record.entities] == moved
    first_gone = without_document(Case(replace(record, documents=documents[:2], entities=(
        replace(ada, mentions=ada.mentions[:1]), unseen)), summary), 0)  # fmt: skip
    assert [e.id for e in first_gone.record.entities] == ["u"]


@given(st.text(alphabet='aB. \nD!?"“r1', max_size=60))
@settings(max_examples=150)
def test_the_sentences_that_are_left_are_the_same(text: str) -> None:
    """Without one sentence a summary has the others, each letter by letter."""
    sentences = split(text)
    for i in range(len(sentences)):
        left = without_sentence(Case(Record("r", ()), Summary("r", "s", text)), i).summary
        assert split(left.text) == sentences[:i] + sentences[i + 1 :]
        assert left.reason == ("" if len(sentences) > 1 else "empty summary")


def test_units_are_left_out_where_a_measure_reads_them() -> None:
    """Coverage reads the units, the share of words the sentences; neither is tried where the other is read."""
    cases, scorer = planted()
    units = (Claim("They spoke."), Claim("It was said."), Claim("They spoke."))
    cases[1] = replace(cases[1], summary=replace(cases[1].summary, claims=units))
    covered = of_pairs(cases, scorer, ids=["planted"])
    assert {p.kind for p in covered.opened[0].parts} == {"document", "claim"}
    assert part(covered.opened[0], "claim", 3).text == "They spoke."
    assert without_claim(cases[1], 1).summary.claims == (units[0], units[2])
    worded = replace(cases[1], summary=replace(cases[1].summary, text="L R said. R went."))
    (shares,) = explain([worded], "uer@side")
    assert {p.kind for p in shares.opened[0].parts} == {"document", "sentence"}


def variants() -> list[Case]:
    """Two seed documents with four variants each, their summaries telling women from men only in the first."""
    cases, told = [], {"female": "The garden was lovely.", "male": "The price was high."}
    for o in range(2):
        for v in range(4):
            gender = ("female", "male")[v % 2]
            text = told[gender] if o == 0 else "It rained."
            documents = (Document(f"{' '.join(PEOPLE[gender])} came."), Document("It rained."))
            record = Record(f"o{o}v{v}", documents, attributes={"gender": gender}, seed_document=f"o{o}")
            cases.append(Case(record, Summary(record.id, "s", text + " So it was.")))
    return cases


def test_counterfactuals_of_a_seed_document_are_left_out_together_and_one_by_one() -> None:
    """A seed document goes with all its variants; inside it each variant is left out, or the parts of one that is named."""
    cases = variants()
    measure = "distinguishability@gender"
    (found,) = explain(cases, measure, top=1)
    (opened,) = found.opened
    assert (opened.record, opened.influence.rows) == ("o0", 1)
    same(opened.influence.whole.without, value([c for c in cases if c.record.seed_document != "o0"], measure))
    reason = "fewer than two usable summaries in a group"
    assert [(p.kind, p.own.reason) for p in opened.parts] == [("record", reason)] * 4
    (named,) = explain(cases, measure, ids=["o0v1"])
    parts = named.opened[0].parts
    assert {p.kind for p in parts} == {"document", "sentence"}
    for p in parts:
        reduce = without_document if p.kind == "document" else without_sentence
        left = [reduce(c, p.number - 1) if c.record.id == "o0v1" else c for c in cases]
        same(p.whole.without, value(left, measure))


def test_records_of_a_cluster_are_told_apart_and_not_by_one_story() -> None:
    """A measure speaks of one record's row; of a cluster it would call sums shares."""
    cases = made(6)
    for i, c in enumerate(cases):
        attributes = {"topic": f"t{i // 2}"}
        cases[i] = replace(c, record=replace(c.record, attributes=attributes, cluster_by="topic"))
    (found,) = explain(cases, "uer@side", top=1)
    (opened,) = found.opened
    assert opened.story == ""
    assert [p.kind for p in opened.parts] == ["record", "record"]
    assert "6 records in 3 clusters." in tables(found)[0].notes[-1]
    (alone,) = explain(made(6), "uer@side", top=1)
    assert "of the source" in alone.opened[0].story
    assert "6 records." in tables(alone)[0].notes[-1]


# ------------------------------------------------------------------------------ who and what is asked


def several() -> list[Case]:
    """The made cases under two systems."""
    cases = made()
    summary = {"system": "t", "text": "The soup was cold."}
    return cases + [replace(c, summary=replace(c.summary, **summary)) for c in cases]


def test_records_without_influence_change_the_value_by_zero() -> None:
    """Where every record counts as unfair, also without any other, each contribution is 0."""
    documents = documents_of("LLLRRR", [f"{word} came." for word in "abcdef"])
    cases = [Case(Record(f"r{i}", documents), Summary(f"r{i}", "s", "a b c. b c a.")) for i in range(3)]
    whole, *_ = tables(explain(cases, "bur@side")[0])
    said = "3 records. Removing one changes the value by 0.000 to 0.000. Without these 3 it is undefined."
    assert whole.notes[1:] == (said,)


def test_a_single_record_is_all_there_is() -> None:
    """Without the only record no data remains."""
    (found,) = explain(made(1), "uer@side")
    assert found.influences[0].whole.reason == "no data remains"
    assert "There is no value without r0" in tables(found)[0].notes[-1]


def test_long_texts_are_cut_where_they_are_shown() -> None:
    """A table holds the beginning of a text; the file for programs holds all of it."""
    documents = (Document("alder " * 5_000, {"side": "L"}), Document("birch", {"side": "R"}))
    found = explain([Case(Record("r", documents), Summary("r", "s", "Alder. Birch."))], "uer@side")
    assert max(len(row[0]) for table in tables(found[0]) for row in table.rows) < 120
    assert len(as_page(found)) < 40_000
    assert "alder " * 5_000 in as_json(found)


def test_systems_are_explained_apart() -> None:
    """Each system's value rests on its own summaries; one that is named is explained alone."""
    both = explain(several(), "uer@side", top=1)
    assert [found.system for found in both] == ["s", "t"]
    (alone,) = explain(several(), "uer@side", systems=["t"], top=1)
    assert replace(alone, estimate=None) == replace(both[1], estimate=None)


def test_it_begins_with_the_references_that_the_value_beats() -> None:
    """Before what moves a number are both baselines, each with its p."""
    asked: dict[str, Any] = {"quantity": "difference[positive]", "systems": ["balanced"], "top": 1}
    (found,) = explain(fairbrief.read("examples/reviews.jsonl"), "uer@sentiment", n_resamples=200, **asked)
    lead = tables(found)[0].notes[0]
    assert re.fullmatch(
        r"Label permutations: mean 0\.\d+, p = 0\.\d{3}\. Random sentences: 0\.003, difference [−+]?0\.\d+, p = 0\.\d{3}\.",
        lead,
    )
    (found,) = explain(made(), "uer@side", n_resamples=0, top=1)
    assert tables(found)[0].notes[0].startswith("7 records")


def test_what_is_not_there_is_told() -> None:
    """A system or record that the input does not have is an error that names what it has."""
    with pytest.raises(RequestError, match=r"No system named 'u'\. Systems: s, t\."):
        explain(several(), "uer@side", systems=["u"])
    with pytest.raises(RequestError, match=r"No record has the id 'r00'\. Did you mean 'r0'\?"):
        explain(several(), "uer@side", ids=["r00"])


def test_one_attribute_at_a_time() -> None:
    """A measure that could be taken over several attributes asks for one."""
    sides = ({"side": "L", "half": "a"}, {"side": "R", "half": "b"})
    record = Record("r", tuple(Document("Alder birch.", attributes) for attributes in sides))
    cases = [Case(record, Summary("r", "s", "Alder."))]
    with pytest.raises(RequestError, match="several attributes: half, side"):
        explain(cases, "uer")
    (found,) = explain(cases, "uer", attributes=["half"], top=1)
    assert found.measure == "uer@half"


def test_a_measure_need_not_be_declared() -> None:
    """A measure object that no entry point knows is explained as a declared one is."""
    from fairbrief.measures.quality import Rouge1

    class Own(Rouge1):
        def __repr__(self) -> str:
            return "my own measure"

    (found,) = fairbrief.explain(made(), Own(), top=1)
    assert found.measure == "my own measure"
    same(found.value, value(made(), "rouge1"))


# ------------------------------------------------------------------------------------ what is shown

EVIL = "<script>alert(1)</script> \x1b[31m| `x` \u202e"


def test_texts_cannot_do_harm() -> None:
    """No markup and no control character of the input reaches a page or a terminal; the JSON has the texts."""
    documents = (Document(f"{EVIL} alder", {"side": EVIL}), Document("birch", {"side": "R"}))
    case = Case(Record(EVIL, documents), Summary(EVIL, EVIL, f"{EVIL} alder. Birch."))
    evil = explain([case], "uer@side")
    page, written = as_page(evil), as_json(evil)
    assert "<script>" not in page
    assert not {"\x1b", "\u202e"} & set(page)
    assert "Content-Security-Policy" in page
    (opened,) = json.loads(written.encode())["explanations"][0]["opened"]
    assert f"{EVIL} alder" in [part["text"] for part in opened["parts"]]


@pytest.mark.parametrize("form", ["json", "html"])
def test_from_the_command_line(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``fairbrief explain FILE --measure M --id ID --out FILE`` prints the answer, as wide as the terminal, and writes it."""
    monkeypatch.setenv("COLUMNS", "60")
    out = tmp_path / f"why.{form}"
    line = "explain examples/reviews.jsonl --measure equal_coverage --attribute sentiment --system rosy --id hotel-harbour"
    done = CliRunner().invoke(app, [*line.split(), "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert max(map(len, done.output.partition(out.name)[0].splitlines()[:-1])) <= 60
    said = " ".join(done.output.split())
    assert re.search(r"equal_coverage@sentiment of rosy: 0\.\d{4}", said)
    assert re.search(r"document 5, positive: “.* \+0\.035 0\.047", said)
    assert "hotel-harbour" in out.read_text(encoding="utf-8")
