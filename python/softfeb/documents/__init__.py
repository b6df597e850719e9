# SPDX-License-Identifier: BSD-3-Clause
"""The JSON documents of softfeb as dataclasses.

Each module holds the classes of one JSON Schema (folder ``schemas``), from which
``tools/python-documents`` generates it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from ..errors import DocumentError, VersionError
from .base import Document
from .comparison import Comparison
from .conformance import Conformance
from .doctor import DoctorReport
from .rdma_sink import SinkReport
from .registers import RegisterSpace
from .result import Result
from .study import Study
from .study_manifest import StudyManifest
from .switch_test import SwitchTest
from .trigger import TriggerRun

__all__ = [
    "SCHEMA_VERSION",
    "Comparison",
    "Conformance",
    "DoctorReport",
    "Document",
    "RegisterSpace",
    "Result",
    "SinkReport",
    "Study",
    "StudyManifest",
    "SwitchTest",
    "TriggerRun",
    "convert",
    "kind_of",
    "load",
    "load_json",
]

#: The ``schema_version`` of the documents that this package reads.
SCHEMA_VERSION = 1

#: For each kind of document (the name of its schema): its class, and members that only documents
#: of this kind have.
_KINDS: dict[str, tuple[type[Document], tuple[str, ...]]] = {
    "result": (Result, ("boards", "receivers")),
    "comparison": (Comparison, ("runs", "unfit")),
    "study": (Study, ("points",)),
    "study-manifest": (StudyManifest, ("axes", "keys")),
    "conformance": (Conformance, ("cases", "device")),
    "switch-test": (SwitchTest, ("tests", "rig")),
    "registers": (RegisterSpace, ("registers", "profile")),
    "trigger": (TriggerRun, ("longest_delay_us",)),
    "rdma-sink": (SinkReport, ("qps", "timed_by")),
    "doctor": (DoctorReport, ("verdict", "checks")),
}


def load_json(source: str | Path | IO[str] | Mapping[str, Any]) -> dict[str, Any]:
    """Read a JSON object from a path, an open file or a dict."""
    if isinstance(source, Mapping):
        return dict(source)
    name = source if isinstance(source, (str, Path)) else getattr(source, "name", "document")
    try:
        text = (
            Path(source).read_text(encoding="utf-8")
            if isinstance(source, (str, Path))
            else source.read()
        )
        data = json.loads(text)
    except ValueError as error:
        raise DocumentError("", f"{name} is not JSON: {error}") from error
    if not isinstance(data, dict):
        raise DocumentError("", f"{name} is not a JSON object")
    return data


def kind_of(data: Mapping[str, Any]) -> str:
    """Return the kind of a document: the name of its schema, such as ``result``."""
    for kind, (_, members) in _KINDS.items():
        if all(member in data for member in members):
            return kind
    raise DocumentError("", "not a document of softfeb: its members are of no known kind")


def convert(data: Mapping[str, Any]) -> Document:
    """Convert a JSON object to the dataclass of its kind.

    Raise :class:`VersionError` if its ``schema_version`` is above :data:`SCHEMA_VERSION`. The
    version changes only if the meaning of members changes, so an older package must not guess.
    Documents of the same version with more members are read; the additions are in
    :attr:`Document.extra`.
    """
    version = data.get("schema_version", SCHEMA_VERSION)
    if not isinstance(version, int) or version > SCHEMA_VERSION:
        raise VersionError(
            "schema_version",
            f"the document has version {version}, and this package reads version "
            f"{SCHEMA_VERSION}; fix: use the package of the softfeb that wrote it, or read it "
            "with softfeb.documents.load_json",
        )
    return _KINDS[kind_of(data)][0].from_json(dict(data))


def load(source: str | Path | IO[str] | Mapping[str, Any]) -> Document:
    """Read a document of any kind from a path, an open file or a dict."""
    return convert(load_json(source))
