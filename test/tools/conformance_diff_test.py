# SPDX-License-Identifier: BSD-3-Clause
"""Tests what tools/conformance-diff lists, and that it refuses files that are not results."""

import json
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

DIFF = Path(__file__).resolve().parents[2] / "tools/conformance-diff"


def case(case_id, verdict="pass", reason=None, **figures):
    return {"id": case_id, "title": "Gap", "verdict": verdict, **({"reason": reason} if reason else {}),
            "figures": [{"name": name, "value": value, "unit": "s"} for name, value in figures.items()]}


def result(*cases, **keys):
    return {"schema_version": 1, "target": "own:", "profile": "own", "device": {"name": "softfeb", "mac": "02:00:00:00:00:02"},
            "cases": list(cases), **keys}


class Diff(unittest.TestCase):
    def setUp(self):
        self.dir = Path(tempfile.mkdtemp(prefix="softfeb-diff-"))
        self.addCleanup(shutil.rmtree, self.dir)

    def run_diff(self, *args):
        done = subprocess.run([DIFF, *args], cwd=self.dir, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        self.assertNotIn("Traceback", done.stderr)
        return done

    def diff(self, old, new, *args):
        """Returns the lines that the tool prints. The exit status must agree with the number of changes in
        the last line."""
        for name, value in (("a.json", old), ("b.json", new)):
            (self.dir / name).write_text(json.dumps(value))
        done = self.run_diff("a.json", "b.json", *args)
        *lines, last = done.stdout.splitlines()
        changes = len([line for line in lines if not line.startswith(("note:", "same "))])
        self.assertEqual(last, f"{changes} change{'' if changes == 1 else 's'}")
        self.assertEqual((done.returncode, done.stderr), (1 if changes else 0, ""))
        return lines

    def refused(self, text, words):
        (self.dir / "good.json").write_text(json.dumps(result()))
        (self.dir / "bad.json").write_text(text)
        for args in (["bad.json", "good.json"], ["good.json", "bad.json"]):
            done = self.run_diff(*args)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertTrue(done.stderr.startswith("conformance-diff: ") and words in done.stderr and "; fix: " in done.stderr, done.stderr)

    def test_equal_results(self):
        same = result(case("PSN-04"), case("ACK-09", "measured", p99=1e-5))
        self.assertEqual(self.diff(same, same), [])
        self.assertEqual(self.diff(same, same, "--all"), ["same   PSN-04 Gap: pass", "same   ACK-09 Gap: measured"])

    def test_verdicts(self):
        old = result(case("PSN-01"), case("PSN-02", "fail"), case("PSN-03", "not applicable"), case("PSN-04", "inconclusive"))
        new = result(case("PSN-01", "fail", "no answer"), case("PSN-02", "known deviation", "as listed"), case("PSN-03"), case("PSN-04"))
        self.assertEqual(self.diff(old, new), ["worse  PSN-01 Gap: pass -> fail (no answer)",
                                               "better PSN-02 Gap: fail -> known deviation (as listed)",
                                               "other  PSN-03 Gap: not applicable -> pass",
                                               "better PSN-04 Gap: inconclusive -> pass"])

    def test_cases_that_one_result_lacks(self):
        old, new = result(case("PSN-01"), case("PSN-02", "fail")), result(case("PSN-02", "fail"), case("PSN-03"))
        self.assertEqual(self.diff(old, new), ["gone   PSN-01 Gap: pass", "added  PSN-03 Gap: pass"])

    def test_figures_beyond_noise(self):
        def measured(value):
            return result(case("ACK-09", "measured", p99=value))
        self.assertEqual(self.diff(measured(100), measured(124)), [])
        self.assertEqual(self.diff(measured(100), measured(126)), ["figure ACK-09 p99: 100 -> 126 s (+26%)"])
        self.assertEqual(self.diff(measured(126), measured(100)), ["figure ACK-09 p99: 126 -> 100 s (-21%)"])
        self.assertEqual(self.diff(measured(100), measured(103), "--noise", "2"), ["figure ACK-09 p99: 100 -> 103 s (+3%)"])
        self.assertEqual(self.diff(measured(0), measured(0)), [])
        self.assertEqual(self.diff(measured(0), measured(48)), ["figure ACK-09 p99: 0 -> 48 s"])
        self.assertEqual(self.diff(measured(1), result(case("ACK-09", "measured", p50=1))), ["figure ACK-09 p50: new", "figure ACK-09 p99: gone"])

    def test_other_runs_are_noted(self):
        new = result(target="sink://h", profile="iba", device={"name": "rxe0", "mac": "02:00:00:00:00:03"})
        lines = self.diff(result(), new)
        self.assertEqual(lines[:2], ["note: the target differs: own: -> sink://h", "note: the profile differs: own -> iba"])
        self.assertIn("note: the device differs: ", lines[2])
        # A different MAC address alone does not count as a different device.
        self.assertEqual(self.diff(result(), result(device={"name": "softfeb", "mac": "02:00:00:00:00:09"})), [])

    def test_files_that_are_no_results(self):
        self.refused("{", "bad.json is not JSON")
        self.refused("[" * 100_000, "bad.json is not JSON")
        self.refused("\x00\xff", "bad.json is not JSON")
        self.refused("[]", "bad.json is no result of softfeb conformance")
        self.refused('{"cases": {}}', "bad.json is no result of softfeb conformance")
        self.refused(json.dumps(result(schema_version=2)), "bad.json has schema_version 2, not 1")
        self.refused(json.dumps(result({"id": "PSN-01"})), "bad.json has a case without id, title or verdict")
        self.refused(json.dumps(result(None)), "bad.json has a case without")
        self.refused(json.dumps(result({**case("A-1"), "figures": [{"name": "p", "value": "x"}]})), "bad.json: A-1 has a figure without")
        self.refused(json.dumps(result({**case("A-1"), "figures": 3})), "bad.json: A-1 has a figure without")

    def test_usage(self):
        done = self.run_diff("absent.json", "absent.json")
        self.assertEqual((done.returncode, done.stderr),
                         (2, "conformance-diff: cannot read absent.json: No such file or directory; fix: name a result.json\n"))
        self.assertEqual(self.run_diff("one.json").returncode, 2)
        self.assertIn("x is not a percentage", self.run_diff("a", "b", "--noise", "x").stderr)
        self.assertIn("101 is not a percentage", self.run_diff("a", "b", "--noise", "101").stderr)


if __name__ == "__main__":
    unittest.main()
