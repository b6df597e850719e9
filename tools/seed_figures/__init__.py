# SPDX-License-Identifier: BSD-3-Clause
"""Figures of published systems, and of softfeb's experiments (tools/seed-figures)."""
