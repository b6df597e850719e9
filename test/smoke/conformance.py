# SPDX-License-Identifier: BSD-3-Clause
"""Tests `softfeb conformance` against softfeb's own receiver, in virtual time and over a ring. Checks exit
status, messages and the files of the report."""

import filecmp
import json
import shutil
import signal
import subprocess
import unittest
import xml.etree.ElementTree

import harness
import yaml

OWN = harness.CONF / "conformance-own.yaml"
# With this profile, softfeb's receiver fails LEN-10, because it checks the length before the bounds.
FAILING = "name: failing\nbase: own\norders: {bounds_before_length: true}\n"
# The time windows are long, because softfeb may not get a CPU for some milliseconds on a busy machine.
PATIENT = "name: patient\nbase: own\ntiming: {t_ack: 50ms, silence: 150ms}\n"
# In these cases, tshark does not decode some packets as the test would. The packets are corrupted, truncated
# or of another protocol.
SPOILT = {"CRC-11", "CRC-14", "LEN-24", "LEN-27", "NET-05", "NET-11", "NET-12", "NET-24", "OPS-13"}
VERDICTS = {"pass", "fail", "known deviation", "inconclusive", "not applicable", "measured", "not run"}


class Conformance(harness.TestCase):
    def start(self, *args):
        return harness.Softfeb(["conformance", *args], self.dir, self.dir / "out/result.json")

    def conformance(self, *args, status=0):
        run = self.start(*args, *([] if "--out" in args or "--json" in args else ["--out", "out"])).finish()
        self.assertEqual(run.status, status, run.err[-3000:] + run.out[-3000:])
        return run

    def file(self, name, text):
        (self.dir / name).write_text(text)
        return name

    def verdicts(self, run):
        return {c["id"]: c["verdict"] for c in run.result["cases"]}

    def silent(self, **board):
        """Returns a configuration that lists a queue pair, and whose port never receives an answer."""
        return str(self.config({
            "run": {"connect_timeout": "1s"},
            "eal": {"hugepages": "no"},
            "ports": [{"name": "feb", "device": "net_null"}],
            "boards": [{"name": "feb0", "port": "feb", "ip": "10.0.0.1/24", **board}],
            "conformance": {"ip": "10.0.0.2", "qps": [
                {"qpn": 0x12, "dest_qpn": 0x100, "psn": 0, "rkey": 0x1234, "address": 0x1000, "length": "64KiB"}]},
        }))

    # Runs that succeed

    def test_all_cases_pass_in_virtual_time(self):
        run = self.conformance()
        result = run.result
        self.assertEqual(result["schema_version"], 1)
        self.assertEqual((result["verdict"], result["target"], result["profile"]), ("pass", "own:virtual", "own"))
        self.assertGreater(result["totals"]["pass"], 200)
        self.assertEqual(result["totals"]["fail"] + result["totals"]["inconclusive"] + result["totals"]["not_run"], 0)
        self.assertEqual(run.out, "")
        self.assertRegex(run.err, r"(?m)^OTH  SEND, READ and atomic operations +\d+\.\d s  \d+ passed")
        self.assertIn(f"\npass: {len(result['cases'])} cases: {result['totals']['pass']} passed, ", run.err)
        self.assertTrue(run.err.endswith("page: out/index.html\n"), run.err)
        for case in result["cases"]:
            self.assertIn(case["verdict"], VERDICTS)
            for name in case["files"]:
                self.assertGreater((self.dir / "out" / name).stat().st_size, 100, name)
        self.assertEqual(sorted(p.name for p in (self.dir / "out").iterdir()),
                         ["cases", "config.yaml", "index.html", "junit.xml", "profile.yaml", "result.json"])
        self.check_junit(result)
        # The copies of the configuration and of the profile in the report folder suffice to repeat the run.
        again = self.conformance("-c", "out/config.yaml", "--profile", "out/profile.yaml", "--out", "again")
        self.assertIn("page: again/index.html", again.err)
        self.assertEqual(json.loads((self.dir / "again/result.json").read_text())["cases"], result["cases"])

    def check_junit(self, result):
        root = xml.etree.ElementTree.parse(self.dir / "out/junit.xml").getroot()
        self.assertEqual(root.tag, "testsuites")
        self.assertEqual(int(root.get("tests")), len(result["cases"]))
        self.assertEqual(int(root.get("failures")), result["totals"]["fail"])
        self.assertEqual(int(root.get("skipped")), result["totals"]["not_applicable"])
        names = [test.get("name").split()[0] for suite in root for test in suite]
        self.assertEqual(sorted(names), sorted(c["id"] for c in result["cases"]))

    def test_two_runs_in_virtual_time_give_the_same_bytes(self):
        self.conformance("--destructive")
        self.conformance("--destructive", "--out", "second")
        left, right = self.dir / "out", self.dir / "second"
        names = sorted(str(p.relative_to(left)) for p in left.rglob("*") if p.is_file())
        self.assertEqual(names, sorted(str(p.relative_to(right)) for p in right.rglob("*") if p.is_file()))
        self.assertEqual(filecmp.cmpfiles(left, right, names, shallow=False)[1:], ([], []))

    def test_a_ring(self):
        run = self.conformance("-c", str(OWN), "--cases", "BAS,PSN-09,NET-01,UC-09", "--attempts", "10",
                               "--profile", self.file("patient.yaml", PATIENT))
        verdicts = self.verdicts(run)
        self.assertEqual(run.result["target"], "own:")
        self.assertEqual({verdicts[case] for case in ("BAS-04", "PSN-09", "NET-01", "UC-09")}, {"pass"})
        # The receiver is the same as in virtual time, so it must send the same packets.
        self.conformance("--cases", "PSN-09", "--out", "virtual")
        virtual = json.loads((self.dir / "virtual/result.json").read_text())["cases"][0]["observed"]
        real = next(c for c in run.result["cases"] if c["id"] == "PSN-09")["observed"]
        self.assertEqual([(p["direction"], p["opcode"], p["comment"]) for p in real],
                         [(p["direction"], p["opcode"], p["comment"]) for p in virtual])

    def test_target_and_profile_on_the_command_line(self):
        run = self.conformance("-c", str(OWN), "--target", "own:virtual", "--profile", "iba", "--cases", "BAS")
        self.assertEqual((run.result["target"], run.result["profile"]), ("own:virtual", "iba"))

    def test_levels_and_exclusions(self):
        run = self.conformance("--cases", "PSN,UC-09,!PSN-04", "--level", "shall,should")
        self.assertEqual({c["level"] for c in run.result["cases"]}, {"shall", "should"})
        ids = set(self.verdicts(run))
        self.assertTrue({"PSN-01", "UC-09"} <= ids and "PSN-04" not in ids and "UC-01" not in ids, ids)

    def test_quick(self):
        quick, full = self.conformance("--quick"), self.conformance("--full")
        self.assertLess(len(quick.result["cases"]), len(full.result["cases"]))
        self.assertEqual({c["level"] for c in quick.result["cases"]}, {"shall"})

    def test_json_on_standard_output(self):
        run = self.conformance("--json", "-", "--cases", "BAS")
        self.assertEqual(json.loads(run.out)["verdict"], "pass")
        self.assertTrue(run.out.endswith("}\n") and not run.out.endswith("\n\n"))
        self.assertFalse((self.dir / "softfeb-conformance").exists())
        self.assertNotIn("page:", run.err)

    def test_the_default_folder(self):
        run = harness.Softfeb(["conformance", "--cases", "BAS-01"], self.dir).finish()
        self.assertEqual(run.status, 0, run.err)
        self.assertTrue((self.dir / "softfeb-conformance/index.html").exists())

    def test_quiet(self):
        self.assertEqual(self.conformance("-q", "--cases", "BAS").err, "")
        failed = self.conformance("-q", "--cases", "LEN", "--profile", self.file("failing.yaml", FAILING), status=1)
        self.assertTrue(failed.err.startswith("✗ LEN-10 "), failed.err)

    def test_list(self):
        run = self.conformance("--list", "--cases", "PSN,MEM", "--profile", "rxe-6.1")
        lines = {line.split()[0]: line for line in run.out.splitlines() if line.strip()}
        self.assertGreater(len(lines), 250)
        self.assertNotIn("(", lines["PSN-04"])
        self.assertIn("(", lines["UC-01"])
        self.assertFalse((self.dir / "out").exists())
        lacking = self.conformance("--list", "--profile", self.file("lacks.yaml", "name: x\nbase: own\nlacks: [sink]\n"))
        self.assertRegex(lacking.out, r"(?m)^  MEM-02 .*\(.*sink.*\)$")

    def test_explain(self):
        run = self.conformance("--explain", "LEN-17")
        self.assertRegex(run.out, r"^LEN-17: ")
        for word in ("Stimulus: ", "Expected: ", "Section: ", "Level: ", "Deviates:  rxe-6.1: "):
            self.assertIn(word, run.out)

    # Runs that fail

    def test_a_failure_says_what_came(self):
        profile = self.file("failing.yaml", FAILING)
        run = self.conformance("--cases", "LEN", "--profile", profile, status=1)
        self.assertEqual(self.verdicts(run)["LEN-10"], "fail")
        self.assertEqual(run.result["verdict"], "fail")
        self.assertIn("1 failed (LEN-10)", run.err)
        self.assertRegex(run.err, r"✗ LEN-10 .*\n    sent:     .*\n    expected: .*\n    observed: NAK 0x61 .*\n    page:     out/cases/LEN-10.html\n")
        self.check_junit(run.result)
        # Using a draft as a profile is refused until the draft has been completed.
        self.conformance("--cases", "LEN", "--profile", profile, "--write-profile", "new/draft.yaml", status=3)
        (self.dir / "new").mkdir()
        self.conformance("--cases", "LEN", "--profile", profile, "--write-profile", "new/draft.yaml", status=1)
        refused = self.conformance("--profile", "new/draft.yaml", status=2)
        self.assertRegex(refused.err, r"draft\.yaml:\d+: LEN-10\.why: the reason has not been filled in; fix: say why")
        self.assertIn("TODO", (self.dir / "new/draft.yaml").read_text())
        draft = (self.dir / "new/draft.yaml").read_text()
        (self.dir / "new/draft.yaml").write_text(draft.replace("TODO: ", ""))
        known = self.conformance("--cases", "LEN", "--profile", "new/draft.yaml", "--strict")
        self.assertEqual(self.verdicts(known)["LEN-10"], "known deviation")
        self.assertIn("1 known deviation", known.err)
        suite = xml.etree.ElementTree.parse(self.dir / "out/junit.xml").getroot()
        self.assertEqual(len(suite.findall(".//property[@name='known_deviation']")), 1)

    def test_a_deviation_that_is_not_seen(self):
        profile = self.file("rotten.yaml", "name: rotten\nbase: own\ndeviations:\n  PSN-04: {observe: silence, why: a test}\n")
        run = self.conformance("--cases", "PSN", "--profile", profile)
        self.assertIn("listed by the profile, not seen: PSN-04\n", run.err)
        self.assertEqual(run.result["not_seen"], ["PSN-04"])
        strict = self.conformance("--cases", "PSN", "--profile", profile, "--strict", status=1)
        self.assertIn("not seen: PSN-04 (a failure: --strict)\n", strict.err)
        self.assertEqual(strict.result["verdict"], "fail")

    def test_a_time_limit(self):
        run = self.conformance("--time-limit", "300ms", status=1)
        self.assertGreater(run.result["totals"]["pass"], 10)
        self.assertGreater(run.result["totals"]["not_run"], 10)
        self.assertIn(f"\nthe run was ended before {run.result['totals']['not_run']} cases\n", run.err)
        self.check_not_run(run.result)

    def check_not_run(self, result):
        for case in result["cases"]:
            if case["verdict"] == "not run":
                self.assertEqual(case["reason"], "the run ended before")
                self.assertTrue((self.dir / "out" / case["files"][0]).exists())

    def test_an_interrupt_ends_the_run_in_order(self):
        running = self.start("-c", str(OWN), "--out", "out", "--profile", self.file("patient.yaml", PATIENT))
        line = running.process.stderr.readline()
        self.assertTrue(line.startswith("BAS  "), line)
        running.signal(signal.SIGINT)
        run = running.finish()
        self.assertEqual(run.status, 1, run.err)
        self.assertGreater(run.result["totals"]["pass"], 10)
        self.assertGreater(run.result["totals"]["not_run"], 10)
        self.check_not_run(run.result)
        self.assertTrue(run.err.endswith("page: out/index.html\n"), run.err)

    # Runs that are refused

    def test_mistakes_are_explained(self):
        (self.dir / "none.yaml").write_text(yaml.dump({**yaml.safe_load(OWN.read_text()), "conformance": None}))
        other = self.file("other.yaml", OWN.read_text().split("conformance:")[0])
        for args, words in (
                (["--cases", "PSM-09"], "unknown case or group 'PSM-09'; the nearest is PSN-09"),
                (["--cases", "PSM"], "the nearest is PSN"),
                (["--explain", "PSN-99"], "--explain PSN-99 is not a case; the nearest is PSN-"),
                (["--level", "must"], "--level must is not a level; fix: use shall, should, may, measure or robustness"),
                (["--profile", "rxe-6.2"], "unknown profile 'rxe-6.2'; the nearest is rxe-6.1"),
                (["--profile", "./absent.yaml"], "cannot read ./absent.yaml: No such file"),
                (["--target", "own:"], "target own: needs a configuration; fix: use -c FILE"),
                (["-c", str(OWN), "--target", "http://host"], '"http://host" is not a target; fix: write sink://HOST'),
                (["-c", other], "other.yaml has no section `conformance`; fix: add"),
                (["-c", "absent.yaml"], "absent.yaml"),
                (["--attempts", "0"], "0 is out of range"),
                (["--time-limit", "soon"], '"soon" is not a time'),
                (["--set", "conformance.speed=1"], "unknown key `speed`"),
                (["--quick", "--stress"], "--quick excludes --stress")):
            with self.subTest(args=args):
                run = self.conformance(*args, status=2)
                self.assertIn(words, run.err)
                self.assertEqual(run.err.count(words), 1)
        self.assertFalse((self.dir / "out").exists())

    def test_a_folder_with_other_files(self):
        (self.dir / "out").mkdir()
        (self.dir / "out/config.yaml").write_text("mine")
        run = self.conformance("--cases", "BAS-01", status=3)
        self.assertIn("contains no index.html, so it is no result of softfeb conformance", run.err)
        self.assertNotIn("BAS", run.err)  # the case is refused before the run begins
        self.assertEqual((self.dir / "out/config.yaml").read_text(), "mine")

    def test_a_folder_that_cannot_be_written(self):
        run = self.conformance("--cases", "BAS-01", "--out", "/proc/softfeb", status=3)
        self.assertIn("cannot write /proc/softfeb: ", run.err)
        self.assertIn("; name a folder with --out that can be written", run.err)
        self.assertNotIn("BAS", run.err)

    def test_a_full_disk(self):
        """If the disk is full, the results of the earlier run are kept."""
        if subprocess.run(["unshare", "-rm", "true"], check=False).returncode != 0:
            self.skipTest("no namespaces")
        script = ('mkdir disk && mount -t tmpfs -o size=8m none disk && "$0" conformance -q --cases BAS --out disk/out && '
                  'cksum disk/out/result.json disk/out/cases/* > before && "$0" conformance -q --out disk/out; status=$?; '
                  'cksum disk/out/result.json disk/out/cases/* > after; ls -A disk; exit $status')
        run = subprocess.run(["unshare", "-rm", "sh", "-c", script, harness.SOFTFEB], cwd=self.dir, text=True, capture_output=True,
                             timeout=harness.LIMIT, check=False)
        self.assertEqual((run.returncode, run.stdout), (3, "out\n"), run.stderr)
        self.assertRegex(run.stderr, r"^softfeb: cannot write .*: No space left on device; ")
        self.assertEqual((self.dir / "before").read_text(), (self.dir / "after").read_text())

    # Runs without an answer

    def test_a_target_without_a_mac_address(self):
        run = self.conformance("-c", self.silent(), status=3)
        self.assertIn("no MAC address for 10.0.0.2: nothing answered ARP", run.err)

    def test_a_silent_target(self):
        run = self.conformance("-c", self.silent(neighbours={"10.0.0.2": "02:00:00:00:00:02"}), status=3)
        self.assertIn("no baseline: no WRITE was acknowledged. Sent: WRITE ONLY, 8 bytes, to 10.0.0.2; received: nothing. "
                      "The likeliest causes: the path's MTU", run.err)
        self.assertIn("10.0.0.1 (ARP", run.err)
        self.assertEqual(run.result["verdict"], "no baseline")
        self.assertEqual(run.result["totals"]["not_run"], len(run.result["cases"]))


@unittest.skipUnless(shutil.which("tshark"), "no tshark")
class Captures(harness.TestCase):
    """An independent program reads the captures of a run with every case."""

    FIELDS = ("frame.interface_name", "infiniband.bth.opcode", "infiniband.bth.psn", "infiniband.aeth.syndrome",
              "infiniband.aeth.msn", "frame.comment")

    def setUp(self):
        super().setUp()
        run = harness.Softfeb(["conformance", "--destructive", "--out", "out"], self.dir, self.dir / "out/result.json").finish()
        self.assertEqual(run.status, 0, run.err)
        self.result = run.result

    def output_of(self, *argv):
        """Runs a program of Wireshark and returns its output. The program must not complain."""
        run = subprocess.run(argv, cwd=self.dir / "out", capture_output=True, text=True, timeout=harness.LIMIT, check=False)
        complaints = [line for line in run.stderr.splitlines() if not line.startswith("Running as user")]
        self.assertEqual((run.returncode, complaints), (0, []))
        return run.stdout

    def captures(self):
        return [name for case in self.result["cases"] for name in case["files"] if name.endswith(".pcapng")]

    def test_capinfos_reads_every_file(self):
        lines = self.output_of("capinfos", "-T", "-M", "-c", "-E", "-I", *self.captures()).splitlines()
        self.assertEqual(len(lines), len(self.captures()) + 1)
        details = self.output_of("capinfos", "cases/PSN-09.pcapng")
        self.assertIn("Number of interfaces in file: 3", details)
        self.assertRegex(details, r"Capture comment: +PSN-09 Gap inside a message: pass")
        self.assertIn("Time resolution = 0x09", details)

    def test_tshark_sees_the_same_packets(self):
        self.output_of("mergecap", "-a", "-w", "all.pcapng", *self.captures())
        options = [word for field in self.FIELDS for word in ("-e", field)]
        text = self.output_of("tshark", "-r", "all.pcapng", "-T", "fields", "-E", "separator=|", "-E", "occurrence=f", *options)
        rows = [line.split("|", len(self.FIELDS) - 1) for line in text.splitlines()]
        packets = [(case["id"], packet) for case in self.result["cases"] for packet in case["observed"]]
        self.assertEqual(len(rows), len(packets))
        answers = different = 0
        for row, (case, packet) in zip(rows, packets):
            interface = {"sent": "requester", "received": "receiver", "not sent": "not sent"}[packet["direction"]]
            self.assertEqual((row[0], row[5]), (interface, packet["comment"]), case)
            ours = [str(packet.get(key, "")) for key in ("opcode", "psn", "syndrome", "msn")]
            if case in SPOILT and interface == "requester":
                different += row[1:5] != ours
                continue
            self.assertEqual(row[1:5], ours, f"{case}: {packet}")
            answers += interface == "receiver"
        self.assertGreater(answers, 1000)
        self.assertGreaterEqual(different, len(SPOILT))  # otherwise, SPOILT lists too many cases


if __name__ == "__main__":
    harness.main()
