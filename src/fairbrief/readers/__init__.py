"""Files and tables to a stream of cases. Memory does not grow with the input.

A row is ``{"id", "documents": [{"text", "attributes", "id"}], "summary", "system", "references", "attributes",
"seed_document", "claims", "entities", "reason", "made"}``: a line of JSON, a row of a table, a dict. Only the documents
are required; they may be plain texts, ``summary`` may be an object of several systems' summaries. ``reason``
is why a summary is unusable (``refused``), ``made`` how it was made; `fairbrief.serialization` writes such rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fairbrief.readers.reading_settings import ReadingSettings
from fairbrief.settings import documented

if TYPE_CHECKING:
    from typing import Unpack

    from fairbrief.keywords import ReadingSettingsKeywords
    from fairbrief.readers.reading import Reading

__all__ = ["Reading", "ReadingSettings", "read"]


def __getattr__(name: str) -> Any:
    """Load `Reading` when it is asked for, since the help of commands needs only the settings."""
    if name == "Reading":
        from fairbrief.readers.reading import Reading

        return Reading
    raise AttributeError(f"module 'fairbrief.readers' has no attribute '{name}'")


def read(source: Any, **settings: Unpack[ReadingSettingsKeywords]) -> Reading:
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
    (and to its document, if the record has only one text). ``record_attributes`` belong to the record only. These and other
    mappings may also be texts as on the command line: ``attributes=["tone=tone_*"]``.
    ``speakers`` is a table with one row per value of the documents' attribute ``speaker``; its other columns become attributes
    of the documents of that speaker, unless they have them.
    ``separator`` splits a text field into documents; a parallel field is split in the same way, or by ``|``, or is a
    JSON list.

    ``cluster_by`` is a field of the record: records with the same value are one cluster and are resampled together. By
    default the counterfactuals of one seed document are.

    ``summaries`` reads summaries from separate files: matched by id (in the field ``summaries_id_field``), or, from
    plain text, by order; of one named system (a mapping), or of the systems that the rows name. ``system`` is by default
    the file's name without its ending.

    ``notes`` count what ``missing`` drops or groups; a number that equals a cut of ``bins`` is below it.

    Numbers and truth values become text (5 and 5.0 are ``5``); null and blank values of attributes are
    absent. A blank summary has the reason ``empty summary``, a null one ``missing summary``.

    Raises RequestError if there is nothing to read under that name, MissingExtra without `datasets`
    or python-calamine.

    All settings, as on the command line:
    """
    return ReadingSettings(**settings).read(source)


read.__doc__ = documented(read.__doc__, ReadingSettings)
