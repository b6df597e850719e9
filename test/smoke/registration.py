# SPDX-License-Identifier: BSD-3-Clause
"""Compiles the example for applications from doc/missing-data.md outside the tree, with the installed library and header."""

import os
import re
import subprocess
import textwrap
from pathlib import Path

import harness

BUILD = Path(os.environ["SOFTFEB"]).resolve().parents[2]


class Example(harness.TestCase):
    def test_example(self):
        subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", "--tags", "devel",
                        "--destdir", self.dir / "root"], check=True, stdout=subprocess.DEVNULL)
        header, = (self.dir / "root").rglob("registration.hpp")
        library, = (self.dir / "root").rglob("libsoftfeb_registration.a")
        # Copy only this header, to check that it needs no other.
        (self.dir / "include/softfeb").mkdir(parents=True)
        header.rename(self.dir / "include/softfeb/registration.hpp")
        text = (harness.ROOT / "doc/missing-data.md").read_text()
        example, = re.findall(r"^```cpp\n(.*?)^```$", text, re.S | re.M)
        printed, = re.findall(r"^It prints\n\n(.*?)\n\n", text, re.S | re.M)
        (self.dir / "example.cpp").write_text(example)
        subprocess.run(["g++", "-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Iinclude", "example.cpp",
                        f"-L{library.parent}", "-lsoftfeb_registration", "-o", "example"], cwd=self.dir, check=True)
        done = subprocess.run([self.dir / "example"], capture_output=True, text=True, check=True, timeout=10)
        self.assertEqual(done.stdout.strip(), textwrap.dedent(printed))


if __name__ == "__main__":
    harness.main()
