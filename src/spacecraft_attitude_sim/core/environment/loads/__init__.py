# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The loads of the environment, one in each file; registry.py lists them."""
