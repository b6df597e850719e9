# SPDX-License-Identifier: BSD-3-Clause
"""Errors. The command line ends with the `exit_code` of the error that occurred."""


class VmError(Exception):
    exit_code = 1


class GuestError(VmError):
    """The guest failed: it did not boot, or it ended unexpectedly."""

    exit_code = 1


class UsageError(VmError):
    """An option or a name is wrong."""

    exit_code = 2


class EnvironmentMissing(VmError):
    """This machine lacks something; the message states the fix."""

    exit_code = 3
