"""What surrounds the loading of any model: silence, and words for what goes wrong."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fairbrief.errors import BackendError, first_line
from fairbrief.pretrained.placement import library


@contextmanager
def explained(folder: Path, reader: str) -> Iterator[None]:
    """What the libraries raise on a folder that is no usable model, as a BackendError that names it."""
    try:
        yield
    except (OSError, ValueError, KeyError) as error:
        raise BackendError(
            f"{reader}: the model in {folder} cannot be loaded: {first_line(error, 300)}. Fetch it again with "
            "'fairbrief prefetch MODEL', or give a folder that transformers can load."
        ) from error


@contextmanager
def quiet() -> Iterator[None]:
    """No load reports and no bars: a head that is not needed is not news, and a missing one is an error."""
    logger = logging.getLogger("transformers")
    level = logger.level
    hub = library("huggingface_hub", "a model").utils
    had_bars = not hub.are_progress_bars_disabled()
    verbosity = library("transformers", "a model").utils.logging
    bars = verbosity.is_progress_bar_enabled()
    hub.disable_progress_bars()
    verbosity.disable_progress_bar()
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)
        if had_bars:
            hub.enable_progress_bars()
        if bars:
            verbosity.enable_progress_bar()
