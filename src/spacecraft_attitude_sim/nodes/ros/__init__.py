# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""ROS helpers for every node: conversions, quality of service, parameters, sessions."""
