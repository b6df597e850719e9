# SPDX-License-Identifier: BSD-3-Clause
"""Running programs: their output, their end, and their result."""

from __future__ import annotations

import collections
import logging
import re
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, Generic, Self, TypeVar

from .configuration import configuration_file
from .documents import convert, load_json
from .documents.live import Sample
from .errors import (
    ChecksFailed,
    ConfigurationError,
    DocumentError,
    EnvironmentProblem,
    LiveError,
    ProgramDied,
    ProgramError,
)
from .live import LivePage
from .programs import start_program

if TYPE_CHECKING:
    from .commands import Command

R = TypeVar("R")

_log = logging.getLogger("softfeb.program")
_PAGE = re.compile(r"live page: (http://\S+)")
_ERRORS: dict[int, type[ProgramError]] = {2: ConfigurationError, 3: EnvironmentProblem}
_KEPT_LINES = 10_000
_GRACE = 30.0  # seconds that a program has to end gracefully before it is killed


class _Lines:
    """Reads a stream of the program in a thread, so that the program never waits for a reader.
    Keeps only the last lines."""

    def __init__(self, stream: IO[str], job: Job[Any]) -> None:
        self.kept: collections.deque[str] = collections.deque(maxlen=_KEPT_LINES)
        self._stream = stream
        self._job = job
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        with self._stream:
            for line in self._stream:
                self.kept.append(line)
                self._job._saw(line.rstrip("\n"))
        self._job._page_known.set()  # the output has ended, so do not wait for the page any longer

    def join(self) -> None:
        self._thread.join(timeout=_GRACE)

    def __str__(self) -> str:
        return "".join(list(self.kept))


class Job(Generic[R]):
    """A program of softfeb that runs in the background.

    As a context manager, a job is stopped at the end of the block, and its result is available
    afterwards::

        with softfeb.start_run("board.yaml", live=True) as job:
            for sample in job.samples():
                print(sample.t, sample.sent)
                if sample.t > 10:
                    break
        print(job.result.goodput_gbps)
    """

    def __init__(self, command: Command[R]) -> None:
        self.command = command
        """the command, with its options"""
        self._folder = tempfile.TemporaryDirectory(prefix="softfeb-")
        folder = Path(self._folder.name)
        self._json = folder / "result.json"
        self._page_known = threading.Event()
        self._page_url = ""
        self._live: LivePage | None = None
        self._ended = False
        self._result: R | None = None
        self._error: BaseException | None = None
        arguments = command.words(folder, self._json)
        _log.debug("%s", " ".join(arguments))
        self._process = start_program(arguments, command.cwd)
        assert self._process.stdout is not None and self._process.stderr is not None
        self._out = _Lines(self._process.stdout, self)
        self._err = _Lines(self._process.stderr, self)

    def __repr__(self) -> str:
        state = "running" if self.running else "ended"
        return f"<Job {self.command.name!r}, process {self.pid}, {state}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self.stop()
        except (ProgramError, DocumentError) as second:
            stopped_early = self._process.returncode == -signal.SIGINT
            # A program that was stopped before it began has no result. This is an error only if
            # the user asks for the result. If the block raised a LiveError, because the page does
            # not answer, the program's error is raised instead, because it explains the reason.
            # Any other error of the block takes precedence over the program's error.
            if not stopped_early and (kind is None or isinstance(error, LiveError)):
                raise second from error
            _log.info("%s", second)

    def _saw(self, line: str) -> None:
        """Handle a line that the program printed."""
        _log.info("%s", line)
        found = _PAGE.match(line)
        if found:
            self._page_url = found[1]
            self._page_known.set()

    @property
    def pid(self) -> int:
        """The process id of the program."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether the program is still running."""
        return self._process.poll() is None

    @property
    def output(self) -> str:
        """The text that the program has printed on standard output, for example its table."""
        return str(self._out)

    @property
    def messages(self) -> str:
        """The text that the program has printed on standard error."""
        return str(self._err)

    @property
    def result(self) -> R:
        """The result. Waits for the end of the program."""
        return self.wait()

    def wait(self, timeout: float | None = None) -> R:
        """Wait for the end of the program and return its result.

        Raise ``TimeoutError`` if the program still runs after ``timeout`` seconds; the program
        then continues to run. Raise a :class:`ProgramError` if the program ended with an error.
        After ``Ctrl-C``, end the program before ``KeyboardInterrupt`` is raised.
        """
        if not self._ended:
            try:
                self._process.wait(timeout)
            except subprocess.TimeoutExpired:
                raise TimeoutError(
                    f"{self.command.name} still runs after {timeout:g} s; stop() ends it"
                ) from None
            except KeyboardInterrupt:
                self._end(_GRACE)
                self._conclude()
                raise
            self._conclude()
        if self._error is not None:
            raise self._error
        return self._result  # type: ignore[return-value]

    def stop(self, timeout: float = _GRACE) -> R:
        """End the program with SIGINT and return its result.

        softfeb then ends the traffic and waits for outstanding messages. If the program still
        runs after ``timeout`` seconds, it is killed.
        """
        self._end(timeout)
        return self.wait()

    def kill(self) -> None:
        """Kill the program. There is no result."""
        if self.running:
            self._process.kill()
        self._process.wait()
        self._conclude()

    def _end(self, timeout: float) -> None:
        if not self.running:
            return
        self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _conclude(self) -> None:
        """Read the result of the ended program."""
        if self._ended:
            return
        self._out.join()
        self._err.join()
        try:
            self._result = self._read_result()
        except Exception as error:
            self._error = error
        finally:
            self._ended = True
            self._folder.cleanup()

    def _read_result(self) -> R:
        status = self._process.returncode
        program = self.command.program
        document = convert(load_json(self._json)) if self._json.exists() else None
        result = self.command.convert(document, self)
        if status == 0 or (status == 1 and document is not None and not self.command.check):
            return result
        kind = _ERRORS.get(status, ProgramError)
        if status < 0:
            kind = ProgramDied
        elif status == 1 and document is not None:
            kind = ChecksFailed
        text = self.messages if status >= 0 else f"ended by {signal.Signals(-status).name}"
        if status == -signal.SIGINT:
            text = "stopped before the run began; there is no result"
        error = kind(program, status, text, str(configuration_file(Path(self._folder.name))))
        error.result = result
        raise error

    @property
    def live(self) -> LivePage:
        """The live page. Waits until the program serves it. Needs ``live=True``."""
        if self._live is None:
            if not self.command.serves_page:
                raise LiveError(
                    "the run has no live page", "start it with live=True, in real time"
                )
            self._page_known.wait()
            if not self._page_url:
                self.wait()
                raise LiveError("the program ended before it served the live page")
            self._live = LivePage(self._page_url)
        return self._live

    def samples(self) -> Iterator[Sample]:
        """Yield the live figures, ten times a second, until the traffic ends.

        The first samples are those that the page has recorded before this call (at most 600).
        Needs ``live=True``.
        """
        return self.live.samples()

    def wait_for_traffic(self, timeout: float = 60.0) -> None:
        """Wait until traffic has begun and the live page has figures. Needs ``live=True``.

        Raise ``TimeoutError`` if that takes longer than ``timeout`` seconds.
        """
        end = time.monotonic() + timeout
        try:
            while not self.live.history():
                if time.monotonic() > end:
                    raise TimeoutError(f"traffic has not begun within {timeout:g} s")
                time.sleep(0.05)
        except LiveError:
            self.wait(1)  # raises the program's error if it has ended with one
            raise
