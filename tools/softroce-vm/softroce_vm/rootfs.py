# SPDX-License-Identifier: BSD-3-Clause
"""The guest's kernel and user space, unpacked from Debian packages and packed as an initramfs."""

import compileall
import fnmatch
import lzma
import os
import py_compile
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from . import recipe
from .errors import EnvironmentMissing
from .paths import cache_dir


def _run(command, **kw):
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **kw)
    if done.returncode:
        raise EnvironmentMissing(f"failed: {' '.join(map(str, command))[:300]}\n{done.stderr.strip()[-2000:]}\n"
                                 "fix: check the network and /etc/apt/sources.list, then run: apt-get update")
    return done.stdout


def _closure(work):
    """Returns [(package, version)] of the packages and all their dependencies, as apt resolves them for a machine without any packages."""
    status = work / "status"
    status.touch()
    out = _run(["apt-get", "-s", "-y", "--no-install-recommends", "-o", f"Dir::State::status={status}",
                "-o", "Debug::NoLocking=1", "install", *recipe.PACKAGES])
    found = re.findall(r"^Inst (\S+) \((\S+)", out, re.M)
    return [(p, v) for p, v in found if not any(fnmatch.fnmatch(p, pattern) for pattern in recipe.LEFT_OUT)]


def _kernel():
    """Returns (package, version) of the kernel to which the meta package refers."""
    shown = _run(["apt-cache", "show", "--no-all-versions", recipe.KERNEL])
    name = re.search(r"^Depends: (linux-image-[^\s,]+)", shown, re.M).group(1)
    shown = _run(["apt-cache", "show", "--no-all-versions", name])
    return name, re.search(r"^Version: (\S+)", shown, re.M).group(1)


def _download(packages):
    """Returns the path of the .deb file of each (package, version). Downloads files that are not in the cache."""
    debs = cache_dir() / "debs"
    debs.mkdir(exist_ok=True)

    def stored(package, version):
        return next(iter(debs.glob(f"{package}_{version.replace(':', '%3a')}_*.deb")), None)

    missing = [f"{p}={v}" for p, v in packages if not stored(p, v)]
    if missing:
        # Do not let apt switch to its sandbox user, who has no permission to write to this directory.
        _run(["apt-get", "-qq", "-o", f"APT::Sandbox::User={os.environ.get('USER', 'root')}", "download", *missing],
             cwd=debs)
    return [stored(p, v) for p, v in packages]


def build_base(base, say):
    """Makes the directory `base`. It contains vmlinuz, base.cpio.zst, packages.txt, and a busybox for packing further archives."""
    began = time.monotonic()
    base.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="build-", dir=base.parent) as tmp:
        work = Path(tmp)
        root, kernel_root, out = work / "root", work / "kernel", work / "out"
        out.mkdir()
        packages = _closure(work)
        kernel = _kernel()
        say(f"packages: {len(packages)} and {kernel[0]} {kernel[1]}")
        debs = _download(packages + [kernel])
        say("unpacking")
        for deb in debs[:-1]:
            _run(["dpkg-deb", "-x", deb, root])
        _run(["dpkg-deb", "-x", debs[-1], kernel_root])
        _install_kernel(kernel_root, root, out)
        _finish_root(root)
        say("packing")
        pack(root, root / "bin/busybox", out / "base.cpio")
        _run(["zstd", "-q", "-T0", "-3", "--rm", out / "base.cpio"])
        (out / "busybox").write_bytes((root / "bin/busybox").read_bytes())
        (out / "busybox").chmod(0o755)
        (out / "packages.txt").write_text("".join(f"{p} {v}\n" for p, v in packages + [kernel]))
        shutil.rmtree(base, ignore_errors=True)
        out.rename(base)
    say(f"image built in {time.monotonic() - began:.1f} s: {base}")


def _module_name(path):
    return re.sub(r"\.ko(\.xz)?$", "", os.path.basename(path)).replace("-", "_")


def _install_kernel(kernel_root, root, out):
    busybox = root / "bin/busybox"
    tree = next(p for p in (kernel_root / "lib/modules", kernel_root / "usr/lib/modules") if p.exists())
    version = next(tree.iterdir()).name
    shutil.copy(kernel_root / f"boot/vmlinuz-{version}", out / "vmlinuz")
    source, target = tree / version, root / "lib/modules" / version
    target.mkdir(parents=True)

    _run([busybox, "depmod", "-b", tree.parents[1], version])
    needs = {}
    for line in (source / "modules.dep").read_text().splitlines():
        path, _, depends = line.partition(":")
        needs[path.lstrip("/")] = depends.split()
    by_name = {_module_name(p): p for p in needs}

    todo, done = [by_name[n] for n in (m.replace("-", "_") for m in recipe.MODULES) if n in by_name], set()
    while todo:
        path = todo.pop()
        if path not in done:
            done.add(path)
            todo += needs[path]
    for path in done:
        to = target / path
        to.parent.mkdir(parents=True, exist_ok=True)
        data = (source / path).read_bytes()
        if path.endswith(".xz"):
            to, data = to.with_suffix(""), lzma.decompress(data)
        to.write_bytes(data)
    for extra in ("modules.builtin", "modules.order", "modules.builtin.modinfo"):
        if (source / extra).exists():
            shutil.copy(source / extra, target)
    _run([busybox, "depmod", "-b", root, version])


def _finish_root(root):
    for name in recipe.TRIMMED:
        shutil.rmtree(root / name, ignore_errors=True)
    for name in "proc sys dev tmp run root mnt/host etc var/run bin sbin usr/bin usr/sbin lib64 opt".split():
        (root / name).mkdir(parents=True, exist_ok=True)
    shells = ("bin", "sbin", "usr/bin", "usr/sbin")
    for applet in _run([root / "bin/busybox", "--list"]).split():
        if not any(os.path.lexists(root / d / applet) for d in shells):
            (root / "bin" / applet).symlink_to("/bin/busybox")
    python = next((root / "usr/bin").glob("python3.[0-9]*")).name
    if not os.path.lexists(root / "usr/bin/python3"):
        (root / "usr/bin/python3").symlink_to(python)
    for name, text in {"passwd": "root:x:0:0:root:/root:/bin/sh\n", "group": "root:x:0:\n",
                       "hosts": "127.0.0.1 localhost\n", "nsswitch.conf": "hosts: files\n"}.items():
        (root / "etc" / name).write_text(text)
    # The emulated guest would need seconds to compile Python modules. Compile them on the host if its Python has the same version.
    if python == f"python{sys.version_info[0]}.{sys.version_info[1]}":
        for path in (f"usr/lib/{python}", "usr/lib/python3/dist-packages"):
            compileall.compile_dir(root / path, quiet=2, stripdir=str(root), prependdir="/",
                                   invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
    if shutil.which("ldconfig", path="/sbin:/usr/sbin"):
        subprocess.run([shutil.which("ldconfig", path="/sbin:/usr/sbin"), "-r", root], stderr=subprocess.DEVNULL)
    missing = [name for name in recipe.EXPECTED if not os.path.lexists(root / name)]
    if missing:
        raise EnvironmentMissing(f"the Debian packages gave no {', '.join(missing)}\n"
                                 "fix: the image needs the packages of Debian 12 (bookworm)")


def pack(directory, busybox, to):
    """Writes a newc archive of everything below `directory`. All files in the archive belong to root."""
    names = sorted(str(p.relative_to(directory)) for p in directory.rglob("*"))
    with open(to, "wb") as f:
        done = subprocess.run([str(busybox), "cpio", "-o", "-H", "newc", "-R", "0:0"], cwd=directory, stdout=f,
                              input="\n".join(names).encode() + b"\n", stderr=subprocess.PIPE)
    if done.returncode:
        raise EnvironmentMissing(f"cannot pack {directory}: {done.stderr.decode()[-500:]}\nfix: free disk space")
