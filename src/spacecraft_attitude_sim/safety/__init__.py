# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Protection against untrusted input, child processes, and what operating systems do otherwise."""
