"""The data that an audit makes many of: structures that are used as dataclasses are."""

from __future__ import annotations

import copy
import pickle
from dataclasses import asdict, fields, is_dataclass, replace

import pytest

from fairbrief.types import Case, Document, Record, Summary

RECORD = Record("r", (Document("Alder.", {"side": "L"}),), seed_document="o")


def test_frozen_data_are_replaced_and_looked_at_as_dataclasses() -> None:
    """``replace``, ``fields`` and ``asdict`` know the fields and their defaults."""
    assert is_dataclass(RECORD)
    assert replace(RECORD, id="q") == Record("q", RECORD.documents, seed_document="o")
    assert asdict(RECORD.documents[0]) == {"text": "Alder.", "attributes": {"side": "L"}, "id": None}
    defaults = {f.name: f.default for f in fields(Summary)}
    assert (defaults["claims"], defaults["reason"], defaults["system_kind"]) == (None, "", "system")
    assert next(f for f in fields(Document) if f.name == "attributes").default_factory is dict
    with pytest.raises(TypeError, match="colour"):
        replace(RECORD, colour="green")


def test_frozen_data_cannot_be_changed_and_are_equal_by_what_they_hold() -> None:
    """A copy, and one that went through another process, is equal to the first."""
    case = Case(RECORD, Summary("r", "s", "Alder."))
    with pytest.raises(AttributeError):
        case.record.id = "q"  # type: ignore[misc]
    assert pickle.loads(pickle.dumps(case)) == copy.deepcopy(case) == case
    assert case != Case(RECORD, Summary("r", "s", "Birch."))
    assert repr(Document("Alder.")) == "Document(text='Alder.', attributes={}, id=None)"
