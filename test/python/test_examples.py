# SPDX-License-Identifier: BSD-3-Clause
"""Runs the scripts of examples/python with parameters for short runs, and checks their
pictures."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from conftest import ROOT, free_port_pair

pytest.importorskip("matplotlib", reason="needs python3-matplotlib")
FOLDER = ROOT / "examples/python"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "MPLBACKEND": "Agg"}


def start(script, *arguments):
    return subprocess.Popen(
        [sys.executable, str(FOLDER / script), *map(str, arguments)],
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(script, *arguments, status=0):
    """Run a script and return what it printed."""
    process = start(script, *arguments)
    out, err = process.communicate(timeout=100)
    assert process.returncode == status, f"{out}\n{err}"
    return out


def check_picture(path, colours):
    """Check that a picture is large enough and has at least the given number of colours."""
    from matplotlib import image

    pixels = image.imread(path)
    height, width = pixels.shape[:2]
    assert 300 < height < 2000 and 500 < width < 2500
    shades = {tuple(pixel) for pixel in (pixels[::3, ::3, :3] * 15).round().reshape(-1, 3)}
    assert len(shades) >= colours, len(shades)


def test_a_rate_scan():
    out = run("rate_scan.py", "--rates", 5, 60, "--boards", 16, "--duration", 2)
    rows = [list(map(float, line.split())) for line in out.splitlines()[1:-1]]
    assert [len(row) for row in rows] == [6, 6]
    assert rows[0][0] < rows[1][0] and rows[0][1] == pytest.approx(rows[0][2], rel=0.2)
    check_picture("rate_scan.png", 8)


def test_a_comparison():
    out = run("compare_algorithms.py", "--algorithms", "dcqcn", "swift", "--duration", 6)
    lines = out.splitlines()
    assert lines[0].split() == ["Incast", "dcqcn", "swift"]
    goodput = [float(word) for word in lines[1].split()[-2:]]
    assert all(5 < gbps < 10 for gbps in goodput)
    check_picture("comparison.png", 8)


def test_an_event_display(tmp_path):
    pytest.importorskip("h5py", reason="needs python3-h5py")
    out = run("event_display.py", "--boards", 16, "--duration", 1)
    assert "events are complete" in out
    check_picture("event.png", 30)


def test_a_long_run_that_is_fine():
    out = long_run("--at-least", 0.0001, "--duration", 2)
    assert "0 alarms" in out and "held" in out
    rows = (open("long_run.csv", encoding="utf-8")).read().splitlines()
    assert rows[0] == "time,t_s,feb0" and len(rows) >= 6
    check_picture("long_run.png", 5)


def test_a_long_run_with_an_alarm_that_is_interrupted():
    arguments = ["--at-least", 100, "--on-alarm", 'echo "$ALARM" > alarm.txt']
    process = start("long_run.py", *settings(), *arguments)
    end = time.monotonic() + 60
    while not os.path.exists("alarm.txt") or not os.path.getsize("alarm.txt"):
        assert process.poll() is None and time.monotonic() < end
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1, err
    assert "ALARM: feb0: below 100.0 Gb/s" in out and "1 alarms" in out and "held" in out
    assert open("alarm.txt", encoding="utf-8").read().startswith("feb0: below 100.0 Gb/s")


def test_a_long_run_that_dies():
    process = start("long_run.py", *settings(), "--at-least", 0)
    pid = int(process.stdout.readline().split()[-1])
    os.kill(pid, signal.SIGKILL)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1, err
    assert "ALARM: softfeb: ended by SIGKILL" in out and "1 alarms" in out
    assert os.path.exists("long_run.png")


def long_run(*arguments, status=0):
    return run("long_run.py", *settings(), *arguments, status=status)


def settings():
    """Return options for a run in parallel to other tests, with short intervals."""
    port = free_port_pair()
    keys = {
        "eal.hugepages": "no",
        "workers.idle": "sleep",
        "boards.feb0.control.registers_port": port,
        "boards.feb0.control.stream_port": port + 1,
    }
    words = [word for key, value in keys.items() for word in ("--set", f"{key}={value}")]
    return [*words, "--interval", 0.3, "--patience", 0.2]


def test_a_conformance_run():
    out = run("conformance_run.py", "--cases", "ACK", "UC", "--save", "a.json")
    assert ": pass (" in out
    check_picture("conformance.png", 4)
    document = json.loads(open("a.json", encoding="utf-8").read())
    document["cases"][0].update(verdict="fail", reason="an answer was late")
    with open("b.json", "w", encoding="utf-8") as file:
        json.dump(document, file)
    out = run("conformance_run.py", "--cases", "ACK", "--before", "b.json")
    assert f"{document['cases'][0]['id']} no longer fails" in out
