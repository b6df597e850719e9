# SPDX-License-Identifier: BSD-3-Clause
"""Start options of a guest."""

import ipaddress
import os
import re
from dataclasses import dataclass, field

from .errors import UsageError

MODES = ("tap", "vhost", "vhostsrv")

# TCP ports of the guest that are forwarded by default, so that the host can reach them on 127.0.0.1.
PERFTEST_PORT = 18515
SINK_PORT = 18516


@dataclass
class Options:
    mode: str = "tap"  #: tap; vhost: QEMU is the vhost-user client; vhostsrv: QEMU is the server
    name: str = "g1"
    ip: str = "10.77.0.2/24"
    mac: str = "52:54:00:77:00:02"
    mtu: int = 9000  #: MTU of eth0; 4200 or more allows RoCE path MTU 4096, and 1500 allows 1024
    memory: int = 512  #: MB
    cpus: int = 1
    ifname: str = ""  #: tap mode: name of the tap; if empty, sfv-NAME, created and removed with the guest
    socket: str = ""  #: vhost modes: path of the socket; if empty, a path in the guest's run directory
    share: str = ""  #: host directory that appears as /mnt/host in the guest
    forward: list = field(default_factory=lambda: [PERFTEST_PORT, SINK_PORT])
    neigh: list = field(default_factory=list)  #: ["IP=MAC"], static neighbours on eth0

    def check(self):
        """Raises UsageError, which states the fix, if an option is invalid."""
        if self.mode not in MODES:
            raise UsageError(f"mode {self.mode!r}; fix: one of {', '.join(MODES)}")
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,30}", self.name):
            raise UsageError(f"name {self.name!r}; fix: letters, digits and _.- only, at most 31")
        try:
            interface = ipaddress.IPv4Interface(self.ip)
        except ValueError as e:
            raise UsageError(f"--ip {self.ip}: {e}; fix: ADDRESS/LENGTH, for example 10.77.0.2/24") from e
        if "/" not in self.ip or interface.network.overlaps(ipaddress.IPv4Network("10.0.2.0/24")):
            raise UsageError(f"--ip {self.ip}; fix: ADDRESS/LENGTH outside of the management network 10.0.2.0/24")
        check_mac(self.mac)
        if not 576 <= self.mtu <= 16000:
            raise UsageError(f"--mtu {self.mtu}; fix: 576 to 16000 bytes")
        if self.memory < 320:
            raise UsageError(f"--memory {self.memory}; fix: at least 320 (MB)")
        if not 1 <= self.cpus <= 16:
            raise UsageError(f"--cpus {self.cpus}; fix: 1 to 16")
        if not self.ifname:
            self.ifname = f"sfv-{self.name}"[:15]
        if self.share:
            self.share = os.path.abspath(self.share)
            if not os.path.isdir(self.share) or "," in self.share:
                raise UsageError(f"--share {self.share}; fix: an existing directory without a comma in its name")
        if any(not 0 < port < 65536 for port in self.forward):
            raise UsageError(f"--forward {self.forward}; fix: TCP ports from 1 to 65535")
        for entry in self.neigh:
            split_neighbour(entry)


def check_mac(mac):
    if not re.fullmatch(r"([0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}", mac) or int(mac[:2], 16) & 1:
        raise UsageError(f"MAC address {mac!r}; fix: six hexadecimal bytes, not multicast, as in 52:54:00:77:00:02")


def split_neighbour(entry):
    """Returns ("10.77.0.100", "02:…") for "10.77.0.100=02:…"."""
    ip, _, mac = entry.partition("=")
    try:
        ipaddress.ip_address(ip)
    except ValueError as e:
        raise UsageError(f"neighbour {entry!r}: {e}; fix: IP=MAC, as in 10.77.0.100=02:00:00:00:00:01") from e
    check_mac(mac)
    return ip, mac
