# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Scenario files, recordings, tables and figures. Imports core, never ROS."""
