# SPDX-License-Identifier: BSD-3-Clause
"""The host's side of a command in the guest. guest/agent.py is the guest's side."""

import json
import socket
import struct
import threading
import time

from .errors import GuestError


class Timeout(GuestError):
    """Raised if a command was still running after its timeout. The command has been killed."""

    def __init__(self, argv, seconds, result):
        super().__init__(f"after {seconds:g} s still running in the guest: {' '.join(argv)[:200]}\n{result}")
        self.result = result


class Result:
    """The result of a command: its exit code, and the bytes of standard output and standard error."""

    def __init__(self, code, out, err):
        self.code = code
        self.out_bytes = out
        self.err_bytes = err

    out = property(lambda self: self.out_bytes.decode(errors="replace"))
    err = property(lambda self: self.err_bytes.decode(errors="replace"))

    def __str__(self):
        return f"exit code {self.code}\nstdout:\n{self.out[-4000:]}\nstderr:\n{self.err[-4000:]}"


class Process:
    """A running command. A thread collects its output and, if `on_output` is given, passes the output to `on_output(kind, bytes)`.

    If the command is still running, close() and the end of a `with` block kill it and its children in the guest.
    """

    def __init__(self, address, token, argv, *, stdin=b"", cwd=None, env=None, on_output=None, connect_timeout=10.0):
        self.argv = argv
        self.code = None
        self._on_output = on_output
        self._data = {b"O": bytearray(), b"E": bytearray()}
        self._changed = threading.Condition()
        self._over = False
        try:
            self._sock = socket.create_connection(address, timeout=connect_timeout)
        except OSError as error:
            raise GuestError(f"cannot connect to the guest at {address[0]}:{address[1]}: {error.strerror or error}\n"
                             "fix: use the network namespace in which the guest was started, and check `softroce-vm status`") from error
        self._sock.settimeout(None)
        request = {"token": token, "argv": argv, "cwd": cwd, "env": env or {}}
        self._sock.sendall(json.dumps(request).encode() + b"\n")
        threading.Thread(target=self._receive, daemon=True).start()
        if stdin is not None:
            threading.Thread(target=self._feed, args=(stdin,), daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _feed(self, stdin):
        """Sends the standard input, which is given as bytes or as a readable binary file."""
        try:
            if isinstance(stdin, (bytes, bytearray, memoryview)):
                if stdin:
                    self.write(stdin)
            else:
                while chunk := stdin.read(1 << 16):
                    self.write(chunk)
            self.write(b"")
        except OSError:
            pass  # the command ended first

    def write(self, data):
        """Sends a frame of standard input; an empty frame ends the input. Only for a process that was started with stdin=None."""
        self._sock.sendall(b"I" + struct.pack("!I", len(data)) + bytes(data))

    def _receive(self):
        with self._sock.makefile("rb") as stream:
            while True:
                try:
                    head = stream.read(5)
                    data = stream.read(struct.unpack("!I", head[1:])[0]) if len(head) == 5 else b""
                except (OSError, ValueError):
                    head = b""
                kind = head[:1]
                with self._changed:
                    if len(head) < 5 or kind == b"X":
                        self.code = int(data) if kind == b"X" else None
                        self._over = True
                        self._changed.notify_all()
                        return
                    self._data[kind] += data
                    self._changed.notify_all()
                if self._on_output:
                    self._on_output("out" if kind == b"O" else "err", data)

    @property
    def result(self):
        """Returns a Result with the output so far."""
        with self._changed:
            return Result(self.code, bytes(self._data[b"O"]), bytes(self._data[b"E"]))

    @property
    def running(self):
        return not self._over

    def wait(self, timeout=60.0):
        """Waits for the end of the command and returns its Result. After `timeout`, kills the command and raises Timeout. Raises GuestError
        if the connection is lost."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._over, timeout):
                late = True
            else:
                late = False
        if late:
            self.close()
            raise Timeout(self.argv, timeout, self.result)
        self.close()
        if self.code is None:
            raise GuestError(f"the guest closed the connection of: {' '.join(self.argv)[:200]}\n{self.result}")
        return self.result

    def wait_for_output(self, text, timeout=30.0, kind="out"):
        """Waits until the output contains `text`. Raises GuestError if the command ends before that, or after `timeout`."""
        key, needle = {"out": b"O", "err": b"E"}[kind], text.encode()
        end = time.monotonic() + timeout
        with self._changed:
            found = self._changed.wait_for(lambda: needle in self._data[key] or self._over, end - time.monotonic())
            if needle in self._data[key]:
                return
        why = "the command ended" if found else f"{timeout:g} s are over"
        raise GuestError(f"no {text!r} from {' '.join(self.argv)[:200]}: {why}\n{self.result}")

    def close(self):
        try:
            self._sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._sock.close()
