# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""argparse with suggestions for misspelt words."""

import argparse

from spacecraft_attitude_sim.configuration.suggestion import hint, nearest


class Parser(argparse.ArgumentParser):
    """Refuses an unknown command, choice or option, and suggests the nearest valid one."""

    def _check_value(self, action, value):
        if action.choices is not None and value not in action.choices:
            raise argparse.ArgumentError(action, f"no '{value}'; {hint(value, action.choices)}")

    def parse_known_args(self, args=None, namespace=None):
        """Refuse an unknown option here: argparse hands it on to the parent parser."""
        found, left = super().parse_known_args(args, namespace)
        for word in left:
            if word.startswith('--'):
                meant = nearest(word.partition('=')[0], self._option_string_actions)
                self.error(f'no option {word}' + (f"; did you mean '{meant}'?" if meant else ''))
        return found, left
