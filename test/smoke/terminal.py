# SPDX-License-Identifier: BSD-3-Clause
"""On a terminal, softfeb's progress output is a table that fits the window and is redrawn. Elsewhere, the
progress output consists of plain lines."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import threading
import time

import harness

MOVE = re.compile(r"\r\x1b\[(\d+)A\x1b\[J")
COLOUR = re.compile(r"\x1b\[[\d;]*m")


def resize(terminal, columns, rows):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


class Screen:
    """Runs softfeb with its standard error on a pseudo-terminal and its standard output on a pipe."""

    def __init__(self, config, duration, columns, rows, **environment):
        self.terminal, inner = pty.openpty()
        resize(self.terminal, columns, rows)
        self.process = subprocess.Popen(
            [harness.SOFTFEB, "run", "-c", str(config), "--duration", duration], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=inner, env={**os.environ, "TERM": "xterm", "NO_COLOR": "", **environment})
        os.close(inner)
        self.said = b""
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        while True:
            try:
                part = os.read(self.terminal, 65536)
            except OSError:  # the other end is closed
                return
            if not part:
                return
            self.said += part

    def finish(self):
        try:
            out, _ = self.process.communicate(timeout=harness.LIMIT)
        finally:
            self.process.kill()
            self.reader.join()
            os.close(self.terminal)
        return self.process.returncode, out.decode(), self.said.decode().replace("\r\n", "\n")


class Table(harness.TestCase):
    def boards(self, count):
        sender = harness.qp(traffic={"rate": "20Mb/s"}, **harness.PATIENT)
        config = harness.ring([harness.board(sender, count=count)], [harness.receiver(ip="10.0.0.101/24")])
        return self.config(config)

    def drawn(self, text):
        """Returns the successive states of the table, each as a list of lines without colours. Also returns,
        for each state, the number of lines that the cursor moved up after it."""
        parts, moves = MOVE.split(text)[2::2], [int(n) for n in MOVE.findall(text)]
        self.assertGreater(len(moves), 2, text)
        blocks = [[line for line in COLOUR.sub("", part).splitlines() if not line.startswith("draining")] for part in parts[:-1]]
        return blocks, moves[1:]

    def test_table(self):
        screen = Screen(self.boards(3), "2", 100, 30)
        status, out, text = screen.finish()
        self.assertEqual(status, 0, out)
        blocks, moves = self.drawn(text)
        self.assertEqual([len(b) for b in blocks], moves)
        last = blocks[-1]
        self.assertEqual(len(last), 5, "heading, names of the columns, a line for each board")
        for word in ("board", "state", "offered", "Rc", "sent", "CNPs", "resent"):
            self.assertIn(word, last[1])
        for i, line in enumerate(last[2:]):
            self.assertRegex(line, rf"^feb0-{i} +(sends|idle) +0\.020 +- +0\.0\d\d ")
        self.assertIn("\x1b[32m", text)
        self.assertNotIn("\x1b[?", text, "modes of the terminal must not outlive the program")
        self.assertIn("All checks held", out)
        self.assertNotIn("\x1b", out)

    def rc(self, scope):
        """Returns the rate Rc that the table shows for a board, which has eight queue pairs to two
        receivers."""
        senders = harness.qp(to=["daq", "daq2"], count=8, traffic={"rate": "2Mb/s"}, **harness.PATIENT)
        config = harness.ring(
            [harness.board(senders, dcqcn={"algorithm": "firmware", "scope": scope})],
            [harness.receiver(), harness.receiver(name="daq2", ip="10.0.0.4/24")])
        status, out, text = Screen(self.config(config), "1", 100, 30).finish()
        self.assertEqual(status, 0, out)
        blocks, _ = self.drawn(text)
        return float(blocks[-1][2].split()[3])

    def test_rate_that_queue_pairs_share_counts_once(self):
        rc = {scope: self.rc(scope) for scope in ("board", "ip_pair", "qp")}
        self.assertGreater(rc["board"], 0)
        self.assertEqual(rc["ip_pair"], 2 * rc["board"])
        self.assertEqual(rc["qp"], 8 * rc["board"])

    def test_many_boards_in_a_small_window_that_changes(self):
        screen = Screen(self.boards(40), "3", 90, 12, NO_COLOR="1")
        time.sleep(1.8)
        resize(screen.terminal, 40, 9)
        status, out, text = screen.finish()
        self.assertEqual(status, 0, out)
        self.assertEqual(COLOUR.findall(text), [])
        blocks, _ = self.drawn(text)
        self.assertEqual({len(b) for b in blocks}, {11, 8})
        for lines in blocks:
            self.assertLess(max(map(len, lines)), 90 if len(lines) == 11 else 40)
            self.assertRegex(lines[-1], r"^\.\.\. and \d+ more boards: ")

    def test_lines_on_a_dumb_terminal(self):
        status, out, text = Screen(self.boards(1), "1.5", 80, 24, TERM="dumb").finish()
        self.assertEqual(status, 0, out)
        self.assertNotIn("\x1b", text)
        self.assertEqual(len(re.findall(r"^ +1\.0 s .* messages  0 retransmitted$", text, re.M)), 1, text)


if __name__ == "__main__":
    harness.main()
