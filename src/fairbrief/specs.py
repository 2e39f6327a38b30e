"""The grammar of specs, ``name(key=value, …)@over``: parsing and writing.

A measure, scorer or summarizer is a frozen dataclass with a ``name``. Its spec lists the fields that differ from their
defaults; the field ``over``, if there is one, follows the ``@``. Fields whose names begin with an underscore are not
part of the spec.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar, Literal, dataclass_transform, get_args, get_origin, get_type_hints

from fairbrief.errors import RequestError
from fairbrief.settings import check, refused

PLAIN = re.compile(r"[^\s,()='\"@][^,()='\"@]*")
QUOTES = "'\""
SIGN = re.compile(r"""(['"])(?:\\.|(?!\1)[^\\])*\1|['"(),]""", re.DOTALL)
"""A text in quotes, or a sign outside quotes."""
SETTINGS_AT_END = re.compile(r"(?P<over>[^'\"(][^(]*)\((?P<settings>[^=]+=.*)\)", re.DOTALL)
"""An attribute that settings seem to follow; one that looks so must be in quotes."""
SYSTEM_AT_END = re.compile(r"(.*\](?:-\w+)?|[^{]*)\{(.*)\}", re.DOTALL)
"""A number and its system. Names of groups, which are in square brackets, and of systems may contain any sign."""
COLON = re.compile(r":(?=[^:\[]*(?:\[.*)?\Z)", re.DOTALL)
"""A colon that a quantity may follow."""


@dataclass(frozen=True)
class Spec:
    """A parsed spec: name, settings and attribute."""

    name: str
    settings: Mapping[str, str] = field(default_factory=dict)
    over: str | None = None


def spell(thing: Any) -> str:
    """The spec of a frozen dataclass with a ``name``, which `parse` can read.

    >>> @dataclass(frozen=True)
    ... class Gap:
    ...     name = "gap"
    ...     over: str
    ...     threshold: float = 0.5
    >>> spell(Gap("party"))
    'gap@party'
    >>> spell(Gap("party", 0.8))
    'gap(threshold=0.8)@party'
    """
    parts, over = [], ""
    for f in settings_of(thing):
        value = getattr(thing, f.name)
        if f.name == "over":
            over = f"@{quoted(value)}" if value else ""
        elif value != _default(f):
            parts.append(f"{f.name}={_spell_value(value)}")
    settings = f"({', '.join(parts)})" if parts else ""
    return f"{thing.name}{settings}{over}"


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class CheckedSettings:
    """Settings that their declared types check (`settings.check`), shown as a spec. Each subclass is a frozen dataclass."""

    __dataclass_fields__: ClassVar[dict[str, dataclasses.Field[Any]]]

    def __init_subclass__(cls, *, kw_only: bool = False) -> None:
        dataclass(frozen=True, repr=False, kw_only=kw_only)(cls)
        del cls.__setattr__, cls.__delattr__  # so that a subclass may also have the decorator

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self.__dataclass_fields__:
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
        super().__setattr__(name, value)

    def __post_init__(self) -> None:
        """RequestError for a setting that is not allowed."""
        name = getattr(type(self), "name", "")
        check(self, name if isinstance(name, str) else "")

    __repr__ = spell


def settings_of(kind: Any) -> list[dataclasses.Field[Any]]:
    """The settings of a dataclass in the order of specs: keyword-only ones, which several kinds share, come last."""
    fields = [f for f in dataclasses.fields(kind) if f.init and not f.name.startswith("_")]
    return sorted(fields, key=lambda f: bool(f.kw_only))


@lru_cache(maxsize=1024)
def parse(text: str) -> Spec:
    """Read a spec; RequestError if it is malformed.

    >>> parse("gap(threshold=0.8)@party")
    Spec(name='gap', settings={'threshold': '0.8'}, over='party')
    """
    text = text.strip()
    match = re.fullmatch(r"(?P<name>[^\s()@,='\"]+)\s*(?P<rest>.*)", text, re.DOTALL)
    if match is None:
        raise RequestError(f"'{text}' is not a valid name. Write name, name(key=value) or name@attribute.")
    name, rest, inside = match["name"], match["rest"], ""
    if rest.startswith("("):
        end = next((i for i, sign, depth in _signs(rest, text) if sign == ")" and depth == 0), None)
        if end is None:
            raise RequestError(f"In '{text}' a closing bracket is missing.")
        inside, rest = rest[1:end], rest[end + 1 :]
    settings: dict[str, str] = {}
    for part in split_at_commas(inside, text):
        key, equals, value = part.partition("=")
        if not equals:
            raise RequestError(f"In '{text}', '{part}' has no value. Write key=value.")
        if key.strip() in settings:
            raise RequestError(f"'{text}' gives '{key.strip()}' twice: give it once.")
        settings[key.strip()] = _unquote(value.strip())
    over = rest.removeprefix("@").strip()
    if rest and not (rest.startswith("@") and over):
        raise RequestError(f"In '{text}', '{rest}' is not valid. Write name(key=value, …)@attribute.")
    if misplaced := SETTINGS_AT_END.fullmatch(over):
        inside = f"{inside}, {misplaced['settings']}" if inside else misplaced["settings"]
        right = f"{name}({inside})@{misplaced['over'].strip()}"
        raise RequestError(
            f"In '{text}' the settings follow the attribute. Write {right}; if this is the attribute's name, put it in quotes: "
            f"{text.removesuffix(rest)}@{quoted(over)}."
        )
    return Spec(name, settings, _unquote(over) if rest else None)


@dataclass(frozen=True, slots=True)
class Target:
    """The name of a number of an audit: measure, quantity (empty: the main value), system (empty: every system)."""

    measure: str
    quantity: str = ""
    system: str = ""

    def __str__(self) -> str:
        quantity = f":{self.quantity}" if self.quantity else ""
        return f"{self.measure}{quantity}{f'{{{self.system}}}' if self.system else ''}"


def target(text: str) -> Target:
    """Read ``MEASURE``, ``MEASURE:QUANTITY``, ``MEASURE{SYSTEM}`` or ``MEASURE:QUANTITY{SYSTEM}``; RequestError for anything else.

    >>> str(target("coverage_parity@party:relative_difference[left]{gpt-4}"))
    'coverage_parity@party:relative_difference[left]{gpt-4}'
    """
    text = text.strip()
    of_system = SYSTEM_AT_END.fullmatch(text)
    what, system = (of_system[1].strip(), of_system[2].strip()) if of_system else (text, "")
    if not what or (of_system and not system):
        raise RequestError(
            f"'{text}' is not the name of a number. Write MEASURE, MEASURE:QUANTITY or MEASURE:QUANTITY{{SYSTEM}}."
        )
    for colon in COLON.finditer(what):
        if not _is_open(what[: colon.start()]):
            return Target(what[: colon.start()].strip(), what[colon.end() :].strip(), system)
    return Target(what, "", system)


def _is_open(text: str) -> bool:
    """Whether a setting or a quotation goes on after the text."""
    signs = [match[0] for match in SIGN.finditer(text)]
    return any(sign in QUOTES for sign in signs) or signs.count("(") > signs.count(")")


def build(kind: Any, spec: Spec) -> Any:
    """An instance of the dataclass ``kind`` from a spec; settings are converted to the fields' types."""
    hints = get_type_hints(kind) if spec.settings else {}
    fields = {f.name: f for f in settings_of(kind)}
    over = fields.pop("over", None)
    values: dict[str, Any] = {}
    for key, text in spec.settings.items():
        if key not in fields:
            known = f"Its settings: {', '.join(fields) or 'none'}."
            advice = (
                f"Write the attribute after an @: {spec.name}@{text}." if key == "over" and over else known
            )
            raise RequestError(f"'{spec.name}' has no setting '{key}'. {advice}")
        values[key] = _read_value(spec.name, key, text, hints[key])
    if missing := [name for name, f in fields.items() if name not in values and _is_needed(f)]:
        raise RequestError(f"'{spec.name}' needs {', '.join(missing)}: write {spec.name}({missing[0]}=…).")
    if spec.over is not None and over is None:
        raise RequestError(f"'{spec.name}' takes no attribute: drop '@{spec.over}'.")
    if spec.over is not None:
        values["over"] = spec.over
    elif over and _is_needed(over):
        raise RequestError(f"'{spec.name}' needs an attribute: write {spec.name}@ATTRIBUTE.")
    try:
        return kind(**values)
    except ValueError as error:
        raise RequestError(f"{spec.name}: {error}") from error


def quoted(text: str) -> str:
    """A name in the grammar, in quotes if it has special characters.

    >>> print(quoted("party"), quoted("a, b"))
    party 'a, b'
    """
    if PLAIN.fullmatch(text) and text == text.strip():
        return text
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def needs_over(kind: Any) -> bool:
    """Whether a dataclass needs an attribute: it has ``over`` without a default."""
    fields = dataclasses.fields(kind) if dataclasses.is_dataclass(kind) else ()
    return any(f.name == "over" and _is_needed(f) for f in fields)


def _is_needed(f: dataclasses.Field[Any]) -> bool:
    return _default(f) is dataclasses.MISSING


def _default(f: dataclasses.Field[Any]) -> Any:
    return f.default if f.default_factory is dataclasses.MISSING else f.default_factory()


def _spell_value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return quoted("+".join(map(str, value)))
    text = str(value)
    return text if _is_nested(text) else quoted(text)


@lru_cache(maxsize=1024)
def _is_nested(text: str) -> bool:
    """Whether a value is itself a spec with settings, which needs no quotes."""
    if not text.endswith(")") or re.match(r"[\w.:/-]+\(", text) is None:
        return False
    try:
        parsed = parse(text)
    except RequestError:
        return False
    return bool(parsed.settings)


def _read_value(spec: str, name: str, text: str, hint: Any) -> Any:
    kinds = (hint, *get_args(hint))
    if type(None) in kinds and text.lower() == "none":
        return None
    kind = next((kind for kind in (bool, int, float) if kind in kinds), str)
    try:
        if kind is bool:
            return {"true": True, "false": False}[text.lower()]
        return tuple(map(kind, text.split("+"))) if get_origin(hint) is tuple else kind(text)
    except (KeyError, ValueError):
        if str in kinds or any(get_origin(kind) is Literal and text in get_args(kind) for kind in kinds):
            return text
        raise refused(name, text, hint, spec=spec) from None


def _unquote(text: str) -> str:
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "'\"":
        return re.sub(r"\\(.)", r"\1", text[1:-1], flags=re.DOTALL)
    return text


def _signs(text: str, whole: str) -> list[tuple[int, str, int]]:
    """Position, sign and depth of every bracket and comma outside quotes."""
    result, depth = [], 0
    for match in SIGN.finditer(text):
        sign = match[0]
        if sign in QUOTES:
            raise RequestError(f"In '{whole}' a closing quotation mark is missing.")
        if sign[0] in QUOTES:
            continue
        depth += (sign == "(") - (sign == ")")
        if depth < 0:
            raise RequestError(f"In '{whole}' an opening bracket is missing.")
        result.append((match.start(), sign, depth))
    return result


def split_at_commas(text: str, whole: str = "") -> list[str]:
    """The parts of a list (for errors: of ``whole``); commas in brackets or quotes do not separate, empty parts are dropped.

    >>> split_at_commas("containment, embedding(model=a, batch=4)")
    ['containment', 'embedding(model=a, batch=4)']
    """
    cuts = [i for i, sign, depth in _signs(text, whole or text) if sign == "," and depth == 0]
    starts, ends = [0, *(i + 1 for i in cuts)], [*cuts, len(text)]
    return [part for a, b in zip(starts, ends, strict=True) if (part := text[a:b].strip())]


def names_in(texts: Iterable[str]) -> tuple[str, ...]:
    """The names or specs in texts, each of which may be a list with commas."""
    return tuple(name for text in texts for name in split_at_commas(text))
