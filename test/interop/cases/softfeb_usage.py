# SPDX-License-Identifier: BSD-3-Clause
"""Errors of configurations with a real port. softfeb prints file, line, key and fix. It exits with code 2, or 3 if the environment is at
fault."""

import subprocess

from softfeb import device, run
from softroce import case


def refused(lab, changes, code, *words, to="sink://127.0.0.1:1"):
    done = run(lab, to, changes, timeout=40)
    assert done.code == code, (done.code, done.text)
    for word in words:
        assert word in done.text, (word, done.text)
    assert done.json is None, "a result of a run that never was"
    return done


@case("tap")
def path_mtu_above_the_interface(lab):
    """If the kernel's interface has MTU 1500, softfeb refuses path MTU 4096 and prints a fix, whether or not `mtu` of the port is set."""
    name = lab.guest.options.ifname
    subprocess.run(["ip", "link", "set", name, "mtu", "1500"], check=True)
    try:
        for port in ({"mtu": 9000}, {}):
            done = refused(lab, {"ports.0": {"name": "tap", "device": device(lab), **port}}, 2, "softroce-afpacket.yaml:",
                           "mtu", "fix:", "1500", f"ip link set {name} mtu")
            print("#   " + done.text.splitlines()[-1])
    finally:
        subprocess.run(["ip", "link", "set", name, "mtu", "9000"], check=True)


@case("vhostsrv")
def path_mtu_above_the_port(lab):
    """If a vhost-user port has MTU 1500, softfeb refuses path MTU 4096, and prints the place of the error and a fix."""
    refused(lab, {"port.mtu": 1500}, 2, "softroce-vhost.yaml:", "pmtu", "fix:", "1500")


@case("tap")
def path_mtu_above_the_receiver(lab):
    """An rdma-sink with a smaller path MTU refuses the request. softfeb reports this and exits with code 2."""
    with lab.sink("--mtu", "1024") as sink:
        refused(lab, {"qp.pmtu": 4096}, 2, "path MTU 4096", "1024", "fix:", to=sink.url)
        sink.stop()


@case("tap")
def nobody_there(lab):
    """If there is no receiver at the URL or no interface of that name, softfeb exits with code 3 and states the fix."""
    refused(lab, {"run.connect_timeout": "2s"}, 3, "connection refused", "start rdma-sink", "gave up after 2 s", "link up")
    refused(lab, {"port.device": "net_af_packet:no-such-if"}, 3, "no-such-if")
