# SPDX-License-Identifier: BSD-3-Clause
"""Runs the units under a real systemd. Tests start, readiness, privileges, journal, SIGKILL, a hanging
process, stop, and a wrong configuration."""

import json
import os
import shutil
import sys
import time
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
import machine  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "data/systemd"
SOFTFEB = Path(os.environ["SOFTFEB"])
SKIPPED = 77
CAP_NET_ADMIN, CAP_NET_RAW = 1 << 12, 1 << 13


def configuration(feb="net_ring:link", nic="net_ring:link", web=18080, listen="127.0.0.1"):
    return {"run": {"web": web}, "eal": {"hugepages": "no"}, "workers": {"count": 2, "idle": "sleep"},
            "ports": [{"name": "feb", "device": feb, "mtu": 1500}, {"name": "nic", "device": nic, "mtu": 1500}],
            "boards": [{"name": "feb0", "port": "feb", "ip": "10.0.0.1/24", "control": {"listen": listen},
                        "qps": [{"to": "daq", "pmtu": 1024, "traffic": {"rate": "10Mb/s"}}]}],
            "receivers": [{"name": "daq", "port": "nic", "ip": "10.0.0.2/24"}]}


class Services(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.machine = machine.Machine()
        cls.addClassCleanup(cls.machine.close)
        root = cls.machine.root
        shutil.copy(SOFTFEB, root / "usr/bin/softfeb")
        for source in DATA.glob("*.service.in"):
            (root / "etc/systemd/system" / source.stem).write_text(source.read_text().replace("@bindir@", "/usr/bin"))
        for source, folder in (("softfeb.sysusers", "sysusers.d"), ("softfeb.tmpfiles", "tmpfiles.d")):
            shutil.copy(DATA / source, root / "usr/lib" / folder / "softfeb.conf")
        (root / "etc/softfeb").mkdir(exist_ok=True)
        for name, config in (("board", configuration()), ("ring", configuration(web=18081, listen="127.0.0.2")),
                             ("packet", configuration("net_af_packet:v0", "net_af_packet:v1", 18082, "127.0.0.3")),
                             ("tap", {**configuration("net_tap:feb0", web=18083, listen="127.0.0.4"), "receivers": []})):
            if name == "tap":
                config["ports"], config["boards"][0]["qps"] = config["ports"][:1], []
            (root / "etc/softfeb" / f"{name}.yaml").write_text(json.dumps(config))
        (root / "etc/softfeb/wrong.yaml").write_text("run: {duratoin: 1s}\n")
        drop_ins = {"softfeb@board.service.d": "[Service]\nWatchdogSec=4s\n",
                    "softfeb@ring.service.d": (DATA / "examples/no-capabilities.conf").read_text()}
        for folder, text in drop_ins.items():
            (root / "etc/systemd/system" / folder).mkdir()
            (root / "etc/systemd/system" / folder / "test.conf").write_text(text)
        cls.machine.boot()
        cls.run_in = cls.machine.run
        cls.run_in("systemd-sysusers")
        cls.run_in("systemd-tmpfiles", "--create")
        cls.run_in("ip", "link", "set", "lo", "up")
        cls.run_in("ip", "link", "add", "v0", "type", "veth", "peer", "name", "v1")
        for link in ("v0", "v1"):
            cls.run_in("ip", "link", "set", link, "up")

    def show(self, unit, name):
        return self.machine.show(unit, name)

    def start(self, unit):
        started = self.machine.run("systemctl", "start", unit, check=False)
        self.assertEqual(started.returncode, 0, started.stdout + self.journal(unit))
        self.assertEqual(self.show(unit, "ActiveState"), "active")
        self.addCleanup(self.machine.run, "systemctl", "stop", unit, check=False)

    def journal(self, unit):
        return self.machine.run("journalctl", "-u", unit, "--no-pager", "-n", "40", check=False).stdout

    def capabilities(self, unit):
        pid = self.show(unit, "MainPID")
        status = dict(line.split(":", 1) for line in self.machine.run("cat", f"/proc/{pid}/status").stdout.splitlines() if ":" in line)
        self.assertNotEqual(status["Uid"].split()[0], "0")
        self.assertEqual(int(status["NoNewPrivs"]), 1)
        return int(status["CapEff"], 16), int(status["CapBnd"], 16)

    def metrics(self, port):
        # The machine has a private network, so only a client inside the machine can fetch the page.
        script = f"import urllib.request; print(urllib.request.urlopen('http://127.0.0.1:{port}/metrics').read().decode())"
        return self.machine.run("/usr/bin/python3", "-c", script).stdout

    def sends(self, port):
        def count():
            line = next(line for line in self.metrics(port).splitlines() if line.startswith("softfeb_board_messages_completed_total"))
            return float(line.split()[-1])
        end = time.monotonic() + 60
        while count() < 3:
            self.assertLess(time.monotonic(), end)
            time.sleep(0.5)

    def wait_for_restart(self, unit, old, times):
        end = time.monotonic() + 60
        while self.show(unit, "MainPID") in ("0", old) or self.show(unit, "ActiveState") != "active":
            self.assertLess(time.monotonic(), end, self.journal(unit))
            time.sleep(0.5)
        self.assertEqual(self.show(unit, "NRestarts"), str(times))

    def test_a_board_serves_survives_and_stops(self):
        unit = "softfeb@board.service"
        self.start(unit)
        self.assertEqual(self.capabilities(unit), (CAP_NET_ADMIN | CAP_NET_RAW,) * 2)
        self.sends(18080)
        self.assertRegex(self.show(unit, "StatusText"), r"1 board|starting traffic")

        first = self.show(unit, "MainPID")
        self.machine.run("kill", "-KILL", first)
        self.wait_for_restart(unit, first, 1)
        self.sends(18080)

        second = self.show(unit, "MainPID")
        self.machine.run("kill", "-STOP", second)  # SIGSTOP makes the process hang from here on
        self.wait_for_restart(unit, second, 2)
        self.assertIn("Watchdog timeout", self.journal(unit))
        self.sends(18080)

        self.machine.run("systemctl", "stop", unit)
        self.assertEqual(self.show(unit, "Result"), "success", self.journal(unit))
        folder = self.machine.root / "var/lib/softfeb/board"
        self.assertEqual(json.loads((folder / "result.json").read_text())["verdict"], "held")
        self.assertEqual([p.name for p in folder.iterdir() if p.name.startswith("core")], [])

        entries = [json.loads(line) for line in self.machine.run("journalctl", "-u", unit, "-o", "json", "--no-pager").stdout.splitlines()]
        own = [e for e in entries if e.get("_COMM") == "softfeb" or e.get("SYSLOG_IDENTIFIER") == "softfeb"]
        self.assertTrue(any(e["MESSAGE"].startswith("live page: ") and e["PRIORITY"] == "5" for e in own), own[:5])
        self.assertFalse([e["MESSAGE"] for e in own if "Mpps" in e["MESSAGE"]], "progress does not belong into the journal")

        self.start(unit)  # this start must keep the result of the previous run
        self.assertTrue((folder / "result.previous.json").exists())

    def test_a_board_on_rings_needs_no_capability(self):
        self.start("softfeb@ring.service")
        self.assertEqual(self.capabilities("softfeb@ring.service"), (0, 0))
        self.sends(18081)

    def test_a_board_on_packet_sockets(self):
        self.start("softfeb@packet.service")
        self.sends(18082)

    def test_a_board_on_a_tap(self):
        self.start("softfeb@tap.service")
        self.assertIn("feb0", self.machine.run("ip", "link", "show", "feb0").stdout)

    def test_a_camera(self):
        self.machine.run("cp", "/etc/softfeb/board.yaml", "/etc/softfeb/camera.yaml")
        self.start("softfeb-camera@camera.service")
        self.sends(18080)

    def test_a_wrong_configuration_is_not_tried_again(self):
        unit = "softfeb@wrong.service"
        self.assertNotEqual(self.machine.run("systemctl", "start", unit, check=False).returncode, 0)
        time.sleep(4)
        self.assertEqual(self.show(unit, "ActiveState"), "failed")
        self.assertEqual(self.show(unit, "ExecMainStatus"), "2")
        self.assertEqual(self.show(unit, "NRestarts"), "0")
        self.assertIn("did you mean `duration`", self.journal(unit))


if __name__ == "__main__":
    if reason := machine.why_not():
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    unittest.main()
