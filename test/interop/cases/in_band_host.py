# SPDX-License-Identifier: BSD-3-Clause
"""Runs conf/in-band-host.yaml as in practice: the guest is the host at 192.168.2.100, and runs both febctl and rdma-sink. The board is
at 192.168.2.10. Registers, ARP and RoCE use the same port, which is the only connection between guest and board."""

import json
import re
import shlex
import time
from contextlib import contextmanager

from softfeb import started
from softroce import ROOT, case

BOARD, HOST, PREFIX = "192.168.2.10", "192.168.2.100", 24
CONF = ROOT / "conf/in-band-host.yaml"
SIZE, COUNT, BURSTS = 4096, 1000, 3


@contextmanager
def addressed(lab):
    """Gives the guest the address HOST in place of its usual one, as on a machine with one cable.
    Restores the usual address at the end."""
    def address(add, remove):
        lab.run(f"ip addr del {remove} dev eth0 && ip addr add {add} dev eth0")

    usual = lab.guest.options.ip
    address(f"{HOST}/{PREFIX}", usual)
    try:
        yield
    finally:
        address(usual, f"{HOST}/{PREFIX}")
        for entry in lab.guest.options.neigh:  # the kernel removed these entries together with the guest's last address
            ip, _, mac = entry.partition("=")
            lab.run(["ip", "neigh", "replace", ip, "lladdr", mac, "dev", "eth0", "nud", "permanent"])


@contextmanager
def board(lab):
    """Runs the example with another device and a lower rate, so that an emulated guest keeps up, and registers can be changed during a
    burst."""
    with addressed(lab), started(lab, changes={"boards.feb0.link_rate": "50Mb/s"}, conf=CONF) as softfeb:
        softfeb.wait_for("in band only: connect from a host on its network with febctl --ip " + BOARD)
        if lab.run(["test", "-e", "/usr/bin/febctl"], check=False).code:
            lab.guest.push(lab.program("app/febctl/febctl"), "/usr/bin/febctl")
        end = time.monotonic() + 30
        while lab.run(["ping", "-c", "1", "-W", "1", BOARD], check=False).code != 0:  # until the board answers
            assert time.monotonic() < end, softfeb.text
        yield softfeb
        if softfeb.code is None:
            stop(softfeb)


def stop(softfeb):
    softfeb.signal()
    softfeb.wait(30)
    assert softfeb.code == 0, softfeb.text


def ends(softfeb):
    """Returns (peer, reason) of each closed connection to the registers, as softfeb printed them."""
    return re.findall(r"^board feb0: registers: (\S+): connection closed after [\d.]+ s: (.*?); last heard: ", softfeb.text, re.M)


def febctl(lab, *args, ip=BOARD, status=0):
    """Runs febctl in the guest. Returns all documents that it printed or, if `status` is not 0, its error text."""
    argv = ["febctl", "--ip", ip, "--json", *map(str, args)]
    done = lab.run(argv, timeout=120, check=False)
    with open(lab.dir / "febctl.log", "a") as log:
        log.write(f"$ {shlex.join(argv)}\n{done.out}{done.err}exit {done.code}\n")
    assert done.code == status, f"{argv}: {done}"
    return [json.loads(line) for line in done.out.splitlines()] if status == 0 else done.err


@case("tap", "vhostsrv")
def in_band_host(lab):
    """Host and board use one port for registers and for 3,000 WRITEs with immediate. Each byte is checked, and sockets are not used."""
    with board(lab) as softfeb:
        assert febctl(lab, "read", "UdpEngine.ClientRemoteIp")[0][0]["value"] == HOST
        with lab.sink("--memory", "1MiB") as sink:
            done, = febctl(lab, "session", "--sink", HOST, "--bursts", BURSTS, "--count", COUNT, "--size", SIZE,
                           "--retry", 7, "--rnr-retry", 7, "--during", "Dcqcn.Rhai=12000000")
        assert done["problems"] == [] and done["SuccessCounter"] == BURSTS * COUNT, done
        report = sink.report
        assert report["held"] and report["messages"] == BURSTS * COUNT and report["missing"] == 0, report
        assert report["bytes_checked"] == BURSTS * COUNT * SIZE and report["bytes_wrong"] == 0, report
        stop(softfeb)
        made, = softfeb.qps
        assert made["made_by"] == "bus" and made["messages_completed"] == BURSTS * COUNT and made["messages_failed"] == 0, made
        control = softfeb.json["boards"][0]["control"]
        assert control["listen"] is None and control["in_band"], control
        assert control["registers"]["connections"] >= 2 and control["registers"]["not_allowed"] == 0, control
        assert all(c["way"] == "in_band" and c["peer"].startswith(HOST + ":") for c in control["registers"]["closed"]), control


@case("tap", "vhostsrv")
def in_band_host_killed(lab):
    """If febctl is killed, result and log state the peer, the reason and the last segment, and the next client frees its resources."""
    with board(lab) as softfeb:
        with lab.sink("--memory", "1MiB", expect_exit=1):
            with lab.guest.popen(["febctl", "--ip", BOARD, "connect", "--sink", HOST]) as holder:
                holder.wait_for_output("queue pair", kind="out")
                with lab.guest.popen(["febctl", "--ip", BOARD, "read", "UpTimeCnt", "--watch", "0.05"]) as watcher:
                    watcher.wait_for_output("UpTimeCnt", kind="out")
                    before = ends(softfeb)
                    lab.run("kill -9 $(pidof febctl)")
                    time.sleep(2)  # longer than the null timeout (1 s)
                    abrupt = [e for e in ends(softfeb)[len(before):] if "timeout" in e[1] or "limit" in e[1]]
        refused = febctl(lab, "connect", "--host", HOST, "--qpn", 17, "--rkey", 1, "--address", 4096, "--length", "1MiB", status=1)
        assert "febctl teardown" in refused, refused
        febctl(lab, "teardown")
        with lab.sink("--memory", "1MiB") as sink:
            done, = febctl(lab, "session", "--sink", HOST, "--count", COUNT, "--retry", 7, "--rnr-retry", 7)
        assert done["SuccessCounter"] == COUNT and sink.report["bytes_wrong"] == 0, (done, sink.report)
        stop(softfeb)
        assert len(abrupt) == 1, (abrupt, softfeb.text)
        closed = softfeb.json["boards"][0]["control"]["registers"]["closed"]
        killed = next(c for c in closed if (c["peer"], c["reason"]) == abrupt[0])
        assert killed["peer"].startswith(HOST + ":") and killed["way"] == "in_band", closed
        assert killed["code"] in ("null_timeout", "retransmission_limit") and killed["last_heard"]["ago_s"] > 0, killed


@case("tap")
def in_band_host_says_what_is_wrong(lab):
    """febctl finds no board, because nothing listens (`listen: none`) or the address is unused. Each error names likely causes."""
    with board(lab):
        said = febctl(lab, "--timeout", "1", "status", ip="127.0.0.1", status=3)
        assert "connection refused (port unreachable)" in said and "`listen: none`" in said and "its own address" in said, said
        said = febctl(lab, "--timeout", "1", "status", ip="192.168.2.11", status=3)
        assert "no response" in said and "the board or its link is down" in said and "ping 192.168.2.11" in said, said
