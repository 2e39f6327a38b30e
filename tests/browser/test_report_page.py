"""The pages in a real browser: hostile texts neither run nor load nor push anything out; the record viewer works."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from tests import sample_results
from tests.browser.browsing import Served, chromium, needs_chromium
from tests.browser.browsing import served as serving
from tests.cli.command import printed, write
from tests.sample_nights import night

from fairbrief.reports import html, trend_page
from fairbrief.reports.audit_object import Audit
from fairbrief.reports.frames import Estimates
from fairbrief.reports.plot import LIGHT
from fairbrief.saved.trend import trend
from fairbrief.saved.view import SCRIPTS, Answers, OpenAudit, Server
from fairbrief.types import Estimate

pytestmark = [pytest.mark.browser, needs_chromium]

FACTS = """
inner.querySelectorAll('details').forEach(fold => fold.open = true);
const root = inner.documentElement, overflows = [];
for (const width of [1280, 390]) {
  inner.defaultView.frameElement.width = width;
  overflows.push([root.clientWidth >= width - 20, root.scrollWidth <= root.clientWidth]);
}
return {
  title: inner.title, overflows, scripts: inner.scripts.length, images: inner.images.length,
  pictures: inner.querySelectorAll('figure svg').length, records: inner.querySelectorAll('.records button').length,
};
"""
VIEWER = """
const one = selector => inner.querySelector(selector);
const pick = (place, value) => {
  const select = inner.querySelectorAll('.controls select')[place];
  select.value = value;
  select.dispatchEvent(new inner.defaultView.Event('change'));
};
const listed = () => [...inner.querySelectorAll('.records button')].map(button => button.textContent);
const first = listed();
pick(2, 'down|difference[neutral]');
const turned = listed();
pick(1, 'alpaca-7b');
const heading = one('.units').previousSibling.textContent;
one('.unit').dispatchEvent(new inner.defaultView.Event('focus'));
const marked = [...inner.querySelectorAll('mark.on')].map(mark => mark.textContent);
const score = one('.source.on .score').textContent;
const search = one('input[type=search]');
search.value = 'hotel-1 NOISY';
search.dispatchEvent(new inner.defaultView.Event('input'));
const found = listed();
search.value = 'nowhere';
search.dispatchEvent(new inner.defaultView.Event('input'));
return { first, turned, heading, marked, score, found, none: one('.listed').textContent,
         influence: one('.influence'), main: getComputedStyle(one('main')).maxWidth };
"""


def test_hostile_texts_neither_run_nor_overflow(served: Served) -> None:
    """With hostile names, values and texts, nothing but the page's own script runs, and nothing is wider than the page."""
    hostile = sample_results.hostile()
    contrasts = [
        Estimate(
            "coverage_parity@sentiment", f"relative_difference[{g}]", s, 0.1 - 0.05 * i, low=-0.2, high=0.15, p=0.01,
            n=300, clusters=300, over="sentiment", kind="group_difference", group=g, is_primary=True, extract_baseline=0.02,
            extract_difference=0.03, extract_p=0.4,
        )
        for s in sample_results.HOSTILE[:6]
        for i, g in enumerate(sample_results.HOSTILE[6:])
    ]  # fmt: skip
    hostile = replace(hostile, estimates=Estimates([*contrasts, *hostile.estimates]))
    (served.folder / "report.html").write_text(html.render(hostile), encoding="utf-8")
    found = served.look("report.html", FACTS)
    assert (found["title"], found["scripts"], found["images"]) == ("Fairness of summaries", 2, 0)
    assert found["pictures"] > 5
    assert found["records"] > 0
    assert found["overflows"] == [[True, True], [True, True]]


def test_a_reader_sorts_filters_and_sees_what_supports_a_sentence(served: Served) -> None:
    """Orders turn the list, a system changes it, pointing at a sentence marks its sources, search finds texts.

    The page's own policy admits its style sheet and its script, and the browser fetches nothing but the page.
    """
    (served.folder / "report.html").write_text(html.render(sample_results.make()), encoding="utf-8")
    found = served.look("report.html", VIEWER)
    assert found["first"] == ["hotel-00.000", "hotel-1+0.100", "hotel-2+0.200"]
    assert found["turned"] == ["hotel-20.000", "hotel-1−0.100", "hotel-0−0.200"]
    assert found["heading"] == "Summary by alpaca-7b"
    assert found["marked"] == ["The room was clean"]
    assert found["score"] == " · 50% support"
    assert found["found"] == ["hotel-1−0.100"]
    assert found["none"] == "No record here contains all these words."
    assert found["main"] == "1184px"
    asked = {path.split("?")[0] for path in served.asked} - {"/favicon.ico"}
    assert asked == {"/wrapper.html", "/report.html"}


COLOURS = """
const picture = new Image();
picture.src = 'data:image/svg+xml,' + encodeURIComponent(await (await fetch('picture.svg')).text());
await picture.decode();
const canvas = Object.assign(document.createElement('canvas'), { width: picture.width, height: picture.height });
const pen = canvas.getContext('2d');
pen.drawImage(picture, 0, 0);
const { data } = pen.getImageData(0, 0, canvas.width, canvas.height);
const counts = {};
for (let i = 0; i < data.length; i += 4) {
  const colour = data[i + 3] && '#' + [...data.slice(i, i + 3)].map(part => part.toString(16).padStart(2, '0')).join('');
  counts[colour] = (counts[colour] || 0) + 1;
}
return counts;
"""


def test_a_saved_figure_is_complete_without_the_page(served: Served) -> None:
    """A browser draws every saved picture on its own paper with the colours of its systems; no pixel stays empty."""
    found = Audit(sample_results.make())
    paths = found.plot().save(served.folder / "pictures")
    assert len(paths) == 5
    assert paths[0].name == "01-01.svg"
    assert not any("var(" in path.read_text(encoding="utf-8") for path in paths)
    (served.folder / "index.html").write_text("<!doctype html>", encoding="utf-8")
    paths[0].rename(served.folder / "picture.svg")
    counts = served.look("index.html", COLOURS)
    assert "0" not in counts
    assert max(counts, key=lambda colour: counts[colour]) == LIGHT["paper"]
    assert LIGHT["soft"] in counts  # few pixels of some fonts have all of a text's colour
    assert all(counts.get(LIGHT[name], 0) > 20 for name in ("s1", "s2"))


def test_the_page_lists_records_and_opens_the_first(tmp_path: Path, profile: Path) -> None:
    """The page's own policy lets it ask its server, and what it shows is the audit's; records here have no attributes."""
    rows = map(json.loads, Path("examples/reviews.jsonl").read_text(encoding="utf-8").splitlines())
    plain, folder = tmp_path / "plain.jsonl", tmp_path / "audit"
    write(plain, [{**row, "attributes": {}} for row in rows])
    printed(*f"audit {plain} --measure coverage_parity@sentiment --resamples 0 --out {folder}".split())
    server = Server(Answers([OpenAudit(folder)]))
    with serving(server):
        shown = chromium("--virtual-time-budget=9000", "--dump-dom", server.address, profile=profile)
    assert "1 to 28 of 28 records" in shown
    assert len(re.findall(r'<button type="button"[^>]*><bdi>', shown)) == 28
    assert "Summary by" in shown
    assert "<mark data-units" in shown
    assert 'class="on"' not in shown
    assert '<p class="story">' in shown
    assert "null" not in re.sub(r"<(script|style).*?</\1>", "", shown, flags=re.DOTALL)


SLOW = """
const page = inner.defaultView, texts = { attributes: {}, summaries: {}, documents: [], references: [], more: 0 };
const row = name => ({ record: name, value: 0, other: null, label: '', doubt: '' });
const rows = { total: 2, of: 2, start: 0, size: 50, orders: [['up|x', 'x']], order: 'up|x', compared: false, robust: null,
               rows: [row('first'), row('second')] };
const about = { start: { measure: 'm', system: '0:s', other: '', order: '' }, audits: ['a'], faults: [], systems: [{ key: '0:s', name: 's' }],
                measures: [{ spec: 'm', label: 'm' }] };
const answers = {}, pause = () => new Promise(done => setTimeout(done));
page.fetch = async asked => {
  const record = new URL(asked, 'http://x').searchParams.get('record');
  if (record) await new Promise(done => { answers[record] = done; });
  const found = record ? { row: { record, system: 's', story: '', without: {} }, texts, support: null, over: '', groups: [] } : asked.startsWith('about') ? about : rows;
  return { ok: true, json: async () => found };
};
while (inner.querySelector('noscript')) await pause(); // the page has found no server
page.eval('startView()');
while (!answers.first) await pause();
inner.querySelectorAll('.records button')[1].click();
for (const name of ['second', 'first']) {
  while (!answers[name]) await pause();
  answers[name]();
  await pause();
}
return [inner.querySelector('[aria-current] bdi').textContent, inner.querySelector('.view h3').textContent];
"""


def test_a_late_answer_does_not_replace_the_chosen_record(served: Served) -> None:
    """The answer about a record that was opened before comes last: the page shows the one that is marked in the list."""
    (served.folder / "view.html").write_text(html.page("view.html.j2", {}, scripts=SCRIPTS), encoding="utf-8")
    assert served.look("view.html", SLOW) == ["second", "second"]


def test_the_page_shows_a_drift_and_fits_a_narrow_window(served: Served) -> None:
    """A picture per series, the change in the first sentence, no script, and nothing beyond the window's edge."""
    folders = [night(served.folder / "n", i, -0.2 * (i >= 40), system="<b>x") for i in range(60)]
    (served.folder / "trend.html").write_text(trend_page.as_page(trend(folders)), encoding="utf-8")
    facts = """return {
      scripts: inner.scripts.length, pictures: inner.querySelectorAll('figure svg').length,
      changes: [...inner.querySelectorAll('figure svg')].filter(p => p.getAttribute('aria-label').includes('since about')).length,
      lead: inner.querySelector('.lead').textContent, bold: inner.querySelectorAll('b').length,
      needed: inner.documentElement.scrollWidth, visible: inner.documentElement.clientWidth };"""
    seen = served.look("trend.html", facts, width=420)
    assert "tone cross, <b>x" in seen["lead"].lower()
    assert (seen["scripts"], seen["bold"], seen["changes"]) == (0, 0, 1)
    assert seen["pictures"] >= 2
    assert seen["needed"] <= seen["visible"]
