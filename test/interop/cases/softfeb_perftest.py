# SPDX-License-Identifier: BSD-3-Clause
"""softfeb as the client of an unmodified ib_write_bw."""

from softfeb import CLOSED_LOOP, run, started
from softroce import case


def write_bw(lab, size, messages, qps=1, pmtu=4096):
    name = f"size{size}q{qps}"
    changes = {"qp.traffic": {"message_size": f"{size}B", "payload": "counter"}, **CLOSED_LOOP, "qp.count": qps, "qp.pmtu": pmtu,
               "qp.window_packets": 128 // qps, "run.messages": messages}
    server = ("-F", "-q", qps)
    if lab.mode == "tap":
        with lab.perftest(*server):
            done = run(lab, lab.perftest_url, changes, name=name)
            assert done.code == 0, done.text
    else:
        # Start softfeb first, as in the README, because ib_write_bw refuses a port that is down, and softfeb brings the link up.
        with started(lab, lab.perftest_url, changes, name=name) as done:
            done.wait_for("receiver does not respond yet")
            with lab.perftest(*server):
                done.wait(60)
                assert done.code == 0, done.text
    assert [qp["messages_completed"] for qp in done.qps] == [messages] * qps, done.text
    assert done.json["verdict"] == "held", done.json["checks"]
    table = (lab.dir / "perftest.log").read_text()
    # The server prints a row that begins with the size and the number of messages.
    assert any(line.split()[:2] == [str(size), str(messages * qps)] for line in table.splitlines()), table
    return done


@case("vhostsrv")
def ib_write_bw_takes_all_sizes(lab):
    """One RC QP sends messages of 1 B to 1 MiB. The server exits without an error and prints the size and number of the messages."""
    for size, messages in ((1, 1000), (64, 1000), (4095, 500), (65536, 200), (1 << 20, 20)):
        done = write_bw(lab, size, messages)
        print(f"#   {size} B: {done.json['goodput_gbps']:.4f} Gb/s, {done.qp['retransmitted_packets']} packets sent again")


@case("tap")
def ib_write_bw_takes_many_qps(lab):
    """One RC QP sends messages of 1 B and 1 MiB. Four QPs send messages of 64 KiB, with path MTU 1024."""
    write_bw(lab, 1, 500)
    write_bw(lab, 1 << 20, 10)
    write_bw(lab, 65536, 50, qps=4, pmtu=1024)
