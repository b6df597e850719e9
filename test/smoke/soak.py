# SPDX-License-Identifier: BSD-3-Clause
"""Runs tools/soak for a few seconds, in which everything that it measures must happen at least once. Only
longer runs can show whether the use of memory stays constant (doc/soak.md)."""

import json
import os
import subprocess
import sys

import harness

sys.path.append(str(harness.ROOT / "tools"))

from long_runs import document  # noqa: E402

setUpModule = harness.own_network  # slow control has fixed addresses
MEMORY = ("resident memory", "anonymous memory")


class Soak(harness.TestCase):
    def soak(self, kind, hours):
        """Runs tools/soak and returns its record. All checks except that of memory must have passed."""
        out = self.dir / kind
        done = subprocess.run([harness.ROOT / "tools/soak", kind, "--hours", str(hours), "--interval", "0.3", "--out", out,
                               "--softfeb", os.environ["SOFTFEB"]], capture_output=True, text=True, timeout=100)
        self.assertIn(done.returncode, (0, 1), done.stdout[-2000:] + done.stderr[-2000:])
        recorded = document.Recorded(out)
        problems = [c for c in recorded.checks if not c.held and not c.what.startswith(MEMORY)]
        return recorded, problems, done

    def test_real_time(self):
        recorded, problems, done = self.soak("real", 6 / 3600)
        text = done.stdout[-3000:] + json.dumps(recorded.run, indent=1)
        # Rules that select one packet in thousands have no hits yet in such a short run. softfeb reports
        # these rules as a failed check.
        self.assertEqual([c.what for c in problems], ["the run ended as asked", "softfeb's own checks"], text)
        self.assertEqual(problems[1].found, "fault_rules", text)
        clients = recorded.run["clients"]
        self.assertGreater(clients["event stream"]["samples"], 20)
        for board in ("feb-0", "feb-1"):
            control = clients[f"slow control of {board}"]
            self.assertEqual((control["bursts"], control["messages"]), (1, 16), text)
            self.assertGreater(control["accesses"], 10)
        self.assertGreater(clients["page"]["changes"], 0)
        self.assertGreater(recorded.run["counters"]["watched"], 400)
        self.assertGreater(recorded.samples[-1].packets, 1000)

    def test_virtual_time(self):
        recorded, problems, done = self.soak("virtual", 0.03)
        self.assertEqual([c.what for c in problems if c.what != "samples"], [], done.stdout)
        self.assertEqual(done.stdout.count("CPU"), 1)
        self.assertGreater(len(recorded.result["changes"]), 100)
        self.assertEqual(recorded.result["lab"]["figures"]["totals"]["retransmitted"], 0)


if __name__ == "__main__":
    harness.main()
