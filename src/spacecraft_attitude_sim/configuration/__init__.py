# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Parameters and scenario files: read, checked, made into the types of core."""
