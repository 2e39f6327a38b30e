"""Templates, assignments, fills, the linter and the capacity report, on small records of our own."""

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fairbrief.errors import DataError, RequestError
from fairbrief.people.build_people import build
from fairbrief.people.filling import Assignment, PeopleOptions, fill, lint
from fairbrief.people.template import Template, content_words, make_template
from fairbrief.serialization import record_line, write_lines
from fairbrief.text.names import Names, read_names
from fairbrief.types import Document, Entity, Mention, Record

NAMES = {
    "first,female,north,1": "Bea Cleo Edda", "first,male,north": "Abe Ben Carl Egon", "last,,north": "Nord Norden Norris",
    "first,female,south": "Dora Ella Fay Gina", "first,male,south": "Dan Eli Finn Gus", "last,,south": "Sud Suder Summer",
}  # fmt: skip
LINES = [
    "name,part,gender,group,weight",
    "Ada,first,female,north,90",
    *(f"{name},{kind}" for kind, names in NAMES.items() for name in names.split()),
]
TABLE = read_names(LINES, "table")


def record(marked: str, id_: str = "one", **people: tuple[str | None, str | None]) -> Record:
    """A record from a text in which mentions stand as ``[words|person|kind]``."""
    text, mentions, at = "", {p: [] for p in people}, 0
    for found in re.finditer(r"\[([^|\]]+)\|(\w+)\|(\w+)\]", marked):
        text += marked[at : found.start()]
        mentions[found[2]].append(Mention(0, len(text), len(text) + len(found[1]), found[3]))
        text += found[1]
        at = found.end()
    text += marked[at:]
    entities = tuple(Entity(p, *names, mentions=tuple(mentions[p])) for p, names in people.items())
    return Record(id_, (Document(text),), entities=entities, references=("Mia Horn did it.",))


PAIR = record(
    "[Mia Horn|m|full] met [Mr.|p|title] [Rolf P. Stein Jr.|p|full]. [She|m|he] gave [him|p|him] [her|m|his] map; the idea was "
    "[hers|m|his_own], not [his|p|his_own]. [ROLF|p|first] hurt [himself|p|himself]. A [Mia|m|first] smile.",
    m=("Mia", "Horn"),
    p=("Rolf", "Stein"),
)


def test_a_fill_changes_names_titles_and_pronouns_in_their_case() -> None:
    """Every form follows the new gender, capitals stay, and initial, suffix and last name survive."""
    assigned = {"m": Assignment("Otto", gender="male"), "p": Assignment("Ida", gender="female")}
    filled = fill(make_template(PAIR), assigned)
    assert filled.documents[0].text == (
        "Otto Horn met Ms. Ida P. Stein Jr. He gave her his map; the idea was his, not hers. IDA hurt herself. "
        "An Otto smile."
    ).replace("Jr. He", "Jr.. He")
    assert filled.references == ()
    assert [e.attributes for e in filled.entities] == [{"gender": "male"}, {"gender": "female"}]


HORN = {"m": ("Mia", "Horn")}
VEGA = "[Ana de la Vega|a|full] left. [Vega|a|last] ran. [du Mont|b|last]."
VEGAS = {"a": ("Ana", "Vega"), "b": (None, "Mont")}


@pytest.mark.parametrize(("marked", "people", "assigned", "filled"), [
    (VEGA, VEGAS, {"a": Assignment("Kim", "Lund"), "b": Assignment(None, "Berg")}, "Kim Lund left. Lund ran. Berg."),
    (VEGA, VEGAS, {"a": Assignment("Kim")}, "Kim de la Vega left. Vega ran. du Mont."),
    ("[Mia Rosa Horn|m|full], or [M. Horn|m|full], or [Mia Rosa|m|full].", HORN, {"m": Assignment("Otto")},
     "Otto Horn, or O. Horn, or Otto."),
    ("[Mia Horn|m|full] spoke at the Mia Horn School.", HORN, {"m": Assignment("Otto")},
     "Otto Horn spoke at the Otto Horn School."),
    ("The lawyer said [she|x|he] saw [Kim Roe|k|full], who said they slept.", {"x": (None, None), "k": ("Kim", "Roe")},
     {"x": Assignment("Otto", gender="male"), "k": Assignment("Otto", gender="male")},
     "The lawyer said she saw Otto Roe, who said they slept."),
    ("[Kim Jong-un|k|full] met [AS Heagle|h|full]. [She|h|he] left.", {"k": ("Jong-un", "Kim"), "h": (None, "Heagle")},
     {"k": Assignment("Ida", gender="female"), "h": Assignment(gender="male")}, "Kim Ida met AS Heagle. He left."),
], ids=["particle", "kept particle", "middle name", "unmarked", "they and nameless", "East Asian"])  # fmt: skip
def test_fills_by_hand(marked: str, people: Any, assigned: Any, filled: str) -> None:
    """A replaced last name takes its particle along; further given names, which tell the old gender, go, and an initial follows.

    The full name of one person is that person's wherever it stands; whom only pronouns speak of keeps them, as does who is
    "they"; of Kim Jong-un the given name changes and Kim stays, and so do the initials AS.
    """
    found = fill(make_template(record(marked, **people)), assigned)
    assert found.documents[0].text == filled
    assert [e.id for e in found.entities] == [i for i, name in people.items() if any(name)]


def test_content_words_follow_only_if_asked() -> None:
    """Wife becomes husband by request, the neutral variant by another, and the article follows the sound."""
    said = "[Mia Horn|m|full], an [heiress|m|content] and the [Wife|m|content] of Jo."
    given = record(said, m=("Mia", "Horn"))
    assigned = {"m": Assignment("Otto", gender="male")}

    def text(template: Template, **options: Any) -> str:
        return fill(template, assigned, PeopleOptions(**options)).documents[0].text

    template = make_template(given, content=True)
    assert text(make_template(given)) == "Otto Horn, an heiress and the Wife of Jo."
    assert text(template) == "Otto Horn, an heir and the Husband of Jo."
    assert text(template, content_words="neutral") == "Otto Horn, an inheritor and the Spouse of Jo."
    actress = record("[Mia|m|first] is an [actress|m|content].", m=("Mia", None))
    assert text(make_template(actress, content=True), content_words="neutral") == "Otto is a performer."


def test_a_noun_for_several_people_is_neutral_where_they_differ() -> None:
    """Sisters of two genders are siblings; of one gender they are brothers or sisters."""
    given = record("[Mia|a|first] and [Lea|b|first] are sisters.", a=("Mia", None), b=("Lea", None))
    at = given.documents[0].text.index("sisters")
    place = Mention(0, at, at + len("sisters"), "content")
    given = replace(given, entities=tuple(replace(e, mentions=(*e.mentions, place)) for e in given.entities))
    nouns = {("male", "female"): "siblings", ("male", "male"): "brothers", ("female", "female"): "sisters"}
    for genders, noun in nouns.items():
        assigned = {person: Assignment(gender=gender) for person, gender in zip("ab", genders, strict=True)}
        assert noun in fill(make_template(given, content=True), assigned).documents[0].text


def test_every_content_word_has_its_row_once() -> None:
    """The table holds pairs that read back: the word for the other gender names the first for its own."""
    for entry in content_words().values():
        assert entry["male"] != entry["female"]
        assert entry["is"] in ("male", "female")
        assert entry["neutral"] not in (entry["male"], entry["female"])


def test_words_of_two_people_are_refused() -> None:
    """A name that two people claim cannot follow both, marked or not: the record is wrong, and is told so."""
    marked = "Mary Ann Lee met [Mary Ann|m|full] and [Ann Lee|p|full]."
    unmarked = record(marked, m=("Mary", "Ann"), p=("Ann", "Lee"))
    with pytest.raises(DataError, match="'Ann' at characters 5 to 8 of document 0 belong to two people"):
        make_template(unmarked)
    given = record("[Mia Horn|m|full].", m=("Mia", "Horn"), p=("Mia", "Horn"))
    one, other = given.entities
    with pytest.raises(DataError, match="belong to two people"):
        make_template(replace(given, entities=(one, replace(other, mentions=one.mentions))))


def test_the_linter_knows_another_persons_name() -> None:
    """The name "Mia Farr" is not Mia Horn, and so no name left over; a plural of a replaced last name and a hashtag are."""
    template = make_template(record("[Mia Horn|m|full] saw Mia Farr and the Horns.", m=("Mia", "Horn")))
    kept, replaced = {"m": Assignment("Kim")}, {"m": Assignment("Kim", "Lund")}
    assert lint(template, fill(template, kept), kept) == []
    assert [f.detail[:7] for f in lint(template, fill(template, replaced), replaced)] == ["'Horns'"]
    template = make_template(record("[Ahmed Lund|m|full] left. #IStandWithAhmed", m=("Ahmed", "Lund")))
    assert "#IStandWithAhmed" in lint(template, fill(template, kept), kept)[0].detail


CROWD = record(
    "[Mia Horn|a|full] [she|a|he], [Rolf Stein|b|full] [he|b|he], [Lea Kurz|c|full], [Udo Lang|d|full] and [Klein|e|last].",
    a=("Mia", "Horn"), b=("Rolf", "Stein"), c=("Lea", "Kurz"), d=("Udo", "Lang"), e=(None, "Klein"),
)  # fmt: skip


def built(*records: Record, table: Names | None = TABLE, **options: Any) -> list[Record]:
    """The inputs of some seed documents."""
    return list(build(records, PeopleOptions(**options), table)[0])


def _groups(row: Record, kind: str) -> dict[str, str]:
    return {e.id: e.attributes[kind] for e in row.entities if kind in e.attributes}


def test_balanced_sets_come_in_pairs_with_exchanged_groups_and_the_same_names() -> None:
    """Half of the people in each text are of each group; golden cases test that a pair exchanges them all under the same names."""
    rows, report = build([CROWD], PeopleOptions(per_seed_document=8), TABLE)
    made = list(rows)
    assert [r.attributes["sample"] + r.attributes["pair"] for r in made] == "00 01 10 11 20 21 30 31".split()
    assert [Counter(_groups(row, "gender").values()) for row in made] == [{"male": 2, "female": 2}] * 8
    assert {r.seed_document for r in made} == {"one"}
    assert report[0].written == 8
    assert len({r.documents[0].text for r in made}) > 4


def test_mono_sets_are_of_one_group_each() -> None:
    """Everybody varied in an input is of its group, and there are as many inputs of each group."""
    made = built(CROWD, design="mono", per_seed_document=6)
    assert Counter(r.attributes["group"] for r in made) == {"male": 3, "female": 3}
    for row in made:
        assert set(_groups(row, "gender").values()) == {row.attributes["group"]}
        assert "pair" not in row.attributes


@pytest.mark.parametrize(("groups", "genders", "told"), [
    ("race=north+south", "keep", "kept"), ("race=north+south", "random", "random"),
    ("gender*race=male:north+female:south", "keep", "north male, south female"),
    ("gender*race=male:north+male:south", "keep", "north male, south male"), ("gender*race", "keep", "crossed"),
    ("gender", "keep", "varied"),
])  # fmt: skip
@pytest.mark.parametrize("design", ["balanced", "mono"])
def test_records_say_how_gender_goes_with_race(groups: str, genders: str, told: str, design: str) -> None:
    """Designs that share a seed document differ in an attribute and in their ids, so that one audit can hold them all."""
    two = replace(CROWD, entities=CROWD.entities[:2])
    rows = built(two, groups=groups, genders=genders, design=design, per_seed_document=4)
    assert {r.attributes.get("genders") for r in rows} == {told}
    middle = design if told == "varied" else f"{design}-{told.replace(', ', '-').replace(' ', '-')}"
    assert all(r.id.startswith(f"one.{middle}.") for r in rows)
    pairs = {(p.attributes.get("race", ""), p.attributes["gender"]) for r in rows for p in r.entities}
    tied = told.startswith("north")
    assert (", ".join(sorted(" ".join(pair) for pair in pairs)) == told) == tied


def test_seed_documents_stand_beside_their_inputs_under_ids_of_their_own() -> None:
    """The design original gives each seed document that can be filled once, unchanged, and no number of inputs."""
    made, report = build([CROWD], PeopleOptions(design="original"), TABLE)
    (row,) = made
    assert (row.documents, row.entities, row.seed_document) == (CROWD.documents, CROWD.entities, CROWD.id)
    assert (row.id, row.attributes["design"], report.written) == (f"{CROWD.id}.original", "original", 1)
    with pytest.raises(RequestError, match="1 input of a seed document can differ"):
        build([CROWD], PeopleOptions(design="original", per_seed_document=2), TABLE)


def test_sets_of_one_seed_document_never_share_an_id() -> None:
    """Last names replaced, content words exchanged, either design and any tie of gender and race: all ids differ."""
    choices: list[dict[str, Any]] = [
        {}, {"design": "mono"}, {"last_names": "replace"}, {"content_words": "exchange"}, {"content_words": "neutral"},
        {"design": "original"}, {"groups": "race=north+south"}, {"groups": "gender*race=male:north+male:south"},
        {"groups": "gender*race=male:north+female:south"}, {"groups": "gender*race=female:north+male:south"},
    ]  # fmt: skip
    two = replace(CROWD, entities=CROWD.entities[:2])
    ids = [r.id for chosen in choices for r in built(two, **chosen)]
    assert len(ids) > len(choices)
    assert len(set(ids)) == len(ids)


def test_race_keeps_genders_and_replaces_last_names() -> None:
    """First and last names come from the group's lists, pronouns stay, and a gender once drawn is the pair's."""
    four = replace(CROWD, entities=CROWD.entities[:4])
    of = {(r.part, r.name): (r.group, r.gender) for r in TABLE.rows}
    made = built(four, groups="race=north+south", per_seed_document=4)
    for one, other in zip(made[::2], made[1::2], strict=True):
        assert _groups(one, "gender") == _groups(other, "gender")
        assert (_groups(one, "gender")["a"], _groups(one, "gender")["b"]) == ("female", "male")
        for row in (one, other):
            for entity in row.entities:
                race, gender = entity.attributes["race"], entity.attributes["gender"]
                assert of["first", entity.first_name] == (race, gender)
                assert of["last", entity.last_name][0] == race
            assert re.search(r"\bshe, .*\bhe, ", row.documents[0].text)
        assert all(_groups(one, "race")[i] != _groups(other, "race")[i] for i in "abcd")


def test_a_seed_reproduces_every_byte_whatever_else_is_built(tmp_path: Path) -> None:
    """The same seed writes the same file; a seed document's rows do not depend on its neighbours; another seed differs."""
    other = replace(CROWD, id="two")
    for name, records, seed in (("a", [CROWD], 5), ("b", [other, CROWD], 5), ("c", [CROWD], 6)):
        write_lines(map(record_line, built(*records, per_seed_document=4, seed=seed)), tmp_path / name)
    a, b, c = ((tmp_path / name).read_bytes() for name in "abc")
    assert b.endswith(a)
    assert a != c
    row = json.loads(a.splitlines()[0])
    assert list(row) == ["id", "seed_document", "documents", "attributes", "entities"]
    name = row["documents"][0]["text"].split(",")[0].rsplit(" ", 1)[0]
    assert row["entities"][0]["mentions"][0] == {"document": 0, "start": 0, "end": len(name), "kind": "full"}


def test_a_seed_document_that_cannot_fill_its_set_writes_no_row() -> None:
    """Too few names, nobody to vary, a fault of one fill, and another language each leave a seed document out whole, with the reason."""
    said = "sagte, dass die Regierung nicht auf den Brief und auf die Frage der Stadt antworten werde."
    german = record(f"[Mia Horn|m|full] {said}", "german", m=("Mia", "Horn"))
    nobody = record("[Klein|e|last] ran.", "nobody", e=(None, "Klein"))
    mixed = record("[Mr.|m|title] [Kim Roe|m|full] said [she|m|he] ran.", "mixed", m=("Kim", "Roe"))
    broken = record("[Mia Horn|m|full] ran. So Mia said.", "broken", m=("Mia", "Horn"))
    nine = {f"p{c}": (f"Na{c}a", "Horn") for c in "bcdfghklm"}
    big = record(" ".join(f"[{first} Horn|{p}|full]." for p, (first, _) in nine.items()), "big", **nine)
    lines = ("name,part,gender", "Ada,first,female", "Bo,first,female", "Abe,first,male", "Cy,first,male")
    small = read_names(lines, "small")
    given = [nobody, mixed, broken, big, german, PAIR]
    rows, report = build(given, PeopleOptions(per_seed_document=2), small)
    assert {r.seed_document for r in rows} == {"one"}
    assert {c.seed_document: c.reason for c in report.refused} == {
        "nobody": "no person to vary", "mixed": "a person of two genders", "broken": "an original name remains",
        "big": "too few names", "german": "the text is German",
    }  # fmt: skip
    capacity = next(c for c in report.refused if c.seed_document == "big")
    assert capacity.detail.endswith("5 needed, 2 available")
    assert report.written == 2


def test_names_of_the_text_are_avoided() -> None:
    """A name that is a word of the original is not given to anybody in it."""
    given = record("[Mia Horn|m|full] went to Ada, Bea and Cleo.", m=("Mia", "Horn"))
    used = {e.first_name for r in built(given, design="mono", per_seed_document=8) for e in r.entities}
    assert not used & {"Ada", "Bea", "Cleo", "Mia"}


def test_names_can_be_drawn_by_their_frequency() -> None:
    """A name that 90 of 97 bear is drawn far more often by frequency than uniformly."""
    given = [record("[Mia Horn|m|full].", f"r{i}", m=("Mia", "Horn")) for i in range(100)]

    def share(weights: str) -> int:
        made = built(*given, design="mono", per_seed_document=2, weights=weights)
        return sum(r.entities[0].first_name == "Ada" for r in made)

    assert share("frequency") > 85
    assert share("uniform") < 45


def test_replaced_last_names_are_one_for_a_family_and_a_pair() -> None:
    """In gender sets people of one last name keep sharing one, also who shows no gender; both texts of a pair have the same."""
    people = {"a": ("Mia", "Horn"), "b": ("Rolf", "Horn"), "e": (None, "Klein")}
    given = record("[Mia Horn|a|full], [Rolf Horn|b|full], [Klein|e|last].", **people)
    one, other = built(given, per_seed_document=2, last_names="replace")
    last = [e.last_name for e in one.entities]
    assert last[0] == last[1] != last[2]
    assert last == [e.last_name for e in other.entities]
    assert not {"Horn", "Klein"} & set(last)


@pytest.mark.parametrize(("choices", "says"), [
    ({"groups": "sex"}, "Groups 'sex' are not known"),
    ({"groups": "race=north+east"}, "no group 'east'"),
    ({"groups": "race", "names": "census"}, "have none. Give a table name,part,gender,group with --names FILE."),
    ({"groups": "gender*race=north+south"}, "Groups 'gender*race=north+south' are not known"),
    ({"per_seed_document": 7}, "7 inputs of each seed document cannot be divided among 2 groups"),
    ({"names": "absent.csv"}, "There is no table of names 'absent.csv'"),
])  # fmt: skip
def test_a_request_that_cannot_be_met_is_refused(choices: dict[str, object], says: str) -> None:
    """What was asked for and what is known are told before any record is read."""
    with pytest.raises(RequestError, match=re.escape(says)):
        build([], PeopleOptions(**choices), None if "names" in choices else TABLE)


@pytest.mark.parametrize(("marked", "name", "stays"), [
    ("President [Clinton|p|last] spoke and [he|p|he] sat.", "Clinton", True),
    ("[Alice|p|last] spoke and [she|p|he] sat.", "Alice", False),
    ("[Clinton|p|last] spoke and [he|p|he] sat.", "Clinton", True),
    ("[Agatha|p|last], Anne. A book of [hers|p|his_own].", "Agatha", True),
    ("I am with [Tiffany|p|last] and Bosco.", "Tiffany", True),
    ("Sister [Agnes|p|last] prayed, and [she|p|he] sang.", "Agnes", False),
])  # fmt: skip
def test_a_single_name_may_be_a_last_name(marked: str, name: str, *, stays: bool) -> None:
    """A last name stays: after an office, and where it is mostly one. President Clinton is no Stacy; Alice alone may be. Names in bibliographies and firms stay, too."""
    text = record(f"{marked} [Mia Horn|m|full] left.", p=(None, name), m=("Mia", "Horn"))
    rows = built(text, design="mono", per_seed_document=2, table=None)
    assert rows
    assert {name in row.documents[0].text for row in rows} == {stays}


@pytest.mark.parametrize("said", [
    "[Ann Dell|p|full] (née Moor) sang.", "[Ann Dell|p|full] DBE sang.",
    "[Ann Dell|p|full] sang; in 2012 [she|p|he] was made a Dame.",
    "They have two daughters, [Ann Dell|p|full] and others.",
    "They have two daughters, Sue Dell [3] (b. 2009) and [Ann Dell|p|full].",
    '[Ann Shep|p|full] "Nan" Dell sang.', "St. [Ann Dell|p|full] sang.", "Gerald and [Ann Dell|p|full] sang.",
    "King [Louis|p|last] XV slept.", "[Elizabeth II|p|full] slept.",
    "[Peter|p|last] the Great slept, [his|p|his] dog beside.", "the Gospel of [Matthew|p|last] says so.",
    "[Athena|p|last] watched.", "St. [Agnes|p|last] saw it.",
])  # fmt: skip
def test_people_of_whom_words_tell_what_no_fill_changes_keep_name_and_pronouns(said: str) -> None:
    """A maiden name, an honour, a noun for several of one gender, a nickname inside the name: such people stay as they are. So do
    sovereigns, saints and gods, for whom no other name can stand.
    """
    name = ("Ann", "Dell") if "Ann" in said else (None, "X")
    text = record(f"{said} [Mia Horn|m|full] left.", p=name, m=("Mia", "Horn"))
    plain = re.sub(r"\[([^|\]]+)\|[^\]]*\]", r"\1", said)
    rows = built(text, design="mono", per_seed_document=2, table=None)
    assert rows
    assert all(row.documents[0].text.startswith(plain) for row in rows)
    assert not any(row.documents[0].text.endswith("Mia Horn left.") for row in rows)


def test_people_who_are_they_keep_name_and_pronouns() -> None:
    """A person of whom they is said is never given a gender; alone in a text there is nobody to vary, and that is said."""
    text = "[Kim Lund|p|full] left; they sang. [Mia Horn|m|full] stayed."
    they = record(text, p=("Kim", "Lund"), m=("Mia", "Horn"))
    kim, mia = they.entities
    marked = replace(they, entities=(replace(kim, attributes={"pronouns": "they"}), mia))
    for row in built(marked, per_seed_document=4):
        assert row.documents[0].text.startswith("Kim Lund left; they sang. ")
        assert "gender" not in row.entities[0].attributes
    alone = replace(marked, entities=marked.entities[:1])
    made, report = build([alone], PeopleOptions(per_seed_document=4), TABLE)
    assert list(made) == []
    assert report.reasons() == {"no person to vary": 1}


def test_the_noun_right_before_a_name_follows_it() -> None:
    """The woman Eva becomes the man, though the annotation does not mark the noun."""
    eva = record("the voice of the woman [Eva|e|last].", e=(None, "Eva"))
    filled = fill(make_template(eva, lambda _: True, content=True), {"e": Assignment("Troy", gender="male")})
    assert filled.documents[0].text == "the voice of the man Troy."


def test_names_of_groups_may_hold_blanks() -> None:
    """A race of two words is read from the request, stands in the attributes and makes ids without blanks."""
    table = read_names([line.replace("north", "Far North") for line in LINES], "table")
    two = replace(CROWD, entities=CROWD.entities[:2])
    for groups in ("race=Far North+south", "gender*race = male:Far North + female:south"):
        rows = built(two, groups=groups, design="mono", per_seed_document=2, table=table)
        races = {p.attributes["race"] for r in rows for p in r.entities if "race" in p.attributes}
        assert races == {"Far North", "south"}
        assert not any(" " in r.id for r in rows)
