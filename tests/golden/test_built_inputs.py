"""The published designs come back from the published texts: counts per cell, labels per review."""

from collections import Counter
from pathlib import Path

import pytest
from tests.conftest import read_lines

from fairbrief.readers import read
from fairbrief.workbench.corpora.sets import labeller, mixtures, parse_mix
from fairbrief.workbench.corpora.text_sources import gather, limits

LABELS = {"negative": "neg", "neutral": "neu", "positive": "pos"}


pytestmark = pytest.mark.usefixtures("nltk_data")


def test_claritin_design(shared: Path) -> None:
    """3 sizes × 3 mixes × 150 of the Claritin tweets of 10 to 70 NLTK tokens: 1,350 sets, each cell exact.

    Provenance: the authors' loader keeps 1,200 tweets by men and 1,992 by women.
    """
    source = shared / "data" / "tweets" / "tweets_claritin.jsonl"
    records = read(source, documents_field="text", attributes={"gender": "gender"}).records()
    texts = gather(records, "gender", Counter(), admits=limits(10, 70, "nltk"))[""]
    assert Counter(d.attributes["gender"] for d in texts) == {"female": 1992, "male": 1200}
    mixes = [parse_mix(f"male={m},female={f}") for m, f in ((0.2, 0.8), (0.5, 0.5), (0.8, 0.2))]
    made = list(mixtures(texts, "gender", [10, 30, 50], mixes, 150, unit="tweets", seed=42))
    assert len(made) == len({record.id for record in made}) == 1350
    cells = Counter((int(r.attributes["tweets"]), r.attributes["male"]) for r in made)
    assert cells == {(n, m): 150 for n in (10, 30, 50) for m in ("0.2", "0.5", "0.8")}
    for record in made:
        n, men = int(record.attributes["tweets"]), float(record.attributes["male"])
        found = Counter(d.attributes["gender"] for d in record.documents)
        assert found == {"male": round(n * men), "female": n - round(n * men)}


@pytest.mark.parametrize(("analyser", "agree"), [("nltk", 799), ("vader", 788)])
def test_published_sentiment_of_the_gold_reviews(shared: Path, analyser: str, agree: int) -> None:
    """The published labels of Yelp's 800 gold reviews come from the argmax rule with NLTK's analyser.

    Provenance: recomputed from the release: 799 of 800 with NLTK's analyser and the whole lexicon,
    788 of 800 with vaderSentiment's own.
    """
    pytest.importorskip("vaderSentiment" if analyser == "vader" else "nltk")
    label = labeller("vader_argmax", analyser=analyser)
    same = total = 0
    for case in read(read_lines(shared / "data" / "reviews" / "yelp_gold__human-1.jsonl")):
        for document in case.record.documents:
            found = label(document)
            assert found is not None
            total += 1
            same += LABELS[found] == document.attributes["sentiment"]
    assert total == 800
    assert abs(same - agree) <= 1
