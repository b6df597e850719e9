# SPDX-License-Identifier: BSD-3-Clause
"""Tests how results become dataclasses, even with unknown, absent or wrong members.

Also tests versions and tables.
"""

import copy
import io
import json

import pytest

import softfeb
from softfeb.documents.result import Board, Latency


def test_members_have_types(incast):
    assert incast.verdict == "held" and incast.held
    assert [board.name for board in incast.boards] == ["feb-0", "feb-1", "feb-2"]
    assert all(isinstance(qp.tx_packets, int) for b in incast.boards for qp in b.qps)
    assert incast.boards[0].qps[0].nak_rx.sequence == 0
    assert incast.lab.figures.totals.packets == sum(b.summary.tx_packets for b in incast.boards)
    assert incast.clock is None and incast.raw.get("clock") is None


def test_keywords_get_an_underscore(incast):
    stage = incast.latency.stages[0]
    assert stage.from_ == incast.raw["latency"]["stages"][0]["from"]
    assert isinstance(stage.buckets[0], tuple)


def test_unknown_members_are_kept(incast):
    data = copy.deepcopy(incast.raw)
    data["novelty"] = 1
    data["boards"][1]["qps"][0]["novelty"] = {"deep": [2]}
    result = softfeb.load(data)
    assert result.extra == {"novelty": 1}
    assert result.boards[1].qps[0].extra == {"novelty": {"deep": [2]}}
    assert result.boards[0].extra == {}
    assert result.to_json() == data


def test_a_round_trip_loses_nothing(incast, tmp_path):
    path = tmp_path / "result.json"
    path.write_text(json.dumps(incast.to_json()), encoding="utf-8")
    assert softfeb.load(path) == incast == softfeb.load(str(path)) == softfeb.load(open(path))


def test_newer_versions_are_refused(incast):
    with pytest.raises(softfeb.VersionError, match="version 2.*reads version 1; fix: "):
        softfeb.load({**incast.raw, "schema_version": 2})


def test_documents_without_later_members_are_read(incast):
    data = {k: v for k, v in incast.raw.items() if k not in ("latency", "lab")}
    result = softfeb.load(data)
    assert result.latency is None and result.lab is None


@pytest.mark.parametrize(
    "change, place",
    [
        (lambda d: d.pop("boards"), "boards"),
        (lambda d: d["boards"][1].pop("name"), r"boards\[1\].name"),
        (lambda d: d.update(boards={}), "boards"),
        (lambda d: d["boards"][0].update(qps=[3]), r"boards\[0\].qps\[0\]"),
        (lambda d: d["latency"]["stages"][0].update(buckets=[[1]]), r"stages\[0\].buckets\[0\]"),
    ],
)
def test_errors_name_the_place(incast, change, place):
    data = copy.deepcopy(incast.raw)
    change(data)
    with pytest.raises(softfeb.DocumentError, match=place):
        softfeb.documents.Result.from_json(data)


def test_files_that_are_no_documents(tmp_path):
    broken = tmp_path / "broken.json"
    broken.write_text('{"verdict": ', encoding="utf-8")
    with pytest.raises(softfeb.DocumentError, match="broken.json is not JSON"):
        softfeb.load(broken)
    with pytest.raises(softfeb.DocumentError, match="not a JSON object"):
        softfeb.load(io.StringIO("[]"))
    with pytest.raises(softfeb.DocumentError, match="no known kind"):
        softfeb.load({"hello": 1})


def test_tables(incast):
    rows = incast.table("boards.qps")
    assert [row["boards"] for row in rows] == ["feb-0", "feb-1", "feb-2"]
    assert rows[0]["nak_rx.sequence"] == 0 and "qps" not in rows[0]
    assert incast.table() == incast.table("boards")
    ports = incast.table("switches.ports")
    assert {row["switches"] for row in ports} == {"tor"} and len(ports) == 4
    assert incast.table("lab.figures.windows")[0]["window_ms"] == 10
    assert [row["from"] for row in incast.table("latency.stages")]
    assert incast.table("")[0]["verdict"] == "held"
    with pytest.raises(KeyError, match="no list 'nothing'"):
        incast.table("nothing")


def test_pandas(incast):
    pandas = pytest.importorskip("pandas")
    frame = incast.to_pandas("boards.qps")
    assert isinstance(frame, pandas.DataFrame)
    assert frame["tx_packets"].sum() == incast.lab.figures.totals.packets
    assert list(frame.boards) == ["feb-0", "feb-1", "feb-2"]


def test_documents_are_immutable(incast):
    with pytest.raises(AttributeError):
        incast.verdict = "failed"
    assert isinstance(incast.boards[0], Board) and isinstance(incast.latency, Latency)


def test_the_text_of_a_document_is_short(incast):
    assert len(repr(incast)) < 800
    assert "verdict='held'" in repr(incast) and "boards=<list of 3>" in repr(incast)
    assert repr(incast.boards[0].qps[0].nak_rx).startswith("NaksReceived(sequence=0, ")
