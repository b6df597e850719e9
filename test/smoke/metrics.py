# SPDX-License-Identifier: BSD-3-Clause
"""Reads /metrics of a running softfeb."""

import time
import urllib.error
import urllib.request

from harness import LIMIT


def read(port):
    """Returns a dictionary from the name and labels of each metric to its value."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=LIMIT) as answer:
        lines = answer.read().decode().splitlines()
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines if not line.startswith("#"))}


def wait(run, port, condition):
    """Reads the metrics until `condition` accepts them, and returns these metrics."""
    end = time.monotonic() + LIMIT / 2
    found = None
    while time.monotonic() < end:
        assert run.process.poll() is None, run.process.communicate()
        try:
            found = read(port)
        except urllib.error.URLError:  # the page is not served yet
            found = None
        if found and condition(found):
            return found
        time.sleep(0.05)
    raise AssertionError(f"not in {LIMIT / 2} s: {found}")
