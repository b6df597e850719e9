# SPDX-License-Identifier: BSD-3-Clause
"""Makes and runs an OCI image: one layer with Debian's smallest system, the programs, and what they need."""

import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from release import chroot, version
from release.command import FAILED, MISSING, Failure, need, output, say

PROGRAMS = ("softfeb", "febctl", "rdma-sink")
# Packages that softfeb only recommends, but that an image needs. The first two are the smallest
# packages that can create the user of softfeb's systemd units. The other three provide the charts
# of the live page, the pictures of reports, and RDMA drivers. Tools that configure NICs, huge
# pages and interfaces of the host are of no use in a container.
RECOMMENDED = ("systemd-standalone-sysusers", "systemd-standalone-tmpfiles", "libjs-chart.js",
               "python3-matplotlib", "ibverbs-providers")
# Files that nothing in the image uses. Debian's matplotlib depends on compilers and on libraries for mathematics,
# because a library that matplotlib needs can compile Python. Without these files, the image is half as large.
EXCLUDED = ("/usr/include/*", "/usr/lib/gcc/*", "/usr/bin/*-lto-dump*", "/usr/lib/*/*.a", "/usr/lib/*/lib[atl]san.so*",
            "/usr/lib/python3.*/config-*", "/usr/lib/udev/hwdb.*", "/usr/share/locale/*", "/usr/share/man/*")
# Python packages that nothing in the image uses. They are removed after the installation, because Python compiles the files of a
# package when the package is set up, and fails if they are missing.
UNUSED_PYTHON = ("mpmath", "pythran", "scipy", "sympy")
ANNOTATIONS = {
    "org.opencontainers.image.title": "softfeb",
    "org.opencontainers.image.description": "a software front-end board that sends RoCEv2",
    "org.opencontainers.image.licenses": "BSD-3-Clause",
}
# Users run experiments in their own folder, mounted at /work. The user of the image has no privileges.
USER, WORK = "user", "/work"


def recommended_drivers(package):
    names = output("dpkg-deb", "-f", package, "Recommends").split(",")
    return [name.strip() for name in names if name.strip().startswith("librte-")]


def file_system(packages, tar, options):
    """Writes the file system of the image to a tar archive."""
    extra = " ".join([*RECOMMENDED, *recommended_drivers(packages[0])])
    hooks = ['mkdir "$1/packages"'] + [f'copy-in "{p}" /packages' for p in packages] + [
        f'chroot "$1" sh -c "apt-get -q install -y --no-install-recommends /packages/*.deb {extra}"',
        'rm -r "$1/packages"',
        f'chroot "$1" useradd --uid 1000 --home-dir {WORK} --create-home --shell /usr/sbin/nologin {USER}',
        "rm -rf " + " ".join(f'"$1"/usr/lib/python3/dist-packages/{name}' for name in UNUSED_PYTHON),
        # Remove logs, caches and lists of packages. An image does not need these files, because it is always
        # replaced as a whole.
        'rm -rf "$1"/var/log/* "$1"/var/cache/* "$1"/var/lib/apt/lists/* "$1"/usr/share/doc/*/changelog*',
    ]
    environment = dict(os.environ, SOURCE_DATE_EPOCH=str(version.date()), DEBIAN_FRONTEND="noninteractive")
    with open(tar.with_suffix(".log"), "w", encoding="utf-8") as log:
        status = chroot.mmdebstrap(options, hooks, str(tar), variant="apt",
                                   arguments=[f"--dpkgopt=path-exclude={p}" for p in EXCLUDED],
                                   env=environment, stderr=log, stdout=log)
    if status != 0:
        print("".join(open(tar.with_suffix(".log"), encoding="utf-8", errors="replace").readlines()[-20:]), end="")
        raise Failure(FAILED, f"mmdebstrap failed with status {status}", "see the lines above")


def umoci(*arguments):
    subprocess.run(["umoci", *arguments], check=True)


def assemble(tar, out, tag):
    """Makes the image from one layer and a configuration."""
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(version.date()))
    image = f"{out}:{tag}"
    umoci("init", "--layout", out)
    umoci("new", "--image", image)
    umoci("raw", "add-layer", "--image", image, "--history.created", when, "--history.created_by", "tools/make-image", str(tar))
    settings = {"--config.entrypoint": "/usr/bin/softfeb", "--config.cmd": "--help", "--config.user": USER,
                "--config.workingdir": WORK, "--config.stopsignal": "SIGINT", "--config.env": "LC_ALL=C.UTF-8", "--created": when}
    options = [text for pair in settings.items() for text in pair]
    annotations = dict(ANNOTATIONS, **{"org.opencontainers.image.version": tag})
    for name, value in annotations.items():
        options += ["--manifest.annotation", f"{name}={value}", "--config.label", f"{name}={value}"]
    umoci("config", "--image", image, "--no-history", *options)
    umoci("tag", "--image", image, "latest")
    umoci("gc", "--layout", out)


def tag_of(package):
    """Returns the version of a package as a tag, which must not contain + or ~."""
    return output("dpkg-deb", "-f", package, "Version").replace("+", "-").replace("~", "-")


def run_podman(storage, *arguments):
    """Runs podman's command `run` without network and privileges. `storage` is a temporary folder."""
    return subprocess.run(["podman", "--root", storage / "root", "--runroot", storage / "run", "run", "--rm",
                           "--network", "none", "--ulimit", "host", "--cap-drop", "all", "--security-opt", "no-new-privileges", *arguments],
                          check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def podman(storage, out, *arguments):
    """Runs the image, and returns what it prints."""
    done = run_podman(storage, *arguments)
    if done.returncode != 0:
        raise Failure(FAILED, f"podman run {' '.join(arguments)}: status {done.returncode}\n{done.stdout}{done.stderr}",
                      f"run it by hand with the image {out}")
    return done.stdout


def need_containers(storage, out, image):
    """Checks whether podman can start any program of the image on this machine."""
    done = run_podman(storage, "--entrypoint", "/bin/true", image)
    if done.returncode != 0:
        raise Failure(MISSING, f"the image is complete, but podman cannot run containers on this machine: {done.stderr.strip()}",
                      f"run the image {out} on another machine")


def try_it(out):
    """Runs the programs of the image."""
    image = f"oci:{out}:latest"
    with tempfile.TemporaryDirectory(prefix="softfeb-podman-", ignore_cleanup_errors=True) as storage:
        storage = Path(storage)
        try:
            need_containers(storage, out, image)
            podman(storage, out, image, "doctor")
            result = json.loads(podman(storage, out, image, "lab", "-c", "conf/lab/incast.yaml", "--virtual", "--quiet", "--json", "-"))
            if result["verdict"] != "held":
                raise Failure(FAILED, f"the incast in the image: {result['verdict']}", "compare it with the same run outside")
            podman(storage, out, image, "run", "-c", "conf/board.yaml", "--duration", "1", "--quiet")
            for program in ("febctl", "rdma-sink"):
                podman(storage, out, "--entrypoint", f"/usr/bin/{program}", image, "--version")
        finally:
            if os.getuid() == 0:
                subprocess.run(["podman", "--root", storage / "root", "--runroot", storage / "run", "rmi", "--all",
                                "--force"], check=False, stdout=subprocess.DEVNULL)
                subprocess.run(["umount", "--quiet", storage / "root/overlay"], check=False)
    say("image: doctor, the incast, a board, febctl and rdma-sink work without network and capabilities")


def make(folder, out, options):
    need({"mmdebstrap": "mmdebstrap", "umoci": "umoci", **({"podman": "podman"} if options.test else {})})
    packages = sorted((p for p in chroot.packages(folder) if p.name.split("_")[0] in PROGRAMS),
                      key=lambda p: not p.name.startswith("softfeb_"))
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="softfeb-image-") as work:
        tar = Path(work) / "layer.tar"
        file_system(packages, tar, options)
        say(f"file system: {tar.stat().st_size / 1e6:.0f} MB, {time.monotonic() - began:.0f} s")
        made = Path(work) / "image"
        assemble(tar, str(made), tag_of(packages[0]))
        shutil.rmtree(out, ignore_errors=True)
        out.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(made, out)
    size = sum(p.stat().st_size for p in out.rglob("*") if p.is_file())
    say(f"{out}:{tag_of(packages[0])}: {size / 1e6:.0f} MB compressed")
    if options.test:
        try_it(out)
    print(f"run it with: podman run --rm oci:{out}:latest lab -c conf/lab/incast.yaml --virtual")
