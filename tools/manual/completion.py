# SPDX-License-Identifier: BSD-3-Clause
"""Writes shell completion for bash and zsh from the description of a command line."""

from pathlib import Path

HERE = Path(__file__).resolve().parent
REGISTERS = {"NAME|ADDRESS", "NAME VALUE", "NODE", "NAME=VALUE"}


class Settings:
    """The keys that may follow --set in one form of configuration, arranged for completion part by part."""

    def __init__(self, words):
        """`words` contains, for each key, the words that the key accepts."""
        self.words = {key: values for key, values in words.items() if values}
        self.children = {}
        for key in words:
            self._add(key, words)

    def _add(self, key, all_keys):
        parts = key.replace("[]", ".[]").split(".")
        path = ""
        for number, part in enumerate(parts):
            if part == "[]":
                self.children.setdefault(path + "[]", [])
                path += "[]"
                continue
            here = path + ("." if path else "") + part
            inner = number + 1 < len(parts) or any(k.startswith((here + ".", here + "[]")) for k in all_keys)
            endings = (["."] if inner else ["="]) + (["="] if inner and here in self.words else [])
            siblings = self.children.setdefault(path, [])
            siblings += [part + e for e in endings if part + e not in siblings]
            path = here


def kind_of(command, option):
    """Returns what the shell offers as the value of an option, in the notation of the templates."""
    if option.metavar in REGISTERS and command.path[0] == "febctl":
        kind = "registers"
    elif option.kind == "words":
        kind = ("list " if "," in option.metavar or option.metavar == "LIST" else "words ") + " ".join(option.values)
    elif option.kind == "setting":
        kind = "setting " + form_of(command)
    else:
        kind = option.kind
    return ("optional " if option.optional_value else "") + kind


def form_of(command):
    """Returns the form of configuration that a command of softfeb reads."""
    return {"lab": "lab", "switch-test": "switch_test"}.get((*command.path, "", "")[1], "run")


def all_options(top, command):
    """Returns the options of a command, and the options of the commands above it that the command also accepts."""
    options = list(command.options)
    chain = [c for c in top.walk() if c.path == command.path[:len(c.path)]][::-1]
    for inner, outer in zip(chain, chain[1:]):
        if not inner.inherits:
            break
        options += [o for o in outer.flags if o.long not in ("--help", "--version")]
    return options


def shell_name(name):
    return name.replace("-", "_")


def restrict(words, text):
    """Returns only the keys of those sections that the configuration `text` has. The reader of configurations knows
    further sections."""
    sections = {line.partition(":")[0] for line in text.splitlines() if line[:1].isalpha()}
    return {key: values for key, values in words.items() if key.replace("[", ".").partition(".")[0] in sections}


def quote(text):
    return "'" + text.replace("'", "'\\''") + "'"


def bash(top, settings):
    name = shell_name(top.name)
    commands, options, kinds = {}, {}, {}
    for command in top.walk():
        at = " ".join(command.path)
        if command.commands:
            commands[at] = " ".join(c.name for c in command.commands)
        every = all_options(top, command)
        options[at] = " ".join(n for o in every if not o.positional for n in o.names)
        for option in every:
            if option.flag:
                continue
            for n in [""] if option.positional else option.names:
                kinds.setdefault(f"{at} {n}", kind_of(command, option))
    tables = [(f"_{name}_commands", commands), (f"_{name}_options", options), (f"_{name}_kinds", kinds)]
    for form, table in settings.items():
        # bash does not allow an empty key, and the top of the configuration has an empty path. All paths therefore
        # begin with a colon.
        tables += [(f"_{name}_keys_{form}", {":" + k: " ".join(v) for k, v in table.children.items()}),
                   (f"_{name}_key_words_{form}", {":" + k: " ".join(v) for k, v in table.words.items()})]
    text = "\n".join(f"declare -gA {table}=(\n" + "".join(f"  [{quote(k)}]={quote(v)}\n" for k, v in rows.items()) + ")"
                     for table, rows in tables)
    return fill("completion.bash", top.name, text)


def zsh(top, settings):
    name = shell_name(top.name)
    tables = []
    for form, table in settings.items():
        for what, rows in (("keys", table.children), ("key_words", table.words)):
            tables.append(f"typeset -gA _{name}_{what}_{form}\n_{name}_{what}_{form}=(\n"
                          + "".join(f"  {quote(':' + k)} {quote(' '.join(v))}\n" for k, v in rows.items()) + ")")
    setting = "\n".join((HERE / "setting.zsh").read_text().replace("@FORM@", form) for form in settings)
    functions = "\n\n".join(_zsh_function(top, command) for command in list(top.walk())[::-1])
    return fill("completion.zsh", top.name, "\n".join(tables), setting, functions)


def _zsh_function(top, command):
    lines = [f"_{shell_name('_'.join(command.path))}() {{", "  local curcontext=$curcontext state line", "  typeset -A opt_args",
             "  local ret=1"]
    specs = [_zsh_spec(command, o) for o in all_options(top, command) if not o.positional]
    if command.commands:
        specs += ["': :->command'", "'*:: :->arguments'"]
    else:
        specs += [_zsh_positional(command, o) for o in command.positionals]
    # After the name of a subcommand, only options of the subcommand may follow, so stop at the first word.
    lines.append("  _arguments -C -s " + ("-A '-*' " if command.commands else "") + " \\\n    ".join(specs) + " && ret=0")
    if command.commands:
        lines += ["  case $state in", "    command)", "      local -a commands", "      commands=("]
        lines += [f"        {quote(_colon(c.name) + ':' + _colon(c.description))}" for c in command.commands]
        lines += ["      )", "      _describe -t commands command commands && ret=0", "      ;;", "    arguments)", "      case $line[1] in"]
        lines += [f"        {c.name}) _{shell_name('_'.join(c.path))} && ret=0 ;;" for c in command.commands]
        lines += ["      esac", "      ;;", "  esac"]
    return "\n".join([*lines, "  return ret", "}"])


def _colon(text):
    return text.replace("\\", "\\\\").replace(":", "\\:")


def _zsh_action(command, option):
    kind = kind_of(command, option).removeprefix("optional ")
    word, _, rest = kind.partition(" ")
    name = shell_name(command.path[0])
    return {"words": f"({rest})".replace(":", "\\:"), "list": "_values -s , value " + rest, "file": "_files", "directory": "_files -/",
            "setting": f"_{name}_setting_{rest}", "registers": f"_{name}_registers"}.get(word, "")


def _zsh_spec(command, option):
    text = _colon(option.description).replace("[", "\\[").replace("]", "\\]")
    more = "*" if option.repeats else ""
    names = option.names
    value = "" if option.flag else (":" if not option.optional_value else "::") + _colon(option.metavar) + ":" + _zsh_action(command, option)
    specs = []
    others = " ".join(names) if not option.repeats else ""
    for n in names:
        long_value = "=" if value and n.startswith("--") else ("+" if value else "")
        specs.append(quote((f"({others})" if others else "") + more + n + long_value + f"[{text}]" + value))
    return " ".join(specs)


def _zsh_positional(command, option):
    more = "*" if option.repeats else ""
    return quote(f"{more}:{_colon(option.metavar)}:{_zsh_action(command, option)}")


def fill(template, name, tables, setting="", functions=""):
    text = (HERE / template).read_text()
    text = text.replace("@TABLES@", tables).replace("@SETTINGS@", setting).replace("@FUNCTIONS@", functions)
    return text.replace("@NAME@", name).replace("@ID@", shell_name(name))
