"""Shares of one audit: done on any machines, kept in one folder, put together at the end."""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fairbrief.cli.input_options import progress_bar, tell_notes
from fairbrief.errors import DataError, FairbriefError, RequestError
from fairbrief.kept_files import replacing, taking_place
from fairbrief.text.counted import counted
from fairbrief.text.store_addresses import is_stored

if TYPE_CHECKING:
    from fairbrief.auditing import Plan

COMMAND = "audit.json"
"""What the folder of parts says of the audit that they are parts of."""
OF_THE_MACHINE = (
    "--part",
    "--out",
    "--add-to",
    "--workers",
    "--engine",
    "--models-in-workers",
    "--quiet",
    "--no-quiet",
    "--details",
    "--no-details",
)
"""Options that each machine has for itself."""

PLACES = ("files", "into", "cache")
"""What each machine may call its own way."""

Into = Annotated[
    Path | None,
    typer.Option(
        help="Folder that keeps each part of the input once it is done; the same command goes on from there.",
        metavar="DIR",
    ),
]
AddTo = Annotated[
    Path | None,
    typer.Option(
        help="Folder of parts (--into) of an earlier audit: these files are added to it, with its settings.",
        metavar="DIR",
        show_default=False,
    ),
]
Part = Annotated[
    str | None,
    typer.Option(
        help="Do one share of the parts alone, e.g. 3/16, and keep it in --into; 'fairbrief merge DIR' puts all together.",
        metavar="K/N",
    ),
]


def share_of(part: str) -> tuple[int, int]:
    """``3/16`` as two numbers; RequestError for anything else."""
    found = re.fullmatch(r"\s*(\d{1,9})\s*/\s*(\d{1,9})\s*", part)
    if found is None:
        raise RequestError(f"--part {part} is no share: write --part 3/16 for the third of sixteen.")
    return int(found[1]), int(found[2])


def do_share(reading: Any, plan: Plan, part: str, out: Path | None, *, quiet: bool) -> None:
    """Do one share of an input's parts, and say how many they were."""
    from dataclasses import replace

    from fairbrief.auditing import audit_share

    if out is not None or plan.into is None:
        raise RequestError(
            "--part does one share and keeps it with --into; what all say is written by: fairbrief merge DIR --out OUT"
        )
    share, shares = share_of(part)
    with progress_bar(reading, quiet=quiet) as progress:
        done, of = audit_share(reading, replace(plan, progress=progress), share, shares)
    tell_notes(reading.notes, quiet=quiet)
    typer.echo(f"Share {part}: {done} of its {counted(of, 'part')} were done now, all are in {plan.into}.")


@contextlib.contextmanager
def remembering(into: Path | None, part: str | None) -> Iterator[None]:
    """Write down, for `merge`, which audit the folder's parts are of; `merge` and `--add-to` give the command again.

    A whole audit says so before its work, so that one that was killed can be merged, and takes that back where it is
    refused. A share says so once it is done, where nobody has; RequestError where the folder's audit has other options.
    """
    given = sys.argv[2:]
    if into is None or sys.argv[1:2] != ["audit"] or _parsed(given)["add_to"] is not None:
        yield
        return
    path = into / COMMAND
    if part is not None:
        if path.exists():
            _refuse_another(into, given)
        yield
        if not path.exists():
            _write(into, Path.cwd(), _of_the_audit(given))
        return
    before = path.read_bytes() if path.exists() else None
    into.mkdir(parents=True, exist_ok=True)
    _write(into, Path.cwd(), _of_the_audit(given))
    try:
        yield
    except FairbriefError:
        if before is None:
            path.unlink(missing_ok=True)
            with contextlib.suppress(OSError):  # parts may stand in it
                into.rmdir()
        else:
            with replacing(path) as stream:
                stream.write(before)
        raise


def _refuse_another(into: Path, given: Sequence[str]) -> None:
    """RequestError where a share's options are not those of the folder's audit; but for `PLACES`."""
    _, old = remembered(into)
    known, now = _parsed(_of_the_audit(old)), _parsed(_of_the_audit(given))
    names = {
        option.name: option.opts[0] for option in _context(old).command.params if option.name is not None
    }
    for name, option in names.items():
        if name not in PLACES and known[name] != now[name]:
            raise RequestError(
                f"The parts in {into} are of another audit: there {option} is {_shown(known[name])}, not {_shown(now[name])}. "
                f"Give its options, or name another folder; to go on there with other ones delete {into / COMMAND} and do "
                "every share again."
            )


def add(into: Path, files: Sequence[str], of_the_machine: Sequence[str]) -> None:
    """Audit files together with those that the folder's audit was of; from then on the folder is of all.

    ``of_the_machine`` are arguments that each machine has for itself. Raises RequestError where the command asks for
    another audit than the folder's.
    """
    started_in, old = there(into)
    known, now = _parsed(old), _given(sys.argv[2:])
    for option, (name, value) in now.items():
        if name not in ("files", "add_to") and option not in OF_THE_MACHINE and value != known[name]:
            raise RequestError(
                f"{option} {_shown(value)} is not how the audit in {into} began: there it is {_shown(known[name])}. An audit "
                "grows with the settings that it began with: drop the option, or audit all files anew."
            )
    have = {_absolute(file, started_in) for file in known["files"]}
    missing = [file for file in files if _absolute(file, Path.cwd()) not in have]
    new = [file if is_stored(file) else os.path.relpath(file, started_in) for file in missing]
    arguments = [*old, *new]
    with contextlib.chdir(started_in):
        audit_again([*arguments, *of_the_machine])
    _write(into, started_in, arguments)


def _absolute(file: str, folder: Path) -> str:
    return file if is_stored(file) else str((folder / file).resolve())


def audit_again(arguments: Sequence[str]) -> None:
    """Run the command ``audit`` with these arguments."""
    from fairbrief.cli import audit_command

    audit_command.app(list(arguments), standalone_mode=False)


def _parsed(arguments: Sequence[str]) -> dict[str, Any]:
    """What arguments of ``audit`` mean, by parameter, defaults too."""
    return dict(_context(arguments).params)


def _given(arguments: Sequence[str]) -> dict[str, tuple[str, Any]]:
    """By option what was given, and the name of its parameter."""
    context = _context(arguments)
    return {
        option.opts[0]: (option.name, context.params[option.name])
        for option in context.command.params
        if option.name is not None and _is_given(context, option.name)
    }


def _is_given(context: Any, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _context(arguments: Sequence[str]) -> Any:
    from fairbrief.cli import audit_command

    return typer.main.get_command(audit_command.app).make_context("audit", list(arguments))


def _shown(value: Any) -> str:
    several = value if isinstance(value, (list, tuple)) else () if value is None else (value,)
    return ", ".join(map(str, several)) or "not given"


def _write(into: Path, started_in: Path, arguments: Sequence[str]) -> None:
    said = {"folder": str(started_in), "arguments": list(arguments)}
    with taking_place(into / COMMAND) as path:
        path.write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")


def remembered(into: Path) -> tuple[Path, list[str]]:
    """Where the audit was started, and with what; DataError where the folder does not say."""
    path = into / COMMAND
    try:
        said: Any = json.loads(path.read_text(encoding="utf-8"))
        return Path(said["folder"]), [str(argument) for argument in said["arguments"]]
    except FileNotFoundError:
        raise RequestError(
            f"{into} holds no parts of an audit: it has no {COMMAND}. Start with: fairbrief audit FILE --part 1/4 --into {into}"
        ) from None
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise DataError(
            f"{path} does not say which audit its parts are of ({error}). Give the audit's command again, without --part: it "
            "puts the parts together."
        ) from error


def there(into: Path) -> tuple[Path, list[str]]:
    """What `remembered` says, of an audit that can be run again here; RequestError where it cannot."""
    started_in, arguments = remembered(into)
    if "--into" not in arguments and not any(a.startswith("--into=") for a in arguments):
        raise RequestError(f"The audit in {into} was not kept in parts: give its command again.")
    if not started_in.is_dir():
        raise RequestError(
            f"The audit was started in {started_in}, which is not on this machine. Give its command again where its files are, "
            f"without --part: fairbrief audit {' '.join(arguments)}"
        )
    return started_in, arguments


def _of_the_audit(arguments: Sequence[str]) -> list[str]:
    """The arguments without those that each machine has for itself."""
    kept: list[str] = []
    rest = iter(arguments)
    for argument in rest:
        name, equals, _ = argument.partition("=")
        if name not in OF_THE_MACHINE:
            kept.append(argument)
        elif not equals and "quiet" not in name and "details" not in name:
            next(rest, None)
    return kept
