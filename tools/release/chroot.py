# SPDX-License-Identifier: BSD-3-Clause
"""Debian systems made by mmdebstrap, with the packages of softfeb."""

import subprocess

from release.command import FAILED, MISSING, ROOT, USAGE, Failure, need

MIRROR = "http://deb.debian.org/debian"
SECURITY = "http://deb.debian.org/debian-security"
# Packages that a user's system has in addition to the smallest Debian system, and that the tests of softfeb's
# packages use.
TOOLS = ["g++", "man-db", "pkg-config", "procps", "bash-completion"]


def packages(folder):
    """Returns the .deb files of the folder, without those of debug symbols. Fails if the folder contains packages
    of more than one version."""
    found = sorted(p for p in folder.glob("*.deb") if "-dbgsym_" not in p.name)
    if not found:
        raise Failure(USAGE, f"{folder} contains no packages", "tools/make-packages, or name the folder with --packages")
    versions = {p.name.split("_")[1] for p in found}
    if len(versions) > 1:
        raise Failure(USAGE, f"{folder} contains packages of several versions: {', '.join(sorted(versions))}", "remove the older ones")
    return found


def lists(suite, mirror):
    """Returns the lines of sources.list for a release of Debian."""
    text = f"deb {mirror} {suite} main\n"
    if suite not in ("sid", "unstable"):
        text += f"deb {mirror} {suite}-updates main\ndeb {SECURITY} {suite}-security main\n"
    return text


def mmdebstrap(options, hooks, target, include=(), variant="apt", **how):
    """Runs mmdebstrap with hooks and returns its exit status. A hook is a line of shell in which "$1" is the
    new system."""
    need({"mmdebstrap": "mmdebstrap"})
    arguments = [f"--customize-hook={hook}" for hook in hooks]
    if include:
        arguments.append("--include=" + ",".join(include))
    return subprocess.run(["mmdebstrap", f"--variant={variant}", *how.pop("arguments", []), *arguments, options.suite, target, "-"],
                          input=lists(options.suite, options.mirror), text=True, check=False, **how).returncode


def test(folder, options):
    hooks = ['mkdir "$1/packages"', 'chmod 755 "$1/packages"']
    for file in packages(folder):
        hooks.append(f'copy-in "{file}" /packages')
    hooks.append(f'copy-in "{ROOT}/tools/release/in_chroot.sh" "{ROOT}/tools/release/listing.sh" '
                 f'"{ROOT}/tools/release/documented.py" "{ROOT}/tools/release/hardening.py" "{ROOT}/tools/check-hardening" /packages')
    hooks.append(f'chroot "$1" sh /packages/in_chroot.sh {" ".join(options.only)}')
    status = mmdebstrap(options, hooks, "/dev/null", include=TOOLS, arguments=["--format=null", "--skip=output/mknod"])
    if status == 0:
        return 0
    raise Failure(FAILED if status in (1, 25) else MISSING, "a test failed, or mmdebstrap could not make a Debian system",
                  "see the lines above; as an ordinary user, mmdebstrap needs uidmap and user namespaces")
