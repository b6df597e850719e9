# SPDX-License-Identifier: BSD-3-Clause
"""Formats the member `latency` of result.json (doc/result.md): the times that messages take from stage to stage."""

from markup import details, table

NAMES = {"triggered": "trigger or due", "posted": "posted", "crafted": "first packet crafted", "sent": "last packet sent",
         "received": "received", "placed": "in memory", "notified": "notified", "completed": "completed"}
# Pairs of stages that are several steps apart, so that their times are sums of other times.
SUMS = {("sent", "received"), ("received", "notified"), ("posted", "notified"), ("triggered", "notified"), ("sent", "completed"),
        ("triggered", "completed")}
PERCENTILES = ("min", "p50", "p90", "p99", "p999", "max")
HEADS = ["messages", "minimum (µs)", "p50", "p90", "p99", "p99.9", "maximum"]


def name(point):
    if point.startswith("switch_"):
        _, number, side = point.split("_")
        return f"{'into' if side == 'in' else 'out of'} switch {number}"
    return NAMES.get(point, point)


def label(stage):
    return f"{name(stage['from'])} → {name(stage['to'])}"


def is_sum(stage):
    return (stage["from"], stage["to"]) in SUMS


def stages(result):
    """Returns the pairs of stages. The single steps come first, in the order in which a message passes them."""
    found = (result.get("latency") or {}).get("stages") or []
    return [s for s in found if not is_sum(s)] + [s for s in found if is_sum(s)]


def micros(stage):
    return [stage[p] / 1000 for p in PERCENTILES]


def section(result):
    found = stages(result)
    if not found:
        return ""
    latency = result["latency"]
    every = "every message" if latency["sample"] == 1 else f"one in {latency['sample']} messages"
    html = table(f"Times of {every} from stage to stage", ["stages", *HEADS], [[label(s), s["count"], *micros(s)] for s in found])
    rest = [[k.replace("_", " "), latency[k]] for k in ("overflows", "lost_stamps", "incomplete") if latency.get(k)]
    return html + (details("Messages whose times are not known", table("Messages", ["", "count"], rest)) if rest else "")
