# SPDX-License-Identifier: BSD-3-Clause
"""Starts softfeb for a long run, and ends it."""

import contextlib
import re
import signal
import subprocess
import time

END_LIMIT = 120
"""seconds that softfeb may need to end"""


class Failed(Exception):
    """softfeb did not do what the run needs."""


class Program:
    """softfeb in a folder. Its output is in softfeb.log, and its result in result.json."""

    def __init__(self, softfeb, folder, *arguments):
        self.folder = folder
        self.log = folder / "softfeb.log"
        with open(self.log, "wb") as out:
            # A new session, so that Ctrl-C does not end softfeb before its clients.
            self.process = subprocess.Popen([softfeb.resolve(), "lab", "-c", "config.yaml", "--json", "result.json", *arguments], cwd=folder,
                                            stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                                            start_new_session=True)

    @property
    def pid(self):
        return self.process.pid

    def page(self, within=60):
        """Waits until the page is served. Returns its host and port."""
        end = time.monotonic() + within
        while time.monotonic() < end:
            found = re.search(r"live page: http://([\d.]+):(\d+)/", self.log.read_text(errors="replace"))
            if found:
                return found[1], int(found[2])
            if self.ended():
                break
            time.sleep(0.1)
        raise Failed(f"softfeb does not serve its page:\n{self.tail()}")

    def ended(self):
        return self.process.poll() is not None

    def wait(self, seconds):
        """Waits until softfeb has ended, but not longer than `seconds`."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(max(0.0, seconds))

    def tail(self):
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-15:])

    def interrupt(self):
        """Ends the run as Ctrl-C does, and waits for its end. Returns the exit status."""
        if not self.ended():
            self.process.send_signal(signal.SIGINT)
        try:
            return self.process.wait(END_LIMIT)
        except subprocess.TimeoutExpired:
            self.kill()
            raise Failed(f"softfeb did not end within {END_LIMIT} s of SIGINT") from None

    def kill(self):
        if not self.ended():
            self.process.kill()
            self.process.wait()
