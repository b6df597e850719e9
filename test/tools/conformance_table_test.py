# SPDX-License-Identifier: BSD-3-Clause
"""Tests what tools/conformance-table counts, and which files it refuses."""

import json
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

TABLE = Path(__file__).resolve().parents[2] / "tools/conformance-table"
BEGIN = "<!-- begin: tools/conformance-table -->\n"
END = "<!-- end: tools/conformance-table -->\n"


class Table(unittest.TestCase):
    def setUp(self):
        self.dir = Path(tempfile.mkdtemp(prefix="softfeb-table-"))
        self.addCleanup(shutil.rmtree, self.dir)

    def result(self, *cases):
        path = self.dir / "result.json"
        found = [{"id": f"PSN-{k}", "verdict": verdict, **({"reason": why} if why else {})} for k, (verdict, why) in enumerate(cases)]
        path.write_text(json.dumps({"profile": "iba", "cases": found}))
        return path

    def run_table(self, *args, status=0):
        done = subprocess.run([TABLE, *map(str, args)], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        self.assertNotIn("Traceback", done.stderr)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout if status == 0 else done.stderr

    def test_counts(self):
        path = self.result(("pass", ""), ("fail", "no answer"), ("not applicable", "no SEND"), ("not applicable", "no VLAN"),
                           ("not applicable", "no SEND"), ("known deviation", "x"), ("inconclusive", "y"), ("measured", ""))
        last = self.run_table(f"sink://={path}").splitlines()[-1]
        self.assertEqual(last, "| `sink://` | `iba` | 8 | 5 | 2: no SEND; 1: no VLAN |")

    def test_update_replaces_only_the_table(self):
        page = self.dir / "page.md"
        page.write_text(f"before\n{BEGIN}old\n{END}after\n")
        self.run_table(f"own={self.result(('pass', ''))}", "--update", page)
        text = page.read_text()
        self.assertTrue(text.startswith(f"before\n{BEGIN}| target |") and text.endswith(f"{END}after\n"), text)
        self.assertIn("| `own` | `iba` | 1 | 1 |  |\n", text)
        self.assertNotIn("old", text)

    def test_refused(self):
        good = self.result(("pass", ""))
        page = self.dir / "page.md"
        page.write_text("no markers\n")
        self.assertIn("marker lines", self.run_table(f"a={good}", "--update", page, status=2))
        self.assertEqual(page.read_text(), "no markers\n")
        self.assertIn("NAME=RESULT", self.run_table(good, status=2))
        self.assertIn("No such file", self.run_table(f"a={self.dir}/missing", status=2))
        self.assertIn("1 cases did not run", self.run_table(f"a={self.result(('pass', ''), ('not run', 'z'))}", status=2))
        for text in ("", "[]", '{"cases": []}', '{"profile": "iba", "cases": [1]}'):
            good.write_text(text)
            self.assertIn("not a result", self.run_table(f"a={good}", status=2))


if __name__ == "__main__":
    unittest.main()
