# SPDX-License-Identifier: BSD-3-Clause
"""Fixtures and helpers for the tests of the Python package and of the JSON Schemas."""

import json
import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "test/support")]
os.environ.setdefault("SOFTFEB_BIN", str(ROOT / "build"))

import softfeb  # noqa: E402
from free_ports import free_port_pair  # noqa: E402

CONF = ROOT / "conf"
INCAST = CONF / "lab/incast.yaml"
#: Settings for runs on a small, busy machine.
SMALL = {"eal.hugepages": "no", "workers.idle": "sleep"}


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    """Run each test in a folder of its own."""
    monkeypatch.chdir(tmp_path)


def board_settings():
    """Return settings for conf/board.yaml with free ports, and arguments for Registers with the
    same ports."""
    port = free_port_pair()
    settings = {
        **SMALL,
        "boards.feb0.control.registers_port": port,
        "boards.feb0.control.stream_port": port + 1,
    }
    return settings, {"port": port, "stream_port": port + 1}


def ring(rate="100Mb/s", **traffic):
    """Return a configuration with a board and a receiver at the ends of a ring."""
    return {
        "run": {},
        "eal": {"hugepages": "no"},
        "workers": {"count": 1, "idle": "sleep"},
        "ports": [
            {"name": "feb", "device": "net_ring:link", "mtu": 4200},
            {"name": "nic", "device": "net_ring:link", "mtu": 4200},
        ],
        "boards": [
            {
                "name": "feb0",
                "port": "feb",
                "ip": "10.0.0.1/24",
                "qps": [
                    {
                        "to": "daq",
                        "pmtu": 4096,
                        "traffic": {"message_size": "16KiB", "rate": rate, **traffic},
                    }
                ],
            }
        ],
        "receivers": [{"name": "daq", "port": "nic", "ip": "10.0.0.2/24", "memory": "1MiB"}],
    }


@pytest.fixture(scope="session")
def incast():
    """Return the result of a short incast in virtual time."""
    return softfeb.lab(INCAST, duration="20ms", set={"boards.feb.stop": ["20ms", "20ms", "12ms"]})


def read(path):
    """Read a file and return its JSON document."""
    return json.loads(Path(path).read_text(encoding="utf-8"))
