# SPDX-License-Identifier: BSD-3-Clause
"""Registers of a board, through febctl."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .configuration import Duration, duration
from .errors import (
    ConfigurationError,
    EnvironmentProblem,
    ProgramDied,
    ProgramError,
    Refused,
    SoftfebError,
)
from .programs import find_program, start_program

if TYPE_CHECKING:
    StrPath = str | os.PathLike[str]

_ERRORS: dict[int, type[ProgramError]] = {1: Refused, 2: ConfigurationError, 3: EnvironmentProblem}


@dataclass(frozen=True)
class Reading:
    """The value of a register or of a range of memory."""

    path: str
    """full path of the register; empty for a range"""
    address: int
    """address of the first byte"""
    value: Any
    """number, bool or text; for an array, a list; for a range, its 32-bit words; None if the board
    refused the access"""
    text: str = ""
    """value as febctl prints it, with the name of an enumerator"""
    error: str = ""
    """reason why the board refused the access; empty if the board granted it"""


@dataclass(frozen=True)
class Burst:
    """A burst of messages that the board's dispatcher sent."""

    count: int
    """number of messages"""
    length: int
    """size of a message in bytes"""
    completed: int
    """number of messages that completed successfully"""
    failed: int
    """number of messages that completed with an error"""
    seconds: float
    """time from the start until the last completion was seen, in seconds"""
    gbps: float
    """average rate of payload in Gb/s"""


@dataclass(frozen=True)
class StreamCheck:
    """The result of a check of the board's data stream."""

    frames: int
    """number of frames received"""
    frame_bytes: int
    """size of a frame in bytes"""
    bytes: int
    """number of bytes received"""
    seconds: float
    """duration of the check in seconds"""
    gbps: float
    """rate in Gb/s"""
    wrong: int
    """number of frames that do not match the board's generator"""
    damaged: int
    """number of frames with a wrong checksum or with missing packets"""
    dropped: int
    """number of packets dropped"""
    connections: int
    """number of connections"""


class Registers:
    """The registers of a board, or of softfeb.

    A board serves one client at a time. Each call connects, does its work and closes the
    connection, so other tools can access the board between two calls::

        board = softfeb.Registers("127.0.0.1")
        board["AxiVersion.ScratchPad"] = 0x1234
        print(board["AxiVersion.ScratchPad"])
    """

    def __init__(
        self,
        ip: str,
        *,
        port: int = 8192,
        stream_port: int = 8193,
        profile: str | None = None,
        timeout: float = 5.0,
        program_path: StrPath | None = None,
    ) -> None:
        self.ip = ip
        """address of the board"""
        self._program = find_program("febctl", program_path)
        self._options = [
            *("--ip", ip, "--port", str(port), "--stream-port", str(stream_port)),
            *("--timeout", f"{timeout:g}", "--json"),
            *(["--profile", profile] if profile else []),
        ]

    def __getitem__(self, name: str) -> Any:
        """Return the value of one register."""
        values = list(self.values(name).values())
        if len(values) != 1:
            raise SoftfebError(f"{name!r} names {len(values)} registers; fix: use read()")
        return values[0]

    def __setitem__(self, name: str, value: Any) -> None:
        """Write one register, and read it back if possible."""
        self.write({name: value})

    def read(self, *names: str | int) -> list[Reading]:
        """Read registers, in the order of ``names``.

        A name is a path or its last part (``AxiVersion.ScratchPad``), a pattern (``Dcqcn.*``), an
        address, or a range of bytes, ``"0x80010000:64"``. If the board refuses a register,
        :attr:`Reading.error` says why.
        """
        return _readings(self._one("read", *map(_word, names), also_with=(1,)))

    def values(self, *names: str | int) -> dict[str, Any]:
        """Read registers and return their values by full path.

        Raise :class:`Refused` if the board refuses one of them.
        """
        values: dict[str, Any] = {}
        for reading in self.read(*names):
            name = reading.path or f"{reading.address:#010x}"
            if reading.error:
                raise Refused("febctl", 1, f"{name}: {reading.error}")
            values[name] = reading.value
        return values

    def watch(
        self, *names: str | int, interval: float = 1.0, times: int | None = None
    ) -> Iterator[list[Reading]]:
        """Read registers at intervals of ``interval`` seconds, and yield the values of each
        reading.

        febctl keeps its connection between two readings. febctl ends when the iterator is closed.
        """
        words = ["read", *map(_word, names), "--watch", f"{interval:g}"]
        words += ["--times", str(times)] if times is not None else []
        process = self._start(words)
        assert process.stdout is not None
        try:
            for line in process.stdout:
                yield _readings(json.loads(line))
            self._finish(process, process.communicate()[1])
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
            process.communicate()

    def write(
        self, values: Mapping[str, Any], *, verify: bool = True, posted: bool = False
    ) -> None:
        """Write registers. All values are checked before the first is sent.

        A key is a name or an address. A value is a number, a bool, the name of an enumerator,
        text, an address, or a list for arrays and for consecutive words. Registers are read back
        unless ``verify`` is false. ``posted`` writes get no response.
        """
        words = [word for item in values.items() for word in map(_word, item)]
        flags = ["--no-verify"] * (not verify) + ["--posted"] * posted
        self._one("write", *flags, "--", *words)

    def catalogue(self, node: str = "") -> list[dict[str, Any]]:
        """Return the registers below a node: path, address, bits and mode. Needs no board."""
        found: list[dict[str, Any]] = self._one("list", *([node] if node else []))
        return found

    def dump(self, node: str = "") -> dict[str, Any]:
        """Read all registers below a node, or all of the board without ``node``. Return values by
        path.

        A register that the board refuses has the value ``{"error": …}``.
        """
        values: dict[str, Any] = self._one("dump", *([node] if node else []), also_with=(1,))
        return values

    def save(self, file: StrPath, node: str = "") -> None:
        """Write all settings below a node to a YAML file that :meth:`load` reads."""
        self._run(["dump", *([node] if node else []), "--yaml", "-o", os.fspath(file)])

    def load(
        self, source: StrPath | Mapping[str, Any], *, verify: bool = True, only_check: bool = False
    ) -> int:
        """Write the register values of a YAML file or a dict, if all of them are valid.

        ``only_check`` writes nothing and needs no board. Return the number of values written.
        """
        if isinstance(source, Mapping):
            import tempfile

            with tempfile.TemporaryDirectory(prefix="softfeb-") as folder:
                path = Path(folder, "registers.yaml")
                path.write_text(json.dumps(source, indent=1), encoding="utf-8")
                return self.load(path, verify=verify, only_check=only_check)
        flags = ["--no-verify"] * (not verify) + ["--check"] * only_check
        return int(self._one("load", *flags, os.fspath(source))["written"])

    def status(self) -> dict[str, dict[str, Any]]:
        """Return a summary of the board: for each section, a dict of values by path."""
        sections: dict[str, dict[str, Any]] = self._one("status")
        return sections

    def connect(
        self, host: str, *, qpn: int, rkey: int, address: int, length: int | str, **options: Any
    ) -> dict[str, Any]:
        """Bring a queue pair of the board up to RTS, towards a host's queue pair.

        ``options`` are further options of ``febctl connect``, such as ``psn=7`` or ``size=4096``.
        Return the parameters of the connection, such as the QPNs and PSNs of both sides.
        """
        words = ["connect", "--host", host, "--qpn", str(qpn), "--rkey", str(rkey)]
        words += ["--address", str(address), "--length", str(length), *_options(options)]
        connection: dict[str, Any] = self._one(*words)
        return connection

    def dispatch(
        self,
        count: int,
        *,
        size: int | str | None = None,
        limit: Duration = 60,
        reset: bool = False,
    ) -> Burst:
        """Send a burst of messages and wait for its completions.

        Raise :class:`Refused` if a message fails, or if messages are incomplete after ``limit``.
        """
        words = ["dispatch", "--count", str(count), "--limit", _seconds(limit)]
        words += [] if size is None else ["--size", str(size)]
        data = self._one(*words, *["--reset"] * reset)
        return Burst(**{name: data[name] for name in Burst.__dataclass_fields__})

    def teardown(self, **options: Any) -> dict[str, Any]:
        """Free the board's resources of a connection, even if its client has crashed."""
        done: dict[str, Any] = self._one("teardown", *_options(options))
        return done

    def session(self, sink: str, **options: Any) -> list[dict[str, Any]]:
        """Run complete sessions with an rdma-sink. Return the report of each round.

        ``options`` are those of ``febctl session``, such as ``rounds=2``, ``count=1000`` or
        ``set=["Dcqcn.Rai=6000000"]``.
        """
        return self._run(["session", "--sink", sink, *_options(options)])

    def stream(self, seconds: float = 5.0, *, size: int | None = None) -> StreamCheck:
        """Receive the board's data stream and check it. ``size`` is in 64-bit words."""
        words = ["stream", "--seconds", f"{seconds:g}"]
        data = self._one(*words, *(["--size", str(size)] if size is not None else []))
        return StreamCheck(**{name: data[name] for name in StreamCheck.__dataclass_fields__})

    def _one(self, *words: str, also_with: tuple[int, ...] = ()) -> Any:
        documents = self._run(list(words), also_with)
        return documents[-1] if documents else {}

    def _start(self, words: Sequence[str]) -> subprocess.Popen[str]:
        return start_program([str(self._program), *self._options, *words])

    def _run(self, words: Sequence[str], also_with: tuple[int, ...] = ()) -> list[Any]:
        """Run febctl and return the documents that it prints."""
        process = self._start(words)
        try:
            out, err = process.communicate()
        except BaseException:
            process.send_signal(signal.SIGINT)
            process.communicate()
            raise
        documents = [json.loads(line) for line in out.splitlines() if line.strip()]
        if not (documents and process.returncode in also_with):
            self._finish(process, err, documents)
        return documents

    @staticmethod
    def _finish(process: subprocess.Popen[str], err: str, documents: Any = None) -> None:
        """Raise an exception if febctl ended with an error."""
        status = process.returncode
        if status != 0:
            error = _ERRORS.get(status, ProgramDied)("febctl", status, err)
            error.result = documents
            raise error


def _readings(items: Any) -> list[Reading]:
    return [
        Reading(
            path=item.get("path", ""),
            address=int(item["address"], 16),
            value=item.get("value", item.get("words")),
            text=item.get("text", ""),
            error=item.get("error", ""),
        )
        for item in items
    ]


def _word(value: Any) -> str:
    """Return a name or a value in the notation of febctl."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(map(_word, value))
    return str(value)


def _seconds(value: Duration) -> str:
    if isinstance(value, (int, float)):
        return f"{value:g}"
    return duration(value)


def _options(options: Mapping[str, Any]) -> list[str]:
    """Return keyword arguments as options: ``metadata_timeout=5`` is ``--metadata-timeout 5``."""
    words = []
    for name, value in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        if value is True:
            words.append(option)
        elif value is not None and value is not False:
            for one in value if isinstance(value, (list, tuple)) else [value]:
                words += [option, str(one)]
    return words
