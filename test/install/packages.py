# SPDX-License-Identifier: BSD-3-Clause
"""Follows doc/releasing.md from a clean clone of the last commit: makes the archive, builds the packages twice,
installs them in a new Debian system, and makes the container image. Takes minutes. Set SOFTFEB_PACKAGES to a
folder to keep the results."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(os.environ["SOFTFEB_SOURCE"])
SKIPPED = 77
MISSING = 3  # exit status of tools/make-image if the machine lacks something
NEEDED = {"dpkg-buildpackage": "dpkg-dev", "dh": "debhelper", "git": "git", "lintian": "lintian", "mmdebstrap": "mmdebstrap",
          "umoci": "umoci", "xz": "xz-utils"}


def run(*command, cwd):
    print("$", *command, flush=True)
    subprocess.run(command, cwd=cwd, check=True)


def release(work, out):
    clone = work / "clone"
    run("git", "clone", "--quiet", SOURCE, clone, cwd=work)
    run("tools/make-archive", "--out", out, cwd=clone)
    shutil.rmtree(clone)  # from here on, nothing needs git
    archive, = out.glob("*.tar.xz")
    run("tar", "--extract", "--file", archive, cwd=work)
    tree, = work.glob("softfeb-*")
    run("tools/make-packages", "--reproducible", "--out", out / "packages", cwd=tree)
    run("tools/test-packages", "--packages", out / "packages", cwd=tree)
    try_image(out, tree)


def try_image(out, tree):
    command = ["tools/make-image", "--packages", out / "packages", "--out", out / "image", "--test"]
    print("$", *command, flush=True)
    status = subprocess.run(command, cwd=tree, check=False).returncode
    if status == MISSING:
        print("skipped: this machine cannot run the image")
    elif status != 0:
        raise SystemExit(f"tools/make-image: status {status}")


def main():
    missing = sorted({package for program, package in NEEDED.items() if shutil.which(program) is None})
    if missing:
        print("Debian packages are missing: " + ", ".join(missing) + "\nfix: ./quickstart packages")
        return SKIPPED
    if not (SOURCE / ".git").exists():
        print("this is no clone, so there is no commit to release")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="softfeb-packages-") as work:
        out = Path(os.environ.get("SOFTFEB_PACKAGES", work + "/out"))
        out.mkdir(parents=True, exist_ok=True)
        release(Path(work), out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
