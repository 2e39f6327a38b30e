"""Files and tables -> a stream of cases. Memory does not grow with the input.

A row is ``{"id", "documents": [{"text", "attributes"}], "summary", "system", "references", "attributes",
"original", "units", "entities", "reason", "made"}``: a line of JSON, a row of a table, a dict. Only the id and
the documents must be there; documents may be plain texts, ``summary`` may be an object of several systems'
summaries. ``reason`` says why a summary cannot be used (``refused``), ``made`` how it was made;
`fairbrief.lines` makes such rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from fairbrief.errors import RequestError
from fairbrief.readers import files
from fairbrief.readers.fields import Fields
from fairbrief.readers.reading import Reading
from fairbrief.readers.sources import find_sources
from fairbrief.readers.values import NOTHING

__all__ = ["Reading", "read"]


def read(
    source: Any,
    *,
    summary_field: str = "summary",
    documents_field: str = "documents",
    id_field: str | None = "id",
    system_field: str = "system",
    references_field: str = "references",
    attributes: Mapping[str, str] = NOTHING,
    separator: str | None = None,
    summaries: Mapping[str, str | Path] | None = None,
    on_error: Literal["stop", "skip"] = "stop",
    require: Sequence[str] = (),
    system: str | None = None,
    format: str | None = None,  # noqa: A002 # the option's name
) -> Reading:
    """The cases of a path, several paths, a saved data set, ``hf:NAME[:SPLIT]``, a table or an iterable.

    Files: JSON Lines or a JSON array, CSV, TSV and SSV (between semicolons; all also as .gz and .zst), Parquet, Arrow and Feather;
    ``format`` says which where the ending does not. Tables: pandas, polars, pyarrow. Iterables: of dicts,
    Records or Cases.

    The ``*_field`` names say where things stand; ``id_field=None`` numbers the rows. ``attributes`` maps an
    attribute's name to the field it stands in: of each document, or of the row, where a list gives one
    value per document and a single value speaks of the record (and of its document, where the documents
    are one text). ``meta.ratio`` looks inside the field ``meta``. ``separator`` cuts a text field into
    documents; a parallel field is cut the same way, or by ``|``, or holds a JSON list.

    ``summaries`` reads the summaries of further systems from files of their own, by id or, from plain text,
    by order. ``system`` names the system where the rows do not; by default it is the file's name without
    its ending. ``require`` leaves out cases of which a document lacks an attribute, counted.
    ``on_error="skip"`` leaves out what is not as it must be, counted and listed.

    Numbers and truth values become text (5 and 5.0 are ``5``); null and blank values of attributes are
    absent. A blank summary has the reason ``empty summary``, one that is null ``missing summary``.

    Raises RequestError if there is nothing to read under that name, MissingExtra without `datasets`.
    """
    if on_error not in ("stop", "skip"):
        raise RequestError(f"on_error is 'stop' or 'skip', not {on_error!r}.")
    if separator == "":
        raise RequestError("The separator is empty: give what stands between two documents.")
    if system is not None and not system.strip():
        raise RequestError("The system's name is empty: give it one, or leave it to the file's name.")
    for name, path in (summaries or NOTHING).items():
        if not name.strip():
            raise RequestError(f"The summaries in {path} need the name of a system: write NAME=FILE.")
        files.check(Path(path))
    fields = Fields(
        id_field or None,
        summary_field,
        documents_field,
        system_field,
        references_field,
        attributes,
        separator,
    )
    return Reading(
        find_sources(source, format),
        fields,
        summaries=summaries or NOTHING,
        on_error=on_error,
        require=(require,) if isinstance(require, str) else tuple(require),
        system=system,
    )
