# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The parts of a spacecraft: each kind has a package of its own, listed in registry.py.

Read first: kind.py (what a kind declares), then one kind, for example magnetorquers/kernel.py.
"""
