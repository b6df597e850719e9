# SPDX-License-Identifier: BSD-3-Clause
"""Checks doc/python.md: its code runs, and it mentions every public name and every parameter."""

import dataclasses
import importlib.util
import re
import textwrap

import pytest
from conftest import CONF, ROOT, free_port_pair

import softfeb
from softfeb import commands

TEXT = (ROOT / "doc/python.md").read_text(encoding="utf-8")
SHELL = ("export ", "pip ", "sudo ", "examples/")


def blocks():
    """Return the indented blocks of Python, in order."""
    found = re.findall(r"(?:^    .*\n|^\n(?=    ))+", TEXT, re.MULTILINE)
    code = [textwrap.dedent(block).strip("\n") for block in found]
    return [block for block in code if block and not block.startswith(SHELL)]


def test_the_code_runs(tmp_path, capsys):
    for package in ("pandas", "h5py", "jsonschema"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"needs Debian's python3-{package}")
    (tmp_path / "conf").symlink_to(CONF)
    port = free_port_pair()
    known = {}
    assert len(blocks()) > 12
    for block in blocks():
        # The example in the guide uses the default ports, which another test may be using.
        ports = (
            f'"boards.feb0.control.registers_port": {port}, '
            f'"boards.feb0.control.stream_port": {port + 1}, '
        )
        code = block.replace('live=True, set={"eal.', f'live=True, set={{{ports}"eal.')
        code = code.replace('Registers("127.0.0.1")', f'Registers("127.0.0.1", port={port})')
        exec(compile(code, "doc/python.md", "exec"), known)
    assert "has no unit" in capsys.readouterr().out


@pytest.mark.parametrize("name", softfeb.__all__)
def test_public_names_are_documented(name):
    if name in ("Configuration", "Duration", "Document", "Event", "Metric", "Problem"):
        return  # types of arguments and of members, which the guide need not mention
    if name in ("Burst", "StreamCheck", "StudyManifest", "Sample"):
        return  # types of method results, which the guide need not mention
    assert re.search(rf"\b{name}\b", TEXT), name


@pytest.mark.parametrize(
    "command",
    [
        c
        for c in vars(commands).values()
        if isinstance(c, type) and issubclass(c, commands.Command)
    ],
)
def test_parameters_are_documented(command):
    for field in dataclasses.fields(command):
        assert f"`{field.name}`" in TEXT, field.name
