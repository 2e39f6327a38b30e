"""The page in a real browser: keys answer, hostile texts do nothing, and what is saved is read back."""

from __future__ import annotations

import pytest
from tests.browser.browsing import Served, needs_chromium

from fairbrief.types import Case, Claim, Document, Record, Summary
from fairbrief.workbench.annotation.items import items_of
from fairbrief.workbench.annotation.sheets import page, read_answers

pytestmark = [pytest.mark.browser, needs_chromium]
EVIL = '<img src=x onerror="window.pwned=1"></script><script>window.pwned=1</script>\u2028=cmd'
SCRIPT = """
const win = inner.defaultView, saved = [];
win.URL.createObjectURL = blob => { saved.push(blob); return '#'; };
inner.addEventListener('click', event => { if (event.target.download) event.preventDefault(); }, true);
const press = key => inner.body.dispatchEvent(new win.KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
for (const key of ['1', '2', 'ArrowRight', '1', '3', 'Enter', '2', '2', 'ArrowLeft', 'ArrowRight']) press(key);
const note = inner.getElementById('note');
note.value = 'a, "remark"'; note.dispatchEvent(new win.Event('input'));
inner.getElementById('csv').click(); inner.getElementById('json').click();
const root = inner.documentElement;
return {
  pwned: win.pwned === undefined ? null : win.pwned, images: inner.images.length, scripts: inner.scripts.length,
  count: inner.getElementById('count').textContent, visible: root.clientWidth, needed: root.scrollWidth,
  kept: win.localStorage.length, font: win.getComputedStyle(inner.querySelector('.about')).whiteSpace,
  saved: await Promise.all(saved.map(blob => blob.text())),
};
"""


@pytest.mark.parametrize("width", [1280, 390])
def test_answers_by_keys_are_saved_and_read(served: Served, width: int) -> None:
    """Numbers choose, arrows go on; both files that the page saves are read back; no text runs or overflows."""
    record = Record(EVIL, (Document(EVIL * 9, {"g": "a"}), Document("y", {"g": "b"})))
    summary = Summary(EVIL, "=s", EVIL + "two three", (Claim(EVIL), Claim("two"), Claim("three")))
    asked = list(items_of([Case(record, summary)], "claims", "g"))
    (served.folder / "page.html").write_text(page(asked, "claims", "ann", "g"), encoding="utf-8")
    found = served.look("page.html", SCRIPT, width)
    assert (found["pwned"], found["images"], found["scripts"], found["kept"]) == (None, 0, 2, 1)
    assert found["count"] == "2 of 3 answered"
    assert found["font"] == "pre-wrap"
    assert found["needed"] <= found["visible"]
    items = {item.key: item for _, several in asked for item in several}
    for name, text in zip(("a.csv", "a.json"), found["saved"], strict=True):
        path = served.folder / name
        path.write_bytes(text.encode())
        answers = read_answers([path], items)
        assert [(a.annotator, a.chosen) for a in answers.given] == [("ann", ("a", "b")), ("ann", ())]
        assert answers.blank == {"ann": 1}
