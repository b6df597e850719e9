# SPDX-License-Identifier: BSD-3-Clause
"""The exceptions of this package."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any


class SoftfebError(Exception):
    """The base of all exceptions of this package."""


@dataclass(frozen=True)
class Problem:
    """One problem that a program reported."""

    message: str
    """what is wrong"""
    fix: str = ""
    """how to fix it; empty if the program does not know"""
    key: str = ""
    """key of the configuration; empty if the problem does not concern a key"""
    file: str = ""
    """file, or ``--set``; empty if the problem does not concern a file or ``--set``"""
    line: int | None = None
    """line of the file"""

    def __str__(self) -> str:
        place = self.file + (f":{self.line}" if self.line is not None else "")
        head = ": ".join(part for part in (place, self.key, self.message) if part)
        return head + (f"; fix: {self.fix}" if self.fix else "")


class ProgramError(SoftfebError):
    """A program of softfeb ended with an error. ``str()`` gives what the program printed."""

    def __init__(
        self, program: str, exit_code: int, output: str, hidden_file: str | None = None
    ) -> None:
        self.program = program
        """name of the program, such as ``softfeb``"""
        self.exit_code = exit_code
        """exit status; negative if a signal ended the program"""
        self.output = output
        """what the program printed on standard error"""
        self.problems: list[Problem] = parse_problems(program, output, hidden_file)
        """the problems that the program reported, with their places"""
        self.result: Any = None
        """the result, if the program has written one although it failed"""
        text = "\n".join(map(str, self.problems)) or f"no message (exit status {exit_code})"
        super().__init__(f"{program}: {text}")


class ConfigurationError(ProgramError):
    """The configuration or an option is invalid (exit status 2). Nothing was sent."""


class EnvironmentProblem(ProgramError):
    """The machine lacks something, or a peer does not answer (exit status 3)."""


class Refused(ProgramError):
    """A board refused a register access, or a check of febctl failed (exit status 1)."""


class ProgramDied(ProgramError):
    """A signal ended the program, or its exit status is unknown."""


class ChecksFailed(ProgramError):
    """A check failed (exit status 1). Raised only with ``check=True``; see :attr:`result`."""


class ProgramNotFound(SoftfebError):
    """A program of softfeb was not found."""


class DocumentError(SoftfebError):
    """A JSON document does not have the form that this package expects."""

    def __init__(self, place: str, message: str) -> None:
        self.place = place.lstrip(".")
        """place in the document, such as ``boards[0].qps``"""
        super().__init__(f"{self.place}: {message}" if self.place else message)


class VersionError(DocumentError):
    """A JSON document has a ``schema_version`` that this package does not know."""


class LiveError(SoftfebError):
    """The live page refused a request, or there is no live page."""

    def __init__(self, message: str, fix: str = "", key: str = "", status: int | None = None):
        self.fix = fix
        """how to fix the problem"""
        self.key = key
        """the invalid key of a change of parameters; empty for other errors"""
        self.status = status
        """status of the HTTP response; None if there was no response"""
        super().__init__(message + (f"; fix: {fix}" if fix else ""))


_PLACE = re.compile(
    r"(?:(?P<file>[^:]+):(?P<line>\d+): |(?P<set>--set):? |(?P<path>[^:\s]*/[^:]+): )"
    r"(?:(?P<key>[\w.\-]+): )?(?P<message>.*)"
)


def parse_problems(program: str, output: str, hidden_file: str | None = None) -> list[Problem]:
    """Split what a program printed into problems.

    The form of a problem is ``FILE:LINE: KEY: MESSAGE; fix: FIX``, or ``--set KEY: …``, or only a
    message (doc/configuration.md). Places in ``hidden_file`` have only a key, because the file
    was temporary.
    """
    lines = [line.removeprefix(f"{program}: ") for line in output.splitlines()]
    return [_parse_problem(line, hidden_file) for line in lines if line.strip()]


def _parse_problem(text: str, hidden_file: str | None) -> Problem:
    body, _, fix = text.partition("; fix: ")
    found = _PLACE.fullmatch(body)
    if found is None:
        return Problem(message=body.strip(), fix=fix)
    file = found["file"] or found["set"] or found["path"]
    hidden = file == hidden_file
    return Problem(
        message=found["message"],
        fix=fix,
        key=found["key"] or "",
        file="" if hidden else file,
        line=int(found["line"]) if found["line"] and not hidden else None,
    )
