"""Readers of annotated documents: texts to the letter, people with their mentions, and faults by line."""

from pathlib import Path
from typing import Any

import pytest
from tests.cli.command import put

from fairbrief.errors import DataError
from fairbrief.readers.corefud import read_corefud
from fairbrief.readers.treebanks import read_conll, read_ontonotes
from fairbrief.types import Entity, Record

CONLLU = """\
# newdoc id = visit
# global.Entity = GRP-etype-infstat-salience-centering-minspan-link-identity
# meta::genre = news
# meta::summary1 = (human1) A visit.
# meta::summary2 = (a model) Not a person's.
# newpar
# sent_id = visit-1
# text = "Dr. Mia Horn's son," she'd said.
1\t"\t"\tPUNCT\t``\t_\t2\tpunct\t_\tSpaceAfter=No
2\tDr.\tDr.\tPROPN\tNNP\t_\t3\tnmod:desc\t_\tEntity=(2-person-new-n-cf1-1-sgl(1-person-new-n-cf1-1-coref-Mia_Horn
3\tMia\tMia\tPROPN\tNNP\t_\t6\tnmod:poss\t_\t_
4-5\tHorn's\t_\t_\t_\t_\t_\t_\t_\t_
4\tHorn\tHorn\tPROPN\tNNP\t_\t3\tflat\t_\t_
5\t's\t's\tPART\tPOS\t_\t3\tcase\t_\tEntity=1)
6\tson\tson\tNOUN\tNN\t_\t0\troot\t_\tEntity=2)|SpaceAfter=No
7\t,\t,\tPUNCT\t,\t_\t6\tpunct\t_\tSpaceAfter=No
8\t"\t"\tPUNCT\t''\t_\t6\tpunct\t_\t_
9-10\tshe'd\t_\t_\t_\t_\t_\t_\t_\t_
9\tshe\tshe\tPRON\tPRP\t_\t11\tnsubj\t_\tEntity=(1-person-giv-n-cf1-1-ana-Mia_Horn)
10\t'd\thave\tAUX\tVBD\t_\t11\taux\t_\t_
11\tsaid\tsay\tVERB\tVBD\t_\t6\tparataxis\t_\tSpaceAfter=No
12\t.\t.\tPUNCT\t.\t_\t6\tpunct\t_\t_

# newpar
# sent_id = visit-2
# text = They like it.
1\tThey\tthey\tPRON\tPRP\t_\t2\tnsubj\t_\tEntity=(5-person-new-n-cf1-1-sgl)
2\tlike\tlike\tVERB\tVBP\t_\t0\troot\t_\t_
3\tit\tit\tPRON\tPRP\t_\t2\tobj\t_\tSpaceAfter=No
4\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_

"""


def _said(record: Record, entity: Entity) -> list[tuple[str, str]]:
    return [(m.kind, record.documents[m.document].text[m.start : m.end]) for m in entity.mentions]


def test_corefud_people_have_their_own_words(tmp_path: Path) -> None:
    """Text follows SpaceAfter and paragraphs; a pronoun joined to a verb is found; the mother's name is not her son's."""
    (record,) = read_corefud(put(tmp_path / "a.conllu", CONLLU))
    assert record.documents[0].text == "\"Dr. Mia Horn's son,\" she'd said.\nThey like it."
    assert (record.id, record.attributes, record.references) == ("visit", {"genre": "news"}, ("A visit.",))
    (mia,) = record.entities
    assert (mia.first_name, mia.last_name) == ("Mia", "Horn")
    assert mia.attributes == {"gender": "female"}
    assert _said(record, mia) == [("full", "Mia Horn"), ("he", "she")]


@pytest.mark.parametrize(("old", "new", "says"), [
    ("# text = They like it.", "# text = They liked it.", "a.conllu:26: found "),
    ("Entity=2)|", "Entity=7)|", "a.conllu:15: found the end of '7' without its beginning"),
    ("Entity=1)\n", "_\n", "a.conllu:10: found '1' without its end"),
    ("3\tit\tit\t", "3\tit\t", "a.conllu:29: found 9 columns"),
    ("it\tit\tPRON\tPRP\t_\t2", "it\tit\tPRON\tPRP\t_\ttwo", "a.conllu:29: found 10 columns, with '3' and 'two' in the first and seventh"),
])  # fmt: skip
def test_corefud_faults_are_named_by_line(tmp_path: Path, old: str, new: str, says: str) -> None:
    """What is wrong in a file is told with its line."""
    assert CONLLU.count(old) == 1
    with pytest.raises(DataError, match=says.replace("(", r"\(").replace(")", r"\)")):
        list(read_corefud(put(tmp_path / "a.conllu", CONLLU.replace(old, new))))


def test_a_folder_is_read_in_order_and_an_empty_one_is_refused(tmp_path: Path) -> None:
    """All files below a folder are read, sorted; a folder without any is an error, as is a path that is not there."""
    for name in ("b", "a"):
        (tmp_path / name).mkdir()
        put(tmp_path / name / "x.conllu", CONLLU.replace("visit", f"visit-{name}"))
    assert [r.id for r in read_corefud(tmp_path)] == ["visit-a", "visit-b"]
    with pytest.raises(DataError, match=r"found no \.coref file"):
        list(read_ontonotes(tmp_path))
    with pytest.raises(DataError, match="absent: found no conll file; expected one, or a folder"):
        list(read_conll(tmp_path / "absent"))


ROWS = [
    ("Lena", "NNP", "(PERSON*", "(3"), ("Roth", "NNP", "*)", "3)"), ("has", "VBZ", "*", "-"), ("not", "RB", "*", "-"),
    ("``", "``", "*", "-"), ("lost", "VBN", "*", "-"), ("''", "''", "*", "-"), ("her", "PRP$", "*", "(4|(3)"),
    ("case", "NN", "*", "4)"), (",", ",", "*", "-"), ("-LRB-", "-LRB-", "*", "-"), ("she", "PRP", "*", "(3)"),
    ("paid", "VBD", "*", "-"), ("$", "$", "*", "-"), ("0.5", "CD", "*", "-"), ("-RRB-", "-RRB-", "*", "-"),
    (".", ".", "*", "-"),
]  # fmt: skip


def _conll(rows: list[tuple[str, str, str, str]]) -> str:
    lines = [f"d 0 {i} {w} {t} - - - - - {n} {c}" for i, (w, t, n, c) in enumerate(rows)]
    return "\n".join(["#begin document (d); part 000", *lines, "", "#end document", ""])


def test_conll_words_are_set_as_in_print(tmp_path: Path) -> None:
    """Quotes, brackets, stops and currency signs are set without stray blanks, and mentions lie on their words."""
    (record,) = read_conll(put(tmp_path / "a_conll", _conll(ROWS)))
    assert record.documents[0].text == 'Lena Roth has not "lost" her case, (she paid $0.5).'
    (lena,) = record.entities
    assert _said(record, lena) == [("full", "Lena Roth"), ("his", "her"), ("he", "she")]
    (apart,) = read_conll(tmp_path / "a_conll", spacing="tokens")
    assert apart.documents[0].text == " ".join(word for word, *_ in ROWS)


def test_conll_faults_are_named_by_line(tmp_path: Path) -> None:
    """A mention or name that never ends is told with the line where it begins."""
    broken = [*ROWS[:1], *ROWS[2:]]
    with pytest.raises(DataError, match=r"a_conll:2: found '(PERSON|3)' without its end"):
        list(read_conll(put(tmp_path / "a_conll", _conll(broken))))
    cut = _conll(ROWS).replace("d 0 1 Roth NNP - - - - - *) 3)", "d 0 1")
    with pytest.raises(DataError, match="a_conll:3: found 3 columns"):
        list(read_conll(put(tmp_path / "a_conll", cut)))


def test_ontonotes_wants_all_three_files_with_the_same_words(tmp_path: Path) -> None:
    """A missing companion and a word that differs from the tree are told with their place."""
    coref = put(tmp_path / "x.coref", '<DOC DOCNO="x@x">\n<TEXT>\nLena ran .\n</TEXT>\n</DOC>\n')
    put(tmp_path / "x.parse", "(TOP (S (NNP Lena) (VBD sat) (. .)))\n")
    with pytest.raises(DataError, match=r"found no 'x\.name'"):
        list(read_ontonotes(coref))
    put(tmp_path / "x.name", "<DOC>\nLena ran .\n</DOC>\n")
    with pytest.raises(DataError, match=r"x\.coref:3: found 'ran'; expected 'sat'"):
        list(read_ontonotes(coref))


def corefud(tmp_path: Path, *words: str) -> dict[str, Entity]:
    """The people of one sentence, by full name; a word is ``form tag head relation [Entity]``, its number its place."""
    rows = []
    for number, word in enumerate(words, 1):
        form, tag, head, relation, *entity = word.split(" ")
        part = {"NNP": "PROPN", "NN": "NOUN", "PRP": "PRON", "PRP$": "PRON", "CC": "CCONJ"}.get(tag, "X")
        mark = f"Entity={entity[0]}" if entity else "_"
        rows.append(f"{number}\t{form}\t{form}\t{part}\t{tag}\t_\t{head}\t{relation}\t_\t{mark}")
    fields = "# global.Entity = GRP-etype-infstat-salience-centering-minspan-link-identity"
    path = put(tmp_path / "one.conllu", "\n".join(["# newdoc id = one", fields, *rows, "", ""]))
    (record,) = read_corefud(path)
    return {" ".join(filter(None, (e.first_name, e.last_name))): e for e in record.entities}


def test_whom_only_names_of_things_name_is_nobody(tmp_path: Path) -> None:
    """Carnegie Hall and Madame Tussauds name no person; a person who is named elsewhere keeps the name there too."""
    hall = ("Carnegie NNP 2 compound (1-person-new-n-cf1-1-sgl)", "Hall NNP 0 root")
    assert corefud(tmp_path, *hall) == {}
    museum = ("Madame NNP 0 root (2-place-new-n-cf1-1-sgl(1-person-new-n-cf1-1-sgl", "Tussauds NNP 1 flat 1)", "Rome NNP 1 compound 2)")  # fmt: skip
    assert corefud(tmp_path, *museum) == {}
    both = (*hall, "honours VBZ 2 x", "Carnegie NNP 3 obj (1-person-giv-n-cf1-1-coref)")
    (carnegie,) = corefud(tmp_path, *both).values()
    assert len(carnegie.mentions) == 2


@pytest.mark.parametrize(("words", "people"), [
    (("YouTuber NNP 0 root (1-person-new-n-cf1-1-sgl", "Ann NNP 1 appos", "Lee NNP 2 flat 1)"), ["Ann Lee"]),
    (("Defense NNP 2 nsubj (1-person-new-n-cf1-1-sgl)", "rested VBD 0 root"), []),
    (("Jules NNP 0 root (1-person-new-n-cf1-1-sgl)", "et NNP 1 flat", "Jim NNP 1 flat (2-person-new-n-cf1-1-sgl)"), []),
    ((
        "Jean NNP 0 root (1-person-new-n-cf1-1-coref", "Moreau NNP 1 flat 1)",
        "ʒan NNP 1 dep (1-person-giv-n-cf1-1-coref", "mɔʁo NNP 3 flat 1)", "Μορώ NNP 1 dep (1-person-giv-n-cf1-1-coref)",
    ), ["Jean Moreau"]),
], ids=["occupation", "role", "foreign and", "pronunciation"])  # fmt: skip
def test_what_is_no_name_of_a_person(tmp_path: Path, words: tuple[str, ...], people: list[str]) -> None:
    """Occupations, roles, pronunciations and other scripts are no names; neither of "Jules et Jim" is a person."""
    found = corefud(tmp_path, *words)
    assert list(found) == people
    assert all([m.kind for m in entity.mentions] == ["full"] for entity in found.values())


ANN_LEE = ("Ann NNP 0 root (1-person-new-n-cf1-1-coref", "Lee NNP 1 flat 1)")


def test_chains_with_one_full_name_are_one_person_unless_their_pronouns_differ(tmp_path: Path) -> None:
    """Two chains of Ann Lee are one person, and so is a chain of Ann; where she and he are said of them they stay apart."""
    first = (*ANN_LEE, "she PRP 1 x (1-person-giv-n-cf1-1-ana)")
    second = ("Ann NNP 1 x (2-person-new-n-cf1-1-coref", "Lee NNP 4 flat 2)")
    again = (*second, "Ann NNP 1 x (3-person-new-n-cf1-1-sgl)")
    (ann,) = corefud(tmp_path, *first, *again).values()
    assert (len(ann.mentions), ann.attributes["gender"]) == (4, "female")
    man = (*second, "he PRP 1 x (2-person-giv-n-cf1-1-ana)")
    assert len(corefud(tmp_path, *first, *man)) == 1  # both are called Ann Lee
    role = corefud(tmp_path, *first, "as IN 5 case", "Ann NNP 1 x (3-person-new-n-cf1-1-sgl)")
    assert len(role["Ann Lee"].mentions) == 2


def test_single_names_are_first_and_last_name_by_how_often_they_are_said(tmp_path: Path) -> None:
    """Who is never named in full has the most frequent name as the last; of others that are as frequent the earliest is the first."""
    said = [f"{name} NNP 0 root (1-person-giv-n-cf1-1-coref)" for name in ("Ann", "Lee", "Mia", "Lee")]
    assert list(corefud(tmp_path, *said)) == ["Ann Lee"]


def test_a_person_who_is_they_says_so(tmp_path: Path) -> None:
    """A named person of whom they is said has the attribute, and no gender; with he or she beside it, the gender."""
    they = (*ANN_LEE, "they PRP 1 x (1-person-giv-n-cf1-1-ana)")
    assert corefud(tmp_path, *they)["Ann Lee"].attributes == {"pronouns": "they"}
    both = (*they, "she PRP 1 x (1-person-giv-n-cf1-1-ana)")
    assert corefud(tmp_path, *both)["Ann Lee"].attributes == {"gender": "female"}


@pytest.mark.parametrize("read", [read_conll, read_corefud, read_ontonotes])
def test_annotation_that_is_not_utf8_is_named_by_line(tmp_path: Path, read: Any) -> None:
    """A byte of another encoding is an error of ours, with file and line, in each format of annotation."""
    for ending in ("conll", "conllu", "coref", "parse", "name"):
        (tmp_path / f"a.{ending}").write_bytes(b"\n# caf\xe9\n")
    said = r"a\.\w+:2: found the byte 0xe9 6 bytes from the line's start, which is not UTF-8"
    with pytest.raises(DataError, match=said):
        list(read(tmp_path))
