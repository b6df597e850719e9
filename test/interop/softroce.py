# SPDX-License-Identifier: BSD-3-Clause
"""Runs cases with a Soft-RoCE guest, which is booted once for all cases of a network path.

A case is a function in cases/*.py:

    from softroce import case

    @case("tap", "vhostsrv")  # network paths of the case
    def file_arrives(lab):
        \"\"\"A file of 1 MiB arrives whole.\"\"\"
        with lab.sink("--memory", "8MiB") as sink:
            done = lab.host([lab.program("app/softfeb/softfeb"), "run", "-c", conf, "--set", f"to={sink.url}"])
            assert done.returncode == 0, done.stdout
        assert sink.report["held"], sink.report

`run_cases.py MODE` boots the guest, runs the cases one after the other, and prints a line for each case. A case fails if it raises an
exception, for example because an assertion fails. The files in lab.dir are then kept.
"""

import json
import os
import shlex
import shutil
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "softroce-vm"))

from softroce_vm import Guest, GuestError, Options  # noqa: E402
from softroce_vm.options import PERFTEST_PORT, SINK_PORT  # noqa: E402

# Addresses of the programs under test, as seen by the guest. The guest has a static neighbour entry for them.
HOST_IP = "10.77.0.100"
HOST_MAC = "02:00:00:00:00:01"

CASES = []


def case(*modes, measures=False):
    """Registers a function as a case for the network paths `modes`. `measures` means that the case checks rates, so nothing else should run
    at the same time."""
    def register(function):
        CASES.append((function, modes, measures))
        return function
    return register


class Lab:
    """The argument of a case. Controls the guest and runs programs on both sides."""

    def __init__(self, guest, build, directory):
        self.guest = guest
        self.mode = guest.options.mode
        self.build = Path(build)
        self.dir = directory  #: directory of this case, for log files
        self.host_ip, self.host_mac = HOST_IP, HOST_MAC
        self.guest_ip, self.guest_mac = guest.options.ip.partition("/")[0], guest.options.mac

    @property
    def vdev(self):
        """DPDK's device at the other end of the guest's eth0. Needs --no-huge --no-shconf if there are no huge pages."""
        if self.mode == "tap":
            return f"net_af_packet0,iface={self.guest.options.ifname},blocksz=65536,framesz=16384,framecnt=1024"
        client = 1 if self.mode == "vhostsrv" else 0
        return f"net_vhost0,iface={self.guest.paths.vhost},queues=1,client={client}"

    def program(self, path):
        """Returns the path of a program in the build directory."""
        program = self.build / path
        assert program.exists(), f"{program} is not built"
        return str(program)

    def run(self, command, timeout=60.0, check=True):
        """Runs a command in the guest. Returns a Result with .code, .out and .err."""
        return self.guest.run(command, timeout=timeout, check=check)

    def host(self, argv, timeout=120.0, name="host", **kw):
        """Runs a command on the host. Returns a CompletedProcess whose .stdout contains standard output and standard error as text. Also
        writes this text to lab.dir/NAME.log."""
        done = subprocess.run([str(a) for a in argv], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=timeout, **kw)
        (self.dir / f"{name}.log").write_text(f"$ {shlex.join(map(str, argv))}\n{done.stdout}\nexit {done.returncode}\n")
        return done

    @contextmanager
    def sink(self, *options, timeout=60.0, expect_exit=0, port=SINK_PORT):
        """Runs rdma-sink --once in the guest, and yields a Sink that listens on `port`. This port
        must be forwarded. rdma-sink must exit with code `expect_exit`, unless the case called
        stop(). rdma-sink is also stopped if the case raises an exception."""
        if self.run(["test", "-e", "/usr/bin/rdma-sink"], check=False).code:
            self.guest.push(self.program("app/rdma-sink/rdma-sink"), "/usr/bin/rdma-sink")
        with self.guest.popen(["/usr/bin/rdma-sink", "--once", "--port", str(port), *options]) as process:
            sink = Sink(process, self.guest.address(port))
            try:
                process.wait_for_output("listening on", kind="err")
                yield sink
                if not sink.stopped:
                    sink.finish(timeout)
            finally:
                (self.dir / f"rdma-sink-{port}.log").write_text(str(process.result))
        assert sink.stopped or sink.exit_code == expect_exit, f"rdma-sink: {process.result}"

    @property
    def perftest_url(self):
        return f"perftest://127.0.0.1:{self.guest.port(PERFTEST_PORT)}"

    @contextmanager
    def perftest(self, *options, program="ib_write_bw"):
        """Runs a perftest server in the guest, and yields the URL for softfeb. The options must match those of the client. With vhost-user,
        softfeb must already be running, because the server refuses a port that is down, and softfeb brings the link up."""
        argv = [program, "-d", "rxe0", "-x", "1", "-p", str(PERFTEST_PORT), *map(str, options)]
        if self.mode != "tap":
            # The guest's driver detects changes of the link state with a delay, so it may still report the previous program's link as up.
            # Wait until the link has been up for half a second.
            state = "/sys/class/infiniband/rxe0/ports/1/state"
            stable = f"n=0; while [ $n -lt 5 ]; do sleep 0.1; if grep -q ACTIVE {state}; then n=$((n + 1)); else n=0; fi; done"
            argv = ["/bin/dash", "-c", f"{stable}; exec {shlex.join(argv)}"]
        with self.guest.popen(argv) as process:
            try:
                if self.mode == "tap":
                    self.guest.wait_listening(PERFTEST_PORT)
                yield self.perftest_url
                process.wait(30)
            finally:
                (self.dir / "perftest.log").write_text(str(process.result))
        assert process.code == 0, f"{program}: {process.result}"


def validate(document, kind):
    """Checks a document against its JSON Schema, if python3-jsonschema is installed."""
    try:
        import jsonschema
    except ImportError:
        return
    schema = json.loads((Path(__file__).resolve().parents[2] / f"schemas/{kind}.schema.json").read_text())
    jsonschema.validate(document, schema)


class Sink:
    """A running rdma-sink. .url is its URL for softfeb. .report and .exit_code are set after its session."""

    def __init__(self, process, address):
        self.process = process
        self.address = address
        self.url = f"sink://{address[0]}:{address[1]}"
        self.report = None
        self.exit_code = None
        self.stopped = False

    def stop(self):
        """Kills rdma-sink. Call this if no session ends rdma-sink."""
        self.process.close()
        self.stopped = True

    def finish(self, timeout):
        result = self.process.wait(timeout)
        self.exit_code = result.code
        lines = result.out.splitlines()
        self.report = json.loads(lines[-1]) if lines else None
        if self.report is not None:
            validate(self.report, "rdma-sink")

    def connect(self):
        """Opens a separate TCP connection."""
        return JsonLines(self.address)

    def command(self, **line):
        """Sends one command, such as post_receives=10, on a separate connection. Returns the answer."""
        with self.connect() as connection:
            return connection.ask(line)


class JsonLines:
    """The client side of rdma-sink's protocol."""

    def __init__(self, address, timeout=30.0):
        self.sock = socket.create_connection(address, timeout=timeout)
        self.stream = self.sock.makefile("rw")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.stream.close()
        self.sock.close()

    def ask(self, line):
        self.stream.write(json.dumps(line) + "\n")
        self.stream.flush()
        answer = self.stream.readline()
        if not answer:
            raise ConnectionError("rdma-sink closed the connection")
        return json.loads(answer)


def start_guest(mode, timeout=180.0):
    """Starts a separate guest for this process, to avoid conflicts with other suites and users."""
    name = f"t{os.getpid()}"
    return Guest.up(Options(mode=mode, name=name, neigh=[f"{HOST_IP}={HOST_MAC}"]), timeout=timeout, tied=True,
                    say=print)


def run_all(mode, build, directory, only="", repeat=1, measures=None):
    """Runs the cases of `mode` whose names contain `only`. Repeats them, so that each runs `repeat` times. If `measures` is not None, runs
    only the cases with this value of `measures`. Returns the number of failed cases, or 1 if no case was selected."""
    wanted = [f for f, modes, m in CASES if mode in modes and only in f.__name__ and measures in (None, m)] * repeat
    failed = []
    began = time.monotonic()
    with start_guest(mode) as guest:
        print(f"# guest {guest.name} ({mode}) up in {time.monotonic() - began:.1f} s", flush=True)
        for done, function in enumerate(wanted):
            lab = Lab(guest, build, Path(directory) / f"{mode}-{function.__name__}")
            shutil.rmtree(lab.dir, ignore_errors=True)
            lab.dir.mkdir(parents=True)
            if not run_one(function, lab):
                failed.append(function.__name__)
                keep_logs(guest, lab)
            else:
                shutil.rmtree(lab.dir, ignore_errors=True)
            if not guest.running:
                failed += [f.__name__ for f in wanted[done + 1:]]
                print(f"# the guest is gone: {guest.console_tail()}")
                break
    print(f"# {len(wanted) - len(failed)} of {len(wanted)} cases held, {time.monotonic() - began:.1f} s"
          + (f"; failed: {', '.join(failed)}" if failed else ""), flush=True)
    return len(failed) if wanted else 1


def run_one(function, lab):
    began = time.monotonic()
    try:
        function(lab)
    except Exception:  # any exception fails the case
        import traceback
        print(f"FAILED {function.__name__} ({time.monotonic() - began:.1f} s)")
        traceback.print_exc(file=sys.stdout)
        sys.stdout.flush()
        return False
    print(f"ok     {function.__name__} ({time.monotonic() - began:.1f} s): {(function.__doc__ or '').splitlines()[0]}",
          flush=True)
    return True


def keep_logs(guest, lab):
    for path in (guest.paths.console, guest.paths.log):
        if path.exists():
            shutil.copy(path, lab.dir)
    try:
        state = guest.run("dmesg | tail -20; rdma link; rdma resource show qp; ip -s link show eth0", timeout=10)
        (lab.dir / "guest-state.log").write_text(str(state))
        print(f"# the guest: {state}")
    except (GuestError, OSError) as error:
        (lab.dir / "guest-state.log").write_text(f"no answer: {error}\n")
    print(f"# logs in {lab.dir}", flush=True)
