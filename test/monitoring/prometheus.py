# SPDX-License-Identifier: BSD-3-Clause
"""Lets Debian's Prometheus scrape a board and a lab. Checks that every query of the dashboard has data, that
every alert can be evaluated, and that an alert fires."""

import json
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest
import urllib.parse
import urllib.request
from pathlib import Path

import yaml

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "test/smoke"), str(ROOT / "test/support")]
import harness  # noqa: E402
from free_ports import free_port  # noqa: E402

DATA = ROOT / "data/monitoring"
LIMIT = 60  # seconds, for a busy machine

# A board with slow control. Its port drops packets, so the board retransmits.
BOARD = harness.ring(
    [harness.board(harness.qp(traffic={"rate": "20Mb/s", "message_size": "8KiB"}, retry_count=7), control={"listen": "127.0.0.1"})],
    [harness.receiver()], feb={"faults": {"tx_drop": "1%"}})
# Three boards share a port of a switch. The links are slow, so that the test needs little CPU time.
LAB = """\
eal: {hugepages: no}
workers: {count: 2, idle: sleep}
network:
  switches:
    - {name: tor, buffer: 1MiB, ecn: {kmin: 4KiB, kmax: 16KiB}}
  links:
    - {ends: [feb, tor], rate: 100Mb/s, delay: 500ns}
    - {ends: [tor, daq], rate: 20Mb/s, delay: 500ns}
boards:
  - {name: feb, count: 3, ip: 10.0.0.1/24, dcqcn: firmware, qps: [{to: daq, pmtu: 1024, retry_count: 7, traffic: {message_size: 8KiB}}]}
receivers:
  - {name: daq, ip: 10.0.0.101/24}
"""


def queries():
    """Yields (title of the panel, query) for all queries of the dashboard. Values replace Grafana's
    variables."""
    dashboard = json.loads((DATA / "softfeb-dashboard.json").read_text())
    asked = [(panel["title"], target["expr"]) for panel in dashboard["panels"] for target in panel.get("targets", [])]
    asked += [(a["name"], a["expr"].replace("> 0", ">= 0")) for a in dashboard["annotations"]["list"]]
    for variable in dashboard["templating"]["list"]:
        query = variable["query"].get("query") if isinstance(variable["query"], dict) else ""
        if found := re.fullmatch(r"label_values\((.*), (\w+)\)", str(query)):
            asked.append((variable["name"], f"count by ({found.group(2)}) ({found.group(1)})"))
    for title, expr in asked:
        for name, value in (("$__rate_interval", "10s"), ("$__range", "1m"), ("$instance", ".*"), ("$board", ".*")):
            expr = expr.replace(name, value)
        if "$" in expr:
            raise AssertionError(f"{title}: unknown variable in {expr}")
        yield title, expr


class Monitoring(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.address = f"127.0.0.1:{free_port()}"
        self.targets = [f"127.0.0.1:{free_port()}" for _ in range(2)]
        self.launch([harness.SOFTFEB, "run", "-c", str(self.config(BOARD, "board.yaml")), "--web", self.targets[0], "-q"], "board.log")
        self.launch([harness.SOFTFEB, "lab", "-c", str(self.config(LAB, "lab.yaml")), "--web", self.targets[1], "-q"], "lab.log")
        # Use the file that softfeb installs, but with the addresses of this test and with shorter intervals.
        settings = yaml.safe_load((DATA / "prometheus.yml").read_text())
        self.assertEqual(settings["rule_files"], ["/usr/share/softfeb/monitoring/softfeb.rules.yml"])
        settings["rule_files"] = [str(self.rules())]
        settings["global"] = {"evaluation_interval": "1s"}
        settings["scrape_configs"][0] |= {"scrape_interval": "1s", "scrape_timeout": "1s", "static_configs": [{"targets": self.targets}]}
        self.launch(["prometheus", f"--config.file={self.config(settings, 'prometheus.yml')}", f"--storage.tsdb.path={self.dir}/data",
                     f"--web.listen-address={self.address}"], "prometheus.log")

    def rules(self):
        """Writes softfeb's rules to a file, and changes one alert in this file so that it fires at once. Returns
        the path of the file."""
        path = self.dir / "rules.yml"
        text = (DATA / "softfeb.rules.yml").read_text()
        old = "rate(softfeb_board_retransmitted_packets_total[5m]) > 0.001 * rate(softfeb_board_sent_packets_total[5m])\n        for: 10m"
        self.assertIn(old, text)
        path.write_text(text.replace(old, old.replace("10m", "0s")))
        return path

    def launch(self, command, log):
        with open(self.dir / log, "w") as out:
            process = subprocess.Popen(command, cwd=self.dir, stdout=out, stderr=out, stdin=subprocess.DEVNULL)

        def end():
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.addCleanup(end)

    def logs(self):
        return "\n".join(f"{p.name}: {p.read_text()[-1500:]}" for p in self.dir.glob("*.log"))

    def ask(self, path, **arguments):
        url = f"http://{self.address}/api/v1/{path}?{urllib.parse.urlencode(arguments)}"
        with urllib.request.urlopen(url, timeout=10) as answer:
            return json.load(answer)["data"]

    def values(self, expr):
        return [float(v["value"][1]) for v in self.ask("query", query=expr)["result"]]

    def wait_for(self, what, condition):
        end = time.monotonic() + LIMIT
        while True:
            try:
                if condition():
                    return
            except OSError:
                pass  # Prometheus is not ready yet
            if time.monotonic() > end:
                self.fail(f"{what}\n{self.logs()}")
            time.sleep(0.3)

    def test_dashboard_and_alerts(self):
        self.wait_for("no scrapes", lambda: self.values('count(up{job="softfeb"} == 1)') == [2.0])
        # Wait, because a rate needs two samples, and rare events need some time to occur.
        self.wait_for("no rates", lambda: min(self.values("softfeb_traffic_seconds"), default=0) > 6)
        missing = set(queries())
        self.assertGreater(len(missing), 25)

        def all_have_data():
            for title, expr in sorted(missing):
                if any(value == value for value in self.values(expr)):  # not NaN
                    missing.discard((title, expr))
            return not missing
        end = time.monotonic() + 20
        while not all_have_data() and time.monotonic() < end:
            time.sleep(0.5)
        self.assertEqual(missing, set(), self.logs())

        self.wait_for("the alert does not fire",
                      lambda: self.values('ALERTS{alertname="SoftfebRetransmissions",alertstate="firing",board="feb0"}') == [1.0])
        rules = [rule for group in self.ask("rules")["groups"] for rule in group["rules"]]
        self.assertEqual(len(rules), len(yaml.safe_load((DATA / "softfeb.rules.yml").read_text())["groups"][0]["rules"]))
        self.assertEqual([r["name"] for r in rules if r["health"] != "ok"], [])
        critical = self.values('ALERTS{alertname=~"SoftfebDown|SoftfebWrongBytes|SoftfebMessagesFailed"}')
        self.assertEqual(critical, [], "only what is wrong may fire")


if __name__ == "__main__":
    if shutil.which("prometheus") is None:
        print("skipped: prometheus is not installed; fix: apt-get install prometheus")
        sys.exit(harness.SKIPPED)
    unittest.main()
