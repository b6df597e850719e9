# SPDX-License-Identifier: BSD-3-Clause
"""Checks a recorded run: memory, descriptors, counters and conservation of packets."""

import statistics
from dataclasses import dataclass

GROWTH = 0.01
"""largest change of the memory, relative to its size"""
FEWEST = 10
"""fewest samples of a run that can be judged"""
SHORTEST = 3600
"""seconds of the shortest run in real time whose memory can be judged. When the page is opened, the heap grows for a minute or two; this
time must be short compared with a tenth of the run"""


@dataclass(frozen=True)
class Check:
    """A condition that must hold."""

    what: str
    held: bool | None
    """None if the check is inconclusive"""
    found: str
    limit: str


def tenth(samples, number):
    """Returns the samples of a tenth of the run. The first tenth has number 0."""
    length = samples[-1].t - samples[0].t
    low, high = (samples[0].t + length * n / 10 for n in (number, number + 1))
    return [s for s in samples if low <= s.t < high or (number == 9 and s.t == high)]


def growth(samples, name):
    """Returns the medians of the second and of the last tenth of the run. The first tenth is the warm-up."""
    return tuple(statistics.median(getattr(s, name) for s in tenth(samples, n)) for n in (1, 9))


def memory(run, samples, name, what):
    before, after = growth(samples, name)
    grown = after / before - 1
    short = run["kind"] == "real" and run["seconds"] < SHORTEST
    return Check(f"{what}, last tenth of the run compared with the second", None if short else abs(grown) <= GROWTH,
                 f"{before / 1024:.2f} MiB, then {after / 1024:.2f} MiB ({grown:+.2%})", f"at most ±{GROWTH:.0%}")


def constant(samples, name, what):
    seen = sorted({getattr(s, name) for s in samples[len(tenth(samples, 0)):]})
    return Check(f"{what} after the first tenth", len(seen) == 1, " or ".join(map(str, seen)), "constant")


def accounts(result):
    """Yields the checks of softfeb's result."""
    conservation = result["lab"]["figures"]["conservation"]
    for c in conservation:
        yield Check(f"{c['left_is']} = {c['right_is']}", c["left"] == c["right"], f"{c['left']:,} = {c['right']:,}"
                    if c["left"] == c["right"] else f"{c['left']:,} ≠ {c['right']:,}", "equal")
    failed = [c["name"] for c in result["checks"] if not c["held"]]
    yield Check("softfeb's own checks", not failed and bool(conservation), ", ".join(failed) or f"{len(result['checks'])} held", "all hold")


def clients(run, result):
    """Yields the checks of the answers that clients received."""
    wrong = sum(c.get("wrong_answers", 0) for c in run["clients"].values())
    yield Check("wrong answers to clients", wrong == 0, str(wrong), "0")
    sent = sum(c.get("messages", 0) for c in run["clients"].values())
    made = sum(q["messages_completed"] for b in result["boards"] for q in b["qps"] if q.get("made_by") == "bus")
    yield Check("messages of bursts, as clients and as softfeb count them", sent == made, f"{sent:,}, {made:,}", "equal")


def judge(run, samples, result):
    """Returns the checks of a run."""
    yield Check("the run ended as asked", run["status"] == 0 and not run["ended_early"], f"exit status {run['status']}"
                + (", too early" if run["ended_early"] else ""), "exit status 0")
    if len(samples) < FEWEST:
        yield Check("samples", False, str(len(samples)), f"at least {FEWEST}")
        return
    yield memory(run, samples, "rss", "resident memory")
    yield memory(run, samples, "anonymous", "anonymous memory")
    yield constant(samples, "descriptors", "file descriptors")
    yield constant(samples, "threads", "threads")
    if "counters" in run:
        c = run["counters"]
        yield Check(f"counters of /metrics that went back or disappeared, of {c['watched']} in {c['readings']} readings",
                    not c["wrong"] and c["readings"] > 1, str(len(c["wrong"])), "0")
    if "clients" in run:
        yield from clients(run, result)
    yield from accounts(result)
