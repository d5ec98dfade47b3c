# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Parts that move inside a spacecraft: they bend, turn on hinges, slosh and dissipate.

One module for each kind. The states are displacements and conjugate momenta, so only external
torques change the total angular momentum: core.equations.multibody.moving_origin.
"""
