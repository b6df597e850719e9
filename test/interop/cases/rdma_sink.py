# SPDX-License-Identifier: BSD-3-Clause
"""The requester of these tests sends to rdma-sink in the guest. The report of rdma-sink must match what was sent."""

import hashlib
import random
import struct
import time
import zlib

from requester import ECT0, CE, CNP, Qp, Wire
from softroce import HOST_IP, case


def hello(qps, **more):
    line = {"version": 1, "ip": HOST_IP, "transport": "rc", "pmtu": 4096, "message_size": 5000,
            "qps": [{"qpn": q, "psn": p} for q, p in qps]}
    return {**line, **more}


def wire(lab):
    return Wire(lab.guest.options.ifname, lab.host_mac, lab.host_ip, lab.guest_mac, lab.guest_ip)


def counter(begin, length):
    return bytes((begin + i) & 0xFF for i in range(length))


def end(messages, **more):
    return {"end": {"complete": True, "messages": messages, "seconds": 1.0, **more}}


@case("tap")
def writes_are_checked(lab):
    """RC WRITEs of an odd length, with a PSN wrap and reused slots: all bytes and the SHA-256 of the memory are correct."""
    size, count, slots = 5001, 12, 8
    with lab.sink("--memory", "64KiB") as sink, wire(lab) as w, sink.connect() as tcp:
        remote = tcp.ask(hello([(0x100, 0xFFFFFA)], message_size=size, messages=count, slots=slots,
                               payload={"kind": "counter"}))
        assert remote["ip"] == lab.guest_ip and remote["mac"] == lab.guest_mac, remote
        qp = Qp(w, 0x100, 0xFFFFFA, remote["qps"][0])
        memory = bytearray(size * slots)
        for n in range(count):
            data = counter(n * size, size)
            memory[n % slots * size:(n % slots + 1) * size] = data
            assert qp.write(data, n % slots * size).syndrome == 0x1F
        report = tcp.ask(end(count))
    assert report == sink.report and report["held"], report
    assert (report["messages"], report["payload_bytes"]) == (count, count * size), report
    assert report["bytes_checked"] == slots * size, report
    assert report["qps"][0]["sha256"] == hashlib.sha256(memory).hexdigest(), report


@case("tap")
def immediates_in_order(lab):
    """RC WRITEs with immediate: each message is checked on arrival and written to a file."""
    size, count = 1500, 200
    data = random.Random(1).randbytes(size * count - 700)
    (lab.dir / "sent").write_bytes(data)
    lab.guest.push(lab.dir / "sent", "/tmp/sent")
    options = ("--memory", "64KiB", "--expect", "/tmp/sent", "--out", "/tmp/got", "--poll")
    with lab.sink(*options) as sink, wire(lab) as w, sink.connect() as tcp:
        remote = tcp.ask(hello([(0x200, 7)], message_size=size, pmtu=1024, immediate={"kind": "counter", "first": 5},
                               payload={"kind": "file", "size": len(data)}))
        qp = Qp(w, 0x200, 7, remote["qps"][0], pmtu=1024)
        for n in range(count):
            qp.write(data[n * size:(n + 1) * size], n % remote["slots"] * size, 5 + n)
        report = tcp.ask(end(count))
    assert report["held"] and report["checked"] == "each message", report
    assert report["messages"] == count and report["bytes_checked"] == len(data), report
    assert report["qps"][0]["immediates"] == {"received": count, "wrong": 0, "in_order": True, "first_wrong": None}, report
    assert report["goodput_gbps"] > 0 and report["timed_by"] == "receiver", report
    assert lab.run("sha256sum </tmp/got").out.split()[0] == hashlib.sha256(data).hexdigest()


@case("tap")
def faults_are_told(lab):
    """A wrong byte and a wrong immediate are counted, their places are reported, and the exit code is 1."""
    with lab.sink(expect_exit=1) as sink, wire(lab) as w, sink.connect() as tcp:
        remote = tcp.ask(hello([(0x300, 0)], message_size=100, messages=3, payload={"kind": "counter", "origin": 9},
                               immediate={"kind": "channel"}))
        qp = Qp(w, 0x300, 0, remote["qps"][0])
        for n in range(3):
            data = bytearray(counter(9 + n * 100, 100))
            if n == 1:
                data[42] ^= 0x10
            qp.write(bytes(data), n * 100, 1 if n < 2 else 77)
        report = tcp.ask(end(3))
    assert not report["held"] and report["bytes_wrong"] == 1, report
    mismatch = report["qps"][0]["mismatches"][0]
    assert (mismatch["message"], mismatch["offset"]) == (1, 42), report
    assert report["qps"][0]["immediates"]["first_wrong"] == {"message": 2, "got": 77, "want": 1}, report
    assert len(report["problems"]) == 2, report


@case("tap")
def uc_says_what_is_missing(lab):
    """UC over several QPs: lost messages are listed by number, with and without immediates."""
    for immediate in ({"kind": "counter"}, False):
        with lab.sink("--region-per-qp", expect_exit=1) as sink, wire(lab) as w, sink.connect() as tcp:
            qps = [(0x400 + i, 100 * i) for i in range(4)]
            remote = tcp.ask(hello(qps, transport="uc", message_size=6000, messages=10, immediate=immediate,
                                   payload={"kind": "prbs31"}))
            assert len({q["rkey"] for q in remote["qps"]}) == 4, remote
            data = prbs31(60000)
            for i, (qpn, psn) in enumerate(qps):
                qp = Qp(w, qpn, psn, remote["qps"][i], uc=True)
                for n in range(10):
                    qp.write(data[n * 6000:(n + 1) * 6000], n * 6000, n if immediate else None,
                             skip=i == 2 and n in (3, 4, 9))
            lab.run(["sleep", "0.3"])  # without ACKs, wait until the guest has received the last message
            report = tcp.ask(end(40))
        assert (report["missing"], report["messages"], report["bytes_wrong"]) == (3, 37, 0), report
        lossy = report["qps"][2]
        if immediate:
            assert lossy["missing_ranges"] == [[3, 4], [9, 9]], report
        else:
            assert lossy["missing_slots"] == [3, 4, 9], report


def prbs31(length):
    """Returns the sequence of x^31 + x^28 + 1 that starts from all ones. The first bit is the least significant bit of the first byte."""
    bits = [1] * 31
    for n in range(31, 31 + 8 * length):
        bits.append(bits[n - 28] ^ bits[n - 31])
    return bytes(sum(bits[31 + 8 * k + j] << j for j in range(8)) for k in range(length))


def event_message(event, board, offset, data, total):
    """Returns a piece with its header (doc/detector.md) and a payload of kind counter."""
    h = struct.pack("<4sBBHIHBBQIIIIIHHIII", b"SFEB", 1, 16, 0, 1, board, 32, 0, event, 1_700_000_000, 0, len(data), offset, total,
                    0, 0, 0, 0, zlib.crc32(data))
    return h + struct.pack("<I", zlib.crc32(h)) + data


@case("tap")
def events_are_built(lab):
    """Two boards send events in two pieces, with a missing fragment, a wrong CRC and a wrong board. Also checks the event file."""
    slots, slot, piece, total, events = 8, 4096, 1000, 1500, 20
    options = ("--events", "--event-boards", 2, "--event-slots", slots, "--event-slot", slot, "--event-piece", piece,
               "--event-window", slots, "--event-timeout", 500_000, "--event-out", "/tmp/run.h5")
    lab.run(["rm", "-f", "/tmp/run.h5"])
    with lab.sink(*map(str, options), expect_exit=1) as sink, wire(lab) as w, sink.connect() as tcp:
        remote = tcp.ask(hello([(0x700 + b, 0) for b in range(2)], message_size=slot, immediate=True))
        assert remote["events"] == {"boards": 2, "slots": slots, "slot": slot, "piece": piece, "builders": 1, "builder": 0}, remote
        qps = [Qp(w, 0x700 + b, 0, remote["qps"][b]) for b in range(2)]
        assert remote["qps"][0]["address"] == remote["qps"][1]["address"], remote
        for event in range(events):
            for board in range(2):
                data = counter(event + board, total)
                for at in range(0, total, piece):
                    message = bytearray(event_message(event, board if event != 5 else 0, at, data[at:at + piece], total))
                    if (event, board, at) == (7, 0, 1000):
                        message[-1] ^= 1
                    if (event, board) != (3, 1):
                        qps[board].write(bytes(message), (event % slots * 2 + board) * slot + at // piece * (piece + 64), event)
        report = tcp.ask(end(4 * events - 2, events=events))
    got = report["events"]
    assert (got["complete"], got["opened"], got["never_seen"]["count"]) == (events - 3, events, 0), report
    assert got["headers"]["ok"] == 4 * events - 3 and got["headers"]["payload_crc"] == 1, report
    assert got["contradictions"] == {"event": 0, "board": 2, "offset": 0}, report
    missing = {e["event"]: e["missing"] for e in got["incomplete"]}
    assert missing == {3: [[1, None]], 5: [[1, None]], 7: [[0, [[1, 1]]]]}, report
    assert (got["file"]["written"], got["file"]["not_written"], got["file"]["error"]) == (events, 0, None), report
    assert not report["held"] and "15 %" in report["problems"][0], report
    assert lab.run("head -c 8 /tmp/run.h5 | od -An -tx1").out.split() == "89 48 44 46 0d 0a 1a 0a".split()


@case("tap")
def receives_withheld(lab):
    """Without receives, a WRITE with immediate gets an RNR NAK. The WRITE is accepted after post_receives on another connection."""
    with lab.sink("--recvs", "0", "--no-replenish", "--min-rnr-timer", "5") as sink, wire(lab) as w, \
            sink.connect() as tcp:
        remote = tcp.ask(hello([(0x500, 0)], message_size=64, immediate=True, messages=3))
        qp = Qp(w, 0x500, 0, remote["qps"][0])
        w.send(qp.packets(b"x" * 64, 0, 1)[0])
        assert w.receive(1, 0x500).syndrome == 0x20 | 5
        assert sink.command(post_receives=2) == {"posted": 2}
        qp.psn = 0
        qp.write(b"x" * 64, 0, 1)
        qp.write(b"y" * 64, 64, 2)
        state = sink.command(status=True)["qps"][0]
        assert (state["immediates"], state["receives_posted"]) == (2, 0), state
        w.send(qp.packets(b"z" * 64, 128, 3)[0])
        assert w.receive(1, 0x500).syndrome == 0x20 | 5
        assert tcp.ask({"post_receives": 1, "qp": 0}) == {"posted": 1}
        qp.psn = 2
        qp.write(b"z" * 64, 128, 3)
        assert "room for" in sink.command(post_receives=1 << 30)["error"]
        report = tcp.ask(end(3))
    assert report["held"] and report["messages"] == 3, report


@case("tap")
def receives_are_shared(lab):
    """Three QPs share a receive queue of four. Also checks CPU time and hardware counters."""
    with lab.sink("--srq", "4", "--poll") as sink, wire(lab) as w, sink.connect() as tcp:
        remote = tcp.ask(hello([(0x800 + i, 0) for i in range(3)], message_size=64, immediate=True, messages=10))
        assert remote["receives"] == 4, remote
        assert "--srq" in sink.command(post_receives=1, qp=0)["error"]
        qps = [Qp(w, 0x800 + i, 0, remote["qps"][i]) for i in range(3)]
        for n in range(10):
            for qp in qps:
                qp.write(b"x" * 64, 64 * n, n)
        time.sleep(0.05)
        assert {q["receives_posted"] for q in sink.command(status=True)["qps"]} == {4}
        report = tcp.ask(end(30))
    assert report["held"] and report["messages"] == 30, report
    assert report["cpu"][0]["thread"] == "rdma-sink" and report["cpu"][0]["samples"] > 0, report
    assert report["cpu"][0]["busy"]["max"] > 0 and report["cpu"][0]["cpu_s"] > 0, report
    # Soft-RoCE counts the packets that it has received.
    assert report["hw_counters"]["rcvd_pkts"] >= 30, report


@case("tap")
def only_solicited_messages_wake(lab):
    """If a message without a solicited event consumes a receive, the receive is not posted again until something else wakes rdma-sink."""
    with lab.sink("--solicited", "--recvs", "1") as sink, wire(lab) as w, sink.connect() as tcp:
        remote = tcp.ask(hello([(0x900, 0)], message_size=64, immediate=True, messages=3))
        qp = Qp(w, 0x900, 0, remote["qps"][0])
        qp.write(b"x" * 64, 0, 0)
        w.send(qp.packets(b"x" * 64, 64, 1)[0])
        assert w.receive(1, 0x900).syndrome >> 5 == 1
        sink.command(status=True)  # wakes rdma-sink
        qp.psn = 1
        qp.write(b"x" * 64, 64, 1, solicited=True)
        qp.write(b"x" * 64, 128, 2)
        report = tcp.ask(end(3))
    assert report["held"] and report["messages"] == 3, report


@case("tap")
def more_receives_than_the_device_has(lab):
    """A shared receive queue that is too large is refused at the start, and the error states the largest size."""
    refused = lab.run("/usr/bin/rdma-sink --once --srq 1048576", check=False)
    assert refused.code == 3 and "fix: --srq" in refused.err, refused


@case("tap")
def refused_by_the_device(lab):
    """A wrong rkey is NAKed, and the report says that the QP ended in ERR."""
    with lab.sink(expect_exit=1) as sink, wire(lab) as w, sink.connect() as tcp:
        remote = tcp.ask(hello([(0x600, 0)]))
        qp = Qp(w, 0x600, 0, remote["qps"][0])
        assert qp.write(b"x" * 64, 0, rkey=remote["qps"][0]["rkey"] ^ 0x55).syndrome == 0x62
        report = tcp.ask(end(0))
    assert report["qps"][0]["state"] == "ERR" and any("ERR" in p for p in report["problems"]), report


@case("tap")
def refusals_name_the_fix(lab):
    """Wrong requests are refused with an error that states the fix, and the next client is served."""
    wrong = [({"version": 2}, "same release"), ({"pmtu": 1000}, "256, 512"), ({"transport": "ud"}, "rc"),
             ({"message_size": 1 << 27}, "--memory"), ({"ip": "10.77.0.99"}, "ip neigh replace 10.77.0.99"),
             ({"ip": "nobody"}, "'ip'"), ({"qps": []}, "'qps'"),
             ({"payload": {"kind": "noise"}}, "prbs31"), ({"immediate": {"kind": "value"}}, "'value'")]
    with lab.sink(expect_exit=1) as sink:
        for change, words in wrong:
            with sink.connect() as tcp:
                answer = tcp.ask({**hello([(1, 0)]), **change})
            assert words in answer.get("error", ""), (change, answer)
        with sink.connect() as tcp, sink.connect() as other:
            assert "qps" in tcp.ask(hello([(1, 0)]))
            assert "busy" in other.ask(hello([(1, 0)]))["error"]
            assert "session" in other.ask(end(0))["error"]
            other.stream.write("no json\n")
            assert "JSON" in other.ask({})["error"]
        # The first session ended without 'end', but counts as the one session that --once serves.
    assert any("disconnected" in p for p in sink.report["problems"]), sink.report
    assert lab.run("rdma resource show qp | grep -c rdma-sink; true").out.strip() == "0"


@case("tap")
def marks_are_notified(lab):
    """cnpd answers CE marks with CNPs to the sender's QP. Unmarked packets cause no CNPs."""
    with lab.sink() as sink, wire(lab) as w, sink.connect() as tcp:
        remote = tcp.ask(hello([(0x700, 0)], message_size=64, messages=4))["qps"][0]
        with lab.guest.popen(["cnpd", "--interval", "1000", f"{remote['qpn']}=0x700"]) as cnpd:
            cnpd.wait_for_output("ready", kind="err")
            qp = Qp(w, 0x700, 0, remote)
            kinds = []
            for n, ecn in enumerate((ECT0, CE, ECT0, CE)):
                w.send(qp.packets(b"x" * 64, 64 * n)[0], ecn)
                while (answer := w.receive(0.3, 0x700)) is not None:
                    assert answer.icrc_right, answer
                    kinds.append(answer.opcode)
            assert kinds.count(CNP) == 2 and kinds.count(0x11) == 4, kinds
        assert tcp.ask(end(4))["held"]


@case("vhost", "vhostsrv")
def link_down_is_told(lab):
    """Without a vhost-user back end, the port is down, and the client gets an error that states the fix."""
    with lab.sink() as sink, sink.connect() as tcp:
        assert "fix: bring" in tcp.ask(hello([(1, 0)]))["error"]
        sink.stop()
