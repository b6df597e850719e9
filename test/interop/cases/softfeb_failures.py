# SPDX-License-Identifier: BSD-3-Clause
"""Runs that must fail: each ends in the time that its timers allow, with the right status, a clear message and exit code 1."""

from softfeb import CLOSED_LOOP, run, started
from softroce import HOST_IP, case

QPN, PSN = 0x150, 77
# Four attempts, each with a timeout of 4.096 us · 2^14 = 67 ms. The standard allows up to four times this value.
TIMERS = {"qp.timeout": 14, "qp.retry_count": 3}
PATIENCE_S = 15


def by_hand(lab, tcp, change):
    """Begins a session with rdma-sink on behalf of softfeb. This requires a tap, because its link is up even when softfeb is not running.
    Returns a value for softfeb's `to`: the parameters of rdma-sink's QP, as modified by `change`."""
    welcome = tcp.ask({"version": 1, "ip": HOST_IP, "transport": "rc", "pmtu": 1024, "message_size": 4096,
                       "qps": [{"qpn": QPN, "psn": PSN}]})
    to = {"ip": lab.guest_ip, "mac": lab.guest_mac, **{k: welcome["qps"][0][k] for k in ("qpn", "rkey", "address")},
          "length": f"{welcome['qps'][0]['length']}B"}
    return {**to, **change(to)}


def must_fail(lab, change, **changes):
    """Runs softfeb with the parameters of rdma-sink's QP, as modified by `change`. Closing the connection ends rdma-sink's session."""
    with lab.sink("--memory", "1MiB", expect_exit=1) as sink:
        with sink.connect() as tcp:
            to = by_hand(lab, tcp, change)
            done = run(lab, None, {"qp.to": to, "qp.traffic": {"message_size": "4096B"}, "qp.qpn": QPN, "qp.psn": PSN,
                                   **CLOSED_LOOP, **TIMERS, "qp.pmtu": 1024, "run.messages": 20, **changes},
                       timeout=PATIENCE_S + 10)
            state = tcp.ask({"status": True})["qps"][0]["state"]
    assert done.code == 1, done.text
    assert done.json["duration_s"] < PATIENCE_S, done.text
    assert done.json["verdict"] == "failed", done.json["checks"]
    return done, state


def told(done, status, *words):
    """Checks that the first failure has this status, that all messages completed or failed, and that the output contains `words`."""
    qp = done.qp
    assert qp["first_failure"] == status, (qp["first_failure"], done.text)
    assert qp["messages_failed"] + qp["messages_completed"] == qp["messages_posted"] > 0, qp
    for word in words:
        assert word in done.text, done.text


@case("tap")
def wrong_rkey_is_refused(lab):
    """A wrong rkey immediately causes a remote access error. No message completes, and the receiver's QP is in ERR."""
    done, state = must_fail(lab, lambda to: {"rkey": to["rkey"] ^ 0x55})
    told(done, "remote access error", "rkey")
    assert done.qp["messages_completed"] == 0 and done.qp["nak_rx"]["remote_access"] >= 1 and state == "ERR", done.qp


@case("tap")
def out_of_bounds_is_refused(lab):
    """Three messages are inside the memory region and complete. The next message is outside the region and is refused."""
    length = 1 << 20
    done, state = must_fail(lab, lambda to: {"address": to["address"] + length - 3 * 4096, "length": "1MiB"},
                            **{"qp.window": 1})
    told(done, "remote access error", "address")
    assert done.qp["messages_completed"] == 3 and state == "ERR", done.qp


@case("tap")
def wrong_qpn_is_not_answered(lab):
    """An unknown QPN gets no response. After the timeout that follows the last retry, the QP fails because its retries are exceeded."""
    done, state = must_fail(lab, lambda to: {"qpn": to["qpn"] + 0x100})
    told(done, "timeouts exceeded", "did not respond")
    assert done.qp["timeouts"] == TIMERS["qp.retry_count"] + 1 and done.qp["ack_rx"] == 0 and state == "RTR", done.qp


@case("tap")
def other_path_mtu_is_refused(lab):
    """Packets longer than the receiver's path MTU cause an invalid request error, and the message says what to check."""
    done, state = must_fail(lab, lambda to: {}, **{"qp.pmtu": 4096})
    told(done, "remote invalid request error", "path MTU")
    assert state == "ERR", state


@case("tap", "vhostsrv")
def killed_receiver_is_noticed(lab):
    """The receiver is killed. softfeb reports the exceeded timeouts and the receiver that does not respond, and exits with code 1."""
    with lab.sink("--memory", "1MiB") as sink:
        endless = {**CLOSED_LOOP, **TIMERS, "run.messages": 1_000_000_000, "run.duration": "60s"}
        with started(lab, sink.url, endless) as softfeb:
            softfeb.wait_for("Mpps")
            sink.stop()
            softfeb.wait(PATIENCE_S + 10)
    assert softfeb.code == 1, softfeb.text
    assert softfeb.json["duration_s"] < PATIENCE_S, softfeb.text
    told(softfeb, "timeouts exceeded", "did not respond", sink.url)
    assert softfeb.qp["messages_completed"] > 0, softfeb.qp
