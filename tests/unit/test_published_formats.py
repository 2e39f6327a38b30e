"""Published data sets are read as they were released; the lines are our own."""

import gzip
import json
from pathlib import Path

import pytest
from tests.cli.command import put

from fairbrief.errors import DataError, RequestError
from fairbrief.types import Record
from fairbrief.workbench.corpora.published_formats import FORMATS, format_of
from fairbrief.workbench.corpora.text_sources import read_texts


def read_as(format_: str, path: Path) -> list[Record]:
    """The records of a file, which is recognized."""
    assert format_of(path) == format_
    return list(FORMATS[format_](path))


COURT = (
    "7 +++$+++ 0 +++$+++ FALSE +++$+++ CHIEF ONE +++$+++ JUSTICE +++$+++ NA +++$+++ NA +++$+++ We begin.\n"
    "7 +++$+++ 1 +++$+++ TRUE +++$+++ MS. TWO +++$+++ NOT JUSTICE +++$+++ NA +++$+++ PETITIONER +++$+++ Thank you.\n"
    "7 +++$+++ 2 +++$+++ FALSE +++$+++ MR. SIX +++$+++ NOT JUSTICE +++$+++ NA +++$+++ RESPONDENT +++$+++ No.\n"
    "8 +++$+++ 3 +++$+++ FALSE +++$+++ MR. SIX +++$+++ NOT JUSTICE +++$+++ NA +++$+++ NA +++$+++ Yes.\n"
)
SPOKEN = (
    ("a", "j__one", "We begin.", "J", None), ("a", "two", "Thank you.", "A", 1), ("b", "six", "No.", "A", 0),
    ("b", "ten", "Perhaps.", "A", 3),
)  # fmt: skip
SIDES = ["justice", "petitioner", "respondent", None]
CONVOKIT = "\n".join(
    json.dumps({"id": str(i), "conversation_id": c, "speaker": s, "text": t, "meta": {"speaker_type": kind, "side": side}})
    for i, (c, s, t, kind, side) in enumerate(SPOKEN)
)  # fmt: skip
DEBATE = {
    "Tea-010203": {
        "title": "Tea is better than coffee",
        "transcript": [
            {"speaker": "Ann Mod", "speakertype": "mod", "paragraphs": ["Welcome.", "Begin."], "segment": 0},
            {"speaker": "Bea For", "speakertype": "for", "paragraphs": ["It is."], "nontext": {}, "segment": 1},
        ],
    }
}  # fmt: skip
SEMEVAL = "ID\tTarget\tTweet\tStance\tSentiment\r\n"
FEWSUM = "group_id\trev1\trev2\tcat\tsumm1\tsumm2\n"
AMAZON = [{"overall": 5.0, "reviewText": "Holds tea.", "asin": "B1"}, {"overall": 2.0, "asin": "B1"}]


def test_labelled_tweets(tmp_path: Path) -> None:
    """A line is id, label and text; a text may hold the mark; a line that is not UTF-8 is read as Latin-1."""
    path = put(tmp_path / "input.txt", b"1<||>male<||>Tea \xe9\n2<||>Pro-Rep<||>a <||> b \xc3\xa9\x85\n\n")
    one, two = read_as("labelled", path)
    assert (one.id, one.documents[0].text, one.documents[0].attributes) == ("1", "Tea é", {"label": "male"})
    assert two.documents[0].text == "a <||> b Ã©"  # a line with one bad byte is Latin-1 as a whole
    assert two.where == "input.txt:2"


def test_semeval(tmp_path: Path) -> None:
    """SemEval's table gives the stance as published and the target; a short row is told."""
    content = SEMEVAL + '1\tTea\tI "like" it é\tFAVOR\tPOSITIVE\r\n'
    (tweet,) = read_as("semeval", put(tmp_path / "train.txt", content.encode("latin-1")))
    assert (tweet.id, tweet.attributes) == ("Tea-1", {"target": "Tea"})
    assert tweet.documents[0].text == 'I "like" it é'
    assert tweet.documents[0].attributes == {"stance": "FAVOR", "sentiment": "POSITIVE"}


def test_mitweet(tmp_path: Path) -> None:
    """A tweet's ideology is that of more than half of its labelled facets; on a tie it is center, without a label it has none."""
    head = '"topic","tweet","R1","I1","I2","I3","I4"\n'
    rows = (
        'Tea,"one, quoted\nline",1,0,0,2,-1', "Tea,two,1,2,2,2,0", "Tea,three,1,0,2,-1,-1", "Mugs,four,0,-1,-1,-1,-1",
        "Mugs,five,1,0,0,1,2",
    )  # fmt: skip
    tweets = read_as("mitweet", put(tmp_path / "MITweet.csv", head + "\n".join(rows) + "\n"))
    found = [t.documents[0].attributes.get("ideology") for t in tweets]
    assert found == ["left", "right", "center", None, "center"]
    assert tweets[0].documents[0].text == "one, quoted\nline"
    assert (tweets[4].id, tweets[4].attributes) == ("Mugs-5", {"topic": "Mugs"})


def test_fewsum_reviews(tmp_path: Path) -> None:
    """A folder of FewSum's tables: a record per group, quotation marks are text, ratings without a fraction."""
    folder = tmp_path / "val"
    folder.mkdir()
    head = "group_id\treview_text\tcategory\trating\trouge1\n"
    put(folder / "b.csv", head + 'B\tNice "mug\tkitchen\t5.0\t0.1\nB\tBroke.\tkitchen\t1.0\t0.2\n')
    put(folder / "a.csv", head + "A\tFine.\tshoes\t3.0\t0.1\n")
    first, second = read_as("fewsum", folder)
    assert (first.id, second.id) == ("A", "B")
    assert [d.text for d in second.documents] == ['Nice "mug', "Broke."]
    assert [d.attributes["rating"] for d in second.documents] == ["5", "1"]
    assert second.attributes == {"product": "B", "category": "kitchen"}


def test_fewsum_gold(tmp_path: Path) -> None:
    """Gold sets carry their summaries as references; equal group ids are kept apart."""
    rows = "food\tOne.\tTwo.\tfood\tBoth.\tAll.\nfood\tSix.\tTen.\tfood\tS.\tT.\n"
    first, second = read_as("fewsum", put(tmp_path / "test.csv", FEWSUM + rows))
    assert [d.text for d in first.documents] == ["One.", "Two."]
    assert first.references == ("Both.", "All.")
    assert first.id != second.id


def test_amazon(tmp_path: Path) -> None:
    """Amazon's lines, packed or not; a review may lack its text; Python's dicts are refused with their line."""
    path = put(tmp_path / "reviews.json.gz", gzip.compress("\n".join(map(json.dumps, AMAZON)).encode()))
    one, two = read_as("amazon", path)
    assert one.documents[0].attributes == {"rating": "5"}
    assert one.attributes == two.attributes == {"product": "B1"}
    assert two.documents[0].text == ""
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(DataError, match="damage"):
        list(FORMATS["amazon"](path))


def test_court(tmp_path: Path) -> None:
    """An utterance that follows no other begins a conversation; justices and sides are told apart."""
    path = put(tmp_path / "conversations.dat", COURT)
    found = read_as("court", path)
    assert [(c.id, len(c.documents)) for c in found] == [("7-1", 2), ("7-2", 1), ("8-1", 1)]
    assert [d.attributes.get("side") for c in found for d in c.documents] == SIDES
    assert found[0].documents[1].attributes["speaker"] == "MS. TWO"
    assert all("gender" not in d.attributes for c in found for d in c.documents)
    put(tmp_path / "supreme.gender.txt", "MS. TWO +++$+++ female\nJUSTICE ONE +++$+++ NA\n")
    known = [d.attributes.get("gender") for c in FORMATS["court"](path) for d in c.documents]
    assert known.count("female") == 1
    assert known[1] == "female"


def test_convokit(tmp_path: Path) -> None:
    """ConvoKit's utterances: sides by their codes, and none where the code says none."""
    a, b = read_as("convokit", put(tmp_path / "utterances.jsonl", CONVOKIT))
    assert [d.attributes.get("side") for d in (*a.documents, *b.documents)] == SIDES


def test_iq2(tmp_path: Path) -> None:
    """A debate's turns with their speakers' types; a debate without a transcript is named."""
    (debate,) = read_as("iq2", put(tmp_path / "iq2.json", json.dumps(DEBATE)))
    assert debate.id == "Tea-010203"
    assert debate.attributes == {"title": "Tea is better than coffee"}
    assert [d.text for d in debate.documents] == ["Welcome. Begin.", "It is."]
    assert debate.documents[1].attributes == {"speaker": "Bea For", "side": "for"}


@pytest.mark.parametrize(("format_", "content", "said"), [
    ("labelled", b"1<||>male<||>ok\n2<||>male\n", "bad:2: found 2 parts"),
    ("labelled", b"1<||> <||>ok\n", "bad:1: found 3 parts"),
    ("semeval", SEMEVAL + "1\tTea\tx\n", "bad:2: found 3 fields"),
    ("semeval", "ID\tTweet\tStance\n", "no column target"),
    ("mitweet", "topic,tweet,I1\nTea,x,7\n", "bad:2: found the facet label '7'"),
    ("mitweet", "topic,I1\n", "no column tweet"),
    ("fewsum", FEWSUM + "a\tb\tc\td\te\tf\na\tb\n", "bad:3: found 2 fields"),
    ("fewsum", "review_text\trating\nx\tnan\n", "rating.*finite|'nan' as the rating"),
    ("amazon", "{'asin': 'B1'}", "bad:1: found no such object .*double quotation"),
    ("amazon", '{"asin": "B1"}', "missing required field `overall`"),
    ("court", "7 +++$+++ 0 +++$+++ FALSE\n", "bad:1: found 3 fields"),
    ("convokit", CONVOKIT + "\n" + CONVOKIT.split("\n")[0], "bad:5: found the conversation 'a' again"),
    ("iq2", '{"x": {}}', "debate 'x'.*required field `transcript`"),
    ("iq2", '{"x": {"transcript": [{"speaker": "a"}]}}', "paragraphs"),
    ("iq2", '{"x": {"transcript": [{"paragraphs": "One."}]}}', "Expected `array`, got `str`"),
    ("iq2", "[]", "one JSON object"),
])  # fmt: skip
def test_faults_have_a_place(tmp_path: Path, format_: str, content: str | bytes, said: str) -> None:
    """With file and line, what was found and what was wanted."""
    with pytest.raises(DataError, match=said):
        list(FORMATS[format_](put(tmp_path / "bad", content)))


def test_unknown(tmp_path: Path) -> None:
    """An unknown format, and a file that is not there, are refused; an ordinary file is of no published format."""
    with pytest.raises(RequestError, match="no format 'x'"):
        list(read_texts(tmp_path, {}, "x"))
    with pytest.raises(RequestError, match="no file"):
        format_of(tmp_path / "none")
    assert format_of(put(tmp_path / "x.jsonl", '{"id": 1, "documents": ["a"]}')) is None
