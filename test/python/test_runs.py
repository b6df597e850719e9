# SPDX-License-Identifier: BSD-3-Clause
"""Tests runs in the foreground and in the background, live figures, registers, and studies."""

import datetime
import json
import logging
import os
import signal
import threading

import pytest
from conftest import CONF, INCAST, board_settings, ring

import softfeb
from softfeb import commands


def test_a_dict_runs_in_real_time():
    result = softfeb.run(ring(), messages=20)
    assert result.held and result.boards[0].qps[0].messages_completed == 20
    assert result.clock is not None and result.config["boards"][0]["name"] == "feb0"


def test_help_shows_the_parameters():
    import inspect

    text = inspect.getdoc(softfeb.sweep)
    assert "    threads: run this number of points at a time." in text
    assert "    set: keys of the configuration to override" in text
    assert str(inspect.signature(softfeb.start_lab)).endswith(" -> 'Job[Result]'")
    assert softfeb.lab.__name__ == "lab" and "virtual time" in softfeb.lab.__doc__


def test_options_become_arguments(tmp_path):
    def words(command):
        return command.options(tmp_path, tmp_path)

    run = commands.Run(
        "a.yaml", duration=datetime.timedelta(milliseconds=5), report="r", pictures=False
    )
    assert words(run) == (
        [
            "run",
            "-c",
            "a.yaml",
            "--duration",
            "5000000ns",
            "--report",
            "r",
            "--no-pictures",
            "--web",
            "off",
        ]
    )
    lab = commands.Lab("a.yaml", virtual=False, live="0.0.0.0:8080")
    assert words(lab) == ["lab", "-c", "a.yaml", "--web", "0.0.0.0:8080"]
    sweep = commands.Sweep(
        "a.yaml", out="study", task=(1, 4), existing=True, threads=2, axes={"run.seed": [1, 2]}
    )
    assert words(sweep) == (
        [
            "lab",
            "sweep",
            "-c",
            "a.yaml",
            "--set",
            'lab.sweep=[{"key": "run.seed", "values": [1, 2]}]',
        ]
        + ["--out", "study", "--task", "1/4", "--existing", "--threads", "2"]
    )
    slurm = commands.Sweep("a.yaml", out="s", on="slurm", tasks=9, on_args="-p long")
    assert words(slurm)[4:] == [
        "--out",
        "s",
        "--on",
        "slurm",
        "--tasks",
        "9",
        "--on-args",
        "-p long",
    ]
    with pytest.raises(softfeb.SoftfebError, match="name a file instead of a dict"):
        words(commands.Sweep(ring(), out="s", on="slurm"))
    test = commands.ConformanceTest(
        target="own:", cases=["PSN", "!STR"], scope="quick", strict=True
    )
    assert words(test) == (
        ["conformance", "--target", "own:", "--cases", "PSN,!STR", "--quick", "--strict"]
    )
    with pytest.raises(softfeb.SoftfebError, match="virtual=False, or live=False"):
        words(commands.Lab("a.yaml", live=True))


def test_paths_are_relative_to_the_working_directory(tmp_path):
    variant = {"base": "incast.yaml", "set": {"run.duration": "5ms", "boards.feb.stop": "5ms"}}
    assert softfeb.lab(variant, cwd=INCAST.parent, report=tmp_path / "r", pictures=False).held
    report = softfeb.Report(tmp_path / "r")
    assert {"series", "ports"} <= set(report.tables())
    rows = report.rows()
    assert rows[-1]["board"] == "feb-2" and isinstance(rows[-1]["sent_gbps"], float)
    assert report.result().held
    with pytest.raises(softfeb.SoftfebError, match="no table 'camera'; it has: .*series"):
        report.rows("camera")


def test_a_study_goes_on(tmp_path):
    axes = {"boards.feb.dcqcn.rai": ["40Mb/s", "80Mb/s"], "run.seed": [1, 2]}
    options = {
        "axes": axes,
        "duration": "2ms",
        "set": {"boards.feb.stop": "2ms"},
        "out": tmp_path / "s",
    }
    assert softfeb.sweep(INCAST, task=(1, 2), **options) is None
    assert len(list((tmp_path / "s/points").iterdir())) == 2
    with pytest.raises(softfeb.ProgramError, match="missing 2 of 4 points"):
        softfeb.sweep(INCAST, collect=True, **options)
    study = softfeb.sweep(INCAST, **options)
    assert [p.values["run.seed"] for p in study.points] == ["1", "2", "1", "2"]
    assert study.points == softfeb.sweep(INCAST, collect=True, **options).points
    manifest = softfeb.load(tmp_path / "s/sweep.json")
    assert [axis.key for axis in manifest.axes] == list(axes)


def test_a_comparison():
    result = softfeb.compare(
        INCAST, algorithms=["dcqcn", "swift"], duration="5ms", set={"boards.feb.stop": "5ms"}
    )
    assert [run.name for run in result.runs] == ["dcqcn", "swift"]
    assert result.runs[0].figures.totals.packets > 0 and result.held


def test_a_run_in_the_background(caplog):
    caplog.set_level(logging.INFO, "softfeb.program")
    settings, ports = board_settings()
    with softfeb.start_run(CONF / "board.yaml", live=True, set=settings) as job:
        assert job.running
        job.wait_for_traffic()
        live_figures(job)
        parameters(job.live)
        registers(softfeb.Registers("127.0.0.1", **ports), job.live)
        with pytest.raises(TimeoutError, match="still runs after 0.01 s"):
            job.wait(timeout=0.01)
        watcher = threading.Thread(target=lambda: list(job.samples()))
        watcher.start()
        job.stop()
        watcher.join(timeout=30)
        assert not watcher.is_alive()
    assert not job.running and job.result.interrupted and job.result.held
    assert job.result.boards[0].control.accesses > 0
    assert "Gb/s of payload" in job.output and "live page" in caplog.text


def live_figures(job):
    seen = []
    for sample in job.samples():
        seen.append(sample)
        if len(seen) == 4:
            break
    assert [s.t for s in seen] == sorted({s.t for s in seen})
    assert job.live.boards == ["feb0"] and len(seen[-1].sent) == 1 and job.live.ports == []
    packets = job.live.metric("softfeb_board_sent_packets_total", board="feb0")
    assert packets > 0 and job.live.state() == "running" and job.live.outcome() is None
    assert job.live.counters().boards.rows[0][0] > 0
    assert len(job.live.history()) >= 4
    with pytest.raises(softfeb.LiveError, match="0 metrics match"):
        job.live.metric("softfeb_nothing")


def parameters(live):
    changed = live.change("feb0", {"rai": "40Mb/s"})
    assert changed == live.parameters("feb0")
    assert changed.units[0].parameters["rai"] == "40Mb/s"
    assert live.describe_parameters()["firmware"]["rai"].unit == "rate"
    with pytest.raises(softfeb.LiveError) as caught:
        live.change("feb0", {"rai": "1"})
    assert (caught.value.key, caught.value.status) == ("rai", 400) and "1Gb/s" in caught.value.fix
    with pytest.raises(softfeb.LiveError, match="no board"):
        live.change("feb9", {"rai": "40Mb/s"})


def registers(board, live):
    board["AxiVersion.ScratchPad"] = 0x1234
    assert board["ScratchPad"] == 0x1234 and board.values(4) == {"0x00000004": [0x1234]}
    assert board["Dcqcn.Rai"] == 5_000_000
    reading = board.read("AxiVersion.ScratchPad")[0]
    assert (reading.path, reading.address) == ("Root.Core.AxiVersion.ScratchPad", 4)
    assert reading.text == "4660 (0x1234)" and reading.error == ""
    assert board.load({"AxiVersion": {"ScratchPad": 5}}) == 1
    assert board.load({"AxiVersion": {"ScratchPad": 6}}, only_check=True) == 0
    rounds = list(board.watch("ScratchPad", interval=0.01, times=2))
    assert [[r.value for r in readings] for readings in rounds] == [[5], [5]]
    for readings in board.watch("ScratchPad", interval=0.01):
        break
    assert readings[0].value == 5
    board.save("settings.yaml", "AxiVersion")
    board["ScratchPad"] = 7
    board.load("settings.yaml")
    assert board["ScratchPad"] == 5
    assert board.dump("AxiVersion")["Root.Core.AxiVersion.ScratchPad"] == 5
    assert "dispatcher" in board.status() and board.catalogue("AxiVersion")[0]["mode"] == "RO"
    stream = board.stream(0.5, size=512)
    assert stream.frames > 0 and stream.wrong == stream.damaged == 0
    assert live.links().closed_by_reason
    with pytest.raises(softfeb.ConfigurationError, match="did you mean"):
        board.read("ScratchPadd")
    with pytest.raises(softfeb.ConfigurationError, match="read-only"):
        board["AxiVersion.FpgaVersion"] = 1
    with pytest.raises(softfeb.SoftfebError, match="names .* registers"):
        board["Dcqcn.R*"]


def test_a_burst_of_the_dispatcher():
    settings, ports = board_settings()
    with softfeb.start_run(CONF / "board.yaml", live=True, set=settings) as job:
        job.wait_for_traffic()
        board = softfeb.Registers("127.0.0.1", **ports)
        made = board.connect(
            "192.168.2.100", qpn=17, rkey=1, address=4096, length="1MiB", size=4096
        )
        assert made["host"]["qpn"] == 17
        burst = board.dispatch(10, limit=10)
        assert (burst.count, burst.completed, burst.failed, burst.length) == (10, 10, 0, 4096)
        assert board.teardown()["qpn"] == made["board"]["qpn"]
        with pytest.raises(softfeb.Refused) as caught:
            board.dispatch(3, limit=0.3)
        assert caught.value.exit_code == 1 and "3 requests failed" in str(caught.value)


def test_a_job_without_a_page_and_one_that_fails():
    with softfeb.start_run(ring()) as job:
        with pytest.raises(softfeb.LiveError, match="live=True"):
            job.live
    job = softfeb.start_run({"boards": []}, live=True)
    with pytest.raises(softfeb.ConfigurationError):
        list(job.samples())


def test_an_error_in_the_block_ends_the_program():
    with pytest.raises(ZeroDivisionError):
        with softfeb.start_run(ring()) as job:
            1 / 0
    assert not job.running


def test_a_timeout_ends_the_program():
    with pytest.raises(TimeoutError):
        softfeb.run(ring(), timeout=0.3)


def test_pages_that_do_not_answer():
    with pytest.raises(softfeb.LiveError, match="does not answer"):
        softfeb.LivePage("http://127.0.0.1:9", timeout=1).state()
    with pytest.raises(softfeb.LiveError, match="write http://HOST:PORT"):
        softfeb.LivePage("ftp://host")


def test_a_job_that_is_killed():
    job = softfeb.start_run(ring(), live=True)
    job.wait_for_traffic()
    assert repr(job).endswith("running>")
    job.kill()
    assert not job.running and repr(job).endswith("ended>")
    with pytest.raises(softfeb.ProgramDied, match="SIGKILL"):
        job.wait()
    with pytest.raises(softfeb.LiveError):
        job.live.state()


def test_options_of_febctl(tmp_path):
    fake = tmp_path / "febctl"
    fake.write_text(
        "#!/usr/bin/python3\nimport json, sys\nprint(json.dumps(sys.argv[1:]))\n", encoding="utf-8"
    )
    fake.chmod(0o755)
    board = softfeb.Registers("10.0.0.1", profile="p", timeout=2, program_path=fake)
    common = "--ip 10.0.0.1 --port 8192 --stream-port 8193 --timeout 2 --json --profile p".split()
    (words,) = board.session("daq:1", rounds=2, set=["A=1", "B=2"], metadata_timeout=0.5)
    assert words == common + "session --sink daq:1 --rounds 2".split() + (
        "--set A=1 --set B=2 --metadata-timeout 0.5".split()
    )
    assert board.teardown(all_regions=True, keep_pd=False) == common + [
        "teardown",
        "--all-regions",
    ]


def test_refused_registers(tmp_path):
    fake = tmp_path / "febctl"
    readings = [
        {"path": "Root.A", "address": "0x00000004", "value": 5, "text": "5"},
        {"path": "Root.B", "address": "0x00000008", "error": "timeout of the bus"},
    ]
    fake.write_text(f"#!/bin/sh\necho '{json.dumps(readings)}'\nexit 1\n", encoding="utf-8")
    fake.chmod(0o755)
    board = softfeb.Registers("10.0.0.1", program_path=fake)
    assert [(r.value, r.error) for r in board.read("?")] == [(5, ""), (None, "timeout of the bus")]
    with pytest.raises(softfeb.Refused, match="Root.B: timeout of the bus"):
        board.values("?")


def test_a_program_that_dies_explains_why_its_page_does_not_answer():
    with pytest.raises(softfeb.ProgramDied, match="SIGKILL") as caught:
        with softfeb.start_run(ring(), live=True) as job:
            job.wait_for_traffic()
            os.kill(job.pid, signal.SIGKILL)
            while True:
                job.live.state()
    assert isinstance(caught.value.__cause__, softfeb.LiveError)
