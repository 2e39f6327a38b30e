"""Terminal, page, Markdown, LaTeX, CSV and JUnit: what they show, and that no text of the input is obeyed."""

import base64
import csv
import hashlib
import io
import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import product
from xml.etree import ElementTree as ET

import pyarrow as pa
import pytest
from rich.cells import cell_len
from tests import sample_families, sample_results
from tests.held import held
from tests.sample_results import EMPTY, printed

from fairbrief.reports import exports, figures, html, number_format, tables, terminal, wording
from fairbrief.reports.frames import Estimates
from fairbrief.reports.plain import printable, shorten
from fairbrief.reports.result import Result
from fairbrief.saved import gate_rules
from fairbrief.types import Estimate, Table


class Tags(HTMLParser):
    """Every tag of a page with its attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_what_pairs_of_systems_lack_is_said_once() -> None:
    """Not system by system, which would not tell whose partner left how many."""
    e = sample_results.make().estimates[0].replace(subgroup={}, baseline="x", excluded={"not answered": 3})
    pairs = [e, e.replace(system="other", excluded={"not answered": 12})]
    assert tables.excluded(pairs) == []
    said = f"excluded from pairs ({wording.without_over(e)}): not answered 3 to 12"
    assert tables.notes(pairs)[-1] == said


def test_markdown_answers_first_and_tells_last_how_it_was_made() -> None:
    """What everybody asks, the tables, and the settings; no words meant for other reports, and nothing empty."""
    result = sample_results.make()
    contrast = result.estimates[0].replace(
        measure="uer@sentiment", quantity="difference[negative]", kind="group_difference", group="negative", is_primary=True,
        value=-0.2, subgroup={},
    )  # fmt: skip
    made = {**result.made, "sanity_baselines": [], "without_text": {}, "compared_scorers": ""}
    text = exports.markdown(replace(result, estimates=Estimates([contrast, *result.estimates]), made=made))
    heads = [line for line in text.splitlines() if line.startswith(("#", "**"))]
    assert heads[0] == "# Fairness of summaries"
    assert [head.split("**")[1] for head in heads[1:3]] == ["Measured", "Finding"]
    assert heads[-1] == "## Settings"
    assert "**Next**" not in text
    unsaid = r"^- (declared|words|sanity baselines|without_text|compared_scorers):"
    assert not re.search(unsaid, text, re.MULTILINE)
    assert "- seed: 0" in text.splitlines()
    assert "{" not in text


@pytest.mark.parametrize("width", [60, 80, 200])
@pytest.mark.parametrize("result", [sample_results.make(), sample_results.hostile(), EMPTY])
@pytest.mark.parametrize("details", [True, False])
def test_the_terminal_is_never_overrun(result: Result, width: int, details: bool) -> None:
    """No line is wider than the terminal, whatever the names."""
    lines = printed(result, width, details=details).splitlines()
    assert max(cell_len(line) for line in lines) <= width
    assert details or len(lines) <= terminal.MOST_LINES


def test_the_terminal_shows_value_interval_chance_p_and_what_was_left_out() -> None:
    """With --details one row is a whole estimate; reasons, absent measures and skipped lines have lines of their own."""
    shown = printed(sample_results.make(), 120, details=True)
    row = next(line for line in shown.splitlines() if "gpt-4" in line and "0.427" in line)
    assert re.search(r"gpt-4 +0\.427 +\[0\.399, 0\.455\] +0\.391 +<0\.001 +0\.002 +288 +12$", row)
    assert "Excluded records, gpt-4 (bur, uer, auc, sof): one group only 9, empty summary 3." in shown
    assert "not testable" in shown
    assert re.search("^equal_coverage@party +no document has the attribute 'party'$", shown, re.MULTILINE)
    assert "SKIPPED  7 lines of the input." in shown
    assert re.search("gpt-4 +alpaca-7b", shown)
    assert shown.index("Yelp, N-gram") < shown.index("Representation by sentiment")
    first = printed(sample_results.make(), 120)
    assert "SKIPPED  7 lines of the input." in first
    assert "1 measure not computed" in first
    assert "--details" in first


def test_the_terminal_obeys_no_text() -> None:
    """Rich markup, escape sequences, NUL and bidirectional overrides are shown, not obeyed."""
    shown = printed(sample_results.hostile(), 120, details=True)
    assert "[red]markup[/red]" in shown
    assert "␛[31mred" in shown
    assert not sample_results.CONTROLS.search(shown)


def test_the_page_holds_no_tag_or_address_of_the_input() -> None:
    """Hostile texts add no element, handler, style, address or control character; only the page's own anchors link."""
    page = html.render(sample_results.hostile())
    assert not sample_results.CONTROLS.search(page)
    tags = Tags(page).found
    plain = {tag for tag, _ in Tags(html.render(sample_results.make())).found}
    assert {tag for tag, _ in tags} <= plain | {"g", "polygon", "circle"}
    assert [tag for tag, _ in tags].count("script") == 2
    for tag, attributes in tags:
        assert not {"style", "src", "srcset", "action"} & set(attributes), tag
        assert not [name for name in attributes if name.startswith("on")], tag
        assert (attributes.get("href") or "#").startswith("#")


def test_the_page_names_its_style_and_script_by_hash_and_forbids_the_rest() -> None:
    """The policy forbids everything but the exact texts of its style and its script."""
    page = html.render(sample_results.make())
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)
    script = re.search(r"<script>(.*?)</script>", page, re.DOTALL)
    hashes = [base64.b64encode(hashlib.sha256(of[1].encode()).digest()).decode() for of in (style, script)]
    assert policy[1] == (
        f"default-src 'none'; style-src 'sha256-{hashes[0]}'; script-src 'sha256-{hashes[1]}'; "
        "base-uri 'none'; form-action 'none'"
    )


def test_the_page_speaks_of_measurements_not_of_verdicts() -> None:
    """No system is called biased, unbiased, debiased or fair; harm and chance are named."""
    page = html.render(sample_results.make())
    assert not re.search(r"\b(un|de)?biased\b|\bis (un)?fair\b", page, re.IGNORECASE)
    assert "What a gap would mean." in page
    assert "undefined: one group only" in page


def test_an_empty_result_is_still_a_page() -> None:
    """Without estimates, per-record statistics and top cases every format is written."""
    assert "No measure has a value" in html.render(EMPTY)
    assert exports.markdown(EMPTY).startswith("# Fairness")
    assert exports.latex(EMPTY) == ""


def test_shares_are_counted_where_the_source_holds_the_value() -> None:
    """A record without the value enters no bin, one without it in the summary the first, twice and more the last."""
    columns = {"source[a]": [0.5, 0.5, 0.0, 0.2], "source[b]": [0.5, 0.5, 1.0, 0.8]}
    columns |= {"summary[a]": [0.5, 0.0, 0.0, 1.0], "summary[b]": [0.5, 1.0, 1.0, 0.0]}
    place = {"observation": ["o"] * 4, "measures": ["bur@x"] * 4, "system": ["s"] * 4}
    place["reason"] = pa.nulls(4, pa.string())
    made = {"declared": sample_families.declared()}
    (figure,) = figures.draw(Result((), (), held(pa.table({**place, **columns})), made=made))
    said = "a: summary share as a multiple of source share; s: below 0.8 in 33% of records, from 1.2 in 33%"
    assert f'aria-label="{said}"' in figure.panels[1].svg


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_wide_printed_table_goes_on_below_with_the_names_of_its_rows(width: int) -> None:
    """Every cell is printed whole, and each part repeats the columns that tell its rows apart."""
    names = list(product(range(3), ("female", "male")))
    rows = tuple((f"system-{i}", who, *(f"−{i}.{k}23 … {k}.{i}45" for k in range(8))) for i, who in names)
    header = ("system", "subject", *(f"by chance {k}" for k in range(8)))
    text = "\n".join(line.plain for line in terminal.table_lines(Table("t", header, rows), width))
    assert all(len(line.rstrip()) <= width for line in text.splitlines())
    assert all(cell in text for row in rows for cell in row)
    parts = text.count("subject")
    assert parts > 1
    assert all(len(re.findall(rf"system-{i} +{who} ", text)) == parts for i, who in names)
    long = tuple((f"{row[0]}-{'x' * (width // 2)}", *row[1:]) for row in rows)
    text = "\n".join(line.plain for line in terminal.table_lines(Table("t", header, long), width))
    assert all(len(re.findall(rf"^  {who} ", text, re.MULTILINE)) >= 6 for who in ("female", "male"))


def test_markdown_takes_no_text_for_markup() -> None:
    """Pipes, images, links, HTML and headings of the input stay text, each row on one line."""
    shown = exports.markdown(sample_results.hostile())
    assert not re.search(r"(?<!\\)!\[|(?<!\\)\]\(|<script|<img|^# head", shown, re.MULTILINE)
    header = next(line for line in shown.splitlines() if line.startswith("| measure"))
    columns = len(re.findall(r"(?<!\\)\|", header))
    table = shown.split("Representation by sentiment\n\n")[1]
    rows = [line for line in table.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows[: len(sample_results.HOSTILE)]} == {columns}


def test_latex_runs_no_command_of_the_input() -> None:
    """Backslashes, dollars and braces are set as characters."""
    shown = exports.latex(sample_results.hostile())
    assert "\\input{" not in shown
    assert "\\write18" not in shown
    assert r"\textbackslash{}input\{/etc/passwd\} \$x\$ \textbackslash{}write18\{ls\} \%" in shown
    assert shown.count("\\begin{tabular}") == shown.count("\\end{tabular}") > 3
    assert "\x1b" not in shown
    assert exports.latex_escape("*a* σ") == r"{*}a{*} $\sigma$"


@pytest.mark.parametrize(("text", "cell"), [
    ("=1+1", "'=1+1"), ("+cmd", "'+cmd"), ("-2", "-2"), ("-0.5%", "-0.5%"), ("@x", "'@x"), (" =x", "' =x"),
    ("\t=x", "' =x"), ("＝x", "'＝x"), ("a=b", "a=b"), (-0.25, -0.25), (None, None), ("1,500", "1,500"),
])  # fmt: skip
def test_a_spreadsheet_runs_no_cell(text: object, cell: object) -> None:
    """A text that begins like a formula stands behind an apostrophe; numbers stay numbers."""
    assert exports.csv_cell(text) == cell


def test_a_printed_table_of_many_rows_says_where_the_others_stand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Headlines first; of differences, too. The order stays."""
    monkeypatch.setattr(tables, "MOST_ROWS", 3)
    names = [(topic, name) for topic in ("t0", "t1") for name in ("bur", "under")]
    made = tuple(Estimate("bur", name, "a", 0.1, {"topic": topic}, n=4) for topic, name in names)
    gaps = tuple(e.replace(baseline="b", kind="group_difference") for e in made * 2)
    values, differences = tables.printed_tables(replace(EMPTY, estimates=made, differences=gaps))
    assert [row[0::2][:2] for row in values.rows] == [("bur", "t0"), ("bur", "t1")]
    assert values.notes == ("2 further rows are in results.json and estimates.csv.",)
    assert len(differences.rows) == 3
    assert differences.notes == ("5 further rows are in results.json and estimates.csv.",)


def test_short_headings_leave_names_of_attributes() -> None:
    """Narrow tables say "excl." for the excluded records, but an attribute of subgroups named "excluded" keeps its name."""
    made = [
        Estimate("uer", "uer", "lead", 0.1, low=0.0, high=0.2, subgroup={"excluded": x})
        for x in ("yes", "no")
    ]
    (brief,) = tables.printed_tables(replace(EMPTY, estimates=made), is_brief=True)
    assert "excluded" in brief.header


def test_csv_holds_estimates_at_full_precision() -> None:
    """All rows have the header's columns."""
    result = sample_results.hostile()
    rows = list(csv.reader(io.StringIO(exports.csv_text(result))))
    assert {len(row) for row in rows} == {len(rows[0])}
    assert len(rows) == 1 + len(result.estimates) + len(result.differences)


def test_junit_is_well_formed_and_counts_outcomes() -> None:
    """A failed check is a failure, an inconclusive one skipped, and hostile names stay text."""
    checks = [
        gate_rules.Check("bur@party \x1b\x00 <&>", "fail", "0.4 > 0.3 ]]> \ud800"),
        gate_rules.Check("uer", "inconclusive", "too few"),
        gate_rules.Check("sof", "pass"),
    ]
    suite = ET.fromstring(gate_rules.junit_xml(checks).encode())
    assert suite.attrib | {"tests": "3", "failures": "1", "skipped": "1"} == suite.attrib
    assert [[child.tag for child in case] for case in suite] == [["failure"], ["skipped"], ["system-out"]]


@pytest.mark.parametrize(("low", "high", "value", "shown"), [
    (0.183, 0.224, 0.2027, "0.203 [0.183, 0.224]"),
    (-0.0004, 0.0011, 0.0003, "0.00030 [−0.00040, 0.00110]"), (1.0, 9.0, 4.2, "4.2 [1.0, 9.0]"),
    (0.5, 0.5, 0.5, "0.500 [0.500, 0.500]"), (None, None, 0.25, "0.250 –"),
    (-0.2, 0.2, -0.0001, "0.00 [−0.20, 0.20]"),
])  # fmt: skip
def test_digits_follow_uncertainty(low: float | None, high: float | None, value: float, shown: str) -> None:
    """Two significant digits of half the interval's width; no negative zero."""
    e = Estimate("bur", "bur", "a", value, low=low, high=high)
    assert f"{number_format.value(e)} {number_format.interval(e)}" == shown


def test_the_p_of_a_fit_is_printed_like_every_p() -> None:
    """A p that is not 0 is never printed as 0."""
    fit = Estimate("sentiment_shift", "slope_p[female]", "a", 0.00002)
    for p, shown in ((0.00002, "<0.001"), (0.25, "0.250"), (None, "undefined")):
        assert number_format.value(fit.replace(value=p)) == shown


def test_printable_shows_controls_and_keeps_language() -> None:
    """Controls become pictures, the unwritable U+FFFD; right-to-left letters and emoji stay."""
    assert printable("a\x1b[0m\x00\n b\u202ec\ud800") == "a␛[0m␀ b\ufffdc\ufffd"
    assert printable("a\r\nb\tc", lines=True) == "a\nb    c"
    assert printable("مرحبا 👩‍🔬") == "مرحبا 👩‍🔬"
    assert shorten("abcdef", 4) == "abc…"


def test_a_measure_over_an_attribute_with_an_at_sign_keeps_its_name() -> None:
    """The attribute is cut off whole, also where it is quoted and holds what parts it from the measure."""
    e = Estimate("uer(scorer=ngram)@'<i>m@(=)o,od'", "uer", "s", 0.1, over="<i>m@(=)o,od")
    assert wording.without_over(e) == "uer(scorer=ngram)"
