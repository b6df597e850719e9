# SPDX-License-Identifier: BSD-3-Clause
"""Parts of the tools that make a release."""
