"""Readers of annotated documents: texts to the letter, people with their mentions, and faults by line."""

from __future__ import annotations

from pathlib import Path

import pytest

from fairbrief.errors import DataError
from fairbrief.nouns import Entity, Record
from fairbrief.readers.conll import read_conll
from fairbrief.readers.corefud import read_corefud
from fairbrief.readers.ontonotes import read_ontonotes

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


def _write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def _said(record: Record, entity: Entity) -> list[tuple[str, str]]:
    return [(m.kind, record.documents[m.document].text[m.start : m.end]) for m in entity.mentions]


def test_corefud_text_is_that_of_the_file(tmp_path: Path) -> None:
    """Blanks follow SpaceAfter, words of one token stand inside of it, paragraphs are parted by a line break."""
    (record,) = read_corefud(_write(tmp_path, "a.conllu", CONLLU))
    assert record.documents[0].text == "\"Dr. Mia Horn's son,\" she'd said.\nThey like it."
    assert (record.id, record.attributes, record.references) == ("visit", {"genre": "news"}, ("A visit.",))


def test_corefud_people_have_their_own_words(tmp_path: Path) -> None:
    """A pronoun joined to a verb is found; the mother's name is not her son's; they-people are left out."""
    (record,) = read_corefud(_write(tmp_path, "a.conllu", CONLLU))
    (mia,) = record.entities
    assert (mia.first_name, mia.last_name) == ("Mia", "Horn")
    assert mia.attributes == {"identity": "Mia_Horn", "gender": "female"}
    assert _said(record, mia) == [("full", "Mia Horn"), ("he", "she")]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("# text = They like it.", "# text = They liked it.", "a.conllu:26: '# text' is"),
        ("Entity=2)|", "Entity=7)|", "a.conllu:15: the mention of entity '7' closes"),
        ("Entity=1)\n", "_\n", "the mention of entity '1' is never closed"),
        ("3\tit\tit\t", "3\tit\t", "a.conllu:29: 9 columns"),
    ],
)
def test_corefud_faults_are_named_by_line(tmp_path: Path, old: str, new: str, says: str) -> None:
    """What is wrong in a file is told with its line."""
    assert CONLLU.count(old) == 1
    with pytest.raises(DataError, match=says.replace("(", r"\(").replace(")", r"\)")):
        list(read_corefud(_write(tmp_path, "a.conllu", CONLLU.replace(old, new))))


def test_a_folder_is_read_in_order_and_an_empty_one_is_refused(tmp_path: Path) -> None:
    """All files below a folder are read, sorted; a folder without any is an error, as is a path that is not there."""
    for name in ("b", "a"):
        (tmp_path / name).mkdir()
        _write(tmp_path / name, "x.conllu", CONLLU.replace("visit", f"visit-{name}"))
    assert [r.id for r in read_corefud(tmp_path)] == ["visit-a", "visit-b"]
    with pytest.raises(DataError, match=r"holds no \.coref file"):
        list(read_ontonotes(tmp_path))
    with pytest.raises(DataError, match="no such file or folder"):
        list(read_conll(tmp_path / "absent"))


ROWS = [
    ("Lena", "NNP", "(PERSON*", "(3"),
    ("Roth", "NNP", "*)", "3)"),
    ("has", "VBZ", "*", "-"),
    ("not", "RB", "*", "-"),
    ("``", "``", "*", "-"),
    ("lost", "VBN", "*", "-"),
    ("''", "''", "*", "-"),
    ("her", "PRP$", "*", "(4|(3)"),
    ("case", "NN", "*", "4)"),
    (",", ",", "*", "-"),
    ("-LRB-", "-LRB-", "*", "-"),
    ("she", "PRP", "*", "(3)"),
    ("paid", "VBD", "*", "-"),
    ("$", "$", "*", "-"),
    ("0.5", "CD", "*", "-"),
    ("-RRB-", "-RRB-", "*", "-"),
    (".", ".", "*", "-"),
]


def _conll(rows: list[tuple[str, str, str, str]]) -> str:
    lines = [f"d 0 {i} {w} {t} - - - - - {n} {c}" for i, (w, t, n, c) in enumerate(rows)]
    return "\n".join(["#begin document (d); part 000", *lines, "", "#end document", ""])


def test_conll_words_are_set_as_in_print(tmp_path: Path) -> None:
    """Quotes, brackets, stops and currency signs are set without stray blanks, and mentions lie on their words."""
    (record,) = read_conll(_write(tmp_path, "a_conll", _conll(ROWS)))
    assert record.documents[0].text == 'Lena Roth has not "lost" her case, (she paid $0.5).'
    (lena,) = record.entities
    assert _said(record, lena) == [("full", "Lena Roth"), ("his", "her"), ("he", "she")]
    (apart,) = read_conll(tmp_path / "a_conll", spacing="tokens")
    assert apart.documents[0].text == " ".join(word for word, *_ in ROWS)


def test_conll_faults_are_named_by_line(tmp_path: Path) -> None:
    """A mention or name that never ends is told with the line where it begins."""
    broken = [*ROWS[:1], *ROWS[2:]]
    with pytest.raises(DataError, match=r"a_conll:2: a (name|mention of chain 3) begins that never ends"):
        list(read_conll(_write(tmp_path, "a_conll", _conll(broken))))
    with pytest.raises(DataError, match="a_conll:3: 3 columns"):
        list(
            read_conll(
                _write(tmp_path, "a_conll", _conll(ROWS).replace("d 0 1 Roth NNP - - - - - *) 3)", "d 0 1"))
            )
        )


def test_ontonotes_wants_all_three_files_with_the_same_words(tmp_path: Path) -> None:
    """A missing companion and a word that differs from the tree are told with their place."""
    coref = _write(tmp_path, "x.coref", '<DOC DOCNO="x@x">\n<TEXT>\nLena ran .\n</TEXT>\n</DOC>\n')
    _write(tmp_path, "x.parse", "(TOP (S (NNP Lena) (VBD sat) (. .)))\n")
    with pytest.raises(DataError, match=r"'x\.name' is not beside it"):
        list(read_ontonotes(coref))
    _write(tmp_path, "x.name", "<DOC>\nLena ran .\n</DOC>\n")
    with pytest.raises(DataError, match=r"x\.coref:3: 'ran' where the tree has 'sat'"):
        list(read_ontonotes(coref))
