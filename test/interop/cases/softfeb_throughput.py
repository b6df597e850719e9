# SPDX-License-Identifier: BSD-3-Clause
"""Measures the throughput into the guest's memory and reports it as JSON. There is no minimum,
because the machine may be busy."""

import shutil

from softfeb import CLOSED_LOOP, run_to_sink
from softroce import case


@case("tap", "vhostsrv")
def throughput_is_reported(lab):
    """Sends messages of 64 KiB for two seconds at path MTU 4096. softfeb and the receiver report the goodput."""
    done, report = run_to_sink(lab, ["--memory", "8MiB"],
                               {**CLOSED_LOOP, "qp.pmtu": 4096, "run.messages": 1_000_000_000, "run.duration": "2s",
                                "run.warmup": "500ms"})
    qp = done.qp
    assert qp["goodput_gbps"] > 0 and done.json["goodput_gbps"] == qp["goodput_gbps"], qp
    assert qp["measured_payload_bytes"] * 8e-9 / qp["measured_s"] - qp["goodput_gbps"] < 1e-6, qp
    assert report["held"] and report["goodput_gbps"] > 0, report
    kept = lab.dir.parent / f"throughput-{lab.mode}.json"
    shutil.copy(done.result, kept)
    busy = sum(w["stolen_s"] for w in done.json["workers"]) / done.json["duration_s"]
    print(f"#   {qp['goodput_gbps']:.3f} Gb/s of payload, {qp['retransmitted_packets']} packets sent again, worker not run "
          f"for {100 * busy:.0f} % of the time; {kept.name}")
