# SPDX-License-Identifier: BSD-3-Clause
"""Compiles the congestion control plug-in of doc/congestion.md, as a user would."""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "test/support"))

import code_blocks  # noqa: E402


def compile_tutorial(folder):
    """Makes folder/equal.so."""
    (folder / "equal.cpp").write_text(code_blocks.block("doc/congestion.md", "cpp", "class Equal"), encoding="utf-8")
    include = folder / "include/softfeb"
    include.mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / "lib/plugins/congestion_plugin.hpp", include)
    subprocess.run(["g++", "-std=c++20", "-O2", "-fPIC", "-shared", "-Iinclude", "equal.cpp", "-o", "equal.so"], cwd=folder, check=True)
