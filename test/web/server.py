#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests the server of the live page as programs use it: statistics, parameters, refused requests, and DPDK's
telemetry socket."""

import json
import re
import socket
import struct
import time
import unittest

import live
import srp_client
from live import harness

INCAST = harness.CONF / "lab/incast.yaml"
RAI = 0x00151004  # address of Rai in the first DCQCN block


def parse_metrics(text):
    """Parses Prometheus' text format strictly. Returns {family: (type, {labels: value})}."""
    families, name = {}, None
    series = re.compile(r'([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*"(?:,(?!\})|(?=\})))+)\})? (\S+)')
    assert text.endswith("\n")
    for line in text[:-1].split("\n"):
        if line.startswith("# HELP "):
            _, _, name, words = line.split(" ", 3)
            assert name not in families and words, line
            families[name] = (None, {})
        elif line.startswith("# TYPE "):
            _, _, typed, kind = line.split(" ")
            assert typed == name and families[name] == (None, {}) and kind in ("counter", "gauge", "summary"), line
            assert (kind == "counter") == name.endswith("_total"), line
            families[name] = (kind, {})
        else:
            found = series.fullmatch(line)
            assert found and families[name][0], line
            of_summary = families[name][0] == "summary" and found[1] in (name + "_sum", name + "_count")
            assert found[1] == name or of_summary, line
            labels = found[1] + (found[2] or "") if of_summary else found[2]
            assert labels not in families[name][1], line
            families[name][1][labels] = float(found[3])
    return families


class Server(live.Served):
    def test_metrics(self):
        self.serve(live.congested())
        status, fields, text = self.ask("GET", "/metrics")
        self.assertEqual((status, fields["Content-Type"]), (200, "text/plain; version=0.0.4; charset=utf-8"))
        first = parse_metrics(text)
        sent = lambda m: m["softfeb_board_sent_packets_total"][1]['board="feb0"']
        later = live.wait_for("packets", lambda: (lambda m: m if sent(m) > sent(first) > 0 else None)(
            parse_metrics(self.ask("GET", "/metrics")[2])))
        for name, (kind, series) in later.items():
            self.assertTrue(name.startswith(("softfeb_", "process_")), name)
            for labels, value in first[name][1].items():
                if kind == "counter":
                    self.assertGreaterEqual(series[labels], value, (name, labels))

    def test_metrics_of_other_algorithms(self):
        self.serve(live.swift())
        families = lambda: parse_metrics(self.ask("GET", "/metrics")[2])
        feb0, timely = 'board="feb0",qp="0"', 'board="feb1",qp="1"'
        live.wait_for("RTTs", lambda: {feb0, timely} <= set(families().get("softfeb_qp_rtt_seconds", (0, {}))[1]))
        found = families()
        self.assertTrue(0 < found["softfeb_qp_rtt_seconds"][1][feb0] < 10)
        self.assertGreater(found["softfeb_qp_target_delay_seconds"][1][feb0], 20e-6)
        self.assertGreater(found["softfeb_qp_window_bytes"][1][feb0], 0)
        for name in ("target_delay_seconds", "window_bytes"):
            self.assertNotIn(timely, found[f"softfeb_qp_{name}"][1])
        for name in ("alpha_ratio", "utilization_ratio", "granted_packets"):
            self.assertNotIn(f"softfeb_qp_{name}", found)
        sample = self.get("/api/history")[-1]
        self.assertEqual([len(sample[k]) for k in ("rtt_us", "target_delay_us", "window")], [2, 2, 2])
        self.assertEqual(sample["alpha"], [None, None])

    def test_connections_of_the_slow_control(self):
        config = live.congested()
        self.serve(config)
        port = config["boards"][0]["control"]["registers_port"]
        labels = 'board="feb0",link="registers"'
        metric = lambda name: parse_metrics(self.ask("GET", "/metrics")[2])["softfeb_control_" + name][1]
        with srp_client.Srp(port=port) as srp:
            peer = "{}:{}".format(*srp.link.socket.getsockname())
            one, = self.get("/api/links")["open"]
            self.assertEqual(one, {"board": "feb0", "link": "registers", "peer": peer, "way": "socket"})
            self.assertEqual(metric("link_open")[labels], 1)
        links = live.wait_for("the end of it", lambda: (lambda l: l if l["closed"] else None)(self.get("/api/links")))
        self.assertEqual((links["open"], links["closed_by_reason"]), ([], {"peer_reset": 1}))
        closed, = links["closed"]
        self.assertEqual((closed["board"], closed["link"], closed["peer"], closed["reason"]),
                         ("feb0", "registers", peer, "peer sent RST"))
        self.assertEqual(metric("connections_closed_total")[labels + ',reason="peer_reset"'], 1)
        self.assertEqual(metric("connections_closed_total")[labels + ',reason="null_timeout"'], 0)
        self.assertEqual(metric("connections_opened_total")[labels], 1)

    def test_events(self):
        self.serve(live.congested())
        with socket.create_connection(("127.0.0.1", self.port), 20) as s:
            s.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            text = b""
            while text.count(b"event: sample\n") < 3:
                part = s.recv(65536)
                self.assertTrue(part, text)
                text += part
        names = re.findall(rb"^event: (\w+)\ndata: (.*)\n$", text, re.M)
        self.assertEqual([n for n, _ in names[:2]], [b"setup", b"history"])
        samples = [json.loads(d) for n, d in names if n == b"sample"]
        self.assertLess(samples[0]["t"], samples[1]["t"])
        self.assertEqual(len(samples[0]["rc"]), 2)

    def test_it_stays_when_the_run_has_ended(self):
        run = self.serve(live.congested(duration="1s"), "--hold")
        result = live.wait_for("the result", lambda: self.get("/api/result"))
        self.assertEqual((self.state(), result["verdict"]), ("ended", "held"))
        self.assertIn("All checks held", result["text"])
        # The workers have stopped. Their data is still available, but operations that need the workers are refused.
        self.assertGreater(len(self.get("/api/history")), 5)
        self.assertEqual(self.ask("GET", "/metrics")[0], 200)
        for name in ("feb0", "feb1"):
            self.assertEqual(self.ask("GET", f"/api/dcqcn/{name}")[0], 409)
            self.assertIn("ended", self.change(409, board=name, qps="all", set={"rai": "8Mb/s"})["error"])
        time.sleep(0.5)
        self.assertIsNone(run.process.poll())
        run.signal()
        self.assertEqual(run.finish().status, 0)

    def test_a_signal_that_ends_the_run_ends_the_page_too(self):
        run = self.serve(live.congested(), "--hold")
        run.signal()
        self.assertEqual(run.finish().status, 0)

    def test_nothing_to_hold(self):
        for args, fix in ((["--hold"], "--web"), (["--hold", "--web", "off"], "--web")):
            run = self.run_softfeb(live.congested(duration="200ms"), *args, status=2)
            self.assertIn("fix: add " + fix, run.err)

    def test_who_looks_at_a_lab_gets_both_times(self):
        """After its run in real time, the lab runs in virtual time. The page is served until the two results have been compared."""
        softfeb = self.serve_lab(INCAST, "--duration", "1s")
        with socket.create_connection(("127.0.0.1", self.port), timeout=live.WAIT) as s:
            s.sendall(b"GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            text = b""
            while part := s.recv(65536):
                text += part
        data = re.findall(rb"^event: result\ndata: (.*)\n$", text, re.M)
        self.assertEqual(len(data), 1)
        result = json.loads(data[0])
        self.assertRegex(result["text"], r"real time +virtual +limit")
        self.assertRegex(result["text"], r"Virtual time: \w+")
        self.assertEqual(softfeb.finish().status == 1, result["verdict"] == "failed")

    def test_refusals(self):
        self.serve(live.congested())
        change = json.dumps({"board": "feb0", "set": {"rai": "1Mb/s"}})
        json_type = {"Content_Type": "application/json"}
        self.assertEqual(self.ask("GET", "/", Host="evil.example")[0], 421)
        self.assertEqual(self.ask("POST", "/api/dcqcn", change, Content_Type="text/plain")[0], 415)
        self.assertEqual(self.ask("POST", "/api/dcqcn", change, Origin="http://evil.example", **json_type)[0], 403)
        self.assertEqual(self.ask("POST", "/api/dcqcn", change, Sec_Fetch_Site="cross-site", **json_type)[0], 403)
        self.assertEqual(self.ask("DELETE", "/api/dcqcn")[0], 405)
        self.assertEqual(self.ask("GET", "/../../etc/passwd")[0], 404)
        for keys in ({"raj": 1}, {"rai": "1Mb"}, {"line_rate": "1Gb/s"}, {"algorithm": "paper"}, {"dec_gain": 16}):
            wrong = self.change(400, board="feb1", set=keys)
            self.assertEqual(wrong["key"], next(iter(keys)))
            self.assertTrue(wrong["error"] and wrong["fix"])
        missing = self.change(400, board="feb0", set={"dcqcn_bypass": True})   # only newer firmware has this register
        self.assertEqual(missing["key"], "dcqcn_bypass")
        self.change(404, board="feb9", set={"rai": 1})
        self.change(400, board="feb1", qps=5, set={"rai": "1Mb/s"})
        self.assertNotEqual(self.get("/api/dcqcn/feb1")["units"][0]["parameters"]["rai"], "1Mb/s")

    def test_parameters_take_effect(self):
        """A changed minimum rate takes effect on a board that serves registers and on one that does not."""
        self.serve(live.congested())
        rc = lambda b: self.get("/api/history")[-1]["rc"][b]
        for b, name in enumerate(("feb0", "feb1")):
            live.wait_for(f"{name} slower than the line", lambda: rc(b) < 0.18)
            unit = self.change(board=name, qps="all", set={"rmin": "190Mb/s", "rai": "8Mb/s"})["units"][0]
            self.assertEqual("register" in unit, name == "feb0")
            self.assertEqual((unit["parameters"]["rmin"], unit["parameters"]["rai"]), ("190Mb/s", "8Mb/s"))
            live.wait_for(f"{name} as fast as it must be", lambda: rc(b) >= 0.19)
            time.sleep(0.5)
            self.assertGreaterEqual(min(s["rc"][b] for s in self.get("/api/history")[-3:]), 0.19)
            self.assertEqual(self.get(f"/api/dcqcn/{name}")["units"][0], unit)

    def test_scheduled_changes_are_seen(self):
        """The page shows scheduled changes, both of a board that serves registers and of one that does not."""
        config = live.congested()
        config["changes"] = [{"at": "200ms", "board": name, "dcqcn": {"algorithm": "firmware", "rmin": "150Mb/s", "rhai": "9Mb/s"}}
                             for name in ("feb0", "feb1")]
        self.serve(config)
        for name in ("feb0", "feb1"):
            unit = lambda: self.get(f"/api/dcqcn/{name}")["units"][0]
            live.wait_for(f"{name}'s change", lambda: unit()["parameters"]["rmin"] == "150Mb/s")
            self.assertEqual(unit()["parameters"]["rhai"], "9Mb/s")
            self.assertEqual("register" in unit(), name == "feb0")
            # If the page then changes another parameter, the scheduled changes are kept.
            changed = self.change(board=name, qps="all", set={"rai": "8Mb/s"})["units"][0]["parameters"]
            self.assertEqual([changed[k] for k in ("rmin", "rhai", "rai")], ["150Mb/s", "9Mb/s", "8Mb/s"])

    def test_a_shared_rate_is_shown_as_its_register_has_it(self):
        config = live.congested()
        feb0 = config["boards"][0]
        feb0["dcqcn"]["scope"] = "board"
        feb0["qps"][0]["count"] = 3
        feb0["control"]["qps"] = 2
        self.serve(config)

        def rai():
            answer = self.get("/api/dcqcn/feb0")
            self.assertEqual([(u["first"], u["count"], u.get("shares_with")) for u in answer["units"]], [(0, 1, None), (1, 2, 0)])
            self.assertEqual(answer["not_shown"], 2)
            return [u["parameters"]["rai"] for u in answer["units"]]

        with srp_client.Srp(port=feb0["control"]["registers_port"]) as srp:
            srp.write(RAI, struct.pack("<I", 1_000_000))
            self.assertEqual(rai(), ["8Mb/s"] * 2)
            # If the page changes another parameter, the value that the register client wrote is kept.
            for unit in self.change(board="feb0", qps="all", set={"rhai": "24Mb/s"})["units"]:
                self.assertEqual([unit["parameters"][k] for k in ("rai", "rhai")], ["8Mb/s", "24Mb/s"])
            time.sleep(0.3)
            self.assertEqual(struct.unpack("<I", srp.read(RAI))[0], 1_000_000)
            self.assertEqual(rai(), ["8Mb/s"] * 2)
        self.assertIn("shares its rate", self.change(400, board="feb0", qps=1, set={"rai": "1Mb/s"})["error"])

    def test_ports(self):
        """A requested port that is in use and an invalid address are errors. Without --web, there is no page."""
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            run = self.run_softfeb(live.congested(), "--web", str(taken.getsockname()[1]), status=3)
            self.assertIn("fix", run.err + "fix")
            self.assertIn("cannot be served", run.err)
        run = self.run_softfeb(live.congested(), "--web", "1.2.3:x", status=2)
        self.assertIn("run.web", run.err)
        run = self.run_softfeb(live.congested(duration="200ms"), "--web")
        self.assertRegex(run.err, r"live page: http://127\.0\.0\.1:\d+/")
        run = self.run_softfeb(live.congested(duration="200ms"))
        self.assertNotIn("live page", run.err)

    def test_dpdk_telemetry(self):
        prefix = f"softfeb-web-{live.free_port()}"
        self.serve({**live.congested(), "eal": {"hugepages": "no", "prefix": prefix}})
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as s:
            s.settimeout(20)
            s.connect(f"/var/run/dpdk/{prefix}/dpdk_telemetry.v2")
            s.recv(16384)

            def ask(command):
                s.send(command.encode())
                return json.loads(s.recv(65536))[command.split(",")[0]]
            self.assertIn("/softfeb/boards", ask("/"))
            self.assertEqual(ask("/softfeb/info")["title"], "run.yaml")
            live.wait_for("figures", lambda: ask("/softfeb/boards"))
            self.assertEqual(ask("/softfeb/boards"), ["feb0", "feb1"])
            live.wait_for("packets", lambda: ask("/softfeb/boards,feb1")["sent_packets_total"])
            self.assertIn("ce_packets_total", ask("/softfeb/receivers,daq"))
            self.assertIsNone(ask("/softfeb/boards,nobody"))
            self.assertIn("/ethdev/stats", ask("/"))


if __name__ == "__main__":
    harness.own_network()
    unittest.main(verbosity=2)
