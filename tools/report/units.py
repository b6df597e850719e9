# SPDX-License-Identifier: BSD-3-Clause
"""Parses numbers of configurations, and formats numbers for readers."""

import math
import re

SCALE = {
    "": 1.0, "%": 0.01,
    "ps": 1e-12, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0,
    "B": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 1024.0, "MiB": 1024.0**2, "GiB": 1024.0**3,
    "b/s": 1e-9, "kb/s": 1e-6, "Mb/s": 1e-3, "Gb/s": 1.0, "Tb/s": 1e3,
    "B/s": 8e-9, "kB/s": 8e-6, "MB/s": 8e-3, "GB/s": 8.0,
}


def number(value):
    """Parses a number with a unit from a configuration. Returns seconds, bytes, Gb/s or a share of 1, or None if it is not a number."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, (int, float)):
        return float(value)
    match = re.fullmatch(r"\s*([-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?)\s*([A-Za-z%/]*)\s*", str(value))
    if not match or match.group(2) not in SCALE:
        return None
    try:
        return float(match.group(1)) * SCALE[match.group(2)]
    except ValueError:
        return None


def fmt(value, digits=4):
    """Formats a number with this many significant digits, and with thin spaces between thousands. Integers keep all digits."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer() and abs(value) < 1e15):
        return f"{int(value):,}".replace(",", "\u202f")
    if isinstance(value, float):
        if 0 < abs(value) < 1e-4 or abs(value) >= 1e15:
            return f"{value:.{digits - 1}e}"
        whole = len(str(int(abs(value)))) if abs(value) >= 1 else 0
        text = f"{value:,.{max(0, digits - whole)}f}".replace(",", "\u202f")
        return text.rstrip("0").rstrip(".") if "." in text else text
    return str(value)


def scaled_bytes(values):
    """Returns (divisor, unit) that suit the largest of the values, which are in bytes."""
    top = max((v for v in values if v is not None and not math.isnan(v)), default=0)
    for divisor, unit in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if top >= 2 * divisor:
            return divisor, unit
    return 1, "B"
