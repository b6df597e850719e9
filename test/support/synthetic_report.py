# SPDX-License-Identifier: BSD-3-Clause
"""Creates synthetic folders like those of softfeb --report, for tests of the report tool and for a look at its charts. The boards share a
port by additive increase and multiplicative decrease, but the numbers have no further meaning.

python3 test/support/synthetic_report.py incast|camera|sweep DIR"""

import json
import math
import random
import sys
from pathlib import Path

LINE, CAPACITY = 9.6, 9.8  # Gb/s: largest rate of a board, and capacity of the port that the boards share


class Board:
    def __init__(self, name, start, stop):
        self.name, self.start, self.stop, self.rc, self.cnps = name, start, stop, LINE, 0


def simulate(boards, seconds, step, capacity, rng):
    """Returns the rows of series.csv, the rows of ports.csv, and (time, {name: rate}) for each step. The dictionary contains only boards
    that are sending."""
    series, ports, steps, queue = [], [], [], 0.0
    limit = 400e3
    for k in range(1, round(seconds / step) + 1):
        t = k * step
        active = [b for b in boards if b.start < t <= b.stop]
        offered = sum(b.rc for b in active)
        queue = max(0.0, min(2 * limit, queue + (offered - capacity) * step / 8e-9))
        paused = max(0.0, queue - 1.6 * limit) / (0.4 * limit)
        for b in active:
            b.cnps = int(queue > 0.3 * limit and rng.random() < b.rc / max(offered, 1e-9) * 1.2)
            rate = b.rc * (1 - 0.3 * paused) * rng.uniform(0.995, 1.005)
            series.append((t, b.name, 0x100, b.rc, b.rc * 1.1, 0.1, rate, rate * 0.98, b.cnps, 0))
            b.rc = max(0.08, b.rc * 0.9) if b.cnps else min(LINE, b.rc + 2.0 * step / seconds + 0.02 * LINE / len(boards))
            b.sent = rate
        tx = min(capacity, offered) if active else 0.0
        ports.append((t, "tor.daq", int(queue), int(queue * 1.1), tx, int(queue / 4e3), 0, int(3 * paused), 0, 0.0, 0))
        for b in boards[:4]:
            ports.append((t, f"tor.{b.name}", 0, 100 if b in active else 0, 0.05 if b in active else 0, 0, 0, 0, 0, paused, 0))
        steps.append((t, {b.name: b.sent for b in active}))
    return series, ports, steps


def windows(steps, boards, seconds):
    rows = []
    for size in (0.01, 0.1):
        for i in range(round(seconds / size)):
            low, high = i * size, (i + 1) * size
            part = [rates for t, rates in steps if low < t <= high + 1e-9]
            whole = [b for b in boards if b.start <= low and b.stop >= high]
            sums = [sum(p.get(b.name, 0) for p in part) for b in whole]
            square = sum(x * x for x in sums)
            jain = sum(sums) ** 2 / (len(sums) * square) if square > 0 else math.nan
            steady = all(not low - 0.2 < e < high for b in boards for e in (b.start, b.stop) if 0 < e < seconds)
            used = min(1.0, sum(sums) / max(1, len(part)) / CAPACITY)
            rows.append((f"{low:.3f}", f"{high:.3f}", int(size * 1000), len(whole), int(steady and i * size >= 0.2),
                         "" if math.isnan(jain) else f"{jain:.6f}", f"{used:.4f}"))
    return rows


def write(path, heading, rows):
    path.write_text(heading + "\n" + "".join(",".join(str(v) for v in r) + "\n" for r in rows))


def result(boards, config, series):
    def board(b):
        mine = [r for r in series if r[1] == b.name]
        return {"name": b.name, "ip": "10.0.0.1", "goodput_gbps": sum(r[7] for r in mine) / max(1, len(mine)),
                "qps": [{"qpn": 256, "tx_packets": 20 * len(mine), "messages_completed": len(mine), "messages_failed": 0,
                         "retransmitted_packets": 0, "timeouts": 0, "cnp_rx": sum(r[8] for r in mine), "rc_gbps": b.rc}]}
    listed = [board(b) for b in boards]
    return {"schema_version": 1, "verdict": "held", "config": config, "duration_s": max(r[0] for r in series),
            "goodput_gbps": sum(b["goodput_gbps"] for b in listed), "boards": listed,
            "receivers": [{"name": "daq", "messages": 10, "payload_bytes": 1 << 30, "bytes_wrong": 0, "missing": 0, "qps": []}],
            "switches": [{"name": "tor", "queue_bytes_max": 700000, "ecn_marked": 1234, "dropped": 0, "pause_tx": 12}],
            "workers": [{"turns": 1000, "stolen_s": 0.01, "cpu": cpu()}],
            "fairness_jain": 0.9931, "stolen_share": 0.004,
            "lab": lab_figures(boards),
            "checks": [{"name": "fairness_jain", "held": True, "value": 0.9931, "limit": 0.99},
                       {"name": "messages_completed", "held": True, "value": 0, "limit": 0}], "messages": []}


def cpu():
    quantiles = {"min": 0.1, "p10": 0.2, "p50": 0.5, "p90": 0.6, "max": 0.875}
    return {"interval_ms": 10, "samples": 100,
            **{stage: quantiles for stage in ("busy", "rx", "place", "check", "build", "tx", "other", "idle")}}


def lab_figures(boards):
    changes = [(b.start, [b.name], []) for b in boards if b.start > 0] + [(b.stop, [], [b.name]) for b in boards]
    figures = {"windows": [{"window_ms": ms, "steady_windows": 90, "jain_min": 0.993, "jain_mean": 0.999, "port_used_min": 0.96,
                            "port_used_mean": 0.98} for ms in (10, 100)],
               "changes": [{"at_s": at, "starting": new, "stopping": old, "sending": 2, "converged_ms": 31.0}
                           for at, new, old in sorted(changes)],
               "starvation_ms": 1.0, "rate_tracking": None, "totals": {"packets": 123456, "dropped": 0},
               "conservation": [{"name": "packets_conserved", "left_is": "entered", "left": 9, "right_is": "left", "right": 9}]}
    return {"title": "Incast", "time": "real", "bottleneck": "tor.daq", "figures": figures, "network": {"entered": 9},
            "virtual": {"verdict": "held", "figures": figures}}


def network(boards, count):
    return {"lab": {"title": "Incast" if count < 9 else "Camera", "shows": "Boards share one port & its <queue>.",
                    "bottleneck": "tor.daq", "checks": {"fairness_jain": 0.99, "port_used": "95%"}},
            "network": {"switches": [{"name": "tor", "buffer": "4MiB", "ecn": {"kmin": "40KiB", "kmax": "400KiB", "pmax": "20%"}}],
                        "links": [{"ends": [b.name, "tor"], "rate": "10Gb/s"} for b in boards]
                        + [{"ends": ["tor", "daq"], "rate": "10Gb/s"}]}}


def incast(path, boards, seconds, step, capacity=CAPACITY):
    path.mkdir(parents=True, exist_ok=True)
    config = network(boards, len(boards))
    series, ports, steps = simulate(boards, seconds, step, capacity, random.Random(7))
    write(path / "series.csv", "time_s,board,qpn,rc_gbps,rt_gbps,alpha,sent_gbps,goodput_gbps,cnp_rx,retransmitted",
          [(f"{r[0]:.9f}", r[1], r[2], *(f"{v:.5f}" for v in r[3:8]), *r[8:]) for r in series])
    write(path / "ports.csv", "time_s,port,queue_bytes,queue_bytes_peak,tx_gbps,ecn_marked,dropped,pause_tx,pause_rx,"
          "paused_share,cnp_forged", ports)
    write(path / "windows.csv", "from_s,to_s,window_ms,boards_sending,steady,jain,port_used", windows(steps, boards, seconds))
    (path / "config.yaml").write_text("# as resolved\nlab:\n  title: Incast\n")
    (path / "result.json").write_text(json.dumps(result(boards, config, series)))


def sweep(path):
    path.mkdir(parents=True, exist_ok=True)
    rows = []
    for rai in ("12Mb/s", "48Mb/s", "96Mb/s", "200Mb/s", "400Mb/s"):
        for k in (20, 40, 80, 160, 320):
            rows.append((rai, f"{k}KiB", 1 - 0.002 * abs(k - 80) / 40 - 0.0001 * float(rai[:-4]) / 10, 0.9 + 0.0003 * k,
                         k * 4000, k * 900, max(0, k - 160), k // 2, 400 / (1 + float(rai[:-4]) / 50), 0))
    write(path / "sweep.csv", "boards.feb.dcqcn.rai,network.switches.tor.queues.0.kmin,jain_min,port_used_min,queue_bytes_max,"
          "queue_bytes_mean,dropped,pause_tx,convergence_ms,retransmitted", rows)


def make(kind, path):
    if kind == "incast":
        incast(path, [Board("feb0", 0, 12), Board("feb1", 0, 20), Board("feb2", 4, 8)], 20, 0.002)
    elif kind == "camera":
        incast(path, [Board(f"feb{i}", 0 if i % 3 else 0.4, 2) for i in range(143)], 2, 0.01, 143 * 5)
    elif kind == "short":
        incast(path, [Board("feb0", 0, 1), Board("feb1", 0.3, 0.7)], 1, 0.01)
    else:
        sweep(path)


if __name__ == "__main__":
    make(sys.argv[1], Path(sys.argv[2]))
