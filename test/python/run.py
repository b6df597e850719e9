#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the test files in its arguments with pytest, so that meson can run them as tests.

The exit status is 77 if pytest is missing, or if all tests were skipped.
"""

import sys

SKIPPED = 77

try:
    import pytest
except ImportError:
    print("pytest is not installed; fix: apt-get install python3-pytest")
    sys.exit(SKIPPED)


class Counter:
    """Counts the tests that ran and those that were skipped."""

    def __init__(self):
        self.ran = self.skipped = 0

    def pytest_runtest_logreport(self, report):
        if report.when == "call" and not report.skipped:
            self.ran += 1
        self.skipped += report.skipped

    def pytest_collectreport(self, report):
        self.skipped += report.skipped


if __name__ == "__main__":
    counter = Counter()
    arguments = ["-q", "-p", "no:cacheprovider", "-rs", "--durations=3", *sys.argv[1:]]
    status = pytest.main(arguments, plugins=[counter])
    only_skipped = counter.ran == 0 and counter.skipped > 0
    sys.exit(SKIPPED if only_skipped and status in (0, 5) else int(status))
