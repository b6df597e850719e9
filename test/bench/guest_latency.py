#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures the time from posting to completion with the Soft-RoCE guest:  guest_latency.py --build DIR MODE [options of softfeb-bench latency]

Boots the guest, starts rdma-sink there, and runs `softfeb-bench latency --guest`. MODE: tap (AF_PACKET) or vhostsrv (vhost-user).
"""

import argparse
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "interop"))

import softroce  # noqa: E402
from softfeb import device  # noqa: E402

SERVE = "/usr/bin/rdma-sink --memory 8MiB"


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("mode", choices=("tap", "vhostsrv"))
    p.add_argument("--build", required=True, type=lambda d: Path(d).resolve(), help="meson's build directory")
    a, options = p.parse_known_args()
    with softroce.start_guest(a.mode) as guest:
        lab = softroce.Lab(guest, a.build, a.build)
        guest.push(lab.program("app/rdma-sink/rdma-sink"), "/usr/bin/rdma-sink")
        with guest.popen(["/bin/dash", "-c", f"until {SERVE}; do sleep 0.2; done"]):
            host, port = guest.address(softroce.SINK_PORT)
            return subprocess.run([lab.program("test/bench/softfeb-bench"), "latency", "--guest",
                                   f"sink://{host}:{port}", "--device", device(lab), "--ip", lab.host_ip, "--mac",
                                   lab.host_mac, *options], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
