# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The Python front door: simulate, step, read and plot without ROS. Import it from the package."""
