# SPDX-License-Identifier: BSD-3-Clause
"""Finds and starts the programs of softfeb."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from .errors import ProgramNotFound

#: The environment variable that names the folder of the programs.
VARIABLE = "SOFTFEB_BIN"


def find_program(name: str, where: str | os.PathLike[str] | None = None) -> Path:
    """Return the path of a program, such as ``softfeb`` or ``febctl``.

    ``where`` is the program itself, the folder that contains it, or a build folder of meson.
    Without ``where``, the environment variable ``SOFTFEB_BIN`` is used in the same way. If this
    variable is not set, the program is searched for in ``PATH``, and then in the folder ``build``
    of the source tree to which this package belongs.
    """
    given = os.fspath(where) if where is not None else os.environ.get(VARIABLE, "")
    if given:
        for candidate in _below(Path(given), name):
            if _is_program(candidate):
                return candidate
        source = "the argument" if where is not None else VARIABLE
        raise ProgramNotFound(
            f"{source} is {given!r}, but {name} is not there; fix: name the folder with {name}, "
            "or the build folder"
        )
    found = shutil.which(name)
    if found:
        return Path(found)
    for candidate in _below(Path(__file__).resolve().parents[2] / "build", name):
        if _is_program(candidate):
            return candidate
    raise ProgramNotFound(
        f"{name} was not found; fix: install it, or set {VARIABLE} to its folder or to the build "
        "folder"
    )


def start_program(
    words: Sequence[str], cwd: str | os.PathLike[str] | None = None
) -> subprocess.Popen[str]:
    """Start a program, with pipes for its output.

    The program gets a process group of its own, so that Ctrl-C in the terminal reaches only
    Python, which then ends the program with one signal and waits for its result.
    """
    return subprocess.Popen(
        words,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        process_group=0,
    )


def _below(place: Path, name: str) -> Iterator[Path]:
    """Yield the possible paths of a program."""
    if place.is_file():
        if place.name == name:
            yield place
        place = place.parent
    yield place / name
    yield place / "app" / name / name
    # in a build folder, each program has its own folder next to those of the other programs
    yield place.parent / name / name


def _is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)
