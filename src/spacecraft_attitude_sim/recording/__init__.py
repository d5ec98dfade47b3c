# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Bags and tables: written so that they are whole, read whoever made them."""
