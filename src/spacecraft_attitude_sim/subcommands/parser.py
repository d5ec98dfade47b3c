# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""argparse, but it says what the user may have meant."""

import argparse

from spacecraft_attitude_sim.configuration.suggestion import hint, nearest


class Parser(argparse.ArgumentParser):
    """Refuses a misspelt command or choice with the nearest valid one."""

    def _check_value(self, action, value):
        if action.choices is not None and value not in action.choices:
            raise argparse.ArgumentError(action, f"no '{value}'; {hint(value, action.choices)}")

    def parse_known_args(self, args=None, namespace=None):
        """Refuse an option that is not known, which the parser of a command leaves to its own."""
        found, left = super().parse_known_args(args, namespace)
        for word in left:
            if word.startswith('--'):
                meant = nearest(word.partition('=')[0], self._option_string_actions)
                self.error(f'no option {word}' + (f"; did you mean '{meant}'?" if meant else ''))
        return found, left
