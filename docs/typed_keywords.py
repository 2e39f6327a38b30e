"""What a type checker says of settings of `fairbrief.audit` and `fairbrief.read`; never run.

mypy reports an ``ignore`` without its error, so `make lint` fails where a wrong keyword or type is accepted.
"""

from __future__ import annotations

import fairbrief


def settings_are_checked(path: str) -> None:
    """A keyword that does not exist and a wrong type are errors; what is right is not."""
    fairbrief.audit(path, drwas=3)  # type: ignore[call-arg]
    fairbrief.audit(path, seed="1")  # type: ignore[arg-type]
    fairbrief.audit(path, "bur@side", seed=1).save(path)
    fairbrief.read(path, sytem="a")  # type: ignore[call-arg]
    fairbrief.read(path, sample="1")  # type: ignore[arg-type]
    fairbrief.read(path, attributes={"side": None}, documents_field="reviews[*].text", sample=0.5)
