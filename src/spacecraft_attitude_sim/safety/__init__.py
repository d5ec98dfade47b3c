# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What is somebody else's: the current folder, texts to be quoted, processes of our own."""
