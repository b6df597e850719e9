# SPDX-License-Identifier: BSD-3-Clause
"""Lists the files that the source checks examine. Walks the tree instead of using git, because a source archive has no repository."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def walk(*parts, names=lambda name: True):
    """Returns the files below the directories `parts`, but only those whose names satisfy `names`. The paths are sorted, and relative to
    the root of the tree."""
    found = []
    for part in parts:
        for where, directories, files in os.walk(ROOT / part):
            directories[:] = [d for d in directories if not d.startswith(".") and d != "__pycache__"]
            found += [Path(where, f).relative_to(ROOT) for f in files if names(f)]
    return sorted(found)


def is_cpp(name):
    return name.endswith((".hpp", ".cpp"))
