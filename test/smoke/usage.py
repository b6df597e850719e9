# SPDX-License-Identifier: BSD-3-Clause
"""Wrong usage or a wrong configuration ends with status 2 and an error that names file, line, key and remedy.
If the machine lacks something that softfeb needs, the status is 3."""

import os
import unittest.mock

import harness
from harness import CONF, board, qp, receiver, ring

GOOD = """\
run:
  duration: 1s
workers:
  count: 2
ports:
  - {name: feb, device: "net_ring:link", mtu: 4200}
  - {name: nic, device: "net_ring:link", mtu: 4200}
boards:
  - name: feb0
    port: feb
    ip: 10.0.0.1/24
    qps:
      - to: daq
        pmtu: 4096
        traffic:
          message_size: 64KiB
          rate: 1Gb/s
receivers:
  - name: daq
    port: nic
    ip: 10.0.0.2/24
    memory: 1MiB
"""

# Each tuple contains the text to replace, its replacement, and the line, key and words that the message must
# contain.
CONFIGURATIONS = [
    ("workers:", "workers: [", 5, "", "not YAML"),                                        # malformed YAML
    ("  count: 2", "\tcount: 2", 4, "", "indentation"),
    ("  duration: 1s", "  duratoin: 1s", 2, "run.duratoin", "did you mean `duration`"),  # unknown keys
    ("        pmtu: 4096", "        mtu: 4096", 14, "boards.0.qps.0.mtu", "did you mean `pmtu`"),
    ("receivers:", "recievers:", 18, "recievers", "did you mean `receivers`"),
    ("rate: 1Gb/s", "rate: 1", 17, "boards.0.qps.0.traffic.rate", "has no unit"),        # missing and wrong units
    ("message_size: 64KiB", "message_size: 65536", 16, "boards.0.qps.0.traffic.message_size", "has no unit"),
    ("rate: 1Gb/s", "rate: 1Gbps", 17, "boards.0.qps.0.traffic.rate", "unknown unit"),
    ("pmtu: 4096", "pmtu: 1500", 14, "boards.0.qps.0.pmtu", "1024"),                     # impossible values
    ('link", mtu: 4200}\n  - {name: nic', 'link", mtu: 1500}\n  - {name: nic', 14, "boards.0.qps.0.pmtu", "above the MTU 1500"),
    ("port: nic", "port: feb", 13, "boards.0.qps.0.to", "does not receive its own packets"),
    ("to: daq", "to: dak", 13, "boards.0.qps.0.to", "daq"),
    ("memory: 1MiB", "memory: 4KiB", 16, "boards.0.qps.0.traffic.message_size", "memory"),
    ("ip: 10.0.0.2/24", "ip: 10.0.0.1/24", 21, "receivers.0.ip", "feb0"),
    ("ip: 10.0.0.2/24", "ip: 10.9.0.2/24", 13, "boards.0.qps.0.to", "gateway"),
    ("  duration: 1s", "  {duration: 1s, warmup: 1s}", 2, "run.warmup", "`duration`"),
    ("  duration: 1s", "  start_at: 2020-01-01T00:00:00Z", 2, "run.start_at", "past"),
    ("        traffic:", "        {transport: UC}\n        traffic:", None, "", "fix:"),
    ("rate: 1Gb/s", "payload: {file: no/such/file}", 17, "boards.0.qps.0.traffic.payload.file", "no/such/file"),
    ("device: \"net_ring:link\"", "device: \"net_rign:link\"", None, "device", "net_ring"),
    ("mtu: 4200}", "mtu: 4200, pacing_horizon: 1us}", 6, "ports.0.pacing_horizon", "from 2us"),
    ("mtu: 4200}", "mtu: 4200, pacing: hardware}", 6, "ports.0.pacing", "queue_rate"),
    ("    port: feb", "    port: feb\n    worker: 7", 11, "boards.0.worker", ""),
    ("  count: 2", "  cpus: [0, 1023]", 4, "workers.cpus", "CPU 1023"),
    ("  count: 2", "  count: 2\n  main_cpu: 1023", 5, "workers.main_cpu", "CPU 1023"),
    ("workers:", "eal: {memory: 1kB}\nworkers:", 3, "eal.memory", "at least 1MiB"),
]


class Usage(harness.TestCase):
    def softfeb(self, *args, status, cwd=None):
        run = harness.Softfeb([str(a) for a in args], cwd or self.dir).finish(30)
        self.assertEqual(run.status, status, f"{args}\n{run.err}{run.out}")
        return run

    def test_the_configuration_that_is_changed_is_good(self):
        self.assert_held(self.run_softfeb(GOOD))

    def test_configurations(self):
        for before, after, line, key, words in CONFIGURATIONS:
            with self.subTest(after):
                self.assertIn(before, GOOD)
                path = self.config(GOOD.replace(before, after, 1))
                run = self.softfeb("run", "-c", path, status=2)
                self.assertIn(str(path) if line is None else f"{path}:{line}: ", run.err)
                for text in (key, words, "fix:"):
                    self.assertIn(text, run.err)
                self.assertEqual(run.out, "")

    def test_overrides(self):
        path = self.config(GOOD)
        for override, words in (("boards.feb0.qps.0.pmtu=8192", "boards.0.qps.0.pmtu"), ("run.nothing=1", "nothing"),
                                ("boards.feb9.ip=10.0.0.9/24", "feb9"), ("nonsense", "KEY=VALUE"),
                                ("ports.feb.mtu=1000", "pmtu")):
            with self.subTest(override):
                run = self.softfeb("run", "-c", path, "--set", override, status=2)
                self.assertIn(words, run.err)

    def test_command_lines(self):
        path = self.config(GOOD)
        for args, words in (((), "subcommand"), (("walk",), "walk"), (("run",), "--config"),
                            (("run", "-c", path, "--colour"), "--colour"),
                            (("run", "-c", path, "--messages", "many"), "many"),
                            (("run", "-c", path, "--messages", "0"), "messages"),
                            (("run", "-c", path, "--messages", "-1"), "-1"),
                            (("run", "-c", path, "--duration", "soon"), "soon"),
                            (("run", "-c", path, "--duration", "0"), "duration"),
                            (("run", "-c", path, "--duration", "1", "--messages", "1"), "--duration"),
                            (("run", "-c", path, "--json", ""), "--json: is empty; fix: "),
                            (("run", "-c", path, "--report", ""), "--report: is empty; fix: "),
                            (("run", "-c", ""), "--config: is empty; fix: "),
                            (("regs", "--profile", "kcu105"), "kcu105-rocev2-2026.05"),
                            (("regs", "--csv", "--json"), "--csv"),
                            (("run", "-c", self.dir / "none.yaml"), "none.yaml"),
                            (("run", "-c", self.dir), str(self.dir))):
            with self.subTest(args):
                run = self.softfeb(*args, status=2)
                self.assertIn(words, run.err)

    def test_options_that_would_do_nothing(self):
        lab = ("lab", "-c", CONF / "lab/incast.yaml")
        path = self.config(GOOD)
        for args, option, fix in (((*lab, "--virtual", "--web"), "--web", "leave out --web, or --virtual"),
                                  ((*lab, "--virtual", "--web", "8081"), "--web", "or --virtual"),
                                  ((*lab, "--virtual", "--set", "run.web=on"), "--web", "or --virtual"),
                                  ((*lab, "--virtual", "--hold"), "--hold", "leave out --hold, or --virtual"),
                                  (("lab", "sweep", "-c", CONF / "lab/sweep.yaml", "--web"), "--web", "leave out --web"),
                                  (("lab", "sweep", "-c", CONF / "lab/sweep.yaml", "--hold"), "--hold", "leave out --hold"),
                                  ((*lab, "--no-pictures"), "--no-pictures", "add --report DIR"),
                                  (("run", "-c", path, "--no-pictures"), "--no-pictures", "add --report DIR"),
                                  (("run", "-c", path, "--hold"), "--hold", "add --web"),
                                  (("doctor", "--set", "ports.0.mtu=1500"), "--set", "add -c FILE")):
            with self.subTest(args):
                run = self.softfeb(*args, status=2)
                self.assertTrue(run.err.startswith(f"softfeb: {option}: "), run.err)
                self.assertIn("; fix: ", run.err)
                self.assertIn(fix, run.err)
                self.assertEqual(run.out, "")

    def test_no_page_in_virtual_time_is_no_mistake(self):
        self.softfeb("lab", "-c", CONF / "lab/incast.yaml", "--virtual", "--web", "off", "--duration", "1ms", "-q", status=0)

    def test_instructions(self):
        for choice, status, words in (("avx9", 2, "portable"), ("portable", 0, "tables"), ("native", 0, "iCRC")):
            with self.subTest(choice), unittest.mock.patch.dict(os.environ, SOFTFEB_CPU=choice):
                run = harness.Softfeb(["doctor"], self.dir).finish(30)
                # softfeb exits with 3 if this machine lacks something that the configuration needs
                self.assertIn(run.status, (status, 3) if status == 0 else (status,))
                self.assertIn(words, run.err + run.out)

    def test_help_and_version(self):
        for args, words in ((("--help",), "run"), (("run", "--help"), "--json"), (("--version",), "softfeb ")):
            self.assertIn(words, self.softfeb(*args, status=0).out)
        for command in ("run", "lab"):
            self.assertIn("--no-pictures  ", self.softfeb(command, "--help", status=0).out)

    def test_what_the_machine_lacks(self):
        for device in ("net_af_packet:no-such-if", "0000:ff:1f.7", "net_memif:/no/such/dir/m.sock,client"):
            with self.subTest(device):
                config = ring([board(qp({"ip": "10.0.0.2", "mac": "02:00:00:00:00:02", "qpn": 5, "rkey": 1, "address": 0,
                                         "length": "1MiB"}, pmtu=1024))], [])
                del config["receivers"]
                config["ports"] = [{"name": "feb", "device": device, "mtu": 1500}]
                run = self.softfeb("run", "-c", self.config(config), "--duration", "1", status=3)
                self.assertTrue(run.err.startswith("softfeb: "), run.err)
                # the message states a problem and its fix
                self.assertGreater(len(run.err.split(";")), 1, run.err)

    def test_pacing_that_the_port_cannot_do(self):
        for pacing in ("queue_rate", "timestamp"):
            with self.subTest(pacing):
                path = self.config(GOOD.replace("    ip: 10.0.0.1/24", "    ip: 10.0.0.1/24\n    link_rate: 10Gb/s", 1))
                run = self.softfeb("run", "-c", path, "--set", f"ports.feb.pacing={pacing}", status=3)
                for words in ("port feb", f"pacing: {pacing}", "net_ring", "set pacing of port feb to software"):
                    self.assertIn(words, run.err)
        run = self.softfeb("run", "-c", self.config(GOOD), "--set", "ports.feb.pacing=queue_rate", status=2)
        for words in ("boards.0.link_rate", '"feb"', "fix: "):
            self.assertIn(words, run.err)
        run = self.softfeb("doctor", "-c", self.config(GOOD), status=0)
        self.assertIn("queue_rate: net_ring does not", run.out)

    def test_files_that_cannot_be_written(self):
        path = self.config(GOOD)
        for args in (("--json", "/no/such/dir/result.json"), ("--json", "."),
                     ("--set", "receivers.daq.out=/no/such/dir/out.bin"),
                     ("--set", "ports.feb.capture={file: /no/such/dir/feb.pcap}")):
            with self.subTest(args):
                run = self.softfeb("run", "-c", path, *args, status=3)
                self.assertIn("cannot write", run.err)
                self.assertNotIn("Gb/s", run.err)

    def test_memory_that_is_not_there(self):
        config = ring([board(qp(traffic={"message_size": "1MiB"}))], [receiver(memory="4TiB")])
        run = self.softfeb("run", "-c", self.config(config), "--duration", "1", status=3)
        self.assertIn("memory", run.err)
        run = self.softfeb("run", "-c", self.config(GOOD), "--set", "eal.memory=100TiB", status=3)
        for words in ("--set eal.memory: ", "this machine's memory", "fix: "):
            self.assertIn(words, run.err)

    def test_configurations_of_the_tree_are_read(self):
        """Loads each configuration with an unknown key. softfeb must report this key, and no other problem."""
        for path in sorted(CONF.glob("*.yaml")):
            with self.subTest(path.name):
                process = harness.Softfeb(["run", "-c", str(path), "--set", "run.no_such_key=1"], self.dir)
                run = process.finish(30)
                self.assertEqual(run.status, 2)
                self.assertEqual(len(run.err.strip().splitlines()), 1, run.err)
                self.assertIn("no_such_key", run.err)

    def test_every_problem_is_told_at_once(self):
        text = GOOD.replace("rate: 1Gb/s", "rate: 1").replace("memory: 1MiB", "memory: 1").replace("ip: 10.0.0.1/24", "ip: x")
        run = self.softfeb("run", "-c", self.config(text), status=2)
        for line in (11, 17, 22):
            self.assertIn(f"run.yaml:{line}: ", run.err)

    def test_not_by_root(self):
        """softfeb runs without privileges."""
        if os.getuid() != 0:
            self.skipTest("not root: every test here is an ordinary user's")
        os.chmod(self.dir, 0o777)
        path = self.config(GOOD)
        run = harness.Softfeb(["run", "-c", str(path), "--json", "result.json"], self.dir, self.dir / "result.json",
                              prefix=("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")).finish(30)
        self.assertEqual(run.status, 0, run.err)
        self.assert_held(run)


if __name__ == "__main__":
    harness.main()
