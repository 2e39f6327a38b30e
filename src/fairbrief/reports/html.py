"""The self-contained HTML page of an audit, and what all pages of Fairbrief have in common.

A page uses no network and no script but its own, escapes every text, and works on light and dark screens and on paper. Its
Content-Security-Policy names the style sheet and the script by their hashes and forbids everything else. A text that got past the
escaping could neither run nor load anything.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib.resources import files
from itertools import islice
from math import copysign, inf, isfinite, log
from statistics import median
from typing import Any

from markupsafe import Markup

from fairbrief.conclusions import SIGNIFICANT, WORDS, decisive
from fairbrief.declarations import ContrastUnit
from fairbrief.ranges import grouped
from fairbrief.reports import figures, first_answers, json_file, plot, tables, wording
from fairbrief.reports.first_answers import answers, leading_sentence, next_steps
from fairbrief.reports.plain import named, printable
from fairbrief.reports.plot import BARE, FAINT, Axis, Mark, diamond, dot, upright
from fairbrief.reports.result import Result
from fairbrief.reports.tables import Section
from fairbrief.reports.wording import Context, described, difference, p_text, signed
from fairbrief.text.counted import counted
from fairbrief.types import Estimate

MOST_ROWS = 400
"""Rows of one table; ``results.json`` and ``estimates.csv`` have all."""
MOST_ON_PAGE = 1_500
"""Rows of all tables together: about 0.7 MB; with examples, pictures and script less than 3 MB."""
RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
SCRIPTS = ("elements.js", "record_view.js", "record_list.js", "report_page.js")


def page(
    template: str, context: Mapping[str, Any], *, scripts: Sequence[str] = (), names: Iterable[str] = ()
) -> str:
    """A filled template; it also gets ``style``, ``script`` and their hashes.

    ``scripts`` are names of files in ``scripts/``, which are joined in this order. Those of the ``names`` with right-to-left
    letters are isolated, as these letters would move the numbers behind them.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    turned = sorted({named(name) for name in names if RIGHT_TO_LEFT.search(name)}, key=len, reverse=True)
    isolated = partial(
        re.sub, "|".join(map(re.escape, turned)).replace("\\ ", "[ \u00a0]") or "(?!)", "\u2068\\g<0>\u2069"
    )
    environment = Environment(
        loader=PackageLoader("fairbrief.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        # Every text that a template prints is made printable; Markup is already.
        finalize=lambda value: isolated(printable(value, lines=True)) if type(value) is str else value,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # Markup is only for pictures, whose texts are already escaped.
    environment.globals.update(counted=counted, numeric_columns=tables.numeric_columns, svg=Markup)
    style = style_text()
    script = "".join(script_text(name) for name in scripts)
    return environment.get_template(template).render(
        style=Markup(style),  # noqa: S704 - a file of this package
        style_hash=digest(style),
        script=Markup(script),  # noqa: S704 - files of this package
        script_hash=digest(script),
        **context,
    )


def style_text() -> str:
    """The style sheet of all pages, with their colours."""
    css = files("fairbrief.reports") / "templates" / "report.css"
    return plot.page_style() + css.read_text(encoding="utf-8")


def script_text(name: str) -> str:
    """A script of this package."""
    return (files("fairbrief.reports") / "scripts" / name).read_text(encoding="utf-8")


def digest(text: str) -> str:
    """The hash by which a policy names a style or script."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


# --------------------------------------------------------------------------------- the page of an audit


def render(result: Result) -> str:
    """The page as text."""
    context, made = Context(result), result.made
    sections, contrasts = tables.arrange(result.estimates, context), tables.of_differences(context)
    grids = list(_sections([*sections, *contrasts], context))
    filled = {
        "result": result,
        "facts": tables.facts(result),
        "first": first_screen(context),
        "made": tables.made_lines(made),
        "tables_title": "Published layout" if result.tables else "Scorers",
        "signature": next((e.signature for e in result.estimates if e.signature), ""),
        "interval_name": wording.interval_name(made),
        "tables": [*result.tables, *tables.reach_tables(made)],
        "grids": grids[: len(sections)],
        "compared": wording.COMPARED,
        "contrasts": grids[len(sections) :],
        "figures": figures.draw(result),
        "examples": Markup(json_file.embedded(context)),  # noqa: S704 - no < is left in it
        "not_computed": tables.left_out_tables(result),
    }
    names = {name for e in result.estimates for name in (e.system, e.group, e.over)}
    return page("report.html.j2", filled, scripts=SCRIPTS if result.examples.rows else (), names=names)


def _sections(sections: Sequence[Section], context: Context) -> Iterator[dict[str, Any]]:
    """A table of main values per section, and one of its secondary estimates; if there are too many rows, main values first."""
    left, cut = MOST_ON_PAGE, []
    for is_main in (True, False):
        for section in sections:
            of_kind = (e for e in section if wording.is_main_value(e) == is_main)
            cut.append(list(islice(of_kind, min(MOST_ROWS, left))))
            left -= len(cut[-1])
    for section, main, secondary in zip(sections, cut[: len(sections)], cut[len(sections) :], strict=True):
        first = section[0]
        declared = {e.measure: context.declared(e) for e in main if not first.subgroup and not first.baseline}
        asks = grouped((of.question, spec) for spec, of in declared.items())
        hidden = len(section) - len(main) - len(secondary)
        yield {
            "title": tables.section_title(first, context),
            "asks": [(wording.names_of(specs), question) for question, specs in asks.items() if question],
            "harms": [*filter(None, dict.fromkeys(of.harm for of in declared.values()))],
            "main": tables.estimates_table(section, main, context),
            "secondary": tables.estimates_table(section, secondary, context),
            "notes": tables.section_notes(section, section, hidden),
        }


# ------------------------------------------------------------------------------------ the first screen

WIDTH, HEIGHT, EDGE = 420, 26, 26
"""Size of a row's picture in pixels, and the margin at both ends."""
CLOSE = tuple(1 + percent / 100 for percent in range(-80, 181, 20))
WIDE = (0.01, 0.1, 0.5, 1.0, 2.0, 10.0, 100.0)
"""Odds ratios that are marked on an axis, in round percentages."""
MOST_GROUPS = 12
MOST_PANELS = 8
"""The most groups of a panel and panels; the others are in the tables below."""


def first_screen(context: Context) -> dict[str, Any] | None:
    """The leading sentence, the answers, and a panel per measure and attribute, the clearest first; None if there is no answer."""
    if not (told := answers(context)):
        return None
    if not context.panels:
        lead = next(iter(told.values()))[0].partition(":")[0].rstrip(".")
        return {"lead": f"{lead}.", "answers": told, "steps": [], "panels": [], "hidden": 0}
    few = first_answers.shortfalls(context.made, {context.first.measure})
    doubts = [f"{wording.capital(text)}." for text, _ in few]
    panels = [_panel(members, context) for members in context.panels[:MOST_PANELS]]
    meanings = [panel["meaning"] for panel in panels]
    for i, panel in enumerate(panels):  # each meaning once
        panel["meaning"] = "" if meanings[i] in meanings[:i] else meanings[i]
    return {
        "lead": " ".join([*doubts, leading_sentence(context)]),
        "answers": told,
        "steps": next_steps(context),
        "panels": panels,
        "hidden": len(context.panels) - len(panels),
    }


def _panel(members: Sequence[Estimate], context: Context) -> dict[str, Any]:
    """One measure's group differences by one attribute: a block per group with a line per system, all on one scale.

    With only one system there is one block without a heading, and the lines name the groups.
    """
    first = members[0]
    declared = context.declared(first)
    order = wording.ordered_groups(e.group for e in members)
    groups = context.clearest(members, lambda e: e.group, MOST_GROUPS)
    systems = context.clearest(members, lambda e: e.system, first_answers.MOST_SYSTEMS)
    kept = [e for e in members if e.system in systems and e.group in groups]
    every = {e.system for e in members}
    cuts = [
        f"Shown are the {len(shown)} of {len(of)} {what} with the largest differences; all are in the tables below."
        for shown, of, what in ((groups, order, "groups"), (systems, every, "systems"))
        if len(shown) < len(of)
    ]
    scale = _axis_of(kept, declared.contrast.unit)
    unlabelled = replace(scale, ticks=tuple((value, "") for value, _ in scale.ticks), has_line=False)
    is_single = len(systems) == 1
    lines = []
    for e in sorted(kept, key=lambda e: order.index(e.group)):
        heading = wording.heading(e, declared.contrast)
        who = (is_single and heading) or named(e.system)
        lines.append(("" if is_single else heading, _line(e, who, unlabelled, context)))
    return {
        "title": f"{tables.section_title(first, context)}{context.by(first)}",
        "question": declared.contrast.question,
        "even": declared.contrast.even,
        "has_extract_baseline": any(e.extract_baseline is not None for e in kept),
        "is_clear": any(context.kind(e) in SIGNIFICANT for e in members),
        "blocks": [{"group": group, "lines": lines} for group, lines in grouped(lines).items()],
        "axis": _picture("scale", scale),
        "notes": [*tables.group_counts_by_system(kept, declared.items), *cuts],
        "meaning": declared.harm,
    }


def _line(e: Estimate, who: str, scale: Axis, context: Context) -> dict[str, Any]:
    words, kind, rates = context.words(e), context.kind(e), context.plain(e)
    said, picture = "no value", ""
    if e.value is not None:
        said = f"{described(e, words)} ({rates})" if rates else described(e, words)
        colour, _ = plot.line_of(context.result.all_systems, e.system)
        low, high = _beyond(e.low, scale), _beyond(e.high, scale)
        marks: list[Mark] = [upright(0, FAINT, dash=None), *plot.interval(low, high, colour)]
        if (random := e.extract_baseline) is not None:
            marks.append(lambda x, y: diamond(x(random), y(0.5), 60))
        marks.append(dot(e.value, 0.5, colour))
        alt = ", ".join(filter(None, (e.system, e.group)))
        picture = _picture(f"{alt}: {said}", scale, marks, HEIGHT)
    return {
        "who": who, "picture": picture, "interval": wording.between(e.low, e.high, words.unit), "said": said, "conclusion": _conclusion(e, words.unit, context),
        "kind": kind, "is_worse": kind == words.worse_side,
    }  # fmt: skip


def _conclusion(e: Estimate, unit: ContrastUnit, context: Context) -> str:
    """The comparison of a group difference with its baseline, in words and numbers."""
    kind = context.kind(e)
    p, tested = decisive(e)
    if kind == "no value" or p is None:
        return wording.joined(e.notes) or WORDS[kind]
    numbers = []
    if e.extract_baseline is not None:
        numbers.append(f"random sentences {signed(e.extract_baseline, unit)}")
    if e.extract_p is not None:
        numbers.append(f"difference {signed(tested, unit)}")
    numbers.append(p_text(p))
    if kind == "not significant" and e.detectable:
        numbers.append(f"smallest detectable {difference(e.detectable, unit)}")
    return f"{context.concluded(e)}: {'; '.join(numbers)}"


# ------------------------------------------------------------------------------------------- pictures


def _axis_of(estimates: Sequence[Estimate], unit: ContrastUnit) -> Axis:
    """One axis for all rows of a panel with zero and every interval; a far wider interval is cut."""
    places = [x for e in estimates for x in (e.value, e.extract_baseline) if x is not None and isfinite(x)]
    bounds = [x for e in estimates for x in (e.low, e.high) if x is not None and isfinite(x)]
    usual = [median(map(abs, bounds))] if bounds else []
    widest = 3 * max((abs(x) for x in (*places, *usual)), default=1.0)
    places += [max(-widest, min(widest, x)) for x in bounds]
    low, high = plot.domain([*places, 0.0], 6)
    ticks: int | list[float] = 6
    if unit == "odds":
        ticks = [log(ratio) for ratio in (CLOSE if high - low <= 1.5 else WIDE) if low <= log(ratio) <= high]
    return Axis.of_numbers((low, high), ticks=ticks, label=partial(wording.tick, unit=unit))


def _beyond(bound: float | None, axis: Axis) -> float | None:
    """A bound of an interval; infinite, and so drawn as an arrow, if it is beyond the axis."""
    return bound if bound is None or axis.low <= bound <= axis.high else copysign(inf, bound)


def _picture(alt: str, x: Axis, marks: Sequence[Mark] = (), height: float = 0) -> str:
    """A picture as wide as its cell, with margins for the labels of the axis."""
    return plot.drawn(alt, x, BARE, marks, (WIDTH - 2 * EDGE, height), EDGE)
