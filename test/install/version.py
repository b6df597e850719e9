# SPDX-License-Identifier: BSD-3-Clause
"""Checks that the programs and packages have the version number that is in meson.build."""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
BUILD, SOURCE = Path(os.environ["SOFTFEB_BUILD"]), Path(os.environ["SOFTFEB_SOURCE"])
sys.path.insert(0, str(SOURCE / "tools"))

from release import version  # noqa: E402


class Version(unittest.TestCase):
    def test_the_programs_print_it(self):
        for program in ("softfeb", "febctl", "rdma-sink", "softfeb-mpi"):
            file = BUILD / "app" / program / program
            if file.exists():
                printed = subprocess.run([file, "--version"], check=True, stdout=subprocess.PIPE, text=True).stdout
                self.assertRegex(printed, rf"\b{re.escape(version.project())}\b", program)

    def test_the_changelog_has_a_section_for_it(self):
        self.assertRegex((SOURCE / "CHANGELOG.md").read_text(), rf"(?m)^## {re.escape(version.project())} - \d{{4}}-\d\d-\d\d$")

    def test_the_packages_have_it(self):
        self.assertRegex(version.changelog(), rf"^softfeb \({re.escape(version.project())}[+)]")

    def test_the_python_package_has_it(self):
        package = SOURCE / "python/softfeb/__init__.py"
        if not package.exists():
            self.skipTest("there is no Python package")
        self.assertEqual(re.search(r"""(?m)^__version__ = ["'](.*)["']$""", package.read_text())[1], version.project())


if __name__ == "__main__":
    unittest.main(verbosity=2)
