# SPDX-License-Identifier: BSD-3-Clause
"""A RoCEv2 requester that shares no code with softfeb and sends packets through an AF_PACKET socket (root).

It is an independent reference: Soft-RoCE and rdma-sink must accept the same packets from softfeb as from this requester.
"""

import select
import socket
import struct
import time
import zlib

ROCE_PORT = 4791
PACKET_OUTGOING = 4
FIRST, MIDDLE, LAST, LAST_IMM, ONLY, ONLY_IMM = 0x06, 0x07, 0x08, 0x09, 0x0A, 0x0B
SEND_ONLY, READ, FETCH_ADD = 0x04, 0x0C, 0x14
READ_ONLY_RESPONSE, ATOMIC_ACKNOWLEDGE = 0x10, 0x12
ACKNOWLEDGE, CNP = 0x11, 0x81
UC = 0x20
ECT0, CE = 2, 3


def _checksum(header):
    total = sum(struct.unpack(f"!{len(header) // 2}H", header))
    total = (total & 0xFFFF) + (total >> 16)
    return ~(total + (total >> 16)) & 0xFFFF


def _icrc(ip, udp, rest):
    """Returns the iCRC (InfiniBand annex A17.9). It covers all fields, but all bits of fields that
    routers may change count as 1."""
    masked = bytearray(b"\xff" * 8 + ip + udp + rest)
    for at in (9, 16, 18, 19, 34, 35, 40):
        masked[at] = 0xFF
    return struct.pack("<I", zlib.crc32(masked))


class Answer:
    """A received packet."""

    def __init__(self, frame):
        ip = frame[14:34]
        end = 14 + struct.unpack("!H", ip[2:4])[0]
        udp, rest, icrc = frame[34:42], frame[42:end - 4], frame[end - 4:end]
        self.opcode = rest[0]
        self.dest_qp = int.from_bytes(rest[5:8], "big")
        self.psn = int.from_bytes(rest[9:12], "big")
        aeth = self.opcode in (ACKNOWLEDGE, ATOMIC_ACKNOWLEDGE, READ_ONLY_RESPONSE)
        self.syndrome = rest[12] if aeth else None
        self.msn = int.from_bytes(rest[13:16], "big") if aeth else None
        self.data = rest[16:len(rest) - (rest[1] >> 4 & 3)] if aeth else b""
        self.icrc_right = icrc == _icrc(ip, udp, rest)

    def __repr__(self):
        syndrome = "" if self.syndrome is None else f" syndrome 0x{self.syndrome:02x} MSN {self.msn}"
        return f"<opcode 0x{self.opcode:02x} QP 0x{self.dest_qp:x} PSN {self.psn}{syndrome}>"


class Wire:
    """An interface of the host that leads to the guest."""

    def __init__(self, ifname, mac, ip, guest_mac, guest_ip):
        self.addresses = (bytes.fromhex(guest_mac.replace(":", "")), bytes.fromhex(mac.replace(":", "")))
        self.ips = (socket.inet_aton(ip), socket.inet_aton(guest_ip))
        self.sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0800))
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        self.sock.bind((ifname, 0))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.sock.close()

    def send(self, transport, ecn=ECT0, spoil=lambda icrc: icrc):
        """Sends a packet. `transport` contains everything from the BTH to the pad bytes. The other headers and the iCRC are added here.
        `spoil` converts the correct iCRC to the iCRC that is sent."""
        length = 8 + len(transport) + 4
        ip = struct.pack("!BBHHHBBH", 0x45, ecn, 20 + length, 0, 0x4000, 64, 17, 0) + self.ips[0] + self.ips[1]
        ip = ip[:10] + struct.pack("!H", _checksum(ip)) + ip[12:]
        udp = struct.pack("!HHHH", 0xC000, ROCE_PORT, length, 0)
        self.sock.send(self.addresses[0] + self.addresses[1] + b"\x08\x00" + ip + udp + transport
                       + spoil(_icrc(ip, udp, transport)))

    def receive(self, timeout, dest_qp=None):
        """Returns the next RoCEv2 packet from the guest (to `dest_qp`, if given), or None."""
        end = time.monotonic() + timeout
        while (left := end - time.monotonic()) > 0:
            if not select.select([self.sock], [], [], left)[0]:
                break
            frame, address = self.sock.recvfrom(16384)
            if address[2] == PACKET_OUTGOING or len(frame) < 62 or frame[23] != 17:
                continue
            if struct.unpack("!H", frame[36:38])[0] != ROCE_PORT:
                continue
            answer = Answer(frame)
            if dest_qp in (None, answer.dest_qp):
                return answer
        return None


class Qp:
    """A queue pair that sends WRITEs. `remote` is an element of the list "qps" in rdma-sink's answer."""

    def __init__(self, wire, qpn, psn, remote, pmtu=4096, uc=False):
        self.wire, self.qpn, self.psn, self.remote, self.pmtu, self.uc = wire, qpn, psn, remote, pmtu, uc

    def packets(self, data, offset, immediate=None, rkey=None, solicited=False):
        """Returns the packets of one WRITE, which use the next PSNs. Each packet extends from the BTH to the pad bytes."""
        pieces = [data[i:i + self.pmtu] for i in range(0, len(data), self.pmtu)] or [b""]
        made = []
        for i, piece in enumerate(pieces):
            first, last = i == 0, i == len(pieces) - 1
            opcode = ((ONLY if last else FIRST) if first else (LAST if last else MIDDLE))
            opcode += last and immediate is not None
            reth = struct.pack("!QII", self.remote["address"] + offset,
                               self.remote["rkey"] if rkey is None else rkey, len(data)) if first else b""
            immdt = struct.pack("!I", immediate) if last and immediate is not None else b""
            made.append(self.packet(opcode, reth + immdt, piece, ack=last, solicited=solicited and last))
        return made

    def packet(self, opcode, headers=b"", data=b"", *, ack=True, solicited=False):
        """Returns a packet with this opcode and the next PSN, from the BTH to the pad bytes. `headers` follow the BTH."""
        pad = -len(data) % 4
        bth = struct.pack("!BBHII", opcode | (UC if self.uc else 0), (0x80 if solicited else 0) | pad << 4, 0xFFFF,
                          self.remote["qpn"], (0 if self.uc or not ack else 1 << 31) | self.psn)
        self.psn = (self.psn + 1) & 0xFFFFFF
        return bth + headers + data + bytes(pad)

    def write(self, data, offset, immediate=None, *, rkey=None, ecn=ECT0, attempts=20, skip=False, solicited=False):
        """Sends one WRITE. With RC, returns the ACK of the whole message, or a NAK that does not ask for a retransmission.

        With `skip`, the message consumes its PSNs but is not sent, as if it had been lost (UC).
        """
        packets = self.packets(data, offset, immediate, rkey, solicited)
        if skip:
            return None
        last = (self.psn - 1) & 0xFFFFFF
        for _ in range(attempts):
            for packet in packets:
                self.wire.send(packet, ecn)
            if self.uc:
                return None
            answer = self._answer_to(last)
            if answer is None or answer.syndrome >> 5 == 1 or answer.syndrome == 0x60:
                time.sleep(0.002)
                continue  # no response, RNR NAK or sequence NAK: retransmit the whole message
            return answer
        raise TimeoutError(f"WRITE of PSN {last}: no ACK after {attempts} attempts, last answer {answer}")

    def _answer_to(self, last):
        """Returns the ACK of PSN `last` or the first NAK, and ignores older ACKs. Returns None if neither arrives within a second."""
        end = time.monotonic() + 1
        while (answer := self.wire.receive(end - time.monotonic(), self.qpn)) is not None:
            if answer.opcode != ACKNOWLEDGE:
                continue
            if not answer.icrc_right:
                raise ValueError(f"wrong iCRC: {answer}")
            if answer.syndrome >> 5 or answer.psn == last:
                return answer
        return None
