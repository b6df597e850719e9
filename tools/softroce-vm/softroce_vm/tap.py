# SPDX-License-Identifier: BSD-3-Clause
"""The tap interface of a guest. Making one needs root (CAP_NET_ADMIN); using one made for this user does not."""

import os
import subprocess
from pathlib import Path

from .errors import EnvironmentMissing


def exists(ifname):
    return Path("/sys/class/net", ifname).exists()


def _ip(*args):
    return subprocess.run(["ip", *args], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def open_tap(ifname, mtu):
    """Makes the interface where it is not there, and brings it up. True when it was made here."""
    if not os.access("/dev/net/tun", os.R_OK | os.W_OK):
        raise EnvironmentMissing("/dev/net/tun is missing or closed to this user\n"
                                 "fix: modprobe tun, or use --mode vhostsrv, which needs no tap and no root")
    made = not exists(ifname)
    if made:
        done = _ip("tuntap", "add", "dev", ifname, "mode", "tap")
        if done.returncode:
            raise EnvironmentMissing(
                f"cannot make the tap {ifname}: {done.stdout.strip()}\n"
                f"fix: run as root, or let root do once:  ip tuntap add dev {ifname} mode tap user $USER && "
                f"ip link set {ifname} mtu {mtu} up;  or use --mode vhostsrv, which needs no root")
    # The host stays silent on this wire: no router solicitations, no multicast listener reports.
    quiet = Path(f"/proc/sys/net/ipv6/conf/{ifname}/disable_ipv6")
    if quiet.exists() and os.access(quiet, os.W_OK):
        quiet.write_text("1")
    done = _ip("link", "set", ifname, "mtu", str(mtu), "up")
    if done.returncode and made:
        close_tap(ifname)
        raise EnvironmentMissing(f"cannot bring {ifname} up: {done.stdout.strip()}\nfix: run as root")
    return made


def close_tap(ifname):
    if exists(ifname):
        _ip("link", "del", ifname)
