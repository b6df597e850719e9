# SPDX-License-Identifier: BSD-3-Clause
"""Tests softfeb conformance against the kernel's Soft-RoCE."""

import csv
import json
import re

from softfeb import device
from softroce import ROOT, case

CONF = ROOT / "conf/conformance-softroce.yaml"
CASES = ROOT / "test/vectors/conformance/cases.csv"
# The cases of level `shall` that are not applicable to the guest, by reason. Cases that need a notification point or a VLAN are not listed.
NOT_APPLICABLE = {
    "lacks icrc_counter": {"CRC-15", "LOS-07"},
    "no IPv6 address": {"CRC-16", "NET-22", "NET-23"},
}


def conformance(lab, sink, *options, name="conformance"):
    """Runs softfeb conformance. Returns its exit status, its output and its result."""
    result = lab.dir / f"{name}.json"
    done = lab.host([lab.program("app/softfeb/softfeb"), "conformance", "-c", CONF, "--target", sink.url,
                     "--set", f"ports.0.device={device(lab)}", "--json", result, "--out", lab.dir / name, *options],
                    timeout=400, name=name)
    return done.returncode, done.stdout, json.loads(result.read_text()) if result.exists() else None


def deviates(row, kernel):
    """Returns true if the catalogue says that this kernel deviates. The note may limit a deviation to a kernel: "6.1 only"."""
    only = re.match(r"(6\.\d+) only", row["rxe_note"])
    return row["rxe_verdict"] == "deviates" and (not only or only[1] == kernel)


def wrong_verdict(result, row, kernel):
    """Compares a verdict with the catalogue's columns rxe_verdict and rxe_guest. Returns what is wrong, or None."""
    verdict, reason = result["verdict"], result.get("reason", "")
    if deviates(row, kernel):
        return None if verdict == "known deviation" else f"{verdict} ({reason}), although the catalogue says that the guest deviates"
    if verdict == "pass":
        return "pass, although the guest has no notification point" if row["rxe_guest"] == "cnpd" else None
    if verdict != "not applicable":
        return f"{verdict} ({reason}), although the catalogue says {row['rxe_verdict']}"
    expected = [why for why, ids in NOT_APPLICABLE.items() if row["id"] in ids]
    expected += ["lacks notification_point"] if row["rxe_verdict"] == "n/a" else []
    expected += ["no interface with a VLAN"] if "vlan" in row["needs"].split() else []
    return None if any(e in reason for e in expected) else f"not applicable: {reason}"


@case("tap")
def conformance_quick(lab):
    """Every case of level `shall` gets the verdict that the catalogue lists."""
    with open(CASES, newline="") as file:
        rows = {row["id"]: row for row in csv.DictReader(file)}
    kernel = ".".join(lab.run("uname -r").out.split(".")[:2])
    with lab.sink("--memory", "16MiB") as sink:
        code, text, result = conformance(lab, sink, "--quick", "--profile", f"rxe-{kernel}",
                                         "--attempts", "5")  # other tests that run at the same time may disturb a case
        assert result, text[-2000:]
    quick = [c for c in result["cases"] if c["verdict"] != "not run"]
    wrong = {c["id"]: w for c in quick if (w := wrong_verdict(c, rows[c["id"]], kernel))}
    assert not wrong, "\n".join(f"{id}: {what}" for id, what in wrong.items()) + "\n" + text[-2000:]
    assert code == 0, text[-2000:]
    assert len(quick) > 150, len(quick)


@case("tap")
def conformance_counters(lab):
    """STR-15 reports the driver's counters next to the counts that follow from the packets on the wire."""
    with lab.sink("--memory", "16MiB") as sink:
        code, text, result = conformance(lab, sink, "--stress", "--cases", "STR-15", "--profile", "iba")
    assert code == 0, text[-2000:]
    figures = {f["name"]: f["value"] for f in result["cases"][0]["figures"]}
    for name in ("out_of_sequence", "duplicate_requests"):
        assert figures[f"counter_{name}"] > 0 and figures[f"wire_{name}"] > 0, figures
