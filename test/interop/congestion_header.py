# SPDX-License-Identifier: BSD-3-Clause
"""Dissects golden and malformed congestion control headers with tshark and the dissector of tools/wireshark."""

import json
import os
import random
import struct
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "smoke"))

import harness  # noqa: E402

SCRIPT = harness.ROOT / "tools/wireshark/congestion_header.lua"
VECTORS = harness.ROOT / "test/vectors/cc/wire_cch.json"
CC_PORT = 49791
MBPS = [1000, 2500, 5000, 10000, 25000, 40000, 50000, 100000, 200000, 400000, 800000, 1600000]
GOOD, BAD = "Good", "Bad"
ETHERNET = bytes.fromhex("0200000001010200000000010800")


def checksum(data):
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def frame_of(content):
    """Returns an IPv4 frame with this UDP payload."""
    ip = struct.pack(">BBHHHBBHII", 0x45, 0, 28 + len(content), 0, 0x4000, 64, 17, 0, 0x0A000001, 0x0A000065)
    ip = ip[:10] + struct.pack(">H", checksum(ip)) + ip[12:]
    return ETHERNET + ip + struct.pack(">HHHH", 0xC123, CC_PORT, 8 + len(content), 0) + content


def write_pcap(path, frames, lengths=()):
    """Writes a capture of `frames`. If the frames are truncated, `lengths` contains their lengths on the wire."""
    with open(path, "wb") as f:
        f.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        for frame, length in zip(frames, lengths or map(len, frames)):
            f.write(struct.pack("<IIII", 0, 0, len(frame), length) + frame)


def rows_of(path, *fields, options=()):
    """Returns a dictionary of fields for each packet. tshark makes two passes, as Wireshark does.
    The output of tshark must not contain a Lua error.

    The dissector of RPC over RDMA is disabled, because it recognizes its packets by heuristics and fails on some random payloads.
    """
    base = ["tshark", "-2", "-r", str(path), "-X", f"lua_script:{SCRIPT}", "--disable-protocol", "rpcordma", *options]
    env = {**os.environ, "LC_ALL": "C.UTF-8"}
    done = subprocess.run([*base, "-T", "fields", "-E", "occurrence=a", *(a for f in fields for a in ("-e", f))],
                          capture_output=True, text=True, timeout=120, env=env)
    text = subprocess.run([*base, "-V"], capture_output=True, text=True, timeout=120, env=env)
    for run in (done, text):
        if run.returncode != 0 or "Lua" in run.stderr + run.stdout:
            raise AssertionError(f"status {run.returncode}\n{run.stderr}\n" +
                                 "\n".join(line for line in run.stdout.splitlines() if "Lua" in line)[:2000])
    return [dict(zip(fields, line.split("\t"))) for line in done.stdout.splitlines()]


def numbers(text):
    return [int(n, 0) for n in text.split(",")] if text else []


COMMON = ("cch.version", "cch.flags", "cch.profile", "cch.length", "cch.hops", "cch.path", "cch.checksum.status")
DELAY = ("cch.delay.departed", "cch.delay.remote")
RECORDS = ("cch.int.rate_code", "cch.int.rate", "cch.int.time", "cch.int.tx", "cch.int.queue")
CREDIT = ("cch.credit.kind", "cch.credit.priority", "cch.credit.last_psn", "cch.credit.first_missing")
REST = ("cch.flags.echo", "cch.body", "_ws.expert.message", "infiniband.bth.opcode", "infiniband.bth.destqp", "frame.protocols",
        "_ws.col.Info")


class CongestionHeader(harness.TestCase):
    def dissect(self, frames, *fields, options=()):
        path = self.dir / "cch.pcap"
        write_pcap(path, frames)
        rows = rows_of(path, *(fields or COMMON + DELAY + RECORDS + CREDIT + REST), options=options)
        self.assertEqual(len(rows), len(frames))
        return rows

    def check_records(self, row, header):
        records = header.get("records", [])
        self.assertEqual(numbers(row["cch.int.rate_code"]), [r["rate_code"] for r in records])
        self.assertEqual(numbers(row["cch.int.rate"]), [MBPS[r["rate_code"]] for r in records if r["rate_code"] < len(MBPS)])
        self.assertEqual(numbers(row["cch.int.time"]), [r["ns"] for r in records])
        self.assertEqual(numbers(row["cch.int.tx"]), [128 * r["tx"] for r in records])
        self.assertEqual(numbers(row["cch.int.queue"]), [80 * r["queue"] for r in records])

    def check_fields(self, row, header):
        self.assertEqual([int(row[f], 0) for f in COMMON[:6]],
                         [1, header["flags"], header["profile"], header["size"] // 4, header["hops"], header["path"]])
        self.assertEqual(row["cch.checksum.status"], GOOD)
        self.assertEqual(row["_ws.expert.message"], "")
        self.assertEqual(int(row["cch.flags.echo"], 0), header["flags"] >> 3)
        self.assertEqual([numbers(row[f]) for f in DELAY],
                         [[header[k]] if k in header else [] for k in ("departed_ns", "remote_ns")])
        self.assertEqual([numbers(row[f]) for f in CREDIT],
                         [[header[k]] if k in header else [] for k in ("kind", "priority", "granted_psn", "first_missing")])
        self.check_records(row, header)

    def test_golden_frames(self):
        cases = [c for c in json.loads(VECTORS.read_text())["cases"] if "frame" in c]
        self.assertGreater(len(cases), 5)
        for case, row in zip(cases, self.dissect([bytes.fromhex(c["frame"]) for c in cases])):
            with self.subTest(case["name"]):
                if case["header"] is None:
                    self.assertEqual(row["cch.version"], "")
                else:
                    self.check_fields(row, case["header"])
                self.assertIn("infiniband", row["frame.protocols"])
                control = case["name"] in ("grant", "resend", "busy")
                opcode = 0xC0 if control else 0x11 if "echo" in case["name"] else 0x07
                self.assertEqual(int(row["infiniband.bth.opcode"], 0), opcode)
                self.assertEqual("Control QP=" in row["_ws.col.Info"], control)
                self.assertEqual(f"credit {case['name'].upper()}" in row["_ws.col.Info"], control)

    def test_golden_headers(self):
        """Dissects valid and invalid headers that are not followed by a packet."""
        cases = [c for c in json.loads(VECTORS.read_text())["cases"] if "cch" in c]
        messages = {"bad_checksum": "Bad checksum", "bad_version": "Unknown version", "bad_size": "Wrong length",
                    "too_short": "Truncated header", "too_long": "Wrong length"}
        self.assertEqual({c["name"] for c in cases if c["header"] is None}, set(messages))
        for case, row in zip(cases, self.dissect([frame_of(bytes.fromhex(c["cch"])) for c in cases])):
            with self.subTest(case["name"]):
                if case["header"] is not None:
                    self.check_fields(row, case["header"])
                    continue
                self.assertEqual(row["_ws.expert.message"], messages[case["name"]])
                self.assertEqual(row["cch.checksum.status"] == BAD, case["name"] == "bad_checksum")

    def test_user_body(self):
        case = next(c for c in json.loads(VECTORS.read_text())["cases"] if c["name"] == "user")
        [row] = self.dissect([frame_of(bytes.fromhex(case["cch"]))])
        self.assertEqual(row["cch.body"].replace(":", ""), case["cch"][16:])

    def test_other_port(self):
        frame = bytearray(frame_of(bytes.fromhex("f0" * 20)))
        frame[36:38] = struct.pack(">H", 5000)
        self.assertEqual(self.dissect([bytes(frame)], "cch.version")[0]["cch.version"], "")
        [row] = self.dissect([bytes(frame)], "cch.version", options=("-o", "cch.port:5000"))
        self.assertEqual(row["cch.version"], "15")

    def test_malformed(self):
        """Dissects headers truncated to each shorter length, headers with every value of each of the first four bytes, and random bytes."""
        rnd = random.Random(17)
        golden = [bytes.fromhex(c["frame"])[42:] for c in json.loads(VECTORS.read_text())["cases"]
                  if "frame" in c and c["header"] is not None]
        contents = [whole[:n] for whole in golden for n in range(len(whole))]
        contents += [whole[:at] + bytes([value]) + whole[at + 1:] for whole in golden[:3] for at in range(4) for value in range(256)]
        for _ in range(2000):
            content = bytearray(rnd.randbytes(rnd.randrange(120)))
            if len(content) > 3 and rnd.randrange(4):
                content[:4] = bytes([0x10 | content[0] & 15, rnd.choice((1, 2, 3, 0xF0, 77)), rnd.choice((2, 4, 5, 12, 16)), content[3]])
            contents.append(bytes(content))
        frames = [frame_of(c) for c in contents]
        rows = self.dissect(frames, "cch.checksum.status", "_ws.expert.message", "frame.protocols")
        for content, row in zip(contents, rows):
            if len(content) > 0:
                self.assertIn("cch", row["frame.protocols"].split(":"), content.hex())
            size = 4 * content[2] if len(content) >= 8 else 0
            whole = 8 <= size <= min(64, len(content))
            wanted = "" if not whole else GOOD if checksum(content[:size]) == 0 else BAD
            self.assertEqual(row["cch.checksum.status"], wanted, content.hex())
            self.assertEqual("Bad checksum" in row["_ws.expert.message"], wanted == BAD, content.hex())
        print(f"\n{len(frames)} malformed headers dissected")

    def test_shortened_capture(self):
        """If the capture contains only a part of a header, the header is shown as truncated, and its checksum is not verified."""
        case = next(c for c in json.loads(VECTORS.read_text())["cases"] if c["name"] == "int_two_hops")
        whole = bytes.fromhex(case["frame"])
        lengths = range(43, len(whole))
        path = self.dir / "short.pcap"
        write_pcap(path, [whole[:n] for n in lengths], [len(whole)] * len(lengths))
        for n, row in zip(lengths, rows_of(path, "cch.checksum.status", "_ws.expert.message")):
            captured = n - 42 >= case["header"]["size"]
            self.assertEqual(row["cch.checksum.status"], GOOD if captured else "", n)
            self.assertEqual("Truncated header" in row["_ws.expert.message"], not captured, n)


if __name__ == "__main__":
    harness.main()
