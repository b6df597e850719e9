# SPDX-License-Identifier: BSD-3-Clause
"""Compiles the congestion control plug-in of doc/congestion.md, as a user would."""

import re
import shutil
import subprocess
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def compile_tutorial(folder):
    """Makes folder/equal.so."""
    text = (ROOT / "doc/congestion.md").read_text(encoding="utf-8")
    blocks = (textwrap.dedent(m[2]) for m in re.finditer(r"^( *)```cpp\n(.*?)^ *```$", text, re.S | re.M))
    (folder / "equal.cpp").write_text(next(b for b in blocks if "class Equal" in b), encoding="utf-8")
    include = folder / "include/softfeb"
    include.mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / "lib/plugins/congestion_plugin.hpp", include)
    subprocess.run(["g++", "-std=c++20", "-O2", "-fPIC", "-shared", "-Iinclude", "equal.cpp", "-o", "equal.so"], cwd=folder, check=True)
