# SPDX-License-Identifier: BSD-3-Clause
"""Runs `softfeb run` and `softfeb lab` with the guest. Each case modifies a configuration of conf/."""

import json
import shlex
import signal
import subprocess
import time
from contextlib import contextmanager

from softroce import ROOT, validate

CONF = {"tap": "conf/softroce-afpacket.yaml", "vhost": "conf/softroce-vhost.yaml", "vhostsrv": "conf/softroce-vhost.yaml"}

# Settings for a lossless path on a busy machine: the packets in flight fit into every queue on the path, and the timeouts are longer than a
# preemption of the guest.
CLOSED_LOOP = {"qp.window_packets": 128, "qp.ack_every": 16, "qp.timeout": 15, "qp.retry_count": 7, "traffic.rate": "max"}


def device(lab):
    if lab.mode == "tap":
        return f"net_af_packet:{lab.guest.options.ifname}"
    return f"net_vhost:{lab.guest.paths.vhost}" + (",client" if lab.mode == "vhostsrv" else "")


def settings(changes):
    """Returns the --set options for a dictionary of changes. Keys that begin with qp, traffic or port refer to the first QP or port."""
    places = {"qp": "boards.feb0.qps.0", "traffic": "boards.feb0.qps.0.traffic", "port": "ports.0"}
    argv = []
    for key, value in changes.items():
        first, _, rest = key.partition(".")
        key = f"{places[first]}.{rest}" if first in places else key
        argv += ["--set", f"{key}={json.dumps(value) if isinstance(value, (dict, list)) else value}"]
    return argv


class Run:
    """A running softfeb. After wait(), .code is its exit code, .text is its output, and .json is its result (None if it wrote none)."""

    def __init__(self, lab, to, changes, args, name, conf, command):
        self.lab, self.name = lab, name
        self.log = lab.dir / f"{name}.log"
        self.result = lab.dir / f"{name}.json"
        sets = settings({"port.device": device(lab), **({"qp.to": to} if to else {}), **changes})
        self.argv = [lab.program("app/softfeb/softfeb"), command, "-c", str(conf or ROOT / CONF[lab.mode]), "--json",
                     str(self.result), *sets, *args]
        self.code = self.json = None
        self.began = time.monotonic()
        with open(self.log, "w") as log:
            log.write(f"$ {shlex.join(self.argv)}\n")
            log.flush()
            self.process = subprocess.Popen(self.argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=lab.dir)

    @property
    def text(self):
        return self.log.read_text()

    def wait(self, timeout):
        self.code = self.process.wait(timeout)
        self.seconds = time.monotonic() - self.began
        self.json = json.loads(self.result.read_text()) if self.result.exists() else None
        if self.json is not None:
            validate(self.json, "result" if "boards" in self.json else "conformance")
        return self

    def wait_for(self, words, timeout=30.0):
        """Waits until softfeb has printed `words`."""
        end = time.monotonic() + timeout
        while words not in self.text:
            assert self.process.poll() is None, f"ended before it said '{words}':\n{self.text}"
            assert time.monotonic() < end, f"did not say '{words}' in {timeout:g} s:\n{self.text}"
            time.sleep(0.02)

    def signal(self, number=signal.SIGINT):
        self.process.send_signal(number)

    @property
    def qps(self):
        return [qp for board in self.json["boards"] for qp in board["qps"]]

    @property
    def qp(self):
        return self.qps[0]


@contextmanager
def started(lab, to=None, changes=None, args=(), name="softfeb", conf=None, command="run"):
    """Yields a Run, which is killed at the end of the block if it is still running."""
    run = Run(lab, to, changes or {}, [str(a) for a in args], name, conf, command)
    try:
        yield run
    finally:
        if run.process.poll() is None:
            run.process.kill()
            run.process.wait(10)


def run(lab, to=None, changes=None, args=(), timeout=60.0, name="softfeb", conf=None):
    """Runs softfeb to its end."""
    with started(lab, to, changes, args, name, conf) as process:
        return process.wait(timeout)


def run_to_sink(lab, options, changes, args=(), timeout=60.0, name="softfeb", expect=0):
    """Runs softfeb with its own rdma-sink. Both must exit with code `expect` (0: all checks held). Returns the Run and the sink's
    report."""
    with lab.sink(*options, expect_exit=expect) as sink:
        done = run(lab, sink.url, changes, args, timeout, name)
        assert done.code == expect, done.text
    return done, sink.report
