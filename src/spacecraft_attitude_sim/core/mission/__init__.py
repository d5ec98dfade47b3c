# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The modes of a mission: what each commands, and the conditions that lead from one to another."""
