# SPDX-License-Identifier: BSD-3-Clause
"""The section "Figures" of doc/soak.md: tables and charts of recorded runs."""

import json
import re
import statistics

from . import process, verdict

TITLES = {"real": "In real time, over rings", "virtual": "In virtual time"}
SECTION = re.compile(r"^## Figures\n.*?(?=^## |\Z)", re.S | re.M)


class Recorded:
    """The data of a recorded run, from the files in its folder. Raises OSError or ValueError if the files are incomplete."""

    def __init__(self, folder):
        self.run = json.loads((folder / "run.json").read_text(encoding="utf-8"))
        self.samples = process.load(folder / "samples.csv")
        self.result = json.loads((folder / "result.json").read_text(encoding="utf-8"))
        self.checks = list(verdict.judge(self.run, self.samples, self.result))

    @property
    def held(self):
        return all(c.held for c in self.checks)  # an inconclusive check does not count as held


def word(check, held, failed, unclear):
    return unclear if check.held is None else held if check.held else failed


def duration(seconds):
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60:02d} min" if minutes >= 60 else f"{minutes} min" if seconds >= 300 else f"{seconds:.0f} s"


def span(values, digits=1):
    """Formats the median, the 99th percentile and the maximum of times in ms."""
    ordered = sorted(values)
    return (f"median {statistics.median(ordered):.{digits}f} ms, 99th percentile {ordered[int(len(ordered) * 0.99)]:.{digits}f} ms, "
            f"maximum {ordered[-1]:.{digits}f} ms")


def count(run, name):
    return sum(c.get(name, 0) for n, c in run["clients"].items() if n.startswith("slow control"))


def of_clients(run, samples):
    """Yields (figure, value) for the activity of the clients during a run in real time."""
    stream, page = run["clients"]["event stream"], run["clients"]["page"]
    yield "register accesses; connections", f"{count(run, 'accesses'):,}; {count(run, 'connections'):,}"
    yield "queue pairs created and removed; messages of their bursts", f"{count(run, 'bursts'):,}; {count(run, 'messages'):,}"
    yield "samples of the event stream; connections", f"{stream['samples']:,}; {stream['connections']:,}"
    yield "other requests to the page; changes of parameters among them", f"{page['requests']:,}; {page['changes']:,}"
    lost = sum(c.get("lost_connections", 0) for c in run["clients"].values())
    yield "connections that clients lost", str(lost)
    yield "register access, median of each 10 s", span([s.slow_control_median_ms for s in samples[1:]])
    yield "register access, longest in each 10 s", span([s.slow_control_ms for s in samples[1:]])
    yield "`GET /metrics`", span([s.metrics_ms for s in samples])


def figures(recorded):
    """Yields (figure, value) of a run."""
    run, samples, result = recorded.run, recorded.samples, recorded.result
    totals, network = result["lab"]["figures"]["totals"], result["lab"]["network"]
    sent = result["duration_s"]
    if run["kind"] == "virtual":
        yield "virtual time", duration(sent)
        yield "real time; CPU time of softfeb", f"{duration(run['seconds'])}; {duration(samples[-1].cpu)}"
    else:
        yield "duration", duration(sent)
        yield "CPU time of softfeb", f"{duration(samples[-1].cpu)} ({samples[-1].cpu / samples[-1].t:.0%} of a CPU)"
    yield "packets sent by boards; of these, retransmissions", f"{totals['packets']:,}; {totals['retransmitted']:,}"
    yield "messages completed; failed", f"{totals['messages_completed']:,}; {totals['messages_failed']:,}"
    yield "packets marked by the switch; CNPs", f"{totals['ecn_marked']:,}; {totals['cnp_tx']:,}"
    if run["kind"] == "real":
        yield ("packets that faults dropped; duplicated; corrupted; reordered",
               "; ".join(f"{network[n]:,}" for n in ("dropped_fault", "duplicated", "corrupted", "reordered")))
        yield "bytes that were wrong at a receiver", f"{totals['bytes_wrong']:,}"
        yield from of_clients(run, samples)
    yield "changes of parameters by the configuration (a change of n boards counts n times)", f"{len(result['changes']):,}"
    yield "samples of the process", f"{len(samples):,}, one each {run['interval']:g} s"


def table(recorded):
    """Returns the two tables of a run."""
    rows = ["| figure | value |", "|---|---|", *(f"| {n} | {v} |" for n, v in figures(recorded)), "",
            "| check | found | limit | held |", "|---|---|---|---|",
            *(f"| {c.what} | {c.found} | {c.limit} | {word(c, 'yes', '**no**', 'inconclusive')} |" for c in recorded.checks)]
    return "\n".join(rows)


def report(recorded):
    """Returns the checks of a run for a terminal."""
    width = max(len(c.what) for c in recorded.checks)
    return "\n".join(f"{word(c, 'held', 'FAILED', 'INCONCLUSIVE'):12}  {c.what:<{width}}  {c.found} ({c.limit})" for c in recorded.checks)


def write(everything, page, images):
    """Replaces the section "Figures" of the page, and draws its pictures. Needs matplotlib, which a run does not need."""
    from . import pictures

    text = page.read_text(encoding="utf-8")
    if not SECTION.search(text):
        raise ValueError(f"{page}: no section `## Figures`; fix: add the heading")
    parts = ["## Figures\n\n`tools/soak page` has written this section from the recorded samples.\n"]
    for recorded in everything:
        kind = recorded.run["kind"]
        pictures.save(pictures.draw(recorded.run, recorded.samples), images / f"soak-{kind}.png")
        parts.append(f"\n### {TITLES[kind]}\n\n![Memory and descriptors of the run]({images.name}/soak-{kind}.png)\n\n{table(recorded)}\n")
    section = "".join(parts) + "\n"
    page.write_text(SECTION.sub(lambda _: section, text, count=1).rstrip() + "\n", encoding="utf-8")
