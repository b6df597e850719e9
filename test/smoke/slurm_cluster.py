# SPDX-License-Identifier: BSD-3-Clause
"""A Slurm cluster on this machine: a real slurmctld and two slurmd processes, which are its nodes n1 and
n2."""

import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

PROGRAMS = {"slurmctld": "slurm-wlm", "slurmd": "slurm-wlm", "sbatch": "slurm-wlm", "munged": "munge"}
PATIENCE = 40  # seconds within which the cluster must have started


def why_not():
    """Returns the reason why no cluster can be started here, or None."""
    for program, package in PROGRAMS.items():
        if shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin") is None:
            return f"{program} is missing; fix: apt-get install {package}"
    return None if os.geteuid() == 0 else "Slurm's daemons need root; fix: run the tests as root"


def free_ports(n):
    sockets = [socket.socket() for _ in range(n)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


class Cluster:
    """The cluster, as a context manager. `env` is the environment for Slurm's commands, so that they address
    this cluster."""

    def __init__(self, folder):
        self.dir = folder
        self.env = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf"), "PATH": os.environ["PATH"] + ":/usr/sbin"}
        self.daemons = []

    def _configure(self):
        host = socket.gethostname().split(".")[0]
        control, node1, node2 = free_ports(3)
        nodes = "".join(f"NodeName=n{i} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=1\n"
                        for i, port in ((1, node1), (2, node2)))
        (self.dir / "slurm.conf").write_text(f"""
ClusterName=study
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={control}
AuthType=auth/munge
AuthInfo=socket={self.dir}/munge.sock
SlurmUser=root
SlurmdUser=root
StateSaveLocation={self.dir}/state
SlurmdSpoolDir={self.dir}/spool-%n
SlurmctldPidFile={self.dir}/slurmctld.pid
SlurmdPidFile={self.dir}/%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
SlurmdTimeout=10
SchedulerParameters=sched_interval=1
ReturnToService=2
{nodes}PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
""")

    def _start(self, *command):
        """Starts a daemon in the foreground, so that it is a child of this process."""
        log = open(self.dir / f"daemon{len(self.daemons)}.log", "w")
        self.daemons.append(subprocess.Popen(command, env=self.env, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                             start_new_session=True))
        log.close()
        return self.daemons[-1]

    def __enter__(self):
        (self.dir / "state").mkdir(parents=True)
        self.dir.chmod(0o755)
        key = self.dir / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        self._configure()
        self._start("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={self.dir}/munge.sock",
                    f"--pid-file={self.dir}/munged.pid", f"--log-file={self.dir}/munged.log", f"--seed-file={self.dir}/munge.seed")
        self._wait(lambda: (self.dir / "munge.sock").exists(), "munged")
        self._start("slurmctld", "-D")
        self.nodes = {name: self._start("slurmd", "-D", "-N", name) for name in ("n1", "n2")}
        self._wait(lambda: self.run("sinfo", "-h", "-o", "%D %t").split() == ["2", "idle"], "two nodes")
        return self

    def _wait(self, condition, what):
        end = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > end:
                logs = "".join(f.read_text()[-1000:] for f in sorted(self.dir.glob("daemon*.log")))
                self.__exit__()
                raise AssertionError(f"Slurm: no {what} within {PATIENCE} s\n{logs}")
            time.sleep(0.1)

    def run(self, *command):
        return subprocess.run(command, env=self.env, capture_output=True, text=True, timeout=PATIENCE).stdout

    def kill_node(self, name):
        """Kills a node and everything that runs on it, as if the node had lost power, and waits until the
        controller has noticed."""
        victims = {self.nodes[name].pid}
        for proc in Path("/proc").glob("[0-9]*"):
            try:
                variables = (proc / "environ").read_bytes().split(b"\0")
                parent = int((proc / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue  # the process has ended
            if f"SLURMD_NODENAME={name}".encode() in variables and f"SLURM_CONF={self.env['SLURM_CONF']}".encode() in variables:
                victims |= {int(proc.name), parent}
        for pid in victims - {0, 1, os.getpid()}:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.run("scontrol", "update", f"nodename={name}", "state=down", "reason=killed")

    def __exit__(self, *_):
        self.run("scancel", "--state=RUNNING", "--signal=KILL", "--full")
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            try:
                daemon.wait(timeout=15)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
