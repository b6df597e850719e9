# SPDX-License-Identifier: BSD-3-Clause
"""Configurations as files or dicts, and values in the notation of configuration files."""

from __future__ import annotations

import datetime
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Union

#: A configuration: the path of a file, or a dict with the same keys.
Configuration = Union[str, "os.PathLike[str]", Mapping[str, Any]]

#: A time: seconds, a timedelta, or text with a unit, such as ``"500ms"``.
Duration = Union[int, float, str, datetime.timedelta]


def configuration_file(folder: Path) -> Path:
    """Return the path of the file to which a dict is written."""
    return folder / "configuration.json"


def write_configuration(config: Configuration, folder: Path, cwd: Path) -> Path:
    """Return the path of a configuration. A dict is first written to a file in ``folder``.

    The file contains JSON, which softfeb can read because every JSON document is also YAML. Paths
    in the configuration are relative to the working directory of the program. Only ``base`` is
    relative to the file, so the function makes ``base`` absolute.
    """
    if not isinstance(config, Mapping):
        return Path(config)
    document = dict(config)
    if set(document) == {"base", "set"}:
        document["base"] = os.fspath(cwd / str(document["base"]))
    path = configuration_file(folder)
    path.write_text(json.dumps(document, indent=1, default=_plain), encoding="utf-8")
    return path


def overrides(settings: Mapping[str, Any]) -> list[str]:
    """Return the options ``--set KEY=VALUE`` of settings."""
    return [word for key, value in settings.items() for word in ("--set", f"{key}={text(value)}")]


def text(value: Any) -> str:
    """Return a value in the notation of configuration files. Text stays as it is."""
    if isinstance(value, str):
        return value
    if isinstance(value, datetime.timedelta):
        return duration(value)
    return json.dumps(value, default=_plain)


def duration(value: Duration) -> str:
    """Return a time in the notation of configuration files."""
    if isinstance(value, str):
        return value
    seconds = value.total_seconds() if isinstance(value, datetime.timedelta) else value
    nanoseconds = round(seconds * 1e9)
    return f"{nanoseconds}ns"


def _plain(value: Any) -> Any:
    """Convert values that JSON does not know: paths, times, and numbers of numpy."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, datetime.timedelta):
        return duration(value)
    if isinstance(value, Mapping):
        return dict(value)
    if hasattr(value, "item"):
        return value.item()
    return list(value)
