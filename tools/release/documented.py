# SPDX-License-Identifier: BSD-3-Clause
"""Extracts an example from the installed manual. `documented.py PAGE LANGUAGE TEXT` prints the only code
block of PAGE in LANGUAGE that contains TEXT."""

import re
import sys
import textwrap


def main():
    page, language, text = sys.argv[1:]
    with open(page, encoding="utf-8") as file:
        blocks = [textwrap.dedent(m[2]) for m in re.finditer(r"^( *)```" + re.escape(language) + r"\n(.*?)^ *```$", file.read(), re.S | re.M)]
    block, = [b for b in blocks if text in b]
    print(block, end="")


if __name__ == "__main__":
    main()
