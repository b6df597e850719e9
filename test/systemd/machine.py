# SPDX-License-Identifier: BSD-3-Clause
"""A machine whose PID 1 is systemd: systemd-nspawn boots a copy-on-write view of this machine. Needs root and
the package systemd-container."""

import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

LIMIT = 120


def why_not():
    """Returns the reason why this test cannot boot a machine, or an empty string if it can."""
    if os.geteuid() != 0:
        return "needs root"
    if shutil.which("systemd-nspawn") is None:
        return "systemd-nspawn is not installed; fix: apt-get install systemd-container"
    return ""


class Machine:
    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="softfeb-machine-"))
        self.root = self.folder / "root"
        self._leader = None
        self._process = None
        try:
            self._mount()
        except BaseException:
            self.close()
            raise

    def _mount(self):
        layers = self.folder / "layers"
        for folder in (layers, self.root):
            folder.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "none", layers], check=True)
        for folder in ("upper", "work"):
            (layers / folder).mkdir()
        subprocess.run(["mount", "-t", "overlay", "overlay", "-o", f"lowerdir=/,upperdir={layers}/upper,workdir={layers}/work", self.root],
                       check=True)
        (self.root / "etc/machine-id").write_text("")  # the new machine needs an ID of its own
        shutil.rmtree(self.root / "var/log/journal", ignore_errors=True)

    def _command(self):
        # DPDK looks for modules in /sys/module. A real machine has this folder; a container of systemd-nspawn
        # does not.
        return ["systemd-nspawn", "--register=no", "--keep-unit", "--quiet", f"--directory={self.root}", "--private-network",
                "--bind-ro=/sys/module", "--capability=all", "--console=passive", f"--machine={self.folder.name}", "--boot",
                "systemd.unit=basic.target"]

    def boot(self):
        with open(self.folder / "boot.log", "w") as log:
            self._process = subprocess.Popen(self._command(), stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            if self._process.poll() is not None:
                raise RuntimeError(f"systemd-nspawn ended: {(self.folder / 'boot.log').read_text()[-2000:]}")
            tasks = Path(f"/proc/{self._process.pid}/task")
            leaders = " ".join((t / "children").read_text() for t in tasks.iterdir()).split()
            if leaders:
                self._leader = leaders[0]
                if self.run("systemctl", "is-active", "basic.target", check=False).stdout.strip() == "active":
                    return
            time.sleep(0.5)
        raise RuntimeError("systemd does not start")

    def run(self, *command, check=True):
        done = subprocess.run(["nsenter", "-t", self._leader, "-a", "--", *map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=LIMIT)
        if check and done.returncode != 0:
            raise RuntimeError(f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout}")
        return done

    def show(self, unit, name):
        return self.run("systemctl", "show", "-P", name, unit).stdout.strip()

    def close(self):
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(30)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        for mount in (self.root, self.folder / "layers"):
            subprocess.run(["umount", "--recursive", "--quiet", mount], check=False)
        # If a mount remains, rmtree() would delete the files of this machine through this mount.
        if not any(os.path.ismount(mount) for mount in (self.root, self.folder / "layers")):
            shutil.rmtree(self.folder, ignore_errors=True)
