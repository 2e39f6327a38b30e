"""The page in a real browser: keys answer, hostile texts do nothing, and what is saved is read back."""

from __future__ import annotations

import html as stdlib_html
import json
import re
import shutil
import subprocess
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from fairbrief.types import Case, Document, Record, Summary, Unit
from fairbrief.workbench.annotation.items import items_of
from fairbrief.workbench.annotation.sheets import page, read_answers

CHROMIUM = shutil.which("chromium")
pytestmark = [pytest.mark.browser, pytest.mark.skipif(CHROMIUM is None, reason="needs chromium")]
EVIL = '<img src=x onerror="window.pwned=1"></script><script>window.pwned=1</script>\u2028=cmd'
WRAPPER = """<!doctype html><iframe id="page" src="page.html" width="WIDTH" height="900"></iframe><pre id="found"></pre>
<script>
document.getElementById('page').addEventListener('load', async event => {
  const inner = event.target.contentDocument, win = event.target.contentWindow, saved = [];
  win.URL.createObjectURL = blob => { saved.push(blob); return '#'; };
  inner.addEventListener('click', event => { if (event.target.download) event.preventDefault(); }, true);
  const press = key => inner.body.dispatchEvent(new win.KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  for (const key of ['1', '2', 'ArrowRight', '1', '3', 'Enter', '2', '2', 'ArrowLeft', 'ArrowRight']) press(key);
  const note = inner.getElementById('note');
  note.value = 'a, "remark"'; note.dispatchEvent(new win.Event('input'));
  inner.getElementById('csv').click(); inner.getElementById('json').click();
  const root = inner.documentElement;
  document.getElementById('found').textContent = JSON.stringify({
    pwned: win.pwned === undefined ? null : win.pwned, images: inner.images.length, scripts: inner.scripts.length,
    count: inner.getElementById('count').textContent, visible: root.clientWidth, needed: root.scrollWidth,
    kept: win.localStorage.length, font: win.getComputedStyle(inner.querySelector('.about')).whiteSpace,
    saved: await Promise.all(saved.map(blob => blob.text())),
  });
});
</script>"""


class Quiet(SimpleHTTPRequestHandler):
    """Serves a folder without a word."""

    def log_message(self, *_: object) -> None:
        pass


@pytest.mark.parametrize("width", [1280, 390])
def test_answers_by_keys_are_saved_and_read(tmp_path: Path, width: int) -> None:
    """Numbers choose, arrows go on; both files that the page saves are read back; no text runs or overflows."""
    record = Record(EVIL, (Document(EVIL * 9, {"g": "a"}), Document("y", {"g": "b"})))
    summary = Summary(EVIL, "=s", EVIL + "two three", (Unit(EVIL), Unit("two"), Unit("three")))
    asked = list(items_of([Case(record, summary)], "units", "g"))
    (tmp_path / "page.html").write_text(page(asked, "units", "ann", "g"), encoding="utf-8")
    (tmp_path / "wrapper.html").write_text(WRAPPER.replace("WIDTH", str(width)), encoding="utf-8")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    flags = "headless no-sandbox disable-gpu disable-quic no-first-run disable-background-networking disable-component-update disable-sync"
    command = [
        str(CHROMIUM),
        *(f"--{flag}" for flag in flags.split()),
        f"--user-data-dir={tmp_path / 'profile'}",
    ]
    command += ["--window-size=1400,1000", "--virtual-time-budget=8000", "--dump-dom"]
    try:
        done = subprocess.run(
            [*command, f"http://127.0.0.1:{server.server_port}/wrapper.html"],
            capture_output=True,
            timeout=120,
            check=True,
        )
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    match = re.search(r'<pre id="found">(.*?)</pre>', done.stdout.decode(), re.DOTALL)
    assert match is not None
    found = json.loads(stdlib_html.unescape(match[1]))
    assert (found["pwned"], found["images"], found["scripts"], found["kept"]) == (None, 0, 2, 1)
    assert found["count"] == "2 of 3 answered"
    assert found["font"] == "pre-wrap"
    assert found["needed"] <= found["visible"]
    items = {item.key: item for _, several in asked for item in several}
    for name, text in zip(("a.csv", "a.json"), found["saved"], strict=True):
        path = tmp_path / name
        path.write_bytes(text.encode())
        answers = read_answers([path], items)
        assert [(a.annotator, a.chosen) for a in answers.given] == [("ann", ("a", "b")), ("ann", ())]
        assert answers.blank == {"ann": 1}
