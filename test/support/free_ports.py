# SPDX-License-Identifier: BSD-3-Clause
"""Ports of the loopback interface that no other program uses at the moment."""

import socket


def free_port(kind=socket.SOCK_STREAM):
    """Returns a free TCP port, or a free UDP port if `kind` is SOCK_DGRAM."""
    with socket.socket(socket.AF_INET, kind) as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def free_port_pair():
    """Returns the first of two consecutive free UDP ports, for the registers and the data stream
    of a board."""
    while True:
        port = free_port(socket.SOCK_DGRAM)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as two:
            try:
                one.bind(("127.0.0.1", port))
                two.bind(("127.0.0.1", port + 1))
            except (OSError, OverflowError):
                continue
            return port
