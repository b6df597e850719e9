# SPDX-License-Identifier: BSD-3-Clause
"""A Linux Soft-RoCE (rdma_rxe) receiver in a QEMU guest, for users and tests. See ../README.md."""

from .errors import EnvironmentMissing, GuestError, UsageError, VmError
from .guest import Guest, Options
from .process import Result, Timeout

__all__ = ["EnvironmentMissing", "Guest", "GuestError", "Options", "Result", "Timeout", "UsageError", "VmError"]
