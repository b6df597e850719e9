# SPDX-License-Identifier: BSD-3-Clause
"""Renders index.html of a comparison of algorithms."""

import os

import comparison
import page
from markup import Raw, details, table, text
from units import fmt

# (member of a run, label, factor by which the value is multiplied)
ROWS = (("goodput_gbps_run", "goodput, all boards (Gb/s)", 1), ("jain_min", "Jain's index over 100 ms, minimum", 1),
        ("port_used_min", "port use over 100 ms, minimum (%)", 100), ("queue_bytes_mean_run", "queue, mean (KiB)", 1 / 1024),
        ("queue_bytes_max", "queue, longest (KiB)", 1 / 1024), ("rtt_us", "round-trip time, mean (µs)", 1),
        ("ecn_marked", "packets marked", 1), ("cnp_rx", "CNPs received", 1), ("pause_tx", "pause frames", 1),
        ("dropped", "packets dropped", 1), ("retransmitted", "packets retransmitted", 1), ("timeouts", "timeouts", 1))
LENGTHS = ("up to 10 kB", "10 to 100 kB", "100 kB to 1 MB", "above 1 MB")


def heading(folder, runs):
    r, lab = folder.result, folder.lab
    html = f"<h1>{text(folder.title)}: {len(runs)} congestion controls</h1>\n" + page.verdict(r)
    if lab.get("shows"):
        html += f"<p>{text(lab['shows'])}</p>\n"
    if lab.get("corresponds"):
        html += f'<p class="muted">Corresponds to: {text(lab["corresponds"])}</p>\n'
    port = f" Queue and utilization are those of {text(r['bottleneck'])}." if r.get("bottleneck") else ""
    return html + f'<p class="muted">The same experiment with each congestion control, in virtual time.{port}</p>\n'


def scaled(value, factor):
    return value * factor if isinstance(value, (int, float)) and factor != 1 else value


def summary(runs):
    rows = [[label] + [scaled(r.entry.get(key), factor) for r in runs] for key, label, factor in ROWS]
    rows = [row for row in rows if any(v is not None for v in row[1:])]
    return table("Results; Jain's index and port use in steady states, all others over the whole run",
                 ["quantity"] + [r.title for r in runs], rows)


def slowdowns(runs):
    """Returns a table with the median and the 99th percentile of the slowdown by message length; empty if no run has slowdowns."""
    def value(run, at, key):
        times = run.figure("completion_times") or {}
        classes = times.get("classes") or []
        group = {"shorter half": times.get("shorter_half"), "all": times}.get(at) or (
            classes[LENGTHS.index(at)] if at in LENGTHS and len(classes) == len(LENGTHS) else None)
        return ((group or {}).get("slowdown") or {}).get(key)
    rows = [[f"{name}, {at}"] + [value(r, at, key) for r in runs]
            for key, name in (("p50", "median"), ("p99", "99th percentile")) for at in LENGTHS + ("shorter half", "all")]
    rows = [row for row in rows if any(v is not None for v in row[1:])]
    return table("Slowdown by message length", ["messages"] + [r.title for r in runs], rows) if rows else ""


def mark(check):
    if check is None:
        return None
    if check.get("gated") is False:
        return Raw('<span class="other">no steady state</span>')
    word = '<span class="held">✓</span> ' if check.get("held") else '<span class="failed">✗</span> '
    return Raw(word + fmt(check.get("value")))


def checks(folder, runs):
    """Returns a table of checks: all checks that the file configures, and other checks that failed in a run."""
    named = list((folder.lab.get("checks") or {}).items())
    by_run = [{c.get("name"): c for c in r.entry.get("checks") or []} for r in runs]
    known = {name for name, _ in named}
    failed = [c for checks_ in by_run for n, c in checks_.items() if n not in known and not c.get("held") and c.get("gated") is not False]
    named += [(c.get("name"), c.get("limit")) for c in {c.get("name"): c for c in failed}.values()]
    rows = [[name.replace("_", " "), text_of(limit)] + [mark(c.get(name)) for c in by_run] for name, limit in named]
    verdicts = {"held": '<span class="held">✓ held</span>', "failed": '<span class="failed">✗ failed</span>'}
    rows.append(["all checks of the run", ""]
                + [Raw(verdicts.get(r.entry.get("verdict"), '<span class="other">not run</span>')) for r in runs])
    return table("Checks", ["check", "limit"] + [r.title for r in runs], rows)


def text_of(limit):
    return "" if limit is None else str(limit)


def each_run(folder, runs):
    rows = []
    for r in runs:
        link = f"{r.name}/index.html"
        there = os.path.exists(os.path.join(folder.path, link))
        changes = [f"switched on: {s}" for s in r.entry.get("switched_on") or []]
        changes += [f"left out: {s}" for s in r.entry.get("left_out") or []]
        if r.entry.get("error"):
            changes.append(str(r.entry["error"]))
        rows.append([r.title, Raw(f'<a href="{text(link)}">report</a>') if there else "",
                     Raw("<br>".join(map(text, changes)) or "nothing")])
    for u in folder.result.get("unfit") or []:
        rows.append([u.get("name"), "", f"not compared, because it cannot be used: {u.get('reason')}"])
    return table("Runs, and what was changed for them besides the congestion control", ["run", "", "changed"], rows)


def render(folder, charts, trouble):
    runs = comparison.runs(folder)
    sections = [("runs", "Runs", each_run(folder, runs)), ("configuration", "Configuration", page.configuration(folder)),
                ("files", "Files", page.files(folder, charts)),
                ("trouble", "Charts that could not be drawn", "".join(f"<pre>{text(t)}</pre>" for t in trouble))]
    sections = [s for s in sections if s[2]]
    first = [("results", "Results", summary(runs) + slowdowns(runs)), ("checks", "Checks", checks(folder, runs))]
    main = "".join(page.section(*s) for s in first) + "".join(map(page.figure, charts)) + "".join(page.section(*s) for s in sections)
    return page.document(f"{folder.title}: comparison", heading(folder, runs) + page.navigation(first, charts, sections), main)
