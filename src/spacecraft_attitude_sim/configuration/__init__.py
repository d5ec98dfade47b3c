# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Read and check parameters and scenario files, and convert them to the types of core."""
