# SPDX-License-Identifier: BSD-3-Clause
"""The command line of a program, as --describe-command-line prints it."""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Option:
    names: list
    positional: bool
    description: str
    metavar: str          # placeholder of the value; empty for a flag
    values: list          # words that the option accepts; empty if it accepts any
    limits: str           # further conditions on the value, in words
    default: str
    optional_value: bool  # the value may be omitted
    repeats: bool
    required: bool
    group: str
    excludes: list

    @property
    def flag(self):
        return not self.metavar

    @property
    def long(self):
        return self.names[-1]

    @property
    def kind(self):
        """Returns the kind of values that a shell offers: words, file, directory, setting (KEY=VALUE), or
        none."""
        if self.values and self.metavar != "FILE":
            return "words"
        if self.metavar == "KEY=VALUE":
            return "setting"
        if self.metavar == "DIR":
            return "directory"
        return "file" if "FILE" in self.metavar else "none"


@dataclass
class Command:
    name: str
    path: tuple           # the program and the subcommands that lead to this command
    description: str
    footer: str
    options: list
    commands: list = field(default_factory=list)
    inherits: bool = False  # whether the command also accepts the options of the command above it

    @property
    def flags(self):
        return [o for o in self.options if not o.positional]

    @property
    def positionals(self):
        return [o for o in self.options if o.positional]

    def walk(self):
        yield self
        for command in self.commands:
            yield from command.walk()


def read(text, name=None):
    """Parses the description of a program. `name` replaces the name of the program."""
    return _command(json.loads(text), (), name)


def _command(data, above, name=None):
    path = (*above, name or Path(data["name"]).name)
    options = sorted((_option(o, data["name"]) for o in data["options"]), key=lambda o: o.positional)
    return Command(path[-1], path, " ".join(data["description"].split()), data["footer"], options,
                   [_command(c, path) for c in data["commands"]], data["takes_parent_options"])


def _option(data, program):
    kind, _, conditions = data["type"].partition(":")
    flag = data["max"] == 0
    values = list(data["values"])
    limits = []
    for condition in conditions.split(":"):
        if words := re.fullmatch(r"\{(.*)\}", condition):
            values = words.group(1).split(",")
        elif bounds := re.fullmatch(r"(?:U?INT|FLOAT|VALUE) in \[(\S+) - (\S+)\]", condition):
            limits.append(f"{_number(bounds.group(1))} to {_number(bounds.group(2))}")
        elif condition in ("FILE", "DIR"):
            kind = condition
        elif condition.startswith("SIZE"):
            kind = "SIZE"
    if "--config" in data["names"]:
        kind = "FILE"
    if kind in ("TEXT", "UINT", "INT", "FLOAT") and not flag:
        kind = {"TEXT": "TEXT", "FLOAT": "NUMBER"}.get(kind, "N")
    if data["positional"]:
        kind = kind if kind not in ("TEXT", "N") else data["names"][0].upper()
    default = data["default"].strip('"')
    return Option(data["names"], data["positional"], " ".join(data["description"].split()), "" if flag else kind, values,
                  ", ".join(limits), default, data["min"] == 0 and not flag, data["max"] > 1, data["required"], data["group"],
                  data["excludes"])


def _number(text):
    return f"{float(text):.15g}"


def exit_statuses(footer):
    """Returns [(number, meaning)] from the line about the exit status with which --help ends."""
    line = next(line for line in footer.splitlines() if line.startswith("Exit "))
    return [(int(number), meaning.strip().rstrip(";,.")) for number, meaning in re.findall(r"\b([0-9]) ([^0-9]+)", line)]
