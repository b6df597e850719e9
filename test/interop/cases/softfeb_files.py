# SPDX-License-Identifier: BSD-3-Clause
"""softfeb writes a file into the guest's memory. Every byte must arrive, with and without losses."""

import hashlib
import random

from softfeb import CLOSED_LOOP, run_to_sink
from softroce import case

SIZE = 64 << 20
MESSAGE = 64 << 10


def make_file(lab):
    path = lab.dir / "sent"
    data = random.Random(64).randbytes(SIZE)
    path.write_bytes(data)
    return path, hashlib.sha256(data).hexdigest()


def send_file(lab, path, pmtu, changes, name):
    # Each message has an immediate. The receiver counts the messages, and thus detects messages that are written or reported twice.
    return run_to_sink(lab, ["--memory", str(SIZE)],
                       {**CLOSED_LOOP, "qp.pmtu": pmtu, "traffic.payload": {"file": str(path)},
                        "traffic.message_size": f"{MESSAGE}B", "traffic.verb": "write_imm", "traffic.immediate": "counter",
                        **changes}, timeout=100, name=name)


def check(done, report, digest):
    messages = SIZE // MESSAGE
    assert report["qps"][0]["sha256"] == digest and report["payload_bytes"] == SIZE, report
    assert report["messages"] == messages and report["duplicate"] == report["out_of_order"] == 0, report
    immediates = report["qps"][0]["immediates"]
    assert (immediates["received"], immediates["wrong"], immediates["in_order"]) == (messages, 0, True), report
    qp = done.qp
    assert (qp["messages_completed"], qp["messages_failed"]) == (messages, 0), done.text
    assert done.json["verdict"] == "held", done.text


@case("tap", "vhostsrv")
def file_arrives_whole(lab):
    """64 MiB of random bytes arrive at path MTU 1024 and 4096: the SHA-256 is equal, and each message arrives once."""
    path, digest = make_file(lab)
    for pmtu in (1024, 4096):
        done, report = send_file(lab, path, pmtu, {}, f"pmtu{pmtu}")
        check(done, report, digest)
        print(f"#   path MTU {pmtu}: {done.json['goodput_gbps']:.3f} Gb/s, "
              f"{done.qp['retransmitted_packets']} packets sent again")


@case("tap", "vhostsrv")
def file_arrives_in_spite_of_losses(lab):
    """64 MiB arrive although 1 % of the requests and responses are lost: the SHA-256 is equal, and each message completes once."""
    path, digest = make_file(lab)
    for pmtu in (1024, 4096):
        # The timeout is short, because only the timer detects the loss of a message's last packet or of its acknowledgement. The window is
        # small, because packets must not wait in the path's queues for longer than the timeout. Otherwise, all packets would be retransmitted
        # repeatedly.
        faults = {"port.faults": {"seed": pmtu, "tx_drop": "1%", "rx_drop": "1%"}, "qp.timeout": 11, "qp.window_packets": 16,
                  "qp.ack_every": 4}
        done, report = send_file(lab, path, pmtu, faults, f"pmtu{pmtu}")
        check(done, report, digest)
        lost = done.json["ports"][0]["faults"]
        packets = SIZE // pmtu
        assert lost["tx_dropped"] > packets // 200 and lost["rx_dropped"] > 0, lost
        assert done.qp["retransmitted_packets"] >= lost["tx_dropped"] and done.qp["nak_rx"]["sequence"] > 0, done.qp
        print(f"#   path MTU {pmtu}: {done.json['goodput_gbps']:.3f} Gb/s; dropped {lost['tx_dropped']} requests and "
              f"{lost['rx_dropped']} responses; sent again {done.qp['retransmitted_packets']}, "
              f"timeouts {done.qp['timeouts']}")
