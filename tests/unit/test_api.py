"""`fairbrief.audit` and `fairbrief.explain`: settings that are not there, and single names."""

from __future__ import annotations

import re

import pytest

import fairbrief
from fairbrief.errors import RequestError

ROWS = [
    {
        "id": str(i),
        "documents": [
            {"text": "Alder wood is light.", "attributes": {"side": "L"}},
            {"text": "Quartz is a hard stone.", "attributes": {"side": "R"}},
        ],
        "attributes": {"kind": "ab"[i % 2]},
        "system": "plain",
        "summary": "Alder wood is light.",
    }
    for i in range(4)
]


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"nope": 1}, "fairbrief.audit has no setting 'nope'. Its settings: attributes, protocol, "),
        ({"attribute": "side"}, "has no setting 'attribute'. Did you mean 'attributes'?"),
    ],
)
def test_an_unknown_setting_is_told_with_those_that_there_are(settings: dict[str, object], says: str) -> None:
    """The message speaks of what was called, names the nearest setting and lists the others."""
    with pytest.raises(RequestError, match=re.escape(says)):
        fairbrief.audit(ROWS, **settings)


def test_an_unknown_setting_of_explain_is_told_alike() -> None:
    """`explain` takes settings of its own."""
    with pytest.raises(
        RequestError, match=r"fairbrief\.explain has no setting 'system'\. Did you mean 'systems'\?"
    ):
        fairbrief.explain(ROWS, "bur@side", system="plain")


def test_a_single_name_need_not_be_put_into_a_list() -> None:
    """A string where several names may stand is one name, not its letters."""
    found = fairbrief.audit(ROWS, "bur", attributes="side", slices="kind", controls="one_document", draws=0)
    listed = fairbrief.audit(
        ROWS, ["bur"], attributes=["side"], slices=[("kind",)], controls=["one_document"], draws=0
    )
    assert list(found.estimates) == list(listed.estimates)
    assert {(e.measure, *e.slice.values()) for e in found.estimates} >= {("bur@side", "a"), ("bur@side", "b")}
    (explained,) = fairbrief.explain(ROWS, "bur@side", systems="plain", ids="1")
    assert explained.system == "plain"


def test_several_attributes_in_one_name_are_told_apart() -> None:
    """Names with a comma between them are read as one, which the error says with the right form."""
    with pytest.raises(
        RequestError, match=r"'side, kind' is read as one attribute.*--attribute side --attribute kind\."
    ):
        fairbrief.audit(ROWS, attributes=["side, kind"])
    with pytest.raises(RequestError, match="No document, record or person has the attribute 'side,x'"):
        fairbrief.audit(ROWS, attributes=["side,x"])


def test_what_is_not_printed_is_said_to_be_where_it_is() -> None:
    """An audit in Python has no written report and no option of the command line."""
    shown = repr(fairbrief.audit(ROWS, "uer", draws=0))
    assert "rows of other quantities: 8, in .estimates and .differences" in shown
    assert "written report" not in shown
