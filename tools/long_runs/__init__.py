# SPDX-License-Identifier: BSD-3-Clause
"""Long runs of softfeb, and what is measured during them (doc/soak.md)."""
