#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs commands in the guest for clients that have the token:  agent.py ADDRESS PORT TOKEN_FILE

Each TCP connection runs one command. The client sends a JSON line {"token", "argv", "cwd"?, "env"?}, and then frames of
type 'I' with the standard input; an empty frame ends the input. The agent sends frames of type 'O' (standard output) and
'E' (standard error), and finally a frame of type 'X' (exit code as decimal text). A frame consists of a type byte, a
length (four bytes, big endian) and data. If the client disconnects, the command's process group is killed.
"""

import hmac
import json
import os
import select
import signal
import socketserver
import struct
import subprocess
import sys
import threading

TOKEN = open(sys.argv[3]).read().strip()
CHUNK = 65536


class Command(socketserver.StreamRequestHandler):
    def handle(self):
        line = self.rfile.readline(1 << 20)
        try:
            request = json.loads(line)
            if not hmac.compare_digest(str(request["token"]), TOKEN):
                return
        except (ValueError, KeyError, TypeError):
            return
        try:
            child = subprocess.Popen(request["argv"], cwd=request.get("cwd") or "/root",
                                     env={**os.environ, **request.get("env", {})}, stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, bufsize=0)
        except (OSError, ValueError, TypeError) as e:
            self.frame(b"E", f"agent: {e}\n".encode())
            self.frame(b"X", b"127")
            return
        threading.Thread(target=self.feed, args=(child,), daemon=True).start()
        try:
            self.relay(child)
        except OSError:
            kill(child)
        child.wait()

    def frame(self, kind, data):
        self.connection.sendall(kind + struct.pack("!I", len(data)) + data)

    def feed(self, child):
        """Passes the standard input to the child, and kills the child if the client disconnects."""
        while True:
            try:
                head = self.rfile.read(5)
            except OSError:
                head = b""
            if len(head) < 5:
                kill(child)
                return
            data = self.rfile.read(struct.unpack("!I", head[1:])[0])
            try:
                if data:
                    write_all(child.stdin, data)
                else:
                    child.stdin.close()
            except (OSError, ValueError):
                pass  # the child has closed its input, so the data is discarded

    def relay(self, child):
        """Sends the output of the child to the client until the child has ended. Does not wait for background processes of the child."""
        kinds = {child.stdout.fileno(): b"O", child.stderr.fileno(): b"E"}
        ended = os.pidfd_open(child.pid)
        poll = select.poll()
        for fd in (*kinds, ended):
            poll.register(fd, select.POLLIN)
        try:
            over = False
            while True:
                ready = [fd for fd, _ in poll.poll(0 if over else None)]
                over = over or ended in ready
                ready = [fd for fd in ready if fd in kinds]
                if over and not ready:
                    break
                for fd in ready:
                    data = os.read(fd, CHUNK)
                    if data:
                        self.frame(kinds[fd], data)
                    else:
                        poll.unregister(fd)
                        del kinds[fd]
        finally:
            os.close(ended)
        code = child.wait()
        self.frame(b"X", str(code if code >= 0 else 128 - code).encode())


def write_all(file, data):
    view = memoryview(data)
    while view:
        view = view[file.write(view):]


def kill(child):
    """Asks the child's process group to end, and kills the group if the child has not ended after two seconds."""
    if child.poll() is not None:
        return
    for sig, grace in ((signal.SIGTERM, 2), (signal.SIGKILL, 2)):
        try:
            os.killpg(child.pid, sig)
            child.wait(grace)
            return
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            pass


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 16


if __name__ == "__main__":
    Server((sys.argv[1], int(sys.argv[2])), Command).serve_forever()
