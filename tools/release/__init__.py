# SPDX-License-Identifier: BSD-3-Clause
"""What a release needs."""
