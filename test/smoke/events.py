#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests event data in real time. Boards on two workers share triggers, and send over a ring to event
builders."""

import os
import signal
import subprocess
import time
import unittest

import h5py

from harness import CONF, Softfeb, TestCase, receiver, ring


def camera(boards=6, builders=2, workers=2, events=None, receivers=None, sources=None, time="500ms", **run):
    """Returns a configuration with boards on two workers, and event builders on the second worker."""
    feb = [{"name": f"feb{w}", "count": boards // workers, "ip": f"10.0.0.{1 + 100 * w}/24", "worker": w, "dcqcn": "off",
            "events": {"trigger": "camera", "to": "builder", "images": 4, "fifo": 256, "slots": 512, "slot": "8KiB", "busy": "drop", **(events or {})}}
           for w in range(workers)]
    config = ring(feb, [receiver("builder", ip="10.0.0.240/24", count=builders, events={"timeout": "100ms", **(receivers or {})})],
                  workers=workers, duration=time, drain_timeout="5s", **run)
    config["triggers"] = [{"name": "camera", "dead_time": "7us", "sources": sources or [{"kind": "random", "type": "subarray", "rate": "1kHz"}]}]
    return config


class Events(TestCase):
    def check_events(self, run, boards=6):
        """Checks that all events are complete, and that every board answered every trigger. Returns the number of triggers."""
        self.assert_held(run)
        trigger = run.result["triggers"][0]
        accepted = trigger["accepted"]
        self.assertGreater(accepted, 100)
        for board in run.result["boards"]:
            self.assertEqual([board["events"][k] for k in ("triggers", "sent", "lost", "missed_triggers")], [accepted, accepted, 0, 0])
        self.assertEqual(sum(r["events"]["complete"] for r in run.result["receivers"]), accepted)
        for r in run.result["receivers"]:
            self.assertEqual(sum(r["events"]["rejected"].values()), 0)
            self.assertEqual(r["events"]["unseen"], 0)
            self.assertEqual(r["events"]["early"], 0)
            self.assertGreater(r["events"]["latency"]["min_us"], 1)
        self.assertEqual(len(run.result["boards"]), boards)
        return accepted

    def test_rc(self):
        run = self.run_softfeb(camera(seed=5))
        first = self.check_events(run)
        # The port must copy the payload of events, because boards reuse its memory.
        self.assertRegex(run.err, r"(?m)^port feb: .*, payload copied into one segment,")
        self.assertRegex(run.err, r"(?m)^port nic: .*, payload attached without copying,")
        # The sequence of triggers depends only on the configuration.
        again = self.run_softfeb(camera(seed=5))
        self.assertEqual(self.check_events(again), first)
        self.assertEqual(run.result["triggers"][0]["sources"], again.result["triggers"][0]["sources"])
        self.assertNotEqual(self.check_events(self.run_softfeb(camera(seed=6))), first)

    def test_uc_with_several_pieces(self):
        """A WRITE over UC may complete while its first packet still waits in the port's queue."""
        self.check_events(self.run_softfeb(camera(events={"transport": "UC", "kind": "waveform16", "piece": "4000B", "pmtu": 1024})))

    def test_losses_are_repaired(self):
        config = camera(events={"timeout": 12, "retry_count": 7})
        config["ports"][0]["faults"] = {"tx_drop": "1%", "tx_duplicate": "1%", "tx_reorder": "1%", "tx_corrupt": "1%"}
        run = self.run_softfeb(config)
        self.check_events(run)
        self.assertGreater(sum(qp["retransmitted_packets"] for qp in run.qps()), 0)

    def test_lost_fragments_are_reported(self):
        config = camera(events={"transport": "UC"}, receivers={"loss_limit": "100%"}, builders=1)
        config["ports"][0]["faults"] = {"tx_drop": "2%"}
        run = self.run_softfeb(config)
        events = run.result["receivers"][0]["events"]
        self.assertGreater(events["timeout"] + events["end"], 0)
        self.assertEqual(events["complete"] + events["timeout"] + events["end"] + events["unseen"], run.result["triggers"][0]["accepted"])

    def test_busy_boards_veto(self):
        """The triggers ask for more data than the boards' links can carry, but nothing is lost, because busy boards veto triggers."""
        config = camera(events={"busy": "veto", "fifo": 256, "busy_at": 8}, sources=[{"kind": "periodic", "rate": "50kHz"}], builders=1)
        for board in config["boards"]:
            board["link_rate"] = "100Mb/s"
        run = self.run_softfeb(config)
        trigger = run.result["triggers"][0]
        self.assertGreater(trigger["sources"][0]["busy"], 0)
        self.assertGreater(trigger["busy_share"], 0.1)
        self.check_events(run)



class Examples(TestCase):
    def test_advcam(self):
        run = self.run_softfeb(CONF / "advcam.yaml", "--duration", "1s", "--set", "boards.feb.events.images=2",
                               "--set", "receivers.builder.events.out=run.h5")
        self.assert_held(run)
        events = run.result["receivers"][0]["events"]
        self.assertEqual(events["complete"], run.result["triggers"][0]["accepted"])
        self.assertGreater(events["complete"], 500)
        with h5py.File(self.dir / "run.h5") as f:
            self.assertEqual(f["waveforms"].shape, (events["complete"], 8, 49, 64))
            self.assertEqual(set(f["events"]["type"][:]), {0, 32})

    def test_replay(self):
        """The boards send recorded events. Event n consists of the bytes of recorded event n modulo the number of recorded events."""
        self.run_softfeb(camera(boards=4, builders=1, receivers={"out": "first.h5"}))
        replayed = camera(boards=4, builders=1, receivers={"out": "second.h5"}, events={"kind": "replay", "file": "first.h5"}, seed=3)
        for board in replayed["boards"]:
            del board["events"]["images"]
        run = self.run_softfeb(replayed)
        self.assert_held(run)
        with h5py.File(self.dir / "first.h5") as first, h5py.File(self.dir / "second.h5") as second:
            def fragments(f):
                data = f["data"][:].tobytes()
                return {(int(r["event"]), int(r["board"])): data[r["offset"]:r["offset"] + r["length"]] for r in f["fragments"][:]}
            recorded, sent = fragments(first), fragments(second)
            events = len(first["events"])
            self.assertEqual(set(second["fragments"]["kind"]), {4})
            self.assertEqual(len(sent), 4 * len(second["events"]))
            for (event, number), data in sent.items():
                self.assertEqual(data, recorded[event % events, number])

    def test_replay_of_what_is_no_recording(self):
        (self.dir / "text.h5").write_text("text")
        with h5py.File(self.dir / "other.h5", "w") as f:
            f["data"] = [1, 2, 3]
        for name, problem in (("text.h5", "is not an HDF5 file"), ("other.h5", "is not an event file"), ("none.h5", "No such file")):
            config = camera(events={"kind": "replay", "file": name})
            for board in config["boards"]:
                del board["events"]["images"]
            run = self.start(config).finish()
            self.assertEqual(run.status, 2, run.err)
            self.assertRegex(run.err, rf"run.yaml:\d+: boards.0.events.file: {name}: {problem}.*; fix: name a file")

    def test_lofar(self):
        run = self.run_softfeb(CONF / "lofar.yaml", "--duration", "1s")
        self.assert_held(run)
        self.assertEqual(run.result["receivers"][0]["windows"]["streams"], 40)
        self.assertEqual(run.result["receivers"][0]["windows"]["missing"], 0)


class Files(TestCase):
    def test_event_files(self):
        """Each of two builders writes a file with all of its events, the number of the run, and plausible
        times."""
        before = time.time()
        run = self.run_softfeb(camera(receivers={"out": "run.h5"}, number=77))
        self.assert_held(run)
        events = 0
        for b, r in enumerate(run.result["receivers"]):
            file = r["events"]["file"]
            self.assertEqual((file["path"], file["not_written"], file["error"]), (f"run-{b}.h5", 0, None))
            with h5py.File(self.dir / f"run-{b}.h5") as f:
                rows = f["events"][:]
                self.assertEqual((f.attrs["run"], len(rows)), (77, r["events"]["complete"]))
                self.assertEqual(f["waveforms"].shape, (len(rows), 6, 49, 64))
                self.assertEqual(f["data"].shape[0], file["data_bytes"])
                self.assertEqual({int(e) % 2 for e in rows["event"]}, {b})
                for seconds in rows["seconds"]:
                    self.assertTrue(before - 1 <= seconds - 37 <= time.time() + 1, (before, seconds))
                self.assertTrue((rows["latency_ns"] > 0).all())
                events += len(rows)
        self.assertEqual(events, run.result["triggers"][0]["accepted"])

    def test_file_that_exists(self):
        (self.dir / "run-1.h5").write_text("precious")
        run = self.start(camera(receivers={"out": "run.h5"})).finish()
        self.assertEqual(run.status, 2, run.err)
        self.assertRegex(run.err, r"run.yaml:\d+: receivers.0.events.out: run-1.h5 exists; fix: name a new file, or remove this one")
        self.assertEqual((self.dir / "run-1.h5").read_text(), "precious")
        self.assertFalse((self.dir / "run-0.h5").exists())

    def test_folder_that_does_not_exist(self):
        run = self.start(camera(receivers={"out": "no/run.h5"})).finish()
        self.assertEqual(run.status, 2, run.err)
        self.assertIn("cannot be created: No such file or directory; fix: name a file in a writable folder", run.err)

    def test_nearly_full_disk(self):
        """If the disk is full, further events are counted as lost, and the events already written stay
        readable."""
        if os.geteuid() != 0:
            self.skipTest("needs a file system of its own: root only")
        disk = self.dir / "disk"
        disk.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=68m", "softfeb-smoke", str(disk)], check=True)
        self.addCleanup(subprocess.run, ["umount", str(disk)])
        run = self.start(camera(builders=1, receivers={"out": "disk/run.h5"})).finish()
        self.assertEqual(run.status, 1, run.err)
        events = run.result["receivers"][0]["events"]
        self.assertEqual(events["complete"], run.result["triggers"][0]["accepted"])
        self.assertGreater(events["file"]["not_written"], 0)
        self.assertIn("the disk was nearly full", events["file"]["error"])
        self.assertEqual([c["name"] for c in run.result["checks"] if not c["held"]], ["event_file builder"])
        with h5py.File(disk / "run.h5") as f:
            self.assertEqual(len(f["events"]), events["file"]["written"])

    def test_killed_run(self):
        """Data that was flushed before the process was killed can be read."""
        softfeb = self.start(camera(builders=1, receivers={"out": "run.h5"}, time="60s"))
        time.sleep(6)
        softfeb.signal(signal.SIGKILL)
        softfeb.finish()
        with h5py.File(self.dir / "run.h5", "r", swmr=True) as f:
            self.assertGreater(len(f["events"]), 100)
            self.assertEqual(int(f["waveforms"][0].min() < 4096), 1)

    def test_virtual_time(self):
        """A lab in virtual time writes the same file in each run, and waits for the disk."""
        lab = camera(workers=1, boards=4, builders=1, receivers={"out": "run.h5"}, events={"images": 2})
        for key in ("ports", "eal", "workers"):
            del lab[key]
        for e in lab["boards"] + lab["receivers"]:
            del e["port"], e["worker"]
        lab["network"] = {"switches": [{"name": "tor", "buffer": "4MiB"}], "links": [{"ends": [e, "tor"], "rate": "10Gb/s"} for e in ("feb0", "builder")]}
        sums = set()
        for name in ("a.h5", "b.h5"):
            done = Softfeb(["lab", "--virtual", "-c", str(self.config(lab)), "--set", f"receivers.builder.events.out={name}",
                            "--json", "result.json"], self.dir, self.dir / "result.json").finish()
            self.assertEqual(done.status, 0, done.err)
            with h5py.File(self.dir / name) as f:
                self.assertEqual(len(f["events"]), done.result["triggers"][0]["accepted"])
                sums.add(f["data"][:].tobytes() + f["events"][:].tobytes())
        self.assertEqual(len(sums), 1)


if __name__ == "__main__":
    unittest.main()
