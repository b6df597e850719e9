# SPDX-License-Identifier: BSD-3-Clause
"""Checks that systemd accepts the units, that the units are hardened, and that they name only options and
files that exist. Does not need a running systemd."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "data/systemd"
SOFTFEB = Path(os.environ["SOFTFEB"])
SKIPPED = 77
# Highest exposure levels that `systemd-analyze security` may report for each kind of unit, in tenths.
BOARD, CAMERA, WITHOUT_CAPABILITIES = 24, 25, 15


def run(*command):
    return subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


class Units(unittest.TestCase):
    def setUp(self):
        self.dir = Path(tempfile.mkdtemp(prefix="softfeb-units-"))
        self.addCleanup(shutil.rmtree, self.dir)
        for source in DATA.glob("*.service.in"):
            text = source.read_text().replace("@bindir@", str(SOFTFEB.parent))
            (self.dir / source.stem).write_text(text)

    def test_systemd_accepts_them(self):
        for unit in ("softfeb@board.service", "softfeb-camera@camera.service"):
            checked = run("systemd-analyze", "verify", "--man=no", "--generators=no", self.dir / unit)
            self.assertEqual((checked.returncode, checked.stdout), (0, ""), unit)

    def exposure(self, unit, threshold):
        checked = run("systemd-analyze", "security", "--offline=true", "--no-pager", f"--threshold={threshold}", self.dir / unit)
        level = re.search(r"Overall exposure level for .*: ([\d.]+)", checked.stdout)
        self.assertIsNotNone(level, checked.stdout)
        self.assertEqual(checked.returncode, 0, f"{unit}: {level.group(0)}")
        return float(level.group(1))

    def test_they_are_hardened(self):
        board = self.exposure("softfeb@.service", BOARD)
        self.exposure("softfeb-camera@.service", CAMERA)
        shutil.copy(self.dir / "softfeb@.service", self.dir / "softfeb@ring.service")
        folder = self.dir / "softfeb@ring.service.d"
        folder.mkdir()
        shutil.copy(DATA / "examples/no-capabilities.conf", folder)
        self.assertLess(self.exposure("softfeb@ring.service", WITHOUT_CAPABILITIES), board)
        # A unit without hardening must exceed the limit; otherwise, the check above would prove nothing.
        (self.dir / "bare.service").write_text(f"[Service]\nExecStart={SOFTFEB} run\n")
        self.assertNotEqual(run("systemd-analyze", "security", "--offline=true", f"--threshold={CAMERA}", self.dir / "bare.service").returncode, 0)

    def test_the_commands_have_options_that_exist(self):
        for unit in self.dir.glob("*.service"):
            for command in re.findall(rf"^ExecStart(?:Pre)?={re.escape(str(SOFTFEB))} (.*)$", unit.read_text(), re.M):
                words = command.replace("$SOFTFEB_OPTIONS", "").split()
                known = run(SOFTFEB, words[0], "--help").stdout
                for option in (w for w in words if w.startswith("--")):
                    self.assertRegex(known, rf"(?m)^ +(-\w,)?{option}\b", f"{unit.name}: {command}")

    @unittest.skipUnless(shutil.which("systemd-sysusers"), "systemd-sysusers is not installed")
    def test_the_user_and_the_folder_are_made(self):
        root = self.dir / "root"
        (root / "etc").mkdir(parents=True)
        made = run("systemd-sysusers", f"--root={root}", DATA / "softfeb.sysusers")
        self.assertEqual(made.returncode, 0, made.stdout)
        self.assertRegex((root / "etc/passwd").read_text(), r"(?m)^softfeb:.*:/var/lib/softfeb:/usr/sbin/nologin$")
        if os.geteuid() != 0:
            return
        made = run("systemd-tmpfiles", f"--root={root}", "--create", DATA / "softfeb.tmpfiles")
        self.assertEqual(made.returncode, 0, made.stdout)
        self.assertEqual((root / "etc/softfeb").stat().st_mode & 0o777, 0o750)


if __name__ == "__main__":
    if shutil.which("systemd-analyze") is None:
        print("skipped: systemd is not installed")
        sys.exit(SKIPPED)
    unittest.main()
