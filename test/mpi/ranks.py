#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests softfeb-mpi with processes that mpirun starts on this machine."""

import filecmp
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LAB = ROOT / "conf/lab"
PROGRAM = os.environ.get("SOFTFEB_MPI", str(ROOT / "build/app/softfeb-mpi/softfeb-mpi"))
SKIPPED = 77  # exit status for a skipped test in meson
LIMIT = 120  # timeout in seconds; far longer than any run here takes
# mpirun refuses to run as root by default. Several ranks may share a CPU here.
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_btl_base_warn_component_unused="0")

# Boards that send messages of fixed size, of random size and over UC through three switches. One
# receiver writes its memory to a file.
TREE = """
lab: {title: Tree, bottleneck: spine.daq, sample_interval: 100us}
run: {duration: 500us, warmup: 100us, series_interval: 100us}
network:
  switches: [{name: leaf, count: 2, buffer: 1MiB, ecn: {kmin: 10KiB, kmax: 40KiB}}, {name: spine, buffer: 4MiB, ecn: {kmin: 10KiB, kmax: 40KiB}}]
  links:
    - {ends: [feb-0..feb-1, leaf-0], rate: 10Gb/s, delay: 200ns}
    - {ends: [feb-2..feb-3, leaf-1], rate: 10Gb/s, delay: 200ns}
    - {ends: [leaf, spine], rate: 25Gb/s, delay: 1us, faults: {drop: 0.1%, reorder: 0.2%}}
    - {ends: [spine, daq], rate: 40Gb/s, delay: 200ns}
    - {ends: [spine, web], rate: 40Gb/s, delay: 200ns}
boards:
  - name: feb
    count: 4
    ip: 10.0.0.1/24
    dcqcn: {algorithm: firmware, scope: board}
    qps:
      - {to: daq, pmtu: 4096, traffic: {message_size: 16KiB}}
      - {to: web, pmtu: 1024, traffic: {lengths: hadoop, arrivals: {load: 10%}}}
      - {to: daq, pmtu: 1024, transport: UC, traffic: {message_size: 8KiB, rate: 500Mb/s}}
receivers:
  - {name: daq, ip: 10.0.0.101/24, memory: 64KiB, out: memory.bin}
  - {name: web, ip: 10.0.0.102/24, memory: 16MiB}
"""


def available():
    return pathlib.Path(PROGRAM).is_file() and shutil.which("mpirun") is not None


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)
        (self.dir / "tree.yaml").write_text(TREE)

    def run_all(self, *command):
        return subprocess.run(command, cwd=self.dir, env=ENVIRONMENT, timeout=LIMIT, check=False, text=True, capture_output=True)

    def mpirun(self, ranks, *args):
        return self.run_all("mpirun", "-np", str(ranks), PROGRAM, *args)


class Results(Case):
    def outputs(self, name, ranks, *args):
        """Runs a lab, and returns the folder that contains everything that the lab has written."""
        out = self.dir / name
        out.mkdir()
        lab = ["lab", "--virtual", "--json", f"{name}/result.json", "--report", f"{name}/report", "--no-pictures", *args]
        done = self.run_all(PROGRAM, *lab) if ranks == 1 else self.mpirun(ranks, *lab)
        # Status 1 is also accepted: in a run of only microseconds, the experiment's own checks may fail.
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.assertTrue((out / "result.json").exists(), done.stderr)
        memory = self.dir / "memory.bin"
        if memory.exists():
            memory.rename(out / "memory.bin")
        return out, done

    def assert_same(self, one, other):
        names = sorted(p.relative_to(one) for p in one.rglob("*") if p.is_file())
        self.assertEqual(names, sorted(p.relative_to(other) for p in other.rglob("*") if p.is_file()))
        for name in names:
            self.assertTrue(filecmp.cmp(one / name, other / name, shallow=False), f"{name} differs")
        return names

    def test_any_number_of_ranks_gives_the_same_files(self):
        whole, _ = self.outputs("whole", 1, "-c", "tree.yaml")
        for ranks, parts in ((2, "auto"), (3, "auto"), (2, "3"), (1, "3"),
                             (2, "[{switches: [leaf-1]}, {switches: [spine, leaf-0]}]")):
            with self.subTest(ranks=ranks, parts=parts):
                name = f"{ranks}-{len(list(self.dir.iterdir()))}"
                parted, _ = self.outputs(name, ranks, "-c", "tree.yaml", "--set", f"network.parts={parts}")
                names = [str(n) for n in self.assert_same(whole, parted)]
                self.assertIn("memory.bin", names)
                self.assertIn("report/ports.csv", names)

    def test_camera(self):
        args = ("-c", str(LAB / "camera.yaml"), "--set", "run.duration=300us", "--set", "receivers.server.count=8")
        whole, _ = self.outputs("whole", 1, *args)
        parted, done = self.outputs("parted", 2, *args)
        self.assert_same(whole, parted)
        self.assertIn("2 parts, 12 links cut, window 500ns", done.stderr)
        self.assertIn("expected share of the exchange", done.stderr)


class Refusals(Case):
    def refused(self, status, text, *command):
        done = self.run_all(*command)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertIn(text, done.stderr)
        self.assertEqual(done.stderr.count("softfeb-mpi:"), 1, done.stderr)
        self.assertFalse((self.dir / "result.json").exists())

    def lab(self, file="tree.yaml", *more):
        return [PROGRAM, "lab", "--virtual", "-c", str(file), "--json", "result.json", *more]

    def test_too_many_ranks(self):
        self.refused(2, "cannot be cut into 4 parts; fix: use at most 3 parts or processes", "mpirun", "-np", "4", *self.lab())
        self.refused(2, "fix: run it in one process", "mpirun", "-np", "2", *self.lab(LAB / "incast.yaml"))
        self.refused(2, "fix: start 2 processes", "mpirun", "-np", "3", *self.lab("tree.yaml", "--set", "network.parts=2"))

    def test_a_cut_link_without_delay(self):
        for delay in ("0s", "50ns"):
            self.refused(2, "the link leaf-0-spine", "mpirun", "-np", "2", *self.lab("tree.yaml", "--set", f"network.links.2.delay={delay}"))

    def test_what_parts_do_not_support(self):
        self.refused(2, "a table of flows that parts do not share", "mpirun", "-np", "2",
                     *self.lab("tree.yaml", "--set", "network.switches.spine.forge={threshold: 9Gb/s}"))

    def test_ranks_with_different_files(self):
        self.refused(2, "has another configuration than process 0", "mpirun", "-np", "1", *self.lab(), ":", "-np", "1",
                     *self.lab("tree.yaml", "--set", "run.seed=9"))
        self.refused(3, "missing.yaml: cannot be read", "mpirun", "-np", "1", *self.lab(), ":", "-np", "1", *self.lab("missing.yaml"))

    def test_ranks_with_different_programs(self):
        other = self.dir / "other"
        shutil.copy(PROGRAM, other)
        with other.open("ab") as program:
            program.write(b"another version")
        self.refused(3, "runs another program than process 0", "mpirun", "-np", "1", *self.lab(), ":", "-np", "1", str(other), *self.lab()[1:])

    def test_commands_that_ranks_cannot_share(self):
        self.refused(2, "fix: add --virtual", "mpirun", "-np", "2", PROGRAM, "lab", "-c", "tree.yaml")
        self.refused(2, "another process has a different command", "mpirun", "-np", "1", *self.lab(), ":", "-np", "1", PROGRAM, "regs")


class Killed(Case):
    def test_all_ranks_end_when_one_is_killed(self):
        args = ["lab", "--virtual", "-c", str(LAB / "camera.yaml"), "--set", "run.duration=100s", "--json", "out/result.json",
                "--report", "out/report"]
        (self.dir / "out").mkdir()
        with subprocess.Popen(["mpirun", "-np", "2", PROGRAM, *args], cwd=self.dir, env=ENVIRONMENT, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as job:
            self.addCleanup(job.kill)
            series = self.dir / "out/report/series.csv.part"
            end = time.monotonic() + LIMIT
            while not series.exists() and time.monotonic() < end:
                time.sleep(0.05)
            time.sleep(0.5)
            ranks = self.children(job.pid)
            self.assertEqual(len(ranks), 2)
            # Kill the rank that does not write the result.
            victim = next(r for r in ranks if b"OMPI_COMM_WORLD_RANK=1" in pathlib.Path(f"/proc/{r}/environ").read_bytes())
            begun = time.monotonic()
            os.kill(victim, signal.SIGKILL)
            _, err = job.communicate(timeout=LIMIT)
            # mpirun may end a moment before the ranks.
            while any(self.runs(r) for r in ranks) and time.monotonic() - begun < 5:
                time.sleep(0.02)
            self.assertLess(time.monotonic() - begun, 5)
        # The status is that of the rank that ended first.
        self.assertEqual(job.returncode, 128 + signal.SIGKILL, err)
        self.assertIn("process 0 on", err)
        self.assertIn("ended by a signal, so there is no result", err)
        self.assertIn("with errorcode 3", err)
        for rank in ranks:
            self.assertFalse(self.runs(rank))
        self.assertEqual([p for p in (self.dir / "out").rglob("*") if p.is_file()], [])

    @staticmethod
    def runs(pid):
        """Returns true unless the process has ended. A zombie counts as ended."""
        try:
            return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
        except (FileNotFoundError, ProcessLookupError):
            return False

    @staticmethod
    def children(pid):
        return [int(c) for c in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


if __name__ == "__main__":
    if not available():
        print("skipped: no softfeb-mpi or no mpirun (Debian: libopenmpi-dev, openmpi-bin)")
        sys.exit(SKIPPED)
    unittest.main()
