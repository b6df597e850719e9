# SPDX-License-Identifier: BSD-3-Clause
"""A client of the board's slow control for the tests: RSSI v1, packetizer v2, SRPv3 and the RoCE metadata
bus. The client was written only from the descriptions of the protocols, and shares no code with softfeb. It
is single-threaded and keeps its links alive only while one of its functions runs. Between two calls, the
board's null timeout may expire."""

import os
import random
import select
import socket
import struct
import subprocess
import sys
import time
import zlib
from collections import deque

SYN, ACK, RST, NUL, BUSY = 0x80, 0x40, 0x10, 0x08, 0x01
REGISTERS, STREAM = 8192, 8193
OK, SLVERR, DECERR = 0, 2, 3


def checksum(header):
    total = sum(struct.unpack(f"!{len(header) // 2}H", header))
    return ~((total & 0xFFFF) + (total >> 16)) & 0xFFFF


class Closed(Exception):
    """The link has ended, or was never established."""


class Rssi:
    """One RSSI connection; `on_segment` gets the payload of each segment, in order."""

    def __init__(self, host, port, max_segment=1464, outstanding=32, source=None, on_segment=None):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        self.socket.bind((source or "0.0.0.0", 0))
        self.socket.connect((host, port))
        self.socket.setblocking(False)
        self.ask = (max_segment, outstanding)
        self.on_segment = on_segment or (lambda payload: None)
        self.state, self.received, self.resent = "closed", 0, 0

    # -- segments

    def _raw(self, header, payload=b""):
        header = bytearray(header)
        struct.pack_into("!H", header, len(header) - 2, checksum(bytes(header[:-2]) + b"\0\0"))
        try:
            self.socket.send(bytes(header) + payload)
        except (ConnectionRefusedError, BlockingIOError):
            pass
        self.sent_at = time.monotonic()

    def _short(self, flags, sequence, payload=b""):
        self._raw(struct.pack("!BBBBHH", flags, 8, sequence, self.rx_last, 0, 0), payload)
        if flags & ACK:
            self.unacked, self.ack_at = 0, None

    def syn(self, sequence=100):
        segment, outstanding = self.ask
        self._raw(struct.pack("!BBBBBBHHHHBBBBIH", SYN, 24, sequence, 0, 0x1C, outstanding, segment, 20, 5, 1000, 15, 2, 0, 3,
                              0x78000000, 0))

    # -- connection

    def open(self, timeout=2.0):
        self.rx_last, self.unacked, self.ack_at = 0, 0, None
        self.window, self.waiting = deque(), deque()
        self.state, sequence, end, again = "syn", 100, time.monotonic() + timeout, 0.0
        while self.state != "open":
            now = time.monotonic()
            if now >= end:
                self.close()
                raise Closed("no SYN-ACK")
            # like the laboratory's client, increment the sequence number with each retry of the SYN
            if now >= again:
                self.syn(sequence)
                self.syn_sequence, sequence, again = sequence, sequence + 1 & 0xFF, now + 0.1
            self._receive(min(end, again) - now)
        return self

    def close(self):
        if self.state == "open":
            self._short(RST, self.tx_next)
        self.state = "closed"
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # -- data

    def send(self, payload):
        assert len(payload) + 8 <= self.max_segment, "segment longer than negotiated"
        self.waiting.append(payload)
        self._fill()

    def _fill(self):
        while self.waiting and len(self.window) < self.max_outstanding and self.state == "open":
            segment = [self.tx_next, self.waiting.popleft(), time.monotonic(), 1]
            self.tx_next = self.tx_next + 1 & 0xFF
            self.window.append(segment)
            self._short(ACK, segment[0], segment[1])

    def pump(self, seconds, until=lambda: False):
        """Sends and receives segments until `until()` returns true, but at most for `seconds`."""
        end = time.monotonic() + seconds
        while not until():
            if self.state != "open":
                raise Closed(self.state)
            now = time.monotonic()
            if now >= end:
                return False
            self._timers(now)
            due = [end, self.sent_at + 0.333] + [s[2] + 0.02 for s in self.window]
            if self.ack_at is not None:
                due.append(self.ack_at)
            self._receive(max(0.0, min(due) - now))
        return True

    def _timers(self, now):
        if self.ack_at is not None and now >= self.ack_at:
            self._short(ACK, self.tx_next)
        for segment in self.window:
            if now < segment[2] + 0.02 or self.peer_busy:
                continue
            if segment[3] >= 15:
                self.state = "sent too often"
                self._short(RST, self.tx_next)
                return
            segment[2:] = now, segment[3] + 1
            self.resent += 1
            self._short(ACK, segment[0], segment[1])
        if now >= self.sent_at + 0.333:
            self._short(ACK | NUL, self.tx_next)
            self.window.append([self.tx_next, b"", 1e18, 1])
            self.tx_next = self.tx_next + 1 & 0xFF

    def _receive(self, seconds):
        if not select.select([self.socket], [], [], seconds)[0]:
            return
        for _ in range(64):
            try:
                data = self.socket.recv(65536)
            except (BlockingIOError, ConnectionRefusedError):
                return
            self._take(data)

    def _take(self, data):
        if len(data) < 8 or data[1] not in (8, 24) or len(data) < data[1] or checksum(data[:data[1]]) != 0:
            raise AssertionError("malformed segment from the server: " + data.hex())
        flags, length, sequence, acknowledge = data[:4]
        if flags & SYN:
            if self.state != "syn":
                return
            assert flags == SYN | ACK and length == 24, data.hex()
            assert data[4] == 0x1C and data[17] == 3, data.hex()
            self.max_outstanding, self.max_segment = data[5], struct.unpack_from("!H", data, 6)[0]
            self.timers = struct.unpack_from("!HHHBB", data, 8)
            self.rx_last, self.tx_next, self.peer_busy = sequence, self.syn_sequence + 1 & 0xFF, False
            self.state = "open"
            self._short(ACK, self.tx_next)
            return
        if self.state != "open":
            return
        if flags & RST:
            self.state = "reset by the server"
            return
        self.peer_busy = bool(flags & BUSY)
        if flags & ACK:
            while self.window and (acknowledge - self.window[0][0] & 0xFF) < 128:
                self.window.popleft()
            self._fill()
        if len(data) == 8 and not flags & NUL:
            return
        if sequence == self.rx_last + 1 & 0xFF:
            self.rx_last, self.unacked = sequence, self.unacked + 1
            self.received += 1
            if len(data) > 8:
                self.on_segment(data[8:])
            if self.unacked >= 2 or flags & NUL:
                self._short(ACK, self.tx_next)
            elif self.ack_at is None:
                self.ack_at = time.monotonic() + 0.005
        else:
            self._short(ACK, self.tx_next)


class Frames:
    """Packetizer v2 on a link: sends and receives whole frames, and checks their CRCs."""

    def __init__(self, on_frame):
        self.on_frame, self.buffer, self.count, self.crc = on_frame, None, 0, 0

    def split(self, frame, room):
        room = (room - 16) // 8 * 8
        crc, out = 0, []
        for n, at in enumerate(range(0, len(frame), room)):
            part = frame[at:at + room]
            last = at + room >= len(frame)
            pad = -len(part) % 8
            packet = struct.pack("<BBBBHBB", 0x22, 2, 0, 0, n, 0, 0 if n else 0x80) + part + random.randbytes(pad)
            packet += bytes([0, last, (8 - pad) if last else 8, 0])
            crc = zlib.crc32(packet, crc)
            out.append(packet + struct.pack("!I", crc))
        return out

    def take(self, packet):
        assert len(packet) >= 24 and len(packet) % 8 == 0, packet.hex()
        version, _, _, _, number, _, sof = struct.unpack_from("<BBBBHBB", packet)
        assert version == 0x22, packet[:8].hex()
        if sof & 0x80:
            self.buffer, self.count, self.crc = bytearray(), 0, 0
        assert self.buffer is not None and number == self.count, f"segment {number} of a frame, {self.count} expected"
        self.crc = zlib.crc32(packet[:-4], self.crc)
        assert struct.unpack("!I", packet[-4:])[0] == self.crc, "CRC of the packetizer"
        eofe, last, valid = packet[-8] & 1, packet[-7] & 1, packet[-6]
        self.buffer += packet[8:-8] if not last else packet[8:len(packet) - 16 + valid]
        self.count += 1
        if last:
            frame, self.buffer = bytes(self.buffer), None
            if not eofe:
                self.on_frame(frame)


class BusError(Exception):
    def __init__(self, status, address):
        super().__init__(f"status {status:#x} at {address:#010x}")
        self.status = status


class Srp:
    """SRPv3 on its own link."""

    def __init__(self, host="127.0.0.1", port=REGISTERS, source=None, open_within=2.0):
        self.frames = Frames(self._answer)
        self.link = Rssi(host, port, source=source, on_segment=self.frames.take)
        self.next_id, self.answers = 1, {}
        self.link.open(open_within)

    def __enter__(self):
        return self

    def close(self, *_):
        self.link.close()

    __exit__ = close

    def _answer(self, frame):
        self.answers[struct.unpack_from("<I", frame, 4)[0]] = frame

    def begin(self, opcode, address, size, data=b""):
        """Sends a request without waiting for the response. Returns the arguments for end()."""
        number, self.next_id = self.next_id, self.next_id + 1
        header = struct.pack("<IIIII", 0x0A000003 | opcode << 8, number, address & 0xFFFFFFFF, address >> 32, size - 1)
        for segment in self.frames.split(header + data, self.link.max_segment - 8):
            self.link.send(segment)
        return number, header, opcode, size, data, address

    def end(self, request, timeout=5.0):
        number, header, opcode, size, data, address = request
        if not self.link.pump(timeout, lambda: number in self.answers):
            raise TimeoutError(f"no answer for {address:#010x}")
        frame = self.answers.pop(number)
        assert frame[:20] == header or (frame[1] & 0xC3 == header[1] & 0xC3 and frame[2:20] == header[2:]), frame[:20].hex()
        status = struct.unpack("<I", frame[-4:])[0]
        if status:
            raise BusError(status, address)
        assert len(frame) == 20 + size + 4, f"{len(frame)} bytes answer an access of {size}"
        if opcode == 1:
            assert frame[20:-4] == data, "the echo of a write"
        return frame[20:-4]

    def read(self, address, size=4):
        return self.end(self.begin(0, address, size))

    def write(self, address, data):
        self.end(self.begin(1, address, len(data), data))

    def post(self, address, data):
        self.begin(2, address, len(data), data)

    def get(self, address, bit=0, bits=32):
        size = (bit + bits + 31) // 32 * 4
        return int.from_bytes(self.read(address, size), "little") >> bit & (1 << bits) - 1

    def set(self, address, value, bit=0, bits=32):
        """Writes a field as PyRogue does: writes the whole words that contain the field, without changing
        their other bits, and then verifies the field."""
        size = (bit + bits + 31) // 32 * 4
        mask = (1 << bits) - 1 << bit
        word = 0 if bits % 32 == 0 else int.from_bytes(self.read(address, size), "little")
        self.write(address, (word & ~mask | value << bit).to_bytes(size, "little"))
        got = self.get(address, bit, bits)
        assert got == value, f"{address:#010x} reads {got:#x}, not {value:#x}"


def stay(host="127.0.0.1"):
    """Opens both links, prints their local addresses, and keeps the links open until the process is killed."""
    registers, stream = Srp(host).link, Rssi(host, STREAM)
    stream.open()
    print(*("{}:{}".format(*link.socket.getsockname()) for link in (registers, stream)), flush=True)
    while True:
        registers.pump(0.05)
        stream.pump(0.05)


def start_stay(host="127.0.0.1", prefix=()):
    """Runs stay() in a separate process. Returns the process and the local addresses of its two links."""
    code = f"import sys; sys.path.insert(0, {os.path.dirname(os.path.abspath(__file__))!r}); import srp_client; srp_client.stay({host!r})"
    process = subprocess.Popen([*prefix, sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    return process, process.stdout.readline().split()


ENGINE = 0x00150000
CHECKER, DISPATCHER = 0x80030000, 0x80020000


def join(*fields):
    """Concatenates fields, given as (value, bits), to one number. The first field is the most significant."""
    word = 0
    for value, bits in fields:
        word = word << bits | value & (1 << bits) - 1
    return word


class Verbs:
    """The RoCE metadata bus as the laboratory's scripts use it."""

    def __init__(self, srp, engine=ENGINE):
        self.srp, self.engine = srp, engine

    def message(self, request):
        send = self.engine + 0xF00
        self.srp.set(send, 0, 0, 1)
        self.srp.write(self.engine + 0xF04, request.to_bytes(40, "little"))
        assert self.srp.read(self.engine + 0xF04, 40) == request.to_bytes(40, "little")
        self.srp.set(send, 1, 0, 1)
        self.srp.set(send, 0, 0, 1)
        end = time.monotonic() + 5
        while not self.srp.get(send, 1, 1):
            assert time.monotonic() < end, "no answer on the metadata bus"
        return int.from_bytes(self.srp.read(self.engine + 0xF2C, 36), "little")

    def pd(self, allocate, key=0, handler=0):
        r = self.message(join((0, 2), (0, 300 - 64), (allocate, 1), (key, 32), (handler, 32)))
        return r >> 64 & 1, r >> 32 & 0xFFFFFFFF

    def mr(self, allocate, pd, address=0, length=0, keys=(0, 0), lkey=0, rkey=0):
        r = self.message(join((1, 2), (0, 301 - 264), (allocate, 1), (address, 64), (length, 32), (0x0F * allocate, 8), (pd, 32),
                              (keys[0], 31), (keys[1], 31), (0, 1), (lkey, 32), (rkey, 32)))
        return r >> 262 & 1, r >> 32 & 0xFFFFFFFF, r & 0xFFFFFFFF

    def qp(self, kind, pd=0, qpn=0, mask=0, state=0, pmtu=0, rq_psn=0, sq_psn=0, dest=0, retry=3, rnr_retry=3, rnr_timer=1,
           timeout=14):
        modify = kind == 2
        access, cap, pkey, atomic = (0x0E, 0x2020010100, 0xFFFF, 16) if modify else (0, 0, 0, 0)
        r = self.message(join((2, 2), (kind, 2), (pd, 32), (qpn, 24), (mask, 26), (state, 4), (0, 4), (pmtu, 3), (0, 32),
                              (rq_psn, 24), (sq_psn, 24), (dest, 24), (access, 8), (cap, 40), (pkey, 16), (0, 1), (atomic, 8),
                              (atomic, 8), (rnr_timer if modify else 0, 5), (timeout if modify else 0, 5),
                              (retry if modify else 0, 3), (rnr_retry if modify else 0, 3), (0 if kind == 1 else 2, 4), (0, 1)))
        return r >> 273 & 1, r >> 249 & 0xFFFFFF

    def connect(self, host_qpn, host_rq_psn, host_sq_psn, length, pd_key=0x65128AEB, pmtu=5, **settings):
        """Creates a PD, an MR and a QP, and moves the QP to RTS. `settings` are the arguments of qp().
        Returns (pd, lkey, rkey, qpn)."""
        good, pd = self.pd(1, pd_key)
        assert good, "PD refused"
        good, lkey, rkey = self.mr(1, pd, 0x7F0012345000, length, (0x279C9002, 0x72E0ECE0))
        assert good, "MR refused"
        good, qpn = self.qp(0, pd)
        assert good, "QP refused"
        for step in ({"mask": 25, "state": 1}, {"mask": 0x129101, "state": 2, "dest": host_qpn, "rq_psn": host_rq_psn},
                     {"mask": 0x12E01, "state": 3, "sq_psn": host_sq_psn, "rnr_retry": 7}):
            good, _ = self.qp(2, qpn=qpn, pmtu=pmtu, **settings, **step)
            assert good, f"QP not moved to state {step['state']}"
        return pd, lkey, rkey, qpn

    def disconnect(self, pd, lkey, rkey, qpn):
        assert self.qp(2, qpn=qpn, mask=1, state=6, pmtu=1)[0], "ERR refused"
        assert self.qp(1, qpn=qpn)[0], "destroy refused"
        assert self.mr(0, pd, lkey=lkey, rkey=rkey)[0], "MR not freed"
        assert self.pd(0, handler=pd)[0], "PD not freed"


def dispatch(srp, length, count, rkey, address, wrap, sqpn, lkey):
    """Starts a burst in the same way as the laboratory's script runDispatch.py."""
    srp.write(DISPATCHER + 0xF04, struct.pack("<I", length))
    srp.write(DISPATCHER + 0xF00, struct.pack("<I", count << 1))
    srp.write(DISPATCHER + 0xF08, struct.pack("<I", rkey))
    srp.write(DISPATCHER + 0xF18, struct.pack("<Q", address))
    srp.write(DISPATCHER + 0xF20, struct.pack("<I", wrap))
    srp.write(DISPATCHER + 0xF10, struct.pack("<I", sqpn))
    srp.write(DISPATCHER + 0xF0C, struct.pack("<I", lkey))
    for bit in (0, 1, 0):
        srp.write(DISPATCHER + 0xF00, struct.pack("<I", count << 1 | bit))
