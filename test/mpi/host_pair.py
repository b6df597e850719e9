# SPDX-License-Identifier: BSD-3-Clause
"""Two hosts for tests. Each host is a network namespace with its own host name. One link between the hosts carries
the packets of the boards, and another link carries MPI."""

import os
import pathlib
import subprocess

NAMES = ("tx1", "tx2")
DATA, CONTROL = ("sfdata0", "sfdata1"), ("sfmpi0", "sfmpi1")
# Starts the program of a process on a CPU of its own, and records its exit status. On the second host, three
# files have an effect if they exist: the library shift.so shifts the clock, the program `other` replaces the
# program, and the folder `elsewhere` becomes the working directory.
START = """#!/bin/sh
rank=$OMPI_COMM_WORLD_RANK
echo $$ > {dir}/pid.$rank
if [ $rank = 1 ] && [ -e {dir}/shift.so ]; then export LD_PRELOAD={dir}/shift.so; fi
if [ $rank = 1 ] && [ -e {dir}/other ]; then shift; set -- {dir}/other "$@"; fi
if [ $rank = 1 ] && [ -e {dir}/elsewhere ]; then cd {dir}/elsewhere; fi
trap '' TERM  # the program catches it
trap : USR1
taskset -c $((rank % $(nproc --all))) "$@"
status=$?
echo $status > {dir}/status.$rank
exit $status
"""
# mpirun uses this command in place of ssh to start its daemon on the second host.
AGENT = """#!/bin/sh
shift
exec ip netns exec {namespace} unshare --uts sh -c "hostname {host}; $*"
"""


def ip(*arguments):
    subprocess.run(["ip", *map(str, arguments)], check=True, capture_output=True)


class HostPair:
    def __init__(self, folder, program):
        self.dir, self.program = pathlib.Path(folder), program
        self.namespaces = [f"softfeb-{name}-{os.getpid()}" for name in NAMES]
        try:
            for namespace in self.namespaces:
                ip("netns", "add", namespace)
                ip("-n", namespace, "link", "set", "lo", "up")
            for ends, mtu in ((DATA, 4300), (CONTROL, 1500)):
                ip("-n", self.namespaces[0], "link", "add", ends[0], "mtu", mtu, "type", "veth", "peer", "name", ends[1], "mtu", mtu,
                   "netns", self.namespaces[1])
            for i, namespace in enumerate(self.namespaces):
                subprocess.run(["ip", "netns", "exec", namespace, "sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=1"], check=False)
                ip("-n", namespace, "addr", "add", f"10.99.0.{i + 1}/24", "dev", CONTROL[i])
                for end in (DATA[i], CONTROL[i]):
                    ip("-n", namespace, "link", "set", end, "up")
        except subprocess.CalledProcessError:
            self.close()
            raise
        self.script("start", START.format(dir=self.dir))
        self.script("agent", AGENT.format(namespace=self.namespaces[1], host=NAMES[1]))

    def script(self, name, text):
        path = self.dir / name
        path.write_text(text)
        path.chmod(0o755)

    def close(self):
        for namespace in self.namespaces:
            subprocess.run(["ip", "netns", "del", namespace], capture_output=True, check=False)

    def command(self, *arguments, processes=2):
        """Returns the command that runs mpirun on the first host. mpirun starts the program on both hosts."""
        mpirun = ["mpirun", "--host", "10.99.0.1:2,10.99.0.2", "-np", str(processes), "--map-by", "node", "--bind-to", "none",
                  str(self.dir / "start"), self.program, *arguments]
        return ["ip", "netns", "exec", self.namespaces[0], "unshare", "--uts", "sh", "-c", f'hostname {NAMES[0]}; exec "$@"', "sh", *mpirun]

    def environment(self):
        net = "10.99.0.0/24"
        return dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_btl="self,tcp",
                    OMPI_MCA_btl_tcp_if_include=net, OMPI_MCA_oob_tcp_if_include=net, OMPI_MCA_plm_rsh_agent=str(self.dir / "agent"))
