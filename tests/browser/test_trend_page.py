"""The page of ``fairbrief trend`` in a browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.browser.browsing import Served, needs_chromium
from tests.sample_nights import night

from fairbrief.reports import trend_page
from fairbrief.saved.trend import trend

pytestmark = [pytest.mark.browser, needs_chromium]


def test_the_page_shows_a_drift_and_fits_a_narrow_window(served: Served) -> None:
    """A picture per series, the change in the first sentence, no script, and nothing beyond the window's edge."""
    folders: list[Path] = [night(served.folder / "n", i, -0.2 * (i >= 40), system="<b>x") for i in range(60)]
    page = trend_page.as_page(trend(folders))
    (served.folder / "trend.html").write_text(page, encoding="utf-8")
    facts = """return {
      scripts: inner.scripts.length, pictures: inner.querySelectorAll('figure svg').length,
      changes: [...inner.querySelectorAll('figure svg')].filter(p => p.textContent.includes('change')).length,
      lead: inner.querySelector('.lead').textContent, bold: inner.querySelectorAll('b').length,
      needed: inner.documentElement.scrollWidth, visible: inner.documentElement.clientWidth };"""
    seen = served.look("trend.html", facts, width=420)
    assert "tone cross, <b>x" in seen["lead"].lower()
    assert (seen["scripts"], seen["bold"], seen["changes"]) == (0, 0, 1)
    assert seen["pictures"] >= 2
    assert seen["needed"] <= seen["visible"]
