# SPDX-License-Identifier: BSD-3-Clause
"""Copies the sources, without builds and without files that git ignores."""

import os
import shutil

from release import version
from release.command import ROOT



def not_sources(folder, names):
    """Returns those names in a folder of an unpacked archive that are not sources, in accordance with
    .gitignore."""
    top = os.path.samefile(folder, ROOT)
    return [n for n in names if n in (".git", ".cache", "__pycache__") or (top and n.startswith(("build", "softfeb-report")))]


def copy(to):
    """Copies the sources and debian/changelog into the folder `to`. All files get the time of the sources."""
    if version.in_git():
        for name in version.git("ls-files", "-z").split("\0"):
            if name and (ROOT / name).exists():
                (to / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, to / name, follow_symlinks=False)
    else:
        shutil.copytree(ROOT, to, symlinks=True, ignore=not_sources, dirs_exist_ok=True)
    (to / "debian/changelog").write_text(version.changelog())
    when = version.date()
    for folder, _, files in os.walk(to):
        for name in files:
            os.utime(os.path.join(folder, name), (when, when), follow_symlinks=False)
