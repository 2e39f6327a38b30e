"""A journal keeps every answer that was written whole."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairbrief.chat.journal import open_journal
from fairbrief.errors import RequestError

ENTRIES = [(f"key{i}", {"summary": f"text {i} \u2028 \ud800 ü", "n": i}) for i in range(5)]


def test_what_was_appended_is_there_again(tmp_path: Path) -> None:
    """Answers come back as they were, whatever characters they hold; the last one under a key holds."""
    with open_journal(tmp_path / "j") as journal:
        journal.append(ENTRIES)
        journal.append([("key0", {"summary": "newer"})])
    with open_journal(tmp_path / "j") as journal:
        assert len(journal.places) == 5
        assert journal["key0"] == {"summary": "newer"}
        assert [journal[key] for key, _ in ENTRIES[1:]] == [value for _, value in ENTRIES[1:]]
        assert "key9" not in journal


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_a_cut_keeps_whole_lines(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """A file cut at any byte opens with exactly the answers that are whole in it, and goes on from there."""
    path = tmp_path_factory.mktemp("cut") / "j"
    with open_journal(path) as journal:
        journal.append(ENTRIES)
        ends = [start + length for start, length in journal.places.values()]
    content = path.read_bytes()
    cut = data.draw(st.integers(0, len(content)))
    path.write_bytes(content[:cut])
    with open_journal(path) as journal:
        assert len(journal.places) == sum(end <= cut for end in ends)
        journal.append([("more", {"n": 1})])
    with open_journal(path) as journal:
        assert journal["more"] == {"n": 1}


def test_a_damaged_line_is_passed_over(tmp_path: Path) -> None:
    """A line whose checksum is wrong is as good as absent, and the lines after it are not."""
    path = tmp_path / "j"
    with open_journal(path) as journal:
        journal.append(ENTRIES)
    path.write_bytes(path.read_bytes().replace(b"text 2", b"text X"))
    with open_journal(path) as journal:
        assert len(journal.places) == 4
        assert "key2" not in journal


def test_another_file_is_refused_and_left_alone(tmp_path: Path) -> None:
    """A file that is no journal is not written to."""
    (tmp_path / "j").write_text('{"precious": 1}\n')
    with pytest.raises(RequestError, match="not a journal of Fairbrief"), open_journal(tmp_path / "j"):
        pass
    assert (tmp_path / "j").read_text() == '{"precious": 1}\n'
