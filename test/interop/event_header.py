# SPDX-License-Identifier: BSD-3-Clause
"""Dissects golden and malformed event headers in WRITEs with tshark and the dissector of tools/wireshark."""

import json
import os
import struct
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "smoke"))

import harness  # noqa: E402
from scapy.contrib.roce import BTH  # noqa: E402
from scapy.all import IP, UDP, Ether, Raw, wrpcap  # noqa: E402

SCRIPT = harness.ROOT / "tools/wireshark/event_header.lua"
VECTORS = Path(os.environ.get("SOFTFEB_VECTORS", harness.ROOT / "test/vectors")) / "detector"
PMTU = 4096
FIRST, MIDDLE, LAST_IMM, ONLY_IMM, UC = 0x06, 0x07, 0x09, 0x0B, 0x20
# Maps field names of the dissector to those of the vectors.
FIELDS = {f"sfeb.{name}": name for name in (
    "version", "header_words", "flags", "run", "board", "type", "kind", "event", "seconds", "quarter_ns", "length", "offset",
    "total", "channels", "samples", "lost", "reserved", "payload_crc", "header_crc")}
STATUS = ("sfeb.header_crc.status", "sfeb.payload_crc.status")
REST = ("sfeb.magic", "sfeb.payload", "_ws.expert.message", "_ws.col.Info", "infiniband.bth.opcode", "frame.protocols")
FLAGS = ("suppressed", "segmented", "overlaps", "cut", "throttled", "not_synchronised")
MESSAGES = {
    "short": "Truncated header", "version": "Unknown version", "header_size": "Wrong header length",
    "header_crc": "Bad CRC of the header", "time": "Quarter nanoseconds beyond the second",
    "bounds": "Offset and length exceed the total", "size": "The message ends before or after its payload",
    "payload_crc": "Bad CRC of the payload",
}


def frame(opcode, content, psn=0):
    pad = -len(content) % 4
    bth = BTH(opcode=opcode, padcount=pad, dqpn=17, psn=psn, ackreq=0)
    return Ether() / IP(src="10.0.0.1", dst="10.0.0.2") / UDP(sport=49152, dport=4791) / bth / Raw(content + bytes(pad))


def write_of(message, immediate, transport=0):
    """Returns the frames of one WRITE with immediate."""
    reth = struct.pack(">QII", 0x10000, 0x1234, len(message))
    last = struct.pack(">I", immediate & 0xFFFFFFFF)
    if len(message) <= PMTU:
        return [frame(ONLY_IMM | transport, reth + last + message)]
    parts = [message[at:at + PMTU] for at in range(0, len(message), PMTU)]
    frames = [frame(FIRST | transport, reth + parts[0])]
    frames += [frame(MIDDLE | transport, part, psn) for psn, part in enumerate(parts[1:-1], 1)]
    return [*frames, frame(LAST_IMM | transport, last + parts[-1], len(parts) - 1)]


class EventHeader(harness.TestCase):
    def dissect(self, frames, *fields):
        """Returns a dictionary of fields for each frame. The output of tshark must not contain a Lua error."""
        path = self.dir / "events.pcap"
        wrpcap(str(path), frames)
        fields = fields or (*FIELDS, *STATUS, *REST)
        base = ["tshark", "-2", "-r", str(path), "-X", f"lua_script:{SCRIPT}", "--disable-protocol", "rpcordma"]
        env = {**os.environ, "LC_ALL": "C.UTF-8"}
        runs = [subprocess.run([*base, *options], capture_output=True, text=True, timeout=120, env=env, check=True)
                for options in (["-T", "fields", *(a for f in fields for a in ("-e", f))], ["-V"])]
        for run in runs:
            self.assertNotIn("Lua", run.stdout + run.stderr)
        rows = [dict(zip(fields, line.split("\t"))) for line in runs[0].stdout.splitlines()]
        self.assertEqual(len(rows), len(frames))
        return rows

    def cases(self):
        cases = [c for path in sorted(VECTORS.glob("header*.json")) for c in json.loads(path.read_text())["cases"]]
        return [(c, bytes.fromhex(c["message"])) for c in cases]

    def check_fields(self, row, fields):
        self.assertEqual(row["sfeb.magic"], "SFEB")
        self.assertEqual({name: int(row[field], 0) for field, name in FIELDS.items() if name in fields},
                         {name: fields[name] for name in FIELDS.values() if name in fields})
        self.assertIn(f"[event {fields['event']}, board {fields['board']}]", row["_ws.col.Info"])

    def test_golden_headers(self):
        """Dissects valid and invalid messages of one packet each. Messages with another magic number are not dissected as event data."""
        for transport in (0, UC):
            cases = [(c, m) for c, m in self.cases() if len(m) <= PMTU]
            self.assertGreater(len(cases), 20)
            rows = self.dissect([write_of(m, 5, transport)[0] for _, m in cases])
            for (case, message), row in zip(cases, rows):
                with self.subTest(case["name"], transport=transport):
                    self.check_case(case, message, row)

    def check_case(self, case, message, row):
        verdict = case["verdict"]
        if message[:4] != b"SFEB":
            self.assertNotIn("sfeb", row["frame.protocols"])
            return
        self.assertIn("sfeb", row["frame.protocols"])
        if verdict in MESSAGES:
            self.assertIn(MESSAGES[verdict], row["_ws.expert.message"])
        else:
            self.assertEqual((verdict, row["_ws.expert.message"]), ("ok", ""))
            self.assertEqual(row["sfeb.payload"].replace(":", ""), message[64:].hex())
            self.assertEqual([row[s] for s in STATUS], ["Good", "Good"])
        if case["fields"]:
            self.check_fields(row, case["fields"])
            self.assertEqual(row[STATUS[0]], "Good")
        if verdict in ("header_crc", "payload_crc"):
            self.assertEqual(row[STATUS[verdict == "payload_crc"]], "Bad")

    def test_messages_of_several_packets(self):
        cases = [(c, m) for c, m in self.cases() if len(m) > PMTU]
        self.assertGreater(len(cases), 1)
        for case, message in cases:
            with self.subTest(case["name"]):
                first, *rest = self.dissect(write_of(message, case["fields"]["event"]))
                self.check_fields(first, case["fields"])
                self.assertEqual([first[s] for s in STATUS], ["Good", "Unknown: further packets have the rest"])
                self.assertEqual(first["_ws.expert.message"], "")
                for row in rest:
                    self.assertEqual(row["sfeb.magic"], "")

    def test_flags(self):
        message = bytearray(self.cases()[0][1])
        for bit, name in enumerate(FLAGS):
            message[6:8] = struct.pack("<H", 1 << bit)
            [row] = self.dissect(write_of(bytes(message), 0), *(f"sfeb.flags.{n}" for n in FLAGS))
            self.assertEqual([n for n in FLAGS if int(row[f"sfeb.flags.{n}"], 0)], [name])


if __name__ == "__main__":
    harness.main()
