# SPDX-License-Identifier: BSD-3-Clause
"""febctl alone controls `softfeb run` as it would control a board. rdma-sink in the guest is the host."""

import json
import shlex
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager

from softfeb import device, started
from softroce import ROOT, case

sys.path.insert(0, str(ROOT / "test/support"))
from free_ports import free_port  # noqa: E402

SIZE, COUNT, SLOTS = 4096, 1000, 256


class Board:
    """Runs febctl with a softfeb process that has no configured queue pairs."""

    def __init__(self, lab, port):
        self.lab, self.port, self.calls = lab, port, 0

    def argv(self, *args):
        return [self.lab.program("app/febctl/febctl"), "--ip", "127.0.0.1", "--port", str(self.port), "--json", *map(str, args)]

    def febctl(self, *args, status=0, timeout=120):
        """Runs febctl, and returns all documents that it printed."""
        done = subprocess.run(self.argv(*args), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=timeout)
        self.calls += 1
        with open(self.lab.dir / "febctl.log", "a") as log:
            log.write(f"$ {shlex.join(self.argv(*args))}\n{done.stdout}{done.stderr}exit {done.returncode}\n")
        assert done.returncode == status, f"{args}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        return [json.loads(line) for line in done.stdout.splitlines()]

    def value(self, name):
        return self.febctl("read", name)[0][0]["value"]


@contextmanager
def board(lab):
    port = free_port(socket.SOCK_DGRAM)
    config = {
        "run": {"duration": "300s"},
        "eal": {"hugepages": "no"},
        "ports": [{"name": "wire", "device": device(lab), "mtu": 9000}],
        "boards": [{
            "name": "feb0", "port": "wire", "mac": lab.host_mac, "ip": f"{lab.host_ip}/24",
            "neighbours": {lab.guest_ip: lab.guest_mac},
            "dcqcn": "firmware", "link_rate": "500Mb/s",
            "control": {"registers_port": port, "stream_port": free_port(socket.SOCK_DGRAM)},
        }],
    }
    path = lab.dir / "board.yaml"
    path.write_text(json.dumps(config, indent=1))
    with started(lab, conf=path, args=["--set", "run.duration=300s"]) as softfeb:
        feb = Board(lab, port)
        end = time.monotonic() + 30
        while subprocess.run(feb.argv("--timeout", "1", "read", "0"), capture_output=True).returncode != 0:
            assert softfeb.process.poll() is None, softfeb.text
            assert time.monotonic() < end, softfeb.text
        yield feb
        softfeb.signal()
        softfeb.wait(30)
        assert softfeb.code == 0, softfeb.text


def sink_of(sink):
    return f"{sink.address[0]}:{sink.address[1]}"


@case("tap", "vhostsrv")
def febctl_session(lab):
    """One command connects, sends 3 bursts of 5,000 WRITEs with immediate, changes DCQCN during one, and tears down. Runs twice."""
    options = ["--memory", f"{SIZE * SLOTS}"]
    count = 5 * COUNT  # so many that febctl can change registers during a burst even on a busy machine
    with board(lab) as feb:
        for n in range(2):
            # rdma-sink --once serves one session.
            with lab.sink(*options) as sink:
                done, = feb.febctl("session", "--sink", sink_of(sink), "--bursts", 3, "--count", count, "--size", SIZE,
                                   "--retry", 7, "--rnr-retry", 7, "--set", "Dcqcn.Rai=50",
                                   "--during", f"Dcqcn.Rhai={111 + n}", "--during", "Dcqcn.AlphaG=1000")
            assert done["SuccessCounter"] == 3 * count and done["UnsuccessCounter"] == 0, done
            assert done["problems"] == [], done
            changed = done["bursts"][1]["changed"]
            assert 0 < changed["completed_before"] <= changed["completed_after"] < count, done
            assert set(changed["read_back"].values()) == {111 + n, 1000}, done
            report = sink.report
            assert report["held"] and report["messages"] == 3 * count and report["missing"] == 0, report
            assert report["checked"] == "each message" and report["bytes_checked"] == 3 * count * SIZE, report
            assert report["bytes_wrong"] == 0 and report["slots"] == SLOTS, report
            assert report["qps"][0]["immediates"]["wrong"] == 0, report


@case("tap", "vhostsrv")
def febctl_steps(lab):
    """`febctl connect` keeps a session open, and other febctl processes send bursts and change a register. Runs with two sizes."""
    with board(lab) as feb:
        origin, sent = None, 0
        for size in (4096, 4001):
            with lab.sink("--memory", "1MiB") as sink:
                holder = subprocess.Popen(feb.argv("connect", "--sink", sink_of(sink), "--size", size, "--slots", 200, "--psn", "0xfffff0",
                                                   "--retry", 7, "--rnr-retry", 7),
                                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                try:
                    made = json.loads(holder.stdout.readline())
                    assert made["slots"] == 200 and made["board"]["psn"] == 0xFFFFF0, made
                    first, = feb.febctl("dispatch", "--count", COUNT, "--reset")
                    assert (first["completed"], first["SuccessCounter"]) == (COUNT, COUNT), first
                    feb.febctl("dispatch", "--count", 5 * COUNT, "--no-wait")
                    feb.febctl("write", "Dcqcn.Rhai", size)
                    assert feb.value("Dcqcn.Rhai") == size
                    assert feb.value("SuccessCounter") < 6 * COUNT
                    end = time.monotonic() + 60
                    while (done := feb.value("SuccessCounter")) < 6 * COUNT and time.monotonic() < end:
                        time.sleep(0.05)
                    assert done == 6 * COUNT, done
                    holder.send_signal(signal.SIGINT)
                    out, err = holder.communicate(timeout=60)
                finally:
                    holder.kill()
                    holder.wait(10)
                assert holder.returncode == 0, (out, err)
            report = sink.report
            assert report["held"] and report["messages"] == 6 * COUNT, report
            assert report["bytes_wrong"] == 0 and report["bytes_checked"] == 6 * COUNT * size, report
            # The payload's counter continues across bursts and queue pairs.
            if origin is not None:
                assert report["qps"][0]["payload_origin"] == (origin + sent) % 256, (report, origin, sent)
            origin, sent = report["qps"][0]["payload_origin"], 6 * COUNT * size


@case("vhostsrv")
def febctl_cleans_up(lab):
    """A killed client leaves its resources behind. The next client is refused until teardown has freed them."""
    with board(lab) as feb:
        with lab.sink("--memory", "1MiB", expect_exit=1) as sink:
            holder = subprocess.Popen(feb.argv("connect", "--sink", sink_of(sink)), stdout=subprocess.PIPE, text=True)
            made = json.loads(holder.stdout.readline())
            holder.kill()
            holder.wait(10)
        with lab.sink("--memory", "1MiB") as sink:
            feb.febctl("session", "--sink", sink_of(sink), status=1)
            gone, = feb.febctl("teardown")
            assert gone == {"qpn": made["board"]["qpn"], "refused": []}, gone
            done, = feb.febctl("session", "--sink", sink_of(sink), "--retry", 7, "--rnr-retry", 7)
            assert done["SuccessCounter"] == COUNT, done
