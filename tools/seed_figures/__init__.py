# SPDX-License-Identifier: BSD-3-Clause
"""Figures from published systems, and from softfeb's experiments (tools/seed-figures)."""
