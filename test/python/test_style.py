# SPDX-License-Identifier: BSD-3-Clause
"""Checks the sources of the Python package: types, PEP 8, and the version number."""

import importlib.util
import re
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT

import softfeb

PACKAGE = ROOT / "python/softfeb"
EXAMPLES = sorted((ROOT / "examples/python").glob("*.py"))


def run(module, *arguments):
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"needs Debian's package of {module}")
    done = subprocess.run(
        [sys.executable, "-m", module, *map(str, arguments)],
        cwd=ROOT / "python",
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_types():
    run("mypy", "--config-file", "pyproject.toml", PACKAGE)


def test_types_of_the_examples():
    run("mypy", "--config-file", "pyproject.toml", *EXAMPLES)


def test_wrong_calls_are_found(tmp_path):
    """Type checkers must see the signatures of the functions."""
    script = tmp_path / "user.py"
    script.write_text(
        "import softfeb\n"
        "result = softfeb.lab('a.yaml', duration='5ms')\n"
        "rate: float | None = result.boards[0].qps[0].goodput_gbps\n"
        "with softfeb.start_run({}, live=True) as job:\n"
        "    times: list[float] = [sample.t for sample in job.samples()]\n"
        "softfeb.lab('a.yaml', virtual='yes')\n"
        "softfeb.run(5)\n"
        "softfeb.sweep('a.yaml').points\n"
        "result.boards[0].nothing\n",
        encoding="utf-8",
    )
    pytest.importorskip("mypy")
    config = ROOT / "python/pyproject.toml"
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", str(config), str(script)],
        cwd=ROOT / "python",
        capture_output=True,
        text=True,
    )
    lines = [int(line) for line in re.findall(r"user.py:(\d+): error", done.stdout)]
    assert lines == [6, 7, 8, 9], done.stdout


def test_pep8():
    run("flake8", "--max-line-length", "99", PACKAGE, *EXAMPLES, ROOT / "test/python")


def test_the_format():
    run("black", "--config", "pyproject.toml", "--check", "--quiet", PACKAGE, *EXAMPLES)


def test_the_version():
    found = re.search(r"version: '([^']+)'", (ROOT / "meson.build").read_text(encoding="utf-8"))
    assert softfeb.__version__ == found[1] == softfeb.version()


def test_the_wheel_has_all_files(tmp_path):
    for module in ("setuptools", "wheel"):
        pytest.importorskip(module)
    copy = shutil.copytree(ROOT / "python", tmp_path / "python")
    script = "import setuptools; setuptools.setup()"
    done = subprocess.run(
        [sys.executable, "-c", script, "--quiet", "bdist_wheel", "--dist-dir", str(tmp_path)],
        cwd=copy,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    (wheel,) = tmp_path.glob("*.whl")
    target = tmp_path / "installed"
    shutil.unpack_archive(wheel, target, "zip")
    installed = {
        str(p.relative_to(target)) for p in (target / "softfeb").rglob("*") if p.is_file()
    }
    sources = {
        str(p.relative_to(ROOT / "python"))
        for p in PACKAGE.rglob("*")
        if p.is_file() and "__pycache__" not in p.parts
    }
    assert installed == sources and "softfeb/py.typed" in installed
    check = "import softfeb; print(softfeb.__file__)"
    where = subprocess.run(
        [sys.executable, "-c", check], cwd=target, capture_output=True, text=True, check=True
    )
    assert where.stdout.startswith(str(target))


@pytest.mark.parametrize(
    "folder, suffixes", [("python", (".py", ".typed")), ("schemas", (".json",))]
)
def test_meson_installs_all_files(folder, suffixes):
    text = (ROOT / folder / "meson.build").read_text(encoding="utf-8")
    listed = {name for name in re.findall(r"'([^']+)'", text) if name.endswith(suffixes)}
    paths = [path.relative_to(ROOT / folder) for path in (ROOT / folder).rglob("*")]
    files = {str(path) for path in paths if path.suffix in suffixes and path.parts[0] != "build"}
    assert listed == files
