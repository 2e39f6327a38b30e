"""Build sets of inputs with controlled people from annotated records."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from fairbrief.errors import DataError, RequestError, reading_text
from fairbrief.people.filling import LEFT, PeopleOptions, fill, lint
from fairbrief.people.groups import TOO_FEW, Capacity, Plan, assign, measure, read_groups
from fairbrief.people.template import make_template
from fairbrief.text.counted import counted
from fairbrief.text.languages import is_foreign
from fairbrief.text.names import Names, census, is_given_name, read_names
from fairbrief.types import Record


class Report(list[Capacity]):
    """The outcome for each seed document; complete after the last record."""

    @property
    def written(self) -> int:
        """The number of inputs."""
        return sum(capacity.written for capacity in self)

    @property
    def refused(self) -> list[Capacity]:
        """The seed documents without inputs."""
        return [capacity for capacity in self if not capacity.written]

    def reasons(self) -> dict[str, int]:
        """The number of refused seed documents by reason."""
        return dict(Counter(capacity.reason for capacity in self.refused))

    def advice(self) -> list[str]:
        """Remedies for refused seed documents, one line per reason."""
        return [f"{reason}: {REMEDIES[reason]}" for reason in self.reasons() if reason in REMEDIES]


REMEDIES = {
    TOO_FEW: "balanced inputs need names of each group for a share of the people, mono inputs for all people; names in the "
    "text or shared by two groups are not drawn. Give a larger table: --names FILE.",
    LEFT: "the text names a person without a marked mention. Mark it in the source; or, if last names are replaced, keep them "
    "(--last-names keep), so that only first names identify the group.",
}


def build(
    records: Iterable[Record], options: PeopleOptions, table: Names | None = None
) -> tuple[Iterator[Record], Report]:
    """Records with controlled people, ``per_seed_document`` (20) per seed document, and a report that grows with them.

    ``groups`` are those of `read_groups`. ``design``: ``balanced`` (C_loc: half of the people in each group, in pairs with
    exchanged groups) or ``mono`` (C_glob: one group per input). Last names are replaced by default for groups of race,
    which they also signal. ``table`` has the names, by default those of the options (`names_of`).

    ``design="original"`` gives the seed documents that could be filled (balanced) unchanged, one record each, for the
    paper's row of original documents.

    The attributes of every record identify its place in the design: ``design``, ``sample`` (the draw), ``pair``
    (balanced) or ``group`` (mono); ``genders`` (`Plan.genders`; for seed documents ``as written``), ``last_names``
    (``kept``, ``replaced``) and ``content_words`` (``kept``, ``exchanged``, ``neutral``). Ids differ between sets
    too, so that one audit can contain several.

    The same seed gives byte-identical records, whatever other seed documents there are. If one input of a seed
    document cannot be made, none is, and the report has the reason. Raises `RequestError` for a request that no seed
    document could meet, `DataError` for a broken table or record.
    """
    table = names_of(options.names) if table is None else table
    groups, design = read_groups(options.groups, table), options.design
    only = None
    if design == "original":
        only = 1
    elif design == "mono" and groups[0].age is not None:
        only = len(groups)  # there are no names to draw
    if only is not None and options.per_seed_document not in (None, only):
        raise RequestError(
            f"With --groups {options.groups} and --design {design}, {counted(only, 'input')} of a seed document can differ: omit the "
            "number of inputs per seed document."
        )
    many = only or (20 if options.per_seed_document is None else options.per_seed_document)
    if many < 1 or (only is None and many % len(groups)):
        raise RequestError(
            f"{counted(many, 'input')} of each seed document cannot be divided among {counted(len(groups), 'group')}. Wanted a multiple of {len(groups)}."
        )
    plan, report = Plan(groups, options, table, draws=many // len(groups)), Report()

    def rows() -> Iterator[Record]:
        seen: set[str] = set()
        for record in records:
            if record.id in seen:
                raise DataError(
                    f"{record.where or record.id}: a second record has the id '{record.id}'. Give each its own."
                )
            seen.add(record.id)
            made, capacity = rows_of(record, plan)
            report.append(capacity)
            yield from made

    return rows(), report


def names_of(name: str) -> Names:
    """The census, or the table of names in a file; RequestError or DataError if there is none."""
    if name == "census":
        return census()
    path = Path(name)
    if not path.is_file():
        raise RequestError(
            f"There is no table of names '{name}'. Wanted census, or a file name,part,gender,group."
        )
    with reading_text(path), path.open(encoding="utf-8-sig", newline="") as lines:
        return read_names(lines, str(path))


def rows_of(record: Record, plan: Plan) -> tuple[list[Record], Capacity]:
    """All rows of a seed document, or none and the reason."""
    options = plan.options
    if language := is_foreign(" ".join(document.text for document in record.documents)):
        named = len(record.entities)
        detail = "names, titles and pronouns are exchanged only in English texts"
        return [], Capacity(record.id, named, 0, reason=f"the text is {language}", detail=detail)
    template = make_template(record, is_given_name, content=options.content_words != "keep")
    pools = plan.pools(template)
    capacity = measure(plan, pools, template)
    if capacity.reason:
        return [], capacity
    if options.design == "original":
        kept = {"genders": "as written", "last_names": "kept", "content_words": "kept"}
        row = placed(record, record, "original", {"design": options.design, **kept})
        return [row], replace(capacity, written=1)
    rng = random.Random(f"{options.seed}|{record.id}")  # noqa: S311 # a seed that reproduces is wanted
    settings = {
        "genders": plan.genders,
        "last_names": "replaced" if plan.replaces_last else "kept",
        "content_words": {"keep": "kept", "exchange": "exchanged"}.get(options.content_words, "neutral"),
    }
    usual_last = "replaced" if "race" in plan.kinds else "kept"
    usual = {"genders": "varied", "last_names": usual_last, "content_words": "kept"}
    unusual = [value for name, value in settings.items() if value != usual[name]]
    rows = []
    for assigned, place in assign(template, plan, pools, rng):
        filled = fill(template, assigned, options)
        if faults := lint(template, filled, assigned):
            return [], replace(capacity, reason=faults[0].reason, detail=faults[0].detail)
        name = ".".join(("-".join((options.design, *unusual)), *place.values()))
        attributes = {"design": options.design, **settings, **place}
        rows.append(placed(filled, record, name.replace(", ", "-").replace(" ", "-"), attributes))
    return rows, replace(capacity, written=len(rows))


def placed(record: Record, seed_document: Record, name: str, attributes: Mapping[str, str]) -> Record:
    """A record of a set of inputs, with the attributes that identify its place in the design."""
    attributes = {**seed_document.attributes, **attributes}
    ident, of = f"{seed_document.id}.{name}", seed_document.id
    return replace(record, id=ident, seed_document=of, attributes=attributes)
