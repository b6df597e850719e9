# SPDX-License-Identifier: BSD-3-Clause
"""The numbers of result.json as tables."""

from markup import Raw, details, flat, is_number, pairs, table
from units import fmt

FEW = 12  # maximum number of rows of a table that is not folded

# Members of result.json that others() omits: the page shows them elsewhere, or readers do not need them.
PLACED = {"schema_version", "verdict", "config", "boards", "receivers", "switches", "checks", "messages", "duration_s",
          "measured_s", "warmup_excluded", "interrupted", "goodput_gbps", "tx_payload_gbps", "fairness_jain", "ports", "workers", "stolen_share",
          "changes", "peers", "control_unserved", "lab", "completion_times", "latency"}

BOARD = (("goodput_gbps", "goodput (Gb/s)"), ("tx_payload_gbps", "payload sent (Gb/s)"), ("tx_packets", "packets"), ("messages_completed", "messages"),
         ("messages_failed", "failed"), ("retransmitted_packets", "retransmitted"), ("timeouts", "timeouts"), ("cnp_rx", "CNPs"),
         ("rc_gbps", "Rc at the end (Gb/s)"), ("rtt_us", "RTT at the end (µs)"), ("window_bytes", "window at the end (bytes)"))
RECEIVER = (("goodput_gbps", "goodput (Gb/s)"), ("messages", "messages"), ("payload_bytes", "payload (bytes)"), ("bytes_wrong", "bytes wrong"), ("missing", "missing"),
            ("duplicate", "duplicate"), ("out_of_order", "out of order"), ("icrc_errors", "iCRC errors"), ("ecn_ce", "marked CE"),
            ("cnp_tx", "CNPs sent"))


def total(item, key):
    """Returns the value of a member of a board or receiver, or None if it is unknown.

    For a quantity of congestion control, returns the mean over the queue pairs. For other members of queue pairs, returns the sum. If not
    all queue pairs are listed, the sum comes from the summary."""
    state = (item.get("congestion") or {}).get(key)
    if isinstance(state, dict):
        return state.get("mean")
    if key in item:
        return item[key]
    summary = item.get("summary") or {}
    if summary.get("qps_listed") != summary.get("qps"):
        value = summary.get(key)
        return value["mean"] * value["qps"] if isinstance(value, dict) else value
    values = [qp[key] for qp in item.get("qps", []) if is_number(qp.get(key))]
    return sum(values) if values else None


def listed(caption, heading, items, members):
    rows = [[item.get("name", "")] + [total(item, key) for key, _ in members] for item in items]
    if not rows:
        return ""
    used = [i for i in range(len(members)) if any(r[i + 1] is not None for r in rows)]
    cut = [[r[0]] + [r[i + 1] for i in used] for r in rows]
    html = table(caption, [heading] + [members[i][1] for i in used], cut)
    if len(rows) <= FEW:
        return html
    spread = [[word] + [pick([r[i] for r in cut if is_number(r[i])]) for i in range(1, len(used) + 1)]
              for word, pick in (("minimum", least), ("mean", mean), ("maximum", largest), ("sum", sum))]
    return (table(f"{caption}: summary of {len(rows)}", [""] + [members[i][1] for i in used], spread)
            + details(f"All {len(rows)} rows", html))


def least(values):
    return min(values, default=None)


def largest(values):
    return max(values, default=None)


def mean(values):
    return sum(values) / len(values) if values else None


def boards(result):
    return listed("Boards, over the whole run", "board", result.get("boards") or [], BOARD)


def receivers(result):
    return listed("Receivers", "receiver", result.get("receivers") or [], RECEIVER)


def switches(result):
    """Formats the numbers of all switches as one table. Each list of a switch, for example its ports, becomes a further table."""
    html = ""
    items = result.get("switches") or []
    if items:
        keys = list(dict.fromkeys(k for s in items for k, v in s.items() if is_number(v) or v is None))
        html = table("Switches", ["switch"] + [k.replace("_", " ") for k in keys],
                     [[s.get("name", "")] + [s.get(k) for k in keys] for s in items])
    for s in items:
        for key, value in s.items():
            if isinstance(value, list) and value and all(isinstance(v, dict) for v in value):
                inner = objects(f"{s.get('name', '')}: {key.replace('_', ' ')}", value)
                html += inner if len(value) <= FEW else details(f"{s.get('name', '')}: {len(value)} {key}", inner)
    return html


def objects(caption, items):
    """Formats a list of objects with the same members as a table with one row per object."""
    keys = list(dict.fromkeys(k for item in items for k, v in item.items() if not isinstance(v, (dict, list))))
    keys.sort(key=lambda k: k not in ("name", "board", "port"))
    return table(caption, [k.replace("_", " ") for k in keys], [[item.get(k) for k in keys] for item in items])


def checks(result):
    items = result.get("checks") or []
    if not items:
        return "<p>No checks in the result.</p>"
    keys = list(dict.fromkeys(k for c in items for k in c if k not in ("name", "held", "value", "limit")))
    rows = []
    for c in items:
        rows.append([c.get("name", "").replace("_", " "), mark(c), c.get("value"), c.get("limit")]
                    + [plain(c.get(k)) for k in keys])
    return table("Checks of the run", ["check", "", "found", "limit"] + [k.replace("_", " ") for k in keys], rows)


def mark(check):
    if check.get("gated") is False or check.get("judged") is False:
        word = "reported" if check.get("held") else "reported, not held"
        return Raw(f'<span class="other">{word}</span>')
    return Raw('<span class="held">✓ held</span>' if check.get("held") else '<span class="failed">✗ failed</span>')


def plain(value):
    return ", ".join(f"{k} {fmt(v)}" for k, v in flat(value)) if isinstance(value, (dict, list)) else value


def others(result):
    """Formats members of result.json for which the page has no special format."""
    html = ""
    for key, value in result.items():
        if key in PLACED or not value:
            continue
        caption = key.replace("_", " ").capitalize()
        if isinstance(value, list) and all(isinstance(v, dict) for v in value):
            inner = objects(caption, value)
        elif isinstance(value, (dict, list)):
            inner = pairs(caption, value)
        else:
            continue
        long = inner.count("<tr>") > 40
        html += details(caption, inner) if long else inner
    return html


def scalars(result):
    return [(k, v) for k, v in result.items() if k not in PLACED and not isinstance(v, (dict, list))]


def machine(result):
    """Formats the counters of DPDK ports and workers."""
    html = "".join(objects(caption, result[key]) for key, caption in (("ports", "Ports (DPDK)"), ("workers", "Workers"))
                   if result.get(key))
    html += cpu(result.get("workers") or [])
    return details("Ports and workers", html) if html else ""


def cpu(workers):
    """Formats the share of its time that each worker spends in each stage. The quantiles are over samples of 10 ms."""
    stages = ("busy", "rx", "check", "place", "build", "tx", "other", "idle")
    rows = [[i, quantile] + [100 * w["cpu"][s][quantile] for s in stages]
            for i, w in enumerate(workers) if w.get("cpu") for quantile in ("min", "p10", "p50", "p90", "max")]
    return table("Time of the workers (% of each 10 ms)", ["worker", ""] + list(stages), rows) if rows else ""
