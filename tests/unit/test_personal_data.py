"""Personal data is replaced when texts are read."""

from typing import Any

import pytest

from fairbrief.errors import DataError, RequestError
from fairbrief.readers import read
from fairbrief.text.personal_data import without_identifiers

PRIVATE = (
    "ann.lee@example.org", "+49 30 1234567", "4111 1111 1111 1111", "DE89 3704 0044 0532 0130 00", "192.0.2.17",
)  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), [
    ("Write to ann.lee+x@mail.example.org!", "Write to [EMAIL]!"),
    ("Call +49 (0)30 123-4567.", "Call [PHONE]."),
    ("Call 030/1234567 or 555-123-4567 or (555) 123-4567.", "Call [PHONE] or [PHONE] or [PHONE]."),
    # By Luhn 4·2=8, 1·8 and 7·1·2=14 → …: 4111 1111 1111 1111 has 8 + 1·7 + 2·… = 30; one more in the last place is 31.
    ("Card 4111-1111-1111-1111, not 4111-1111-1111-1112.", "Card [CARD], not 4111-1111-1111-1112."),
    ("IBAN DE89370400440532013000, not DE88370400440532013000.", "IBAN [IBAN], not DE88370400440532013000."),
    ("From 192.0.2.17 and 2001:db8::1, not 999.1.1.1.", "From [IP] and [IP], not 999.1.1.1."),
    ("At https://ann:pass@example.org/x.", "At https://[USER]@example.org/x."),
    ("On 2026-11-25 at 10:35:30, 1,000,000 of 12 345 678 in version 1.2.3.", None),
    ("Order 20261125103530, room 0815, 3-2 at half-time, ratio 1:2:3.", None),
    ("std::vector, @home, a@b, 50 % of 1234567890.", None),
])  # fmt: skip
def test_identifiers(text: str, expected: str | None) -> None:
    """What is replaced; dates, times, counts, versions and numbers with wrong checksums stay."""
    assert without_identifiers(text) == (text if expected is None else expected)


def record(**changes: Any) -> dict[str, Any]:
    """A record with personal data in all its parts."""
    told, nobody = f"John Smith wrote from {PRIVATE[0]}.", f"Nobody at {PRIVATE[1]} answered. Smith waited."
    return {
        "id": "1",
        "documents": [{"text": told, "attributes": {"side": "a", "by": PRIVATE[0]}}, {"text": nobody, "attributes": {"side": "b", "by": "x"}}],
        "summary": f"Smith paid with {PRIVATE[2]}.", "references": [f"Smith of {PRIVATE[4]}."],
        "attributes": {"account": PRIVATE[3]}, **changes,
    }  # fmt: skip


def test_redacted_records() -> None:
    """Texts, references and attributes lose identifiers; names are replaced in all texts of a record if this is wanted."""
    [case] = read([record()], redact=["identifiers", "names"])
    one, other = case.record.documents
    assert one.text == "[NAME] wrote from [EMAIL]."
    assert other.text == "Nobody at [PHONE] answered. [NAME] waited."
    assert (case.summary.text, case.record.references) == ("[NAME] paid with [CARD].", ("[NAME] of [IP].",))
    assert case.record.attributes == {"account": "[IBAN]"}
    assert one.attributes["by"] == "[EMAIL]"
    [plain] = read([record()], redact="identifiers")
    assert plain.summary.text == "Smith paid with [CARD]."
    [alone] = read([record()], redact="identifiers").records()
    assert alone == plain.record


def test_what_cannot_be_redacted() -> None:
    """Ids must stay distinct, mentions must stay in place; the errors do not repeat the address."""
    with pytest.raises(DataError, match="as the id or cluster") as raised:
        list(read([record(id=PRIVATE[0])], redact="identifiers"))
    assert PRIVATE[0] not in str(raised.value)
    entities = [{"id": "e", "first_name": "John", "mentions": []}]
    with pytest.raises(DataError, match="would move the mentions"):
        list(read([record(entities=entities)], redact="identifiers"))
    skipping = read([record(id=PRIVATE[0]), record()], redact="identifiers", on_error="skip")
    assert ([c.record.id for c in skipping], skipping.skipped_count) == (["1"], 1)
    with pytest.raises(RequestError, match="--redact emails: write identifiers"):
        read([record()], redact="emails")
