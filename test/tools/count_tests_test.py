# SPDX-License-Identifier: BSD-3-Clause
"""Tests what tools/count-tests counts, and how the tool handles a log that another run of meson has truncated."""

import json
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

COUNT = Path(__file__).resolve().parents[2] / "tools/count-tests"


def record(name, result="OK", suite="unit"):
    return json.dumps({"name": f"softfeb:{suite} / {name}", "stdout": "é" * 50, "result": result})


class Count(unittest.TestCase):
    def setUp(self):
        self.build = Path(tempfile.mkdtemp(prefix="softfeb-count-"))
        self.addCleanup(shutil.rmtree, self.build)
        (self.build / "meson-logs").mkdir()
        (self.build / "meson-info").mkdir()
        self.register("base", "roce", "lab")

    def register(self, *names):
        tests = [{"name": n, "suite": ["softfeb:unit"]} for n in names]
        (self.build / "meson-info/intro-tests.json").write_text(json.dumps(tests))

    def log(self, text, name="testlog.json"):
        (self.build / "meson-logs" / name).write_bytes(text.encode())

    def count(self, status, last, *args):
        done = subprocess.run([COUNT, *args, self.build], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        self.assertNotIn("Traceback", done.stderr)
        self.assertEqual((done.returncode, done.stdout.splitlines()[-1]), (status, last), done.stdout + done.stderr)
        return done.stdout

    def lines(self, *records):
        return "".join(r + "\n" for r in records)

    def test_green(self):
        self.log(self.lines(record("base"), record("roce")))
        self.log(self.lines(record("lab")), "fuzzlog-background.json")
        self.count(0, "3 passed, 0 failed")

    def test_failed_skipped_and_broken_builds(self):
        self.log(self.lines(record("base"), record("roce", "TIMEOUT"), record("lab", "SKIP")))
        said = self.count(1, "1 passed, 2 failed, 1 skipped", "--broken-builds", "1")
        self.assertIn("failed: softfeb:unit / roce (TIMEOUT)", said)

    def test_test_without_a_result(self):
        self.log(self.lines(record("base"), record("lab")))
        self.assertIn("1 tests left no result", self.count(1, "2 passed, 1 failed"))

    def test_suites_that_were_not_run_on_purpose(self):
        self.log(self.lines(record("base"), record("roce")))
        tests = [{"name": n, "suite": ["softfeb:unit"]} for n in ("base", "roce")] + [{"name": "units", "suite": ["softfeb:systemd"]}]
        (self.build / "meson-info/intro-tests.json").write_text(json.dumps(tests))
        self.count(0, "2 passed, 0 failed", "--without-suite", "systemd")
        self.count(1, "2 passed, 1 failed", "--without-suite", "packages")
        self.count(0, "2 passed, 0 failed", "--suite", "unit")
        self.count(1, "2 passed, 1 failed", "--suite", "unit", "--suite", "systemd")

    def test_record_cut_off(self):
        whole = self.lines(record("base"), record("roce"), record("lab"))
        for cut in (1, 20, 40, 100):  # some cuts split a UTF-8 character
            with self.subTest(cut=cut):
                self.log("")
                (self.build / "meson-logs/testlog.json").write_bytes(whole.encode()[:-1 - cut])
                said = self.count(1, "2 passed, 1 failed")
                self.assertIn("testlog.json:3: incomplete record (1 in all): another run of meson", said)

    def test_hole_where_another_run_truncated_the_log(self):
        self.log("\0" * 300 + record("lab") + "\n")
        self.count(1, "0 passed, 3 failed")

    def test_all_results_and_part_of_another_run(self):
        self.log(self.lines(record("base"), record("roce"), record("lab")) + record("base")[:30])
        self.count(1, "3 passed, 1 failed")

    def test_results_of_another_run_do_not_stand_for_missing_ones(self):
        self.log(self.lines(record("base"), record("base"), record("lab")))
        self.count(1, "2 passed, 1 failed")

    def test_a_failure_is_not_hidden_by_another_run(self):
        self.log(self.lines(record("base"), record("roce", "FAIL"), record("roce"), record("lab")))
        self.count(1, "2 passed, 1 failed")

    def test_two_tests_of_one_name(self):
        tests = [{"name": "dcqcn", "suite": ["softfeb:unit"]}, {"name": "dcqcn", "suite": ["softfeb:vectors"]}]
        (self.build / "meson-info/intro-tests.json").write_text(json.dumps(tests))
        self.log(self.lines(record("dcqcn"), record("dcqcn", suite="vectors")))
        self.count(0, "2 passed, 0 failed")
        self.log(self.lines(record("dcqcn")))
        self.count(1, "1 passed, 1 failed")

    def test_lines_that_are_no_records(self):
        self.log(self.lines(record("base"), record("roce"), record("lab"), "17", "null", '{"name": "base"}', "[]"))
        said = self.count(1, "3 passed, 1 failed")
        self.assertIn("testlog.json:4: incomplete record (4 in all)", said)

    def test_log_that_went_away(self):
        (self.build / "meson-logs/testlog.json").symlink_to(self.build / "gone")
        self.assertIn("testlog.json: No such file", self.count(1, "0 passed, 3 failed"))

    def test_nothing_ran(self):
        self.count(1, "0 passed, 3 failed")
        shutil.rmtree(self.build / "meson-info")
        self.count(1, "0 passed, 1 failed")

    def test_list_of_tests_cut_off(self):
        self.log(self.lines(record("base")))
        (self.build / "meson-info/intro-tests.json").write_text('[{"name": "ba')
        self.assertIn("fix: meson setup --reconfigure", self.count(1, "1 passed, 1 failed"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
