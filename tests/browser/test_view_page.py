"""``fairbrief view`` in a real browser: it lists, opens the first record and marks nothing before it is pointed at."""

from __future__ import annotations

import json
import re
import threading
from pathlib import Path

import pytest
from tests.browser.browsing import chromium, needs_chromium
from tests.cli.command import printed

from fairbrief.cli.saved_commands import read_inputs
from fairbrief.saved.view import Answers, Server, open_audit

pytestmark = [pytest.mark.browser, needs_chromium]


def test_the_page_lists_records_and_opens_the_first(tmp_path: Path, profile: Path) -> None:
    """The page's own policy lets it ask its server, and what it shows is the audit's; records here have no attributes."""
    rows = map(json.loads, Path("examples/reviews.jsonl").read_text(encoding="utf-8").splitlines())
    plain, folder = tmp_path / "plain.jsonl", tmp_path / "audit"
    plain.write_text("".join(json.dumps({**row, "attributes": {}}) + "\n" for row in rows), encoding="utf-8")
    printed(
        "audit",
        str(plain),
        "--measure",
        "coverage_parity@sentiment",
        "--resamples",
        "0",
        "--out",
        str(folder),
    )
    with Server(Answers([open_audit(folder, read_inputs)])) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            shown = chromium("--virtual-time-budget=9000", "--dump-dom", server.address, profile=profile)
        finally:
            server.shutdown()
            thread.join()
    assert "1 to 28 of 28 records" in shown
    assert len(re.findall(r'<button type="button"[^>]*><bdi>', shown)) == 28
    assert "Summary by" in shown
    assert "<mark data-units" in shown
    assert 'class="on"' not in shown
    assert '<p class="story">' in shown
    assert "null" not in re.sub(r"<(script|style).*?</\1>", "", shown, flags=re.DOTALL)
