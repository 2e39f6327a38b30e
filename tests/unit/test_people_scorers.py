"""The scorers about people: who is one, of which gender (also by the pronouns of a page), how alike texts are; and how many
people of plain articles a recogniser finds.
"""

import bz2
from pathlib import Path

import numpy as np
import pytest
from benchmarks.real.recogniser import by_person
from tests.cli.command import printed, put, write

from fairbrief.classifiers.people import Names, People, read_pages
from fairbrief.errors import BackendError, DataError, RequestError
from fairbrief.scorers.word_counts import Counts
from fairbrief.text.people import candidates
from fairbrief.types import Ask
from fairbrief.workbench.corpora.text_sources import read_people

TEXTS = ("Mary Blat met Leo Fox.", "The sun rose over the hill.", "Ärzte über alles, the sun")


def test_counts_are_cosines_of_content_words() -> None:
    """Function words do not count; an empty text is like nothing, not even itself."""
    (scores,) = Counts().answer([Ask("counts", ("the cat sat", "a cat", "of the"), ("cat dog", "of the"))])
    np.testing.assert_allclose(scores.matrix, [[0.5, 0], [1 / np.sqrt(2), 0], [0, 0]])
    assert scores.sizes.tolist() == [2, 1, 0]


def test_counts_agree_with_scikit_learn() -> None:
    """With its stop words the cosines are those of its vectorizer."""
    text = pytest.importorskip("sklearn.feature_extraction.text")
    pairwise = pytest.importorskip("sklearn.metrics.pairwise")
    vectors = text.CountVectorizer(stop_words="english").fit_transform(TEXTS)
    (scores,) = Counts("sklearn").answer([Ask("counts", TEXTS, TEXTS)])
    np.testing.assert_allclose(scores.matrix, pairwise.cosine_similarity(vectors), atol=1e-12)


def test_a_page_table_decides_and_changes_the_fingerprint(tmp_path: Path) -> None:
    """Pages outrank the census, later lines earlier ones, and another table is another scorer."""
    table = put(tmp_path / "pages.csv", "\ufeffname,gender\nMary Blat,f\nMary Blat,m\n")
    scorer = Names(pages=str(table))
    (scores,) = scorer.answer([Ask("names", ("Mary Blat", "Mary Poe"), ("female", "male"))])
    assert scores.matrix.tolist() == [[0, 1], [1, 0]]
    assert scorer.fingerprint != Names().fingerprint


@pytest.mark.parametrize(("content", "said"), [
    ("who,what\n", "expected 'name,gender'"), ("name,gender\nBo\n", ":2: 'Bo' has no gender"),
])  # fmt: skip
def test_a_bad_page_table_is_told_with_its_line(tmp_path: Path, content: str, said: str) -> None:
    """Whoever made the table learns where it is wrong."""
    table = put(tmp_path / "pages.csv", content)
    with pytest.raises(DataError, match=said):
        list(Names(pages=str(table)).answer([Ask("names", ("Bo",), ("female",))]))
    with pytest.raises(RequestError, match="cannot be read"):
        list(Names(pages=str(tmp_path / "none.csv")).answer([Ask("names", ("Bo",), ("female",))]))
    with pytest.raises(RequestError, match="'black' was asked for"):
        list(Names().answer([Ask("names", ("Bo",), ("black",))]))


def test_a_spacy_pipeline_accepts_the_longest_span_within_its_entities(tmp_path: Path) -> None:
    """A pipeline's person is the longest proposed span that lies within it; other labels do not count."""
    spacy = pytest.importorskip("spacy")
    pipeline = spacy.blank("en")
    ruler = pipeline.add_pipe("entity_ruler")
    known = {"the elder Zork Blat": "PERSON", "Acme Works": "ORG"}
    ruler.add_patterns([{"label": label, "pattern": name} for name, label in known.items()])
    pipeline.to_disk(tmp_path / "pipeline")
    text = "Yesterday the elder Zork Blat left Acme Works."
    spans = candidates(text)
    (scores,) = People(f"spacy:{tmp_path / 'pipeline'}").answer([Ask("people", spans, (text,))])
    assert [s for s, yes in zip(spans, scores.matrix[:, 0], strict=True) if yes] == ["Zork Blat"]
    with pytest.raises(BackendError, match="finds no pipeline"):
        list(People("spacy:no_such_pipeline").answer([Ask("people", spans, (text,))]))


PEOPLE = "[[Category:1950 births]]"
PAGES = [
    ("Ann Lee", f"She lost her hat. He found it, himself. {PEOPLE}", ""),  # 2 : 2 is a tie
    ("Mary Poole", f"She, hers, herself; he. {PEOPLE}", ""),
    ("John Smith (actor)", f"He and his dog. {PEOPLE}", ""),
    ("John Smith (writer)", "Hers. [[category: Deaths from cold| ]]", ""),
    ("Bo Dahl", "He. [[Category:People from Lund]]", ""),
    ("Eve Lee)", f"She. {PEOPLE}", ""),  # only one pair of brackets at the end is no part of the name
    ("Kay Lee (an (old) actor)", f"She. {PEOPLE}", ""),
    ("Cher", f"She. {PEOPLE}", ""),  # one word
    ("Lake Vane", "He swam in it. [[Category:Lakes]]", ""),
    ("M. Poole", "#REDIRECT [[Mary Poole]]", "Mary Poole"),
    ("Talk:Bo Dahl", f"She. {PEOPLE}", ""),
]


def test_the_command_makes_a_table_of_genders_by_most_pronouns(tmp_path: Path) -> None:
    """Ties and namesakes of two genders are unknown; single words, other pages and other namespaces are no people."""
    parts = []
    for title, text, target in PAGES:
        redirect = f'<redirect title="{target}" />' if target else ""
        head = f"<title>{title}</title><ns>{int(title.startswith('Talk'))}</ns>{redirect}"
        parts.append(f"<page>{head}<revision><text>{text}</text></revision></page>")
    wiki = f'<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/">{"".join(parts)}</mediawiki>'
    dump, out = tmp_path / "pages.xml.bz2", tmp_path / "pages.csv"
    dump.write_bytes(bz2.compress(wiki.encode()))
    said = printed("build", "pages", dump, "--out", out)
    assert "7 names" in said
    assert "female 4, male 1, unknown 2" in said
    assert read_pages(str(out)) == {
        "ann lee": "unknown", "mary poole": "female", "john smith": "unknown", "bo dahl": "male", "eve lee)": "female",
        "kay lee (an (old) actor)": "female", "m. poole": "female",
    }  # fmt: skip
    with pytest.raises(DataError, match=r"no\.xml: found what is not XML"):
        printed("build", "pages", put(tmp_path / "no.xml", "he said"), "--out", out)


WOMEN = ("Mary", "Susan", "Linda", "Karen")
MEN = ("Peter", "Frank", "James", "Paul")


def annotated(path: Path) -> Path:
    """Records with two marked women and a marked man."""
    rows = []
    for i in range(4):
        text = f"{WOMEN[i]} Zork sang. {MEN[i]} Blat danced. Qq Xyzz hid."
        people = []
        shown_as = {f"{WOMEN[i]} Zork": "female", f"{MEN[i]} Blat": "male", "Qq Xyzz": "female"}
        for name, shown in shown_as.items():
            at = text.index(name)
            mention = {"document": 0, "start": at, "end": at + len(name), "kind": "full"}
            people.append({"id": name, "attributes": {"gender": shown}, "mentions": [mention]})
        rows.append({"id": str(i), "documents": [text], "entities": people, "summary": "s", "system": "x"})
    return write(path, rows)


def test_a_benchmark_counts_who_is_found_and_as_whom(tmp_path: Path) -> None:
    """Of eight women half are found, of four men all; everybody found is read as what they are."""
    records = read_people(annotated(tmp_path / "a.jsonl"))
    assert by_person(records, People()) == [
        "female: 4 of 8 people found (50%)", "male: 4 of 4 people found (100%)",
        "read as female: 4 female, 0 male, 0 nobody", "read as male: 0 female, 4 male, 0 nobody",
        "read as unknown: 0 female, 0 male, 0 nobody",
    ]  # fmt: skip
