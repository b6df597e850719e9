#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes a C++ source that contains the style sheet of pages:  embed_style.py OUT HEADER FUNCTION COLOURS.PY CSS..."""

import runpy
import sys
from pathlib import Path

# Maximum length of a string literal; compilers need not accept arbitrarily long ones.
PIECE = 16_000


def main():
    out, header, function, colours, *sheets = sys.argv[1:]
    text = runpy.run_path(colours)["variables"]() + "".join(Path(s).read_text(encoding="utf-8") for s in sheets)
    pieces = [text[i:i + PIECE] for i in range(0, len(text), PIECE)]
    literal = "\n    ".join(f'R"css~({piece})css~"' for piece in pieces)
    Path(out).write_text(f"""#include "{header}"
namespace softfeb::report {{
std::string_view {function}() {{
  return
    {literal};
}}
}}  // namespace softfeb::report
""", encoding="utf-8")


if __name__ == "__main__":
    main()
