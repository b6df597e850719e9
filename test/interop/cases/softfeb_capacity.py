# SPDX-License-Identifier: BSD-3-Clause
"""TIMELY and Swift with a standard receiver: the board's rate follows the capacity of the path, without a congestion control header.

Two boards send in real time through softfeb's own switches. One port of the switches leads to the guest:

    feb0 ───┐                        ┌─── the guest
            ├─ tor ── CAPACITY ── leaf
    cross ──┘                        └─── a receiver of softfeb

Between the two times in CHANGES, `cross` sends at a constant rate, in a strict queue of higher priority, which leaves less capacity for
feb0.

An emulated guest answers after 0.4 to 1 ms and is preempted for milliseconds. The capacity is therefore set to a fraction of the rate that
the guest can receive (doc/softroce.md), and the algorithms measure delays of milliseconds instead of the tens of microseconds of a data
center.
"""

import csv
import hashlib
import json
import random
import statistics
from itertools import pairwise

from softfeb import device, started
from softroce import case

SIZE = 64 << 20
MESSAGE = 64 << 10
PMTU = 4096
CAPACITY = 0.06  # Gb/s, between the switches
CROSS = 0.045  # Gb/s, the part of CAPACITY that cross uses while it sends
CHANGES = (2.5, 5.0)  # s: times at which cross starts and stops
SETTLED = 1.0  # s: time that the algorithm has to adapt after a change
# Seconds before each change that are not evaluated. Time 0 on the guest is the time of a sample, so it is up to 50 ms late, or later if the
# guest is preempted.
GUARD = 0.2
ATTEMPTS = 3  # more than one, because the machine may be busy
# Bytes of a full packet: as counted by congestion control (BTH to pad), and on the wire.
COUNTED, WIRE = 12 + PMTU, 12 + PMTU + 70

# TIMELY uses at most one sample in 20 ms, about a round trip. At min_rate, the time between samples is shorter than idle_reset.
TIMELY = {"algorithm": "timely", "line_rate": "1Gb/s", "initial_rate": "60Mb/s", "min_rate": "4Mb/s", "delta": "2Mb/s",
          "t_low": "20ms", "t_high": "80ms", "min_rtt": "20ms", "update_interval": "20ms", "idle_reset": "500ms"}
SWIFT = {"algorithm": "swift", "base_target": "25ms", "fs_range": "0"}


def document(lab, to, path, congestion):
    """Returns the configuration. It is written to a file as JSON, which is valid YAML."""
    seconds = CHANGES[1] - CHANGES[0]
    rate = CROSS * PMTU / WIRE
    return {
        "lab": {"bottleneck": "tor.leaf", "stolen_limit": "10%"},
        "run": {"series_interval": "20ms", "drain_timeout": "20s"},
        "workers": {"count": 1, "idle": "sleep"},
        "ports": [{"name": "guest", "device": device(lab), "mtu": 9000}],
        "network": {
            "switches": [{"name": "tor", "buffer": "1MiB", "priorities": 8}, {"name": "leaf", "buffer": "4MiB"}],
            "links": [{"ends": ["feb0", "tor"], "rate": "1Gb/s"}, {"ends": ["cross", "tor"], "rate": "1Gb/s"},
                      {"ends": ["tor", "leaf"], "rate": f"{CAPACITY * 1000:g}Mb/s"},
                      {"ends": ["leaf", "guest"], "rate": "1Gb/s"}, {"ends": ["leaf", "daq"], "rate": "1Gb/s"}]},
        "boards": [
            {"name": "feb0", "mac": lab.host_mac, "ip": f"{lab.host_ip}/24", "neighbours": {lab.guest_ip: lab.guest_mac},
             "congestion": congestion,
             "qps": [{"to": to, "pmtu": PMTU, "timeout": 15, "retry_count": 7,
                      "traffic": {"payload": {"file": str(path)}, "message_size": f"{MESSAGE}B", "verb": "write_imm",
                                  "immediate": "counter", "messages": SIZE // MESSAGE}}]},
            {"name": "cross", "ip": "10.77.0.101/24", "dscp": 48, "start": f"{CHANGES[0]}s",
             "qps": [{"to": "daq", "transport": "UC", "pmtu": PMTU,
                      "traffic": {"message_size": f"{MESSAGE}B", "rate": f"{rate * 1000:.3f}Mb/s",
                                  "messages": int(seconds * rate * 1e9 / 8 / MESSAGE)}}]}],
        "receivers": [{"name": "daq", "ip": "10.77.0.102/24"}]}


# Prints time and received bytes of eth0 every 50 ms.
WATCH = """
while :; do
  read now rest </proc/uptime; read bytes </sys/class/net/eth0/statistics/rx_bytes; echo "$now $bytes"; sleep 0.05
done"""
# Prints a line for each UDP packet whose destination port is not that of RoCEv2.
OTHERS = ["tcpdump", "-i", "eth0", "-Z", "root", "-nn", "-l", "udp and not dst port 4791"]


class Transfer:
    """A run that sends 64 MiB to the guest while the capacity changes. Stores the sink's report,
    and the time series of both sides."""

    def __init__(self, lab, name, congestion):
        path = lab.dir / "sent"
        data = random.Random(64).randbytes(SIZE)
        path.write_bytes(data)
        self.digest = hashlib.sha256(data).hexdigest()
        folder = lab.dir / f"{name}-report"
        with lab.sink("--memory", str(SIZE)) as sink:
            conf = lab.dir / f"{name}.yaml"
            conf.write_text(json.dumps(document(lab, sink.url, path, congestion), indent=1))
            with lab.guest.popen(WATCH) as watch, lab.guest.popen(OTHERS) as others:
                others.wait_for_output("listening on", kind="err")
                with started(lab, None, {}, ["--report", folder, "--no-pictures", "--web", "off"], name, conf, "lab") as run:
                    self.run = run.wait(100)
                watch.close()
                others.close()
            received = [tuple(map(float, line.split())) for line in watch.result.out.rpartition("\n")[0].splitlines() if line.count(" ") == 1]
        self.report = sink.report
        self.others = others.result.out
        with open(folder / "series.csv", newline="") as series:
            self.rows = [row for row in csv.DictReader(series) if row["board"] == "feb0"]
        self.received = rates(received)
        end = max(float(row["time_s"]) for row in self.rows if float(row["sent_gbps"]) > 0)
        begins = (0.0, *CHANGES)
        self.phases = [(begin + SETTLED, finish - GUARD) for begin, finish in zip(begins, (*CHANGES, end))]
        self.capacities = [(CAPACITY - taken) * COUNTED / WIRE for taken in (0, CROSS, 0)]

    @property
    def qp(self):
        return next(b for b in self.run.json["boards"] if b["name"] == "feb0")["qps"][0]

    def median(self, column, phase):
        inside = [row for row in self.rows if phase[0] <= float(row["time_s"]) < phase[1]]
        values = [float(row[column]) for row in inside if row.get(column)]
        return statistics.median(values) if values else None

    def arrived(self, phase):
        """Returns the mean rate at which the guest received bytes, in Gb/s as counted by congestion control."""
        values = [rate for time, rate in self.received if phase[0] <= time < phase[1]]
        return statistics.mean(values) * COUNTED / (WIRE - 24) if values else None


def rates(samples):
    """Converts samples of (time, bytes) to (time, Gb/s). Time 0 is the beginning of the traffic."""
    steps = [(end, 8e-9 * (after - before) / (end - begin)) for (begin, before), (end, after) in pairwise(samples) if end > begin]
    first = next((time for time, rate in steps if rate > 0.1 * CAPACITY), 0)
    return [(time - first, rate) for time, rate in steps]


def arrived_whole(t):
    """Checks that every byte and message arrived once, in standard RoCEv2 packets."""
    messages = SIZE // MESSAGE
    assert t.report["qps"][0]["sha256"] == t.digest and t.report["payload_bytes"] == SIZE, t.report
    assert t.report["messages"] == messages and t.report["duplicate"] == t.report["out_of_order"] == 0, t.report
    assert (t.qp["messages_completed"], t.qp["messages_failed"]) == (messages, 0), t.run.text
    assert t.others == "", t.others


def deviations(t):
    """Returns a text for each way in which the board did not follow the capacity; an empty list if it did."""
    found = []
    for k, (phase, capacity) in enumerate(zip(t.phases, t.capacities)):
        rate, rtt, arrived = t.median("rc_gbps", phase), t.median("rtt_us", phase), t.arrived(phase)
        print(f"#   {phase[0]:.1f} to {phase[1]:.1f} s: capacity {capacity:.4f} Gb/s, rate {rate}, received {arrived}, RTT {rtt} µs")
        if rate is None or abs(rate / capacity - 1) > 0.5:
            found.append(f"phase {k}: the board's rate is {rate} Gb/s, the capacity {capacity:.4f} Gb/s")
        if arrived is None or not 0.7 < arrived / capacity < 1.1:
            found.append(f"phase {k}: the guest receives {arrived} Gb/s, the capacity is {capacity:.4f} Gb/s")
        if rtt is None or rtt > 60_000:
            found.append(f"phase {k}: the RTT is {rtt} µs")
    lost = t.run.json["lab"]["figures"]["totals"]["dropped"]
    if lost or t.qp["retransmitted_packets"]:
        found.append(f"{lost} packets dropped, {t.qp['retransmitted_packets']} sent again")
    return found


def follows(lab, name, congestion):
    """Checks a run. Repeats the run if the worker was preempted for longer than the limit, because preemption would then limit the rate."""
    for attempt in range(1, ATTEMPTS + 1):
        t = Transfer(lab, f"{name}-{attempt}", congestion)
        arrived_whole(t)
        found = deviations(t)
        if t.run.json["verdict"] != "inconclusive":
            break
        print(f"#   run {attempt} inconclusive: worker preempted for {t.run.json['stolen_share']:.0%} of the time; {found}")
    else:
        print("#   not judged, because every run was inconclusive; all bytes arrived")
        return
    failed = [check for check in t.run.json["checks"] if not check["held"]]
    assert t.run.code == 0 and t.run.json["verdict"] == "held", (failed, t.run.json["messages"], t.run.text)
    assert not found, (found, t.run.text)


# One kind of port is enough, because these cases take a quarter of a minute each, and the algorithms do not depend on the port.
@case("tap", measures=True)
def timely_follows_the_capacity(lab):
    """64 MiB with TIMELY: the rate follows a capacity that falls to a quarter and rises again, without losses or an extra header."""
    follows(lab, "timely", TIMELY)


@case("tap", measures=True)
def swift_follows_the_capacity(lab):
    """64 MiB with Swift: the rate follows the capacity as with TIMELY."""
    follows(lab, "swift", SWIFT)


# Other tests may run at the same time, because the rates need only differ clearly from the capacity.
@case("tap")
def capacity_is_exceeded_without_congestion_control(lab):
    """64 MiB without congestion control: the criteria of the two cases above do not hold, though all bytes arrive."""
    t = Transfer(lab, "off", "off")
    arrived_whole(t)
    found = deviations(t)
    assert any("packets dropped" in f for f in found) and any("the board's rate" in f for f in found), (found, t.run.text)
