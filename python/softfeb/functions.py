# SPDX-License-Identifier: BSD-3-Clause
"""Functions that run the commands of softfeb, in the foreground or in the background.

The parameters of each function are those of its command in :mod:`softfeb.commands`.
"""

from __future__ import annotations

import ast
import inspect
import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

from . import commands
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


def _parameter_docs() -> dict[str, dict[str, str]]:
    """Return the description of each field of each class in ``commands``, from its source."""
    try:
        tree = ast.parse(inspect.getsource(commands))
    except (OSError, TypeError):  # the source is missing; there is only byte code
        return {}
    found: dict[str, dict[str, str]] = {}
    for node in tree.body:
        if not isinstance(node, ast.ClassDef):
            continue
        fields = found.setdefault(node.name, {})
        for field, text in zip(node.body, node.body[1:]):
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant):
                    fields[field.target.id] = " ".join(str(text.value.value).split())
    return found


_DOCS = _parameter_docs()


def _document(function: Any, name: str, command: type[Command[Any]], result: str) -> None:
    """Give a function the name, the signature and the documentation of a command, for help()."""
    docs: dict[str, str] = {}
    for base in reversed(command.__mro__):
        docs.update(_DOCS.get(base.__name__, {}))
    signature = inspect.signature(command)
    parameters = [
        p.replace(default={}) if repr(p.default) == "<factory>" else p
        for p in signature.parameters.values()
    ]
    function.__name__ = function.__qualname__ = name
    function.__module__ = __name__
    function.__signature__ = signature.replace(parameters=parameters, return_annotation=result)
    lines = [f"    {p.name}: {docs.get(p.name, '')}" for p in parameters]
    verb = "Start" if name.startswith("start_") else "Run"
    function.__doc__ = "\n".join([f"{verb} {command.__doc__}", "", "Parameters:", *lines])


def _foreground(name: str, command: Callable[P, Command[R]], result: str) -> Callable[P, R]:
    """Return a function that runs a command to its end and returns its result."""

    def function(*args: P.args, **kwargs: P.kwargs) -> R:
        return command(*args, **kwargs).run()

    _document(function, name, cast(Any, command), result)
    return function


def _background(name: str, command: Callable[P, Command[R]], result: str) -> Callable[P, Job[R]]:
    """Return a function that starts a command and returns its job."""

    def function(*args: P.args, **kwargs: P.kwargs) -> Job[R]:
        return command(*args, **kwargs).start()

    _document(function, name, cast(Any, command), f"Job[{result}]")
    return function


run = _foreground("run", Run, "Result")
start_run = _background("start_run", Run, "Result")
lab = _foreground("lab", Lab, "Result")
start_lab = _background("start_lab", Lab, "Result")
compare = _foreground("compare", Compare, "Comparison")
start_compare = _background("start_compare", Compare, "Comparison")
sweep = _foreground("sweep", Sweep, "Study | None")
start_sweep = _background("start_sweep", Sweep, "Study | None")
conformance = _foreground("conformance", ConformanceTest, "Conformance")
start_conformance = _background("start_conformance", ConformanceTest, "Conformance")
switch_test = _foreground("switch_test", SwitchMeasurement, "SwitchTest")
start_switch_test = _background("start_switch_test", SwitchMeasurement, "SwitchTest")
trigger = _foreground("trigger", Trigger, "TriggerRun")
start_trigger = _background("start_trigger", Trigger, "TriggerRun")


def doctor(
    config: Configuration | None = None,
    *,
    set: Mapping[str, Any] | None = None,
    program_path: StrPath | None = None,
) -> DoctorReport:
    """Check this machine, and the ports of a configuration if there is one.

    Return the report even if checks found problems; ``verdict`` is ``ok``, ``warn`` or ``bad``.
    """
    with tempfile.TemporaryDirectory(prefix="softfeb-") as folder:
        words = ["doctor", "--json"]
        if config is not None:
            words += ["-c", str(write_configuration(config, Path(folder), Path.cwd()))]
        return DoctorReport.from_json(
            _printed([*words, *overrides(set or {})], program_path, also_with=(3,))
        )


def registers(profile: str | None = None, *, program_path: StrPath | None = None) -> RegisterSpace:
    """Return the description of the registers of a board's firmware. Needs no board."""
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
