# SPDX-License-Identifier: BSD-3-Clause
"""Conformance sessions of rdma-sink in the guest (doc/rdma-sink.md). The requester of these tests sends packets to queue pairs and regions
with the requested attributes. The answers of the guest and of rdma-sink must match."""

import json
import struct
import time
import zlib
from contextlib import contextmanager

from requester import ATOMIC_ACKNOWLEDGE, FETCH_ADD, ONLY, ONLY_IMM, READ, READ_ONLY_RESPONSE, SEND_ONLY, Qp, Wire
from softroce import HOST_IP, case

SILENCE = 0.4  # seconds without an answer, after which none is expected any more
OTHER_IP = "10.77.0.101"
HELLO = {"version": 1, "conformance": True, "ip": HOST_IP}
ACK, NAK_INVALID, NAK_ACCESS = 0x1F, 0x61, 0x62


class Session:
    """A conformance session, with a Wire to the guest."""

    def __init__(self, lab, tcp):
        self.lab, self.tcp = lab, tcp
        self.device = self.ask(**HELLO)
        self.wire = self.wire_of(HOST_IP)
        self.next = 0x100

    def wire_of(self, ip):
        return Wire(self.lab.guest.options.ifname, self.lab.host_mac, ip, self.lab.guest_mac, self.lab.guest_ip)

    def ask(self, **line):
        """Returns the answer to a request, which must not be refused."""
        answer = self.tcp.ask(line)
        assert "error" not in answer, (line, answer)
        return answer

    def refusal(self, **line):
        return self.tcp.ask(line).get("error", "")

    def region(self, **attributes):
        return self.ask(regions=[attributes])["regions"][0]

    def open(self, region=None, psn=7, wire=None, **attributes):
        """Opens a queue pair, and returns the requester's side, which writes to `region`."""
        self.next += 1
        line = {"transport": "rc", "pmtu": 1024, "psn": psn, "dest_qpn": self.next, "ip": HOST_IP, **attributes}
        answer = self.ask(open=line)
        remote = {"qpn": answer["qpn"], **({"address": region["address"], "rkey": region["rkey"]} if region else {})}
        return Qp(wire or self.wire, self.next, psn, remote, pmtu=line["pmtu"], uc=line["transport"] == "uc")

    def exchange(self, qp, packet, timeout=2.0):
        """Sends a packet, and returns the first answer, or None."""
        qp.wire.send(packet)
        return qp.wire.receive(timeout, qp.qpn)

    def read(self, offset, length, region=0):
        return bytes.fromhex(self.ask(read={"region": region, "offset": offset, "length": length})["data"])

    def state(self, qp):
        return self.ask(state={"qpn": qp.remote["qpn"]})["state"]

    def completions(self, count):
        """Returns the completions, as soon as there are `count` of them, or after two seconds."""
        got, end = [], time.monotonic() + 2
        while len(got) < count and time.monotonic() < end:
            got += self.ask(completions=True)["completions"]
        return got

    def event(self, timeout):
        """Waits for an event. Returns true if an event came."""
        end = time.monotonic() + timeout
        while not (came := self.ask(event=True)["event"]) and time.monotonic() < end:
            time.sleep(0.01)
        return came


@contextmanager
def session(lab, *options):
    with lab.sink("--memory", "4MiB", *options) as sink, sink.connect() as tcp:
        s = Session(lab, tcp)
        with s.wire:
            yield s


def write(qp, data, offset=0, opcode=ONLY, immediate=b"", length=None, rkey=None, solicited=False):
    """Returns the only packet of a WRITE."""
    reth = struct.pack("!QII", qp.remote["address"] + offset, qp.remote["rkey"] if rkey is None else rkey,
                       len(data) if length is None else length)
    return qp.packet(opcode, reth + immediate, data, solicited=solicited)


@case("tap")
def conformance_session_writes(lab):
    """The device is described, WRITEs of RC and UC with several path MTUs are acknowledged, and memory and guards are read."""
    with session(lab) as s:
        d = s.device
        assert (d["ip"], d["mac"], d["driver"]) == (lab.guest_ip, lab.guest_mac, "rdma_rxe"), d
        assert d["active_mtu"] == 4096 and d["max_msg_sz"] >= 1 << 20 and d["atomics"] is True, d
        assert d["device"] == "rxe0" and d["kernel"] == lab.run("uname -r").out.strip() and d["guard"] == 4096, d
        assert d["limits"]["memory"] == 4 << 20, d
        region = s.region(size=65536)
        for pmtu in (256, 512, 1024, 2048, 4096):
            s.ask(fill={"byte": 0x11, "region": region["region"]})
            qp = s.open(region, psn=0xFFFFFF, pmtu=pmtu)
            data = bytes(i * 7 & 0xFF for i in range(2 * pmtu + 1))
            answer = qp.write(data, 64)
            assert (answer.syndrome, answer.msn, answer.psn) == (ACK, 1, 1), (pmtu, answer)
            assert s.read(63, len(data) + 2) == b"\x11" + data + b"\x11"
            crc = s.ask(crc={"offset": 64, "length": len(data)})["crc"]
            assert crc == zlib.crc32(data), (crc, pmtu)
            assert s.state(qp) == "RTS"
            assert s.ask(close={"qpn": qp.remote["qpn"]}) == {"closed": qp.remote["qpn"]}
        assert s.read(-4096, 4096) == s.read(65536, 4096) == b"\xEE" * 4096
        s.ask(fill={"byte": 0, "region": 0, "offset": -2, "length": 4})
        assert s.read(-3, 6) == b"\xEE\0\0\0\0\x11"
        qp = s.open(region, transport="uc")
        assert s.exchange(qp, write(qp, b"on UC123"), SILENCE) is None
        assert s.read(0, 8) == b"on UC123"


@case("tap")
def conformance_session_second_address(lab):
    """Queue pairs can belong to different addresses of the requester."""
    lab.run(f"ip neigh replace {OTHER_IP} lladdr {lab.host_mac} dev eth0 nud permanent")
    with session(lab) as s, s.wire_of(OTHER_IP) as other:
        region = s.region()
        qps = [s.open(region), s.open(region, ip=OTHER_IP, wire=other)]
        for i, qp in enumerate(qps):
            assert s.exchange(qp, write(qp, bytes([i] * 8), 8 * i)).syndrome == ACK
        # A packet from the second address must not reach the first queue pair.
        qps[0].wire = other
        assert s.exchange(qps[0], write(qps[0], bytes([9] * 8)), SILENCE) is None
        assert s.read(0, 16) == bytes(8) + bytes([1] * 8)


@case("tap")
def conformance_session_states(lab):
    """A queue pair answers in RTR and RTS, but not in INIT and ERR, and not after it was closed."""
    with session(lab) as s:
        region = s.region()
        qp = s.open(region, state="init")
        packet = write(qp, b"12345678")
        assert s.exchange(qp, packet, SILENCE) is None and s.state(qp) == "INIT"
        assert s.ask(modify={"qpn": qp.remote["qpn"], "state": "rtr"}) == {"state": "RTR"}
        assert s.exchange(qp, packet).syndrome == ACK and s.state(qp) == "RTR"
        assert s.ask(modify={"qpn": qp.remote["qpn"], "state": "rts"}) == {"state": "RTS"}
        assert "from RTS to RTR" in s.refusal(modify={"qpn": qp.remote["qpn"], "state": "rtr"})
        assert s.exchange(qp, write(qp, b"x")).syndrome == ACK
        assert s.ask(modify={"qpn": qp.remote["qpn"], "state": "err"}) == {"state": "ERR"}
        assert s.exchange(qp, write(qp, b"y"), SILENCE) is None
        for state in ("rtr", "rts", "err"):
            assert s.state(s.open(region, state=state)) == state.upper()
        qp = s.open(region)
        s.ask(close={"qpn": qp.remote["qpn"]})
        assert s.exchange(qp, write(qp, b"z"), SILENCE) is None
        assert "no queue pair" in s.refusal(state={"qpn": qp.remote["qpn"]})


@case("tap")
def conformance_session_access(lab):
    """If a region or a queue pair does not permit an access, the answer is the correct NAK, and
    the memory does not change."""
    with session(lab) as s:
        regions = s.ask(regions=[{}, {"access": "read"}, {"other_pd": True}, {"deregistered": True}])["regions"]
        assert [r["region"] for r in regions] == [0, 1, 2, 3], regions
        assert len({r["rkey"] for r in regions}) == 4, regions
        for region in regions[1:]:
            qp = s.open(region)
            answer = s.exchange(qp, write(qp, b"12345678"))
            assert (answer.syndrome, answer.psn, answer.msn) == (NAK_ACCESS, 7, 0), (region, answer)
            assert s.state(qp) == "ERR"
            assert s.read(0, 8, region["region"]) == b"\xEE" * 8
        refused = [(dict(access=["read"]), lambda qp: write(qp, b"12345678")),
                   (dict(access=["write", "atomic"]), lambda qp: read(qp, 8)),
                   (dict(max_dest_rd_atomic=0), lambda qp: read(qp, 8)),
                   (dict(access=["write", "read"]), lambda qp: fetch_add(qp, 3)),
                   (dict(access=[]), lambda qp: write(qp, b"12345678"))]
        for attributes, packet in refused:
            qp = s.open(regions[0], **attributes)
            answer = s.exchange(qp, packet(qp))
            assert (answer.syndrome, s.state(qp)) == (NAK_INVALID, "ERR"), (attributes, answer)
        assert s.read(0, 8) == b"\xEE" * 8
        s.ask(fill={"byte": 0, "region": 0, "offset": 0, "length": 8})
        qp = s.open(regions[0], max_dest_rd_atomic=1)
        answer = s.exchange(qp, fetch_add(qp, 3))
        assert (answer.opcode, answer.data) == (ATOMIC_ACKNOWLEDGE, bytes(8)), answer
        answer = s.exchange(qp, read(qp, 8))
        assert (answer.opcode, answer.data) == (READ_ONLY_RESPONSE, s.read(0, 8)), answer
        assert struct.unpack("<Q", s.read(0, 8)) == (3,)


def read(qp, length):
    return qp.packet(READ, struct.pack("!QII", qp.remote["address"], qp.remote["rkey"], length))


def fetch_add(qp, n):
    return qp.packet(FETCH_ADD, struct.pack("!QIQQ", qp.remote["address"], qp.remote["rkey"], n, 0))


@case("tap")
def conformance_session_receives(lab):
    """Receives are consumed by SENDs and immediates, RNR NAKs have the requested timer, and completions are reported once."""
    with session(lab) as s:
        region = s.region()
        before = s.ask(counters=True)["hw_counters"]
        qp = s.open(region, receives=1, receive_size=64, min_rnr_timer=5)
        qpn = qp.remote["qpn"]
        assert s.exchange(qp, qp.packet(SEND_ONLY, data=b"x" * 60)).syndrome == ACK
        assert s.completions(1) == [{"qpn": qpn, "status": "success", "opcode": "recv", "byte_len": 60, "immediate": None}]
        packet = write(qp, b"12345678", opcode=ONLY_IMM, immediate=struct.pack("!I", 0x11223344))
        assert s.exchange(qp, packet).syndrome == 0x20 | 5
        assert s.read(0, 8) == b"\xEE" * 8 and s.ask(completions=True) == {"completions": []}
        assert s.ask(receive={"qpn": qpn, "count": 3}) == {"posted": 3}
        assert s.exchange(qp, packet).syndrome == ACK
        assert s.completions(1) == [{"qpn": qpn, "status": "success", "opcode": "recv_rdma_with_imm", "byte_len": 8,
                                     "immediate": 0x11223344}]
        assert s.ask(modify={"qpn": qpn, "state": "err"}) == {"state": "ERR"}
        flushed = s.completions(2)
        assert [(c["qpn"], c["opcode"], c["byte_len"]) for c in flushed] == [(qpn, None, None)] * 2, flushed
        assert all("lush" in c["status"] for c in flushed), flushed
        # Completions of a closed queue pair are not reported.
        s.ask(receive={"qpn": qpn, "count": 2})
        s.ask(close={"qpn": qpn})
        assert s.ask(completions=True) == {"completions": []}
        for timer in (0, 31):
            qp = s.open(region, min_rnr_timer=timer)
            answer = s.exchange(qp, write(qp, b"", opcode=ONLY_IMM, immediate=bytes(4)))
            assert answer.syndrome == 0x20 | timer, answer
        qp = s.open(region, receives=2, receive_size=32)
        assert s.exchange(qp, qp.packet(SEND_ONLY, data=b"x" * 64)).syndrome >> 5 == 3
        counted = s.ask(counters=True)["hw_counters"]["send_rnr_err"] - before["send_rnr_err"]
        assert counted == 3, counted


@case("tap")
def conformance_session_events(lab):
    """A completion queue that is armed for solicited messages raises an event only for such messages."""
    with session(lab) as s:
        qp = s.open(s.region(), receives=8)
        def message(solicited):
            answer = s.exchange(qp, write(qp, b"", opcode=ONLY_IMM, immediate=bytes(4), solicited=solicited))
            assert answer.syndrome == ACK, answer
        assert s.ask(arm="solicited") == {"armed": "solicited"}
        message(False)
        assert not s.event(SILENCE)
        message(True)
        assert s.event(2)
        assert s.ask(arm="solicited") and not s.event(SILENCE)
        assert s.ask(arm="any") == {"armed": "any"}
        message(False)
        assert s.event(2)
        assert len(s.completions(3)) == 3


@case("tap")
def conformance_session_limits(lab):
    """Malformed requests and those beyond the limits are refused, and the error states the fix.
    The session continues."""
    with session(lab, "--max-qps", "3") as s:
        region = s.region(size=1 << 20)
        qp = s.open(region)
        open_line = {"transport": "rc", "pmtu": 1024, "psn": 0, "dest_qpn": 1, "ip": HOST_IP}
        wrong = [({"open": {**open_line, "ip": "10.77.0.99"}}, "ip neigh replace 10.77.0.99"),
                 ({"open": {**open_line, "ip": "fd00::1"}}, "fd00::1 cannot be moved to RTR"),
                 ({"open": {**open_line, "pmtu": 1500}}, "'pmtu'"),
                 ({"open": {**open_line, "acces": "read"}}, "'acces'"),
                 ({"open": {**open_line, "max_dest_rd_atomic": 200}}, "at most 128"),
                 ({"regions": [{"size": 2 << 20}, {"size": 1 << 20}]}, "--memory"),
                 ({"regions": [{"size": 1 << 40}] * 255}, "--memory"),
                 ({"regions": [{}] * 256}, "256 regions"),
                 ({"open": {**open_line, "receive_size": 1 << 21}}, "'receive_size'"),
                 ({"free": {"region": 1}}, "no region 1"),
                 ({"read": {"offset": (1 << 20) + 4000, "length": 97}}, "leaves region 0"),
                 ({"fill": {"byte": 1, "region": 5}}, "no region 5"),
                 ({"receive": {"qpn": qp.remote["qpn"], "count": 65}}, "room for 64"),
                 ({"receive": {"qpn": 1, "count": 1}}, "no queue pair 1"),
                 ({"status": True}, "exactly one request"),
                 ({"end": {"complete": True}}, "exactly one request"),
                 ({"version": 1, "conformance": True, "ip": HOST_IP}, "exactly one request")]
        for line, words in wrong:
            answer = s.tcp.ask(line)
            assert words in answer.get("error", ""), (str(line)[:200], answer)
        for text in ("no json", "[1]", "", "\x00", '{"read": ', "[" * 60000, "{" + " " * 65536 + "}"):
            s.tcp.stream.write(text + "\n")
            s.tcp.stream.flush()
            answer = json.loads(s.tcp.stream.readline())
            words = "65536 bytes" if len(text) > 65536 else "64 levels" if text.startswith("[[") else "JSON"
            assert words in answer.get("error", ""), (text[:40], answer)
        # Refused requests have not left anything behind.
        assert lab.run("rdma resource show qp | grep -c rdma-sink; true").out.strip() == "1"
        assert lab.run("rdma resource show mr | grep -c rdma-sink; true").out.strip() == "1"
        s.open(region)
        s.open(region, receive_size=1 << 20)
        assert "--max-qps 4" in s.refusal(open=open_line)
        assert "do not fit" in s.refusal(regions=[{"size": 2 << 20}])
        assert s.ask(free={"region": 0}) == {"freed": 0}
        assert "no region 0" in s.refusal(free={"region": 0})
        assert s.region(size=2 << 20)["region"] == 1
        assert s.exchange(qp, write(qp, b"12345678")).syndrome == NAK_ACCESS


@case("tap")
def conformance_session_excludes_others(lab):
    """Ordinary and conformance sessions exclude each other. The end of the connection frees everything."""
    ordinary = {"version": 1, "ip": HOST_IP, "transport": "rc", "pmtu": 1024, "message_size": 64, "qps": [{"qpn": 1, "psn": 0}]}
    with lab.sink() as sink:
        with sink.connect() as other:
            for line, words in (({**HELLO, "version": 2}, "same release"), ({**HELLO, "conformance": 1}, "'conformance'"),
                                ({**HELLO, "qps": []}, "'qps'"), ({"version": 1, "conformance": True}, "'ip'")):
                assert words in other.ask(line)["error"]
            with sink.connect() as tcp:
                s = Session(lab, tcp)
                for line in (HELLO, ordinary):
                    assert "busy" in other.ask(line)["error"]
                for line in ({"status": True}, {"post_receives": 1}, {"counters": True}):
                    assert "conformance session" in other.ask(line)["error"]
                assert "session" in other.ask({"end": {}})["error"]
                s.open(s.region(other_pd=True), receives=60, receive_size=64)
                s.ask(regions=[{"deregistered": True}])
                s.ask(arm="any")
                s.wire.close()
        # The end of a session of --once is not a failure.
        sink.finish(30)
        assert sink.exit_code == 0 and sink.report is None, sink.process.result
    with lab.sink("--recvs", "1") as sink:
        with sink.connect() as tcp, sink.connect() as other:
            assert "qps" in tcp.ask(ordinary)
            assert "busy" in other.ask(HELLO)["error"]
            assert tcp.ask({"end": {"complete": True, "messages": 0}})["held"]
    for kind in ("qp", "cq", "mr", "pd"):
        left = lab.run(f"rdma resource show {kind} | grep rdma-sink; true").out
        assert left == "", left
