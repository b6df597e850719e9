# SPDX-License-Identifier: BSD-3-Clause
"""Checks that the man pages have all sections, every option and every key, that mandoc and groff accept the
pages, and that the examples in the pages use only options that exist."""

import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
PAGES = Path(os.environ["MANUALS"])
PROGRAMS = os.environ["PROGRAMS"].split(":")
SECTIONS = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "FILES", "EXAMPLES", "SEE ALSO"]
OPTIONAL = {"FILES": {"softfeb-lab-compare.1", "softfeb-trigger.1", "softfeb-doctor.1", "softfeb-regs.1"}}


def pages():
    return sorted([*PAGES.glob("*.1"), *PAGES.glob("*.5")])


def plain(page):
    """Returns the text of a page as a reader sees it, without formatting and with single spaces."""
    environment = {**os.environ, "MANWIDTH": "1000", "LC_ALL": "C.UTF-8"}
    text = subprocess.run(["man", "-l", "-Tutf8", "--nh", "--nj", str(page)], env=environment, check=True, stdout=subprocess.PIPE,
                          text=True).stdout
    return " ".join(re.sub(r"\x1b\[[0-9;]*m|.\x08", "", text).split())


def program(name):
    return next(Path(folder) / name for folder in PROGRAMS if (Path(folder) / name).exists())


def help_of(words):
    name = "softfeb" if words[0] == "softfeb-mpi" else words[0]
    return subprocess.run([program(name), *words[1:], "--help"], check=True, stdout=subprocess.PIPE, text=True).stdout


def options_of(text):
    """Returns the options that --help lists. In the text, each option stands at the beginning of a line or
    after its short form."""
    return set(re.findall(r"^ +(?:-\w,)?(--[\w-]+)", text, re.M)) | set(re.findall(r"^ +(-\w)\b", text, re.M))


COMMANDS = {"softfeb": ["run", "lab", "lab sweep", "lab compare", "trigger", "conformance", "switch-test", "doctor", "regs"],
            "febctl": ["read", "write", "list", "dump", "load", "status", "connect", "dispatch", "teardown", "session", "stream"]}


@unittest.skipUnless(shutil.which("man"), "man-db is not installed")
class Pages(unittest.TestCase):
    def test_every_page_has_its_sections(self):
        self.assertGreaterEqual(len(pages()), 14)
        for page in pages():
            sections = re.findall(r"^\.SH (.*)$", page.read_text(), re.M)
            missing = [s for s in SECTIONS if s not in sections and page.name not in OPTIONAL.get(s, ())]
            self.assertEqual(missing, [], page.name)

    def test_groff_has_no_warnings(self):
        for page in pages():
            run = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", str(page)], stdout=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE, text=True)
            self.assertEqual((run.returncode, run.stderr), (0, ""), page.name)

    @unittest.skipUnless(shutil.which("mandoc"), "mandoc is not installed")
    def test_mandoc_has_no_complaints(self):
        run = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", *map(str, pages())], stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True)
        self.assertEqual((run.returncode, run.stdout), (0, ""))

    def test_the_options_are_those_of_help(self):
        for page in pages():
            words = next(([name, *c.split()] for name, all_ in COMMANDS.items() for c in all_
                          if page.name == f"{name}-{c.replace(' ', '-')}.1"), None)
            if words is None and page.name not in ("rdma-sink.1", "softfeb.1"):
                continue
            expected = options_of(help_of(words or [page.stem]))
            self.assertGreater(len(expected), 0)
            text = plain(page)
            options = text[text.index(" OPTIONS "):text.index(" EXIT STATUS ")]
            self.assertEqual([o for o in expected if not re.search(rf"(?<![\w-]){o}(?![\w-])", options)], [], page.name)

    def test_febctl_has_the_options_of_all_commands(self):
        text = plain(PAGES / "febctl.1")
        for command in COMMANDS["febctl"]:
            expected = options_of(help_of(["febctl", command]))
            self.assertEqual([o for o in expected if o not in text], [], command)

    def test_the_configuration_has_every_key(self):
        known = subprocess.run([program("softfeb"), "--describe-configuration", str(ROOT / "conf/reference.yaml")], check=True,
                               stdout=subprocess.PIPE, text=True).stdout
        text = plain(PAGES / "softfeb.yaml.5")
        keys = [k for k in re.findall(r'^ "([^"]+)"', known, re.M) if k.startswith(("run.", "ports[].", "workers.", "eal."))]
        self.assertGreater(len(keys), 60)
        described_elsewhere = re.compile(r"ports\[\]\.faults\.rules\[\]\.(on|do)")
        self.assertEqual([k for k in keys if not re.search(rf"(?<![\w.]){re.escape(k)}(?![\w])", text)
                          and not described_elsewhere.match(k)], [])

    def test_examples_use_options_that_exist(self):
        """Checks every line that starts a program, in DESCRIPTION and in all other sections."""
        count = 0
        for page in pages():
            for line in re.findall(r"^(?:mpirun .*?)?((?:softfeb|febctl|rdma|softfeb-mpi)\b.*)$", page.read_text().replace("\\-", "-"), re.M):
                words = line.split()
                if words[0] not in ("softfeb", "softfeb-mpi", "febctl", "rdma-sink") or len(words) < 2:
                    continue
                commands = [w for w in words[1:] if w in " ".join(COMMANDS.get(words[0].removesuffix("-mpi"), [])).split()]
                known = options_of(help_of([words[0], *commands]))
                for inherited in ([words[0]], [words[0], *commands[:1]]):
                    known |= options_of(help_of(inherited))
                used = {w.split("=")[0] for w in words if w.startswith("-") and w != "-"}
                self.assertEqual(used - known, set(), f"{page.name}: {line}")
                count += 1
        self.assertGreater(count, 20)


if __name__ == "__main__":
    if shutil.which("man") is None:
        print("skipped: man-db is not installed")
        sys.exit(77)
    unittest.main()
