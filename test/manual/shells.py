# SPDX-License-Identifier: BSD-3-Clause
"""Runs interactive shells on a terminal, and lets the shells complete command lines as if a user had typed them."""

import os
import pty
import re
import select
import shutil
import signal
import tempfile
import time
from pathlib import Path

LIMIT = 60  # seconds, for a slow machine
READY = "ready-for-more"
BASH_COMPLETION = "/usr/share/bash-completion/bash_completion"


class Shell:
    """A shell that has loaded the completion scripts. complete() returns everything that the shell offers for
    a command line."""

    def __init__(self, command, setup, offer, path, extra_environment=()):
        self._offer = offer
        self._home = tempfile.mkdtemp(prefix="softfeb-shell-")
        self._pid, self._terminal = pty.fork()
        if self._pid == 0:
            environment = {"HOME": self._home, "PATH": path, "TERM": "dumb", "LC_ALL": "C.UTF-8", **dict(extra_environment)}
            os.chdir(self._home)
            os.execvpe(command[0], command, environment)
        self._run(f"stty -echo columns 30000\n{setup}\n")

    def close(self):
        os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        os.close(self._terminal)
        shutil.rmtree(self._home)

    def folder(self):
        return Path(self._home)

    def complete(self, line):
        """Returns the words that the shell offers at the end of the line, in the form in which the shell
        would insert them."""
        self._write(line + self._offer)
        time.sleep(0.05)
        text = self._run("\x01echo 'offered<' \x05 '>offered'\n")
        found = re.search(r"offered< (.*) >offered", text)
        if found is None:
            raise AssertionError(f"{line!r}: {text!r}")
        words, typed = found.group(1).split(), line.split()
        rest = words[len(typed) if line.endswith(" ") else len(typed) - 1:]
        return sorted(rest)

    def _run(self, text):
        self._write(text + f"echo {READY[:5]}''{READY[5:]}\n")
        seen, end = "", time.monotonic() + LIMIT
        while READY not in seen:
            if time.monotonic() > end or not select.select([self._terminal], [], [], LIMIT)[0]:
                raise AssertionError(f"the shell does not answer: {seen[-2000:]!r}")
            seen += os.read(self._terminal, 65536).decode(errors="replace")
        return seen

    def _write(self, text):
        data = text.encode()
        while data:
            data = data[os.write(self._terminal, data):]


def bash(scripts, path):
    sources = "\n".join(f"source {script}" for script in [BASH_COMPLETION, *scripts])
    return Shell(["bash", "--norc", "--noprofile", "-i"], f"PS1=; bind '\"\\C-xa\": insert-completions'; bind 'set completion-query-items 0'\n{sources}",
                 "\x18a", path)


def zsh(folder, path):
    setup = f"""PS1=; unsetopt zle_bracketed_paste; setopt no_beep interactive_comments
fpath=({folder} $fpath); autoload -Uz compinit; compinit -u -D
zle -C all-matches complete-word _generic
zstyle ':completion:all-matches::::' completer _all_matches _complete
zstyle ':completion:all-matches:*' insert true
zstyle ':completion:*' list-prompt ''
bindkey -e; bindkey '^Xa' all-matches"""
    return Shell(["zsh", "-f", "-i"], setup, "\x18a", path)
