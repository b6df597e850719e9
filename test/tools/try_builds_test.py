# SPDX-License-Identifier: BSD-3-Clause
"""Tests how tools/try-builds refuses wrong arguments, and how it reports builds. Compiles nothing."""

import importlib.machinery
import importlib.util
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
TOOL = Path(__file__).resolve().parents[2] / "tools/try-builds"
sys.path.insert(0, str(TOOL.parent))


def load():
    loader = importlib.machinery.SourceFileLoader("try_builds", str(TOOL))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("try_builds", loader))
    sys.modules["try_builds"] = module
    loader.exec_module(module)
    return module


class Arguments(unittest.TestCase):
    def refused(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([TOOL, "--dir", folder, *arguments], text=True, stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("fix: ", done.stderr)
        return done.stderr

    def test_an_unknown_build(self):
        self.assertIn("unknown build gcc-99", self.refused("gcc-99"))

    def test_a_folder_without_dpdk(self):
        self.assertIn("has 0 files lib/**/pkgconfig/libdpdk.pc", self.refused("--dpdk", "/usr/include"))


class Reports(unittest.TestCase):
    def setUp(self):
        self.tool = load()
        self.build = self.tool.Build("gcc-12")

    def attempt(self, counted, make=None):
        with mock.patch.object(self.tool, "ready"), mock.patch.object(self.tool, "tested", return_value=counted), mock.patch("builtins.print"):
            return self.tool.attempt("gcc-12", make or (lambda: self.build), Path("."))

    def test_tests_that_passed_and_failed(self):
        line, fine = self.attempt(("9 passed, 0 failed", True))
        self.assertTrue(fine)
        self.assertIn("9 passed, 0 failed", line)
        line, fine = self.attempt(("build: failed: roce (FAIL)\n9 passed, 10 failed", False))
        self.assertFalse(fine)
        self.assertIn("9 passed, 10 failed", line)

    def test_a_build_that_does_not_compile_does_not_end_the_others(self):
        def broken():
            raise self.tool.command.Failure(self.tool.command.FAILED, "ninja failed", "see the log")

        line, fine = self.attempt(None, broken)
        self.assertFalse(fine)
        self.assertIn("ninja failed", line)


if __name__ == "__main__":
    unittest.main()
