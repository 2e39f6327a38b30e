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


def test_the_page_lists_records_and_opens_the_first(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The page's own policy lets it ask its server, and what it shows is the audit's."""
    shown = opened("examples/reviews.jsonl", "coverage_parity@sentiment", tmp_path, tmp_path_factory)
    assert "1 to 28 of 28 records" in shown
    assert len(re.findall(r'<button type="button"[^>]*><bdi>', shown)) == 28
    assert "Summary by" in shown
    assert "<mark data-units" in shown
    assert 'class="on"' not in shown


def test_a_record_without_attributes_shows_only_texts(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The view of a record that has no attributes shows nothing in their place, not the word "null"."""
    rows = map(json.loads, Path("examples/reviews.jsonl").read_text(encoding="utf-8").splitlines())
    plain = tmp_path / "plain.jsonl"
    plain.write_text("".join(json.dumps({**row, "attributes": {}}) + "\n" for row in rows), encoding="utf-8")
    shown = opened(str(plain), "uer@sentiment", tmp_path / "audit", tmp_path_factory)
    assert '<p class="story">' in shown
    assert "null" not in re.sub(r"<(script|style).*?</\1>", "", shown, flags=re.DOTALL)


def opened(file: str, measure: str, folder: Path, profiles: pytest.TempPathFactory) -> str:
    """The page of an audit of one measure, as it is once the first record was opened."""
    printed("audit", file, "--measure", measure, "--resamples", "0", "--out", str(folder))
    with Server(Answers([open_audit(folder, read_inputs)])) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            return chromium(
                "--virtual-time-budget=9000", "--dump-dom", server.address, profile=profiles.mktemp("profile")
            )
        finally:
            server.shutdown()
            thread.join()
