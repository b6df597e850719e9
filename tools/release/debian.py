# SPDX-License-Identifier: BSD-3-Clause
"""Builds Debian packages with Debian's tools, outside the source tree."""

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

from release import sources, version
from release.command import FAILED, MISSING, ROOT, Failure, logged, output, say

# Files of a build that record its folder or environment, so that they differ between two builds.
RECORDS = (".buildinfo", ".changes")
PACKAGES = (".deb", ".dsc", ".tar.xz")


def profiles(check):
    return [] if check else ["-Pnocheck"]


def need_build_packages(check):
    """Checks that the packages that debian/control names as build dependencies are installed."""
    done = subprocess.run(["dpkg-checkbuilddeps", *profiles(check), ROOT / "debian/control"], check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        raise Failure(MISSING, done.stdout.strip(), f"as root: apt-get build-dep --no-install-recommends {' '.join(profiles(check))} "
                      f"{ROOT}  (or ./quickstart packages)")


# Settings that differ between machines and must not affect the packages: time zone, locale, permissions of new files.
ELSEWHERE = {"TZ": "Pacific/Kiritimati", "LC_ALL": "C", "LANG": "C"}
UMASK, UMASK_ELSEWHERE = 0o022, 0o002


def build(out, name, check, cache, elsewhere=False):
    """Builds all packages in the folder work/`name` of `out`, and returns that folder. With
    `cache`, uses ccache if it is installed. With `elsewhere`, builds as on a machine with other
    settings."""
    folder = out / "work" / name
    shutil.rmtree(folder, ignore_errors=True)
    sources.copy(folder / "softfeb")
    environment = dict(os.environ, SOURCE_DATE_EPOCH=str(version.date()))
    environment["DEB_BUILD_OPTIONS"] = " ".join([f"parallel={len(os.sched_getaffinity(0))}"] + ([] if check else ["nocheck"]))
    environment.pop("CXX_LD", None)
    if elsewhere:
        environment.update(ELSEWHERE)
    if cache and "CCACHE_DIR" not in environment:
        environment["CCACHE_DIR"] = output("ccache", "-k", "cache_dir") if shutil.which("ccache") else ""
    if not cache:
        environment["CCACHE_DISABLE"] = "1"
    logged(f"{name}: built", ["dpkg-buildpackage", "--no-sign", "--no-check-builddeps", *profiles(check)], out / f"{folder.name}.log",
           cwd=folder / "softfeb", env=environment, umask=UMASK_ELSEWHERE if elsewhere else UMASK)
    return folder


def results(folder, endings):
    return sorted(path for path in folder.iterdir() if path.name.endswith(endings))


def collect(folder, out):
    """Copies the files of the build, except .buildinfo, to `out`, where they replace the results
    of earlier builds. Returns the paths of the copies."""
    for old in results(out, PACKAGES + RECORDS):
        old.unlink()
    return [Path(shutil.copy2(path, out)) for path in results(folder, PACKAGES + RECORDS) if path.suffix != ".buildinfo"]


def lint(folder):
    """Runs lintian, and fails if it finds errors or warnings. debian/*.lintian-overrides lists exceptions
    with their reasons."""
    changes, = results(folder, (".changes",))
    done = subprocess.run(["lintian", "--allow-root", "--fail-on", "error,warning", "--tag-display-limit", "0", changes], check=False,
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        print(done.stdout + done.stderr, end="")
        raise Failure(FAILED, "lintian found errors or warnings", "correct them; lintian --info explains each")
    say(f"lintian: no errors, no warnings, {done.stdout.count(chr(10))} other lines")


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def compare(first, second):
    """Compares the packages of two builds byte by byte."""
    names = [path.name for path in results(first, PACKAGES)]
    if names != [path.name for path in results(second, PACKAGES)]:
        raise Failure(FAILED, "the two builds made different packages", f"compare {first} and {second}")
    different = [name for name in names if digest(first / name) != digest(second / name)]
    if different:
        raise Failure(FAILED, "these packages differ from build to build: " + ", ".join(different),
                      f"diffoscope {first / different[0]} {second / different[0]}")
    say(f"reproducible: two builds in different folders gave the same bytes in {len(names)} files")
    for name in names:
        print(f"{digest(first / name)}  {name}")


def remove_builds(out):
    shutil.rmtree(out / "work")
