# SPDX-License-Identifier: BSD-3-Clause
"""Tests studies with a folder. The folder must contain the same bytes however the points are run, and must
lose no complete point when processes are killed."""

import json
import os
import shlex
import shutil
import signal
import subprocess
import time
import unittest

import harness
import study_case
from study_case import POINTS


def need(program, package):
    return unittest.skipUnless(shutil.which(program), f"{program} is missing; fix: apt-get install {package}")


class SameBytes(study_case.StudyCase):
    def test_a_folder_changes_no_result(self):
        """A study without a folder gives the same table and the same result."""
        report = self.dir / "report"
        run = harness.Softfeb(["lab", "sweep", "-c", str(self.file), "--report", str(report), "--no-pictures"], self.dir).finish()
        self.assertEqual(run.status, 0, run.err)
        out, _ = self.run_study(self.dir / "study")
        self.assertEqual(out, run.out)
        for name in ("sweep.csv", "result.json"):
            self.assertEqual((self.dir / "study" / name).read_bytes(), (report / name).read_bytes(), name)

    def test_tasks(self):
        folder = self.dir / "study"
        tasks = [self.start(folder, "--task", f"{n}/4") for n in range(1, 5)]
        for task in tasks:
            _, err = self.finish(task)
            self.assertIn("points run", err)
        self.assertFalse((folder / "sweep.csv").exists())
        report = self.dir / "report"
        self.run_study(folder, "--collect", "--report", report, "--no-pictures", "--quiet")
        self.assertEqual(self.contents(folder), self.reference())
        self.assertEqual((report / "sweep.csv").read_bytes(), (folder / "sweep.csv").read_bytes())

    @need("parallel", "parallel")
    def test_gnu_parallel(self):
        folder = self.dir / "study"
        out, _ = self.run_study(folder, "--on", "parallel", "--tasks", 5)
        self.assertIn("goodput_gbps", out)
        self.assertEqual(self.contents(folder), self.reference())

    @need("parallel", "parallel")
    def test_list_of_hosts(self):
        """GNU parallel runs the tasks on the hosts of a list, in the current folder of the command
        `lab sweep`. The host `:` is this machine, without ssh."""
        folder = self.dir / "study"
        self.run_study(folder, "--on", "parallel", "--hosts", "2/:", "--tasks", 3, "--quiet")
        self.assertEqual(self.contents(folder), self.reference())

    @need("mpirun", "openmpi-bin")
    def test_mpirun(self):
        folder = self.dir / "study"
        mpirun = ["mpirun", "--oversubscribe", "--allow-run-as-root", "-np", "2"]
        _, err = self.run_study(folder, "--task", "auto", prefix=mpirun)
        self.assertIn("task 1/2: 23 points run", err)
        self.assertIn("task 2/2: 22 points run", err)
        self.run_study(folder, "--collect", "--quiet")
        self.assertEqual(self.contents(folder), self.reference())

    def test_scripts_of_other_engines(self):
        """The scripts for PBS and Grid Engine run the task whose number the batch system sets in its
        environment variables."""
        for script, variables in (("pbs.sh", lambda n: {"PBS_ARRAY_INDEX": n, "TASKS": "3"}),
                                  ("grid-engine.sh", lambda n: {"SGE_TASK_ID": n, "SGE_TASK_LAST": "3"})):
            with self.subTest(script=script):
                folder = self.dir / script
                self.run_study(folder, "--task", "1/1000")
                for n in "123":
                    env = {**os.environ, "SOFTFEB": harness.SOFTFEB, "FILE": str(self.file), "OUT": str(folder), **variables(n)}
                    subprocess.run([harness.ROOT / "examples" / "study" / script], env=env, cwd=self.dir, check=True,
                                   capture_output=True, timeout=study_case.LIMIT)
                self.run_study(folder, "--collect", "--quiet")
                self.assertEqual(self.contents(folder), self.reference())

    def test_the_same_task_twice_at_once(self):
        folder = self.dir / "study"
        for task in [self.start(folder, "--task", "1/1") for _ in range(2)]:
            self.finish(task)
        self.run_study(folder, "--collect", "--quiet")
        self.assertEqual(self.contents(folder), self.reference())


class Killed(study_case.StudyCase):
    duration = "100ms"  # long enough to kill a study while it runs
    kills = 4

    def kill_some(self, start, wanted):
        """Calls start(), and kills the process group of the started process when `wanted` more points are
        complete. Returns the complete points."""
        folder = self.dir / "study"
        before = len(self.points(folder))
        process = start()
        end = time.monotonic() + study_case.LIMIT
        while time.monotonic() < end and process.poll() is None:
            if len(self.points(folder)) >= before + wanted:
                break
            time.sleep(0.002)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=study_case.LIMIT)
        return self.points(folder)

    def kill_and_resume(self, start):
        """Kills a study several times and resumes it each time. A complete point must not be run again."""
        complete = {}
        for _ in range(self.kills):
            now = self.kill_some(start, 3)
            self.assertEqual({name: now.get(name) for name in complete}, complete)
            complete = now
        self.assertLess(len(complete), POINTS, "the study ended before it was killed each time")
        self.assertGreaterEqual(len(complete), 2 * self.kills)
        self.run_study(self.dir / "study", "--quiet")
        now = self.points(self.dir / "study")
        self.assertEqual({name: now[name] for name in complete}, complete)
        for leftover in (self.dir / "study" / "points").glob("*.json.*"):
            leftover.unlink()  # a process was killed while it wrote this file
        self.assertEqual(self.contents(self.dir / "study"), self.reference())

    def test_process(self):
        self.kill_and_resume(lambda: self.start(self.dir / "study", "--quiet", start_new_session=True))

    def test_task(self):
        self.kill_and_resume(lambda: self.start(self.dir / "study", "--task", "1/1", start_new_session=True))

    @need("parallel", "parallel")
    def test_gnu_parallel(self):
        self.kill_and_resume(lambda: self.start(self.dir / "study", "--on", "parallel", start_new_session=True))

    def test_interrupted(self):
        """After SIGTERM, the study stops without the points in progress, and a message names the command that
        runs the missing points."""
        folder = self.dir / "study"
        process = self.start(folder)
        while len(self.points(folder)) < 3:
            time.sleep(0.002)
        process.terminate()
        _, err = self.finish(process, status=1)
        self.assertRegex(err, r"missing \d+ of 45 points")
        before = self.points(folder)
        self.assertLess(len(before), POINTS)
        command = err.split("; fix: ")[1].strip()
        self.assertEqual(subprocess.run(shlex.split(command), cwd="/", capture_output=True, timeout=study_case.LIMIT).returncode, 0)
        after = self.points(folder)
        self.assertEqual(len(after), POINTS)
        self.assertEqual({name: after[name] for name in before}, before)


class Refused(study_case.StudyCase):
    def test_missing_points(self):
        folder = self.dir / "study"
        self.run_study(folder, "--task", "1/3")
        _, err = self.run_study(folder, "--collect", status=1)
        self.assertIn("missing 30 of 45 points: 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, ...; fix: ", err)
        self.assertFalse((folder / "sweep.csv").exists())
        command = shlex.split(err.split("; fix: ")[1])
        subprocess.run(command, cwd="/", check=True, capture_output=True, timeout=study_case.LIMIT)
        self.run_study(folder, "--collect", "--quiet")
        self.assertEqual(self.contents(folder), self.reference())

    def test_another_study(self):
        folder = self.dir / "study"
        self.run_study(folder, "--quiet")
        before = self.contents(folder)
        _, err = self.run_study(folder, "--set", "run.seed=7", status=2)
        self.assertIn("belongs to another study: /config/run/seed was 1 and is now 7", err)
        self.assertIn("fix: ", err)
        self.assertEqual(self.contents(folder), before)

    def test_a_folder_that_is_not_shared(self):
        _, err = self.run_study(self.dir / "study", "--task", "1/2", "--existing", status=2)
        self.assertIn("share this folder between all hosts", err)
        _, err = self.run_study(self.dir / "study", "--collect", status=2)
        self.assertIn("run the points first", err)
        self.assertFalse((self.dir / "study").exists())

    def test_a_value_that_a_point_cannot_have(self):
        """A wrong value in a sweep is reported before the first point is run."""
        _, err = self.run_study(self.dir / "study", "--set",
                                "lab.sweep=[{key: boards.feb.dcqcn.rhai, values: [24Mb/s, fast]}]", status=2)
        self.assertIn("fast", err)
        self.assertFalse((self.dir / "study").exists())

    def test_a_damaged_point_is_run_again(self):
        folder = self.dir / "study"
        self.run_study(folder, "--quiet")
        expected = self.contents(folder)
        sorted((folder / "points").iterdir())[6].write_text('{"values": {')
        _, err = self.run_study(folder, "--collect", status=1)
        self.assertIn("missing 1 of 45 points: 7;", err)
        self.run_study(folder, "--quiet")
        self.assertEqual(self.contents(folder), expected)

    def test_foreign_files_are_named(self):
        folder = self.dir / "study"
        self.run_study(folder, "--quiet")
        (folder / "points" / "notes.txt").write_text("mine")
        _, err = self.run_study(folder, "--collect", "--quiet")
        self.assertIn("notes.txt", err)

    def test_options_that_do_not_fit(self):
        for args, text in ((("--on", "condor"), "write slurm or parallel"), (("--task", "5/4"), "write I/N"),
                           (("--task", "1/2", "--collect"), "only one of them"), (("--hosts", "a"), "--on parallel"),
                           (("--task", "1/2", "--json", "x.json"), "--collect"), (("--threads", "0"), "at least 1")):
            with self.subTest(args=args):
                _, err = self.run_study(self.dir / "study", *args, status=2)
                self.assertIn(text, err)
                self.assertIn("fix: ", err)

    def test_full_disk(self):
        """Points that were finished before the disk was full are kept."""
        if os.geteuid() != 0:
            self.skipTest("only root may mount a small file system")
        disk = self.dir / "disk"
        disk.mkdir()
        sweep = shlex.join(self.command(disk / "study", "--quiet", "--threads", "1"))
        script = (f"mount -t tmpfs -o size=100k none {disk} && ( {sweep}; echo status $?; ls {disk}/study/points | wc -l; "
                  f"mount -o remount,size=4M {disk} && {sweep}; echo status $? )")
        run = subprocess.run(["unshare", "-m", "sh", "-c", script], capture_output=True, text=True, timeout=study_case.LIMIT)
        if "mount" in run.stderr and "status" not in run.stdout:
            self.skipTest("this machine permits no mounts")
        first, points, second = run.stdout.split("\n")[:3]
        self.assertEqual((first, second), ("status 3", "status 0"), run.stderr)
        self.assertTrue(0 < int(points) < POINTS, points)
        self.assertIn("No space left on device; fix: make room on the disk", run.stderr)


class Log(study_case.StudyCase):
    def test_log(self):
        """The log tells which process ran which point, and how long that took."""
        folder = self.dir / "study"
        self.run_study(folder, "--quiet")
        lines = [json.loads(line) for f in (folder / "log").glob("*.jsonl") for line in f.read_text().splitlines()]
        self.assertEqual(sorted(line["point"] for line in lines), list(range(1, POINTS + 1)))
        self.assertTrue(all(0 < line["seconds"] < study_case.LIMIT for line in lines))


if __name__ == "__main__":
    unittest.main()
