"""What every page of ours is made with: templates that escape, and a policy that allows its own style alone.

The policy (Content-Security-Policy) names the style sheet by its hash and forbids everything else; so even
a text that slipped through the escaping could neither run nor load anything.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Mapping
from typing import Any

from fairbrief.reports.plain import printable


def page(template: str, told: Mapping[str, Any], filters: Mapping[str, Callable[..., Any]]) -> str:
    """A template filled with what it is told, and with ``style``, its hash, and ``svg`` to put pictures in."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    loader = PackageLoader("fairbrief.reports")
    environment = Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(filters)
    style = loader.get_source(environment, "report.css")[0]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return environment.get_template(template).render(
        style=Markup(style),  # noqa: S704 - our own file
        style_hash=digest,
        svg=Markup,  # applied to pictures that this package drew and sealed
        **told,
    )


def _finalize(value: Any) -> Any:
    """Every text that a template prints is made printable; texts that keep their lines already were."""
    return printable(value, lines=True) if type(value) is str else value
