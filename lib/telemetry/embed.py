#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Generates assets.cpp from the files of the page: embed.py OUTPUT FILE …"""

import sys
from pathlib import Path

TYPES = {".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
         ".svg": "image/svg+xml"}
PIECE = 8000  # maximum number of characters per literal; compilers may reject longer literals


def literal(text):
    pieces = [text[i:i + PIECE] for i in range(0, len(text), PIECE)] or [""]
    return "\n".join(f'R"asset({piece})asset"' for piece in pieces)


def main():
    output, files = Path(sys.argv[1]), [Path(f) for f in sys.argv[2:]]
    parts = ['// Made by embed.py.\n#include "telemetry/http.hpp"\n\nnamespace softfeb::telemetry {\nnamespace {\n\n'
             "constexpr Asset kAssets[] = {\n"]
    for file in files:
        path = "/" if file.name == "index.html" else "/" + file.name
        parts.append(f'{{"{path}", "{TYPES[file.suffix]}",\n{literal(file.read_text(encoding="utf-8"))}}},\n')
    parts.append("};\n\n}  // namespace\n\nstd::span<const Asset> assets() { return kAssets; }\n\n}  // namespace softfeb::telemetry\n")
    output.write_text("".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
