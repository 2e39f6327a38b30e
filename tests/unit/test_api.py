"""Fairbrief from Python: its names, settings that cannot be, and what an audit gives."""

import re
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any

import pytest

import fairbrief
from fairbrief.errors import DataError, RequestError
from fairbrief.measures.representation import Bur
from fairbrief.scorers.shared_words import Ngram

TEXTS = {"L": "Alder wood is light.", "R": "Quartz is a hard stone."}
DOCUMENTS = [{"text": text, "attributes": {"side": side}} for side, text in TEXTS.items()]
ROW = {"documents": DOCUMENTS, "system": "plain", "summary": TEXTS["L"]}
ROWS = [{"id": str(i), "attributes": {"kind": "ab"[i % 2]}, **ROW} for i in range(4)]


@pytest.mark.parametrize(("function", "settings", "says"), [
    (fairbrief.audit, {"nope": 1}, "fairbrief.audit has no setting 'nope'. Its settings: attributes, protocol, "),
    (fairbrief.audit, {"attribute": "side"}, "has no setting 'attribute'. Did you mean 'attributes'?"),
    (fairbrief.explain, {"group_by": "id"}, "'group_by'. fairbrief.read has 'group_by': write fairbrief.explain(fairbrief.read(records, group_by=…))."),
    (fairbrief.audit, {"documents": "texts"}, "'documents'. fairbrief.read has 'documents_field': write fairbrief.audit("),
])  # fmt: skip
def test_an_unknown_setting_is_told_with_those_that_there_are(
    function: Callable[..., Any], settings: dict[str, object], says: str
) -> None:
    """The message speaks of what was called, names the nearest setting, of `read` if it is there, and lists the others."""
    with pytest.raises(RequestError, match=re.escape(says)):
        function(ROWS, "uer", **settings)


def test_a_single_name_need_not_be_put_into_a_list() -> None:
    """A string where several names may stand is one name, not its letters."""
    single = {"attributes": "side", "by": "kind", "sanity_baselines": "one_document"}
    found = fairbrief.audit(ROWS, "bur", **single, n_resamples=0)
    listed = fairbrief.audit(ROWS, ["bur"], **{name: [one] for name, one in single.items()}, n_resamples=0)
    assert list(found.estimates) == list(listed.estimates)
    taken = {(e.measure, *e.subgroup.values()) for e in found.estimates}
    assert taken >= {("bur@side", "a"), ("bur@side", "b")}
    (explained,) = fairbrief.explain(ROWS, "bur@side", systems="plain", ids="1")
    assert explained.system == "plain"


def test_several_attributes_in_one_name_are_told_apart() -> None:
    """Names with a comma between them are read as one, which the error says with the right form."""
    told = r"'side, kind' is read as one attribute.*--attribute side --attribute kind\."
    with pytest.raises(RequestError, match=told):
        fairbrief.audit(ROWS, attributes=["side, kind"])
    told = r"No document, record or person of the first 4 summaries has the attribute 'side,x'"
    with pytest.raises(RequestError, match=told):
        fairbrief.audit(ROWS, attributes=["side,x"])


def test_dir_shows_the_interface() -> None:
    """An editor finds every name before any of them was loaded, and each can be had."""
    assert dir(fairbrief) == sorted(fairbrief.__all__)
    assert all(getattr(fairbrief, name) is not None for name in dir(fairbrief))


def test_audit_takes_every_field_of_a_plan() -> None:
    """The explicit keywords of `audit` and the fields of `Plan` are the same, with the same defaults."""
    given = signature(fairbrief.audit).parameters
    plan = {f.name: f.default for f in fields(fairbrief.Plan) if f.name not in ("measures", "scorers")}
    assert {name: given[name].default for name in plan} == plan
    assert set(given) == {*plan, "records", "measures", "scorers", "summaries"}


WRONG: dict[Callable[..., Any], list[tuple[dict[str, Any], str]]] = {
    fairbrief.Plan: [
        ({"alpha": 0}, "alpha=0: give a number, above 0 and below 1."),
        ({"confidence_level": 95}, "confidence_level=95: give a number, at least 0.5 and at most 0.9999."),
        ({"seed": -1}, "seed=-1: give a whole number, at least 0."),
        ({"n_resamples": "200"}, "n_resamples='200': give a whole number"),
        ({"n_resamples": 20.5}, "n_resamples=20.5: give a whole number"),
        ({"seed": True}, "seed=True: give a whole number"),
        ({"intervals": "normal"}, "intervals='normal': give jackknife or bootstrap."),
        ({"measures": [Bur]}, "measures contains the class Bur: give an instance, Bur(…)."),
        ({"measures": Bur}, "give a list"),
        ({"measures": [3]}, "measures contains int: give names"),
        ({"measures": "bur@side"}, "measures='bur@side': give a list, measures=['bur@side']."),
        ({"attributes": "side"}, "attributes='side': give a list of texts, attributes=['side']."),
        ({"scorers": {"x": Ngram}}, "scorers contains the class Ngram: give an instance, Ngram(…)."),
        ({"scorers": [Ngram()]}, "give a mapping from names."),
        ({"check_scorers": "yes"}, "check_scorers='yes': give True or False."),
    ],
    partial(fairbrief.gate, "saved", baseline="before"): [
        ({"margin": "0.1"}, "margin='0.1': give a number."),
        ({"most": [5]}, "most=[5]: give a text or a list of texts."),
    ],
    partial(fairbrief.power, "saved"): [({"records": 2.5}, "records=2.5: give a whole number.")],
    partial(fairbrief.trend, "saved"): [
        ({"reference": "5"}, "reference='5': give a whole number."),
        ({"order": "size"}, "order='size': give time or given."),
    ],
    partial(fairbrief.explain, ROWS, "uer@side"): [({"top": 0}, "top=0: give a whole number, at least 1.")],
    partial(fairbrief.read, ROWS): [
        ({"sample": "a"}, "sample='a': give a number."),
        ({"separator": ["||"]}, "separator=['||']: give a text."),
        ({"attributes": 3}, "attributes=3: give a text, a list of texts or a mapping from names."),
        ({"summary_field": [3]}, "give a text, a list of texts, a list of pairs or a mapping from names."),
        ({"bins": {"r": 3}}, "bins={'r': 3}: give a text, a list of texts or a mapping from names."),
        ({"on_error": "ignore"}, "on_error='ignore': give stop or skip."),
        ({"summaries": 3}, "The summaries are the number 3. Give a data frame"),
        ({"speakers": 3}, "Records cannot be read from the number 3."),
        ({"min_documents": "a"}, "fairbrief.read has no setting 'min_documents'."),
    ],
}


@pytest.mark.parametrize(
    ("make", "settings", "says"), [(make, *case) for make, cases in WRONG.items() for case in cases]
)
def test_wrong_settings_are_refused(make: Callable[..., Any], settings: dict[str, Any], says: str) -> None:
    """What was found, what was wanted and, where it is plain, what was meant, before anything is read."""
    with pytest.raises(RequestError, match=re.escape(says)):
        make(**settings)


def without_summary(row: dict[str, Any]) -> dict[str, Any]:
    """The record without its summary."""
    return {name: value for name, value in row.items() if name not in ("summary", "system")}


@pytest.mark.parametrize("library", ["pandas", "polars", "rows", "list"])
def test_a_table_of_summaries_names_its_systems(library: str) -> None:
    """A data frame, several or rows with a column of systems are given as they are, without a name."""
    bare = [without_summary(row) for row in ROWS]
    table = {"id": list("1032") * 2, "system": ["gpt"] * 4 + ["own"] * 4, "summary": ["Alder is light."] * 8}
    rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    frame = pytest.importorskip("polars" if library == "polars" else "pandas").DataFrame(table)
    summaries = {"rows": rows, "list": [frame]}.get(library, frame)
    found = fairbrief.audit(bare, "bur@side", summaries=summaries, n_resamples=0)
    assert {e.system for e in found.estimates} == {"gpt", "own"}


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_records_and_summaries_in_two_data_frames(library: str) -> None:
    """Summaries without a system become the system "summaries"; a column or list of texts is refused with what to give."""
    frames = pytest.importorskip(library)
    bare = frames.DataFrame([without_summary(row) for row in ROWS])
    summaries = frames.DataFrame([{"id": row["id"], "summary": row["summary"]} for row in ROWS])
    found = fairbrief.audit(bare, "bur@side", summaries=summaries, n_resamples=0)
    named = fairbrief.audit(bare, "bur@side", summaries={"gpt": summaries}, n_resamples=0)
    apart = fairbrief.audit(ROWS, "bur@side", n_resamples=0)
    assert {e.system for e in found.estimates} == {"summaries"}
    assert {e.system for e in named.estimates} == {"gpt"}
    assert [e.value for e in found.estimates] == [e.value for e in apart.estimates]
    with pytest.raises(RequestError, match=r"give summaries= to fairbrief\.read"):
        fairbrief.audit(fairbrief.read(ROWS), summaries={"gpt": summaries})
    with pytest.raises(RequestError, match=r"are a Series. Give a data frame or rows with the fields 'id'"):
        fairbrief.audit(bare, "bur@side", summaries=summaries["summary"])
    with pytest.raises(RequestError, match=r"are the text 'Alder wood .*, which is not a file. Give a file"):
        fairbrief.audit(bare, "bur@side", summaries=["Alder wood is light."])


def test_a_notebook_shows_main_values_and_figures() -> None:
    """The short repr counts, the HTML has the leading table and one per section, and every text is escaped."""
    rows = [{**row, "system": "<script>"} for row in ROWS]
    found = fairbrief.audit(rows, ["bur@side", "uer@side"], n_resamples=50)
    assert repr(found) == "<Audit: 4 records, 1 system, 2 measures; print() shows its findings>"
    page = found._repr_html_()
    assert page.count("<table ") == 2
    assert "&lt;script&gt;" in page
    assert "<script>" not in page + found.plot()._repr_html_()
    assert "SHARE of the summary" in str(found)
    assert [f.title for f in found.plot()] == ["Share of each group by side: summary ÷ sources"]


@pytest.mark.parametrize("call", [
    lambda given: fairbrief.load(given),
    lambda given: fairbrief.compare(given, given),
    lambda given: fairbrief.gate(given, most="uer@side<=1"),
    lambda given: fairbrief.subgroups(given, "kind"),
])  # fmt: skip
def test_what_is_no_audit_is_refused(call: Callable[[Any], Any]) -> None:
    """A missing value, a number, and records in place of their audit."""
    for given, found in ((None, "null"), (5, "the number 5"), (ROWS, f"a list of {len(ROWS)}")):
        said = f"Found {found}; expected an audit, or the folder of a saved one"
        with pytest.raises(RequestError, match=said):
            call(given)


def test_saved_audits_are_loaded_compared_and_gated(tmp_path: Path) -> None:
    """`load`, `compare` and `gate` take the folder that `save` wrote."""
    audit = fairbrief.audit(ROWS, ["uer@side"], n_resamples=50)
    folder = audit.save(tmp_path / "audit")
    assert list(fairbrief.load(folder).estimates) == list(audit.estimates)
    compared = fairbrief.compare(audit, folder)
    assert {e.value for e in compared} == {0.0}
    assert {(e.system, e.baseline) for e in compared} == {("candidate: plain", "baseline: plain")}
    (check,) = [c for c in fairbrief.gate(folder, most="uer@side<=1") if c.name.startswith("uer")]
    assert check.outcome == "inconclusive"  # four clusters decide nothing


@pytest.mark.parametrize(("row", "measure", "advised"), [
    ({"documents": ["One.", "Two."]}, "uer@side", r"--attribute side=FIELD\. From Python: .*\(records, attributes=…\)"),
    ({"text": "One."}, "rouge1", r"From Python: fairbrief\.read\(records, documents_field=…, group_by=…"),
])  # fmt: skip
def test_advice_of_the_command_is_in_words_of_python(row: dict[str, Any], measure: str, advised: str) -> None:
    """Options that say how records are read are settings of `read`, some under another name."""
    with pytest.raises((RequestError, DataError), match=advised):
        fairbrief.audit([{"id": "a", "summary": "One.", **row}], measure, n_resamples=0)


def test_objects_that_are_not_what_they_should_be_are_told() -> None:
    """Texts in place of documents, and a summary of another record, are errors that name the record."""
    text, own = fairbrief.Record("1", ("One.",)), fairbrief.Summary("1", "s", "One.")
    with pytest.raises(DataError, match=r"id '1'.*the text 'One\.' as document 1; expected a Document"):
        fairbrief.audit([fairbrief.Case(text, own)])
    one, other = fairbrief.Record("1", (fairbrief.Document("One."),)), fairbrief.Summary("2", "s", "One.")
    with pytest.raises(DataError, match=r"id '1'.*a summary of the record '2'"):
        fairbrief.audit([fairbrief.Case(one, other)])
