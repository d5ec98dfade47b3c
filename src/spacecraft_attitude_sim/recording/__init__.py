# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Write bags and tables so that they are always complete; read those of any origin."""
