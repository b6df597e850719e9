# SPDX-License-Identifier: BSD-3-Clause
"""softfeb as the client of an unmodified ib_write_bw."""

import json
import os
import subprocess
from contextlib import contextmanager

from softfeb import CLOSED_LOOP, CONF, device, run, settings, started
from softroce import PERFTEST_PORT, ROOT, case

NAMESPACE = f"softfeb-{os.getpid()}"
RECEIVED = "/sys/class/infiniband/rxe0/ports/1/hw_counters/rcvd_pkts"


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


@contextmanager
def other_host(lab):
    """Moves the tap into a network namespace. Yields the command that runs a program there."""
    def ip(*words):
        subprocess.run(["ip", *words], check=True)

    tap, mtu = lab.guest.options.ifname, "9000"
    ip("netns", "add", NAMESPACE)
    try:
        ip("link", "set", tap, "netns", NAMESPACE)
        ip("-n", NAMESPACE, "link", "set", "lo", "up")
        ip("-n", NAMESPACE, "link", "set", tap, "mtu", mtu, "up")
        ip("-n", NAMESPACE, "address", "add", f"{lab.host_ip.rpartition('.')[0]}.1/24", "dev", tap)
        yield ["ip", "netns", "exec", NAMESPACE]
    finally:
        ip("-n", NAMESPACE, "link", "set", tap, "netns", str(os.getpid()))
        ip("netns", "delete", NAMESPACE)
        ip("link", "set", tap, "mtu", mtu, "up")


@case("tap")
def ib_write_bw_on_another_host(lab):
    """softfeb runs in a network namespace, so that the TCP connection and the RoCE packets share the tap (doc/softroce.md). The guest
    counts the packets that it has received."""
    result = lab.dir / "result.json"
    changes = {"port.device": device(lab), "qp.to": f"perftest://{lab.guest_ip}:{PERFTEST_PORT}",
               "qp.traffic": {"message_size": "64KiB", "rate": "200Mb/s"}, "qp.timeout": 15}
    before = int(lab.run(["cat", RECEIVED]).out)
    with other_host(lab) as there, lab.perftest("-F"):
        done = lab.host([*there, lab.program("app/softfeb/softfeb"), "run", "-c", ROOT / CONF[lab.mode], "--messages", "200",
                         "--json", result, *settings(changes)], name="softfeb")
        assert done.returncode == 0, done.stdout
    sent = json.loads(result.read_text())["boards"][0]["qps"][0]["tx_packets"]
    received = int(lab.run(["cat", RECEIVED]).out) - before
    assert 200 * 16 <= received <= sent, (received, sent)
