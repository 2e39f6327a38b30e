"""``fairbrief view`` in a real browser: it lists, opens the first record and marks nothing before it is pointed at."""

from __future__ import annotations

import re
import threading
from pathlib import Path

import pytest
from tests.browser.browsing import chromium, needs_chromium
from tests.cli.command import printed

from fairbrief.cli.view_command import _read
from fairbrief.viewing.answers import Answers, open_audit
from fairbrief.viewing.server import Server

pytestmark = [pytest.mark.browser, needs_chromium]


def test_the_page_lists_records_and_opens_the_first(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The page's own policy lets it ask its server, and what it shows is the audit's."""
    measure = "coverage_parity@sentiment"
    printed(
        "audit", "examples/reviews.jsonl", "--measure", measure, "--resamples", "0", "--out", str(tmp_path)
    )
    with Server(Answers([open_audit(tmp_path, _read)])) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            shown = chromium(
                "--virtual-time-budget=9000",
                "--dump-dom",
                server.address,
                profile=tmp_path_factory.mktemp("profile"),
            )
        finally:
            server.shutdown()
            thread.join()
    assert "1 to 26 of 26 records" in shown
    assert len(re.findall(r'<button type="button"[^>]*><bdi>', shown)) == 26
    assert "Summary by" in shown
    assert "<mark data-units" in shown
    assert 'class="on"' not in shown
