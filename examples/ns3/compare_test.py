#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of examples/ns3. SOFTFEB_NS3 and BACKGROUND_TRAFFIC are the programs."""

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

sys.dont_write_bytecode = True

HERE = pathlib.Path(__file__).resolve().parent
CONF = HERE.parent.parent / "conf" / "lab"
LIB = HERE.parent.parent / "lib"
PROGRAM = os.environ["SOFTFEB_NS3"]
BACKGROUND = os.environ["BACKGROUND_TRAFFIC"]

loader = importlib.machinery.SourceFileLoader("compare", str(HERE / "compare"))
compare = importlib.util.module_from_spec(importlib.util.spec_from_loader("compare", loader))
loader.exec_module(compare)

# The incast, shortened to a hundredth of its duration. Three boards send, then two, then one.
INCAST = ["run.duration=60ms", "boards.feb.stop=[60ms,40ms,20ms]", "lab.sample_interval=100us"]
SHORT = ["run.duration=10ms", "lab.sample_interval=100us"]


# Two queues share a port by weight. The buffer is full, the headroom does not suffice, and at one of the
# rates, a byte does not take a whole number of picoseconds.
TWO_QUEUES = """\
lab: {title: Two queues, bottleneck: tor.daq, sample_interval: 100us}
run: {duration: 10ms}
workers: {count: 2}
network:
  switches:
    - name: tor
      buffer: 300KiB
      queues:
        - {queue: 1, weight: 3, kmin: 40KiB, kmax: 160KiB, pmax: 50%, lossless: true}
        - {queue: 2, weight: 1, lossless: true}
        - {queue: 6, weight: strict}
      dscp_to_queue: {8: 1, 16: 2, 48: 6}
      pause: {xoff: 250KiB, xon: 50KiB, headroom: 16KiB}
  links:
    - {ends: [a, tor], rate: 10Gb/s, delay: 500ns, flow_control: pfc}
    - {ends: [b, tor], rate: 25Gb/s, delay: 10us, flow_control: pfc}
    - {ends: [tor, daq], rate: 7Gb/s, delay: 500ns, flow_control: pfc}
boards:
  - {name: a, count: 2, ip: 10.0.0.1/24, dscp: 8, pause: pfc, dcqcn: off, qps: [{to: daq, pmtu: 4096, traffic: {message_size: 64KiB}}]}
  - {name: b, ip: 10.0.0.9/24, dscp: 16, pause: pfc, dcqcn: off, qps: [{to: daq, pmtu: 1024, traffic: {message_size: 64KiB}}]}
receivers:
  - {name: daq, ip: 10.0.0.101/24, dscp: 48}
"""


def run(*words):
    """Runs compare. Returns its exit status, standard output and standard error."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = compare.compare_or_fail(compare.parse(["--program", PROGRAM, *words]))
    return status, out.getvalue(), err.getvalue()


def settings(list_of_settings):
    return [word for s in list_of_settings for word in ("--set", s)]


class WithOtherNs3(compare.Runner):
    """Gives ns-3, but not softfeb's simulator, the further settings `other`."""

    other = []

    def run(self, *options):
        return super().run(*options, *([] if "softfeb" in options else settings(self.other)))


class Identical(unittest.TestCase):
    """With the same random numbers and the same order of simultaneous events, nothing may differ."""

    def check(self, file, changes, at_least):
        runner = compare.Runner(PROGRAM, CONF / file, changes)
        same = compare.check_same(runner)
        self.assertEqual(same["different"], [])
        self.assertGreater(same["messages"], 0)
        # Check that the events for which the run was chosen have happened.
        figures = runner.run("--ordered", "--own-numbers")["figures"]
        for name, least in at_least.items():
            self.assertGreaterEqual(figures[name], least, name)

    def test_incast(self):
        self.check("incast.yaml", INCAST, {"packets marked CE": 1000, "CNPs received": 500})

    def test_pauses(self):
        self.check("incast-no-dcqcn.yaml", INCAST, {"pause frames": 100})

    def test_pauses_of_whole_links(self):
        self.check("incast-no-dcqcn.yaml", INCAST + ["boards.feb.pause=pause", "network.links.0.flow_control=pause",
                                                     "network.links.1.flow_control=pause"], {"pause frames": 100})

    def test_full_buffer(self):
        self.check("lossy-no-dcqcn.yaml", SHORT, {"frames dropped": 10, "packets retransmitted": 10})

    def test_two_layers_of_switches(self):
        self.check("funnel.yaml", SHORT, {"packets marked CE": 10})

    def test_two_queues(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "two-queues.yaml")
            path.write_text(TWO_QUEUES)
            # The queue is longer than the shared buffer, so frames are in the headroom, which is too small
            # for the link of `b`.
            self.check(path, [], {"queue, longest (bytes)": 300 * 1024 + 1, "pause frames": 10, "packets marked CE": 100,
                                  "frames dropped": 100, "packets retransmitted": 100})

    def test_random_messages(self):
        self.check("hadoop.yaml", SHORT, {"messages completed": 50})

    def test_a_difference_is_found(self):
        runner = WithOtherNs3(PROGRAM, CONF / "incast.yaml", INCAST)
        runner.other = ["network.switches.tor.queues.0.kmin=41KiB"]
        different = compare.check_same(runner)["different"]
        self.assertIn("packets marked CE", different)
        self.assertIn("times of messages", different)


class Statistics(unittest.TestCase):
    """With different random numbers and a different order of events, the means must agree."""

    def test_incast(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "result.json")
            status, out, _ = run(*settings(INCAST), "--runs", "10", "--json", str(path))
            document = json.loads(path.read_text())
        self.assertEqual(status, 0, out)
        rows = {r["figure"]: r for r in document["rows"]}
        marks = rows["packets marked CE"]
        self.assertGreater(marks["ns3"]["sd"], 0)
        self.assertLessEqual(abs(marks["standard_errors"]), compare.limit(10))
        self.assertEqual(rows["frames dropped"]["difference"], 0)
        self.assertEqual(len(document["results"]["ns3"]), 10)
        for text in ("queue, mean (bytes)", "CPU time per board packet", "the results are identical"):
            self.assertIn(text, out)

    def test_order_of_simultaneous_events(self):
        """Without DCQCN, the boards send in lockstep, so the order of events has an effect on some figures, but not on others."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "result.json")
            status, out, _ = run("-c", str(CONF / "incast-no-dcqcn.yaml"), *settings(INCAST), "--runs", "2", "--json", str(path))
            rows = {r["figure"]: r for r in json.loads(path.read_text())["rows"]}
        self.assertEqual(status, 0, out)
        self.assertEqual(rows["queue, mean (bytes)"]["reason"], "d")
        for name in ("packets of boards", "messages completed", "pause frames", "goodput, all (Gb/s)"):
            self.assertEqual(rows[name]["difference"], 0, name)
            self.assertGreater(rows[name]["ns3"]["mean"], 0, name)

    def test_a_difference_is_found(self):
        runner = WithOtherNs3(PROGRAM, CONF / "incast.yaml", INCAST)
        runner.other = ["network.switches.tor.queues.0.kmin=60KiB"]
        with contextlib.redirect_stderr(io.StringIO()):
            results = compare.several_runs(runner, 10, {"softfeb": ["--simulator", "softfeb"], "ns3": []})
            rows = {r["figure"]: r for r in compare.make_rows(runner, results, 10)}
        self.assertEqual(rows["queue, mean (bytes)"]["reason"], "?")
        self.assertFalse(rows["queue, mean (bytes)"]["agrees"])
        self.assertTrue(rows["frames dropped"]["agrees"])


    def test_limits(self):
        """Quantiles of Student's t distribution for a probability of 0.0001, from tables."""
        for runs, t in ((2, 99.99), (3, 15.544), (6, 6.211), (11, 4.837)):
            self.assertAlmostEqual(compare.limit(runs), t, delta=t / 1000)


class Usage(unittest.TestCase):
    def test_features_that_the_switch_lacks(self):
        status, _, err = run("-c", str(CONF / "leaf-spine.yaml"))
        self.assertEqual(status, 2)
        self.assertRegex(err, r"leaf-spine\.yaml.*network\.multipath: .*; fix: ")

    def test_unknown_key(self):
        status, _, err = run("--set", "boards.feb.dcqn=off")
        self.assertEqual(status, 2)
        self.assertRegex(err, r"dcqn.*fix: ")

    def test_ns3_is_missing(self):
        with unittest.mock.patch.object(compare, "HEADER", pathlib.Path("/nonexistent")), self.assertRaises(compare.Failure) as failed:
            compare.build()
        self.assertEqual(failed.exception.status, 3)
        self.assertIn("fix: apt-get install", str(failed.exception))

    def test_files(self):
        self.assertEqual(run("--json", "/nonexistent/result.json")[0], 2)
        self.assertEqual(run("--program", "/nonexistent")[0], 2)

    def test_one_run_has_no_spread(self):
        with self.assertRaises(SystemExit) as stopped, contextlib.redirect_stderr(io.StringIO()):
            compare.parse(["--runs", "1"])
        self.assertEqual(stopped.exception.code, 2)

    def test_unknown_option(self):
        done = subprocess.run([PROGRAM, "--simulator", "ns2"], stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("use ns3 or softfeb", done.stderr)


class Programs(unittest.TestCase):
    def test_gcc(self):
        """The sources compile with gcc, which users have. The sanitizer build uses clang."""
        sources = sorted([*HERE.glob("model/*.cpp"), *HERE.glob("*.cpp")])
        self.assertGreater(len(sources), 10)
        # Two files define main(), so the definitions get different names.
        text = "".join(f'#define main main_{i}\n#include "{source}"\n#undef main\n' for i, source in enumerate(sources))
        done = subprocess.run(["g++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wnon-virtual-dtor",
                               "-Woverloaded-virtual", "-Wno-missing-field-initializers", "-Werror", "-I", LIB, "-I", HERE / "model",
                               "-x", "c++", "-"],
                              input=text, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr[:4000])

    def test_licence(self):
        """ns-3 is licensed under GPL-2.0-only, so the programs must not link OpenSSL 3, which is under Apache-2.0."""
        for program in (PROGRAM, BACKGROUND):
            libraries = subprocess.run(["ldd", program], stdout=subprocess.PIPE, text=True, check=True).stdout
            self.assertIn("libns3-core", libraries)
            self.assertNotRegex(libraries, r"libssl|libcrypto|librte_")

    def test_background_traffic(self):
        """Hosts with ns-3's IP stack and boards share a network."""
        out = subprocess.run([BACKGROUND, str(CONF / "incast.yaml"), "2"], stdout=subprocess.PIPE, text=True, check=True).stdout
        boards = [float(rate) for rate in re.findall(r"^feb-\d +([\d.]+) Gb/s", out, re.M)]
        roce, udp = map(float, re.search(r"([\d.]+) Gb/s of RoCE and ([\d.]+) Gb/s of UDP", out).groups())
        self.assertEqual(len(boards), 3)
        # The host sends 2 Gb/s of payload in datagrams of 1400 bytes, each with 66 bytes of headers and gaps. No datagram is lost.
        self.assertAlmostEqual(udp, 2 * 1466 / 1400, delta=0.005)
        # The boards share the rest of the 10 Gb/s, and use at least 95 % of this rest.
        self.assertLessEqual(roce + udp, 10)
        self.assertGreater(roce, 0.95 * (10 - udp))
        replies, rtt = re.search(r"(\d+) replies, ([\d.]+) us", out).groups()
        self.assertEqual(int(replies), 10)
        # The request and the reply occupy 122 bytes on the wire each. Each of the two passes two
        # links with a delay of 500 ns, on which a byte takes 0.8 ns. Two of the four transmitters
        # also send packets of the boards. There, the request or the reply waits for at most one
        # packet of 4178 bytes.
        self.assertGreaterEqual(float(rtt), 4 * (0.5 + 122 * 0.0008))
        self.assertLess(float(rtt), 4 * (0.5 + 122 * 0.0008) + 2 * 4178 * 0.0008)


if __name__ == "__main__":
    unittest.main()
