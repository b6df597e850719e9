# SPDX-License-Identifier: BSD-3-Clause
"""Runs experiments of conf/lab in virtual time, and reads their results."""

from pathlib import Path

import harness

LIMIT = 280  # seconds, allowing for a busy machine


class LabCase(harness.TestCase):
    def lab(self, name, *overrides, status=0, args=(), seconds=LIMIT):
        """Runs an experiment and returns the finished run. `name` is the name of an experiment of conf/lab, or the path of a file."""
        conf = name if isinstance(name, Path) else harness.CONF / "lab" / f"{name}.yaml"
        result = self.dir / "result.json"
        command = ["lab", "-c", str(conf), "--virtual", "--json", str(result), *args]
        for o in overrides:
            command += ["--set", o]
        run = harness.Softfeb(command, self.dir, result).finish(seconds)
        self.assertEqual(run.status, status, f"\n{run.err[-3000:]}\n{run.out[-5000:]}")
        if run.result is not None:
            self.assertEqual(run.result["lab"]["time"], "virtual")
            for b in run.result["lab"]["figures"]["conservation"]:
                self.assertEqual(b["left"], b["right"], b)
            self.assertEqual(run.result["lab"]["figures"]["memory_wrong"], 0)
        return run

    def windows(self, run, length):
        return next(w for w in run.result["lab"]["figures"]["windows"] if w["window_ms"] == length)

    def totals(self, run):
        return run.result["lab"]["figures"]["totals"]

    def goodput(self, run):
        return {b["name"]: b["goodput_gbps"] for b in run.result["boards"]}

    def windows_of(self, run, receiver=0):
        """Returns a receiver and its map of missing data. Checks that the counters of the map agree."""
        r = run.result["receivers"][receiver]
        w = r["windows"]
        self.assertEqual(w["closed"], w["full"] + w["gap"] + w["forced"] + w["end"])
        self.assertEqual(w["messages"], w["marked"] + w["duplicate_messages"] + w["late"] + w["wrong_immediate"])
        self.assertEqual(w["marked"] + w["missing"] + w["not_sent"], w["closed"] * w["streams"])
        listed = sum(b - a + 1 for ranges in w["missing_ranges"].values() for a, b in ranges)
        self.assertEqual(listed + w["missing_unlisted"], w["missing"] + w["not_sent"])
        return r, w

    def sweep(self, *args):
        return harness.Softfeb(["lab", "sweep", *args], self.dir, self.dir / "sweep.json").finish(LIMIT)

    def transfers_of(self, run):
        transfers = run.result["receivers"][0]["transfers"]
        table = transfers["registration"]
        self.assertEqual(table["registered"], table["complete"] + table["abandoned"] + table["open"])
        return transfers, table
