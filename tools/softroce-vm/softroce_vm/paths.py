# SPDX-License-Identifier: BSD-3-Clause
"""Directories of images and runtime files, which are never in the source tree."""

import os
from pathlib import Path

from .errors import EnvironmentMissing, UsageError

TOOL_DIR = Path(__file__).resolve().parent.parent
GUEST_DIR = TOOL_DIR / "guest"

# sun_path holds 108 bytes with its terminating zero; the longest socket name below a guest's directory is "vhost.sock".
MAX_SOCKET_PATH = 107


def cache_dir():
    """Directory of packages and images: $SOFTFEB_CACHE/softroce-vm, otherwise softfeb/softroce-vm in $XDG_CACHE_HOME or ~/.cache."""
    root = os.environ.get("SOFTFEB_CACHE")
    if root:
        return Path(root).absolute() / "softroce-vm"
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(home) / "softfeb" / "softroce-vm"


def run_root():
    """Directory of runtime files of all guests of this user: in $SOFTFEB_RUN, otherwise in $XDG_RUNTIME_DIR, otherwise /tmp/softfeb-UID."""
    root = os.environ.get("SOFTFEB_RUN")
    if root:
        return Path(root).absolute() / "softroce-vm"
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if runtime and os.access(runtime, os.W_OK):
        return Path(runtime) / "softfeb" / "softroce-vm"
    return Path(f"/tmp/softfeb-{os.getuid()}") / "softroce-vm"


def private_directory(path):
    """Creates `path` with access only for this user, because access to its sockets gives control of the guest."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    for level in (path, path.parent, path.parent.parent):
        info = level.lstat()
        if info.st_uid != os.getuid() and info.st_uid != 0:
            raise EnvironmentMissing(f"{level} belongs to another user; set SOFTFEB_RUN to a directory of your own")
    return path


def check_socket_path(path):
    if len(str(path)) > MAX_SOCKET_PATH:
        raise UsageError(f"socket path is longer than {MAX_SOCKET_PATH} bytes: {path}\n"
                         "fix: set SOFTFEB_RUN to a shorter directory, or give --socket")
    return path
