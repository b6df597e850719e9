# SPDX-License-Identifier: BSD-3-Clause
"""The figures: where each was published, what softfeb should reach, and how to find it in the results."""

import math
from dataclasses import dataclass

from .runs import ROOT, Job, sweep

CONF = ROOT / "conf/lab"


@dataclass
class Figure:
    """A line of the table: the published figure (`row`), and softfeb's values for this figure."""
    row: "Row"
    ours: list
    held: bool


@dataclass(frozen=True)
class Row:
    seed: str        # number of the published system
    name: str
    file: str        # name of the experiment in conf/lab
    expected: tuple  # a number for each measured value, or one limit for all of them
    tolerance: str   # for example "0.5 %", "± 0.1", "at least", "at most"
    ours: object     # function that takes the results of `jobs` and returns softfeb's value, or a list of values
    jobs: tuple
    digits: int = 2

    def judge(self, runs):
        found = self.ours([runs.result(job) for job in self.jobs])
        ours = list(found) if isinstance(found, (list, tuple)) else [found]
        expected = self.expected * (len(ours) if len(self.expected) == 1 else 1)
        return Figure(self, ours, len(ours) == len(expected) and all(map(self.holds, ours, expected)))

    def holds(self, ours, expected):
        if self.tolerance in ("at least", "at most"):
            return ours >= expected if self.tolerance == "at least" else ours <= expected
        if self.tolerance == "exactly":
            return ours == expected
        allowed = float(self.tolerance.strip("±% "))
        return abs(ours - expected) <= (allowed / 100 * expected if "%" in self.tolerance else allowed)


def lab(result):
    return result["lab"]["figures"]


def window(result, length):
    return next(w for w in lab(result)["windows"] if w["window_ms"] == length)


def board_goodput(name):
    return lambda results: [next(b["goodput_gbps"] for b in r["boards"] if b["name"] == name) for r in results]


def node_goodput(results):
    """Returns, for each result, the goodput of all receivers together. The receivers have windows
    and measure their goodput themselves."""
    return [sum(n["goodput_gbps"] for n in r["receivers"]) for r in results]


def missing(results):
    return sum(n["windows"]["missing"] for r in results for n in r["receivers"])


def wrong_marks(results):
    """Returns the number of contradictions between three sources: the bitmaps of the windows, the gaps in the PSNs, and the number of
    packets that the network lost. Each message consists of one packet."""
    node, lost = results[0]["receivers"][0], lab(results[0])["totals"]["lost"]
    by_psn = {str(i): qp["missing_ranges"] for i, qp in enumerate(node["qps"]) if "missing_ranges" in qp}
    bitmaps = node["windows"]["missing_ranges"]
    streams = by_psn.keys() | bitmaps.keys()
    return abs(missing(results) - lost) + sum(by_psn.get(s) != bitmaps.get(s) for s in streams)


def headers_only(result):
    """Returns the payload as a percentage of all bytes. As in the equations of the thesis (001),
    FCS (4 bytes), preamble (8) and inter-frame gap (12) do not count."""
    port = next(p for s in result["switches"] for p in s["ports"] if p["name"] == "tor.node")
    payload = sum(n["payload_bytes"] for n in result["receivers"])
    return 100 * payload / (port["tx_wire_bytes"] - 24 * port["tx_packets"])


def largest_deviation(results):
    """Returns the largest deviation of a queue pair's goodput from the mean of all queue pairs, in per cent."""
    off = []
    for r in results:
        spreads = [b["summary"]["goodput_gbps"] for b in r["boards"]]
        mean = sum(s["mean"] * s["qps"] for s in spreads) / sum(s["qps"] for s in spreads)
        off += [100 * abs(s[end] / mean - 1) for s in spreads for end in ("min", "max")]
    return max(off)


def latency(result):
    return result["receivers"][0]["transfers"]["latency_us"]


def saved(results):
    """Returns the times that registration saves. Each result with registration is followed by a result without registration, in which the
    sender notifies the receiver after an acknowledgement."""
    return [latency(b) - latency(a) for a, b in zip(results[::2], results[1::2])]


def stage(result, begin, end):
    """Returns the times of messages between two stages (doc/result.md), in nanoseconds."""
    return next(s for s in result["latency"]["stages"] if (s["from"], s["to"]) == (begin, end))


def loop_times(results):
    loop = stage(results[0], "sent", "received")
    return [loop["min"], loop["max"]]


def complete_share(results):
    events = results[0]["receivers"][0]["events"]
    return 100 * events["complete"] / events["triggers"]


def accepted_share(results):
    source, = results[0]["triggers"][0]["sources"]
    return source["accepted"] / (10e3 * results[0]["duration_s"])


def card_goodput(results):
    """Returns the goodput of each run, which sends either WRITEs or datagrams."""
    return [r["boards"][0]["goodput_gbps"] + (r["receivers"][0]["streams"]["goodput_gbps"] or 0) for r in results]


def one(file):
    return (Job(file),)


MTUS, VICTIM, LATENCY = (tuple(sweep(f"seed000-{n}")) for n in ("mtu", "victim", "latency"))
SIZES, QPS, MANY_TO_ONE, ONE_TO_MANY = (tuple(sweep(f"seed001-{n}")) for n in ("sizes", "qps", "many-to-one", "one-to-many"))
NOTIFICATIONS = tuple(sweep("seed003-latency"))
EVENTS = Job("advcam")
# In the first run, there is only one event at a time. The second run, with a single board, is long enough to measure the live time.
ONE_EVENT = Job("advcam", ("run.duration=3ms", "triggers.camera.sources.0={kind: periodic, rate: 10kHz, phase: 50us}"))
LIVE = Job("advcam", ("boards.feb.count=1", "run.duration=10s", "latency.sample=64"))
# The expected share of accepted triggers at 10 kHz with a dead time of 7 us, and three standard deviations of the share in a run of 10 s.
LIVE_SHARE = 1 / (1 + 10e3 * 7e-6)
LIVE_SIGMAS = 3 * math.sqrt(LIVE_SHARE**3 / 100e3)
CARD_WRITES, CARD_DATAGRAMS = (tuple(j for j in sweep("seed004-sizes") if j.overrides[0].endswith(mode) and
                                     j.overrides[1].endswith(("=256B", "=1KiB"))) for mode in ("write", "udp"))
CAMERA, THESIS, REGISTRATION = "Advanced Camera", "RoCE for radio astronomy", "receiver registration"
NANET = "NaNet-10"

ROWS = (
    Row(CAMERA, "Throughput at path MTU 256, 512, 1024, 2048, 4096 (Gb/s)", "seed000-mtu",
        (7.57, 8.62, 9.26, 9.62, 9.81), "0.5 %", board_goodput("feb"), MTUS),
    Row(CAMERA, "Goodput of an innocent board that requests 8 Gb/s, without and with DCQCN (Gb/s)", "seed000-victim", (3.27, 8.0),
        "3 %", board_goodput("victim"), VICTIM),
    Row(CAMERA, "Three senders with DCQCN, then two, then one: smallest Jain index in windows of 100 ms", "incast", (0.99,), "at least",
        lambda r: window(r[0], 100)["jain_min"], one("incast"), 4),
    Row(CAMERA, "… packets dropped or lost", "incast", (0,), "exactly",
        lambda r: lab(r[0])["totals"]["dropped"] + lab(r[0])["totals"]["lost"], one("incast"), 0),
    Row(CAMERA, "… longest time until all shares are within 10 % of the fair share (ms)", "incast", (300,), "at most",
        lambda r: max(float("inf") if c["converged_ms"] is None else c["converged_ms"] for c in lab(r[0])["changes"]), one("incast"), 0),
    Row(CAMERA, "Three senders without DCQCN: mean Jain index in windows of 10 ms", "seed000-no-dcqcn", (0.35,), "± 0.07",
        lambda r: window(r[0], 10)["jain_mean"], one("seed000-no-dcqcn"), 3),
    Row(CAMERA, "… longest time for which a board delivers nothing (ms)", "seed000-no-dcqcn", (100,), "at least",
        lambda r: lab(r[0])["starvation_ms"], one("seed000-no-dcqcn"), 0),
    Row(CAMERA, "… packets retransmitted", "seed000-no-dcqcn", (10001,), "at least",
        lambda r: lab(r[0])["totals"]["retransmitted"], one("seed000-no-dcqcn"), 0),
    Row(CAMERA, "Threshold switch at 8 Gb/s on the wire: throughput (Gb/s)", "threshold", (7.66,), "3 %",
        lambda r: sum(b["goodput_gbps"] for b in r[0]["boards"]), one("threshold")),
    Row(CAMERA, "Sawtooth of the rate: largest difference from the prediction (%)", "sawtooth", (2,), "at most",
        lambda r: 100 * lab(r[0])["sawtooth"], one("sawtooth"), 3),
    Row(CAMERA, "Largest difference between the bytes sent in 1 ms and the integral of Rc (%); differences of up to one packet are treated as 0",
        "rate-tracking", (1,), "at most", lambda r: 100 * lab(r[0])["rate_tracking"], one("rate-tracking"), 3),
    Row(CAMERA, "Latency of a packet with 4096 bytes, divided by the latency of a packet with 256 bytes (the time to post a message was fitted: 0.74 µs)",
        "seed000-latency", (4,), "± 0.5", lambda r: latency(r[-1]) / latency(r[0]), LATENCY),
    Row(CAMERA, "143 boards that answer random triggers at 10 kHz: complete events (%)",
        "advcam", (100,), "exactly", complete_share, (EVENTS,), 0),
    Row(CAMERA, "… longest queue after a single trigger, including the event headers (kB)", "advcam", (684 + 143 * 0.064,), "1 %",
        lambda r: lab(r[0])["queue_bytes_max"] / 1000, (ONE_EVENT,), 1),
    Row(CAMERA, "… share of trigger candidates that are outside the dead time (tolerance: 3 σ)", "advcam", (round(LIVE_SHARE, 4),), f"± {LIVE_SIGMAS:.4f}",
        accepted_share, (LIVE,), 4),
    Row(THESIS, "Eq. 2.1 and 2.2: share of payload in the bytes of messages of 4 KiB and 1 MiB, if FCS, preamble and gap are left out (%)",
        "seed001-sizes", (98.1, 98.6), "0.2 %", lambda r: [headers_only(r[0]), headers_only(r[-1])], SIZES),
    Row(THESIS, "Fig. 5.1: goodput with messages of 4 KiB, 16 KiB, 1 MiB (Gb/s)", "seed001-sizes", (97.57, 97.92, 98.04), "0.2 %",
        lambda r: node_goodput([r[0], r[1], r[-1]]), SIZES),
    Row(THESIS, "Fig. 5.6 and 5.7: goodput with 1, 10, 100, 750 queue pairs (Gb/s)", "seed001-qps", (97.9,), "0.5 %", node_goodput, QPS),
    Row(THESIS, "Fig. 5.12: goodput of four boards at 23 Gb/s each, with 4, 20, 200, 2,000 queue pairs (Gb/s)",
        "seed001-many-to-one", (90.1,), "0.5 %", node_goodput, MANY_TO_ONE),
    Row(THESIS, "… missing messages", "seed001-many-to-one", (0,), "exactly", missing, MANY_TO_ONE, 0),
    Row(THESIS, "… largest deviation of a queue pair's goodput from the mean (%)",
        "seed001-many-to-one", (2,), "at most", largest_deviation, MANY_TO_ONE),
    Row(THESIS, "Fig. 5.14: goodput from one board to four nodes, with 4, 40, 400, 2,000 queue pairs (Gb/s)",
        "seed001-one-to-many", (97.9,), "0.5 %", node_goodput, ONE_TO_MANY),
    Row(THESIS, "… goodput of each node, with 2,000 queue pairs (Gb/s)", "seed001-one-to-many", (24.5,), "0.5 %",
        lambda r: [n["goodput_gbps"] for n in r[-1]["receivers"]], ONE_TO_MANY),
    Row(THESIS, "R3: messages that did not arrive, with 200 boards and 200 nodes", "seed001-n-to-n", (0,), "exactly",
        lambda r: sum(n["missing"] for n in r[0]["receivers"]) + lab(r[0])["totals"]["lost"], one("seed001-n-to-n"), 0),
    Row(THESIS, "R6: messages that are marked as missing but were not lost, and lost messages that are not marked as missing",
        "seed001-lossy", (0,), "exactly", wrong_marks, one("seed001-lossy"), 0),
    Row(THESIS, "Eq. 3.1: queue pairs of a LOFAR node", "lofar", (1627,), "exactly",
        lambda r: r[0]["receivers"][0]["windows"]["streams"], one("lofar"), 0),
    Row(THESIS, "… goodput of this node (Gb/s)", "lofar", (10.17,), "0.5 %", node_goodput, one("lofar")),
    Row(REGISTRATION, "Fig. 7: latency at 1 KB (fitted): notification after an acknowledgement; registration (µs)",
        "seed003-latency", (5.23, 4.21), "± 0.1", lambda r: [latency(r[3]), latency(r[2])], NOTIFICATIONS),
    Row(REGISTRATION, "… time that registration saves at 256 B, 1 KB, 4 KB, 32 KB (µs)",
        "seed003-latency", (1.02,), "± 0.1", saved, NOTIFICATIONS),
    Row(REGISTRATION, "… share of the latency that registration saves at 32 KB (%)", "seed003-latency", (4,), "at most",
        lambda r: 100 * saved(r)[-1] / latency(r[-1]), NOTIFICATIONS),
    Row(NANET, "Shortest and longest time from the transmitter to the receiver of a loop (ns)",
        "seed004-loop", (409.6,), "± 0.001", loop_times, one("seed004-loop"), 3),
    Row(NANET, "Fig. 8: goodput of WRITEs of 256 B and 1 KiB (Gb/s)", "seed004-sizes", (7.23, 9.13), "1 %", card_goodput, CARD_WRITES),
    Row(NANET, "… goodput of UDP datagrams of 256 B and 1 KiB (Gb/s)", "seed004-sizes", (7.95, 9.39), "1 %", card_goodput, CARD_DATAGRAMS),
)
