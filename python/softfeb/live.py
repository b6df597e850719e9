# SPDX-License-Identifier: BSD-3-Clause
"""A client of the live page: figures of a running experiment, and changes of its parameters."""

from __future__ import annotations

import http.client
import json
import re
import urllib.parse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .documents.live import (
    Counters,
    Links,
    Outcome,
    ParameterInfo,
    Parameters,
    Sample,
    Setup,
)
from .errors import LiveError

_SERIES = re.compile(r"([A-Za-z_:][\w:]*)(?:\{(.*)\})? (\S+)")
_LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
_ESCAPED = re.compile(r"\\[\\\"n]")
_ESCAPES = {"\\\\": "\\", '\\"': '"', "\\n": "\n"}


@dataclass(frozen=True)
class Metric:
    """A value of ``/metrics``."""

    name: str
    """name of the metric"""
    labels: Mapping[str, str]
    """labels, such as ``{"board": "feb0"}``"""
    value: float
    """value"""


class LivePage:
    """The live page of a run, on this or another machine.

    ``LivePage("http://127.0.0.1:8080")`` also watches a run that was started by hand. Each call
    uses a connection of its own, so threads may share an object.
    """

    def __init__(self, url: str = "http://127.0.0.1:8080", timeout: float = 10.0) -> None:
        parts = urllib.parse.urlsplit(url if "//" in url else f"http://{url}")
        if parts.scheme != "http" or not parts.hostname:
            raise LiveError(f"{url!r} is not an address", "write http://HOST:PORT")
        self.url = f"http://{parts.netloc}"
        """address of the page"""
        self._host, self._port = parts.hostname, parts.port or 8080
        self._timeout = timeout
        self._setup: Setup | None = None

    def setup(self) -> Setup:
        """Return the description of the run: its boards, ports and so on. The description does
        not change during a run."""
        if self._setup is None:
            self._setup = Setup.from_json(self.get("/api/setup"))
        return self._setup

    @property
    def boards(self) -> list[str]:
        """The names of the boards. The lists in a sample have the same order."""
        return [board.name for board in self.setup().boards]

    @property
    def ports(self) -> list[str]:
        """The names of the switch ports. The lists in a sample have the same order."""
        return [port.name for port in self.setup().ports]

    def state(self) -> str:
        """Return the state of the run: ``waiting``, ``running`` or ``ended``."""
        return str(self.get("/api/state")["state"])

    def history(self) -> list[Sample]:
        """Return the most recent samples, at most 600."""
        return [Sample.from_json(sample) for sample in self.get("/api/history")]

    def counters(self) -> Counters | None:
        """Return the counters, or None if there are none yet. They are updated once a second."""
        data = self.get("/api/counters")
        return None if data is None else Counters.from_json(data)

    def links(self) -> Links | None:
        """Return the connections to slow control, or None if the run has no slow control."""
        data = self.get("/api/links")
        return None if data is None else Links.from_json(data)

    def outcome(self) -> Outcome | None:
        """Return the verdict and the table of the run, or None before the end of the run."""
        data = self.get("/api/result")
        return None if data is None else Outcome.from_json(data)

    def parameters(self, board: str) -> Parameters:
        """Return the current parameters of the congestion control of a board."""
        return Parameters.from_json(self.get(f"/api/dcqcn/{urllib.parse.quote(board)}"))

    def describe_parameters(self) -> dict[str, dict[str, ParameterInfo]]:
        """Return unit, bounds and meaning of the parameters that can be changed, by algorithm."""
        return {
            algorithm: {name: ParameterInfo.from_json(info) for name, info in parameters.items()}
            for algorithm, parameters in self.get("/api/dcqcn").items()
        }

    def change(
        self, board: str, settings: Mapping[str, Any], qps: int | str = "all"
    ) -> Parameters:
        """Change parameters of the congestion control of a board.

        Keys and values are those of ``changes`` in a configuration, for example
        ``{"rai": "48Mb/s"}``. ``qps`` is a queue pair's number on its board, or ``"all"``. Return
        the parameters after the change. If a value is invalid, raise :class:`LiveError` with the
        key of this value, and change nothing.
        """
        body = json.dumps({"board": board, "qps": qps, "set": dict(settings)})
        return Parameters.from_json(json.loads(self._ask("POST", "/api/dcqcn", body)))

    def metrics(self) -> list[Metric]:
        """Return the metrics that Prometheus scrapes."""
        found = []
        for line in self._ask("GET", "/metrics").splitlines():
            series = None if line.startswith("#") else _SERIES.fullmatch(line)
            if series:
                labels = dict(_labels(series[2] or ""))
                found.append(Metric(series[1], labels, float(series[3])))
        return found

    def metric(self, name: str, **labels: str) -> float:
        """Return the value of the metric with this name and these labels, which must be unique."""
        values = [
            m.value
            for m in self.metrics()
            if m.name == name and labels.items() <= dict(m.labels).items()
        ]
        if len(values) != 1:
            raise LiveError(f"{len(values)} metrics match {name} {labels}", "see metrics()")
        return values[0]

    def samples(self, history: bool = True) -> Iterator[Sample]:
        """Yield samples as they arrive, until the traffic or the program ends.

        With ``history``, the most recent samples before this call come first.
        """
        last = -1.0
        for name, data in self.events():
            if name == "state" and data["state"] == "ended":
                return
            new = data if name == "history" and history else [data] if name == "sample" else []
            for sample in map(Sample.from_json, new):
                if sample.t > last:
                    last = sample.t
                    yield sample

    def events(self) -> Iterator[tuple[str, Any]]:
        """Yield all events of the page: ``setup``, ``sample``, ``counters`` and others.

        doc/telemetry.md describes them. The iterator ends when the program does.
        """
        while True:
            connection = self._connect()
            try:
                yield from _events(self._send(connection, "GET", "/events", None))
                return
            except TimeoutError:
                # No events arrive before and after the traffic. If the program is still alive,
                # state() returns; otherwise, it raises LiveError.
                self.state()
            except (OSError, http.client.HTTPException):
                return
            finally:
                connection.close()

    def get(self, path: str) -> Any:
        """Return the JSON document at a path, such as ``/api/setup``."""
        return json.loads(self._ask("GET", path))

    def _connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(self._host, self._port, timeout=self._timeout)

    def _ask(self, method: str, path: str, body: str | None = None) -> str:
        connection = self._connect()
        try:
            return self._send(connection, method, path, body).read().decode("utf-8")
        finally:
            connection.close()

    def _send(
        self, connection: http.client.HTTPConnection, method: str, path: str, body: str | None
    ) -> http.client.HTTPResponse:
        headers = {"Content-Type": "application/json"} if body is not None else {}
        try:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
        except (OSError, http.client.HTTPException) as error:
            raise LiveError(
                f"{self.url} does not answer: {error}", "check that the run serves its live page"
            ) from error
        if response.status == 200:
            return response
        raise _refusal(response.status, response.read().decode("utf-8", "replace"))


def _labels(text: str) -> Iterator[tuple[str, str]]:
    """Yield the labels of a series as pairs of name and unescaped value."""
    for name, value in _LABEL.findall(text):
        yield name, _ESCAPED.sub(lambda found: _ESCAPES[str(found[0])], value)


def _events(response: http.client.HTTPResponse) -> Iterator[tuple[str, Any]]:
    """Yield the events of an event stream until it ends."""
    name, lines = "", []
    while raw := response.readline():
        line = raw.decode("utf-8").rstrip("\r\n")
        if line.startswith("event:"):
            name = line[6:].strip()
        elif line.startswith("data:"):
            lines.append(line[5:].lstrip())
        elif not line and lines:
            yield name, json.loads("\n".join(lines))
            name, lines = "", []


def _refusal(status: int, body: str) -> LiveError:
    try:
        data = json.loads(body)
        return LiveError(data["error"], data.get("fix", ""), data.get("key", ""), status)
    except (ValueError, KeyError, TypeError):
        return LiveError(f"status {status}: {body.strip()}", status=status)
