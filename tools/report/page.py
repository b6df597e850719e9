# SPDX-License-Identifier: BSD-3-Clause
"""Renders index.html, which needs no other files."""

import os

import colours
import completions
import figures
import labfigures
import stages
from markup import details, is_number, table, text
from units import fmt

HERE = os.path.dirname(os.path.abspath(__file__))
VERDICTS = {"held": ("held", "✓ All checks held"), "failed": ("failed", "✗ A check failed"),
            "inconclusive": ("other", "? Inconclusive")}


def style_sheet():
    with open(os.path.join(HERE, "page.css"), encoding="utf-8") as f:
        return colours.variables() + f.read()


def verdict(result):
    word = result.get("verdict")
    if word is None:
        return ""
    css, words = VERDICTS.get(word, ("other", word))
    return f'<p><span class="verdict {css}">{text(words)}</span></p>\n'


def least_use(folder):
    windows = folder.windows
    if windows is None or "port_used" not in windows:
        return None
    rows = windows["port_used"][(windows["window_ms"] == windows["window_ms"].max()) & (windows["steady"] > 0)]
    return float(rows.min()) if len(rows) else None


def summed(items, key):
    values = [figures.total(i, key) for i in items or []]
    values = [v for v in values if v is not None]
    return sum(values) if values else None


def in_virtual_time(result):
    return (result.get("lab") or {}).get("time") == "virtual"


def cards(folder):
    """Formats the key results."""
    r = folder.result
    use = least_use(folder)
    known = [
        ("boards", len(r["boards"]) if r.get("boards") else None),
        ("goodput, all boards (Gb/s)", r.get("goodput_gbps")),
        ("payload sent, all boards (Gb/s)", r.get("tx_payload_gbps") if r.get("goodput_gbps") is None else None),
        ("Jain's index, minimum", r.get("fairness_jain")),
        ("port use, minimum (%)", 100 * use if use is not None else None),
        ("time to fair shares, longest (ms)", labfigures.slowest(r)),
        ("longest queue (KiB)", max((s.get("queue_bytes_max", 0) for s in r.get("switches") or []), default=0) / 1024
         if r.get("switches") else None),
        ("packets dropped", summed(r.get("switches"), "dropped") if r.get("switches") else None),
        ("pause frames", summed(r.get("switches"), "pause_tx") if r.get("switches") else None),
        ("packets retransmitted", summed(r.get("boards"), "retransmitted_packets")),
        ("CNPs", summed(r.get("boards"), "cnp_rx")),
        ("bytes wrong", summed(r.get("receivers"), "bytes_wrong")),
        ("workers preempted (% of time)", 100 * r["stolen_share"] if is_number(r.get("stolen_share")) and not in_virtual_time(r) else None),
    ]
    shown = "".join(f"<div><dt>{text(k)}</dt><dd>{fmt(v)}</dd></div>\n" for k, v in known if v is not None)
    return f'<dl class="cards">\n{shown}</dl>\n' if shown else ""


def heading(folder):
    r, lab = folder.result, folder.lab
    html = f"<h1>{text(folder.title)}</h1>\n" + verdict(r)
    if lab.get("shows"):
        html += f"<p>{text(lab['shows'])}</p>\n"
    if lab.get("corresponds"):
        html += f'<p class="muted">Corresponds to: {text(lab["corresponds"])}</p>\n'
    if is_number(r.get("duration_s")):
        html += (f'<p class="muted">Traffic for {fmt(r["duration_s"])} s'
                 f'{", ended by a signal" if r.get("interrupted") else ""}'
                 f'{", in virtual time" if in_virtual_time(r) else ""}.</p>\n')
    for m in r.get("messages") or []:
        html += f'<p class="failed">{text(m)}</p>\n'
    return html


def figure(chart):
    notes = "".join(f"<p>{text(n)}</p>" for n in chart.notes)
    links = f'<a href="{chart.name}.svg">SVG</a>, <a href="{chart.name}.png">PNG</a>'
    svg = chart.inline()
    head, rest = svg.split(">", 1)
    svg = (f'{head}><title id="{chart.name}-t">{text(chart.title)}</title>'
           f'<desc id="{chart.name}-d">{text(chart.text)}</desc>{rest}')
    return (f'<section id="{chart.name}"><h2>{text(chart.title)}</h2>\n<figure><div class="scroll" tabindex="0" role="region" '
            f'aria-label="{text(chart.title)}">{svg}</div>\n<figcaption><p>{text(chart.text)}</p>{notes}<p>{links}</p></figcaption>'
            f"</figure></section>\n")


def navigation(checks, charts, sections):
    items = [s[:2] for s in checks] + [(c.name, c.title) for c in charts] + [s[:2] for s in sections]
    return '<nav aria-label="On this page"><ul>' + "".join(
        f'<li><a href="#{name}">{text(title)}</a></li>' for name, title in items) + "</ul></nav>\n"


def sweep_table(folder):
    sweep = folder.sweep
    if sweep is None:
        return ""
    rows = [list(r) for r in zip(*(sweep[n].tolist() for n in sweep.names))][:2000]
    html = table(f"{len(sweep)} points of the study", [n.replace("_", " ") for n in sweep.names], rows)
    return html if len(rows) <= 40 else details("All points of the study", html)


def results(folder):
    r = folder.result
    rows = figures.scalars(r)
    return (completions.section(r) + stages.section(r) + labfigures.section(r) + figures.boards(r) + figures.receivers(r) + figures.switches(r) + figures.others(r)
            + (table("Further results", ("", "value"), [[k.replace("_", " "), v] for k, v in rows]) if rows else "")
            + figures.machine(r) + sweep_table(folder))


def section(name, title, inner):
    return f'<section id="{name}"><h2>{text(title)}</h2>\n{inner}</section>\n' if inner else ""


def files(folder, charts):
    names = folder.files() + [f"{c.name}.{kind}" for c in charts for kind in ("svg", "png")]
    return "<ul>" + "".join(f'<li><a href="{n}">{n}</a></li>' for n in names) + "</ul>"


def configuration(folder):
    if not folder.config_text:
        return ""
    return details("config.yaml", f'<pre tabindex="0">{text(folder.config_text)}</pre>')


def document(title, header, main):
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{text(title)} – softfeb</title>
<style>
{style_sheet()}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the results</a>
<header>
{header}</header>
<main id="main">
{main}</main>
</body>
</html>
"""


def render(folder, charts, trouble):
    sections = [("results", "Results", results(folder)), ("configuration", "Configuration", configuration(folder)),
                ("files", "Files", files(folder, charts)),
                ("trouble", "Charts that could not be drawn", "".join(f"<pre>{text(t)}</pre>" for t in trouble))]
    sections = [s for s in sections if s[2]]
    checks = [("checks", "Checks", figures.checks(folder.result))] if folder.result else []
    drawn = "".join(map(figure, charts)) or "<p>This folder has no time series.</p>\n"
    main = cards(folder) + "".join(section(*s) for s in checks) + drawn + "".join(section(*s) for s in sections)
    return document(folder.title, heading(folder) + navigation(checks, charts, sections), main)
