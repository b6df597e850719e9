# SPDX-License-Identifier: BSD-3-Clause
"""Reads the ELF headers of programs, and names the protections that they lack (doc/security.md)."""

import re
import subprocess

ENDBR64 = bytes.fromhex("f30f1efa")
# A program that is compiled for IBT contains more endbr64 instructions than this. The C library's
# start files and Debian's static libraries, which every program contains, have fewer.
MANY = 100


def readelf(option, file):
    return subprocess.run(["readelf", "--wide", option, file], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True).stdout


def imports(file):
    """Returns the names of the functions that the program imports from shared libraries."""
    return set(re.findall(r" UND (\w+)", readelf("--dyn-syms", file)))


def lacking(file):
    """Returns a text for each protection that the program lacks. The list is empty if the program has all
    protections."""
    header, segments, dynamic = readelf("--file-header", file), readelf("--program-headers", file), readelf("--dynamic", file)
    notes, names = readelf("--notes", file), imports(file)
    wrong = []

    def check(holds, what):
        if not holds:
            wrong.append(what)

    check(re.search(r"Type:\s+DYN ", header) and re.search(r"\(FLAGS_1\).*\bPIE\b", dynamic), "PIE: it is loaded at a fixed address")
    check("GNU_RELRO" in segments, "RELRO: its relocations stay writable")
    check(re.search(r"\(FLAGS_1\).*\bNOW\b|\(FLAGS\).*BIND_NOW", dynamic), "BIND_NOW: its table of functions stays writable")
    check(re.search(r"GNU_STACK\s.*\sRW\s", segments), "NX: its stack is executable")
    check("(TEXTREL)" not in dynamic, "NX: relocations write to its code")
    check("(RPATH)" not in dynamic and "(RUNPATH)" not in dynamic, "RUNPATH: it searches for libraries in folders of its own")
    check("__stack_chk_fail" in names, "stack protector: no function checks its stack")
    check(any(re.fullmatch(r"__\w+_chk", n) for n in names), "FORTIFY: it uses no checked function of glibc")
    if "X86-64" in header:
        # Check only SHSTK. The linker sets IBT only if the start files of the C library are marked for IBT. Those of
        # Debian 12 are not marked.
        check("SHSTK" in notes, "CET: it is not marked for shadow stacks")
        with open(file, "rb") as program:
            check(program.read().count(ENDBR64) > MANY, "CET: its functions do not begin with endbr64")
    return wrong
