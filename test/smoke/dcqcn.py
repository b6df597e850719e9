# SPDX-License-Identifier: BSD-3-Clause
"""Tests DCQCN in a run: rates follow CNPs in the report's time series, and parameters change while boards
send."""

import csv
import json

import harness
import yaml
from harness import CONF, board, qp, receiver, ring

PER_QP = ["time_s", "board", "qpn", "rc_gbps", "rt_gbps", "alpha", "sent_gbps", "goodput_gbps", "cnp_rx", "retransmitted"]
PER_BOARD = ["time_s", "board", "qps", "rc_gbps", "rc_min_gbps", "rc_max_gbps", "rt_gbps", "alpha_mean", "sent_gbps",
             "goodput_gbps", "cnp_rx", "retransmitted"]
NAMES = ("board", "qpn")


class Series:
    def __init__(self, path):
        with open(path, newline="") as f:
            reader = csv.DictReader(f)
            self.rows = [{k: v if k in NAMES else float(v) if v != "" else None for k, v in row.items()} for row in reader]
            self.columns = reader.fieldnames

    def of(self, **keys):
        return [r for r in self.rows if all(r[k] == v for k, v in keys.items())]

    @staticmethod
    def bytes(rows, column):
        """Integrates the rate in `column` over time, and returns a number of bytes. The interval of the first
        row begins at time 0."""
        at, total = 0.0, 0.0
        for r in rows:
            total += r[column] * (r["time_s"] - at) / 8e-9
            at = r["time_s"]
        return total


class Dcqcn(harness.TestCase):
    def report(self, config, *args):
        run = self.run_softfeb(config, "--report", "report", "--no-pictures", *args)
        self.assert_held(run)
        return run, Series(self.dir / "report/series.csv")

    def assert_sums(self, rows, qps):
        """Checks that the sums over the rows of the time series equal the counters of `qps` in the result."""
        times = [r["time_s"] for r in rows]
        self.assertEqual(times, sorted(set(times)))
        self.assertEqual(sum(r["cnp_rx"] for r in rows), sum(q["cnp_rx"] for q in qps))
        self.assertEqual(sum(r["retransmitted"] for r in rows), sum(q["retransmitted_packets"] for q in qps))
        for column, counter in (("sent_gbps", "tx_counted_bytes"), ("goodput_gbps", "tx_payload_bytes")):
            total = sum(q[counter] for q in qps)
            self.assertAlmostEqual(Series.bytes(rows, column), total, delta=1e-6 * total + 1)

    def test_firmware(self):
        run, series = self.report(CONF / "dcqcn-firmware.yaml", "--set", "run.series_interval=2ms")
        self.assertEqual(series.columns, PER_QP)
        self.assertEqual(json.loads((self.dir / "report/result.json").read_text()), run.result)
        config = yaml.safe_load((self.dir / "report/config.yaml").read_text())
        self.assertEqual(config["changes"][0]["dcqcn"], {"algorithm": "firmware", "dcqcn_bypass": True})
        self.assertEqual([c["made"] for c in run.result["changes"]], [True])
        self.assertIn("DCQCN of the firmware (line rate 1Gb/s, token bucket 64KiB from empty, one rate per QP)", run.err)
        self.assertIn("within one packet", run.err)
        line = 1.0
        for q in run.qps():
            rows = series.of(board="feb0", qpn=hex(q["qpn"]))
            self.assertGreater(len(rows), 20)
            self.assert_sums(rows, [q])
            self.assertGreater(q["cnp_rx"], 10)
            # Rc is the line rate until the first CNP, then lower, and again the line rate once DCQCN is
            # bypassed.
            first = next(i for i, r in enumerate(rows) if r["cnp_rx"] > 0)
            self.assertTrue(all(r["rc_gbps"] == line for r in rows[:first]))
            cut = [r for r in rows[first + 1:] if r["time_s"] < 2]
            self.assertTrue(all(r["rc_gbps"] < line for r in cut))
            self.assertLess(min(r["rc_gbps"] for r in cut), 0.9 * line)
            self.assertTrue(all(0 < r["alpha"] < 1 for r in cut))
            # Skip the first sample. It may be taken at the moment of the change, which takes effect one clock
            # cycle later, as in the firmware.
            bypassed = [r for r in rows if r["time_s"] > 2][1:]
            self.assertGreater(len(bypassed), 2)
            self.assertTrue(all(r["rc_gbps"] == r["rt_gbps"] == line for r in bypassed))
            self.assertGreater(sum(r["cnp_rx"] for r in bypassed), 0)
            # A QP sends at most what its token bucket allows: the line rate times the time, a full bucket, and one frame.
            self.assertLessEqual(Series.bytes(rows, "sent_gbps"), line / 8e-9 * rows[-1]["time_s"] + 65536 + 4200)

    def test_above_the_limit_a_row_a_board(self):
        traffic = {"message_size": "16KiB", "rate": "2Mb/s"}
        boards = [board(qp(traffic=traffic, count=40), name=f"feb{i}", ip=f"10.0.0.{i + 1}/24", dcqcn="firmware") for i in range(2)]
        config = ring(boards, [receiver(ip="10.0.0.9/24", memory="64KiB")], feb={"faults": {"tx_mark_ce": "5%"}},
                      duration="1s", series_interval="50ms")
        # The change takes several iterations, because the board has more QPs than a worker changes in one
        # iteration.
        config["changes"] = [{"at": "500ms", "board": "feb1", "dcqcn": {"algorithm": "firmware", "dcqcn_bypass": True}}]
        run, series = self.report(config)
        self.assertEqual(series.columns, PER_BOARD)
        bypassed = [r for r in series.of(board="feb1") if r["time_s"] > 0.5][1:]
        self.assertTrue(bypassed)
        self.assertEqual({(r["rc_min_gbps"], r["rc_max_gbps"]) for r in bypassed}, {(10, 10)})
        for b in run.result["boards"]:
            rows = series.of(board=b["name"])
            self.assertGreater(len(rows), 5)
            self.assert_sums(rows, b["qps"])
            for r in rows:
                self.assertEqual(r["qps"], 40)
                self.assertLessEqual(40 * r["rc_min_gbps"], r["rc_gbps"] * (1 + 1e-6))
                self.assertGreaterEqual(40 * r["rc_max_gbps"], r["rc_gbps"] * (1 - 1e-6))
            self.assertLess(min(r["rc_min_gbps"] for r in rows), 10)
            self.assertLessEqual(max(r["rc_max_gbps"] for r in rows), 10)
            self.assertGreater(sum(r["cnp_rx"] for r in rows), 0)
            self.assertAlmostEqual(rows[-1]["rc_gbps"], sum(q["rc_gbps"] for q in b["qps"]), delta=1e-6 * 400)
        # With series_qps=80, the number of QPs does not exceed the limit, so the time series has a row for
        # each QP.
        run, series = self.report(config, "--set", "run.series_qps=80")
        self.assertEqual(series.columns, PER_QP)
        self.assertEqual(len({(r["board"], r["qpn"]) for r in series.rows}), 80)

    def test_one_queue_pair_of_several_is_changed(self):
        traffic = {"message_size": "16KiB", "rate": "50Mb/s"}
        config = ring([board(qp(traffic=traffic, count=3), dcqcn={"algorithm": "paper", "line_rate": "1Gb/s"})],
                      [receiver(memory="64KiB")], duration="600ms", series_interval="10ms")
        config["changes"] = [{"at": "300ms", "board": "feb0", "qps": 1, "dcqcn": {"algorithm": "paper", "line_rate": "20Mb/s"}},
                             {"at": "400ms", "board": "feb0", "dcqcn": {"algorithm": "paper", "rpg_max_rate": "40Mb/s"}}]
        run, series = self.report(config)
        for i, q in enumerate(run.qps()):
            for r in series.of(qpn=hex(q["qpn"])):
                t = r["time_s"]
                want = 1 if t < 0.3 or (i != 1 and t < 0.4) else 0.02 if t < 0.4 else 0.04
                self.assertEqual(r["rc_gbps"], want, f"QP {i} at {t} s")
        self.assertEqual([c["made"] for c in run.result["changes"]], [True, True])

    def test_without_congestion_control(self):
        config = ring([board(qp(traffic={"message_size": "4KiB", "messages": 100, "rate": "100Mb/s"}))], [receiver(memory="64KiB")],
                      series_interval="5ms")
        run, series = self.report(config)
        self.assert_sums(series.rows, run.qps())
        self.assertEqual({r["rc_gbps"] for r in series.rows}, {None})
        self.assertIn("constant rate 100Mb/s per QP", run.err)

    def test_a_change_after_the_end_is_told(self):
        config = ring([board(qp(traffic={"messages": 10}), dcqcn="firmware")], [receiver()])
        config["changes"] = [{"at": "30s", "board": "feb0", "dcqcn": {"algorithm": "firmware", "dcqcn_bypass": True}}]
        run, _ = self.report(config)
        self.assertEqual([c["made"] for c in run.result["changes"]], [False])
        self.assertIn("the change of board feb0 at 30 s was not applied", run.err)

    def test_report_that_cannot_be_written(self):
        (self.dir / "report").write_text("a file")
        config = ring([board(qp(traffic={"messages": 10}))], [receiver()])
        run = self.run_softfeb(config, "--report", "report", status=3)
        self.assertIn("cannot create the folder report", run.err)

    def test_ready_configurations(self):
        for name in ("dcqcn-paper", "dcqcn-connectx"):
            # After a CNP, Rc recovers within a millisecond. With longer sample intervals, all
            # samples of a QP may miss the low rates.
            run, series = self.report(CONF / f"{name}.yaml", "--set", "changes.0.at=300ms", "--duration", "0.6",
                                      "--set", "run.series_interval=1ms")
            self.assertEqual([c["made"] for c in run.result["changes"]], [True])
            for q in run.qps():
                self.assertGreater(q["cnp_rx"], 0)
                self.assertLess(min(r["rc_gbps"] for r in series.of(qpn=hex(q["qpn"]))), 1)


if __name__ == "__main__":
    harness.main()
