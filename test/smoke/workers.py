# SPDX-License-Identifier: BSD-3-Clause
"""Tests several arrangements of workers and queues: a port that workers share, a ring with more queues at one
end, and several ports."""

import sys

import harness
import metrics
from harness import board, qp, receiver, ring

sys.path.insert(0, str(harness.ROOT / "test/support"))
from free_ports import free_port  # noqa: E402

TRAFFIC = {"message_size": "32KiB", "messages": 200, "verb": "write_imm", "immediate": "counter"}


def many(port, workers, kind, n=4, **keys):
    if kind == "board":
        return {"port": port, "worker": workers, **board(qp(traffic=TRAFFIC, **keys), name="feb", count=n)}
    return {"port": port, "worker": workers, **receiver(ip="10.0.0.101/24", count=n, memory="1MiB", **keys)}


def stage(values, worker, name):
    return values[f'softfeb_worker_stage_seconds_total{{worker="{worker}",stage="{name}"}}']


def seconds(values, worker):
    """Returns the sum of the times that a worker has spent in its stages, in seconds."""
    prefix = f'softfeb_worker_stage_seconds_total{{worker="{worker}"'
    return sum(value for name, value in values.items() if name.startswith(prefix))


class Workers(harness.TestCase):
    def arranged(self, board_workers, receiver_workers, workers, **qp_keys):
        config = ring([], [], workers=workers)
        config["boards"] = [many("feb", board_workers, "board", **qp_keys)]
        config["receivers"] = [many("nic", receiver_workers, "receiver")]
        run = self.run_softfeb(config)
        self.assert_held(run)
        self.assertEqual([q["messages_completed"] for q in run.qps()], [200] * len(run.qps()))
        self.assertEqual(sum(r["messages"] for r in run.result["receivers"]), 200 * len(run.qps()))
        self.assertEqual(sum(w["ring_full"] for w in run.result["workers"]), 0)
        return run

    def handed_over(self, run):
        return [w["rx_handed_over"] for w in run.result["workers"]]

    def test_one_worker_does_it_all(self):
        self.assertEqual(self.handed_over(self.arranged(0, 0, 1)), [0])

    def test_two_workers_on_each_port(self):
        """Each worker polls one queue of each port. It hands over packets for boards that the other worker
        owns."""
        run = self.arranged([0, 1], [1, 0], 2, count=4)
        self.assertEqual(len(run.qps()), 16)
        self.assertGreater(sum(self.handed_over(run)), 0)

    def test_more_queues_than_workers(self):
        """Three workers send, each on its own queue, and one worker receives from all three queues."""
        run = self.arranged([0, 1, 2], 3, 4)
        self.assertGreater(run.result["workers"][3]["rx_packets"], 3 * 200 * 8)

    def test_fewer_queues_at_the_sender(self):
        run = self.arranged(0, [1, 2, 3], 4)
        self.assertGreater(sum(self.handed_over(run)), 0)

    def test_time_by_stage(self):
        """The first worker sends, and the second receives."""
        traffic = {key: value for key, value in TRAFFIC.items() if key != "messages"}
        config = ring([board(qp(traffic=traffic))], [receiver(memory="1MiB")], duration="500ms")
        run = self.run_softfeb(config)
        self.assert_held(run)
        for worker in run.result["workers"]:
            cpu = worker["cpu"]
            self.assertGreater(cpu["samples"], 3, cpu)  # on a busy machine, there are only a few samples
            for stage in ("busy", "rx", "place", "check", "build", "tx", "other", "idle"):
                values = [cpu[stage][q] for q in ("min", "p10", "p50", "p90", "max")]
                self.assertEqual(values, sorted(values))
                self.assertTrue(0 <= values[0] and values[-1] <= 1, cpu)
            self.assertAlmostEqual(cpu["busy"]["max"] + cpu["idle"]["min"], 1, delta=0.002)
        sender, receiver_worker = (w["cpu"] for w in run.result["workers"])
        self.assertGreater(sender["build"]["max"], sender["place"]["max"], sender)
        self.assertGreater(receiver_worker["place"]["max"] + receiver_worker["check"]["max"], receiver_worker["build"]["max"],
                           receiver_worker)

    def test_time_by_stage_in_metrics(self):
        port = free_port()
        traffic = {key: value for key, value in TRAFFIC.items() if key != "messages"}
        run = self.start(ring([board(qp(traffic=traffic))], [receiver(memory="1MiB")], duration="600s"), "-q", "--web", str(port))
        try:
            first = metrics.wait(run, port, lambda m: seconds(m, 0) > 0.2 and seconds(m, 1) > 0.2)
            last = metrics.wait(run, port, lambda m: seconds(m, 0) > seconds(first, 0) + 0.2)
        finally:
            run.signal()
            run = run.finish()
        self.assert_held(run)
        for name, value in first.items():
            if name.startswith("softfeb_worker_stage_seconds_total"):
                self.assertGreaterEqual(last[name], value, name)
        for worker in range(2):
            self.assertLess(seconds(last, worker), last["softfeb_traffic_seconds"] + 0.05)
        self.assertGreater(stage(last, 0, "build"), stage(last, 0, "place"), last)
        self.assertGreater(stage(last, 1, "place") + stage(last, 1, "check"), stage(last, 1, "build"), last)

    def test_idle_policies(self):
        for idle in ("spin", "pause", "sleep"):
            config = ring([board(qp(traffic=TRAFFIC))], [receiver(memory="1MiB")])
            config["workers"]["idle"] = idle
            run = self.run_softfeb(config)
            self.assert_held(run)
            self.assertIn(f"idle workers {idle}", run.err)

    def test_bursts(self):
        for burst in (1, 7, 512):
            config = ring([board(qp(traffic=TRAFFIC))], [receiver(memory="1MiB")])
            config["workers"]["burst"] = burst
            self.assert_held(self.run_softfeb(config))

    def test_one_segment_is_the_same(self):
        sent = []
        for segments in ("auto", "one"):
            traffic = {"message_size": "10001B", "messages": 5}
            config = ring([board(qp(traffic=traffic, window=1))], [receiver(memory="1MiB")],
                          feb={"tx_segments": segments, "capture": {"file": "feb.pcap", "direction": "tx"}})
            run = self.run_softfeb(config)
            self.assert_held(run)
            payload = "attached without copying" if segments == "auto" else "copied into one segment"
            self.assertRegex(run.err, rf"(?m)^port feb: .*, payload {payload},")
            sent.append([p.frame for p in harness.read_pcap(self.dir / "feb.pcap")])
        self.assertEqual(sent[0], sent[1])

    def test_short_descriptor_rings(self):
        """The worker at the far end is slow, so the ring fills up. Packets then wait, and none is dropped."""
        config = ring([board(qp(traffic={**TRAFFIC, "messages": 2000}, count=8))], [receiver(memory="1MiB")],
                      feb={"tx_descriptors": 32, "rx_descriptors": 32}, nic={"tx_descriptors": 32, "rx_descriptors": 32})
        run = self.run_softfeb(config)
        self.assert_held(run)
        self.assertEqual(sum(q["retransmitted_packets"] for q in run.qps()), 0)
        self.assertGreater(sum(w["tx_short"] for w in run.result["workers"]), 0)


class Outside(harness.TestCase):
    """Tests ports whose far end is outside softfeb."""

    TARGET = {"ip": "10.0.0.2", "mac": "02:00:00:00:00:02", "qpn": 7, "rkey": 0x1234, "address": 0x7F0000000000,
              "length": "1MiB"}

    def outside(self, device, **port):
        config = ring([board(qp(self.TARGET, transport="UC", traffic={"message_size": "10000B", "messages": 50}))], [])
        del config["receivers"]
        config["workers"]["count"] = 1
        config["ports"] = [{"name": "feb", "device": device, "mtu": 4200, **port}]
        run = self.run_softfeb(config)
        self.assert_held(run)
        self.assertEqual((run.qps()[0]["messages_completed"], run.qps()[0]["tx_packets"]), (50, 150))
        return run

    def test_null(self):
        run = self.outside("net_null")
        self.assertEqual(run.result["ports"][0]["tx_packets"], 150)

    def test_pcap(self):
        """The file that libpcap writes is valid and has the same packets as softfeb's capture."""
        self.outside("net_pcap:tx_pcap=tx.pcap", capture={"file": "capture.pcap"})
        captured = harness.read_pcap(self.dir / "capture.pcap")
        written = harness.read_pcap(self.dir / "tx.pcap", any_resolution=True)
        self.assertEqual([p.frame for p in written], [p.frame for p in captured])
        self.assertEqual(len(written), 150)
        for i, p in enumerate(written):
            m, k = divmod(i, 3)
            self.assertEqual((p.psn, p.opcode), (i, harness.UC + (harness.FIRST, harness.MIDDLE, harness.LAST)[k]))
            self.assertEqual(p.icrc(), p.icrc_by_annex_a17())
            reth = 16 if k == 0 else 0
            payload = p.frame[p.bth_at + 12 + reth:p.end - 4 - p.pad]
            self.assertEqual(payload, bytes((m * 10000 + k * 4096 + j) % 256 for j in range(len(payload))))
            self.assertEqual(len(payload), (4096, 4096, 1808)[k])
            if k == 0:
                address, rkey, length = (int.from_bytes(p.frame[p.bth_at + a:p.bth_at + b], "big")
                                         for a, b in ((12, 20), (20, 24), (24, 28)))
                self.assertEqual((address, rkey, length), (0x7F0000000000 + m % 104 * 10000, 0x1234, 10000))


if __name__ == "__main__":
    harness.main()
