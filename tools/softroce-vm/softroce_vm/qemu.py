# SPDX-License-Identifier: BSD-3-Clause
"""The command line of QEMU, and its control socket (QMP)."""

import json
import os
import re
import shutil
import socket

from .errors import EnvironmentMissing, GuestError

PROGRAM = "qemu-system-x86_64"
MANAGEMENT_NET = "10.0.2.0/24"
MANAGEMENT_IP = "10.0.2.15"
MARGIN_MB = 160  # memory that QEMU needs in addition to the guest's memory, including its translation buffer

# With offloads, the guest could send frames without checksums, and frames that are longer than the path MTU allows.
NO_OFFLOADS = ",".join(f"{o}=off" for o in (
    "csum gso guest_csum guest_tso4 guest_tso6 guest_ufo guest_ecn host_tso4 host_tso6 host_ufo host_ecn").split())


def check_host(memory_mb):
    if not shutil.which(PROGRAM):
        raise EnvironmentMissing(f"{PROGRAM} is missing\nfix: apt-get install qemu-system-x86")
    with open("/proc/meminfo") as f:
        available = int(re.search(r"^MemAvailable:\s+(\d+) kB", f.read(), re.M).group(1)) // 1024
    if available < memory_mb + MARGIN_MB:
        raise EnvironmentMissing(f"the guest needs {memory_mb} + {MARGIN_MB} MB of memory, {available} MB are available\n"
                                 "fix: free memory, or give --memory 320")


def data_path(o, paths, tap_fd):
    """Returns QEMU's options for eth0. vhost-user needs shared guest memory, which command() configures. With vhost-user, MSI-X is
    disabled (vectors=0), because it makes QEMU 7.2 crash under TCG."""
    device = f"virtio-net-pci,netdev=n0,mac={o.mac},addr=0x3,romfile=,mrg_rxbuf=on,host_mtu={o.mtu},rx_queue_size=1024"
    if o.mode == "tap":
        tap = f"ifname={o.ifname},script=no,downscript=no" if tap_fd is None else f"fd={tap_fd}"
        return ["-netdev", f"tap,id=n0,{tap}",
                "-device", f"{device},{NO_OFFLOADS}"]
    side = "reconnect=1" if o.mode == "vhost" else "server=on"
    return ["-chardev", f"socket,id=vu0,path={paths.vhost},{side}",
            "-netdev", "vhost-user,id=n0,chardev=vu0,queues=1",
            "-device", f"{device},vectors=0,{NO_OFFLOADS}"]


def command(o, paths, image, agent_port, tap_fd):
    forwards = "".join(f",hostfwd=tcp:127.0.0.1:0-:{port}" for port in (agent_port, *o.forward))
    line = ("console=ttyS0 quiet loglevel=3 panic=-1 mitigations=off nokaslr no_timer_check tsc=reliable net.ifnames=0"
            f" softfeb.ip={o.ip} softfeb.mtu={o.mtu} softfeb.management={MANAGEMENT_IP}/24 softfeb.agent={agent_port}")
    args = [PROGRAM, "-name", f"softroce-{o.name}", "-machine", "q35,usb=off,vmport=off,hpet=off",
            # With the CPU model Nehalem, RoCE runs three times as fast as with `max`, whose newer
            # instructions are costly to emulate.
            "-accel", "tcg,thread=multi", "-cpu", "Nehalem",
            # QEMU 7.2 leaves out the guest's memory barriers if maxcpus is 1. Its I/O thread then sometimes misses that the driver added
            # packets to an empty queue, and the driver's transmit queue stalls for good (NETDEV WATCHDOG in the guest's log).
            "-smp", f"{o.cpus},maxcpus={max(o.cpus, 2)}", "-m", str(o.memory),
            "-object", f"memory-backend-memfd,id=mem0,size={o.memory}M,share=on", "-numa", "node,memdev=mem0",
            "-nodefaults", "-no-user-config", "-no-reboot", "-display", "none",
            "-kernel", str(image.kernel), "-initrd", str(image.initrd), "-append", line,
            "-fw_cfg", f"name=opt/softfeb/token,file={paths.token}",
            "-serial", f"file:{paths.console}", "-qmp", f"unix:{paths.qmp},server=on,wait=off",
            *data_path(o, paths, tap_fd),
            "-netdev", f"user,id=m0,net={MANAGEMENT_NET},ipv6=off,restrict=on{forwards}",
            "-device", "virtio-net-pci,netdev=m0,mac=52:54:00:ff:00:01,addr=0x4,romfile="]
    if o.share:
        args += ["-fsdev", f"local,id=host,path={o.share},security_model=none",
                 "-device", "virtio-9p-pci,fsdev=host,mount_tag=host"]
    return args


class Qmp:
    """A connection to a running QEMU."""

    def __init__(self, path, timeout=10.0):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(timeout)
        self.sock.connect(os.fspath(path))
        self.stream = self.sock.makefile("rwb")
        self.stream.readline()  # greeting
        self.call("qmp_capabilities")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stream.close()
        self.sock.close()

    def call(self, name, **arguments):
        self.stream.write(json.dumps({"execute": name, "arguments": arguments}).encode() + b"\n")
        self.stream.flush()
        while True:
            line = self.stream.readline()
            if not line:
                raise GuestError("QEMU closed its control socket")
            answer = json.loads(line)
            if "return" in answer:
                return answer["return"]
            if "error" in answer:
                raise GuestError(f"QEMU: {answer['error'].get('desc')}")

    def forwards(self):
        """Returns {port of the guest: forwarded port on 127.0.0.1}. The host's kernel has chosen the forwarded ports."""
        text = self.call("human-monitor-command", **{"command-line": "info usernet"})
        rows = re.findall(r"TCP\[HOST_FORWARD\]\s+\d+\s+\S+\s+(\d+)\s+\S+\s+(\d+)", text)
        return {int(guest): int(host) for host, guest in rows}
