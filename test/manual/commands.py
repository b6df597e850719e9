# SPDX-License-Identifier: BSD-3-Clause
"""Checks every command line in the pages of the manual, and runs the commands that need only this machine.

not_run.txt lists the commands that are only checked, with reasons. With MANUAL_ALL=1, the test also runs commands
that take long."""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools/manual"), str(ROOT / "test/manual")]
import command_lines  # noqa: E402

FOLDERS = [Path(folder) for folder in os.environ["PROGRAMS"].split(":")]
PAGES = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "tools/softroce-vm/README.md", "examples/ns3/README.md",
         *sorted(str(p.relative_to(ROOT)) for folder in ("doc", "doc/man") for p in (ROOT / folder).glob("*.md"))]
# A private network namespace, in which the ports of boards and pages are free, and from which no packet
# leaves the machine.
PRIVATE = ["unshare", "--map-root-user", "--net", "sh", "-c", 'ip link set lo up; exec "$@"', "sh"]
# These commands need a board, so the session below runs them.
SESSION = re.compile(r"^\S*febctl (--ip (127\.0\.0\.1|192\.168\.2\.10) )?(status|read|write|dump)\b|^\S*softfeb run -c conf/board\.yaml$")
# These commands end within a second or two. The other commands run only with MANUAL_ALL=1.
QUICK = re.compile(r"doctor$|conformance --(list|cases|explain)|lab -c \S+ --virtual|regs --csv")
# Options that shorten a run. A shortened run may miss a goal of the experiment, which gives exit status 1.
# Exit status 2 means that the command is wrong.
SHORT = {"lab": ["--virtual", "--set", "run.duration=5ms"], "run": ["--duration", "200ms"]}


def program(name):
    path = next((folder / name for folder in FOLDERS if (folder / name).exists()), None)
    return path or next((folder.parent / "softfeb/softfeb" for folder in FOLDERS if name == "softfeb-mpi"), None)


def reasons():
    """Returns a list of (pattern, reason) from not_run.txt."""
    rows = (line.split("\t") for line in (ROOT / "test/manual/not_run.txt").read_text().splitlines() if line and line[0] != "#")
    return [(re.compile(pattern), reason) for reason, pattern in rows]


def private_network():
    return subprocess.run([*PRIVATE, "true"], stderr=subprocess.DEVNULL, check=False).returncode == 0


class Commands(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.lines = list(command_lines.lines(ROOT, PAGES))
        cls.folder = tempfile.TemporaryDirectory(prefix="softfeb-commands-")
        for name in ("conf", "tools", "data", "examples"):
            (Path(cls.folder.name) / name).symlink_to(ROOT / name)
        for name in ("board.yaml", "lab/incast.yaml"):  # man pages omit the folder
            (Path(cls.folder.name) / Path(name).name).symlink_to(ROOT / "conf" / name)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_every_command_exists(self):
        self.assertGreater(len(self.lines), 100)
        tops = {}
        for name in command_lines.PROGRAMS:
            if path := program(name):
                text = subprocess.run([path, "--describe-command-line"], check=True, stdout=subprocess.PIPE, text=True).stdout
                tops[name] = command_lines.describe(text, name)
        errors = [e for line in self.lines if line.program not in command_lines.PROGRAMS or line.program in tops
                  for e in command_lines.check(line, tops, ROOT)]
        self.assertEqual(errors, [], "\n" + "\n".join(errors))

    def test_reasons_are_needed(self):
        for pattern, reason in reasons():
            self.assertTrue(any(pattern.search(line.text) for line in self.lines), f"not_run.txt: no command matches {pattern.pattern}")
            self.assertTrue(reason.strip())

    def to_run(self):
        lines = {line.text: line for line in self.lines}
        everything = bool(os.environ.get("MANUAL_ALL"))
        return [line for text, line in lines.items() if not SESSION.search(text) and (everything or QUICK.search(text))
                and not any(p.search(text) for p, _ in reasons())]

    @unittest.skipUnless(private_network(), "this machine does not allow user and network namespaces")
    def test_commands_run(self):
        failures, begin = [], time.monotonic()
        for line in self.to_run():
            words = [str(program(line.program)), *line.words[1:]] if line.program in command_lines.PROGRAMS else line.words
            command = line.words[1] if len(line.words) > 1 else ""
            plain = line.words[2:3] == ["-c"] and "--duration" not in line.words
            words = words + [w for w in (SHORT.get(command, []) if plain else []) if w != "--virtual" or w not in words]
            words = [w.replace("/usr/share/softfeb/", "") for w in words if w != "--hold"]
            start = time.monotonic()
            try:
                done = subprocess.run([*PRIVATE, *words], cwd=self.folder.name, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                      stderr=subprocess.PIPE, text=True, timeout=100, check=False)
                status, text = done.returncode, done.stderr
            except subprocess.TimeoutExpired:
                status, text = "none after 100 s", ""
            if os.environ.get("MANUAL_TIMES"):
                print(f"{time.monotonic() - start:6.2f} s  {status}  {line.text}")
            if status != 0 and not (status == 1 and plain and command in SHORT):
                failures.append(f"{line.place}: {line.text}: exit status {status}: {text[-400:]}")
        self.assertEqual(failures, [], "\n" + "\n".join(failures))
        print(f"{len(self.to_run())} commands, {time.monotonic() - begin:.1f} s")

    @unittest.skipUnless(os.environ.get("MANUAL_ALL"), "runs in the suite thorough")
    @unittest.skipUnless(private_network(), "this machine does not allow user and network namespaces")
    def test_session_of_the_tutorial(self):
        """Runs a board and, at the same time, every febctl command in the pages that addresses this board."""
        texts = {line.text: line for line in self.lines
                 if SESSION.search(line.text) and line.program == "febctl" and not any(p.search(line.text) for p, _ in reasons())}
        commands = [" ".join([str(program("febctl")), "--ip 127.0.0.1", re.sub(r"^\S+ (--ip \S+ )?", "", text)]) for text in texts]
        script = f"timeout 60 {program('softfeb')} run -c conf/board.yaml & board=$!\n" + """
for i in 1 2 3 4 5 6 7 8 9 10; do FEBCTL status >/dev/null 2>&1 && break; sleep 0.5; done
bad=0
""".replace("FEBCTL", f"{program('febctl')} --ip 127.0.0.1")
        script += "".join(f"{c} >/dev/null || {{ echo 'failed: '{command_lines.shlex.quote(c)} >&2; bad=1; }}\n" for c in commands)
        script += "kill -TERM $board; wait $board || bad=1; exit $bad\n"
        done = subprocess.run([*PRIVATE, "bash", "-c", script], cwd=self.folder.name, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=100, check=False)
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])
        self.assertIn("All checks held", done.stdout + done.stderr)


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    unittest.main()
