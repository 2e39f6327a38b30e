"""The page in a real browser: hostile texts neither run nor load nor push anything out of the page."""

from __future__ import annotations

import html as stdlib_html
import json
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests import sample_results

from fairbrief.reports import html

CHROMIUM = shutil.which("chromium")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="needs chromium"),
]

WRAPPER = """<!doctype html><iframe id="page" src="report.html" width="{width}" height="900"></iframe><pre id="found"></pre>
<script>
document.getElementById('page').addEventListener('load', event => {{
  const inner = event.target.contentDocument;
  inner.querySelectorAll('details').forEach(fold => fold.open = true);
  const root = inner.documentElement;
  document.getElementById('found').textContent = JSON.stringify({{
    title: inner.title, visible: root.clientWidth, needed: root.scrollWidth,
    scripts: inner.scripts.length, images: inner.images.length, pictures: inner.querySelectorAll('figure svg').length,
    paper: inner.defaultView.getComputedStyle(inner.body).maxWidth + inner.defaultView.getComputedStyle(inner.querySelector('main')).maxWidth,
  }});
}});
</script>"""


class Quiet(SimpleHTTPRequestHandler):
    """Serves a folder and remembers what was asked for."""

    asked: list[str]

    def __init__(self, *args: Any, asked: list[str], **kwargs: Any) -> None:
        self.asked = asked
        super().__init__(*args, **kwargs)

    def log_message(self, *_: Any) -> None:
        self.asked.append(self.path)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Path, str, list[str]]]:
    """A folder, the address it is served under, and the list of what was asked for."""
    asked: list[str] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path), asked=asked))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield tmp_path, f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    thread.join()
    server.server_close()


def look(served: tuple[Path, str, list[str]], profile: Path, width: int) -> dict[str, Any]:
    """What a browser finds in the page at a width."""
    folder, address, _ = served
    (folder / "wrapper.html").write_text(WRAPPER.format(width=width), encoding="utf-8")
    flags = "headless no-sandbox disable-gpu disable-quic no-first-run disable-background-networking disable-component-update disable-sync"
    command = [str(CHROMIUM), *(f"--{flag}" for flag in flags.split()), f"--user-data-dir={profile}"]
    command += [
        "--window-size=1400,1000",
        "--virtual-time-budget=8000",
        "--dump-dom",
        f"{address}/wrapper.html",
    ]
    done = subprocess.run(command, capture_output=True, timeout=120, check=True)
    found = re.search(r'<pre id="found">(.*?)</pre>', done.stdout.decode(), re.DOTALL)
    assert found is not None, done.stderr.decode()[-2000:]
    answer: dict[str, Any] = json.loads(stdlib_html.unescape(found[1]))
    return answer


@pytest.mark.parametrize("width", [1280, 390])
def test_hostile_texts_neither_run_nor_overflow(
    served: tuple[Path, str, list[str]], tmp_path_factory: pytest.TempPathFactory, width: int
) -> None:
    """With hostile names, values and texts, no script is in the page, none runs, and nothing is wider than it."""
    html.write(sample_results.hostile(), served[0] / "report.html")
    found = look(served, tmp_path_factory.mktemp("profile"), width)
    assert found["title"] == "Fairness of summaries: what was measured"
    assert found["scripts"] == 0
    assert found["images"] == 0
    assert found["pictures"] > 5
    assert found["needed"] <= found["visible"]
    assert found["visible"] >= width - 20


def test_the_page_asks_the_network_for_nothing_and_its_style_applies(
    served: tuple[Path, str, list[str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The page's own policy admits its style sheet, and the browser fetches nothing but the page."""
    html.write(sample_results.make(), served[0] / "report.html")
    found = look(served, tmp_path_factory.mktemp("profile"), 1280)
    assert found["paper"] == "none1184px"
    assert {path.split("?")[0] for path in served[2]} - {"/favicon.ico"} == {"/wrapper.html", "/report.html"}
