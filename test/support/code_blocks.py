# SPDX-License-Identifier: BSD-3-Clause
"""The code in the pages of the manual, for tests that compile or run it."""

import re
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def block(page, language, containing=""):
    """Returns the first code block of a page (such as "doc/congestion.md") that has this language
    and contains the text `containing`."""
    text = (ROOT / page).read_text(encoding="utf-8")
    for match in re.finditer(r"^( *)```" + language + r"\n(.*?)^ *```$", text, re.S | re.M):
        if containing in match[2]:
            return textwrap.dedent(match[2])
    raise AssertionError(f"{page} has no {language} block with {containing!r}")
