"""What stands around the name of a person in a text: what people do, and what they are called before their names."""

from __future__ import annotations

import re
from typing import Final

_SPEAKING: Final = (
    "said|says|told|tells|added|adds|asked|asks|argued|argues|explained|explains|insisted|insists|recalled|recalls|"
    "replied|admitted|joked|wrote|writes|thinks|thought|believes|believed|claimed|claims|noted|warned|tweeted"
)
_LIVING: Final = (
    "was born|were born|died|married|grew up|graduated|studied|starred|stars|resigned|retired|was elected|was appointed|was arrested|"
    "was sentenced|was raised|attended|taught|teaches|lives|lived|sang|scored|apologised|apologized|smiled|laughed"
)
_KIN: Final = (
    "wife|husband|mother|father|sister|brother|son|daughter|family|widow|lawyer|spokesman|spokeswoman|parents"
)
AFTER: Final = re.compile(
    rf",?\s+who\b|,\s+(?:aged\s+)?[1-9]\d\b\s*[,.]|\s+\((?:born|[1-9]\d\)|b\.|c\.|[12]\d\d\d\s?[–-])|"
    rf",?\s+(?:{_SPEAKING}|{_LIVING})\b|['’]s\s+(?:{_KIN})\b|\s+(?:himself|herself)\b|"
    r",\s+(?:an?|the)\s+(?:[\w-]+\s+){0,3}(?:man|woman|actor|actress|author|writer|professor|lawyer|doctor|scientist|singer|"
    r"director|spokesman|spokeswoman|politician|student|teacher|artist|engineer|journalist|economist|historian)\b"
)
"""Right after the name: ``who``, an age, the year of birth, speaking and living, kin, a calling."""

_CALLINGS: Final = (
    "actor actress activist analyst architect artist astronaut astronomer author biologist boxer businessman businesswoman "
    "captain chairman chairwoman chemist choreographer coach colleague comedian commander composer conductor critic "
    "dancer defender democrat deputy designer director drummer economist editor engineer filmmaker footballer "
    "forward founder friend general golfer goalkeeper governor guitarist historian host inventor investigator journalist "
    "judge lawyer leader linguist lieutenant mathematician mayor midfielder minister musician named novelist officer painter "
    "philosopher photographer physician physicist pianist player playwright poet politician premier president producer "
    "professor prosecutor psychologist rapper reporter republican researcher scientist sculptor secretary senator "
    "singer sociologist songwriter spokesman spokesperson spokeswoman sprinter striker student suspect teacher "
    "trainer victim violinist winger writer "
    "aunt boyfriend brother cousin daughter father fiancé fiancée girlfriend husband mother nephew niece sister son uncle wife"
).split()
BEFORE: Final = re.compile(
    rf"\b(?:{'|'.join(_CALLINGS)}),?\s+$|\b(?:{_SPEAKING})\s+$|\baccording to\s+$|\b(?:interviewed|starring|married)\s+$"
)
"""Right before the name: a calling or kin in lower case, a verb of speaking."""

IN_A_PLACE: Final = re.compile(r"\b(?:in|at|near|across|throughout|outside|inside|toward|towards|around)\s+$")
"""Right before the name of a place."""
DEFINITE: Final = re.compile(r"\b[Tt]he\s+$")
"""Right before what is no person's name standing alone."""


def is_told_of(text: str, start: int, end: int) -> bool:
    """Whether what stands around characters ``start`` to ``end`` speaks of a person there.

    >>> text = "The physicist Lise Meitner left Berlin Mitte."
    >>> is_told_of(text, 14, 26), is_told_of(text, 32, 44)
    (True, False)
    """
    return bool(AFTER.match(text, end) or BEFORE.search(text, max(0, start - 40), start))
