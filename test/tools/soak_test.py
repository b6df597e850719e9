# SPDX-License-Identifier: BSD-3-Clause
"""Tests that tools/soak finds faults in recorded runs: memory that grows, counters that decrease, missing
packets."""

import copy
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from long_runs import counters, document, process, real, verdict, virtual  # noqa: E402
from long_runs.process import Sample  # noqa: E402

MIB = 1024


def samples(rss=lambda t: 100 * MIB, descriptors=lambda t: 23, threads=3, last=7200):
    """Returns the samples of a run, one every 10 s."""
    return [Sample(t=t, rss=int(rss(t)), pss=int(rss(t)), anonymous=int(rss(t)) // 3, heap=4096, descriptors=descriptors(t), threads=threads,
                   cpu=t / 5, progress=t, metrics_ms=1, slow_control_ms=3, slow_control_median_ms=0.3, packets=t * 600)
            for t in range(0, last + 1, 10)]


RUN = {"kind": "real", "seconds": 7200.0, "interval": 10, "status": 0, "ended_early": False,
       "counters": {"watched": 456, "readings": 721, "wrong": []},
       "clients": {"page": {"requests": 10, "changes": 2},
                   "event stream": {"connections": 12, "samples": 72000, "wrong_answers": 0},
                   "slow control of feb-0": {"connections": 160, "accesses": 70000, "bursts": 10, "messages": 160, "wrong_answers": 0}}}
RESULT = {"duration_s": 7200.5, "checks": [{"name": "bytes_wrong", "held": True}], "changes": [],
          "boards": [{"qps": [{"messages_completed": 5000}, {"made_by": "bus", "messages_completed": 160}]}],
          "lab": {"figures": {"conservation": [{"left_is": "entered", "left": 17, "right_is": "delivered", "right": 17}],
                              "totals": dict.fromkeys(("packets", "retransmitted", "messages_completed", "messages_failed", "ecn_marked",
                                                       "cnp_tx", "bytes_wrong"), 4)},
                  "network": dict.fromkeys(("dropped_fault", "duplicated", "corrupted", "reordered"), 5)}}


class Verdicts(unittest.TestCase):
    """Tests a run without faults, and each way in which a run can fail."""

    def setUp(self):
        self.run, self.result = copy.deepcopy(RUN), copy.deepcopy(RESULT)

    def failed(self, recorded=None):
        return [c.what for c in verdict.judge(self.run, samples() if recorded is None else recorded, self.result) if not c.held]

    def assert_fails(self, pattern, recorded=None):
        failed = self.failed(recorded)
        self.assertEqual(len(failed), 1, failed)
        self.assertRegex(failed[0], pattern)

    def test_a_run_that_is_well(self):
        self.assertEqual(self.failed(), [])

    def test_memory_that_grows(self):
        def leak(per_hour):
            return samples(rss=lambda t: 100 * MIB * (1 + per_hour * t / 3600))
        # The medians of the second and of the last tenth of the run are 8/10 of the run apart, which is 1.6
        # hours.
        self.assertEqual(self.failed(leak(0.006)), [])
        self.assertEqual(len(self.failed(leak(0.0065))), 2)

    def test_memory_of_the_warm_up_and_short_peaks_do_not_count(self):
        self.assertEqual(self.failed(samples(rss=lambda t: (100 if t >= 700 else 60) * MIB)), [])
        self.assertEqual(self.failed(samples(rss=lambda t: (130 if t % 600 == 0 else 100) * MIB)), [])

    def test_the_memory_of_a_short_run_is_inconclusive(self):
        self.run["seconds"] = 3599.0
        self.assertEqual([c.held for c in verdict.judge(self.run, samples(), self.result) if "memory" in c.what], [None, None])
        self.run["kind"] = "virtual"  # in a virtual run, no client opens the page
        self.assertEqual(self.failed(), [])

    def test_memory_that_shrinks_is_not_flat(self):
        self.assertEqual(len(self.failed(samples(rss=lambda t: (100 if t < 5000 else 98) * MIB))), 2)

    def test_descriptors_and_threads(self):
        self.assert_fails("file descriptors", samples(descriptors=lambda t: 23 + (t > 4000)))
        self.assertEqual(self.failed(samples(descriptors=lambda t: 23 - (t < 600))), [])
        grown = samples()
        grown[-1].threads = 4
        self.assert_fails("threads", grown)

    def test_counters(self):
        self.run["counters"]["wrong"] = ["70 s: x went back from 2 to 1"]
        self.assert_fails("counters")
        self.run["counters"].update(wrong=[], readings=1)
        self.assert_fails("counters")

    def test_packets_that_are_not_accounted_for(self):
        self.result["lab"]["figures"]["conservation"][0]["right"] = 16
        self.assert_fails("entered = delivered")

    def test_checks_of_softfeb(self):
        self.result["checks"][0]["held"] = False
        self.assert_fails("softfeb's own checks")

    def test_a_result_without_accounts(self):
        self.result["lab"]["figures"]["conservation"] = []
        self.assert_fails("softfeb's own checks")

    def test_clients(self):
        self.run["clients"]["slow control of feb-0"]["wrong_answers"] = 1
        self.assert_fails("wrong answers")
        self.run = copy.deepcopy(RUN)
        self.result["boards"][0]["qps"][1]["messages_completed"] = 159
        self.assert_fails("messages of bursts")

    def test_the_end(self):
        self.run["status"] = 1
        self.assert_fails("ended as asked")
        self.run.update(status=0, ended_early=True)
        self.assert_fails("ended as asked")

    def test_too_few_samples(self):
        self.assert_fails("samples", samples(last=80))


class Counters(unittest.TestCase):
    TEXT = """# HELP a_total A.
# TYPE a_total counter
a_total{board="x"} 5
# TYPE level gauge
level 9
# TYPE times summary
times{quantile="0.5"} 3
times_sum 12.5
times_count 4
"""

    def wrong(self, *changes):
        found = counters.Counters()
        found.read(self.TEXT, 0)
        text = self.TEXT
        for old, new in changes:
            text = text.replace(old, new)
        found.read(text, 10)
        self.assertEqual(found.watched, 3)
        return found.wrong

    def test_what_may_go_back(self):
        self.assertEqual(self.wrong(("level 9", "level 8"), ('"0.5"} 3', '"0.5"} 2')), [])
        self.assertEqual(self.wrong(("} 5", "} 6"), ("12.5", "12.5"), ("count 4", "count 5")), [])

    def test_what_may_not(self):
        self.assertEqual(self.wrong(("} 5", "} 4")), ['10 s: a_total{board="x"} went back from 5 to 4'])
        self.assertEqual(self.wrong(("times_sum 12.5", "times_sum 12.4")), ["10 s: times_sum went back from 12.5 to 12.4"])
        self.assertEqual(self.wrong(("times_count 4\n", "")), ["10 s: times_count disappeared"])

    def test_total(self):
        values, _ = counters.parse('a{b="1"} 2\na{b="2"} 3\nab 7\n')
        self.assertEqual(counters.total(values, "a"), 5)


class Samples(unittest.TestCase):
    def test_of_a_process(self):
        child = subprocess.Popen([sys.executable, "-c", "x = bytearray(50 << 20); print(1, flush=True); import sys; sys.stdin.read()"],
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        with child:
            child.stdout.readline()
            row = process.sample(child.pid, 0)
        self.assertTrue(50 * MIB < row.anonymous < row.rss < 90 * MIB, row)
        self.assertTrue(row.pss <= row.rss)
        self.assertEqual((row.descriptors, row.threads), (3, 1))
        with self.assertRaises(OSError):
            process.sample(child.pid, 0)

    def test_a_file_of_samples(self):
        with tempfile.TemporaryDirectory() as folder:
            record = process.Record(Path(folder) / "samples.csv")
            for row in samples(last=50):
                record.add(row)
            # the samples can be read before the file is closed
            self.assertEqual(process.load(Path(folder) / "samples.csv"), samples(last=50))
            record.close()

    def test_progress_of_a_run_in_virtual_time(self):
        line = "{} s      0.0078 Mpps      0.236 Gb/s payload  98 messages  3 retransmitted  5 CNPs  longest queue 8 KiB\n"
        with tempfile.TemporaryDirectory() as folder:
            log, row = Path(folder) / "softfeb.log", SimpleNamespace()
            log.write_text(line.format("    9.5") + line.format("86399.9"))
            virtual.read(row, log)
        self.assertEqual((row.progress, row.retransmitted), (86399.9, 3))


class Changes(unittest.TestCase):
    def test_they_last_as_long_as_the_run(self):
        for made, seconds in ((real.changes(7200), 7200), (virtual.changes(86400), 86400)):
            times = [int(c["at"].rstrip("s")) for c in made]
            self.assertEqual(times, sorted(times))
            self.assertTrue(seconds * 0.95 < times[-1] < seconds and times[0] < seconds / 10, times)


class Page(unittest.TestCase):
    def recorded(self):
        found = document.Recorded.__new__(document.Recorded)
        found.run, found.samples, found.result = RUN, samples(), RESULT
        found.checks = list(verdict.judge(RUN, found.samples, RESULT))
        return found

    def test_only_the_section_is_replaced(self):
        try:
            import matplotlib  # noqa: F401
            from PIL import Image
        except ImportError as missing:
            self.skipTest(str(missing))
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            page, images = folder / "soak.md", folder / "images"
            images.mkdir()
            page.write_text("# Soak\n\nBefore.\n\n## Figures\n\nOld.\n\n### Older\n\n## Findings\n\nAfter.\n")
            document.write([self.recorded()], page, images)
            text = page.read_text()
            self.assertRegex(text, r"(?s)^# Soak\n\nBefore.\n\n## Figures\n.*\| duration \| 2 h 00 min \|.*\n\n## Findings\n\nAfter.\n$")
            self.assertNotIn("Old", text)
            with Image.open(images / "soak-real.png") as picture:
                self.assertEqual(picture.width, 1200)
            with mock.patch("long_runs.pictures.save"):
                document.write([self.recorded()], page, images)
            self.assertEqual(page.read_text(), text)
            page.write_text("# Soak\n")
            with self.assertRaisesRegex(ValueError, "fix: add the heading"):
                document.write([self.recorded()], page, images)


class Usage(unittest.TestCase):
    def soak(self, *args):
        return subprocess.run([ROOT / "tools/soak", *args], capture_output=True, text=True)

    def test_errors(self):
        for args, text in (((), "COMMAND"), (("real",), "--out"), (("real", "--out", "x", "--hours", "-1"), "not a number above 0"),
                           (("virtual", "--out", "x", "--softfeb", "/nowhere"), "fix: compile"), (("judge", "/nowhere"), "no record")):
            with self.subTest(args):
                done = self.soak(*args)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(text, done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
