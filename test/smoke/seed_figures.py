# SPDX-License-Identifier: BSD-3-Clause
"""Runs tools/seed-figures on two short experiments only, because the whole table takes minutes."""

import re
import subprocess
import sys

import harness

TOOL = harness.ROOT / "tools/seed-figures"
PAGE = harness.ROOT / "doc/seed-figures.md"

sys.path.insert(0, str(harness.ROOT / "tools"))
from seed_figures import rows  # noqa: E402


class SeedFigures(harness.TestCase):
    def run_tool(self, *args):
        return subprocess.run([TOOL, "--softfeb", harness.SOFTFEB, *args], capture_output=True, text=True, timeout=harness.LIMIT,
                              stdin=subprocess.DEVNULL)

    def test_two_files(self):
        before = PAGE.read_text()
        done = self.run_tool("--only", "seed000-latency", "--only", "seed003-latency")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        lines = [line for line in done.stdout.splitlines() if line.endswith("| yes |")]
        self.assertEqual(len(lines), 4, done.stdout)
        self.assertIn("| 5.23, 4.21 | 5.23, 4.21 |", done.stdout)
        self.assertIn("4 of 4 figures", done.stdout)
        self.assertEqual(PAGE.read_text(), before)

    def test_an_unknown_file_is_refused(self):
        done = self.run_tool("--only", "seed999")
        self.assertEqual(done.returncode, 2)
        self.assertIn("fix: use one of", done.stderr)

    def test_a_figure_that_is_not_reached(self):
        row = rows.Row("system", "name", "file", (10.0,), "1 %", lambda results: results, ())
        self.assertTrue(row.holds(10.1, 10.0))
        self.assertFalse(row.holds(10.2, 10.0))
        self.assertFalse(row.holds(9.8, 10.0))

    def test_the_page_has_every_figure(self):
        page = PAGE.read_text()
        for row in rows.ROWS:
            self.assertIn(f"| {row.name} | `{row.file}` |", page)
        self.assertEqual(len(re.findall(r"\| (?:yes|\*\*no\*\*) \|$", page, re.M)), len(rows.ROWS), "fix: run tools/seed-figures")


if __name__ == "__main__":
    harness.main()
