"""Fairbrief's HTML pages: templates that escape every text, and a policy that allows only the page's style and script.

The Content-Security-Policy names the style sheet and the script by their hashes and forbids everything else. A text that
got past the escaping could neither run nor load anything.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from fairbrief.reports import plot, tables
from fairbrief.reports.plain import printable
from fairbrief.text.counted import counted


def page(template: str, context: Mapping[str, Any], *, scripts: Sequence[str] = ()) -> str:
    """A filled template; it also gets ``style``, ``script`` and their hashes.

    ``scripts`` are names of files in ``scripts/``, which are joined in this order.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("fairbrief.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        # Every text that a template prints is made printable; Markup is already.
        finalize=lambda value: printable(value, lines=True) if type(value) is str else value,
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
