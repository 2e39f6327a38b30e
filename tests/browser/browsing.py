"""A folder served to a headless Chromium, and what a script finds in one of its pages."""

import html as stdlib_html
import json
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import HTTPServer, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium")
INSTALL = "needs chromium (as root: apt-get install chromium)"
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason=INSTALL)
FLAGS = (
    "headless no-sandbox disable-gpu disable-quic no-first-run disable-background-networking "
    "disable-component-update disable-sync"
).split()

WRAPPER = """<!doctype html><iframe id="page" src="{page}" width="{width}" height="900"></iframe><pre id="found"></pre>
<script>
async function look(inner) {{ {script} }}
document.getElementById('page').addEventListener('load', async event => {{
  let found;
  try {{ found = await look(event.target.contentDocument); }} catch (error) {{ found = {{ error: String(error.stack) }}; }}
  document.getElementById('found').textContent = JSON.stringify(found);
}});
</script>"""


class Quiet(SimpleHTTPRequestHandler):
    """Serves a folder and remembers what was asked for."""

    def __init__(self, *args: Any, asked: list[str], **kwargs: Any) -> None:
        self.asked = asked
        super().__init__(*args, **kwargs)

    def log_message(self, *_: Any) -> None:
        self.asked.append(self.path)


def chromium(*arguments: str, profile: Path) -> str:
    """What a run of the browser prints."""
    command = [str(CHROMIUM), *(f"--{flag}" for flag in FLAGS), f"--user-data-dir={profile}", *arguments]
    return subprocess.run(command, capture_output=True, timeout=120, check=True).stdout.decode()


@dataclass
class Served:
    """A folder, the address it is served under, and what was asked for."""

    folder: Path
    address: str
    asked: list[str]
    profile: Path

    def look(self, page: str, script: str, width: int = 1280) -> Any:
        """What the body of a function of ``inner``, the page's document, returns."""
        wrapper = WRAPPER.format(page=page, width=width, script=script)
        (self.folder / "wrapper.html").write_text(wrapper, encoding="utf-8")
        shown = chromium(
            "--window-size=1400,1000", "--virtual-time-budget=8000", "--dump-dom", f"{self.address}/wrapper.html",
            profile=self.profile,
        )  # fmt: skip
        found = re.search(r'<pre id="found">(.*?)</pre>', shown, re.DOTALL)
        assert found is not None, shown[-2000:]
        answer = json.loads(stdlib_html.unescape(found[1]))
        assert not (isinstance(answer, dict) and "error" in answer), answer
        return answer


@contextmanager
def served(server: HTTPServer) -> Iterator[str]:
    """The address of a server, which answers as long as the context lasts."""
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def serving(folder: Path, profile: Path) -> Iterator[Served]:
    """The folder on a port of its own, as long as the context lasts."""
    asked: list[str] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder), asked=asked))
    with served(server) as address:
        yield Served(folder, address, asked, profile)
