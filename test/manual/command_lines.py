# SPDX-License-Identifier: BSD-3-Clause
"""Finds the command lines in the code blocks of the manual, and checks them against the descriptions of the programs."""

import os
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

import command_line

PROGRAMS = ("softfeb", "febctl", "rdma-sink", "softfeb-mpi")
STARTS = re.compile(r"^(?:\$ )?(?:[A-Z_]+=\S+ +)*(?:sudo +)?(?:mpirun .*? )?((?:build/app/\S+/)?(?:" + "|".join(PROGRAMS)
                    + r")|tools/[\w./-]+)(?= (?!= )|$)")
TREE = ("conf/", "tools/", "data/", "examples/", "doc/", "schemas/", "build/app/")


@dataclass
class Line:
    place: str     # page:line
    text: str      # the command as a reader types it, without comment
    words: list    # program and arguments

    @property
    def program(self):
        return Path(self.words[0]).name


def blocks(text):
    """Yields (line number, line) for each line of code in a page. A line that ends in a backslash is joined
    with the next line."""
    fence, before, inside, pending = False, "", False, None
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fence, inside = not fence, False
            continue
        indented = line.startswith("    ")
        inside = fence or (indented and (inside or not before.strip()))
        if inside:
            first, code = pending or (number, "")
            code += line.strip() if pending else line.strip()
            if code.endswith("\\"):
                pending = (first, code[:-1])
            else:
                pending = None
                yield first, code
        if not line.strip() and indented is False:
            inside = inside and not fence
        before = line


def split(code):
    """Returns the simple commands of a line, each as a list of words."""
    lexer = shlex.shlex(code, posix=True, punctuation_chars="&;|<>")
    lexer.whitespace_split, lexer.commenters = True, "#"
    commands, words, skip = [], [], False
    for word in lexer:
        if set(word) <= set("&;|<>"):
            skip = word[0] in "<>"
            if not skip:
                commands.append(words)
                words = []
        elif skip:
            skip = False
        else:
            words.append(word)
    return [c for c in [*commands, words] if c]


def lines(root, pages):
    for page in pages:
        for number, code in blocks((root / page).read_text()):
            if not (start := STARTS.match(code)):
                continue
            place = f"{page}:{number}"
            if code.count("'") % 2 and code.endswith("'"):  # the last line of a script that a guest runs
                code = code[:-1]
            try:
                words = split(code[start.start(1):])[0]
            except ValueError as error:
                raise AssertionError(f"{place}: {error}: {code}") from error
            yield Line(place, " ".join(shlex.quote(w) for w in words), words)


def check(line, tops, root):
    """Returns the errors in a line, as a list of messages."""
    errors = [f"there is no {w} in the tree" for w in line.words
              if w.startswith(TREE) and not w.startswith("build/app/") and not (root / w).exists()]
    if line.program in PROGRAMS:
        errors += _check_options(line.words[1:], tops[line.program])
    elif not os.access(root / line.words[0], os.X_OK):
        errors.append(f"{line.words[0]} is not a program")
    return [f"{line.place}: {line.text}: {e}" for e in errors]


def _check_options(words, command):
    errors, options, positionals, rest = [], {n: o for o in command.options for n in o.names}, 0, list(words)
    while rest:
        word = rest.pop(0)
        name, equals, value = word.partition("=")
        if word.startswith("-") and word != "-":
            option = options.get(name)
            if option is None:
                errors.append(f"{'-'.join(command.path)} has no option {name}")
                continue
            if option.flag:
                continue
            if not equals:
                if not rest and not option.optional_value:
                    errors.append(f"{name} needs a value")
                value = rest.pop(0) if rest and not (option.optional_value and rest[0].startswith("-")) else ""
            # An option that accepts certain words may also accept numbers or addresses, which are not checked.
            if option.kind == "words" and re.fullmatch("[a-z][a-z-]*", value) and value not in option.values:
                errors.append(f"{name} does not accept {value}")
        elif below := next((c for c in command.commands if c.name == word), None):
            inherited = options if below.inherits or command.path[-1] in PROGRAMS else {}
            options = {**inherited, **{n: o for o in below.options for n in o.names}}
            command = below
        else:
            positionals += 1
            accepted = command.positionals
            if not accepted or (positionals > len(accepted) and not any(o.repeats for o in accepted)):
                errors.append(f"{' '.join(command.path)} has no command or argument {word}")
    return errors


def describe(text, name):
    return command_line.read(text, name)
