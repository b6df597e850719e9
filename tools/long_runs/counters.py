# SPDX-License-Identifier: BSD-3-Clause
"""Checks that no counter of /metrics decreases or disappears."""

import re

LINE = re.compile(r"^(\w+)(\{.*\})? (\S+)$")


def parse(text):
    """Returns the values in a text of /metrics, and the names of the families that only grow."""
    values, growing = {}, set()
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            _, _, family, kind = line.split()
            if kind == "counter":
                growing.add(family)
            elif kind in ("summary", "histogram"):
                growing |= {family + "_sum", family + "_count", family + "_bucket"}
        elif match := LINE.match(line):
            values[match[1] + (match[2] or "")] = float(match[3])
    return values, growing


def family_of(name):
    return name.split("{", 1)[0]


class Counters:
    """Compares each reading with the previous one."""

    def __init__(self):
        self.last, self.readings, self.watched = {}, 0, 0
        self.wrong = []
        """counters that decreased or disappeared, with the time"""

    def read(self, text, t):
        """Takes a reading. Returns all values."""
        values, growing = parse(text)
        now = {n: v for n, v in values.items() if family_of(n) in growing}
        for name, before in self.last.items():
            if name not in now:
                self.wrong.append(f"{t:.0f} s: {name} disappeared")
            elif now[name] < before:
                self.wrong.append(f"{t:.0f} s: {name} went back from {before:.17g} to {now[name]:.17g}")
        self.last, self.readings, self.watched = now, self.readings + 1, max(self.watched, len(now))
        return values


def total(values, family):
    """Returns the sum of all values of a family."""
    return sum(v for n, v in values.items() if family_of(n) == family)
