# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""One spacecraft flown without ROS, tick by tick, with the bits of a node in lockstep."""
