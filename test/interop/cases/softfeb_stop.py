# SPDX-License-Identifier: BSD-3-Clause
"""Signals end a run in an orderly way."""

import signal
import time

from softfeb import CLOSED_LOOP, started
from softroce import case

ENDLESS = {**CLOSED_LOOP, "run.messages": 1_000_000_000, "traffic.rate": "50Mb/s", "traffic.message_size": "4096B"}


@case("tap", "vhostsrv")
def signals_end_a_run_in_order(lab):
    """After SIGINT or SIGTERM, posted requests complete, the receiver is notified, the result is written, and the exit code is 0."""
    for number in (signal.SIGINT, signal.SIGTERM):
        with lab.sink("--memory", "1MiB") as sink, started(lab, sink.url, ENDLESS, name=number.name) as softfeb:
            softfeb.wait_for("Mpps")
            softfeb.signal(number)
            softfeb.wait(20)
        assert softfeb.code == 0, softfeb.text
        assert softfeb.json["interrupted"] and softfeb.json["verdict"] == "held", softfeb.text
        qp = softfeb.qp
        assert qp["messages_completed"] == qp["messages_posted"] > 0 and qp["messages_failed"] == 0, qp
        assert sink.report["held"] and sink.report["messages"] == qp["messages_completed"], sink.report


@case("vhostsrv")
def second_signal_does_not_wait(lab):
    """Outstanding requests cannot complete, because no receives are posted. A second signal flushes them, and the exit code is 1."""
    withheld = {**ENDLESS, "qp.rnr_retry": 7, "run.drain_timeout": "60s"}
    with lab.sink("--recvs", "0", "--no-replenish", expect_exit=1) as sink, started(lab, sink.url, withheld) as softfeb:
        softfeb.wait_for("Mpps")
        softfeb.signal()
        softfeb.wait_for("draining")
        time.sleep(0.1)  # signals in quick succession count as one
        softfeb.signal()
        softfeb.wait(20)
    assert softfeb.code == 1, softfeb.text
    assert softfeb.qp["messages_completed"] == 0 and softfeb.qp["first_failure"], softfeb.qp
