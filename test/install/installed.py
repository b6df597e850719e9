# SPDX-License-Identifier: BSD-3-Clause
"""Installs softfeb into a temporary folder, as packages do. Checks which files are installed, how the programs are
hardened, and that softfeb works while neither the build nor the sources can be reached."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
BUILD, SOURCE = Path(os.environ["SOFTFEB_BUILD"]), Path(os.environ["SOFTFEB_SOURCE"])
sys.path.insert(0, str(SOURCE / "tools"))

from release import hardening  # noqa: E402

# `meson install` may install only files in these folders of the prefix, and these single files. Tests,
# benchmarks, and libraries that only the programs use must not be installed.
PLACES = re.compile(r"""
    bin/(softfeb|softfeb-mpi|febctl|rdma-sink)
  | include/softfeb/\w+\.hpp
  | lib(/[\w-]+)?/(libsoftfeb_registration\.a|pkgconfig/softfeb-[\w-]+\.pc)
  | (lib/)?lib/(systemd|sysusers\.d|tmpfiles\.d)/.+
  | lib/python3(\.\d+)?/(dist|site)-packages/softfeb.+
  | share/softfeb/.+
  | share/doc/softfeb/.+
  | share/man/man[1578]/(softfeb|febctl|rdma-sink)[\w.-]*
  | share/(bash-completion/completions|zsh/[\w-]+)/_?(softfeb|softfeb-mpi|febctl|rdma-sink)
""", re.VERBOSE)

EXPECTED = [
    "bin/softfeb", "bin/febctl",
    "include/softfeb/congestion_plugin.hpp", "include/softfeb/registration.hpp",
    "share/softfeb/conf/lab/incast.yaml", "share/softfeb/conf/reference.yaml", "share/softfeb/conf/conformance/iba.yaml",
    "share/softfeb/report/__main__.py", "share/softfeb/report/page.css", "share/softfeb/report/charts/rates.py",
    "share/softfeb/wireshark/event_header.lua",
    "share/doc/softfeb/README.md", "share/doc/softfeb/doc/tutorial.md", "share/doc/softfeb/doc/images/incast.png",
    "share/doc/softfeb/conf",
]


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = Path(tempfile.mkdtemp(prefix="softfeb-installed-"))
        cls.addClassCleanup(shutil.rmtree, cls.root)
        subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", cls.root / "destdir"], check=True,
                       stdout=subprocess.DEVNULL)
        softfeb, = (cls.root / "destdir").rglob("bin/softfeb")
        cls.prefix = softfeb.parents[1]
        cls.programs = sorted((cls.prefix / "bin").iterdir())

    def test_what_is_installed(self):
        files = [p.relative_to(self.prefix).as_posix() if p.is_relative_to(self.prefix) else
                 p.relative_to(self.root / "destdir").as_posix()
                 for p in (self.root / "destdir").rglob("*") if p.is_symlink() or not p.is_dir()]
        self.assertEqual([f for f in EXPECTED if f not in files], [], "missing")
        self.assertEqual([f for f in files if not PLACES.fullmatch(f)], [], "not for users")
        self.assertEqual([f for f in files if re.search(r"\.pyc$|__pycache__|~$|\.orig$", f)], [], "not sources")
        self.assertTrue((self.prefix / "share/doc/softfeb/conf/reference.yaml").is_file(), "the manual's link to conf is broken")

    def test_the_programs_have_all_protections(self):
        if "-fsanitize" in (BUILD / "compile_commands.json").read_text():
            self.skipTest("sanitizers replace the protections")
        if not self.optimized():
            self.skipTest("FORTIFY needs a build with optimization")
        for program in self.programs:
            self.assertEqual(hardening.lacking(program), [], program.name)

    def optimized(self):
        options = json.loads(subprocess.run(["meson", "introspect", "--buildoptions", BUILD], check=True, stdout=subprocess.PIPE).stdout)
        return any(o["name"] == "optimization" and o["value"] in ("2", "3", "s") for o in options)

    def test_no_file_names_a_folder_of_the_build(self):
        """Packages must be reproducible, and an installed program must not load a file that other users may
        have put into the build folder."""
        for program in self.programs:
            stripped = self.root / "stripped"
            subprocess.run(["strip", "-o", stripped, program], check=True)
            self.assertNotIn(os.fsencode(SOURCE), stripped.read_bytes(), program.name)
        for file in list(self.prefix.rglob("*.pc")) + list((self.prefix / "share/softfeb").rglob("*")):
            if file.is_file():
                self.assertNotIn(os.fsencode(SOURCE), file.read_bytes(), file.name)

    def away_from_the_sources(self, *command):
        """Runs a command in an empty folder. If the machine permits it, empty file systems hide the sources
        and the build."""
        home = Path(tempfile.mkdtemp(dir=self.root))
        hidden = 'for f in "$1" "$2"; do [ ! -d "$f" ] || mount -t tmpfs none "$f"; done && shift 2 && exec "$@"'
        unshare = ["unshare", "--map-root-user", "--mount"]
        if subprocess.run([*unshare, "mount", "-t", "tmpfs", "none", SOURCE], check=False, stderr=subprocess.DEVNULL).returncode == 0:
            command = [*unshare, "sh", "-c", hidden, "sh", BUILD, SOURCE, *command]
        done = subprocess.run(command, cwd=home, capture_output=True, text=True, check=False, timeout=100)
        return home, done

    def test_the_installed_softfeb_runs_the_incast_with_its_report(self):
        home, done = self.away_from_the_sources(self.prefix / "bin/softfeb", "lab", "-c", "conf/lab/incast.yaml", "--virtual",
                                                "--duration", "50ms", "--report", "report")
        self.assertIn(done.returncode, (0, 1), done.stdout + done.stderr)  # 50 ms are too short for some checks
        self.assertTrue((home / "report/result.json").is_file(), done.stderr)
        if "matplotlib is not installed" not in done.stderr:
            self.assertTrue((home / "report/index.html").is_file(), done.stderr)
            self.assertTrue(list((home / "report").glob("*.svg")), done.stderr)

    def test_the_installed_softfeb_finds_its_profiles_and_configurations(self):
        home, done = self.away_from_the_sources(self.prefix / "bin/softfeb", "conformance", "--profile", "connectx-6", "--list")
        self.assertEqual(done.returncode, 0, done.stderr)
        home, done = self.away_from_the_sources(self.prefix / "bin/softfeb", "lab", "-c", "conf/none.yaml", "--virtual")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(f"{self.prefix}/share/softfeb/conf/ has examples", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
