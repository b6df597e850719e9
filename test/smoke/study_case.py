# SPDX-License-Identifier: BSD-3-Clause
"""A parameter study of 45 points, and commands that run it."""

import subprocess

import harness

POINTS = 45
LIMIT = 100  # in seconds, allowing for a busy machine


class StudyCase(harness.TestCase):
    duration = "30ms"  # the run of a point then needs 10 to 20 ms of CPU time

    def setUp(self):
        super().setUp()
        self.file = self.config(f"""
base: {harness.CONF / "lab" / "sweep.yaml"}
set: {{run.duration: {self.duration}, boards.feb.stop: {self.duration}}}
""", "study.yaml")

    def command(self, folder, *args):
        return [harness.SOFTFEB, "lab", "sweep", "-c", str(self.file), "--out", str(folder), *map(str, args)]

    def start(self, folder, *args, prefix=(), **options):
        return subprocess.Popen([*prefix, *self.command(folder, *args)], cwd=self.dir, text=True, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    def finish(self, process, status=0):
        """Waits for a process to end and checks its exit status. Returns its standard output and its standard
        error."""
        out, err = process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, status, f"\n{err[-3000:]}\n{out[-3000:]}")
        return out, err

    def run_study(self, folder, *args, status=0, prefix=()):
        return self.finish(self.start(folder, *args, prefix=prefix), status)

    def points(self, folder):
        """Returns the files of the complete points: {name: (inode, time of modification)}. If a point is run
        again, its two numbers change."""
        return {p.name: (p.stat().st_ino, p.stat().st_mtime_ns) for p in (folder / "points").glob("*.json")}

    def contents(self, folder):
        """Returns the bytes of those files in a study's folder that must not depend on how the study was
        run."""
        files = [folder / name for name in ("sweep.json", "sweep.csv", "result.json")] + sorted((folder / "points").iterdir())
        return {str(f.relative_to(folder)): f.read_bytes() for f in files}

    def reference(self):
        """Runs the study in a single process and returns the contents of its folder."""
        folder = self.dir / "reference"
        self.run_study(folder, "--quiet")
        contents = self.contents(folder)
        self.assertEqual(len(contents), POINTS + 3)
        return contents
