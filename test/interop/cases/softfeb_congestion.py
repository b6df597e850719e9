# SPDX-License-Identifier: BSD-3-Clause
"""The guest receives marked packets, its notification point sends CNPs, and the board reduces its rate."""

import csv
import json

from softfeb import run_to_sink
from softroce import case

LINE = 0.4  # line rate of the board's reaction point, in Gb/s; the guest receives this rate without loss
MESSAGE = 16 << 10
MESSAGES = 400
# The firmware's DCQCN, with a line rate that the guest can receive. The token bucket is small, so that a rate cut takes effect immediately.
# Alpha decays slowly and Rc recovers slowly, so that even the few CNPs per second of a slow guest keep the board's rate low.
DCQCN = {"algorithm": "firmware", "line_rate": "400Mb/s", "bucket": "64KiB", "rmin": "20Mb/s", "rai": "2Mb/s", "rhai": "4Mb/s",
         "clamp_tgt_rate": True, "rate_inc_interval": "500ms", "alpha_g": 1023, "alpha_upd_interval": "400us"}
SETTINGS = {"boards.0.dcqcn": DCQCN, "qp.pmtu": 4096, "qp.window_packets": 64, "qp.ack_every": 8, "qp.timeout": 16,
            "qp.retry_count": 7, "traffic.rate": "max", "traffic.messages": MESSAGES, "traffic.message_size": f"{MESSAGE}B",
            "traffic.verb": "write_imm", "traffic.immediate": "counter"}


def send(lab, name, changes):
    """Returns the run, the sink's report, and the rows of the time series."""
    folder = lab.dir / f"{name}-report"
    done, report = run_to_sink(lab, ["--memory", "1MiB"], {**SETTINGS, "run.series_interval": "20ms", **changes},
                               args=["--report", folder], timeout=100, name=name)
    with open(folder / "series.csv", newline="") as series:
        return done, report, list(csv.DictReader(series))


def nothing_lost(done, report):
    assert done.json["verdict"] == "held" and report["messages"] == MESSAGES, done.text
    assert report["qps"][0]["immediates"]["wrong"] == 0, report
    assert done.qp["messages_completed"] == MESSAGES, done.qp


@case("tap", "vhostsrv")
def marks_slow_the_board(lab):
    """If the board's packets are CE-marked, CNPs reduce its rate below line rate, and no message is lost. Without marks, no CNP arrives."""
    with lab.guest.popen(["cnpd", "*=0x100"]) as cnpd:
        cnpd.wait_for_output("ready", kind="err")
        free, report, series = send(lab, "free", {"boards.0.ecn": "ect0"})
        nothing_lost(free, report)
        assert free.qp["cnp_rx"] == 0, free.qp
        assert all(abs(float(row["rc_gbps"]) - LINE) < 1e-6 for row in series), series
        marked, report, series = send(lab, "marked", {"boards.0.ecn": "ce"})
        nothing_lost(marked, report)
        qp = marked.qp
        assert qp["cnp_rx"] > 0 and qp["rc_gbps"] < 0.7 * LINE and 0 < qp["alpha"] <= 1, json.dumps(qp)
        rates = [float(row["rc_gbps"]) for row in series]
        assert sum(int(row["cnp_rx"]) for row in series) == qp["cnp_rx"], (series, qp)
        # Rc equals the line rate until the first CNP. The cuts then reduce it to less than a tenth of the line rate.
        assert min(rates) < 0.1 * LINE, rates
        first = next(i for i, row in enumerate(series) if int(row["cnp_rx"]))
        assert all(abs(rate - LINE) < 1e-6 for rate in rates[:first]), rates
        print(f"#   unmarked {free.qp['goodput_gbps']:.3f} Gb/s; marked {qp['goodput_gbps']:.3f} Gb/s after {qp['cnp_rx']} CNPs, "
              f"Rc {qp['rc_gbps']:.3f} Gb/s of {LINE}")
