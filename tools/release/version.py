# SPDX-License-Identifier: BSD-3-Clause
"""The version number, which meson.build contains. Packages of commits that are not a release append the date
and the commit."""

import os
import re
import subprocess
import time

from release.command import FAILED, ROOT, Failure, output


def project():
    """Returns the version in meson.build."""
    return re.search(r"^ *version: '(\d+\.\d+\.\d+)',$", (ROOT / "meson.build").read_text(), re.M)[1]


def in_git():
    return (ROOT / ".git").exists() and subprocess.run(["git", "-C", ROOT, "rev-parse", "-q", "--verify", "HEAD"], check=False,
                                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def git(*arguments):
    return output("git", "-C", ROOT, *arguments)


def package():
    """Returns the version of the Debian packages. For the commit of the tag v1.0.0, this is 1.0.0. For other
    commits, it also has the time and the commit, so that apt regards a later commit as newer."""
    if not in_git():
        return project()
    changed = git("status", "--porcelain", "--untracked-files=no") != ""
    tag = "v" + project()
    if not changed and tag in git("tag", "--points-at", "HEAD").split():
        return project()
    when = time.strftime("%Y%m%d%H%M%S", time.gmtime(date()))
    return f"{project()}+git{when}.{git('rev-parse', '--short=8', 'HEAD')}" + (".changed" if changed else "")


def date():
    """Returns the time of the sources. In a repository, this is the time of the commit. In an
    unpacked archive, it is the variable SOURCE_DATE_EPOCH or, without it, the time of meson.build
    or CHANGELOG.md, whichever is newer."""
    if in_git():
        return int(git("log", "-1", "--format=%ct"))
    if "SOURCE_DATE_EPOCH" in os.environ:
        return int(os.environ["SOURCE_DATE_EPOCH"])
    return int(max(path.stat().st_mtime for path in (ROOT / "meson.build", ROOT / "CHANGELOG.md")))


def changelog():
    """Returns the text of debian/changelog, which an archive already contains."""
    file = ROOT / "debian/changelog"
    if file.exists() and not in_git():
        return file.read_text()
    maintainer = re.search(r"^Maintainer: (.*)$", (ROOT / "debian/control").read_text(), re.M)
    if maintainer is None:
        raise Failure(FAILED, "debian/control names no maintainer", "add a line Maintainer:")
    version = package()
    if version == project():
        what = f"Release {version}. CHANGELOG.md lists the changes."
    else:
        what = f"Snapshot of the sources: commit {git('rev-parse', 'HEAD')}."
    when = time.strftime("%a, %d %b %Y %H:%M:%S +0000", time.gmtime(date()))
    return f"softfeb ({version}) unstable; urgency=medium\n\n  * {what}\n\n -- {maintainer[1]}  {when}\n"
