# SPDX-License-Identifier: BSD-3-Clause
"""Tests tools/bench-compare with made-up results."""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools" / "bench-compare"


def craft(runs, **more):
    return {"benchmark": "craft", "median_mpps": sorted(runs)[len(runs) // 2], "min_mpps": min(runs),
            "max_mpps": max(runs), "runs": runs, "machine": {"cpu": "A"}, **more}


class Compare(unittest.TestCase):
    def compare(self, old, new, *options):
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for name, content in (("old", old), ("new", new)):
                path = Path(folder) / f"{name}.json"
                path.write_text(content if isinstance(content, str) else json.dumps(content))
                paths.append(str(path))
            return subprocess.run([sys.executable, str(TOOL), *paths, *options], capture_output=True, text=True,
                                  check=False)

    def test_noise_is_not_told(self):
        r = self.compare(craft([9.0, 9.5, 10.0, 10.5, 11.0]), craft([8.9, 9.3, 9.6, 10.4, 11.2]))
        self.assertEqual((r.returncode, r.stdout), (0, ""))
        r = self.compare(craft([9.0, 9.5, 10.0, 10.5, 11.0]), craft([8.9, 9.3, 9.6, 10.4, 11.2]), "--all")
        self.assertIn("noise", r.stdout)

    def test_faster(self):
        r = self.compare(craft([9.9, 10.0, 10.0, 10.0, 10.1]), craft([11.9, 12.0, 12.0, 12.0, 12.1]))
        self.assertEqual(r.returncode, 0)
        self.assertRegex(r.stdout, r"better +\+20\.0%  10 -> 12 .*median_mpps")

    def test_slower_beyond_the_limit_fails(self):
        old, new = craft([10.0] * 5), craft([9.0] * 5)
        r = self.compare(old, new)
        self.assertEqual(r.returncode, 1)
        self.assertRegex(r.stdout, r"worse! +-10\.0%")
        self.assertEqual(self.compare(old, new, "--limit", "15%").returncode, 0)

    def test_one_bad_run_is_noise(self):
        r = self.compare(craft([10.0] * 6 + [4.0]), craft([4.0] + [10.0] * 6))
        self.assertEqual((r.returncode, r.stdout), (0, ""))

    def test_times_are_better_when_they_are_less(self):
        old = {"benchmark": "reaction", "a": {"to_register_ns": {"p99": {"median": 900, "min": 890, "max": 910}}}}
        new = {"benchmark": "reaction", "a": {"to_register_ns": {"p99": {"median": 1500, "min": 1490, "max": 1510}}}}
        r = self.compare(old, new)
        self.assertEqual(r.returncode, 1)
        self.assertIn("a.to_register_ns.p99", r.stdout)
        self.assertIn("better", self.compare(new, old).stdout)

    def test_a_ratio_has_the_spread_of_its_runs(self):
        old = craft([10.0] * 5, ratio_to_bare=0.8, ratio_to_bare_runs=[0.7, 0.75, 0.8, 0.85, 0.9])
        new = craft([10.0] * 5, ratio_to_bare=0.72, ratio_to_bare_runs=[0.7, 0.71, 0.72, 0.75, 0.9])
        self.assertEqual(self.compare(old, new).stdout, "")
        new["ratio_to_bare"] = 0.5
        self.assertIn("ratio_to_bare", self.compare(old, new).stdout)

    def test_memory_has_no_noise(self):
        r = self.compare(craft([10.0] * 5, bytes_per_qp=900.0), craft([10.0] * 5, bytes_per_qp=1000.0))
        self.assertEqual(r.returncode, 1)

    def test_missing_figures_and_other_machines_are_told(self):
        old, new = craft([10.0] * 5, bare=craft([12.0] * 5)), craft([10.0] * 5, bytes_per_qp=1.0)
        new["machine"] = {"cpu": "B"}
        r = self.compare(old, new)
        self.assertEqual(r.returncode, 0)
        self.assertIn("only in the old result: bare.median_mpps", r.stdout)
        self.assertIn("only in the new result: bytes_per_qp", r.stdout)
        self.assertIn("machine differs: cpu A -> B", r.stdout)

    def test_what_is_no_result_is_refused(self):
        for bad in ("", "[]", "{}"):
            r = self.compare(craft([10.0] * 5), bad)
            self.assertEqual(r.returncode, 2)
            self.assertIn("softfeb-bench --json", r.stderr)
        self.assertEqual(self.compare(craft([1.0]), {"benchmark": "srp"}).returncode, 2)
        self.assertEqual(self.compare(craft([1.0]), craft([1.0]), "--limit", "200").returncode, 2)


if __name__ == "__main__":
    unittest.main()
