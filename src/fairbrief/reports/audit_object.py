"""An audit in a person's hands: data frames, pictures, single records, a folder, the screen, a notebook."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from fairbrief.errors import RequestError
from fairbrief.readers.messages import did_you_mean
from fairbrief.reports import arrangement, figures, first_answers, terminal, wording, write_all
from fairbrief.reports.estimate_figures import Figure, Panel
from fairbrief.reports.frames import Estimates, PerRecord
from fairbrief.reports.pages import page, style_text
from fairbrief.reports.result import Result, TopCase
from fairbrief.reports.tables import section_table
from fairbrief.text.counted import counted
from fairbrief.types import Table


def standing_alone(figure: Figure) -> Figure:
    """The figure with the light colours and the paper of the page in its pictures, for where its style sheet is not."""
    colours = dict(
        reversed(re.findall(r"(?<![\w-])--([\w-]+): (#\w+)", style_text()))
    )  # those of the light page come first
    background = f'<svg style="background: {colours["paper"]}" '

    def coloured(svg: str) -> str:
        svg = re.sub(r"var\(--([\w-]+)\)", lambda name: colours.get(name[1], name[0]), svg)
        return svg.replace("<svg ", background, 1)

    return replace(figure, panels=tuple(Panel(panel.title, coloured(panel.svg)) for panel in figure.panels))


class Figures(tuple[Figure, ...]):
    """Figures that a notebook shows; ``.save(folder)`` writes each picture as an SVG file."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return page("notebook.html.j2", {"figures": map(standing_alone, self)})

    def __repr__(self) -> str:
        return f"<Figures: {'; '.join(f.title for f in self) or 'none'}>"

    def save(self, folder: Path | str) -> list[Path]:
        """Write ``FIGURE-PANEL.svg`` for each picture, numbered from 1; return the paths."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        written = []
        for i, figure in enumerate(map(standing_alone, self), 1):
            for k, panel in enumerate(figure.panels, 1):
                written.append(folder / f"{i:02}-{k:02}.svg")
                written[-1].write_text(panel.svg, encoding="utf-8")
        return written


@dataclass(frozen=True, slots=True, repr=False)
class Audit:
    """What an audit found. ``print`` shows what the command prints; a notebook shows the first screen and the main values."""

    result: Result
    read: Callable[[Result], Result] = lambda result: result
    """Adds the records that the page shows, which takes another look at the input."""

    @property
    def estimates(self) -> Estimates:
        """Every estimate; ``.to_pandas()``, ``.to_polars()``, ``.to_arrow()``."""
        return Estimates(self.result.estimates)

    @property
    def differences(self) -> Estimates:
        """Paired differences between systems; frames as above."""
        return Estimates(self.result.differences)

    @property
    def per_record(self) -> PerRecord:
        """The rows under the estimates; frames as above."""
        return PerRecord(self.result.per_record)

    @property
    def tables(self) -> tuple[Table, ...]:
        """A protocol's tables."""
        return self.result.tables

    def worst(self, n: int = 5, measure: str | None = None, system: str | None = None) -> tuple[TopCase, ...]:
        """Records where a measure's main value is largest: at most ``n`` of each measure and system, largest first.

        ``measure`` is a measure spec or a measure's name. Each has ``case`` (the texts), ``value`` and ``story``. An audit
        keeps five of each; of levels (a ROUGE score), which have no zero to be held to, none.
        Raises RequestError for an ``n`` below 1, and for a measure or a system that the audit has not.
        """
        if n < 1:
            raise RequestError(f"n is how many records to show, at least 1, not {n}.")
        estimates = self.result.estimates
        measures = {name for e in estimates for name in (e.measure, wording.name_of(e.measure))}
        for what, name, there in (
            ("measure", measure, measures), ("system", system, {e.system for e in estimates}),
        ):  # fmt: skip
            if name is not None and name not in there:
                raise RequestError(
                    f"The audit has no {what} '{name}'.{did_you_mean(name, there)} It has: {', '.join(sorted(there))}."
                )
        kept: dict[tuple[str, str], list[TopCase]] = {}
        for one in self.result.top_cases:
            named = measure in (None, one.measure, wording.name_of(one.measure))
            if named and system in (None, one.system):
                kept.setdefault((one.measure, one.system), []).append(one)
        return tuple(x for of in kept.values() for x in sorted(of, key=lambda x: -x.value)[:n])

    def plot(self) -> Figures:
        """The figures that the measures declare, as the page shows them."""
        return Figures(figures.draw(self.result))

    def save(self, folder: Path | str) -> Path:
        """Write results.json, the per-record statistics, report.html and the tables; return the folder."""
        write_all(self.read(self.result), folder)
        return Path(folder)

    def __repr__(self) -> str:
        made = self.result.made
        counts = (
            counted(int(made.get("records", 0)), "record"),
            counted(len(made.get("systems", ())), "system"),
            counted(len({e.measure for e in self.result.estimates}), "measure"),
        )
        return f"<Audit: {', '.join(counts)}; print it for its findings>"

    def __str__(self) -> str:
        from rich.console import Console

        screen = io.StringIO()
        rest = terminal.Rest(hint="", place="in .estimates and .differences")
        terminal.print_result(self.result, Console(width=100, file=screen), rest=rest)
        return screen.getvalue()

    def _repr_html_(self) -> str:
        answers = first_answers.answers(self.result)
        main_values = [e for e in self.result.estimates if wording.is_main_value(e)]
        sections = arrangement.arrange(main_values, self.result.made)
        tables = [section_table(section, self.result.made) for section in sections]
        return page("notebook.html.j2", {"answers": answers, "tables": tables})
