"""Files that survive kills: held by one process, and replaced in one step or not at all."""

import fcntl
import stat
import sys
from pathlib import Path
from subprocess import PIPE, Popen

import pytest

from fairbrief.atomic_files import PRIVATE, atomic_path, exclusive
from fairbrief.errors import RequestError

BUSY = "Somebody else has it."


def test_a_file_is_held_by_one(tmp_path: Path) -> None:
    """A second holder is refused while the first one holds, and not afterwards; a file that nobody holds is in nobody's way."""
    path = tmp_path / "o"
    path.touch()
    with exclusive(path, BUSY), pytest.raises(RequestError, match=BUSY), exclusive(path, BUSY):
        pass
    with exclusive(path, BUSY):
        path.unlink()


def test_a_file_that_was_removed_while_it_was_opened_is_not_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two processes never hold one file: who locked a file that is gone locks its successor."""
    path, flock, times = tmp_path / "o", fcntl.flock, []

    def late(descriptor: int, operation: int) -> None:
        if not times:
            path.unlink()
        times.append(descriptor)
        flock(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", late)
    with exclusive(path, BUSY):
        assert len(times) == 2
        monkeypatch.setattr(fcntl, "flock", flock)
        with pytest.raises(RequestError, match=BUSY), exclusive(path, BUSY):
            pass


def test_a_file_that_takes_anothers_place_may_be_read_by_the_same_people(tmp_path: Path) -> None:
    """A new one by whom the user's mask allows, or by the user alone; one that replaces another, as that one."""
    (tmp_path / "plain").touch()
    expected = stat.S_IMODE((tmp_path / "plain").stat().st_mode)
    for modes, mode in (((), expected), ((PRIVATE,), PRIVATE)):
        path = tmp_path / f"{mode}"
        for wanted in (mode, 0o640):
            with atomic_path(path, *modes):
                pass
            assert stat.S_IMODE(path.stat().st_mode) == wanted
            path.chmod(0o640)


def test_replacing_is_all_or_nothing(tmp_path: Path) -> None:
    """Where writing fails the old file stays as it was."""
    path = tmp_path / "o"
    path.write_text("old")
    with pytest.raises(TypeError), atomic_path(path) as part, part.open("wb") as stream:
        stream.writelines([b"half", "no bytes"])
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["o"]
    with atomic_path(path) as part:
        part.write_bytes(b"new")
    assert path.read_text() == "new"
    long = tmp_path / ("n" * 250)  # the temporary name, which is longer, is not the user's
    with pytest.raises(OSError, match="too long") as failed, atomic_path(long):
        pass
    assert failed.value.filename == str(long)


def half_written(path: Path) -> Popen[str]:
    """Another process that has begun to replace the file, and waits for a line."""
    other = Popen([sys.executable, "-c", OTHER, str(path)], stdin=PIPE, stdout=PIPE, text=True)
    assert other.stdout.readline() == "begun\n"
    return other


def test_two_processes_replace_one_file_at_once(tmp_path: Path) -> None:
    """Neither disturbs the other: each one's content stands there whole, the later one's last."""
    path = tmp_path / "o"
    other = half_written(path)
    with atomic_path(path) as part:
        part.write_bytes(b"ours")
    assert path.read_bytes() == b"ours"
    other.communicate("go on\n")
    assert (other.returncode, path.read_bytes()) == (0, b"theirs, whole")
    assert [p.name for p in tmp_path.iterdir()] == ["o"]


def test_what_a_killed_process_left_is_taken_away(tmp_path: Path) -> None:
    """By the next one that replaces the file; other files stay."""
    path = tmp_path / "o"
    (tmp_path / ".other.x.unfinished").touch()
    with half_written(path) as other:
        other.kill()
    assert len(list(tmp_path.glob(".o.*.unfinished"))) == 1
    with atomic_path(path) as part:
        part.write_bytes(b"ours")
    assert sorted(p.name for p in tmp_path.iterdir()) == [".other.x.unfinished", "o"]


OTHER = """
import sys
from pathlib import Path
from fairbrief.atomic_files import atomic_path
with atomic_path(Path(sys.argv[1])) as part, part.open("wb") as stream:
    stream.write(b"theirs, ")
    stream.flush()
    print("begun", flush=True)
    sys.stdin.readline()
    stream.write(b"whole")
"""
