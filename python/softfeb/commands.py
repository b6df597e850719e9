# SPDX-License-Identifier: BSD-3-Clause
"""The commands of softfeb, with their options."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from .configuration import Configuration, Duration, duration, overrides, write_configuration
from .documents import Comparison, Conformance, Document, Result, Study, SwitchTest, TriggerRun
from .errors import SoftfebError
from .job import Job
from .programs import find_program

if TYPE_CHECKING:
    StrPath = str | os.PathLike[str]

R = TypeVar("R")


@dataclass(kw_only=True)
class Command(Generic[R]):
    """A command of softfeb. :meth:`run` waits for its end; :meth:`start` returns at once."""

    set: Mapping[str, Any] = field(default_factory=dict)
    """keys of the configuration to override, with values: ``{"run.duration": "5s"}``"""
    check: bool = False
    """whether to raise :class:`ChecksFailed` if a check fails. If False, only ``verdict`` of the
    result shows the failure"""
    timeout: float | None = None
    """seconds after which :meth:`run` ends the program and raises ``TimeoutError``"""
    cwd: StrPath = "."
    """working directory of the program; relative paths in the configuration start there"""
    program_path: StrPath | None = None
    """path of the program softfeb, or of its folder (see :func:`find_program`)"""
    arguments: Sequence[str] = ()
    """further command-line arguments, for options that this package does not know"""

    program: ClassVar[str] = "softfeb"
    name: ClassVar[str] = "softfeb"
    serves_page: ClassVar[bool] = False

    @property
    def writes_result(self) -> bool:
        """Whether the program writes a result document."""
        return True

    def start(self) -> Job[R]:
        """Start the program and return at once."""
        return Job(self)

    def run(self) -> R:
        """Run the program to its end and return its result."""
        with self.start() as job:
            return job.wait(self.timeout)

    def words(self, folder: Path, json_file: Path) -> list[str]:
        """Return the command line. Files that the program reads are written to ``folder``."""
        program = find_program(self.program, self.program_path)
        where = Path(self.cwd).absolute()
        own = self.options(folder, where)
        result = ["--json", str(json_file)] if self.writes_result else []
        return [str(program.absolute()), *own, *overrides(self.set), *self.arguments, *result]

    def options(self, folder: Path, cwd: Path) -> list[str]:
        """Return the command and its own options."""
        raise NotImplementedError

    def convert(self, document: Document | None, job: Job[R]) -> R:
        """Convert the document that the program wrote to a result. ``document`` is None if the
        program wrote no document."""
        return document  # type: ignore[return-value]


def _option(name: str, value: Any) -> list[str]:
    """Return an option and its value as words: no words for None and False, and no value for
    True."""
    if value is None or value is False:
        return []
    if value is True:
        return [name]
    if isinstance(value, (list, tuple)):
        return [name, ",".join(map(str, value))] if value else []
    return [name, os.fspath(value) if isinstance(value, os.PathLike) else str(value)]


def _time(value: Duration | None) -> str | None:
    return None if value is None else duration(value)


@dataclass(kw_only=True)
class _Reporting(Command[R]):
    """Options of commands that write a report folder."""

    report: StrPath | None = None
    """folder for the report: configuration, result, time series and pictures"""
    pictures: bool = True
    """whether the report has a page and charts"""

    def report_options(self) -> list[str]:
        return [*_option("--report", self.report), *_option("--no-pictures", not self.pictures)]


@dataclass(kw_only=True)
class _Live(_Reporting[R]):
    """Options of commands that may serve the live page."""

    duration: Duration | None = None
    """how long to send: seconds, a timedelta, or text such as ``"500ms"``"""
    live: bool | str = False
    """serve the live page: True for a free port on 127.0.0.1, or an address, ``HOST:PORT``"""

    @property
    def serves_page(self) -> bool:  # type: ignore[override]
        return bool(self.live)

    def live_options(self) -> list[str]:
        address = "127.0.0.1:0" if self.live is True else self.live or "off"
        return ["--web", str(address)]


@dataclass(kw_only=True)
class Run(_Live[Result]):
    """``softfeb run``: boards and receivers, in real time."""

    config: Configuration = field(kw_only=False)
    """configuration: the path of a file, or a dict"""
    messages: int | None = None
    """number of messages that each queue pair sends, instead of ``duration``"""

    name: ClassVar[str] = "softfeb run"

    def options(self, folder: Path, cwd: Path) -> list[str]:
        return [
            "run",
            "-c",
            str(write_configuration(self.config, folder, cwd)),
            *_option("--duration", _time(self.duration)),
            *_option("--messages", self.messages),
            *self.report_options(),
            *self.live_options(),
        ]


@dataclass(kw_only=True)
class Lab(_Live[Result]):
    """``softfeb lab``: boards, switches and receivers of a topology."""

    config: Configuration = field(kw_only=False)
    """topology: the path of a file, or a dict"""
    virtual: bool = True
    """whether to run in virtual time, without DPDK and with the same result in every run. If
    False, the lab runs in real time and then in virtual time"""

    name: ClassVar[str] = "softfeb lab"

    def options(self, folder: Path, cwd: Path) -> list[str]:
        if self.virtual and self.live:
            raise SoftfebError("virtual time has no live page; fix: virtual=False, or live=False")
        return [
            "lab",
            "-c",
            str(write_configuration(self.config, folder, cwd)),
            *_option("--duration", _time(self.duration)),
            *_option("--virtual", self.virtual),
            *self.report_options(),
            *([] if self.virtual else self.live_options()),
        ]


@dataclass(kw_only=True)
class Compare(_Reporting[Comparison]):
    """``softfeb lab compare``: the topology in virtual time, once for each congestion control."""

    config: Configuration = field(kw_only=False)
    """topology: the path of a file, or a dict"""
    algorithms: Sequence[str] = ()
    """names of sections in ``lab.compare``, values of ``congestion``, or paths of plug-ins.
    Default: all sections of ``lab.compare``; if there is no such section, dcqcn and all other
    algorithms that can be used"""
    duration: Duration | None = None
    """how long to send: seconds, a timedelta, or text such as ``"500ms"``"""

    name: ClassVar[str] = "softfeb lab compare"

    def options(self, folder: Path, cwd: Path) -> list[str]:
        return [
            "lab",
            "compare",
            "-c",
            str(write_configuration(self.config, folder, cwd)),
            *_option("--algorithms", list(self.algorithms)),
            *_option("--duration", _time(self.duration)),
            *self.report_options(),
        ]


@dataclass(kw_only=True)
class Sweep(_Reporting[Study | None]):
    """``softfeb lab sweep``: the topology in virtual time at every point of a parameter study.

    The result is None for a ``task``, which runs only a part of the points, and if another engine
    runs the points later (``on="slurm"``).
    """

    config: Configuration = field(kw_only=False)
    """topology: the path of a file, or a dict"""
    axes: Mapping[str, Sequence[Any]] | None = None
    """values of each key, such as ``{"boards.feb.dcqcn.rai": ["40Mb/s", "80Mb/s"]}``, instead of
    ``lab.sweep`` of the configuration. The last axis varies fastest"""
    duration: Duration | None = None
    """how long to send at each point: seconds, a timedelta, or text such as ``"500ms"``"""
    out: StrPath | None = None
    """folder that stores the result of each point. If a study was interrupted, a second run
    continues it"""
    task: str | tuple[int, int] | None = None
    """with ``out``: run only task I of N: ``(I, N)``, ``"I/N"``, or ``"auto"``, which uses the
    number that Slurm or mpirun gave to this process"""
    collect: bool = False
    """with ``out``: run no points, but combine the results in the folder"""
    on: str | None = None
    """with ``out``: let this engine run the points: ``"slurm"`` or ``"parallel"``"""
    hosts: Sequence[str] = ()
    """with ``on="parallel"``: run on these hosts, by ssh"""
    tasks: int | None = None
    """with ``on``: divide the study into this number of tasks"""
    on_args: str | None = None
    """with ``on``: further arguments of sbatch or parallel"""
    existing: bool = False
    """with ``out``: fail if the folder has no study, for example because the folder is not
    shared"""
    threads: int | None = None
    """run this number of points at a time. Default: the number of CPUs; in a task, one"""

    name: ClassVar[str] = "softfeb lab sweep"

    @property
    def writes_result(self) -> bool:
        """Whether the program writes a result document.

        It writes none if other processes run some of the points.
        """
        return self.task is None and self.on != "slurm"

    def options(self, folder: Path, cwd: Path) -> list[str]:
        if self.on == "slurm" and isinstance(self.config, Mapping):
            raise SoftfebError(
                "Slurm's jobs read the configuration later; fix: name a file instead of a dict"
            )
        task = "/".join(map(str, self.task)) if isinstance(self.task, tuple) else self.task
        axes = [{"key": key, "values": list(values)} for key, values in (self.axes or {}).items()]
        return [
            "lab",
            "sweep",
            "-c",
            str(write_configuration(self.config, folder, cwd)),
            *overrides({"lab.sweep": axes} if self.axes is not None else {}),
            *_option("--duration", _time(self.duration)),
            *_option("--out", self.out),
            *_option("--task", task),
            *_option("--collect", self.collect),
            *_option("--on", self.on),
            *_option("--hosts", list(self.hosts)),
            *_option("--tasks", self.tasks),
            *_option("--on-args", self.on_args),
            *_option("--existing", self.existing),
            *_option("--threads", self.threads),
            *self.report_options(),
        ]


@dataclass(kw_only=True)
class ConformanceTest(Command[Conformance]):
    """``softfeb conformance``: test how a receiver responds to packets."""

    config: Configuration | None = field(default=None, kw_only=False)
    """configuration with a port, a board and a section ``conformance``: the path of a file, or a
    dict. Without it, softfeb's own receiver is tested in virtual time"""
    target: str | None = None
    """the receiver: ``sink://HOST``, ``perftest://HOST``, ``own:``, ``own:virtual``, ``listed``"""
    profile: str | None = None
    """profile, which describes the target: a name, or a file"""
    cases: Sequence[str] | str = ()
    """groups and cases to run, such as ``["PSN", "UC-09", "!STR"]``. Default: all"""
    level: Sequence[str] = ()
    """run only cases of these levels: shall, should, may, measure, robustness"""
    scope: str | None = None
    """``"quick"``, ``"full"`` (default) or ``"stress"``"""
    destructive: bool = False
    """also run the cases that may crash the target, after all other cases"""
    strict: bool = False
    """fail if a deviation that the profile lists does not occur"""
    allow_inconclusive: bool = False
    """do not fail because of inconclusive cases"""
    attempts: int | None = None
    """maximum number of attempts at a case whose verdict is inconclusive"""
    time_limit: Duration | None = None
    """end the run after this time. The run fails if some cases have not run by then"""
    out: StrPath | None = None
    """folder for the report"""
    write_profile: StrPath | None = None
    """file for a draft of a profile with the failures of this run"""

    name: ClassVar[str] = "softfeb conformance"

    def options(self, folder: Path, cwd: Path) -> list[str]:
        cases = self.cases if isinstance(self.cases, str) else ",".join(self.cases)
        if self.scope not in (None, "quick", "full", "stress"):
            raise SoftfebError(f"scope {self.scope!r} is unknown; fix: quick, full or stress")
        words = ["conformance"]
        if self.config is not None:
            words += ["-c", str(write_configuration(self.config, folder, cwd))]
        return [
            *words,
            *_option("--target", self.target),
            *_option("--profile", self.profile),
            *_option("--cases", cases or None),
            *_option("--level", list(self.level)),
            *([f"--{self.scope}"] if self.scope else []),
            *_option("--destructive", self.destructive),
            *_option("--strict", self.strict),
            *_option("--allow-inconclusive", self.allow_inconclusive),
            *_option("--attempts", self.attempts),
            *_option("--time-limit", _time(self.time_limit)),
            *_option("--out", self.out),
            *_option("--write-profile", self.write_profile),
        ]


@dataclass(kw_only=True)
class SwitchMeasurement(Command[SwitchTest]):
    """``softfeb switch-test``: measure a switch from outside."""

    config: Configuration = field(kw_only=False)
    """configuration with a section ``switch_test``: the path of a file, or a dict"""
    only: Sequence[str] = ()
    """tests to run, such as ``["dscp", "mtu"]``. Default: all except soak"""
    profile: str | None = None
    """how long to measure: ``"quick"``, ``"standard"`` (default) or ``"rfc"`` (RFC 2544)"""
    expect: StrPath | None = None
    """file with the expected figures. Without this file, no figure is a failure"""
    report: StrPath | None = None
    """folder for result, page and data sheet"""
    junit: StrPath | None = None
    """file for the result as JUnit XML"""
    as_lab: StrPath | None = None
    """file for a configuration of softfeb lab that describes the measured switch"""
    strict: bool = False
    """fail if a test is inconclusive or an expectation is undecided"""

    name: ClassVar[str] = "softfeb switch-test"

    def options(self, folder: Path, cwd: Path) -> list[str]:
        return [
            "switch-test",
            "-c",
            str(write_configuration(self.config, folder, cwd)),
            *_option("--only", list(self.only)),
            *_option("--profile", self.profile),
            *_option("--expect", self.expect),
            *_option("--report", self.report),
            *_option("--junit", self.junit),
            *_option("--as-lab", self.as_lab),
            *_option("--strict", self.strict),
        ]


@dataclass(kw_only=True)
class Trigger(Command[TriggerRun]):
    """``softfeb trigger``: send the triggers of a configuration to its boards."""

    config: Configuration = field(kw_only=False)
    """configuration of ``run`` or ``lab``: the path of a file, or a dict"""
    trigger: str | None = None
    """name of an element of ``triggers``. Default: the element with ``mode: message``"""
    duration: Duration | None = None
    """how long to send: seconds, a timedelta, or text such as ``"500ms"``"""

    name: ClassVar[str] = "softfeb trigger"

    def options(self, folder: Path, cwd: Path) -> list[str]:
        return [
            "trigger",
            "-c",
            str(write_configuration(self.config, folder, cwd)),
            *_option("--trigger", self.trigger),
            *_option("--duration", _time(self.duration)),
        ]
