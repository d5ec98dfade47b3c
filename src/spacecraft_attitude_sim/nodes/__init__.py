# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""ROS 2 nodes: each callback converts, calls core, publishes."""
