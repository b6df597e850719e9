# SPDX-License-Identifier: BSD-3-Clause
"""The cache of built images. Building installs nothing on the host and needs no root."""

import fcntl
import hashlib
import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path

from .errors import EnvironmentMissing
from .paths import GUEST_DIR, TOOL_DIR, cache_dir
from .rootfs import build_base, pack


class Image:
    """An image. Its .kernel and .initrd are paths of files in the cache."""

    def __init__(self, base):
        self.base = base
        self.kernel = base / "vmlinuz"
        self.packages = base / "packages.txt"
        self.initrd = base / f"initrd-{_digest(sorted(GUEST_DIR.iterdir()))}.cpio"

    @property
    def complete(self):
        return self.kernel.exists() and self.initrd.exists()


def current():
    """Returns the image of the current recipe, whether it has been built or not."""
    sources = [TOOL_DIR / "softroce_vm" / name for name in ("recipe.py", "rootfs.py")]
    return Image(cache_dir() / f"image-{_digest(sources)}")


def ensure(force=False, say=lambda text: None):
    """Returns the image, after building it if it is missing or stale. If another process is building it, waits for that process."""
    image = current()
    if image.complete and not force:
        return image
    _check_tools()
    cache_dir().mkdir(parents=True, exist_ok=True)
    with _lock(cache_dir() / "lock"):
        if force:
            shutil.rmtree(image.base, ignore_errors=True)
        if not (image.base / "base.cpio.zst").exists():
            build_base(image.base, say)
        if not image.initrd.exists():
            _join(image, say)
        _drop_old(image)
    return image


def _digest(files):
    h = hashlib.sha256()
    for f in files:
        if f.is_file():
            h.update(f.name.encode() + b"\0" + f.read_bytes() + b"\0")
    return h.hexdigest()[:12]


def _check_tools():
    for tool, package in (("apt-get", "apt"), ("dpkg-deb", "dpkg"), ("zstd", "zstd")):
        if not shutil.which(tool):
            raise EnvironmentMissing(f"{tool} is missing; the guest is built from Debian packages\n"
                                     f"fix: apt-get install {package} (on Debian 12)")


@contextmanager
def _lock(path):
    with open(path, "w") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        yield


def _join(image, say):
    """Writes the initramfs: the base archive, followed by an archive of guest/. The kernel unpacks both archives, one after the other."""
    with tempfile.TemporaryDirectory(prefix="join-", dir=image.base) as tmp:
        overlay, cpio, joined = Path(tmp) / "root", Path(tmp) / "overlay.cpio", Path(tmp) / "joined"
        (overlay / "opt").mkdir(parents=True)
        for f in GUEST_DIR.iterdir():
            if f.is_file():
                shutil.copy(f, overlay if f.name == "init" else overlay / "opt")
        for f in overlay.rglob("*"):
            f.chmod(0o755)
        pack(overlay, image.base / "busybox", cpio)
        with open(joined, "wb") as out:
            for part in (image.base / "base.cpio.zst", cpio):
                with open(part, "rb") as f:
                    shutil.copyfileobj(f, out)
                out.write(b"\0" * (-out.tell() % 4))
        joined.rename(image.initrd)
    say(f"initramfs: {image.initrd} ({image.initrd.stat().st_size >> 20} MiB)")


def _drop_old(image, keep=3):
    """Removes old images, but keeps the newest few, because several checkouts may share the cache. `image` counts as the newest."""
    os.utime(image.base)
    for pattern, directory in (("image-*", image.base.parent), ("initrd-*.cpio", image.base)):
        for old in sorted(directory.glob(pattern), key=lambda p: p.stat().st_mtime)[:-keep]:
            shutil.rmtree(old) if old.is_dir() else old.unlink()
