# SPDX-License-Identifier: BSD-3-Clause
"""Checks softfeb's packets independently: tshark decodes each packet, and scapy computes the same iCRC for each IPv4 packet."""

import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "smoke"))

import harness  # noqa: E402
from harness import ACKNOWLEDGE, CNP, UC, board, qp, receiver, ring  # noqa: E402

WRITES = {t + o for t in (0, UC) for o in range(harness.FIRST, harness.ONLY_IMM + 1)}
SENDS = {t + o for t in (0, UC) for o in range(harness.FIRST)}


def tshark(path, *fields):
    """Returns the values of `fields` for each packet. tshark verifies checksums, and makes two passes, as Wireshark does.

    A UDP checksum of 0 over IPv6 is not an error: RoCE v2 relies on the iCRC instead (RFC 6935 permits this for tunnel protocols).
    The dissector of RPC over RDMA is disabled, because its heuristics can take softfeb's payload pattern for RPC.
    """
    command = ["tshark", "-2", "-r", str(path), "-o", "ip.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE",
               "-o", "udp.ignore_ipv6_zero_checksum:TRUE", "--disable-protocol", "rpcordma", "-T", "fields"]
    done = subprocess.run(command + [a for f in fields for a in ("-e", f)], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "LC_ALL": "C.UTF-8"})
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return [line.split("\t") for line in done.stdout.splitlines()]


def scapy_icrc(packets):
    """Yields, for each IPv4 RoCE packet, the iCRC as sent and as scapy computes it."""
    import logging
    logging.getLogger("scapy").setLevel(logging.ERROR)
    from scapy.contrib.roce import BTH
    from scapy.layers.l2 import Ether
    for p in packets:
        bth = Ether(p.frame)[BTH]
        yield p.icrc(), bth.compute_icrc(None)


class Decoders(harness.TestCase):
    def judge(self, path, opcodes):
        packets = harness.read_pcap(path)
        rows = tshark(path, "_ws.malformed", "_ws.expert.message", "_ws.expert.severity", "infiniband.bth.opcode",
                      "frame.protocols", "infiniband.bth.psn", "infiniband.bth.destqp", "infiniband.invariant.crc")
        self.assertEqual(len(rows), len(packets))
        self.assertGreater(len(packets), 50)
        for p, (malformed, message, severity, opcode, protocols, psn, dest_qp, crc) in zip(packets, rows):
            self.assertEqual((malformed, message, severity), ("", "", ""), protocols)
            if p.opcode is None:
                self.assertRegex(protocols, ":(arp|icmpv6)$")  # address resolution
                continue
            self.assertIn("infiniband", protocols)
            self.assertEqual((int(opcode, 0), int(psn, 0), int(dest_qp, 16)), (p.opcode, p.psn, p.dest_qp))
            if p.opcode != CNP:  # tshark does not show the iCRC of a CNP
                self.assertEqual(int(crc, 16), int.from_bytes(p.icrc(), "big"))
            self.assertEqual(p.icrc(), p.icrc_by_annex_a17())
        roce = [p for p in packets if p.opcode is not None]
        self.assertEqual({p.opcode for p in roce}, opcodes)
        checked = 0
        for sent, made in scapy_icrc([p for p in roce if p.ethertype == 0x0800]):
            self.assertEqual(sent, made)
            checked += 1
        print(f"\n{len(packets)} packets decoded, {checked} iCRCs made by scapy, {len(roce)} by annex A17")
        return roce

    def test_every_opcode_on_every_kind_of_path(self):
        path = self.dir / "every.pcap"
        subprocess.run([os.environ["EVERY_OPCODE"], path], check=True)
        packets = self.judge(path, WRITES | SENDS | {ACKNOWLEDGE, CNP})
        self.assertEqual({(p.ethertype, p.vlan) for p in packets},
                         {(e, v) for e in (0x0800, 0x86DD) for v in (None, 100)})
        self.assertEqual({p.pad for p in packets}, {0, 1, 2, 3})
        self.assertEqual({p.syndrome for p in packets} - {None},
                         {0x1F, 0x05, 0x20, 0x2C, 0x3F, 0x60, 0x61, 0x62, 0x63, 0x64})

    def traffic(self, v6, vlan):
        """Returns a configuration with every kind of WRITE, losses, RNR NAKs and congestion marks."""
        addresses = [f"fd00::{i}/64" if v6 else f"10.0.0.{i}/24" for i in (1, 2, 3)]
        keys = {"vlan": vlan} if vlan else {}
        retry = {"RC": {"retry_count": 7, "timeout": 9}, "UC": {}}
        qps = [qp(pmtu=1024, transport=transport, **retry[transport],
                  traffic={"verb": verb, "message_size": size, "messages": 20})
               for transport in ("RC", "UC") for verb in ("write", "write_imm") for size in ("0B", "1021B", "5001B")]
        qps.append(qp("busy", pmtu=1024, rnr_retry=1, **retry["RC"], traffic={"verb": "write_imm", "message_size": "1002B", "messages": 5}))
        return ring([board(*qps, ip=addresses[0], **keys)],
                    [receiver(ip=addresses[1], memory="64KiB", cnp={"interval": "10us"}, **keys),
                     receiver("busy", ip=addresses[2], memory="64KiB", receives=2, rnr_timer=1, **keys)],
                    feb={"faults": {"seed": 2, "tx_drop": "3%", "tx_mark_ce": "30%"}},
                    nic={"capture": {"file": "nic.pcap", "packets": 20000}})

    def test_traffic(self):
        for v6 in (False, True):
            for vlan in (None, 100):
                with self.subTest(v6=v6, vlan=vlan):
                    self.run_softfeb(self.traffic(v6, vlan), status=1)  # UC loses packets, and the QP to `busy` exceeds its RNR retries
                    packets = self.judge(self.dir / "nic.pcap", WRITES | {ACKNOWLEDGE, CNP})
                    syndromes = {p.syndrome for p in packets}
                    self.assertLessEqual({0x1F, 0x60, 0x21}, syndromes)

    def test_capture_around_an_error(self):
        """With `on: error`, a capture contains the packets around the first error. If no error occurs, it contains no packets."""
        traffic = {"message_size": "64KiB", "messages": 400}
        for faults, errors in (({}, False), ({"seed": 3, "tx_drop": "0.5%"}, True)):
            config = ring([board(qp(traffic=traffic, retry_count=7, timeout=9))], [receiver(memory="1MiB")],
                          feb={"faults": faults} if faults else None,
                          nic={"capture": {"file": "nic.pcap", "packets": 200, "on": "error", "snaplen": 128}})
            run = self.run_softfeb(config)
            packets = harness.read_pcap(self.dir / "nic.pcap")
            if not errors:
                self.assertEqual(packets, [])
                continue
            self.assertGreater(run.qps()[0]["nak_rx"]["sequence"], 0)
            self.assertLessEqual(len(packets), 200)
            self.assertEqual(max(len(p.frame) for p in packets), 128)
            naks = [i for i, p in enumerate(packets) if p.opcode == ACKNOWLEDGE and p.frame[p.bth_at + 12] == 0x60]
            self.assertTrue(naks, "the NAK is in the capture")
            self.assertTrue(all(p.syndrome in (None, 0x1F) for p in packets[:naks[0]]))


if __name__ == "__main__":
    harness.main()
