"""Files and tables -> a stream of cases. Memory does not grow with the input.

A row is ``{"id", "documents": [{"text", "attributes", "id"}], "summary", "system", "references", "attributes",
"original", "claims", "entities", "reason", "made"}``: a line of JSON, a row of a table, a dict. Only the documents
must be there; documents may be plain texts, ``summary`` may be an object of several systems' summaries. ``reason``
says why a summary cannot be used (``refused``), ``made`` how it was made; `fairbrief.serialization` makes such rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Literal

from fairbrief.errors import RequestError
from fairbrief.readers.field_values import NOTHING
from fairbrief.readers.fields import ID, Fields
from fairbrief.readers.input_sources import FileOptions, find_sources
from fairbrief.readers.labelling import CHOICES, Labelling, Missing, bins_of
from fairbrief.readers.reading import Reading
from fairbrief.readers.summary_files import Given, summary_files

__all__ = ["Reading", "read"]


def read(
    source: Any,
    *,
    summary_field: str | Sequence[str | tuple[str | None, str]] | Mapping[str, str] = "summary",
    documents_field: str | Sequence[str] = "documents",
    id_field: str | None = ID,
    system_field: str = "system",
    references_field: str = "references",
    document_id_field: str | None = None,
    cluster_by: str | None = None,
    attributes: Mapping[str, str | None] = NOTHING,
    record_attributes: Mapping[str, str] = NOTHING,
    separator: str | None = None,
    group_by: str | None = None,
    summaries: Given = None,
    summaries_id_field: str | None = None,
    on_error: Literal["stop", "skip"] = "stop",
    require: Sequence[str] = (),
    missing: Missing = "refuse",
    bins: Mapping[str, str] = NOTHING,
    labels: Sequence[str] = (),
    system: str | None = None,
    format: str | None = None,  # noqa: A002 # the option's name
    encoding: str | None = None,
    sheet: str | None = None,
) -> Reading:
    """The cases of a path or address (``s3://``, ``gs://``, ``abfs://``, ``hdfs://``), several, a saved data set, ``hf:NAME[:SPLIT]``, a table or an iterable.

    Files: JSON Lines or a JSON array, CSV, TSV and SSV (between semicolons; all also as .gz and .zst), Parquet, Arrow and Feather;
    ``format`` says which where the ending does not; spreadsheets (.xlsx, .xls, .ods), of which ``sheet`` names the
    sheet where several hold something. A text that is not in UTF-8 is read as its bytes suggest, which ``notes``
    say, or in the ``encoding`` that is told. Tables: pandas, polars, pyarrow. Iterables: of dicts,
    Records or Cases.

    The ``*_field`` names say where things stand. Each is the name of a field or a path to it: ``meta.ratio``,
    ``choices[0].text``, ``reviews[*].text``, ``review_*`` (see `readers.fields`). Several documents may stand in one
    field, in several, or in one row each: ``group_by`` names the field that says which record a row is of. Several
    ``summary_field`` (or one with a star) are those of several systems; a mapping names these. ``id_field=None``
    numbers the rows, and so they are where they have no ``id``.

    ``attributes`` maps an attribute's name to the field it stands in (None: the field of this name, if there is
    one): of each document, or of the row, where a list gives one value per document and a single value speaks of
    the record (and of its document, where the documents are one text). ``record_attributes`` are of the record
    alone. ``separator`` cuts a text field into documents; a parallel field is cut the same way, or by ``|``, or
    holds a JSON list.

    ``document_id_field`` names the documents (by default their own field ``id`` does, if they have one).
    ``cluster_by`` is a field of the record (also a nested one): records with one value of it are no independent
    witnesses, and are resampled together. Without it the counterfactuals of one seed document are.

    ``summaries`` reads summaries from files of their own, by id (in the field
    ``summaries_id_field``, if it is called differently there) or, from plain text, by order: of one system by name
    (a mapping), or of those that the file's rows name.

    ``system`` names the system where the rows do not; by default it is the file's name without its ending.
    ``missing`` says what becomes of a document without one of the attributes that were named (in ``attributes`` or
    ``labels``; if none was, those that could be groups) where others of the record have it: whoever asks for it
    refuses the record, or the document is dropped, or in the group ``missing``; both counted in ``notes``. ``bins``
    put numbers in groups: by cuts (``3,7``; a number equal to a cut belongs below it), or in equal shares (``q3``).

    ``require`` leaves out cases of which a document lacks an attribute, counted. ``on_error="skip"`` leaves out
    what is not as it must be, counted and listed.

    Numbers and truth values become text (5 and 5.0 are ``5``); null and blank values of attributes are
    absent. A blank summary has the reason ``empty summary``, one that is null ``missing summary``.

    Raises RequestError if there is nothing to read under that name, MissingExtra without `datasets`
    or python-calamine.
    """
    if on_error not in ("stop", "skip"):
        raise RequestError(f"on_error is 'stop' or 'skip', not {on_error!r}.")
    if separator == "":
        raise RequestError("The separator is empty: give what stands between two documents.")
    if system is not None and not system.strip():
        raise RequestError("The system's name is empty: give it one, or leave it to the file's name.")
    if group_by is not None and id_field != ID:
        raise RequestError("--group-by names the field of the records' ids: drop --id-field.")
    if missing not in CHOICES:
        raise RequestError(f"missing is {', '.join(CHOICES)}, not {missing!r}.")
    given = summary_files(summaries)
    if summaries_id_field is not None and not given:
        raise RequestError("--summaries-id-field speaks of a file of summaries: name it with --summaries.")
    fields = Fields(
        id=id_field or None,
        summary=_summary_fields(summary_field),
        documents=(documents_field,) if isinstance(documents_field, str) else tuple(documents_field),
        system=system_field,
        references=references_field,
        attributes={name: field for name, field in attributes.items() if field is not None},
        record_attributes=record_attributes,
        labels=tuple(name for name, field in attributes.items() if field is None),
        separator=separator,
        document_id=document_id_field,
        cluster=cluster_by,
        group_by=group_by,
    )
    return Reading(
        find_sources(source, FileOptions(format, encoding, sheet)),
        fields,
        summaries=given,
        summary_fields=Fields(
            id=summaries_id_field or group_by or fields.id or ID, summary=fields.summary, system=system_field
        ),
        on_error=on_error,
        require=(require,) if isinstance(require, str) else tuple(require),
        system=system,
        labelling=partial(_labelling, dict(bins), missing, tuple(dict.fromkeys([*attributes, *labels]))),
    )


def _labelling(bins: Mapping[str, str], missing: Missing, named: tuple[str, ...]) -> Labelling:
    return Labelling({name: bins_of(text) for name, text in bins.items()}, missing, named)


def _summary_fields(
    given: str | Sequence[str | tuple[str | None, str]] | Mapping[str, str],
) -> tuple[tuple[str | None, str], ...]:
    """Pairs of system and field; without a name the field, or what its star stands for, names the system."""
    if isinstance(given, Mapping):
        return tuple(given.items())
    listed = [given] if isinstance(given, str) else given
    return tuple((None, one) if isinstance(one, str) else one for one in listed)
