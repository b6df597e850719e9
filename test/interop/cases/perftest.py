# SPDX-License-Identifier: BSD-3-Clause
"""Runs perftest in the guest."""

from softroce import case


@case("tap")
def perftest_serves(lab):
    """ib_write_bw works between two processes of the guest. This is a baseline for softfeb's client."""
    with lab.perftest("-s", 4096, "-n", 200, "-m", 1024):
        done = lab.run(["ib_write_bw", "-d", "rxe0", "-x", "1", "-s", "4096", "-n", "200", "-m", "1024", lab.guest_ip])
    assert " 4096 " in done.out and " 200 " in done.out, done
