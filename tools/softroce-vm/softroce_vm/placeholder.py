# SPDX-License-Identifier: BSD-3-Clause
"""A vhost-user back end that transfers no packets.

QEMU starts a guest with a vhost-user interface only after a back end has connected. This back end is connected while
the guest boots. It then disconnects, and the guest waits, with its link down, for the real back end (a DPDK program).
"""

import os
import socket
import struct
import threading

# Messages of the vhost-user protocol that require a reply (QEMU documentation, interop/vhost-user).
GET_FEATURES, GET_VRING_BASE, GET_PROTOCOL_FEATURES, GET_QUEUE_NUM = 1, 11, 15, 17
VERSION, REPLY, NEED_REPLY = 1, 1 << 2, 1 << 3

# MRG_RXBUF, GUEST_ANNOUNCE, RING_INDIRECT_DESC, VHOST_USER_F_PROTOCOL_FEATURES and VERSION_1. The
# guest negotiates these features with this back end, and later uses them with the real back end.
# DPDK's net_vhost offers all of them.
FEATURES = 1 << 15 | 1 << 21 | 1 << 28 | 1 << 30 | 1 << 32
PROTOCOL_FEATURES = 1 << 3  # REPLY_ACK


class Placeholder:
    """Serves one connection in a thread until close(). With `listen`, this side listens on the socket, and QEMU connects to it."""

    def __init__(self, path, listen):
        self.path = os.fspath(path)
        self._listener = None
        self._sock = None
        self._closed = False
        if listen:
            if os.path.exists(self.path):
                os.unlink(self.path)
            self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self._listener.bind(self.path)
            self._listener.listen(1)
            threading.Thread(target=self._accept, daemon=True).start()

    def try_connect(self):
        """Connects to QEMU, if QEMU is the server. Returns False if QEMU does not listen yet. The caller should then try again."""
        if self._sock is None and self._listener is None:
            sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                sock.connect(self.path)
            except OSError:
                sock.close()
                return False
            self._sock = sock
            threading.Thread(target=self._serve, args=(sock,), daemon=True).start()
        return True

    def close(self):
        self._closed = True
        for sock in (self._sock, self._listener):
            if sock:
                try:
                    sock.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
                sock.close()
        if self._listener:
            os.unlink(self.path)  # so that a DPDK program can bind to this path

    def _accept(self):
        try:
            self._sock, _ = self._listener.accept()
            self._serve(self._sock)
        except OSError:
            pass

    def _serve(self, sock):
        try:
            while self._message(sock):
                pass
        except OSError:
            if not self._closed:
                raise

    def _message(self, sock):
        head, fds, _, _ = socket.recv_fds(sock, 12, 16)
        if len(head) < 12:
            return False
        request, flags, size = struct.unpack("<III", head)
        body = b""
        while len(body) < size:
            more, extra, _, _ = socket.recv_fds(sock, size - len(body), 16)
            if not more:
                return False
            body, fds = body + more, fds + extra
        for fd in fds:
            os.close(fd)
        answer = self._answer(request, body)
        if answer is None and flags & NEED_REPLY:
            answer = struct.pack("<Q", 0)
        if answer is not None:
            sock.sendall(struct.pack("<III", request, VERSION | REPLY, len(answer)) + answer)
        return True

    @staticmethod
    def _answer(request, body):
        if request == GET_FEATURES:
            return struct.pack("<Q", FEATURES)
        if request == GET_PROTOCOL_FEATURES:
            return struct.pack("<Q", PROTOCOL_FEATURES)
        if request == GET_QUEUE_NUM:
            return struct.pack("<Q", 1)
        if request == GET_VRING_BASE:
            return struct.pack("<II", *struct.unpack("<II", body[:4] + bytes(4)))
        return None
