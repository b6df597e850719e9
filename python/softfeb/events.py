# SPDX-License-Identifier: BSD-3-Clause
"""Event files (doc/events.md). Needs Debian's ``python3-h5py``."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from .errors import SoftfebError

if TYPE_CHECKING:
    StrPath = str | os.PathLike[str]

#: The reasons why events are closed. The file contains the index of a reason in this tuple.
STATUS = ("complete", "timeout", "pressure", "end")
#: The value of a sample that is missing.
NO_SAMPLE = 0xFFFF


@dataclass(frozen=True)
class Event:
    """An event of an event file."""

    row: int
    """row in the file"""
    number: int
    """event number"""
    tai: float
    """time of the trigger: seconds of TAI, with the precision of a float (0.2 microseconds)"""
    type: int
    """event type"""
    status: str
    """why the event closed: ``complete``, ``timeout``, ``pressure`` or ``end``"""
    boards: int
    """boards whose data arrived completely"""
    latency_ns: int
    """nanoseconds from trigger to completion; -1 if the event is not complete"""


class EventFile:
    """An event file. A program may still be writing the file.

    ::

        with softfeb.EventFile("run.h5") as events:
            for event in events:
                charges = events.charges(event)      # a numpy array [board, channel]
    """

    def __init__(self, path: StrPath) -> None:
        import h5py

        # A file that is being written, or whose writer was killed, can only be opened with SWMR.
        self._file: Any = h5py.File(os.fspath(path), "r", swmr=True)
        if self._file.attrs.get("format") not in ("softfeb-events", b"softfeb-events"):
            self._file.close()
            raise SoftfebError(f"{os.fspath(path)} is not an event file")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def refresh(self) -> None:
        """Make events visible that were written since the file was opened or last refreshed."""
        for name in self._file:
            self._file[name].refresh()

    @property
    def run(self) -> int:
        """The number of the run."""
        return int(self._file.attrs["run"])

    def __len__(self) -> int:
        return len(self._file["events"])

    def __getitem__(self, row: int) -> Event:
        count = len(self)
        if not -count <= row < count:
            raise IndexError(row)
        row %= count
        return _event(row, self._file["events"][row])

    def __iter__(self) -> Iterator[Event]:
        for row, data in enumerate(self._file["events"][:]):
            yield _event(row, data)

    def waveforms(self, event: Event) -> Any:
        """Return the samples of an event: a numpy array ``[board, channel, sample]`` of floats.

        Samples without data are NaN.
        """
        import numpy

        if "waveforms" not in self._file:
            raise SoftfebError("the file has no waveforms: its payload is of another kind")
        samples = self._file["waveforms"][event.row].astype(float)
        samples[samples == NO_SAMPLE] = numpy.nan
        return samples

    def charges(self, event: Event, pedestal: float | None = None) -> Any:
        """Return the charge of each channel: a numpy array ``[board, channel]``.

        The charge is the sum of all samples, from each of which the pedestal is subtracted.
        Without ``pedestal``, the median of all samples of the event is subtracted. The charge is
        NaN for channels without data.
        """
        import numpy

        samples = self.waveforms(event)
        base = numpy.nanmedian(samples) if pedestal is None else pedestal
        missing = numpy.isnan(samples).all(axis=2)
        return numpy.where(missing, numpy.nan, numpy.nansum(samples - base, axis=2))

    def camera_image(self, event: Event, pedestal: float | None = None) -> Any:
        """Return the charges as a picture: a grid of modules, each with a square of pixels."""
        import numpy

        charges = self.charges(event, pedestal)
        boards, channels = charges.shape
        columns, side = int(numpy.ceil(boards**0.5)), int(numpy.ceil(channels**0.5))
        image = numpy.full((-(-boards // columns) * side, columns * side), numpy.nan)
        board, channel = numpy.divmod(numpy.arange(boards * channels), channels)
        row = board // columns * side + channel // side
        column = board % columns * side + channel % side
        image[row, column] = charges.ravel()
        return image

    def to_pandas(self) -> Any:
        """Return the table of events as a ``pandas.DataFrame``. Needs ``python3-pandas``."""
        import pandas

        return pandas.DataFrame(self._file["events"][:])


def _event(row: int, data: Any) -> Event:
    return Event(
        row=row,
        number=int(data["event"]),
        tai=int(data["seconds"]) + int(data["quarter_ns"]) * 0.25e-9,
        type=int(data["type"]),
        status=STATUS[int(data["status"])],
        boards=int(data["boards"]),
        latency_ns=int(data["latency_ns"]),
    )
