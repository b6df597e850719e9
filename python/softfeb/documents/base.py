# SPDX-License-Identifier: BSD-3-Clause
"""The base of all dataclasses that hold a JSON document of softfeb, or a part of one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, ClassVar, Self

from ..errors import DocumentError

#: Converts a JSON value. The second argument is its place in the document, for errors.
Decoder = Callable[[Any, str], Any]


@dataclass(frozen=True, kw_only=True, repr=False)
class Document:
    """An object of a JSON document.

    Members that the JSON object lacks are None. Members that this version of the package does not
    know are kept in :attr:`raw` and listed by :attr:`extra`.
    """

    raw: dict[str, Any] = field(repr=False, compare=False)
    """the JSON object itself, with all its members"""

    _decoders: ClassVar[Mapping[str, Decoder]] = {}
    _renamed: ClassVar[Mapping[str, str]] = {}
    _table: ClassVar[str] = ""

    @classmethod
    def from_json(cls, data: Any, place: str = "") -> Self:
        """Convert a JSON object. Raise :class:`DocumentError` if it does not have this form."""
        if not isinstance(data, dict):
            raise DocumentError(place, f"{cls.__name__}: not an object, but {type(data).__name__}")
        values: dict[str, Any] = {}
        for name, key, required in _members(cls):
            if key in data:
                decoder = cls._decoders.get(key)
                value = data[key]
                values[name] = decoder(value, f"{place}.{key}") if decoder else value
            elif required:
                raise DocumentError(f"{place}.{key}", f"{cls.__name__}: the member is missing")
        return cls(raw=data, **values)

    def __repr__(self) -> str:
        """Return a short text: scalar members, and the lengths of lists."""
        shown = ((name, getattr(self, name)) for name, _, _ in _members(type(self)))
        words = [f"{name}={_short(value)}" for name, value in shown if value is not None]
        return f"{type(self).__name__}({', '.join(words)})"

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object, with all its members."""
        return self.raw

    @property
    def extra(self) -> dict[str, Any]:
        """Members of the JSON object that have no field in this class."""
        known = {key for _, key, _ in _members(type(self))}
        return {key: value for key, value in self.raw.items() if key not in known}

    def table(self, path: str | None = None) -> list[dict[str, Any]]:
        """Return a list of the document as the rows of a table.

        ``path`` is the path of the list, such as ``"boards"`` or ``"boards.qps"``; without it,
        the main list of the document. A row has a column for each scalar member, with dots for
        members of members (``congestion.rtt_us``). If lists are nested, the name of the outer
        element is in a column such as ``boards``.
        """
        whole = self._table if path is None else path
        if not whole:
            return [dict(_flat(self.raw))]
        return list(_rows(self.raw, whole.split("."), whole))

    def to_pandas(self, path: str | None = None) -> Any:
        """Return a ``pandas.DataFrame`` of :meth:`table`. Needs Debian's ``python3-pandas``."""
        import pandas

        return pandas.DataFrame(self.table(path))


@dataclass(frozen=True, kw_only=True, repr=False)
class Judged(Document):
    """A whole document with a verdict."""

    @property
    def held(self) -> bool:
        """Whether nothing failed, and nothing is undecided."""
        return self.raw.get("verdict") in ("held", "pass", "measured", "ok")


_known_members: dict[type[Document], list[tuple[str, str, bool]]] = {}


def _members(cls: type[Document]) -> list[tuple[str, str, bool]]:
    """Return (name, JSON key, whether the member is required) for each member of a class."""
    members = _known_members.get(cls)
    if members is None:
        members = [
            (f.name, cls._renamed.get(f.name, f.name), f.default is MISSING)
            for f in fields(cls)
            if f.name != "raw"
        ]
        _known_members[cls] = members
    return members


def _short(value: Any) -> str:
    """Return a text for a member. The text is short even if there are thousands of queue pairs."""
    if isinstance(value, Document):
        return f"{type(value).__name__}(...)"
    if isinstance(value, (list, dict)) and value:
        return f"<{type(value).__name__} of {len(value)}>"
    return repr(value)


def _flat(data: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the scalar members of an object, and those of the objects in it."""
    for key, value in data.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
        elif not isinstance(value, list):
            yield prefix + key, value


def _rows(data: Any, path: list[str], whole: str) -> Iterator[dict[str, Any]]:
    key, rest = path[0], path[1:]
    if not isinstance(data, dict) or key not in data:
        raise KeyError(f"the document has no list {whole!r}")
    value = data[key]
    if isinstance(value, dict):
        yield from _rows(value, rest, whole) if rest else iter([dict(_flat(value))])
        return
    for index, element in enumerate(value if isinstance(value, list) else []):
        if not rest:
            yield dict(_flat(element)) if isinstance(element, dict) else {key: element}
        elif isinstance(element, dict) and rest[0] in element:
            label = {key: element.get("name", index)}
            for row in _rows(element, rest, whole):
                yield {**label, **row}


def elements(decoder: Decoder) -> Decoder:
    """Return a decoder for a list whose elements ``decoder`` converts."""

    def decode(value: Any, place: str) -> list[Any]:
        if not isinstance(value, list):
            raise DocumentError(place, f"not a list, but {type(value).__name__}")
        return [decoder(element, f"{place}[{i}]") for i, element in enumerate(value)]

    return decode


def mapping(decoder: Decoder) -> Decoder:
    """Return a decoder for an object whose keys are data and whose values ``decoder`` converts."""

    def decode(value: Any, place: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise DocumentError(place, f"not an object, but {type(value).__name__}")
        return {key: decoder(element, f"{place}.{key}") for key, element in value.items()}

    return decode


def optional(decoder: Decoder) -> Decoder:
    """Return a decoder for null and for the values that ``decoder`` converts."""
    return lambda value, place: None if value is None else decoder(value, place)


def pair(value: Any, place: str) -> tuple[Any, Any]:
    """Decode a list of two numbers."""
    if not isinstance(value, list) or len(value) != 2:
        raise DocumentError(place, "not a list of two numbers")
    return value[0], value[1]
