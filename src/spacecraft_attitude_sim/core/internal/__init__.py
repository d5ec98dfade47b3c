# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What moves inside a spacecraft by itself: what bends, turns on hinges, sloshes and dissipates.

One module for each kind. Displacements and conjugate momenta are their states, so that the total
angular momentum is left to the torques from outside: core.equations.moving_parts.
"""
