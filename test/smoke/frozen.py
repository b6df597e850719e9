# SPDX-License-Identifier: BSD-3-Clause
"""Stops one thread of another process for a while, as a hypervisor or a debugger would; the other threads continue (ptrace)."""

import contextlib
import ctypes
import os
import time

SEIZE, INTERRUPT, DETACH = 0x4206, 0x4207, 17
WALL = 0x40000000  # __WALL: also wait for threads

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.restype = ctypes.c_long
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]


def ptrace(request, thread):
    if libc.ptrace(request, thread, None, None) != 0:
        raise OSError(ctypes.get_errno(), "ptrace")


def permitted():
    """Returns true if this process may stop threads of its children."""
    child = os.fork()
    if child == 0:
        time.sleep(60)
        os._exit(0)
    try:
        with frozen(child):
            return True
    except OSError:
        return False
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)


@contextlib.contextmanager
def frozen(thread):
    """A context manager: `thread` does not run during the block."""
    ptrace(SEIZE, thread)
    try:
        ptrace(INTERRUPT, thread)
        os.waitpid(thread, WALL)
        yield
    finally:
        ptrace(DETACH, thread)


def threads(pid):
    """Returns a dictionary from the name of each thread of the process to its id."""
    found = {}
    for thread in os.listdir(f"/proc/{pid}/task"):
        with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{thread}/comm", encoding="utf-8") as f:
            found.setdefault(f.read().strip(), int(thread))
    return found
