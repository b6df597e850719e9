# SPDX-License-Identifier: BSD-3-Clause
"""Tests a board on a kernel interface (net_af_packet on a veth pair) from another network namespace. Requires
root."""

import concurrent.futures
import os
import signal
import socket
import struct
import subprocess
import sys
import time

import harness
from harness import board, qp, receiver

SOL_PACKET, PACKET_AUXDATA, TP_STATUS_VLAN_VALID = 263, 8, 0x10
BOARD_MAC = "02:00:00:00:00:01"


def ip(*args):
    subprocess.run(["ip", *map(str, args)], check=True, capture_output=True, text=True)


class Link:
    """A veth pair between two network namespaces. softfeb uses the end `near`; the end `far` has the address
    10.0.0.2/24.

    Both namespaces are new, because an AF_PACKET socket receives from all interfaces of its namespace until
    it is bound.
    """

    def __init__(self, mtu=9000):
        base = f"sfs{os.getpid()}"
        self.softfebs, self.namespace, self.near, self.far = f"{base}s", f"{base}f", "near", "far"
        try:
            ip("netns", "add", self.softfebs)
            ip("netns", "add", self.namespace)
            ip("-n", self.softfebs, "link", "add", self.near, "mtu", mtu, "type", "veth", "peer", "name", self.far, "netns",
               self.namespace)
            ip("-n", self.softfebs, "link", "set", self.near, "up")
            for args in (("link", "set", self.far, "mtu", mtu, "up"), ("addr", "add", "10.0.0.2/24", "dev", self.far)):
                ip("-n", self.namespace, *args)
        except Exception:
            self.close()
            raise
        self.prefix = ("ip", "netns", "exec", self.softfebs)

    def close(self):
        for namespace in (self.softfebs, self.namespace):
            subprocess.run(["ip", "netns", "del", namespace], capture_output=True)

    def inside(self, function, *args):
        """Runs a function of this file in the far namespace, in a separate process. Returns its return value as text."""
        return self.inside_of("kernel_ports", function, *args)

    def inside_of(self, module, function, *args):
        """Like inside(), but for a function of another file in this folder."""
        code = f"import sys; sys.path.insert(0, {str(harness.ROOT / 'test/smoke')!r}); import {module}; " \
               f"print({module}.{function.__name__}(*{args!r}))"
        done = subprocess.run(["ip", "netns", "exec", self.namespace, sys.executable, "-c", code], capture_output=True,
                              text=True, timeout=30)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()


def checksum(data):
    total = sum(struct.unpack(f"!{len(data) // 2}H", data + b"\0" * (len(data) % 2)))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def ping(address, size, count):
    """Sends `count` ICMP echo requests through the kernel, which finds the board by ARP. Returns the number of correct replies."""
    s = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
    s.settimeout(1)
    good, payload = 0, bytes(i * 7 % 256 for i in range(size))
    for n in range(count):
        header = struct.pack("!BBHHH", 8, 0, 0, os.getpid() & 0xFFFF, n)
        s.sendto(header[:2] + struct.pack("!H", checksum(header + payload)) + header[4:] + payload, (address, 0))
        end = time.monotonic() + 1
        while time.monotonic() < end:
            try:
                got = s.recv(65536)
            except TimeoutError:
                break
            message = got[(got[0] & 15) * 4:]
            if message[0] == 0 and message[4:] == header[4:] + payload and checksum(message) == 0:
                good += 1
                break
    return good


def arp(interface, address, broadcast, vlan=None):
    """Sends an ARP request as arping does. Returns the MAC address in the reply, or "nobody" if no
    reply arrives within half a second."""
    s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    s.bind((interface, 0))
    s.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
    s.settimeout(0.5)
    mac = s.getsockname()[4]
    to = b"\xff" * 6 if broadcast else bytes.fromhex(BOARD_MAC.replace(":", ""))
    tag = b"" if vlan is None else struct.pack("!HH", 0x8100, vlan)
    s.send(to + mac + tag + struct.pack("!HHHBBH", 0x0806, 1, 0x0800, 6, 4, 1) + mac + socket.inet_aton("10.0.0.2") + b"\0" * 6
           + socket.inet_aton(address))
    end = time.monotonic() + 0.5
    while time.monotonic() < end:
        try:
            frame, auxiliary, _, _ = s.recvmsg(2048, 256)
        except TimeoutError:
            break
        # struct tpacket_auxdata contains the VLAN tag that the kernel removed.
        tags = [struct.unpack("=IIIHHHH", data) for level, kind, data in auxiliary if (level, kind) == (SOL_PACKET, PACKET_AUXDATA)]
        got_vlan = next((t[5] & 0xFFF for t in tags if t[0] & TP_STATUS_VLAN_VALID), None)
        if frame[12:14] != b"\x08\x06" or got_vlan != vlan:
            continue
        operation, sender, source = struct.unpack("!H6s4s", frame[20:32])
        if operation == 2 and source == socket.inet_aton(address) and frame[:6] == mac:
            return sender.hex(":")
    return "nobody"


def broadcast(interface, seconds):
    """Sends broadcast frames of an unassigned EtherType, one every 100 us. Returns their number."""
    s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    s.bind((interface, 0))
    frame = b"\xff" * 6 + s.getsockname()[4] + b"\x88\xb5" + bytes(46)
    end, n = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        s.send(frame)
        n += 1
        time.sleep(1e-4)
    return n


class Kernel(harness.TestCase):
    def link(self, mtu=9000):
        link = Link(mtu)
        self.addCleanup(link.close)
        return link

    def started(self, link, config):
        softfeb = self.start({**config, "run": {"duration": "60s"}}, prefix=link.prefix)
        self.addCleanup(lambda: softfeb.process.poll() is None and softfeb.process.kill())
        for line in softfeb.process.stderr:
            if line.startswith("memory: "):
                return softfeb
        self.fail(f"status {softfeb.finish().status} before it began")

    def run_in(self, link, config, *args, status=0):
        run = self.start(config, *args, prefix=link.prefix).finish(30)
        self.assertEqual(run.status, status, f"{run.err}{run.out}")
        return run

    def configuration(self, link, *qps, **keys):
        return {
            "eal": {"hugepages": "no"},
            "workers": {"count": 1, "idle": "sleep"},
            "ports": [{"name": "feb", "device": f"net_af_packet:{link.near}", "mtu": 9000}],
            "boards": [{"port": "feb", "mac": BOARD_MAC, **board(*qps, **keys)}],
        }

    def end(self, softfeb, status=0):
        softfeb.signal(signal.SIGTERM)
        run = softfeb.finish()
        self.assertEqual(run.status, status, run.err)
        return run

    def test_ping_and_arping(self):
        link = self.link()
        softfeb = self.started(link, self.configuration(link))
        for size in (0, 56, 1472, 8972):
            self.assertEqual(link.inside(ping, "10.0.0.1", size, 5), "5", f"{size} bytes")
        for broadcast in (True, False):
            self.assertEqual(link.inside(arp, link.far, "10.0.0.1", broadcast), BOARD_MAC)
            self.assertEqual(link.inside(arp, link.far, "10.0.0.3", broadcast), "nobody")
        self.assert_held(self.end(softfeb))

    def test_arping_in_a_vlan(self):
        """The kernel removes the VLAN tag before it passes a frame to AF_PACKET. The board must see the tag nevertheless."""
        link = self.link()
        softfeb = self.started(link, self.configuration(link, vlan=100, pcp=5))
        self.assertEqual(link.inside(arp, link.far, "10.0.0.1", True, 100), BOARD_MAC)
        self.assertEqual(link.inside(arp, link.far, "10.0.0.1", True, 101), "nobody")
        self.assertEqual(link.inside(arp, link.far, "10.0.0.1", True), "nobody")
        self.end(softfeb)

    def test_neighbours_are_asked_for(self):
        """The kernel at the far end answers ARP requests for 10.0.0.2. No host has the address 10.0.0.9, so the board repeats its request
        every second."""
        link = self.link()
        to = {"qpn": 7, "rkey": 1, "address": 0, "length": "1MiB"}
        traffic = {"message_size": "4KiB", "messages": 10}
        config = self.configuration(link, qp({"ip": "10.0.0.2", **to}, transport="UC", traffic=traffic))
        run = self.run_in(link, config)
        self.assertEqual(run.result["boards"][0]["arp_requests_tx"], 1)
        self.assertEqual(run.qps()[0]["tx_packets"], 10)
        far = subprocess.run(["ip", "-n", link.namespace, "neigh", "show", "10.0.0.1"], capture_output=True, text=True)
        self.assertIn(BOARD_MAC, far.stdout)

        config = self.configuration(link, qp({"ip": "10.0.0.9", **to}, transport="UC", traffic=traffic))
        run = self.run_in(link, config, "--set", "run.duration=3s", status=1)
        self.assertIn(run.result["boards"][0]["arp_requests_tx"], range(3, 6))
        self.assertEqual(run.qps()[0]["tx_packets"], 0)
        self.assertIn("10.0.0.9", run.result["messages"][0])

    def test_static_neighbours_are_not(self):
        link = self.link()
        to = {"ip": "10.0.0.9", "qpn": 7, "rkey": 1, "address": 0, "length": "1MiB"}
        traffic = {"message_size": "4KiB", "messages": 10}
        config = self.configuration(link, qp(to, transport="UC", traffic=traffic),
                                    neighbours={"10.0.0.9": "02:00:00:00:00:09"})
        config["ports"][0]["capture"] = {"file": "feb.pcap", "direction": "tx"}
        run = self.run_in(link, config)
        self.assertEqual(run.result["boards"][0]["arp_requests_tx"], 0)
        self.assertEqual({p.frame[:6].hex(":") for p in harness.read_pcap(self.dir / "feb.pcap") if p.opcode is not None},
                         {"02:00:00:00:00:09"})

    def test_gateway(self):
        """The board sends packets for a receiver outside its subnet to the gateway's MAC address."""
        link = self.link()
        to = {"ip": "10.9.0.1", "qpn": 7, "rkey": 1, "address": 0, "length": "1MiB"}
        config = self.configuration(link, qp(to, transport="UC", traffic={"message_size": "4KiB", "messages": 10}),
                                    gateway="10.0.0.2")
        run = self.run_in(link, config)
        self.assertEqual((run.result["boards"][0]["arp_requests_tx"], run.qps()[0]["tx_packets"]), (1, 10))

    def test_file_over_two_kernel_interfaces(self):
        link = self.link()
        ip("-n", link.namespace, "addr", "flush", "dev", link.far)
        ip("-n", link.namespace, "link", "set", link.far, "netns", link.softfebs)
        ip("-n", link.softfebs, "link", "set", link.far, "up")
        digest = harness.random_file(self.dir / "sent.bin", 8 << 20)
        config = self.configuration(link, qp(traffic={"payload": {"file": "sent.bin"}, "rate": "300Mb/s"}, ack_every=8,
                                             **harness.PATIENT))
        config["workers"]["count"] = 2
        config["ports"].append({"name": "nic", "device": f"net_af_packet:{link.far}", "mtu": 9000})
        config["receivers"] = [{"port": "nic", "worker": 1, **receiver(out="received.bin")}]
        run = self.run_in(link, config)
        self.assert_held(run)
        self.assertEqual(harness.sha256(self.dir / "received.bin"), digest)

    def test_a_lab_balances_while_others_broadcast(self):
        """A host outside the lab broadcasts throughout the run and beyond its end. The lab's packet counts must balance nevertheless."""
        link = self.link()
        names = ("feb", "daq", "outside")
        config = self.config({
            "run": {"duration": "500ms"},
            "eal": {"hugepages": "no"},
            "workers": {"count": 1, "idle": "sleep"},
            "ports": [{"name": "outside", "device": f"net_af_packet:{link.near}", "mtu": 9000}],
            "network": {"switches": [{"name": "tor", "buffer": "4MiB"}],
                        "links": [{"ends": [name, "tor"], "rate": "10Gb/s"} for name in names]},
            "boards": [board(qp(traffic={"message_size": "64KiB", "rate": "50Mb/s"}, **harness.PATIENT), name="feb", count=2)],
            "receivers": [receiver(ip="10.0.0.101/24", memory="1MiB")],
        })
        result = self.dir / "result.json"
        with concurrent.futures.ThreadPoolExecutor() as others:
            for _ in range(2):
                sent = others.submit(link.inside, broadcast, link.far, 6)
                run = harness.Softfeb(["lab", "-c", str(config), "--json", str(result)], self.dir, result, link.prefix).finish()
                self.assertFalse(sent.done(), "the other host stopped before the run ended")
                self.assertGreater(int(sent.result()), 1000)
                # Check only the status: on a busy machine, the verdict may be inconclusive, which is not a failure.
                self.assertEqual(run.status, 0, run.err + run.out)
                self.assertGreater(run.result["lab"]["network"]["delivered"], 3000)

    def test_a_run_ends_while_others_broadcast(self):
        link = self.link()
        config = self.configuration(link)
        config.update(run={"duration": "500ms"}, boards=[], receivers=[{"port": "feb", **receiver()}])
        with concurrent.futures.ThreadPoolExecutor() as others:
            sent = others.submit(link.inside, broadcast, link.far, 8)
            self.run_in(link, config)
            self.assertFalse(sent.done(), "the run waited for the other host")

    def test_path_mtu_above_the_interface_s(self):
        link = self.link(1500)
        to = {"ip": "10.0.0.2", "qpn": 7, "rkey": 1, "address": 0, "length": "1MiB"}
        config = self.configuration(link, qp(to, pmtu=4096))
        del config["ports"][0]["mtu"]
        run = self.run_in(link, config, status=2)
        for words in ("boards.0.qps.0.pmtu", "4096", "1500", "ip link set", "fix:"):
            self.assertIn(words, run.err)

    def test_an_ordinary_user_is_told_what_it_takes(self):
        link = self.link()
        os.chmod(self.dir, 0o777)
        run = self.start({**self.configuration(link), "run": {"duration": "1s"}},
                         prefix=(*link.prefix, "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")).finish(30)
        self.assertEqual(run.status, 3, run.err)
        self.assertIn("CAP_NET_RAW", run.err)


if __name__ == "__main__":
    if os.getuid() != 0 or subprocess.run(["unshare", "--net", "true"], capture_output=True).returncode != 0:
        print("skipped: network namespaces need root")
        sys.exit(harness.SKIPPED)
    harness.main()
