# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Linear models of a spacecraft and its attitude controller, and the margins of their loop."""
