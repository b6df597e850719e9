# SPDX-License-Identifier: BSD-3-Clause
"""Functions that run the commands of softfeb, in the foreground or in the background.

The parameters of each function are those of its command in :mod:`softfeb.commands`.
"""

from __future__ import annotations

import functools
import inspect
import json
import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from .commands import (
    Command,
    Compare,
    ConformanceTest,
    Lab,
    Run,
    Sweep,
    SwitchMeasurement,
    Trigger,
)
from .configuration import Configuration, overrides, write_configuration
from .documents import DoctorReport, RegisterSpace
from .errors import ConfigurationError, ProgramError
from .job import Job
from .programs import find_program

if TYPE_CHECKING:
    StrPath = str | os.PathLike[str]

P = ParamSpec("P")
R = TypeVar("R")


def _documented(
    function: Callable[..., Any], command: Callable[..., Any], text: str
) -> Callable[..., Any]:
    """Give a function the signature of a command, for help()."""
    functools.update_wrapper(function, command, assigned=("__module__",), updated=())
    name = getattr(command, "__name__", "")
    function.__doc__ = f"{text}\n\nFor the parameters, see :class:`softfeb.commands.{name}`."
    function.__signature__ = inspect.signature(command)  # type: ignore[attr-defined]
    return function


def _foreground(command: Callable[P, Command[R]]) -> Callable[P, R]:
    def run_command(*args: P.args, **kwargs: P.kwargs) -> R:
        return command(*args, **kwargs).run()

    doc = str(command.__doc__).split("\n", 1)[0]
    return _documented(run_command, command, f"Run {doc}\n\nWait for its end; return its result.")


def _background(command: Callable[P, Command[R]]) -> Callable[P, Job[R]]:
    def start_command(*args: P.args, **kwargs: P.kwargs) -> Job[R]:
        return command(*args, **kwargs).start()

    doc = str(command.__doc__).split("\n", 1)[0]
    return _documented(start_command, command, f"Start {doc}\n\nReturn a :class:`Job`.")


run = _foreground(Run)
start_run = _background(Run)
lab = _foreground(Lab)
start_lab = _background(Lab)
compare = _foreground(Compare)
start_compare = _background(Compare)
sweep = _foreground(Sweep)
start_sweep = _background(Sweep)
conformance = _foreground(ConformanceTest)
start_conformance = _background(ConformanceTest)
switch_test = _foreground(SwitchMeasurement)
start_switch_test = _background(SwitchMeasurement)
trigger = _foreground(Trigger)
start_trigger = _background(Trigger)


def doctor(
    config: Configuration | None = None,
    *,
    set: Mapping[str, Any] | None = None,
    program_path: StrPath | None = None,
) -> DoctorReport:
    """Check this machine, and the ports of a configuration if there is one.

    Return the report whatever it says; its ``verdict`` is ``ok``, ``warn`` or ``bad``.
    """
    import tempfile

    with tempfile.TemporaryDirectory(prefix="softfeb-") as folder:
        words = ["doctor", "--json"]
        if config is not None:
            words += ["-c", str(write_configuration(config, Path(folder), Path.cwd()))]
        return DoctorReport.from_json(
            _printed([*words, *overrides(set or {})], program_path, also_with=(3,))
        )


def registers(profile: str | None = None, *, program_path: StrPath | None = None) -> RegisterSpace:
    """Return the register space of a board's firmware. Needs no board."""
    words = ["regs", "--json", *(["--profile", profile] if profile else [])]
    return RegisterSpace.from_json(_printed(words, program_path))


def version(*, program_path: StrPath | None = None) -> str:
    """Return the version of the program softfeb."""
    program = str(find_program("softfeb", program_path))
    done = subprocess.run(
        [program, "--version"],
        capture_output=True,
        text=True,
        check=True,
        stdin=subprocess.DEVNULL,
    )
    return done.stdout.split()[-1]


def _printed(
    words: list[str], program_path: StrPath | None, also_with: tuple[int, ...] = ()
) -> Any:
    """Return the JSON document that softfeb prints."""
    done = subprocess.run(
        [str(find_program("softfeb", program_path)), *words],
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        stdin=subprocess.DEVNULL,
    )
    if done.returncode == 2:
        raise ConfigurationError("softfeb", 2, done.stderr)
    if done.returncode != 0 and not (done.returncode in also_with and done.stdout.strip()):
        raise ProgramError("softfeb", done.returncode, done.stderr)
    return json.loads(done.stdout)
