# SPDX-License-Identifier: BSD-3-Clause
"""Confirms verdicts of softfeb conformance: the independent requester repeats ten cases in a conformance session of rdma-sink. The guest
must give the answers that softfeb expects."""

import struct

from cases.conformance import conformance
from cases.conformance_session import OTHER_IP, SILENCE, session, write
from requester import FIRST, MIDDLE, ONLY_IMM
from softroce import case

ACK, RNR, NAK_SEQUENCE, NAK_INVALID, NAK_ACCESS = 0x1F, 0x20, 0x60, 0x61, 0x62
E = 0xFFFFFE  # first PSN: the PSNs wrap
GUARD = b"\xEE"


class Trial:
    """A new queue pair, and a region that is filled with GUARD."""

    def __init__(self, s, region, **attributes):
        s.ask(fill={"byte": GUARD[0]})
        self.s, self.qp = s, s.open(region, psn=E, **attributes)

    def send(self, *packets, wire=None, **spoilt):
        for packet in packets:
            (wire or self.s.wire).send(packet, **spoilt)

    def answers(self):
        """Returns (syndrome, PSN - E, MSN) of each answer, until no answer arrives for SILENCE seconds."""
        out = []
        while (answer := self.s.wire.receive(SILENCE, self.qp.qpn)) is not None:
            assert answer.icrc_right, answer
            out.append((answer.syndrome, (answer.psn - E) & 0xFFFFFF, answer.msn))
        return out

    def write(self, data, psn=0, **options):
        self.qp.psn = (E + psn) & 0xFFFFFF
        return write(self.qp, data, **options)

    def accepts(self, packet):
        """Checks that the packet is acknowledged as the first packet of the queue pair, so that the earlier packets had no effect."""
        self.send(packet)
        assert self.answers() == [(ACK, 0, 1)]

    def fails_with(self, packet, syndrome):
        """Checks that the packet is refused, that nothing is written, and that the queue pair enters the error state."""
        self.send(packet)
        assert self.answers() == [(syndrome, 0, 0)]
        assert self.s.read(0, 4096) == GUARD * 4096
        assert self.s.state(self.qp) == "ERR"
        self.send(self.write(b"one more"))
        assert self.answers() == []


def gap(s, region):
    t = Trial(s, region)
    t.send(t.write(b"\1" * 8), t.write(b"\3" * 8, 2, offset=16))
    assert t.answers() == [(ACK, 0, 1), (NAK_SEQUENCE, 1, 1)]
    assert s.read(0, 24) == b"\1" * 8 + GUARD * 16 and s.state(t.qp) == "RTS"


def duplicate(s, region):
    t = Trial(s, region)
    t.send(t.write(b"\x41" * 8), t.write(b"\x42" * 8, 1, offset=16), t.write(b"\x55" * 8))
    *first, last = t.answers()
    assert first == [(ACK, 0, 1), (ACK, 1, 2)] and last in ((ACK, 1, 2), (ACK, 0, 2)), (first, last)
    assert s.read(0, 8) == b"\x41" * 8


def longer_than_its_length(s, region):
    t = Trial(s, region)
    t.fails_with(t.write(bytes(64), length=32), NAK_INVALID)


def wrong_keys(s, region):
    for rkey in (0xDEADBEEF, region["rkey"] ^ 1, 0):
        t = Trial(s, region)
        t.fails_with(t.write(bytes(8), rkey=rkey), NAK_ACCESS)


def middle_first(s, region):
    t = Trial(s, region)
    t.fails_with(t.qp.packet(MIDDLE, data=bytes(1024)), NAK_INVALID)


def partition_keys(s, region):
    t = Trial(s, region)
    right = t.write(bytes(8))
    t.send(*(right[:2] + struct.pack("!H", pkey) + right[4:] for pkey in (0x8001, 0xFFFE, 0x8000, 0)))
    assert t.answers() == []
    t.accepts(right)


def wrong_icrcs(s, region):
    t = Trial(s, region)
    right = t.write(bytes(8))
    for spoil in (lambda icrc: bytes([icrc[0] ^ 1]) + icrc[1:], lambda icrc: bytes(4), lambda icrc: icrc[::-1]):
        t.send(right, spoil=spoil)
        assert t.answers() == []
    t.accepts(right)


def another_address(s, region):
    t = Trial(s, region)
    right = t.write(bytes(8))
    with s.wire_of(OTHER_IP) as other:
        t.send(right, wire=other)
        assert t.answers() == []
    t.accepts(right)


def no_receive(s, region):
    t = Trial(s, region, min_rnr_timer=12)
    packet = t.write(b"\7" * 8, opcode=ONLY_IMM, immediate=struct.pack("!I", 5))
    t.send(packet)
    assert t.answers() == [(RNR | 12, 0, 0)]
    assert s.read(0, 8) == GUARD * 8 and s.state(t.qp) == "RTS"
    s.ask(receive={"qpn": t.qp.remote["qpn"], "count": 1})
    t.accepts(packet)
    assert [c["immediate"] for c in s.completions(1)] == [5] and s.read(0, 8) == b"\7" * 8


def lost_last_on_uc(s, region):
    t = Trial(s, region, transport="uc")
    first = t.qp.packet(FIRST, struct.pack("!QII", region["address"], region["rkey"], 2048), bytes(1024))
    t.send(first, t.write(bytes(8), 2, offset=4096), t.write(bytes(8), 3, offset=8192))
    assert t.answers() == []
    # As softfeb's profile of Soft-RoCE says, the queue pair accepts no further messages after the loss.
    assert s.read(4096, 8) == s.read(8192, 8) == GUARD * 8


CASES = {"PSN-04": gap, "PSN-10": duplicate, "LEN-02": longer_than_its_length, "MEM-01": wrong_keys, "OPS-01": middle_first,
         "HDR-06": partition_keys, "CRC-01": wrong_icrcs, "NET-01": another_address, "IMM-04": no_receive, "UC-09": lost_last_on_uc}


@case("tap")
def conformance_second_opinion(lab):
    """In ten cases, the independent requester gets the answers that softfeb conformance expects or that its profile lists."""
    with lab.sink("--memory", "16MiB") as sink:
        code, text, result = conformance(lab, sink, "--cases", ",".join(CASES))
        assert code == 0, text[-2000:]
    verdicts = {c["id"]: c["verdict"] for c in result["cases"]}
    assert verdicts == {id: "known deviation" if id == "UC-09" else "pass" for id in CASES}, verdicts
    with session(lab) as s:
        region = s.region(size=65536)
        for id, repeat in CASES.items():
            try:
                repeat(s, region)
            except AssertionError as error:
                raise AssertionError(f"{id}: {error}") from error
