# SPDX-License-Identifier: BSD-3-Clause
"""A receiver in another process refuses requests or does not respond. The run ends in time, with a status, a message and exit code 1.

The configuration of the receiver's process contains a board that never starts. The receiver takes the sender's address and QPN from this
board; in reality, the two sides would exchange them.
"""

import concurrent.futures
import time

import harness
from harness import board, qp, receiver

ADDRESS, RKEY, QPN, MEMORY = 0x1000000000, 0x5F000000, 0x800, 1 << 20


class Refused(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.start_receiver()

    def start_receiver(self):
        self.receiver = self.start({
            "run": {"start_at": "2199-01-01T00:00:00Z"},
            "eal": {"hugepages": "no"},
            "workers": {"count": 1, "idle": "sleep"},
            "ports": [{"name": "link", "device": f"net_memif:{self.dir}/memif.sock,server", "mtu": 4200},
                      {"name": "nowhere", "device": "net_null", "mtu": 4200}],
            "boards": [{"port": "nowhere", **board(qp(qpn=0x100))}],
            "receivers": [{"port": "link", **receiver(memory="1MiB", check="none")}],
        })
        self.addCleanup(self.stop, self.receiver)
        for _ in range(1000):
            if (self.dir / "memif.sock").exists() or self.receiver.process.poll() is not None:
                break
            time.sleep(0.01)
        (self.dir / "sender").mkdir(exist_ok=True)

    def stop(self, receiver):
        if receiver.process.poll() is None:
            receiver.signal()
        receiver.finish()

    def send(self, status=1, messages=100, qp_keys=None, **target):
        to = {"ip": "10.0.0.2", "qpn": QPN, "rkey": RKEY, "address": ADDRESS, "length": "1MiB", **target}
        config = self.config({
            "eal": {"hugepages": "no"},
            "workers": {"count": 1, "idle": "sleep"},
            "ports": [{"name": "link", "device": f"net_memif:{self.dir}/memif.sock,client", "mtu": 4200}],
            "boards": [{"port": "link", **board(qp(to, qpn=0x100, timeout=10, retry_count=2, **(qp_keys or {}),
                                                   traffic={"message_size": "16KiB", "messages": messages}))}],
        }, "sender.yaml")
        result = self.dir / "sender" / "result.json"
        run = harness.Softfeb(["run", "-c", str(config), "--json", str(result)], self.dir, result).finish(20)
        self.assertEqual(run.status, status, run.err + run.out)
        return run

    def assert_failed(self, run, status, completed, *words):
        sent = run.qps()[0]
        self.assertEqual((sent["first_failure_status"], sent["messages_completed"]), (status, completed), run.out + run.err)
        self.assertEqual(sent["messages_failed"], sent["messages_posted"] - completed)
        self.assertEqual(run.result["verdict"], "failed")
        message = run.result["messages"][0]
        for word in ("board feb0 QP 0x100", "10.0.0.2", f"({status})", *words):
            self.assertIn(word, message)
        self.assertIn(message, run.out)

    def test_nothing_wrong(self):
        run = self.send(status=0)
        self.assert_held(run)
        self.assertEqual(run.qps()[0]["messages_completed"], 100)

    def test_wrong_rkey(self):
        run = self.send(rkey=RKEY + 1)
        self.assert_failed(run, 10, 0, "rkey")
        self.assertEqual(run.qps()[0]["nak_rx"]["remote_access"], 1)

    def test_out_of_bounds(self):
        """The sender's `length` exceeds the receiver's memory region. 64 messages fit into the region, and the 65th is refused."""
        run = self.send(length="4MiB")
        self.assert_failed(run, 10, 64, "address", "length")

    def test_before_the_memory(self):
        run = self.send(address=ADDRESS - 8192)
        self.assert_failed(run, 10, 0)

    def test_wrong_qpn(self):
        run = self.send(qpn=QPN + 1)
        self.assert_failed(run, 20, 0, "did not respond", "QPN")
        self.assertEqual(run.qps()[0]["timeouts"], 3)

    def test_wrong_psn(self):
        """The sender starts with a PSN that the receiver does not expect. The receiver's NAK asks for a PSN
        that was never sent, so the sender ignores it, and timeouts end the queue pair."""
        run = self.send(qp_keys={"psn": 100})
        self.assert_failed(run, 20, 0, "did not respond")
        self.assertEqual(run.qps()[0]["responses_ignored"], 1)

    def test_wrong_address_on_the_link(self):
        run = self.send(ip="10.0.0.77")
        self.assertEqual(run.check("neighbours_resolved")["value"], 1)
        self.assertIn("ARP", " ".join(run.result["messages"]))
        self.assertGreater(run.result["boards"][0]["arp_requests_tx"], 0)

    def killed_in_mid_transfer(self):
        """Kills the receiver during a transfer. Returns the result of the sender's queue pair."""
        with concurrent.futures.ThreadPoolExecutor() as pool:
            sending = pool.submit(self.send, messages=10_000_000, qp_keys={"window": 4})
            time.sleep(0.5)
            self.receiver.process.kill()
            run = sending.result()
        sent = run.qps()[0]
        self.assert_failed(run, 20, sent["messages_completed"], "did not respond", "runs")
        self.assertGreater(sent["messages_completed"], 0)
        return sent

    def test_receiver_killed_in_mid_transfer(self):
        """With two retries, the third timeout ends the queue pair. On a busy machine, the receiver may be
        preempted for longer than the 4 ms of the timer, which causes timeouts even before the receiver is
        killed. The test therefore passes as soon as one of up to ten runs has exactly three
        timeouts."""
        timeouts = []
        for _ in range(10):
            timeouts.append(self.killed_in_mid_transfer()["timeouts"])
            if timeouts[-1] == 3:
                return
            (self.dir / "memif.sock").unlink(missing_ok=True)
            self.start_receiver()
        self.fail(f"timeouts of ten runs: {timeouts}")


if __name__ == "__main__":
    harness.main()
