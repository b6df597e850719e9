# SPDX-License-Identifier: BSD-3-Clause
"""Tests that real documents of all kinds conform to the JSON Schemas, and wrong documents do not.

Also checks that the documentation and the dataclasses agree with the schemas.
"""

import copy
import functools
import http.client
import json
import re
import subprocess
import sys

import pytest
from conftest import CONF, INCAST, ROOT, SMALL, board_settings, free_port_pair, read, ring

import softfeb
from softfeb import schemas

jsonschema = pytest.importorskip("jsonschema", reason="needs python3-jsonschema")
NAMES = schemas.names()


def closed(schema):
    """Return a schema that allows only the members that it describes."""
    if isinstance(schema, list):
        return [closed(element) for element in schema]
    if not isinstance(schema, dict):
        return schema
    result = {key: closed(value) for key, value in schema.items()}
    if "properties" in schema and "additionalProperties" not in schema:
        result["additionalProperties"] = False
    return result


@functools.lru_cache(maxsize=None)
def closed_validator(kind):
    name, _, definition = kind.partition("#")
    schema = closed(schemas.load(name))
    if definition:
        schema = {"$defs": schema["$defs"], "$ref": f"#/$defs/{definition}"}
    return jsonschema.Draft202012Validator(schema)


def check(document, kind):
    """Check that a document conforms to its schema, and that the schema describes all of its
    members."""
    for error in closed_validator(kind).iter_errors(document):
        pytest.fail(f"{kind}: {list(error.absolute_path)}: {error.message}")


@pytest.mark.parametrize("name", NAMES)
def test_schemas_are_valid(name):
    schema = schemas.load(name)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$id"] == f"urn:softfeb:schema:{name}:1"
    for definition in schema["$defs"].values():
        assert definition["description"]
        if "properties" not in definition:
            continue  # a list, or an object whose keys are data
        assert set(definition["required"]) <= set(definition["properties"])
        for member in definition["properties"].values():
            assert member["description"]


UNITS = {
    "_s": "second",
    "_ms": "millisecond",
    "_us": "microsecond",
    "_ns": "nanosecond",
    "gbps": "Gb/s",
    "mbps": "Mb/s",
    "bytes": "bytes",
    "_ppm": "ppm",
}


@pytest.mark.parametrize("name", NAMES)
def test_descriptions_name_the_units(name):
    for definition in schemas.load(name)["$defs"].values():
        for member, schema in definition.get("properties", {}).items():
            for suffix, unit in UNITS.items():
                if member.endswith(suffix):
                    assert unit in schema["description"], (member, schema["description"])


def test_definitions_with_the_same_name_are_equal():
    found = {}
    for name in NAMES:
        for title, definition in schemas.load(name)["$defs"].items():
            assert found.setdefault(title, definition) == definition, (name, title)


def test_the_dataclasses_agree():
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools/python-documents"), "--check"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    "page, names",
    [
        ("result.md", ["result", "comparison", "study"]),
        ("conformance-results.md", ["conformance"]),
        ("switch-results.md", ["switch-test"]),
        ("telemetry.md", ["live"]),
        ("rdma-sink.md#Report", ["rdma-sink"]),
    ],
)
def test_documented_members_are_in_the_schema(page, names):
    known = {
        member
        for name in names
        for definition in schemas.load(name)["$defs"].values()
        for member in definition.get("properties", ())
    }
    # these are keys of `rejected`, an object whose keys are data
    known |= {"wrong_source", "wrong_payload"}
    documented = set()
    in_table = False
    name, _, heading = page.partition("#")
    text = (ROOT / "doc" / name).read_text(encoding="utf-8")
    for line in text.split(f"## {heading}\n")[-1].splitlines():
        if line.startswith(("| member", "| key")):
            in_table = True
        elif not line.startswith("|"):
            in_table = False
        elif in_table and not line.startswith("|--"):
            for words in re.findall(r"`([^`]+)`", line.split("|")[1]):
                documented.add(re.split(r"[.\[\]]+", words.strip("[]."))[-1])
    assert len(documented) > 15
    assert documented - known == set()


def test_a_lab(incast):
    check(incast.raw, "result")


@pytest.mark.parametrize(
    "file, duration",
    [
        ("leaf-spine", "2ms"),
        ("link-faults", "5ms"),
        ("lossy", "5ms"),
        ("transfer", None),
        ("cc/hpcc", "2ms"),
        ("cc/homa", "2ms"),
        ("advcam", "1ms"),
    ],
)
def test_labs(file, duration):
    few = {"run.result_qps": 4, **({"boards.feb.count": 4} if file == "advcam" else {})}
    check(softfeb.lab(CONF / f"lab/{file}.yaml", duration=duration, set=few).raw, "result")


def test_messages_of_random_length():
    traffic = {"lengths": "hadoop", "arrivals": {"load": "40%"}}
    settings = {
        "boards.feb.qps.0.traffic": traffic,
        "boards.feb.link_rate": "10Gb/s",
        "boards.feb.stop": "2ms",
        "receivers.daq.memory": "16MiB",
    }
    result = softfeb.lab(INCAST, duration="2ms", set=settings)
    assert result.completion_times.classes[-1].up_to_bytes is None
    check(result.raw, "result")


def test_a_lab_in_real_time():
    stops = {"boards.feb.stop": ["200ms", "200ms", "100ms"]}
    result = softfeb.lab(
        INCAST, virtual=False, duration="200ms", set={**SMALL, **stops}, live=True
    )
    assert result.lab.virtual is not None
    check(result.raw, "result")


def test_runs():
    config = ring(rate="200Mb/s")
    config["boards"][0]["qps"].append({**config["boards"][0]["qps"][0], "transport": "UC"})
    config["ports"][0]["faults"] = {"tx_drop": "5%", "seed": 3}
    result = softfeb.run(config, messages=50)
    assert result.verdict == "failed" and result.receivers[0].missing > 0
    check(result.raw, "result")
    check(softfeb.run(CONF / "faults/corrupt.yaml", set=SMALL).raw, "result")
    port = free_port_pair()
    control = {"registers_port": port, "stream_port": port + 1, "profile": "softfeb-2026.12"}
    settings = {**SMALL, "boards.feb.control": control}
    check(softfeb.run(CONF / "nanet.yaml", set=settings, duration="200ms").raw, "result")


def febctl_documents(board):
    """Check the output of commands of febctl."""

    def command(kind, *words):
        documents = board._run(words)
        assert documents
        for document in documents:
            check(document, f"febctl#{kind}")

    command("Read", "read", "ScratchPad", "Dcqcn.*", "0x4:8", "FwRudpServer[0].*", "BuildStamp")
    command("Read", "read", "ScratchPad", "--watch", "0.01", "--times", "2")
    command("Write", "write", "ScratchPad", "7", "0x4", "8")
    command("List", "list", "AxiVersion")
    command("Dump", "dump")
    command("Status", "status")
    command(
        "Connection",
        "connect",
        "--host",
        "192.168.2.100",
        "--qpn",
        "17",
        "--rkey",
        "1",
        "--address",
        "4096",
        "--length",
        "1MiB",
    )
    command("BurstStarted", "dispatch", "--count", "1", "--no-wait")
    command("Burst", "dispatch", "--count", "2")
    command("CountersReset", "dispatch", "--reset")
    command("Teardown", "teardown")
    command("StreamCheck", "stream", "--seconds", "0.5")
    with open("registers.yaml", "w", encoding="utf-8") as file:
        file.write("AxiVersion: {ScratchPad: 5}")
    command("Load", "load", "registers.yaml")


def answer(url, method, path, body):
    """Return the body of a response, whatever its status."""
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=30)
    connection.request(method, path, body, {"Content-Type": "application/json"})
    return connection.getresponse().read()


def test_the_live_page_and_febctl():
    settings, ports = board_settings()
    with softfeb.start_run(CONF / "board.yaml", live=True, set=settings) as job:
        job.wait_for_traffic()
        febctl_documents(softfeb.Registers("127.0.0.1", **ports))
        kinds = {"setup": "Setup", "sample": "Sample", "counters": "Counters", "links": "Links"}
        seen = set()
        for name, data in job.live.events():
            if name in kinds:
                check(data, f"live#{kinds[name]}")
            seen.add(name)
            if set(kinds) | {"history", "state"} <= seen and data:
                break
        check(job.live.get("/api/state"), "live#State")
        check(job.live.get("/api/dcqcn/feb0"), "live#Parameters")
        check(job.live.get("/api/dcqcn"), "live#ParameterInfos")
        refused = '{"board": "feb0", "set": {"rai": "1"}}'
        for method, path, body in (("POST", "/api/dcqcn", refused), ("GET", "/api/x", None)):
            check(json.loads(answer(job.live.url, method, path, body)), "live#Refusal")
    check(job.result.raw, "result")


def test_a_comparison_and_a_study(tmp_path):
    short = {"duration": "2ms", "set": {"boards.feb.stop": "2ms"}}
    check(softfeb.compare(INCAST, algorithms=["dcqcn", "swift"], **short).raw, "comparison")
    study = softfeb.sweep(INCAST, axes={"run.seed": [1, 2]}, out=tmp_path / "s", **short)
    check(study.raw, "study")
    check(read(tmp_path / "s/result.json"), "study")
    check(read(tmp_path / "s/sweep.json"), "study-manifest")
    for point in (tmp_path / "s/points").iterdir():
        check(read(point), "study#StudyPoint")
    for log in (tmp_path / "s/log").iterdir():
        for line in log.read_text(encoding="utf-8").splitlines():
            check(json.loads(line), "study#StudyLogLine")


def test_a_conformance_run():
    check(softfeb.conformance(cases=["ACK"]).raw, "conformance")


def test_a_switch_test():
    result = softfeb.switch_test(
        CONF / "switch-test/v1-plain.yaml",
        profile="quick",
        only=["mtu", "dscp"],
        expect=CONF / "switch-test/expect/v1-plain.yaml",
    )
    check(result.raw, "switch-test")


def test_triggers():
    config = ring()
    config["boards"][0].update(ip="127.0.0.1/8", qps=[], events={"trigger": "camera", "to": "daq"})
    config["receivers"][0].update(ip="127.0.0.2/8", events={})
    del config["receivers"][0]["memory"]
    config["triggers"] = [
        {"name": "camera", "mode": "message", "sources": [{"kind": "periodic", "rate": "100Hz"}]}
    ]
    result = softfeb.trigger(config, duration="50ms")
    assert result.accepted == 5
    check(result.raw, "trigger")


def test_the_machine_and_the_registers():
    check(softfeb.doctor().raw, "doctor")
    check(softfeb.registers().raw, "registers")


@pytest.mark.parametrize(
    "change, place",
    [
        (lambda d: d.pop("verdict"), "'verdict' is a required property"),
        (lambda d: d.update(verdict="fine"), "verdict: 'fine' is not one of"),
        (lambda d: d.update(schema_version=2), "schema_version: 1 was expected"),
        (lambda d: d.update(stolen_share=1.5), "stolen_share: 1.5 is greater than the maximum"),
        (lambda d: d["boards"][0].update(tx_frames=-1), r"boards\[0\].tx_frames: -1 is less"),
        (
            lambda d: d["boards"][0]["qps"][0].update(qpn="256"),
            r"qps\[0\].qpn: '256' is not of type",
        ),
        (
            lambda d: d["boards"][2]["summary"].pop("qps"),
            r"boards\[2\].summary: 'qps' is a required",
        ),
        (lambda d: d["latency"]["stages"][0]["buckets"].append([1, 2, 3]), "buckets.*too long"),
        (lambda d: d["lab"]["figures"].update(totals=None), "figures.totals: None is not of type"),
        (lambda d: d["boards"][0]["qps"][0].pop("alpha"), r"qps\[0\]: 'alpha' is a required"),
        (lambda d: d.update(clock={}), "clock"),
    ],
)
def test_wrong_documents_are_refused(incast, change, place):
    document = copy.deepcopy(incast.raw)
    schemas.validate(document)
    change(document)
    with pytest.raises(softfeb.DocumentError, match=place):
        schemas.validate(document, "result")


def test_additions_are_allowed(incast):
    document = copy.deepcopy(incast.raw)
    document["addition"] = document["boards"][0]["addition"] = {"a": 1}
    schemas.validate(document)


def test_errors_of_the_caller():
    with pytest.raises(softfeb.SoftfebError, match="no schema 'lab'; fix: one of .*result"):
        schemas.validate({}, "lab")
    with pytest.raises(softfeb.SoftfebError, match="no definition 'Nothing'"):
        schemas.validate({}, "live#Nothing")


def test_each_member_of_the_live_page_is_of_one_kind():
    """Each document of the live page must conform to the definition of its kind, and to no other
    definition."""
    state = json.loads('{"state": "running"}')
    schemas.validate(state, "live#State")
    with pytest.raises(softfeb.DocumentError):
        schemas.validate(state, "live#Sample")
