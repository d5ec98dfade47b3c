# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The viewer in a web page, based on the library Rerun; it observes from its own process.

It is optional (extra `view`); only the subcommands import it.
"""
