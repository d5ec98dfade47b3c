# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Physics: numpy, numba, scipy, transforms3d. No ROS, no files, no clock."""
