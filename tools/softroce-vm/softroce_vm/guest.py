# SPDX-License-Identifier: BSD-3-Clause
"""A guest, identified by its name: start, commands, files, stop."""

import dataclasses
import json
import os
import secrets
import shutil
import signal
import subprocess
import time
from pathlib import Path

from . import image, qemu, tap
from .errors import GuestError, UsageError
from .options import Options, split_neighbour
from .paths import check_socket_path, private_directory, run_root
from .placeholder import Placeholder
from .process import Process

AGENT_PORT = 7


class Paths:
    """The files of a guest in its run directory."""

    def __init__(self, directory, socket=""):
        self.dir = directory
        self.state = directory / "state.json"
        self.token = directory / "token"
        self.console = directory / "console.log"
        self.log = directory / "qemu.log"
        self.command = directory / "command"
        self.qmp = directory / "qmp.sock"
        self.vhost = Path(os.path.abspath(socket)) if socket else directory / "vhost.sock"


class Guest:
    """A running guest. Guest.up() starts a guest, and Guest.attach() finds a running guest. `with Guest.up(…) as g` stops the guest at the end."""

    def __init__(self, paths, state):
        self.paths = paths
        self.state = state
        self.name = state["name"]
        self.pid = state["pid"]
        self.options = Options(**state["options"])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.down()

    # --- start and stop ---

    @classmethod
    def up(cls, options=None, *, timeout=120.0, tied=False, say=lambda text: None, **settings):
        """Builds the image if necessary, boots the guest, and returns when it can run commands and rxe0 exists.

        With `tied`, the guest ends when this process ends, for whatever reason. up() must then be called from the main thread.
        """
        o = options or Options(**settings)
        o.check()
        directory = run_root() / o.name
        if _running(directory):
            raise UsageError(f"a guest named {o.name} runs already\nfix: softroce-vm down {o.name}, or another name")
        qemu.check_host(o.memory)
        built = image.ensure(say=say)
        shutil.rmtree(directory, ignore_errors=True)
        paths = Paths(private_directory(directory), o.socket)
        check_socket_path(paths.vhost)
        check_socket_path(paths.qmp)
        tap_fd = tap.open_tap(o.ifname, o.mtu) if o.mode == "tap" else None
        try:
            guest = cls._start(o, paths, built, tap_fd, tied)
        finally:
            if tap_fd is not None:
                os.close(tap_fd)  # QEMU has a descriptor of its own, so the tap exists until QEMU ends
        try:
            guest._boot(timeout)
        except BaseException:
            guest.down()
            raise
        return guest

    @classmethod
    def attach(cls, name="g1"):
        """Returns the running guest with this name."""
        directory = run_root() / name
        if not _running(directory):
            raise UsageError(f"no guest named {name} runs\nfix: softroce-vm up {name}; softroce-vm status lists them")
        state = _read_state(directory)
        return cls(Paths(directory, state["options"]["socket"]), state)

    @classmethod
    def all(cls):
        root = run_root()
        names = sorted(p.name for p in root.iterdir()) if root.exists() else []
        return [cls.attach(name) for name in names if _running(root / name)]

    @classmethod
    def _start(cls, o, paths, built, tap_fd, tied):
        paths.token.write_text(secrets.token_hex(16))
        paths.token.chmod(0o600)
        if o.mode == "vhostsrv":
            paths.vhost.unlink(missing_ok=True)
        args = qemu.command(o, paths, built, AGENT_PORT, tap_fd)
        if tied:
            args = ["setpriv", "--pdeathsig", "TERM", *args]
        paths.command.write_text(" ".join(f"'{a}'" if " " in a else a for a in args) + "\n")
        with open(paths.log, "w") as log:
            child = subprocess.Popen(args, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                                     cwd="/", pass_fds=[] if tap_fd is None else [tap_fd])
        state = {"name": o.name, "pid": child.pid, "started": _start_time(child.pid), "forwards": {}, "options": dataclasses.asdict(o)}
        guest = cls(paths, state)
        guest._child = child
        guest._write_state()
        return guest

    def _boot(self, timeout):
        """Waits until the guest has booted and its agent responds. In the meantime, a placeholder serves a vhost-user interface."""
        end = time.monotonic() + timeout
        o, stand_in = self.options, None
        if o.mode in ("vhost", "vhostsrv"):
            stand_in = Placeholder(self.paths.vhost, listen=o.mode == "vhost")
            while not stand_in.try_connect():
                self._check_alive(end)
        try:
            while not self._forwards_known():
                self._check_alive(end)
            while not self._answers():
                self._check_alive(end)
        finally:
            if stand_in:
                stand_in.close()
        ready = self.run("ip -4 addr show dev eth0; rdma link show rxe0/1", timeout=30)
        if ready.code:
            raise GuestError(f"the guest has no rxe0:\n{ready}\n{self.console_tail()}")
        for entry in o.neigh:
            self.neighbour(entry)

    def _check_alive(self, end):
        time.sleep(0.05)
        if self._child.poll() is not None:
            raise GuestError(f"QEMU ended with {self._child.returncode}: {self.paths.log.read_text().strip()[-1500:]}\n"
                             f"{self.console_tail()}")
        if time.monotonic() > end:
            raise GuestError(f"the guest did not boot in time\n{self.console_tail()}\n"
                             "fix: a busy machine may need a longer --timeout")

    def _forwards_known(self):
        try:
            with qemu.Qmp(self.paths.qmp, timeout=2) as q:
                forwards = q.forwards()
        except (OSError, ValueError):
            return False
        self.state["forwards"] = {str(k): v for k, v in forwards.items()}
        self._write_state()
        return True

    def _answers(self):
        try:
            return self.popen(["/bin/true"], connect_timeout=2).wait(5).code == 0
        except (OSError, GuestError):
            return False

    def _write_state(self):
        part = self.paths.state.with_suffix(".part")
        part.write_text(json.dumps(self.state, indent=1) + "\n")
        part.rename(self.paths.state)

    @property
    def running(self):
        return _running(self.paths.dir)

    def down(self, keep=False):
        """Stops the guest. Without `keep`, also removes its run directory."""
        if self.running:
            os.kill(self.pid, signal.SIGTERM)
            end = time.monotonic() + 5
            while self.running and time.monotonic() < end:
                self._reap()
                time.sleep(0.02)
            if self.running:
                os.kill(self.pid, signal.SIGKILL)
        self._reap()
        if not keep:
            shutil.rmtree(self.paths.dir, ignore_errors=True)

    def _reap(self):
        child = getattr(self, "_child", None)
        if child:
            child.poll()

    # --- commands, files and network ---

    def popen(self, command, **kw):
        """Starts a command and returns its Process. The guest's shell executes a string. A list is executed without a shell."""
        argv = ["/bin/dash", "-c", command] if isinstance(command, str) else [str(a) for a in command]
        return Process(self.address(AGENT_PORT), self.paths.token.read_text(), argv, **kw)

    def run(self, command, *, timeout=60.0, check=False, **kw):
        """Runs a command to its end and returns its Result. With `check`, a nonzero exit code raises GuestError."""
        result = self.popen(command, **kw).wait(timeout)
        if check and result.code:
            raise GuestError(f"failed in the guest: {command}\n{result}")
        return result

    def push(self, source, target, mode=None):
        """Copies a file of the host to a path in the guest. If the path is a directory, the copy has the name of the file."""
        source = Path(source)
        mode = mode if mode is not None else source.stat().st_mode & 0o777
        script = 't=$1; [ -d "$t" ] && t=$t/$2; cat >"$t.part" && chmod "$3" "$t.part" && mv "$t.part" "$t"'
        with open(source, "rb") as f:
            self.run(["/bin/dash", "-c", script, "push", target, source.name, f"{mode:o}"], stdin=f, check=True,
                     timeout=600)

    def pull(self, source, target):
        """Copies a file of the guest to a path on the host."""
        target = Path(target)
        if target.is_dir():
            target = target / Path(source).name
        target.write_bytes(self.run(["/bin/cat", source], check=True, timeout=600).out_bytes)

    def neighbour(self, entry):
        """Adds a static neighbour "IP=MAC" to eth0. A QP whose peer does not answer ARP cannot be moved to RTR without such an entry."""
        ip, mac = split_neighbour(entry)
        self.run(["/sbin/ip", "neigh", "replace", ip, "lladdr", mac, "dev", "eth0", "nud", "permanent"], check=True)

    def port(self, guest_port):
        """Returns the port on 127.0.0.1 that is forwarded to a TCP port of the guest."""
        try:
            return self.state["forwards"][str(guest_port)]
        except KeyError:
            raise UsageError(f"port {guest_port} of {self.name} is not forwarded\nfix: up with --forward {guest_port}")

    def address(self, guest_port):
        return ("127.0.0.1", self.port(guest_port))

    def wait_listening(self, guest_port, timeout=30.0):
        """Waits until a program listens on this port in the guest. A connection attempt from the host would not show this, because the
        forwarded port always accepts connections."""
        end = time.monotonic() + timeout
        probe = f"cat /proc/net/tcp /proc/net/tcp6 | grep -q ':{guest_port:04X} [0-9A-F]*:0000 0A'"
        while self.run(probe, timeout=10).code:
            if time.monotonic() > end:
                raise GuestError(f"nothing listens on TCP port {guest_port} in the guest after {timeout:g} s")
            time.sleep(0.1)

    def console_tail(self, lines=15):
        try:
            text = self.paths.console.read_text(errors="replace")
        except OSError:
            return ""
        return "console: " + "\n".join(text.splitlines()[-lines:])


def _start_time(pid):
    """Returns the start time of a process in clock ticks since boot. Together with the PID, this identifies the process uniquely."""
    try:
        with open(f"/proc/{pid}/stat") as f:
            fields = f.read().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] == "Z" else int(fields[19])


def _read_state(directory):
    try:
        return json.loads((directory / "state.json").read_text())
    except (OSError, ValueError):
        return None


def _running(directory):
    state = _read_state(directory)
    return bool(state) and state["started"] is not None and _start_time(state["pid"]) == state["started"]
