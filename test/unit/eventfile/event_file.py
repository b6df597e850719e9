# SPDX-License-Identifier: BSD-3-Clause
"""Reads event files with h5py, and checks types and contents of the tables: during writing, after SIGKILL, and on a full disk."""

import json
import os
import resource
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import h5py
import matplotlib.image
import numpy as np

PLOT_EVENTS = Path(__file__).resolve().parents[3] / "tools/plot-events"

BOARDS, CHANNELS, SAMPLES = 4, 49, 64
EVENT_COLUMNS = {"event": "u8", "seconds": "u4", "quarter_ns": "u4", "type": "u1", "status": "u1", "boards": "u2",
                 "latency_ns": "i8", "first_fragment": "u8", "fragments": "u4"}
FRAGMENT_COLUMNS = {"event": "u8", "board": "u2", "kind": "u1", "flags": "u2", "status": "u1", "offset": "u8",
                    "length": "u4", "missing_pieces": "u4"}
COMPLETE, TIMEOUT = 0, 1


def arguments(path, **values):
    return [os.environ["WRITE_EVENTS"], str(path), *(f"{key}={value}" for key, value in values.items())]


def unpack12(data):
    """Returns the samples [channel][sample] of a payload of kind waveform12."""
    b = data.reshape(CHANNELS, -1, 3).astype(np.uint16)
    pairs = np.stack([b[..., 0] | (b[..., 1] & 15) << 8, b[..., 1] >> 4 | b[..., 2] << 4], axis=-1)
    return pairs.reshape(CHANNELS, SAMPLES)


class EventFile(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "run.h5"

    def write(self, **values):
        """Runs the writer to its end, and returns its counts."""
        run = subprocess.run(arguments(self.path, **values), capture_output=True, text=True, timeout=60, check=True)
        return json.loads(run.stdout.splitlines()[-1])

    def start(self, **values):
        """Starts a writer, waits until it has created the file, and returns its process."""
        process = subprocess.Popen(arguments(self.path, **values), stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.readline(), "created\n")
        return process

    def wait_for(self, count):
        """Waits until a reader sees at least `count` events, and returns the events."""
        with h5py.File(self.path, "r", swmr=True) as f:
            for _ in range(200):
                f["events"].refresh()
                if len(f["events"]) >= count:
                    return self.check(f)
                time.sleep(0.05)
        self.fail(f"{count} events did not appear")

    def check(self, f):
        """Checks properties of every valid file. Returns /events."""
        events = f["events"][:]
        for name in ("fragments", "data", "waveforms"):
            f[name].refresh()
        self.assertGreaterEqual(len(f["waveforms"]), len(events))
        fragments, data = f["fragments"][:], f["data"][:]
        for i, event in enumerate(events):
            rows = fragments[int(event["first_fragment"]):][:int(event["fragments"])]
            self.assertEqual(len(rows), event["fragments"])
            self.assertTrue((rows["event"] == event["event"]).all())
            self.assertEqual(event["boards"], (rows["missing_pieces"] == 0).sum())
            waveforms = f["waveforms"][i]
            for row in rows[rows["status"] == 0]:
                payload = data[int(row["offset"]):][:int(row["length"])]
                np.testing.assert_array_equal(waveforms[row["board"]], unpack12(payload))
            absent = np.setdiff1d(np.arange(BOARDS), rows["board"][rows["status"] == 0])
            self.assertTrue((waveforms[absent] == 0xFFFF).all())
            self.assertEqual(len(absent) == 0, event["status"] == COMPLETE)
        return events

    def test_tables(self):
        counts = self.write(events=100)
        with h5py.File(self.path) as f:
            self.assertEqual(counts, {"closed": 100, "written": 100, "not_written": 0, "fragments": len(f["fragments"]),
                                      "data_bytes": len(f["data"]), "error": ""})
            self.assertEqual(dict(f.attrs), {"format": "softfeb-events", "version": 1, "run": 7,
                                             "configuration": "boards: 4\n"})
            for name, columns in (("events", EVENT_COLUMNS), ("fragments", FRAGMENT_COLUMNS)):
                dtype = f[name].dtype
                self.assertEqual({c: dtype[c].str.lstrip("<|") for c in dtype.names}, columns)
            self.assertEqual((f["data"].dtype.str, f["data"].chunks), ("|u1", (1 << 20,)))
            self.assertEqual((f["waveforms"].dtype.str, f["waveforms"].shape), ("<u2", (100, BOARDS, CHANNELS, SAMPLES)))
            events = self.check(f)
            self.assertEqual(events["event"].tolist(), list(range(100)))
            self.assertTrue((events["status"] == COMPLETE).all())
            self.assertEqual(set(events["type"].tolist()), {0, 32})
            self.assertEqual(events["seconds"].tolist(), [1_700_000_000] * 100)
            self.assertEqual(events["quarter_ns"].tolist(), [400_000 * e for e in range(100)])
            self.assertTrue(((events["latency_ns"] >= 2000) & (events["latency_ns"] < 6000)).all())
            self.assertEqual(f["fragments"]["board"].tolist(), list(range(BOARDS)) * 100)
            self.assertEqual(len(f["data"]), 100 * BOARDS * CHANNELS * SAMPLES * 3 // 2)
            pixels = f["waveforms"][f["events"]["status"] == 0].reshape(-1, BOARDS * CHANNELS, SAMPLES)
            self.assertAlmostEqual(float(pixels.mean()), 400, delta=30)

    def test_missing_fragments(self):
        counts = self.write(events=60, lose=4, cut=5, piece=1000)
        self.assertEqual(counts["written"], 60)
        with h5py.File(self.path) as f:
            events = self.check(f)
            np.testing.assert_array_equal(np.sort(events["event"]), np.arange(60))
            broken = ((events["event"] + 1) % 4 == 0) | ((events["event"] + 1) % 5 == 0)
            np.testing.assert_array_equal(events["status"], np.where(broken, TIMEOUT, COMPLETE))
            np.testing.assert_array_equal(events["latency_ns"] == -1, broken)
            fragments = f["fragments"][:]
            cut = fragments[fragments["status"] == 1]
            self.assertEqual(len(cut), 60 // 5 - 60 // 20)
            for row in cut:
                self.assertEqual((row["missing_pieces"], row["length"]), (1, 4704))
                data = f["data"][int(row["offset"]):][:4704]
                self.assertFalse(data[:1000].any())
                self.assertTrue(data[1000:].any())

    def test_suppressed_samples(self):
        self.write(events=10, kind=3)
        with h5py.File(self.path) as f:
            waveforms = f["waveforms"][:]
            self.assertTrue((waveforms == 0xFFFF).any())
            self.assertTrue((waveforms[waveforms != 0xFFFF] < 4096).all())

    def test_read_while_written_and_after_sigkill(self):
        # The writer is so slow that the checks keep up with it even on a busy machine.
        process = self.start(events=100_000, pause_us=5000, flush_ms=100)
        first = len(self.wait_for(50))
        second = len(self.wait_for(first + 50))
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGKILL)
        self.assertEqual(process.wait(), -signal.SIGKILL)
        events = self.wait_for(second)
        self.assertEqual(events["event"].tolist(), list(range(len(events))))
        with h5py.File(self.path, "r", swmr=True) as f:
            self.assertEqual(f.attrs["run"], 7)

    def test_example(self):
        """tools/plot-events draws the pictures, even while the file is written, and reports if there is nothing to draw."""
        self.start(boards=9, channels=9, events=100_000, pause_us=2000, flush_ms=50, lose=10)
        out = self.path.parent / "plots"
        for _ in range(50):
            run = subprocess.run([PLOT_EVENTS, self.path, "--out", out], capture_output=True, text=True, timeout=60, check=False)
            if "no events yet" not in run.stderr:
                break
            self.assertEqual(run.returncode, 1)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("complete", run.stdout)
        for name in ("camera.png", "latency.png"):
            picture = matplotlib.image.imread(out / name)
            self.assertGreater(len(np.unique(picture.reshape(-1, picture.shape[-1]), axis=0)), 20, name)

    def test_existing_file_stays(self):
        self.path.write_text("precious")
        run = subprocess.run(arguments(self.path), capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((run.returncode, self.path.read_text()), (2, "precious"))
        self.assertIn("exists; fix: name a new file", run.stderr)

    def test_unwritable_folders(self):
        for path in (self.path.parent / "none" / "run.h5", "/dev/null/run.h5", "/proc/run.h5"):
            run = subprocess.run(arguments(path), capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(run.returncode, 2, run)
            self.assertIn(str(path), run.stderr)

    def test_small_queue_drops_whole_events(self):
        counts = self.write(events=1000, queue=65536)
        self.assertEqual(counts["closed"], 1000)
        self.assertEqual(counts["written"] + counts["not_written"], 1000)
        self.assertGreater(counts["not_written"], 0)
        with h5py.File(self.path) as f:
            events = self.check(f)
            self.assertEqual(len(events), counts["written"])
            self.assertTrue((np.diff(events["event"].astype(np.int64)) > 0).all())

    def test_nearly_full_disk(self):
        counts = self.write(events=100, keep_free=1 << 62)
        self.assertEqual((counts["written"], counts["not_written"]), (0, 100))
        self.assertIn("fix: make room", counts["error"])
        with h5py.File(self.path) as f:
            self.assertEqual(len(self.check(f)), 0)

    def test_disk_that_refuses(self):
        """A limit on the size of files makes writes fail. The check of the free space does not detect this limit."""
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (8_000_000, 8_000_000))

        run = subprocess.run(arguments(self.path, events=1000, pause_us=300, flush_ms=30), capture_output=True, text=True,
                             timeout=60, check=True, preexec_fn=limit)
        counts = json.loads(run.stdout.splitlines()[-1])
        self.assertIn("File too large", counts["error"])
        with h5py.File(self.path, "r", swmr=True) as f:
            events = self.check(f)
            self.assertGreater(len(events), 10)
            self.assertEqual((len(events), counts["not_written"]), (counts["written"], 1000 - counts["written"]))
            self.assertEqual(events["event"].tolist(), list(range(len(events))))
            self.assertEqual((counts["fragments"], counts["data_bytes"]), (len(f["fragments"]), len(f["data"])))


if __name__ == "__main__":
    unittest.main(verbosity=2)
