# SPDX-License-Identifier: BSD-3-Clause
"""Completion times and slowdowns of messages, by length."""

import labfigures
from markup import table
from units import fmt

HEADS = ["messages", "completed", "p50 (µs)", "p99 (µs)", "mean (µs)", "maximum (µs)", "slowdown, p50", "p99", "mean", "maximum"]


def row(name, item):
    time, slowdown = item.get("time_us") or {}, item.get("slowdown") or {}
    return [name, item.get("messages")] + [values.get(key) for values in (time, slowdown) for key in ("p50", "p99", "mean", "max")]


def size(length):
    return f"{fmt(length / 1e6)} MB" if length >= 1e6 else f"{fmt(length / 1e3)} kB"


def rows(times):
    longer = 0  # upper limit, in bytes, of the previous class
    for c in times.get("classes") or []:
        limit = c.get("up_to_bytes")
        name = f"above {size(longer)}" if limit is None else f"{size(longer)} to {size(limit)}" if longer else f"up to {size(limit)}"
        longer = limit or longer
        yield row(name, c)
    yield row("the shorter half", times.get("shorter_half") or {})
    yield row("all", times)


def runs(result):
    """Returns [(name, completion times)] of the run and, if present, of the same experiment in virtual time."""
    found = [(f", {name}", f.get("completion_times")) for name, f in labfigures.runs(result)]
    return [(n, t) for n, t in found or [("", result.get("completion_times"))] if isinstance(t, dict)]


def section(result):
    return "".join(table(f"Completion times by message length{name}; slowdown is relative to an idle network", HEADS, list(rows(times)))
                   for name, times in runs(result))
