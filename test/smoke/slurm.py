# SPDX-License-Identifier: BSD-3-Clause
"""Tests studies on a real Slurm. The results must have the same bytes as on one host, and no complete point
may be lost when a node dies."""

import sys
import time
import unittest

import harness
import slurm_cluster
import study_case


class Slurm(study_case.StudyCase):
    def setUp(self):
        super().setUp()
        cluster = slurm_cluster.Cluster(self.dir / "slurm")
        self.slurm = cluster.__enter__()
        self.addCleanup(cluster.__exit__)

    def command_on_slurm(self, folder, *args, status=0):
        return self.finish(self.start(folder, *args, env=self.slurm.env), status)

    def wait(self, condition, what):
        end = time.monotonic() + study_case.LIMIT
        while not condition():
            self.assertLess(time.monotonic(), end, f"no {what}\n{self.slurm.run('squeue')}\n{self.slurm.run('sinfo')}")
            time.sleep(0.05)

    def jobs(self):
        return self.slurm.run("squeue", "-h").strip()

    def test_submission(self):
        folder = self.dir / "study"
        report = self.dir / "report"
        out, _ = self.command_on_slurm(folder, "--on", "slurm", "--tasks", 4, "--report", report, "--no-pictures")
        self.assertRegex(out, r"Slurm job \d+ runs 44 points in 4 tasks; job \d+ then collects them in ")
        self.wait(lambda: (report / "sweep.csv").exists() and not self.jobs(), "result")
        self.assertEqual(self.contents(folder), self.reference())
        self.assertEqual((report / "result.json").read_bytes(), (folder / "result.json").read_bytes())
        self.assertEqual(len(list((folder / "log").glob("slurm-*.out"))), 4)
        out, _ = self.command_on_slurm(folder, "--on", "slurm")
        # All points are done, so the command prints the table.
        self.assertIn("goodput_gbps", out)

    def test_numbers_of_slurm(self):
        """With `--task auto`, the task takes its number from the environment of a job array or of srun."""
        folder = self.dir / "study"
        script = self.dir / "array.sh"
        step = " ".join(self.command(folder, "--task", "auto"))
        script.write_text(f"#!/bin/sh\nexec {step}\n")
        out = self.slurm.run("sbatch", "--wait", "--array=5-7", f"--output={self.dir}/out-%a", str(script))
        self.assertIn("Submitted", out)
        self.assertEqual([(self.dir / f"out-{n}").read_text() for n in (5, 6, 7)],
                         [f"softfeb: task {n}/3: 15 points run\n" for n in (1, 2, 3)])
        self.run_study(folder, "--collect", "--quiet")
        self.slurm.run("srun", "-n", "2", *self.command(self.dir / "study2", "--task", "auto"))
        self.run_study(self.dir / "study2", "--collect", "--quiet")
        self.assertEqual(self.contents(folder), self.reference())
        self.assertEqual(self.contents(self.dir / "study2"), self.reference())


class DeadNode(Slurm):
    duration = "200ms"
    test_submission = test_numbers_of_slurm = None

    def start_requeued_jobs(self):
        """Makes Slurm start requeued jobs at once. By default, Slurm waits for two minutes."""
        for line in self.slurm.run("squeue", "-h", "-r", "-t", "PD", "-o", "%i %r").splitlines():
            if line.endswith("BeginTime"):
                self.slurm.run("scontrol", "update", f"jobid={line.split()[0]}", "starttime=now")

    def test_a_node_dies(self):
        """Slurm loses a node during a study and runs the tasks of this node again on the other node. The
        study ends without help, and no complete point is run twice."""
        folder = self.dir / "study"
        self.command_on_slurm(folder, "--on", "slurm", "--tasks", 6, "--quiet")
        self.wait(lambda: len(self.points(folder)) >= 12, "points")
        self.slurm.kill_node("n2")
        before = self.points(folder)
        self.assertLess(len(before), study_case.POINTS)

        def ended():
            self.start_requeued_jobs()
            return (folder / "sweep.csv").exists() and not self.jobs()

        self.wait(ended, "result")
        after = self.points(folder)
        self.assertEqual({name: after[name] for name in before}, before)
        for leftover in (folder / "points").glob("*.json.*"):
            leftover.unlink()  # the node died while it wrote this file
        self.assertEqual(self.contents(folder), self.reference())


if __name__ == "__main__":
    reason = slurm_cluster.why_not()
    if reason:
        print(f"skipped: {reason}")
        sys.exit(harness.SKIPPED)
    unittest.main()
