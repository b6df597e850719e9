# SPDX-License-Identifier: BSD-3-Clause
"""Errors, each with the exit code that the command line answers with."""


class VmError(Exception):
    exit_code = 1


class GuestError(VmError):
    """The guest failed: it did not boot, or died."""

    exit_code = 1


class UsageError(VmError):
    """A wrong option or name."""

    exit_code = 2


class EnvironmentMissing(VmError):
    """This machine lacks something; the message names the fix."""

    exit_code = 3
