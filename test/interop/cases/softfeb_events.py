# SPDX-License-Identifier: BSD-3-Clause
"""Boards of softfeb send events to rdma-sink --events. The event files must contain what the boards generate."""

import h5py
import numpy

from softfeb import run
from softroce import PERFTEST_PORT, ROOT, SINK_PORT, case

CONF = ROOT / "conf" / "softroce-events.yaml"
BOARDS, SLOTS, SLOT, PIECE = 4, 64, 16384, 8192
HEADER = 64
CHANNELS, SAMPLES = 49, 128


def options(out, builder=0, builders=1, **more):
    """Returns rdma-sink's options for building events of CONF's boards. The event timeout is longer than a preemption of the guest."""
    values = {"boards": BOARDS, "slots": SLOTS, "slot": SLOT, "piece": PIECE, "builders": builders, "builder": builder,
              "window": SLOTS, "timeout": 2_000_000, "out": out, **more}
    return ["--events", *(word for key, value in values.items() if value is not None for word in (f"--event-{key.replace('_', '-')}", str(value)))]


def fresh(lab, name):
    """Returns a path in the guest at which no event file exists yet."""
    lab.run(["rm", "-f", f"/tmp/{name}"])
    return f"/tmp/{name}"


def fetched(lab, name):
    lab.guest.pull(f"/tmp/{name}", lab.dir / name)
    return h5py.File(lab.dir / name)


def splitmix64(seed):
    """Returns the first number that the generator SplitMix64 produces for this seed."""
    mask = (1 << 64) - 1
    z = (seed + 0x9E3779B97F4A7C15) & mask
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & mask
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & mask
    return z ^ (z >> 31)


def counter_size(seed, event, board, smallest, largest):
    """Returns the size of a board's payload for one event with `kind: counter` and `shape: uniform` (doc/detector.md, Payloads)."""
    mask = (1 << 64) - 1
    bits = splitmix64((splitmix64((splitmix64(seed) + event) & mask) + board) & mask)
    return smallest + (bits * (largest - smallest + 1) >> 64)


def counter(event, board, size):
    return ((event + board + numpy.arange(size)) % 256).astype(numpy.uint8)


def generated(lab):
    """Returns {event number: waveforms that the boards generate}. They come from a run with a receiver of softfeb instead of rdma-sink."""
    receiver = {"name": "builder", "port": "far", "ip": "10.77.0.2/24", "mac": "52:54:00:77:00:02",
                "events": {"out": str(lab.dir / "generated.h5"), "timeout": "1s"}}
    ports = [{"name": name, "device": "net_ring:a", "mtu": 9000} for name in ("tap", "far")]
    done = run(lab, None, {"ports": ports, "receivers": [receiver], "boards.0.events.to": "builder", "port.device": "net_ring:a"},
               conf=CONF, name="generated")
    assert done.code == 0, done.text
    with h5py.File(lab.dir / "generated.h5") as f:
        return dict(zip(f["events"]["event"].tolist(), f["waveforms"][:len(f["events"])]))


@case("tap", "vhostsrv")
def camera_events_are_built(lab):
    """Four boards send waveforms in two pieces. All events are complete, and the event file contains the boards' waveforms."""
    out = fresh(lab, "camera.h5")
    with lab.sink(*options(out, channels=CHANNELS, samples=SAMPLES)) as sink:
        done = run(lab, None, {"boards.0.events.to": sink.url}, conf=CONF)
        assert done.code == 0, done.text
    triggers = done.json["triggers"][0]["accepted"]
    got = sink.report["events"]
    print(f"#   {triggers} events of {BOARDS} boards")
    assert triggers > 200, done.json["triggers"]
    assert sink.report["held"] and done.json["peers"][0]["report"] == sink.report, sink.report
    assert (got["complete"], got["opened"], got["never_seen"]["count"], got["loss"]) == (triggers, triggers, 0, 0), got
    assert got["headers"]["ok"] == got["fragments"]["accepted"] == 2 * BOARDS * triggers, got
    assert got["contradictions"] == {"event": 0, "board": 0, "offset": 0}, got
    assert (got["file"]["written"], got["file"]["not_written"], got["file"]["error"]) == (triggers, 0, None), got
    assert {c["name"]: c["held"] for c in done.json["checks"]}[f"receiver {sink.url}"], done.json["checks"]
    payload = CHANNELS * SAMPLES * 3 // 2
    assert got["payload_bytes"] == BOARDS * triggers * payload, got
    assert [q["payload_bytes"] for q in sink.report["qps"]] == [triggers * (payload + 2 * HEADER)] * BOARDS, sink.report["qps"]
    expected = generated(lab)
    with fetched(lab, "camera.h5") as f:
        assert sorted(f["events"]["event"]) == list(range(triggers))
        assert set(f["events"]["status"]) == {0} and set(f["events"]["boards"]) == {BOARDS}
        compared = 0
        for number, waveforms in zip(f["events"]["event"], f["waveforms"]):
            if number in expected:
                assert (waveforms == expected[number]).all(), number
                compared += 1
    print(f"#   {compared} events compared with those of a run without rdma-sink")
    assert compared > 200, compared


@case("tap")
def two_sinks_share_events(lab):
    """Event e goes to sink e mod 2. The fragments in both files have the sizes and contents that the documentation specifies."""
    smallest, largest, seed = 0, 12_000, 5
    outs = [fresh(lab, f"half-{k}.h5") for k in range(2)]
    with lab.sink(*options(outs[0], 0, 2)) as first, lab.sink(*options(outs[1], 1, 2), port=PERFTEST_PORT) as second:
        size = {"min": smallest, "max": largest, "shape": "uniform", "seed": seed}
        events = {"trigger": "camera", "to": [first.url, second.url], "kind": "counter", "size": size, "slots": SLOTS,
                  "slot": f"{SLOT}B", "piece": f"{PIECE}B", "timeout": 15, "retry_count": 7}
        done = run(lab, None, {"boards.0.events": events}, conf=CONF)
        assert done.code == 0, done.text
    triggers = done.json["triggers"][0]["accepted"]
    assert triggers > 200, done.json["triggers"]
    for k, sink in enumerate((first, second)):
        own = list(range(k, triggers, 2))
        got = sink.report["events"]
        assert sink.report["held"], sink.report
        assert (got["complete"], got["opened"], got["never_seen"]["count"]) == (len(own), len(own), 0), got
        with fetched(lab, f"half-{k}.h5") as f:
            assert sorted(f["events"]["event"]) == own
            data = f["data"][:]
            assert len(f["fragments"]) == BOARDS * len(own)
            for row in f["fragments"]:
                expected = counter_size(seed, int(row["event"]), int(row["board"]), smallest, largest)
                assert (row["status"], row["length"]) == (0, expected), row
                begin = int(row["offset"])
                assert (data[begin:begin + expected] == counter(int(row["event"]), int(row["board"]), expected)).all(), row


@case("tap")
def other_event_layouts_are_refused(lab):
    """An rdma-sink with a different layout, or without --events, refuses the boards. softfeb then exits with 2 and prints key and fix."""
    for sink_options, words in ((options(None, slots=32, window=32), ("slots is 64, but --event-slots is 32", "--event-slots 64")),
                                (options(None, boards=3), ("boards is 4, but --event-boards is 3", "--event-boards 4")),
                                (options(None, 1, 2), ("builders is 1, but --event-builders is 2", "builder is 0")),
                                ([], ("the client sends events", "rdma-sink --events --event-boards 4"))):
        with lab.sink(*sink_options) as sink:
            done = run(lab, None, {"boards.0.events.to": sink.url}, conf=CONF)
            sink.stop()
        assert done.code == 2 and done.json is None, (done.code, done.text)
        for word in ("boards.0.events.to: ", sink.url, "; fix: ", *words):
            assert word in done.text, (word, done.text)


@case("tap")
def incomplete_events_fail_the_run(lab):
    """Losses on UC make events incomplete. The run fails if the share of incomplete events exceeds the loss limit of rdma-sink."""
    lossy = {"boards.0.events.transport": "UC", "ports.0.faults": {"tx_drop": "5%"}, "run.duration": "1s"}
    for limit, code in ((0, 1), (99, 0)):
        with lab.sink(*options(None, loss_limit=limit), expect_exit=code) as sink:
            done = run(lab, None, {"boards.0.events.to": sink.url, **lossy}, conf=CONF)
            assert done.code == code, done.text
        got = sink.report["events"]
        triggers = done.json["triggers"][0]["accepted"]
        assert 0 < got["complete"] < triggers == got["opened"] + got["never_seen"]["count"], got
        assert ("events are not complete" in done.text) == bool(code), done.text
        # With UC, only rdma-sink knows how many bytes arrived, so the goodput comes from its report.
        assert len(done.qps) == BOARDS and all(qp["goodput_gbps"] > 0 for qp in done.qps), done.qps
