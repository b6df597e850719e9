# SPDX-License-Identifier: BSD-3-Clause
"""Tests `softfeb switch-test` on the simulated switches of conf/switch-test. Checks figures, exit status,
messages and the files of the report."""

import json
import re
import xml.etree.ElementTree

import harness

SETS = harness.CONF / "switch-test"
STATUSES = {"measured", "bounded", "absent", "unresolvable", "inconclusive"}


class SwitchTest(harness.TestCase):
    def measure(self, *args, status=0):
        run = harness.Softfeb(["switch-test", "--json", "result.json", *map(str, args)], self.dir, self.dir / "result.json").finish()
        self.assertEqual(run.status, status, run.err[-3000:] + run.out[-3000:])
        return run

    def quick(self, name, *args, status=0):
        return self.measure("-c", SETS / f"{name}.yaml", "--profile", "quick", *args, status=status)

    def test_every_switch_is_what_its_file_says(self):
        names = sorted(p.stem for p in SETS.glob("v*.yaml"))
        self.assertEqual(names, sorted(p.stem for p in (SETS / "expect").iterdir()))
        self.assertEqual(len(names), 7)
        for name in names:
            with self.subTest(name):
                run = self.quick(name, "--expect", SETS / "expect" / f"{name}.yaml", "--strict")
                self.assertIn("\nheld: ", run.err)
                self.assertGreater(len(run.result["expectations"]), 10)
                for test in run.result["tests"]:
                    self.assertEqual(test["status"], "measured", test["name"])
                    self.assertLessEqual({f["status"] for f in test["figures"]}, STATUSES)
                    for figure in test["figures"]:
                        # A figure has a value, a text, or a reason why it has none.
                        self.assertTrue(figure.get("value") is not None or figure.get("text") or figure.get("reason"), figure)

    def test_a_switch_is_not_another(self):
        """If the expectations were made for a different switch than the tested one, exactly those
        expectations fail in which the two switches differ."""
        run = self.quick("v1-plain", "--expect", SETS / "expect/v2-port-limit.yaml", "--only", "ecn,incast", status=1)
        tests = {t["name"]: t["figures"] for t in run.result["tests"]}
        failed = {(v["test"], tests[v["test"]][v["figure"]]["name"]) for v in run.result["verdicts"] if v["outcome"] == "failed"}
        self.assertLessEqual({("ecn", "kmin_bytes"), ("ecn", "kmax_bytes"), ("incast", "frames_lossless")}, failed)
        self.assertIn("\nfailed: ", run.err)

    def test_the_same_run_gives_the_same_figures(self):
        first, second = (self.quick("v3-dynamic", "--only", "ecn,incast").result["tests"] for _ in range(2))
        self.assertEqual(first, second)

    def test_report(self):
        run = self.quick("v4-lossless", "--only", "dscp,latency,ecn", "--report", "out", "--junit", "junit.xml")
        self.assertEqual(sorted(p.name for p in (self.dir / "out").iterdir()),
                         ["datasheet.html", "index.html", "junit.xml", "result.json"])
        self.assertEqual(json.loads((self.dir / "out/result.json").read_text())["tests"], run.result["tests"])
        self.assertEqual((self.dir / "out/junit.xml").read_text(), (self.dir / "junit.xml").read_text())
        suites = xml.etree.ElementTree.parse(self.dir / "junit.xml").getroot()
        self.assertEqual({s.get("name").partition(":")[0] for s in suites.iter("testsuite")}, {"preflight", "dscp", "latency", "ecn"})
        for page in "index.html", "datasheet.html":
            text = (self.dir / "out" / page).read_text()
            self.assertIn("simulated switch", text)
            self.assertIn("kmin", text.lower())
            # the page loads nothing from the network
            self.assertNotIn("http:", text.replace("http://www.w3.org", ""))

    def test_a_measured_switch_goes_to_the_lab(self):
        """The file that --as-lab writes describes the same switch as the original file. This switch can be
        measured again, and boards can send through it."""
        tests = ["--only", "dscp,latency,buffer,ecn,xoff,scheduler"]
        first = self.quick("v4-lossless", *tests, "--as-lab", "tor.yaml").result["tests"]
        text = (self.dir / "tor.yaml").read_text()
        for key in "buffer: 4MiB ", "xoff: 256KiB ", "xon: 192KiB ", "kmin: 40KiB ", "dscp_to_queue: {26: 3, 48: 6} ", "delay: 500ns,":
            self.assertIn(key, text)
        again = self.measure("-c", "tor.yaml", *tests, "--as-lab", "again.yaml").result["tests"]
        values = [[(f["name"], f.get("value"), f.get("text")) for t in run for f in t["figures"]] for run in (first, again)]
        self.assertEqual(*values)
        # skip the first line, which contains the date
        self.assertEqual(text.split("\n", 1)[1], (self.dir / "again.yaml").read_text().split("\n", 1)[1])
        # Run the example in the comment at the beginning of tor.yaml.
        example = re.search(r"(?ms)^#     base: .*?^#       receivers: [^\n]*", text).group().replace("THIS_FILE", "tor.yaml")
        (self.dir / "experiment.yaml").write_text(re.sub(r"(?m)^#     ", "", example) + "\n")
        run = harness.Softfeb(["lab", "-c", "experiment.yaml", "--virtual"], self.dir).finish()
        self.assertEqual(run.status, 0, run.err[-3000:])

    def test_tests_that_need_more_ports(self):
        run = self.quick("v4-lossless", "--only", "dscp,incast", "--set", "switch_test.map={A: p0, D: p3}",
                         "--set", "network.links=[{ends: [p0, dut], rate: 10Gb/s, delay: 500ns, flow_control: pfc}, "
                         "{ends: [p3, dut], rate: 10Gb/s, delay: 500ns, flow_control: pfc}]")
        status = {t["name"]: t["status"] for t in run.result["tests"]}
        self.assertEqual((status["dscp"], status["incast"]), ("measured", "unresolvable"))

    def test_list(self):
        run = self.measure("--list")
        for name in "dscp", "throughput", "ecn", "dcqcn", "soak":
            self.assertRegex(run.out, rf"(?m)^{name} +\d\+ ports  \w")

    def test_bad_input(self):
        (self.dir / "wrong.yaml").write_text("dscp.queues: 3\nnosuch.thing: 1\n")
        for args, message in [
            ([], r"-c is missing; fix: softfeb switch-test -c"),
            (["-c", "none.yaml"], r"none\.yaml.*; fix: "),
            (["-c", SETS / "v1-plain.yaml", "--only", "dcsp"], r'--only: there is no test "dcsp"; fix: '),
            (["-c", SETS / "v1-plain.yaml", "--profile", "fast"], r'switch_test\.profile: unknown value "fast"; fix: '),
            (["-c", SETS / "v1-plain.yaml", "--expect", "wrong.yaml"], r'wrong\.yaml:2: nosuch\.thing: there is no test "nosuch"; fix: '),
            (["-c", SETS / "v1-plain.yaml", "--set", "switch_test.dscp=64"], r"--set switch_test\.dscp: 64 is out of range; fix: "),
            (["-c", SETS / "v1-plain.yaml", "--set", "switch_test.map.D=p9"], r'v1-plain\.yaml:\d+: .*"p3"; fix: '),
            (["-c", SETS / "v1-plain.yaml", "--set", "switch_test.map.D=p0"], r'port "p0" is named twice; fix: '),
            (["-c", SETS / "ports.yaml", "--set", "switch_test.map.D=p4"], r'no port "p4"; fix: '),
            (["-c", harness.CONF / "board.yaml"], r"board\.yaml:\d+: `switch_test` is missing; fix: "),
        ]:
            with self.subTest(message):
                run = self.measure(*args, status=2)
                self.assertRegex(run.err, message)
                self.assertFalse((self.dir / "result.json").exists())


if __name__ == "__main__":
    harness.main()
