# SPDX-License-Identifier: BSD-3-Clause
"""Runs the report tool on synthetic folders. The pages must be valid and contain all charts. Without
matplotlib, the tool makes no page."""

import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser

import harness

sys.path.insert(0, str(harness.ROOT / "test/support"))
import synthetic_report  # noqa: E402

MAKER = harness.ROOT / "tools/report"
PYTHON = "/usr/bin/python3"
VOID = {"meta", "link", "br", "hr", "img", "input"}


class Page(HTMLParser):
    """Parses a page and records its errors: elements that are not closed in order, repeated ids, and links
    without a target."""

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.links, self.tags, self.wrong, self.words = [], [], [], [], [], []
        self.feed(text)
        self.close()
        self.wrong += [f"#{link[1:]} leads nowhere" for link in self.links if link.startswith("#") and link[1:] not in self.ids]
        self.wrong += [f"id {i} twice" for i in set(self.ids) if self.ids.count(i) > 1]
        self.wrong += [f"<{tag}> not closed" for tag in self.open]

    def handle_starttag(self, tag, attributes):
        names = dict(attributes)
        self.tags.append(tag)
        if "id" in names:
            self.ids.append(names["id"])
        for name in ("href", "xlink:href", "src"):
            if name in names:
                self.links.append(names[name])
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> out of place")

    def handle_data(self, data):
        self.words.append(data)


class Report(harness.TestCase):
    def make(self, status=0, python=()):
        done = subprocess.run([PYTHON, "-I", "-B", *python, str(MAKER), str(self.dir)], capture_output=True, text=True,
                              timeout=harness.LIMIT, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def page(self):
        text = (self.dir / "index.html").read_text()
        page = Page(text)
        self.assertEqual(page.wrong, [])
        self.assertNotIn("script", page.tags)
        self.assertEqual([link for link in page.links if re.match(r"[a-z]+:", link) and not link.startswith("data:")], [])
        self.assertNotIn("trouble", page.ids, "a chart could not be drawn:\n" + text[text.find('id="trouble"'):][:2000])
        return page

    def assert_charts(self, *names):
        page = self.page()
        self.assertEqual([i for i in page.ids if (self.dir / f"{i}.png").exists()], list(names))
        self.assertEqual(sorted(p.stem for p in self.dir.glob("*.png")), sorted(names))
        self.assertEqual(page.tags.count("svg"), len(names))
        for name in names:
            self.assertEqual((self.dir / f"{name}.png").read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
            ElementTree.parse(self.dir / f"{name}.svg")
            self.assertIn(f"{name}-d", page.ids, "no words for those who do not see the chart")
        return page

    def test_lab(self):
        synthetic_report.make("short", self.dir)
        self.make()
        page = self.assert_charts("rates", "distribution", "queue", "fairness", "ports", "events")
        words = " ".join(page.words)
        for said in ("All checks held", "feb1 joins", "feb1 leaves", "Kmin", "fairness jain", "share one port & its <queue>"):
            self.assertIn(said, words)
        self.assertIn("workers preempted", words)
        self.assertIn("Time of the workers", words)

    def test_lab_in_virtual_time(self):
        synthetic_report.make("short", self.dir)
        result = json.loads((self.dir / "result.json").read_text())
        result["lab"]["time"] = "virtual"
        result["lab"]["figures"]["changes"] = [{"at_s": 0, "starting": ["feb0", "feb1"], "stopping": []},
                                               {"at_s": 1, "starting": [], "stopping": ["feb1"]}]
        (self.dir / "result.json").write_text(json.dumps(result))
        for series in self.dir.glob("*.csv"):  # without series, no charts are made, which saves time
            series.unlink()
        self.make()
        words = " ".join(self.page().words)
        for said in ("0 s: feb0, feb1 start ", "1 s: feb1 stops "):
            self.assertIn(said, words + " ")
        # a run in virtual time cannot be preempted, so the page does not mention preemption
        self.assertNotIn("workers preempted", words)

    def test_threshold_switch(self):
        """One chart shows the throughput, the marking threshold and the CNPs."""
        synthetic_report.make("short", self.dir)
        result = json.loads((self.dir / "result.json").read_text())
        result["config"]["network"]["switches"][0]["forge"] = {"threshold": "8Gb/s"}
        (self.dir / "result.json").write_text(json.dumps(result))
        heading, *rows = (self.dir / "ports.csv").read_text().splitlines()
        self.assertTrue(heading.endswith(",cnp_forged"))
        forged = [r.rpartition(",")[0] + (",2" if ",tor.daq," in r else ",0") for r in rows]
        (self.dir / "ports.csv").write_text("\n".join([heading, *forged]) + "\n")
        for series in ("series.csv", "windows.csv"):
            (self.dir / series).unlink()
        self.make()
        words = " ".join(self.assert_charts("queue", "threshold", "ports", "events").words)
        cnps = 2 * sum(",tor.daq," in r for r in rows)
        self.assertIn(f"threshold 8 Gb/s, {cnps} CNPs forged", words)
        self.assertIn("CNPs forged", (self.dir / "threshold.svg").read_text())

    def write_swift(self, boards, columns):
        """Writes a time series of an algorithm that has a target delay and measures the RTT. `columns` are
        the names of the columns for these values."""
        (self.dir / "series.csv").write_text(
            "time_s,board,qpn,rc_gbps,rt_gbps,alpha,sent_gbps,goodput_gbps,cnp_rx,retransmitted," + columns + "\n"
            + "".join(f"{t / 10},feb{b},{q},5,5,,5,5,0,0,{20 + t + b + q},{65536 * (1 + q)},,25\n"
                      for t in range(1, 13) for b in range(boards) for q in (0, 2)))

    def test_round_trip_times_and_windows(self):
        self.write_swift(2, "rtt_us,window_bytes,utilization,target_delay_us")
        self.make()
        words = " ".join(self.assert_charts("rates", "distribution", "control").words)
        self.assertIn("feb1: round-trip time 28.5 µs, congestion window 131\u202f072 bytes on average.", words)
        self.assertNotIn("Utilization", words)
        svg = (self.dir / "control.svg").read_text()
        for said in ("Round-trip time", "µs", "Congestion window", "KiB", "feb0", "feb1", "target delay"):
            self.assertIn(said, svg)

    def test_round_trip_times_of_many_boards(self):
        self.write_swift(12, "rtt_mean_us,window_mean_bytes,utilization_mean,target_delay_mean_us")
        self.make()
        self.assert_charts("rates", "distribution", "control")
        self.assertIn("10 % to 90 %", (self.dir / "control.svg").read_text())

    def stage(self, begin, end, ns):
        return {"from": begin, "to": end, "count": 10, "min": ns, "p50": 2 * ns, "p90": 3 * ns, "p99": 4 * ns, "p999": 4 * ns,
                "max": 5 * ns, "buckets": [[ns, 9], [5 * ns, 1]]}

    def test_stages_of_messages(self):
        latency = {"sample": 64, "messages": 10, "overflows": 3, "lost_stamps": 0, "incomplete": 0,
                   "stages": [self.stage("sent", "completed", 2000), self.stage("posted", "crafted", 0.5),
                              self.stage("sent", "switch_1_in", 900), self.stage("crafted", "posted", 0)]}
        (self.dir / "result.json").write_text(json.dumps({"latency": latency}))
        self.make()
        page = self.assert_charts("stages")
        words = " ".join(page.words)
        for said in ("Times of one in 64 messages", "last packet sent → into switch 1: median 1.8 µs, p99 3.6 µs", "overflows",
                     "Orange: sums of several steps"):
            self.assertIn(said, words)
        svg = (self.dir / "stages.svg").read_text()
        for said in ("last packet sent → completed", "median to p99", "p99.9"):
            self.assertIn(said, svg)

    def test_events_of_a_camera(self):
        events = {"latency": {"count": 4, "min_us": 57.5, "p50_us": 58, "p90_us": 60, "p99_us": 61, "p999_us": 61, "max_us": 61.2,
                              "buckets": [[57.5, 1], [58, 2], [61, 1]]}}
        (self.dir / "result.json").write_text(json.dumps({"receivers": [{"name": "builder", "events": events}]}))
        (self.dir / "camera.csv").write_text("event,board,channel,charge\n" + "".join(
            f"7,{b},{c},{b + c}\n" for b in range(5) for c in range(4)))
        self.make()
        page = self.assert_charts("event-latency", "camera")
        words = " ".join(page.words)
        for said in ("builder: 4 complete events, latency 57.5 to 61.2 µs", "Camera image of event 7",
                     "charge of 20 pixels of 5 boards. The brightest is channel 3 of board 4.", "Each square of 2 × 2 pixels is a board"):
            self.assertIn(said, words)

    def test_completion_times(self):
        synthetic_report.make("short", self.dir)
        result = json.loads((self.dir / "result.json").read_text())
        spread = {"mean": 4.5, "p50": 3.25, "p99": 12.5, "max": 99.5}
        one = {"messages": 4321, "time_us": spread, "slowdown": None}
        none = {"messages": 0, "time_us": None, "slowdown": None}
        limits = (10_000, 100_000, 1_000_000, None)
        times = {**one, "classes": [{"up_to_bytes": n, **(one if n == 10_000 else none)} for n in limits], "shorter_half": one}
        for figures in (result["lab"]["figures"], result["lab"]["virtual"]["figures"]):
            figures["completion_times"] = times
        result["completion_times"] = {**times, "backlog": 0}
        (self.dir / "result.json").write_text(json.dumps(result))
        for series in self.dir.glob("*.csv"):  # without series, no charts are made, which saves time
            series.unlink()
        self.make()
        words = " ".join(self.page().words)
        for said in ("Completion times by message length, real time", "Completion times by message length, virtual time", "up to 10 kB",
                     "10 kB to 100 kB", "100 kB to 1 MB", "above 1 MB", "the shorter half", "99.5"):
            self.assertIn(said, words)
        # the table of all values does not repeat the completion times
        self.assertNotIn("completion_times.", words)

    def test_the_end_of_a_run_is_no_board_that_leaves(self):
        rows = [(t / 10, b, 5 if t / 10 <= until else 0) for t in range(1, 13) for b, until in (("feb0", 1), ("feb1", 0.5))]
        (self.dir / "series.csv").write_text(
            "time_s,board,qpn,rc_gbps,rt_gbps,alpha,sent_gbps,goodput_gbps,cnp_rx,retransmitted\n"
            + "".join(f"{t},{b},256,,,,{sent},{sent},0,0\n" for t, b, sent in rows))
        (self.dir / "result.json").write_text('{"verdict": "held", "duration_s": 1.003}')
        self.make()
        words = " ".join(self.page().words)
        self.assertIn("At 0.5 s feb1 leaves.", words)
        self.assertNotIn("feb0 leaves", words)

    def test_sweep(self):
        synthetic_report.make("sweep", self.dir)
        self.make()
        self.assert_charts("sweep")
        self.assertIn("queues.kmin (KiB)", (self.dir / "sweep.svg").read_text())

    def test_sweep_over_one_key(self):
        """A sweep over one key shows goodput and latency as curves."""
        (self.dir / "sweep.csv").write_text(
            "boards.feb.qps.0.pmtu,jain_min,port_used_min,demand_met,goodput_gbps,latency_us\n256,,,,7.57,1.03\n4096,,,,9.8,4.1\n")
        self.make()
        self.assert_charts("sweep")
        svg = (self.dir / "sweep.svg").read_text()
        for title in ("Goodput (Gb/s)", "Latency of transfers, mean (µs)", "qps.pmtu"):
            self.assertIn(title, svg)
        self.assertNotIn("Demand met", svg)

    def test_fairest_point_of_a_sweep(self):
        """The page adds "without drops" to "Fairest point" only if the study contains drop counts. The
        fairest point is then chosen among the points that dropped nothing."""
        for rows, words in ((("a,0.99,7", "b,0.9,0"), "Fairest point without drops: key = b, with a minimum index of 0.9."),
                            (("a,0.99,7", "b,0.9,3"), "Fairest point: key = a, with a minimum index of 0.99."),
                            (("a,0.99,", "b,0.9,"), "Fairest point: key = a, with a minimum index of 0.99.")):
            with self.subTest(rows=rows):
                (self.dir / "sweep.csv").write_text("\n".join(("key,jain_min,dropped", *rows)) + "\n")
                self.make()
                self.assertIn(words, " ".join(" ".join(self.page().words).split()))

    def test_sweep_with_repeated_points(self):
        """A sweep over run.seed repeats each point of the other keys. The chart draws the runs of a point as a box."""
        (self.dir / "sweep.csv").write_text("boards.feb.qps.0.pmtu,run.seed,goodput_gbps\n" + "".join(
            f"{pmtu},{seed},{pmtu / 500 + seed / 100}\n" for pmtu in (256, 4096) for seed in (1, 2, 3)))
        self.make()
        page = self.assert_charts("sweep")
        self.assertIn("Each point was run 3 times with different random numbers", " ".join(page.words))
        self.assertNotIn("run.seed", (self.dir / "sweep.svg").read_text())

    def test_distribution_leaves_out_the_edges(self):
        """The board sends 1 Gb/s in the first and in the last second, and 5 Gb/s between them."""
        rows = [(n / 10, 5 if 10 < n <= 40 else 1) for n in range(1, 51)]
        (self.dir / "series.csv").write_text(
            "time_s,board,qpn,rc_gbps,rt_gbps,alpha,sent_gbps,goodput_gbps,cnp_rx,retransmitted\n"
            + "".join(f"{t},feb0,256,,,,{sent},{sent},0,0\n" for t, sent in rows))
        real = {"verdict": "held", "duration_s": 5.0, "warmup_excluded": False}
        warm = {**real, "warmup_excluded": True, "config": {"run": {"warmup": "2s"}}}
        virtual = {**real, "lab": {"time": "virtual", "figures": {}, "verdict": "held"}}
        for result, said in ((real, "From 1 s to 4 s, 30 samples for feb0. feb0: median 5 Gb/s, 5 to 5 Gb/s"),
                             (warm, "From 2 s to 4 s, 20 samples for feb0"),
                             (virtual, "From 0 s to 5 s, 50 samples for feb0. feb0: median 5 Gb/s, 1 to 5 Gb/s")):
            (self.dir / "result.json").write_text(json.dumps(result))
            self.make()
            self.assertIn(said, " ".join(self.page().words))

    def test_what_is_missing_is_left_out(self):
        self.make()
        self.assertEqual(self.page().tags.count("svg"), 0)

    def test_strange_names_and_a_line_cut_off(self):
        (self.dir / "series.csv").write_text(
            "time_s,board,qpn,rc_gbps,rt_gbps,alpha,sent_gbps,goodput_gbps,cnp_rx,retransmitted\n"
            + "".join(f"{t},<script>$x</script>,256,,,,5,5,0,0\n{t},7,256,,,,5,5,0,0\n" for t in (0.1, 0.2, 0.3)) + "0.4,fe")
        (self.dir / "result.json").write_text("{")
        self.make()
        text = (self.dir / "index.html").read_text()
        self.assertNotIn("<script>", text)
        self.assertIn("result.json: cannot be read", text)
        self.assertTrue((self.dir / "rates.png").exists())

    def test_without_matplotlib(self):
        synthetic_report.make("sweep", self.dir)
        # -S omits the module `site`, which adds Debian's packages to the path; matplotlib is then missing
        done = self.make(status=3, python=["-S"])
        self.assertIn("apt-get install python3-matplotlib", done.stderr)
        self.assertFalse((self.dir / "index.html").exists())

    def test_softfeb_makes_it(self):
        config = harness.ring([harness.board(harness.qp(traffic={"rate": "50Mb/s"}), dcqcn="firmware")], [harness.receiver()])
        run = self.run_softfeb(config, "--duration", "0.5", "--report", str(self.dir), "--set", "run.result_qps=0",
                               "--set", "latency.sample=1")
        self.assertIn(f"report: {self.dir}/index.html", run.out)
        words = self.assert_charts("rates", "stages").words
        self.assertEqual(run.qps(), [])
        # these rows come from the board's summary, because no QPs are listed
        for said in ("packets", "retransmitted", "Rc at the end (Gb/s)"):
            self.assertIn(said, words)

    def test_softfeb_where_nothing_can_make_it(self):
        """Programs that the report tool needs are missing. softfeb reports this, and the status and data of
        the run are unaffected."""
        hide = 'mount --bind /dev/null "$(readlink -f /usr/bin/python3)" && exec "$@"'
        prefix = ("unshare", "--mount", "sh", "-c", hide, "sh")
        if subprocess.run([*prefix, "true"], capture_output=True).returncode != 0:
            self.skipTest("no mount namespace of our own here")
        config = harness.ring([harness.board(harness.qp(traffic={"rate": "50Mb/s"}))], [harness.receiver()])
        run = self.start(config, "--duration", "0.2", "--report", str(self.dir), prefix=prefix).finish()
        self.assertEqual(run.status, 0, run.err)
        self.assertIn("no pictures: /usr/bin/python3", run.err)
        self.assertIn("fix: apt-get install", run.err)
        self.assertTrue((self.dir / "series.csv").exists())
        self.assertFalse((self.dir / "index.html").exists())

    def test_wrong_use(self):
        self.assertEqual(subprocess.run([PYTHON, "-I", "-B", str(MAKER), str(self.dir / "none")], capture_output=True,
                                        timeout=harness.LIMIT).returncode, 3)
        self.assertEqual(subprocess.run([PYTHON, "-I", "-B", str(MAKER)], capture_output=True,
                                        timeout=harness.LIMIT).returncode, 2)


if __name__ == "__main__":
    harness.main()
