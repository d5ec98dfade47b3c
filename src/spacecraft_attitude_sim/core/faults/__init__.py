# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Faults of actuators and sensors that begin and end during a run.

`kinds.py` lists them. A fault acts in one of three ways: on the commands of a tick
(`on_commands.py`), on the constants of a part (`on_parts.py`), or on a reading (`on_readings.py`).
core.simulation.fault_schedule decides which of them act in a tick.
"""
