# SPDX-License-Identifier: BSD-3-Clause
"""Runs the scenarios of Lumina (conf/faults/lumina) with the guest as the receiver. The board's
port injects the events of each scenario. Both guest and board must follow go-back-N. rxe sends no
CNPs, so `cnpd` serves as its notification point."""

import sys

import yaml
from softfeb import run_to_sink
from softroce import ROOT, case

for folder in ("support", "smoke"):
    sys.path.insert(0, str(ROOT / "test" / folder))

import harness  # noqa: E402
import lumina_checks as checks  # noqa: E402

TIMEOUT_CODE = 17  # 537 ms: longer than the guest is preempted, to avoid further retransmissions
TIMEOUT = 4096 << TIMEOUT_CODE  # nanoseconds
PMTU = 1024


def run_scenario(lab, name, rate="40Mb/s"):
    """Runs the events of conf/faults/lumina/NAME.yaml. Returns the run, the sink's report, and the packets of each queue pair."""
    # Keep all values as text, because YAML 1.1 would read `on` as true.
    config = yaml.load((ROOT / "conf" / "faults" / "lumina" / f"{name}.yaml").read_text(), yaml.BaseLoader)
    qp, rules = config["boards"][0]["qps"][0], config["ports"][0]["faults"]["rules"]
    capture = lab.dir / f"{name}.pcap"
    done, report = run_to_sink(
        lab, ["--memory", "4MiB"],
        {"port.faults": {"rules": rules}, "port.capture": {"file": str(capture), "packets": 100_000}, "qp.count": int(qp.get("count", 1)),
         "qp.pmtu": PMTU, "qp.window": 1, "qp.retry_count": 7, "qp.timeout": TIMEOUT_CODE, "qp.ack_every": 0, "traffic.messages": 1,
         "traffic.message_size": qp["traffic"]["message_size"], "traffic.verb": "write_imm", "traffic.immediate": "counter",
         "traffic.rate": rate}, timeout=100, name=name)
    assert done.json["verdict"] == "held" and report["messages"] == len(done.qps), done.text
    hits = done.json["ports"][0]["faults"]["rules"]
    assert {(r["hits"] > 0, r["refused"]) for r in hits} == {(True, 0)}, hits
    packets = checks.read([(p.time_ns, p.frame) for p in harness.read_pcap(capture)], "10.77.0.100")
    first = min(p.psn for p in packets if p.request)
    return done, report, [checks.of_qp(packets, q["dest_qpn"], q["qpn"]) for q in done.qps], first, [r["hits"] for r in hits]


def recovered(packets, first, total=1000, damaged=()):
    return [r.psn for r in checks.check_go_back_n(packets, first, total, damaged)]


@case("tap")
def lumina_go_back_n(lab):
    """A lost or damaged packet causes one NAK. A lost retransmission causes no NAK, and the timer repairs the loss."""
    for name, damaged, timeouts in (("go-back-n", (), 0), ("go-back-n-corrupt", {(100, 1)}, 0), ("go-back-n-twice", (), 1)):
        done, _, packets, first, hits = run_scenario(lab, name)
        recoveries = checks.check_go_back_n(packets[0], first, 1000, damaged)
        assert [r.psn for r in recoveries] == [100] and recoveries[0].nak is not None, recoveries
        assert (set(hits), done.qp["timeouts"]) == ({1}, timeouts), (hits, done.qp)
        if timeouts:
            assert recoveries[0].resent - recoveries[0].nak >= TIMEOUT, recoveries
        print(f"#   {name}: NAK after {(recoveries[0].nak - recoveries[0].noticed) / 1e6:.3f} ms, sent again "
              f"{(recoveries[0].resent - recoveries[0].nak) / 1e6:.3f} ms later")


@case("tap")
def lumina_retransmission_time(lab):
    """The last packet of a message is lost three times. Only the timer repairs the loss, three times."""
    done, _, packets, first, hits = run_scenario(lab, "retransmission-time")
    assert recovered(packets[0], first) == [] and hits == [1, 1, 1], hits
    assert (done.qp["timeouts"], done.qp["nak_rx"]["sequence"]) == (3, 0), done.qp
    sent = {}
    for p in packets[0]:
        if p.request:
            sent.setdefault(p.psn - first, p.ns)
    took = sent[999] - sent[998]
    assert took >= 3 * TIMEOUT, took
    print(f"#   three timeouts of {TIMEOUT / 1e6:.0f} ms: {took / 1e6:.0f} ms")


@case("tap")
def lumina_events_on_several_queue_pairs(lab):
    """Losses of some queue pairs do not affect the other queue pairs. Two of four and twelve of 36 queue pairs lose a packet."""
    _, _, packets, first, hits = run_scenario(lab, "mixed-events", rate="10Mb/s")
    assert [recovered(p, first) for p in packets] == [[], [], [3], [5]] and hits == [1] * 4, hits
    done, _, packets, first, hits = run_scenario(lab, "many-losses", rate="1Mb/s")
    assert [recovered(p, first, 100) for p in packets] == [[4]] * 12 + [[]] * 24 and hits == [1] * 12, hits
    assert {(q["retransmitted_packets"], q["timeouts"]) for q in done.qps[12:]} == {(0, 0)}, done.qps


@case("tap")
def lumina_notification_point(lab):
    """Every 50th packet is marked, and each mark is answered with a CNP."""
    with lab.guest.popen(["cnpd", "*=0x100"]) as cnpd:
        cnpd.wait_for_output("ready", kind="err")
        done, _, packets, first, hits = run_scenario(lab, "cnp-every-50")
    assert checks.check_cnps(packets[0]) == (20, 20) and hits == [20], (hits, done.qp)
    assert [p.psn - first for p in packets[0] if p.request and p.marked] == list(range(49, 1000, 50))


@case("tap")
def lumina_mig_req(lab):
    """The guest loses no packets, whether MigReq is 0 or 1."""
    done, _, packets, _, hits = run_scenario(lab, "mig-req", rate="2Mb/s")
    assert hits == [100] * 8, hits
    assert [{p.frame[43] & 0x40 for p in own if p.request} for own in packets] == [{0x40}] * 8 + [{0}] * 8
    assert {q["retransmitted_packets"] for q in done.qps} == {0}, done.qps
