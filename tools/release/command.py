# SPDX-License-Identifier: BSD-3-Clause
"""Runs other programs. Reports an error together with its fix."""

import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FAILED, USAGE, MISSING = 1, 2, 3


class Failure(Exception):
    """An error for the user. `code` is the exit status."""

    def __init__(self, code, what, fix):
        super().__init__(f"{what}\nfix: {fix}")
        self.code = code


def main(name, function):
    """Calls `function` and exits with its status. A Failure is printed."""
    try:
        sys.exit(function() or 0)
    except Failure as failure:
        print(f"{name}: {failure}", file=sys.stderr)
        sys.exit(failure.code)
    except KeyboardInterrupt:
        sys.exit(130)


def say(text):
    print(f"== {text}", flush=True)


def need(programs):
    """Checks that programs are installed. `programs` maps each program to its Debian package."""
    missing = sorted({package for program, package in programs.items() if shutil.which(program) is None})
    if missing:
        raise Failure(MISSING, "Debian packages are missing: " + ", ".join(missing),
                      "as root: apt-get install --no-install-recommends " + " ".join(missing))


def output(*command, **options):
    """Returns what the command prints, without the last newline."""
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout.rstrip("\n")


def logged(what, command, log, **options):
    """Runs a command that takes a long time. Writes its output to the file `log`. If the command fails, shows
    the last lines."""
    begin = time.monotonic()
    with open(log, "w", encoding="utf-8") as file:
        status = subprocess.run(command, stdout=file, stderr=subprocess.STDOUT, check=False, **options).returncode
    if status != 0:
        last = "".join(open(log, encoding="utf-8", errors="replace").readlines()[-30:])
        print(last, end="", file=sys.stderr)
        raise Failure(FAILED, f"{what}: {command[0]} failed with status {status}", f"see {log}")
    say(f"{what}: {time.monotonic() - begin:.0f} s")
