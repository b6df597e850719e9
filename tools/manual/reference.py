# SPDX-License-Identifier: BSD-3-Clause
"""Reads a reference of the configuration (conf/reference.yaml): keys with example values, and the comments that describe them."""

import re
from dataclasses import dataclass

KEY = re.compile(r"([\w.-]+):(?:\s+|$)")
COMMENT = re.compile(r"\s+#\s+(.*)$")


@dataclass
class Entry:
    path: str      # dotted path with [] for list indices, such as boards[].qps[].pmtu
    value: str     # an example; empty for a section
    text: str      # the description; empty if another entry describes the key


def entries(text):
    """Returns the entries in the order of the file."""
    found, stack, comment = [], [], []
    for line in text.splitlines():
        body = line.strip()
        if not body:
            comment = []
            continue
        if body.startswith("#"):
            comment.append(body.lstrip("#").strip())
            continue
        indent = len(line) - len(line.lstrip())
        trailing = COMMENT.search(line)
        if trailing:
            body = line[:trailing.start()].strip()
        while stack and stack[-1][0] >= indent:
            stack.pop()
        while body.startswith("- "):
            stack.append((indent, None))
            body, indent = body[2:].lstrip(), indent + 2
        key = KEY.match(body)
        if key is None:
            # this is an item without a key of its own, such as {qpn: 0x12}, so the text describes the list
            if comment or trailing:
                found.append(Entry(_path(stack), body, " ".join(comment + [trailing.group(1)] if trailing else comment)))
            comment = []
            continue
        stack.append((indent, key.group(1)))
        value = body[key.end():].strip()
        words = comment + ([trailing.group(1)] if trailing else [])
        found.append(Entry(_path(stack), value, " ".join(words)))
        comment = []
    return found


def _path(stack):
    path = ""
    for _, name in stack:
        path += "[]" if name is None else ("." if path else "") + name
    return path


def introduction(text):
    """Returns the comment at the beginning of the file, without the licence."""
    lines = []
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        if "SPDX" not in line:
            lines.append(line.lstrip("#").rstrip())
    return lines
