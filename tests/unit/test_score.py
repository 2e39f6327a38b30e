"""`fairbrief.score`: lists and columns in, the estimates of an audit out."""

import re
from collections.abc import Callable
from itertools import count
from math import isnan, nan
from typing import Any

import datasets
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cli.command import write

import fairbrief
from fairbrief.errors import DataError, RequestError
from fairbrief.measures.representation import Uer
from fairbrief.scoring import COLUMNS

DOCUMENTS = [["The pool is clean.", "The bar is loud."], ["Trams are on time.", "Buses are full."]] * 6
SUMMARIES = [texts[0] for texts in DOCUMENTS]
GROUPS = [["fan", "critic"]] * 12
FEW: Any = {"n_resamples": 40, "n_extracts": 3}
SENTENCES = ("Alder wood is light.", "Quartz is hard.", "Rain fell twice.", "The pier opens at six.")
WORDS = st.sampled_from(SENTENCES)
FILES = count()


def score(*given: Any, measure: Any = "coverage_parity", **more: Any) -> Any:
    """The score of these lists, with few resamples."""
    return fairbrief.score(*given, measure=measure, **FEW, **more)


@st.composite
def worlds(draw: st.DrawFn) -> dict[str, Any]:
    """Lists of random records: texts, one or two systems with empty summaries, references, clusters or none."""
    sizes = draw(st.lists(st.integers(1, 3), min_size=3, max_size=8))
    label = st.sampled_from(["left", "right", 3, True])
    per_record = {"min_size": len(sizes), "max_size": len(sizes)}
    systems = draw(st.sampled_from([("lead",), ("lead", "tail")]))
    text = st.one_of(st.just(""), st.lists(WORDS, min_size=1, max_size=2).map(" ".join))
    world: dict[str, Any] = {
        "documents": [draw(st.lists(WORDS, min_size=n, max_size=n)) for n in sizes],
        "summaries": {name: draw(st.lists(text, **per_record)) for name in systems},
        # Both groups are in the first record, so that there is something to compare.
        "groups": {"side": [["left", *draw(st.lists(label, min_size=n - 1, max_size=n - 1))] for n in sizes]},
        "references": draw(st.lists(st.one_of(WORDS, st.lists(WORDS, max_size=2)), **per_record)),
        "ids": draw(st.one_of(st.none(), st.just([f"r{i}" for i in range(len(sizes))]))),
        "clusters": draw(st.one_of(st.none(), st.lists(st.integers(1, 3), **per_record))),
    }
    return world


@settings(max_examples=12, deadline=None)
@given(worlds(), st.integers(0, 3))
def test_digits_of_audits(tmp_path_factory: pytest.TempPathFactory, world: dict[str, Any], seed: int) -> None:
    """The same records as a file, read and audited, give equal estimates to the last digit."""
    measures = ["coverage_parity@side", "uer@side", "rouge1"]
    path = tmp_path_factory.mktemp("records") / f"records{next(FILES)}.jsonl"
    rows = []
    for i, texts in enumerate(world["documents"]):
        pairs = zip(texts, world["groups"]["side"][i], strict=True)
        row: dict[str, Any] = {"documents": [{"text": x, "attributes": {"side": side}} for x, side in pairs]}
        row["summary"] = {name: column[i] for name, column in world["summaries"].items()}
        columns = {"references": "references", "id": "ids", "town": "clusters"}
        rows.append(row | {field: world[of][i] for field, of in columns.items() if world[of] is not None})
    write(path, rows)
    reading = fairbrief.read(path, cluster_by=None if world["clusters"] is None else "town")
    audited = fairbrief.audit(reading, measures, seed=seed, **FEW).estimates
    main = ("coverage_parity", "uer", "rouge1")
    wanted = [e for e in audited if e.is_primary or e.quantity in main]
    assert len(wanted) >= len(main) * len(world["summaries"])
    assert list(score(**world, measure=measures, seed=seed)) == wanted


@pytest.mark.parametrize("column", [
    tuple, iter, np.array, pd.Series, pl.Series, pa.array, lambda values: pa.chunked_array([values]),
    lambda values: datasets.Dataset.from_dict({"a": values})["a"],
    lambda values: [np.str_(v) if isinstance(v, str) else np.array(v) for v in values],
])  # fmt: skip
def test_columns_of_any_library_give_the_same_score(column: Callable[[Any], Any]) -> None:
    """Tuples, arrays, iterators and columns of pandas, polars, Arrow and datasets are read as lists are."""
    assert score(column(DOCUMENTS), column(SUMMARIES), column(GROUPS)) == score(DOCUMENTS, SUMMARIES, GROUPS)


def test_groups_without_a_name_have_the_name_in_the_measure() -> None:
    """`uer@side` compares the unnamed groups, and so does a measure object; without a name they are called group."""
    for measure, named in (
        (["uer@side", "bur"], {"uer@side", "bur@side"}),
        (Uer("side"), {"uer@side"}),
        ("uer", {"uer@group"}),
    ):
        assert {e.measure for e in score(DOCUMENTS, SUMMARIES, GROUPS, measure=measure)} == named
    lists = ([["Trams are great."]] * 12, ["Trams are bad."] * 12, ["a", "b"] * 6)
    records = score(*lists, measure="sentiment_shift")
    assert {(e.measure, e.n) for e in records} == {("sentiment_shift@group", 12)}


def test_groups_with_names_are_compared_by_measures_of_several_attributes() -> None:
    """A dictionary of groups may have an attribute for each measure; an empty one is as good as none."""
    found = score(DOCUMENTS, SUMMARIES, {"side": GROUPS, "party": GROUPS}, measure=["uer@side", "bur@party"])
    assert {e.measure for e in found} == {"uer@side", "bur@party"}
    for none in (None, {}):
        with pytest.raises(RequestError, match="compares documents by 'side', which 'groups' lacks"):
            score(DOCUMENTS, SUMMARIES, none, measure="uer@side")


def test_measures_may_be_an_iterator() -> None:
    """Measures that can be read only once are those of the score, not all that apply."""
    found = score(DOCUMENTS, SUMMARIES, GROUPS, measure=iter(["bur", "uer"]))
    assert {row["measure"].partition("@")[0] for row in found.to_dicts()} == {"bur", "uer"}


def test_the_frame_has_the_columns_that_are_promised() -> None:
    """Frames of every library have value, interval, baselines, p and counts; empty summaries are counted as excluded."""
    found = score(DOCUMENTS, ["", *SUMMARIES[1:]], GROUPS)
    for names in (found.to_pandas().columns, found.to_polars().columns, found.to_arrow().column_names):
        assert list(names) == list(COLUMNS)
    first, *others = found.to_dicts()
    assert first["quantity"] == "coverage_parity"
    assert (first["n"], first["excluded"]) == (11, 1)
    assert {row["group"] for row in others} == {"fan", "critic"}
    assert all(row["family_p"] is not None for row in others)


def test_a_score_is_printed_as_a_table() -> None:
    """One line per number; no line is wider than 100 columns."""
    lines = repr(score(DOCUMENTS, {"a": SUMMARIES, "b": SUMMARIES}, GROUPS)).splitlines()
    (header,) = [line for line in lines if "quantity" in line]
    assert re.search(r"quantity +value +interval +permuted +random +p +family_p +n$", header)
    assert len([line for line in lines if "relative_difference[fan]" in line]) == 2
    assert max(map(len, lines)) <= 100


def test_a_score_is_a_number_if_it_has_one_main_value() -> None:
    """float() returns the main value, nan if it is undefined, and refuses to choose among several."""
    found = score(DOCUMENTS, SUMMARIES, GROUPS)
    assert float(found) == found[0].value
    assert isnan(float(score(DOCUMENTS, [""] * 12, GROUPS)))
    with pytest.raises(RequestError, match="this score has 2 main values"):
        float(score(DOCUMENTS, {"a": SUMMARIES, "b": SUMMARIES}, GROUPS))


@pytest.mark.parametrize(("changes", "says"), [
    ({"documents": []}, "documents: found no record; expected at least one"),
    ({"documents": "abc"}, "documents: found the text 'abc'; expected a list; give a list, or one column of a table."),
    ({"documents": pd.DataFrame({"a": DOCUMENTS})}, "give a list, or one column of a table"),
    ({"documents": ["The pool.", *DOCUMENTS[1:]]}, "documents[0]: found the text 'The pool.'; expected a list; give a list per record."),
    ({"documents": [[], *DOCUMENTS[1:]]}, "documents[0]: found no document"),
    ({"documents": [["Loud.", None], *DOCUMENTS[1:]]}, "documents[0][1]: found null; expected a text"),
    ({"summaries": SUMMARIES[1:]}, "summaries: found 11 values; expected 12, one per record"),
    ({"summaries": None}, "summaries: found null; expected a list"),
    ({"summaries": {}}, "summaries: found no system; expected a list of texts per system; give it"),
    ({"summaries": {"a": SUMMARIES, "b": []}}, "summaries['b']: found 0 values; expected 12, one per record"),
    ({"summaries": [None, *SUMMARIES[1:]]}, "summaries[0]: found null; expected a text; drop this record from every list, or write '' to exclude and count it"),
    ({"summaries": pd.Series([nan, *SUMMARIES[1:]])}, "summaries[0]: found the number nan (not finite)"),
    ({"groups": GROUPS[1:]}, "groups: found 11 values; expected 12"),
    ({"groups": [["fan"], *GROUPS[1:]]}, "groups[0]: found 1 value; expected 2, one per document"),
    ({"groups": [["fan", None], *GROUPS[1:]]}, "groups[0][1]: found null; expected text, a number, true or false; name it, as in 'unknown'"),
    ({"groups": {"a": [["fan", nan], *GROUPS[1:]]}}, "groups['a'][0][1]: found the number nan"),
    ({"groups": [["fan", pd.NA], *GROUPS[1:]]}, "groups[0][1]: found a NAType"),
    ({"groups": ["fan", *GROUPS[1:]]}, "groups[1]: found a list of 2"),
    ({"references": [["Good.", None]] * 12}, "references[0][1]: found null"),
    ({"ids": ["a"] * 12}, "ids[1]: found 'a' again, after ids[0]"),
    ({"clusters": [None] * 12}, "clusters[0]: found null"),
    ({"groups": None, "measure": "uer"}, "uer compares documents by 'group', which 'groups' lacks. Give groups={'group': …}: for each record a list"),
    ({"groups": {"party": GROUPS}, "measure": "uer@side"}, "uer@side compares documents by 'side', which 'groups' lacks."),
    ({"groups": ["a", "b"] * 6, "measure": "uer"}, "uer@group compares documents by 'group', which 'groups' lacks."),
    ({"measure": "uer", "attributes": ["side"]}, "Found: group. Give it in groups={NAME: …}."),
    ({"measure": "uer", "by": [("side",)]}, "has the attribute 'side' to subgroup by. Found: none. Give it in groups={NAME: …}."),
    ({"measure": "sentiment_shift"}, "sentiment_shift@group compares records by 'group', which 'groups' lacks. Give groups={'group': …}: one value per record."),
    ({"measure": ["uer@side", "bur@party"]}, "by 'party', 'side': give groups as a dictionary of these names"),
])  # fmt: skip
def test_an_error_names_the_list_the_position_and_what_to_do(changes: dict[str, Any], says: str) -> None:
    """Unequal lengths, absent texts and groups, a text in place of a list, empty inputs, and groups that a measure lacks are refused."""
    with pytest.raises(RequestError if "measure" in changes else DataError, match=re.escape(says)):
        score(**{"documents": DOCUMENTS, "summaries": SUMMARIES, "groups": GROUPS, **changes})


def test_settings_of_an_audit_are_passed_and_others_refused() -> None:
    """A setting of audit changes the score; an unknown one is refused with its neighbour."""
    wide = score(DOCUMENTS, SUMMARIES, GROUPS, confidence_level=0.99)
    assert wide[0].low < score(DOCUMENTS, SUMMARIES, GROUPS)[0].low
    with pytest.raises(RequestError, match=r"fairbrief\.score has no setting 'sed'\. Did you mean 'seed'"):
        score(DOCUMENTS, SUMMARIES, GROUPS, sed=1)
