# SPDX-License-Identifier: BSD-3-Clause
"""Compares figures from published systems with those of softfeb's experiments (tools/seed-figures)."""
