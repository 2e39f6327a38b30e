"""Files that each could be read, and for which no settings of ``audit`` could be proposed together."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from fairbrief.errors import RequestError
from fairbrief.readers.layouts import LAYOUTS
from fairbrief.readers.looking import Looked
from fairbrief.readers.messages import names
from fairbrief.readers.paths import find


def refuse_apart(sources: Sequence[Looked], beside: Sequence[Looked]) -> None:
    """RequestError for what no setting of ``audit`` reads: files of several formats, tools' files without documents."""
    if any(one.said for one in sources) and len({one.source.kind for one in sources}) > 1:
        several = ", ".join(f"{one.source.name} ({one.source.kind})" for one in sources)
        raise RequestError(
            f"One --format is for all files, and these are of several: {several}. Audit each alone."
        )
    for one in beside:
        if one.said:
            what = one.holds or f"a table that --format {one.said['format']} reads"
            raise RequestError(
                f"{one.source.name} is {what}, which a file of summaries cannot be. Write its rows to a .jsonl file."
            )
    for one in sources:
        if one.is_bare:
            raise RequestError(
                f"{one.source.name} is {LAYOUTS[one.source.kind].title}, and has no documents. Name the file that has "
                f"them, too: fairbrief init RECORDS {one.path}."
            )


def refuse_versions(sources: Sequence[Looked], settings: Mapping[str, Any]) -> None:
    """RequestError for sheets of one spreadsheet whose records have the same ids, as those of two versions of a table do."""
    key = settings.get("group-by") or settings.get("id-field") or "id"
    system = settings.get("system-field") or "system"
    known: dict[tuple[str, ...], str] = {}
    for one in sources:
        book, mark, _ = one.path.rpartition("#")
        for row in one.rows if mark and one.source.kind == "excel" else ():
            ident = book, str(find(row, key)), str(find(row, system))
            if known.setdefault(ident, one.path) != one.path:
                sheets = [
                    other.path.rpartition("#")[2] for other in sources if other.path.startswith(f"{book}#")
                ]
                raise RequestError(
                    f"{one.source.name} has the sheets {names(sheets)}, whose records have the same ids: say which is meant, "
                    f"as in fairbrief init {shlex.quote(known[ident])}."
                )
