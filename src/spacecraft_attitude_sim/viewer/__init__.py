# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The viewer in a web page, on the Rerun library: an observer in a process of its own.

Optional (extra `view`): nothing outside this folder imports it but the command itself.
"""
