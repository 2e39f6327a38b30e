"""results.json, the per-record statistics, data frames, and the folder that holds them."""

import json
import re
import sys
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

import jsonschema
import numpy as np
import pyarrow.parquet as pq
import pytest
from tests import sample_results
from tests.sample_results import EMPTY

from fairbrief.errors import DataError, MissingExtra
from fairbrief.reports import audit_folder, json_file, wording
from fairbrief.reports.frames import Estimates
from fairbrief.reports.result import Result
from fairbrief.types import Estimate, Note

SCHEMA = files("fairbrief.reports").joinpath("results.schema.json").read_text(encoding="utf-8")
VALIDATOR = jsonschema.Draft202012Validator(json.loads(SCHEMA))


@pytest.mark.parametrize("result", [sample_results.make(), sample_results.hostile(), EMPTY])
def test_results_json_follows_the_shipped_schema(result: Result) -> None:
    """Every written result, hostile or empty, validates against the schema in the package."""
    written = json.loads(sample_results.results_json(result))
    VALIDATOR.validate(written)
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate({**written, "schema": "fairbrief.results/0"})


def test_every_note_has_its_words_and_stands_in_results_json_with_them() -> None:
    """A code that can be written has a sentence, and a reader of the file needs no other table."""
    sources = [path.read_text("utf-8") for path in Path(wording.__file__).parents[1].rglob("*.py")]
    written = {code for text in sources for code in re.findall(r'\bNote\(\s*"(\w+)"', text)}
    assert len(written) > 20
    assert written <= set(wording.WORDS)
    e = Estimate("a@x", "a", "s", None, notes=(Note("undefined", {"reason": "one group only"}),))
    (written,) = json.loads(sample_results.results_json(replace(EMPTY, estimates=(e,))))["estimates"]
    told = {"reason": "one group only"}
    assert written["notes"] == [{"code": "undefined", "arguments": told, "text": "undefined: one group only"}]
    assert wording.worded(cast("Any", Note)("of_a_later_version", {"n": 3})) == "of_a_later_version, n 3"


@pytest.mark.parametrize("result", [sample_results.make(), sample_results.hostile(), EMPTY])
def test_what_was_written_is_read_back_equal(result: Result, tmp_path: Path) -> None:
    """A folder that was written loads to the same result, per-record statistics and lone surrogates included."""
    audit_folder.write_all(result, tmp_path / "out")
    found = audit_folder.load(tmp_path / "out")
    assert found.rows.measures == result.rows.measures
    assert len(found.per_record) == len(result.per_record)
    for observation in result.rows.measures.values():
        assert found.rows.of(observation).equals(result.rows.of(observation))
    assert replace(found, rows=result.rows) == result


def test_texts_and_numbers_of_numpy_are_written_as_those_of_python() -> None:
    """A group, say, that a data frame named; where one of them has a lone surrogate, too."""
    for name in ("é", "\ud800"):
        numbers: Any = {"n": np.int64(3), "group": np.str_("L"), "excluded": {np.str_("why"): 1}}
        e = Estimate("bur", "bur", np.str_(name), np.float64(0.25), **numbers)
        (found,) = json.loads(sample_results.results_json(replace(EMPTY, estimates=(e,))))["estimates"]
        told = found["system"], found["value"], found["n"], found["group"], found["excluded"]
        assert told == (name, 0.25, 3, "L", {"why": 1})


def test_undefined_numbers_are_null_and_infinite_ones_are_text() -> None:
    """NaN becomes null, and an infinite value or bound its name; JSON has neither. How the result was made has only null."""
    odd = Estimate("bur", "bur", "a", float("nan"), low=float("-inf"), p=float(np.float64(0.5)))
    made = {"seed": np.int64(3), "path": Path("a/b"), "level": float("inf"), "systems": ("a",)}
    written = sample_results.results_json(replace(EMPTY, estimates=(odd,), made=made))
    found = json.loads(written, parse_constant=pytest.fail)
    assert (found["estimates"][0]["value"], found["estimates"][0]["low"]) == (None, "-Infinity")
    assert found["made"] == {"seed": 3, "path": "a/b", "level": None, "systems": ["a"]}


def test_infinite_estimates_are_written_and_read_back_whole(tmp_path: Path) -> None:
    """In every field that may be infinite, in estimates and differences, beside finite ones; by the schema, too."""
    inf = float("inf")
    odd = Estimate("m@x", "m", "a", inf, low=0.5, high=inf, low_within=-inf, high_within=inf)
    gap = odd.replace(baseline="b", value=-inf, low=-inf, high=-inf)
    result = replace(EMPTY, estimates=(odd, odd.replace(value=0.5, high=1.0)), differences=(gap,))
    audit_folder.write_all(result, tmp_path)
    read = audit_folder.load(tmp_path)
    assert (tuple(read.estimates), tuple(read.differences)) == (result.estimates, result.differences)
    written = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"), parse_constant=pytest.fail)
    VALIDATOR.validate(written)
    for field, number in (("value", "Infinite"), ("value", ["Infinity"]), ("p", "Infinity")):
        damaged = {**written, "estimates": [{**written["estimates"][0], field: number}]}
        (tmp_path / "results.json").write_text(json.dumps(damaged), encoding="utf-8")
        with pytest.raises(DataError, match=r"results\.json is damaged"):
            json_file.read(tmp_path / "results.json")


def test_estimates_become_frames_in_one_call() -> None:
    """Arrow, pandas and polars hold the same rows and columns, subgroups in columns of their own."""
    pytest.importorskip("pandas")
    pytest.importorskip("polars")
    estimates = sample_results.make().estimates
    arrow = estimates.to_arrow()
    assert arrow.num_rows == len(estimates) == len(estimates.to_pandas()) == estimates.to_polars().height
    assert {"measure", "value", "subgroup.domain", "excluded", "reasons"} <= set(arrow.column_names)
    assert arrow["excluded"][0].as_py() == 12
    assert arrow["reasons"][0].as_py() == "one group only: 9; empty summary: 3"
    assert arrow["subgroup.domain"][0].as_py() is None
    assert Estimates().to_arrow().num_rows == 0
    assert "value" in Estimates().to_arrow().column_names


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_an_absent_frame_library_names_its_extra(monkeypatch: pytest.MonkeyPatch, library: str) -> None:
    """Without the library the error says what to install."""
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingExtra, match=rf"fairbrief\[{library}\]"):
        getattr(Estimates(), f"to_{library}")()


@pytest.mark.parametrize("column", ["system", "summary[neutral]"])
def test_a_column_that_was_taken_out_is_named(tmp_path: Path, column: str) -> None:
    """A file of per-record statistics that somebody wrote again without a column is refused, not counted as zeros."""
    audit_folder.write_all(sample_results.make(), tmp_path)
    path = tmp_path / "per_record" / "shares.parquet"
    pq.write_table(pq.read_table(path).drop_columns([column]), path)
    with pytest.raises(DataError) as refused:
        audit_folder.load(tmp_path)
    assert f"{path} has no column '{column}'." in str(refused.value)
