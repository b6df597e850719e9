#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes a C++ source that contains the files of the catalogue:  embed_catalogue.py OUT FILE..."""

import sys
from pathlib import Path

# Maximum length of a string literal; compilers need not accept arbitrarily long ones.
PIECE = 16_000


def literal(text):
    pieces = [text[i:i + PIECE] for i in range(0, len(text), PIECE)]
    return "\n    ".join(f'R"yaml~({piece})yaml~"' for piece in pieces)


def main():
    out, *files = sys.argv[1:]
    rows = ",\n".join(f'    {{"{Path(f).name}",\n    {literal(Path(f).read_text())}}}' for f in files)
    Path(out).write_text(f"""#include "conformance/catalogue.hpp"
namespace softfeb::conformance {{
namespace {{
constexpr CatalogueFile kFiles[] = {{
{rows}}};
}}
std::span<const CatalogueFile> catalogue_files() {{ return kFiles; }}
}}  // namespace softfeb::conformance
""")


if __name__ == "__main__":
    main()
