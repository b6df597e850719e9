# SPDX-License-Identifier: BSD-3-Clause
"""The tap interface of a guest. Creating a tap needs root (CAP_NET_ADMIN). Using a tap that was created for this user does not."""

import fcntl
import os
import struct
import subprocess
from pathlib import Path

from .errors import EnvironmentMissing

TUNSETIFF = 0x400454CA
IFF_TAP, IFF_NO_PI, IFF_VNET_HDR = 0x0002, 0x1000, 0x4000


def exists(ifname):
    return Path("/sys/class/net", ifname).exists()


def open_tap(ifname, mtu):
    """Brings the interface up. If the interface does not exist, creates it and returns its file descriptor; the new interface exists as
    long as this descriptor is open. If the interface already exists, returns None, and QEMU opens the interface by its name."""
    if not os.access("/dev/net/tun", os.R_OK | os.W_OK):
        raise EnvironmentMissing("/dev/net/tun is missing or closed to this user\n"
                                 "fix: modprobe tun, or use --mode vhostsrv, which needs no tap and no root")
    fd = None if exists(ifname) else _make(ifname, mtu)
    # Disable IPv6, so that the host's kernel sends no router solicitations and multicast listener reports to the guest.
    quiet = Path(f"/proc/sys/net/ipv6/conf/{ifname}/disable_ipv6")
    if os.access(quiet, os.W_OK):
        quiet.write_text("1")
    done = subprocess.run(["ip", "link", "set", ifname, "mtu", str(mtu), "up"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode and fd is not None:
        os.close(fd)
        raise EnvironmentMissing(f"cannot bring {ifname} up: {done.stdout.strip()}\nfix: run as root")
    return fd


def _make(ifname, mtu):
    fd = os.open("/dev/net/tun", os.O_RDWR | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        fcntl.ioctl(fd, TUNSETIFF, struct.pack("16sH22x", ifname.encode(), IFF_TAP | IFF_NO_PI | IFF_VNET_HDR))
    except OSError as error:
        os.close(fd)
        raise EnvironmentMissing(
            f"cannot make the tap {ifname}: {error.strerror}\n"
            f"fix: run as root, or let root do once:  ip tuntap add dev {ifname} mode tap user $USER && "
            f"ip link set {ifname} mtu {mtu} up;  or use --mode vhostsrv, which needs no root") from error
    return fd
