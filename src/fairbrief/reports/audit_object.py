"""An audit in Python: data frames, figures, single records, a folder, text, and a view for notebooks."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
from rich.console import Console

from fairbrief.reports import audit_folder, figures, first_answers, html, plot, terminal, wording
from fairbrief.reports.figures import Figure, Panel
from fairbrief.reports.frames import Estimates
from fairbrief.reports.result import Result
from fairbrief.reports.tables import arrange, contrast_tables, section_table
from fairbrief.reports.wording import Context
from fairbrief.text.counted import counted
from fairbrief.types import Data, Table


def _notebook(context: Mapping[str, Any]) -> str:
    return html.page("notebook.html.j2", {**context, "colours": plot.LIGHT, "series": plot.SERIES})


class Figures(tuple[Figure, ...]):
    """Figures that a notebook shows; ``.save(folder)`` writes each picture as an SVG file. Each picture is complete by itself."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return _notebook({"figures": self})

    def __repr__(self) -> str:
        return f"<Figures: {'; '.join(f.title for f in self) or 'none'}>"

    def save(self, folder: Path | str) -> list[Path]:
        """Write ``FIGURE-PANEL.svg`` for each picture, numbered from 1; return the paths."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        written = []
        for i, figure in enumerate(self, 1):
            for k, panel in enumerate(figure.panels, 1):
                written.append(folder / f"{i:02}-{k:02}.svg")
                written[-1].write_text(panel.svg, encoding="utf-8")
        return written


class Audit(Data, frozen=True):
    """The result of an audit. ``print`` shows what the command prints; a notebook shows finding, caution and leading table."""

    result: Result
    read: Callable[[Result], Result] = lambda result: result
    """Adds the records that the report shows, which reads the input again."""

    @property
    def estimates(self) -> Estimates:
        """Every estimate; ``.to_pandas()``, ``.to_polars()``, ``.to_arrow()``."""
        return Estimates(self.result.estimates)

    @property
    def differences(self) -> Estimates:
        """Paired differences between systems, with the same methods."""
        return Estimates(self.result.differences)

    @property
    def per_record(self) -> pa.Table:
        """The per-record statistics behind the estimates (columns: see `Result`)."""
        return self.result.per_record

    @property
    def tables(self) -> tuple[Table, ...]:
        """A protocol's tables."""
        return self.result.tables

    def plot(self) -> Figures:
        """The figures that the measures declare, as the report shows them."""
        return Figures(
            replace(figure, panels=tuple(Panel(p.title, plot.complete(p.svg)) for p in figure.panels))
            for figure in figures.draw(self.result)
        )

    def save(self, folder: Path | str) -> Path:
        """Write results.json, the per-record statistics, report.html and the tables; return the folder."""
        audit_folder.write_all(self.read(self.result), folder)
        return Path(folder)

    def __repr__(self) -> str:
        made = self.result.made
        records, systems = int(made.get("records", 0)), len(made.get("systems", ()))
        measures = counted(len({e.measure for e in self.result.estimates}), "measure")
        counts = f"{counted(records, 'record')}, {counted(systems, 'system')}, {measures}"
        return f"<Audit: {counts}; print() shows its findings>"

    def __str__(self) -> str:
        screen = io.StringIO()
        place = terminal.Place(rest=".estimates and .differences", can_save=False)
        terminal.print_result(self.result, Console(width=100, file=screen), place=place)
        return screen.getvalue()

    def _repr_html_(self) -> str:
        main_values = [e for e in self.result.estimates if wording.is_main_value(e)]
        context = Context(self.result)
        filled = {
            "first": html.first_screen(context),
            "caution": first_answers.CAUTION,
            "leading": contrast_tables(context)[:1],
            "tables": [section_table(section, context) for section in arrange(main_values, context)],
        }
        return _notebook(filled)
