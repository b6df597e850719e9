# SPDX-License-Identifier: BSD-3-Clause
"""softfeb from Python: run experiments, watch them, and use their results.

The package drives the programs ``softfeb`` and ``febctl``; it needs only Python's standard
library, except for event files, ``to_pandas()`` and ``validate()``. doc/python.md is its guide.

    >>> import softfeb
    >>> result = softfeb.lab("conf/lab/incast.yaml", duration="20ms")
    >>> result.verdict
    'held'
"""

from . import schemas
from .configuration import Configuration, Duration
from .documents import (
    Comparison,
    Conformance,
    DoctorReport,
    Document,
    RegisterSpace,
    Result,
    SinkReport,
    Study,
    StudyManifest,
    SwitchTest,
    TriggerRun,
    load,
)
from .documents.live import Sample
from .errors import (
    ChecksFailed,
    ConfigurationError,
    DocumentError,
    EnvironmentProblem,
    LiveError,
    Problem,
    ProgramDied,
    ProgramError,
    ProgramNotFound,
    Refused,
    SoftfebError,
    VersionError,
)
from .events import Event, EventFile
from .functions import (
    compare,
    conformance,
    doctor,
    lab,
    registers,
    run,
    start_compare,
    start_conformance,
    start_lab,
    start_run,
    start_sweep,
    start_switch_test,
    start_trigger,
    sweep,
    switch_test,
    trigger,
    version,
)
from .job import Job
from .live import LivePage, Metric
from .programs import find_program
from .febctl import Burst, Reading, Registers, StreamCheck
from .report import Report

__version__ = "1.0.0"

__all__ = [
    "Burst",
    "ChecksFailed",
    "Comparison",
    "Configuration",
    "ConfigurationError",
    "Conformance",
    "DoctorReport",
    "Document",
    "DocumentError",
    "Duration",
    "EnvironmentProblem",
    "Event",
    "EventFile",
    "Job",
    "LiveError",
    "LivePage",
    "Metric",
    "Problem",
    "ProgramDied",
    "ProgramError",
    "ProgramNotFound",
    "Reading",
    "Refused",
    "RegisterSpace",
    "Registers",
    "Report",
    "Result",
    "Sample",
    "SinkReport",
    "SoftfebError",
    "StreamCheck",
    "Study",
    "StudyManifest",
    "SwitchTest",
    "TriggerRun",
    "VersionError",
    "compare",
    "conformance",
    "doctor",
    "find_program",
    "lab",
    "load",
    "registers",
    "run",
    "schemas",
    "start_compare",
    "start_conformance",
    "start_lab",
    "start_run",
    "start_sweep",
    "start_switch_test",
    "start_trigger",
    "sweep",
    "switch_test",
    "trigger",
    "version",
]
