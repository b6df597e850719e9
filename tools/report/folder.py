# SPDX-License-Identifier: BSD-3-Clause
"""Reads the files that softfeb wrote into a folder (doc/result.md)."""

import csv
import itertools
import json
import os

import numpy as np

from units import number

PART = 50_000  # lines


class Table:
    """The columns of a CSV file by name. A column contains either numbers, with NaN for empty fields, or text."""

    def __init__(self, columns):
        self.columns = columns
        self.names = list(columns)
        self.length = len(next(iter(columns.values()), ()))

    def __getitem__(self, name):
        return self.columns[name]

    def __contains__(self, name):
        return name in self.columns

    def __len__(self):
        return self.length

    def by(self, name):
        """Groups the rows by the values of a text column. Returns {value: rows with this value, in the order of the file}."""
        values, index, counts = np.unique(as_text(self.columns[name]), return_inverse=True, return_counts=True)
        order = np.argsort(index, kind="stable")
        ends = np.cumsum(counts)
        return {str(v): self.where(order[end - count:end]) for v, end, count in zip(values, ends, counts)}

    def where(self, rows):
        """Returns the selected rows. `rows` is a mask or an array of indices."""
        return Table({name: values[rows] for name, values in self.columns.items()})

    def get(self, name, default=0.0):
        return self.columns.get(name, np.full(self.length, default))


def column(texts):
    """Returns an array of numbers if all texts are numbers, otherwise an array of text."""
    try:
        return np.array([float(t) if t != "" else np.nan for t in texts])
    except ValueError:
        return np.array(texts)


def as_text(values):
    """Returns a column as text. Names that consist of digits were read as numbers and are converted back."""
    return np.array([f"{v:g}" for v in values]) if values.dtype.kind == "f" else values


def joined(parts):
    """Joins the parts of a column. The result is text if any part is text."""
    if any(p.dtype.kind != "f" for p in parts) and any(p.dtype.kind == "f" for p in parts):
        parts = [as_text(p) for p in parts]
    return np.concatenate(parts) if parts else np.array([])


def read_csv(path):
    """Reads a CSV file. Ignores an incomplete last line, which a killed run may leave. Converts the file part by part,
    because the text of all fields in Python needs ten times as much memory as the file."""
    with open(path, newline="", encoding="utf-8") as f:
        lines = csv.reader(f)
        names = next(lines, [])
        parts = {name: [] for name in names}
        while rows := list(itertools.islice(lines, PART)):
            whole = [row for row in rows if len(row) == len(names)]
            for i, name in enumerate(names):
                parts[name].append(column([row[i] for row in whole]))
    return Table({name: joined(p) for name, p in parts.items()})


class Folder:
    def __init__(self, path):
        self.path = path
        self.trouble = []  # messages about files that could not be read
        self.made = {}     # cache of computed values that several charts need
        self.result = self._read("result.json", lambda p: json.load(open(p, encoding="utf-8"))) or {}
        self.config_text = self._read("config.yaml", lambda p: open(p, encoding="utf-8").read()) or ""
        self.config = self.result.get("config") or {}
        self.series = self._table("series.csv")
        self.ports = self._table("ports.csv")
        self.windows = self._table("windows.csv")
        self.sweep = self._table("sweep.csv")
        self.camera = self._table("camera.csv")

    def _read(self, name, reader):
        path = os.path.join(self.path, name)
        if not os.path.exists(path):
            return None
        try:
            return reader(path)
        except (OSError, ValueError) as e:
            self.trouble.append(f"{name}: cannot be read: {e}")
            return None

    def _table(self, name):
        table = self._read(name, read_csv)
        return table if table is not None and len(table) else None

    def each_port(self):
        """Returns {port: its rows of ports.csv}. Computed once for all charts."""
        if "ports" not in self.made:
            self.made["ports"] = self.ports.by("port") if self.ports is not None else {}
        return self.made["ports"]

    def files(self):
        """Returns the names of the files to which the page links."""
        known = ("config.yaml", "result.json", "series.csv", "ports.csv", "queues.csv", "windows.csv", "sweep.csv", "latency.csv", "camera.csv")
        return [n for n in known if os.path.exists(os.path.join(self.path, n))]

    @property
    def lab(self):
        return self.config.get("lab") or {}

    @property
    def title(self):
        return self.lab.get("title") or "softfeb run"

    def limit(self, check):
        """Returns the limit of a configured check, or None."""
        value = (self.lab.get("checks") or {}).get(check)
        return number(value) if value is not None else None
