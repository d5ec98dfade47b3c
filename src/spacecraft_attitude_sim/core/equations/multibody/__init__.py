# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The equations of motion of a spacecraft with parts: momentum form, RK4, events.

Read in this order: derivatives.py (dy/dt), moving_origin.py, step.py, smooth.py (a step without
events), tick.py, kernels.py.
"""
