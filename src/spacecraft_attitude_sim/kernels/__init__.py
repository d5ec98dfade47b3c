# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""How hot loops are compiled, cached and warmed up: threads and processes, no physics."""
