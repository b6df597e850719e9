# SPDX-License-Identifier: BSD-3-Clause
"""Builds a congestion control algorithm in a folder outside the source tree, as the tutorial of
doc/congestion.md tells users to do."""

import json
import os
import subprocess
import sys
from pathlib import Path

import harness

sys.path.insert(0, str(harness.ROOT / "test/support"))
import code_blocks  # noqa: E402

BUILD = Path(os.environ["SOFTFEB"]).resolve().parents[2]


def block(language, containing):
    return code_blocks.block("doc/congestion.md", language, containing)


class Tutorial(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.folder = self.dir
        subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", "--tags", "devel",
                        "--destdir", self.folder / "root"], check=True, stdout=subprocess.DEVNULL)
        header, = (self.folder / "root").rglob("congestion_plugin.hpp")
        # Copy only this header, to check that it needs no other.
        self.include = self.folder / "include"
        (self.include / "softfeb").mkdir(parents=True)
        header.rename(self.include / "softfeb" / header.name)

    def compile(self, source, name="equal"):
        (self.folder / f"{name}.cpp").write_text(source)
        subprocess.run(["g++", "-std=c++20", "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", f"-I{self.include}",
                        f"{name}.cpp", "-o", f"{name}.so"], cwd=self.folder, check=True)

    def lab(self, *arguments):
        (self.folder / "three-boards.yaml").write_text(block("yaml", "Three boards, one port"))
        return subprocess.run([os.environ["SOFTFEB"], "lab", "-c", "three-boards.yaml", "--virtual", "--json", "out.json",
                               *arguments], cwd=self.folder, capture_output=True, text=True, timeout=120)

    def test_three_boards_share_equally(self):
        self.compile(block("cpp", "class Equal"))
        run = self.lab()
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        result = json.loads((self.folder / "out.json").read_text())
        self.assertGreaterEqual(result["fairness_jain"], 0.99)
        self.assertEqual(result["verdict"], "held")
        congestion = result["boards"][0]["qps"][0]["congestion"]
        self.assertEqual(congestion["algorithm"], "equal")
        self.assertGreater(congestion["counters"]["cuts"], 100)
        # Set a parameter of the algorithm on the command line, first to a valid and then to an invalid value.
        self.assertEqual(self.lab("--duration", "100ms", "--set", "boards.feb.congestion.cut=0.1").returncode, 0)
        wrong = self.lab("--set", "boards.feb.congestion.cut=2")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("2 is out of bounds; fix: write 0.01 to 0.9", wrong.stderr)

    def test_a_plugin_that_throws_stops_its_queue_pairs_only(self):
        source = block("cpp", "class Equal").replace("++cuts_;", 'if (++cuts_ == 5) throw "five cuts";')
        self.compile(source)
        run = self.lab("--duration", "100ms")
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertIn("queue pairs stopped: plug-in equal: ack() threw an exception", run.stdout + run.stderr)
        result = json.loads((self.folder / "out.json").read_text())
        self.assertIn("threw an exception", result["boards"][0]["qps"][0]["congestion"]["failure"])

    def test_what_does_not_fit_is_refused(self):
        run = self.lab()
        self.assertEqual(run.returncode, 2)
        self.assertRegex(run.stderr, r"three-boards.yaml:\d+: boards.0.congestion.plugin: ./equal.so cannot be loaded")
        self.compile("int softfeb = 0;\n")
        self.assertIn("is no congestion control plug-in", self.lab().stderr)
        self.compile(block("cpp", "class Equal").replace('.name = "equal"', '.name = "swift"'), "other")
        self.assertIn("has the name of softfeb's own algorithm swift",
                      self.lab("--set", "boards.feb.congestion.plugin=./other.so").stderr)


if __name__ == "__main__":
    harness.main()
