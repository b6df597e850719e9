# SPDX-License-Identifier: BSD-3-Clause
"""Makes the archive of a release."""

import hashlib
import subprocess
import tempfile
from pathlib import Path

from release import sources, version
from release.command import FAILED, Failure, need

# With these options, the archive does not depend on the user, the order of directory entries, and the number
# of CPUs.
SAME_BYTES = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mode=u=rwX,go=rX", "--format=gnu"]


def make(out):
    need({"git": "git", "xz": "xz-utils"})
    if not version.in_git():
        raise Failure(FAILED, "this is no git repository, so nothing says which files belong to the release", "use a clone")
    if version.git("status", "--porcelain", "--untracked-files=no"):
        raise Failure(FAILED, "files have been changed since the last commit", "git commit, or git stash")
    name = f"softfeb-{version.package()}"
    out.mkdir(parents=True, exist_ok=True)
    file = out / f"{name}.tar.xz"
    with tempfile.TemporaryDirectory(prefix="softfeb-archive-") as work:
        sources.copy(Path(work) / name)
        pack = ["tar", "--create", *SAME_BYTES, f"--mtime=@{version.date()}", "-C", work, name]
        with open(file, "wb") as stream, subprocess.Popen(pack, stdout=subprocess.PIPE) as tar:
            subprocess.run(["xz", "--threads=1", "-6"], stdin=tar.stdout, stdout=stream, check=True)
        if tar.returncode != 0:
            raise Failure(FAILED, "tar failed", "see the lines above")
    text = f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n"
    file.with_name(file.name + ".sha256").write_text(text)
    print(text, end="")
