# SPDX-License-Identifier: BSD-3-Clause
"""Tests that the replay of wire vectors checks a completion that comes long after the last packet.

    wire_replay_end.py VECTORS_WIRE
"""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

WIRE = Path(__file__).parent / "wire"
REPLAY = None
EMULATOR = shlex.split(os.environ.get("MESON_EXE_WRAPPER", ""))  # runs programs for another architecture
TIMEOUT, RETRIES_EXCEEDED = '"status": 20', '"status": 12'


class End(unittest.TestCase):
    def vector(self, name):
        """Returns the lines of a vector up to the completion that reports the timeout. Leaves out the
        following completions, which report flushed requests."""
        lines = (WIRE / name).read_text().splitlines()
        last = next(i for i, line in enumerate(lines) if line.startswith("WC ") and TIMEOUT in line)
        clock = {line.split()[0]: int(line.split()[1]) for line in lines[1:last + 1]}
        self.assertGreater(clock["WC"], clock["TX"] + 256, "the completion is to come late")
        return lines[:last + 1]

    def replay(self, lines):
        """Replays only this vector. Returns the exit status and the output."""
        folder = Path(tempfile.mkdtemp(prefix="softfeb-vectors-"))
        self.addCleanup(shutil.rmtree, folder)
        (folder / "wire").mkdir()
        (folder / "wire" / "ends_in_timeout.txt").write_text("\n".join(lines) + "\n")
        done = subprocess.run([*EMULATOR, REPLAY, "wire: the requester sends and completes like the firmware"],
                              text=True, env={**os.environ, "SOFTFEB_VECTORS": str(folder)},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
        return done.returncode, done.stdout

    def assert_passes(self, lines):
        status, said = self.replay(lines)
        self.assertEqual(status, 0, said)

    def assert_fails(self, lines, why):
        status, said = self.replay(lines)
        self.assertNotEqual(status, 0, said)
        self.assertIn(why, said)
        self.assertIn("at the end", said)

    def test_ends_in_a_timeout(self):
        for code in (1, 2, 4):
            with self.subTest(timeout=code):
                self.assert_passes(self.vector(f"timeout_code{code}.txt"))

    def test_wrong_status(self):
        lines = self.vector("timeout_code1.txt")
        lines[-1] = lines[-1].replace(TIMEOUT, RETRIES_EXCEEDED)
        self.assert_fails(lines, "20 == 12")

    def test_wrong_request(self):
        lines = self.vector("timeout_code1.txt")
        lines[-1] = lines[-1].replace('"id": 1', '"id": 7')
        self.assert_fails(lines, "1 == 7")

    def test_one_completion_too_many_in_the_file(self):
        lines = self.vector("timeout_code1.txt")
        self.assert_fails(lines + [lines[-1]], "requester_.poll(c)")

    def test_before_the_timer_expires(self):
        lines = self.vector("timeout_code4.txt")
        _, clock, wc = lines[-1].split(" ", 2)
        self.assert_fails(lines[:-1] + [f"WC {int(clock) - 2000} {wc}"], "requester_.poll(c)")

    def test_completion_that_the_file_does_not_have(self):
        """The error also flushes a second request, but the file does not contain this completion. The replay must fail."""
        lines = self.vector("timeout_code1.txt")
        at, request = next((i, line) for i, line in enumerate(lines) if line.startswith("WR "))
        second = request.replace('"id": 1', '"id": 2')
        self.assertNotEqual(second, request)
        self.assert_fails(lines[:at + 1] + [second] + lines[at + 1:], "is not the firmware's")


if __name__ == "__main__":
    REPLAY = sys.argv.pop()
    unittest.main(verbosity=2)
