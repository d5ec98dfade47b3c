# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""An argparse parser with shared options and suggestions for misspelt words."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Callable
from typing import Any

from spacecraft_attitude_sim.configuration.suggestion import hint, nearest


class Help(argparse.HelpFormatter):
    """argparse's help, without `shutil`: its import takes 2 ms of the start of a node.

    argparse makes one for each option that is added, to check the name of its value.
    """

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_columns() - 2)


def _columns() -> int:
    """Return the width of the terminal, as shutil.get_terminal_size."""
    with contextlib.suppress(KeyError, ValueError):
        columns = int(os.environ['COLUMNS'])
        if columns > 0:
            return columns
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or 80  # type: ignore[union-attr]
    except (AttributeError, ValueError, OSError):  # no terminal, or no output at all
        return 80


class Parser(argparse.ArgumentParser):
    """Rejects an unknown command, choice or option, and suggests the nearest valid one."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**{'formatter_class': Help} | given)

    def flag(self, name: str, text: str) -> None:
        """Add an option without a value; text: its help."""
        self.add_argument(name, action='store_true', help=text)

    def value(
        self,
        names: str,
        shown: str,
        text: str,
        kind: Any = None,
        **more: Any,
    ) -> None:
        """Add a positional argument or an option with a value.

        names: such as '-o --output';  shown: its value in the help;  kind: type, None for text
        more: further arguments of add_argument
        """
        self.add_argument(*names.split(), metavar=shown, help=text, type=kind, **more)

    def add_namespace(self) -> None:
        """Add the option --namespace."""
        self.value(
            '--namespace',
            'NS',
            'namespace of one spacecraft, if the bag holds several; for example /sat1',
        )

    def add_lifecycle(self) -> None:
        """Add the option --lifecycle."""
        self.flag(
            '--lifecycle',
            'start the simulator as a managed node; then configure and activate it, for example '
            'with: ros2 lifecycle set /simulator configure',
        )  # fmt: skip

    def add_network(self) -> None:
        """Add the option --network."""
        self.flag(
            '--network',
            'let other machines subscribe and send commands; default only this machine '
            '(docs/security.md)',
        )  # fmt: skip

    def add_trust(self) -> None:
        """Add the option --trust."""
        self.value(
            '--trust', 'MODULE',
            'allow a scenario, bag or campaign to import this Python module and its submodules, '
            'for your own surface, floor or merit functions (docs/trust.md); may be repeated',
            action='append', default=[],
        )  # fmt: skip

    def add_parameters(self) -> None:
        """Add the option -p; see subcommands.given_parameters."""
        self.value(
            '-p', 'NAME:=VALUE',
            'set a parameter of the simulator; write NODE:NAME:=VALUE for another node, for '
            'example contact:mode:=rolling, and sat1/contact:mode:=rolling for one of several '
            'spacecraft; may be repeated',
            dest='parameters', action='append', default=[],
        )  # fmt: skip

    def add_page_options(self) -> None:
        """Add the options of the web page."""
        self.value('--port', 'N', 'TCP port of the page; default %(default)s', int, default=9090)
        self.flag('--no-browser', 'print the address of the page, but open no browser')
        self.value(
            '--memory-limit', 'SIZE',
            'largest amount of data kept for the page; older data is dropped; default %(default)s',
            default='512MB',
        )  # fmt: skip

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            near = hint(value, list(action.choices))
            raise argparse.ArgumentError(action, f"no '{value}'; {near}")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Reject an unknown option here; argparse would pass it to the parent parser."""
        found, left = super().parse_known_args(args, namespace)
        for word in left:
            if word.startswith('--'):
                meant = nearest(word.partition('=')[0], self._option_string_actions)
                self.error(f'no option {word}' + (f"; did you mean '{meant}'?" if meant else ''))
        return found, left


def subcommand(
    commands: Any,
    name: str,
    does: Callable[[argparse.Namespace, list[str]], int],
    text: str,
    description: str | None = None,
    epilog: str | None = None,
) -> Parser:
    """Add a command to the subparsers of `attitude-sim`; return its Parser.

    does: function of options and --ros-args that returns the exit status;  text: one line of help
    """
    parser = commands.add_parser(name, help=text, description=description, epilog=epilog)
    parser.set_defaults(command=does)
    return parser
