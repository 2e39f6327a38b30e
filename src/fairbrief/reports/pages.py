"""What every page of ours is made with: templates that escape, and a policy that allows its own style and script alone.

The policy (Content-Security-Policy) names the style sheet, and the script where there is one, by their hashes and
forbids everything else; so even a text that slipped through the escaping could neither run nor load anything.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from fairbrief.reports.plain import printable
from fairbrief.reports.tables import numeric_columns
from fairbrief.text.counted import counted


def page(template: str, context: Mapping[str, Any], *, scripts: Sequence[str] = ()) -> str:
    """A template filled with a context, and with ``style``, ``script`` and their hashes.

    ``scripts`` are names of our own files, which become one script in their order.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("fairbrief.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # Markup is for pictures that this package drew and escaped.
    environment.globals.update(counted=counted, numeric_columns=numeric_columns, svg=Markup)
    style = style_text()
    script = "".join(script_text(name) for name in scripts)
    return environment.get_template(template).render(
        style=Markup(style),  # noqa: S704 - our own file
        style_hash=digest(style),
        script=Markup(script),  # noqa: S704 - our own files
        script_hash=digest(script),
        **context,
    )


def style_text() -> str:
    """The style sheet of all pages."""
    return (files("fairbrief.reports") / "templates" / "report.css").read_text(encoding="utf-8")


def script_text(name: str) -> str:
    """One of our own scripts."""
    return (files("fairbrief.reports") / "scripts" / name).read_text(encoding="utf-8")


def digest(text: str) -> str:
    """What a policy calls a style or script by."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _finalize(value: Any) -> Any:
    """Every text that a template prints is made printable; texts that keep their lines already were."""
    return printable(value, lines=True) if type(value) is str else value
