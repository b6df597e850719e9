# SPDX-License-Identifier: BSD-3-Clause
"""Report folders, which the parameter ``report`` or the option ``--report`` writes."""

from __future__ import annotations

import csv
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .documents import Document, load
from .errors import SoftfebError

if TYPE_CHECKING:
    StrPath = str | os.PathLike[str]


class Report:
    """A report folder: the result, and the time series (doc/result.md describes the columns)."""

    def __init__(self, folder: StrPath) -> None:
        self.folder = Path(folder)
        """path of the folder"""

    def result(self) -> Document:
        """Return the result document: a :class:`Result`, a :class:`Comparison` or a
        :class:`Study`."""
        return load(self.folder / "result.json")

    def tables(self) -> list[str]:
        """Return the names of the tables in the folder, such as ``series`` and ``ports``."""
        return sorted(path.stem for path in self.folder.glob("*.csv"))

    def rows(self, table: str = "series") -> list[dict[str, Any]]:
        """Return a table as a list of rows. Numbers become float, and empty fields None."""
        path = self._path(table)
        with open(path, newline="", encoding="utf-8") as file:
            return [{k: _value(v) for k, v in row.items()} for row in csv.DictReader(file)]

    def to_pandas(self, table: str = "series") -> Any:
        """Return a table as a ``pandas.DataFrame``. Needs Debian's ``python3-pandas``."""
        import pandas

        return pandas.read_csv(self._path(table))

    def _path(self, table: str) -> Path:
        path = self.folder / f"{table}.csv"
        if not path.is_file():
            known = ", ".join(self.tables()) or "none"
            raise SoftfebError(f"{self.folder} has no table {table!r}; it has: {known}")
        return path


def _value(text: str) -> Any:
    if text == "":
        return None
    try:
        return float(text)
    except ValueError:
        return text
