# SPDX-License-Identifier: BSD-3-Clause
"""Tests that bash and zsh, as real shells on terminals, complete commands, options, words, files and
configuration keys."""

import os
import shutil
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
import shells

SCRIPTS = Path(os.environ["COMPLETIONS"])  # folder that contains softfeb, _softfeb and the other scripts
PATH = os.environ["PROGRAMS"] + ":/usr/bin:/bin"

CONFIGURATION = """\
boards:
  - name: feb0
    port: nic
  - {ip: 10.0.0.2/24, name: feb1}
receivers:
- name: daq  # the server
"""
# (line, words that the shell must offer, words that it must not offer)
CASES = [
    ("softfeb ", ["run", "lab", "doctor"], ["sweep"]),
    ("softfeb la", ["lab"], ["run"]),
    ("softfeb lab -c mine.yaml ", ["sweep", "compare"], ["run"]),
    ("softfeb run --d", ["--duration"], ["--set"]),
    # `compare` also accepts the options of its parent command `lab`, such as --virtual
    ("softfeb lab compare -c mine.yaml --v", ["--virtual"], ["--algorithms"]),
    ("softfeb run -c ", ["mine.yaml", "folder"], []),
    ("softfeb run -c mine.yaml --report ", ["folder"], ["mine.yaml"]),
    ("softfeb lab sweep --on ", ["slurm", "parallel"], []),
    ("softfeb switch-test --profile ", ["quick", "standard", "rfc"], []),
    ("softfeb run -c mine.yaml --web o", ["on", "off"], []),
    ("softfeb run --set ", ["boards.", "run."], ["network."]),
    ("softfeb lab --set ", ["boards.", "network."], []),
    ("softfeb run --set boards.", ["boards.0."], []),
    ("softfeb run -c mine.yaml --set boards.", ["boards.0.", "boards.feb0.", "boards.feb1."], ["boards.daq."]),
    ("softfeb lab --config mine.yaml compare --set receivers.", ["receivers.0.", "receivers.daq."], ["receivers.feb0."]),
    ("softfeb run --set boards.feb0.qps.1.traffic.m", ["boards.feb0.qps.1.traffic.messages=", "boards.feb0.qps.1.traffic.message_size="], []),
    ("softfeb regs --profile k", ["kcu105-rocev2-2026.05"], ["softfeb-2026.12"]),
    ("softfeb-mpi lab --vi", ["--virtual"], ["--web"]),
    ("febctl --ip 127.0.0.1 ", ["read", "write", "dump"], []),
    ("febctl load ", ["mine.yaml"], []),
    ("febctl read AxiVersion.Scr", ["AxiVersion.ScratchPad"], []),
    ("rdma-sink --mtu ", ["256", "4096"], []),
    ("rdma-sink --event-b", ["--event-boards", "--event-builders", "--event-builder"], ["--events"]),
]
# If the completed word follows "=" or a comma within an argument, one shell inserts the whole argument, and the other
# only its last part. For these lines, the test therefore compares only the endings of the words.
ENDINGS = [
    ("softfeb run --set ports.0.flow_control=", ["off", "rx", "tx", "full", "leave"]),
    ("softfeb run --set=ports.0.mt", ["ports.0.mtu="]),
    ("softfeb conformance --level shall,m", ["may", "measure"]),
    ("softfeb lab compare --algorithms=dcqcn,ti", ["timely"]),
]


class Completion(unittest.TestCase):
    def check(self, shell):
        self.addCleanup(shell.close)
        (shell.folder() / "mine.yaml").write_text(CONFIGURATION)
        (shell.folder() / "folder").mkdir()
        for line, offered, others in CASES:
            with self.subTest(line):
                found = [word.rstrip("/") for word in shell.complete(line)]
                self.assertEqual([w for w in offered if w not in found], [], found)
                self.assertEqual([w for w in others if w in found], [], found)
        for line, endings in ENDINGS:
            with self.subTest(line):
                found = shell.complete(line)
                self.assertEqual([e for e in endings if not any(w.endswith(e) for w in found)], [], found)
                self.assertEqual(len(found), len(endings), found)

    @unittest.skipUnless(Path(shells.BASH_COMPLETION).exists(), "bash-completion is not installed")
    def test_bash(self):
        self.check(shells.bash([SCRIPTS / name for name in ("softfeb", "softfeb-mpi", "febctl", "rdma-sink") if (SCRIPTS / name).exists()], PATH))

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh(self):
        self.check(shells.zsh(SCRIPTS, PATH))


if __name__ == "__main__":
    result = unittest.main(exit=False).result
    sys.exit(1 if not result.wasSuccessful() else 77 if len(result.skipped) == 2 else 0)
