"""The base of frozen data that an audit creates in large numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, field, make_dataclass
from functools import cache
from typing import Any, ClassVar, cast

import msgspec


class _FieldsForDataclasses:
    """The attribute that `dataclasses` reads, computed from a structure's fields on access."""

    def __get__(self, instance: object, owner: type[Data]) -> Mapping[str, Field[Any]]:
        return _fields_of(owner)


class Data(msgspec.Struct, frozen=True, gc=False):
    """Frozen data as a structure, which is created several times as fast as a dataclass.

    ``replace``, ``fields`` and ``asdict`` of `dataclasses` work as for dataclasses.
    """

    __dataclass_fields__: ClassVar[Any] = _FieldsForDataclasses()


@cache
def _fields_of(kind: type[Data]) -> Mapping[str, Field[Any]]:
    known = [(f.name, f.type, _default_of(f)) for f in msgspec.structs.fields(kind)]
    made: Any = make_dataclass(kind.__name__, known)
    return cast("Mapping[str, Field[Any]]", made.__dataclass_fields__)


def _default_of(known: msgspec.structs.FieldInfo) -> Any:
    if known.default_factory is not msgspec.NODEFAULT:
        return field(default_factory=known.default_factory)
    return field() if known.default is msgspec.NODEFAULT else field(default=known.default)
