# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Attitude and magnetic control laws, allocation to actuators, and the loops around them."""
