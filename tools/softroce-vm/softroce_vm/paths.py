# SPDX-License-Identifier: BSD-3-Clause
"""The directories of images and runtime files. They are always outside the source tree."""

import os
from pathlib import Path

from .errors import EnvironmentMissing, UsageError

TOOL_DIR = Path(__file__).resolve().parent.parent
GUEST_DIR = TOOL_DIR / "guest"

# The path of a Unix socket must fit into sun_path, which has 108 bytes including the terminating zero.
MAX_SOCKET_PATH = 107


def cache_dir():
    """Returns the directory of packages and images: softroce-vm in $SOFTFEB_CACHE, otherwise softfeb/softroce-vm in $XDG_CACHE_HOME or
    ~/.cache."""
    root = os.environ.get("SOFTFEB_CACHE")
    if root:
        return Path(root).absolute() / "softroce-vm"
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(home) / "softfeb" / "softroce-vm"


def run_root():
    """Returns the directory of the runtime files of all guests of this user: softroce-vm in $SOFTFEB_RUN, otherwise softfeb/softroce-vm in
    $XDG_RUNTIME_DIR, otherwise softroce-vm in /tmp/softfeb-UID."""
    root = os.environ.get("SOFTFEB_RUN")
    if root:
        return Path(root).absolute() / "softroce-vm"
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if runtime and os.access(runtime, os.W_OK):
        return Path(runtime) / "softfeb" / "softroce-vm"
    return Path(f"/tmp/softfeb-{os.getuid()}") / "softroce-vm"


def private_directory(path):
    """Creates directory `path`, to which only this user has access. Access to the sockets in it would give control of the guest."""
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
