# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What every node needs of ROS: conversions, quality of service, parameters, sessions."""
