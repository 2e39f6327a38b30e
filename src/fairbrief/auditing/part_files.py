"""Parts of an audit that are done, each in a file of its own: what was finished stays, whoever finished it."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from fairbrief.kept_files import taking_place

MAGIC = b"fairbrief part 3\n"
DIGEST = 32
"""Bytes of the digest that tells a whole file of this audit from any other."""
PLAIN = {
    "builtins": {"set", "frozenset", "complex", "slice", "range", "bytearray"},
    "collections": {"Counter", "OrderedDict", "defaultdict", "deque"},
    "array": {"array", "_array_reconstructor"},
    "numpy": {"ndarray", "dtype"},
    "numpy._core.multiarray": {"_reconstruct", "scalar"},
    "numpy._core.numeric": {"_frombuffer"},
}
"""What a part is made of beside our own classes of data."""
OURS = (
    "fairbrief.types.",
    "fairbrief.auditing.",
    "fairbrief.measures.",
    "fairbrief.readers.part_tallies.",
    "fairbrief.statistics.",
)


@dataclass(frozen=True, slots=True)
class Sections:
    """What a part's file held when it was read: sections by name, each made into data when it is asked for."""

    packed: Mapping[str, bytes]
    modules: tuple[str, ...] = ()

    def __contains__(self, name: object) -> bool:
        return name in self.packed

    def load(self, names: Iterable[str]) -> dict[str, Any]:
        """Those of the named sections that are there."""
        found = {name: self.packed[name] for name in names if name in self.packed}
        return {name: _Loader(BytesIO(content), self.modules).load() for name, content in found.items()}


@dataclass(frozen=True, slots=True)
class PartFiles:
    """Results by the digest of their part, each in sections by name, of the audits that ``identity`` stands for.

    A file of other audits, or one that is damaged or half written, counts as absent. ``modules`` are those of measures
    that are not ours: their classes may stand in a file, as may our own data, arrays and numbers; nothing else
    is loaded, so that a file from another hand can run no code.
    """

    folder: Path
    identity: str
    modules: tuple[str, ...] = ()

    def read(self, part: str) -> Sections:
        """The sections of a part; none where it has no file of these audits."""
        return Sections(self._packed(part), self.modules)

    def save(self, part: str, sections: Mapping[str, object]) -> None:
        """Keep sections beside those that are there; they are on disk, and whole, when this returns."""
        self.folder.mkdir(parents=True, exist_ok=True)
        new = {name: pickle.dumps(section, pickle.HIGHEST_PROTOCOL) for name, section in sections.items()}
        content = pickle.dumps({**self._packed(part), **new}, pickle.HIGHEST_PROTOCOL)
        with taking_place(self._path(part)) as path, path.open("wb") as stream:
            stream.write(self._head(content))
            stream.write(content)

    def _packed(self, part: str) -> dict[str, bytes]:
        try:
            content = self._path(part).read_bytes()
        except FileNotFoundError:
            return {}
        start = len(MAGIC) + 2 * DIGEST
        if content[:start] != self._head(content[start:]):
            return {}
        found: dict[str, bytes] = _Loader(BytesIO(content[start:]), ()).load()
        return found

    def _path(self, part: str) -> Path:
        return self.folder / f"{part}.part"

    def _head(self, content: bytes) -> bytes:
        digest = hashlib.blake2b(self.identity.encode(), digest_size=DIGEST)
        digest.update(content)
        return MAGIC + digest.hexdigest().encode()


class _Loader(pickle.Unpickler):
    """Loads classes of data alone."""

    def __init__(self, content: BytesIO, modules: Sequence[str]) -> None:
        super().__init__(content)
        self._modules = (*OURS, *(f"{module}." for module in modules))

    def find_class(self, module: str, name: str) -> Any:
        if name in PLAIN.get(module, ()):
            return super().find_class(module, name)
        found = super().find_class(module, name) if f"{module}.".startswith(self._modules) else None
        if isinstance(found, type) and is_dataclass(found):
            return found
        raise pickle.UnpicklingError(f"{module}.{name} is no data of an audit")
