# SPDX-License-Identifier: BSD-3-Clause
"""Tests that errors of programs become exceptions that state a place and a fix.

Also tests where the package finds the programs.
"""

import os
import signal
import subprocess
import sys

import pytest
from conftest import CONF, ROOT, ring

import softfeb
from softfeb.errors import parse_problems


def test_problems_are_split():
    text = (
        "softfeb: conf/a b.yaml:3: run.duration: unknown unit; fix: write 5ms\n"
        '--set boards.0.rate: "1" has no unit; fix: write 1Gb/s\n'
        "--set: boards.0.foo: unknown key\n"
        "/x/y.yaml:7: `ports` is missing; fix: add one\n"
        "conf/nope.yaml: cannot be read; fix: name another\n"
        "worker 0 was preempted for 84.7 % of the time (longest gap: 36.1 ms)\n"
    )
    found = [(p.file, p.line, p.key, p.message, p.fix) for p in parse_problems("softfeb", text)]
    assert found == [
        ("conf/a b.yaml", 3, "run.duration", "unknown unit", "write 5ms"),
        ("--set", None, "boards.0.rate", '"1" has no unit', "write 1Gb/s"),
        ("--set", None, "boards.0.foo", "unknown key", ""),
        ("/x/y.yaml", 7, "", "`ports` is missing", "add one"),
        ("conf/nope.yaml", None, "", "cannot be read", "name another"),
        ("", None, "", "worker 0 was preempted for 84.7 % of the time (longest gap: 36.1 ms)", ""),
    ]


def test_a_wrong_file():
    with pytest.raises(softfeb.ConfigurationError) as caught:
        softfeb.run(CONF / "board.yaml", set={"boards.feb0.qps.0.traffic.rate": 5})
    error = caught.value
    assert error.exit_code == 2 and error.program == "softfeb"
    assert error.problems[0].key == "boards.0.qps.0.traffic.rate"
    assert error.problems[0].file == "--set" and "5Gb/s" in error.problems[0].fix
    assert "boards.0.qps.0.traffic.rate" in str(error)


def test_a_wrong_dict():
    config = ring()
    config["boards"][0]["qps"][0]["traffic"]["rate"] = "fast"
    with pytest.raises(softfeb.ConfigurationError) as caught:
        softfeb.run(config, duration=1)
    problem = caught.value.problems[0]
    assert (problem.file, problem.line) == ("", None)
    assert problem.key == "boards.0.qps.0.traffic.rate"


def test_a_missing_file():
    with pytest.raises(softfeb.ConfigurationError, match="nowhere.yaml: cannot be read"):
        softfeb.lab("nowhere.yaml")


def test_the_environment_lacks_something():
    with pytest.raises(softfeb.EnvironmentProblem) as caught:
        softfeb.Registers("127.0.0.1", port=1, timeout=0.5).read("AxiVersion.ScratchPad")
    assert caught.value.exit_code == 3 and caught.value.program == "febctl"


def test_failed_checks():
    impossible = {"lab.checks": {"queue_bytes_max": "1KiB"}, "boards.feb.stop": "20ms"}
    incast = CONF / "lab/incast.yaml"
    result = softfeb.lab(incast, duration="20ms", set=impossible)
    assert result.verdict == "failed" and not result.held
    assert [c.name for c in result.checks if not c.held] == ["queue_bytes_max"]
    with pytest.raises(softfeb.ChecksFailed) as caught:
        softfeb.lab(incast, duration="20ms", check=True, set=impossible)
    assert caught.value.result == result and caught.value.exit_code == 1


def test_a_program_that_is_killed():
    job = softfeb.start_run(ring(), duration=30)
    os.kill(job.pid, signal.SIGKILL)
    with pytest.raises(softfeb.ProgramDied, match="ended by SIGKILL") as caught:
        job.wait()
    assert caught.value.exit_code == -signal.SIGKILL
    with pytest.raises(softfeb.ProgramDied):
        job.wait()


def test_where_programs_are(tmp_path, monkeypatch):
    build = softfeb.find_program("softfeb")
    folder = build.parent
    monkeypatch.delenv("SOFTFEB_BIN")
    assert softfeb.find_program("softfeb", folder) == build
    assert softfeb.find_program("softfeb", build) == build
    monkeypatch.setenv("SOFTFEB_BIN", str(tmp_path))
    with pytest.raises(softfeb.ProgramNotFound, match="SOFTFEB_BIN is .*softfeb is not there"):
        softfeb.find_program("softfeb")
    with pytest.raises(softfeb.ProgramNotFound, match="the argument is '/nowhere'"):
        softfeb.find_program("softfeb", "/nowhere")
    program = tmp_path / "febctl"
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    assert softfeb.find_program("febctl") == program
    monkeypatch.delenv("SOFTFEB_BIN")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert softfeb.find_program("febctl") == program


def test_the_build_tree_is_found(monkeypatch):
    monkeypatch.delenv("SOFTFEB_BIN")
    monkeypatch.setenv("PATH", "")
    if not (ROOT / "build/app/softfeb/softfeb").exists():
        pytest.skip("no build folder named build")
    assert softfeb.find_program("febctl") == ROOT / "build/app/febctl/febctl"


def test_ctrl_c_ends_the_program():
    """If Python gets SIGINT in wait(), softfeb must end the run, and no process may remain."""
    script = (
        f"import sys; sys.path[:0] = [{str(ROOT / 'python')!r}, {str(ROOT / 'test/python')!r}]\n"
        "import conftest, softfeb, threading\n"
        "job = softfeb.start_run(conftest.ring(), live=True)\n"
        "job.wait_for_traffic()\n"
        "threading.Timer(0.5, lambda: print(job.pid, flush=True)).start()\n"
        "try:\n"
        "    job.wait()\n"
        "except KeyboardInterrupt:\n"
        "    print(job.running, job.result.interrupted, job.result.held)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    pid = int(process.stdout.readline())
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert out.split() == ["False", "True", "True"]
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
