# SPDX-License-Identifier: BSD-3-Clause
"""The JSON Schemas of softfeb's documents."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from .documents import kind_of
from .errors import DocumentError, ProgramNotFound, SoftfebError
from .programs import find_program

_SUFFIX = ".schema.json"


def folder() -> Path:
    """Return the folder of the schemas.

    The folder is ``SOFTFEB_SCHEMAS``, the folder ``schemas`` of this source tree, or
    ``share/softfeb/schemas`` of the installation to which the program softfeb belongs.
    """
    for candidate in _candidates():
        if (candidate / f"result{_SUFFIX}").is_file():
            return candidate
    raise SoftfebError("the JSON Schemas were not found; fix: set SOFTFEB_SCHEMAS to their folder")


def _candidates() -> list[Path]:
    folders = [Path(value) for value in [os.environ.get("SOFTFEB_SCHEMAS", "")] if value]
    folders.append(Path(__file__).resolve().parents[2] / "schemas")
    try:
        folders.append(find_program("softfeb").resolve().parents[1] / "share/softfeb/schemas")
    except ProgramNotFound:
        pass
    return folders + [Path(p, "share/softfeb/schemas") for p in ("/usr/local", "/usr")]


def names() -> list[str]:
    """Return the names of all schemas, such as ``result``."""
    return sorted(path.name.removesuffix(_SUFFIX) for path in folder().glob(f"*{_SUFFIX}"))


def load(name: str) -> dict[str, Any]:
    """Return a schema."""
    path = folder() / f"{name}{_SUFFIX}"
    if not path.is_file():
        raise SoftfebError(f"there is no schema {name!r}; fix: one of {', '.join(names())}")
    schema: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return schema


def validate(document: Mapping[str, Any], kind: str | None = None) -> None:
    """Check a document against its schema. Needs Debian's ``python3-jsonschema``.

    ``kind`` is the name of the schema, with ``#NAME`` for one of its definitions, such as
    ``live#Sample``. Without ``kind``, the members of the document determine its schema. If the
    document is invalid, raise :class:`DocumentError` with the place of the first error.
    """
    validator = _validator(kind or kind_of(document))
    for error in sorted(validator.iter_errors(document), key=lambda e: list(map(str, e.path))):
        place = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in error.absolute_path)
        raise DocumentError(place, error.message)


@lru_cache(maxsize=None)
def _validator(kind: str) -> Any:
    import jsonschema

    name, _, definition = kind.partition("#")
    schema = load(name)
    if definition:
        if definition not in schema["$defs"]:
            raise SoftfebError(f"the schema {name!r} has no definition {definition!r}")
        schema = {"$defs": schema["$defs"], "$ref": f"#/$defs/{definition}"}
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)
