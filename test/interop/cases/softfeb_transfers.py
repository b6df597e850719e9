# SPDX-License-Identifier: BSD-3-Clause
"""Registered transfers from softfeb to rdma-sink."""

from softfeb import CLOSED_LOOP, run_to_sink
from softroce import case

TRANSFERS, SEGMENTS, QPS = 40, 8, 4


@case("tap")
def transfers_are_notified(lab):
    """Four QPs send 40 transfers of eight segments each. The receiver reports each transfer once."""
    settings = {key: value for key, value in CLOSED_LOOP.items() if key.startswith("qp.")}
    traffic = {"transfer": "125KiB", "segment": "16KiB", "registered": True, "payload": "counter"}
    # In 125 KiB, the last segment is shorter, so one QP must send all segments. In 128 KiB, all segments are equal and may be divided among
    # QPs.
    for count, size in ((1, "125KiB"), (QPS, "128KiB")):
        messages = TRANSFERS * SEGMENTS // count
        done, report = run_to_sink(lab, ["--registration", "--memory", "1MiB"],
                                   {**settings, "qp.count": count, "qp.traffic": {**traffic, "transfer": size}, "run.messages": messages},
                                   name=f"transfers-{count}")
        got = report["registration"]
        assert report["held"] and report["messages"] == TRANSFERS * SEGMENTS, report
        assert (got["registered"], got["complete"], got["open"]) == (TRANSFERS, TRANSFERS, 0), report
        assert got["notifications"]["count"] == TRANSFERS and got["incomplete"] == [], report
        assert [n["op"] for n in got["notifications"]["first"]] == sorted(n["op"] for n in got["notifications"]["first"]), report
        assert {n["bytes"] for n in got["notifications"]["first"]} == {int(size[:-3]) * 1024}, report
        assert got["placed"] == TRANSFERS * SEGMENTS and got["mask_bits"] == 32, report


@case("tap")
def transfers_need_registration(lab):
    """An rdma-sink that does not expect transfers refuses them, and its error states the fix."""
    with lab.sink(expect_exit=1) as sink:
        with sink.connect() as tcp:
            answer = tcp.ask({"version": 1, "ip": lab.host_ip, "transport": "rc", "pmtu": 4096, "message_size": 64,
                              "qps": [{"qpn": 256, "psn": 0}], "immediate": {"kind": "transfer", "segments": 4}})
        assert "fix: rdma-sink --registration" in answer["error"], answer
        sink.stop()
