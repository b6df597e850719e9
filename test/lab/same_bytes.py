#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""same_bytes.py BUILD SOURCE: checks that the same seed gives the same bytes of JSON and CSV. Compares BUILD with the builds in
SOFTFEB_BUILDS (other compilers, sanitizers), and the code paths with and without the special instructions of this CPU."""

import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile

# Together, these experiments include CE marks, pause frames, drops, retransmissions, forged CNPs, two layers
# of switches, and random message lengths and arrivals.
EXPERIMENTS = {
    "incast": ["run.duration=20ms", "boards.feb.stop=[20ms,15ms,8ms]"],
    "lossy": ["run.duration=20ms"],
    "threshold": ["run.duration=20ms"],
    "camera": ["run.duration=200us"],
    "hadoop": ["run.duration=20ms"],
    "link-faults": ["run.duration=20ms"],
}


def digest(folder, names):
    return {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names}


PORTABLE = dict(os.environ, SOFTFEB_CPU="portable")


def run_core(program, file, settings, env=None):
    """Runs lab-virtual, which does not need DPDK. Returns the SHA-256 of its result and of its series."""
    with tempfile.TemporaryDirectory() as name:
        done = subprocess.run([program, file, name, *settings], timeout=300, check=False, text=True, stderr=subprocess.PIPE,
                              env=env)
        assert done.returncode == 0, f"{program} {file}: status {done.returncode}: {done.stderr}"
        return digest(pathlib.Path(name), ["result.json", "series.csv"])


def run_softfeb(program, file, settings, env=None):
    """Runs softfeb lab. Returns the SHA-256 of each file that it writes."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        sets = [word for setting in settings + ["run.series_interval=1ms"] for word in ("--set", setting)]
        # Omit the charts of the report, because they take seconds.
        csv = ["report/series.csv", "report/ports.csv", "report/windows.csv"] if "incast" in file.name else []
        report = ["--report", folder / "report"] if csv else []
        done = subprocess.run([program, "lab", "--virtual", "-q", "-c", file, "--json", folder / "result", *report, *sets],
                              timeout=300, check=False, text=True, stderr=subprocess.PIPE, env=env)
        # Status 1 is accepted, because a run that is shortened to milliseconds may fail the experiment's own checks.
        assert done.returncode in (0, 1), f"{program} {file}: status {done.returncode}: {done.stderr}"
        return digest(folder, ["result", *csv])


def main():
    own, source = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    builds = [own] + [pathlib.Path(b) for b in os.environ.get("SOFTFEB_BUILDS", "").split()]
    different = 0
    for run, path in ((run_core, "test/lab/lab-virtual"), (run_softfeb, "app/softfeb/softfeb")):
        programs = [b / path for b in builds if (b / path).exists()]
        for experiment, settings in EXPERIMENTS.items():
            file = source / "conf" / "lab" / (experiment + ".yaml")
            # The program of the first build runs once more without special CPU instructions. Its output must
            # be the same as in its first run.
            results = {str(p): run(p, file, settings) for p in programs}
            results["once more, portable"] = run(programs[0], file, settings, PORTABLE) if programs else {}
            for name, got in results.items():
                want = results[str(programs[0])] if programs else {}
                if got != want:
                    different += 1
                    print(f"{experiment}: {name} has other bytes than {programs[0]}: {[k for k in got if got[k] != want[k]]}")
        print(f"{path}: {len(EXPERIMENTS)} experiments in {len(programs)} builds")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
