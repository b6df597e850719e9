# SPDX-License-Identifier: BSD-3-Clause
"""WRITEs with immediate from softfeb: order, values, and receivers that are not ready."""

import time

from softfeb import CLOSED_LOOP, run_to_sink, started
from softroce import case

COUNT = 10_000
SMALL = {**CLOSED_LOOP, "qp.pmtu": 1024, "qp.send_queue": 64, "traffic.verb": "write_imm", "traffic.message_size": "200B",
         "traffic.payload": "prbs31", "run.messages": COUNT}


def check(done, report, count=COUNT):
    qp = done.qp
    assert (qp["messages_completed"], qp["messages_failed"]) == (count, 0), done.text
    assert all(c["held"] for c in done.json["checks"]), done.json["checks"]
    assert report["held"] and report["messages"] == count and report["missing"] == 0, report
    immediates = report["qps"][0]["immediates"]
    assert (immediates["received"], immediates["wrong"], immediates["in_order"]) == (count, 0, True), report
    assert report["bytes_wrong"] == 0 and report["bytes_checked"] > 0, report


@case("tap", "vhostsrv")
def immediates_are_right_and_in_order(lab):
    """The immediates of 10,000 WRITEs count up from 0. The messages complete in order, and each immediate has the correct value."""
    done, report = run_to_sink(lab, ["--memory", "1MiB"], {**SMALL, "traffic.immediate": "counter"})
    check(done, report)
    print(f"#   {done.qp['messages_completed'] / done.json['measured_s']:.0f} messages/s, RNR {done.qp['rnr_rx']}")


@case("vhostsrv")
def immediates_of_each_kind(lab):
    """The immediate is first a fixed number on one QP, and then the channel number on four QPs."""
    few = {**SMALL, "run.messages": 50}
    done, report = run_to_sink(lab, [], {**few, "traffic.immediate": 77}, name="fixed")
    check(done, report, 50)
    done, report = run_to_sink(lab, [], {**few, "traffic.immediate": "channel", "qp.count": 4}, name="channel")
    assert [qp["messages_completed"] for qp in done.qps] == [50] * 4, done.text
    assert [qp["immediates"]["wrong"] for qp in report["qps"]] == [0] * 4 and report["held"], report


@case("tap", "vhostsrv")
def receiver_not_ready_is_survived(lab):
    """Ten times, the receiver runs out of receives. softfeb waits after each RNR NAK, and all 10,000 messages arrive in order."""
    rounds = 10
    options = ["--memory", "1MiB", "--recvs", "0", "--no-replenish", "--min-rnr-timer", "14"]
    with lab.sink(*options) as sink:
        with started(lab, sink.url, {**SMALL, "traffic.immediate": "counter"}) as softfeb:
            softfeb.wait_for("memory:")
            with sink.connect() as tcp:
                for _ in range(rounds):
                    # Wait until the receiver has consumed all posted receives.
                    end = time.monotonic() + 20
                    while tcp.ask({"status": True})["qps"][0]["receives_posted"] and time.monotonic() < end:
                        time.sleep(0.02)
                    time.sleep(0.05)
                    assert tcp.ask({"post_receives": COUNT // rounds}) == {"posted": COUNT // rounds}
            softfeb.wait(60)
    assert softfeb.code == 0, softfeb.text
    check(softfeb, sink.report)
    # In the first round, receives may be posted before a message arrives. Each later round begins with an RNR NAK.
    assert softfeb.qp["rnr_rx"] >= rounds - 1, softfeb.qp
    print(f"#   {softfeb.qp['rnr_rx']} RNR NAKs, {softfeb.qp['nak_rx']['sequence']} sequence NAKs behind them, "
          f"{softfeb.qp['retransmitted_packets']} packets sent again")


@case("vhostsrv")
def receiver_never_ready_ends_the_run(lab):
    """No receives are posted. After rnr_retry retries, the QP fails because its RNR retries are exceeded, and the exit code is 1."""
    with lab.sink("--recvs", "0", "--no-replenish", "--min-rnr-timer", "10", expect_exit=1) as sink:
        with started(lab, sink.url, {**SMALL, "traffic.immediate": "counter", "qp.rnr_retry": 3,
                                     "run.messages": 10}) as softfeb:
            softfeb.wait(20)
    assert softfeb.code == 1, softfeb.text
    assert softfeb.qp["rnr_rx"] >= 4 and softfeb.qp["messages_completed"] == 0, softfeb.qp
    assert "receiver not ready" in softfeb.text, softfeb.text
