# SPDX-License-Identifier: BSD-3-Clause
"""Checks a capture of a board's port as the tools of Lumina (SIGCOMM 2023) do: the state machine
of go-back-N, the times of a retransmission, and the notification point. The capture contains the
requests that left the port and the responses that arrived, in order."""

from dataclasses import dataclass

MODULUS = 1 << 24
NAK_SEQUENCE = 0x60
ACK_OPCODE, CNP_OPCODE = 0x11, 0x81
BTH, PSN, SYNDROME = 42, 51, 54  # offsets in an untagged IPv4 frame


@dataclass
class Packet:
    ns: int
    frame: bytes
    request: bool

    @property
    def opcode(self):
        return self.frame[BTH]

    @property
    def dest_qp(self):
        return int.from_bytes(self.frame[BTH + 5:BTH + 8], "big")

    @property
    def psn(self):
        return int.from_bytes(self.frame[PSN:PSN + 3], "big")

    @property
    def marked(self):
        return self.frame[15] & 3 == 3

    @property
    def nak(self):
        return not self.request and self.opcode == ACK_OPCODE and self.frame[SYNDROME] == NAK_SEQUENCE

    @property
    def ack(self):
        return not self.request and self.opcode == ACK_OPCODE and self.frame[SYNDROME] < 0x20

    @property
    def cnp(self):
        return not self.request and self.opcode == CNP_OPCODE


def is_roce(frame):
    return len(frame) >= BTH + 12 and frame[12:14] == b"\x08\x00" and frame[23] == 17 and frame[36:38] == (4791).to_bytes(2, "big")


def read(frames, board_ip):
    """Returns the RoCEv2 packets of a capture. `frames` contains pairs of nanoseconds and bytes; `board_ip` is the board's address as
    text."""
    own = bytes(map(int, board_ip.split(".")))
    return [Packet(ns, frame, frame[26:30] == own) for ns, frame in frames if is_roce(frame)]


def of_qp(packets, remote_qpn, own_qpn):
    """Returns the requests to `remote_qpn` and the responses to `own_qpn`."""
    return [p for p in packets if p.dest_qp == (remote_qpn if p.request else own_qpn)]


@dataclass
class Recovery:
    """A gap that the board has filled. All times are in nanoseconds, as recorded at the board's port."""
    psn: int          # PSN of the missing packet, counted from the first PSN
    noticed: int      # time at which the first packet behind the gap left
    nak: int | None   # time at which the NAK arrived; None if the timer expired instead
    resent: int       # time at which the missing packet left again


def check_go_back_n(packets, first, total, damaged=()):
    """Follows a queue pair whose PSNs are `first` to `first + total - 1`. Raises AssertionError if
    the receiver or the board violates go-back-N. `damaged` contains a pair (p, n) for each damaged
    packet: it is the n-th transmission of PSN `first + p`, and the receiver must drop it. Returns
    the recoveries."""
    expected, last, passed, recoveries = 0, -1, {}, []
    gap = nak = None  # times for the current gap
    for p in packets:
        n = (p.psn - first) % MODULUS
        if p.nak:
            assert n == expected, f"a NAK names PSN +{n}, but the receiver expects +{expected}"
            assert nak is None, f"a second NAK for PSN +{n}"
            nak = p.ns
        elif p.ack:
            assert n < expected, f"an ACK for PSN +{n}, but the receiver expects +{expected}"
        if not p.request:
            continue
        # The first packet that the board sends again may be lost, so the capture may show only the packets after it.
        assert n > last or n <= expected + 1, f"the board goes back to PSN +{n}, but the receiver expects +{expected}"
        last, passed[n] = n, passed.get(n, 0) + 1
        if n == expected and (n, passed[n]) not in damaged:
            if gap is not None:
                recoveries.append(Recovery(n, gap, nak, p.ns))
            expected, gap, nak = expected + 1, None, None
        elif n > expected and gap is None:
            gap = p.ns
    assert expected == total, f"the receiver has got {expected} of {total} packets"
    return recoveries


def check_cnps(packets):
    """Checks that there are never more CNPs than marked requests. Returns the numbers of marked requests and of CNPs."""
    marks = cnps = 0
    for p in packets:
        marks += p.request and p.marked
        cnps += p.cnp
        assert cnps <= marks, "a CNP without a mark"
    return marks, cnps
