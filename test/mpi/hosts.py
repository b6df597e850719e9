#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests one experiment on two hosts: two network namespaces, between which mpirun communicates over TCP. Requires root."""

import csv
import json
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import unittest

from host_pair import DATA, NAMES, HostPair

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("SOFTFEB_MPI", str(ROOT / "build/app/softfeb-mpi/softfeb-mpi"))
SOFTFEB = os.environ.get("SOFTFEB", str(ROOT / "build/app/softfeb/softfeb"))
SKIPPED = 77  # exit status for a skipped test in meson
LIMIT = 60  # timeout in seconds; far longer than any run here takes

# The first host sends a limited number of messages over RC. Both hosts send messages over UC.
PAIR = f"""
run: {{duration: 200ms, warmup: 50ms, start_lead: 300ms, connect_timeout: 10s}}
eal: {{hugepages: no}}
workers: {{idle: sleep}}
hosts: [{{name: {NAMES[0]}}}, {{name: {NAMES[1]}}}]
ports:
  - {{name: p1, host: {NAMES[0]}, device: "net_af_packet:{DATA[0]}", mtu: 4200}}
  - {{name: p2, host: {NAMES[1]}, device: "net_af_packet:{DATA[1]}", mtu: 4200}}
boards:
  - name: feb1
    port: p1
    ip: 10.0.0.1/24
    qps:
      - {{to: daq2, count: 2, pmtu: 1024, traffic: {{message_size: 4KiB, rate: 10Mb/s, messages: 40}}}}
      - {{to: daq2, pmtu: 1024, transport: UC, traffic: {{message_size: 1KiB, rate: 5Mb/s}}}}
  - name: feb2
    port: p2
    ip: 10.0.0.2/24
    qps:
      - {{to: daq1, pmtu: 1024, transport: UC, traffic: {{message_size: 1KiB, rate: 5Mb/s}}}}
receivers:
  - {{name: daq1, port: p1, ip: 10.0.0.101/24}}
  - {{name: daq2, port: p2, ip: 10.0.0.102/24, memory: 64KiB, out: memory.bin}}
"""

# Source of a library whose clock_gettime() is ahead by SHIFT ns.
SHIFTED_CLOCK = """
#define _GNU_SOURCE
#include <time.h>
#include <unistd.h>
#include <sys/syscall.h>
int clock_gettime(clockid_t id, struct timespec *t) {
  int status = syscall(SYS_clock_gettime, id, t);
  if (status == 0 && id == CLOCK_REALTIME) {
    long ns = t->tv_nsec + SHIFT;
    t->tv_sec += ns / 1000000000;
    t->tv_nsec = ns % 1000000000;
  }
  return status;
}
"""

# This program prints the kernel's time stamp (ns) of the first UC packet that arrives at the interface. 35 is
# SO_TIMESTAMPNS.
FIRST_PACKET = f"""
import socket, struct, sys
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0800))
s.setsockopt(socket.SOL_SOCKET, 35, 1)
s.bind((sys.argv[1], 0))
s.settimeout({LIMIT})
print("ready", flush=True)
while True:
    frame, auxiliary, _, _ = s.recvmsg(64, 64)
    if len(frame) > 42 and frame[36:38] == b"\\x12\\xb7" and frame[42] >> 5 == 1: break
print(*[sec * 10**9 + ns for _, kind, data in auxiliary if kind == 35 for sec, ns in [struct.unpack("qq", data)]])
"""


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)
        (self.dir / "pair.yaml").write_text(PAIR)
        self.pair = HostPair(self.dir, PROGRAM)
        self.addCleanup(self.pair.close)

    def run_pair(self, *arguments, processes=2, command="run", config="pair.yaml"):
        return subprocess.run(self.pair.command(command, "-c", config, "--json", "result.json", *arguments, processes=processes),
                              cwd=self.dir, env=self.pair.environment(), timeout=LIMIT, check=False, text=True, capture_output=True)

    def start_pair(self, *arguments):
        """Starts a run of 30 s, and returns as soon as both hosts are sending."""
        before = [self.packets(i) for i in (0, 1)]
        job = subprocess.Popen(self.pair.command("run", "-c", "pair.yaml", "--json", "result.json", "--duration", "30", *arguments),
                               cwd=self.dir, env=self.pair.environment(), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(job.kill)
        self.addCleanup(job.stdout.close)
        self.addCleanup(job.stderr.close)
        limit = time.monotonic() + LIMIT
        while not all(self.packets(i) > before[i] + 50 for i in (0, 1)):
            self.assertLess(time.monotonic(), limit, "no traffic")
            self.assertIsNone(job.poll())
            time.sleep(0.05)
        return job

    def packets(self, host):
        """Returns the number of packets that the host has sent so far."""
        text = subprocess.run(["ip", "-n", self.pair.namespaces[host], "-s", "-j", "link", "show", DATA[host]], check=True,
                              capture_output=True).stdout
        return json.loads(text)[0]["stats64"]["tx"]["packets"]

    def result(self, name="result.json"):
        return json.loads((self.dir / name).read_text())

    def process(self, rank):
        """Returns the PID of the program of this rank."""
        shell = int((self.dir / f"pid.{rank}").read_text())
        return int(pathlib.Path(f"/proc/{shell}/task/{shell}/children").read_text().split()[0])


class OneExperiment(Case):
    def test_one_document_for_both_hosts(self):
        done = self.run_pair()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("All checks held", done.stdout)
        r = self.result()
        self.assertEqual(r["verdict"], "held")
        self.assertEqual(r["timing"], "conclusive")
        self.assertTrue(r["warmup_excluded"])
        self.assertEqual([h["name"] for h in r["hosts"]], list(NAMES))
        for key, names in (("boards", ["feb1", "feb2"]), ("receivers", ["daq1", "daq2"]), ("ports", ["p1", "p2"])):
            self.assertEqual([(x["name"], x["host"]) for x in r[key]], list(zip(names, NAMES)), key)
        self.assertEqual([w["host"] for w in r["workers"]], list(NAMES))
        # Every message that one host has sent must have been received by the other.
        for board, receiver in ((0, 1), (1, 0)):
            sent = sum(q["messages_posted"] for q in r["boards"][board]["qps"])
            self.assertEqual(r["receivers"][receiver]["messages"], sent)
            self.assertGreater(sent, 50)
        self.assertEqual([q["messages_completed"] for q in r["boards"][0]["qps"][:2]], [40, 40])
        for check in ("messages_arrived", "messages_once", "payload_bytes_right"):
            self.assertIn(check, [c["name"] for c in r["checks"]])
        for board in r["boards"]:
            self.assertLess(abs(board["qps"][-1]["rate_error"]), 0.05)
        self.assertGreater(r["receivers"][1]["goodput_gbps"], 0)
        for h in r["hosts"]:
            self.assertLess(abs(h["clock_offset_us"]), h["clock_bound_us"] + 1)
            self.assertLess(abs(h["clock_offset_after_us"]), h["clock_bound_after_us"] + 1)
            self.assertLess(abs(h["start_error_us"]), 50)
            self.assertIsNotNone(h["first_packet_us"])
        # The file contains the memory of the receiver on the other host, with the last messages of the three
        # queue pairs.
        memory = (self.dir / "memory.bin").read_bytes()
        self.assertTrue(any(memory))
        self.assertEqual(list(self.dir.glob("result.json.*")), [])

    def test_processes_find_their_hosts_by_name(self):
        done = self.run_pair("--set", f"hosts=[{{name: {NAMES[1]}}}, {{name: {NAMES[0]}}}]")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        r = self.result()
        self.assertEqual([h["name"] for h in r["hosts"]], [NAMES[1], NAMES[0]])
        self.assertEqual([(b["name"], b["host"]) for b in r["boards"]], [("feb1", NAMES[0]), ("feb2", NAMES[1])])
        # Clocks are compared with the clock of process 0, which runs on the second host of PAIR.
        self.assertEqual(r["hosts"][1]["clock_bound_us"], 0)

    def test_a_failed_check_of_another_host_fails_the_run(self):
        done = self.run_pair("--set", "ports.p2.faults={rx_drop: 20%}", "--set", "boards.feb1.qps=[{to: daq2, transport: UC, pmtu: 1024, "
                             "traffic: {message_size: 1KiB, rate: 5Mb/s}}]", "--set", "receivers.daq2.out=lossy.bin")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        r = self.result()
        self.assertEqual(r["verdict"], "failed")
        self.assertGreater(next(c for c in r["checks"] if c["name"] == "messages_arrived")["value"], 0)
        self.assertGreater(r["ports"][1]["faults"]["rx_dropped"], 0)


    def test_time_series_contain_all_hosts(self):
        done = self.run_pair("--report", "report", "--no-pictures", "--duration", "1", "--set", "boards.feb1.qps=[{to: daq2, transport: UC, "
                             "pmtu: 1024, traffic: {message_size: 1KiB, rate: 5Mb/s}}]")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        with (self.dir / "report/series.csv").open() as file:
            rows = list(csv.DictReader(file))
        for board in ("feb1", "feb2"):
            rates = [float(r["sent_gbps"]) for r in rows if r["board"] == board and 0.3 < float(r["time_s"]) < 0.9]
            self.assertGreater(len(rates), 3)
            self.assertAlmostEqual(statistics.mean(rates), 0.005, delta=0.001)
            self.assertLess(max(float(r["sent_gbps"]) for r in rows if r["board"] == board), 0.1)


class Ends(Case):
    def test_sigusr1_ends_the_run_with_one_document(self):
        job = self.start_pair()
        os.kill(job.pid, signal.SIGUSR1)
        out, err = job.communicate(timeout=LIMIT)
        self.assertEqual(job.returncode, 0, out + err)
        r = self.result()
        self.assertTrue(r["interrupted"])
        self.assertEqual(r["verdict"], "held")

    def test_survivor_leaves_its_part(self):
        for victim in (1, 0):
            with self.subTest(victim=victim):
                job = self.start_pair()
                begun = time.monotonic()
                os.kill(self.process(victim), signal.SIGKILL)
                out, err = job.communicate(timeout=LIMIT)
                self.assertLess(time.monotonic() - begun, 5, err)
                self.assertNotEqual(job.returncode, 0, out + err)
                survivor = 1 - victim
                self.assertEqual((self.dir / f"status.{survivor}").read_text().strip(), "3", err)
                self.assertIn(f"its part of the result is in result.json.{NAMES[survivor]}", err)
                part = self.result(f"result.json.{NAMES[survivor]}")
                self.assertEqual(part["verdict"], "incomplete")
                self.assertEqual([b["host"] for b in part["boards"]], [NAMES[survivor]])
                self.assertGreater(part["boards"][0]["summary"]["tx_packets"], 50)
                self.assertFalse((self.dir / "result.json").exists())
                for file in self.dir.glob("*.*"):
                    if file.suffix not in (".yaml",):
                        file.unlink()


class Clocks(Case):
    def shift(self, ns):
        source = self.dir / "shift.c"
        source.write_text(SHIFTED_CLOCK)
        subprocess.run(["cc", "-shared", "-fPIC", f"-DSHIFT={ns}L", "-o", str(self.dir / "shift.so"), str(source)], check=True)

    def test_clocks_apart(self):
        if shutil.which("cc") is None:
            self.skipTest("no C compiler")
        self.shift(5_000_000)
        done = self.run_pair()
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertRegex(done.stderr, r"the clock of host tx2 is (499\d|500\d)\.\d us ahead of that of tx1, plus or minus [0-9.]+ us; "
                         r"run.clock_limit is 100us; set both clocks by PTP")
        self.assertFalse((self.dir / "result.json").exists())
        # The clocks differ by 5 ms, which is also the limit here. Within its uncertainty, the measured difference may be
        # below or above the limit, so the timing is inconclusive.
        done = self.run_pair("--set", "run.clock_limit=5ms")
        self.assertEqual(done.returncode, 0, done.stderr)
        r = self.result()
        self.assertEqual(r["timing"], "inconclusive")
        self.assertEqual(r["verdict"], "held")
        self.assertIn("times of different hosts cannot be compared", "".join(r["messages"]))
        self.assertAlmostEqual(r["hosts"][1]["clock_offset_us"], 5000, delta=r["hosts"][1]["clock_bound_us"])


class Refusals(Case):
    def refused(self, status, text, *arguments, **settings):
        done = self.run_pair(*arguments, **settings)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertIn(text, done.stderr)
        self.assertFalse((self.dir / "result.json").exists())

    def test_number_of_processes(self):
        fix = f"fix: start one process on each host: mpirun --host {NAMES[0]},{NAMES[1]} softfeb-mpi run -c pair.yaml"
        self.refused(2, f"the file names 2 hosts, but there are 3 processes; {fix}", processes=3)
        self.refused(2, f"the file names 2 hosts, but there is 1 process; {fix}", processes=1)
        done = subprocess.run([SOFTFEB, "run", "-c", "pair.yaml"], cwd=self.dir, check=False, text=True, capture_output=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn(fix, done.stderr)

    def test_configurations(self):
        alone = self.dir / "alone.yaml"
        alone.write_text(PAIR.replace(f"host: {NAMES[0]}, ", "").replace(f"host: {NAMES[1]}, ", "").replace("hosts: [", "# ["))
        self.refused(2, "the file names no hosts, but there are 2 processes; fix: add `hosts`", config="alone.yaml")
        self.refused(2, f'no host "{NAMES[0]}x"; fix: did you mean `{NAMES[0]}`?', "--set", f"ports.p1.host={NAMES[0]}x")
        self.refused(2, "the stages of a message are on the clocks of two hosts", "--set", "latency.sample=1")

    def test_different_programs(self):
        shutil.copy(PROGRAM, self.dir / "other")
        with (self.dir / "other").open("ab") as program:
            program.write(b"another version")
        self.refused(3, "runs another program than process 0")

    def test_different_files(self):
        (self.dir / "elsewhere").mkdir()
        other = self.dir / "elsewhere/pair.yaml"
        other.write_text(PAIR.replace("rate: 10Mb/s", "rate: 11Mb/s"))
        self.refused(2, "process 1 on tx2 has another configuration than process 0; fix: give all hosts the same file")
        other.unlink()
        self.refused(3, "process 1 on tx2: pair.yaml: cannot be read")

    def test_a_lab_has_no_hosts(self):
        lab = self.dir / "lab.yaml"
        lab.write_text((ROOT / "conf/lab/incast.yaml").read_text() + "\nhosts: [{name: a}]\n")
        done = subprocess.run([SOFTFEB, "lab", "--virtual", "-c", "lab.yaml"], cwd=self.dir, check=False, text=True, capture_output=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("hosts: this command runs on one machine; fix: remove `hosts`", done.stderr)

    def test_a_device_that_one_host_lacks(self):
        self.refused(3, "process 1 on tx2", "--set", "ports.p2.device=net_af_packet:missing")


class Start(Case):
    def test_first_packets(self):
        """In the median of 10 runs, the first packets of the hosts are at most 100 µs apart by the kernel's
        clock."""
        if os.cpu_count() < 2:
            self.skipTest("needs two CPUs")
        apart = []
        for _ in range(10):
            recorders = [self.record(i) for i in (0, 1)]
            done = self.run_pair("--set", "run.duration=60ms", "--set", "run.warmup=0s", "--set", "workers.idle=pause", "--set",
                                 "boards.feb1.qps=[{to: daq2, pmtu: 1024, transport: UC, traffic: {message_size: 1KiB, rate: 5Mb/s}}]")
            self.assertEqual(done.returncode, 0, done.stderr)
            first = [int(r.communicate(timeout=LIMIT)[0]) for r in recorders]
            apart.append(abs(first[0] - first[1]) * 1e-3)
        print("first packets apart, us:", " ".join(f"{a:.1f}" for a in sorted(apart)), f"; median {statistics.median(apart):.1f}")
        self.assertLess(statistics.median(apart), 100)

    def record(self, host):
        """Starts a process that prints when the first packet arrives at the host."""
        recorder = subprocess.Popen(["ip", "netns", "exec", self.pair.namespaces[host], sys.executable, "-c", FIRST_PACKET, DATA[host]],
                                    text=True, stdout=subprocess.PIPE)
        self.addCleanup(recorder.kill)
        self.assertEqual(recorder.stdout.readline(), "ready\n")
        return recorder


def reason_to_skip():
    if not pathlib.Path(PROGRAM).is_file() or shutil.which("mpirun") is None:
        return "no softfeb-mpi or no mpirun (Debian: libopenmpi-dev, openmpi-bin)"
    if os.getuid() != 0 or subprocess.run(["unshare", "--net", "--uts", "true"], capture_output=True, check=False).returncode != 0:
        return "requires root, and permission to create network namespaces"
    return None


if __name__ == "__main__":
    # Arguments name the classes to run.
    if reason := reason_to_skip():
        print("skipped:", reason)
        sys.exit(SKIPPED)
    unittest.main()
