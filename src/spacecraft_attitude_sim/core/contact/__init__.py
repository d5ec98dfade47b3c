# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""One smooth convex body on one smooth floor: sliding, rolling, friction, impact (S5)."""
