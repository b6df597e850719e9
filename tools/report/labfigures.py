# SPDX-License-Identifier: BSD-3-Clause
"""Results of a lab experiment, with real time and virtual time side by side."""

from markup import Raw, details, flat, table
from units import fmt

# (path in `figures`, label, factor) of the key figures. The long table shows all others.
CHOSEN = (
    ("windows.100.jain_min", "Jain's index over 100 ms, minimum", 1), ("windows.100.jain_mean", "Jain's index over 100 ms, mean", 1),
    ("windows.10.jain_min", "Jain's index over 10 ms, minimum", 1), ("windows.10.jain_mean", "Jain's index over 10 ms, mean", 1),
    ("windows.100.port_used_min", "bottleneck use over 100 ms, minimum (%)", 100),
    ("windows.100.port_used_mean", "bottleneck use, mean (%)", 100),
    ("queue_bytes_max", "bottleneck queue, longest (KiB)", 1 / 1024), ("queue_bytes_mean", "bottleneck queue, mean (KiB)", 1 / 1024),
    ("starvation_ms", "longest time without a delivery from a sending board (ms)", 1),
    ("offered", "share sent of what was allowed, worst board", 1), ("rate_tracking", "rate tracking, largest difference", 1),
    ("sawtooth", "sawtooth, largest difference from the prediction", 1), ("totals.ecn_marked", "packets marked", 1),
    ("totals.cnp_rx", "CNPs received", 1), ("totals.cnp_forged", "CNPs forged", 1), ("totals.pause_tx", "pause frames", 1),
    ("totals.dropped", "packets dropped", 1), ("totals.lost", "packets lost", 1),
    ("totals.retransmitted", "packets retransmitted", 1), ("spread_jain", "spread over equal-cost ports, Jain's index, worst switch", 1),
    ("spread_max_mean", "spread over equal-cost ports, busiest port / mean", 1), ("totals.bytes_wrong", "bytes wrong", 1))


def runs(result):
    """Returns [(title of a column, figures)] of the run and, if it exists, of the same experiment in virtual time."""
    lab = result.get("lab") or {}
    found = [(f"{lab.get('time', 'real')} time", lab.get("figures"))]
    if isinstance(lab.get("virtual"), dict):
        found.append(("virtual time", lab["virtual"].get("figures")))
    return [(name, f) for name, f in found if isinstance(f, dict)]


def named(figures):
    """Returns {path: scalar} for all figures. The paths of windows contain the length of the window, as in windows.100.jain_min."""
    plain = {k: v for k, v in figures.items() if k not in ("windows", "changes", "conservation", "completion_times")}
    values = dict(flat(plain))
    for w in figures.get("windows") or []:
        values.update({f"windows.{w.get('window_ms')}.{k}": v for k, v in w.items()})
    return values


def scaled(value, factor):
    return value * factor if isinstance(value, (int, float)) and not isinstance(value, bool) and factor != 1 else value


def figures_table(columns):
    values = [named(f) for _, f in columns]
    rows = [[words] + [scaled(v.get(path), factor) for v in values]
            for path, words, factor in CHOSEN if any(v.get(path) is not None for v in values)]
    chosen = {path for path, _, _ in CHOSEN}
    rest = [[path] + [v.get(path) for v in values] for path in dict.fromkeys(p for v in values for p in v) if path not in chosen]
    heads = ["metric"] + [name for name, _ in columns]
    html = table("Results of the experiment (values over windows: steady states only)", heads, rows) if rows else ""
    return html + (details("All values", table("By name in result.json", heads, rest)) if rest else "")


def what_changed(change):
    parts = [f"{', '.join(names[:4])}{' …' if len(names) > 4 else ''} {word}{'s' if len(names) == 1 else ''}"
             for word, names in (("start", change.get("starting") or []), ("stop", change.get("stopping") or [])) if names]
    return "; ".join(parts)


def changes_table(columns):
    times = dict.fromkeys(c.get("at_s") for _, f in columns for c in f.get("changes") or [])
    rows = []
    for at in times:
        here = [next((c for c in f.get("changes") or [] if c.get("at_s") == at), None) for _, f in columns]
        first = next(c for c in here if c is not None)
        rows.append([f"{fmt(at)} s: {what_changed(first)}", first.get("sending")]
                    + [c.get("converged_ms") if c is not None else None for c in here])
    heads = ["change", "boards sending"] + [f"{name} (ms)" for name, _ in columns]
    return table("Time from a change until all sending boards are within 10 % of their fair shares (–: not before the next change)",
                 heads, rows) if rows else ""


def conservation_table(columns):
    rows = []
    for name, f in columns:
        for b in f.get("conservation") or []:
            same = b.get("left") == b.get("right")
            rows.append([f"{b.get('name', '').replace('_', ' ')}, {name}", f"{fmt(b.get('left'))} {b.get('left_is')}",
                         f"{fmt(b.get('right'))} {b.get('right_is')}",
                         Raw('<span class="held">✓ equal</span>' if same else '<span class="failed">✗ differ</span>')])
    return table("Conservation check: two counts of the same packets or bytes", ["", "counted", "and", ""], rows) if rows else ""


def spread_table(result):
    """Returns a table of the sets of equal-cost ports of each switch, in the run and, if it exists, in the
    same experiment in virtual time."""
    lab = result.get("lab") or {}
    rows = []
    for time, source in ((lab.get("time", "real"), lab), ("virtual", lab.get("virtual") or {})):
        for s in source.get("spread") or []:
            whole = sum(p["wire_bytes"] for p in s["ports"])
            shares = ", ".join(f"{p['name'].removeprefix(s['switch'] + '.')} {100 * p['wire_bytes'] / whole:.1f} %" for p in s["ports"]) if whole else "–"
            rows.append([f"{s['switch']}, {time} time", s["jain"], s["max_mean"], shares])
    return table("Spread over equal-cost ports, bytes on the wire (1 each: all ports carried the same)",
                 ["switch", "Jain's index", "busiest port / mean", "share of each port"], rows) if rows else ""


def section(result):
    columns = runs(result)
    if not columns:
        return ""
    rest = dict(flat((result.get("lab") or {}).get("network") or {}))
    network = details("Packets of the network by fate", table("Packets", ["", "count"], list(map(list, rest.items())))) if rest else ""
    return figures_table(columns) + changes_table(columns) + spread_table(result) + conservation_table(columns) + network


def slowest(result):
    """Returns the longest time that boards took to reach their fair shares in this run, in milliseconds, or None."""
    columns = runs(result)
    found = [c["converged_ms"] for c in (columns[0][1].get("changes") or []) if c.get("converged_ms") is not None] if columns else []
    return max(found, default=None)
