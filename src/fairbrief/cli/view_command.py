"""``fairbrief view``: all records of a saved audit in a browser on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from fairbrief.readers import Reading
    from fairbrief.saved.saved_inputs import Inputs

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

Folders = Annotated[
    list[Path], typer.Argument(help="Folders that audits wrote with --out; two are compared.", metavar="DIR…")
]
Port = Annotated[
    int, typer.Option(help="Port on this machine; 0: any that is free.", min=0, max=65535, metavar="N")
]


@app.command()
def view(folders: Folders, port: Port = 0) -> None:
    """Serve a page with all records of saved audits, to this machine alone, until it is interrupted.

    The address holds a secret: whoever has it can read the texts. They are read from the inputs of the audit.
    """
    from fairbrief.errors import RequestError
    from fairbrief.saved.view_answers import Answers, open_audit
    from fairbrief.saved.view_server import Server

    audits = [open_audit(folder, _read) for folder in folders]
    for saved in audits:
        if saved.fault:
            typer.echo(f"{saved.name}: {saved.fault}", err=True)
    try:
        server = Server(Answers(audits), port)
    except OSError as error:
        raise RequestError(
            f"Port {port} cannot be used ({error.strerror}). Name another with --port, or none."
        ) from error
    typer.echo(f"{server.address}\nCtrl-C ends it.")
    with server:
        server.serve_forever()


def _read(files: Sequence[str], inputs: Inputs) -> Reading:
    """The files, read as the audit was told to read its inputs."""
    from fairbrief.cli.input_options import ReadingOptions
    from fairbrief.errors import DataError

    try:
        options = ReadingOptions(**inputs.options)
    except TypeError as error:
        raise DataError(f"inputs.json is of another version: {error}. Run the audit again.") from error
    return options.read(files, inputs.attributes)
