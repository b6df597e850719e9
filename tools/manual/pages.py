# SPDX-License-Identifier: BSD-3-Clause
"""Lays out the man pages. Options come from the description of the command line, everything else from
doc/man."""

import re

import reference
from command_line import exit_statuses
from roff import Page, inline

MANUAL = "softfeb"
SEE_ALSO = re.compile(r"([\w.-]+)\((\d)\)")


class Texts:
    """A file of doc/man. Its sections begin with ## and consist of paragraphs, items (`* term: text`) and
    indented examples."""

    def __init__(self, folder, name):
        path = folder / f"{name}.md"
        self.sections = {}
        title = None
        for line in path.read_text().splitlines() if path.exists() else []:
            if line.startswith("## "):
                title = line[3:].strip().upper()
                self.sections[title] = []
            elif title is not None:
                self.sections[title].append(line)

    def write(self, page, title, heading=True):
        """Writes a section if the file has it."""
        if title not in self.sections:
            return
        if heading:
            page.section(title)
        for kind, content in _blocks(self.sections[title]):
            if kind == "example":
                page.example(content)
            elif kind == "item":
                term, _, text = content.partition(": ")
                page.entry([("b" if i % 2 else "r", part) for i, part in enumerate(term.split("`")) if part], text)
            else:
                page.paragraph(content)


def _blocks(lines):
    blocks = []
    for line in [*lines, ""]:
        last = blocks[-1] if blocks else (None, None)
        if line.startswith("    "):
            if last[0] == "example":
                last[1].append(line[4:])
            else:
                blocks.append(("example", [line[4:]]))
        elif line.startswith("* "):
            blocks.append(("item", line[2:]))
        elif not line.strip():
            blocks.append((None, None))
        elif last[0] in ("item", "text"):
            blocks[-1] = (last[0], last[1] + " " + line.strip())
        else:
            blocks.append(("text", line.strip()))
    return [b for b in blocks if b[0] is not None]


def sentence(text):
    """Returns the text with a full stop and a capital letter. A word that the text explains (`off: ...`)
    stays as it is."""
    text = text.strip()
    if re.match(r"[a-z]+[ ,]", text):
        text = text[0].upper() + text[1:]
    return text if text.endswith((".", ":")) else text + "."


def short(command):
    """Returns the description for NAME, without the program's name and without a full stop."""
    text = re.sub(rf"^{command.path[0]}: ", "", command.description).split(". ")[0].rstrip(".")
    return text if text[:2].isupper() else text[:1].lower() + text[1:]


def name_of(command):
    return "-".join(command.path)


def write_options(page, options):
    group = None
    for option in options:
        if option.group != group and option.group not in ("", "Options"):
            page.subsection(option.group)
        group = option.group
        value = [] if option.flag else [("r", " "), ("i", option.metavar.strip("[]"))]
        if option.optional_value:
            value = [("r", " ["), ("i", option.metavar.strip("[]")), ("r", "]")]
        words = []
        for n in option.names:
            words += [("r", ", ")] if words else []
            words += [("i", option.metavar)] if option.positional else [("b", n)]
        text = sentence(option.description)
        if option.values and not all(v in option.description for v in option.values) and len(option.values) <= 12:
            text += " One of " + ", ".join(f"`{v}`" for v in option.values) + "."
        if option.limits:
            text += f" Range: {option.limits}."
        if option.default and "default" not in option.description.lower():
            text += f" Default: {option.default}."
        if option.required and not option.positional:
            text += " Required."
        page.entry(words + ([] if option.positional else value), text)


def synopsis(command):
    words = [("b", " ".join(command.path))]
    for option in command.flags:
        if option.required:
            words += [("r", " "), ("b", option.long), ("r", " "), ("i", option.metavar)]
    words.append(("r", " [OPTION]..."))
    for option in command.positionals:
        more = "..." if option.repeats else ""
        words += [("r", " "), ("i", option.metavar)] if option.required else [("r", " ["), ("i", option.metavar), ("r", "]")]
        words += [("r", more)] if more else []
    if command.commands:
        required = not command.flags or command.path == command.path[:1]
        words += [("r", " "), ("i", "COMMAND"), ("r", " [OPTION]...")] if required else [("r", " ["), ("i", "COMMAND"), ("r", "]")]
    return words


def begin(command, header):
    page = Page(name_of(command), 1, *header)
    page.section("NAME")
    page.lines.append(f"{name_of(command)} \\- {inline(short(command))}")
    page.section("SYNOPSIS")
    page.synopsis(synopsis(command))
    return page


def end(page, command, top, texts, footer):
    page.section("EXIT STATUS")
    for number, meaning in exit_statuses(footer):
        page.entry([("b", str(number))], sentence(meaning))
    for title in ("ENVIRONMENT", "FILES", "EXAMPLES", "NOTES"):
        texts.write(page, title)
    page.section("SEE ALSO")
    see = SEE_ALSO.findall(" ".join(texts.sections.get("SEE ALSO", [])))
    see += [(name_of(c), "1") for c in command.commands if top.path[0] != "febctl"]
    if command is not top:
        see.append((name_of(top) if len(command.path) == 2 else "-".join(command.path[:-1]), "1"))
    seen = sorted(set(see), key=lambda s: (s[1], s[0]))
    page.lines.append(", ".join(f"\\fB{inline(n)}\\fR({s})" for n, s in seen))
    return page.text()


def command_page(command, top, folder, header):
    """Returns the page for one command of softfeb, or for a program without commands."""
    texts = Texts(folder, name_of(command))
    page = begin(command, header)
    page.section("DESCRIPTION")
    page.paragraph(sentence(re.sub(rf"^{top.name}: (.)", lambda m: m.group(1).upper(), command.description)))
    texts.write(page, "DESCRIPTION", heading=False)
    if command.commands:
        page.section("COMMANDS")
        for c in command.commands:
            page.entry([("b", c.name)], sentence(c.description) + f" See `{name_of(c)}`(1).")
    page.section("OPTIONS")
    if command.inherits:
        page.paragraph(f"Takes all options of `{'-'.join(command.path[:-1])}`(1), and:")
    write_options(page, command.options)
    return end(page, command, top, texts, top.footer)


def program_page(top, folder, header):
    """Returns one page for a program with all its commands."""
    texts = Texts(folder, top.name)
    page = begin(top, header)
    page.section("DESCRIPTION")
    page.paragraph(sentence(re.sub(rf"^{top.name}: (.)", lambda m: m.group(1).upper(), top.description)))
    texts.write(page, "DESCRIPTION", heading=False)
    page.section("OPTIONS")
    page.paragraph("These options may precede or follow the command.")
    write_options(page, top.options)
    page.section("COMMANDS")
    for command in top.commands:
        page.subsection(command.name)
        page.synopsis(synopsis(command))
        page.paragraph(sentence(command.description))
        write_options(page, [o for o in command.options if o.long != "--help"])
    return end(page, top, top, texts, top.footer)


def configuration_page(name, title, text, words, folder, header):
    """Returns the page of a configuration file, made from its reference."""
    texts = Texts(folder, name)
    page = Page(name, 5, *header)
    page.section("NAME")
    page.lines.append(f"{name} \\- {inline(title)}")
    texts.write(page, "SYNOPSIS")
    texts.write(page, "DESCRIPTION")
    page.section("OPTIONS")
    page.paragraph("Each key has an example value. `[]` stands for each element of a list.")
    heading = None
    for entry in reference.entries(text):
        top = re.split(r"[.\[]", entry.path)[0]
        if top != heading:
            page.subsection(top)
            heading = top
            if not entry.text and not entry.value:
                continue
        if not entry.text:
            continue
        choices = words.get(entry.path, [])
        more = "" if not choices or all(w in entry.text for w in choices) else "Values: " + ", ".join(f"`{w}`" for w in choices) + "."
        term = [("b", entry.path)] + ([("r", ": "), ("i", entry.value)] if entry.value else [])
        page.entry(term, sentence(entry.text), more)
    page.section("EXIT STATUS")
    page.paragraph("A program that reads a wrong configuration prints file, line, key and fix of each problem, and exits with 2.")
    for section in ("FILES", "EXAMPLES"):
        texts.write(page, section)
    page.section("SEE ALSO")
    see = sorted(SEE_ALSO.findall(" ".join(texts.sections["SEE ALSO"])), key=lambda s: (s[1], s[0]))
    page.lines.append(", ".join(f"\\fB{inline(n)}\\fR({s})" for n, s in see))
    return page.text()
