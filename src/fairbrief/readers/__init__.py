"""Files and tables to a stream of cases. Memory does not grow with the input.

A row is ``{"id", "documents": [{"text", "attributes", "id"}], "summary", "system", "references", "attributes",
"seed_document", "claims", "entities", "reason", "made"}``: a line of JSON, a row of a table, a dict. Only the documents
are required; they may be plain texts, ``summary`` may be an object of several systems' summaries. ``reason``
is why a summary is unusable (``refused``), ``made`` how it was made; `fairbrief.serialization` writes such rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from fairbrief.errors import RequestError
from fairbrief.readers.field_values import NOTHING
from fairbrief.readers.fields import ID, Fields
from fairbrief.readers.input_sources import find_sources
from fairbrief.readers.labelling import (
    CHOICES,
    SPEAKER,
    Labelling,
    Missing,
    cuts_of,
    read_speakers,
)
from fairbrief.readers.reading import Reading
from fairbrief.readers.redacting import Redaction
from fairbrief.readers.sampling import Sampling
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
    cluster_by: str | None = None,
    attributes: Mapping[str, str | None] = NOTHING,
    record_attributes: Mapping[str, str] = NOTHING,
    speakers: Any = None,
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
    sample: float | None = None,
    sample_by: str | None = None,
    seed: int = 0,
    redact: Sequence[str] = (),
) -> Reading:
    """The cases of an input, as a stream: of files, data sets, tables or rows.

    The source is one or several paths or addresses (``s3://``, ``gs://``, ``abfs://``, ``hdfs://``), a saved data set,
    ``hf:NAME[:SPLIT]``, a table or an iterable. Files: JSON Lines or a JSON array, CSV, TSV and SSV (semicolons), all also
    as .gz and .zst; Parquet, Arrow and Feather; transcripts (.vtt, .srt, .txt with "NAME: text"), each one record of turns;
    spreadsheets (.xlsx, .xls, .ods), as FILE#SHEET if several sheets have content. ``format`` is needed only if the ending
    does not show it. Text that is not UTF-8 is decoded with ``encoding``, or as its bytes suggest, which ``notes`` record.
    Tables: pandas, polars, pyarrow. Iterables: of dicts, Records or Cases.

    Each ``*_field`` is the name of a field or a path to it: ``meta.ratio``, ``choices[0].text``,
    ``reviews[*].text``, ``review_*`` (see `readers.fields`). Documents may be in one field, in several, or in one row
    each: then ``group_by`` is the field with the record's id. Several ``summary_field`` (or one with a star) belong to
    several systems; a mapping names these. ``id_field=None`` numbers the rows, as do rows without ``id``.

    ``attributes`` maps an attribute to its field (None: the field of the same name, if there is one): a field of
    each document, or of the row, where a list has one value per document and a single value belongs to the record
    (and to its document, if the record has only one text). ``record_attributes`` belong to the record only.
    ``speakers`` is a table with one row per value of the documents' attribute ``speaker``; its other columns become attributes
    of the documents of that speaker, unless they have them.
    ``separator`` splits a text field into documents; a parallel field is split in the same way, or by ``|``, or is a
    JSON list.

    ``cluster_by`` is a field of the record: records with the same value are one cluster and are resampled together. By
    default the counterfactuals of one seed document are.

    ``summaries`` reads summaries from separate files: matched by id (in the field ``summaries_id_field``), or, from
    plain text, by order; of one named system (a mapping), or of the systems that the rows name.

    ``system`` is the name of the system if the rows name none; by default the file's name without its ending.
    ``missing`` decides about documents without an attribute that other documents of the record have (of those in
    ``attributes`` or ``labels``): ``refuse`` the record, ``drop``
    the documents, or make them the ``group`` ``missing``; ``notes`` count the last two. ``bins`` group numbers by cuts
    (``3,7``; a number equal to a cut is below it).

    ``require`` excludes and counts cases in which a document lacks an attribute. ``on_error="skip"`` excludes, counts
    and lists bad input.

    ``sample`` is a number of records, or a share below 1: those with the smallest hashes of ``seed`` and id, of all records or
    of each group of the attribute ``sample_by``. ``redact`` names what is replaced in all texts: ``identifiers`` (addresses,
    telephone, card and account numbers), and ``names`` of people in English texts.

    Numbers and truth values become text (5 and 5.0 are ``5``); null and blank values of attributes are
    absent. A blank summary has the reason ``empty summary``, a null one ``missing summary``.

    Raises RequestError if there is nothing to read under that name, MissingExtra without `datasets`
    or python-calamine.
    """
    if on_error not in ("stop", "skip"):
        raise RequestError(f"on_error={on_error!r}: write 'stop' or 'skip'.")
    if separator == "":
        raise RequestError("--separator is empty: give the text between two documents, or drop it.")
    if system is not None and not system.strip():
        raise RequestError("--system is empty: give a name, or drop it to use the file's name.")
    if group_by is not None and id_field != ID:
        raise RequestError("--group-by already names the field with the record's id: drop --id-field.")
    if missing not in CHOICES:
        raise RequestError(f"missing={missing!r}: write {', '.join(CHOICES[:-1])} or {CHOICES[-1]}.")
    named = tuple(dict.fromkeys([*attributes, *labels]))
    if missing != "refuse" and not named:
        raise RequestError(
            f"--missing {missing} needs --attribute NAME: add the attribute that documents lack."
        )
    if sample_by is not None and sample is None:
        raise RequestError("--sample-by needs --sample N: add it, or drop --sample-by.")
    given = summary_files(summaries)
    if summaries_id_field is not None and not given:
        raise RequestError(
            "--summaries-id-field needs --summaries FILE: add it, or drop --summaries-id-field."
        )
    table = None if speakers is None else read_speakers(speakers)
    joined = () if table is None or attributes.get(SPEAKER) is not None else (SPEAKER,)
    of_cluster = {} if cluster_by is None or cluster_by in attributes else {cluster_by: cluster_by}
    fields = Fields(
        id=group_by or id_field or None,
        summary=_summary_fields(summary_field),
        documents=(documents_field,) if isinstance(documents_field, str) else tuple(documents_field),
        system=system_field,
        references=references_field,
        attributes={name: field for name, field in attributes.items() if field is not None},
        record_attributes={**of_cluster, **record_attributes},
        labels=tuple(dict.fromkeys([*(n for n, field in attributes.items() if field is None), *joined])),
        separator=separator,
        cluster=cluster_by,
        group_by=group_by,
    )
    return Reading(
        find_sources(source, format, encoding),
        fields,
        summary_files=given,
        summary_fields=Fields(
            id=summaries_id_field or fields.id or ID, summary=fields.summary, system=system_field
        ),
        on_error=on_error,
        require=(require,) if isinstance(require, str) else tuple(require),
        system=system,
        labelling=Labelling(
            {name: cuts_of(text) for name, text in bins.items()}, missing, named, speakers=table
        ),
        sampling=None if sample is None else Sampling(sample, sample_by, seed),
        redaction=Redaction.of((redact,) if isinstance(redact, str) else tuple(redact)),
    )


def _summary_fields(
    given: str | Sequence[str | tuple[str | None, str]] | Mapping[str, str],
) -> tuple[tuple[str | None, str], ...]:
    """Pairs of system and field; without a name, the field (or what its star matches) names the system."""
    if isinstance(given, Mapping):
        return tuple(given.items())
    listed = [given] if isinstance(given, str) else given
    return tuple((None, one) if isinstance(one, str) else one for one in listed)
